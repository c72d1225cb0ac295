use std::f64::consts::PI;

use glam::{DQuat, DVec3, UVec3};

use super::elasticity::Element;
use super::graph::Graph;
use super::stiffness::Stiffness;
use super::test_blocks::{bar, block, without};
use super::{Elasticity, ModalError, Modes};
use crate::geometry::TetMesh;

const MATERIAL: Elasticity = Elasticity { young: 6e10, poisson: 0.22, density: 2300.0 };

/// Lumped masses, straight from the definition.
fn masses(mesh: &TetMesh) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    for (tet, corners) in mesh.tets.iter().enumerate() {
        corners.iter().for_each(|&node| masses[node as usize] += 0.25 * MATERIAL.density * mesh.tet_volume(tet));
    }
    masses
}

fn dot(masses: &[f64], a: &[DVec3], b: &[DVec3]) -> f64 {
    masses.iter().zip(a).zip(b).map(|((mass, a), b)| mass * a.dot(*b)).sum()
}

#[test]
fn modes_are_orthonormal_in_mass_and_satisfy_their_equation() {
    let mesh = block(UVec3::new(6, 5, 4), DVec3::new(0.1, 0.07, 0.05));
    let modes = Modes::of(&mesh, &MATERIAL, 20).unwrap();
    let masses = masses(&mesh);
    assert_eq!(modes.len(), 20);
    assert!(modes.frequencies().is_sorted() && modes.frequencies()[0] > 1e4);
    let (elements, graph) = (Element::all(&mesh).unwrap(), Graph::of(&mesh));
    let stiffness = Stiffness::of(&mesh, &elements, &MATERIAL, &graph);
    for a in 0..20 {
        for b in 0..20 {
            let expected = if a == b { 1.0 } else { 0.0 };
            assert!((dot(&masses, modes.shape(a), modes.shape(b)) - expected).abs() < 1e-9);
        }
        let (shape, square) = (modes.shape(a), modes.frequencies()[a].powi(2));
        let largest = (0..masses.len()).map(|n| (square * masses[n] * shape[n]).length()).fold(0.0, f64::max);
        for node in 0..masses.len() {
            let left = stiffness.force(shape, node as u32) - square * masses[node] * shape[node];
            assert!(left.length() < 1e-5 * largest, "mode {a} node {node}: {}", left.length() / largest);
        }
    }
}

#[test]
fn rigid_motions_are_not_among_the_modes() {
    let mesh = block(UVec3::new(4, 3, 3), DVec3::new(0.1, 0.08, 0.05));
    let modes = Modes::of(&mesh, &MATERIAL, 12).unwrap();
    let masses = masses(&mesh);
    for mode in 0..modes.len() {
        for axis in DVec3::AXES {
            let moved = vec![axis; masses.len()];
            let turned: Vec<DVec3> = mesh.positions.iter().map(|position| axis.cross(*position)).collect();
            for rigid in [moved, turned] {
                let length = dot(&masses, &rigid, &rigid).sqrt();
                assert!(dot(&masses, modes.shape(mode), &rigid).abs() < 1e-9 * length);
            }
        }
    }
}

#[test]
fn all_modes_of_a_small_mesh_are_those_of_the_dense_matrix() {
    let mesh = block(UVec3::new(2, 1, 1), DVec3::new(0.1, 0.06, 0.05));
    let modes = Modes::of(&mesh, &MATERIAL, 1000).unwrap();
    let (elements, graph, masses) = (Element::all(&mesh).unwrap(), Graph::of(&mesh), masses(&mesh));
    let stiffness = Stiffness::of(&mesh, &elements, &MATERIAL, &graph);
    let size = 3 * masses.len();
    assert_eq!(modes.len(), size - 6);
    let mut dense = faer::Mat::<f64>::zeros(size, size);
    for column in 0..size {
        let mut unit = vec![DVec3::ZERO; masses.len()];
        unit[column / 3][column % 3] = 1.0 / masses[column / 3].sqrt();
        for row in 0..size {
            dense[(row, column)] = stiffness.force(&unit, (row / 3) as u32)[row % 3] / masses[row / 3].sqrt();
        }
    }
    let values = dense.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
    for (found, expected) in modes.frequencies().iter().zip(&values[6..]) {
        assert!((found * found - expected).abs() < 1e-9 * expected, "{found} {expected}");
    }
}

#[test]
fn a_bar_swings_along_its_axis_as_the_closed_form_says() {
    let mesh = bar();
    let (length, speed) = (0.24, (MATERIAL.young / MATERIAL.density).sqrt());
    let modes = Modes::of(&mesh, &MATERIAL, 24).unwrap();
    // The modes whose motion is mostly along the axis.
    let masses = masses(&mesh);
    let axial: Vec<f64> = (0..24)
        .filter(|&mode| {
            let along: Vec<DVec3> = modes.shape(mode).iter().map(|u| DVec3::X * u.x).collect();
            let across = dot(&masses, modes.shape(mode), modes.shape(mode)) - dot(&masses, &along, &along);
            across < 0.2
        })
        .map(|mode| modes.frequencies()[mode])
        .collect();
    for (n, found) in axial.iter().enumerate().take(2) {
        let expected = PI * (n + 1) as f64 / length * speed;
        assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    }
    assert!(axial.len() >= 2);
}

