//! What Fracas uses of cust, through the emulator. The tests share one process and one primary context, so a kernel
//! that must fail runs in a process of its own.

use cust::context::{Context, CurrentContext};
use cust::device::{Device, DeviceAttribute};
use cust::error::CudaError;
use cust::event::{Event, EventFlags};
use cust::function::{BlockSize, FunctionAttribute, GridSize};
use cust::memory::{
    AsyncCopyDestination, CopyDestination, DeviceBox, DeviceBuffer, DeviceCopy, LockedBuffer, UnifiedBuffer,
};
use cust::module::Module;
use cust::prelude::{CudaFlags, Stream, StreamFlags};
use cust::stream::StreamWaitEventFlags;
use cust::{launch, memory};
use std::ffi::CString;

const PTX: &str = r#"
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 scale = 3;
.visible .entry multiply(.param .u64 values, .param .u32 count, .param .align 4 .b8 pair[8]) .maxntid 256, 1, 1
{
    .reg .pred %p<2>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<6>;
    .shared .align 4 .b8 scratch[1024];
    ld.param.u64 %rd1, [values];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r6, [%rd4];
    ld.global.u32 %r7, [scale];
    mul.lo.u32 %r6, %r6, %r7;
    ld.param.u32 %r8, [pair+4];
    add.u32 %r6, %r6, %r8;
    st.global.u32 [%rd4], %r6;
DONE:
    ret;
}
"#;

#[repr(C)]
#[derive(Clone, Copy, DeviceCopy)]
struct Pair {
    first: u32,
    second: u32,
}

const PAIR: Pair = Pair { first: 100, second: 7 };

fn start() -> Context {
    cust::quick_init().unwrap()
}

#[test]
fn the_device_says_what_it_is() {
    let _context = start();
    assert_eq!(Device::num_devices().unwrap(), 1);
    let device = Device::get_device(0).unwrap();
    assert_eq!(device.name().unwrap(), "Fracas emulator");
    assert_eq!(device.get_attribute(DeviceAttribute::WarpSize).unwrap(), 32);
    assert!(device.total_memory().unwrap() > 1 << 30);
    assert_eq!(Device::devices().unwrap().count(), 1);
    CurrentContext::get_device().unwrap();
    CurrentContext::synchronize().unwrap();
    let (free, total) = (memory::mem_get_info().unwrap().0, memory::mem_get_info().unwrap().1);
    assert!(free <= total);
    assert!(cust::CudaApiVersion::get().unwrap().major() >= 11);
}

#[test]
fn a_kernel_multiplies_a_buffer() {
    let _context = start();
    let module = Module::from_ptx(PTX, &[]).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let values: Vec<u32> = (0..1000).collect();
    let buffer = DeviceBuffer::from_slice(&values).unwrap();
    let function = module.get_function("multiply").unwrap();
    assert_eq!(function.get_attribute(FunctionAttribute::MaxThreadsPerBlock).unwrap(), 256);
    let (_, block) = function.suggested_launch_configuration(0, 0.into()).unwrap();
    assert!(block > 0 && block <= 256);
    let blocks = 1000_u32.div_ceil(block);
    // SAFETY: the kernel has these parameters.
    unsafe {
        launch!(function<<<blocks, block, 0, stream>>>(buffer.as_device_ptr(), buffer.len() as u32, PAIR)).unwrap();
    }
    stream.synchronize().unwrap();
    let result = buffer.as_host_vec().unwrap();
    assert!(result.iter().enumerate().all(|(index, &value)| value == index as u32 * 3 + 7));
    let grid: GridSize = (2, 1, 1).into();
    let size: BlockSize = (64, 2, 1).into();
    // SAFETY: the kernel has these parameters.
    unsafe {
        launch!(module.multiply<<<grid, size, 0, stream>>>(buffer.as_device_ptr(), 0_u32, PAIR)).unwrap();
    }
    stream.synchronize().unwrap();
    assert!(function.max_active_blocks_per_multiprocessor(128.into(), 0).unwrap() > 0);
    assert!(function.available_dynamic_shared_memory_per_block(1.into(), 128.into()).unwrap() > 0);
}

#[test]
fn a_variable_of_the_module_can_be_set() {
    let _context = start();
    let module = Module::from_ptx(PTX, &[]).unwrap();
    let mut scale = module.get_global::<u32>(&CString::new("scale").unwrap()).unwrap();
    scale.copy_from(&5).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let buffer = DeviceBuffer::from_slice(&[1_u32; 64]).unwrap();
    // SAFETY: the kernel has these parameters.
    unsafe {
        launch!(module.multiply<<<1, 64, 0, stream>>>(buffer.as_device_ptr(), 64_u32, PAIR)).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [12; 64]);
}

