//! The mesh update interface (\[Heo10\] section 5.1), and what an update does (section 5.3).

use glam::DVec3;
use rayon::prelude::*;
use thiserror::Error;

use super::body::{Body, Extent, Stale, TWIG};
use super::directions::DualCone;
use super::pieces::{Broken, Piece, heirs_of};
use super::swept::Space;
use super::{BodyHandle, Culling, MeshTree, MeshTreeOptions};
use crate::bvh::{Bvh, Frame};
use crate::geometry::{Aabb, Cone, MeshError, TriMesh};

/// The memory of so many large bodies that broke is kept for others.
const MOST_SPARES: usize = 2;

/// Why a body cannot be changed as asked. Nothing has changed then.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum UpdateError {
    /// The body is not there any more.
    #[error("the body is not in the tree")]
    UnknownBody,
    /// The same body is named twice.
    #[error("a body is named twice")]
    NamedTwice,
    /// There is no surface to speak of, or numbers that are not numbers.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// There are other vertices than the body has.
    #[error("{found} positions for a body of {expected} vertices")]
    VertexCount {
        /// How many vertices the body has.
        expected: usize,
        /// How many positions there are.
        found: usize,
    },
    /// A piece is said to have a face that the body does not have, or that another piece or the same one has too.
    #[error("piece {piece} cannot have face {face} of the body: there are {faces}, and each goes to one piece, once")]
    OldFace {
        /// The number of the piece.
        piece: usize,
        /// That of the face.
        face: u32,
        /// How many faces the body has.
        faces: usize,
    },
    /// A piece is said to have more faces of the body than it has faces.
    #[error("piece {piece} of {faces} faces is said to have {found} faces of the body")]
    OldFaceCount {
        /// The number of the piece.
        piece: usize,
        /// How many old ones are named.
        found: usize,
        /// How many faces it has.
        faces: usize,
    },
}

impl MeshTree {
    /// A tree without bodies.
    pub fn new(options: MeshTreeOptions) -> MeshTree {
        MeshTree {
            options,
            bodies: Vec::new(),
            generations: Vec::new(),
            free: Vec::new(),
            space: Space::new(Frame::default(), &Aabb::EMPTY, 0.0),
            top: Bvh::default(),
            tops: Vec::new(),
            budget: 0.0,
            breaks: 0,
            broken: Vec::new(),
            spares: Vec::new(),
        }
    }

    /// Adds a body at rest. One that is to move in the step which it is added in is added where it starts and then moved.
    ///
    /// # Errors
    /// If the mesh does not pass [`TriMesh::check`].
    pub fn add(&mut self, mesh: &TriMesh) -> Result<BodyHandle, UpdateError> {
        mesh.check()?;
        Ok(self.insert(mesh))
    }

    /// Takes a body out.
    ///
    /// # Errors
    /// If it is not there.
    pub fn delete(&mut self, body: BodyHandle) -> Result<(), UpdateError> {
        self.slot(body)?;
        self.remove(body);
        Ok(())
    }

    /// Replaces a body by the pieces that it broke into: meshes, or [`Piece`]s, which also say what faces of the body they have and so keep
    /// what is known of these. Nothing changes if there is an error.
    ///
    /// # Errors
    /// If it is not there, a mesh does not pass [`TriMesh::check`], or a piece is said to have faces that it cannot have.
    pub fn split<'a, P: Into<Piece<'a>>>(
        &mut self,
        body: BodyHandle,
        pieces: impl IntoIterator<Item = P>,
    ) -> Result<Vec<BodyHandle>, UpdateError> {
        let slot = self.slot(body)?;
        let pieces: Vec<Piece<'_>> = pieces.into_iter().map(P::into).collect();
        let checked: Vec<_> = pieces.par_iter().map(|piece| piece.mesh.check()).collect();
        checked.into_iter().collect::<Result<(), _>>()?;
        let faces = self.bodies[slot].as_ref().map_or(0, |body| body.triangles.len());
        let is_known = pieces.iter().any(|piece| !piece.old_faces.is_empty());
        let heirs = if is_known { heirs_of(faces, &pieces)? } else { Vec::new() };
        let Some(broken) = self.remove(body) else { return Err(UpdateError::UnknownBody) };
        let has_tree = broken.stale != Stale::Build;
        // What breaks again before a step touches what it broke from too.
        let born_in = if has_tree { None } else { broken.born_in };
        self.breaks += 1;
        let born_in = Some(born_in.unwrap_or(self.breaks));
        let handles: Vec<BodyHandle> = pieces.iter().map(|piece| self.insert(piece.mesh)).collect();
        let (number, leaves_tree) = (self.broken.len() as u32, is_known && has_tree);
        for (handle, piece) in handles.iter().zip(0..) {
            if let Some(body) = &mut self.bodies[handle.slot as usize] {
                body.born_in = born_in;
                body.piece_of = leaves_tree.then_some([number, piece]);
            }
        }
        if leaves_tree {
            self.broken.push(Broken::new(broken, heirs, &pieces));
        }
        Ok(handles)
    }

