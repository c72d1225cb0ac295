//! The command line of Fracas.
fn main() {}
