//! One suite for every backend: the CPU against plain loops, and then each device against the CPU, bit by bit.
//!
//! With the feature `cuda` an NVIDIA device is among them; `cargo xtask gpu-test` runs that on the emulator.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod collisions;
mod failures;
mod fractures;
mod lists;

use fracas::device::Device;

/// What a backend is asked: everything, or what an emulated device does in little time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    // Without the feature there is no device that takes its time.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    Short,
}

macro_rules! suite {
    ($module:ident, $device:expr, $effort:expr) => {
        mod $module {
            use super::*;

            #[test]
            fn scans() {
                lists::scans(&$device, $effort);
            }

            #[test]
            fn segmented_scans() {
                lists::segmented_scans(&$device, $effort);
            }

            #[test]
            fn sorts() {
                lists::sorts(&$device, $effort);
            }

            #[test]
            fn islands() {
                lists::islands(&$device, $effort);
            }

            #[test]
            fn meshes_become_octrees() {
                fractures::octrees(&$device, $effort);
            }

            #[test]
            fn a_rabbit_breaks() {
                fractures::rabbit(&$device);
            }

            #[test]
            fn a_cavity_hangs_together_with_the_surface() {
                fractures::cavity(&$device, $effort);
            }

            #[test]
            fn coarser_islands_and_pieces_of_pieces() {
                fractures::again(&$device, $effort);
            }

            #[test]
            fn octrees_meet() {
                collisions::pairs(&$device, $effort);
            }

            #[test]
            fn a_second_fracture_allocates_nothing() {
                let device = $device;
                fractures::small(&device);
                let blocks = device.blocks();
                fractures::small(&device);
                assert_eq!(device.blocks(), blocks);
            }
        }
    };
}

suite!(native, Device::native(), Effort::Full);
#[cfg(feature = "cuda")]
suite!(cuda, Device::cuda(0).unwrap(), Effort::Short);

#[cfg(feature = "cuda")]
#[test]
fn devices_have_names_and_others_do_not_exist() {
    use fracas::device::{Backend, DeviceError, cuda_devices};

    let names = cuda_devices().unwrap();
    assert_eq!(Device::cuda(0).unwrap().name(), format!("cuda: {}", names[0]));
    let error = Device::cuda(names.len() as u32).unwrap_err();
    assert!(matches!(error, DeviceError::NoDevice { .. }), "{error}");
    assert_eq!(error.to_string().lines().count(), 1);
}
