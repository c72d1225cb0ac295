//! Memory spaces, widths, vectors, parameters, variables of a module, atomics.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::Slot::{B16, B32, B64, F32, F64};
use common::forms::covered;
use common::{HEAD, Machine, evaluate};
use fracas_emulator::{Argument, Dimensions, Options};

fn words(body: &str, before: &[u32]) -> Vec<u32> {
    let machine = Machine::kernel(body);
    let buffer = machine.buffer(before);
    machine.run("test", 1, 1, &[buffer.into()]);
    machine.read(buffer, before.len())
}

#[test]
fn small_loads_are_extended_to_the_register() {
    let before = [0x80ff_7f81, 0, 0, 0, 0, 0, 0, 0];
    let body = "
    ld.global.s8 %rs1, [%rd0];
    cvt.s32.s16 %r1, %rs1;
    st.global.u32 [%rd0+4], %r1;
    ld.global.u8 %r2, [%rd0];
    st.global.u32 [%rd0+8], %r2;
    ld.global.s8 %r3, [%rd0+3];
    st.global.u32 [%rd0+12], %r3;
    ld.global.s16 %rd1, [%rd0+2];
    st.global.u64 [%rd0+16], %rd1;
    ld.global.b8 %r5, [%rd0+2];
    st.global.u32 [%rd0+24], %r5;
    ld.global.s16 %r6, [%rd0];
    st.global.u32 [%rd0+28], %r6;";
    let expected = [0x80ff_7f81, 0xffff_ff81, 0x81, 0xffff_ff80, 0xffff_80ff, 0xffff_ffff, 0xff, 0x7f81];
    assert_eq!(words(body, &before), expected);
}

#[test]
fn small_stores_leave_their_neighbours_alone() {
    let body = "
    mov.b32 %r1, 0x12345678;
    st.global.u8 [%rd0+1], %r1;
    st.global.u16 [%rd0+6], %r1;
    mov.b64 %rd1, 0x1122334455667788;
    st.global.u8 [%rd0+8], %rd1;
    st.global.b32 [%rd0+12], %rd1;";
    assert_eq!(words(body, &[u32::MAX; 4]), [0xffff_78ff, 0x5678_ffff, 0xffff_ff88, 0x5566_7788]);
}

#[test]
fn vectors_of_two_and_four() {
    let body = "
    ld.global.v2.u32 {%r1, %r2}, [%rd0];
    st.global.v2.u32 [%rd0+8], {%r2, %r1};
    ld.global.v4.u32 {%r1, %r2, _, %r4}, [%rd0];
    st.global.v4.b32 [%rd0+16], {%r4, 9, %r2, %r1};
    ld.global.v2.f64 {%fd1, %fd2}, [%rd0+16];
    st.global.v2.f64 [%rd0+32], {%fd2, %fd1};
    ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd0+48];
    st.global.v4.u8 [%rd0+52], {%rs4, %rs3, %rs2, %rs1};";
    let mut before = [0; 14];
    before[..2].copy_from_slice(&[1, 2]);
    before[12] = 0x0403_0201;
    let expected = [1, 2, 2, 1, 1, 9, 2, 1, 2, 1, 1, 9, 0x0403_0201, 0x0102_0304];
    assert_eq!(words(body, &before), expected);
}

