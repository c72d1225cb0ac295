//! Kernels that rustc compiled, against the same computation on the host. Their source is `ptx/kernels.rs`.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::Machine;
use fracas_emulator::{Argument, Dimensions, FaultKind, Options};

fn machine() -> Machine {
    Machine::new(include_str!("ptx/kernels.ptx"))
}

#[test]
fn saxpy_of_a_count_that_is_no_multiple_of_a_block() {
    let machine = machine();
    let x: Vec<f32> = (0..1234).map(|index| index as f32 * 0.25).collect();
    let y: Vec<f32> = (0..1234).map(|index| 1.0 / (index + 1) as f32).collect();
    let (device_x, device_y) = (machine.buffer(&x), machine.buffer(&y));
    let arguments = [1.5_f32.into(), device_x.into(), device_y.into(), 1234_u32.into()];
    machine.run("saxpy", 10, 128, &arguments);
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.5 * x + y).collect();
    assert_eq!(machine.read::<f32>(device_y, 1234), expected);
}

#[test]
fn a_failed_check_of_bounds_traps() {
    let machine = machine();
    let values = machine.buffer(&[0_u32; 100]);
    let good = [values.into(), 100_u32.into(), 100_u32.into()];
    machine.run("checked", 4, 32, &good);
    assert_eq!(machine.read::<u32>(values, 100), (0..100).collect::<Vec<_>>());
    let bad = [values.into(), 100_u32.into(), 101_u32.into()];
    let fault = machine.launch("checked", Dimensions::linear(4, 32), &bad, &Options::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Trap);
    assert_eq!(fault.thread.unwrap().block, [3, 0, 0]);
    assert_eq!(fault.thread.unwrap().thread, [4, 0, 0]);
}

#[test]
fn a_histogram_with_atomics() {
    let machine = machine();
    let values: Vec<u8> = (0..5000_u32).map(|index| ((index * index) >> 3) as u8).collect();
    let bins = machine.buffer(&[0_u32; 256]);
    let device_values = machine.buffer(&values);
    let profile = machine.run("histogram", 4, 96, &[device_values.into(), 5000_u32.into(), bins.into()]);
    let mut expected = [0_u32; 256];
    values.iter().for_each(|value| expected[usize::from(*value)] += 1);
    assert_eq!(machine.read::<u32>(bins, 256), expected);
    assert_eq!(profile.atomic_lanes, 5000);
}

#[test]
fn sums_of_blocks_in_shared_memory_in_any_order() {
    let machine = machine();
    let values: Vec<u32> = (0..1000).map(|index| index * 7 + 1).collect();
    let expected: Vec<u32> = values.chunks(256).map(|chunk| chunk.iter().sum()).collect();
    for shuffle in [None, Some(1), Some(2), Some(3)] {
        let (device_values, sums) = (machine.buffer(&values), machine.fresh(16));
        let options = Options { races: true, shuffle, turn: 7, ..Options::default() };
        let arguments = [device_values.into(), 1000_u32.into(), sums.into()];
        let profile = machine.launch("block_sums", Dimensions::linear(4, 256), &arguments, &options).unwrap();
        assert_eq!(machine.read::<u32>(sums, 4), expected);
        assert_eq!(profile.barriers, 4 * 9);
    }
}

#[test]
fn sums_of_warps_with_shuffles() {
    let machine = machine();
    let values: Vec<u32> = (0..256).map(|index| index * index).collect();
    let (device_values, sums) = (machine.buffer(&values), machine.buffer(&[0_u32]));
    machine.run("warp_sums", 2, 128, &[device_values.into(), sums.into()]);
    assert_eq!(machine.read::<u32>(sums, 1), [values.iter().sum::<u32>()]);
}

fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

#[test]
fn recursion_that_differs_in_each_lane() {
    let machine = machine();
    let out = machine.fresh(64 * 4);
    machine.run("recursion", 2, 32, &[out.into()]);
    let expected: Vec<u32> = (0..64).map(|index| ackermann(index % 3, index % 5)).collect();
    assert_eq!(machine.read::<u32>(out, 64), expected);
}

#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq)]
struct Sphere {
    centre: [f32; 3],
    radius: f32,
    kind: u16,
    flag: u8,
    padding: u8,
}

#[test]
fn structs_by_value_and_small_parameters() {
    let machine = machine();
    let sphere = Sphere { centre: [1.0, 2.0, 3.0], radius: 0.5, kind: 0xffff, flag: 250, padding: 0 };
    let out = machine.buffer(&[Sphere::default(); 40]);
    let arguments = [
        Argument::bytes(&common::bytes_of(&[sphere])),
        200_u8.into(),
        (-300_i16).into(),
        (-5_000_000_000_i64).into(),
        out.into(),
    ];
    machine.run("spheres", 1, 40, &arguments);
    for (index, found) in machine.read::<Sphere>(out, 40).into_iter().enumerate() {
        let centre = [-299.0, 2.0 - 5e9, 3.0];
        let expected = Sphere { centre, radius: 0.5 + index as f32, kind: 0, flag: 194, padding: 0 };
        assert_eq!(found, expected);
    }
}

