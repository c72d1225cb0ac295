//! What cannot be run is refused when it is loaded, with its line.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::{HEAD, kernel_text};
use fracas_emulator::Module;

/// The error of a statement, which must be on its own line.
fn refused(statement: &str) -> String {
    let text = kernel_text(&format!("    {statement} //!"));
    let line = text.lines().position(|line| line.contains("//!")).unwrap() as u32 + 1;
    let error = Module::parse(&text).expect_err(statement);
    assert_eq!(error.line, line, "{statement}: {error}");
    error.message
}

#[test]
fn instructions_that_are_not_known() {
    for statement in [
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 %r1, %r2, %r3, %r4;",
        "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2}];",
        "cp.async.ca.shared.global [%r1], [%rd1], 16;",
        "add.f16 %rs1, %rs2, %rs3;",
        "fma.rn.bf16x2 %r1, %r2, %r3, %r4;",
        "cvt.rn.f16.f32 %rs1, %f1;",
        "vadd.u32.u32.u32 %r1, %r2, %r3;",
        "nonsense.u32 %r1, %r2;",
        "elect.sync %r1|%p1, 0xffffffff;",
        "add.u16x2 %r1, %r2, %r3;",
    ] {
        let message = refused(statement);
        assert!(message.contains("not supported"), "{statement}: {message}");
    }
}

#[test]
fn modifiers_that_an_instruction_does_not_have() {
    for statement in [
        "add.sat.u32 %r1, %r2, %r3;",
        "add.rn.u32 %r1, %r2, %r3;",
        "add.ftz.f64 %fd1, %fd2, %fd3;",
        "min.rn.f32 %f1, %f2, %f3;",
        "fma.f32 %f1, %f2, %f3, %f4;",
        "div.f64 %fd1, %fd2, %fd3;",
        "div.approx.f64 %fd1, %fd2, %fd3;",
        "sqrt.f32 %f1, %f2;",
        "sin.f32 %f1, %f2;",
        "mul.u32 %r1, %r2, %r3;",
        "mul.wide.u64 %rd1, %rd2, %rd3;",
        "shl.u32 %r1, %r2, %r3;",
        "setp.lo.s32 %p1, %r1, %r2;",
        "setp.lt.b32 %p1, %r1, %r2;",
        "setp.num.u32 %p1, %r1, %r2;",
        "cvt.s32.f32 %r1, %f1;",
        "cvt.f32.s32 %f1, %r1;",
        "cvt.rni.s32.u32 %r1, %r2;",
        "cvt.f32.f64 %f1, %fd1;",
        "cvt.rn.f64.f32 %fd1, %f1;",
        "shf.l.b32 %r1, %r2, %r3, %r4;",
        "atom.global.add.b32 %r1, [%rd1], 1;",
        "atom.global.inc.u64 %rd2, [%rd1], 1;",
        "atom.local.add.u32 %r1, [%rd1], 1;",
        "red.global.exch.b32 [%rd1], 1;",
        "membar;",
        "fence.acq_rel;",
        "bar.arrive 0;",
        "ld.global.v4.u32 {%r1, %r2}, [%rd1];",
        "ld.global.v8.u64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8}, [%rd1];",
        // Two of a kind, one without the other, types in the wrong order.
        "add.rn.rz.f32 %f1, %f2, %f3;",
        "rcp.rn.rz.f32 %f1, %f2;",
        "cvt.rn.rz.f32.s32 %f1, %r1;",
        "min.xorsign.f32 %f1, %f2, %f3;",
        "min.abs.f32 %f1, %f2, %f3;",
        "min.NaN.f64 %fd1, %fd2, %fd3;",
        "rsqrt.approx.ftz.f64 %fd1, %fd2;",
        "set.eq.f64.f32 %fd1, %f2, %f3;",
        "set.eq.b16.u32 %r1, %r2, %r3;",
        "set.eq.u32 %r1, %r2, %r3;",
        "slct.u32.u32 %r1, %r2, %r3, %r4;",
        "setp.eq.ftz.u32 %p1, %r1, %r2;",
        // Orders, scopes and hints.
        "ld.release.gpu.global.u32 %r1, [%rd1];",
        "ld.acq_rel.gpu.global.u32 %r1, [%rd1];",
        "ld.relaxed.global.u32 %r1, [%rd1];",
        "ld.volatile.gpu.global.u32 %r1, [%rd1];",
        "ld.gpu.global.u32 %r1, [%rd1];",
        "ld.mmio.global.u32 %r1, [%rd1];",
        "ld.mmio.relaxed.gpu.global.u32 %r1, [%rd1];",
        "ld.volatile.ca.global.u32 %r1, [%rd1];",
        "ld.relaxed.gpu.local.u32 %r1, [%rd1];",
        "ld.wb.global.u32 %r1, [%rd1];",
        "ld.nc.u32 %r1, [%rd1];",
        "ld.shared.nc.u32 %r1, [%rd1];",
        "st.acquire.gpu.global.u32 [%rd1], %r1;",
        "st.global.nc.u32 [%rd1], %r1;",
        "st.global.ca.u32 [%rd1], %r1;",
        "atom.weak.global.add.u32 %r1, [%rd1], 1;",
        "atom.volatile.global.add.u32 %r1, [%rd1], 1;",
        "atom.global.ca.add.u32 %r1, [%rd1], 1;",
        "red.acquire.gpu.global.add.u32 [%rd1], 1;",
        "ldu.relaxed.gpu.global.u32 %r1, [%rd1];",
        "ld.shared.v8.u32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];",
        "ld.global.v8.u8 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];",
        "membar.gpu;",
        "fence.gl;",
        // Hints are looked at too.
        "prefetch.global.L3 [%rd1];",
        "prefetch.L1 %rd1;",
        "nanosleep.u64 %rd1;",
        "prefetch.local.L2::evict_last [%rd1];",
        // What NVIDIA's assembler refuses too.
        "selp.ftz.f32 %f1, %f2, %f3, %p1;",
        "cvt.sat.u32.u8 %r1, %rs1;",
        "cvt.sat.s64.u32 %rd1, %r1;",
        "cvta.param::func.u64 %rd1, %rd2;",
        "isspacep.param::func %p1, %rd1;",
        "ld.global.ca.cg.u32 %r1, [%rd1];",
        "ld.global.ca.L1::evict_first.u32 %r1, [%rd1];",
        "ld.shared.L1::evict_first.u32 %r1, [%rd1];",
        "ld.volatile.global.L1::evict_first.u32 %r1, [%rd1];",
        "ld.weak.global.nc.u32 %r1, [%rd1];",
        "ld.global.lu.nc.u32 %r1, [%rd1];",
        "ld.mmio.relaxed.sys.global.L2::64B.u32 %r1, [%rd1];",
        "st.global.wb.L1::evict_first.u32 [%rd1], %r1;",
        "ldu.shared.u32 %r1, [%rd1];",
        "ldu.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];",
        "bar.sync.aligned 0;",
        "barrier.warp.sync 0xffffffff;",
        "discard.global.L2 [%rd1], 128;",
    ] {
        refused(statement);
    }
}

