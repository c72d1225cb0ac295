//! Damaged files: every reader returns, and what it returns is a mesh.
//!
//! The same is fuzzed at length in `fuzz/`; this runs on every test, on seeded damage to valid files.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod io_samples;

use fracas::geometry::io::{TetFormat, TriFormat, read_tet_mesh_bytes, read_tetgen_bytes, read_tri_mesh_bytes};
use fracas::random::Random;
use io_samples::{
    ascii_msh, ascii_msh_22, ascii_stl, big_endian_ply, binary_msh, gltf, octahedron, tet_cube, tetgen, vtk,
};

const VARIANTS: u64 = 4000;

/// A random number below an end.
fn below(random: &mut Random, end: usize) -> usize {
    (random.next_u64() % end.max(1) as u64) as usize
}

/// Flips, cuts, doubles, removes and plants bytes at random places.
fn damage(file: &[u8], seed: u64) -> Vec<u8> {
    const PLANTS: [&[u8]; 12] = [
        b"4000000000",
        b"-1",
        b"nan",
        b"1e999",
        b"\n",
        b" ",
        b"\0\0\0\0",
        b"\xff\xff\xff\xff",
        b"\xff\xff\xff\x7f",
        b"/",
        b"99999999999999999999",
        b"\\\n",
    ];
    let mut random = Random::new(seed);
    let mut bytes = file.to_vec();
    for _ in 0..1 + below(&mut random, 3) {
        let (at, other) = (below(&mut random, bytes.len()), below(&mut random, bytes.len()));
        let (low, high) = (at.min(other), at.max(other));
        match below(&mut random, 7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << below(&mut random, 8),
            1 if !bytes.is_empty() => bytes[at] = random.next_u64() as u8,
            2 => bytes.truncate(at),
            3 => {
                bytes.splice(high..high, file[low.min(file.len())..high.min(file.len())].iter().copied()).for_each(drop)
            }
            4 => bytes.drain(low..high.min(low + 40)).for_each(drop),
            5 => {
                let plant = PLANTS[below(&mut random, PLANTS.len())];
                bytes.splice(at..(at + plant.len()).min(bytes.len()), plant.iter().copied()).for_each(drop);
            }
            _ => bytes.splice(at..at, PLANTS[below(&mut random, PLANTS.len())].iter().copied()).for_each(drop),
        }
    }
    bytes
}

/// Runs a reader on all variants; how many still gave a mesh shows that the damage reaches beyond the first bytes.
fn survive(name: &str, file: &[u8], read: impl Fn(&[u8]) -> bool) {
    assert!(read(file), "{name}: the file itself");
    let meshes = (0..VARIANTS).filter(|&seed| read(&damage(file, seed))).count();
    assert!(meshes > 20 && meshes < VARIANTS as usize, "{name}: {meshes} of {VARIANTS} variants gave a mesh");
}

fn tri(format: TriFormat) -> impl Fn(&[u8]) -> bool {
    move |bytes| match read_tri_mesh_bytes(format, bytes, "file") {
        Ok(mesh) => {
            mesh.check().unwrap();
            assert!(!mesh.triangles.is_empty());
            true
        }
        Err(error) => {
            assert!(error.to_string().starts_with("file"), "{error}");
            false
        }
    }
}

fn tet(format: TetFormat) -> impl Fn(&[u8]) -> bool {
    move |bytes| match read_tet_mesh_bytes(format, bytes, "file") {
        Ok(mesh) => {
            mesh.check().unwrap();
            assert!(!mesh.tets.is_empty());
            true
        }
        Err(_) => false,
    }
}

#[test]
fn damaged_obj() {
    survive("plain", &io_samples::bytes(TriFormat::Obj, &octahedron(), false), tri(TriFormat::Obj));
    let corners = b"v 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 1\nvn 0 0 1\nusemtl a\nf 1/1/1 -3/-1/-1 3//1 \\\n 4 2 1\n#x\nf 1 2 3\n";
    survive("corners", corners, tri(TriFormat::Obj));
}

#[test]
fn damaged_ply() {
    let mesh = octahedron();
    survive("ascii", &io_samples::bytes(TriFormat::Ply, &mesh, true), tri(TriFormat::Ply));
    survive("little", &io_samples::bytes(TriFormat::Ply, &mesh, false), tri(TriFormat::Ply));
    survive("big", &big_endian_ply(&mesh), tri(TriFormat::Ply));
}

#[test]
fn damaged_stl_and_off() {
    let mesh = octahedron();
    survive("binary", &io_samples::bytes(TriFormat::Stl, &mesh, false), tri(TriFormat::Stl));
    survive("ascii", &ascii_stl(&mesh), tri(TriFormat::Stl));
    survive("off", &io_samples::bytes(TriFormat::Off, &mesh, false), tri(TriFormat::Off));
}

#[test]
fn damaged_gltf() {
    survive("gltf", &gltf(), tri(TriFormat::Gltf));
    survive("glb", &io_samples::bytes(TriFormat::Gltf, &octahedron(), false), tri(TriFormat::Gltf));
}

#[test]
fn damaged_tetrahedra() {
    let mesh = tet_cube();
    survive("msh", &ascii_msh(&mesh), tet(TetFormat::Msh));
    survive("msh 2.2", &ascii_msh_22(&mesh), tet(TetFormat::Msh));
    survive("msh binary", &binary_msh(&mesh, false), tet(TetFormat::Msh));
    survive("msh big", &binary_msh(&mesh, true), tet(TetFormat::Msh));
    for (binary, version_5) in [(false, false), (true, false), (false, true), (true, true)] {
        survive("vtk", &vtk(&mesh, binary, version_5), tet(TetFormat::Vtk));
    }
    let [node, ele] = tetgen(&mesh, 1);
    let read = |node: &[u8], ele: &[u8]| {
        read_tetgen_bytes(node, ele, ["a.node", "a.ele"]).is_ok_and(|mesh| mesh.check().is_ok())
    };
    survive("node", &node, |node| read(node, &ele));
    survive("ele", &ele, |ele| read(&node, ele));
}
