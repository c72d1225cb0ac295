//! The head of an HTTP request.

use std::io::{self, Read};
use std::time::{Duration, Instant};

/// No browser asks in more bytes than this for a page of ours.
const LONGEST: usize = 16 << 10;

/// How long a head may take to come.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without what follows a `?`.
    pub(super) path: String,
    headers: Vec<(String, String)>,
}

/// Why a request is not answered with what it asks for: the status and a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) u16, pub(super) &'static str);

const NO_REQUEST: Refusal = Refusal(400, "This is not a request that can be understood.");

/// A stream that can be told how long to wait.
pub(super) trait Timed: Read {
    /// How long one reading may take.
    fn wait_at_most(&mut self, time: Duration) -> io::Result<()>;
}

impl Timed for std::net::TcpStream {
    fn wait_at_most(&mut self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))
    }
}

impl Request {
    /// Reads a head, to its last byte and not beyond. `None` if nothing came, or not in time.
    pub(super) fn read(stream: &mut impl Timed) -> Result<Option<Request>, Refusal> {
        let end = Instant::now() + PATIENCE;
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || stream.wait_at_most(left).is_err() {
                return if head.is_empty() {
                    Ok(None)
                } else {
                    Err(Refusal(408, "The request did not come to its end."))
                };
            }
            match stream.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                _ => return Ok(None),
            }
            if head.len() > LONGEST {
                return Err(Refusal(431, "The request is too long."));
            }
        }
        Request::parse(&head).map(Some)
    }

    fn parse(head: &[u8]) -> Result<Request, Refusal> {
        let text = std::str::from_utf8(head).map_err(|_| NO_REQUEST)?;
        let mut lines = text.trim_end_matches("\r\n").split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (first.next(), first.next(), first.next(), first.next())
        else {
            return Err(NO_REQUEST);
        };
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") || !target.starts_with('/') {
            return Err(NO_REQUEST);
        }
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').ok_or(NO_REQUEST)?;
            // A space before the colon, or a line that goes on, has fooled servers before.
            let is_name =
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
            if is_name { Ok((name.to_ascii_lowercase(), value.trim().to_owned())) } else { Err(NO_REQUEST) }
        });
        let path = target.split('?').next().unwrap_or_default().to_owned();
        Ok(Request { method: method.to_owned(), path, headers: headers.collect::<Result<_, _>>()? })
    }

    /// The value of a header that stands there once; `None` if it is missing, or there are several.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        value.filter(|_| found.next().is_none())
    }

    /// Whether a header is a list that has a word in it.
    pub(super) fn lists(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|list| list.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Timed for &[u8] {
        fn wait_at_most(&mut self, _: Duration) -> io::Result<()> {
            Ok(())
        }
    }

    fn read(mut bytes: &[u8]) -> Result<Option<Request>, Refusal> {
        Request::read(&mut bytes)
    }

    #[test]
    fn a_head_is_read_to_its_end_and_not_beyond() {
        let mut bytes: &[u8] = b"GET /a?b=c HTTP/1.1\r\nHost: x:1\r\nConnection: keep-alive, Upgrade\r\n\r\nrest";
        let request = Request::read(&mut bytes).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str(), bytes), ("GET", "/a", &b"rest"[..]));
        assert_eq!(request.header("host"), Some("x:1"));
        assert!(request.lists("connection", "upgrade") && !request.lists("connection", "up"));
        assert_eq!(read(b""), Ok(None));
    }

    #[test]
    fn nonsense_is_refused() {
        for head in [
            "GET\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET x HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1 \r\n\r\n",
            "\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
            "GET / HTTP/1.1\r\nnothing\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n",
            "GET http://x/ HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(read(head.as_bytes()), Err(NO_REQUEST), "{head}");
        }
        assert_eq!(read(b"GET /\xff HTTP/1.1\r\n\r\n"), Err(NO_REQUEST));
        let twice = read(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").unwrap().unwrap();
        assert_eq!(twice.header("host"), None);
        let long = [b"GET / HTTP/1.1\r\nA: ".as_slice(), &[b'x'; LONGEST], b"\r\n\r\n"].concat();
        assert_eq!(read(&long).unwrap_err().0, 431);
    }
}
