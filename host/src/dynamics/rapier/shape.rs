//! A fragment as a shape.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{FeatureId, Shape, ShapeType, TypedShape};
use rapier3d::prelude::{SharedShape, Vector};

use crate::dynamics::sweep::FragmentForm;
use crate::fragment::{DistanceField, Fragment};

/// After the first contacts, only those deeper than this part of a solid's radius are taken (\[Glondu12\] 5.3).
const TOLERANCE: f64 = 0.002;

/// A fragment as Rapier sees it, around its centre of mass: single precision has its finest steps there.
#[derive(Clone, Debug)]
pub struct FragmentShape {
    fragment: Arc<Fragment>,
    /// Where the shape's origin is in the coordinates of the fragment.
    origin: Vector,
    aabb: Aabb,
    radius: f32,
    /// What fast motion is swept by, made when it first is asked for.
    form: OnceLock<Option<Arc<FragmentForm>>>,
}

impl FragmentShape {
    /// The shape of a fragment.
    pub fn new(fragment: Arc<Fragment>) -> FragmentShape {
        let origin = fragment.mass_properties().centroid.as_vec3();
        let aabb = fragment.aabb();
        let local = |corner: DVec3| (corner - origin.as_dvec3()).as_vec3();
        // Rounding must not leave a corner out.
        let rounding = f32::EPSILON * 4.0 * aabb.largest() as f32;
        let aabb = Aabb::new(local(aabb.min) - rounding, local(aabb.max) + rounding);
        let radius = fragment.farthest_from(origin.as_dvec3()) as f32 + rounding;
        FragmentShape { fragment, origin, aabb, radius, form: OnceLock::new() }
    }

    /// The shape for a collider.
    pub fn shared(self) -> SharedShape {
        SharedShape(Arc::new(self))
    }

    /// The fragment.
    pub fn fragment(&self) -> &Arc<Fragment> {
        &self.fragment
    }

    /// Where the shape's origin is in the coordinates of the fragment: the translation that a collider needs so that fragments of
    /// one solid fit together.
    pub fn origin(&self) -> Vector {
        self.origin
    }

    /// No point of the shape is farther from its origin.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// About how thick the shape is where it is thickest.
    pub fn thickness(&self) -> f32 {
        // Where no node is inside, half of what a slab of its volume and its surface measures across is a lower bound.
        let slab = 2.0 * self.fragment.mass_properties().volume / self.fragment.area();
        (2.0 * self.fragment.greatest_depth()).max(slab) as f32
    }

    /// What is less deep than this does not matter.
    pub(in crate::dynamics) fn tolerance(&self) -> f32 {
        (TOLERANCE * self.fragment.solid().radius()) as f32
    }

    /// What fast motion is swept by; nothing if the fragment has no inside that single precision can tell.
    pub(in crate::dynamics) fn form(&self) -> Option<&FragmentForm> {
        let form = || FragmentForm::new(&self.fragment, self.origin.as_dvec3()).map(Arc::new);
        self.form.get_or_init(form).as_deref()
    }

    fn in_fragment(&self, point: Vector) -> DVec3 {
        point.as_dvec3() + self.origin.as_dvec3()
    }
}

/// How many steps a ray is looked along for where it enters.
const RAY_STEPS: f64 = 512.0;

impl RayCast for FragmentShape {
    /// Looks along the ray in steps of a fraction of a tetrahedron, so what is thinner than that may be missed.
    fn cast_local_ray_and_get_normal(&self, ray: &Ray, longest: f32, solid: bool) -> Option<RayIntersection> {
        let entry = self.aabb.cast_local_ray_and_get_normal(ray, longest, true)?.time_of_impact;
        let length = f64::from(ray.dir.length());
        let step = (0.1 * self.fragment.solid().edge_length()).max(2.0 * f64::from(self.radius) / RAY_STEPS);
        let at = |time: f64| self.in_fragment(ray.origin) + time * ray.dir.as_dvec3();
        let is_inside = |time: f64| self.fragment.is_inside(at(time));
        let was_inside = is_inside(0.0);
        if was_inside && solid {
            return Some(RayIntersection::new(0.0, Vector::ZERO, FeatureId::Unknown));
        }
        let end = f64::from(longest).min(f64::from(entry) + 2.5 * f64::from(self.radius) / length);
        let (mut before, mut time) = (f64::from(entry), f64::from(entry));
        while is_inside(time) == was_inside {
            if time >= end {
                return None;
            }
            before = time;
            time = (time + step / length).min(end);
        }
        for _ in 0..40 {
            let middle = 0.5 * (before + time);
            if is_inside(middle) == was_inside { before = middle } else { time = middle }
        }
        let surface = self.fragment.surface_of(at(if was_inside { before } else { time }));
        Some(RayIntersection::new(time as f32, surface.normal.as_vec3(), FeatureId::Unknown))
    }
}

impl PointQuery for FragmentShape {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        let place = self.in_fragment(point);
        let reach = f64::from(self.radius) + place.length();
        let local = |place: DVec3| (place - self.origin.as_dvec3()).as_vec3();
        match self.fragment.surface(place, reach) {
            Some(surface) if surface.distance <= 0.0 && solid => PointProjection::new(true, point),
            Some(surface) => {
                let projected = place - surface.distance * surface.normal;
                PointProjection::new(surface.distance <= 0.0, local(projected))
            }
            // Far from the solid the nearest point of the tree is near enough.
            None => PointProjection::new(false, local(self.fragment.nearest_point(place))),
        }
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(point, false), FeatureId::Unknown)
    }

    fn contains_local_point(&self, point: Vector) -> bool {
        self.fragment.is_inside(self.in_fragment(point))
    }
}

impl Shape for FragmentShape {
    fn compute_local_aabb(&self) -> Aabb {
        self.aabb
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::new(Vector::ZERO, self.radius)
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, _: Vector, _: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, density: f32) -> MassProperties {
        let mass = self.fragment.mass_properties();
        let center = (mass.centroid - self.origin.as_dvec3()).as_vec3();
        let density = f64::from(density);
        MassProperties::with_inertia_matrix(center, (density * mass.volume) as f32, (density * mass.inertia).as_mat3())
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> f32 {
        0.5 * self.aabb.extents().min_element()
    }

    fn ccd_angular_thickness(&self) -> f32 {
        std::f32::consts::FRAC_PI_4
    }
}
