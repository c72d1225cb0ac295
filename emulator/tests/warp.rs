//! Shuffles, votes, matches, reductions, masks, barriers, special registers.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::forms::covered;
use common::{HEAD, Machine, kernel_text};
use fracas_emulator::{Dimensions, Options};

const OLD_HEAD: &str = ".version 6.0\n.target sm_60\n.address_size 64\n";

/// Runs a body for some threads in a row; each stores `%r20` and `%r21`.
fn pairs(body: &str, threads: u32) -> Vec<[u32; 2]> {
    let text = kernel_text(&format!(
        "    mov.u32 %r1, %laneid;\n    mov.u32 %r20, 0;\n    mov.u32 %r21, 0;
{body}
    mov.u32 %r30, %tid.x;\n    mul.wide.u32 %rd30, %r30, 8;\n    add.s64 %rd31, %rd0, %rd30;
    st.global.v2.u32 [%rd31], {{%r20, %r21}};"
    ));
    // The forms without members were taken away with Volta.
    let is_old = ["shfl.up", "shfl.down", "shfl.bfly", "shfl.idx", "vote.all", "vote.any", "vote.uni", "vote.ballot"];
    let is_old = is_old.iter().any(|form| body.contains(form));
    let machine = Machine::new(&if is_old { text.replace(HEAD, OLD_HEAD) } else { text });
    let buffer = machine.buffer(&vec![[0_u32; 2]; threads as usize]);
    machine.run("test", 1, threads, &[buffer.into()]);
    machine.read(buffer, threads as usize)
}

#[test]
fn shuffles_in_every_mode() {
    for mode in ["up", "down", "bfly", "idx"] {
        for offset in [0_u32, 1, 5, 16, 31, 33] {
            // Whole warps, and segments of 8 lanes; the clamp of `up` is the first lane, that of the others the last.
            for segment in [0_u32, 24] {
                let clamp = if mode == "up" { 0 } else { 31 };
                let control = segment << 8 | clamp;
                let body = format!(
                    "add.u32 %r2, %r1, 100;\n shfl.sync.{mode}.b32 %r20|%p1, %r2, {offset}, {control}, 0xffffffff;\n selp.u32 %r21, 1, 0, %p1;"
                );
                let old = body.replace(".sync", "").replace(", 0xffffffff", "");
                assert_eq!(pairs(&old, 32), pairs(&body, 32), "{old}");
                for (lane, found) in pairs(&body, 32).into_iter().enumerate() {
                    let lane = lane as i32;
                    let by = (offset % 32) as i32;
                    let width = if segment == 0 { 32 } else { 8 };
                    let first = lane / width * width;
                    let (source, valid) = match mode {
                        "up" => (lane - by, lane - by >= first),
                        "down" => (lane + by, lane + by < first + width),
                        "bfly" => (lane ^ by, (lane ^ by) < first + width),
                        _ => (first + by % width, true),
                    };
                    let source = if valid { source } else { lane };
                    assert_eq!(found, [source as u32 + 100, valid.into()], "{mode} {offset} {segment} lane {lane}");
                }
            }
        }
    }
    covered("warp::shuffles_in_every_mode");
}

#[test]
fn a_shuffle_from_a_lane_that_takes_no_part_is_counted() {
    let machine = Machine::kernel("mov.u32 %r1, %laneid;\n shfl.sync.down.b32 %r2, %r1, 1, 31, 0xffffffff;");
    let buffer = machine.buffer(&[0_u32]);
    assert_eq!(machine.run("test", 1, 20, &[buffer.into()]).shuffles_from_inactive_lanes, 1);
    assert_eq!(machine.run("test", 1, 32, &[buffer.into()]).shuffles_from_inactive_lanes, 0);
}

