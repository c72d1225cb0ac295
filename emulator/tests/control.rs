//! Divergence and reconvergence, calls, tables of branches, scopes.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::forms::covered;
use common::{HEAD, Machine};
use fracas_emulator::{FaultKind, Module};

/// Runs a kernel in which each of 64 threads stores one word.
fn each(declarations: &str, body: &str) -> Vec<u32> {
    let text = format!(
        "{HEAD}{declarations}
.visible .entry test(.param .u64 pointer) {{
    .reg .pred %p<10>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<10>; .reg .f64 %fd<10>;
    ld.param.u64 %rd0, [pointer];
    mov.u32 %r1, %tid.x;
{body}
    mul.wide.u32 %rd30, %r1, 4;
    add.s64 %rd31, %rd0, %rd30;
    st.global.u32 [%rd31], %r20;
    ret;
}}"
    );
    let machine = Machine::new(&text);
    let buffer = machine.buffer(&[0_u32; 64]);
    machine.run("test", 1, 64, &[buffer.into()]);
    machine.read(buffer, 64)
}

fn expect(found: &[u32], expected: impl Fn(u32) -> u32) {
    for (thread, found) in found.iter().enumerate() {
        assert_eq!(*found, expected(thread as u32), "thread {thread}");
    }
}

#[test]
fn loops_of_different_lengths_meet_at_the_end() {
    let found = each(
        "",
        "    mov.u32 %r20, 0;\n    mov.u32 %r2, %r1;
LOOP:
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra DONE;
    add.u32 %r20, %r20, %r2;
    sub.u32 %r2, %r2, 1;
    bra.uni LOOP;
DONE:
    activemask.b32 %r3;
    setp.ne.u32 %p2, %r3, 0xffffffff;
    @%p2 mov.u32 %r20, 0;",
    );
    expect(&found, |thread| thread * (thread + 1) / 2);
    covered("control::loops_of_different_lengths_meet_at_the_end");
}

#[test]
fn nested_branches_meet_before_a_shuffle() {
    let found = each(
        "",
        "    mov.u32 %r20, 0;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @!%p1 bra ODD;
    and.b32 %r3, %r1, 2;
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra FOURTH;
    add.u32 %r20, %r20, 10;
    bra.uni MEET;
FOURTH:
    add.u32 %r20, %r20, 20;
    bra.uni MEET;
ODD:
    add.u32 %r20, %r20, 30;
MEET:
    shfl.sync.bfly.b32 %r20, %r20, 3, 31, 0xffffffff;",
    );
    expect(&found, |thread| match (thread ^ 3) % 4 {
        0 => 20,
        2 => 10,
        _ => 30,
    });
}

/// Some lanes leave inside of a branch; the others still meet after it.
#[test]
fn an_early_return_leaves_the_others_together() {
    let found = each(
        "",
        "    mov.u32 %r20, 7;
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra ELSE;
    setp.lt.u32 %p2, %r1, 4;
    @!%p2 bra STAY;
    ret;
STAY:
    add.u32 %r20, %r20, 1;
    bra.uni MEET;
ELSE:
    add.u32 %r20, %r20, 2;
MEET:
    activemask.b32 %r3;
    popc.b32 %r3, %r3;
    mad.lo.u32 %r20, %r3, 100, %r20;",
    );
    expect(&found, |thread| match thread {
        0..4 => 0,
        4..16 => 2808,
        16..32 => 2809,
        _ => 3209,
    });
    covered("control::an_early_return_leaves_the_others_together");
}

#[test]
fn exit_in_a_called_function_ends_the_thread() {
    let found = each(
        ".func leave(.param .b32 value) {
    .reg .pred %p<2>; .reg .b32 %r<2>;
    ld.param.b32 %r1, [value];
    setp.gt.u32 %p1, %r1, 9;
    @%p1 exit;
    ret;
}",
        "    {
    .param .b32 argument;
    st.param.b32 [argument], %r1;
    call.uni leave, (argument);
    }
    mov.u32 %r20, 5;",
    );
    expect(&found, |thread| if thread > 9 { 0 } else { 5 });
    covered("control::exit_in_a_called_function_ends_the_thread");
}

