//! The octrees of all pieces at once (\[Domaradzki16\] 4.6) on a device.

use fracas_kernels::arguments::build as arguments;
use fracas_kernels::arguments::inside::Inside;
use fracas_kernels::arguments::pieces::{ArrangeNormals, MakeLeaf};
use fracas_kernels::build::{Branch, Run};
use fracas_kernels::extract::Solid;
use fracas_kernels::node::{CHILD, Node};

use super::DeviceError;
use super::extract::Cells;
use super::islands::Pieces;
use super::machine::Machine;
use super::memory::{Device, List};
use crate::svo::{SvoError, Tree, VoxelLists};

/// The octrees of all pieces, one after the other.
pub(super) struct Forest {
    pub(super) grown: Grown,
    /// The cell of each piece.
    pub(super) cells: Vec<u32>,
    /// The code of each leaf, and the attributes that it had.
    pub(super) codes: Vec<u32>,
    pub(super) attributes: Vec<u32>,
}

/// Boundary nodes, row by row from the leaves up.
struct Rows<'a, M: Machine> {
    codes: List<'a, M, u32>,
    pieces: List<'a, M, u32>,
    /// Of all rows but the leaves.
    branches: List<'a, M, Branch>,
    /// Where each row starts, and the number of all.
    starts: Vec<u32>,
}

/// What octrees are built from: leaves by piece and, within a piece, by code.
struct Leaves<'a, M: Machine> {
    codes: List<'a, M, u32>,
    normals: List<'a, M, u16>,
    /// The piece of each.
    pieces: List<'a, M, u32>,
    /// The cell of each piece.
    cells: &'a List<'a, M, u32>,
    /// What is inside of the cells.
    solids: &'a List<'a, M, Solid>,
    solid_starts: &'a List<'a, M, u32>,
}

/// The nodes and normals of octrees, one after the other.
pub(super) struct Grown {
    pub(super) nodes: Vec<Node>,
    pub(super) normals: Vec<u16>,
    /// Where each piece starts among them.
    pub(super) node_starts: Vec<u32>,
    pub(super) attribute_starts: Vec<u32>,
    /// Of each height and piece.
    pub(super) runs: Vec<Run>,
}

/// Where the nodes of each level begin, from the root down, and the end, of one of some pieces.
pub(super) fn level_starts(runs: &[Run], piece: usize, pieces: usize, level: u32, nodes: usize) -> Vec<u32> {
    let heights = (0..=level as usize).rev();
    heights.map(|height| runs[height * pieces + piece].node).chain([nodes as u32]).collect()
}

impl<M: Machine> Device<M> {
    /// Builds the octrees of pieces. `normals` are those of the octree that broke.
    pub(super) fn build(
        &self,
        cells: &Cells<'_, M>,
        pieces: Pieces<'_, M>,
        normals: &[u16],
        levels: u32,
    ) -> Result<Forest, DeviceError> {
        let (leaves, count) = (cells.codes.len(), pieces.count);
        let (codes, attributes) = (self.list(leaves)?, self.list(leaves)?);
        let (leaf_normals, piece_cells) = (self.list(leaves)?, self.list(count)?);
        let original = self.upload(normals)?;
        self.launch(&MakeLeaf {
            voxels: cells.voxels.read(),
            order: pieces.order.read(),
            pieces: pieces.numbers.read(),
            normals: original.read(),
            codes: codes.write(),
            leaf_normals: leaf_normals.write(),
            attributes: attributes.write(),
            cells: piece_cells.write(),
        })?;
        let leaf_codes = codes.download()?;
        let grown = self.grown(
            Leaves {
                codes,
                normals: leaf_normals,
                pieces: pieces.numbers,
                cells: &piece_cells,
                solids: &cells.solids,
                solid_starts: &cells.solid_starts,
            },
            levels,
        )?;
        Ok(Forest { grown, cells: piece_cells.download()?, codes: leaf_codes, attributes: attributes.download()? })
    }

    /// The octree of some voxels.
    pub(super) fn octree(&self, voxels: VoxelLists) -> Result<Tree, DeviceError> {
        let VoxelLists { level, codes, normals, colors, solids } = voxels;
        let count = codes.len();
        let (cells, solid_starts) = (self.upload(&[0])?, self.upload(&[0, solids.len() as u32])?);
        let solids = self.upload(&solids)?;
        let leaves = Leaves {
            codes: self.upload(&codes)?,
            normals: self.upload(&normals)?,
            pieces: self.zeros(count)?,
            cells: &cells,
            solids: &solids,
            solid_starts: &solid_starts,
        };
        let Grown { nodes, normals, runs, .. } = self.grown(leaves, level)?;
        if nodes.len() > CHILD as usize + 1 {
            return Err(SvoError::TooManyVoxels { voxels: count as u64, level }.into());
        }
        let starts = level_starts(&runs, 0, 1, level, nodes.len());
        Ok(Tree::from_parts(level, nodes, starts, normals, colors))
    }

