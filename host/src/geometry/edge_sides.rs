//! The edges of a triangle mesh, each with the triangles at it.

/// One side of an edge: a triangle walks along it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeSide {
    /// The smaller of the two vertex numbers.
    pub low: u32,
    /// The larger one.
    pub high: u32,
    /// Three times the triangle, plus the corner that the walk leaves from.
    pub corner: u32,
    /// Whether the walk goes from high to low.
    pub reversed: bool,
}

impl EdgeSide {
    pub(super) fn triangle(&self) -> u32 {
        self.corner / 3
    }

    /// The corner that the walk comes to.
    pub(super) fn next_corner(&self) -> u32 {
        if self.corner % 3 == 2 { self.corner - 2 } else { self.corner + 1 }
    }

    /// The corners at the smaller and at the larger vertex.
    pub(super) fn end_corners(&self) -> [u32; 2] {
        if self.reversed { [self.next_corner(), self.corner] } else { [self.corner, self.next_corner()] }
    }
}

/// The sides of the edges of triangles over `vertices` vertices, sorted by edge, then corner. Triangles that name a
/// vertex twice have none: they enclose nothing and connect nothing.
pub(super) fn edge_sides(triangles: &[[u32; 3]], vertices: usize) -> Vec<EdgeSide> {
    let sides = || {
        triangles.iter().enumerate().filter(|(_, t)| !names_twice(**t)).flat_map(|(number, triangle)| {
            [0, 1, 2].map(|corner| {
                let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
                EdgeSide {
                    low: from.min(to),
                    high: from.max(to),
                    corner: (3 * number + corner) as u32,
                    reversed: from > to,
                }
            })
        })
    };
    // Counting puts them in the order of the smaller vertex; what is left to sort is the few at one vertex.
    let mut ends = vec![0usize; vertices];
    let mut total = 0;
    for side in sides() {
        ends[side.low as usize] += 1;
        total += 1;
    }
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut sorted = vec![EdgeSide::default(); total];
    for side in sides() {
        let slot = &mut ends[side.low as usize];
        sorted[*slot] = side;
        *slot += 1;
    }
    let mut start = 0;
    for end in ends {
        sorted[start..end].sort_unstable_by_key(|side| u64::from(side.high) << 32 | u64::from(side.corner));
        start = end;
    }
    sorted
}

/// The sides that [`edge_sides`] found, an edge at a time.
pub(super) fn edges(sides: &[EdgeSide]) -> impl Iterator<Item = &[EdgeSide]> {
    sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high))
}

/// Whether a triangle has fewer than three vertices.
pub(super) fn names_twice([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}
