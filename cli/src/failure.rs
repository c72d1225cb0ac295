//! How a command can fail, and the exit code that tells.

/// Why a command did not do what it was asked.
pub(crate) enum Failure {
    /// A check that the user asked for failed.
    Check(String),
    /// Bad input or usage.
    Input(String),
    /// The user interrupted it.
    Interrupted,
}

impl Failure {
    /// Anything that has one clear line to say.
    pub(crate) fn input(error: impl std::fmt::Display) -> Failure {
        Failure::Input(error.to_string())
    }

    /// The same, with the file that it is about before it.
    pub(crate) fn about(self, path: &std::path::Path) -> Failure {
        match self {
            Failure::Input(line) => Failure::Input(format!("{}: {line}", path.display())),
            other => other,
        }
    }

    /// What to print.
    pub(crate) fn line(&self) -> Option<&str> {
        match self {
            Failure::Check(line) | Failure::Input(line) => Some(line),
            Failure::Interrupted => None,
        }
    }

    /// 1 for a failed check, 2 for bad input, 130 as a shell reports an interrupt.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Check(_) => 1,
            Failure::Input(_) => 2,
            Failure::Interrupted => 130,
        }
    }
}
