//! Loads, stores and atomics in every form that the table lists, against bytes that the host moves.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::forms::{ROWS, Row, covered};
use common::{HEAD, Machine};
use fracas_emulator::Argument;

/// Bytes of an area, and where in it an access lies.
const AREA: usize = 64;
const PLACE: usize = 32;

/// A form of `ld`, `ldu` or `st`.
struct Access {
    text: String,
    loads: bool,
    space: &'static str,
    elements: usize,
    kind: &'static str,
}

impl Access {
    fn new(words: &[&'static str]) -> Access {
        let spaces = ["global", "shared", "shared::cta", "local", "param", "param::entry", "param::func", "const"];
        let elements = |word: &&str| word.strip_prefix('v').and_then(|count| count.parse().ok());
        Access {
            text: words.join("."),
            loads: words[0] != "st",
            space: words.iter().find(|word| spaces.contains(*word)).copied().unwrap_or_default(),
            elements: words.iter().find_map(elements).unwrap_or(1),
            kind: words.last().unwrap(),
        }
    }

    fn bytes(&self) -> usize {
        self.kind[1..].parse::<usize>().unwrap() / 8
    }

    /// The registers that can hold an element, and their bytes: those of its width, and wider ones.
    fn registers(&self) -> Vec<(&'static str, usize)> {
        match (self.kind, self.bytes()) {
            ("f32", _) => vec![("f", 4)],
            ("f64", _) => vec![("fd", 8)],
            (_, bytes) => {
                let all = [("rs", 2), ("r", 4), ("rd", 8)];
                all.into_iter().filter(|(_, width)| *width >= bytes).collect()
            }
        }
    }

    /// The area of the space: its name, and whether it has to be filled by stores. Parameters of calls and of the kernel
    /// share a space.
    fn area(&self) -> (&'static str, bool) {
        match self.space {
            "" | "global" => ("%rd1", false),
            "const" => ("constant", false),
            "param" | "param::entry" if self.loads => ("given", false),
            "shared" | "shared::cta" => ("shared_area", true),
            "local" => ("local_area", true),
            _ => ("passed", true),
        }
    }

    /// Runs the instruction between some others, and returns what is in the area and in the registers afterwards.
    fn run(&self, register: &str, width: usize, area: &[u8], values: &[u64]) -> (Vec<u8>, Vec<u64>) {
        let (name, is_filled) = self.area();
        let mut body = String::new();
        if is_filled {
            for (index, byte) in area.iter().enumerate() {
                body += &format!("    st.{}.b8 [{name}+{index}], {byte};\n", self.space);
            }
        }
        let list: Vec<String> = (10..10 + self.elements).map(|index| format!("%{register}{index}")).collect();
        let list = list.join(", ");
        let list = if self.elements == 1 { list } else { format!("{{{list}}}") };
        let kind = if register.starts_with('f') { "f" } else { "b" };
        for index in 0..self.elements {
            let (bits, place) = (8 * width, 8 * index);
            body += &format!("    ld.global.{kind}{bits} %{register}{}, [%rd2+{place}];\n", 10 + index);
        }
        body += &match self.loads {
            true => format!("    {} {list}, [{name}+{PLACE}];\n", self.text),
            false => format!("    {} [{name}+{PLACE}], {list};\n", self.text),
        };
        for index in 0..self.elements {
            let (bits, place) = (8 * width, 8 * index);
            body += &format!("    st.global.{kind}{bits} [%rd2+{place}], %{register}{};\n", 10 + index);
        }
        if is_filled {
            for index in 0..AREA {
                body += &format!(
                    "    ld.{}.b8 %r1, [{name}+{index}];\n    st.global.b8 [%rd1+{index}], %r1;\n",
                    self.space
                );
            }
        }
        let constants = area.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        let text = format!(
            "{HEAD}.const .align 32 .b8 constant[{AREA}] = {{{constants}}};
.visible .entry test(.param .u64 first, .param .u64 second, .param .align 32 .b8 given[{AREA}]) {{
    .reg .b16 %rs<20>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>;
    .shared .align 32 .b8 shared_area[{AREA}];
    .local .align 32 .b8 local_area[{AREA}];
    .param .align 32 .b8 passed[{AREA}];
    ld.param.u64 %rd1, [first];
    ld.param.u64 %rd2, [second];
{body}    ret;
}}"
        );
        let machine = Machine::new(&text);
        let (first, second) = (machine.buffer(area), machine.buffer(values));
        machine.run("test", 1, 1, &[first.into(), second.into(), Argument::bytes(area)]);
        (machine.read(first, AREA), machine.read(second, values.len()))
    }

    fn check(&self) {
        // Bytes with and without their highest bit.
        let area: Vec<u8> = (0..AREA).map(|index| (index * 37 + 0x81) as u8).collect();
        let values: Vec<u64> = (1..=8).map(|index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for (register, width) in self.registers() {
            let (after, found) = self.run(register, width, &area, &values);
            let context = format!("{} with registers of {width} bytes", self.text);
            let bytes = self.bytes();
            let mut expected_area = area.clone();
            let mut expected = values.clone();
            for index in 0..self.elements {
                let place = PLACE + index * bytes;
                if self.loads {
                    // A signed element fills the register with its sign, every other one with zeros.
                    let is_negative = self.kind.starts_with('s') && area[place + bytes - 1] >= 0x80;
                    let mut extended = [if is_negative { 0xff } else { 0 }; 8];
                    extended[..bytes].copy_from_slice(&area[place..place + bytes]);
                    let mut word = expected[index].to_le_bytes();
                    word[..width].copy_from_slice(&extended[..width]);
                    expected[index] = u64::from_le_bytes(word);
                } else {
                    expected_area[place..place + bytes].copy_from_slice(&values[index].to_le_bytes()[..bytes]);
                }
            }
            assert_eq!(found, expected, "{context}");
            assert_eq!(after, expected_area, "{context}");
        }
    }
}

fn forms(test: &str) -> impl Iterator<Item = Vec<&'static str>> {
    ROWS.iter().filter(move |row| row.test == test).flat_map(Row::runs)
}

#[test]
fn every_width_in_every_space() {
    forms("access::every_width_in_every_space").for_each(|words| Access::new(&words).check());
    covered("access::every_width_in_every_space");
}

#[test]
fn orders_and_cache_hints_move_the_same_bytes() {
    forms("access::orders_and_cache_hints_move_the_same_bytes").for_each(|words| Access::new(&words).check());
    covered("access::orders_and_cache_hints_move_the_same_bytes");
}

/// What an atomic leaves in memory: the definitions of the ISA in wide numbers.
fn combined(operation: &str, kind: &str, old: u64, operand: u64, replacement: u64) -> u64 {
    let bits: u32 = kind[1..].parse().unwrap();
    let mask = (u128::from(u64::MAX) >> (64 - bits)) as i128;
    let number = |value: u64| {
        let value = i128::from(value) & mask;
        if kind.starts_with('s') && value > mask / 2 { value - mask - 1 } else { value }
    };
    let (old, operand) = (number(old), number(operand));
    let result = match (operation, kind) {
        ("add", "f32") => {
            let sum = f32::from_bits(old as u32) + f32::from_bits(operand as u32);
            i128::from(if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() })
        }
        ("add", "f64") => i128::from((f64::from_bits(old as u64) + f64::from_bits(operand as u64)).to_bits()),
        ("add", _) => old + operand,
        ("min", _) => old.min(operand),
        ("max", _) => old.max(operand),
        ("and", _) => old & operand,
        ("or", _) => old | operand,
        ("xor", _) => old ^ operand,
        ("exch", _) => operand,
        ("cas", _) => {
            if old == operand {
                i128::from(replacement)
            } else {
                old
            }
        }
        ("inc", _) => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        ("dec", _) => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        _ => panic!("{operation}"),
    };
    (result & mask) as u64
}

