#![no_main]

use fracas::geometry::io::read_tetgen_bytes;
use libfuzzer_sys::fuzz_target;

// The two files of a pair, with a zero byte between them.
fuzz_target!(|bytes: &[u8]| {
    let middle = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (node, ele) = bytes.split_at(middle);
    if let Ok(mesh) = read_tetgen_bytes(node, ele.get(1..).unwrap_or_default(), ["fuzz.node", "fuzz.ele"]) {
        assert_eq!(mesh.check(), Ok(()));
        assert!(!mesh.tets.is_empty());
    }
});
