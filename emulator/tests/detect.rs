//! Each detector: a bad kernel that it must catch, with the thread and the line, and a good twin that it must not.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::forms::covered;
use common::{Machine, kernel_text};
use fracas_emulator::{Dimensions, Fault, FaultKind, Options, Profile};

/// Runs a kernel of one pointer.
fn run(body: &str, words: &[u32], dimensions: Dimensions, options: &Options) -> Result<Profile, Fault> {
    let machine = Machine::kernel(body);
    let buffer = machine.buffer(words);
    machine.launch("test", dimensions, &[buffer.into()], options)
}

/// The line of the text that carries the mark `//!`.
fn marked_line(body: &str) -> u32 {
    kernel_text(body).lines().position(|line| line.contains("//!")).unwrap() as u32 + 1
}

/// A fault of this kind, at the marked line.
fn expect(body: &str, words: &[u32], dimensions: Dimensions, options: &Options, kind: FaultKind) -> Fault {
    let fault = run(body, words, dimensions, options).expect_err("a fault");
    assert_eq!(fault.kind, kind, "{fault}");
    assert_eq!(fault.line, marked_line(body), "{fault}");
    assert_eq!(fault.kernel, "test");
    assert!(fault.thread.is_some(), "{fault}");
    fault
}

fn races() -> Options {
    Options { races: true, ..Options::default() }
}

/// `%rd3` is the address of the word of this thread.
const OWN_WORD: &str = "
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd0, %rd2;
";

#[test]
fn an_access_past_the_end() {
    let body = format!("{OWN_WORD}\n ld.global.u32 %r5, [%rd3];//!\n");
    run(&body, &[0; 128], Dimensions::linear(2, 64), &Options::default()).unwrap();
    let fault = expect(&body, &[0; 101], Dimensions::linear(2, 64), &Options::default(), FaultKind::OutOfBounds);
    let thread = fault.thread.unwrap();
    assert_eq!((thread.block, thread.thread), ([1, 0, 0], [37, 0, 0]));
    assert!(fault.message.contains("offset 404 in the allocation of 404 bytes"), "{fault}");
}

#[test]
fn an_access_before_the_start_and_at_null() {
    let body = format!("{OWN_WORD}\n st.global.u32 [%rd3+-4], %r1;//!\n");
    let fault = expect(&body, &[0; 64], Dimensions::linear(1, 32), &Options::default(), FaultKind::OutOfBounds);
    assert!(fault.message.contains("4 bytes before"), "{fault}");
    let body = "mov.u64 %rd1, 0;\n ld.u32 %r1, [%rd1];//!\n";
    let fault = expect(body, &[0], Dimensions::linear(1, 1), &Options::default(), FaultKind::OutOfBounds);
    assert!(fault.message.contains("null"), "{fault}");
}

#[test]
fn a_vector_that_reaches_past_the_end() {
    let body = "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0];//!\n";
    run(body, &[0; 4], Dimensions::linear(1, 1), &Options::default()).unwrap();
    expect(body, &[0; 3], Dimensions::linear(1, 1), &Options::default(), FaultKind::OutOfBounds);
}

#[test]
fn shared_local_and_parameter_memory_have_bounds_too() {
    let shared = |offset: u32| format!(".shared .align 4 .b8 scratch[64];\n st.shared.u32 [scratch+{offset}], 1;//!\n");
    run(&shared(60), &[0], Dimensions::linear(1, 1), &Options::default()).unwrap();
    expect(&shared(64), &[0], Dimensions::linear(1, 1), &Options::default(), FaultKind::OutOfBounds);
    let local = |offset: u32| {
        format!(
            ".local .align 8 .b8 depot[16];\n mov.u64 %rd1, depot;\n cvta.local.u64 %rd1, %rd1;\n st.u32 [%rd1+{offset}], 1;//!\n"
        )
    };
    run(&local(12), &[0], Dimensions::linear(1, 1), &Options::default()).unwrap();
    expect(&local(16), &[0], Dimensions::linear(1, 1), &Options::default(), FaultKind::OutOfBounds);
    let parameter = |offset: u32| format!("mov.b64 %rd1, pointer;\n ld.param.u32 %r1, [%rd1+{offset}];//!\n");
    run(&parameter(4), &[0], Dimensions::linear(1, 1), &Options::default()).unwrap();
    expect(&parameter(8), &[0], Dimensions::linear(1, 1), &Options::default(), FaultKind::OutOfBounds);
}

