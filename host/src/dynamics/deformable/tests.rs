//! Deformable bodies against what physics says.