#[test]
fn votes_of_whole_and_partial_warps() {
    for threads in [32, 20] {
        let full = if threads == 32 { u32::MAX } else { (1 << 20) - 1 };
        let vote = |condition: &str, mode: &str| {
            let body = format!(
                "setp.{condition};\n vote.sync.{mode}.pred %p2, %p1, 0xffffffff;\n selp.u32 %r20, 1, 0, %p2;\n vote.sync.ballot.b32 %r21, %p1, 0xffffffff;"
            );
            let found = pairs(&body, threads);
            let old = body.replace(".sync", "").replace(", 0xffffffff", "");
            assert_eq!(pairs(&old, threads), found, "{old}");
            assert!(found.iter().all(|pair| *pair == found[0]));
            (found[0][0], found[0][1])
        };
        assert_eq!(vote("lt.u32 %p1, %r1, 99", "all"), (1, full));
        assert_eq!(vote("lt.u32 %p1, %r1, 5", "all"), (0, 31));
        assert_eq!(vote("lt.u32 %p1, %r1, 5", "any"), (1, 31));
        assert_eq!(vote("gt.u32 %p1, %r1, 99", "any"), (0, 0));
        assert_eq!(vote("gt.u32 %p1, %r1, 99", "uni"), (1, 0));
        assert_eq!(vote("lt.u32 %p1, %r1, 5", "uni"), (0, 31));
    }
    let negated = pairs("setp.lt.u32 %p1, %r1, 4;\n vote.sync.ballot.b32 %r20, !%p1, 0xffffffff;", 32);
    assert_eq!(negated[0][0], !15);
    covered("warp::votes_of_whole_and_partial_warps");
}

#[test]
fn matches_of_equal_values() {
    for (kind, register) in [("b32", "%r3"), ("b64", "%rd3")] {
        // Values that differ in the upper half only, where there is one.
        let widened = |value: &str| match kind {
            "b32" => format!("mov.b32 %r3, {value};"),
            _ => format!("mov.b64 %rd3, {{7, {value}}};"),
        };
        let body =
            format!("shr.u32 %r2, %r1, 3;\n {}\n match.any.sync.{kind} %r20, {register}, 0xffffffff;", widened("%r2"));
        for (lane, pair) in pairs(&body, 32).iter().enumerate() {
            assert_eq!(pair[0], 0xff << (lane / 8 * 8), "{kind}, lane {lane}");
        }
        let body = |value: &str| {
            format!(
                "{}\n match.all.sync.{kind} %r20|%p1, {register}, 0xffffffff;\n selp.u32 %r21, 1, 0, %p1;",
                widened(value)
            )
        };
        assert_eq!(pairs(&body("%r1"), 32), [[0, 0]; 32], "{kind}");
        assert_eq!(pairs(&body("%r20"), 32), [[u32::MAX, 1]; 32], "{kind}");
        // Of the lanes that are there, and of those that are named.
        assert_eq!(pairs(&body("%r20"), 20), [[(1 << 20) - 1, 1]; 20], "{kind}");
        let halves = format!(
            "setp.lt.u32 %p2, %r1, 16;\n selp.b32 %r4, 0xffff, 0xffff0000, %p2;\n {}\n match.any.sync.{kind} %r20, {register}, %r4;",
            widened("%r21")
        );
        for (lane, pair) in pairs(&halves, 32).iter().enumerate() {
            assert_eq!(pair[0], if lane < 16 { 0xffff } else { 0xffff_0000 }, "{kind}, lane {lane}");
        }
    }
    covered("warp::matches_of_equal_values");
}

#[test]
fn reductions_of_a_warp() {
    let reduce =
        |form: &str| pairs(&format!("sub.u32 %r2, %r1, 3;\n redux.sync.{form} %r20, %r2, 0xffffffff;"), 32)[0][0];
    let values = (0..32_u32).map(|lane| lane.wrapping_sub(3));
    assert_eq!(reduce("add.u32"), values.clone().fold(0, u32::wrapping_add));
    assert_eq!(reduce("add.s32"), values.clone().fold(0, u32::wrapping_add));
    assert_eq!(reduce("min.u32"), 0);
    assert_eq!(reduce("max.u32"), u32::MAX);
    assert_eq!(reduce("min.s32"), u32::MAX - 2);
    assert_eq!(reduce("max.s32"), 28);
    assert_eq!(reduce("and.b32"), values.clone().fold(u32::MAX, |sum, value| sum & value));
    assert_eq!(reduce("or.b32"), values.clone().fold(0, |sum, value| sum | value));
    assert_eq!(reduce("xor.b32"), values.fold(0, |sum, value| sum ^ value));
    covered("warp::reductions_of_a_warp");
}

