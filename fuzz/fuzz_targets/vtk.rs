#![no_main]

use fracas::geometry::io::{TetFormat, read_tet_mesh_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = read_tet_mesh_bytes(TetFormat::Vtk, bytes, "fuzz") {
        assert_eq!(mesh.check(), Ok(()));
        assert!(!mesh.tets.is_empty());
    }
});
