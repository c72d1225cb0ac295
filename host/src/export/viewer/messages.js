// Lines for the person at the top of the view.

const SHOWN_FOR = 6000;

/// More lines than this at once nobody reads: the oldest goes.
const MOST_LINES = 3;

export class Messages {
    #place;
    #lines = new Map();
    errors = [];
    notices = [];

    constructor(place) {
        this.#place = place;
    }

    /// Something went wrong: one line, which stays until it is put away. One with the same key is replaced.
    error(text, key = text, action = null) {
        this.errors.push(text);
        this.#show(text, key, true, action);
    }

    /// One line that goes by itself.
    notice(text, key = text) {
        this.notices.push(text);
        this.#show(text, key, false, null);
        setTimeout(() => this.clear(key), SHOWN_FOR);
    }

    clear(key) {
        this.#lines.get(key)?.remove();
        this.#lines.delete(key);
    }

    #show(text, key, isBad, action) {
        this.clear(key);
        if (this.#lines.size >= MOST_LINES) this.clear(this.#lines.keys().next().value);
        const line = document.createElement("div");
        line.className = isBad ? "message is-bad" : "message";
        const words = document.createElement("span");
        words.textContent = text;
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = action?.label ?? "Dismiss";
        button.addEventListener("click", () => {
            this.clear(key);
            action?.run();
        });
        line.append(words, button);
        this.#lines.set(key, line);
        this.#place.append(line);
    }
}
