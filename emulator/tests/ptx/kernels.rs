//! The kernels whose PTX the tests of the emulator run. They use what kernels written in Rust use: slices with checks,
//! atomics, shared memory, barriers, shuffles, calls, values on the stack.

#![no_std]
#![feature(abi_ptx, stdarch_nvptx, asm_experimental_arch, core_float_math)]

use core::arch::asm;
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _syncthreads, _thread_idx_x, trap};
use core::sync::atomic::{AtomicU32, Ordering, fence};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { trap() }
}

fn index() -> usize {
    unsafe { (_block_idx_x() * _block_dim_x() + _thread_idx_x()) as usize }
}

/// A repr(C) struct that is passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Sphere {
    pub centre: [f32; 3],
    pub radius: f32,
    pub kind: u16,
    pub flag: u8,
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy(factor: f32, x: *const f32, y: *mut f32, count: u32) {
    let x = unsafe { core::slice::from_raw_parts(x, count as usize) };
    let y = unsafe { core::slice::from_raw_parts_mut(y, count as usize) };
    let index = index();
    if index < y.len() {
        y[index] += factor * x[index];
    }
}

/// Fails its own check of bounds on purpose when `count` is larger than what the slice has.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn checked(values: *mut u32, length: u32, count: u32) {
    let values = unsafe { core::slice::from_raw_parts_mut(values, length as usize) };
    let index = index();
    if index < count as usize {
        values[index] = index as u32;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogram(values: *const u8, count: u32, bins: *const AtomicU32) {
    let mut place = index();
    let step = unsafe { _grid_dim_x() * _block_dim_x() } as usize;
    while place < count as usize {
        let value = unsafe { *values.add(place) };
        unsafe { &*bins.add(usize::from(value)) }.fetch_add(1, Ordering::Relaxed);
        place += step;
    }
}

core::arch::global_asm!(".shared .align 16 .b8 fracas_scratch[4096];");

fn scratch() -> *mut u32 {
    let address: u64;
    unsafe { asm!("mov.u64 {0}, fracas_scratch;", "cvta.shared.u64 {0}, {0};", out(reg64) address) };
    address as *mut u32
}

/// Sums a block in shared memory, with a barrier in each step.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn block_sums(values: *const u32, count: u32, sums: *mut u32) {
    let shared = scratch();
    let (thread, threads) = unsafe { (_thread_idx_x() as usize, _block_dim_x() as usize) };
    let index = index();
    let value = if index < count as usize { unsafe { *values.add(index) } } else { 0 };
    unsafe { shared.add(thread).write(value) };
    let mut half = threads / 2;
    unsafe { _syncthreads() };
    while half > 0 {
        if thread < half {
            let sum = unsafe { *shared.add(thread) + *shared.add(thread + half) };
            unsafe { shared.add(thread).write(sum) };
        }
        unsafe { _syncthreads() };
        half /= 2;
    }
    if thread == 0 {
        unsafe { *sums.add(_block_idx_x() as usize) = *shared };
    }
}

fn shuffle_down(value: u32, lanes: u32) -> u32 {
    let result: u32;
    unsafe {
        asm!("shfl.sync.down.b32 {0}, {1}, {2}, 31, 0xffffffff;", out(reg32) result, in(reg32) value, in(reg32) lanes);
    }
    result
}

/// Sums a warp with shuffles.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn warp_sums(values: *const u32, sums: *const AtomicU32) {
    let mut sum = unsafe { *values.add(index()) };
    for step in [16, 8, 4, 2, 1] {
        sum = sum.wrapping_add(shuffle_down(sum, step));
    }
    if unsafe { _thread_idx_x() } % 32 == 0 {
        unsafe { &*sums }.fetch_add(sum, Ordering::Relaxed);
    }
}

#[inline(never)]
fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn recursion(out: *mut u32) {
    let index = index();
    unsafe { *out.add(index) = ackermann(index as u32 % 3, index as u32 % 5) };
}

