// Where the bytes of a recording come from: an element of the page, an address, or a file that was chosen.

/// Hands the bytes of a stream on, part by part. What is compressed is inflated on the way.
export async function readStream(stream, compression, take) {
    const inflated = compression ? stream.pipeThrough(new DecompressionStream(compression)) : stream;
    const reader = inflated.getReader();
    for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        if (take(value) === false) {
            // Nobody wants the rest, and why is said elsewhere.
            reader.cancel().catch(() => {});
            return;
        }
    }
}

/// A recording that stands in the page as base64.
export function embeddedStream(id) {
    const element = document.getElementById(id);
    if (!element) throw new Error(`The page has no element "${id}" that holds a recording.`);
    let text;
    try {
        text = atob(element.textContent.trim());
    } catch {
        throw new Error("The recording in this page is damaged: it is not base64.");
    }
    // The text is not needed twice.
    element.textContent = "";
    const bytes = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place++) bytes[place] = text.charCodeAt(place);
    return new Blob([bytes]).stream();
}

export async function fetchedStream(address) {
    let response;
    try {
        response = await fetch(address);
    } catch {
        throw new Error(`The recording cannot be fetched from ${address}: nobody answers.`);
    }
    if (!response.ok)
        throw new Error(
            `The recording cannot be fetched from ${address}: ${response.status} ${response.statusText}`.trim(),
        );
    return response.body;
}

/// How a file was compressed as a whole, by its first bytes.
export async function compressionOf(file) {
    const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    return first === 0x1f && second === 0x8b ? "gzip" : null;
}
