//! Files as a whole: read at once, and written so that nothing half-written stays behind.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

/// Why a file could not be read or written.
#[derive(Debug, Error)]
#[error("{path}: {}", explain(.source, *.writing))]
pub struct FileError {
    /// The file.
    pub path: String,
    /// Whether it was to be written.
    pub writing: bool,
    /// What the operating system says.
    pub source: io::Error,
}

impl FileError {
    /// What went wrong with reading a file.
    pub fn reading(path: &Path, source: io::Error) -> FileError {
        FileError { path: path.display().to_string(), writing: false, source }
    }

    /// What went wrong with writing a file.
    pub fn writing(path: &Path, source: io::Error) -> FileError {
        FileError { path: path.display().to_string(), writing: true, source }
    }
}

fn explain(source: &io::Error, writing: bool) -> String {
    let verb = if writing { "written" } else { "read" };
    match source.kind() {
        io::ErrorKind::NotFound if writing => "its folder does not exist; make it first".to_owned(),
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => format!("may not be {verb}: permission denied"),
        _ => format!("could not be {verb}: {source}"),
    }
}

/// Reads a file into memory. Folders, devices and pipes are refused: a device may have no end.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let attempt = || {
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, not a file"));
        }
        if !metadata.is_file() {
            return Err(io::Error::other("it is a device or a pipe, not a file"));
        }
        fs::read(path)
    };
    attempt().map_err(|source| FileError::reading(path, source))
}

/// Writes a file: to a new one beside it, which is renamed when it is complete and replaces the old one in one step.
/// A link stays a link: the file that it leads to is replaced. A device or a pipe is written to as it is.
///
/// # Errors
/// If it cannot be written; then nothing is left behind.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    // Another number for each call, so that two threads that write one path do not share the unfinished file.
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let named = path;
    let fail = |source: io::Error| FileError::writing(named, source);
    let target = fs::canonicalize(path);
    let path = target.as_deref().unwrap_or(path);
    match fs::metadata(path) {
        Ok(existing) if existing.is_dir() => {
            return Err(fail(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, not a file")));
        }
        Ok(existing) if !existing.is_file() => return fs::write(path, bytes).map_err(fail),
        _ => {}
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
        assert!(write(&target, b"bytes").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write(&folder.path().join("none/a.obj"), b"bytes").unwrap_err().to_string();
        assert!(error.contains("folder does not exist"), "{error}");
        let file = folder.path().join("a.obj");
        write(&file, b"one").unwrap();
        write(&file, b"two").unwrap();
        assert_eq!(read(&file).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_are_written_through_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("could not be read: it is a folder, not a file"), "{error}");
        let error = read(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.ends_with("none: there is no such file"), "{error}");
        #[cfg(unix)]
        assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().contains("a device"));
    }
}
