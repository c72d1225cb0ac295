//! Breaking a body that is in a world.

use std::time::{Duration, Instant};

use glam::DVec3;

use super::population::Forms;
use super::{
    Body, BodyDescription, BodyId, Change, Event, Fracture, Fractured, Impact, Motion, Piece, Representation, Rest,
    Velocity, World, WorldError,
};
use crate::dynamics::RigidChange;
use crate::geometry::{Convex, MassProperties, Pose};
use crate::pattern::ImpactPattern;

/// A body on its way into a world.
pub(super) struct NewBody {
    pub(super) description: BodyDescription,
    pub(super) mass: MassProperties,
    pub(super) fracture: Option<Box<dyn Fracture>>,
    pub(super) parent: Option<BodyId>,
    pub(super) depth: u32,
    pub(super) is_debris: bool,
}

/// The motion of a body at the moment at which it breaks.
struct Moment {
    pose: Pose,
    velocity: Velocity,
    /// In the world.
    center_of_mass: DVec3,
}

impl Moment {
    /// How the matter around a point moved, as part of the whole.
    fn velocity_at(&self, point: DVec3) -> Velocity {
        let arm = point - self.center_of_mass;
        Velocity { linear: self.velocity.linear + self.velocity.angular.cross(arm), angular: self.velocity.angular }
    }
}

impl World {
    /// Breaks a body at a point. What comes off and what remains carry its motion on: linear and angular momentum stay
    /// what they were. Gives the pieces; [`Event::Broke`] says whether the body remains.
    ///
    /// The time that it takes is the method's and one in proportion to the parts that go and come, however many others
    /// there are; a rest that moves is gone over as a whole, as it is in every step.
    ///
    /// # Errors
    /// If there is no such body, if it has no fracture method, or if the method fails; the body is then as it was.
    pub fn fracture(&mut self, id: BodyId, impact: &Impact) -> Result<Vec<BodyId>, WorldError> {
        let clock = Instant::now();
        let outcome = tracing::debug_span!("fracture", %id).in_scope(|| self.try_fracture(id, impact));
        self.fracture_time += clock.elapsed();
        outcome
    }

    /// Lets a body, and what it becomes, break by another pattern from now on.
    ///
    /// # Errors
    /// If there is no such body, or its method cannot break by that pattern; it breaks as before then.
    pub fn set_pattern(&mut self, id: BodyId, pattern: &ImpactPattern) -> Result<(), WorldError> {
        let body = self.bodies.get_mut(id.0 as usize).and_then(Option::as_mut).ok_or(WorldError::NoBody(id))?;
        let method = body.fracture.as_ref().ok_or_else(|| WorldError::Unbreakable(body.name.clone()))?;
        let method = method.by_pattern(pattern);
        body.fracture = Some(method.map_err(|source| WorldError::Fracture { body: body.name.clone(), source })?);
        Ok(())
    }

    /// Time spent breaking bodies since the last step ended.
    pub(super) fn take_fracture_time(&mut self) -> Duration {
        std::mem::replace(&mut self.fracture_time, Duration::ZERO)
    }

    fn try_fracture(&mut self, id: BodyId, impact: &Impact) -> Result<Vec<BodyId>, WorldError> {
        let body = self.bodies.get_mut(id.0 as usize).and_then(Option::as_mut).ok_or(WorldError::NoBody(id))?;
        let method = body.fracture.as_mut().ok_or_else(|| WorldError::Unbreakable(body.name.clone()))?;
        let pose = self.simulation.pose(&body.handle);
        let to_body = pose.inverse();
        let local = Impact {
            point: to_body.transform_point(impact.point),
            direction: to_body.transform_vector(impact.direction),
            ..*impact
        };
        let fractured = impact.check().and_then(|()| match &self.backend {
            Some(backend) => method.fracture_on(backend, &local),
            None => method.fracture(&local),
        });
        let fractured = fractured.map_err(|source| WorldError::Fracture { body: body.name.clone(), source })?;
        let moment = Moment {
            pose,
            velocity: self.simulation.velocity(&body.handle),
            center_of_mass: pose.transform_point(body.mass.centroid),
        };
        Ok(self.apply(id, fractured, &moment, impact))
    }

