//! What is written comes back: random meshes through every format, compared with all that the format can hold.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

use fracas::geometry::TriMesh;
use fracas::geometry::io::{TriFormat, WriteOptions, read_tri_mesh_bytes, tri_mesh_to_bytes};
use glam::{DVec3, Vec2, Vec3};
use proptest::collection::vec;
use proptest::num::{f32, f64};
use proptest::prelude::*;

/// Any finite double, down to the denormal ones.
fn double() -> BoxedStrategy<f64> {
    prop_oneof![f64::NORMAL | f64::SUBNORMAL | f64::ZERO, -10.0..10.0].boxed()
}

fn single() -> impl Strategy<Value = f32> {
    prop_oneof![f32::NORMAL | f32::SUBNORMAL | f32::ZERO, -10.0_f32..10.0]
}

fn unit() -> impl Strategy<Value = Vec3> {
    (-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0)
        .prop_map(|(x, y, z)| Vec3::new(x, y, z).try_normalize().unwrap_or(Vec3::Z))
}

/// A mesh whose vertices are all used, with any of the attributes.
fn mesh(coordinate: BoxedStrategy<f64>) -> impl Strategy<Value = TriMesh> {
    (1_usize..40).prop_flat_map(move |triangles| {
        let vertices = 3 * triangles;
        let point = [coordinate.clone(), coordinate.clone(), coordinate.clone()].prop_map(DVec3::from_array);
        let corners = Just((0..vertices as u32).collect::<Vec<_>>()).prop_shuffle();
        (
            vec(point, vertices),
            (corners, vec(any::<prop::sample::Index>(), 3 * triangles)),
            prop::option::of(vec(unit(), vertices)),
            prop::option::of(vec((single(), single()).prop_map(|(u, v)| Vec2::new(u, v)), vertices)),
            prop::option::of(vec(any::<[u8; 4]>(), vertices)),
            prop::option::of(vec(prop_oneof![0_u32..4, any::<u32>()], triangles)),
        )
            .prop_map(|(positions, (corners, extra), normals, uvs, colors, materials)| {
                // Every vertex once, then more triangles over any of them.
                let mut all = corners;
                all.extend(extra.iter().map(|index| index.index(positions.len()) as u32));
                let all_triangles: Vec<[u32; 3]> = all.as_chunks::<3>().0.to_vec();
                let materials = materials.map(|mut list| {
                    list.resize(all_triangles.len(), 2);
                    list
                });
                TriMesh { positions, triangles: all_triangles, normals, uvs, colors, materials }
            })
    })
}

fn through(format: TriFormat, mesh: &TriMesh, ascii: bool) -> TriMesh {
    let bytes = tri_mesh_to_bytes(format, mesh, &WriteOptions { ascii }, "mesh").unwrap();
    read_tri_mesh_bytes(format, &bytes, "mesh").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn obj_keeps_everything(mesh in mesh(double())) {
        prop_assert_eq!(through(TriFormat::Obj, &mesh, false), mesh);
    }

    #[test]
    fn ply_keeps_everything(mesh in mesh(double()), ascii: bool) {
        prop_assert_eq!(through(TriFormat::Ply, &mesh, ascii), mesh);
    }

    #[test]
    fn off_keeps_all_but_materials(mut mesh in mesh(double())) {
        let read = through(TriFormat::Off, &mesh, false);
        mesh.materials = None;
        prop_assert_eq!(read, mesh);
    }

    #[test]
    fn stl_keeps_the_corners_in_single_precision(mesh in mesh(single().prop_map(f64::from).boxed())) {
        let read = through(TriFormat::Stl, &mesh, false);
        let corners = |mesh: &TriMesh| mesh.iter_corners().collect::<Vec<_>>();
        prop_assert_eq!(corners(&read), corners(&mesh));
    }

    #[test]
    fn glb_keeps_everything_in_single_precision(mut mesh in mesh(single().prop_map(f64::from).boxed())) {
        let read = through(TriFormat::Gltf, &mesh, false);
        // Triangles are sorted by material, and in their order within each.
        if let Some(materials) = &mut mesh.materials {
            let mut order: Vec<usize> = (0..materials.len()).collect();
            order.sort_by_key(|&triangle| materials[triangle]);
            mesh.triangles = order.iter().map(|&triangle| mesh.triangles[triangle]).collect();
            materials.sort_unstable();
        }
        prop_assert_eq!(read, mesh);
    }

    #[test]
    fn glb_is_valid_to_another_reader(mesh in mesh(single().prop_map(f64::from).boxed())) {
        let bytes = tri_mesh_to_bytes(TriFormat::Gltf, &mesh, &WriteOptions::default(), "mesh").unwrap();
        let document = gltf::Gltf::from_slice(&bytes).unwrap();
        let blob = document.blob.as_deref().unwrap();
        for primitive in document.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
            let reader = primitive.reader(|_| Some(blob));
            let positions: Vec<DVec3> = reader.read_positions().unwrap().map(|point| Vec3::from_array(point).as_dvec3()).collect();
            prop_assert_eq!(&positions, &mesh.positions);
            prop_assert_eq!(reader.read_normals().is_some(), mesh.normals.is_some());
            prop_assert_eq!(reader.read_colors(0).is_some(), mesh.colors.is_some());
        }
    }
}
