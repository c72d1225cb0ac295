//! The header of a PLY file: which elements there are, and what each row of them holds.

use super::bytes::ByteCursor;
use super::error::{Fault, Place, quoted};
use super::number::integer;

/// How the rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar(Kind),
    List { count: Kind, item: Kind },
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Vec<u8>,
    pub(super) shape: Shape,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    pub(super) count: usize,
    pub(super) line: usize,
    pub(super) properties: Vec<Property>,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Where the rows begin.
    pub(super) length: usize,
}

impl Kind {
    fn named(name: &[u8]) -> Option<Kind> {
        Some(match name {
            b"char" | b"int8" => Kind::I8,
            b"uchar" | b"uint8" => Kind::U8,
            b"short" | b"int16" => Kind::I16,
            b"ushort" | b"uint16" => Kind::U16,
            b"int" | b"int32" => Kind::I32,
            b"uint" | b"uint32" => Kind::U32,
            b"float" | b"float32" => Kind::F32,
            b"double" | b"float64" => Kind::F64,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// The number in the first bytes, which are enough.
    #[inline]
    pub(super) fn decode(self, bytes: &[u8], big_endian: bool) -> f64 {
        fn array<const N: usize>(bytes: &[u8], big_endian: bool) -> [u8; N] {
            let mut array = [0; N];
            array.copy_from_slice(&bytes[..N]);
            if big_endian {
                array.reverse();
            }
            array
        }
        match self {
            Kind::I8 => f64::from(bytes[0] as i8),
            Kind::U8 => f64::from(bytes[0]),
            Kind::I16 => f64::from(i16::from_le_bytes(array(bytes, big_endian))),
            Kind::U16 => f64::from(u16::from_le_bytes(array(bytes, big_endian))),
            Kind::I32 => f64::from(i32::from_le_bytes(array(bytes, big_endian))),
            Kind::U32 => f64::from(u32::from_le_bytes(array(bytes, big_endian))),
            Kind::F32 => f64::from(f32::from_le_bytes(array(bytes, big_endian))),
            Kind::F64 => f64::from_le_bytes(array(bytes, big_endian)),
        }
    }

    #[inline]
    pub(super) fn read(self, cursor: &mut ByteCursor<'_>, big_endian: bool, what: &str) -> Result<f64, Fault> {
        Ok(self.decode(cursor.take(self.size(), what)?, big_endian))
    }
}

impl Element {
    /// The size of a row without lists.
    pub(super) fn row_size(&self) -> Option<usize> {
        self.properties
            .iter()
            .map(|property| match property.shape {
                Shape::Scalar(kind) => Some(kind.size()),
                Shape::List { .. } => None,
            })
            .sum()
    }

    /// The place of the first property that has one of the names.
    pub(super) fn find(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|property| names.iter().any(|name| property.name == name.as_bytes()))
    }
}

/// Reads up to and including the line `end_header`.
pub(super) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    // The first line's end shows how lines end; a line feed may follow a carriage return on any line, but a carriage
    // return alone counts only where it does on the first, since binary rows may begin with one.
    let line_end = match bytes.get(3) {
        Some(b'\r') if bytes.get(4) != Some(&b'\n') => b'\r',
        _ => b'\n',
    };
    let (mut at, mut line) = (0, 0);
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        line += 1;
        let fault = |problem: String| Fault { place: Place::Line(line), problem };
        let Some(length) = bytes[at..].iter().position(|&byte| byte == line_end) else {
            return Err(match line {
                1 => fault("the file does not begin with a line `ply`; it is no PLY file".to_owned()),
                _ => fault("the header has no line `end_header`".to_owned()),
            });
        };
        let text = &bytes[at..at + length];
        at += length + 1;
        let words: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        match words[..] {
            _ if line == 1 => {
                if words != [b"ply"] {
                    return Err(fault(format!("found {} where `ply` is expected; it is no PLY file", quoted(text))));
                }
            }
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", name, ..] => {
                encoding = Some(match name {
                    b"ascii" => Encoding::Ascii,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => {
                        return Err(fault(format!(
                            "format {} is none of ascii, binary_little_endian and binary_big_endian",
                            quoted(name)
                        )));
                    }
                });
            }
            [b"element", name, count] => {
                let count = integer(count).and_then(|count| usize::try_from(count).ok()).ok_or_else(|| {
                    fault(format!("found {} where the number of elements is expected", quoted(count)))
                })?;
                elements.push(Element { name: name.to_vec(), count, line, properties: Vec::new() });
            }
            [b"property", ref words @ ..] => {
                let kind = |name: &[u8]| {
                    Kind::named(name).ok_or_else(|| {
                        fault(format!(
                            "{} is no type of PLY; those are char to int, uchar to uint, float and double",
                            quoted(name)
                        ))
                    })
                };
                let (shape, name) = match *words {
                    [b"list", count, item, name] => (Shape::List { count: kind(count)?, item: kind(item)? }, name),
                    [type_name, name] => (Shape::Scalar(kind(type_name)?), name),
                    _ => return Err(fault(format!("{} is no property; expected a type and a name", quoted(text)))),
                };
                if matches!(shape, Shape::List { count, .. } if count.is_float()) {
                    return Err(fault("the length of a list must be a whole number, not float or double".to_owned()));
                }
                let Some(element) = elements.last_mut() else {
                    return Err(fault("a property stands before the first element".to_owned()));
                };
                element.properties.push(Property { name: name.to_vec(), shape });
            }
            [b"end_header", ..] => break,
            _ => return Err(fault(format!("{} is no line of a PLY header", quoted(text)))),
        }
    }
    let encoding = encoding
        .ok_or_else(|| Fault { place: Place::Line(line), problem: "the header has no line `format`".to_owned() })?;
    Ok(Header { encoding, elements, length: at })
}
