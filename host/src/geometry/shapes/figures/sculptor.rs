//! Short words for putting figures together.

use glam::{DMat3, DVec3, EulerRot};

use super::super::implicit::Sculpture;
use super::super::primitive::Primitive;

/// A sculpture in the making, in units of about the figure's height.
///
/// It knows the spacing of the lattice that will sample it: nothing is made thinner than the lattice can see, so that a
/// coarse figure has stout whiskers instead of a row of crumbs, and relief finer than the lattice is left out.
pub(super) struct Sculptor {
    pub(super) sculpture: Sculpture,
    spacing: f64,
}

/// A point of a limb and its radius there.
pub(super) type Joint = ([f64; 3], f64);

impl Sculptor {
    pub(super) fn new(spacing: f64) -> Sculptor {
        Sculptor { sculpture: Sculpture::default(), spacing }
    }

    /// A ball wider than this always holds a vertex of the lattice (the covering radius is 0.56 spacings).
    fn stout(&self, radius: f64) -> f64 {
        radius.max(0.62 * self.spacing)
    }

    pub(super) fn ball(&mut self, center: [f64; 3], radius: f64, blend: f64) {
        let shape = Primitive::ball(DVec3::from_array(center), self.stout(radius));
        self.sculpture.add(shape, blend);
    }

    pub(super) fn cone(&mut self, (from, from_radius): Joint, (to, to_radius): Joint, blend: f64) {
        let shape = Primitive::Cone {
            from: DVec3::from_array(from),
            to: DVec3::from_array(to),
            from_radius: self.stout(from_radius),
            to_radius: self.stout(to_radius),
        };
        self.sculpture.add(shape, blend);
    }

    /// An ellipsoid turned by angles about x, y and z, in degrees.
    pub(super) fn ellipsoid(&mut self, center: [f64; 3], radii: [f64; 3], turn: [f64; 3], blend: f64) {
        let radii = DVec3::from_array(radii.map(|radius| self.stout(radius)));
        let shape = Primitive::Ellipsoid { center: DVec3::from_array(center), axes: turned(turn), radii };
        self.sculpture.add(shape, blend);
    }

    /// A box with round edges.
    pub(super) fn block(&mut self, center: [f64; 3], half_extents: [f64; 3], rounding: f64, blend: f64) {
        let half_extents = DVec3::from_array(half_extents.map(|extent| self.stout(extent)));
        let shape =
            Primitive::Block { center: DVec3::from_array(center), axes: DMat3::IDENTITY, half_extents, rounding };
        self.sculpture.add(shape, blend);
    }

    /// A ring, turned by angles about x, y and z, in degrees; without a turn it goes round y.
    pub(super) fn ring(&mut self, center: [f64; 3], major_radius: f64, minor_radius: f64, turn: [f64; 3], blend: f64) {
        let minor_radius = self.stout(minor_radius);
        let shape =
            Primitive::Ring { center: DVec3::from_array(center), axes: turned(turn), major_radius, minor_radius };
        self.sculpture.add(shape, blend);
    }

    /// Takes an ellipsoid away, if the lattice can see it.
    pub(super) fn carve(&mut self, center: [f64; 3], radii: [f64; 3], turn: [f64; 3], blend: f64) {
        if radii.into_iter().fold(f64::INFINITY, f64::min) > 0.5 * self.spacing {
            let shape = Primitive::Ellipsoid {
                center: DVec3::from_array(center),
                axes: turned(turn),
                radii: DVec3::from_array(radii),
            };
            self.sculpture.carve(shape, blend);
        }
    }

    /// A smooth tube through some points (a Catmull-Rom spline), in so many straight pieces between any two.
    pub(super) fn limb(&mut self, joints: &[Joint], pieces: u32, blend: f64) {
        let path = spline(joints, pieces);
        for (number, pair) in path.windows(2).enumerate() {
            // Only where it begins does it blend into what is there; its own pieces fit without.
            let blend = if number == 0 { blend } else { 0.0 };
            self.cone((pair[0].0.to_array(), pair[0].1), (pair[1].0.to_array(), pair[1].1), blend);
        }
    }

    /// Whatever the function makes, made on both sides of the plane z = 0: it is told the side.
    pub(super) fn on_both_sides(&mut self, make: impl Fn(&mut Sculptor, f64)) {
        make(self, 1.0);
        make(self, -1.0);
    }

    /// Relief of features of a given width, faded out where the lattice is too coarse for them.
    pub(super) fn relief(&mut self, amplitude: f64, width: f64, pattern: fn(DVec3) -> f64) {
        let seen = ((width / self.spacing.max(1e-12) - 2.0) / 2.0).clamp(0.0, 1.0);
        if seen > 0.0 {
            let relief = super::super::implicit::Relief { amplitude: amplitude * seen, pattern };
            self.sculpture.reliefs.push(relief);
        }
    }
}

fn turned([x, y, z]: [f64; 3]) -> DMat3 {
    DMat3::from_euler(EulerRot::ZYX, z.to_radians(), y.to_radians(), x.to_radians())
}

/// Points and radii along a Catmull-Rom spline.
pub(super) fn spline(joints: &[Joint], pieces: u32) -> Vec<(DVec3, f64)> {
    let joint = |number: usize| {
        let (point, radius) = joints[number.min(joints.len() - 1)];
        DVec3::from_array(point).extend(radius)
    };
    let mut path = Vec::new();
    for number in 0..joints.len().saturating_sub(1) {
        let [p, q, r, s] = [joint(number.saturating_sub(1)), joint(number), joint(number + 1), joint(number + 2)];
        for piece in 0..pieces {
            let t = f64::from(piece) / f64::from(pieces);
            let point = q + 0.5 * t * ((r - p) + t * ((2.0 * p - 5.0 * q + 4.0 * r - s) + t * (3.0 * (q - r) + s - p)));
            path.push((point.truncate(), point.w.max(1e-3)));
        }
    }
    let last = joint(joints.len() - 1);
    path.push((last.truncate(), last.w));
    path
}