#[test]
fn dynamic_shared_memory_is_as_large_as_the_launch_says() {
    let text = format!(
        "{}.extern .shared .align 16 .b8 dynamic[];
.visible .entry test(.param .u64 pointer) {{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    cvt.u64.u32 %rd1, %r2;
    mov.u64 %rd2, dynamic;
    add.s64 %rd3, %rd1, %rd2;
    st.shared.u32 [%rd3], %r1;
    ret;
}}",
        common::HEAD
    );
    let machine = Machine::new(&text);
    let buffer = machine.buffer(&[0_u32]);
    let launch = |shared_bytes| {
        let dimensions = Dimensions { shared_bytes, ..Dimensions::linear(1, 64) };
        machine.launch("test", dimensions, &[buffer.into()], &Options::default())
    };
    assert_eq!(launch(256).unwrap().shared_bytes, 256);
    let fault = launch(252).unwrap_err();
    assert_eq!((fault.kind, fault.thread.unwrap().thread), (FaultKind::OutOfBounds, [63, 0, 0]));
}

#[test]
fn a_misaligned_access() {
    let body = |offset: u32| format!("ld.global.u32 %r1, [%rd0+{offset}];//!\n");
    run(&body(4), &[0; 4], Dimensions::linear(1, 1), &Options::default()).unwrap();
    expect(&body(2), &[0; 4], Dimensions::linear(1, 1), &Options::default(), FaultKind::Misaligned);
    let vector = |offset: u32| format!("st.global.v2.u32 [%rd0+{offset}], {{%r1, %r2}};//!\n");
    run(&vector(8), &[0; 4], Dimensions::linear(1, 1), &Options::default()).unwrap();
    expect(&vector(4), &[0; 4], Dimensions::linear(1, 1), &Options::default(), FaultKind::Misaligned);
    let atomic = |offset: u32| format!("red.global.add.u32 [%rd0+{offset}], 1;//!\n");
    run(&atomic(0), &[0; 4], Dimensions::linear(1, 1), &Options::default()).unwrap();
    expect(&atomic(1), &[0; 4], Dimensions::linear(1, 1), &Options::default(), FaultKind::Misaligned);
}

#[test]
fn a_use_after_a_free() {
    let machine = Machine::kernel("ld.global.u32 %r1, [%rd0];");
    let buffer = machine.buffer(&[0_u32; 16]);
    machine.run("test", 1, 1, &[buffer.into()]);
    machine.device.free(buffer).unwrap();
    // Memory that is allocated later must not take its place.
    for _ in 0..100 {
        machine.buffer(&[0_u32; 16]);
    }
    let fault = machine.launch("test", Dimensions::linear(1, 1), &[buffer.into()], &Options::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::UseAfterFree);
    assert!(machine.device.free(buffer).is_err());
}

#[test]
fn a_read_of_memory_that_nothing_wrote() {
    let machine = Machine::kernel("ld.global.u32 %r1, [%rd0+8]; st.global.u32 [%rd0], %r1;");
    let fresh = machine.fresh(16);
    let launch = |options: &Options| machine.launch("test", Dimensions::linear(1, 1), &[fresh.into()], options);
    assert_eq!(launch(&Options::default()).unwrap_err().kind, FaultKind::Uninitialised);
    launch(&Options { uninitialised: false, ..Options::default() }).unwrap();
    // A part of the word is not enough.
    machine.device.write(fresh + 8, &[1, 2, 3]).unwrap();
    assert_eq!(launch(&Options::default()).unwrap_err().kind, FaultKind::Uninitialised);
    machine.device.write(fresh + 11, &[4]).unwrap();
    launch(&Options::default()).unwrap();
    // A copy of memory that nothing wrote is no writing.
    let (source, copy) = (machine.fresh(16), machine.buffer(&[0_u32; 4]));
    machine.device.copy(copy, source, 16).unwrap();
    let fault = machine.launch("test", Dimensions::linear(1, 1), &[copy.into()], &Options::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Uninitialised);
}

