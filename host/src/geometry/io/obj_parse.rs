//! One stretch of an OBJ file, as numbers that do not yet know what stands before them.

use glam::{DVec3, Vec2, Vec3};

use super::attributes::unit_normal;
use super::error::{Fault, quoted};
use super::number::is_blank;
use super::text::Cursor;

/// The number of a corner's attribute where it has none.
pub(super) const MISSING: u32 = u32::MAX;
/// A number that no file reaches, for what is out of range however the counts turn out.
const UNREACHABLE: u32 = u32::MAX - 1;
/// Larger counts could be mistaken for negative numbers.
pub(super) const MOST: usize = i32::MAX as usize;

/// The numbers that corners have in one list (positions, texture coordinates or normals), counted from zero.
#[derive(Default)]
pub(super) struct References {
    pub(super) values: Vec<u32>,
    /// The places in `values` that count from the beginning of the chunk and not of the file.
    relative: Vec<u32>,
}

/// What the lines of a chunk say.
#[derive(Default)]
pub(super) struct Chunk<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) positions: Vec<DVec3>,
    /// Empty, or a colour for each position.
    pub(super) colors: Vec<[f32; 4]>,
    pub(super) uvs: Vec<Vec2>,
    pub(super) normals: Vec<Vec3>,
    pub(super) corners: References,
    /// Empty, or as long as the corners.
    pub(super) corner_uvs: References,
    /// Empty, or as long as the corners.
    pub(super) corner_normals: References,
    pub(super) face_sizes: Vec<u32>,
    pub(super) only_triangles: bool,
    /// From which face on which material is used.
    pub(super) material_changes: Vec<(usize, &'a [u8])>,
}

impl References {
    /// Sets the reference of a corner; corners in between have none.
    #[inline]
    fn set(&mut self, corner: usize, number: i64, defined: usize) {
        if self.values.len() < corner {
            self.values.resize(corner, MISSING);
        }
        let value = match number {
            1..=0x7fff_ffff => number as u32 - 1,
            -0x7fff_ffff..=-1 => {
                self.relative.push(corner as u32);
                (defined as u32).wrapping_sub(number.unsigned_abs() as u32)
            }
            _ => UNREACHABLE,
        };
        self.values.push(value);
    }

    fn finish(&mut self, corners: usize) {
        if !self.values.is_empty() {
            self.values.resize(corners, MISSING);
        }
    }

    /// Makes all numbers count from the beginning of the file; gives the first corner that is out of range.
    pub(super) fn resolve(&mut self, before: usize, total: usize, may_miss: bool) -> Option<usize> {
        for &place in &self.relative {
            let value = &mut self.values[place as usize];
            *value = value.wrapping_add(before as u32);
        }
        self.relative = Vec::new();
        self.values.iter().position(|&value| value as usize >= total && !(may_miss && value == MISSING))
    }
}

/// Reads the lines between two offsets, both of which are at beginnings of lines.
pub(super) fn parse_chunk(text: &[u8], start: usize, end: usize) -> Result<Chunk<'_>, Fault> {
    let mut chunk = Chunk { start, end, only_triangles: true, ..Chunk::default() };
    let mut cursor = Cursor::part(text, start, end);
    loop {
        cursor.skip_blanks();
        let rest = cursor.rest();
        let second = rest.get(1).copied().unwrap_or(b'\n');
        match rest.first() {
            Some(b'v') if is_blank(second) => {
                cursor.advance(1);
                chunk.parse_position(&mut cursor)?;
            }
            Some(b'v') if second == b't' && rest.get(2).is_some_and(|&byte| is_blank(byte)) => {
                cursor.advance(2);
                let u = cursor.number("a texture coordinate")?;
                let v = if cursor.line_is_over() { 0.0 } else { cursor.number("a texture coordinate")? };
                chunk.uvs.push(finite_or_zero(Vec2::new(u as f32, v as f32)));
            }
            Some(b'v') if second == b'n' && rest.get(2).is_some_and(|&byte| is_blank(byte)) => {
                cursor.advance(2);
                let mut part = || cursor.number("a part of a normal");
                let normal = DVec3::new(part()?, part()?, part()?);
                chunk.normals.push(unit_normal(normal.as_vec3()));
            }
            Some(b'f') if is_blank(second) => {
                cursor.advance(1);
                chunk.parse_face(&mut cursor)?;
            }
            Some(b'u') if rest.starts_with(b"usemtl") && rest.get(6).is_none_or(|&byte| is_blank(byte)) => {
                cursor.advance(6);
                let name = cursor.rest_of_line();
                chunk.material_changes.push((chunk.face_sizes.len(), name));
            }
            _ => {}
        }
        if !cursor.next_line() {
            break;
        }
    }
    let corners = chunk.corners.values.len();
    chunk.corner_uvs.finish(corners);
    chunk.corner_normals.finish(corners);
    if !chunk.colors.is_empty() {
        chunk.colors.resize(chunk.positions.len(), [1.0; 4]);
    }
    Ok(chunk)
}

