// What a stream has told: shapes, pieces, what is seen of them when, and the frames; and what of it is in the frame that is shown.

import { boundsOf } from "./bounds.js";
import { Spread } from "./colors.js";
import { PoseTrack } from "./poses.js";
import { Domain, NONE, ProtocolFault } from "./protocol.js";

/// Frames of a live stream whose times the graph still shows.
const LIVE_FRAMES = 600;

/// A live stream's pieces are gone through when so many are dead, and more than are alive.
const DEAD_TO_SWEEP = 512;

/// The entry of a list ordered by frames that holds in one of them.
export function latestAt(list, frame) {
    let [low, high] = [0, list.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle].frame <= frame) low = middle + 1;
        else high = middle;
    }
    return list[low - 1] ?? null;
}

const NOWHERE = { center: [0, 0, 0], radius: 0 };

export class Timeline {
    hello;
    shapes = new Map();
    materials = new Map();
    /// In the order of their birth; a piece's place in this list is what everything else calls it by.
    pieces = [];
    /// Looks of pieces, each for as long as it is seen.
    items = [];
    /// The places of those whose vertices move.
    deforming = [];
    frames = [];
    /// Frames that a live stream has had before those in the list.
    firstFrame = 0;
    track;
    depths = new Spread();
    /// The least and the most of each field.
    fieldRanges;
    isEnded = false;
    /// Whether nothing more comes, whether or not there was an END.
    isOver = false;
    summary = "";
    /// Counts how often items were numbered anew.
    generation = 0;
    #slots = new Map();
    #particles = null;
    #contacts = null;
    /// Items that come or go in the frame that is being told.
    #changed = [];
    #dead = 0;

    constructor(hello) {
        this.hello = hello;
        this.track = new PoseTrack(!hello.live);
        this.fieldRanges = hello.fields.map(() => ({ least: Infinity, most: -Infinity }));
    }

    /// The timeline after a message: the same one, or with a `HELLO` a new one.
    static after(timeline, name, message) {
        if (name !== "HELLO") {
            timeline.take(name, message);
            return timeline;
        }
        if (timeline && !timeline.hello.live)
            throw new ProtocolFault("a second HELLO, which only live streams may have");
        return new Timeline(message);
    }

    /// The frame that is shown, or -1.
    get frame() {
        return this.track.frame;
    }

    /// How many frames there have been.
    get count() {
        return this.firstFrame + this.frames.length;
    }

    /// What the frame that is shown has; null before the first.
    get shown() {
        return this.frames[this.frame - this.firstFrame] ?? null;
    }

    place(piece) {
        return this.#slots.get(piece);
    }

    take(name, message) {
        this[`take${name[0]}${name.slice(1).toLowerCase()}`]?.(message);
    }

    takeShape(shape) {
        if (this.shapes.has(shape.id)) throw new ProtocolFault(`shape ${shape.id} is there already`);
        this.shapes.set(shape.id, { ...shape, ...boundsOf(shape.positions) });
    }

    takeMaterial({ material, color, name }) {
        this.materials.set(material, { color, name });
    }