#[test]
fn shared_and_local_memory_start_uninitialised() {
    let shared = ".shared .align 4 .b8 scratch[64];\n ld.shared.u32 %r1, [scratch+4];//!\n";
    expect(shared, &[0], Dimensions::linear(1, 1), &Options::default(), FaultKind::Uninitialised);
    let good = ".shared .align 4 .b8 scratch[64];\n st.shared.u32 [scratch+4], 1;\n ld.shared.u32 %r1, [scratch+4];\n";
    run(good, &[0], Dimensions::linear(1, 1), &Options::default()).unwrap();
    let atomic = ".shared .align 4 .b8 scratch[64];\n atom.shared.add.u32 %r1, [scratch], 1;//!\n";
    expect(atomic, &[0], Dimensions::linear(1, 1), &Options::default(), FaultKind::Uninitialised);
    let local = ".local .align 4 .b8 depot[16];\n ld.local.u32 %r1, [depot+4];//!\n";
    let strict = Options { uninitialised_local: true, ..Options::default() };
    expect(local, &[0], Dimensions::linear(1, 1), &strict, FaultKind::Uninitialised);
    run(local, &[0], Dimensions::linear(1, 1), &Options::default()).unwrap();
}

#[test]
fn atomics_on_memory_that_nothing_wrote() {
    let machine = Machine::kernel("red.global.add.u32 [%rd0], 1;");
    let fresh = machine.fresh(4);
    let launch = || machine.launch("test", Dimensions::linear(1, 1), &[fresh.into()], &Options::default());
    assert_eq!(launch().unwrap_err().kind, FaultKind::Uninitialised);
    machine.device.write(fresh, &[0; 4]).unwrap();
    launch().unwrap();
}

#[test]
fn a_barrier_that_a_part_of_a_warp_skips() {
    let body = |condition: &str| {
        format!("mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, {condition};\n @!%p1 bra SKIP;\n bar.sync 0;//!\nSKIP:\n")
    };
    run(&body("%r1, 64"), &[0], Dimensions::linear(1, 64), &Options::default()).unwrap();
    expect(&body("%r1, 16"), &[0], Dimensions::linear(1, 64), &Options::default(), FaultKind::BarrierDivergence);
    // Whole warps that skip it end the kernel without it.
    expect(&body("%r1, 32"), &[0], Dimensions::linear(1, 64), &Options::default(), FaultKind::BarrierDivergence);
    let lenient = Options { exited_threads_at_barriers: false, ..Options::default() };
    run(&body("%r1, 32"), &[0], Dimensions::linear(1, 64), &lenient).unwrap();
}

#[test]
fn a_barrier_under_a_predicate() {
    let body = "mov.u32 %r1, %laneid;\n setp.lt.u32 %p1, %r1, 8;\n @%p1 bar.sync 0;//!\n";
    expect(body, &[0], Dimensions::linear(1, 32), &Options::default(), FaultKind::BarrierDivergence);
}

#[test]
fn two_barriers_that_are_not_the_same() {
    let body = "mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, %r1, 32;\n @%p1 bra FIRST;\n bar.sync 0;\n bra.uni DONE;\nFIRST:\n bar.sync 0;\nDONE:\n";
    let fault = run(body, &[0], Dimensions::linear(1, 64), &Options::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::BarrierDivergence);
    // Barriers of two numbers never meet at all.
    let body = "mov.u32 %r1, %tid.x;\n shr.u32 %r2, %r1, 5;\n barrier.sync %r2;\n";
    let fault = run(body, &[0], Dimensions::linear(1, 64), &Options::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::BarrierDivergence);
    assert!(fault.message.contains("no barrier can complete"), "{fault}");
}

