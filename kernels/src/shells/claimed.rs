//! A turn on the host, where threads claim what they write.

use core::ptr::NonNull;

use crate::native::Claims;

/// Whose turn it is.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    claims: NonNull<Claims>,
    turn: usize,
}

impl Turn {
    /// # Safety
    /// The claims stay as long as the turn and those made of it are used.
    #[inline]
    pub(super) unsafe fn of_launch(claims: &Claims) -> Turn {
        Turn { claims: NonNull::from(claims), turn: 0 }
    }

    /// Another one of the same launch.
    #[inline]
    pub(super) fn number(self, turn: usize) -> Turn {
        Turn { turn, ..self }
    }

    /// Says that elements are this turn's from now on.
    #[inline]
    pub(super) fn claim<T>(self, first: *const T, count: usize) {
        // SAFETY: the promise of `of_launch`.
        unsafe { self.claims.as_ref() }.take(first as u64, count, self.turn);
    }
}