fn finite_or_zero(uv: Vec2) -> Vec2 {
    if uv.is_finite() { uv } else { Vec2::ZERO }
}

impl Chunk<'_> {
    /// `v x y z`, `v x y z w`, `v x y z r g b` or `v x y z r g b a`.
    #[inline]
    fn parse_position(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let position = cursor.point()?;
        if !cursor.line_is_over() {
            let mut more = [1.0_f32; 4];
            let mut count = 0;
            while count < 4 && !cursor.line_is_over() {
                more[count] = cursor.number("a weight or a colour")? as f32;
                count += 1;
            }
            if count >= 3 {
                if self.colors.len() < self.positions.len() {
                    self.colors.resize(self.positions.len(), [1.0; 4]);
                }
                self.colors.push(more);
            }
        }
        self.positions.push(position);
        Ok(())
    }

    /// `f` and corners, each `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    #[inline]
    fn parse_face(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let first = self.corners.values.len();
        while !cursor.line_is_over() {
            let corner = self.corners.values.len();
            let position = reference(cursor, "vertex")?;
            self.corners.set(corner, position, self.positions.len());
            if cursor.peek() == Some(b'/') {
                cursor.advance(1);
                if cursor.peek() != Some(b'/') && cursor.peek().is_some_and(|byte| !is_blank(byte)) {
                    let uv = reference(cursor, "texture coordinate")?;
                    self.corner_uvs.set(corner, uv, self.uvs.len());
                }
                if cursor.peek() == Some(b'/') {
                    cursor.advance(1);
                    if cursor.peek().is_some_and(|byte| !is_blank(byte)) {
                        let normal = reference(cursor, "normal")?;
                        self.corner_normals.set(corner, normal, self.normals.len());
                    }
                }
            }
            if cursor.peek().is_some_and(|byte| !is_blank(byte)) {
                return Err(bad_reference(cursor, "vertex"));
            }
        }
        let size = self.corners.values.len() - first;
        if size < 3 {
            return Err(cursor.fault(format!("a face has {size} corners, but needs at least 3; delete the line")));
        }
        self.only_triangles &= size == 3;
        self.face_sizes.push(size as u32);
        Ok(())
    }
}

/// The number that stands at the cursor, not zero.
#[inline]
fn reference(cursor: &mut Cursor<'_>, what: &str) -> Result<i64, Fault> {
    let bytes = cursor.rest();
    let negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(negative);
    let first = at;
    let mut number = 0_i64;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        number = (10 * number + i64::from(digit)).min(1 << 40);
        at += 1;
    }
    if at == first || number == 0 {
        return Err(bad_reference(cursor, what));
    }
    cursor.advance(at);
    Ok(if negative { -number } else { number })
}

#[cold]
fn bad_reference(cursor: &mut Cursor<'_>, what: &str) -> Fault {
    let place = cursor.clone();
    let word = cursor.word().unwrap_or_default();
    if word.split(|&byte| byte == b'/').next() == Some(b"0") {
        return place
            .fault(format!("face names {what} 0, but OBJ counts from 1; number from 1 or write negative numbers"));
    }
    place.fault(format!(
        "found {} where a {what} number is expected, as in `f 1 2 3` or `f 1/1/1 2/2/2 3/3/3`",
        quoted(word)
    ))
}
