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
/// A link to a file stays a link: the file that it leads to is replaced. One that leads nowhere is replaced itself. A device or a pipe is written to as it is.
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

/// Writes a folder of files: a new one beside it, which gets its name when it is complete. A folder that is there is
/// replaced if it is empty or all that is in it may go; a link to it stays a link.
///
/// # Errors
/// If something else is in its place, a file does not come, or it cannot be written; then nothing is left behind, and what
/// was there stays.
pub fn write_folder<E: From<FileError>>(
    path: &Path,
    may_go: impl Fn(&str) -> bool,
    files: impl Iterator<Item = Result<(String, Vec<u8>), E>>,
) -> Result<(), E> {
    let named = path;
    let fail = |source: io::Error| FileError::writing(named, source);
    let target = path.file_name().and_then(|_| fs::canonicalize(path).ok());
    let path = target.as_deref().unwrap_or(path);
    let is_there = path.exists();
    if is_there {
        let kept = |entry: io::Result<fs::DirEntry>| match entry {
            Ok(entry) => Ok((!may_go(&entry.file_name().to_string_lossy())).then(|| entry.file_name())),
            Err(error) => Err(error),
        };
        let kept = fs::read_dir(path).map_err(fail)?.find_map(|entry| kept(entry).transpose());
        if let Some(name) = kept.transpose().map_err(fail)? {
            let line = format!("there is something else in it ({}); name a new folder", name.display());
            return Err(fail(io::Error::other(line)).into());
        }
    }
    let name = path.file_name().ok_or_else(|| fail(io::Error::other("the path names no folder")))?;
    let beside = |what: &str| {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.{what}", std::process::id()));
        path.with_file_name(hidden)
    };
    let (partial, old) = (beside("partial"), beside("old"));
    let write_all = || {
        fs::create_dir(&partial).map_err(fail)?;
        for file in files {
            let (name, bytes) = file?;
            fs::write(partial.join(name), bytes).map_err(fail)?;
        }
        if is_there {
            fs::rename(path, &old).map_err(fail)?;
        }
        Ok(fs::rename(&partial, path).map_err(fail)?)
    };
    let written = write_all();
    // The first error counts; a folder that cannot be removed either is beyond help.
    if written.is_err() {
        let _ = fs::remove_dir_all(&partial);
        if !path.exists() {
            let _ = fs::rename(&old, path);
        }
    }
    let _ = fs::remove_dir_all(&old);
    written
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

    #[test]
    fn a_folder_is_there_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("frames");
        let file = |name: &str, text: &str| Ok::<_, FileError>((name.to_owned(), text.as_bytes().to_vec()));
        let ours = |name: &str| name.starts_with("frame");
        write_folder(&target, ours, [file("frame0", "one"), file("frame1", "two")].into_iter()).unwrap();
        write_folder(&target, ours, [file("frame0", "three")].into_iter()).unwrap();
        assert_eq!(fs::read_dir(&target).unwrap().count(), 1);
        let stopped = FileError::reading(Path::new("x"), io::Error::other("stopped"));
        let files = [file("frame0", "four"), Err(stopped)];
        assert!(write_folder(&target, ours, files.into_iter()).unwrap_err().to_string().contains("stopped"));
        assert_eq!(fs::read(target.join("frame0")).unwrap(), b"three");
        fs::write(target.join("mine"), "x").unwrap();
        let error = write_folder(&target, ours, [file("frame0", "five")].into_iter()).unwrap_err().to_string();
        assert!(error.contains("something else in it (mine)") && !error.contains('\n'), "{error}");
        assert_eq!(fs::read(target.join("frame0")).unwrap(), b"three");
        assert!(
            write_folder(&folder.path().join("no/frames"), ours, std::iter::empty::<Result<_, FileError>>()).is_err()
        );
        assert!(write_folder(&target.join("mine"), ours, [file("a", "b")].into_iter()).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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
        let (frames, link) = (folder.path().join("frames"), folder.path().join("link to frames"));
        fs::create_dir(&frames).unwrap();
        std::os::unix::fs::symlink(&frames, &link).unwrap();
        let files = [Ok::<_, FileError>(("frame0".to_owned(), b"one".to_vec()))];
        write_folder(&link, |_| false, files.into_iter()).unwrap();
        assert_eq!(fs::read(frames.join("frame0")).unwrap(), b"one");
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