#[test]
fn copies_fills_and_pinned_memory() {
    let _context = start();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, Some(-1)).unwrap();
    let host = LockedBuffer::new(&7_u32, 100).unwrap();
    let mut back = LockedBuffer::new(&0_u32, 100).unwrap();
    // SAFETY: the buffers live until the stream is synchronised.
    unsafe {
        let mut first = DeviceBuffer::<u32>::uninitialized_async(100, &stream).unwrap();
        let mut second = DeviceBuffer::<u32>::zeroed_async(100, &stream).unwrap();
        first.async_copy_from(&host, &stream).unwrap();
        second.async_copy_from(&first, &stream).unwrap();
        second.async_copy_to(&mut back, &stream).unwrap();
        stream.synchronize().unwrap();
        first.drop_async(&stream).unwrap();
    }
    assert!(back.iter().all(|&value| value == 7));
    let mut buffer = DeviceBuffer::<u32>::zeroed(10).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [0; 10]);
    buffer.set_32(0x0102_0304_u32).unwrap();
    buffer.index(2..5).set_8(0xff).unwrap();
    let mut values = [0_u32; 10];
    buffer.copy_to(&mut values).unwrap();
    assert_eq!(values[1..6], [0x0102_0304, u32::MAX, u32::MAX, u32::MAX, 0x0102_0304]);
    let boxed = DeviceBox::new(&9_u64).unwrap();
    assert_eq!(boxed.as_host_value().unwrap(), 9);
    let unified = UnifiedBuffer::from_slice(&[1_u32, 2, 3]).unwrap();
    assert_eq!(unified.iter().sum::<u32>(), 6);
}

#[test]
fn events_and_callbacks() {
    let _context = start();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let (begin, end) = (Event::new(EventFlags::DEFAULT).unwrap(), Event::new(EventFlags::DEFAULT).unwrap());
    begin.record(&stream).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    stream.add_callback(Box::new(move || sender.send(true).unwrap())).unwrap();
    end.record(&stream).unwrap();
    stream.wait_event(end, StreamWaitEventFlags::DEFAULT).unwrap();
    let late = Event::new(EventFlags::DEFAULT).unwrap();
    late.record(&stream).unwrap();
    late.synchronize().unwrap();
    late.query().unwrap();
    assert!(receiver.recv().unwrap());
    assert!(late.elapsed_time_f32(&begin).unwrap() >= 0.0);
}

#[test]
fn errors_have_names() {
    let context = start();
    assert!(matches!(Module::from_ptx("this is not PTX", &[]), Err(CudaError::InvalidPtx)));
    let module = Module::from_ptx(PTX, &[]).unwrap();
    let missing = module.get_function("nothing").err().unwrap();
    assert_eq!(missing, CudaError::NotFound);
    assert!(missing.to_string().contains("not found"));
    drop(context);
}

/// Runs when the test below starts this program again: a kernel that writes past the end of its buffer.
#[test]
fn faulty_child() {
    if std::env::var_os("FRACAS_FAULTY_CHILD").is_none() {
        return;
    }
    cust::init(CudaFlags::empty()).unwrap();
    let _context = Context::new(Device::get_device(0).unwrap()).unwrap();
    let module = Module::from_ptx(PTX, &[]).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let buffer = DeviceBuffer::from_slice(&[1_u32; 100]).unwrap();
    // SAFETY: the kernel has these parameters; the count is wrong on purpose.
    let launched = unsafe { launch!(module.multiply<<<1, 128, 0, stream>>>(buffer.as_device_ptr(), 101_u32, PAIR)) };
    assert_eq!(launched, Err(CudaError::IllegalAddress));
    assert_eq!(stream.synchronize(), Err(CudaError::IllegalAddress));
    assert_eq!(buffer.as_host_vec(), Err(CudaError::IllegalAddress));
}

#[test]
fn a_fault_is_reported_and_stays() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faulty_child", "--nocapture"])
        .env("FRACAS_FAULTY_CHILD", "1")
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    assert!(report.contains("OutOfBounds in kernel 'multiply', block (0, 0, 0) thread (100, 0, 0)"), "{report}");
    assert!(report.contains("PTX line"), "{report}");
}

/// Runs when the test below starts this program again: a launch whose profile is written.
#[test]
fn profiled_child() {
    if std::env::var_os("FRACAS_EMULATOR_PROFILE").is_some() {
        a_kernel_multiplies_a_buffer();
    }
}

#[test]
fn a_profile_is_written_for_each_launch() {
    let path = std::env::temp_dir().join(format!("fracas-emulator-{}.jsonl", std::process::id()));
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "profiled_child"])
        .env("FRACAS_EMULATOR_PROFILE", &path)
        .env("FRACAS_EMULATOR_RACES", "1")
        .env("FRACAS_EMULATOR_SHUFFLE", "3")
        .output()
        .unwrap();
    let lines = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(&path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(lines.lines().count(), 2);
    assert!(lines.lines().all(|line| line.starts_with("{\"kernel\":\"multiply\"") && line.ends_with('}')));
}
