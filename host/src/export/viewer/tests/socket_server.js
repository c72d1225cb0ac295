// A server of one page and one WebSocket on loopback, as small as tests need it (RFC 6455, binary messages).

import { createHash } from "node:crypto";
import { createServer } from "node:http";

/// Serves `files` (path to bytes or text) and hands every connection on, `connected({send, close, onMessage})`.
export async function serve(files, connected, port = 0) {
    const sockets = new Set();
    const server = createServer((request, response) => {
        const body = files[request.url];
        response.writeHead(body === undefined ? 404 : 200, {
            "content-type": typeof body === "string" ? "text/html; charset=utf-8" : "application/octet-stream",
        });
        response.end(body);
    });
    server.on("upgrade", (request, socket) => {
        const accept = createHash("sha1")
            .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
            .digest("base64");
        socket.write(
            `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => sockets.delete(socket));
        const connection = {
            send: (bytes) => socket.write(frameOf(bytes)),
            close: () => socket.destroy(),
            onMessage: () => {},
        };
        let held = Buffer.alloc(0);
        socket.on("data", (data) => {
            held = Buffer.concat([held, data]);
            for (let message = unframe(held); message; message = unframe(held)) {
                held = held.subarray(message.length);
                if (message.kind === 2) connection.onMessage(message.payload);
                if (message.kind === 8) socket.end();
            }
        });
        connected(connection);
    });
    await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
    return {
        port: server.address().port,
        close: () => {
            sockets.forEach((socket) => socket.destroy());
            server.closeAllConnections();
            return new Promise((resolve) => server.close(resolve));
        },
    };
}

function frameOf(bytes) {
    const length = bytes.length;
    const head = length < 126 ? Buffer.from([0x82, length]) : Buffer.alloc(length < 65536 ? 4 : 10);
    if (length >= 126) {
        head.set([0x82, length < 65536 ? 126 : 127]);
        if (length < 65536) head.writeUInt16BE(length, 2);
        else head.writeBigUInt64BE(BigInt(length), 2);
    }
    return Buffer.concat([head, bytes]);
}

/// The first message of what a page sent, which is always masked and short; null if it is not whole yet.
function unframe(bytes) {
    if (bytes.length < 6) return null;
    const short = bytes[1] & 127;
    const start = short === 126 ? 8 : 6;
    if (bytes.length < start) return null;
    const size = short === 126 ? bytes.readUInt16BE(2) : short;
    if (bytes.length < start + size) return null;
    const mask = bytes.subarray(start - 4, start);
    const payload = Buffer.from(bytes.subarray(start, start + size).map((byte, place) => byte ^ mask[place % 4]));
    return { kind: bytes[0] & 15, payload, length: start + size };
}