fn mixed(value: u64) -> u64 {
    let mut stack = [0_u64; 16];
    for step in 0..16 {
        stack[(value as usize).wrapping_mul(step + 1) % 16] ^= value.rotate_left(step as u32);
    }
    let folded = match value % 9 {
        0 => stack[0],
        1 => stack[1].wrapping_mul(3),
        2 => stack[2].leading_zeros().into(),
        3 => stack[3].count_ones().into(),
        4 => stack[4] / (value | 1),
        5 => stack[5] % (value | 1),
        6 => stack[6].reverse_bits(),
        7 => ((u128::from(stack[7]) * u128::from(value)) >> 64) as u64,
        _ => stack[8].swap_bytes(),
    };
    let float = ((folded >> 11) as f64).sqrt() * f64::from((value as u32).wrapping_mul(7) as i32);
    folded.wrapping_add(float.to_bits())
}

#[test]
fn a_stack_a_jump_table_and_wide_arithmetic() {
    let machine = machine();
    let mut random = common::Random(1);
    let mut values: Vec<u64> = (0..500).map(|_| random.next()).collect();
    values.extend(0..200);
    let (input, out) = (machine.buffer(&values), machine.fresh(700 * 8));
    let profile = machine.run("mixed", 6, 128, &[input.into(), out.into(), 700_u32.into()]);
    let expected: Vec<u64> = values.iter().map(|&value| mixed(value)).collect();
    assert_eq!(machine.read::<u64>(out, 700), expected);
    assert!(profile.divergent_branches > 0);
}

#[test]
fn the_last_block_sums_what_all_wrote() {
    let machine = machine();
    for shuffle in [None, Some(5), Some(6)] {
        let values = machine.fresh(50 * 4);
        let (counter, out) = (machine.buffer(&[0_u32]), machine.fresh(4));
        let options = Options { races: true, shuffle, ..Options::default() };
        let arguments = [values.into(), counter.into(), out.into()];
        machine.launch("last_block", Dimensions::linear(50, 32), &arguments, &options).unwrap();
        assert_eq!(machine.read::<u32>(out, 1), [50 * 51 / 2]);
    }
}

#[test]
fn an_order_that_the_compiler_dropped_is_a_race() {
    let machine = machine();
    let values = machine.fresh(50 * 4);
    let (counter, out) = (machine.buffer(&[0_u32]), machine.fresh(4));
    let options = Options { races: true, ..Options::default() };
    let arguments = [values.into(), counter.into(), out.into()];
    let launched = machine.launch("last_block_without_fences", Dimensions::linear(50, 32), &arguments, &options);
    assert_eq!(launched.unwrap_err().kind, FaultKind::Race);
}

fn conversions(single: f32, double: f64) -> i64 {
    i64::from(single as i32)
        .wrapping_add(single as i64)
        .wrapping_add(i64::from(single as u8))
        .wrapping_add(i64::from(double as i32))
        .wrapping_add(double as i64)
        .wrapping_add((double as f32).to_bits().into())
        .wrapping_add((single.max(double as f32)).to_bits().into())
        .wrapping_add(single.floor().to_bits().into())
        .wrapping_add(single.abs().sqrt().to_bits().into())
}

#[test]
fn conversions_of_rust_saturate() {
    let machine = machine();
    let mut singles = vec![0.0, -0.5, 1.5, 255.4, 256.0, -1e10, 1e10, 1e30, -1e30, f32::INFINITY, f32::NEG_INFINITY];
    let mut doubles = vec![0.0, 0.1, -0.1, 1e300, -1e300, 2147483647.5, -2147483648.5, 9.3e18, -9.3e18, 1e-320, 3.7];
    let mut random = common::Random(9);
    for _ in singles.len()..64 {
        singles.push((random.next() as i64 as f32) * 1e-12);
        doubles.push((random.next() as i64 as f64) * 1e-9);
    }
    let (floats, device_doubles) = (machine.buffer(&singles), machine.buffer(&doubles));
    let out = machine.fresh(64 * 8);
    machine.run("conversions", 1, 64, &[floats.into(), device_doubles.into(), out.into()]);
    let expected: Vec<i64> =
        singles.iter().zip(&doubles).map(|(&single, &double)| conversions(single, double)).collect();
    assert_eq!(machine.read::<i64>(out, 64), expected);
}
