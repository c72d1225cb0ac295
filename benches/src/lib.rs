//! Criterion benches of Fracas; README.md beside this crate says what each one measures.
