//! What detection answers: matching points, and how many of them came about how.

use std::ops::AddAssign;

use glam::DVec3;

use crate::contact::Contact;

/// A point of a surface, as weights of at most three of its vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The vertices; where fewer than three count, the others have no weight.
    pub vertices: [u32; 3],
    /// Their weights; the sum is 1.
    pub weights: [f64; 3],
}

impl SurfacePoint {
    /// A vertex.
    pub fn vertex(vertex: u32) -> SurfacePoint {
        SurfacePoint { vertices: [vertex; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// A point of an edge, some way from its first end to its second.
    pub fn on_edge([from, to]: [u32; 2], share: f64) -> SurfacePoint {
        SurfacePoint { vertices: [from, to, to], weights: [1.0 - share, share, 0.0] }
    }

    /// The vertices that count, with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.vertices.into_iter().zip(self.weights).filter(|&(_, weight)| weight != 0.0)
    }
}

/// What made two points a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// The ray of a vertex met another body from the inside: Algorithm 1.
    Vertex,
    /// The ray of a vertex met its own body twice from the inside: section 3.3.
    Itself,
    /// The ray of an edge of which neither end is inside of the other body.
    Edge,
    /// A ray that leads out by a way that a whole part of a surface takes, because all rays of that part leave through
    /// their own body first.
    Escape,
    /// The same for a body that is wholly inside of another.
    Enclosed,
    /// A vertex near to a triangle: the baseline.
    NearVertex,
    /// Two edges near to each other: the baseline.
    NearEdge,
}

/// Two points that are to be pushed together (or, by the baseline, apart).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// The two bodies, by the numbers that the caller gave them; the same twice where a body meets itself.
    pub bodies: [u32; 2],
    /// The points, one of each body.
    pub points: [SurfacePoint; 2],
    /// Where they are.
    pub places: [DVec3; 2],
    /// The unit direction in which the first body's point is pushed; the other's goes against it.
    pub normal: DVec3,
    /// How far it has to go; negative for what is near but need not, which only the baseline finds.
    pub depth: f64,
    /// The area that the match stands for.
    pub area: f64,
    /// The cosine between the push and the normal of what it leaves through, as a weight of how far to trust the match.
    pub cosine: f64,
    /// How it was found.
    pub kind: MatchKind,
}

impl Match {
    /// The match as a contact: at the first body's point, which has to move along the normal to get free.
    pub fn contact(&self) -> Contact {
        let features = [self.points[0].vertices[0], self.points[1].vertices[0]];
        Contact { point: self.places[0], normal: self.normal, depth: self.depth, features }
    }
}

/// How much detection looked at, and what it found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetectionStatistics {
    /// Pairs of bodies whose boxes overlap.
    pub pairs: usize,
    /// Rays that were cast, all kinds together.
    pub rays: usize,
    /// Rays that met the other body from its outside, or not at all.
    pub outside: usize,
    /// Rays that left through their own body first.
    pub own_surface: usize,
    /// Matches of vertices.
    pub vertices: usize,
    /// Matches of bodies with themselves.
    pub itself: usize,
    /// Matches of edges.
    pub edges: usize,
    /// Matches of parts of surfaces whose rays all leave through their own body first.
    pub escapes: usize,
    /// Matches of bodies inside of others.
    pub enclosed: usize,
    /// Vertices near to triangles.
    pub near_vertices: usize,
    /// Edges near to edges.
    pub near_edges: usize,
}

impl DetectionStatistics {
    /// All matches.
    pub fn matches(&self) -> usize {
        let beyond = self.edges + self.escapes + self.enclosed;
        self.vertices + self.itself + beyond + self.near_vertices + self.near_edges
    }

    /// Counts what was found.
    pub(super) fn count(&mut self, matches: &[Match]) {
        for found in matches {
            *match found.kind {
                MatchKind::Vertex => &mut self.vertices,
                MatchKind::Itself => &mut self.itself,
                MatchKind::Edge => &mut self.edges,
                MatchKind::Escape => &mut self.escapes,
                MatchKind::Enclosed => &mut self.enclosed,
                MatchKind::NearVertex => &mut self.near_vertices,
                MatchKind::NearEdge => &mut self.near_edges,
            } += 1;
        }
    }
}

impl AddAssign for DetectionStatistics {
    fn add_assign(&mut self, other: DetectionStatistics) {
        self.pairs += other.pairs;
        self.rays += other.rays;
        self.outside += other.outside;
        self.own_surface += other.own_surface;
        self.vertices += other.vertices;
        self.itself += other.itself;
        self.edges += other.edges;
        self.escapes += other.escapes;
        self.enclosed += other.enclosed;
        self.near_vertices += other.near_vertices;
        self.near_edges += other.near_edges;
    }
}
