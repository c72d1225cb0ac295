// From a stream in parts to whole messages.

import { Fields, ProtocolFault, READERS } from "./protocol.js";

const MAGIC = "FRACASV\n";
const LONGEST = 2 ** 30;

/// Bytes of the magic, and of the head of each message.
const HEAD = 8;

/// Takes a stream in parts of any size and hands on its messages, `take(name, message)`. A fault is thrown once, with the
/// byte where its message begins; after that nothing more is read.
export class StreamDecoder {
    #take;
    #byte = 0;
    #held = new Uint8Array(0);
    #heldLength = 0;
    #hasMagic = false;
    #context = { stages: 0 };
    isEnded = false;
    isBroken = false;

    constructor(take) {
        this.#take = take;
    }

    /// Bytes of whole messages so far.
    get byte() {
        return this.#byte;
    }

    push(bytes) {
        let rest = bytes;
        while (rest.length > 0 && !this.isEnded && !this.isBroken) {
            if (this.#heldLength > 0) {
                rest = this.#hold(rest, this.#needed(this.#held, this.#heldLength) - this.#heldLength);
                const needed = this.#needed(this.#held, this.#heldLength);
                if (this.#heldLength < needed) continue;
                // The message keeps this memory; what comes next gets its own.
                const whole = this.#held.subarray(0, needed);
                this.#held = new Uint8Array(0);
                this.#heldLength = 0;
                this.#read(whole);
            } else {
                const needed = this.#needed(rest, rest.length);
                if (rest.length < needed) {
                    rest = this.#hold(rest, rest.length);
                } else {
                    this.#read(rest.subarray(0, needed));
                    rest = rest.subarray(needed);
                }
            }
        }
    }

    /// Says that no more bytes come: a fault if they end in the middle of something, or else null.
    end() {
        if (this.isEnded || this.isBroken) return null;
        if (!this.#hasMagic)
            return new ProtocolFault("this is not a recording for the viewer: it does not begin with FRACASV").at(
                0,
                "",
            );
        if (this.#heldLength === 0)
            return new ProtocolFault("the recording was cut short here, between two messages").at(this.#byte, "");
        const name = this.#heldLength >= 4 ? READERS.get(this.#word(this.#held, 0))?.[0] : "";
        return new ProtocolFault("the recording was cut short within this message").at(this.#byte, name);
    }

    #word(bytes, place) {
        return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(place, true);
    }

    /// How many bytes the next thing takes, as far as is known.
    #needed(bytes, length) {
        if (!this.#hasMagic || length < HEAD) return HEAD;
        const payload = this.#word(bytes, 4);
        if (payload % 4 !== 0 || payload > LONGEST) {
            this.isBroken = true;
            throw new ProtocolFault(`what stands here is not the head of a message: its length is ${payload}`).at(
                this.#byte,
                "",
            );
        }
        return HEAD + payload;
    }

    /// Keeps some of the bytes, in room that at least doubles when it is too small: a length that is only claimed costs nothing.
    #hold(bytes, count) {
        const part = bytes.subarray(0, count);
        const length = this.#heldLength + part.length;
        if (length > this.#held.length) {
            const room = new Uint8Array(Math.max(length, 2 * this.#held.length, 64));
            room.set(this.#held.subarray(0, this.#heldLength));
            this.#held = room;
        }
        this.#held.set(part, this.#heldLength);
        this.#heldLength = length;
        return bytes.subarray(part.length);
    }

    #read(whole) {
        if (!this.#hasMagic) {
            if (String.fromCharCode(...whole) !== MAGIC) {
                this.isBroken = true;
                throw new ProtocolFault("this is not a recording for the viewer: it does not begin with FRACASV").at(
                    0,
                    "",
                );
            }
            this.#hasMagic = true;
            this.#byte += HEAD;
            return;
        }
        const [name, reader] = READERS.get(this.#word(whole, 0)) ?? [];
        if (reader) {
            // Views of numbers have to begin at a multiple of four of the memory that they are in.
            const payload = whole.byteOffset % 4 === 0 ? whole.subarray(HEAD) : whole.slice(HEAD);
            try {
                if (this.#byte === HEAD && name !== "HELLO") throw new ProtocolFault("the first message is not HELLO");
                const message = reader(new Fields(payload), this.#context);
                if (name === "HELLO") this.#context = { stages: message.stages.length };
                this.#take(name, message);
            } catch (error) {
                this.isBroken = true;
                throw error instanceof ProtocolFault ? error.at(this.#byte, name) : error;
            }
            this.isEnded = name === "END";
        } else if (this.#byte === HEAD) {
            this.isBroken = true;
            throw new ProtocolFault("the first message is not HELLO").at(this.#byte, "");
        }
        this.#byte += whole.length;
    }
}
