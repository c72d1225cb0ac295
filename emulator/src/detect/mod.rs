//! Detectors that need a memory of their own.

pub(crate) mod race;
