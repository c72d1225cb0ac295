use glam::{DMat3, DVec3, UVec3};

use super::test_blocks::{bar, block};
use super::{Blow, Elasticity, ModalModel, ModalOptions, SymmetricTensor};

#[test]
fn a_linear_displacement_has_the_stress_of_the_closed_form() {
    let mesh = block(UVec3::new(3, 2, 2), DVec3::new(0.3, 0.2, 0.1));
    let model = ModalModel::new(&mesh, &ModalOptions { modes: 1, ..ModalOptions::default() }).unwrap();
    let gradient =
        1e-5 * DMat3::from_cols(DVec3::new(3.0, -1.0, 2.0), DVec3::new(0.5, -2.0, 1.0), DVec3::new(4.0, 0.0, 1.0));
    let displacements: Vec<DVec3> = mesh.positions.iter().map(|&position| gradient * position + DVec3::Y).collect();
    let strain = SymmetricTensor::of(gradient);
    let Elasticity { young, poisson, .. } = Elasticity::default();
    // Hooke's law the other way round.
    let compliant = |stress: SymmetricTensor| {
        let pressure = SymmetricTensor { diagonal: DVec3::splat(stress.trace()), off_diagonal: DVec3::ZERO };
        stress.scaled((1.0 + poisson) / young).plus(-poisson / young, pressure)
    };
    for tet in 0..mesh.tets.len() {
        let left = compliant(model.tet_stress(tet, &displacements)).plus(-1.0, strain);
        assert!(left.norm_squared().sqrt() < 1e-12);
    }
}

#[test]
fn a_bar_that_is_pulled_slowly_at_one_end_is_tensed_in_proportion_to_what_it_pulls_along() {
    let model = ModalModel::new(&bar(), &ModalOptions { modes: 60, ..ModalOptions::default() }).unwrap();
    let duration = 200.0 * 2.0 * std::f64::consts::PI / model.modes().frequencies()[0];
    let blow =
        Blow { point: DVec3::new(0.12, 0.0, 0.0), impulse: DVec3::X, radius: Some(0.02), duration: Some(duration) };
    let response = model.response(None, &blow).unwrap();
    let pulse = std::f64::consts::PI / duration;
    let force = 0.5 * pulse * (pulse * response.time).sin();
    // The mean over a piece of the bar: single nodes swing about it, because the sum of the modes ends.
    let mean = |from: f64, to: f64| {
        let nodes = model.positions.iter().zip(&response.stress).filter(|(at, _)| at.x > from && at.x < to);
        let stresses: Vec<f64> = nodes.map(|(_, stress)| stress.diagonal.x).collect();
        stresses.iter().sum::<f64>() / stresses.len() as f64
    };
    for from in [-0.081, -0.051, -0.021] {
        let expected = force / (0.02 * 0.02) * (from + 0.021 + 0.12) / 0.24;
        assert!((mean(from, from + 0.042) / expected - 1.0).abs() < 0.07, "{} {expected}", mean(from, from + 0.042));
    }
}

#[test]
fn stress_is_proportional_to_the_impulse_and_opposite_for_an_opposite_one() {
    let model = ModalModel::new(&bar(), &ModalOptions::default()).unwrap();
    let blow = Blow { duration: Some(1e-4), ..Blow::new(DVec3::new(0.0, 0.01, 0.0), -0.3 * DVec3::Y) };
    let body = model.body(None).unwrap();
    let once = model.response_of(&body, &blow).unwrap();
    let twice = model.response_of(&body, &Blow { impulse: 2.0 * blow.impulse, ..blow }).unwrap();
    assert_eq!(once.time, twice.time);
    for (a, b) in once.stress.iter().zip(&twice.stress) {
        assert!((a.scaled(2.0).plus(-1.0, *b)).norm_squared() <= 1e-20 * b.norm_squared());
    }
    assert!((twice.energy / once.energy - 4.0).abs() < 1e-9);
    // Hit from above, the bar is pulled below; the ends swing on.
    let tension = |y: f64| {
        let near = |at: &DVec3| at.x.abs() < 0.02 && (at.y - y).abs() < 1e-9;
        let nodes = model.positions.iter().zip(&once.stress).filter(|(at, _)| near(at));
        nodes.map(|(_, stress)| stress.diagonal.x).fold(f64::NEG_INFINITY, f64::max)
    };
    assert!(tension(-0.01) > 0.0 && tension(0.01) < tension(-0.01));
}

#[test]
fn a_fragment_is_stressed_less_than_the_whole_and_nothing_else_is() {
    let model = ModalModel::new(&bar(), &ModalOptions::default()).unwrap();
    let half: Vec<u32> = (0..model.positions.len() as u32).filter(|&n| model.positions[n as usize].x < 0.0).collect();
    let blow = Blow::new(DVec3::new(-0.06, 0.01, 0.0), -DVec3::Y);
    let part = model.response(Some(&half), &blow).unwrap();
    let whole = model.response(None, &blow).unwrap();
    assert!(part.energy < whole.energy);
    assert!((0..part.stress.len()).all(|n| half.contains(&(n as u32)) || part.stress[n] == SymmetricTensor::default()));
    assert!(part.stress[half[20] as usize] != SymmetricTensor::default());
}

#[test]
fn what_cannot_be_used_has_no_response() {
    let model = ModalModel::new(&block(UVec3::splat(2), DVec3::ONE), &ModalOptions::default()).unwrap();
    let good = Blow::new(DVec3::ZERO, DVec3::X);
    assert!(model.response(None, &good).is_some());
    assert!(model.response(Some(&[]), &good).is_none());
    assert!(model.response(Some(&[3, 27]), &good).is_none());
    for bad in [DVec3::ZERO, DVec3::splat(f64::NAN), DVec3::splat(f64::INFINITY)] {
        assert!(model.response(None, &Blow { impulse: bad, ..good }).is_none());
    }
    // Blows from tiny to huge give numbers.
    for power in [-150, -30, 30, 90] {
        let response = model.response(None, &Blow { impulse: DVec3::X * 10f64.powi(power), ..good });
        assert!(response.is_none_or(|response| response.stress.iter().all(|stress| stress.norm_squared().is_finite())));
    }
}
