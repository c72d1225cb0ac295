//! Which memory a launch names, so that it can be looked at before the kernel comes to it.

use core::sync::atomic::AtomicU32;

use bytemuck::Pod;

use super::{DeviceSlice, DeviceSliceMut};
use super::{build, columns, discretise, extract, islands, touch, traverse};

/// What a kernel does with a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Threads read it.
    Read,
    /// Threads share it as atomics.
    Share,
    /// Each element is one thread's.
    Write,
}

/// A handle without the type of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// Where the first element is.
    pub address: u64,
    /// How many elements there are.
    pub length: u64,
    /// Bytes of an element.
    pub size: usize,
    /// What the address of an element is a multiple of.
    pub alignment: usize,
    /// What the kernel does with them.
    pub access: Access,
}

impl Handle {
    fn of<T: Element>(address: u64, length: u64, access: Access) -> Handle {
        let access = if T::IS_ATOMIC { Access::Share } else { access };
        Handle { address, length, size: size_of::<T>(), alignment: align_of::<T>(), access }
    }
}

/// Something that may hold handles.
pub trait Handles {
    /// Calls the visitor with each handle.
    fn handles(&self, visitor: &mut dyn FnMut(Handle));
}

/// What lists in device memory are of.
///
/// # Safety
/// Any bytes are a value, and all bytes of a value have one. Those of an atomic type are written through shared references.
#[allow(unsafe_code)]
pub unsafe trait Element: 'static {
    /// Whether threads change it together.
    const IS_ATOMIC: bool = false;
}

// SAFETY: elements one after the other.
#[allow(unsafe_code)]
unsafe impl<T: Element, const COUNT: usize> Element for [T; COUNT] {
    const IS_ATOMIC: bool = T::IS_ATOMIC;
}

/// Elements that are atomic numbers without a gap.
macro_rules! atomic {
    ($($type:ty),*) => { $(
        // SAFETY: any bytes are such numbers.
        #[allow(unsafe_code)]
        unsafe impl Element for $type {
            const IS_ATOMIC: bool = true;
        }
    )* };
}

atomic!(AtomicU32, crate::columns::Facing, crate::columns::SharedTotals, crate::discretise::Sums);

/// Elements that are plain data. They are listed because atomics are not, and a trait cannot tell the two apart.
macro_rules! plain {
    ($($type:ty),* $(,)?) => { $(
        // SAFETY: that is what `Pod` promises, and the constant below asks for it.
        #[allow(unsafe_code)]
        unsafe impl Element for $type {}

        const _: () = is_plain::<$type>();
    )* };
}

const fn is_plain<T: Pod>() {}

plain! {
    u16, u32, u64, i64, f64,
    crate::build::Branch, crate::build::Run,
    crate::cells::Seed,
    crate::columns::Cell, crate::columns::Density, crate::columns::Frame, crate::columns::Gradient, crate::columns::Span, crate::columns::Totals,
    crate::discretise::CollisionPoint, crate::discretise::Stand,
    crate::extract::FractureVoxel, crate::extract::Place, crate::extract::Solid,
    crate::node::Node,
    crate::scan::Segmented,
    crate::touch::Chunk, crate::touch::Sight, crate::touch::Touch, crate::touch::Word,
    crate::traverse::Meeting, crate::traverse::Pair, crate::traverse::Reached,
}

impl<T: Element> Handles for DeviceSlice<T> {
    fn handles(&self, visitor: &mut dyn FnMut(Handle)) {
        visitor(Handle::of::<T>(self.address, self.length, Access::Read));
    }
}

impl<T: Element> Handles for DeviceSliceMut<T> {
    fn handles(&self, visitor: &mut dyn FnMut(Handle)) {
        visitor(Handle::of::<T>(self.address, self.length, Access::Write));
    }
}

/// Numbers hold none.
macro_rules! numbers {
    ($($type:ty),*) => { $(
        impl Handles for $type {
            fn handles(&self, _: &mut dyn FnMut(Handle)) {}
        }
    )* };
}

numbers!(u64, i64);

/// `visit!(Struct { fields })`: the handles of all fields, of which none may be left out.
macro_rules! visit {
    ($struct:ty { $($field:ident),* $(,)? }) => {
        impl $crate::arguments::Handles for $struct {
            fn handles(&self, visitor: &mut dyn FnMut($crate::arguments::Handle)) {
                let Self { $($field),* } = self;
                $($crate::arguments::Handles::handles($field, visitor);)*
            }
        }
    };
}
pub(super) use visit;

visit!(build::Forest { levels, pieces, leaves, runs, branches, node_starts, attribute_starts });
visit!(build::Row { codes, pieces, first });
visit!(build::Rows { levels, pieces, firsts });
visit!(columns::Columns { cells, order, firsts, axis, densities });
visit!(discretise::Touched { stands, nodes, normals, touches });
visit!(extract::Level { nodes, places, seeds, height });
visit!(islands::Voxels { codes, groups, starts });
visit!(touch::Query { sights, ways, numbers, grid_chunks, chunks });
visit!(traverse::Walk { nodes, meetings });