/// Operands at the edges of a type.
fn samples(kind: &str) -> Vec<u64> {
    match kind {
        "f32" => [0.0, -0.0, 1.5, -2.25, 1e-30, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]
            .map(|value: f32| value.to_bits().into())
            .to_vec(),
        "f64" => [0.0, -0.0, 1.5, -2.25, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
            .map(f64::to_bits)
            .to_vec(),
        _ => {
            let most = u64::MAX >> (64 - kind[1..].parse::<u32>().unwrap());
            vec![0, 1, 2, 5, most, most - 1, most / 2, most / 2 + 1, 0x1234_5678_9abc_def0 & most]
        }
    }
}

/// Each thread has a word of its own.
fn check_atomic(words: &[&str]) {
    let operations = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];
    let operation = *words.iter().find(|word| operations.contains(*word)).unwrap();
    let kind = *words.iter().find(|word| word[1..].parse::<u32>().is_ok()).unwrap();
    let is_shared = words.iter().any(|word| word.starts_with("shared"));
    let returns = words[0] == "atom";
    let bits = &kind[1..];
    let register = match (kind, bits) {
        ("f32", _) => "f",
        ("f64", _) => "fd",
        (_, "16") => "rs",
        (_, "32") => "r",
        _ => "rd",
    };
    let letter = if kind.starts_with('f') { "f" } else { "b" };
    let (setup, address, end) = match is_shared {
        false => (String::new(), "[%rd31]", String::new()),
        true => (
            format!(
                "mul.lo.u32 %r31, %r30, 8;\n mov.u32 %r32, scratch;\n add.u32 %r31, %r31, %r32;\n ld.global.{letter}{bits} %{register}5, [%rd31];\n st.shared.{letter}{bits} [%r31], %{register}5;"
            ),
            "[%r31]",
            format!("ld.shared.{letter}{bits} %{register}5, [%r31];\n st.global.{letter}{bits} [%rd31], %{register}5;"),
        ),
    };
    let form = words.join(".");
    let result = if returns { format!("%{register}4, ") } else { String::new() };
    let replacement = if operation == "cas" { format!(", %{register}3") } else { String::new() };
    let stored = if returns { format!("st.global.{letter}{bits} [%rd31+24], %{register}4;") } else { String::new() };
    let machine = Machine::kernel(&format!(
        ".shared .align 8 .b8 scratch[1024];
    mov.u32 %r30, %tid.x;\n mul.wide.u32 %rd30, %r30, 32;\n add.s64 %rd31, %rd0, %rd30;
    ld.global.{letter}{bits} %{register}2, [%rd31+8];
    ld.global.{letter}{bits} %{register}3, [%rd31+16];
    {setup}
    {form} {result}{address}, %{register}2{replacement};
    {stored}
    {end}"
    ));
    let samples = samples(kind);
    let pairs = samples.iter().flat_map(|old| samples.iter().map(move |operand| [*old, *operand, 77, 0]));
    let rows: Vec<[u64; 4]> = pairs.collect();
    let buffer = machine.buffer(&rows);
    machine.run("test", 1, rows.len() as u32, &[buffer.into()]);
    for (row, found) in rows.iter().zip(machine.read::<[u64; 4]>(buffer, rows.len())) {
        let expected = combined(operation, kind, row[0], row[1], row[2]);
        let is_nan = kind == "f64" && f64::from_bits(expected).is_nan();
        let fits = if is_nan { f64::from_bits(found[0]).is_nan() } else { found[0] == expected };
        assert!(fits, "{form} of {row:x?}: {:x}, not {expected:x}", found[0]);
        assert_eq!(found[3], if returns { row[0] } else { 0 }, "{form} of {row:x?} returns what was there");
    }
}

