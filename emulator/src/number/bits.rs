//! Shifts, bit fields, permutations.

use super::{mask, sign_extend};

/// `shl`: amounts past the width give zero, because the ISA clamps them to it.
#[inline]
pub(crate) fn shift_left(value: u64, amount: u64, bits: u32) -> u64 {
    let amount = amount & mask(32);
    if amount >= u64::from(bits) { 0 } else { (value << amount) & mask(bits) }
}

/// `shr`: amounts past the width leave only the sign.
#[inline]
pub(crate) fn shift_right(value: u64, amount: u64, bits: u32, signed: bool) -> u64 {
    let amount = amount & mask(32);
    if signed {
        (sign_extend(value, bits) >> amount.min(63)) as u64 & mask(bits)
    } else if amount >= u64::from(bits) {
        0
    } else {
        (value & mask(bits)) >> amount
    }
}

/// `shf`: 32 bits of the 64 bits whose upper half is the second operand.
#[inline]
pub(crate) fn funnel_shift(low: u64, high: u64, amount: u64, left: bool, clamp: bool) -> u64 {
    let amount = amount & mask(32);
    let amount = if clamp { amount.min(32) } else { amount & 31 };
    let both = (high & mask(32)) << 32 | (low & mask(32));
    let shifted = if left { (u128::from(both) << amount >> 32) as u64 } else { both >> amount };
    shifted & mask(32)
}

/// `bfe`: a field of bits, extended with its sign in the signed types.
pub(crate) fn extract(value: u64, position: u64, length: u64, bits: u32, signed: bool) -> u64 {
    let (position, length) = ((position & 0xff) as u32, (length & 0xff) as u32);
    if length == 0 {
        return 0;
    }
    let value = value & mask(bits);
    let sign_at = (position + length - 1).min(bits - 1);
    let fill = signed && value >> sign_at & 1 == 1;
    // What lies past the width of the value counts as the sign.
    let field = if position >= bits { 0 } else { value >> position };
    let available = bits.saturating_sub(position).min(length);
    let low = field & mask(available);
    (if fill { low | !mask(available) } else { low }) & mask(bits)
}

/// `bfi`: the low bits of the first operand put into the second.
pub(crate) fn insert(field: u64, into: u64, position: u64, length: u64, bits: u32) -> u64 {
    let (position, length) = ((position & 0xff) as u32, (length & 0xff) as u32);
    if position >= bits {
        return into & mask(bits);
    }
    let window = mask(length.min(bits - position)) << position;
    ((into & !window) | (field << position & window)) & mask(bits)
}

/// `bfind`: the place of the highest bit that differs from the sign, or how far it is from the top.
pub(crate) fn find(value: u64, bits: u32, signed: bool, shift_amount: bool) -> u64 {
    let mut value = value & mask(bits);
    if signed && value >> (bits - 1) & 1 == 1 {
        value = !value & mask(bits);
    }
    if value == 0 {
        return mask(32);
    }
    let place = 63 - value.leading_zeros();
    u64::from(if shift_amount { bits - 1 - place } else { place })
}

/// How `prmt` chooses its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permute {
    Generic,
    ForwardFour,
    BackwardFour,
    ReplicateEight,
    EdgeClampLeft,
    EdgeClampRight,
    ReplicateSixteen,
}

/// `prmt`: four bytes out of the eight of two registers.
pub(crate) fn permute(low: u64, high: u64, control: u64, mode: Permute) -> u64 {
    let bytes = ((high & mask(32)) << 32 | (low & mask(32))).to_le_bytes();
    let selector = (control & 3) as usize;
    let mut chosen = [0_u8; 4];
    for (place, byte) in chosen.iter_mut().enumerate() {
        *byte = match mode {
            Permute::Generic => {
                let nibble = (control >> (4 * place)) as usize & 0xf;
                let source = bytes[nibble & 7];
                // The highest bit of the selection asks for the sign of the byte instead of the byte.
                if nibble & 8 == 0 { source } else { (source as i8 >> 7) as u8 }
            }
            Permute::ForwardFour => bytes[selector + place],
            Permute::BackwardFour => bytes[(8 + selector - place) & 7],
            Permute::ReplicateEight => bytes[selector],
            Permute::EdgeClampLeft => bytes[selector.max(place)],
            Permute::EdgeClampRight => bytes[selector.min(place)],
            Permute::ReplicateSixteen => bytes[(selector & 1) * 2 + (place & 1)],
        };
    }
    u64::from(u32::from_le_bytes(chosen))
}

/// `lop3`: any function of three bits, given by its table.
#[inline]
pub(crate) fn logic3(first: u64, second: u64, third: u64, table: u8) -> u64 {
    let mut result = 0;
    for row in 0..8_u8 {
        if table >> row & 1 == 1 {
            let choose = |value: u64, bit: u8| if row >> bit & 1 == 1 { value } else { !value };
            result |= choose(first, 2) & choose(second, 1) & choose(third, 0);
        }
    }
    result & mask(32)
}

/// `bmsk`: a mask of so many bits from a position on.
pub(crate) fn bit_mask(position: u64, width: u64, clamp: bool) -> u64 {
    let (position, width) = (position & mask(32), width & mask(32));
    let (position, width) =
        if clamp { (position.min(32) as u32, width.min(32) as u32) } else { (position as u32 & 31, width as u32 & 31) };
    (mask(width) << position) & mask(32)
}

/// `szext`: the lowest bits, extended with zeros or with their sign.
pub(crate) fn extend(value: u64, width: u64, signed: bool, clamp: bool) -> u64 {
    let width = width & mask(32);
    let width = if clamp { width.min(32) } else { width & 31 } as u32;
    match width {
        0 => 0,
        _ if signed => sign_extend(value, width) as u64 & mask(32),
        _ => value & mask(width),
    }
}

/// `fns`: the n-th set bit from a position, upwards or downwards.
pub(crate) fn find_nth(bits: u64, base: u64, offset: u64) -> u64 {
    let (base, offset) = ((base & 31) as i64, sign_extend(offset, 32));
    let is_set = |place: i64| bits >> place & 1 == 1;
    if offset == 0 {
        return if is_set(base) { base as u64 } else { mask(32) };
    }
    let mut remaining = offset.abs();
    let mut place = base;
    while (0..32).contains(&place) {
        if is_set(place) {
            remaining -= 1;
            if remaining == 0 {
                return place as u64;
            }
        }
        place += offset.signum();
    }
    mask(32)
}