/// The start of a kernel with a word in every space.
const WORDS: &str = ".global .align 4 .u32 variable = 11;
.const .align 4 .u32 constant = 22;
.visible .entry test(.param .u64 pointer, .param .u32 value) {
    .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
    .shared .align 4 .u32 shared_word;
    .local .align 4 .u32 local_word;
    ld.param.u64 %rd0, [pointer];
    st.shared.u32 [shared_word], 33;
    st.local.u32 [local_word], 44;";

#[test]
fn generic_addresses_of_every_space() {
    let text = format!(
        "{HEAD}{WORDS}
    cvta.shared.u64 %rd1, shared_word;
    cvta.local.u64 %rd2, local_word;
    cvta.global.u64 %rd3, variable;
    cvta.const.u64 %rd4, constant;
    cvta.param.u64 %rd5, value;
    ld.u32 %r1, [%rd1];
    ld.u32 %r2, [%rd2];
    ld.u32 %r3, [%rd3];
    ld.u32 %r4, [%rd4];
    ld.u32 %r5, [%rd5];
    st.global.v4.u32 [%rd0], {{%r1, %r2, %r3, %r4}};
    st.global.u32 [%rd0+16], %r5;
    cvta.to.shared.u64 %rd6, %rd1;
    st.u32 [%rd1], 34;
    ld.shared.u32 %r6, [%rd6];
    st.global.u32 [%rd0+20], %r6;
    mov.u32 %r7, 0;
    isspacep.shared %p1, %rd1;
    @%p1 or.b32 %r7, %r7, 1;
    isspacep.local %p2, %rd2;
    @%p2 or.b32 %r7, %r7, 2;
    isspacep.global %p3, %rd3;
    @%p3 or.b32 %r7, %r7, 4;
    isspacep.const %p4, %rd4;
    @%p4 or.b32 %r7, %r7, 8;
    isspacep.shared %p5, %rd2;
    @%p5 or.b32 %r7, %r7, 16;
    isspacep.global %p6, %rd1;
    @%p6 or.b32 %r7, %r7, 32;
    isspacep.local %p7, %rd3;
    @%p7 or.b32 %r7, %r7, 64;
    st.global.u32 [%rd0+24], %r7;
    atom.add.u32 %r8, [%rd1], 6;
    ld.shared.u32 %r9, [shared_word];
    st.global.u32 [%rd0+28], %r9;
    ret;
}}"
    );
    let machine = Machine::new(&text);
    let out = machine.buffer(&[0_u32; 8]);
    machine.run("test", 1, 1, &[out.into(), 55_u32.into()]);
    assert_eq!(machine.read::<u32>(out, 8), [33, 44, 11, 22, 55, 34, 15, 40]);
    spaces_there_and_back();
    covered("memory::generic_addresses_of_every_space");
}

/// The spaces under all their names: the name, its variable, and what lies in it.
const SPACES: [(&str, &str, u32); 7] = [
    ("global", "variable", 11),
    ("const", "constant", 22),
    ("shared", "shared_word", 33),
    ("shared::cta", "shared_word", 33),
    ("local", "local_word", 44),
    ("param", "value", 55),
    ("param::entry", "value", 55),
];

/// A generic address goes back to its own space, and lies in no other one; but parameters are a part of global memory.
fn spaces_there_and_back() {
    for (space, variable, expected) in SPACES {
        let questions: String = SPACES
            .iter()
            .enumerate()
            .map(|(bit, (other, _, _))| {
                format!("    isspacep.{other} %p1, %rd1;\n    @%p1 or.b32 %r3, %r3, {};\n", 1 << bit)
            })
            .collect();
        let text = format!(
            "{HEAD}{WORDS}
    cvta.{space}.u64 %rd1, {variable};
    ld.u32 %r1, [%rd1];
    cvta.to.{space}.u64 %rd2, %rd1;
    ld.{space}.u32 %r2, [%rd2];
    mov.u32 %r3, 0;
{questions}    st.global.v2.u32 [%rd0], {{%r1, %r2}};
    st.global.u32 [%rd0+8], %r3;
    ret;
}}"
        );
        let machine = Machine::new(&text);
        let out = machine.buffer(&[0_u32; 3]);
        machine.run("test", 1, 1, &[out.into(), 55_u32.into()]);
        let lies_in = |other: &str| {
            let whole = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
            whole(other) == whole(space) || (other == "global" && space.starts_with("param"))
        };
        let answers = SPACES.iter().enumerate().map(|(bit, (other, _, _))| u32::from(lies_in(other)) << bit).sum();
        assert_eq!(machine.read::<u32>(out, 3), [expected, expected, answers], "{space}");
    }
}