#[test]
fn a_table_of_branches() {
    let found = each(
        "",
        "    and.b32 %r2, %r1, 3;
    TABLE: .branchtargets ZERO, ONE, ZERO, THREE;
    brx.idx %r2, TABLE;
ZERO:
    mov.u32 %r20, 100;
    bra.uni MEET;
ONE:
    mov.u32 %r20, 101;
    bra.uni MEET;
THREE:
    mov.u32 %r20, 103;
MEET:
    shfl.sync.idx.b32 %r3, %r20, 1, 31, 0xffffffff;
    add.u32 %r20, %r20, %r3;",
    );
    expect(&found, |thread| [201, 202, 201, 204][thread as usize % 4]);
    // All lanes go the same way.
    let body = |index: u32| {
        format!(
            "    mov.u32 %r2, {index};\n    TABLE: .branchtargets ZERO, ONE;\n    brx.idx.uni %r2, TABLE;
ZERO:\n    mov.u32 %r20, 100;\n    bra.uni MEET;\nONE:\n    mov.u32 %r20, 101;\nMEET:"
        )
    };
    expect(&each("", &body(0)), |_| 100);
    expect(&each("", &body(1)), |_| 101);
    covered("control::a_table_of_branches");
}

#[test]
fn a_branch_outside_of_its_table_is_a_fault() {
    let machine = Machine::kernel("TABLE: .branchtargets HERE;\n mov.u32 %r1, 1;\n brx.idx %r1, TABLE;\nHERE:");
    let fault = machine
        .launch(
            "test",
            fracas_emulator::Dimensions::linear(1, 1),
            &[0_u64.into()],
            &fracas_emulator::Options::default(),
        )
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::InvalidOperand);
}

#[test]
fn calls_that_take_and_return_aggregates() {
    let found = each(
        ".func (.param .align 8 .b8 result[24]) swap(.param .align 8 .b8 given[24], .param .b16 small, .param .b8 tiny) {
    .reg .b16 %rs<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.b64 %rd1, [given];
    ld.param.v2.b32 {%r1, %r2}, [given+8];
    ld.param.b16 %rs1, [given+16];
    ld.param.b16 %rs2, [small];
    ld.param.b8 %rs3, [tiny];
    add.u16 %rs1, %rs1, %rs2;
    add.u16 %rs1, %rs1, %rs3;
    st.param.v2.b32 [result], {%r2, %r1};
    st.param.b64 [result+8], %rd1;
    st.param.b16 [result+18], %rs1;
    ret;
}",
        "    cvt.u64.u32 %rd1, %r1;
    cvt.u16.u32 %rs1, %r1;
    {
    .reg .b16 %t<3>;
    .param .align 8 .b8 argument[24];
    .param .b16 second;
    .param .b8 third;
    .param .align 8 .b8 returned[24];
    st.param.b64 [argument], %rd1;
    st.param.v2.b32 [argument+8], {%r1, 7};
    mov.b16 %t1, 1000;
    st.param.b16 [argument+16], %t1;
    st.param.b16 [second], %rs1;
    mov.b16 %t2, 0x105;
    st.param.b8 [third], %t2;
    call.uni (returned), swap, (argument, second, third);
    ld.param.b32 %r2, [returned];
    ld.param.b32 %r3, [returned+4];
    ld.param.b64 %rd2, [returned+8];
    ld.param.u16 %r4, [returned+18];
    }
    cvt.u32.u64 %r5, %rd2;
    mad.lo.u32 %r20, %r2, 1000000, %r3;
    mad.lo.u32 %r20, %r5, 10000000, %r20;
    mad.lo.u32 %r20, %r4, 1000, %r20;"
            .replace("    cvt.u16.u32 %rs1, %r1;", "    .reg .b16 %rs<4>;\n    cvt.u16.u32 %rs1, %r1;")
            .as_str(),
    );
    expect(&found, |thread| {
        (7_u32 * 1_000_000 + thread)
            .wrapping_add(thread.wrapping_mul(10_000_000))
            .wrapping_add((1000 + thread + 5) * 1000)
    });
}

