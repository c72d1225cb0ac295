//! Integer and bit instructions against big integers and against the bit-by-bit definitions of the ISA.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::Slot::{B16, B32, B64, F32, F64, Predicate};
use common::forms::covered;
use common::{Random, Slot, evaluate};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

const TYPES: [(&str, u32, bool); 6] = [
    ("u16", 16, false),
    ("s16", 16, true),
    ("u32", 32, false),
    ("s32", 32, true),
    ("u64", 64, false),
    ("s64", 64, true),
];

fn slot(bits: u32) -> Slot {
    match bits {
        16 => B16,
        32 => B32,
        _ => B64,
    }
}

fn ones(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn big(value: u64, bits: u32, signed: bool) -> BigInt {
    let value = value & ones(bits);
    let negative = signed && value >> (bits - 1) == 1;
    BigInt::from(value) - if negative { BigInt::from(1) << bits } else { BigInt::zero() }
}

/// The lowest bits of a number in two's complement.
fn low(value: &BigInt, bits: u32) -> u64 {
    let modulus = BigInt::from(1) << bits;
    let rest = ((value % &modulus) + &modulus) % &modulus;
    rest.to_u64().unwrap()
}

fn clamped(value: &BigInt, bits: u32, signed: bool) -> u64 {
    let (least, most) = if signed {
        (-(BigInt::from(1) << (bits - 1)), (BigInt::from(1) << (bits - 1)) - 1)
    } else {
        (BigInt::zero(), (BigInt::from(1) << bits) - 1)
    };
    low(&value.clone().clamp(least, most), bits)
}

/// Values at the edges of every width.
fn samples() -> Vec<u64> {
    let mut values = vec![0, 1, 2, 3, 5, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0x1234_5678_9abc_def0];
    for bits in [8, 16, 24, 32, 64] {
        for value in [ones(bits), ones(bits) >> 1, (ones(bits) >> 1).wrapping_add(1), ones(bits) - 1] {
            values.push(value);
        }
    }
    let mut random = Random(3);
    values.extend((0..12).map(|_| random.next()));
    values
}

fn rows() -> Vec<[u64; 4]> {
    let values = samples();
    let mut random = Random(4);
    let mut pick = || values[random.next() as usize % values.len()];
    let mut rows = Vec::new();
    for &left in &values {
        for &right in &values {
            rows.push([left, right, pick(), pick()]);
        }
    }
    rows
}

fn check(instruction: &str, result: Slot, operands: &[Slot], expected: impl Fn(&[u64; 4]) -> u64) {
    let rows = rows();
    for (row, found) in rows.iter().zip(evaluate(instruction, result, operands, &rows)) {
        let expected = expected(row);
        assert_eq!(found, expected, "{instruction} of {row:x?}: {found:x}, not {expected:x}");
    }
}

#[test]
fn sums_differences_and_extremes() {
    for (kind, bits, signed) in TYPES {
        let number = |value: u64| big(value, bits, signed);
        let slots = [slot(bits); 3];
        let two = |opcode: &str, function: &dyn Fn(BigInt, BigInt) -> BigInt| {
            let instruction = format!("{opcode}.{kind} {{d}}, {{a}}, {{b}};");
            check(&instruction, slot(bits), &slots[..2], |row| low(&function(number(row[0]), number(row[1])), bits));
        };
        two("add", &|left, right| left + right);
        two("sub", &|left, right| left - right);
        two("min", &|left, right| left.min(right));
        two("max", &|left, right| left.max(right));
        let instruction = format!("sad.{kind} {{d}}, {{a}}, {{b}}, {{c}};");
        check(&instruction, slot(bits), &slots, |row| {
            low(&((number(row[0]) - number(row[1])).abs() + number(row[2])), bits)
        });
        if signed {
            check(&format!("abs.{kind} {{d}}, {{a}};"), slot(bits), &slots[..1], |row| {
                low(&number(row[0]).abs(), bits)
            });
            check(&format!("neg.{kind} {{d}}, {{a}};"), slot(bits), &slots[..1], |row| low(&-number(row[0]), bits));
        }
    }
    check("add.sat.s32 {d}, {a}, {b};", B32, &[B32, B32], |row| {
        clamped(&(big(row[0], 32, true) + big(row[1], 32, true)), 32, true)
    });
    check("sub.sat.s32 {d}, {a}, {b};", B32, &[B32, B32], |row| {
        clamped(&(big(row[0], 32, true) - big(row[1], 32, true)), 32, true)
    });
    check("max.relu.s32 {d}, {a}, {b};", B32, &[B32, B32], |row| {
        low(&big(row[0], 32, true).max(big(row[1], 32, true)).max(BigInt::zero()), 32)
    });
    check("min.relu.s32 {d}, {a}, {b};", B32, &[B32, B32], |row| {
        low(&big(row[0], 32, true).min(big(row[1], 32, true)).max(BigInt::zero()), 32)
    });
    covered("integer::sums_differences_and_extremes");
}

#[test]
fn quotients_and_remainders() {
    for (kind, bits, signed) in TYPES {
        let number = |value: u64| big(value, bits, signed);
        // Unspecified for a divisor of zero: the emulator answers as NVIDIA's devices do.
        check(&format!("div.{kind} {{d}}, {{a}}, {{b}};"), slot(bits), &[slot(bits); 2], |row| {
            let divisor = number(row[1]);
            if divisor.is_zero() { ones(bits) } else { low(&(number(row[0]) / divisor), bits) }
        });
        check(&format!("rem.{kind} {{d}}, {{a}}, {{b}};"), slot(bits), &[slot(bits); 2], |row| {
            let divisor = number(row[1]);
            if divisor.is_zero() { row[0] & ones(bits) } else { low(&(number(row[0]) % divisor), bits) }
        });
    }
    covered("integer::quotients_and_remainders");
}

#[test]
fn products_in_all_parts() {
    for (kind, bits, signed) in TYPES {
        let number = |value: u64| big(value, bits, signed);
        for (part, shift) in [("lo", 0), ("hi", bits)] {
            check(&format!("mul.{part}.{kind} {{d}}, {{a}}, {{b}};"), slot(bits), &[slot(bits); 2], |row| {
                low(&((number(row[0]) * number(row[1])) >> shift), bits)
            });
            check(&format!("mad.{part}.{kind} {{d}}, {{a}}, {{b}}, {{c}};"), slot(bits), &[slot(bits); 3], |row| {
                low(&(((number(row[0]) * number(row[1])) >> shift) + number(row[2])), bits)
            });
        }
        if bits < 64 {
            let wide = slot(bits * 2);
            check(&format!("mul.wide.{kind} {{d}}, {{a}}, {{b}};"), wide, &[slot(bits); 2], |row| {
                low(&(number(row[0]) * number(row[1])), bits * 2)
            });
            let operands = [slot(bits), slot(bits), wide];
            check(&format!("mad.wide.{kind} {{d}}, {{a}}, {{b}}, {{c}};"), wide, &operands, |row| {
                low(&(number(row[0]) * number(row[1]) + big(row[2], bits * 2, signed)), bits * 2)
            });
        }
    }
    check("mad.hi.sat.s32 {d}, {a}, {b}, {c};", B32, &[B32; 3], |row| {
        let product: BigInt = (big(row[0], 32, true) * big(row[1], 32, true)) >> 32;
        clamped(&(product + big(row[2], 32, true)), 32, true)
    });
    covered("integer::products_in_all_parts");
}

#[test]
fn products_of_24_bits() {
    for (kind, signed) in [("u32", false), ("s32", true)] {
        let product = |row: &[u64; 4]| big(row[0], 24, signed) * big(row[1], 24, signed);
        for (part, shift) in [("lo", 0), ("hi", 16)] {
            let kept = |row: &[u64; 4]| big(low(&(product(row) >> shift), 32), 32, signed);
            check(&format!("mul24.{part}.{kind} {{d}}, {{a}}, {{b}};"), B32, &[B32; 2], |row| low(&kept(row), 32));
            check(&format!("mad24.{part}.{kind} {{d}}, {{a}}, {{b}}, {{c}};"), B32, &[B32; 3], |row| {
                low(&(kept(row) + big(row[2], 32, signed)), 32)
            });
        }
    }
    check("mad24.hi.sat.s32 {d}, {a}, {b}, {c};", B32, &[B32; 3], |row| {
        let product: BigInt = (big(row[0], 24, true) * big(row[1], 24, true)) >> 16;
        clamped(&(big(low(&product, 32), 32, true) + big(row[2], 32, true)), 32, true)
    });
    covered("integer::products_of_24_bits");
}

/// Numbers of two words, with the carry between the words.
#[test]
fn carries_and_borrows() {
    for (bits, kind) in [(32, "u32"), (32, "s32"), (64, "u64"), (64, "s64")] {
        let one = slot(bits);
        let high = |low_word: u64, high_word: u64| {
            BigInt::from(low_word & ones(bits)) + (BigInt::from(high_word & ones(bits)) << bits)
        };
        let register = if bits == 32 { "%r18" } else { "%rd18" };
        let instruction = format!("add.cc.{kind} {register}, {{a}}, {{b}}; addc.{kind} {{d}}, {{c}}, {{e}};");
        check(&instruction, one, &[one; 4], |row| low(&((high(row[0], row[2]) + high(row[1], row[3])) >> bits), bits));
        let instruction = format!("sub.cc.{kind} {register}, {{a}}, {{b}}; subc.{kind} {{d}}, {{c}}, {{e}};");
        check(&instruction, one, &[one; 4], |row| low(&((high(row[0], row[2]) - high(row[1], row[3])) >> bits), bits));
        // The carry out of the middle word, through a chain of three.
        let instruction = format!(
            "add.cc.{kind} {register}, {{a}}, {{b}}; addc.cc.{kind} {register}, {{c}}, {{e}}; addc.{kind} {{d}}, 0, 0;"
        );
        check(&instruction, one, &[one; 4], |row| {
            low(&((high(row[0], row[2]) + high(row[1], row[3])) >> (2 * bits)), bits)
        });
        let instruction = format!(
            "sub.cc.{kind} {register}, {{a}}, {{b}}; subc.cc.{kind} {register}, {{c}}, {{e}}; subc.{kind} {{d}}, 0, 0;"
        );
        check(&instruction, one, &[one; 4], |row| {
            let borrow = high(row[0], row[2]) < high(row[1], row[3]);
            if borrow { ones(bits) } else { 0 }
        });
        let signed = kind.starts_with('s');
        for (part, shift) in [("lo", 0), ("hi", bits)] {
            let product =
                |row: &[u64; 4]| low(&((big(row[0], bits, signed) * big(row[1], bits, signed)) >> shift), bits);
            let instruction = format!("mad.{part}.cc.{kind} {{d}}, {{a}}, {{b}}, {{c}};");
            check(&instruction, one, &[one; 3], |row| low(&(BigInt::from(product(row)) + row[2]), bits));
            let instruction = format!("mad.{part}.cc.{kind} {register}, {{a}}, {{b}}, {{c}}; addc.{kind} {{d}}, 0, 0;");
            check(&instruction, one, &[one; 3], |row| {
                u64::from(BigInt::from(product(row)) + (row[2] & ones(bits)) > BigInt::from(ones(bits)))
            });
            let instruction =
                format!("add.cc.{kind} {register}, {{a}}, {{b}}; madc.{part}.cc.{kind} {{d}}, {{a}}, {{b}}, {{c}};");
            let with_carry = |row: &[u64; 4]| {
                let carry = BigInt::from(row[0] & ones(bits)) + (row[1] & ones(bits)) > BigInt::from(ones(bits));
                BigInt::from(product(row)) + (row[2] & ones(bits)) + u64::from(carry)
            };
            check(&instruction, one, &[one; 3], |row| low(&with_carry(row), bits));
            check(&instruction.replace(".cc.", ".").replace("add.", "add.cc."), one, &[one; 3], |row| {
                low(&with_carry(row), bits)
            });
            let instruction = format!(
                "add.cc.{kind} {register}, {{a}}, {{b}}; madc.{part}.cc.{kind} {register}, {{a}}, {{b}}, {{c}}; addc.{kind} {{d}}, 0, 0;"
            );
            check(&instruction, one, &[one; 3], |row| low(&(with_carry(row) >> bits), bits));
        }
    }
    covered("integer::carries_and_borrows");
}

#[test]
fn shifts_at_and_past_the_width() {
    for bits in [16, 32, 64] {
        check(&format!("shl.b{bits} {{d}}, {{a}}, {{b}};"), slot(bits), &[slot(bits), B32], |row| {
            let amount = (row[1] & ones(32)).min(u64::from(bits));
            low(&(BigInt::from(row[0] & ones(bits)) << amount), bits)
        });
        for (kind, signed) in [("b", false), ("u", false), ("s", true)] {
            check(&format!("shr.{kind}{bits} {{d}}, {{a}}, {{b}};"), slot(bits), &[slot(bits), B32], |row| {
                let amount = (row[1] & ones(32)).min(u64::from(bits));
                low(&(big(row[0], bits, signed) >> amount), bits)
            });
        }
    }
    for mode in ["clamp", "wrap"] {
        let amount = |row: &[u64; 4]| {
            let amount = row[2] & ones(32);
            if mode == "clamp" { amount.min(32) } else { amount % 32 }
        };
        let both = |row: &[u64; 4]| BigInt::from(row[0] & ones(32)) + (BigInt::from(row[1] & ones(32)) << 32);
        check(&format!("shf.l.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};"), B32, &[B32; 3], |row| {
            low(&((both(row) << amount(row)) >> 32), 32)
        });
        check(&format!("shf.r.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};"), B32, &[B32; 3], |row| {
            low(&(both(row) >> amount(row)), 32)
        });
    }
    covered("integer::shifts_at_and_past_the_width");
}

fn bit(value: u64, place: u64) -> bool {
    value >> place & 1 == 1
}

#[test]
fn bit_fields() {
    for (kind, bits, signed) in [("u32", 32, false), ("s32", 32, true), ("u64", 64, false), ("s64", 64, true)] {
        let last = u64::from(bits) - 1;
        // The loop of the ISA.
        check(&format!("bfe.{kind} {{d}}, {{a}}, {{b}}, {{c}};"), slot(bits), &[slot(bits), B32, B32], |row| {
            let (position, length) = (row[1] & 0xff, row[2] & 0xff);
            let sign = signed && length != 0 && bit(row[0], (position + length - 1).min(last));
            (0..=last).fold(0, |found, place| {
                let set = if place < length && position + place <= last { bit(row[0], position + place) } else { sign };
                found | u64::from(set) << place
            })
        });
        for (modifier, amount) in [("", false), (".shiftamt", true)] {
            check(&format!("bfind{modifier}.{kind} {{d}}, {{a}};"), B32, &[slot(bits)], |row| {
                let value = if signed && bit(row[0], last) { !row[0] } else { row[0] } & ones(bits);
                match (0..=last).rev().find(|&place| bit(value, place)) {
                    None => 0xffff_ffff,
                    Some(place) if amount => last - place,
                    Some(place) => place,
                }
            });
        }
    }
    for bits in [32, 64] {
        let last = u64::from(bits) - 1;
        check(
            &format!("bfi.b{bits} {{d}}, {{a}}, {{b}}, {{c}}, {{e}};"),
            slot(bits),
            &[slot(bits), slot(bits), B32, B32],
            |row| {
                let (position, length) = (row[2] & 0xff, row[3] & 0xff);
                let mut result = row[1] & ones(bits);
                for place in (0..length).take_while(|place| position + place <= last) {
                    let to = position + place;
                    result = (result & !(1 << to)) | u64::from(bit(row[0], place)) << to;
                }
                result
            },
        );
        check(&format!("brev.b{bits} {{d}}, {{a}};"), slot(bits), &[slot(bits)], |row| {
            (0..=last).fold(0, |found, place| found | u64::from(bit(row[0], last - place)) << place)
        });
        check(&format!("clz.b{bits} {{d}}, {{a}};"), B32, &[slot(bits)], |row| {
            (0..=last).rev().take_while(|&place| !bit(row[0], place)).count() as u64
        });
        check(&format!("popc.b{bits} {{d}}, {{a}};"), B32, &[slot(bits)], |row| {
            (0..=last).filter(|&place| bit(row[0], place)).count() as u64
        });
    }
    covered("integer::bit_fields");
}

#[test]
fn masks_extensions_and_nth_bits() {
    for (mode, clamp) in [("clamp", true), ("wrap", false)] {
        check(&format!("bmsk.{mode}.b32 {{d}}, {{a}}, {{b}};"), B32, &[B32; 2], |row| {
            let (first, count) = (row[0] & ones(32), row[1] & ones(32));
            let (first, count) = if clamp { (first, count) } else { (first % 32, count % 32) };
            (0..32).filter(|&place| place >= first && place - first < count).fold(0, |found, place| found | 1 << place)
        });
        for (kind, signed) in [("u32", false), ("s32", true)] {
            check(&format!("szext.{mode}.{kind} {{d}}, {{a}}, {{b}};"), B32, &[B32; 2], |row| {
                let count = row[1] & ones(32);
                let count = if clamp { count.min(32) } else { count % 32 };
                if count == 0 { 0 } else { low(&big(row[0], count as u32, signed), 32) }
            });
        }
    }
    let rows: Vec<[u64; 4]> = samples()
        .into_iter()
        .flat_map(|mask| (0..32).step_by(5).flat_map(move |base| (-6_i64..7).map(move |n| [mask, base, n as u64, 0])))
        .collect();
    for (row, found) in rows.iter().zip(evaluate("fns.b32 {d}, {a}, {b}, {c};", B32, &[B32; 3], &rows)) {
        let (mask, base, offset) = (row[0], row[1], row[2] as i64);
        let set: Vec<u64> = match offset.signum() {
            0 => (base..=base).filter(|&place| bit(mask, place)).collect(),
            1 => (base..32).filter(|&place| bit(mask, place)).collect(),
            _ => (0..=base).rev().filter(|&place| bit(mask, place)).collect(),
        };
        let nth = offset.unsigned_abs().saturating_sub(1) as usize;
        assert_eq!(found, set.get(nth).copied().unwrap_or(0xffff_ffff), "fns of {row:x?}");
    }
    covered("integer::masks_extensions_and_nth_bits");
}

#[test]
fn permuted_bytes() {
    let byte = |row: &[u64; 4], index: u64| {
        (if index < 4 { row[0] >> (8 * index) } else { row[1] >> (8 * (index - 4)) }) & 0xff
    };
    check("prmt.b32 {d}, {a}, {b}, {c};", B32, &[B32; 3], |row| {
        (0..4).fold(0, |found, place| {
            let selection = row[2] >> (4 * place) & 0xf;
            let source = byte(row, selection & 7);
            let chosen = match (selection & 8 != 0, source & 0x80 != 0) {
                (false, _) => source,
                (true, true) => 0xff,
                (true, false) => 0,
            };
            found | chosen << (8 * place)
        })
    });
    // The tables of the ISA, from the highest byte of the result to the lowest.
    let tables: [(&str, [[u64; 4]; 4]); 6] = [
        ("f4e", [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]]),
        ("b4e", [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]]),
        ("rc8", [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecl", [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        ("rc16", [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
    ];
    for (mode, table) in tables {
        check(&format!("prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}};"), B32, &[B32; 3], |row| {
            table[(row[2] & 3) as usize].iter().fold(0, |found, &index| found << 8 | byte(row, index))
        });
    }
    covered("integer::permuted_bytes");
}

#[test]
fn logic() {
    for bits in [16, 32, 64] {
        let operands = [slot(bits); 2];
        let mask = ones(bits);
        check(&format!("and.b{bits} {{d}}, {{a}}, {{b}};"), slot(bits), &operands, |row| row[0] & row[1] & mask);
        check(&format!("or.b{bits} {{d}}, {{a}}, {{b}};"), slot(bits), &operands, |row| (row[0] | row[1]) & mask);
        check(&format!("xor.b{bits} {{d}}, {{a}}, {{b}};"), slot(bits), &operands, |row| (row[0] ^ row[1]) & mask);
        check(&format!("not.b{bits} {{d}}, {{a}};"), slot(bits), &operands[..1], |row| !row[0] & mask);
        check(&format!("cnot.b{bits} {{d}}, {{a}};"), slot(bits), &operands[..1], |row| u64::from(row[0] & mask == 0));
        check(&format!("mov.b{bits} {{d}}, {{a}};"), slot(bits), &operands[..1], |row| row[0] & mask);
    }
    for table in [0, 0x80, 0xfe, 0x40, 0x1a, 0x96, 0xe8, 0xca, 0xff, 0x01] {
        let function = |row: &[u64; 4]| {
            (0..32).fold(0, |found, place| {
                let index = u64::from(bit(row[0], place)) << 2
                    | u64::from(bit(row[1], place)) << 1
                    | u64::from(bit(row[2], place));
                found | (table >> index & 1) << place
            })
        };
        check(&format!("lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};"), B32, &[B32; 3], function);
        let instruction =
            format!("setp.ne.u32 %p3, {{e}}, 0; lop3.and.b32 _|{{d}}, {{a}}, {{b}}, {{c}}, {table}, %p3;");
        check(&instruction, Predicate, &[B32; 4], |row| u64::from(function(row) != 0 && row[3] & ones(32) != 0));
        let instruction =
            format!("setp.ne.u32 %p3, {{e}}, 0; lop3.or.b32 %r17|{{d}}, {{a}}, {{b}}, {{c}}, {table}, !%p3;");
        check(&instruction, Predicate, &[B32; 4], |row| u64::from(function(row) != 0 || row[3] & ones(32) == 0));
    }
    covered("integer::logic");
}

#[test]
fn dot_products() {
    for (left_kind, left_signed) in [("u32", false), ("s32", true)] {
        for (right_kind, right_signed) in [("u32", false), ("s32", true)] {
            check(&format!("dp4a.{left_kind}.{right_kind} {{d}}, {{a}}, {{b}}, {{c}};"), B32, &[B32; 3], |row| {
                let sum = (0..4).fold(BigInt::from(row[2]), |sum, index| {
                    sum + big(row[0] >> (8 * index), 8, left_signed) * big(row[1] >> (8 * index), 8, right_signed)
                });
                low(&sum, 32)
            });
            for (part, first) in [("lo", 0), ("hi", 2)] {
                check(
                    &format!("dp2a.{part}.{left_kind}.{right_kind} {{d}}, {{a}}, {{b}}, {{c}};"),
                    B32,
                    &[B32; 3],
                    |row| {
                        let sum = (0..2).fold(BigInt::from(row[2]), |sum, index| {
                            let factor = big(row[1] >> (8 * (first + index)), 8, right_signed);
                            sum + big(row[0] >> (16 * index), 16, left_signed) * factor
                        });
                        low(&sum, 32)
                    },
                );
            }
        }
    }
    covered("integer::dot_products");
}

/// All comparisons of integers and of bits: type, width, whether it is signed, comparison.
fn comparisons() -> Vec<(&'static str, u32, bool, &'static str)> {
    let mut found = Vec::new();
    for (kind, bits, signed) in TYPES {
        for comparison in ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"] {
            if !signed || !matches!(comparison, "lo" | "ls" | "hi" | "hs") {
                found.push((kind, bits, signed, comparison));
            }
        }
    }
    for (kind, bits) in [("b16", 16), ("b32", 32), ("b64", 64)] {
        found.extend([(kind, bits, false, "eq"), (kind, bits, false, "ne")]);
    }
    found
}