    takeBirth(birth) {
        if (this.#slots.has(birth.piece)) throw new ProtocolFault(`piece ${birth.piece} is born twice`);
        const parent = birth.parent === NONE ? null : (this.#slots.get(birth.parent) ?? null);
        if (parent === null && birth.parent !== NONE && !this.hello.live) {
            throw new ProtocolFault(`piece ${birth.piece} comes of piece ${birth.parent}, which was never born`);
        }
        const slot = this.pieces.length;
        const whole = parent === null ? birth.piece : this.pieces[parent].whole;
        const { looks, ...told } = birth;
        const life = { born: this.count, gone: Infinity, seen: new Map(), items: [], fields: [] };
        this.pieces.push({ ...told, slot, parent, parentPiece: birth.parent, whole, ...life, ...NOWHERE });
        this.#slots.set(birth.piece, slot);
        for (const { key, shape } of looks) this.#show(slot, key, shape);
        Object.assign(this.pieces[slot], this.#extent(slot));
    }

    takeDeath({ pieces }) {
        for (const id of pieces) {
            const piece = this.#living(id, "dies");
            piece.gone = this.count;
            this.#dead += 1 + piece.seen.size;
            for (const item of piece.seen.values()) this.#changed.push(item);
        }
    }

    takeLook({ piece: id, removed, added }) {
        const piece = this.#living(id, "changes its looks");
        for (const key of removed) {
            if (!piece.seen.has(key)) throw new ProtocolFault(`piece ${id} loses look ${key}, which it does not have`);
            this.#hide(piece, key);
        }
        for (const { key, shape } of added) this.#show(piece.slot, key, shape);
    }

    takeForm(form) {
        const item = this.#item(form.piece, form.key, "deforms");
        if (3 * form.vertices !== item.shape.positions.length) {
            throw new ProtocolFault(
                `look ${form.key} of piece ${form.piece} deforms with ${form.vertices} vertices of ${item.shape.positions.length / 3}`,
            );
        }
        if (item.forms.length === 0) this.deforming.push(this.pieces[this.#slots.get(form.piece)].seen.get(form.key));
        put(item.forms, { frame: this.count, form }, this.hello.live);
    }

    takeField({ field, piece: id, domain, key, values }) {
        const range = this.fieldRanges[field];
        if (!range) throw new ProtocolFault(`there is no field ${field}`);
        const owner = domain === Domain.PIECE ? this.#living(id, "has a field") : this.#item(id, key, "has a field");
        const expected =
            domain === Domain.PIECE
                ? 1
                : (domain === Domain.VERTEX ? owner.shape.positions : owner.shape.corners).length / 3;
        if (values.length !== expected) throw new ProtocolFault(`a field has ${values.length} values for ${expected}`);
        if (domain === Domain.TRIANGLE && !owner.shape.isApart)
            throw new ProtocolFault(`shape ${owner.shape.id} did not announce fields by triangle`);
        for (const value of values) {
            if (!Number.isFinite(value)) continue;
            range.least = Math.min(range.least, value);
            range.most = Math.max(range.most, value);
        }
        put((owner.fields[field] ??= []), { frame: this.count, domain, values }, this.hello.live);
    }

    takeParticles(particles) {
        this.#particles = particles;
    }

    takeContacts(contacts) {
        contacts.depths.forEach((depth) => this.depths.add(depth));
        this.#contacts = contacts;
    }

    takeFrame({ number, time, contactCount, touching, milliseconds, moved, poses }) {
        const before = this.frames.at(-1);
        if (before && !(number > before.number))
            throw new ProtocolFault(`frame ${number} comes after frame ${before.number}`);
        if (before && time < before.time) throw new ProtocolFault("time runs backwards");
        const slots = new Uint32Array(moved.length);
        for (let row = 0; row < moved.length; row++) {
            const slot = this.#slots.get(moved[row]);
            if (slot === undefined || this.pieces[slot].gone !== Infinity) {
                throw new ProtocolFault(`piece ${moved[row]} moves, but is not there`);
            }
            slots[row] = slot;
        }
        this.track.add(slots, poses, time, this.pieces.length);
        const [particles, contacts] = [this.#particles, this.#contacts];
        this.frames.push({
            number,
            time,
            contactCount,
            touching,
            milliseconds,
            particles,
            contacts,
            changed: this.#changed,
        });
        this.#particles = this.#contacts = null;
        this.#changed = [];
        if (this.hello.live) this.#letGo();
    }

    takeEnd({ summary }) {
        this.isEnded = true;
        this.summary = summary;
    }

    takeForget({ shapes }) {
        shapes.forEach((shape) => this.shapes.delete(shape));
    }

    /// Shows a frame; beyond the ends the first or the last.
    seek(target) {
        if (this.count > 0) this.track.seek(Math.max(0, Math.min(this.count - 1, Math.round(target))));
    }

    isAlive(piece, frame = this.frame) {
        return piece.born <= frame && frame < piece.gone;
    }

    isSeen(item, frame = this.frame) {
        return item.from <= frame && frame < item.until && this.isAlive(this.pieces[item.slot], frame);
    }

    /// The items that come or go on the way from one frame to another, frame by frame; null if that is no longer known.
    changesBetween(start, end) {
        const [low, high] = [Math.min(start, end) + 1 - this.firstFrame, Math.max(start, end) + 1 - this.firstFrame];
        return low < 0 ? null : this.frames.slice(low, high).map(({ changed }) => changed);
    }

    /// Where the vertices of an item are, if not where its shape has them.
    form(item, frame = this.frame) {
        return item.forms.length > 0 ? (latestAt(item.forms, frame)?.form ?? null) : null;
    }

    /// What a field says of a piece or an item.
    field(owner, field, frame = this.frame) {
        return owner.fields[field] ? latestAt(owner.fields[field], frame) : null;
    }

    #living(id, what) {
        const piece = this.pieces[this.#slots.get(id)];
        if (!piece || piece.gone !== Infinity) throw new ProtocolFault(`piece ${id} ${what}, but is not there`);
        return piece;
    }

    #item(id, key, what) {
        const item = this.items[this.#living(id, what).seen.get(key)];
        if (!item) throw new ProtocolFault(`look ${key} of piece ${id} ${what}, but is not there`);
        return item;
    }

    #show(slot, key, shapeId) {
        const shape = this.shapes.get(shapeId);
        const piece = this.pieces[slot];
        if (!shape) throw new ProtocolFault(`piece ${piece.piece} has shape ${shapeId}, which is not there`);
        if (piece.seen.has(key)) this.#hide(piece, key);
        piece.seen.set(key, this.items.length);
        piece.items.push(this.items.length);
        this.#changed.push(this.items.length);
        this.items.push({ slot, key, shape, from: this.count, until: Infinity, forms: [], fields: [] });
    }

    #hide(piece, key) {
        this.items[piece.seen.get(key)].until = this.count;
        this.#changed.push(piece.seen.get(key));
        piece.seen.delete(key);
        this.#dead++;
    }

    /// The ball around what is first seen of a piece, in its own coordinates.
    #extent(slot) {
        const corners = [...this.pieces[slot].seen.values()].flatMap((item) => [
            ...this.items[item].shape.low,
            ...this.items[item].shape.high,
        ]);
        const { center, radius } = boundsOf(corners);
        return { center, radius };
    }

    /// A live stream has no past: what is over is forgotten.
    #letGo() {
        if (this.frames.length > 1) Object.assign(this.frames.at(-2), { particles: null, contacts: null });
        while (this.frames.length > LIVE_FRAMES) {
            this.frames.shift();
            this.firstFrame++;
        }
        if (this.#dead < DEAD_TO_SWEEP || 2 * this.#dead < this.items.length + this.pieces.length) return;
        const kept = this.pieces.filter((piece) => piece.gone === Infinity);
        const places = kept.map((piece) => piece.slot);
        const items = this.items.filter((item) => item.until === Infinity && this.pieces[item.slot].gone === Infinity);
        this.#slots = new Map(kept.map((piece, slot) => [piece.piece, slot]));
        kept.forEach((piece, slot) => {
            piece.parent = this.#slots.get(piece.parentPiece) ?? null;
            piece.seen.clear();
            piece.items = [];
            piece.slot = slot;
        });
        const slotOf = new Map(places.map((place, slot) => [place, slot]));
        items.forEach((item, index) => {
            item.slot = slotOf.get(item.slot);
            kept[item.slot].seen.set(item.key, index);
            kept[item.slot].items.push(index);
        });
        [this.pieces, this.items] = [kept, items];
        this.deforming = [...items.keys()].filter((index) => items[index].forms.length > 0);
        this.track.keep(places);
        this.generation++;
        this.#dead = 0;
    }
}

/// What is said twice in a frame is as it was said last; a live stream needs no more than that at all.
function put(list, entry, isLive) {
    if (list.length > 0 && (isLive || list.at(-1).frame === entry.frame)) list.pop();
    list.push(entry);
}
