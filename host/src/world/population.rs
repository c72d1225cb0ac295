//! Who is there and can meet whom.

use super::{Motion, RepresentationKind, WorldError, narrow_phase};

/// How many bodies there are of each kind, moving and fixed, with what they can become when they break.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Population([[usize; 2]; RepresentationKind::ALL.len()]);

/// What a body is and can become.
#[derive(Clone, Copy)]
pub(super) struct Forms {
    kind: RepresentationKind,
    motion: Motion,
    /// How its pieces are represented, if it can break.
    pieces: Option<RepresentationKind>,
}

impl Forms {
    pub(super) fn new(kind: RepresentationKind, motion: Motion, pieces: Option<RepresentationKind>) -> Forms {
        Forms { kind, motion, pieces }
    }

    /// The forms, without repetition. What breaks may lose its last anchor, so that what is left of it moves.
    fn all(self) -> impl Iterator<Item = (RepresentationKind, Motion)> + Clone {
        let moving = (self.kind, Motion::Dynamic);
        let rest = self.pieces.map(|_| moving).filter(|_| self.motion == Motion::Fixed);
        let pieces = self.pieces.map(|pieces| (pieces, Motion::Dynamic)).filter(|&pieces| pieces != moving);
        [Some((self.kind, self.motion)), rest, pieces].into_iter().flatten()
    }
}

impl Population {
    pub(super) fn add(&mut self, forms: Forms) {
        forms.all().for_each(|(kind, motion)| self.0[kind as usize][motion as usize] += 1);
    }

    pub(super) fn remove(&mut self, forms: Forms) {
        forms.all().for_each(|(kind, motion)| self.0[kind as usize][motion as usize] -= 1);
    }

    /// Every pair that can meet must have a narrow phase: a pair that the table lacks is an error now, not a body that
    /// falls through the floor later.
    pub(super) fn check(&self, forms: Forms, name: &str) -> Result<(), WorldError> {
        for (kind, motion) in forms.all() {
            for other in RepresentationKind::ALL {
                let [moving, fixed] =
                    [Motion::Dynamic, Motion::Fixed].map(|motion| self.0[other as usize][motion as usize]);
                let own = forms.pieces.is_some() && forms.all().any(|form| form == (other, Motion::Dynamic));
                let can_meet = moving > 0 || own || fixed > 0 && motion == Motion::Dynamic;
                if can_meet && narrow_phase(kind, other).is_none() {
                    return Err(WorldError::NoNarrowPhase { body: name.to_owned(), kind, other });
                }
            }
        }
        Ok(())
    }
}
