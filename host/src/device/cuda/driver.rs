//! NVIDIA's driver, looked for when the program runs and not when it starts, so that it runs where there is none.
//!
//! The functions below have the names of those that cust calls, and each goes on to the driver's. So nothing is left that the
//! linker would take from `libcuda.so`, and the program does not ask for one.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ushort, c_void};
use std::sync::LazyLock;

use cust::sys::*;

unsafe extern "C" {
    fn dlopen(name: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// What the driver is called.
pub(super) const NAME: &CStr = c"libcuda.so.1";

/// The mode of `dlopen` that finds what the library itself needs at once.
const NOW: c_int = 2;

/// Where the library is; 0 if there is none. It stays until the program ends.
static LIBRARY: LazyLock<usize> = LazyLock::new(|| {
    // SAFETY: the name ends with a zero.
    unsafe { dlopen(NAME.as_ptr(), NOW) as usize }
});

/// Whether there is a driver.
pub(super) fn is_installed() -> bool {
    *LIBRARY != 0
}

/// Where a function of the driver is, or null.
fn find(name: &'static CStr) -> *mut c_void {
    match *LIBRARY {
        0 => std::ptr::null_mut(),
        // SAFETY: the library stays, and the name ends with a zero.
        library => unsafe { dlsym(library as *mut c_void, name.as_ptr()) },
    }
}

/// Functions with these names that go on to those of the driver.
macro_rules! driver {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => { $(
        /// # Safety
        /// What the driver asks of those who call it.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
            type Function = unsafe extern "C" fn($($type),*) -> CUresult;
            static FUNCTION: LazyLock<Option<Function>> = LazyLock::new(|| {
                const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no zeros"),
                };
                // SAFETY: null is no function, and any other address is that of one of the type that cust declares.
                unsafe { std::mem::transmute::<*mut c_void, Option<Function>>(find(NAME)) }
            });
            match *FUNCTION {
                // SAFETY: this function's own promise.
                Some(function) => unsafe { function($($argument),*) },
                None => CUresult::CUDA_ERROR_NOT_SUPPORTED,
            }
        }
    )* };
}

