//! Volume, centroid and inertia of solids by integration over their surface.

use glam::{DMat3, DVec3, Vec3Swizzles};

/// What a rigid body needs to know of a solid of density one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// The volume; negative if the surface is turned inside out.
    pub volume: f64,
    /// The centre of mass.
    pub centroid: DVec3,
    /// The inertia tensor about the centroid, in the solid's own axes.
    pub inertia: DMat3,
}

/// Sums the moments of signed tetrahedra between a reference point and the triangles of a closed surface.
///
/// The divergence theorem turns the integrals over the solid into this sum, whatever the shape of the solid and
/// wherever the reference point; one near the surface keeps the rounding small.
pub(crate) struct MomentSum {
    reference: DVec3,
    volume: f64,
    first: DVec3,
    /// The integral of the outer product of position with itself: its diagonal, and xy, yz and zx.
    squares: DVec3,
    products: DVec3,
}

impl MomentSum {
    pub(crate) fn new(reference: DVec3) -> MomentSum {
        MomentSum { reference, volume: 0.0, first: DVec3::ZERO, squares: DVec3::ZERO, products: DVec3::ZERO }
    }

    #[inline]
    pub(crate) fn add_triangle(&mut self, a: DVec3, b: DVec3, c: DVec3) {
        let [a, b, c] = [a, b, c].map(|point| point - self.reference);
        let volume = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        self.volume += volume;
        self.first += volume / 4.0 * sum;
        // The second moment of a tetrahedron with one corner at the origin: V/20 (aaᵀ + bbᵀ + ccᵀ + ssᵀ).
        let share = volume / 20.0;
        self.squares += share * (a * a + b * b + c * c + sum * sum);
        self.products += share * (a * a.yzx() + b * b.yzx() + c * c.yzx() + sum * sum.yzx());
    }

    pub(crate) fn finish(self) -> MassProperties {
        if self.volume == 0.0 {
            return MassProperties { volume: 0.0, centroid: self.reference, inertia: DMat3::ZERO };
        }
        let center = self.first / self.volume;
        let ([xx, yy, zz], [xy, yz, zx]) = (self.squares.to_array(), self.products.to_array());
        let second = DMat3::from_cols(DVec3::new(xx, xy, zx), DVec3::new(xy, yy, yz), DVec3::new(zx, yz, zz));
        let about_center =
            second - DMat3::from_cols(center * center.x, center * center.y, center * center.z) * self.volume;
        let trace = about_center.x_axis.x + about_center.y_axis.y + about_center.z_axis.z;
        MassProperties {
            volume: self.volume,
            centroid: self.reference + center,
            inertia: DMat3::from_diagonal(DVec3::splat(trace)) - about_center,
        }
    }
}

impl MassProperties {
    /// The properties of parts that do not overlap, as one body.
    pub fn combined(parts: impl IntoIterator<Item = MassProperties> + Clone) -> MassProperties {
        let (volume, first) = parts.clone().into_iter().fold((0.0, DVec3::ZERO), |(volume, first), part| {
            (volume + part.volume, first + part.volume * part.centroid)
        });
        if volume == 0.0 {
            return MassProperties { volume, centroid: DVec3::ZERO, inertia: DMat3::ZERO };
        }
        let centroid = first / volume;
        let inertia = parts.into_iter().fold(DMat3::ZERO, |inertia, part| {
            let arm = part.centroid - centroid;
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia + part.inertia + (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * part.volume
        });
        MassProperties { volume, centroid, inertia }
    }
}
