//! A small web server for one page on one's own machine: nobody else reaches it.
//!
//! It listens on 127.0.0.1 alone. A page of another site that a browser has open could still ask it, by a name that it lets
//! lead to 127.0.0.1; such requests name another host and are refused, and a WebSocket has to come from the page itself.
//! Requests are short, everything has a time limit, and there are so many connections at once and no more. The standard
//! library is enough for that: there is one page, no user and no file of the disk to be asked for by name.

mod request;
mod sha1;
mod socket;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use request::{Refusal, Request};
pub use socket::Socket;

/// Connections at once; more are turned away.
const MOST_CONNECTIONS: usize = 64;

/// How long a part of an answer may take to go.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it is looked for whether somebody comes or wants to end.
const PAUSE: Duration = Duration::from_millis(10);

/// What the page may do: run its own script and talk to this server.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
                      img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Writes bytes, part by part.
pub type WriteBody = dyn Fn(&mut dyn Write) -> io::Result<()> + Send + Sync;

/// Talks to a page until one of the two ends.
pub type Talk = dyn Fn(&Socket) + Send + Sync;

/// What is there to be asked for, by path.
#[derive(Default)]
pub struct Site {
    things: BTreeMap<&'static str, Thing>,
}

enum Thing {
    Page(String),
    Bytes(Box<WriteBody>),
    Socket(Box<Talk>),
}

impl Site {
    /// Adds a page.
    #[must_use]
    pub fn page(mut self, path: &'static str, html: String) -> Site {
        self.things.insert(path, Thing::Page(html));
        self
    }

    /// Adds bytes that are made when they are asked for.
    #[must_use]
    pub fn bytes(
        mut self,
        path: &'static str,
        write: impl Fn(&mut dyn Write) -> io::Result<()> + Send + Sync + 'static,
    ) -> Site {
        self.things.insert(path, Thing::Bytes(Box::new(write)));
        self
    }

    /// Adds a WebSocket; every page that connects is talked to in a thread of its own.
    #[must_use]
    pub fn socket(mut self, path: &'static str, talk: impl Fn(&Socket) + Send + Sync + 'static) -> Site {
        self.things.insert(path, Thing::Socket(Box::new(talk)));
        self
    }
}

/// A server that listens on 127.0.0.1.
pub struct Server {
    listener: TcpListener,
    port: u16,
    /// The connections that there are, to be cut in the end.
    connections: Mutex<BTreeMap<u64, TcpStream>>,
}

