//! Where the bytes of a glTF file are: in its binary chunk, in data URIs, or in files beside it.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use super::error::{Fault, quoted};
use super::gltf_document::Buffer;

/// The buffers that the geometry uses; others are not loaded.
pub(super) struct Buffers<'a> {
    loaded: Vec<Cow<'a, [u8]>>,
    /// Which of the loaded bytes belong to each buffer; several may name one file.
    of_buffer: Vec<Option<usize>>,
    /// The sum of the lengths of what is loaded.
    pub(super) total: usize,
}

impl<'a> Buffers<'a> {
    /// Loads the buffers that are marked as used.
    pub(super) fn load(
        buffers: &[Buffer],
        used: &[bool],
        chunk: Option<&'a [u8]>,
        folder: Option<&Path>,
    ) -> Result<Buffers<'a>, Fault> {
        let mut all = Buffers { loaded: Vec::new(), of_buffer: vec![None; buffers.len()], total: 0 };
        // Files are read once, however many buffers name them, so that a small document cannot ask for much memory.
        let mut files: Vec<(PathBuf, usize)> = Vec::new();
        for (number, buffer) in buffers.iter().enumerate().filter(|&(number, _)| used[number]) {
            let fail = |why: String| Fault::file(format!("buffer {number}: {why}"));
            let bytes = match &buffer.uri {
                None => match chunk {
                    Some(chunk) if number == 0 => Cow::Borrowed(chunk),
                    _ => return Err(fail("has no uri, and there is no binary chunk for it".to_owned())),
                },
                Some(uri) => match uri.strip_prefix("data:") {
                    Some(data) => Cow::Owned(data_uri(data).map_err(fail)?),
                    None => {
                        let path = inside(folder, uri).map_err(fail)?;
                        if let Some(&(_, place)) = files.iter().find(|(known, _)| *known == path) {
                            check_length(number, buffer, &all.loaded[place])?;
                            all.of_buffer[number] = Some(place);
                            continue;
                        }
                        let shown = quoted(uri.as_bytes());
                        let bytes = read_file(&path).map_err(|why| fail(format!("{shown} {why}")))?;
                        files.push((path, all.loaded.len()));
                        Cow::Owned(bytes)
                    }
                },
            };
            check_length(number, buffer, &bytes)?;
            all.of_buffer[number] = Some(all.loaded.len());
            all.total += bytes.len();
            all.loaded.push(bytes);
        }
        Ok(all)
    }

    /// The bytes of a buffer.
    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        self.loaded.get((*self.of_buffer.get(number)?)?).map(|bytes| bytes.as_ref())
    }
}

fn check_length(number: usize, buffer: &Buffer, bytes: &[u8]) -> Result<(), Fault> {
    let (expected, found) = (buffer.byte_length, bytes.len());
    if found >= expected {
        return Ok(());
    }
    Err(Fault::file(format!("buffer {number} should have {expected} bytes, but has {found}; it is cut short")))
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let fail = |error: std::io::Error| format!("could not be read: {error}");
    if !std::fs::metadata(path).map_err(fail)?.is_file() {
        return Err("is not a file".to_owned());
    }
    std::fs::read(path).map_err(fail)
}

/// The path of a relative uri, refused where it leads out of the folder: a model from elsewhere must not be able to read
/// other files.
fn inside(folder: Option<&Path>, uri: &str) -> Result<PathBuf, String> {
    let folder = folder.ok_or("is in another file, which needs the path of this one to be found")?;
    let shown = quoted(uri.as_bytes());
    let decoded = percent_decode(uri).ok_or_else(|| format!("{shown} is no valid uri"))?;
    let relative = Path::new(&decoded);
    let leads_out = || format!("{shown} leads out of the file's folder; put the buffer beside the file");
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !plain || decoded.contains([':', '\\', '\0']) {
        return Err(leads_out());
    }
    let missing = |error: std::io::Error| format!("{shown} could not be read: {error}");
    // A symbolic link may lead out too.
    let root = folder.canonicalize().map_err(missing)?;
    let path = folder.join(relative).canonicalize().map_err(missing)?;
    if path.starts_with(&root) { Ok(path) } else { Err(leads_out()) }
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// The bytes of `[type];base64,...`.
fn data_uri(data: &str) -> Result<Vec<u8>, String> {
    let (kind, text) = data.split_once(',').ok_or("its data uri has no comma")?;
    if !kind.ends_with(";base64") {
        return Err("its data uri is not in base64".to_owned());
    }
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for group in text.chunks(4) {
        let mut bits = 0_u32;
        for &letter in group {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return Err(format!("its data uri has {}, which is no base64", quoted(&[letter]))),
            };
            bits = bits << 6 | u32::from(value);
        }
        if group.len() == 1 {
            return Err("its data uri is cut short".to_owned());
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_the_standard_shows_it() {
        for (text, expected) in [("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE", "fooba"), ("", "")] {
            assert_eq!(data_uri(&format!("application/octet-stream;base64,{text}")).unwrap(), expected.as_bytes());
        }
        for bad in ["x;base64", "x,Zg", ";base64,Z", ";base64,Z*=="] {
            assert!(data_uri(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn buffers_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("model");
        std::fs::create_dir(&model).unwrap();
        std::fs::write(model.join("a b.bin"), b"1234").unwrap();
        std::fs::write(folder.path().join("secret.bin"), b"1234").unwrap();
        assert!(inside(Some(&model), "a%20b.bin").is_ok());
        assert!(inside(Some(&model), "./a b.bin").is_ok());
        for uri in
            ["../secret.bin", "%2e%2e/secret.bin", "/etc/passwd", "file:///etc/passwd", "none.bin", "%zz", "a\\b"]
        {
            assert!(inside(Some(&model), uri).is_err(), "{uri}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret.bin"), model.join("link.bin")).unwrap();
            assert!(inside(Some(&model), "link.bin").is_err());
        }
        assert!(inside(None, "a.bin").is_err());
    }
}