#[test]
fn operands_that_do_not_fit() {
    for statement in [
        "add.u32 %r1, %r2;",
        "add.u32 %r1, %r2, %r3, %r4;",
        "add.u64 %rd1, %rd2, %r3;",
        "add.u32 %rd1, %r2, %r3;",
        "add.u32 %r1, %r2, %f3;",
        "add.f32 %f1, %f2, 1;",
        "add.u16 %rs1, %rs2, 70000;",
        "add.u32 %r1, %r2, %p1;",
        "add.u32 %p1, %r2, %r3;",
        "setp.eq.u32 %r1, %r2, %r3;",
        "selp.u32 %r1, %r2, %r3, %r4;",
        "mov.u32 %r1, %unknown;",
        "mov.u64 %rd1, missing;",
        "ld.global.u32 %r1, [missing];",
        "ld.global.u32 %r1, [%r2];",
        "ld.global.u32 %r1, %rd1;",
        "ld.global.u64 %r1, [%rd1];",
        "ld.shared.u32 %r1, [pointer];",
        "st.param.u64 [pointer], %rd1;",
        "st.const.u32 [%rd1], %r1;",
        "bra NOWHERE;",
        "call missing;",
        "lop3.b32 %r1, %r2, %r3, %r4, 256;",
        "mov.b64 {%r1, %r2, %r3}, %rd1;",
        "@%r1 add.u32 %r1, %r2, %r3;",
        // A floating-point register holds no integer, and the other way around; a number fills its register.
        "add.u32 %f1, %r2, %r3;",
        "ld.global.u32 %f1, [%rd1];",
        "ld.global.f32 %rd1, [%rd1];",
        "cvt.rn.f32.s32 %rd1, %r1;",
        "cvt.f64.f32 %fd1, %rd1;",
        "mov.u32 %r1, 0f3F800000;",
        "mov.u64 %rd1, 1.5;",
        "mov.u64 %rd1, 99999999999999999999;",
        "mov.u32 %r1, 08;",
        "setp.eq.u32 %p1, %r1, !!%p2;",
        "mov.b64 {{%r1, %r2}, %r3}, %rd1;",
        "ld.param.u64 %rd1, [pointer+4];",
        "ld.param.u64 %rd1, [pointer+-8];",
    ] {
        refused(statement);
    }
}

