//! Bodies that break by themselves when they are hit.

/// What makes a body break by itself: a blow.
///
/// The strength of a blow is the impulse, in N s, that would stop the two bodies from coming nearer at the point where
/// they meet: the speed at which they approached before the step, along the contact's normal, times the mass that the
/// two bodies turn against each other there. Unlike the solver's impulses it does not depend on the time step, and a
/// body that rests has none, whatever load it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractureTrigger {
    /// The weakest blow that breaks the body, in N s.
    pub threshold: f64,
    /// How many times over pieces break: with 1, the body breaks but its pieces do not. A body that remains with other
    /// parts counts as the same body.
    pub depth_limit: u32,
    /// How far the damage of a blow reaches; everywhere if there is none.
    pub radius: Option<f64>,
    /// Seconds that must pass before the body, or a piece of it, breaks again.
    pub cooldown: f64,
    /// The share of the speed that is given back to both bodies when one breaks, from 0 to 1: with 0 a wall stops what
    /// breaks it, with 1 it might as well not have been there.
    pub passthrough: f64,
}

impl Default for FractureTrigger {
    fn default() -> FractureTrigger {
        FractureTrigger { threshold: 100.0, depth_limit: 1, radius: None, cooldown: 0.0, passthrough: 0.5 }
    }
}
