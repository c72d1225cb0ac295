//! The numbers behind a glTF accessor, with every bound checked.

use super::error::Fault;
use super::gltf_buffers::Buffers;
use super::gltf_document::{Accessor, Document};

/// What one component is, and how an integer becomes a share of one.
#[derive(Clone, Copy)]
struct Component {
    code: u32,
    size: usize,
    normalized: bool,
}

impl Component {
    fn of(code: u32, normalized: bool) -> Option<Component> {
        let size = match code {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            _ => return None,
        };
        Some(Component { code, size, normalized })
    }

    #[inline]
    fn decode(self, bytes: &[u8]) -> f64 {
        let (value, largest) = match self.code {
            5120 => (f64::from(bytes[0] as i8), 127.0),
            5121 => (f64::from(bytes[0]), 255.0),
            5122 => (f64::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
            5123 => (f64::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
            5125 => (f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])), f64::from(u32::MAX)),
            _ => return f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        };
        if self.normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// A run of elements in a buffer.
struct Run<'a> {
    bytes: &'a [u8],
    stride: usize,
}

pub(super) struct Source<'a> {
    pub(super) document: &'a Document,
    pub(super) buffers: &'a Buffers<'a>,
    /// The size of all the bytes there are: nothing can have more elements than that.
    pub(super) total_bytes: usize,
}

impl Source<'_> {
    /// The number of elements of an accessor, checked against what the file can hold.
    pub(super) fn count(&self, number: usize) -> Result<usize, Fault> {
        let accessor = self.accessor(number)?;
        if accessor.count > self.total_bytes || accessor.count > u32::MAX as usize {
            return Err(Fault::file(format!(
                "accessor {number} has {} elements, which is more than the file can hold",
                accessor.count
            )));
        }
        Ok(accessor.count)
    }

    /// The components per element: 1 for SCALAR, 2 to 4 for VEC2 to VEC4.
    pub(super) fn width(&self, number: usize) -> Result<usize, Fault> {
        let accessor = self.accessor(number)?;
        ["SCALAR", "VEC2", "VEC3", "VEC4"]
            .iter()
            .position(|shape| *shape == accessor.shape)
            .map(|at| at + 1)
            .ok_or_else(|| {
                let shape = super::error::quoted(accessor.shape.as_bytes());
                Fault::file(format!("accessor {number} is a {shape}, where a scalar or a vector is expected"))
            })
    }

    fn accessor(&self, number: usize) -> Result<&Accessor, Fault> {
        self.document
            .accessors
            .get(number)
            .ok_or_else(|| Fault::file(format!("accessor {number} is used but not defined")))
    }

    /// All components of all elements, element by element.
    pub(super) fn values(&self, number: usize, width: usize) -> Result<Vec<f64>, Fault> {
        let accessor = self.accessor(number)?;
        let count = self.count(number)?;
        if self.width(number)? != width {
            let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
            return Err(Fault::file(format!("accessor {number} is a {}, where {shape} is expected", accessor.shape)));
        }
        let component = Component::of(accessor.component_type, accessor.normalized).ok_or_else(|| {
            Fault::file(format!("accessor {number} has the component type {}, which is none", accessor.component_type))
        })?;
        let what = format!("accessor {number}");
        let mut values = Vec::with_capacity(count * width);
        match accessor.buffer_view {
            Some(view) => {
                let run = self.run(&what, view, accessor.byte_offset, count, component.size * width)?;
                for element in 0..count {
                    let bytes = &run.bytes[element * run.stride..];
                    values.extend((0..width).map(|at| component.decode(&bytes[at * component.size..])));
                }
            }
            None => values.resize(count * width, 0.0),
        }
        if let Some(sparse) = &accessor.sparse {
            let what = format!("the sparse part of accessor {number}");
            let index = Component::of(sparse.indices.component_type, false)
                .filter(|component| matches!(component.code, 5121 | 5123 | 5125))
                .ok_or_else(|| Fault::file(format!("{what} has indices that are not unsigned integers")))?;
            if sparse.count > count {
                return Err(Fault::file(format!(
                    "{what} has {} elements, more than the {count} of the whole",
                    sparse.count
                )));
            }
            let indices =
                self.run(&what, sparse.indices.buffer_view, sparse.indices.byte_offset, sparse.count, index.size)?;
            let size = component.size * width;
            let source = self.run(&what, sparse.values.buffer_view, sparse.values.byte_offset, sparse.count, size)?;
            for element in 0..sparse.count {
                let target = index.decode(&indices.bytes[element * indices.stride..]) as usize;
                if target >= count {
                    return Err(Fault::file(format!("{what} sets element {target} of {count}")));
                }
                let bytes = &source.bytes[element * source.stride..];
                for at in 0..width {
                    values[target * width + at] = component.decode(&bytes[at * component.size..]);
                }
            }
        }
        Ok(values)
    }

    /// The vertex numbers of an index accessor.
    pub(super) fn indices(&self, number: usize) -> Result<Vec<u32>, Fault> {
        let accessor = self.accessor(number)?;
        if !matches!(accessor.component_type, 5121 | 5123 | 5125) {
            return Err(Fault::file(format!(
                "accessor {number} holds indices, but has the component type {}; they must be unsigned integers",
                accessor.component_type
            )));
        }
        Ok(self.values(number, 1)?.into_iter().map(|value| value as u32).collect())
    }

    fn run(&self, what: &str, view_number: usize, offset: usize, count: usize, size: usize) -> Result<Run<'_>, Fault> {
        let view = self
            .document
            .buffer_views
            .get(view_number)
            .ok_or_else(|| Fault::file(format!("{what} uses buffer view {view_number}, which is not defined")))?;
        let buffer = self.buffers.get(view.buffer).ok_or_else(|| {
            Fault::file(format!("buffer view {view_number} uses buffer {}, which is not defined", view.buffer))
        })?;
        let view_end =
            view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= buffer.len()).ok_or_else(|| {
                Fault::file(format!(
                    "buffer view {view_number} has {} bytes from byte {}, but buffer {} has {}",
                    view.byte_length,
                    view.byte_offset,
                    view.buffer,
                    buffer.len()
                ))
            })?;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(Fault::file(format!(
                "buffer view {view_number} has the stride {stride}, but {what} needs {size}"
            )));
        }
        let needed = match count {
            0 => Some(0),
            _ => (count - 1).checked_mul(stride).and_then(|bytes| bytes.checked_add(size)),
        };
        let end = needed.and_then(|needed| view.byte_offset.checked_add(offset)?.checked_add(needed));
        match end {
            Some(end) if end <= view_end => Ok(Run { bytes: &buffer[view.byte_offset + offset..end], stride }),
            _ => Err(Fault::file(format!(
                "{what} has {count} elements of {size} bytes from byte {offset}, but buffer view {view_number} has {} bytes",
                view.byte_length
            ))),
        }
    }
}
