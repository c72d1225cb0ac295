//! Where a column enters and leaves the intersection (\[Domaradzki16\] 5.1.3).

use fracas_kernels::columns::{Density, Span};
use fracas_kernels::discretise::UNITS;

use super::columns::{Columns, Entry};

/// Points that follow each other along a column and face the same way: the surface passes through their mean, because a
/// boundary that takes in every voxel the surface comes to is several voxels thick where it is steep, as much to one
/// side as to the other.
#[derive(Clone, Copy, Debug)]
struct Group {
    is_exit: bool,
    sum: f64,
    count: f64,
    last: u16,
}

/// A place where an owner begins or ends along a column; not a real one where it is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    at: f64,
    is_real: bool,
    coverage: f64,
}

const LOWEST: End = End { at: f64::NEG_INFINITY, is_real: false, coverage: 1.0 };
const HIGHEST: End = End { at: f64::INFINITY, is_real: false, coverage: 1.0 };

/// One owner along one column.
#[derive(Debug, Default)]
struct Along {
    groups: Vec<Group>,
    /// Cells whose surface runs along the column, and how much of the cell is boundary: the surface is in the middle of
    /// the boundary, so half of that is inside.
    walls: Vec<(u16, f64)>,
    count: i32,
    deep: i32,
    intervals: Vec<[End; 2]>,
}

impl Along {
    fn clear(&mut self) {
        self.groups.clear();
        self.walls.clear();
        self.intervals.clear();
        (self.count, self.deep) = (0, 0);
    }

    fn add(&mut self, entry: &Entry, density: &Density) {
        self.count += entry.count;
        self.deep += entry.deep;
        let (place, is_wall, is_exit) = (entry.place(), entry.is_wall(), entry.is_exit());
        match self.groups.last_mut() {
            Some(group) if place <= group.last + 2 && (is_wall || group.is_exit == is_exit) => {
                group.last = place;
                if !is_wall {
                    group.add(entry);
                }
            }
            _ if !is_wall => {
                let mut group = Group { is_exit, sum: 0.0, count: 0.0, last: place };
                group.add(entry);
                self.groups.push(group);
            }
            _ => {}
        }
        if is_wall {
            self.walls.push((place, (f64::from(entry.count) / density.cell).min(1.0)));
        }
    }

    /// The stretches inside, from the groups. `is_around` says that what has no groups is inside all along.
    fn close(&mut self, is_around: bool, density: &Density) {
        if self.groups.is_empty() {
            if is_around {
                self.intervals.push([LOWEST, HIGHEST]);
            }
            return;
        }
        let mut open = self.groups[0].is_exit.then_some(LOWEST);
        let mut before: Option<End> = None;
        for group in &self.groups {
            let coverage = (group.count / density.layer).min(1.0);
            let end = End { at: group.sum / group.count, is_real: true, coverage };
            // Two of a kind: the other kind between them was where the other octree is not, so it was not looked at.
            let between = |before: Option<End>| {
                let at = before.map_or(end.at, |before| 0.5 * (before.at + end.at));
                End { at, is_real: false, coverage: 1.0 }
            };
            if group.is_exit {
                let low = open.take().unwrap_or_else(|| between(before));
                self.intervals.push([low, end]);
            } else {
                if let Some(low) = open {
                    self.intervals.push([low, between(before)]);
                }
                open = Some(end);
            }
            before = Some(end);
        }
        if let Some(low) = open {
            self.intervals.push([low, HIGHEST]);
        }
    }

    /// How much of the column is inside between two places that are.
    fn share(&self, own: &[End; 2], low: f64, high: f64) -> f64 {
        let covered = match own.map(|end| end.is_real.then_some(end.coverage)) {
            [Some(low), Some(high)] => 0.5 * (low + high),
            [Some(one), None] | [None, Some(one)] => one,
            [None, None] => 1.0,
        };
        let overlap = |place: u16| (high.min(f64::from(place) + 1.0) - low.max(f64::from(place))).max(0.0);
        let wall: f64 = self.walls.iter().map(|&(place, part)| part * overlap(place)).sum();
        (covered - 0.5 * wall / (high - low)).max(0.0)
    }
}

