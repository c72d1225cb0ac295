//! A parsed module, and one that is loaded on a device.

use crate::error::PtxError;
use crate::lower::{self, Lowered};
use crate::memory::{Device, Kind, MemoryError};
use crate::ptx::ast::{Initial, Variable};
use crate::ptx::parser;
use crate::ptx::types::Space;
use rustc_hash::FxHashMap;

/// A PTX text, checked and lowered: every instruction in it can be run.
///
/// ```
/// use fracas_emulator::Module;
///
/// let module = Module::parse(".version 7.0 .target sm_70 .address_size 64 .visible .entry nothing() { ret; }")?;
/// assert_eq!(module.kernels().collect::<Vec<_>>(), ["nothing"]);
/// # Ok::<(), fracas_emulator::PtxError>(())
/// ```
pub struct Module {
    pub(crate) code: Lowered,
    pub(crate) files: FxHashMap<u32, String>,
    target: String,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Module").field("kernels", &self.kernels().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

impl Module {
    /// Reads a text. An instruction that the emulator does not know is an error that names its line.
    pub fn parse(text: &str) -> Result<Self, PtxError> {
        let text = parser::parse(text)?;
        let code = lower::lower(&text)?;
        Ok(Self { code, files: text.files, target: text.target })
    }

    /// The names of the kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.code.functions.iter().filter(|function| function.kernel).map(|function| function.name.as_str())
    }

    /// The target that the text names, such as `sm_70`.
    pub fn target(&self) -> &str {
        &self.target
    }

    pub(crate) fn kernel(&self, name: &str) -> Option<u32> {
        let place = self.code.functions.iter().position(|function| function.kernel && function.name == name)?;
        Some(place as u32)
    }

    /// The source position of an instruction, as `file:line`.
    pub(crate) fn source_position(&self, location: Option<(u32, u32)>) -> Option<String> {
        let (file, line) = location.filter(|(_, line)| *line != 0)?;
        self.files.get(&file).map(|name| format!("{name}:{line}"))
    }

    /// The functions that a kernel can reach, itself included.
    pub(crate) fn reachable(&self, kernel: u32) -> Vec<u32> {
        let mut found = vec![kernel];
        let mut next = 0;
        while let Some(&index) = found.get(next) {
            let function = &self.code.functions[index as usize];
            let mut add = |callee: u32| {
                if !found.contains(&callee) {
                    found.push(callee);
                }
            };
            function.calls.iter().for_each(|&callee| add(callee));
            // A pointer may hold any function whose address is taken anywhere.
            if function.calls_indirectly {
                (0..self.code.functions.len() as u32)
                    .filter(|&callee| !self.code.functions[callee as usize].kernel)
                    .for_each(add);
            }
            next += 1;
        }
        found
    }
}

/// A module whose variables have memory on a device.
#[derive(Debug)]
pub struct LoadedModule {
    pub(crate) module: Module,
    /// The address of each variable of global and constant memory.
    pub(crate) addresses: Vec<u64>,
}

impl LoadedModule {
    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The address and the size of a variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        let place = self.module.code.globals.iter().position(|variable| variable.name == name)?;
        Some((self.addresses[place], self.module.code.globals[place].size))
    }
}

impl Device {
    /// Gives the variables of a module memory and their first values.
    pub fn load(&self, module: Module) -> Result<LoadedModule, MemoryError> {
        let mut addresses = Vec::with_capacity(module.code.globals.len());
        for variable in &module.code.globals {
            let kind = if variable.space == Space::Constant { Kind::Constant } else { Kind::Variable };
            addresses.push(self.allocate_kind(variable.size, variable.alignment.into(), kind)?);
        }
        let loaded = LoadedModule { module, addresses };
        for (variable, &address) in loaded.module.code.globals.iter().zip(&loaded.addresses) {
            self.write(address, &loaded.initial_bytes(variable))?;
        }
        Ok(loaded)
    }

    /// Frees the memory of a module.
    pub fn unload(&self, module: LoadedModule) -> Result<(), MemoryError> {
        module.addresses.iter().try_for_each(|&address| self.release(address))
    }
}

impl LoadedModule {
    /// Variables without a value start as zeros.
    fn initial_bytes(&self, variable: &Variable) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(variable.size as usize);
        for part in &variable.initial {
            match part {
                Initial::Bytes(given) => bytes.extend(given),
                Initial::Zeros(count) => bytes.resize(bytes.len() + *count as usize, 0),
                Initial::Symbol { name, offset, bytes: width, shift } => {
                    let address = self.symbol_address(name).wrapping_add(*offset as u64) >> shift;
                    bytes.extend(&address.to_le_bytes()[..*width as usize]);
                }
            }
        }
        bytes.resize(variable.size as usize, 0);
        bytes
    }

    fn symbol_address(&self, name: &str) -> u64 {
        if let Some((address, _)) = self.global(name) {
            return address;
        }
        let function = self.module.code.functions.iter().position(|function| function.name == name);
        function.map_or(0, |index| crate::memory::FUNCTION_WINDOW + 16 * index as u64)
    }
}