#[test]
fn the_active_mask_follows_divergence() {
    let body = "setp.lt.u32 %p1, %r1, 12;\n @%p1 bra LOW;\n activemask.b32 %r20;\n bra.uni MEET;\nLOW:\n activemask.b32 %r20;\nMEET:\n activemask.b32 %r21;";
    for (lane, pair) in pairs(body, 32).into_iter().enumerate() {
        assert_eq!(pair, [if lane < 12 { 0xfff } else { !0xfff }, u32::MAX]);
    }
    let guarded = "setp.lt.u32 %p1, %r1, 3;\n @%p1 activemask.b32 %r20;";
    assert_eq!(pairs(guarded, 32)[..4], [[7, 0], [7, 0], [7, 0], [0, 0]]);
    covered("warp::the_active_mask_follows_divergence");
}

#[test]
fn masks_of_lanes() {
    for (name, expected) in [
        ("eq", (|lane| 1 << lane) as fn(u32) -> u32),
        ("lt", |lane| (1 << lane) - 1),
        ("le", |lane| ((1_u64 << (lane + 1)) - 1) as u32),
        ("gt", |lane| !(((1_u64 << (lane + 1)) - 1) as u32)),
        ("ge", |lane| !((1 << lane) - 1)),
    ] {
        let found = pairs(&format!("mov.u32 %r20, %lanemask_{name};"), 32);
        for (lane, pair) in found.into_iter().enumerate() {
            assert_eq!(pair[0], expected(lane as u32), "{name} of lane {lane}");
        }
    }
    covered("warp::masks_of_lanes");
}

#[test]
fn indices_in_three_directions() {
    let machine = Machine::kernel(
        "
    mov.u32 %r1, %tid.x;  mov.u32 %r2, %tid.y;  mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ctaid.x;  mov.u32 %r5, %ctaid.y;  mov.u32 %r6, %ctaid.z;
    mov.u32 %r7, %ntid.x;  mov.u32 %r8, %ntid.y;  mov.u32 %r9, %ntid.z;
    mov.u32 %r10, %nctaid.x;  mov.u32 %r11, %nctaid.y;  mov.u32 %r12, %nctaid.z;
    mad.lo.u32 %r13, %r6, %r11, %r5;
    mad.lo.u32 %r13, %r13, %r10, %r4;
    mad.lo.u32 %r14, %r3, %r8, %r2;
    mad.lo.u32 %r14, %r14, %r7, %r1;
    mul.lo.u32 %r15, %r7, %r8;
    mul.lo.u32 %r15, %r15, %r9;
    mad.lo.u32 %r16, %r13, %r15, %r14;
    mul.wide.u32 %rd1, %r16, 8;
    add.s64 %rd2, %rd0, %rd1;
    mov.u32 %r17, %warpid;
    mov.u32 %r18, %laneid;
    mad.lo.u32 %r17, %r17, 32, %r18;
    st.global.v2.u32 [%rd2], {%r16, %r17};",
    );
    let count = 2 * 3 * 2 * 5 * 4 * 3;
    let buffer = machine.buffer(&vec![[u32::MAX; 2]; count]);
    let dimensions = Dimensions { grid: [2, 3, 2], block: [5, 4, 3], shared_bytes: 0 };
    machine.launch("test", dimensions, &[buffer.into()], &Options::default()).unwrap();
    for (index, pair) in machine.read::<[u32; 2]>(buffer, count).into_iter().enumerate() {
        assert_eq!(pair, [index as u32, index as u32 % 60]);
    }
    covered("warp::indices_in_three_directions");
}