    fn apply(&mut self, id: BodyId, fractured: Fractured, moment: &Moment, impact: &Impact) -> Vec<BodyId> {
        let Fractured { pieces, rest, exposed, .. } = fractured;
        let mut lost = 0;
        let mut added = Vec::with_capacity(pieces.len());
        let mut described = self.describe_pieces(id, pieces, moment);
        burst(&mut described, impact.burst);
        // What is left of the whole comes first, so that its pieces do not meet parts that are no longer there.
        let remains = match rest {
            Rest::Gone => {
                // It was there a moment ago.
                let _ = self.take(id);
                false
            }
            Rest::Changed(change) => {
                let remains = self.change(id, change, moment);
                lost += usize::from(!remains);
                remains
            }
        };
        for (new, size) in described {
            match self.add_piece(new, size) {
                Some(piece) => added.push(piece),
                None => lost += 1,
            }
        }
        if lost > 0 {
            tracing::warn!(%id, lost, "pieces too flat or too small to simulate were dropped");
        }
        self.lost += lost;
        self.emit_dust(&exposed, moment.pose, moment.velocity, moment.center_of_mass, impact.seed);
        self.events.push(Event::Broke { body: id, pieces: added.clone(), remains, lost });
        added
    }

    fn describe_pieces(&mut self, id: BodyId, pieces: Vec<Piece>, moment: &Moment) -> Vec<(NewBody, f64)> {
        let time = self.time;
        let Some(whole) = self.bodies.get_mut(id.0 as usize).and_then(Option::as_mut) else { return Vec::new() };
        whole.broke_at = time;
        let first = whole.pieces;
        whole.pieces += pieces.len();
        let whole = &*whole;
        pieces
            .into_iter()
            .enumerate()
            .map(|(number, piece)| describe_piece(id, whole, first + number, piece, moment))
            .collect()
    }

    /// Adds a piece as what it can be: a body, or debris, or nothing.
    fn add_piece(&mut self, new: NewBody, size: f64) -> Option<BodyId> {
        let is_moving = new.description.motion == Motion::Dynamic;
        let is_small = size < self.debris_options.smallest;
        if is_moving && is_small {
            return self.add_debris(new);
        }
        let pieces = new.fracture.as_ref().map(|fracture| fracture.piece_kind());
        let forms = Forms::new(new.description.representation.kind(), new.description.motion, pieces);
        // A method that keeps to its word about its pieces is never refused.
        let built = self.population.check(forms, &new.description.name).and_then(|()| {
            let built = self.simulation.build_piece(&new.description);
            built.map_err(|problem| WorldError::Rigid { body: new.description.name.clone(), problem })
        });
        match built {
            Ok(built) => Some(self.insert(new, built)),
            Err(problem) => {
                tracing::debug!(%problem, "a piece becomes debris");
                if is_moving { self.add_debris(new) } else { None }
            }
        }
    }

