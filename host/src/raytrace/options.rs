//! What can be chosen.

/// How rays find matches. What goes beyond the paper handles the failures that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RayOptions {
    /// Whether vertices at the rim of an overlap stand for what is inside of their triangles alone, so that forces hardly
    /// lean however coarse a surface is.
    pub rims: bool,
    /// Rays from edges that are inside of another body though their ends are not.
    pub edges: bool,
    /// Ways out for parts of a surface whose rays all leave through their own body first.
    pub escapes: bool,
    /// Ways out for bodies that are wholly inside of another.
    pub enclosed: bool,
    /// Whether bodies collide with themselves, by the double-hit rule.
    pub itself: bool,
}

impl Default for RayOptions {
    fn default() -> RayOptions {
        RayOptions { rims: true, edges: true, escapes: true, enclosed: true, itself: false }
    }
}

impl RayOptions {
    /// Algorithm 1 alone, as the paper has it.
    pub const PAPER: RayOptions =
        RayOptions { rims: false, edges: false, escapes: false, enclosed: false, itself: false };
}

/// What is near by the baseline's measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximityOptions {
    /// Features nearer than this push each other apart, in metres.
    pub thickness: f64,
    /// Features nearer than this are found, in metres: those that get near enough within the step push too. What moves
    /// farther in a step passes unseen.
    pub alarm: f64,
}

impl ProximityOptions {
    pub(super) fn reach(&self) -> f64 {
        self.alarm.max(self.thickness)
    }
}

/// How matches between bodies are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DetectionMethod {
    /// By rays from vertices inwards.
    Rays(RayOptions),
    /// By distance: the baseline.
    Proximity(ProximityOptions),
}

impl Default for DetectionMethod {
    fn default() -> DetectionMethod {
        DetectionMethod::Rays(RayOptions::default())
    }
}
