//! Pictures and how they become files.

use std::path::Path;

use thiserror::Error;

use crate::whole_file::{self, FileError};

/// A picture: rows from the top, red, green, blue and opacity in sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The pixels, row by row.
    pub pixels: Vec<[u8; 4]>,
}

/// Why a picture did not become a file.
#[derive(Debug, Error)]
pub enum ImageError {
    /// The picture has no pixels, or another number of them than its size says.
    #[error("an image of {width} by {height} cannot have {found} pixels")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// How many pixels there are.
        found: usize,
    },
    /// The encoder failed.
    #[error("the image could not be encoded: {0}")]
    Encode(#[from] png::EncodingError),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Image {
    /// The pixel in a column and a row, both from zero; nothing outside.
    pub fn pixel(&self, column: u32, row: u32) -> Option<[u8; 4]> {
        let inside = column < self.width && row < self.height;
        inside.then(|| self.pixels.get(row as usize * self.width as usize + column as usize).copied()).flatten()
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// # Errors
    /// If the number of pixels is not that of the size.
    pub fn encode_png(&self) -> Result<Vec<u8>, ImageError> {
        let found = self.pixels.len();
        if found == 0 || found as u64 != u64::from(self.width) * u64::from(self.height) {
            return Err(ImageError::Size { width: self.width, height: self.height, found });
        }
        let opaque = self.pixels.iter().all(|pixel| pixel[3] == 255);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        if opaque {
            let colors: Vec<u8> = self.pixels.iter().flat_map(|&[red, green, blue, _]| [red, green, blue]).collect();
            writer.write_image_data(&colors)?;
        } else {
            writer.write_image_data(self.pixels.as_flattened())?;
        }
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes the picture as a PNG file. The file is there in full or not at all: it is written under another name
    /// beside its place and renamed when it is complete.
    ///
    /// # Errors
    /// If the picture cannot be encoded or the file cannot be written.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), ImageError> {
        Ok(whole_file::write(path.as_ref(), &self.encode_png()?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(opacity: u8) -> Image {
        let pixels = (0..37u32 * 23).map(|pixel| [pixel as u8, (pixel / 37) as u8 * 10, 200, opacity]).collect();
        Image { width: 37, height: 23, pixels }
    }

    fn decode(bytes: &[u8]) -> (png::OutputInfo, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        pixels.truncate(info.buffer_size());
        (info, pixels)
    }

    #[test]
    fn png_comes_back_as_it_was() {
        for (opacity, channels) in [(255, 3), (90, 4)] {
            let image = gradient(opacity);
            let (info, bytes) = decode(&image.encode_png().unwrap());
            assert_eq!((info.width, info.height), (37, 23));
            let expected: Vec<u8> = image.pixels.iter().flat_map(|pixel| &pixel[..channels]).copied().collect();
            assert_eq!(bytes, expected);
        }
    }

    #[test]
    fn a_file_is_written_in_full_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.png");
        gradient(255).write_png(&path).unwrap();
        gradient(9).write_png(&path).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read(&path).unwrap(), gradient(9).encode_png().unwrap());
    }

    #[test]
    fn what_cannot_be_written_is_one_line_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let error = gradient(255).write_png(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&folder.path().display().to_string()) && !error.contains('\n'), "{error}");
        assert!(gradient(255).write_png(folder.path().join("missing/picture.png")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let wrong = Image { width: 2, height: 2, pixels: vec![[0; 4]; 3] };
        assert!(matches!(wrong.encode_png(), Err(ImageError::Size { found: 3, .. })));
    }
}
