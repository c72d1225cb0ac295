//! Pictures that follow each other, as one animated PNG file.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use super::image::{Image, ImageError};
use crate::whole_file;

/// An animation: an APNG file, which browsers play and of which other programs show the first picture. Of each picture
/// only what differs from the one before is kept.
///
/// ```
/// use fracas::export::{Animation, Image};
///
/// let picture = |grey: u8| Image { width: 2, height: 1, pixels: vec![[grey, grey, grey, 255]; 2] };
/// let mut animation = Animation::new(2, 1, 2, 0.1)?;
/// animation.push(&picture(0))?;
/// animation.push(&picture(9))?;
/// assert!(animation.finish()?.starts_with(b"\x89PNG"));
/// # Ok::<(), fracas::export::ImageError>(())
/// ```
pub struct Animation {
    size: [u32; 2],
    bytes: Shared,
    writer: png::Writer<Shared>,
    before: Option<Vec<[u8; 4]>>,
}

/// Bytes that can be had back from the encoder, which keeps what it writes to.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fractions of a second that the time between two pictures is told in.
const FRACTIONS: f64 = 10_000.0;

impl Animation {
    /// Begins an animation of so many pictures of one size, with so many seconds from one to the next.
    ///
    /// # Errors
    /// If the encoder refuses the size.
    pub fn new(width: u32, height: u32, pictures: u32, seconds: f64) -> Result<Animation, ImageError> {
        let bytes = Shared::default();
        let mut encoder = png::Encoder::new(bytes.clone(), width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_animated(pictures, 0)?;
        encoder.validate_sequence(true);
        let delay = (seconds * FRACTIONS).round().clamp(1.0, f64::from(u16::MAX)) as u16;
        encoder.set_frame_delay(delay, FRACTIONS as u16)?;
        Ok(Animation { size: [width, height], bytes, writer: encoder.write_header()?, before: None })
    }

    /// Appends a picture.
    ///
    /// # Errors
    /// If it has another size, or there are more than were announced.
    pub fn push(&mut self, image: &Image) -> Result<(), ImageError> {
        let [width, height] = self.size;
        let found = image.pixels.len();
        if [image.width, image.height] != self.size || found != width as usize * height as usize {
            return Err(ImageError::Size { width, height, found });
        }
        match &self.before {
            None => self.writer.write_image_data(image.pixels.as_flattened())?,
            Some(before) => {
                let [left, top, right, bottom] = difference(before, &image.pixels, width);
                // The size is held to the place that is told at the time.
                self.writer.reset_frame_position()?;
                self.writer.set_frame_dimension(right - left, bottom - top)?;
                self.writer.set_frame_position(left, top)?;
                self.writer.set_blend_op(png::BlendOp::Over)?;
                let mut changed = Vec::with_capacity(((right - left) * (bottom - top)) as usize);
                for row in top..bottom {
                    let line = (row * width + left) as usize..(row * width + right) as usize;
                    // What is as before is let through.
                    let pairs = image.pixels[line.clone()].iter().zip(&before[line]);
                    changed.extend(pairs.map(|(new, old)| if new == old { [0; 4] } else { *new }));
                }
                self.writer.write_image_data(changed.as_flattened())?;
            }
        }
        self.before = Some(image.pixels.clone());
        Ok(())
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If there are fewer pictures than were announced.
    pub fn finish(self) -> Result<Vec<u8>, ImageError> {
        self.writer.finish()?;
        Ok(self.bytes.0.take())
    }

    /// Writes the file, in full or not at all.
    ///
    /// # Errors
    /// As [`Animation::finish`], or the file cannot be written.
    pub fn write(self, path: &Path) -> Result<(), ImageError> {
        Ok(whole_file::write(path, &self.finish()?)?)
    }
}

/// The box around the pixels that differ: left, top, right, bottom; of at least one pixel.
fn difference(before: &[[u8; 4]], after: &[[u8; 4]], width: u32) -> [u32; 4] {
    let mut bounds = [u32::MAX, u32::MAX, 0, 0];
    for (place, _) in before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after) {
        let (x, y) = (place as u32 % width, place as u32 / width);
        bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x + 1), bounds[3].max(y + 1)];
    }
    if bounds[2] == 0 { [0, 0, 1, 1] } else { bounds }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a player shows after each picture of a file.
    fn played(bytes: &[u8]) -> Vec<Vec<[u8; 4]>> {
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let width = reader.info().width as usize;
        let count = reader.info().animation_control().unwrap().num_frames;
        let mut shown = vec![[0; 4]; width * reader.info().height as usize];
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        let mut pictures = Vec::new();
        for _ in 0..count {
            let info = reader.next_frame(&mut buffer).unwrap();
            let control = *reader.info().frame_control().unwrap();
            for (row, line) in buffer[..info.buffer_size()].chunks(4 * info.width as usize).enumerate() {
                for (column, pixel) in line.chunks(4).enumerate() {
                    let place = (control.y_offset as usize + row) * width + control.x_offset as usize + column;
                    if control.blend_op == png::BlendOp::Source || pixel[3] == 255 {
                        shown[place].copy_from_slice(pixel);
                    }
                }
            }
            pictures.push(shown.clone());
        }
        pictures
    }

    #[test]
    fn what_is_played_is_what_was_drawn_and_pauses_take_no_room() {
        let mut random = crate::random::Random::new(4);
        let mut image = Image { width: 60, height: 40, pixels: vec![[9, 8, 7, 255]; 2400] };
        let mut drawn = Vec::new();
        for picture in 0..20 {
            if picture % 4 != 0 {
                let corner = (random.next_u64() % 1800) as usize;
                (0..9).for_each(|step| image.pixels[corner + 61 * step] = [random.next_u64() as u8, 3, 2, 255]);
            }
            drawn.push(image.clone());
        }
        let mut animation = Animation::new(60, 40, 20, 0.02).unwrap();
        drawn.iter().for_each(|image| animation.push(image).unwrap());
        let bytes = animation.finish().unwrap();
        let expected: Vec<_> = drawn.iter().map(|image| image.pixels.clone()).collect();
        assert!(played(&bytes) == expected);
        let mut still = Animation::new(60, 40, 20, 0.02).unwrap();
        (0..20).for_each(|_| still.push(&drawn[0]).unwrap());
        let one = drawn[0].encode_png().unwrap().len();
        assert!(still.finish().unwrap().len() < one + 20 * 100);
    }

    #[test]
    fn other_sizes_and_too_few_or_many_pictures_are_refused() {
        let image = Image { width: 3, height: 2, pixels: vec![[1; 4]; 6] };
        let mut animation = Animation::new(3, 2, 2, 0.1).unwrap();
        animation.push(&image).unwrap();
        assert!(animation.push(&Image { width: 2, height: 3, ..image.clone() }).is_err());
        assert!(animation.finish().is_err());
        let mut animation = Animation::new(3, 2, 1, 0.1).unwrap();
        animation.push(&image).unwrap();
        assert!(animation.push(&image).is_err());
        assert!(Animation::new(3, 2, 0, 0.1).is_err());
    }
}
