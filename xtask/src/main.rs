//! The developers' commands of Fracas.
fn main() {}
