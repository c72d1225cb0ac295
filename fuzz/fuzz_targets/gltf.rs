#![no_main]

use fracas::geometry::io::{TriFormat, read_tri_mesh_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = read_tri_mesh_bytes(TriFormat::Gltf, bytes, "fuzz") {
        assert_eq!(mesh.check(), Ok(()));
        assert!(!mesh.triangles.is_empty());
    }
});