#[inline(never)]
fn grown(sphere: Sphere, by: f32) -> Sphere {
    Sphere { radius: sphere.radius + by, kind: sphere.kind.wrapping_add(1), ..sphere }
}

/// A struct by value, a call that returns one, sub-word parameters and stores.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn spheres(sphere: Sphere, small: u8, medium: i16, large: i64, out: *mut Sphere) {
    let index = index();
    let mut result = grown(sphere, index as f32);
    result.flag = result.flag.wrapping_add(small);
    result.centre[0] += f32::from(medium);
    result.centre[1] += large as f32;
    unsafe { out.add(index).write(result) };
}

/// A stack array that is indexed by data, a match with many arms, 64-bit and 128-bit arithmetic.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn mixed(input: *const u64, out: *mut u64, count: u32) {
    let index = index();
    if index >= count as usize {
        return;
    }
    let value = unsafe { *input.add(index) };
    let mut stack = [0_u64; 16];
    for step in 0..16 {
        stack[(value as usize).wrapping_mul(step + 1) % 16] ^= value.rotate_left(step as u32);
    }
    let folded = match value % 9 {
        0 => stack[0],
        1 => stack[1].wrapping_mul(3),
        2 => stack[2].leading_zeros().into(),
        3 => stack[3].count_ones().into(),
        4 => stack[4] / (value | 1),
        5 => stack[5] % (value | 1),
        6 => stack[6].reverse_bits(),
        7 => ((u128::from(stack[7]) * u128::from(value)) >> 64) as u64,
        _ => stack[8].swap_bytes(),
    };
    let float = core::f64::math::sqrt((folded >> 11) as f64) * f64::from((value as u32).wrapping_mul(7) as i32);
    unsafe { *out.add(index) = folded.wrapping_add(float.to_bits()) };
}

/// The last block to arrive sums what the others wrote, which it may read because of the fences around the counter.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn last_block(values: *mut u32, counter: *const AtomicU32, out: *mut u32) {
    let (block, blocks) = unsafe { (_block_idx_x() as usize, _grid_dim_x() as u32) };
    if unsafe { _thread_idx_x() } != 0 {
        return;
    }
    unsafe { *values.add(block) = block as u32 + 1 };
    fence(Ordering::Release);
    let arrived = unsafe { &*counter }.fetch_add(1, Ordering::Relaxed);
    fence(Ordering::Acquire);
    if arrived + 1 == blocks {
        let sum = (0..blocks as usize).map(|place| unsafe { *values.add(place) }).sum();
        unsafe { *out = sum };
    }
}

/// The same without fences. The order that the atomic asks for would do, but LLVM's back end drops it.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn last_block_without_fences(
    values: *mut u32,
    counter: *const AtomicU32,
    out: *mut u32,
) {
    let (block, blocks) = unsafe { (_block_idx_x() as usize, _grid_dim_x() as u32) };
    if unsafe { _thread_idx_x() } != 0 {
        return;
    }
    unsafe { *values.add(block) = block as u32 + 1 };
    let arrived = unsafe { &*counter }.fetch_add(1, Ordering::AcqRel);
    if arrived + 1 == blocks {
        let sum = (0..blocks as usize).map(|place| unsafe { *values.add(place) }).sum();
        unsafe { *out = sum };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn conversions(floats: *const f32, doubles: *const f64, out: *mut i64) {
    let index = index();
    let (single, double) = unsafe { (*floats.add(index), *doubles.add(index)) };
    let total = i64::from(single as i32)
        .wrapping_add(single as i64)
        .wrapping_add(i64::from(single as u8))
        .wrapping_add(i64::from(double as i32))
        .wrapping_add(double as i64)
        .wrapping_add((double as f32).to_bits().into())
        .wrapping_add((single.max(double as f32)).to_bits().into())
        .wrapping_add(core::f32::math::floor(single).to_bits().into())
        .wrapping_add(core::f32::math::sqrt(single.abs()).to_bits().into());
    unsafe { *out.add(index) = total };
}