#[test]
fn a_shuffle_without_all_its_members() {
    let body = |members: &str| {
        format!(
            "mov.u32 %r1, %laneid;\n setp.lt.u32 %p1, %r1, 16;\n @!%p1 bra SKIP;\n shfl.sync.idx.b32 %r2, %r1, 0, 31, {members};//!\nSKIP:\n"
        )
    };
    run(&body("0xffff"), &[0], Dimensions::linear(1, 32), &Options::default()).unwrap();
    expect(&body("0xffffffff"), &[0], Dimensions::linear(1, 32), &Options::default(), FaultKind::BarrierDivergence);
    expect(&body("0xff"), &[0], Dimensions::linear(1, 32), &Options::default(), FaultKind::InvalidOperand);
}

/// Each thread writes its word of shared memory and reads that of its neighbour.
fn neighbours(between: &str) -> String {
    format!(
        ".shared .align 4 .b8 scratch[512];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, scratch;
    add.u32 %r4, %r2, %r3;
    st.shared.u32 [%r4], %r1;
    {between}
    xor.b32 %r5, %r2, 4;
    add.u32 %r6, %r5, %r3;
    ld.shared.u32 %r7, [%r6];//!
"
    )
}

#[test]
fn a_race_in_shared_memory() {
    let everything = Options { uninitialised: false, ..races() };
    let bad = neighbours("");
    let fault = expect(&bad, &[0], Dimensions::linear(1, 64), &everything, FaultKind::Race);
    assert!(fault.message.contains("races with a write by block (0, 0, 0) thread"), "{fault}");
    run(&neighbours("bar.sync 0;"), &[0], Dimensions::linear(1, 64), &everything).unwrap();
    run(&neighbours("bar.warp.sync 0xffffffff;"), &[0], Dimensions::linear(1, 64), &everything).unwrap();
    // Without the request it is not looked for.
    run(&bad, &[0], Dimensions::linear(1, 64), &Options::default()).unwrap();
    covered("detect::a_race_in_shared_memory");
}

#[test]
fn a_barrier_of_the_warp_does_not_order_two_warps() {
    let far = neighbours("bar.warp.sync 0xffffffff;").replace("xor.b32 %r5, %r2, 4;", "xor.b32 %r5, %r2, 128;");
    let everything = Options { uninitialised: false, ..races() };
    // Which of the two accesses comes second is a matter of the order in which the warps run.
    let fault = run(&far, &[0], Dimensions::linear(1, 64), &everything).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Race);
    run(&far.replace("bar.warp.sync 0xffffffff;", "bar.sync 0;"), &[0], Dimensions::linear(1, 64), &everything)
        .unwrap();
}

#[test]
fn a_race_between_blocks() {
    let body = |instruction: &str| format!("mov.u32 %r1, %ctaid.x;\n {instruction}//!\n");
    for seed in 0..4 {
        let options = Options { shuffle: Some(seed), ..races() };
        expect(&body("st.global.u32 [%rd0], %r1;"), &[0], Dimensions::linear(4, 1), &options, FaultKind::Race);
        run(&body("atom.global.add.u32 %r2, [%rd0], %r1;"), &[0], Dimensions::linear(4, 1), &options).unwrap();
        run(&body("st.relaxed.gpu.global.u32 [%rd0], %r1;"), &[0], Dimensions::linear(4, 1), &options).unwrap();
        run(&body("st.volatile.global.u32 [%rd0], %r1;"), &[0], Dimensions::linear(4, 1), &options).unwrap();
        run(&body("ld.global.u32 %r2, [%rd0];"), &[0], Dimensions::linear(4, 1), &options).unwrap();
    }
}

#[test]
fn bytes_side_by_side_do_not_race() {
    let body = |stride: u32| {
        format!(
            "mov.u32 %r1, %ctaid.x;\n mul.wide.u32 %rd1, %r1, {stride};\n add.s64 %rd2, %rd0, %rd1;\n st.global.u8 [%rd2], %r1;//!\n"
        )
    };
    run(&body(1), &[0; 16], Dimensions::linear(8, 1), &races()).unwrap();
    expect(&body(0), &[0; 16], Dimensions::linear(8, 1), &races(), FaultKind::Race);
}

