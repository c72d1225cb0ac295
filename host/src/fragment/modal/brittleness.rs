//! How easily a solid breaks.

use super::error::{ModalError, positive, require};

/// When cracks start, how far they run and how many there are; the default is a stoneware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brittleness {
    /// The tension at which a crack starts, in Pa.
    pub strength: f64,
    /// The tension below which a running crack stops, as a part of the strength.
    pub arrest: f64,
    /// The energy that a crack takes by its area, in J/m². All cracks of a blow together take no more than the elastic
    /// energy that the blow left in the body.
    pub toughness: f64,
    /// How near to a crack no other starts, as a part of the diagonal of the body's box, where the tension is just the
    /// strength. Where it is so many times the strength, they may start so many times nearer, so harder blows make more
    /// and smaller pieces.
    pub relief: f64,
    /// The most cracks of one blow.
    pub most_cracks: usize,
    /// The fewest nodes of a piece; what is smaller stays on a neighbour.
    pub least_nodes: usize,
}

impl Default for Brittleness {
    fn default() -> Brittleness {
        Brittleness { strength: 4e7, arrest: 0.1, toughness: 20.0, relief: 0.2, most_cracks: 64, least_nodes: 4 }
    }
}

impl Brittleness {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ModalError> {
        const OF: &str = "brittleness";
        positive(OF, "strength", self.strength)?;
        require(OF, "arrest", self.arrest, (0.0..=1.0).contains(&self.arrest), "a number from 0 to 1")?;
        let holds = self.toughness >= 0.0 && self.toughness.is_finite();
        require(OF, "toughness", self.toughness, holds, "a number from 0")?;
        require(OF, "relief", self.relief, (1e-3..=1.0).contains(&self.relief), "a number from 0.001 to 1")?;
        let cracks = (1..=100_000).contains(&self.most_cracks);
        require(OF, "most_cracks", self.most_cracks as f64, cracks, "a count from 1 to 100000")?;
        require(OF, "least_nodes", self.least_nodes as f64, self.least_nodes > 0, "a count from 1")
    }
}
