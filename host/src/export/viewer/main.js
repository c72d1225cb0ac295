// Puts the page together: where the bytes come from, who shows them, and what tests may ask.

import { Gestures } from "./gestures.js";
import { Inspector } from "./inspector.js";
import { listenToKeys } from "./keys.js";
import { LiveConnection } from "./live.js";
import { Messages } from "./messages.js";
import { Panel } from "./panel.js";
import { StreamDecoder } from "./decoder.js";
import { compressionOf, embeddedStream, fetchedStream, readStream } from "./source.js";
import { Tools } from "./tools.js";
import { Transport } from "./transport.js";
import { Viewer } from "./viewer.js";

const findElement = (id) => document.getElementById(id);
const messages = new Messages(findElement("messages"));

function readConfiguration() {
    try {
        return JSON.parse(findElement("fracas-configuration").textContent);
    } catch {
        messages.error("The page's configuration is not JSON.");
        return {};
    }
}

/// Tells the viewer what stands in front of the view, whenever that changes.
function followInsets(viewer) {
    const [canvas, transport, panel, tools] = ["view", "transport", "panel", "tools"].map(findElement);
    const follow = () => {
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        const isOpen = !panel.hidden;
        const isBeside = panel.offsetLeft > width / 2;
        viewer.setInsets({
            left: !tools.hidden && tools.offsetWidth < width / 3 ? tools.offsetLeft + tools.offsetWidth : 0,
            right: isOpen && isBeside ? width - panel.offsetLeft : 0,
            top: 0,
            bottom: height - (isOpen && !isBeside ? panel.offsetTop : transport.offsetTop),
        });
    };
    const observer = new ResizeObserver(follow);
    [canvas, transport, panel, tools].forEach((element) => observer.observe(element));
    follow();
}

function startPage() {
    const configuration = readConfiguration();
    const viewer = new Viewer(findElement("view"));
    const tools = new Tools(viewer, findElement);
    const transport = new Transport(viewer, findElement);
    const panel = new Panel(viewer, findElement);
    new Inspector(viewer, findElement);
    new Gestures(findElement("view"), viewer, tools);
    listenToKeys({ viewer, transport, panel, tools });
    viewer.loops = configuration.loop === true;
    viewer.onFault = (error) => messages.error(`The view cannot be drawn. ${error.message}`, "view");
    followInsets(viewer);
    viewer.start();

    const nameScene = () => {
        const title = configuration.title ?? viewer.timeline.hello.scene;
        findElement("scene").textContent = title || "Fracas";
        document.title = title ? `${title} · Fracas` : "Fracas viewer";
    };

    /// Reads a whole recording; what is wrong with it stands on the page in one line, and what came before is played.
    async function load(open, compression) {
        const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
        const decoder = new StreamDecoder((name, message) => {
            viewer.take(name, message);
            if (name === "HELLO") nameScene();
            if (name === "FRAME" && viewer.timeline.count === 1 && configuration.autoplay !== false && !isCalm)
                viewer.play();
        });
        let line = null;
        try {
            await readStream(await open(), compression, (bytes) => {
                decoder.push(bytes);
                // The scrubber grows with what has come.
                viewer.invalidate();
                return !decoder.isEnded;
            });
            line = decoder.end()?.message ?? null;
        } catch (error) {
            line =
                error instanceof TypeError && compression
                    ? `The recording does not inflate as ${compression}.`
                    : error.message;
        }
        if (viewer.timeline) viewer.timeline.isOver = true;
        if (line !== null) {
            const count = viewer.timeline?.count ?? 0;
            const rest =
                count === 0
                    ? ""
                    : count === 1
                      ? " The frame before it is shown."
                      : ` The ${count.toLocaleString("en")} frames before it can be played.`;
            if (count === 0) findElement("summary").textContent = "";
            messages.error(`${line.replace(/\.$/, "").replace(/^byte/, "At byte")}.${rest}`, "recording");
        }
        viewer.invalidate();
    }

    function connect(address) {
        const connection = new LiveConnection(address, {
            take: (name, message) => {
                // Whatever it says of itself, what comes over a socket has no past.
                if (name === "HELLO") message.live = true;
                if (name === "NOTICE") messages[message.isBad ? "error" : "notice"](message.text);
                else if (name === "CHOICES") tools.takeChoices(message);
                else if (name === "STATUS") tools.takeStatus(message);
                else viewer.take(name, message);
                if (name === "HELLO") nameScene();
            },
            changed: (isConnected) => isConnected && messages.clear("connection"),
            failed: (line, isFinal) =>
                messages.error(
                    line,
                    "connection",
                    isFinal ? { label: "Try again", run: () => connection.connect() } : null,
                ),
        });
        tools.connect(connection);
        transport.live = tools;
        connection.connect();
        return connection;
    }

    function askForFile(resolve) {
        findElement("open").hidden = false;
        const take = (file) => {
            if (!file) return;
            findElement("open").hidden = true;
            viewer.timeline = null;
            messages.clear("recording");
            compressionOf(file)
                .then((compression) => load(() => file.stream(), compression))
                .then(resolve);
        };
        findElement("file").addEventListener("change", (event) => take(event.target.files[0]));
        document.addEventListener("dragover", (event) => {
            event.preventDefault();
            document.body.classList.add("is-dropping");
        });
        document.addEventListener("dragleave", () => document.body.classList.remove("is-dropping"));
        document.addEventListener("drop", (event) => {
            event.preventDefault();
            document.body.classList.remove("is-dropping");
            take(event.dataTransfer.files[0]);
        });
    }

    findElement("summary").textContent = configuration.live
        ? "Connecting…"
        : configuration.recording || configuration.embedded
          ? "Loading…"
          : "";
    let connection = null;
    let loaded;
    if (configuration.live) loaded = Promise.resolve((connection = connect(configuration.live))).then(() => {});
    else if (configuration.embedded)
        loaded = load(() => embeddedStream(configuration.embedded), configuration.compression);
    else if (configuration.recording)
        loaded = load(() => fetchedStream(configuration.recording), configuration.compression);
    else loaded = new Promise(askForFile);
    const isStuck = loaded.then(() =>
        messages.errors.length > 0 && !viewer.timeline?.count ? undefined : new Promise(() => {}),
    );
    return { viewer, tools, connection, loaded, ready: Promise.race([viewer.firstDrawn, isStuck]) };
}

