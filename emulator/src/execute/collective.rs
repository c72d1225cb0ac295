//! What the lanes of a warp do together.

use super::Problem;
use super::state::{BlockState, Warp};
use super::step::Step;
use crate::error::FaultKind;
use crate::number::{mask, sign_extend};
use crate::program::{PredicateSource, Reduction, Shuffle, ShuffleForm, Source, Target, Vote, VoteTarget, WARP, lanes};

impl Warp {
    /// Checks the member mask of a `.sync` instruction: the executing lanes are in it, all members that still live are
    /// here, and they name the same members.
    pub(crate) fn check_members(&self, block: &BlockState<'_>, members: &Source, active: u32) -> Step {
        let masks = self.read(block.launch, members);
        let mask_of = |lane: usize| masks[lane] as u32;
        let mut left = active;
        // Mostly all lanes have one mask, and one look is enough.
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let mask = mask_of(first);
            let group = lanes(left).filter(|&lane| mask_of(lane) == mask).fold(0, |group, lane| group | 1 << lane);
            let problem =
                |kind, lanes: u32, message| Err(Problem::new(kind, Some(lanes.trailing_zeros() as usize), message));
            if group & !mask != 0 {
                let message = format!("lanes {:#010x} are not in their own member mask {mask:#010x}", group & !mask);
                return problem(FaultKind::InvalidOperand, group & !mask, message);
            }
            if mask & active & !group != 0 {
                let others = mask & active & !group;
                let message = format!("the member mask {mask:#010x} names lanes {others:#010x} that have another mask");
                return problem(FaultKind::InvalidOperand, group, message);
            }
            let missing = mask & self.live & !active;
            if missing != 0 {
                let message = format!(
                    "the member mask {mask:#010x} names lanes {missing:#010x} that do not reach this instruction \
                     together with lanes {active:#010x}"
                );
                return problem(FaultKind::BarrierDivergence, group, message);
            }
            left &= !group;
        }
        Ok(())
    }

    pub(crate) fn shuffle(&mut self, block: &mut BlockState<'_>, form: &ShuffleForm, active: u32) -> Step {
        if let Some(members) = &form.members {
            self.check_members(block, members, active)?;
        }
        let launch = block.launch;
        let values = self.read(launch, &form.value).into_owned();
        let offsets = self.read(launch, &form.lane).into_owned();
        let clamps = self.read(launch, &form.clamp).into_owned();
        let members = form.members.as_ref().map(|members| self.read(launch, members).into_owned());
        let (mut out, mut in_range) = ([0; WARP], 0);
        for lane in lanes(active) {
            let offset = (offsets[lane] & 31) as i32;
            let clamp = (clamps[lane] & 31) as i32;
            let segment = (clamps[lane] >> 8 & 31) as i32;
            let own = lane as i32;
            let limit = (own & segment) | (clamp & !segment);
            let (source, valid) = match form.mode {
                Shuffle::Up => (own - offset, own - offset >= limit),
                Shuffle::Down => (own + offset, own + offset <= limit),
                Shuffle::Butterfly => (own ^ offset, own ^ offset <= limit),
                Shuffle::Index => {
                    let source = (own & segment) | (offset & !segment);
                    (source, source <= limit)
                }
            };
            let source = if valid { source as usize & 31 } else { lane };
            let mask = members.as_ref().map_or(active, |members| members[lane] as u32 & active);
            out[lane] = if mask >> source & 1 == 1 {
                values[source]
            } else {
                // Undefined on a device: a value that nobody takes for a good one.
                block.profile.shuffles_from_inactive_lanes += 1;
                0xdead_beef
            };
            in_range |= u32::from(valid) << lane;
        }
        if let Some(target) = form.target {
            self.write(target, &out, active);
        }
        if let Some(slot) = form.predicate {
            self.set_predicate(slot, in_range, active);
        }
        Ok(())
    }

    pub(crate) fn vote(
        &mut self,
        block: &mut BlockState<'_>,
        mode: Vote,
        target: VoteTarget,
        (source, members): (PredicateSource, Option<&Source>),
        active: u32,
    ) -> Step {
        let mut voters = [active; WARP];
        if let Some(members) = members {
            self.check_members(block, members, active)?;
            let masks = self.read(block.launch, members);
            voters = std::array::from_fn(|lane| masks[lane] as u32 & active);
        }
        let value = self.predicate(source);
        let answers: [u32; WARP] = voters.map(|voters| match mode {
            Vote::All => u32::from(value & voters == voters),
            Vote::Any => u32::from(value & voters != 0),
            Vote::Uniform => u32::from(value & voters == voters || value & voters == 0),
            Vote::Ballot => value & voters,
        });
        match target {
            VoteTarget::Register(target) => self.write(target, &answers.map(u64::from), active),
            VoteTarget::Predicate(slot) => {
                let value = lanes(active).fold(0, |value, lane| value | answers[lane] << lane);
                self.set_predicate(slot, value, active);
            }
        }
        Ok(())
    }

    pub(crate) fn match_lanes(
        &mut self,
        block: &mut BlockState<'_>,
        (all, bits): (bool, u32),
        (target, predicate): (Option<Target>, Option<u32>),
        (value, members): (&Source, &Source),
        active: u32,
    ) -> Step {
        self.check_members(block, members, active)?;
        let launch = block.launch;
        let values = self.read(launch, value).map(|value| value & mask(bits));
        let masks = self.read(launch, members).into_owned();
        let (mut out, mut agree) = ([0; WARP], 0);
        for lane in lanes(active) {
            let members = masks[lane] as u32 & active;
            let same = lanes(members)
                .filter(|&other| values[other] == values[lane])
                .fold(0, |found, other| found | 1 << other);
            if all {
                let unanimous = same == members;
                out[lane] = u64::from(if unanimous { members } else { 0 });
                agree |= u32::from(unanimous) << lane;
            } else {
                out[lane] = u64::from(same);
            }
        }
        if let Some(target) = target {
            self.write(target, &out, active);
        }
        if let Some(slot) = predicate {
            self.set_predicate(slot, agree, active);
        }
        Ok(())
    }

    pub(crate) fn reduce(
        &mut self,
        block: &mut BlockState<'_>,
        (reduction, signed): (Reduction, bool),
        target: Target,
        (value, members): (&Source, &Source),
        active: u32,
    ) -> Step {
        self.check_members(block, members, active)?;
        let launch = block.launch;
        let values = self.read(launch, value).into_owned();
        let masks = self.read(launch, members).into_owned();
        let number = |bits: u64| if signed { sign_extend(bits, 32) } else { bits as i64 };
        let mut out = [0; WARP];
        for lane in lanes(active) {
            let members = masks[lane] as u32 & active;
            let combined = lanes(members).map(|member| number(values[member])).reduce(|left, right| match reduction {
                Reduction::Add => left.wrapping_add(right),
                Reduction::Minimum => left.min(right),
                Reduction::Maximum => left.max(right),
                Reduction::And => left & right,
                Reduction::Or => left | right,
                Reduction::Xor => left ^ right,
            });
            out[lane] = combined.unwrap_or(0) as u64 & mask(32);
        }
        self.write(target, &out, active);
        Ok(())
    }
}
