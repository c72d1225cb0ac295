use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{MOST_CONNECTIONS, Server, Site};

/// A server of a page, of some bytes, and of a socket that says back what it hears.
fn site() -> Site {
    Site::default()
        .page("/", "<!doctype html><title>Here</title>".to_owned())
        .bytes("/recording", |output| (0..1000).try_for_each(|_| output.write_all(&[7; 1000])))
        .socket("/live", |socket| {
            while let Some(message) = socket.receive() {
                if message == b"large" {
                    let _ = socket.send(&vec![1; 100_000]);
                } else {
                    let _ = socket.send(&message);
                }
            }
        })
}

/// Runs a server while something is tried; it has to end when that has.
fn with_server(attempt: impl FnOnce(u16)) {
    while_running(|server, is_over| server.run(&site(), is_over), attempt);
}

/// Runs what a server does while something is tried.
pub(crate) fn while_running(serve: impl FnOnce(&Server, &dyn Fn() -> bool) + Send, attempt: impl FnOnce(u16)) {
    let server = Server::listen(None).unwrap();
    let is_over = AtomicBool::new(false);
    let port = server.port;
    std::thread::scope(|scope| {
        scope.spawn(|| serve(&server, &|| is_over.load(Ordering::Relaxed)));
        // Also when the attempt panics, so that the test fails and does not hang.
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _end = End(&is_over);
        attempt(port);
    });
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Sends bytes and reads all that comes back.
fn ask(port: u16, request: &[u8]) -> Vec<u8> {
    let mut stream = connect(port);
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn get(port: u16, path: &str, more: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}\r\n");
    String::from_utf8_lossy(&ask(port, request.as_bytes())).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn the_page_and_the_bytes_are_given_to_whoever_asks_for_them_here() {
    with_server(|port| {
        let page = get(port, "/", "");
        assert_eq!(status(&page), "200");
        assert!(page.ends_with("<title>Here</title>") && page.contains("Content-Security-Policy: default-src 'none'"));
        let local = format!("GET /?x=1 HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
        assert_eq!(status(&String::from_utf8_lossy(&ask(port, local.as_bytes()))), "200");
        let bytes = ask(port, format!("GET /recording HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes());
        assert!(bytes.len() > 1_000_000 && bytes[bytes.len() - 1_000_000..].iter().all(|&byte| byte == 7));
        let head = ask(port, format!("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes());
        let head = String::from_utf8(head).unwrap();
        assert!(head.ends_with("\r\n\r\n") && status(&head) == "200");
    });
}

#[test]
fn other_hosts_paths_methods_and_bodies_are_refused() {
    with_server(|port| {
        for host in
            ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost", "127.0.0.1.evil.example", ""]
        {
            let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            let answer = ask(port, request.as_bytes());
            assert_eq!(status(&String::from_utf8_lossy(&answer)), "403", "{host}");
        }
        assert_eq!(status(&String::from_utf8_lossy(&ask(port, b"GET / HTTP/1.1\r\n\r\n"))), "403");
        for path in ["/index.html", "//", "/../etc/passwd", "/%2e%2e/x", "/recording/", "/favicon.ico"] {
            assert_eq!(status(&get(port, path, "")), "404", "{path}");
        }
        for method in ["POST", "PUT", "OPTIONS", "DELETE", "get"] {
            let request = format!("{method} / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
            assert_eq!(status(&String::from_utf8_lossy(&ask(port, request.as_bytes()))), "405", "{method}");
        }
        assert_eq!(status(&get(port, "/", "Content-Length: 5\r\n")), "413");
        assert_eq!(status(&get(port, "/", "Transfer-Encoding: chunked\r\n")), "413");
        assert_eq!(status(&get(port, "/", "Host: 127.0.0.1:1\r\n")), "403", "two hosts");
    });
}

#[test]
fn requests_that_are_huge_half_or_nonsense_do_no_harm() {
    with_server(|port| {
        let huge = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &vec![b'a'; 200_000]].concat();
        assert_eq!(status(&String::from_utf8_lossy(&ask(port, &huge))), "431");
        assert_eq!(status(&String::from_utf8_lossy(&ask(port, b"\x16\x03\x01\x02\0\x01\0\r\n\r\n"))), "400");
        let mut half = connect(port);
        half.write_all(b"GET / HTTP/1.1\r\nHo").unwrap();
        assert_eq!(status(&get(port, "/", "")), "200", "a half request holds others up");
        let mut answer = String::new();
        BufReader::new(&half).read_line(&mut answer).unwrap();
        assert_eq!(status(&answer), "408");
        drop(connect(port));
        assert_eq!(status(&get(port, "/", "")), "200");
    });
}

#[test]
fn of_too_many_connections_the_last_are_turned_away() {
    with_server(|port| {
        let idle: Vec<TcpStream> = (0..MOST_CONNECTIONS).map(|_| connect(port)).collect();
        // The server takes them one by one.
        let mut turned_away = connect(port);
        let mut answer = String::new();
        turned_away.read_to_string(&mut answer).unwrap();
        assert_eq!(status(&answer), "503");
        drop(idle);
        let found = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            status(&get(port, "/", "")) == "200"
        });
        assert!(found, "those who left still count");
    });
}

const KEY: &str = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const UPGRADE: &str = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";

pub(crate) fn open_socket(port: u16) -> TcpStream {
    let mut stream = connect(port);
    let head = format!(
        "GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n{UPGRADE}{KEY}\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    let answer = String::from_utf8(answer).unwrap();
    // The example of the standard.
    assert!(answer.starts_with("HTTP/1.1 101") && answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
    stream
}

/// A frame as a page sends it, masked; of fewer than 126 bytes.
pub(crate) fn masked(head: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x12, 0x34, 0x56, 0x78];
    let mut frame = vec![head, 0x80 | payload.len() as u8];
    frame.extend_from_slice(&mask);
    frame.extend(payload.iter().enumerate().map(|(place, byte)| byte ^ mask[place % 4]));
    frame
}

pub(crate) fn read_frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).ok()?;
    let length = match head[1] {
        126 => {
            let mut length = [0; 2];
            stream.read_exact(&mut length).ok()?;
            usize::from(u16::from_be_bytes(length))
        }
        127 => {
            let mut length = [0; 8];
            stream.read_exact(&mut length).ok()?;
            u64::from_be_bytes(length) as usize
        }
        short => usize::from(short),
    };
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).ok()?;
    Some((head[0], payload))
}

#[test]
fn sockets_hear_and_answer_whole_messages_only() {
    with_server(|port| {
        let mut stream = open_socket(port);
        stream.write_all(&masked(0x82, b"hello")).unwrap();
        assert_eq!(read_frame(&mut stream), Some((0x82, b"hello".to_vec())));
        // In parts, with a ping in between.
        for frame in [masked(0x02, b"ab"), masked(0x89, b"are you there"), masked(0x00, b"cd"), masked(0x80, b"ef")] {
            stream.write_all(&frame).unwrap();
        }
        assert_eq!(read_frame(&mut stream), Some((0x8a, b"are you there".to_vec())));
        assert_eq!(read_frame(&mut stream), Some((0x82, b"abcdef".to_vec())));
        stream.write_all(&masked(0x82, b"large")).unwrap();
        assert_eq!(read_frame(&mut stream), Some((0x82, vec![1; 100_000])));
        stream.write_all(&masked(0x88, &1000u16.to_be_bytes())).unwrap();
        assert_eq!(read_frame(&mut stream), Some((0x88, 1000u16.to_be_bytes().to_vec())));
        assert_eq!(read_frame(&mut stream), None);
    });
}

#[test]
fn frames_that_make_no_sense_end_their_connection_and_no_other() {
    with_server(|port| {
        let mut good = open_socket(port);
        let cases: [(&str, Vec<u8>, u16); 9] = [
            ("not masked", vec![0x82, 2, 1, 2], 1002),
            ("reserved bits", masked(0xc2, b"x"), 1002),
            ("unknown kind", masked(0x83, b"x"), 1002),
            ("text", masked(0x81, b"x"), 1003),
            ("goes on with nothing", masked(0x80, b"x"), 1002),
            ("two at once", [masked(0x02, b"x"), masked(0x82, b"y")].concat(), 1002),
            ("a ping in parts", masked(0x09, b"x"), 1002),
            ("a long ping", vec![0x89, 0x80 | 126, 0, 200, 0, 0, 0, 0], 1002),
            ("huge", vec![0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], 1009),
        ];
        for (name, bytes, reason) in cases {
            let mut stream = open_socket(port);
            stream.write_all(&bytes).unwrap();
            assert_eq!(read_frame(&mut stream), Some((0x88, reason.to_be_bytes().to_vec())), "{name}");
            assert_eq!(read_frame(&mut stream), None, "{name}");
        }
        let mut random = crate::random::Random::new(9);
        for _ in 0..60 {
            let mut stream = open_socket(port);
            let noise: Vec<u8> = (0..40).map(|_| random.next_u64() as u8).collect();
            stream.write_all(&noise).unwrap();
        }
        good.write_all(&masked(0x82, b"still")).unwrap();
        assert_eq!(read_frame(&mut good), Some((0x82, b"still".to_vec())));
    });
}

#[test]
fn a_socket_is_for_the_page_of_this_server_only() {
    with_server(|port| {
        let own = format!("Origin: http://127.0.0.1:{port}\r\n");
        for origin in [
            "",
            "Origin: null\r\n",
            "Origin: http://evil.example\r\n",
            &own.replace("http", "https"),
            &own.replace("127.0.0.1", "localhost"),
        ] {
            let answer = get(port, "/live", &format!("{origin}{UPGRADE}{KEY}"));
            assert_eq!(status(&answer), "403", "{origin}");
        }
        assert_eq!(status(&get(port, "/live", &own)), "426");
        assert_eq!(status(&get(port, "/live", &format!("{own}{UPGRADE}"))), "400");
        assert_eq!(status(&get(port, "/live", &format!("{own}{}{KEY}", UPGRADE.replace("13", "8")))), "426");
    });
}

#[test]
fn nobody_but_this_machine_is_listened_to() {
    let server = Server::listen(None).unwrap();
    assert!(server.listener.local_addr().unwrap().ip().is_loopback());
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let again = Server::listen(Some(taken)).unwrap();
    assert_eq!(again.address(), format!("http://127.0.0.1:{taken}/"));
    assert!(Server::listen(Some(taken)).is_err());
}