fn holds(row: &[u64; 4], bits: u32, signed: bool, comparison: &str) -> bool {
    let (left, right) = (big(row[0], bits, signed), big(row[1], bits, signed));
    match comparison {
        "eq" => left == right,
        "ne" => left != right,
        "lt" | "lo" => left < right,
        "le" | "ls" => left <= right,
        "gt" | "hi" => left > right,
        _ => left >= right,
    }
}

fn combine(operator: &str, left: bool, right: bool) -> bool {
    match operator {
        "and" => left && right,
        "or" => left || right,
        _ => left != right,
    }
}

#[test]
fn comparisons_and_their_combinations() {
    for (kind, bits, signed, comparison) in comparisons() {
        let holds = |row: &[u64; 4]| holds(row, bits, signed, comparison);
        let operands = [slot(bits), slot(bits), Predicate];
        check(&format!("setp.{comparison}.{kind} {{d}}, {{a}}, {{b}};"), Predicate, &operands[..2], |row| {
            u64::from(holds(row))
        });
        for operator in ["and", "or", "xor"] {
            let third = |row: &[u64; 4]| row[2] & ones(32) != 0;
            let instruction = format!("setp.{comparison}.{operator}.{kind} {{d}}|%p8, {{a}}, {{b}}, {{c}};");
            check(&instruction, Predicate, &operands, |row| u64::from(combine(operator, holds(row), third(row))));
            let instruction = format!("setp.{comparison}.{operator}.{kind} _|{{d}}, {{a}}, {{b}}, !{{c}};");
            check(&instruction, Predicate, &operands, |row| u64::from(combine(operator, !holds(row), !third(row))));
        }
    }
    covered("integer::comparisons_and_their_combinations");
}