#[test]
fn registers_as_parameters() {
    let found = each(
        ".func (.reg .u32 out) sum(.reg .u32 left, .reg .u32 right) {
    add.u32 out, left, right;
    ret;
}",
        "    call (%r20), sum, (%r1, 5);",
    );
    expect(&found, |thread| thread + 5);
}

/// The Fibonacci numbers by two calls each, with a different depth in each lane, and a local array in each call.
#[test]
fn recursion_with_local_memory() {
    let found = each(
        ".func (.param .b32 result) fibonacci(.param .b32 value) {
    .local .align 8 .b8 depot[8];
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<3>;
    ld.param.b32 %r1, [value];
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra SMALL;
    mov.u64 %rd1, depot;
    cvta.local.u64 %rd2, %rd1;
    sub.u32 %r2, %r1, 1;
    {
    .param .b32 argument; .param .b32 returned;
    st.param.b32 [argument], %r2;
    call.uni (returned), fibonacci, (argument);
    ld.param.b32 %r3, [returned];
    }
    st.u32 [%rd2+4], %r3;
    sub.u32 %r4, %r1, 2;
    {
    .param .b32 argument; .param .b32 returned;
    st.param.b32 [argument], %r4;
    call.uni (returned), fibonacci, (argument);
    ld.param.b32 %r5, [returned];
    }
    ld.local.u32 %r6, [depot+4];
    add.u32 %r7, %r5, %r6;
    st.param.b32 [result], %r7;
    ret;
SMALL:
    st.param.b32 [result], %r1;
    ret;
}",
        "    and.b32 %r2, %r1, 15;
    {
    .param .b32 argument; .param .b32 returned;
    st.param.b32 [argument], %r2;
    call.uni (returned), fibonacci, (argument);
    ld.param.b32 %r20, [returned];
    }
    shfl.sync.bfly.b32 %r20, %r20, 1, 31, 0xffffffff;",
    );
    let numbers = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610];
    expect(&found, |thread| numbers[(thread as usize ^ 1) % 16]);
}

#[test]
fn calls_through_pointers_that_differ_in_each_lane() {
    let double = |name: &str, factor: u32| {
        format!(
            ".func (.param .b32 result) {name}(.param .b32 value) {{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [value];
    mul.lo.u32 %r2, %r1, {factor};
    st.param.b32 [result], %r2;
    ret;
}}\n"
        )
    };
    let declarations = format!(
        "{}{}{}.global .align 8 .u64 table[3] = {{twice, thrice, tenfold}};",
        double("twice", 2),
        double("thrice", 3),
        double("tenfold", 10)
    );
    let found = each(
        &declarations,
        "    rem.u32 %r2, %r1, 3;
    mul.wide.u32 %rd1, %r2, 8;
    mov.u64 %rd2, table;
    add.s64 %rd3, %rd2, %rd1;
    ld.global.u64 %rd4, [%rd3];
    {
    .param .b32 argument; .param .b32 returned;
    st.param.b32 [argument], %r1;
    prototype : .callprototype (.param .b32 _) _ (.param .b32 _);
    call (returned), %rd4, (argument), prototype;
    ld.param.b32 %r20, [returned];
    }
    activemask.b32 %r3;
    setp.ne.u32 %p1, %r3, 0xffffffff;
    @%p1 mov.u32 %r20, 0;",
    );
    expect(&found, |thread| thread * [2, 3, 10][thread as usize % 3]);
}

#[test]
fn a_call_under_a_predicate() {
    // `.uni` promises that the lanes agree; those of the second form do.
    for (call, callers) in [("call", 10), ("call.uni", 64)] {
        let found = each(
            ".func (.param .b32 result) seven() {
    st.param.b32 [result], 7;
    ret.uni;
}",
            &format!(
                "    setp.lt.u32 %p1, %r1, {callers};
    mov.u32 %r20, 1;
    {{
    .param .b32 returned;
    @%p1 {call} (returned), seven;
    ld.param.b32 %r2, [returned];
    @%p1 mov.u32 %r20, %r2;
    }}"
            ),
        );
        expect(&found, |thread| if thread < callers { 7 } else { 1 });
    }
    covered("control::a_call_under_a_predicate");
}