#[test]
fn moves_of_every_type() {
    let values =
        [0, 1, 0x7fff, 0x8000, 0xffff_ffff, 0x7f80_0001, 0xffc0_0000, 0x7ff0_0000_0000_0001, u64::MAX, 1 << 63];
    let rows = values.map(|value| [value, 0, 0, 0]);
    let kinds = [
        (B16, 16, vec!["b16", "u16", "s16"]),
        (B32, 32, vec!["b32", "u32", "s32"]),
        (B64, 64, vec!["b64", "u64", "s64"]),
        (F32, 32, vec!["f32"]),
        (F64, 64, vec!["f64"]),
    ];
    for (slot, bits, kinds) in kinds {
        for kind in kinds {
            let found = evaluate(&format!("mov.{kind} {{d}}, {{a}};"), slot, &[slot], &rows);
            assert_eq!(found, values.map(|value| value & u64::MAX >> (64 - bits)), "{kind}");
        }
    }
    covered("memory::moves_of_every_type");
}

#[test]
fn parameters_of_every_width_and_structs() {
    let text = format!(
        "{HEAD}.visible .entry test(
    .param .u8 small, .param .s16 medium, .param .u64 pointer, .param .f32 single, .param .align 8 .b8 pair[24],
    .param .s8 negative, .param .f64 wide
) {{
    .reg .b16 %rs<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<3>; .reg .f64 %fd<3>;
    ld.param.u64 %rd0, [pointer];
    ld.param.u8 %rs1, [small];
    cvt.u32.u16 %r1, %rs1;
    ld.param.s16 %r2, [medium];
    ld.param.s8 %r3, [negative];
    st.global.u32 [%rd0], %r1;
    st.global.u32 [%rd0+4], %r2;
    st.global.u32 [%rd0+8], %r3;
    ld.param.f32 %f1, [single];
    st.global.f32 [%rd0+12], %f1;
    ld.param.f64 %fd1, [wide];
    st.global.f64 [%rd0+16], %fd1;
    ld.param.u64 %rd1, [pair];
    ld.param.v2.u32 {{%r4, %r5}}, [pair+8];
    ld.param.u16 %rs2, [pair+18];
    st.global.u64 [%rd0+24], %rd1;
    st.global.u32 [%rd0+32], %r4;
    st.global.u32 [%rd0+36], %r5;
    cvt.u32.u16 %r6, %rs2;
    st.global.u32 [%rd0+40], %r6;
    mov.b64 %rd3, pair;
    ld.param.u8 %r7, [%rd3+17];
    st.global.u32 [%rd0+44], %r7;
    ret;
}}"
    );
    let machine = Machine::new(&text);
    let out = machine.buffer(&[0_u32; 12]);
    let pair: Vec<u8> = (1..=24).collect();
    let arguments = [
        200_u8.into(),
        (-2_i16).into(),
        out.into(),
        1.5_f32.into(),
        Argument::bytes(&pair),
        (-1_i8).into(),
        (-0.25_f64).into(),
    ];
    machine.run("test", 1, 1, &arguments);
    let found: Vec<u32> = machine.read(out, 12);
    let double = (-0.25_f64).to_bits();
    let expected = [
        200,
        0xffff_fffe,
        0xffff_ffff,
        1.5_f32.to_bits(),
        double as u32,
        (double >> 32) as u32,
        0x0403_0201,
        0x0807_0605,
        0x0c0b_0a09,
        0x100f_0e0d,
        0x1413,
        18,
    ];
    assert_eq!(found, expected);
}

