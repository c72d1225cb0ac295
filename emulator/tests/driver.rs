//! The functions of the shared library with everything that a caller can get wrong: the right result, no crash.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use fracas_emulator as _;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

type Handle = *mut c_void;

unsafe extern "C" {
    fn cuInit(flags: c_uint) -> c_int;
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_int;
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> c_int;
    fn cuCtxCreate_v2(context: *mut Handle, flags: c_uint, device: c_int) -> c_int;
    fn cuCtxDestroy_v2(context: Handle) -> c_int;
    fn cuCtxSetCurrent(context: Handle) -> c_int;
    fn cuCtxSynchronize() -> c_int;
    fn cuMemAlloc_v2(pointer: *mut u64, size: usize) -> c_int;
    fn cuMemAllocHost_v2(pointer: *mut *mut c_void, size: usize) -> c_int;
    fn cuMemAllocManaged(pointer: *mut u64, size: usize, flags: c_uint) -> c_int;
    fn cuMemFree_v2(pointer: u64) -> c_int;
    fn cuMemFreeHost(pointer: *mut c_void) -> c_int;
    fn cuMemHostGetDevicePointer_v2(device: *mut u64, host: *mut c_void, flags: c_uint) -> c_int;
    fn cuMemcpyHtoD_v2(target: u64, source: *const c_void, size: usize) -> c_int;
    fn cuMemcpyDtoH_v2(target: *mut c_void, source: u64, size: usize) -> c_int;
    fn cuMemcpyDtoHAsync_v2(target: *mut c_void, source: u64, size: usize, stream: Handle) -> c_int;
    fn cuMemcpyDtoD_v2(target: u64, source: u64, size: usize) -> c_int;
    fn cuMemsetD32_v2(target: u64, value: c_uint, count: usize) -> c_int;
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) -> c_int;
    fn cuModuleUnload(module: Handle) -> c_int;
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> c_int;
    fn cuModuleGetGlobal_v2(address: *mut u64, size: *mut usize, module: Handle, name: *const c_char) -> c_int;
    fn cuStreamCreate(stream: *mut Handle, flags: c_uint) -> c_int;
    fn cuStreamDestroy_v2(stream: Handle) -> c_int;
    fn cuStreamSynchronize(stream: Handle) -> c_int;
    fn cuEventCreate(event: *mut Handle, flags: c_uint) -> c_int;
    fn cuEventRecord(event: Handle, stream: Handle) -> c_int;
    fn cuEventDestroy_v2(event: Handle) -> c_int;
    fn cuLaunchKernel(
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: Handle,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> c_int;
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: Handle,
        size: c_int,
        shared: usize,
    ) -> c_int;
}

const PTX: &std::ffi::CStr = c".version 7.0 .target sm_70 .address_size 64
.global .align 4 .u32 number = 5;
.visible .entry read(.param .u64 pointer, .param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [pointer];
    ld.param.u64 %rd2, [out];
    ld.global.u32 %r1, [%rd1];
    st.global.u32 [%rd2], %r1;
    ret;
}";

const INVALID_VALUE: c_int = 1;
const OUT_OF_MEMORY: c_int = 2;
const NOT_INITIALISED: c_int = 3;
const INVALID_DEVICE: c_int = 101;
const INVALID_CONTEXT: c_int = 201;
const INVALID_PTX: c_int = 218;
const INVALID_HANDLE: c_int = 400;
const NOT_FOUND: c_int = 500;
const ILLEGAL_ADDRESS: c_int = 700;
const CONTEXT_IS_DESTROYED: c_int = 709;