    /// The octrees above some leaves.
    fn grown(&self, leaves: Leaves<'_, M>, levels: u32) -> Result<Grown, DeviceError> {
        let Leaves { codes, normals: leaf_normals, pieces, cells, solids, solid_starts } = leaves;
        let (leaves, count) = (codes.len(), cells.len());
        let rows = self.rows(codes, pieces, levels)?;
        let nodes = 8 * u64::from(rows.starts[levels as usize + 1] - leaves as u32) + count as u64;
        if nodes > u64::from(u32::MAX) {
            return Err(SvoError::TooManyVoxels { voxels: leaves as u64, level: levels }.into());
        }
        let normals = self.row_normals(&rows, &leaf_normals)?;

        let entries = count * (levels as usize + 1);
        let (firsts, runs) = (self.list(entries + 1)?, self.list(entries)?);
        let row_starts = self.upload(&rows.starts)?;
        self.launch(&arguments::FirstOfRun {
            pieces: rows.pieces.read(),
            rows: row_starts.read(),
            piece_count: count as u64,
            firsts: firsts.write(),
        })?;
        let table = arguments::Rows { levels: u64::from(levels), pieces: count as u64, firsts: firsts.read() };
        self.launch(&arguments::MakeRun { rows: table, runs: runs.write() })?;
        let (node_counts, attribute_counts) = (self.list(count)?, self.list(count)?);
        self.launch(&arguments::NodeCount { rows: table, counts: node_counts.write() })?;
        self.launch(&arguments::AttributeCount { rows: table, counts: attribute_counts.write() })?;
        let (node_starts, node_count) = self.starts(&node_counts)?;
        let (attribute_starts, attribute_count) = self.starts(&attribute_counts)?;

        let forest = arguments::Forest {
            levels: u64::from(levels),
            pieces: count as u64,
            leaves: leaves as u64,
            runs: runs.read(),
            branches: rows.branches.read(),
            node_starts: node_starts.read(),
            attribute_starts: attribute_starts.read(),
        };
        let (empty, nodes) = (self.list(node_count)?, self.list(node_count)?);
        self.launch(&arguments::MakeNode { forest, nodes: empty.write() })?;
        self.launch(&Inside {
            forest,
            nodes: empty.read(),
            codes: rows.codes.read(),
            normals: normals.read(),
            cells: cells.read(),
            solids: solids.read(),
            solid_starts: solid_starts.read(),
            output: nodes.write(),
        })?;
        let (sources, arranged) = (self.list(attribute_count)?, self.list(attribute_count)?);
        self.launch(&arguments::AttributeSource { forest, sources: sources.write() })?;
        let (normals, sources) = (normals.read(), sources.read());
        self.launch(&ArrangeNormals { normals, sources, output: arranged.write() })?;
        Ok(Grown {
            nodes: nodes.download()?,
            normals: arranged.download()?,
            node_starts: node_starts.download()?,
            attribute_starts: attribute_starts.download()?,
            runs: runs.download()?,
        })
    }

    /// The boundary nodes above some leaves.
    fn rows<'a>(
        &'a self,
        codes: List<'a, M, u32>,
        pieces: List<'a, M, u32>,
        levels: u32,
    ) -> Result<Rows<'a, M>, DeviceError> {
        let mut starts = vec![0, codes.len() as u32];
        let (mut codes, mut pieces, mut branches) = (vec![codes], vec![pieces], Vec::new());
        for height in 0..levels as usize {
            let length = codes[height].len();
            let first = u64::from(starts[height]);
            let row = arguments::Row { codes: codes[height].read(), pieces: pieces[height].read(), first };
            let begins = self.list(length)?;
            self.launch(&arguments::BeginsParent { row, begins: begins.write() })?;
            let (places, parents) = self.numbers(&begins)?;
            let (next_codes, next_pieces, next_branches) =
                (self.list(parents)?, self.list(parents)?, self.list(parents)?);
            self.launch(&arguments::Parent {
                row,
                places: places.read(),
                codes: next_codes.write(),
                pieces: next_pieces.write(),
                branches: next_branches.write(),
            })?;
            starts.push(starts[height + 1] + parents as u32);
            codes.push(next_codes);
            pieces.push(next_pieces);
            branches.push(next_branches);
        }
        Ok(Rows {
            codes: self.joined(&codes)?,
            pieces: self.joined(&pieces)?,
            branches: self.joined(&branches)?,
            starts,
        })
    }

    /// The normals of all boundary nodes, from those of the leaves.
    fn row_normals(&self, rows: &Rows<'_, M>, leaves: &List<'_, M, u16>) -> Result<List<'_, M, u16>, DeviceError> {
        let normals = self.extended(leaves, rows.starts[rows.starts.len() - 1] as usize)?;
        let first_branch = u64::from(rows.starts[1]);
        for pair in rows.starts.windows(2).skip(1) {
            let (first, end) = (u64::from(pair[0]), u64::from(pair[1]));
            self.launch(&arguments::ParentNormal {
                branches: rows.branches.read().part(first - first_branch..end - first_branch),
                normals: normals.read().part(0..first),
                output: normals.write().part(first..end),
            })?;
        }
        Ok(normals)
    }
}