#[test]
fn variables_of_a_module_with_their_first_values() {
    let text = format!(
        "{HEAD}.global .align 4 .b8 bytes[8] = {{1, 2, 3, 255}};
.global .align 8 .u64 pointers[2] = {{generic(bytes), bytes+2}};
.global .f32 floats[2] = {{0f3F800000, 2.5}};
.global .align 1 .u8 packed[8] = {{0xFF(bytes), 0xFF00(bytes), 0xFF0000(bytes), 0xFF000000(bytes), 0xFF00000000(bytes), 0xFF0000000000(bytes), 0xFF000000000000(bytes), 0xFF00000000000000(bytes)}};
.global .s16 grid[2][2] = {{{{1, -1}}, {{2, -2}}}};
.visible .entry test(.param .u64 pointer) {{
    .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<3>;
    ld.param.u64 %rd0, [pointer];
    ld.global.u64 %rd1, [pointers];
    ld.global.u8 %r1, [%rd1+3];
    ld.global.u64 %rd2, [pointers+8];
    ld.global.u8 %r2, [%rd2];
    st.global.v2.u32 [%rd0], {{%r1, %r2}};
    ld.global.f32 %f1, [floats+4];
    st.global.f32 [%rd0+8], %f1;
    ld.global.s16 %r3, [grid+6];
    st.global.u32 [%rd0+12], %r3;
    ld.global.u32 %r4, [bytes+4];
    st.global.u32 [%rd0+16], %r4;
    mov.u64 %rd3, bytes+1;
    ld.global.u8 %r5, [%rd3];
    st.global.u32 [%rd0+20], %r5;
    ret;
}}"
    );
    let machine = Machine::new(&text);
    let out = machine.buffer(&[0_u32; 6]);
    machine.run("test", 1, 1, &[out.into()]);
    assert_eq!(machine.read::<u32>(out, 6), [255, 3, 2.5_f32.to_bits(), 0xffff_fffe, 0, 2]);
    let (packed, size) = machine.module.global("packed").unwrap();
    let (bytes, _) = machine.module.global("bytes").unwrap();
    assert_eq!((machine.read::<u64>(packed, 1)[0], size), (bytes, 8));
}

#[test]
fn only_global_memory_flushes_in_a_sum_of_floats() {
    let body = "
    .shared .align 4 .b8 scratch[4];
    st.shared.u32 [scratch], 1;
    mov.b32 %f1, 2;
    atom.shared.add.f32 %f2, [scratch], %f1;
    ld.shared.u32 %r1, [scratch];
    st.global.u32 [%rd0+4], %r1;
    atom.global.add.f32 %f2, [%rd0], %f1;";
    assert_eq!(words(body, &[1, 0]), [0, 3]);
}

#[test]
fn atomics_of_many_threads() {
    let forms = [
        ("add.u32", 0_u32, "1", 1000_u32),
        ("max.u32", 0, "%r4", 999),
        ("min.u32", u32::MAX, "%r4", 0),
        ("inc.u32", 0, "6", 1000 % 7),
        ("xor.b32", 0, "%r4", (0..1000).fold(0, |sum, value| sum ^ value)),
        ("or.b32", 0, "%r4", 1023),
    ];
    for space in ["global", "shared"] {
        for (form, start, operand, expected) in forms {
            // One block for shared memory, ten for global memory.
            let (blocks, threads) = if space == "global" { (10, 100) } else { (1, 1000) };
            let (setup, address, end) = if space == "global" {
                (String::new(), "[%rd0]", String::new())
            } else {
                (
                    format!(".shared .align 4 .b8 scratch[4];\n st.shared.u32 [scratch], {start};\n bar.sync 0;"),
                    "[scratch]",
                    "bar.sync 0;\n ld.shared.u32 %r9, [scratch];\n st.global.u32 [%rd0], %r9;".to_owned(),
                )
            };
            let body = format!(
                "mov.u32 %r1, %tid.x;\n mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mad.lo.u32 %r4, %r2, %r3, %r1;
                {setup}\n red.{space}.{form} {address}, {operand};\n {end}"
            );
            let machine = Machine::kernel(&body);
            let buffer = machine.buffer(&[start]);
            machine.run("test", blocks, threads, &[buffer.into()]);
            assert_eq!(machine.read::<u32>(buffer, 1), [expected], "{space} {form}");
        }
    }
}