driver! {
    cuArray3DCreate_v2(a: *mut CUarray, b: *const CUDA_ARRAY3D_DESCRIPTOR);
    cuArray3DGetDescriptor_v2(a: *mut CUDA_ARRAY3D_DESCRIPTOR, b: CUarray);
    cuArrayDestroy(a: CUarray);
    cuCtxCreate_v2(a: *mut CUcontext, b: c_uint, c: CUdevice);
    cuCtxDestroy_v2(a: CUcontext);
    cuCtxGetApiVersion(a: CUcontext, b: *mut c_uint);
    cuCtxGetCacheConfig(a: *mut CUfunc_cache);
    cuCtxGetCurrent(a: *mut CUcontext);
    cuCtxGetDevice(a: *mut CUdevice);
    cuCtxGetFlags(a: *mut c_uint);
    cuCtxGetLimit(a: *mut usize, b: CUlimit);
    cuCtxGetSharedMemConfig(a: *mut CUsharedconfig);
    cuCtxGetStreamPriorityRange(a: *mut c_int, b: *mut c_int);
    cuCtxPopCurrent_v2(a: *mut CUcontext);
    cuCtxPushCurrent_v2(a: CUcontext);
    cuCtxSetCacheConfig(a: CUfunc_cache);
    cuCtxSetCurrent(a: CUcontext);
    cuCtxSetLimit(a: CUlimit, b: usize);
    cuCtxSetSharedMemConfig(a: CUsharedconfig);
    cuCtxSynchronize();
    cuDestroyExternalMemory(a: CUexternalMemory);
    cuDeviceGet(a: *mut CUdevice, b: c_int);
    cuDeviceGetAttribute(a: *mut c_int, b: CUdevice_attribute, c: CUdevice);
    cuDeviceGetCount(a: *mut c_int);
    cuDeviceGetName(a: *mut c_char, b: c_int, c: CUdevice);
    cuDevicePrimaryCtxRelease_v2(a: CUdevice);
    cuDevicePrimaryCtxReset_v2(a: CUdevice);
    cuDevicePrimaryCtxRetain(a: *mut CUcontext, b: CUdevice);
    cuDevicePrimaryCtxSetFlags_v2(a: CUdevice, b: c_uint);
    cuDeviceTotalMem_v2(a: *mut usize, b: CUdevice);
    cuDriverGetVersion(a: *mut c_int);
    cuEventCreate(a: *mut CUevent, b: c_uint);
    cuEventDestroy_v2(a: CUevent);
    cuEventElapsedTime(a: *mut f32, b: CUevent, c: CUevent);
    cuEventQuery(a: CUevent);
    cuEventRecord(a: CUevent, b: CUstream);
    cuEventSynchronize(a: CUevent);
    cuExternalMemoryGetMappedBuffer(a: *mut CUdeviceptr, b: CUexternalMemory, c: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
    cuFuncGetAttribute(a: *mut c_int, b: CUfunction_attribute, c: CUfunction);
    cuFuncSetCacheConfig(a: CUfunction, b: CUfunc_cache);
    cuFuncSetSharedMemConfig(a: CUfunction, b: CUsharedconfig);
    cuGetErrorString(a: CUresult, b: *mut *const c_char);
    cuGraphAddKernelNode(a: *mut CUgraphNode, b: CUgraph, c: *const CUgraphNode, d: usize, e: *const CUDA_KERNEL_NODE_PARAMS);
    cuGraphCreate(a: *mut CUgraph, b: c_uint);
    cuGraphDebugDotPrint(a: CUgraph, b: *const c_char, c: c_uint);
    cuGraphDestroy(a: CUgraph);
    cuGraphGetEdges(a: CUgraph, b: *mut CUgraphNode, c: *mut CUgraphNode, d: *mut usize);
    cuGraphGetNodes(a: CUgraph, b: *mut CUgraphNode, c: *mut usize);
    cuGraphKernelNodeGetParams(a: CUgraphNode, b: *mut CUDA_KERNEL_NODE_PARAMS);
    cuGraphNodeGetType(a: CUgraphNode, b: *mut CUgraphNodeType);
    cuImportExternalMemory(a: *mut CUexternalMemory, b: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
    cuInit(a: c_uint);
    cuLaunchHostFunc(a: CUstream, b: CUhostFn, c: *mut c_void);
    cuLaunchKernel(a: CUfunction, b: c_uint, c: c_uint, d: c_uint, e: c_uint, f: c_uint, g: c_uint, h: c_uint, i: CUstream, j: *mut *mut c_void, k: *mut *mut c_void);
    cuLinkAddData_v2(a: CUlinkState, b: CUjitInputType, c: *mut c_void, d: usize, e: *const c_char, f: c_uint, g: *mut CUjit_option, h: *mut *mut c_void);
    cuLinkComplete(a: CUlinkState, b: *mut *mut c_void, c: *mut usize);
    cuLinkCreate_v2(a: c_uint, b: *mut CUjit_option, c: *mut *mut c_void, d: *mut CUlinkState);
    cuLinkDestroy(a: CUlinkState);
    cuMemAdvise(a: CUdeviceptr, b: usize, c: CUmem_advise, d: CUdevice);
    cuMemAllocAsync(a: *mut CUdeviceptr, b: usize, c: CUstream);
    cuMemAllocHost_v2(a: *mut *mut c_void, b: usize);
    cuMemAllocManaged(a: *mut CUdeviceptr, b: usize, c: c_uint);
    cuMemAlloc_v2(a: *mut CUdeviceptr, b: usize);
    cuMemFreeAsync(a: CUdeviceptr, b: CUstream);
    cuMemFreeHost(a: *mut c_void);
    cuMemFree_v2(a: CUdeviceptr);
    cuMemGetInfo_v2(a: *mut usize, b: *mut usize);
    cuMemPrefetchAsync(a: CUdeviceptr, b: usize, c: CUdevice, d: CUstream);
    cuMemcpy2D_v2(a: *const CUDA_MEMCPY2D);
    cuMemcpyAtoH_v2(a: *mut c_void, b: CUarray, c: usize, d: usize);
    cuMemcpyDtoDAsync_v2(a: CUdeviceptr, b: CUdeviceptr, c: usize, d: CUstream);
    cuMemcpyDtoD_v2(a: CUdeviceptr, b: CUdeviceptr, c: usize);
    cuMemcpyDtoHAsync_v2(a: *mut c_void, b: CUdeviceptr, c: usize, d: CUstream);
    cuMemcpyDtoH_v2(a: *mut c_void, b: CUdeviceptr, c: usize);
    cuMemcpyHtoA_v2(a: CUarray, b: usize, c: *const c_void, d: usize);
    cuMemcpyHtoDAsync_v2(a: CUdeviceptr, b: *const c_void, c: usize, d: CUstream);
    cuMemcpyHtoD_v2(a: CUdeviceptr, b: *const c_void, c: usize);
    cuMemsetD16Async(a: CUdeviceptr, b: c_ushort, c: usize, d: CUstream);
    cuMemsetD16_v2(a: CUdeviceptr, b: c_ushort, c: usize);
    cuMemsetD32Async(a: CUdeviceptr, b: c_uint, c: usize, d: CUstream);
    cuMemsetD32_v2(a: CUdeviceptr, b: c_uint, c: usize);
    cuMemsetD8Async(a: CUdeviceptr, b: c_uchar, c: usize, d: CUstream);
    cuMemsetD8_v2(a: CUdeviceptr, b: c_uchar, c: usize);
    cuModuleGetFunction(a: *mut CUfunction, b: CUmodule, c: *const c_char);
    cuModuleGetGlobal_v2(a: *mut CUdeviceptr, b: *mut usize, c: CUmodule, d: *const c_char);
    cuModuleLoad(a: *mut CUmodule, b: *const c_char);
    cuModuleLoadData(a: *mut CUmodule, b: *const c_void);
    cuModuleLoadDataEx(a: *mut CUmodule, b: *const c_void, c: c_uint, d: *mut CUjit_option, e: *mut *mut c_void);
    cuModuleUnload(a: CUmodule);
    cuOccupancyAvailableDynamicSMemPerBlock(a: *mut usize, b: CUfunction, c: c_int, d: c_int);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(a: *mut c_int, b: CUfunction, c: c_int, d: usize);
    cuOccupancyMaxPotentialBlockSize(a: *mut c_int, b: *mut c_int, c: CUfunction, d: CUoccupancyB2DSize, e: usize, f: c_int);
    cuStreamCreateWithPriority(a: *mut CUstream, b: c_uint, c: c_int);
    cuStreamDestroy_v2(a: CUstream);
    cuStreamGetFlags(a: CUstream, b: *mut c_uint);
    cuStreamGetPriority(a: CUstream, b: *mut c_int);
    cuStreamSynchronize(a: CUstream);
    cuStreamWaitEvent(a: CUstream, b: CUevent, c: c_uint);
    cuSurfObjectCreate(a: *mut CUsurfObject, b: *const CUDA_RESOURCE_DESC);
    cuSurfObjectDestroy(a: CUsurfObject);
    cuSurfObjectGetResourceDesc(a: *mut CUDA_RESOURCE_DESC, b: CUsurfObject);
    cuTexObjectCreate(a: *mut CUtexObject, b: *const CUDA_RESOURCE_DESC, c: *const CUDA_TEXTURE_DESC, d: *const CUDA_RESOURCE_VIEW_DESC);
    cuTexObjectDestroy(a: CUtexObject);
    cuTexObjectGetResourceDesc(a: *mut CUDA_RESOURCE_DESC, b: CUtexObject);
    cuTexObjectGetResourceViewDesc(a: *mut CUDA_RESOURCE_VIEW_DESC, b: CUtexObject);
}
