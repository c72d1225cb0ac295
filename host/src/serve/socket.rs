//! WebSockets (RFC 6455), the side of a server: binary messages out, short binary messages in.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::request::{Refusal, Request};
use super::sha1::sha1;
use crate::export::base64;

/// What a page says is shorter.
const LONGEST: usize = 64 << 10;

/// How long what has begun may take to come, and what is sent to go.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection to a page. One thread may read while another sends.
pub struct Socket {
    stream: TcpStream,
    /// Whoever sends holds this, so that messages do not get into each other.
    sending: Mutex<()>,
}

/// Kinds of frames.
const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// Why a connection is closed.
const NORMAL: u16 = 1000;
const PROTOCOL_ERROR: u16 = 1002;
const UNSUPPORTED: u16 = 1003;
const TOO_BIG: u16 = 1009;

/// Answers a handshake; whether it comes from a page of ours is for the caller to see to.
pub(super) fn accept(stream: TcpStream, request: &Request) -> Result<io::Result<Socket>, Refusal> {
    let asks = request.lists("upgrade", "websocket") && request.lists("connection", "upgrade");
    if !asks || request.header("sec-websocket-version") != Some("13") {
        return Err(Refusal(426, "Only a WebSocket of version 13 is answered here."));
    }
    let key = request.header("sec-websocket-key").filter(|key| key.len() == 24);
    let key = key.ok_or(Refusal(400, "The WebSocket's key is missing."))?;
    let accepted = base64(&sha1(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11").as_bytes()));
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accepted}\r\n\r\n"
    );
    let begin = || {
        stream.set_write_timeout(Some(PATIENCE))?;
        // A frame of a few bytes is not to wait for others.
        stream.set_nodelay(true)?;
        (&stream).write_all(answer.as_bytes())
    };
    let begun = begin();
    Ok(begun.map(|()| Socket { stream, sending: Mutex::new(()) }))
}

impl Socket {
    /// Sends a message. It waits for a page that does not read; if that takes too long, the connection is over.
    ///
    /// # Errors
    /// If the connection is over.
    pub fn send(&self, message: &[u8]) -> io::Result<()> {
        let sent = self.send_frame(BINARY, message);
        if sent.is_err() {
            // Half a message may be on its way: nothing that follows would be understood.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
        sent
    }

    /// Waits for the next message. `None` once the connection is over.
    pub fn receive(&self) -> Option<Vec<u8>> {
        match self.try_receive() {
            Ok(message) => Some(message),
            Err(reason) => {
                self.close(reason);
                None
            }
        }
    }

    /// Ends the connection; whoever waits for a message gets none.
    pub fn hang_up(&self) {
        self.close(NORMAL);
    }

    fn close(&self, reason: u16) {
        let _ = self.send_frame(CLOSE, &reason.to_be_bytes());
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    fn send_frame(&self, kind: u8, payload: &[u8]) -> io::Result<()> {
        let mut head = vec![0x80 | kind];
        match payload.len() {
            length @ 0..126 => head.push(length as u8),
            length @ 126..=0xffff => {
                head.push(126);
                head.extend_from_slice(&(length as u16).to_be_bytes());
            }
            length => {
                head.push(127);
                head.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        let _sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        (&self.stream).write_all(&head)?;
        (&self.stream).write_all(payload)
    }

    /// The next whole message, or why there is none.
    fn try_receive(&self) -> Result<Vec<u8>, u16> {
        let mut message: Option<Vec<u8>> = None;
        loop {
            let (is_last, kind, payload) = self.read_frame(message.as_ref().map_or(0, Vec::len))?;
            match (kind, &mut message) {
                (BINARY, None) => message = Some(payload),
                (CONTINUATION, Some(begun)) => begun.extend_from_slice(&payload),
                (TEXT, None) => return Err(UNSUPPORTED),
                (PING, _) => self.send_frame(PONG, &payload).map_err(|_| NORMAL)?,
                (PONG, _) => {}
                (CLOSE, _) => return Err(NORMAL),
                _ => return Err(PROTOCOL_ERROR),
            }
            if matches!(kind, BINARY | CONTINUATION) && is_last {
                return message.ok_or(PROTOCOL_ERROR);
            }
        }
    }

    /// A frame: whether it ends a message, its kind and its payload. So many bytes of the message are there already.
    fn read_frame(&self, held: usize) -> Result<(bool, u8, Vec<u8>), u16> {
        let mut first = [0];
        // A page may be silent for as long as it likes, but what it begins to say it has to end.
        self.read_exact(&mut first, None)?;
        let mut second = [0];
        self.read_exact(&mut second, Some(PATIENCE))?;
        let ([first], [second]) = (first, second);
        let (kind, is_last, is_masked) = (first & 0x0f, first & 0x80 != 0, second & 0x80 != 0);
        let is_control = kind >= CLOSE;
        if first & 0x70 != 0 || !is_masked || is_control && (!is_last || second & 0x7f > 125) {
            return Err(PROTOCOL_ERROR);
        }
        let length = match second & 0x7f {
            126 => {
                let mut bytes = [0; 2];
                self.read_exact(&mut bytes, Some(PATIENCE))?;
                u64::from(u16::from_be_bytes(bytes))
            }
            127 => {
                let mut bytes = [0; 8];
                self.read_exact(&mut bytes, Some(PATIENCE))?;
                u64::from_be_bytes(bytes)
            }
            length => u64::from(length),
        };
        // Nothing is allocated for a length that is only claimed.
        let length = usize::try_from(length).ok().filter(|length| length + held <= LONGEST).ok_or(TOO_BIG)?;
        let mut mask = [0; 4];
        self.read_exact(&mut mask, Some(PATIENCE))?;
        let mut payload = vec![0; length];
        self.read_exact(&mut payload, Some(PATIENCE))?;
        payload.iter_mut().enumerate().for_each(|(place, byte)| *byte ^= mask[place % 4]);
        Ok((is_last, kind, payload))
    }

    fn read_exact(&self, bytes: &mut [u8], patience: Option<Duration>) -> Result<(), u16> {
        self.stream.set_read_timeout(patience).map_err(|_| NORMAL)?;
        (&self.stream).read_exact(bytes).map_err(|_| NORMAL)
    }
}