/// A lock of compare-and-swap around a plain addition, between blocks.
#[test]
fn a_lock_between_blocks() {
    let body = "
LOCK:
    atom.acquire.gpu.global.cas.b32 %r1, [%rd0], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOCK;
    ld.global.u32 %r2, [%rd0+4];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd0+4], %r2;
    atom.release.gpu.global.exch.b32 %r3, [%rd0], 0;";
    let machine = Machine::kernel(body);
    for options in [Options::default(), Options { races: true, ..Options::default() }] {
        let buffer = machine.buffer(&[0_u32, 0]);
        machine.launch("test", Dimensions::linear(200, 1), &[buffer.into()], &options).unwrap();
        assert_eq!(machine.read::<u32>(buffer, 2), [0, 200]);
    }
}

#[test]
fn rows_of_an_array_are_filled_up_with_zeros() {
    let text = format!(
        "{HEAD}.global .align 512 .u32 far = 1;
.global .align 4 .u16 rows[3][4] = {{{{1, 2}}, {{3}}}};
.global .align 4 .u8 flat[2][3] = {{1, 2, 3, 4}};
.global .align 4 .u32 open[] = {{7, 8, 9}};
.global .align 8 .f64 numbers[3] = {{0d3FF8000000000000, 0f3FC00000, 2.5}};
.global .align 4 .f32 single = 1.5;
.visible .entry test() {{ ret; }}"
    );
    let machine = Machine::new(&text);
    let place = |name: &str| machine.module.global(name).unwrap();
    assert_eq!(place("far").0 % 512, 0);
    assert_eq!(machine.read::<u16>(place("rows").0, 12), [1, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(machine.read::<u8>(place("flat").0, 6), [1, 2, 3, 4, 0, 0]);
    assert_eq!((place("open").1, machine.read::<u32>(place("open").0, 3)), (12, vec![7, 8, 9]));
    assert_eq!(machine.read::<f64>(place("numbers").0, 3), [1.5, 1.5, 2.5]);
    assert_eq!(machine.read::<f32>(place("single").0, 1), [1.5]);
}

/// A generic address of a kernel's parameter keeps its meaning in a function that has parameters of its own, and local
/// memory of a deeper call starts where its alignment asks for.
#[test]
fn addresses_in_called_functions() {
    let text = format!(
        "{HEAD}.func (.param .b64 out) callee(.param .b64 address, .param .b64 other) {{
    .reg .b64 %rd<8>; .local .align 64 .b8 depot[8];
    ld.param.b64 %rd1, [address];
    ld.b64 %rd2, [%rd1];
    mov.b64 %rd3, depot;
    and.b64 %rd4, %rd3, 63;
    add.s64 %rd5, %rd2, %rd4;
    st.param.b64 [out], %rd5;
    ret;
}}
.visible .entry test(.param .u64 pointer, .param .u64 number) {{
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<8>; .local .align 8 .b8 depot[24];
    ld.param.u64 %rd0, [pointer];
    mov.b64 %rd1, number;
    cvta.param.u64 %rd2, %rd1;
    {{
    .param .b64 a; .param .b64 b; .param .b64 c;
    st.param.b64 [a], %rd2;
    st.param.b64 [b], 99;
    call.uni (c), callee, (a, b);
    ld.param.b64 %rd3, [c];
    }}
    st.global.u64 [%rd0], %rd3;
    isspacep.param %p1, %rd2;
    isspacep.global %p2, %rd2;
    isspacep.local %p3, %rd2;
    selp.u32 %r1, 1, 0, %p1;
    selp.u32 %r2, 2, 0, %p2;
    selp.u32 %r3, 4, 0, %p3;
    or.b32 %r4, %r1, %r2;
    or.b32 %r4, %r4, %r3;
    st.global.u32 [%rd0+8], %r4;
    ret;
}}"
    );
    let machine = Machine::new(&text);
    let buffer = machine.buffer(&[0_u64; 2]);
    machine.run("test", 1, 1, &[buffer.into(), 1234_u64.into()]);
    assert_eq!(machine.read::<u64>(buffer, 2), [1234, 3]);
}
