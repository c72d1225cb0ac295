//! Reading PTX text: tokens, then declarations and statements with every register resolved.

pub(crate) mod ast;
pub(crate) mod declaration;
pub(crate) mod lexer;
pub(crate) mod parser;
pub(crate) mod statement;
pub(crate) mod types;
