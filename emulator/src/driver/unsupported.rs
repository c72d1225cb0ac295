//! Functions that cust can link and that have no meaning here: textures, surfaces, graphs, linking, external memory,
//! cooperative launches. They exist so that a program links, and answer that they are not supported.

use super::code::Code;
use std::ffi::c_int;

macro_rules! unsupported {
    ($($name:ident),* $(,)?) => {
        $(
            // The arguments are not looked at, so that a call with any of them is sound in the C calling convention.
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> c_int {
                eprintln!("fracas-emulator: {} is not supported", stringify!($name));
                Code::NOT_SUPPORTED.0
            }
        )*
    };
}

unsupported!(
    cuArray3DCreate_v2,
    cuArray3DGetDescriptor_v2,
    cuArrayDestroy,
    cuDestroyExternalMemory,
    cuExternalMemoryGetMappedBuffer,
    cuGraphAddKernelNode,
    cuGraphCreate,
    cuGraphDebugDotPrint,
    cuGraphDestroy,
    cuGraphGetEdges,
    cuGraphGetNodes,
    cuGraphKernelNodeGetParams,
    cuGraphNodeGetType,
    cuImportExternalMemory,
    cuLaunchCooperativeKernel,
    cuLinkAddData_v2,
    cuLinkComplete,
    cuLinkCreate_v2,
    cuLinkDestroy,
    cuMemcpy2D_v2,
    cuMemcpyAtoH_v2,
    cuMemcpyHtoA_v2,
    cuSurfObjectCreate,
    cuSurfObjectDestroy,
    cuSurfObjectGetResourceDesc,
    cuTexObjectCreate,
    cuTexObjectDestroy,
    cuTexObjectGetResourceDesc,
    cuTexObjectGetResourceViewDesc,
);
