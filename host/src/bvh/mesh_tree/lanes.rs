//! Four vectors side by side, so that what is done to one takes as long as if it is done to four.

use glam::{Mat4, Vec3, Vec4};

/// Four vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    pub x: Vec4,
    pub y: Vec4,
    pub z: Vec4,
}

impl Lanes {
    #[inline(always)]
    pub(super) fn of(a: Vec4, b: Vec4, c: Vec4, d: Vec4) -> Lanes {
        let Mat4 { x_axis: x, y_axis: y, z_axis: z, .. } = Mat4::from_cols(a, b, c, d).transpose();
        Lanes { x, y, z }
    }

    /// All four, one by one. Their fourth numbers mean nothing.
    #[inline(always)]
    pub(super) fn each(&self) -> [Vec4; 4] {
        let Mat4 { x_axis: a, y_axis: b, z_axis: c, w_axis: d } =
            Mat4::from_cols(self.x, self.y, self.z, self.z).transpose();
        [a, b, c, d]
    }

    /// One of the four.
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x[lane], self.y[lane], self.z[lane])
    }

    /// The same vector four times.
    #[inline(always)]
    pub(super) fn same(vector: Vec3) -> Lanes {
        Lanes { x: Vec4::splat(vector.x), y: Vec4::splat(vector.y), z: Vec4::splat(vector.z) }
    }

    pub(super) const fn splat(value: f32) -> Lanes {
        Lanes { x: Vec4::splat(value), y: Vec4::splat(value), z: Vec4::splat(value) }
    }

    #[inline(always)]
    pub(super) fn min(&self, other: &Lanes) -> Lanes {
        Lanes { x: self.x.min(other.x), y: self.y.min(other.y), z: self.z.min(other.z) }
    }

    #[inline(always)]
    pub(super) fn max(&self, other: &Lanes) -> Lanes {
        Lanes { x: self.x.max(other.x), y: self.y.max(other.y), z: self.z.max(other.z) }
    }

    #[inline(always)]
    pub(super) fn cross(&self, other: &Lanes) -> Lanes {
        Lanes {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline(always)]
    pub(super) fn plus(&self, other: &Lanes) -> Lanes {
        Lanes { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    #[inline(always)]
    pub(super) fn minus(&self, other: &Lanes) -> Lanes {
        Lanes { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    #[inline(always)]
    pub(super) fn times(&self, factor: Vec4) -> Lanes {
        Lanes { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    #[inline(always)]
    pub(super) fn length_squared(&self) -> Vec4 {
        self.dot(self)
    }

    #[inline(always)]
    pub(super) fn dot(&self, other: &Lanes) -> Vec4 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Of each, the sum of its coordinates without their signs.
    #[inline(always)]
    pub(super) fn sum_of_sizes(&self) -> Vec4 {
        self.x.abs() + self.y.abs() + self.z.abs()
    }

    /// One of the coordinates.
    #[inline(always)]
    pub(super) fn axis(&self, axis: usize) -> Vec4 {
        [self.x, self.y, self.z][axis]
    }

    /// The largest coordinate of each.
    #[inline(always)]
    pub(super) fn longest(&self) -> Vec4 {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }
}
