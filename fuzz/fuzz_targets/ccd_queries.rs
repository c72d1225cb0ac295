#![no_main]

use fracas::ccd::{Kind, Options, read_queries_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        if let Ok(file) = read_queries_bytes(bytes, kind, "fuzz") {
            for known in &file.queries {
                let time = known.query.first_contact(&Options::default()).time();
                assert!(time.is_none_or(|t| (0.0..=1.0).contains(&t)));
            }
        }
    }
});
