//! Kernels of [`pieces`].

use super::kernels;
use crate::arguments::pieces as arguments;
use crate::pieces;

kernels! {
    fracas_pieces_voxel_cell(memory, arguments: arguments::VoxelCell, index) {
        memory.write(arguments.keys, index, memory.read(arguments.voxels)[index].cell);
    }

    fracas_pieces_arrange_voxels(memory, arguments: arguments::ArrangeVoxels, index) {
        let voxel = memory.read(arguments.voxels)[memory.read(arguments.order)[index] as usize];
        memory.write(arguments.output, index, voxel);
        memory.write(arguments.codes, index, voxel.code);
    }

    fracas_pieces_solid_key(memory, arguments: arguments::SolidKey, index) {
        let solid = &memory.read(arguments.solids)[index];
        memory.write(arguments.keys, index, pieces::solid_key(solid, arguments.levels as u32));
    }

    fracas_pieces_arrange_solids(memory, arguments: arguments::ArrangeSolids, index) {
        let solid = memory.read(arguments.solids)[memory.read(arguments.order)[index] as usize];
        memory.write(arguments.output, index, solid);
        memory.write(arguments.cells, index, solid.cell);
    }

    fracas_pieces_first_of_cell(memory, arguments: arguments::FirstOfCell, index) {
        memory.write(arguments.firsts, index, pieces::first_of_cell(memory.read(arguments.cells), index));
    }

    fracas_pieces_begins_piece(memory, arguments: arguments::BeginsPiece, index) {
        memory.write(arguments.begins, index, pieces::begins_piece(memory.read(arguments.labels), index).value);
    }

    fracas_pieces_leaf(memory, arguments: arguments::MakeLeaf, index) {
        let voxel = memory.read(arguments.voxels)[memory.read(arguments.order)[index] as usize];
        memory.write(arguments.codes, index, voxel.code);
        memory.write(arguments.leaf_normals, index, pieces::leaf_normal(&voxel, memory.read(arguments.normals)));
        memory.write(arguments.attributes, index, voxel.attributes);
        let numbers = memory.read(arguments.pieces);
        if index == 0 || numbers[index - 1] != numbers[index] {
            memory.write(arguments.cells, numbers[index] as usize, voxel.cell);
        }
    }

    fracas_pieces_arrange_normals(memory, arguments: arguments::ArrangeNormals, index) {
        let source = memory.read(arguments.sources)[index] as usize;
        memory.write(arguments.output, index, memory.read(arguments.normals)[source]);
    }
}