    /// Replaces bodies by the one that they became.
    ///
    /// # Errors
    /// If one is not there or named twice, or the mesh does not pass [`TriMesh::check`].
    pub fn merge(&mut self, bodies: &[BodyHandle], merged: &TriMesh) -> Result<BodyHandle, UpdateError> {
        for (number, &body) in bodies.iter().enumerate() {
            self.slot(body)?;
            if bodies[..number].contains(&body) {
                return Err(UpdateError::NamedTwice);
            }
        }
        merged.check()?;
        for &body in bodies {
            self.remove(body);
        }
        Ok(self.insert(merged))
    }

    /// Moves a body: in the next step its vertices go from where they are now to `positions`.
    ///
    /// A body that is not moved in a step rests in it. Several moves before an [`MeshTree::update`] are one, from the
    /// first start to the last end.
    ///
    /// # Errors
    /// If the body is not there, or there are not as many finite positions as it has vertices.
    pub fn move_to(&mut self, body: BodyHandle, positions: &[DVec3]) -> Result<(), UpdateError> {
        let slot = self.slot(body)?;
        let extent = Extent::of(positions);
        if !extent.is_finite {
            let vertex = positions.iter().position(|position| !position.is_finite()).unwrap_or(0);
            return Err(MeshError::NonFiniteVertex { vertex }.into());
        }
        let Some(body) = &mut self.bodies[slot] else { return Err(UpdateError::UnknownBody) };
        if positions.len() != body.to.len() {
            return Err(UpdateError::VertexCount { expected: body.to.len(), found: positions.len() });
        }
        if !std::mem::replace(&mut body.was_moved, true) {
            body.end_star();
            body.has_cones = false;
            std::mem::swap(&mut body.from, &mut body.to);
            body.extents[0] = body.extents[1];
        }
        body.to.copy_from_slice(positions);
        body.extents[1] = extent;
        Ok(())
    }

    /// Brings the tree up to date with all changes since the last time, and ends the step before.
    pub fn update(&mut self) {
        for body in self.bodies.iter_mut().flatten() {
            body.begin_step();
        }
        let changed_frame = self.choose_frame();
        let (space, options, budget) = (self.space, self.options, self.budget);
        let (metric, culling) = (options.restructure.metric, self.culling());
        let mut broken = std::mem::take(&mut self.broken);
        broken.par_iter_mut().for_each(Broken::divide);
        self.bodies.par_iter_mut().for_each_init(Vec::new, |names, body| {
            let Some(body) = body else { return };
            let stale = std::mem::replace(&mut body.stale, Stale::No);
            if stale == Stale::Build {
                body.build(options.build, &broken, names);
            } else if stale == Stale::No && !changed_frame {
                return;
            }
            body.place_vertices(&space);
            if culling == Culling::Contours {
                body.look_for_star(&space);
            }
            if body.star == Some(true) {
                body.refit_boxes(&space);
                return;
            }
            body.refit(&space, metric);
            if stale != Stale::Build && options.restructure.enabled {
                body.restructure(&space, &options, budget);
            }
        });
        let spent = broken.into_iter().map(|broken| broken.body.into_memory());
        // The oldest go first: what is to come is no larger than what there was of late.
        self.spares.extend(spent);
        self.spares.drain(..self.spares.len().saturating_sub(MOST_SPARES));
        let (tops, boxes): (Vec<u32>, Vec<Aabb>) = (self.bodies.iter().zip(0u32..))
            .filter_map(|(body, slot)| body.as_ref().map(|body| (slot, body.bounds)))
            .unzip();
        (self.tops, self.top) = (tops, Bvh::build(&boxes));
        let roots = self.bodies.iter().flatten().filter(|body| body.has_cones).filter_map(|body| body.extras.first());
        self.budget = roots.map(|root| f64::from(root.self_cost)).sum();
    }