#[test]
fn comparisons_that_answer_with_numbers() {
    for (kind, bits, signed, comparison) in comparisons() {
        let holds = |row: &[u64; 4]| holds(row, bits, signed, comparison);
        let operands = [slot(bits), slot(bits), Predicate];
        for (result, register, yes) in [("u32", B32, 0xffff_ffff), ("s32", B32, 0xffff_ffff), ("f32", F32, 0x3f80_0000)]
        {
            let instruction = format!("set.{comparison}.{result}.{kind} {{d}}, {{a}}, {{b}};");
            check(&instruction, register, &operands[..2], |row| u64::from(holds(row)) * yes);
            for operator in ["and", "or", "xor"] {
                let instruction = format!("set.{comparison}.{operator}.{result}.{kind} {{d}}, {{a}}, {{b}}, !{{c}};");
                check(&instruction, register, &operands, |row| {
                    u64::from(combine(operator, holds(row), row[2] & ones(32) == 0)) * yes
                });
            }
        }
    }
    covered("integer::comparisons_that_answer_with_numbers");
}

#[test]
fn selections() {
    let bits = [("b16", 16, false), ("b32", 32, false), ("b64", 64, false)];
    let integers = TYPES.iter().chain(&bits).map(|(kind, bits, _)| (*kind, slot(*bits), ones(*bits)));
    for (kind, register, mask) in integers.clone() {
        check(&format!("selp.{kind} {{d}}, {{a}}, {{b}}, {{c}};"), register, &[register, register, Predicate], |row| {
            (if row[2] & ones(32) != 0 { row[0] } else { row[1] }) & mask
        });
    }
    for (kind, register, mask) in integers.chain([("f32", F32, ones(32)), ("f64", F64, ones(64))]) {
        check(&format!("slct.{kind}.s32 {{d}}, {{a}}, {{b}}, {{c}};"), register, &[register, register, B32], |row| {
            (if (row[2] as i32) >= 0 { row[0] } else { row[1] }) & mask
        });
        for (modifier, flush) in [("", false), (".ftz", true)] {
            let signs = [0, 1 << 31, 1, (1 << 31) + 1, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000];
            let rows: Vec<[u64; 4]> = signs.iter().map(|&sign| [1, 2, sign, 0]).collect();
            let instruction = format!("slct{modifier}.{kind}.f32 {{d}}, {{a}}, {{b}}, {{c}};");
            let found = evaluate(&instruction, register, &[register, register, F32], &rows);
            // A negative subnormal number counts as zero only if it is flushed; NaN is not greater than anything.
            let expected = [1, 1, 1, if flush { 1 } else { 2 }, 1, 2, 1, 2, 2];
            assert_eq!(found, expected, "{instruction}");
        }
    }
    covered("integer::selections");
}