#[test]
fn atomics_of_one_thread() {
    forms("access::atomics_of_one_thread").for_each(|words| check_atomic(&words));
    covered("access::atomics_of_one_thread");
}

#[test]
fn hints_change_nothing() {
    let machine = Machine::kernel(
        ".local .align 4 .b8 stack[4];
    prefetch.L1 [%rd0];\n prefetch.L2 [%rd0];\n prefetch.global.L1 [%rd0];\n prefetch.global.L2 [%rd0];
    prefetch.local.L1 [stack];\n prefetch.local.L2 [stack];
    prefetch.global.L2::evict_last [%rd0];\n prefetch.global.L2::evict_normal [%rd0];\n prefetchu.L1 [%rd0];
    applypriority.L2::evict_normal [%rd0], 128;\n applypriority.global.L2::evict_normal [%rd0], 128;
    mov.u32 %r1, 20;\n nanosleep.u32 %r1;\n pmevent 3;\n pmevent.mask 5;
    st.global.u32 [%rd0+4], %r1;",
    );
    let buffer = machine.buffer(&[7_u32, 0]);
    machine.run("test", 1, 1, &[buffer.into()]);
    assert_eq!(machine.read::<u32>(buffer, 2), [7, 20]);
    covered("access::hints_change_nothing");
}