    /// The bodies that are there, in the order of their handles.
    pub fn bodies(&self) -> impl Iterator<Item = BodyHandle> + '_ {
        self.bodies.iter().flatten().map(|body| body.handle)
    }

    /// How many triangles a body has.
    ///
    /// # Errors
    /// If it is not there.
    pub fn triangle_count(&self, body: BodyHandle) -> Result<usize, UpdateError> {
        Ok(self.body(body)?.triangles.len())
    }

    /// The cones around the normals of a body and around the binormals of its boundary, over the last step. That of a body
    /// without triangles, or without a boundary, is empty.
    ///
    /// # Errors
    /// If it is not there.
    pub fn cones(&self, body: BodyHandle) -> Result<[Cone; 2], UpdateError> {
        let body = self.body(body)?;
        let root = match body.extras.first() {
            Some(root) if body.has_cones && body.triangles.len() > TWIG as usize => root.cone,
            // What is new is not known yet; what needs no cones has none at hand.
            _ if body.nodes.is_empty() && !body.triangles.is_empty() => DualCone::FULL,
            _ => {
                let cones = (0..body.triangles.len() as u32).map(|face| body.face_cone(face, self.space.frame.scale));
                cones.fold(DualCone::default(), DualCone::union)
            }
        };
        Ok([root.normals.cone(), root.binormals.cone()])
    }

    /// The two vertices of an edge of a body, by the numbers that candidates have.
    ///
    /// # Errors
    /// If the body is not there.
    ///
    /// # Panics
    /// If it has no such edge.
    pub fn edge(&self, body: BodyHandle, edge: u32) -> Result<[u32; 2], UpdateError> {
        Ok(self.body(body)?.features.edges[edge as usize])
    }

    pub(super) fn body(&self, body: BodyHandle) -> Result<&Body, UpdateError> {
        self.bodies[self.slot(body)?].as_ref().ok_or(UpdateError::UnknownBody)
    }

    /// What is culled: nothing, where neighbours are near enough to touch.
    pub(super) fn culling(&self) -> Culling {
        if self.options.margin > 0.0 { Culling::Off } else { self.options.culling }
    }

    /// By how much boxes are larger than what is in them, each of two, with a bit for rounding.
    pub(super) fn half_margin(&self) -> f64 {
        0.500_000_1 * self.options.margin.max(0.0)
    }

    fn slot(&self, body: BodyHandle) -> Result<usize, UpdateError> {
        let slot = body.slot as usize;
        let is_there = self.generations.get(slot) == Some(&body.generation) && self.bodies[slot].is_some();
        if is_there { Ok(slot) } else { Err(UpdateError::UnknownBody) }
    }

    fn insert(&mut self, mesh: &TriMesh) -> BodyHandle {
        let slot = self.free.pop().unwrap_or(self.bodies.len() as u32);
        if slot as usize == self.bodies.len() {
            self.bodies.push(None);
            self.generations.push(0);
        }
        let handle = BodyHandle { slot, generation: self.generations[slot as usize] };
        let spare = self.spares.iter().position(|memory| memory.suits(mesh));
        let memory = spare.map(|place| self.spares.swap_remove(place)).unwrap_or_default();
        self.bodies[slot as usize] = Some(Body::within(memory, handle, mesh));
        handle
    }

    fn remove(&mut self, body: BodyHandle) -> Option<Body> {
        self.generations[body.slot as usize] += 1;
        self.free.push(body.slot);
        self.bodies[body.slot as usize].take()
    }

    /// Takes another frame if the bodies have left it or no longer need so large a one; returns whether it did.
    fn choose_frame(&mut self) -> bool {
        let parts: Vec<Aabb> = self.bodies.par_iter().flatten().map(Body::swept_bounds).collect();
        let bounds = parts.into_iter().fold(Aabb::EMPTY, Aabb::union);
        if bounds.is_empty() {
            return false;
        }
        let (best, frame) = (Frame::around(bounds), self.space.frame);
        // A frame reaches one unit to each side; twice or half of that loses a bit.
        let fits = best.scale <= 8.0 * frame.scale
            && best.scale >= 0.5 * frame.scale
            && (best.origin - frame.origin).abs().max_element() * frame.scale <= 2.0;
        self.space = Space::new(if fits { frame } else { best }, &bounds, self.half_margin());
        !fits
    }

    /// Checks what queries rely on, in all trees.
    ///
    /// # Panics
    /// If any of it does not hold; for tests.
    pub fn assert_well_formed(&self) {
        assert_eq!(self.bodies.len(), self.generations.len());
        assert_eq!(self.bodies.iter().filter(|body| body.is_none()).count(), self.free.len());
        self.top.assert_well_formed();
        for (slot, body) in self.bodies.iter().enumerate() {
            let Some(body) = body else { continue };
            assert_eq!(body.handle, BodyHandle { slot: slot as u32, generation: self.generations[slot] });
            body.assert_well_formed(&self.space.frame);
        }
    }
}