#[test]
fn predicates() {
    let rows: Vec<[u64; 4]> = (0..4).map(|index| [index & 1, index >> 1, 0, 0]).collect();
    let two = [Predicate, Predicate];
    assert_eq!(evaluate("and.pred {d}, {a}, {b};", Predicate, &two, &rows), [0, 0, 0, 1]);
    assert_eq!(evaluate("or.pred {d}, {a}, {b};", Predicate, &two, &rows), [0, 1, 1, 1]);
    assert_eq!(evaluate("xor.pred {d}, {a}, {b};", Predicate, &two, &rows), [0, 1, 1, 0]);
    assert_eq!(evaluate("not.pred {d}, {a};", Predicate, &two[..1], &rows), [1, 0, 1, 0]);
    assert_eq!(evaluate("mov.pred {d}, {a};", Predicate, &two[..1], &rows), [0, 1, 0, 1]);
    assert_eq!(evaluate("mov.pred {d}, 1;", Predicate, &[], &rows), [1, 1, 1, 1]);
    let guarded = "mov.b32 {d}, 5; @{a} mov.b32 {d}, 6; @!{b} add.u32 {d}, {d}, 10;";
    assert_eq!(evaluate(guarded, B32, &two, &rows), [15, 16, 5, 6]);
    covered("integer::predicates");
}

#[test]
fn vectors_are_packed_and_unpacked() {
    let rows = [[0x1122_3344_5566_7788, 0x99aa_bbcc, 0xddee_ff00, 0]];
    assert_eq!(evaluate("mov.b64 {%r17, {d}}, {a};", B32, &[B64], &rows), [0x1122_3344]);
    assert_eq!(evaluate("mov.b64 {{d}, _}, {a};", B32, &[B64], &rows), [0x5566_7788]);
    assert_eq!(evaluate("mov.b64 {d}, {{b}, {c}};", B64, &[B64, B32, B32], &rows), [0xddee_ff00_99aa_bbcc]);
    assert_eq!(evaluate("mov.b32 {%rs17, {d}}, {b};", B16, &[B64, B32], &rows), [0x99aa]);
    assert_eq!(evaluate("mov.b64 {_, _, {d}, _}, {a};", B16, &[B64], &rows), [0x3344]);
    assert_eq!(
        evaluate("cvt.u16.u32 %rs5, {b}; mov.b64 {d}, {%rs5, %rs5, 1, %rs5};", B64, &[B64, B32], &rows),
        [0xbbcc_0001_bbcc_bbcc]
    );
}