#[test]
fn lanes_that_write_one_word_race_unless_they_write_the_same() {
    let body = |value: &str| format!("mov.u32 %r1, %laneid;\n st.global.u32 [%rd0], {value};//!\n");
    run(&body("7"), &[0], Dimensions::linear(1, 32), &races()).unwrap();
    expect(&body("%r1"), &[0], Dimensions::linear(1, 32), &races(), FaultKind::Race);
}

/// Block 0 writes a word and raises a flag; block 1 waits for the flag and reads the word.
fn message(release: &str, acquire: &str) -> String {
    format!(
        "mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra WAIT;
    st.global.u32 [%rd0+4], 42;
    {release}
    st.relaxed.gpu.global.u32 [%rd0], 1;
    ret;
WAIT:
    ld.relaxed.gpu.global.u32 %r2, [%rd0];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra WAIT;
    {acquire}
    ld.global.u32 %r3, [%rd0+4];//!
    st.global.u32 [%rd0+8], %r3;
"
    )
}

#[test]
fn a_message_between_blocks_needs_both_fences() {
    let fence = "fence.acq_rel.gpu;";
    let blocks = Dimensions::linear(2, 1);
    run(&message(fence, fence), &[0; 3], blocks, &races()).unwrap();
    run(&message("membar.gl;", "membar.gl;"), &[0; 3], blocks, &races()).unwrap();
    expect(&message("", fence), &[0; 3], blocks, &races(), FaultKind::Race);
    expect(&message(fence, ""), &[0; 3], blocks, &races(), FaultKind::Race);
    expect(&message("fence.acq_rel.cta;", fence), &[0; 3], blocks, &races(), FaultKind::Race);
    let ordered =
        message("", "").replace("st.relaxed.gpu", "st.release.gpu").replace("ld.relaxed.gpu", "ld.acquire.gpu");
    run(&ordered, &[0; 3], blocks, &races()).unwrap();
}

/// The same inside of a block, between warps, where every fence is wide enough; between blocks it is not.
#[test]
fn a_message_between_warps_needs_fences() {
    let (warps, turns) = (Dimensions::linear(1, 64), Options { turn: 16, ..races() });
    let inside = |fence: &str| {
        message(fence, fence).replace("mov.u32 %r1, %ctaid.x;", "mov.u32 %r1, %tid.x;\n shr.u32 %r1, %r1, 5;")
    };
    expect(&inside(""), &[0; 3], warps, &turns, FaultKind::Race);
    let scopes = ["cta", "cluster", "gpu", "sys"];
    let fences = ["fence", "fence.sc", "fence.acq_rel", "fence.acquire", "fence.release"];
    let fences = fences.iter().flat_map(|fence| scopes.map(|scope| format!("{fence}.{scope};")));
    let older = ["cta", "gl", "sys"].map(|scope| format!("membar.{scope};"));
    for fence in fences.chain(older) {
        run(&inside(&fence), &[0; 3], warps, &turns).unwrap_or_else(|fault| panic!("{fence} {fault}"));
        let (between, blocks) = (message(&fence, &fence), Dimensions::linear(2, 1));
        if fence.contains("cta") {
            expect(&between, &[0; 3], blocks, &races(), FaultKind::Race);
        } else {
            run(&between, &[0; 3], blocks, &races()).unwrap_or_else(|fault| panic!("{fence} {fault}"));
        }
    }
    covered("detect::a_message_between_warps_needs_fences");
}

