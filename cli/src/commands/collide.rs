//! `fracas collide`

use std::path::Path;
use std::time::Instant;

use fracas::contact::Contact;
use fracas::device::SharedBackend;
use fracas::fragment::{Fragment, QueryOptions, QueryScratch, Solid, SolidOptions};
use fracas::geometry::Pose;
use fracas::raytrace::{DetectionMethod, Detector, Surface};
use fracas::svo::{
    CollideOptions, Encounter, Intersection, Lattice, MOST_RATIO, Placed, Tree, VoxeliseOptions, mass_properties,
};
use serde::Serialize;

use super::run::thread_pool;
use crate::arguments::{CollideArguments, CollideMethod};
use crate::backend;
use crate::failure::Failure;
use crate::output::{check_folder, print, write_json};
use crate::solid::{read_mesh, read_tetrahedra};

#[derive(Serialize)]
struct Outcome {
    contacts: Vec<ContactFigures>,
    /// What both solids have in common.
    intersection_volume: Option<f64>,
    /// Points of one surface in the other solid, before they are put together.
    colliding_points: u32,
    /// For the contacts alone, without reading and preparing the meshes.
    milliseconds: f64,
}

/// Where, which way the first solid has to go, and how far.
#[derive(Serialize)]
struct ContactFigures {
    point: [f64; 3],
    normal: [f64; 3],
    depth: f64,
}

impl ContactFigures {
    fn of(contact: &Contact) -> ContactFigures {
        let Contact { point, normal, depth, .. } = contact;
        ContactFigures { point: point.to_array(), normal: normal.to_array(), depth: *depth }
    }
}

pub(crate) fn collide(arguments: &CollideArguments, quiet: bool) -> Result<(), Failure> {
    check_folder(arguments.json.as_deref())?;
    let outcome = thread_pool(arguments.threads)?.install(|| match arguments.method {
        CollideMethod::Svo => of_voxels(arguments),
        CollideMethod::Sdf => of_fields(arguments),
        CollideMethod::Ray => of_rays(arguments),
        CollideMethod::Convex => {
            Err(Failure::Input("this build has no method convex for contacts; there are: svo, sdf, ray".into()))
        }
    })?;
    if let Some(path) = &arguments.json {
        write_json(path, &outcome)?;
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print(describe(&outcome).as_bytes())?;
    }
    Ok(())
}

fn of_voxels(arguments: &CollideArguments) -> Result<Outcome, Failure> {
    let backend = backend::open_any(arguments.backend)?;
    let first = octree(&arguments.first, arguments, &backend)?;
    let second = octree(&arguments.second, arguments, &backend)?;
    let [fine, coarse] = [first.0.voxel.min(second.0.voxel), first.0.voxel.max(second.0.voxel)];
    if coarse > MOST_RATIO * fine {
        let [small, large] = match first.0.voxel < second.0.voxel {
            true => [&arguments.first, &arguments.second],
            false => [&arguments.second, &arguments.first],
        };
        let (small, large) = (small.display(), large.display());
        return Err(Failure::Input(format!(
            "{small} is {:.0} times smaller than {large}, less than a speck in a voxel of it; scale one of them",
            coarse / fine
        )));
    }
    let clock = Instant::now();
    let [one, other] = [&first, &second].map(|(lattice, tree)| Placed { tree, lattice, pose: Pose::IDENTITY });
    let options = CollideOptions { level: arguments.level, ..CollideOptions::default() };
    let pair = Encounter { first: one, second: other, options };
    let found: Intersection = backend.intersect(&[pair]).map_err(Failure::input)?.pop().unwrap_or_default();
    let milliseconds = 1e3 * clock.elapsed().as_secs_f64();
    Ok(Outcome {
        contacts: found.contacts().iter().map(ContactFigures::of).collect(),
        // Among voxels as large as a solid, columns cannot tell how much of them it fills.
        intersection_volume: Some(found.volume.min(volume(&first)).min(volume(&second))),
        colliding_points: found.points,
        milliseconds,
    })
}

/// Points of each solid in the distance field of the other.
fn of_fields(arguments: &CollideArguments) -> Result<Outcome, Failure> {
    let fragment = |path: &Path| -> Result<Fragment, Failure> {
        let tets = read_tetrahedra(path, arguments.cells, false)?.mesh;
        let solid = Solid::new(&tets, &SolidOptions::default()).map_err(Failure::input);
        Ok(Fragment::whole(&solid.map_err(|failure| failure.about(path))?))
    };
    let (first, second) = (fragment(&arguments.first)?, fragment(&arguments.second)?);
    let clock = Instant::now();
    let options = QueryOptions::for_radius(first.solid().radius().min(second.solid().radius()));
    let options = if arguments.all { options.full() } else { options };
    let mut contacts = Vec::new();
    first.contacts(&second, &Pose::IDENTITY, options, &mut QueryScratch::default(), &mut contacts);
    let milliseconds = 1e3 * clock.elapsed().as_secs_f64();
    Ok(Outcome {
        contacts: contacts.iter().map(ContactFigures::of).collect(),
        intersection_volume: None,
        colliding_points: contacts.iter().filter(|contact| contact.depth >= 0.0).count() as u32,
        milliseconds,
    })
}

/// Vertices and edges of each surface in the other solid, and the points that rays lead them out to.
fn of_rays(arguments: &CollideArguments) -> Result<Outcome, Failure> {
    let surface = |path: &Path| -> Result<Surface, Failure> {
        let (mesh, _) = read_mesh(path, false)?;
        Surface::new(&mesh).map_err(Failure::input).map_err(|failure| failure.about(path))
    };
    let mut surfaces = [surface(&arguments.first)?, surface(&arguments.second)?];
    let mut detector = Detector::default();
    let clock = Instant::now();
    detector.detect(&mut surfaces, &DetectionMethod::default());
    let milliseconds = 1e3 * clock.elapsed().as_secs_f64();
    let contacts: Vec<Contact> = detector
        .matches()
        .iter()
        .map(|found| {
            let contact = found.contact();
            // What a contact says, it says of the first of the two.
            if found.bodies[0] == 0 { contact } else { Contact { normal: -contact.normal, ..contact } }
        })
        .collect();
    Ok(Outcome {
        contacts: contacts.iter().map(ContactFigures::of).collect(),
        intersection_volume: None,
        colliding_points: contacts.len() as u32,
        milliseconds,
    })
}

fn volume((lattice, tree): &(Lattice, Tree)) -> f64 {
    mass_properties(tree, lattice).volume
}

fn octree(path: &Path, arguments: &CollideArguments, backend: &SharedBackend) -> Result<(Lattice, Tree), Failure> {
    let (mesh, _) = read_mesh(path, false)?;
    let options = VoxeliseOptions { level: arguments.level, ..VoxeliseOptions::default() };
    backend.voxelise(&mesh, &options).map_err(Failure::input).map_err(|failure| failure.about(path))
}

fn describe(outcome: &Outcome) -> String {
    let Outcome { contacts, intersection_volume, milliseconds, .. } = outcome;
    if contacts.is_empty() {
        return format!("no contacts\n{milliseconds:.2} ms\n");
    }
    let deepest = contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max);
    let volume = intersection_volume.map_or(String::new(), |volume| format!(", {volume:.6} of volume in common"));
    format!("{} contacts, {deepest:.6} deep at most{volume}\n{milliseconds:.2} ms\n", contacts.len())
}
