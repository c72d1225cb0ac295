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
    // What is left of a side when its smaller vertex is known: the larger one, the corner and the direction.
    let for_each_side = |visit: &mut dyn FnMut(u32, u64)| {
        for (number, &triangle) in triangles.iter().enumerate().filter(|(_, t)| !names_twice(**t)) {
            for corner in 0..3 {
                let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
                let walk = ((3 * number + corner) as u64) << 1 | u64::from(from > to);
                visit(from.min(to), u64::from(from.max(to)) << 32 | walk);
            }
        }
    };
    assert!(
        triangles.len() <= (u32::MAX / 6) as usize,
        "{} triangles have too many corners to number",
        triangles.len()
    );
    // Counting puts them in the order of the smaller vertex; what is left to sort is the few at one vertex.
    let mut ends = vec![0u32; vertices];
    let mut total = 0;
    for_each_side(&mut |low, _| {
        ends[low as usize] += 1;
        total += 1;
    });
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut rests = vec![0u64; total];
    for_each_side(&mut |low, rest| {
        let slot = &mut ends[low as usize];
        rests[*slot as usize] = rest;
        *slot += 1;
    });
    let mut sides = Vec::with_capacity(total);
    let mut start = 0;
    for (low, &end) in ends.iter().enumerate() {
        let rests = &mut rests[start..end as usize];
        rests.sort_unstable();
        sides.extend(rests.iter().map(|&rest| EdgeSide {
            low: low as u32,
            high: (rest >> 32) as u32,
            corner: rest as u32 >> 1,
            reversed: rest & 1 == 1,
        }));
        start = end as usize;
    }
    sides
}

/// The sides that [`edge_sides`] found, an edge at a time.
pub(super) fn edges(sides: &[EdgeSide]) -> impl Iterator<Item = &[EdgeSide]> {
    sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high))
}

/// Whether a triangle has fewer than three vertices.
pub(super) fn names_twice([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}