#[test]
fn a_slender_bar_bends_as_euler_and_bernoulli_say() {
    // Linear tetrahedra are too stiff in bending; the error goes with the square of the cells' size.
    let bend = |cells: UVec3| {
        let (length, thick) = (0.24, 0.012);
        let modes = Modes::of(&block(cells, DVec3::new(length, thick, thick)), &MATERIAL, 2).unwrap();
        let expected =
            4.730_041f64.powi(2) * (MATERIAL.young * thick * thick / (12.0 * MATERIAL.density)).sqrt() / length.powi(2);
        modes.frequencies()[0] / expected
    };
    let (coarse, fine) = (bend(UVec3::new(40, 2, 2)), bend(UVec3::new(80, 4, 4)));
    assert!(coarse > fine && fine > 0.97 && fine < 1.2, "{coarse} {fine}");
    // Extrapolated to cells of no size; shear and turning make a bar of this thickness a percent slower.
    assert!(((4.0 * fine - coarse) / 3.0 - 0.99).abs() < 0.02, "{coarse} {fine}");
}

#[test]
fn frequencies_do_not_change_when_the_body_is_turned_and_moved() {
    let mesh = block(UVec3::new(5, 4, 3), DVec3::new(0.1, 0.07, 0.05));
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
    let moved: Vec<DVec3> =
        mesh.positions.iter().map(|&position| turn * position + DVec3::new(3.0, -2.0, 1.0)).collect();
    let turned = TetMesh { positions: moved, tets: mesh.tets.clone() };
    let [a, b] = [&mesh, &turned].map(|mesh| Modes::of(mesh, &MATERIAL, 10).unwrap());
    for mode in 0..10 {
        assert!((a.frequencies()[mode] / b.frequencies()[mode] - 1.0).abs() < 1e-9);
        // The same shape, up to the sign, whose rule goes by coordinates.
        let back: Vec<DVec3> = b.shape(mode).iter().map(|&u| turn.inverse() * u).collect();
        assert!((dot(&masses(&mesh), a.shape(mode), &back).abs() - 1.0).abs() < 1e-7, "mode {mode}");
    }
}

#[test]
fn two_parts_swing_each_by_itself() {
    let one = block(UVec3::new(4, 3, 3), DVec3::new(0.1, 0.07, 0.06));
    let nodes = one.positions.len() as u32;
    let mut two = one.clone();
    two.positions.extend(one.positions.iter().map(|&position| position + DVec3::X));
    two.tets.extend(one.tets.iter().map(|tet| tet.map(|node| node + nodes)));
    let single = Modes::of(&one, &MATERIAL, 5).unwrap();
    let both = Modes::of(&two, &MATERIAL, 10).unwrap();
    for (k, found) in both.frequencies().iter().enumerate() {
        assert!((found / single.frequencies()[k / 2] - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_hinge_is_not_a_mode() {
    // Two blocks that share an edge of the mesh turn about it freely.
    let four = block(UVec3::new(2, 1, 2), DVec3::new(2.0, 1.0, 2.0));
    let mesh = without(&four, |middle| middle.x * middle.z < 0.0);
    let modes = Modes::of(&mesh, &MATERIAL, 5).unwrap();
    assert_eq!(modes.len(), 4);
    assert!(modes.frequencies()[0] > 100.0);
}

#[test]
fn modes_are_the_same_to_the_bit_whatever_stands_in_memory_and_however_many_threads_there_are() {
    let mesh = block(UVec3::new(6, 6, 6), DVec3::splat(0.1));
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let _shift = vec![0u8; 1 + 1000 * threads + threads];
            let modes = Modes::of(&mesh, &MATERIAL, 12).unwrap();
            (0..12)
                .flat_map(|m| modes.shape(m).to_vec())
                .flat_map(|u| u.to_array())
                .map(f64::to_bits)
                .collect::<Vec<u64>>()
        })
    };
    let first = bits(1);
    assert!((2..6).all(|threads| bits(threads) == first));
}

#[test]
fn bad_input_is_told() {
    let good = block(UVec3::ONE, DVec3::ONE);
    let told = |mesh: &TetMesh, material: Elasticity, count: usize| match Modes::of(mesh, &material, count) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("no error"),
    };
    for material in [
        Elasticity { young: 0.0, ..MATERIAL },
        Elasticity { young: f64::NAN, ..MATERIAL },
        Elasticity { density: f64::INFINITY, ..MATERIAL },
        Elasticity { poisson: 0.5, ..MATERIAL },
    ] {
        assert!(told(&good, material, 3).starts_with("elasticity: "));
    }
    assert!(told(&good, MATERIAL, 0).contains("expected a count from 1 to 1000"));
    assert!(told(&TetMesh::default(), MATERIAL, 3).contains("no tetrahedra"));
    let mut spare = good.clone();
    spare.positions.push(DVec3::ONE);
    assert!(told(&spare, MATERIAL, 3).contains("vertex 8 is in no tetrahedron"));
    let mut inside_out = good.clone();
    inside_out.tets[2].swap(0, 1);
    assert!(told(&inside_out, MATERIAL, 3).contains("tetrahedron 2 has a volume of -"));
    let mut outside = good.clone();
    outside.tets[1][3] = 99;
    assert!(matches!(Modes::of(&outside, &MATERIAL, 3), Err(ModalError::Mesh(_))));
    let mut many = TetMesh::default();
    for k in 0..100 {
        many.positions.extend(good.positions.iter().map(|&position| position + DVec3::X * f64::from(3 * k)));
        many.tets.extend(good.tets.iter().map(|tet| tet.map(|node| node + 8 * k)));
    }
    assert!(told(&many, MATERIAL, 3).contains("falls into 100 parts"));
}