impl Server {
    /// Listens on a port, or on any that is free.
    ///
    /// ```
    /// use fracas::serve::{Server, Site};
    ///
    /// let server = Server::listen(None)?;
    /// let site = Site::default().page("/", "<!doctype html><title>Hello</title>".to_owned());
    /// assert!(server.address().starts_with("http://127.0.0.1:"));
    /// server.run(&site, || true);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// If somebody else listens there, or it may not be listened there.
    pub fn listen(port: Option<u16>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(Server { listener, port, connections: Mutex::default() })
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers until it is time to end, and cuts all connections then.
    pub fn run(&self, site: &Site, is_over: impl Fn() -> bool) {
        std::thread::scope(|scope| {
            let mut next = 0;
            while !is_over() {
                let Ok((stream, _)) = self.listener.accept() else {
                    std::thread::sleep(PAUSE);
                    continue;
                };
                let Ok(()) = stream.set_nonblocking(false) else { continue };
                let Some(()) = self.keep(next, &stream) else {
                    let _ = answer(&stream, Refusal(503, "There are too many connections; close some pages."), true);
                    continue;
                };
                let number = next;
                next += 1;
                scope.spawn(move || {
                    self.serve(stream, site);
                    self.lock().remove(&number);
                });
            }
            self.lock().values().for_each(|stream| _ = stream.shutdown(Shutdown::Both));
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, TcpStream>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection among those that there are, if there are not too many.
    fn keep(&self, number: u64, stream: &TcpStream) -> Option<()> {
        let mut connections = self.lock();
        if connections.len() >= MOST_CONNECTIONS {
            return None;
        }
        connections.insert(number, stream.try_clone().ok()?);
        Some(())
    }

    /// One connection, one request.
    fn serve(&self, mut stream: TcpStream, site: &Site) {
        if stream.set_write_timeout(Some(PATIENCE)).is_err() {
            return;
        }
        let request = match Request::read(&mut stream) {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(refusal) => return finish(&stream, answer(&stream, refusal, true)),
        };
        let is_whole = request.method != "HEAD";
        match self.find(&request, site) {
            Err(refusal) => finish(&stream, answer(&stream, refusal, is_whole)),
            Ok(Thing::Page(html)) => {
                let body = |output: &mut dyn Write| output.write_all(html.as_bytes());
                let kind = ("text/html; charset=utf-8", Some(html.len()));
                finish(&stream, give(&stream, kind, &body, is_whole));
            }
            Ok(Thing::Bytes(body)) => {
                finish(&stream, give(&stream, ("application/octet-stream", None), body, is_whole));
            }
            Ok(Thing::Socket(talk)) => match stream.try_clone().map(|copy| socket::accept(copy, &request)) {
                Ok(Ok(Ok(socket))) => {
                    talk(&socket);
                    socket.hang_up();
                }
                Ok(Err(refusal)) => finish(&stream, answer(&stream, refusal, true)),
                _ => {}
            },
        }
    }

    /// What a request is answered with, if it is one that our own page makes.
    fn find<'a>(&self, request: &Request, site: &'a Site) -> Result<&'a Thing, Refusal> {
        let is_own = |host: &&str| {
            // The port of the web itself is left out by browsers.
            let (name, port) = host.split_once(':').unwrap_or((host, "80"));
            ["127.0.0.1", "localhost"].contains(&name) && port == self.port.to_string()
        };
        let Some(host) = request.header("host").filter(is_own) else {
            return Err(Refusal(403, "This server answers only to its own address."));
        };
        let has_body = request.header("content-length").is_some_and(|length| length != "0");
        if has_body || request.header("transfer-encoding").is_some() {
            return Err(Refusal(413, "Nothing can be sent here."));
        }
        let thing = site.things.get(request.path.as_str()).ok_or(Refusal(404, "There is nothing here."))?;
        match (thing, request.method.as_str()) {
            (Thing::Socket(_), "GET") if request.header("origin") != Some(&format!("http://{host}")) => {
                Err(Refusal(403, "Only the page of this server may connect."))
            }
            (Thing::Socket(_), "GET") | (_, "GET" | "HEAD") => Ok(thing),
            _ => Err(Refusal(405, "Only GET is answered here.")),
        }
    }
}

fn give(
    mut stream: &TcpStream,
    (kind, length): (&str, Option<usize>),
    body: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    is_whole: bool,
) -> io::Result<()> {
    stream.write_all(head("200 OK", kind, length).as_bytes())?;
    if is_whole { body(&mut stream) } else { Ok(()) }
}

fn answer(mut stream: &TcpStream, Refusal(status, line): Refusal, is_whole: bool) -> io::Result<()> {
    let words = match status {
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        426 => "Upgrade Required",
        431 => "Request Header Fields Too Large",
        _ => "Service Unavailable",
    };
    let text = if is_whole { format!("{line}\n") } else { String::new() };
    let head = head(&format!("{status} {words}"), "text/plain; charset=utf-8", Some(line.len() + 1));
    stream.write_all((head + &text).as_bytes())
}

/// Status and headers. A body without a length ends with the connection.
fn head(status: &str, kind: &str, length: Option<usize>) -> String {
    let length = length.map_or(String::new(), |length| format!("Content-Length: {length}\r\n"));
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Content-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
         Connection: close\r\n\r\n"
    )
}

/// Ends a connection so that the answer arrives: what was sent to us and not read would make the system drop it.
fn finish(mut stream: &TcpStream, answered: io::Result<()>) {
    if answered.is_err() || stream.shutdown(Shutdown::Write).is_err() {
        return;
    }
    let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
    let mut rest = [0; 4096];
    for _ in 0..64 {
        if !stream.read(&mut rest).is_ok_and(|count| count > 0) {
            return;
        }
    }
}
