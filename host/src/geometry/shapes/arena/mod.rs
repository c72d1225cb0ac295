//! A Roman arena with a temple, as an artist would model it: thousands of separate solids that stand on, in and through
//! each other (\[Mueller13\], Figures 1 and 12).

mod cavea;
mod facade;
mod site;
mod solids;
mod temple;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::PolyMesh;
use super::error::{Check, ShapeError};
use site::Site;
use solids::Ground;

/// The arena: an amphitheatre of 188 by 156 metres and a temple to its south (+z), standing on y = 0.
///
/// At full detail its parts have about a million vertices and more than half a million polygonal faces. Each part is
/// watertight and free of self-intersections; parts overlap.
///
/// ```
/// use fracas::geometry::shapes::Arena;
///
/// let parts = Arena { detail: 0.02, ..Arena::default() }.parts()?;
/// assert!(parts.len() > 500 && parts.iter().all(|part| part.mesh.is_watertight()));
/// # Ok::<(), fracas::geometry::shapes::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Arena {
    /// How much of the full size the number of vertices is, from 0.01 to 1.
    pub detail: f64,
    /// Factor from the arena's metres to those of the scene.
    pub scale: f64,
    /// Whether the temple is there too.
    pub temple: bool,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { detail: 1.0, scale: 1.0, temple: true }
    }
}

/// What a part is made of; its number is the material number of the part's faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArenaMaterial {
    /// Most of the walls and columns.
    Travertine,
    /// Parapets, capitals, the temple.
    Marble,
    /// Vaults and foundations.
    Concrete,
    /// The arena's floor.
    Sand,
    /// Roofs.
    Tile,
    /// Shields, posts and the idol.
    Bronze,
    /// Masts and trapdoors.
    Wood,
}

/// One solid of the arena.
#[derive(Clone, Debug, PartialEq)]
pub struct ArenaPart {
    /// What it is and which one, as `column drum 1.12.3` (storey, bay, drum).
    pub name: String,
    /// Its surface in place: flat polygons over shared vertices.
    pub mesh: PolyMesh,
    /// What it is made of.
    pub material: ArenaMaterial,
    /// Whether it is convex.
    pub convex: bool,
}

impl Arena {
    /// Whether the parameters make an arena.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("arena");
        check.range("detail", self.detail, 0.01..=1.0)?;
        check.range("scale", self.scale, 1e-3..=1e3)
    }

    /// The parts, in an order that does not depend on the machine.
    ///
    /// # Errors
    /// As [`Arena::check`].
    pub fn parts(&self) -> Result<Vec<ArenaPart>, ShapeError> {
        self.check()?;
        let ground = Ground { half_length: 94.0, half_width: 78.0 };
        let mut site = Site { ground, fineness: self.detail.sqrt(), orders: Vec::new() };
        facade::build(&mut site);
        cavea::build(&mut site);
        if self.temple {
            temple::build(&mut site)?;
        }
        let mut parts: Vec<ArenaPart> = site.orders.into_par_iter().map(site::Order::build).collect();
        if self.scale != 1.0 {
            let positions =
                |part: &mut ArenaPart| part.mesh.positions.iter_mut().for_each(|place| *place *= self.scale);
            parts.par_iter_mut().for_each(positions);
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{TriMesh, self_intersections};
    use super::super::testing::{
        assert_embedded, assert_same_for_any_thread_count, assert_solid, euler_characteristic,
    };
    use super::*;

    #[test]
    fn every_part_is_a_solid_with_flat_faces() {
        for detail in [0.01, 0.05] {
            let parts = Arena { detail, ..Arena::default() }.parts().unwrap();
            // Parts that differ only in place need not all be looked at: one in so many of each kind is.
            let mut seen = std::collections::BTreeMap::<String, u32>::new();
            for part in &parts {
                let kind = part.name.trim_end_matches(|c: char| !c.is_alphabetic());
                let count = seen.entry(kind.to_owned()).or_default();
                *count += 1;
                assert_eq!(part.mesh.check(), Ok(()), "{}", part.name);
                assert!(part.mesh.is_watertight(), "{} leaks", part.name);
                if *count > 3 && !count.is_multiple_of(97) {
                    continue;
                }
                let mesh = part.mesh.to_tri_mesh();
                assert_eq!(euler_characteristic(&mesh) % 2, 0, "{}", part.name);
                let euler =
                    if part.mesh.face_count() == part.mesh.corners.len() / 3 { euler_characteristic(&mesh) } else { 2 };
                assert_solid(&mesh, 1, euler);
                if *count <= 3 {
                    assert_embedded(&mesh);
                }
                let volume = part.mesh.mass_properties().volume;
                assert!((volume / mesh.volume() - 1.0).abs() < 1e-9, "{} is not flat", part.name);
                if part.convex {
                    assert_convex(part, &mesh);
                }
            }
            assert!(seen.len() > 50, "{seen:?}");
        }
    }

    #[test]
    fn no_part_crosses_itself_wherever_it_stands() {
        for scale in [1.0, 3.7] {
            let parts = Arena { detail: 0.05, scale, ..Arena::default() }.parts().unwrap();
            let crossing: Vec<String> = parts
                .into_par_iter()
                .filter(|part| !self_intersections(&part.mesh.to_tri_mesh()).is_empty())
                .map(|part| part.name)
                .collect();
            assert!(crossing.is_empty(), "{} parts at scale {scale}: {crossing:?}", crossing.len());
        }
    }

    #[track_caller]
    fn assert_convex(part: &ArenaPart, mesh: &TriMesh) {
        let size = (mesh.aabb().max - mesh.aabb().min).length();
        for [a, b, c] in mesh.iter_corners() {
            let normal = (b - a).cross(c - a).normalize();
            assert!(mesh.positions.iter().all(|p| normal.dot(*p - a) < 1e-6 * size), "{} is not convex", part.name);
        }
    }

    #[test]
    fn size_goes_with_detail_and_threads_change_nothing() {
        let size = |detail: f64| {
            let parts = Arena { detail, ..Arena::default() }.parts().unwrap();
            let vertices: usize = parts.iter().map(|part| part.mesh.positions.len()).sum();
            let faces: usize = parts.iter().map(|part| part.mesh.face_count()).sum();
            (vertices, faces)
        };
        let (small, middle) = (size(0.02), size(0.1));
        assert!(small.0 < middle.0 && middle.0 < 250_000, "{small:?} {middle:?}");
        assert!(middle.1 > 30_000);
        assert_same_for_any_thread_count(|| Arena { detail: 0.02, scale: 0.1, ..Arena::default() }.parts().unwrap());
        assert!(Arena { detail: 0.0, ..Arena::default() }.parts().is_err());
        assert!(Arena { detail: f64::NAN, ..Arena::default() }.parts().is_err());
        assert!(Arena { scale: -1.0, ..Arena::default() }.parts().is_err());
    }
}
