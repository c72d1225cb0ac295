//! Bounding volume hierarchies.