#[test]
fn a_store_to_constant_memory() {
    let text = format!(
        "{}.const .align 4 .u32 number = 5;
.visible .entry test(.param .u64 pointer) {{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    mov.u64 %rd1, number;
    cvta.const.u64 %rd2, %rd1;
    ld.const.u32 %r1, [number];
    ld.u32 %r2, [%rd2];
    st.u32 [%rd2], %r1;
    ret;
}}",
        common::HEAD
    );
    let machine = Machine::new(&text);
    let fault = machine.launch("test", Dimensions::linear(1, 1), &[0_u64.into()], &Options::default()).unwrap_err();
    assert_eq!((fault.kind, fault.line), (FaultKind::ReadOnly, 11));
}

#[test]
fn traps_and_breakpoints() {
    for instruction in ["trap", "brkpt"] {
        let body = format!("mov.u32 %r1, %tid.x;\n setp.eq.u32 %p1, %r1, 5;\n @%p1 {instruction};//!\n");
        let fault = expect(&body, &[0], Dimensions::linear(1, 8), &Options::default(), FaultKind::Trap);
        assert_eq!(fault.thread.unwrap().thread, [5, 0, 0]);
        run(&body, &[0], Dimensions::linear(1, 5), &Options::default()).unwrap();
    }
    covered("detect::traps_and_breakpoints");
}

#[test]
fn a_loop_without_an_end() {
    let options = Options { instruction_limit: 10_000, ..Options::default() };
    let body = "FOREVER:\n bra.uni FOREVER;//!\n";
    expect(body, &[0], Dimensions::linear(1, 1), &options, FaultKind::Timeout);
}

#[test]
fn recursion_without_an_end() {
    let text = format!(
        "{}.func deeper(.param .b32 value) {{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [value];
    {{
    .param .b32 next;
    st.param.b32 [next], %r1;
    call.uni deeper, (next);
    }}
    ret;
}}
.visible .entry test(.param .u64 pointer) {{
    {{
    .param .b32 first;
    st.param.b32 [first], 1;
    call.uni deeper, (first);
    }}
    ret;
}}",
        common::HEAD
    );
    let machine = Machine::new(&text);
    let fault = machine.launch("test", Dimensions::linear(1, 1), &[0_u64.into()], &Options::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::StackOverflow);
}

#[test]
fn a_launch_that_makes_no_sense() {
    let machine = Machine::kernel("");
    let buffer = machine.buffer(&[0_u32]);
    let kind = |kernel: &str, dimensions: Dimensions, arguments: &[fracas_emulator::Argument]| {
        machine.launch(kernel, dimensions, arguments, &Options::default()).map_err(|fault| fault.kind)
    };
    let invalid = Some(FaultKind::InvalidLaunch);
    assert!(kind("test", Dimensions::linear(1, 1024), &[buffer.into()]).is_ok());
    for (kernel, dimensions) in [
        ("missing", Dimensions::linear(1, 1)),
        ("test", Dimensions::linear(0, 1)),
        ("test", Dimensions::linear(1, 0)),
        ("test", Dimensions::linear(1, 1025)),
        ("test", Dimensions { block: [1, 1, 65], ..Dimensions::linear(1, 1) }),
        ("test", Dimensions { shared_bytes: 1 << 20, ..Dimensions::linear(1, 1) }),
    ] {
        assert_eq!(kind(kernel, dimensions, &[buffer.into()]).err(), invalid, "{dimensions:?}");
    }
    assert_eq!(kind("test", Dimensions::linear(1, 1), &[]).err(), invalid);
    assert_eq!(kind("test", Dimensions::linear(1, 1), &[1_u32.into()]).err(), invalid);
}

#[test]
fn the_source_position_of_the_compiler_is_named() {
    let text = format!(
        "{}.file 1 \"kernels.rs\"
.visible .entry test(.param .u64 pointer) {{
    .loc 1 17 5
    trap;
}}
.section .debug_abbrev {{ .b8 1 .b8 17 }}",
        common::HEAD
    );
    let machine = Machine::new(&text);
    let fault = machine.launch("test", Dimensions::linear(1, 1), &[0_u64.into()], &Options::default()).unwrap_err();
    assert_eq!(fault.source.as_deref(), Some("kernels.rs:17"));
    assert_eq!(
        fault.to_string(),
        "Trap in kernel 'test', block (0, 0, 0) thread (0, 0, 0), PTX line 7 (kernels.rs:17): trap was executed"
    );
}

