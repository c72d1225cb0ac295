//! The counts of a launch, for kernels in which they can be counted by hand.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::Machine;
use fracas_emulator::{InstructionClass, Profile};

fn profile(body: &str, threads: u32) -> Profile {
    let machine = Machine::kernel(body);
    let buffer = machine.buffer(&[0_u32; 4096]);
    machine.run("test", 1, threads, &[buffer.into()])
}

/// A load of one word for each lane, so many bytes apart.
fn strided(bytes: u32, offset: u32) -> Profile {
    profile(
        &format!(
            "mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd1, %r1, {bytes};\n add.s64 %rd2, %rd0, %rd1;\n ld.global.u32 %r2, [%rd2+{offset}];"
        ),
        32,
    )
}

#[test]
fn sectors_of_global_requests() {
    for (stride, offset, sectors, ideal) in
        [(4, 0, 4, 4), (4, 16, 5, 4), (8, 0, 8, 4), (32, 0, 32, 4), (128, 0, 32, 4), (0, 0, 1, 1)]
    {
        let found = strided(stride, offset);
        assert_eq!((found.global_requests, found.global_sectors), (1, sectors), "stride {stride}");
        assert_eq!(found.global_sectors_ideal, ideal);
    }
    let wide = profile(
        "mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd1, %r1, 16;\n add.s64 %rd2, %rd0, %rd1;\n ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd2];",
        32,
    );
    assert_eq!((wide.global_requests, wide.global_sectors, wide.global_sectors_ideal), (1, 16, 16));
}

/// A store of one word to shared memory for each lane, so many bytes apart.
fn banks(bytes: u32, kind: &str) -> u64 {
    let value = if kind.ends_with("64") { "%rd9" } else { "%r9" };
    profile(
        &format!(".shared .align 16 .b8 scratch[8192];\n mov.u32 %r1, %tid.x;\n mov.u32 %r2, scratch;\n mad.lo.u32 %r3, %r1, {bytes}, %r2;\n st.shared.{kind} [%r3], {value};"),
        32,
    )
    .shared_bank_conflicts
}

#[test]
fn conflicts_of_banks() {
    assert_eq!(banks(4, "u32"), 0);
    assert_eq!(banks(8, "u32"), 1);
    assert_eq!(banks(16, "u32"), 3);
    assert_eq!(banks(128, "u32"), 31);
    assert_eq!(banks(132, "u32"), 0);
    assert_eq!(banks(0, "u32"), 0);
    assert_eq!(banks(1, "u8"), 0);
    assert_eq!(banks(8, "u64"), 0);
    assert_eq!(banks(16, "u64"), 2);
}

#[test]
fn instructions_by_class_and_lanes() {
    let found = profile(
        "mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, 1;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 add.f32 %f1, %f2, %f3;
    @%p1 bra SKIP;
    fma.rn.f64 %fd1, %fd2, %fd3, %fd4;
SKIP:
    bar.sync 0;",
        64,
    );
    let counts = found.warp_instructions;
    assert_eq!(counts.of(InstructionClass::Integer), 2);
    assert_eq!(counts.of(InstructionClass::Float32), 2);
    assert_eq!(counts.of(InstructionClass::Float64), 2);
    assert_eq!(counts.of(InstructionClass::Comparison), 2);
    assert_eq!(counts.of(InstructionClass::Synchronisation), 2);
    // The parameter, the thread index (read and moved), and the end of the kernel.
    assert_eq!(counts.of(InstructionClass::Constant), 2);
    assert_eq!((found.branches, found.divergent_branches), (2, 1));
    assert_eq!(found.barriers, 1);
    assert!(found.lane_efficiency() < 1.0);
}

#[test]
fn atomics_at_one_address() {
    let body = |address: &str| {
        format!(
            "mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd1, %r1, 4;\n add.s64 %rd2, %rd0, %rd1;\n red.global.add.u32 [{address}], 1;"
        )
    };
    let same = profile(&body("%rd0"), 32);
    assert_eq!((same.atomic_requests, same.atomic_lanes, same.atomic_conflicts), (1, 32, 31));
    let apart = profile(&body("%rd2"), 32);
    assert_eq!((apart.atomic_requests, apart.atomic_lanes, apart.atomic_conflicts), (1, 32, 0));
}

#[test]
fn a_profile_does_not_depend_on_the_order() {
    let machine = Machine::new(include_str!("ptx/kernels.ptx"));
    let values = machine.buffer(&vec![3_u32; 1000]);
    let sums = machine.fresh(16);
    let arguments = [values.into(), 1000_u32.into(), sums.into()];
    let dimensions = fracas_emulator::Dimensions::linear(4, 256);
    let run = |shuffle| {
        let options = fracas_emulator::Options { shuffle, ..fracas_emulator::Options::default() };
        machine.launch("block_sums", dimensions, &arguments, &options).unwrap()
    };
    let plain = run(None);
    assert_eq!(plain, run(Some(1)));
    assert_eq!(plain, run(Some(2)));
    assert_eq!(plain.kernel, "block_sums");
    assert_eq!(plain.shared_bytes, 4096);
}
