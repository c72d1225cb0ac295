// Reads a whole stream as the page does.

import { StreamDecoder } from "../decoder.js";
import { Timeline } from "../timeline.js";

/// The timeline of a stream, every message, and the fault that ended it (or null).
export function replay(bytes, chunk = bytes.length) {
    const result = { timeline: null, messages: [], fault: null };
    const decoder = new StreamDecoder((name, message) => {
        result.messages.push([name, message]);
        result.timeline = Timeline.after(result.timeline, name, message);
    });
    try {
        for (let at = 0; at < bytes.length; at += Math.max(1, chunk)) decoder.push(bytes.subarray(at, at + chunk));
        result.fault = decoder.end();
    } catch (error) {
        if (error.constructor.name !== "ProtocolFault") throw error;
        result.fault = error;
    }
    return { ...result, decoder };
}
