//! Gmsh MSH: version 4.1 in ASCII and binary, and version 2.2 in ASCII.

use glam::DVec3;

use super::bytes::ByteCursor;
use super::error::{Fault, quoted};
use super::tet_builder::TetBuilder;
use super::text::Cursor;
use crate::geometry::TetMesh;

const TETRAHEDRON: i64 = 4;

/// How many nodes the elements of each type have, from type 1 on (the table of the Gmsh manual).
const NODES_OF_TYPE: [u8; 31] =
    [2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35, 56];

fn nodes_of_type(kind: i64) -> Option<usize> {
    let place = usize::try_from(kind).ok()?.checked_sub(1)?;
    match kind {
        92 => Some(64),
        93 => Some(125),
        _ => NODES_OF_TYPE.get(place).map(|&nodes| usize::from(nodes)),
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<TetMesh, Fault> {
    let mut cursor = Cursor::new(bytes).without_comments();
    if cursor.word_anywhere() != Some(b"$MeshFormat") {
        return Err(cursor.fault("`$MeshFormat` is expected at the beginning; it is no MSH file"));
    }
    cursor.next_line();
    let version = cursor.word_anywhere().unwrap_or_default();
    let binary = cursor.count("0 for ASCII or 1 for binary")? == 1;
    let size = cursor.count("the size of numbers")?;
    let fault = |what: &str| {
        let version = quoted(version);
        Err(cursor.fault(format!("version {version} {what}; save as 4.1 (Gmsh: -format msh41)")))
    };
    match (version, binary) {
        (b"4.1", false) => read_ascii(cursor, Version::V41),
        (b"4.1", true) => read_binary(bytes, cursor, size),
        (b"2.2" | b"2.1" | b"2" | b"2.0", false) => read_ascii(cursor, Version::V22),
        (b"2.2" | b"2.1" | b"2" | b"2.0", true) => fault("in binary is not read"),
        _ => fault("of MSH is not read"),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Version {
    V22,
    V41,
}

/// Moves behind the line that ends a section.
fn skip_section(cursor: &mut Cursor<'_>, name: &[u8]) -> Result<(), Fault> {
    let place = cursor.clone();
    let mut end = b"$End".to_vec();
    end.extend_from_slice(&name[1..]);
    let rest = cursor.rest();
    let found = rest.windows(end.len()).position(|window| window == end);
    match found {
        Some(at) => {
            cursor.advance(at + end.len());
            Ok(())
        }
        None => Err(place.fault(format!("the section {} has no end", quoted(name)))),
    }
}

fn read_ascii(mut cursor: Cursor<'_>, version: Version) -> Result<TetMesh, Fault> {
    let mut builder = TetBuilder::default();
    skip_section(&mut cursor, b"$MeshFormat")?;
    while let Some(word) = cursor.word_anywhere() {
        match (word, version) {
            (b"$Nodes", Version::V41) => ascii_nodes_41(&mut cursor, &mut builder)?,
            (b"$Nodes", Version::V22) => ascii_nodes_22(&mut cursor, &mut builder)?,
            (b"$Elements", Version::V41) => ascii_elements_41(&mut cursor, &mut builder)?,
            (b"$Elements", Version::V22) => ascii_elements_22(&mut cursor, &mut builder)?,
            (name, _) if name.starts_with(b"$") && name.len() > 1 => {}
            _ => {
                let found = quoted(word);
                return Err(cursor.fault(format!("found {found} where a section such as `$Nodes` is expected")));
            }
        }
        skip_section(&mut cursor, word)?;
    }
    builder.finish()
}

fn row(cursor: &mut Cursor<'_>, what: &str) -> Result<(), Fault> {
    cursor.next_line();
    if cursor.skip_empty_lines() {
        return Ok(());
    }
    Err(cursor.fault(format!("the file ends within the {what}; it is cut short")))
}

fn tag(cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
    Ok(cursor.count("the tag of a node")? as u64)
}

fn ascii_nodes_41(cursor: &mut Cursor<'_>, builder: &mut TetBuilder) -> Result<(), Fault> {
    row(cursor, "nodes")?;
    let blocks = cursor.count("the number of blocks")?;
    let total = cursor.bounded_count("the number of nodes", 8)?;
    builder.reserve_vertices(total);
    let mut tags = Vec::new();
    for _ in 0..blocks {
        row(cursor, "nodes")?;
        for what in ["the dimension of the entity", "the tag of the entity", "whether it is parametric"] {
            cursor.integer(what)?;
        }
        let count = cursor.bounded_count("the number of nodes", 8)?;
        tags.clear();
        for _ in 0..count {
            row(cursor, "nodes")?;
            tags.push(tag(cursor)?);
        }
        for &tag in &tags {
            row(cursor, "nodes")?;
            // Parameters on the entity may follow.
            let position = cursor.point()?;
            builder.push_vertex(tag, position).map_err(|problem| cursor.fault(problem))?;
        }
    }
    Ok(())
}

fn ascii_nodes_22(cursor: &mut Cursor<'_>, builder: &mut TetBuilder) -> Result<(), Fault> {
    row(cursor, "nodes")?;
    let count = cursor.bounded_count("the number of nodes", 8)?;
    builder.reserve_vertices(count);
    for _ in 0..count {
        row(cursor, "nodes")?;
        let tag = tag(cursor)?;
        let position = cursor.point()?;
        builder.push_vertex(tag, position).map_err(|problem| cursor.fault(problem))?;
    }
    Ok(())
}

fn ascii_tet(cursor: &mut Cursor<'_>, builder: &mut TetBuilder) -> Result<(), Fault> {
    let mut tags = [0; 4];
    for corner in &mut tags {
        *corner = tag(cursor)?;
    }
    builder.push_tet(tags).map_err(|problem| cursor.fault(problem))
}

fn ascii_elements_41(cursor: &mut Cursor<'_>, builder: &mut TetBuilder) -> Result<(), Fault> {
    row(cursor, "elements")?;
    let blocks = cursor.count("the number of blocks")?;
    for _ in 0..blocks {
        row(cursor, "elements")?;
        cursor.integer("the dimension of the entity")?;
        cursor.integer("the tag of the entity")?;
        let kind = cursor.integer("the type of the elements")?;
        let count = cursor.bounded_count("the number of elements", 4)?;
        for _ in 0..count {
            row(cursor, "elements")?;
            cursor.integer("the tag of an element")?;
            match kind {
                TETRAHEDRON => ascii_tet(cursor, builder)?,
                _ => builder.skip_cells(1),
            }
        }
    }
    Ok(())
}

fn ascii_elements_22(cursor: &mut Cursor<'_>, builder: &mut TetBuilder) -> Result<(), Fault> {
    row(cursor, "elements")?;
    let count = cursor.bounded_count("the number of elements", 6)?;
    for _ in 0..count {
        row(cursor, "elements")?;
        cursor.integer("the number of an element")?;
        if cursor.integer("the type of an element")? != TETRAHEDRON {
            builder.skip_cells(1);
            continue;
        }
        let tags = cursor.bounded_count("the number of tags", 2)?;
        for _ in 0..tags {
            cursor.integer("a tag")?;
        }
        ascii_tet(cursor, builder)?;
    }
    Ok(())
}

/// The numbers of a binary file: sizes and tags have the width that its header names.
struct Binary<'a> {
    data: ByteCursor<'a>,
    wide: bool,
}

impl Binary<'_> {
    fn size(&mut self, what: &str) -> Result<u64, Fault> {
        if self.wide { self.data.u64(what) } else { self.data.u32(what).map(u64::from) }
    }

    /// A number of things that each take at least so many bytes.
    fn count(&mut self, what: &str, bytes_each: usize) -> Result<usize, Fault> {
        let place = self.data.clone();
        let count = self.size(what)?;
        let left = self.data.remaining();
        match usize::try_from(count) {
            Ok(count) if count.saturating_mul(bytes_each) <= left => Ok(count),
            _ => Err(place.fault(format!("{what} is {count}, but only {left} bytes follow; the file is cut short"))),
        }
    }

    fn width(&self) -> usize {
        if self.wide { 8 } else { 4 }
    }
}

fn read_binary(bytes: &[u8], mut cursor: Cursor<'_>, size: usize) -> Result<TetMesh, Fault> {
    if size != 4 && size != 8 {
        return Err(cursor.fault(format!("numbers have {size} bytes, but 4 or 8 are expected")));
    }
    cursor.next_line();
    let mut data = ByteCursor::new(bytes, cursor.offset(), false);
    let one = data.i32("the number one, which shows the order of bytes")?;
    let big_endian = one.swap_bytes() == 1;
    if one != 1 && !big_endian {
        return Err(Fault::byte(cursor.offset(), format!("found {one} where the number 1 shows the order of bytes")));
    }
    skip_section(&mut cursor, b"$MeshFormat")?;
    let mut builder = TetBuilder::default();
    while let Some(word) = cursor.word_anywhere() {
        if !word.starts_with(b"$") || word.len() < 2 {
            let found = quoted(word);
            return Err(Fault::byte(
                cursor.offset(),
                format!("found {found} where a section such as `$Nodes` is expected"),
            ));
        }
        let nodes = word == b"$Nodes";
        if nodes || word == b"$Elements" {
            cursor.next_line();
            let mut data = ByteCursor::new(bytes, cursor.offset(), false);
            data.set_big_endian(big_endian);
            let mut binary = Binary { data, wide: size == 8 };
            if nodes {
                binary_nodes(&mut binary, &mut builder)?;
            } else {
                binary_elements(&mut binary, &mut builder)?;
            }
            cursor.set_offset(binary.data.offset());
        }
        skip_section(&mut cursor, word)?;
    }
    builder.finish()
}

fn binary_nodes(binary: &mut Binary<'_>, builder: &mut TetBuilder) -> Result<(), Fault> {
    let width = binary.width();
    let blocks = binary.count("the number of blocks", 12 + width)?;
    let total = binary.count("the number of nodes", 24 + width)?;
    binary.size("the smallest tag")?;
    binary.size("the largest tag")?;
    builder.reserve_vertices(total);
    let mut tags = Vec::new();
    for _ in 0..blocks {
        let dimension = binary.data.i32("the dimension of an entity")?;
        binary.data.i32("the tag of an entity")?;
        let parametric = binary.data.i32("whether an entity is parametric")? != 0;
        let count = binary.count("the number of nodes", 24 + width)?;
        tags.clear();
        for _ in 0..count {
            tags.push(binary.size("the tag of a node")?);
        }
        // A parameter for each dimension of the entity follows the position.
        let parameters = if parametric { dimension.clamp(0, 3) as usize } else { 0 };
        for &tag in &tags {
            let place = binary.data.clone();
            let mut part = || binary.data.f64("a node");
            let position = DVec3::new(part()?, part()?, part()?);
            binary.data.take(8 * parameters, "the parameters of a node")?;
            builder.push_vertex(tag, position).map_err(|problem| place.fault(problem))?;
        }
    }
    Ok(())
}

fn binary_elements(binary: &mut Binary<'_>, builder: &mut TetBuilder) -> Result<(), Fault> {
    let width = binary.width();
    let blocks = binary.count("the number of blocks", 12 + width)?;
    for what in ["the number of elements", "the smallest tag", "the largest tag"] {
        binary.size(what)?;
    }
    for _ in 0..blocks {
        binary.data.i32("the dimension of an entity")?;
        binary.data.i32("the tag of an entity")?;
        let place = binary.data.clone();
        let kind = i64::from(binary.data.i32("the type of elements")?);
        let nodes =
            nodes_of_type(kind).ok_or_else(|| place.fault(format!("{kind} is no type of element that is known")))?;
        let count = binary.count("the number of elements", width * (1 + nodes))?;
        if kind != TETRAHEDRON {
            binary.data.records(count, width * (1 + nodes), "the elements")?;
            builder.skip_cells(count);
            continue;
        }
        for _ in 0..count {
            let place = binary.data.clone();
            binary.size("the tag of an element")?;
            let mut tags = [0; 4];
            for tag in &mut tags {
                *tag = binary.size("a node of a tetrahedron")?;
            }
            builder.push_tet(tags).map_err(|problem| place.fault(problem))?;
        }
    }
    Ok(())
}
