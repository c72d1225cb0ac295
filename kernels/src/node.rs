//! The octree's nodes (\[Domaradzki16\] 3): two 32-bit words each, children side by side in blocks of eight.
//!
//! ```text
//! descriptor  t e i p pppp pppp pppp pppp pppp pppp pppp
//!             | | | `-- the first of the node's eight children, in Morton order
//!             | | `---- internal: empty of surface, inside of the solid
//!             | `------ empty: the surface does not come here
//!             `-------- terminal: has no children
//! attributes            where the normal (and a leaf's colour) of a boundary node is
//! ```
//!
//! A node that is not empty is a boundary node. An empty node is always terminal, and it alone may be internal.

use bytemuck::{Pod, Zeroable};

/// One node of an octree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Node {
    /// Flags and the number of the first child.
    pub descriptor: u32,
    /// The number of the node's attributes; [`NO_ATTRIBUTES`] for empty nodes.
    pub attributes: u32,
}

const _: () = assert!(size_of::<Node>() == 8 && align_of::<Node>() == 4);

/// The flag of nodes without children.
pub const TERMINAL: u32 = 1 << 31;

/// The flag of nodes that the surface does not come to.
pub const EMPTY: u32 = 1 << 30;

/// The flag of empty nodes inside of the solid.
pub const INTERNAL: u32 = 1 << 29;

/// The bits of the first child's number.
pub const CHILD: u32 = INTERNAL - 1;

/// What empty nodes have for attributes.
pub const NO_ATTRIBUTES: u32 = u32::MAX;

impl Node {
    /// An empty node outside of the solid.
    pub const OUTSIDE: Node = Node { descriptor: TERMINAL | EMPTY, attributes: NO_ATTRIBUTES };

    /// An empty node inside of the solid.
    pub const INSIDE: Node = Node { descriptor: TERMINAL | EMPTY | INTERNAL, attributes: NO_ATTRIBUTES };

    /// A boundary node of the finest level.
    #[inline]
    pub const fn leaf(attributes: u32) -> Node {
        Node { descriptor: TERMINAL, attributes }
    }

    /// A boundary node with children.
    #[inline]
    pub const fn branch(first_child: u32, attributes: u32) -> Node {
        Node { descriptor: first_child & CHILD, attributes }
    }

    /// Whether the node has no children.
    #[inline]
    pub const fn is_terminal(self) -> bool {
        self.descriptor & TERMINAL != 0
    }

    /// Whether the surface does not come to the node.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.descriptor & EMPTY != 0
    }

    /// Whether the surface comes to the node.
    #[inline]
    pub const fn is_boundary(self) -> bool {
        !self.is_empty()
    }

    /// Whether the node is empty and inside of the solid.
    #[inline]
    pub const fn is_internal(self) -> bool {
        self.descriptor & INTERNAL != 0
    }

    /// The number of the first child; only of a node that has children.
    #[inline]
    pub const fn first_child(self) -> u32 {
        self.descriptor & CHILD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_pointers_do_not_meet() {
        let branch = Node::branch(CHILD, 7);
        assert!(!branch.is_terminal() && branch.is_boundary() && !branch.is_internal());
        assert_eq!(branch.first_child(), CHILD);
        assert!(Node::leaf(3).is_terminal() && Node::leaf(3).is_boundary() && !Node::leaf(3).is_internal());
        assert!(Node::INSIDE.is_terminal() && Node::INSIDE.is_empty() && Node::INSIDE.is_internal());
        assert!(Node::OUTSIDE.is_terminal() && Node::OUTSIDE.is_empty() && !Node::OUTSIDE.is_internal());
    }
}
