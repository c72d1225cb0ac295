//! Pictures and files for other programs.