#[test]
fn scopes_hide_names_and_labels() {
    let found = each(
        "",
        "    mov.u32 %r20, 1;
    {
    .reg .b32 %r20;
    mov.u32 %r20, 50;
    bra.uni SAME;
SAME:
    add.u32 %r21, %r20, 0;
    }
    {
    bra.uni SAME;
SAME:
    add.u32 %r20, %r20, %r21;
    }",
    );
    expect(&found, |_| 51);
}

#[test]
fn a_loop_over_a_barrier_keeps_the_warps_in_step() {
    let found = each(
        "",
        "    .shared .align 4 .b8 turns[4];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [turns], 0;
    bar.sync 0;
    mov.u32 %r2, 0;
LOOP:
    @%p1 red.shared.add.u32 [turns], 1;
    bar.sync 0;
    ld.shared.u32 %r20, [turns];
    bar.sync 0;
    add.u32 %r2, %r2, 1;
    setp.ne.u32 %p2, %r2, %r20;
    @%p2 trap;
    setp.lt.u32 %p3, %r2, 10;
    @%p3 bra LOOP;",
    );
    expect(&found, |_| 10);
}

#[test]
fn comments_pragmas_and_names_with_dollars() {
    let text = format!(
        "{HEAD}/* a comment
over lines */ .visible .entry _ZN4test$LT$T$GT$17h0E() {{ // and another
    .pragma \"nounroll\";
$L__BB0_1:
    ret;
}}"
    );
    let module = Module::parse(&text).unwrap();
    assert_eq!(module.kernels().collect::<Vec<_>>(), ["_ZN4test$LT$T$GT$17h0E"]);
    assert_eq!(module.target(), "sm_90");
}

/// One random program: places that change a value and then go somewhere, by bits of the value. Any graph, reducible or
/// not, with returns in the middle, branches under a predicate, tables and calls.
struct Flow {
    places: Vec<Place>,
}

enum Place {
    Branch(usize, usize),
    Table([usize; 4]),
    Leave,
    Call(usize),
}

const FUEL: u32 = 60;

impl Flow {
    fn random(seed: u64) -> Self {
        let mut random = common::Random(seed);
        let count = 4 + (random.next() % 12) as usize;
        let mut to = || (random.next() % count as u64) as usize;
        let places = (0..count)
            .map(|_| match to() % 8 {
                0 => Place::Table([to(), to(), to(), to()]),
                1 => Place::Call(to()),
                2 => Place::Leave,
                _ => Place::Branch(to(), to()),
            })
            .collect();
        Self { places }
    }

    fn text(&self) -> String {
        let mut text = format!("    mov.u32 %r20, %r1;\n    mov.u32 %r10, {FUEL};\n");
        for (index, place) in self.places.iter().enumerate() {
            let constant = index * 2 + 1;
            text += &format!(
                "P{index}:\n    mad.lo.u32 %r20, %r20, 31, {constant};\n    sub.u32 %r10, %r10, 1;
    setp.eq.u32 %p1, %r10, 0;\n    @%p1 bra END;\n    shr.u32 %r11, %r20, 3;\n"
            );
            text += &match place {
                Place::Branch(yes, no) => {
                    format!(
                        "    and.b32 %r12, %r11, 1;\n    setp.ne.u32 %p2, %r12, 0;\n    @%p2 bra P{yes};\n    bra P{no};\n"
                    )
                }
                Place::Table([a, b, c, d]) => format!(
                    "    and.b32 %r12, %r11, 3;\nT{index}: .branchtargets P{a}, P{b}, P{c}, P{d};\n    brx.idx %r12, T{index};\n"
                ),
                Place::Leave => format!(
                    "    and.b32 %r12, %r11, 7;\n    setp.ne.u32 %p2, %r12, 0;\n    mul.wide.u32 %rd30, %r1, 4;
    add.s64 %rd31, %rd0, %rd30;\n    @!%p2 st.global.u32 [%rd31], %r20;\n    @!%p2 ret;\n    bra P{};\n",
                    (index + 1) % self.places.len()
                ),
                // The function returns early for some lanes, and calls itself for others.
                Place::Call(next) => format!("    call.uni (%r20), mix, (%r20, 3);\n    bra P{next};\n"),
            };
        }
        text + "END:\n"
    }