#[test]
fn texts_that_are_broken() {
    for text in [
        "",
        ".version 7.0 .target sm_70 .address_size 32",
        ".version 7.0 .target sm_70 .visible .entry test(",
        ".version 7.0 .target sm_70 .visible .entry test() { ret; ",
        ".version 7.0 .target sm_70 .visible .entry test() { add.u32 }",
        ".version 7.0 .target sm_70 .visible .entry test() { L: L: ret; }",
        ".version 7.0 .target sm_70 .visible .entry test() { ret; } .visible .entry test() { ret; }",
        ".version 7.0 .target sm_70 .global .u32 a; .global .u32 a;",
        ".version 7.0 .target sm_70 .global .u32 a[1] = {1, 2};",
        ".version 7.0 .target sm_70 .global .u64 a = missing;",
        ".version 7.0 .target sm_70 .extern .global .u32 a;",
        // More than any device has, and more than a text should be able to ask for.
        ".version 7.0 .target sm_70 .visible .entry test() { .reg .b32 %r<4000000000>; ret; }",
        ".version 7.0 .target sm_70 .visible .entry test() { .local .b8 a[4000000000]; ret; }",
        ".version 7.0 .target sm_70 .visible .entry test() { .local .b8 a<4000000000>; ret; }",
        ".version 7.0 .target sm_70 .visible .entry test(.param .b8 a[4000000000]) { ret; }",
        ".version 7.0 .target sm_70 .global .align 2147483648 .u8 a;",
        ".version 7.0 .target sm_70 .global .u64 a[18446744073709551615];",
        ".version 7.0 .target sm_70 .global .u64 a[4294967296][4294967296];",
        // Values that are not of the type.
        ".version 7.0 .target sm_70 .global .u8 a = 256;",
        ".version 7.0 .target sm_70 .global .u8 a = 0f3F800000;",
        ".version 7.0 .target sm_70 .global .f32 a = 1;",
        ".version 7.0 .target sm_70 .global .u32 a = 1.5;",
        ".version 7.0 .target sm_70 .global .u32 a; .global .u32 b = a;",
        ".version 7.0 .target sm_70 .global .u32 a = {1};",
        ".version 7.0 .target sm_70 .global .u32 a[2][2] = {{1, 2, 3}};",
        ".version 7.0 .target sm_70 .global .u32 a[];",
        ".version 7.0 .target sm_70 .shared .u32 a = 1;",
        ".version 7.0 .target sm_70 .global .pred a;",
        ".version 7.0 .target sm_70 /* no end",
        ".version 7.0 .target sm_70 .file 1 \"no end",
        "\u{1}",
    ] {
        // The empty text is a module without anything; the others are errors, and none of them panics.
        assert_eq!(Module::parse(text).is_ok(), text.is_empty(), "{text}");
    }
}

#[test]
fn a_function_without_a_body_cannot_be_called() {
    let text = format!(
        "{HEAD}.extern .func vprintf(.param .b64 format);
.visible .entry test() {{
    {{
    .param .b64 argument;
    st.param.b64 [argument], 0;
    call.uni vprintf, (argument);
    }}
    ret;
}}"
    );
    let error = Module::parse(&text).unwrap_err();
    assert_eq!(error.line, 9);
    assert!(error.message.contains("not defined"), "{error}");
}

/// Calls whose values are not those of the function, direct and through a pointer.
#[test]
fn calls_with_other_values_than_the_function_takes() {
    let text = |declarations: &str, call: &str| {
        format!(
            "{HEAD}.func (.param .b32 out) callee(.param .align 4 .b8 pair[16]) {{ ret; }}
.visible .entry test() {{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .local .b8 depot[16]; {declarations}
    {call}
    ret;
}}"
        )
    };
    let good = ".param .b32 found; .param .align 4 .b8 given[16];";
    Module::parse(&text(good, "call.uni (found), callee, (given);")).unwrap();
    for call in [
        "call.uni (found), callee, (%r1);",
        "call.uni (found), callee, (1);",
        "call.uni (found), callee, (depot);",
        "call.uni (given), callee, (given);",
        "call.uni (1), callee, (given);",
        "call.uni (%rd1), callee, (given);",
        "call.uni callee, (given);",
    ] {
        assert_eq!(Module::parse(&text(good, call)).expect_err(call).line, 7, "{call}");
    }
    let machine = common::Machine::new(&text(
        ".param .b64 found; .param .align 4 .b8 given[8];",
        "mov.u64 %rd1, callee; call (found), %rd1, (given), prototype;",
    ));
    let one = fracas_emulator::Dimensions::linear(1, 1);
    let fault = machine.launch("test", one, &[], &fracas_emulator::Options::default()).unwrap_err();
    assert_eq!(fault.kind, fracas_emulator::FaultKind::InvalidOperand);
}

