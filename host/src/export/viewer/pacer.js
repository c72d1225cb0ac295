// How sharp the view is drawn while it moves: as sharp as the machine keeps up with.

/// Milliseconds between two frames that are still smooth.
const SMOOTH = 21;

/// Frames farther apart than this do not follow each other: nothing moved in between.
const PAUSE = 120;

/// Frames that are looked at before anything is changed.
const WINDOW = 40;

const COARSER = 0.75;
const COARSEST = 0.5;

/// What has to come of a coarser view for it to be kept; a screen that is slow by itself gains nothing by it.
const WORTH = 0.9;

export class Pacer {
    /// What part of the pixels along each side is drawn while things move.
    quality = 1;
    #last = -Infinity;
    #gaps = [];
    #before = null;
    #isSettled = false;

    /// Notes that a frame is drawn at a time; whether it follows another.
    note(now) {
        const gap = now - this.#last;
        this.#last = now;
        if (!(gap < PAUSE)) {
            this.#gaps = [];
            return false;
        }
        if (!this.#isSettled) this.#gaps.push(gap);
        if (this.#gaps.length === WINDOW) this.#judge();
        return true;
    }

    #judge() {
        const usual = [...this.#gaps].sort((a, b) => a - b)[WINDOW / 2];
        this.#gaps = [];
        if (this.#before !== null && usual > WORTH * this.#before) {
            this.quality = 1;
            this.#isSettled = true;
        } else if (usual > SMOOTH && this.quality > COARSEST) {
            this.#before = usual;
            this.quality = Math.max(COARSEST, COARSER * this.quality);
        } else {
            this.#before = null;
        }
    }
}