    fn value(&self, thread: u32) -> u32 {
        let (mut value, mut place) = (thread, 0);
        for _ in 1..FUEL {
            value = value.wrapping_mul(31).wrapping_add(place as u32 * 2 + 1);
            let bits = value >> 3;
            place = match &self.places[place] {
                Place::Branch(yes, no) => {
                    if bits & 1 != 0 {
                        *yes
                    } else {
                        *no
                    }
                }
                Place::Table(to) => to[(bits & 3) as usize],
                Place::Leave if bits & 7 == 0 => return value,
                Place::Leave => (place + 1) % self.places.len(),
                Place::Call(next) => {
                    value = mix(value, 3);
                    *next
                }
            };
        }
        value.wrapping_mul(31).wrapping_add(place as u32 * 2 + 1)
    }
}

fn mix(value: u32, depth: u32) -> u32 {
    if value & 2 == 0 || depth == 0 {
        return value ^ 0x55;
    }
    mix(value.wrapping_mul(7), depth - 1).wrapping_add(value)
}

const MIX: &str = ".func (.reg .b32 %out) mix(.reg .b32 %value, .reg .b32 %depth) {
    .reg .pred %p<4>; .reg .b32 %r<6>;
    and.b32 %r1, %value, 2;
    setp.eq.u32 %p1, %r1, 0;
    setp.eq.or.u32 %p2, %depth, 0, %p1;
    @!%p2 bra DEEPER;
    xor.b32 %out, %value, 0x55;
    ret;
DEEPER:
    mul.lo.u32 %r2, %value, 7;
    sub.u32 %r3, %depth, 1;
    call (%r4), mix, (%r2, %r3);
    add.u32 %out, %r4, %value;
}
";

/// Each thread must go its own way, whatever the others of its warp do.
#[test]
fn any_flow_gives_each_thread_its_own_result() {
    for seed in 0..300 {
        let flow = Flow::random(seed);
        for (thread, found) in each(MIX, &flow.text()).iter().enumerate() {
            assert_eq!(*found, flow.value(thread as u32), "seed {seed}, thread {thread}\n{}", flow.text());
        }
    }
}

/// Breaks, continues and returns inside of two loops: whoever is left meets behind them.
#[test]
fn nested_loops_with_breaks_meet_behind_them() {
    let body = |early: &str| {
        format!(
            "    mov.u32 %r20, 0;\n    mov.u32 %r2, 0;
OUTER:
    mov.u32 %r3, 0;
INNER:
    add.u32 %r3, %r3, 1;
    and.b32 %r4, %r1, 3;
    setp.eq.u32 %p1, %r3, %r4;
    @%p1 bra NEXT;
    and.b32 %r5, %r1, 7;
    setp.gt.u32 %p2, %r3, %r5;
    @%p2 bra AFTER;
    {early}
    setp.lt.u32 %p3, %r3, 6;
    @%p3 bra INNER;
AFTER:
    add.u32 %r2, %r2, 1;
    and.b32 %r6, %r1, 15;
    setp.gt.u32 %p4, %r2, %r6;
    @%p4 bra DONE;
NEXT:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p5, %r2, 9;
    @%p5 bra OUTER;
DONE:
    activemask.b32 %r7;
    vote.sync.ballot.b32 %r20, 1, %r7;
"
        )
    };
    expect(&each("", &body("")), |_| u32::MAX);
    // Lanes 6 and 22 leave in the inner loop.
    let leave = "and.b32 %r8, %r1, 15;\n    setp.eq.u32 %p6, %r8, 6;\n    @%p6 exit;";
    expect(&each("", &body(leave)), |thread| if thread % 16 == 6 { 0 } else { !(1 << 6 | 1 << 22) });
}
