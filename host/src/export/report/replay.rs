//! The viewer within a report.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use flate2::write::GzEncoder;

use crate::export::stream::RecordedStream;
use crate::export::{Compression, Page, Source};
use crate::recording::RecordingError;

/// A report is to open at once: a replay of more bytes than this is left out.
const LARGEST: usize = 24 << 20;

/// What happened, to be looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Replay {
    /// Nothing to look at.
    #[default]
    None,
    /// The stream, compressed by gzip.
    Compressed(Vec<u8>),
    /// A line on why there is none.
    Missing(String),
}

impl Replay {
    /// The replay of a recording, if it is not too large for a page.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn of_recording(path: &Path) -> Result<Replay, RecordingError> {
        Replay::at_most(RecordedStream::open(path)?, path, LARGEST)
    }

    pub(super) fn at_most(stream: RecordedStream, path: &Path, largest: usize) -> Result<Replay, RecordingError> {
        let too_large = || {
            let megabytes = largest.div_ceil(1 << 20);
            Ok(Replay::Missing(format!(
                "The recording is too large to stand in a page (more than {megabytes} MB once compressed). To look at it: \
                 fracas view {}",
                path.display()
            )))
        };
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for messages in stream {
            // Writing to memory does not fail.
            let _ = encoder.write_all(&messages?);
            if encoder.get_ref().len() > largest {
                return too_large();
            }
        }
        let compressed = encoder.finish().unwrap_or_default();
        if compressed.len() > largest { too_large() } else { Ok(Replay::Compressed(compressed)) }
    }

    pub(super) fn put(&self, page: &mut String) {
        match self {
            Replay::None => {}
            Replay::Missing(line) => {
                let _ = writeln!(page, "<h2>Replay</h2>\n<p>{}</p>", super::escaped(line));
            }
            Replay::Compressed(stream) => {
                let source = Source::Embedded(stream.clone(), Compression::Gzip);
                let inner = Page { autoplay: false, ..Page::of(source) }.html();
                let inner = inner.replace('&', "&amp;").replace('"', "&quot;");
                let _ = writeln!(
                    page,
                    "<h2>Replay</h2>\n<iframe id=\"replay\" title=\"Replay\" loading=\"lazy\" srcdoc=\"{inner}\"></iframe>"
                );
            }
        }
    }
}
