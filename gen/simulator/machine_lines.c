// SPDX-License-Identifier: Apache-2.0
// Timing model of line buffers, which a convolution reads. A line buffer keeps the newest words of an image in a ring
// and gives them patch by patch: a patch has the words under all taps of the window at one place.
#include "gen/simulator/machines.h"

enum { ROWS, PIXELS }; // the two axes of an image

// After the read in `cycle`, no word before number `before` is needed, so the places of these words become free.
struct release {
    int64_t before, cycle;
};

struct lines {
    struct sim_edge *in, *out;
    int64_t size;               // words of an image
    int64_t arrived, tokens;    // complete words of all images; tokens of the word that is arriving
    int64_t active[2];          // tokens of an image, by the parity of the image's number
    int64_t *arrival;           // per place of the ring: cycle in which the word's last token was taken
    int64_t last_in;            // cycle of the last token taken
    struct release *release;    // a ring of the next releases
    int64_t releases, released; // releases that were made and used so far
    int64_t room;               // size of that ring
    int64_t free_before, free;  // of the last used release: `before`, and the first cycle in which its places are free
    // The next word out: its image, place, tap, word of the pixel, token.
    int64_t image, place[2], tap[2], word, token;
    int64_t begins; // cycle from which the image's first word may be read
    int64_t sent;   // cycle of the last word out
};

bool sim_lines_init(struct sim *sim, struct actor *a) {
    struct lines *l = a->state = ARENA_NEW(sim->arena, struct lines);
    const struct timing_lines *c = &a->c.lines;
    l->in = sim_lane(sim, a, false, IR_NONE);
    l->out = sim_lane(sim, a, true, IR_NONE);
    l->last_in = l->sent = -1;
    l->size = c->axis[ROWS].size * c->axis[PIXELS].size * c->pixel;
    l->room = 2 * c->axis[ROWS].places * c->axis[PIXELS].places + 2;
    if (c->buffer > l->size) return false;
    l->arrival = ARENA_ARRAY(sim->arena, int64_t, (size_t)c->buffer);
    l->release = ARENA_ARRAY(sim->arena, struct release, (size_t)l->room);
    return l->in && l->out;
}

// ---- in ----

// Finds the cycle from which the next word has a place in the ring. Returns false while this is not known.
static bool find_place(const struct timing_lines *c, struct lines *l) {
    while (l->arrived - l->free_before >= c->buffer) {
        if (l->released == l->releases) return false;
        const struct release *r = &l->release[l->released++ % l->room];
        l->free_before = r->before;
        l->free = r->cycle + c->release;
    }
    return true;
}

// Takes a token of the next word. Returns false if no token can be taken yet.
static bool lines_in(struct sim *sim, struct actor *a, struct lines *l) {
    const struct timing_lines *c = &a->c.lines;
    if (!edge_waiting(l->in) || !find_place(c, l)) return false;
    int64_t at = at_least(at_least(edge_avail(l->in), l->last_in + 1), l->free);
    uint8_t mark = edge_mark(l->in);
    edge_take(sim, l->in, at);
    l->last_in = at;
    l->tokens++;
    if (!(mark & MARK_TOK_LAST)) return true;
    l->arrival[l->arrived % c->buffer] = at;
    l->active[l->arrived / l->size % 2] = l->tokens;
    l->tokens = 0;
    l->arrived++;
    return true;
}

// ---- out ----

// Returns the coordinate in the image that a tap reads at a place. It is outside of the image in the border.
static int64_t position(const struct itensor_line_axis *axis, int64_t place, int64_t tap) {
    return place * axis->stride - axis->before + tap * axis->dilation;
}

static bool is_inside(const struct itensor_line_axis *axis, int64_t at) { return at >= 0 && at < axis->size; }

// Returns the number of the next word, counted over all images, or -1 if it is in the border outside of its image.
static int64_t word_of(const struct timing_lines *c, const struct lines *l) {
    int64_t y = position(&c->axis[ROWS], l->place[ROWS], l->tap[ROWS]),
            x = position(&c->axis[PIXELS], l->place[PIXELS], l->tap[PIXELS]);
    if (!is_inside(&c->axis[ROWS], y) || !is_inside(&c->axis[PIXELS], x)) return -1;
    return l->image * l->size + (y * c->axis[PIXELS].size + x) * c->pixel + l->word;
}

// Returns the number of the oldest word that the patch at the present place, or the first patch of the next row of
// places, needs.
static int64_t oldest(const struct timing_lines *c, const struct lines *l) {
    int64_t line = c->axis[PIXELS].size * c->pixel, y = position(&c->axis[ROWS], l->place[ROWS], 0),
            x = position(&c->axis[PIXELS], l->place[PIXELS], 0);
    bool holds = l->place[ROWS] + 1 < c->axis[ROWS].places && y + c->axis[ROWS].stride <= 0;
    return l->image * l->size + at_least(y, 0) * line + (holds ? 0 : at_least(x, 0) * c->pixel);
}

// Advances to the next word. Returns true at the end of a patch.
static bool advance(const struct timing_lines *c, struct lines *l) {
    if (++l->word < c->pixel) return false;
    l->word = 0;
    if (++l->tap[PIXELS] < c->axis[PIXELS].taps) return false;
    l->tap[PIXELS] = 0;
    if (++l->tap[ROWS] < c->axis[ROWS].taps) return false;
    l->tap[ROWS] = 0;
    if (++l->place[PIXELS] < c->axis[PIXELS].places) return true;
    l->place[PIXELS] = 0;
    if (++l->place[ROWS] < c->axis[ROWS].places) return true;
    l->place[ROWS] = 0;
    l->image++;
    return true;
}

// Finds the cycle from which the next word may be read. Returns false while this is not known.
static bool find_ready(const struct timing_lines *c, const struct lines *l, int64_t *ready) {
    int64_t first = l->image * l->size, word = word_of(c, l);
    if (l->arrived <= at_least(first, word)) return false;
    bool begins = l->place[ROWS] + l->place[PIXELS] + l->tap[ROWS] + l->tap[PIXELS] + l->word + l->token == 0;
    *ready = begins ? at_least(l->begins, l->arrival[first % c->buffer] + c->begin) : 0;
    if (word >= 0) *ready = at_least(*ready, l->arrival[word % c->buffer] + c->ready);
    return true;
}

// Sends a token of the next word of the patch. A word outside of the image waits for no input except the first word of
// the image. Returns false while the token's cycle is not known.
static bool lines_out(struct sim *sim, struct actor *a, struct lines *l) {
    const struct timing_lines *c = &a->c.lines;
    int64_t room, ready, active = l->active[l->image % 2], image = l->image;
    if (!edge_room(l->out, &room) || !find_ready(c, l, &ready)) return false;
    int64_t fetch = at_least(ready, l->sent);
    bool tok_last = ++l->token == active;
    if (tok_last) l->token = 0;
    bool patch = tok_last && advance(c, l), end = l->image != image;
    l->sent = at_least(fetch + a->c.stages, room);
    edge_put(sim, l->out, fetch + a->c.stages, l->sent,
             (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (end ? MARK_LAST : 0)));
    if (end) l->begins = fetch + c->begin;
    if (patch) l->release[l->releases++ % l->room] = (struct release){oldest(c, l), fetch};
    return true;
}

void sim_lines_run(struct sim *sim, struct actor *a) {
    struct lines *l = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (lines_in(sim, a, l)) moved = true;
        while (lines_out(sim, a, l)) moved = true;
    }
}
