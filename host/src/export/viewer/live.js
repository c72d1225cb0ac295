// A connection to a running simulation. It is made again when it is lost.

import { Command } from "./commands.js";
import { StreamDecoder } from "./decoder.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

export class LiveConnection {
    #address;
    #handlers;
    #socket = null;
    #wait = FIRST_WAIT;
    #timer = 0;
    isConnected = false;

    /// `take(name, message)` gets every message, `changed(isConnected)` is told of connections, `failed(line, isFinal)` of what went wrong.
    constructor(address, handlers) {
        this.#address = new URL(address, location.href);
        if (this.#address.protocol === "http:") this.#address.protocol = "ws:";
        if (this.#address.protocol === "https:") this.#address.protocol = "wss:";
        this.#handlers = handlers;
    }

    connect() {
        clearTimeout(this.#timer);
        const socket = new WebSocket(this.#address);
        this.#socket = socket;
        socket.binaryType = "arraybuffer";
        const decoder = new StreamDecoder(this.#handlers.take);
        let isBroken = false;
        socket.addEventListener("open", () => {
            socket.send(Command.watch());
            this.isConnected = true;
            this.#handlers.changed(true);
        });
        socket.addEventListener("message", ({ data }) => {
            if (isBroken) return;
            try {
                if (!(data instanceof ArrayBuffer))
                    throw new Error("The simulation sent text, where bytes were expected.");
                decoder.push(new Uint8Array(data));
                this.#wait = FIRST_WAIT;
            } catch (error) {
                // What it says next would be no better understood: a person has to ask for another try.
                isBroken = true;
                socket.close();
                this.#handlers.failed(`What the simulation sent cannot be read. ${error.message}`, true);
            }
        });
        socket.addEventListener("close", () => {
            this.isConnected = false;
            this.#handlers.changed(false);
            if (isBroken || socket !== this.#socket) return;
            const seconds = this.#wait / 1000;
            this.#handlers.failed(
                `The connection to the simulation is lost; the next try is in ${seconds.toFixed(seconds < 1 ? 1 : 0)} s.`,
                false,
            );
            this.#timer = setTimeout(() => this.connect(), this.#wait);
            this.#wait = Math.min(LONGEST_WAIT, 2 * this.#wait);
        });
    }

    /// Says something, if anybody listens.
    send(command) {
        if (this.isConnected && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(command);
    }
}
