//! Tests of whole pictures.
