//! Legacy VTK files with an unstructured grid, in ASCII and binary (big-endian), of versions up to 5.1.

use glam::DVec3;

use super::bytes::ByteCursor;
use super::error::{Fault, Place, quoted};
use super::tet_builder::TetBuilder;
use super::text::Cursor;
use crate::geometry::TetMesh;

const TETRAHEDRON: i64 = 10;

/// The type of the numbers in an array.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Float,
    Double,
    Int,
    Long,
}

impl Kind {
    fn named(word: &[u8]) -> Option<Kind> {
        match word.to_ascii_lowercase().as_slice() {
            b"float" => Some(Kind::Float),
            b"double" => Some(Kind::Double),
            b"int" | b"unsigned_int" | b"vtktypeint32" => Some(Kind::Int),
            b"long" | b"unsigned_long" | b"vtkidtype" | b"vtktypeint64" => Some(Kind::Long),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Kind::Float | Kind::Int => 4,
            Kind::Double | Kind::Long => 8,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    cursor: Cursor<'a>,
    binary: bool,
}

/// The cells: where each ends in the list of node numbers.
#[derive(Default)]
struct Cells {
    ends: Vec<usize>,
    nodes: Vec<i64>,
    types: Vec<i64>,
}

pub(super) fn read(bytes: &[u8]) -> Result<TetMesh, Fault> {
    let mut cursor = Cursor::new(bytes).without_comments();
    let first = cursor.rest_of_line();
    if !first.to_ascii_lowercase().starts_with(b"# vtk datafile version") {
        let found = quoted(first);
        return Err(
            cursor.fault(format!("found {found} where `# vtk DataFile Version` is expected; it is no legacy VTK file"))
        );
    }
    // The title may be anything, and may be empty.
    cursor.next_line();
    cursor.next_line();
    let binary = match cursor.word_anywhere() {
        Some(b"ASCII") => false,
        Some(b"BINARY") => true,
        other => {
            let found = quoted(other.unwrap_or_default());
            return Err(cursor.fault(format!("found {found} where `ASCII` or `BINARY` is expected")));
        }
    };
    Reader { bytes, cursor, binary }.read_grid()
}

impl<'a> Reader<'a> {
    fn read_grid(&mut self) -> Result<TetMesh, Fault> {
        let mut builder = TetBuilder::default();
        let mut cells = Cells::default();
        while let Some(word) = self.cursor.word_anywhere() {
            match word.to_ascii_uppercase().as_slice() {
                b"DATASET" => {
                    let kind = self.cursor.word().unwrap_or_default();
                    if !kind.eq_ignore_ascii_case(b"UNSTRUCTURED_GRID") {
                        let found = quoted(kind);
                        return Err(self
                            .cursor
                            .fault(format!("the dataset is {found}, but UNSTRUCTURED_GRID is expected")));
                    }
                }
                b"POINTS" => self.read_points(&mut builder)?,
                b"CELLS" => self.read_cells(&mut cells)?,
                b"CELL_TYPES" => {
                    let count = self.cursor.count("the number of cells")?;
                    cells.types = self.integers(count, Kind::Int, "the cell types")?;
                }
                b"METADATA" => self.skip_metadata(),
                b"FIELD" => self.skip_field()?,
                // What belongs to points and cells comes after the geometry.
                b"POINT_DATA" | b"CELL_DATA" => break,
                _ => {
                    let found = quoted(word);
                    return Err(self
                        .cursor
                        .fault(format!("found {found} where POINTS, CELLS or CELL_TYPES is expected")));
                }
            }
        }
        cells.add_to(&mut builder)?;
        builder.finish()
    }

    fn read_points(&mut self, builder: &mut TetBuilder) -> Result<(), Fault> {
        let count = self.cursor.count("the number of points")?;
        let kind = self.kind()?;
        let what = "the points";
        if builder.vertex_count() > 0 {
            return Err(self.cursor.fault("POINTS stands there twice"));
        }
        let place = self.cursor.line();
        let values = self.numbers(count.saturating_mul(3), kind, what)?;
        builder.reserve_vertices(count);
        for (number, point) in values.as_chunks::<3>().0.iter().enumerate() {
            builder.push_vertex(number as u64, DVec3::from_array(*point)).map_err(|problem| Fault {
                place: Place::Line(place),
                problem: format!("in the points after this line, {problem}"),
            })?;
        }
        Ok(())
    }

    /// Up to version 4: a count and the node numbers, cell by cell. From 5 on: an array of offsets and one of numbers.
    fn read_cells(&mut self, cells: &mut Cells) -> Result<(), Fault> {
        let count = self.cursor.count("the number of cells")?;
        let size = self.cursor.count("the size of the cell list")?;
        let after = self.cursor.clone();
        self.cursor.next_line();
        if self.cursor.clone().word() == Some(b"OFFSETS") {
            self.cursor.word();
            let kind = self.kind()?;
            let offsets = self.integers(count, kind, "the offsets of the cells")?;
            if self.cursor.word_anywhere() != Some(b"CONNECTIVITY") {
                return Err(self.cursor.fault("expected CONNECTIVITY after the OFFSETS of the cells"));
            }
            let kind = self.kind()?;
            cells.nodes = self.integers(size, kind, "the nodes of the cells")?;
            cells.ends = offsets.get(1..).unwrap_or_default().iter().map(|&end| end.max(0) as usize).collect();
            let ascending = cells.ends.is_sorted() && cells.ends.last().is_none_or(|&end| end <= cells.nodes.len());
            if offsets.first().is_some_and(|&first| first != 0) || !ascending {
                return Err(after.fault("the OFFSETS of these cells do not ascend from 0 to the size of the list"));
            }
            return Ok(());
        }
        self.cursor = after;
        let place = self.cursor.clone();
        let list = self.integers(size, Kind::Int, "the cells")?;
        let mut rest = list.as_slice();
        cells.nodes = Vec::with_capacity(list.len());
        for number in 0..count {
            let (nodes, after) = rest
                .split_first()
                .and_then(|(&nodes, rest)| rest.split_at_checked(usize::try_from(nodes).ok()?))
                .ok_or_else(|| place.fault(format!("cell {number} goes beyond the {size} numbers of the cell list")))?;
            cells.nodes.extend_from_slice(nodes);
            cells.ends.push(cells.nodes.len());
            rest = after;
        }
        Ok(())
    }

    fn skip_metadata(&mut self) {
        // Up to an empty line.
        while self.cursor.next_line() && !self.cursor.line_is_over() {}
    }

    /// `FIELD name count`, then arrays of `name components tuples type`.
    fn skip_field(&mut self) -> Result<(), Fault> {
        self.cursor.word();
        let arrays = self.cursor.count("the number of arrays")?;
        for _ in 0..arrays {
            if self.cursor.word_anywhere().is_none() {
                return Err(self.cursor.fault("the file ends within a FIELD"));
            }
            let components = self.cursor.count("the number of components")?;
            let tuples = self.cursor.count("the number of tuples")?;
            let kind = self.kind()?;
            self.numbers(components.saturating_mul(tuples), kind, "a field")?;
        }
        Ok(())
    }

    fn kind(&mut self) -> Result<Kind, Fault> {
        let word = self.cursor.word().unwrap_or_default();
        Kind::named(word).ok_or_else(|| {
            let found = quoted(word);
            self.cursor.fault(format!("found {found} where a type of number (float, double, int, long) is expected"))
        })
    }

    fn numbers(&mut self, count: usize, kind: Kind, what: &str) -> Result<Vec<f64>, Fault> {
        if self.binary {
            self.binary_array(count, kind, what, |cursor| {
                Ok(match kind {
                    Kind::Float => f64::from(f32::from_bits(cursor.u32("")?)),
                    Kind::Double => cursor.f64("")?,
                    Kind::Int => f64::from(cursor.i32("")?),
                    Kind::Long => cursor.u64("")? as i64 as f64,
                })
            })
        } else {
            self.ascii_array(count, what, |cursor| cursor.number(what))
        }
    }

    fn integers(&mut self, count: usize, kind: Kind, what: &str) -> Result<Vec<i64>, Fault> {
        if self.binary {
            self.binary_array(count, kind, what, |cursor| {
                Ok(if kind.size() == 4 { i64::from(cursor.i32("")?) } else { cursor.u64("")? as i64 })
            })
        } else {
            self.ascii_array(count, what, |cursor| cursor.integer(what))
        }
    }

    fn binary_array<T>(
        &mut self,
        count: usize,
        kind: Kind,
        what: &str,
        read: impl Fn(&mut ByteCursor<'_>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.cursor.next_line();
        let mut data = ByteCursor::new(self.bytes, self.cursor.offset(), true);
        let start = data.offset();
        let length = data.records(count, kind.size(), what)?.len();
        let mut data = ByteCursor::new(self.bytes, start, true);
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            values.push(read(&mut data)?);
        }
        self.cursor.set_offset(start + length);
        Ok(values)
    }

    fn ascii_array<T>(
        &mut self,
        count: usize,
        what: &str,
        read: impl Fn(&mut Cursor<'a>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut values = Vec::with_capacity(count.min(self.cursor.remaining() / 2 + 1));
        for done in 0..count {
            if !self.cursor.skip_empty_lines() {
                return Err(self
                    .cursor
                    .fault(format!("{what} should be {count} numbers, but the file ends after {done}")));
            }
            values.push(read(&mut self.cursor)?);
        }
        Ok(values)
    }
}

impl Cells {
    fn add_to(&self, builder: &mut TetBuilder) -> Result<(), Fault> {
        if self.types.len() != self.ends.len() {
            let (types, cells) = (self.types.len(), self.ends.len());
            return Err(Fault::file(format!("has {cells} cells, but {types} cell types")));
        }
        let mut start = 0;
        for (&end, &kind) in self.ends.iter().zip(&self.types) {
            let nodes = &self.nodes[start..end];
            start = end;
            match *nodes {
                [a, b, c, d] if kind == TETRAHEDRON => {
                    // A negative number is a tag that no node has.
                    builder.push_tet([a, b, c, d].map(|node| node as u64)).map_err(Fault::file)?;
                }
                _ => builder.skip_cells(1),
            }
        }
        Ok(())
    }
}