/// What tests may ask and do; PROTOCOL.md has the list.
function interfaceFor({ viewer, tools, connection, loaded, ready }) {
    const canvas = findElement("view");
    const state = () => ({
        frame: viewer.timeline?.frame ?? -1,
        frames: viewer.timeline?.count ?? 0,
        time: viewer.timeline?.shown?.time ?? 0,
        playing: connection ? !tools.isPaused : viewer.isPlaying,
        live: Boolean(connection),
        connected: connection?.isConnected ?? false,
        ...viewer.renderer.statistics,
        frameMilliseconds: viewer.lastMilliseconds,
        mode: viewer.mode?.name ?? null,
        explode: viewer.explode,
        picked: viewer.picked?.piece ?? null,
        errors: [...messages.errors],
        notices: [...messages.notices],
    });
    const switches = Object.keys(viewer.settings).map((name) => [
        `set${name[0].toUpperCase()}${name.slice(1)}`,
        (isOn) => viewer.set(name, isOn),
    ]);
    return {
        ready,
        loaded,
        state,
        ...Object.fromEntries(switches),
        seek: (frame) => viewer.seek(frame),
        play: () => viewer.play(),
        pause: () => viewer.pause(),
        step: (frames) => viewer.step(frames),
        setMode: (name) => viewer.setMode(name),
        setExplode: (factor) => viewer.setExplode(factor),
        pick: (x, y) => {
            viewer.choose(viewer.hit(x, y)?.piece ?? null);
            return viewer.picked?.piece ?? null;
        },
        project: (...point) => viewer.camera.project(point, canvas.clientWidth, canvas.clientHeight),
        setCamera: ({ eye, target, fieldOfView }) => {
            viewer.camera.look(eye, target, fieldOfView);
            viewer.invalidate();
        },
        tool: (name) => tools.choose(name),
        act: (x, y) => tools.act(x, y),
        draw: () => {
            viewer.draw();
            return state();
        },
    };
}

try {
    window.fracasViewer = interfaceFor(startPage());
} catch (error) {
    messages.error(error.message);
    const state = () => ({ frame: -1, frames: 0, errors: [...messages.errors], notices: [] });
    window.fracasViewer = { ready: Promise.resolve(), loaded: Promise.resolve(), state };
}
