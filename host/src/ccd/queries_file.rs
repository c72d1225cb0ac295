//! Reads the public query format of "A large-scale benchmark and an inclusion-based algorithm for continuous collision
//! detection" (Wang et al., 2021): eight rows a query, each x, y and z as numerator and denominator, then the truth.

use std::path::Path;

use glam::DVec3;

use super::query::{Kind, Query};
use super::rational::{Rational, nearest};
use crate::geometry::io::{Place, ReadError};
use crate::whole_file;

/// A query of the public data, with what exact arithmetic says about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownQuery {
    /// The query.
    pub query: Query,
    /// Whether there is a contact.
    pub contact: bool,
}

/// The queries of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueriesFile {
    /// The queries, in their order.
    pub queries: Vec<KnownQuery>,
    /// How many coordinates are no doubles and were rounded to the nearest: the truth is about what stood there before.
    pub rounded: usize,
}

/// What the names of a file and of the folders that it is in say about its queries: the nearest one that has
/// `vertex-face`, `edge-edge`, `vf` or `ee` as words of it.
pub fn kind_of_path(path: &Path) -> Option<Kind> {
    path.ancestors().filter_map(|part| part.file_name()?.to_str()).find_map(kind_of_name)
}

fn kind_of_name(name: &str) -> Option<Kind> {
    let name = name.to_ascii_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
    let named = |long: [&str; 2], short: &str| words.contains(&short) || words.windows(2).any(|pair| pair == long);
    match (named(["vertex", "face"], "vf"), named(["edge", "edge"], "ee")) {
        (true, false) => Some(Kind::VertexFace),
        (false, true) => Some(Kind::EdgeEdge),
        _ => None,
    }
}

/// Reads a file of queries. Rows are a vertex and the corners of a face, or the ends of two edges, at the start and then at
/// the end of the step.
///
/// # Errors
/// If it cannot be read, or a row is not what the format asks for; the error names the file and the row.
pub fn read_queries(path: &Path, kind: Kind) -> Result<QueriesFile, ReadError> {
    read_queries_bytes(&whole_file::read(path)?, kind, &path.display().to_string())
}

/// Reads the bytes of a file of queries; `name` is what errors call it.
///
/// ```
/// use fracas::ccd::{Kind, read_queries_bytes};
///
/// let file = read_queries_bytes("1,2,0,1,-1,3,0\n".repeat(8).as_bytes(), Kind::EdgeEdge, "still")?;
/// assert_eq!(file.queries[0].query.start[0], glam::DVec3::new(0.5, 0.0, -1.0 / 3.0));
/// let error = read_queries_bytes(b"1,0,0,1,0,1,0", Kind::EdgeEdge, "short").unwrap_err();
/// assert_eq!(error.to_string(), "short, line 1: x: the denominator is zero");
/// # Ok::<(), fracas::geometry::io::ReadError>(())
/// ```
///
/// # Errors
/// If a row is not what the format asks for.
pub fn read_queries_bytes(bytes: &[u8], kind: Kind, name: &str) -> Result<QueriesFile, ReadError> {
    let content = |(line, problem)| ReadError::Content { file: name.to_owned(), place: Place::Line(line), problem };
    parse(bytes, kind).map_err(content)
}

/// A problem and the line it is in.
type Fault = (usize, String);

/// The queries of a file's bytes.
fn parse(bytes: &[u8], kind: Kind) -> Result<QueriesFile, Fault> {
    let mut file = QueriesFile::default();
    let mut points = [DVec3::ZERO; 8];
    let mut truth = false;
    let mut count = 0;
    let mut last = 0;
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line_number = index + 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        last = line_number;
        let row = Row::parse(line).map_err(|problem| (line_number, problem))?;
        if count > 0 && row.truth != truth {
            let problem =
                "the truth is not that of the rows before; the eight rows of a query have the same".to_owned();
            return Err((line_number, problem));
        }
        truth = row.truth;
        points[count] = row.point;
        file.rounded += row.rounded;
        count += 1;
        if count == 8 {
            let [a, b, c, d, e, f, g, h] = points;
            let query = Query { kind, start: [a, b, c, d], end: [e, f, g, h] };
            file.queries.push(KnownQuery { query, contact: truth });
            count = 0;
        }
    }
    if count > 0 {
        return Err((last, format!("the file ends after {count} of the 8 rows of a query")));
    }
    Ok(file)
}