    /// Changes a body that lives on. False if nothing of it can be simulated any more, and it is gone.
    fn change(&mut self, id: BodyId, change: Change, moment: &Moment) -> bool {
        let Some(body) = self.bodies.get_mut(id.0 as usize).and_then(Option::as_mut) else { return false };
        let before = body.forms();
        let Change { removed, added, motion, mass } = change;
        let mut triangles = body.triangles;
        let mut parts = match &mut body.representation {
            Representation::Convexes(parts) => Some(parts),
            _ => None,
        };
        for key in &removed {
            triangles -= body.looks.remove(key).map_or(0, |look| look.triangle_count());
            parts.iter_mut().for_each(|parts| {
                parts.remove(key);
            });
        }
        let mut convexes = Vec::with_capacity(added.len());
        for part in added {
            if let Some(look) = part.look {
                triangles += look.triangle_count();
                triangles -= body.looks.insert(part.key, look).map_or(0, |look| look.triangle_count());
            }
            if let (Some(convex), Some(parts)) = (part.convex, &mut parts) {
                parts.insert(part.key, convex.clone());
                convexes.push((part.key, convex));
            }
        }
        body.look_version += 1;
        self.triangles = self.triangles - body.triangles + triangles;
        body.triangles = triangles;
        body.motion = motion;
        body.mass = match (mass, motion) {
            (Some(mass), _) => mass,
            (None, Motion::Dynamic) => body.representation.mass_properties(),
            (None, Motion::Fixed) => body.mass,
        };
        self.population.remove(before);
        self.population.add(body.forms());
        let velocity = match motion {
            Motion::Fixed => Velocity::default(),
            Motion::Dynamic => moment.velocity_at(moment.pose.transform_point(body.mass.centroid)),
        };
        let added: Vec<(u32, &Convex)> = convexes.iter().map(|(key, convex)| (*key, convex.as_ref())).collect();
        let (mass, material) = (&body.mass, &body.material);
        let change = RigidChange { removed: &removed, added: &added, motion, velocity, mass, material };
        let changed = self.simulation.change(&mut body.handle, &change);
        match changed {
            Ok(flat) => tracing::debug!(%id, removed = removed.len(), added = added.len(), flat, "a body lost parts"),
            Err(ref problem) => tracing::debug!(%id, %problem, "what is left of a body cannot move"),
        }
        let remains = changed.is_ok() && body.handle.collider_count() > 0;
        if !remains {
            let _ = self.take(id);
        }
        remains
    }
}

/// A piece as a body: where the whole was, moving as its material moved.
fn describe_piece(id: BodyId, whole: &Body, number: usize, piece: Piece, moment: &Moment) -> (NewBody, f64) {
    let pose = moment.pose * piece.pose;
    let mass = piece.mass.unwrap_or_else(|| piece.representation.mass_properties());
    let velocity = match piece.motion {
        Motion::Fixed => Velocity::default(),
        Motion::Dynamic => moment.velocity_at(pose.transform_point(mass.centroid)),
    };
    let description = BodyDescription {
        name: format!("{}.{number}", whole.name),
        looks: piece.looks,
        representation: piece.representation,
        material: whole.material.clone(),
        pose,
        velocity,
        motion: piece.motion,
        mass: Some(mass),
        fracture: None,
        trigger: whole.trigger,
    };
    let new = NewBody {
        description,
        mass,
        fracture: piece.fracture,
        parent: Some(id),
        depth: whole.depth + 1,
        is_debris: false,
    };
    (new, piece.size)
}

/// Drives moving pieces away from their common centre of mass in proportion to their distance, the farthest at some speed.
/// All have the same density.
fn burst(pieces: &mut [(NewBody, f64)], speed: f64) {
    if speed == 0.0 {
        return;
    }
    let mut moving: Vec<(&mut BodyDescription, MassProperties)> = pieces
        .iter_mut()
        .filter(|(piece, _)| piece.description.motion == Motion::Dynamic)
        .map(|(piece, _)| (&mut piece.description, piece.mass))
        .collect();
    let place = |description: &BodyDescription, mass: &MassProperties| description.pose.transform_point(mass.centroid);
    let volume: f64 = moving.iter().map(|(_, mass)| mass.volume).sum();
    let moment: DVec3 = moving.iter().map(|(description, mass)| mass.volume * place(description, mass)).sum();
    let center = moment / volume;
    let farthest =
        moving.iter().map(|(description, mass)| place(description, mass).distance(center)).fold(0.0, f64::max);
    if farthest > 0.0 && center.is_finite() {
        for (description, mass) in &mut moving {
            description.velocity.linear += speed / farthest * (place(description, mass) - center);
        }
    }
}
