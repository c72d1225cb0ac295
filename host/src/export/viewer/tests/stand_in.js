// A canvas whose graphics interface does nothing, but counts.

const ANSWERS = { getProgramParameter: () => 0, getShaderInfoLog: () => "", isContextLost: () => true };
const isDraw = (name) => name.startsWith("draw");

export function standInCanvas() {
    const counts = { calls: 0, draws: 0, uploaded: 0 };
    const rest = new Proxy(
        {},
        {
            get(_, name, receiver) {
                if (typeof name !== "string") return undefined;
                const answer = ANSWERS[name] ?? (name.startsWith("create") ? () => ({}) : () => undefined);
                const made = /^[A-Z0-9_]+$/.test(name)
                    ? 1
                    : (...values) => {
                          counts.calls++;
                          if (isDraw(name)) counts.draws++;
                          if (name === "texSubImage2D") counts.uploaded += values.at(-1).byteLength;
                          return answer(...values);
                      };
                // Kept, so that the next time costs what a method costs.
                Object.defineProperty(receiver, name, { value: made });
                return made;
            },
        },
    );
    return { canvas: { getContext: () => Object.create(rest) }, counts };
}
