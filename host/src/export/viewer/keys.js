// Keys that work wherever the focus is, but in what takes the key itself.

export function listenToKeys({ viewer, transport, panel, tools }) {
    const cycle = (places) => {
        const at = viewer.modes.indexOf(viewer.mode);
        if (at >= 0) viewer.setMode(viewer.modes[(at + places + viewer.modes.length) % viewer.modes.length].name);
    };
    const toggle = (name) => viewer.set(name, !viewer.settings[name]);
    const actions = {
        " ": () => transport.toggle(),
        ",": () => transport.step(-1),
        ".": () => transport.step(1),
        ArrowLeft: () => transport.step(-1),
        ArrowRight: () => transport.step(1),
        Home: () => viewer.seek(0),
        End: () => viewer.seek(Infinity),
        "<": () => transport.faster(-1),
        ">": () => transport.faster(1),
        f: () => viewer.frameAll(),
        m: () => cycle(1),
        M: () => cycle(-1),
        e: () => viewer.setExplode(viewer.explode + 0.25),
        E: () => viewer.setExplode(viewer.explode - 0.25),
        w: () => toggle("wireframe"),
        c: () => toggle("contacts"),
        n: () => toggle("normals"),
        g: () => toggle("ground"),
        s: () => toggle("shadows"),
        p: () => panel.toggle(),
        r: () => tools.reset(),
        "?": () => panel.help(),
        Escape: () => viewer.choose(null),
    };
    for (let place = 0; place < 4; place++) actions[String(place + 1)] = () => tools.chooseAt(place);
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
        // A select reads letters, a range arrows, a button the space bar.
        const taken = { SELECT: /./, INPUT: /^(Arrow.*|Home|End| |Enter)$/, BUTTON: /^( |Enter)$/, TEXTAREA: /./ }[
            event.target.tagName
        ];
        const action = actions[event.key] ?? actions[event.key.toLowerCase()];
        if (!action || taken?.test(event.key)) return;
        event.preventDefault();
        action();
    });
}