struct Row {
    point: DVec3,
    truth: bool,
    rounded: usize,
}

impl Row {
    fn parse(line: &[u8]) -> Result<Row, String> {
        let mut fields = [&[][..]; 7];
        let mut count = 0;
        for field in line.split(|&byte| byte == b',') {
            if let Some(place) = fields.get_mut(count) {
                *place = field.trim_ascii();
            }
            count += 1;
        }
        if count != 7 {
            return Err(format!(
                "{count} numbers instead of 7: x, y and z as numerator and denominator, and the truth"
            ));
        }
        let mut rounded = 0;
        let mut coordinate = |axis: usize| {
            let Rational { value, exact } = nearest(fields[2 * axis], fields[2 * axis + 1])
                .map_err(|problem| format!("{}: {problem}", ["x", "y", "z"][axis]))?;
            rounded += usize::from(!exact);
            Ok::<f64, String>(value)
        };
        let point = DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?);
        let truth = match fields[6] {
            b"0" => false,
            b"1" => true,
            _ => return Err("the truth, the last number, is neither 0 nor 1".to_owned()),
        };
        Ok(Row { point, truth, rounded })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize, row: &str) -> String {
        format!("{row}\n").repeat(count)
    }

    #[test]
    fn eight_rows_are_a_query() {
        let mut text = rows(3, "1,2,-3,4,0,1,1");
        text += "\r\n 5 , -10 , 100000000000000000000000000000000000000000000,1,1,3,1\r\n";
        text += &rows(4, "0,1,0,1,0,1,1");
        let file = parse(text.as_bytes(), Kind::EdgeEdge).unwrap();
        assert_eq!((file.queries.len(), file.rounded), (1, 2));
        let KnownQuery { query, contact } = file.queries[0];
        assert!(contact && query.kind == Kind::EdgeEdge);
        assert_eq!(query.start[0], DVec3::new(0.5, -0.75, 0.0));
        assert_eq!(query.start[3], DVec3::new(-0.5, 1e44, 1.0 / 3.0));
        assert_eq!(query.end, [DVec3::ZERO; 4]);
        assert_eq!(parse(b"", Kind::EdgeEdge).unwrap(), QueriesFile::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_row() {
        let good = rows(7, "0,1,0,1,0,1,0");
        let refused = |row: &str, line: usize, words: &str| {
            let (at, problem) = parse(format!("{good}{row}").as_bytes(), Kind::VertexFace).unwrap_err();
            assert!(at == line && problem.contains(words), "{at}: {problem}");
        };
        refused("", 7, "after 7 of the 8 rows");
        refused("1,2,3", 8, "3 numbers instead of 7");
        refused("1,2,3,4,5,6,0,8", 8, "8 numbers");
        refused("1,0,0,1,0,1,0", 8, "x: the denominator is zero");
        refused("0,1,1.5,1,0,1,0", 8, "y: `1.5` is no integer");
        refused("0,1,0,1,,1,0", 8, "z: `` is no integer");
        refused("0,1,0,1,0,1,2", 8, "neither 0 nor 1");
        refused("0,1,0,1,0,1,1", 8, "not that of the rows before");
        refused("\u{ff},1,0,1,0,1,1", 8, "no integer");
        let huge = "9".repeat(400);
        refused(&format!("{huge},1,0,1,0,1,0"), 8, "x: the number is beyond");
    }

    #[test]
    fn the_kind_is_in_the_nearest_name() {
        let kind = |path: &str| kind_of_path(Path::new(path));
        assert_eq!(kind("unit-tests/vertex-face/data_0_0.csv"), Some(Kind::VertexFace));
        assert_eq!(kind("vertex-face/edge_edge.csv"), Some(Kind::EdgeEdge));
        assert_eq!(kind("326ee.csv"), Some(Kind::EdgeEdge));
        assert_eq!(kind("VF/0.csv"), Some(Kind::VertexFace));
        assert_eq!(kind("seed/free.csv"), None);
        assert_eq!(kind("vertex-face-edge-edge.csv"), None);
    }
}