#[test]
fn clocks_only_move_on_and_sizes_are_known() {
    let body = "mov.u64 %rd1, %clock64;\n mov.u32 %r2, %clock;\n mov.u64 %rd2, %clock64;\n setp.gt.u64 %p1, %rd2, %rd1;\n selp.u32 %r20, 1, 0, %p1;\n mov.u64 %rd3, %globaltimer;\n mov.u32 %r21, %dynamic_smem_size;";
    assert_eq!(pairs(body, 1), [[1, 0]]);
    // The short clock is the lower half of the long one, and the time goes on as well.
    let body = "mov.u32 %r2, %clock;\n mov.u32 %r3, %clock_hi;\n mov.b64 %rd1, {%r2, %r3};\n mov.u64 %rd2, %clock64;\n sub.u64 %rd3, %rd2, %rd1;\n cvt.u32.u64 %r20, %rd3;\n mov.u64 %rd4, %globaltimer;\n mov.u64 %rd5, %globaltimer;\n setp.ge.u64 %p1, %rd5, %rd4;\n selp.u32 %r21, 1, 0, %p1;";
    let [ticks, later] = pairs(body, 1)[0];
    assert!((1..10).contains(&ticks) && later == 1, "{ticks} {later}");
    let body = ".shared .align 4 .b8 scratch[24];\n st.shared.u8 [scratch], 1;\n mov.u32 %r1, %dynamic_smem_size;\n mov.u32 %r2, %total_smem_size;\n st.global.v2.u32 [%rd0], {%r1, %r2};";
    let machine = Machine::kernel(body);
    let buffer = machine.buffer(&[0_u32; 2]);
    let dimensions = Dimensions { shared_bytes: 100, ..Dimensions::linear(1, 1) };
    machine.launch("test", dimensions, &[buffer.into()], &Options::default()).unwrap();
    let [dynamic, total] = machine.read::<[u32; 2]>(buffer, 1)[0];
    assert!(dynamic == 100 && (124..=256).contains(&total), "{dynamic} of {total}");
    covered("warp::clocks_only_move_on_and_sizes_are_known");
}

#[test]
fn numbers_of_the_machine() {
    // Blocks go around the multiprocessors; no warp has a number past the last.
    let machine = Machine::kernel(
        "mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %smid;\n mov.u32 %r3, %nsmid;\n mov.u32 %r4, %nwarpid;\n mov.u32 %r5, %warpid;\n mov.u64 %rd1, %gridid;\n cvt.u32.u64 %r6, %rd1;\n setp.lt.u32 %p1, %r2, %r3;\n setp.lt.and.u32 %p1, %r5, %r4, %p1;\n selp.u32 %r7, 1, 0, %p1;\n mul.wide.u32 %rd2, %r1, 8;\n add.s64 %rd3, %rd0, %rd2;\n st.global.v2.u32 [%rd3], {%r6, %r7};",
    );
    let buffer = machine.buffer(&[[0_u32; 2]; 40]);
    let grid = |launch: u32| {
        machine.run("test", 40, 32, &[buffer.into()]);
        let found = machine.read::<[u32; 2]>(buffer, 40);
        assert!(found.iter().all(|pair| *pair == [found[0][0], 1]), "launch {launch}: {found:?}");
        found[0][0]
    };
    assert_ne!(grid(0), grid(1));
    covered("warp::numbers_of_the_machine");
}

/// A value that only differs between blocks, so that the order of blocks shows.
#[test]
fn blocks_run_in_shuffled_orders_under_a_seed() {
    let machine = Machine::kernel(
        "mov.u32 %r1, %ctaid.x;\n atom.global.add.u32 %r2, [%rd0], 1;\n mul.wide.u32 %rd1, %r2, 4;\n add.s64 %rd2, %rd0, %rd1;\n st.global.u32 [%rd2+4], %r1;",
    );
    let order = |shuffle| {
        let buffer = machine.buffer(&[0_u32; 65]);
        let options = Options { shuffle, ..Options::default() };
        machine.launch("test", Dimensions::linear(64, 1), &[buffer.into()], &options).unwrap();
        machine.read::<u32>(buffer, 65)[1..].to_vec()
    };
    let first = order(Some(1));
    assert_eq!(first, order(Some(1)));
    assert_ne!(first, order(Some(2)));
    let mut sorted = first.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..64).collect::<Vec<_>>());
    assert_ne!(first, sorted);
}