/// One test, because the driver of a process is one and this walks through its states.
#[test]
fn wrong_calls_have_the_right_results() {
    let nothing = 0x123_4560 as Handle;
    // SAFETY: the declarations are those of the library; every pointer is null or that of a variable here, and sizes
    // that are too large are the point: they are refused before anything is read or written.
    unsafe {
        let (mut device, mut name, mut context) = (7, [0 as c_char; 4], null_mut());
        assert_eq!(cuDeviceGet(&mut device, 0), NOT_INITIALISED);
        assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), NOT_INITIALISED);
        assert_eq!(cuInit(1), INVALID_VALUE);
        assert_eq!(cuInit(0), 0);
        assert_eq!(cuDeviceGet(&mut device, 1), INVALID_DEVICE);
        assert_eq!(cuDeviceGet(null_mut(), 0), INVALID_VALUE);
        assert_eq!(cuDeviceGetName(name.as_mut_ptr(), 4, 0), 0);
        assert_eq!(name[3], 0);
        assert_eq!(cuCtxSynchronize(), INVALID_CONTEXT);
        let mut pointer = 0;
        assert_eq!(cuMemAlloc_v2(&mut pointer, 16), INVALID_CONTEXT);
        assert_eq!(cuCtxCreate_v2(null_mut(), 0, 0), INVALID_VALUE);
        assert_eq!(cuCtxSynchronize(), INVALID_CONTEXT);
        assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), 0);
        assert_eq!(cuCtxSetCurrent(nothing), INVALID_CONTEXT);

        // Memory.
        assert_eq!(cuMemAlloc_v2(&mut pointer, 0), INVALID_VALUE);
        assert_eq!(cuMemAlloc_v2(null_mut(), 16), INVALID_VALUE);
        for size in [usize::MAX, usize::MAX / 2, 1 << 40] {
            assert_eq!(cuMemAlloc_v2(&mut pointer, size), OUT_OF_MEMORY);
        }
        let mut host = null_mut();
        assert_eq!(cuMemAllocHost_v2(&mut host, usize::MAX), OUT_OF_MEMORY);
        assert_eq!(cuMemAllocHost_v2(&mut host, 0), INVALID_VALUE);
        assert_eq!(cuMemAlloc_v2(&mut pointer, 16), 0);
        let mut word = 9_u32;
        let place = (&raw mut word).cast::<c_void>();
        assert_eq!(cuMemcpyHtoD_v2(pointer, place, 4), 0);
        for size in [17, 1 << 40, usize::MAX] {
            assert_eq!(cuMemcpyHtoD_v2(pointer, place, size), INVALID_VALUE);
            assert_eq!(cuMemcpyDtoH_v2(place, pointer, size), INVALID_VALUE);
            assert_eq!(cuMemcpyDtoD_v2(pointer, pointer, size), INVALID_VALUE);
            assert_eq!(cuMemsetD32_v2(pointer, 1, size), INVALID_VALUE);
        }
        assert_eq!(cuMemcpyHtoD_v2(pointer, null(), 4), INVALID_VALUE);
        assert_eq!(cuMemcpyDtoH_v2(null_mut(), pointer, 4), INVALID_VALUE);
        assert_eq!(cuMemcpyHtoD_v2(0, place, 4), INVALID_VALUE);
        assert_eq!(cuMemcpyDtoHAsync_v2(place, pointer, 4, nothing), INVALID_HANDLE);
        assert_eq!(cuMemsetD32_v2(pointer + 2, 1, 1), INVALID_VALUE);
        assert_eq!(cuMemFree_v2(pointer + 4), INVALID_VALUE);
        assert_eq!(cuMemFree_v2(0), 0);
        assert_eq!(cuMemFree_v2(pointer), 0);
        assert_eq!(cuMemFree_v2(pointer), INVALID_VALUE);
        assert_eq!(cuMemcpyDtoH_v2(place, pointer, 4), INVALID_VALUE);
        assert_eq!(cuMemAllocHost_v2(&mut host, 64), 0);
        let mut seen = 0;
        assert_eq!(cuMemHostGetDevicePointer_v2(&mut seen, host, 0), 0);
        assert_eq!(cuMemHostGetDevicePointer_v2(&mut seen, place, 0), INVALID_VALUE);
        assert_eq!(cuMemFree_v2(host as u64), INVALID_VALUE);
        assert_eq!(cuMemFreeHost(host), 0);
        assert_eq!(cuMemFreeHost(host), INVALID_VALUE);
        let mut managed = 0;
        assert_eq!(cuMemAllocManaged(&mut managed, 64, 1), 0);
        assert_eq!(cuMemFreeHost(managed as *mut c_void), INVALID_VALUE);
        assert_eq!(cuMemFree_v2(managed), 0);

        // Modules, streams, events.
        let mut module = null_mut();
        assert_eq!(cuModuleLoadData(&mut module, null()), INVALID_VALUE);
        assert_eq!(cuModuleLoadData(&mut module, c"\x7fELF".as_ptr().cast()), INVALID_PTX);
        assert_eq!(cuModuleLoadData(&mut module, PTX.as_ptr().cast()), 0);
        let (mut function, mut global, mut size) = (null_mut(), 0, 0);
        assert_eq!(cuModuleGetFunction(&mut function, module, c"missing".as_ptr()), NOT_FOUND);
        assert_eq!(cuModuleGetFunction(&mut function, nothing, c"read".as_ptr()), INVALID_HANDLE);
        assert_eq!(cuModuleGetFunction(&mut function, module, c"read".as_ptr()), 0);
        assert_eq!(cuModuleGetGlobal_v2(&mut global, &mut size, module, c"number".as_ptr()), 0);
        assert_eq!(size, 4);
        assert_eq!(cuMemFree_v2(global), INVALID_VALUE);
        let (mut stream, mut event) = (null_mut(), null_mut());
        assert_eq!(cuStreamCreate(&mut stream, 0), 0);
        assert_eq!(cuStreamSynchronize(nothing), INVALID_HANDLE);
        assert_eq!(cuStreamDestroy_v2(stream), 0);
        assert_eq!(cuStreamDestroy_v2(stream), INVALID_HANDLE);
        assert_eq!(cuEventCreate(&mut event, 0), 0);
        assert_eq!(cuEventRecord(event, stream), INVALID_HANDLE);
        assert_eq!(cuEventRecord(event, null_mut()), 0);
        assert_eq!(cuEventDestroy_v2(event), 0);
        assert_eq!(cuEventDestroy_v2(event), INVALID_HANDLE);

        // Launches.
        let mut out = 0;
        assert_eq!(cuMemAlloc_v2(&mut out, 4), 0);
        let mut arguments = [(&raw mut global).cast::<c_void>(), (&raw mut out).cast::<c_void>()];
        let mut launch = |function, grid: u32, block: u32, shared, stream, given: bool| {
            let arguments = if given { arguments.as_mut_ptr() } else { null_mut() };
            cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, arguments, null_mut())
        };
        let main = null_mut();
        assert_eq!(launch(nothing, 1, 1, 0, main, true), INVALID_HANDLE);
        assert_eq!(launch(function, 1, 1, 0, nothing, true), INVALID_HANDLE);
        assert_eq!(launch(function, 1, 1, 0, main, false), INVALID_VALUE);
        assert_eq!(launch(function, 1, 1025, 0, main, true), INVALID_VALUE);
        assert_eq!(launch(function, 0, 1, 0, main, true), INVALID_VALUE);
        for shared in [49_153, 1 << 20, u32::MAX] {
            assert_eq!(launch(function, 1, 1, shared, main, true), INVALID_VALUE);
        }
        assert_eq!(launch(function, 1, 1, 0, main, true), 0);
        assert_eq!((cuMemcpyDtoH_v2(place, out, 4), word), (0, 5));
        let mut blocks = 0;
        assert_eq!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, 64, usize::MAX), 0);
        assert_eq!(blocks, 0);

        // A fault stays until the context is gone; freeing works meanwhile.
        assert_eq!(cuMemFree_v2(out), 0);
        assert_eq!(launch(function, 1, 1, 0, main, true), ILLEGAL_ADDRESS);
        assert_eq!(cuCtxSynchronize(), ILLEGAL_ADDRESS);
        assert_eq!(launch(function, 1, 1, 0, main, true), ILLEGAL_ADDRESS);
        assert_eq!(cuModuleUnload(module), 0);
        assert_eq!(cuModuleUnload(module), INVALID_HANDLE);

        // A context that another thread destroys is gone for this one too.
        let address = context as usize;
        std::thread::spawn(move || assert_eq!(cuCtxDestroy_v2(address as Handle), 0)).join().unwrap();
        assert_eq!(cuCtxSynchronize(), CONTEXT_IS_DESTROYED);
        assert_eq!(cuCtxDestroy_v2(context), INVALID_CONTEXT);
        assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), 0);
        assert_eq!(cuCtxSynchronize(), 0);
    }
}
