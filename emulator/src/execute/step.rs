//! The interpreter: one instruction for the active lanes of a warp, until the warp has to wait.

use super::state::{BlockState, Path, Status, Warp};
use super::{Launch, Problem};
use crate::error::FaultKind;
use crate::lower::CARRY;
use crate::memory::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW};
use crate::number::mask;
use crate::program::{
    Boolean, Combine, Instruction, Lanes, NOWHERE, Operation, PredicateSource, Source, Target, WARP, lanes,
};
use crate::ptx::types::Space;
use std::borrow::Cow;

pub(crate) type Step<T = ()> = Result<T, Box<Problem>>;

impl Warp {
    /// Runs until the warp waits, ends, or has used up its turn. On a problem the instruction is the current one.
    pub(crate) fn run<'run>(
        &mut self,
        block: &mut BlockState<'run>,
        turn: u64,
        current: &mut Option<&'run Instruction>,
    ) -> Step {
        let launch = block.launch;
        let until = self.executed + turn;
        while self.executed < until {
            let Some(frame) = self.frames.last_mut() else {
                self.status = Status::Finished;
                return Ok(());
            };
            let Some(path) = frame.paths.last().copied() else {
                self.finish_call(launch);
                continue;
            };
            if path.mask == 0 || path.next == path.reconverge || path.next == NOWHERE {
                frame.paths.pop();
                continue;
            }
            let function = &launch.loaded.module.code.functions[frame.function as usize];
            let instruction = &function.instructions[path.next as usize];
            *current = Some(instruction);
            let guard = match instruction.guard {
                None => u32::MAX,
                Some((slot, negated)) => {
                    let value = self.predicates[frame.predicates + slot as usize];
                    if negated { !value } else { value }
                }
            };
            self.executed += 1;
            if self.executed > launch.options.instruction_limit {
                let message = format!("the warp executed {} instructions without an end", self.executed - 1);
                return Err(Problem::new(FaultKind::Timeout, Some(path.mask.trailing_zeros() as usize), message));
            }
            let active = path.mask & guard;
            block.profile.warp_instructions.count(instruction.class);
            block.profile.thread_instructions += u64::from(active.count_ones());
            self.advance(1);
            if !self.control(block, instruction, path, active)? && active != 0 {
                self.execute(block, instruction, active)?;
            }
            if self.status != Status::Ready {
                return Ok(());
            }
        }
        Ok(())
    }

    fn advance(&mut self, step: u32) {
        if let Some(path) = self.path() {
            path.next += step;
        }
    }

    pub(crate) fn path(&mut self) -> Option<&mut Path> {
        self.frames.last_mut().and_then(|frame| frame.paths.last_mut())
    }

    /// Instructions that change which lanes run where. Answers whether this was one.
    fn control(
        &mut self,
        block: &mut BlockState<'_>,
        instruction: &Instruction,
        path: Path,
        active: u32,
    ) -> Step<bool> {
        match &instruction.operation {
            Operation::Branch { target, reconverge, uniform } => {
                if instruction.guard.is_some() {
                    let parts = active != 0 && active != path.mask;
                    check_uniform(*uniform && parts, active)?;
                    block.profile.branches += 1;
                    block.profile.divergent_branches += u64::from(parts);
                }
                self.branch(path, &[(*target, active), (path.next + 1, path.mask & !active)], *reconverge);
            }
            Operation::BranchIndexed { targets, index, reconverge, uniform } => {
                let indices = self.read(block.launch, index).into_owned();
                let mut groups = vec![(path.next + 1, path.mask & !active)];
                for lane in lanes(active) {
                    let index = indices[lane] as u32 as usize;
                    let Some(&target) = targets.get(index) else {
                        let message = format!("the branch table has {} targets, not one at {index}", targets.len());
                        return Err(Problem::new(FaultKind::InvalidOperand, Some(lane), message));
                    };
                    match groups.iter_mut().find(|(place, _)| *place == target) {
                        Some((_, mask)) => *mask |= 1 << lane,
                        None => groups.push((target, 1 << lane)),
                    }
                }
                block.profile.branches += 1;
                let parts = groups.iter().filter(|(_, mask)| *mask != 0).count() > 1;
                check_uniform(*uniform && parts, active)?;
                block.profile.divergent_branches += u64::from(parts);
                self.branch(path, &groups, *reconverge);
            }
            Operation::Call { callee, arguments, results } => {
                if active != 0 {
                    self.call(block.launch, path, active, callee, arguments, results)?;
                }
            }
            Operation::Return => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.paths.iter_mut().for_each(|path| path.mask &= !active);
                }
                // A return from the kernel itself is an exit.
                if self.frames.len() == 1 {
                    self.leave(block, active);
                }
            }
            Operation::Exit => self.leave(block, active),
            Operation::Trap if active != 0 => {
                return Err(Problem::new(FaultKind::Trap, Some(active.trailing_zeros() as usize), "trap was executed"));
            }
            Operation::Breakpoint if active != 0 => {
                return Err(Problem::new(
                    FaultKind::Trap,
                    Some(active.trailing_zeros() as usize),
                    "brkpt was executed",
                ));
            }
            Operation::Barrier(form) if active != 0 => self.barrier(block, form, instruction.line, active)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn leave(&mut self, block: &mut BlockState<'_>, active: u32) {
        block.exited += (active & self.live).count_ones();
        self.exit(active);
    }

    /// Sends groups of lanes to their targets; the last group runs last.
    fn branch(&mut self, path: Path, groups: &[(u32, u32)], reconverge: u32) {
        let Some(frame) = self.frames.last_mut() else { return };
        let Some(top) = frame.paths.last_mut() else { return };
        let mut taken = groups.iter().filter(|(_, mask)| *mask != 0);
        if let (Some((target, _)), None) = (taken.next(), taken.next()) {
            top.next = *target;
            return;
        }
        // The lanes wait where they meet; a path that waits there already does it for them.
        if path.reconverge == reconverge {
            frame.paths.pop();
        } else {
            top.next = reconverge;
        }
        // The first group ends on top.
        for &(target, mask) in groups.iter().rev().filter(|(target, mask)| *mask != 0 && *target != reconverge) {
            frame.paths.push(Path { next: target, reconverge, mask });
        }
    }

    /// The value of an operand for all lanes.
    pub(crate) fn read<'warp>(&'warp self, launch: &Launch<'_>, source: &'warp Source) -> Cow<'warp, Lanes> {
        let base = self.frames.last().map_or((0, 0), |frame| (frame.registers, frame.local));
        match source {
            Source::Register(slot) => Cow::Borrowed(&self.registers[base.0 + *slot as usize]),
            Source::Immediate(value) => Cow::Borrowed(value),
            Source::Symbol(index, offset) => {
                Cow::Owned([launch.loaded.addresses[*index as usize].wrapping_add(*offset as u64); WARP])
            }
            Source::Shared(index, offset) => {
                Cow::Owned([u64::from(launch.shared_offsets[*index as usize]).wrapping_add(*offset as u64); WARP])
            }
            Source::Local(offset) => Cow::Owned([u64::from(base.1).wrapping_add(*offset as u64); WARP]),
        }
    }

    pub(crate) fn predicate(&self, source: PredicateSource) -> u32 {
        match source {
            PredicateSource::Constant(value) => {
                if value {
                    u32::MAX
                } else {
                    0
                }
            }
            PredicateSource::Register { slot, negated } => {
                let base = self.frames.last().map_or(0, |frame| frame.predicates);
                let value = self.predicates[base + slot as usize];
                if negated { !value } else { value }
            }
        }
    }

    pub(crate) fn set_predicate(&mut self, slot: u32, value: u32, active: u32) {
        let base = self.frames.last().map_or(0, |frame| frame.predicates);
        let register = &mut self.predicates[base + slot as usize];
        *register = (*register & !active) | (value & active);
    }

    pub(crate) fn write(&mut self, target: Target, values: &Lanes, active: u32) {
        let base = self.frames.last().map_or(0, |frame| frame.registers);
        let register = &mut self.registers[base + target.slot as usize];
        for lane in lanes(active) {
            register[lane] = values[lane];
        }
    }

    fn combine(&self, value: u32, combine: &Combine) -> u32 {
        let with = self.predicate(combine.with);
        match combine.operator {
            Boolean::And => value & with,
            Boolean::Or => value | with,
            Boolean::Xor => value ^ with,
            Boolean::First => value,
        }
    }

    /// Everything that only computes or moves.
    fn execute(&mut self, block: &mut BlockState<'_>, instruction: &Instruction, active: u32) -> Step {
        let launch = block.launch;
        match &instruction.operation {
            Operation::Compute { function, target, sources } => {
                let base = self.frames.last().map_or(0, |frame| frame.registers);
                let place = base + target.slot as usize;
                let mut out = self.registers[place];
                let [first, second, third] = sources;
                function(
                    &mut out,
                    &self.read(launch, first),
                    &self.read(launch, second),
                    &self.read(launch, third),
                    active,
                );
                self.registers[place] = out;
            }
            Operation::Carry { function, target, sources, writes } => {
                let [first, second, third] = sources.each_ref().map(|source| self.read(launch, source));
                let carry = self.predicate(PredicateSource::Register { slot: CARRY, negated: false });
                let (mut out, mut carries) = ([0; WARP], 0);
                for lane in lanes(active) {
                    let (value, carry) = function(first[lane], second[lane], third[lane], carry >> lane & 1 == 1);
                    out[lane] = value;
                    carries |= u32::from(carry) << lane;
                }
                self.write(*target, &out, active);
                if *writes {
                    self.set_predicate(CARRY, carries, active);
                }
            }
            Operation::Compare { test, first, second, sources, combine } => {
                let found = test(&self.read(launch, &sources[0]), &self.read(launch, &sources[1]), active);
                // The second predicate combines the opposite of the test.
                let (yes, no) = (self.combine(found, combine), self.combine(!found, combine));
                if let Some(slot) = first {
                    self.set_predicate(*slot, yes, active);
                }
                if let Some(slot) = second {
                    self.set_predicate(*slot, no, active);
                }
            }
            Operation::SetValue { test, target, sources, combine, yes } => {
                let found = test(&self.read(launch, &sources[0]), &self.read(launch, &sources[1]), active);
                let found = self.combine(found, combine);
                let values = std::array::from_fn(|lane| if found >> lane & 1 == 1 { *yes } else { 0 });
                self.write(*target, &values, active);
            }
            Operation::Predicate { operator, target, left, right } => {
                let combine = Combine { operator: *operator, with: *right };
                let value = self.combine(self.predicate(*left), &combine);
                self.set_predicate(*target, value, active);
            }
            Operation::Logic3 { function, target, sources, predicate, combine } => {
                let mut out = [0; WARP];
                let [first, second, third] = sources.each_ref().map(|source| self.read(launch, source));
                function(&mut out, &first, &second, &third, active);
                let found = lanes(active).fold(0, |found, lane| found | u32::from(out[lane] != 0) << lane);
                let found = self.combine(found, combine);
                if let Some(target) = target {
                    self.write(*target, &out, active);
                }
                self.set_predicate(*predicate, found, active);
            }
            Operation::Select { target, sources, predicate } => {
                let chosen = self.predicate(*predicate);
                let (yes, no) = (self.read(launch, &sources[0]), self.read(launch, &sources[1]));
                let values = std::array::from_fn(|lane| if chosen >> lane & 1 == 1 { yes[lane] } else { no[lane] });
                self.write(*target, &values, active);
            }
            Operation::Special { target, register } => {
                let values = std::array::from_fn(|lane| self.special(block, *register, lane) & mask(target.bits));
                self.write(*target, &values, active);
            }
            Operation::Pack { target, parts, part_bits } => {
                let mut values = [0; WARP];
                for (place, part) in parts.iter().enumerate() {
                    let part = self.read(launch, part);
                    for lane in 0..WARP {
                        values[lane] |= (part[lane] & mask(*part_bits)) << (place as u32 * part_bits);
                    }
                }
                self.write(*target, &values, active);
            }
            Operation::Unpack { targets, source, part_bits } => {
                let source = self.read(launch, source).into_owned();
                for (place, target) in targets.iter().enumerate() {
                    let part = source.map(|value| value >> (place as u32 * part_bits) & mask(*part_bits));
                    if let Some(target) = target {
                        self.write(*target, &part, active);
                    }
                }
            }
            Operation::ConvertAddress { target, source, space, to_space } => {
                let window = match space {
                    Space::Shared => SHARED_WINDOW,
                    Space::Local => LOCAL_WINDOW,
                    Space::Parameter | Space::Entry => PARAMETER_WINDOW,
                    Space::Generic | Space::Global | Space::Constant => 0,
                };
                let values = self
                    .read(launch, source)
                    .map(|address| if *to_space { address.wrapping_sub(window) } else { address.wrapping_add(window) });
                self.write(*target, &values, active);
            }
            Operation::IsSpace { target, source, space } => {
                let addresses = self.read(launch, source).into_owned();
                let mut hint = self.hint;
                let found = lanes(active).fold(0, |found, lane| {
                    found | u32::from(super::special::is_in(launch, addresses[lane], *space, &mut hint)) << lane
                });
                self.set_predicate(*target, found, active);
            }
            Operation::Load { space, kind, targets, address, order, scope } => {
                self.load(block, (*space, *kind), (*order, *scope), targets, address, active)?;
            }
            Operation::Store { space, kind, values, address, order, scope } => {
                self.store(block, (*space, *kind), (*order, *scope), values, address, active)?;
            }
            Operation::Atomic(atomic) => self.atomic(block, atomic, active)?,
            Operation::Shuffle(form) => self.shuffle(block, form, active)?,
            Operation::Vote { mode, target, source, members } => {
                self.vote(block, *mode, *target, (*source, members.as_ref()), active)?;
            }
            Operation::Match { all, target, predicate, value, bits, members } => {
                self.match_lanes(block, (*all, *bits), (*target, *predicate), (value, members), active)?;
            }
            Operation::Reduce { reduction, signed, target, value, members } => {
                self.reduce(block, (*reduction, *signed), *target, (value, members), active)?;
            }
            Operation::ActiveMask { target } => self.write(*target, &[u64::from(active); WARP], active),
            Operation::WarpBarrier { members } => {
                self.check_members(block, members, active)?;
                self.race.epoch += 1;
            }
            Operation::Fence { scope } => self.fence(block, *scope),
            _ => {}
        }
        Ok(())
    }
}

/// The compiler promised with `.uni` that the lanes do not part; a device may run them all one way.
fn check_uniform(broken: bool, active: u32) -> Step {
    if !broken {
        return Ok(());
    }
    let message = format!("only lanes {active:#010x} take this branch, which is said to be uniform");
    Err(Problem::new(FaultKind::InvalidOperand, Some(active.trailing_zeros() as usize), message))
}
