//! Calls: parameters are copied in, results are copied out when the last lane has returned.

use super::state::{DEPTH_LIMIT, Frame, LOCAL_LIMIT, Path, REGISTER_LIMIT, Warp};
use super::step::Step;
use super::{Launch, Problem};
use crate::error::FaultKind;
use crate::memory::FUNCTION_WINDOW;
use crate::number::mask;
use crate::program::{Argument, Callee, Formal, Lanes, Operation, Source, Target, WARP, lanes};

impl Warp {
    pub(crate) fn call(
        &mut self,
        launch: &Launch<'_>,
        path: Path,
        active: u32,
        callee: &Callee,
        arguments: &[Argument],
        results: &[Argument],
    ) -> Step {
        let (function, callers) = match callee {
            Callee::Function(index) => (*index, active),
            Callee::Indirect(source) => self.indirect(launch, source, active)?,
        };
        if callers != active || active != path.mask {
            // Only some lanes call this function now; the others stay at the call, or go on after it, and all meet there.
            self.split_call(path, active, callers);
        }
        let code = &launch.loaded.module.code.functions[function as usize];
        let fits = |formals: &[Formal], given: &[Argument]| {
            formals.len() == given.len() && formals.iter().zip(given).all(|(formal, given)| takes(*formal, given))
        };
        if !fits(&code.parameters, arguments) || !fits(&code.results, results) {
            let message = format!("'{}' is called with other parameters than it has", code.name);
            return Err(Problem::new(FaultKind::InvalidOperand, Some(callers.trailing_zeros() as usize), message));
        }
        let values: Vec<Vec<u64>> = arguments.iter().map(|argument| self.argument(launch, argument)).collect();
        let needed = self.next_local(launch, code) + code.local_bytes;
        let registers = self.registers.len() + code.registers as usize;
        if needed > LOCAL_LIMIT || self.frames.len() >= DEPTH_LIMIT || registers > REGISTER_LIMIT {
            let message = format!("{} calls deep, with {needed} bytes on the stack", self.frames.len());
            return Err(Problem::new(FaultKind::StackOverflow, Some(callers.trailing_zeros() as usize), message));
        }
        self.push_frame(launch, function, callers);
        for (formal, value) in code.parameters.iter().zip(&values) {
            self.put(*formal, value, callers);
        }
        Ok(())
    }

    /// The function of an indirect call, and the lanes that call it.
    fn indirect(&self, launch: &Launch<'_>, source: &Source, active: u32) -> Step<(u32, u32)> {
        let pointers = self.read(launch, source);
        let first = active.trailing_zeros() as usize;
        let pointer = pointers[first];
        let functions = &launch.loaded.module.code.functions;
        let index = pointer.wrapping_sub(FUNCTION_WINDOW) / 16;
        let valid = pointer >= FUNCTION_WINDOW && pointer.is_multiple_of(16) && index < functions.len() as u64;
        if !valid || functions[index as usize].kernel || functions[index as usize].instructions.is_empty() {
            let message = format!("{pointer:#x} is not the address of a function");
            return Err(Problem::new(FaultKind::InvalidOperand, Some(first), message));
        }
        let callers = lanes(active).filter(|&lane| pointers[lane] == pointer).fold(0, |mask, lane| mask | 1 << lane);
        Ok((index as u32, callers))
    }

    /// The current path already stands after the call. It becomes the place where all meet; the callers run first, then
    /// the lanes that make the same call to another function.
    fn split_call(&mut self, path: Path, active: u32, callers: u32) {
        let Some(frame) = self.frames.last_mut() else { return };
        let after = path.next + 1;
        let others = active & !callers;
        if others != 0 {
            frame.paths.push(Path { next: path.next, reconverge: after, mask: others });
        }
        frame.paths.push(Path { next: after, reconverge: after, mask: callers });
    }

    /// The bytes of an argument, as words for each lane one after another.
    fn argument(&self, launch: &Launch<'_>, argument: &Argument) -> Vec<u64> {
        match argument {
            Argument::Value(source) => self.read(launch, source).to_vec(),
            Argument::Memory { offset, size } => {
                let Some(frame) = self.frames.last() else { return Vec::new() };
                memory_words(&self.parameters, frame, *offset as usize, *size as usize)
            }
        }
    }

    /// Puts a value into a parameter of the current call.
    fn put(&mut self, formal: Formal, value: &[u64], active: u32) {
        match formal {
            Formal::Register { slot, bits } => {
                let mut values: Lanes = [0; WARP];
                values.copy_from_slice(&value[..WARP]);
                self.write(Target { slot, bits }, &values.map(|value| value & mask(bits)), active);
            }
            Formal::Memory { offset, size } => {
                let Some(frame) = self.frames.last() else { return };
                let (base, stride) = (frame.parameters + offset as usize, frame.parameter_bytes);
                let words = value.len() / WARP;
                for lane in lanes(active) {
                    let bytes: Vec<u8> =
                        value[lane * words..(lane + 1) * words].iter().flat_map(|word| word.to_le_bytes()).collect();
                    let start = base + lane * stride;
                    self.parameters[start..start + size as usize].copy_from_slice(&bytes[..size as usize]);
                }
            }
        }
    }

    /// Ends a call: the results go to the caller, which stands after its call.
    pub(crate) fn finish_call(&mut self, launch: &Launch<'_>) {
        let functions = &launch.loaded.module.code.functions;
        let Some(frame) = self.frames.last() else { return };
        let code = &functions[frame.function as usize];
        let values: Vec<Vec<u64>> = code
            .results
            .iter()
            .map(|formal| match formal {
                Formal::Register { slot, .. } => self.registers[frame.registers + *slot as usize].to_vec(),
                Formal::Memory { offset, size } => {
                    memory_words(&self.parameters, frame, *offset as usize, *size as usize)
                }
            })
            .collect();
        let callers = frame.callers;
        self.pop_frame();
        let Some(caller) = self.frames.last() else { return };
        let Some(path) = caller.paths.last() else { return };
        let call = &functions[caller.function as usize].instructions[path.next as usize - 1];
        let Operation::Call { results, .. } = &call.operation else { return };
        for (result, value) in results.iter().zip(&values) {
            match result {
                Argument::Memory { offset, size } => {
                    self.put(Formal::Memory { offset: *offset, size: *size }, value, callers);
                }
                Argument::Value(Source::Register(slot)) => {
                    self.put(Formal::Register { slot: *slot, bits: 64 }, value, callers);
                }
                Argument::Value(_) => {}
            }
        }
    }
}

/// Whether a formal parameter takes what is passed. Direct calls were checked when they were lowered.
fn takes(formal: Formal, given: &Argument) -> bool {
    match (formal, given) {
        (Formal::Memory { size, .. }, Argument::Memory { size: given, .. }) => size == *given,
        (Formal::Memory { size, .. }, Argument::Value(_)) => size <= 8,
        (Formal::Register { bits, .. }, Argument::Memory { size, .. }) => bits == 8 * size,
        (Formal::Register { .. }, Argument::Value(_)) => true,
    }
}

/// Parameter memory of all lanes, each in whole words.
fn memory_words(parameters: &[u8], frame: &Frame, offset: usize, size: usize) -> Vec<u64> {
    let words = size.div_ceil(8);
    let mut found = Vec::with_capacity(words * WARP);
    for lane in 0..WARP {
        let start = frame.parameters + lane * frame.parameter_bytes + offset;
        for chunk in parameters[start..start + size].chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            found.push(u64::from_le_bytes(bytes));
        }
    }
    found
}
