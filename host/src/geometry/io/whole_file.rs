//! Files as a whole: read at once, and written so that nothing half-written stays behind.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{ReadError, WriteError, shown};

pub(super) fn read_whole(path: &Path) -> Result<Vec<u8>, ReadError> {
    let fail = |source: io::Error| ReadError::Io { file: shown(path), source };
    let metadata = fs::metadata(path).map_err(fail)?;
    if metadata.is_dir() {
        return Err(ReadError::NotAFile { file: shown(path), what: "a folder" });
    }
    // A device may have no end.
    if !metadata.is_file() {
        return Err(ReadError::NotAFile { file: shown(path), what: "a device or a pipe" });
    }
    fs::read(path).map_err(fail)
}

/// Writes to a new file beside the target and renames it, which replaces the target in one step.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let fail = |source: io::Error| WriteError::Io { file: shown(path), source };
    if path.is_dir() {
        return Err(fail(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
    }
    let mut name = OsString::from(".");
    name.push(path.file_name().ok_or_else(|| fail(io::Error::other("the path names no file")))?);
    name.push(format!(".{}-{}.partial", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let partial = path.with_file_name(name);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&partial)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&partial, path));
    written.map_err(|source| {
        // The first error counts; a file that cannot be removed either is beyond help.
        let _ = fs::remove_file(&partial);
        fail(source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("taken.obj");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("inside"), "x").unwrap();
        assert!(write_whole(&target, b"bytes").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write_whole(&folder.path().join("none/a.obj"), b"bytes").unwrap_err().to_string();
        assert!(error.contains("folder does not exist"), "{error}");
        let error = read_whole(&target).unwrap_err().to_string();
        assert!(error.ends_with("is a folder, not a mesh file"), "{error}");
        let file = folder.path().join("a.obj");
        write_whole(&file, b"one").unwrap();
        write_whole(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
