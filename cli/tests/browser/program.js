// The program under test: runs it, and waits for what it says.

import { spawn, spawnSync } from "node:child_process";

const program = process.env.FRACAS_PROGRAM ?? "target/debug/fracas";

const running = new Set();

/// Ends what a test that failed has left running.
export function stopAll() {
    running.forEach((child) => child.kill("SIGKILL"));
}

/// Runs a command to its end; it has to do well.
export function run(...words) {
    const { status, stderr, stdout } = spawnSync(program, words, { encoding: "utf8" });
    if (status !== 0) throw new Error(`fracas ${words.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
}

/// Starts a command that serves a page, and waits for its address. `stop()` is Ctrl-C; it gives the exit code.
export async function serve(...words) {
    const child = spawn(program, [...words, "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    const over = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    over.then(() => running.delete(child));
    let said = "";
    const address = await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`fracas ${words.join(" ")} says no address: ${said}`)), 60000);
        const take = (data) => {
            said += data;
            const [found] = said.match(/http:\/\/127\.0\.0\.1:\d+\//) ?? [];
            if (!found) return;
            clearTimeout(timer);
            resolve(found);
        };
        child.stdout.on("data", take);
        child.stderr.on("data", take);
        over.then((code) => reject(new Error(`fracas ${words.join(" ")} ended with ${code}: ${said}`)));
    });
    const stop = () => {
        child.kill("SIGINT");
        return over;
    };
    return { address, stop };
}
