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