/// `bar`, and the forms of `barrier`: what stands before and behind the operation.
const BARRIERS: [(&str, &str); 6] = [
    ("bar", ""),
    ("bar.cta", ""),
    ("barrier", ""),
    ("barrier", ".aligned"),
    ("barrier.cta", ""),
    ("barrier.cta", ".aligned"),
];

#[test]
fn barriers_of_the_block_reduce() {
    for (barrier, aligned) in BARRIERS {
        let machine = Machine::kernel(&format!(
            "
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 40;
    {barrier}.red.popc{aligned}.u32 %r2, 0, %p1;
    {barrier}.red.and{aligned}.pred %p2, 1, %p1;
    {barrier}.red.or{aligned}.pred %p3, 2, !%p1;
    selp.u32 %r3, 1, 0, %p2;
    selp.u32 %r4, 1, 0, %p3;
    mul.wide.u32 %rd1, %r1, 16;
    add.s64 %rd2, %rd0, %rd1;
    st.global.v4.u32 [%rd2], {{%r2, %r3, %r4, %r1}};"
        ));
        for (threads, expected) in [(96, [40, 0, 1]), (40, [40, 1, 0])] {
            let buffer = machine.buffer(&vec![[0_u32; 4]; threads]);
            machine.run("test", 1, threads as u32, &[buffer.into()]);
            for (thread, found) in machine.read::<[u32; 4]>(buffer, threads).into_iter().enumerate() {
                assert_eq!(found, [expected[0], expected[1], expected[2], thread as u32], "{barrier} {aligned}");
            }
        }
    }
    covered("warp::barriers_of_the_block_reduce");
}

/// One warp produces, one consumes: named barriers of 64 threads, one of them only arriving.
#[test]
fn producers_arrive_and_consumers_wait() {
    for (barrier, aligned) in BARRIERS {
        let machine = Machine::kernel(&format!(
            "
    .shared .align 4 .b8 scratch[128];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %laneid;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, scratch;
    add.u32 %r5, %r4, %r3;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra CONSUME;
    st.shared.u32 [%r5], %r1;
    {barrier}.arrive{aligned} 3, 64;
    bra.uni DONE;
CONSUME:
    {barrier}.sync{aligned} 3, 64;
    ld.shared.u32 %r6, [%r5];
    mul.wide.u32 %rd1, %r2, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r6;
DONE:"
        ));
        for shuffle in [None, Some(1), Some(2), Some(3)] {
            let buffer = machine.buffer(&[0_u32; 32]);
            let options = Options { races: true, shuffle, turn: 3, ..Options::default() };
            machine.launch("test", Dimensions::linear(1, 64), &[buffer.into()], &options).unwrap();
            assert_eq!(machine.read::<u32>(buffer, 32), (0..32).collect::<Vec<_>>(), "{barrier} {aligned}");
        }
    }
    covered("warp::producers_arrive_and_consumers_wait");
}

#[test]
fn a_barrier_in_a_uniform_branch_and_after_an_early_return_of_all() {
    let text = format!(
        "{HEAD}.visible .entry test(.param .u64 pointer) .reqntid 64, 1, 1 {{
    .reg .b32 %r<4>; .reg .pred %p<3>;
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 1;
    @%p1 ret;
    bar.sync 0;
    ret;\n}}"
    );
    let machine = Machine::new(&text);
    assert_eq!(machine.run("test", 3, 64, &[0_u64.into()]).barriers, 2);
    assert_eq!(machine.module.kernel_attributes("test").unwrap().maximum_threads, 64);
    let wrong = machine.launch("test", Dimensions::linear(1, 32), &[0_u64.into()], &Options::default());
    assert!(wrong.is_err());
}
