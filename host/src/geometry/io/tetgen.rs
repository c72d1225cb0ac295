//! TetGen's pair of files: `.node` with the vertices and `.ele` with the tetrahedra.

use super::error::Fault;
use super::tet_builder::TetBuilder;
use super::text::{Cursor, decode};
use crate::geometry::TetMesh;

/// Reads the two texts; a fault comes with whether it is in the second.
pub(super) fn read(node: &[u8], ele: &[u8]) -> Result<TetMesh, (bool, Fault)> {
    let mut builder = TetBuilder::default();
    read_nodes(&decode(node), &mut builder).map_err(|fault| (false, fault))?;
    read_tets(&decode(ele), &mut builder).map_err(|fault| (true, fault))?;
    builder.finish().map_err(|fault| (true, fault))
}

fn first_line<'a>(text: &'a [u8], what: &str) -> Result<Cursor<'a>, Fault> {
    let mut cursor = Cursor::new(text);
    if cursor.skip_empty_lines() {
        Ok(cursor)
    } else {
        Err(cursor.fault(format!("the file is empty; expected the number of {what}")))
    }
}

fn next_row(cursor: &mut Cursor<'_>, what: &str, done: usize, count: usize) -> Result<(), Fault> {
    cursor.next_line();
    if cursor.skip_empty_lines() {
        return Ok(());
    }
    Err(cursor.fault(format!("{count} {what} are announced, but the file ends after {done}")))
}

/// `count dimension attributes markers`, then rows of `tag x y z`; what follows is not needed.
fn read_nodes(text: &[u8], builder: &mut TetBuilder) -> Result<(), Fault> {
    let mut cursor = first_line(text, "nodes")?;
    let count = cursor.bounded_count("the number of nodes", 8)?;
    if !cursor.line_is_over() {
        let dimension = cursor.count("the dimension")?;
        if dimension != 3 {
            return Err(cursor.fault(format!("the nodes have dimension {dimension}, but 3 is expected")));
        }
    }
    builder.reserve_vertices(count);
    for done in 0..count {
        next_row(&mut cursor, "nodes", done, count)?;
        let tag = cursor.count("the number of a node")?;
        let position = cursor.point()?;
        builder.push_vertex(tag as u64, position).map_err(|problem| cursor.fault(problem))?;
    }
    Ok(())
}

/// `count nodes-per-tetrahedron attributes`, then rows of `tag a b c d`. Tags of nodes are as the other file has them,
/// from 0 or from 1 or any.
fn read_tets(text: &[u8], builder: &mut TetBuilder) -> Result<(), Fault> {
    let mut cursor = first_line(text, "tetrahedra")?;
    let count = cursor.bounded_count("the number of tetrahedra", 10)?;
    let corners = if cursor.line_is_over() { 4 } else { cursor.count("the number of nodes of a tetrahedron")? };
    if corners != 4 {
        return Err(
            cursor.fault(format!("the tetrahedra have {corners} nodes, but 4 are expected; run TetGen without -o2"))
        );
    }
    for done in 0..count {
        next_row(&mut cursor, "tetrahedra", done, count)?;
        cursor.integer("the number of a tetrahedron")?;
        let mut tags = [0; 4];
        for tag in &mut tags {
            *tag = cursor.count("the number of a node")? as u64;
        }
        builder.push_tet(tags).map_err(|problem| cursor.fault(problem))?;
    }
    Ok(())
}