#[test]
fn a_uniform_branch_that_parts_the_lanes() {
    let body = |form: &str| format!("mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, %r1, 8;\n @%p1 {form} DONE;//!\nDONE:\n");
    expect(&body("bra.uni"), &[0], Dimensions::linear(1, 32), &Options::default(), FaultKind::InvalidOperand);
    run(&body("bra"), &[0], Dimensions::linear(1, 32), &Options::default()).unwrap();
    run(&body("bra.uni"), &[0], Dimensions::linear(1, 8), &Options::default()).unwrap();
}

#[test]
fn lanes_that_do_not_agree_on_a_barrier_or_on_members() {
    let body = "mov.u32 %r1, %laneid;\n and.b32 %r2, %r1, 1;\n barrier.sync %r2;//!\n";
    expect(body, &[0], Dimensions::linear(1, 32), &Options::default(), FaultKind::BarrierDivergence);
    // Two halves with a mask each are fine; a half that is named by the other and does not name it is not.
    let body = |low: &str| {
        format!(
            "mov.u32 %r1, %laneid;\n setp.lt.u32 %p1, %r1, 16;\n selp.b32 %r2, {low}, 0xffff0000, %p1;\n vote.sync.ballot.b32 %r3, %p1, %r2;//!\n"
        )
    };
    run(&body("0xffff"), &[0], Dimensions::linear(1, 32), &Options::default()).unwrap();
    expect(&body("0xffffffff"), &[0], Dimensions::linear(1, 32), &Options::default(), FaultKind::InvalidOperand);
}

#[test]
fn a_store_to_the_parameters_of_a_kernel() {
    let body = "mov.b64 %rd1, pointer;\n cvta.param.u64 %rd2, %rd1;\n ld.b64 %rd3, [%rd2];\n st.b64 [%rd2], %rd3;//!\n";
    expect(body, &[0], Dimensions::linear(1, 1), &Options::default(), FaultKind::ReadOnly);
}

/// What one thread writes next to another must not hide the other's write.
#[test]
fn a_race_with_one_of_two_neighbours() {
    // Threads 0 and 32 write the two halves of a double word; thread 64 reads the first half.
    let body = |kind: &str, bytes: u32, between: &str| {
        format!(
            "mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0;
    shr.u32 %r3, %r1, 5;
    mul.wide.u32 %rd1, %r3, {bytes};
    add.s64 %rd2, %rd0, %rd1;
    @%p1 bra NEXT;
    setp.eq.u32 %p2, %r3, 2;
    @!%p2 st.global.{kind} [%rd2], %r1;
NEXT:
    {between}
    setp.eq.u32 %p3, %r1, 64;
    @%p3 ld.global.{kind} %r4, [%rd0];//!
"
        )
    };
    for (kind, bytes) in [("u32", 4), ("u8", 1), ("u16", 2)] {
        let threads = Dimensions::linear(1, 96);
        expect(&body(kind, bytes, ""), &[0; 8], threads, &races(), FaultKind::Race);
        run(&body(kind, bytes, "bar.sync 0;"), &[0; 8], threads, &races()).unwrap();
    }
}

