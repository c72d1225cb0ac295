// Which items are seen in the frame that is shown. From frame to frame only those are looked at that come or go on the way.

/// The bit of an item's word that says that it is seen; the rest is the place of its piece.
export const VISIBLE = 0x80000000;

/// Further ways are gone by looking at everything.
const FARTHEST = 64;

export class SeenItems {
    /// A word for each item, in room for whole rows of a texture.
    words = new Uint32Array(0);
    /// How many pieces and triangles are seen.
    pieces = 0;
    triangles = 0;
    #row;
    #frame = -1;
    #count = 0;
    /// How many items of each piece are seen.
    #itemsOf = new Uint32Array(0);

    constructor(row) {
        this.#row = row;
    }

    isSeen(number) {
        return this.words[number] >= VISIBLE;
    }

    /// Forgets everything, as for another timeline.
    clear() {
        this.#frame = -1;
        this.#count = this.pieces = this.triangles = 0;
        this.words.fill(0);
        this.#itemsOf.fill(0);
    }

    /// Follows a timeline to the frame that it shows; whether any word is another.
    update(timeline) {
        const { items, pieces, frame } = timeline;
        const isLarger = this.#count < items.length;
        if (!isLarger && frame === this.#frame) return false;
        this.words = grown(this.words, this.#row * Math.max(1, Math.ceil(items.length / this.#row)));
        this.#itemsOf = grown(this.#itemsOf, pieces.length);
        const isNear = this.#frame >= 0 && Math.abs(frame - this.#frame) <= FARTHEST;
        const changes = isNear ? timeline.changesBetween(this.#frame, frame) : null;
        let isChanged = isLarger;
        if (changes) {
            for (const list of changes) {
                for (const number of list) isChanged = this.#look(timeline, number) || isChanged;
            }
        } else {
            for (let number = 0; number < items.length; number++) isChanged = this.#look(timeline, number) || isChanged;
        }
        this.#frame = frame;
        this.#count = items.length;
        return isChanged;
    }

    #look(timeline, number) {
        const item = timeline.items[number];
        const isSeen = timeline.isSeen(item);
        if (isSeen === this.isSeen(number)) return false;
        const step = isSeen ? 1 : -1;
        this.words[number] = isSeen ? (VISIBLE | item.slot) >>> 0 : 0;
        this.triangles += (step * item.shape.corners.length) / 3;
        // What has no surface, as the ground may be, is no piece that anybody sees.
        if (item.shape.corners.length === 0) return true;
        const before = this.#itemsOf[item.slot];
        this.#itemsOf[item.slot] += step;
        if (before === 0 || before + step === 0) this.pieces += step;
        return true;
    }
}

function grown(list, length) {
    if (list.length >= length) return list;
    const room = new Uint32Array(Math.max(length, 2 * list.length));
    room.set(list);
    return room;
}