/// Nested as deep as a text can be: refused, not a stack that overflows.
#[test]
fn deep_texts_do_not_overflow_the_stack() {
    let deep = 200_000;
    for (before, open, after) in [
        (".version 7.0 .target sm_70 .global .u32 a[2] = ", "{", ""),
        (".version 7.0 .target sm_70 .global .u32 a", "[1]", " = 1;"),
        (".version 7.0 .target sm_70 ", ".visible ", ".global .u32 a = 1; ;"),
        (".version 7.0 .target sm_70 .visible .entry test() { add.u32 ", "{", "; }"),
        (".version 7.0 .target sm_70 .visible .entry test() { add.u32 ", "(", "; }"),
        (".version 7.0 .target sm_70 .visible .entry test() { and.pred ", "!", "p; }"),
        (".version 7.0 .target sm_70 .visible .entry test() ", "{", "x"),
    ] {
        assert!(Module::parse(&format!("{before}{}{after}", open.repeat(deep))).is_err(), "{before}{open}");
    }
}

/// Texts cut at every place, and with bytes changed: an error or a module, never a panic.
#[test]
fn damaged_texts_do_not_panic() {
    let text = include_str!("ptx/kernels.ptx");
    for end in (0..text.len()).step_by(97) {
        if text.is_char_boundary(end) {
            let _ = Module::parse(&text[..end]);
        }
    }
    let mut random = common::Random(2);
    for _ in 0..300 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..3 {
            let place = random.next() as usize % bytes.len();
            bytes[place] = b" ,;.{}[]()%0123456789abcrx@!|-+"[random.next() as usize % 31];
        }
        let _ = Module::parse(&String::from_utf8_lossy(&bytes));
    }
}

/// Texts whose tokens are exchanged, doubled, left out or replaced. What is still a module also runs: to its end, to a
/// fault or to the limit of instructions, and never to a panic.
#[test]
fn damaged_tokens_neither_panic_nor_hang() {
    let text = include_str!("ptx/kernels.ptx");
    let start = text.find(".visible .entry").unwrap();
    let (head, body) = text.split_at(start);
    let tokens: Vec<&str> = body.split_inclusive([' ', '\t', '\n', ',', ';', '+']).collect();
    let strange =
        ["{", "}", "(", "-1;", "4294967296,", "%r<99999999>;", ".b8 ", "[", "0f7FFFFFFF,", "bra ", "ret;", "_,"];
    let options = fracas_emulator::Options { instruction_limit: 2_000, ..Default::default() };
    let mut random = common::Random(5);
    let mut ran = 0;
    for _ in 0..400 {
        let mut changed = tokens.clone();
        for _ in 0..1 + random.next() % 3 {
            let (place, other) = (random.next() as usize % changed.len(), random.next() as usize % changed.len());
            match random.next() % 4 {
                0 => changed.swap(place, other),
                1 => changed[place] = changed[other],
                2 => changed[place] = "",
                _ => changed[place] = strange[random.next() as usize % strange.len()],
            }
        }
        let Ok(module) = Module::parse(&format!("{head}{}", changed.concat())) else { continue };
        let device = fracas_emulator::Device::new();
        let Ok(module) = device.load(module) else { continue };
        let names: Vec<String> = module.module().kernels().map(str::to_owned).collect();
        for name in names {
            let sizes = module.parameter_sizes(&name).unwrap();
            let buffer = device.allocate(4096).unwrap();
            device.write(buffer, &[1; 4096]).unwrap();
            let arguments: Vec<fracas_emulator::Argument> = sizes
                .iter()
                .map(|size| fracas_emulator::Argument::bytes(&buffer.to_le_bytes().repeat(size / 8 + 1)[..*size]))
                .collect();
            let shape = fracas_emulator::Dimensions { shared_bytes: 256, ..fracas_emulator::Dimensions::linear(2, 48) };
            let _ = device.launch(&module, &name, shape, &arguments, &options);
            ran += 1;
        }
    }
    assert!(ran > 100, "only {ran} launches");
}