/// A barrier orders those who came to it, and only what they did before.
#[test]
fn a_barrier_of_some_warps_orders_only_them() {
    // Warp 0 writes; warps 0 and 1 meet; then one warp reads.
    let body = |reader: u32| {
        format!(
            "mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.global.u32 [%rd0], 1;
    setp.ge.u32 %p2, %r1, 64;
    @%p2 bra OTHERS;
    bar.sync 1, 64;
OTHERS:
    setp.eq.u32 %p3, %r1, {reader};
    @%p3 ld.global.u32 %r2, [%rd0];//!
"
        )
    };
    run(&body(32), &[0; 2], Dimensions::linear(1, 96), &races()).unwrap();
    for seed in 0..4 {
        let options = Options { shuffle: Some(seed), ..races() };
        let fault = run(&body(64), &[0; 2], Dimensions::linear(1, 96), &options).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Race);
    }
    // A producer that arrives and goes on: what it writes after its arrival is not ordered.
    let body = |place: &str| {
        let (before, after) = if place == "before" {
            ("@%p1 st.global.u32 [%rd0], 1;", "")
        } else {
            ("", "@%p1 st.global.u32 [%rd0], 1;")
        };
        format!(
            "mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    setp.ge.u32 %p2, %r1, 32;
    @%p2 bra CONSUMER;
    {before}
    bar.arrive 1, 64;
    {after}
    ret;
CONSUMER:
    bar.sync 1, 64;
    setp.eq.u32 %p3, %r1, 32;
    @%p3 ld.global.u32 %r2, [%rd0];
"
        )
    };
    let options = Options { exited_threads_at_barriers: false, ..races() };
    run(&body("before"), &[0; 2], Dimensions::linear(1, 64), &options).unwrap();
    let fault = run(&body("after"), &[0; 2], Dimensions::linear(1, 64), &options).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Race);
}

#[test]
fn atomics_race_with_plain_accesses_and_with_those_of_a_narrower_scope() {
    let body = |first: &str, other: &str| {
        format!("mov.u32 %r1, %ctaid.x;\n setp.eq.u32 %p1, %r1, 0;\n @%p1 {first}\n @!%p1 {other}\n")
    };
    let blocks = Dimensions::linear(2, 1);
    let (wide, narrow) = ("red.global.add.u32 [%rd0], 1;", "red.relaxed.cta.global.add.u32 [%rd0], 1;");
    for seed in 0..4 {
        let options = Options { shuffle: Some(seed), ..races() };
        let kind = |first: &str, other: &str| {
            run(&body(first, other), &[0], blocks, &options).map_err(|fault| fault.kind).err()
        };
        assert_eq!(kind(wide, wide), None);
        assert_eq!(kind(wide, "ld.relaxed.gpu.global.u32 %r2, [%rd0];"), None);
        for other in ["ld.global.u32 %r2, [%rd0];", "st.global.u32 [%rd0], 1;", "st.global.u8 [%rd0+3], 1;", narrow] {
            assert_eq!(kind(wide, other), Some(FaultKind::Race), "{other}");
        }
        assert_eq!(kind(narrow, narrow), Some(FaultKind::Race));
        assert_eq!(kind("ld.global.u32 %r2, [%rd0];", "ld.relaxed.gpu.global.u32 %r2, [%rd0];"), None);
    }
    // Inside of a block the narrow scope is enough.
    run("red.relaxed.cta.global.add.u32 [%rd0], 1;\n", &[0], Dimensions::linear(1, 64), &races()).unwrap();
}

/// Many warps wait for one message; whoever has the turn between the read and the fence of another takes nothing away.
#[test]
fn a_message_to_many_warps_is_no_race_in_any_order() {
    let body = message("fence.acq_rel.cta;", "fence.acq_rel.cta;")
        .replace("mov.u32 %r1, %ctaid.x;", "mov.u32 %r1, %tid.x;\n shr.u32 %r1, %r1, 5;")
        .replace("st.global.u32 [%rd0+8], %r3;", "");
    for seed in 0..20 {
        let options = Options { shuffle: Some(seed), turn: 3, ..races() };
        run(&body, &[0; 3], Dimensions::linear(1, 256), &options)
            .unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    }
}

/// A block that waits for one that has failed ends with it.
#[test]
fn the_other_blocks_end_with_the_one_that_failed() {
    let body = "mov.u32 %r1, %ctaid.x;\n setp.eq.u32 %p1, %r1, 0;\n @%p1 trap;//!\nWAIT:\n ld.volatile.global.u32 %r2, [%rd0];\n setp.eq.u32 %p2, %r2, 0;\n @%p2 bra WAIT;\n";
    let options = Options { instruction_limit: u64::MAX, ..Options::default() };
    expect(body, &[0], Dimensions::linear(8, 32), &options, FaultKind::Trap);
}
