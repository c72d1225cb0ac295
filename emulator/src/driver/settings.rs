//! What the environment asks for.

use super::code::{Answer, Code};
use crate::options::Options;
use std::path::PathBuf;

/// Options of the launches, and where their profiles go.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) options: Options,
    pub(crate) profile: Option<PathBuf>,
    /// Whether the machine is one without a device.
    pub(crate) is_bare: bool,
}

impl Settings {
    /// Reads the variables whose names start with `FRACAS_EMULATOR_`. One that does not parse is an error: a test that
    /// believes it looks for races must not run without.
    pub(crate) fn from_environment() -> Answer<Self> {
        let mut settings =
            Self { profile: std::env::var_os("FRACAS_EMULATOR_PROFILE").map(PathBuf::from), ..Self::default() };
        let options = &mut settings.options;
        let flag = |name: &str, value: &mut bool| match std::env::var(name).as_deref() {
            Err(_) => Ok(()),
            Ok("1") => {
                *value = true;
                Ok(())
            }
            Ok("0" | "") => {
                *value = false;
                Ok(())
            }
            Ok(other) => Err(refuse(name, other, "0 or 1")),
        };
        flag("FRACAS_EMULATOR_RACES", &mut options.races)?;
        flag("FRACAS_EMULATOR_UNINITIALISED", &mut options.uninitialised)?;
        flag("FRACAS_EMULATOR_UNINITIALISED_LOCAL", &mut options.uninitialised_local)?;
        flag("FRACAS_EMULATOR_EXITED_THREADS", &mut options.exited_threads_at_barriers)?;
        if let Some(seed) = number("FRACAS_EMULATOR_SHUFFLE")? {
            options.shuffle = Some(seed);
        }
        if let Some(limit) = number("FRACAS_EMULATOR_LIMIT")? {
            options.instruction_limit = limit;
        }
        settings.is_bare = match number("FRACAS_EMULATOR_DEVICES")? {
            None | Some(1) => false,
            Some(0) => true,
            Some(other) => return Err(refuse("FRACAS_EMULATOR_DEVICES", &other.to_string(), "0 or 1")),
        };
        Ok(settings)
    }
}

fn number(name: &str) -> Answer<Option<u64>> {
    match std::env::var(name) {
        Err(_) => Ok(None),
        Ok(text) => text.parse().map(Some).map_err(|_| refuse(name, &text, "a number")),
    }
}

fn refuse(name: &str, value: &str, expected: &str) -> Code {
    eprintln!("fracas-emulator: {name} is '{value}', expected {expected}");
    Code::INVALID_VALUE
}
