//! The boundary voxels of an octree that another one comes to, each once.

use fracas_kernels::node::Node;

/// A boundary voxel of the physics level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) node: Node,
    /// Its Morton code at the physics level.
    pub(super) code: u32,
    /// Whether its middle is in an internal node of the other octree.
    pub(super) is_deep: bool,
}

/// A set of them: a sparse set over the numbers of attributes, which boundary nodes have one each of. Nothing has to be
/// cleared between pairs, because an entry counts only if the list agrees.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub(super) list: Vec<Touch>,
    places: Vec<u32>,
    /// The first attributes of the level.
    first: u32,
}

impl Touched {
    /// Forgets all, for an octree whose boundary nodes of the physics level have attributes in a range.
    pub(super) fn start(&mut self, range: std::ops::Range<u32>) {
        self.list.clear();
        self.first = range.start;
        if self.places.len() < range.len() {
            self.places.resize(range.len(), 0);
        }
    }

    #[inline]
    pub(super) fn add(&mut self, node: Node, code: u32, is_deep: bool) {
        let slot = &mut self.places[(node.attributes - self.first) as usize];
        match self.list.get_mut(*slot as usize) {
            Some(touch) if touch.node.attributes == node.attributes => touch.is_deep |= is_deep,
            _ => {
                *slot = self.list.len() as u32;
                self.list.push(Touch { node, code, is_deep });
            }
        }
    }
}