impl Group {
    fn add(&mut self, entry: &Entry) {
        let corner = f64::from(entry.count) * f64::from(entry.place());
        self.sum += corner + f64::from(entry.position) / f64::from(UNITS);
        self.count += f64::from(entry.count);
    }
}

/// Reads spans off columns; keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Reader {
    sides: [Along; 2],
}

impl Reader {
    /// The spans of all columns along an axis. Returns how many stretches had an end that is not known; they are left out.
    pub(super) fn read(
        &mut self,
        columns: &Columns,
        axis: usize,
        densities: &[Density; 2],
        spans: &mut Vec<Span>,
    ) -> u32 {
        let mut unclosed = 0;
        for (line, column) in columns.iter() {
            self.sides.iter_mut().for_each(Along::clear);
            for entry in column {
                self.sides[entry.owner()].add(entry, &densities[entry.owner()]);
            }
            for (side, density) in densities.iter().enumerate() {
                let other = &self.sides[1 - side];
                let is_around = 2 * other.deep > other.count || !self.sides[side].walls.is_empty();
                self.sides[side].close(is_around, density);
            }
            unclosed += self.intersect(axis, line, spans);
        }
        unclosed
    }

    /// The spans of all columns along an axis with what is below a plane, `normal · x < offset` in cells.
    pub(super) fn read_below(
        &mut self,
        columns: &Columns,
        axis: usize,
        density: &Density,
        plane: (glam::DVec3, f64),
        spans: &mut Vec<Span>,
    ) -> u32 {
        let mut unclosed = 0;
        let (normal, offset) = (plane.0.to_array(), plane.1);
        for (line, column) in columns.iter() {
            self.sides.iter_mut().for_each(Along::clear);
            column.iter().for_each(|entry| self.sides[0].add(entry, density));
            self.sides[0].close(false, density);
            let rest = offset - normal[(axis + 1) % 3] * line[0] - normal[(axis + 2) % 3] * line[1];
            let end = End { at: rest / normal[axis], is_real: true, coverage: 1.0 };
            let ground = match normal[axis] {
                // So flat that the plane leaves the lattice along the column.
                flat if flat.abs() < 1e-4 && rest > 0.0 => Some([LOWEST, HIGHEST]),
                flat if flat.abs() < 1e-4 => None,
                up if up > 0.0 => Some([LOWEST, end]),
                _ => Some([end, HIGHEST]),
            };
            self.sides[1].intervals.extend(ground);
            unclosed += self.intersect(axis, line, spans);
        }
        unclosed
    }

    /// The stretches inside of both.
    fn intersect(&mut self, axis: usize, line: [f64; 2], spans: &mut Vec<Span>) -> u32 {
        let [first, second] = &self.sides;
        let (mut i, mut j, mut unclosed) = (0, 0, 0);
        while let (Some(one), Some(other)) = (first.intervals.get(i), second.intervals.get(j)) {
            let (low, low_owner) = if one[0].at >= other[0].at { (one[0], 0) } else { (other[0], 1) };
            let (high, high_owner) = if one[1].at <= other[1].at { (one[1], 0) } else { (other[1], 1) };
            if low.at < high.at {
                if low.is_real && high.is_real {
                    let share = first.share(one, low.at, high.at) * second.share(other, low.at, high.at);
                    if share > 0.0 {
                        let (owners, ends) = ([low_owner, high_owner], [low.at, high.at]);
                        spans.push(Span { ends, line, share, axis: axis as u16, owners, meeting: 0 });
                    }
                } else {
                    unclosed += 1;
                }
            }
            if high_owner == 0 {
                i += 1;
            } else {
                j += 1;
            }
        }
        unclosed
    }
}
