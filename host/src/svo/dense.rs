//! For tests: octrees as plain grids of voxels.

use fracas_kernels::morton;

use super::Tree;

/// What a voxel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Voxel {
    Outside,
    Boundary,
    Inside,
}

/// All voxels of the finest level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dense {
    pub(super) size: i32,
    pub(super) voxels: Vec<Voxel>,
}

impl Dense {
    pub(super) fn new(tree: &Tree) -> Dense {
        let size = 1 << tree.level();
        let mut dense = Dense { size, voxels: vec![Voxel::Outside; (size * size * size) as usize] };
        tree.visit(&mut |node, level, code| {
            let edge = 1 << (tree.level() - level);
            let low = morton::decode_30(code).map(|coordinate| coordinate as i32 * edge);
            let what = match (node.is_terminal(), node.is_boundary(), node.is_internal()) {
                (true, true, _) => Voxel::Boundary,
                (true, false, true) => Voxel::Inside,
                _ => return,
            };
            for voxel in cube(edge) {
                let index = dense.index(std::array::from_fn(|axis| low[axis] + voxel[axis]));
                assert_eq!(dense.voxels[index], Voxel::Outside, "a voxel twice");
                dense.voxels[index] = what;
            }
        });
        dense
    }

    pub(super) fn index(&self, [x, y, z]: [i32; 3]) -> usize {
        ((z * self.size + y) * self.size + x) as usize
    }

    pub(super) fn get(&self, voxel: [i32; 3]) -> Voxel {
        let is_in = voxel.iter().all(|coordinate| (0..self.size).contains(coordinate));
        if is_in { self.voxels[self.index(voxel)] } else { Voxel::Outside }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = [i32; 3]> + use<> {
        cube(self.size)
    }

    /// The voxels of some kind around one.
    pub(super) fn around(&self, voxel: [i32; 3], is_near: impl Fn([i32; 3]) -> bool) -> Vec<[i32; 3]> {
        let steps = cube(3).map(|step| step.map(|coordinate| coordinate - 1));
        steps
            .filter(|&step| step != [0; 3] && is_near(step))
            .map(|step| std::array::from_fn(|axis| voxel[axis] + step[axis]))
            .filter(|neighbour: &[i32; 3]| neighbour.iter().all(|coordinate| (0..self.size).contains(coordinate)))
            .collect()
    }

    /// No voxel inside shares a face with one outside.
    pub(super) fn check_separated(&self) {
        for voxel in self.all().filter(|&voxel| self.get(voxel) == Voxel::Inside) {
            for neighbour in self.around(voxel, |step| step.iter().map(|c| c.abs()).sum::<i32>() == 1) {
                assert_ne!(self.get(neighbour), Voxel::Outside, "{voxel:?} is inside, {neighbour:?} outside");
            }
            assert!(voxel.iter().all(|&coordinate| coordinate > 0 && coordinate < self.size - 1));
        }
    }
}

pub(super) fn cube(size: i32) -> impl Iterator<Item = [i32; 3]> {
    (0..size * size * size).map(move |voxel| [voxel % size, voxel / size % size, voxel / size / size])
}

impl Tree {
    /// Asserts what [`Tree`] promises of its layout.
    pub(super) fn check(&self) {
        assert_eq!(self.starts.len() as u32, self.level() + 2);
        let mut next_block: Vec<u32> = self.starts[1..].to_vec();
        let mut order: Vec<Vec<u32>> = vec![Vec::new(); self.level() as usize + 1];
        let mut stack = vec![(0, 0)];
        while let Some((index, level)) = stack.pop() {
            let node = self.nodes()[index as usize];
            assert!((self.starts[level as usize]..self.starts[level as usize + 1]).contains(&index));
            assert_eq!(node.is_internal(), node.is_internal() && node.is_empty() && node.is_terminal());
            if node.is_boundary() {
                assert_eq!(node.is_terminal(), level == self.level());
                order[level as usize].push(node.attributes);
            }
            if !node.is_terminal() {
                assert_eq!(node.first_child(), next_block[level as usize], "blocks stand in Morton order");
                next_block[level as usize] += 8;
                assert!(self.children(node).iter().any(|child| child.is_boundary()), "a node without boundary");
                stack.extend((0..8).rev().map(|child| (node.first_child() + child, level + 1)));
            }
        }
        assert_eq!(next_block[..self.level() as usize], self.starts[2..], "every block has a parent");
        let attributes: Vec<u32> = order.into_iter().rev().flatten().collect();
        assert_eq!(attributes, (0..self.normals().len() as u32).collect::<Vec<u32>>());
    }
}
