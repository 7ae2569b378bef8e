// SPDX-License-Identifier: Apache-2.0
// Models the queues, the content and the responses of HBM pseudo-channels with AXI4 ports. gen/hbm/hbm_bank.c has the
// timing of the DRAM.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // MAP_ANONYMOUS, MAP_NORESERVE
#endif
#include "verif/model/hbm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/hbm/hbm_bank.h"

struct burst {
    uint64_t offset; // byte address in the channel
    int beats, done; // done: beats taken (reads) or given (writes)
    int id, resp, natives;
    // Times in ps. Reads: when each beat may be taken. Writes: [0] is the time of the response, once all data have been
    // given.
    uint64_t ready[HBM_MAX_BEATS];
    uint64_t strobe[HBM_MAX_BEATS];
    uint8_t *data; // writes: data that are not visible yet; reads with has_copy: the content before a later write
    bool has_copy;
    bool endless; // ends without RLAST
};

struct queue { // ring of bursts, the oldest at head
    struct burst burst[HBM_QUEUE];
    int head, count, natives; // natives: native bursts of all bursts in the queue
};

struct hbm_channel {
    struct hbm *hbm;
    int index;
    uint8_t *memory;
    struct hbm_banks banks;
    struct queue reads, writes;
    int writes_complete; // number of bursts, from the head of `writes`, whose data have all been given
    uint64_t random;
    int64_t bad_read, bad_write; // burst number that gets an error, or -1
    int64_t endless;             // read burst without RLAST, or -1
    int64_t bad_beat, late_read; // read beat that gets an error, read burst that is late, or -1
    uint64_t late;               // ps by which late_read is late
    uint8_t *written;            // one bit per atom, 1 if it was written; NULL: hbm_guard_unwritten was not called
    bool read_chosen;            // the oldest read burst has been chosen and stays first
    struct hbm_stats stats;
};

struct next_beat { // addresses that a channel's next read needs, for fetch_ahead
    const uint8_t *data;
    const uint64_t *ready;
};

struct hbm {
    struct hbm_config config;
    uint64_t period_fs, cycle, now; // now is in ps
    uint64_t paused_fs;             // time without edges of the design's clock
    uint64_t beats;
    bool shuffles;
    hbm_observer *observer;
    void *observer_ctx;
    struct next_beat next[HBM_MAX_CHANNELS];
    struct hbm_channel channel[HBM_MAX_CHANNELS];
};

static struct burst *queue_at(struct queue *q, int i) { return &q->burst[(q->head + i) % HBM_QUEUE]; }

static struct burst *queue_push(struct queue *q) {
    if (q->count == HBM_QUEUE) base_fatal("HBM model: burst accepted without room");
    return queue_at(q, q->count++);
}

static void queue_pop(struct queue *q) {
    q->natives -= queue_at(q, 0)->natives;
    q->head = (q->head + 1) % HBM_QUEUE;
    q->count--;
}

// xorshift64*; never called without a seed.
static uint64_t draw(struct hbm_channel *ch) {
    uint64_t x = ch->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    ch->random = x;
    return x * 0x2545f4914f6cdd1dull >> 16;
}

static void *reserve(uint64_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool channel_open(struct hbm *hbm, struct arena *arena, int index) {
    struct hbm_channel *ch = &hbm->channel[index];
    ch->hbm = hbm;
    ch->index = index;
    ch->bad_read = ch->bad_write = ch->endless = ch->bad_beat = ch->late_read = -1;
    ch->random = hbm->config.seed * 0x9e3779b97f4a7c15ull + (uint64_t)index * 0xbf58476d1ce4e5b9ull + 1;
    hbm_banks_init(&ch->banks, &hbm->config.timing);
    size_t burst_bytes = (size_t)HBM_MAX_BEATS * (size_t)hbm->config.beat_bytes;
    uint8_t *copies = arena_alloc(arena, 2 * HBM_QUEUE, burst_bytes);
    for (int i = 0; i < HBM_QUEUE; i++) {
        ch->reads.burst[i].data = copies + (size_t)(2 * i) * burst_bytes;
        ch->writes.burst[i].data = copies + (size_t)(2 * i + 1) * burst_bytes;
    }
    ch->memory = reserve(hbm->config.channel_bytes);
    return ch->memory != NULL;
}

struct hbm *hbm_open(struct arena *arena, const struct hbm_config *config, const char **why) {
    struct hbm *hbm = ARENA_NEW(arena, struct hbm);
    hbm->config = *config;
    hbm->period_fs = (uint64_t)(1e9 / config->clock_mhz + 0.5);
    for (int i = 0; i < config->channels; i++) {
        if (!channel_open(hbm, arena, i)) {
            *why = arena_printf(arena, "cannot reserve %llu bytes for channel %d: %s",
                                (unsigned long long)config->channel_bytes, i, strerror(errno));
            hbm_close(hbm);
            return NULL;
        }
    }
    return hbm;
}

// Returns the size of a channel's array of marks.
static uint64_t written_bytes(const struct hbm *hbm) { return hbm->config.channel_bytes / HBM_ATOM_BYTES / 8; }

void hbm_close(struct hbm *hbm) {
    for (int i = 0; i < hbm->config.channels; i++) {
        if (hbm->channel[i].memory != NULL) munmap(hbm->channel[i].memory, hbm->config.channel_bytes);
        if (hbm->channel[i].written != NULL) munmap(hbm->channel[i].written, written_bytes(hbm));
    }
}

// Reads `size` bytes. Returns NULL or an error.
static const char *read_file(uint8_t *to, uint64_t size, int file) {
    while (size > 0) {
        ssize_t got = read(file, to, size);
        if (got <= 0) return got < 0 ? strerror(errno) : "shorter than it was";
        to += got, size -= (uint64_t)got;
    }
    return NULL;
}

// Maps the file at `offset` of the channel's memory, or reads it if `offset` is not a multiple of the page size.
// Returns NULL or an error.
static const char *map_file(struct hbm_channel *ch, uint64_t offset, int file) {
    struct stat info;
    if (fstat(file, &info) != 0) return strerror(errno);
    uint64_t size = (uint64_t)info.st_size;
    if (size == 0) return NULL;
    if (offset > ch->hbm->config.channel_bytes || size > ch->hbm->config.channel_bytes - offset)
        return "larger than the channel";
    uint8_t *at = ch->memory + offset;
    if (offset % (uint64_t)sysconf(_SC_PAGESIZE) != 0) return read_file(at, size, file);
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED)
        return strerror(errno);
    return NULL;
}

const char *hbm_load(struct hbm *hbm, int channel, uint64_t offset, const char *path) {
    int file = open(path, O_RDONLY);
    if (file < 0) return strerror(errno);
    const char *why = map_file(&hbm->channel[channel], offset, file);
    close(file);
    return why;
}

uint8_t *hbm_bytes(struct hbm *hbm, int channel, uint64_t offset, uint64_t bytes) {
    if (channel < 0 || channel >= hbm->config.channels || offset > hbm->config.channel_bytes ||
        bytes > hbm->config.channel_bytes - offset)
        return NULL;
    return hbm->channel[channel].memory + offset;
}

void hbm_observe_writes(struct hbm *hbm, hbm_observer *observer, void *ctx) {
    hbm->observer = observer;
    hbm->observer_ctx = ctx;
}

void hbm_inject_error(struct hbm *hbm, int channel, bool is_write, uint64_t n) {
    if (is_write) hbm->channel[channel].bad_write = (int64_t)n;
    else hbm->channel[channel].bad_read = (int64_t)n;
}

void hbm_inject_endless(struct hbm *hbm, int channel, uint64_t n) { hbm->channel[channel].endless = (int64_t)n; }
void hbm_inject_beat_error(struct hbm *hbm, int channel, uint64_t n) { hbm->channel[channel].bad_beat = (int64_t)n; }

void hbm_inject_delay(struct hbm *hbm, int channel, uint64_t n, uint64_t cycles) {
    hbm->channel[channel].late_read = (int64_t)n;
    hbm->channel[channel].late = cycles * hbm->period_fs / 1000;
}

void hbm_shuffle(struct hbm *hbm) { hbm->shuffles = hbm->config.seed != 0; }

void hbm_reset(struct hbm *hbm) {
    for (int i = 0; i < hbm->config.channels; i++) {
        struct hbm_channel *ch = &hbm->channel[i];
        ch->reads.count = ch->reads.natives = ch->writes.count = ch->writes.natives = 0;
        ch->writes_complete = 0;
        ch->read_chosen = false;
    }
}

// ---- written bytes ----

bool hbm_guard_unwritten(struct hbm *hbm) {
    for (int i = 0; i < hbm->config.channels; i++)
        if ((hbm->channel[i].written = reserve(written_bytes(hbm))) == NULL) return false;
    return true;
}

static void mark_atoms(struct hbm_channel *ch, uint64_t first, uint64_t end) {
    for (uint64_t atom = first; atom < end; atom++) ch->written[atom / 8] |= (uint8_t)(1 << atom % 8);
}

void hbm_mark_written(struct hbm *hbm, int channel, uint64_t offset, uint64_t bytes) {
    struct hbm_channel *ch = &hbm->channel[channel];
    if (ch->written == NULL) return;
    mark_atoms(ch, u64_div_ceil(offset, HBM_ATOM_BYTES), (offset + bytes) / HBM_ATOM_BYTES);
}

static bool is_written(const struct hbm_channel *ch, uint64_t offset, uint64_t bytes) {
    if (ch->written == NULL) return true;
    for (uint64_t atom = offset / HBM_ATOM_BYTES; atom * HBM_ATOM_BYTES < offset + bytes; atom++)
        if (!(ch->written[atom / 8] >> atom % 8 & 1)) return false;
    return true;
}

void hbm_tick(struct hbm *hbm) {
    hbm->cycle++;
    hbm->now = (hbm->cycle * hbm->period_fs + hbm->paused_fs) / 1000;
}

void hbm_pause(struct hbm *hbm, uint32_t halves) { hbm->paused_fs += halves * hbm->period_fs / 2; }

uint64_t hbm_cycle(const struct hbm *hbm) { return hbm->cycle; }

struct hbm_stats hbm_stats(const struct hbm *hbm, int channel) {
    return hbm->channel[channel].stats;
}

uint64_t hbm_beats(const struct hbm *hbm) { return hbm->beats; }

bool hbm_quiet(const struct hbm *hbm) {
    for (int i = 0; i < hbm->config.channels; i++)
        if (hbm->channel[i].reads.count != 0 || hbm->channel[i].writes.count != 0) return false;
    return true;
}

struct hbm_channel *hbm_channel(struct hbm *hbm, int channel) {
    return channel >= 0 && channel < hbm->config.channels ? &hbm->channel[channel] : NULL;
}

int hbm_ids(const struct hbm_channel *ch) { return ch->hbm->config.timing.ids; }

static bool has_room(const struct hbm_channel *ch, const struct queue *q) {
    return q->count < HBM_QUEUE && q->natives < hbm_ids(ch);
}

bool hbm_read_room(const struct hbm_channel *ch) { return has_room(ch, &ch->reads); }

bool hbm_write_room(const struct hbm_channel *ch) { return has_room(ch, &ch->writes); }

// Adds a burst to the queue, without the times of its beats. The response is DECERR if the burst leaves the channel,
// and otherwise SLVERR if `bad`.
static struct burst *burst_start(struct hbm_channel *ch, struct queue *q, uint64_t address, int beats, int id,
                                 bool bad) {
    struct burst *b = queue_push(q);
    uint64_t size = ch->hbm->config.channel_bytes;
    uint64_t bytes = (uint64_t)beats * (uint64_t)ch->hbm->config.beat_bytes;
    b->offset = address - (uint64_t)(ch->hbm->config.first + ch->index) * size; // wraps to a huge value below it
    b->beats = beats;
    b->done = 0;
    b->id = id;
    b->has_copy = false;
    b->natives = hbm_native_bursts(&ch->hbm->config.timing, (int64_t)bytes);
    q->natives += b->natives;
    b->resp = bad ? HBM_SLVERR : HBM_OKAY;
    if (b->offset >= size || bytes > size - b->offset) b->resp = HBM_DECERR;
    return b;
}

// Returns the time at which the beat's last native beat starts on the bus.
static uint64_t beat_time(struct hbm_channel *ch, uint64_t arrival, uint64_t offset, bool is_write) {
    int beat_bytes = ch->hbm->config.beat_bytes;
    uint64_t time = 0;
    for (int i = 0; i < beat_bytes; i += HBM_ATOM_BYTES)
        time =
            hbm_banks_access(&ch->banks, &ch->hbm->config.timing, arrival, offset + (uint64_t)i, is_write, &ch->stats);
    return time;
}

static uint64_t arrival_time(struct hbm_channel *ch) {
    uint64_t jitter = ch->hbm->config.timing.jitter;
    return ch->hbm->now + (ch->hbm->config.seed != 0 && jitter != 0 ? draw(ch) % jitter : 0);
}

int hbm_accept_read(struct hbm_channel *ch, uint64_t address, int beats, int id) {
    bool bad = (int64_t)ch->stats.read_bursts == ch->bad_read;
    struct burst *b = burst_start(ch, &ch->reads, address, beats, id, bad);
    b->endless = (int64_t)ch->stats.read_bursts == ch->endless;
    ch->stats.read_bursts++;
    uint64_t arrival = arrival_time(ch);
    uint64_t latency = ch->hbm->config.timing.latency;
    if ((int64_t)ch->stats.read_bursts - 1 == ch->late_read) latency += ch->late; // the banks keep their timing
    for (int i = 0; i < beats; i++) {
        uint64_t offset = b->offset + (uint64_t)(i * ch->hbm->config.beat_bytes);
        b->ready[i] = beat_time(ch, arrival, offset, false) + latency;
    }
    return b->natives;
}

int hbm_accept_write(struct hbm_channel *ch, uint64_t address, int beats, int id) {
    bool bad = (int64_t)ch->stats.write_bursts == ch->bad_write;
    ch->stats.write_bursts++;
    return burst_start(ch, &ch->writes, address, beats, id, bad)->natives;
}

// Returns the cycles until `time`, rounded up, and at most 4096; 0 if `time` has come. A clock that has paused may
// pause again, so after a first pause the result is at most 1.
static int cycles_until(const struct hbm *hbm, uint64_t time) {
    if (time <= hbm->now) return 0;
    if (hbm->paused_fs > 0) return 1;
    uint64_t cycles = u64_div_ceil((time - hbm->now) * 1000, hbm->period_fs);
    return cycles > 4096 ? 4096 : (int)cycles;
}

// Prefetches the next beat of the channel whose number is 3 higher into the processor's cache. The simulation takes
// beats channel by channel, so the fetch overlaps with the work on the channels between. Then notes the addresses of
// this channel's next beat, which the channel whose number is 3 lower prefetches.
static void fetch_ahead(struct hbm_channel *ch) {
    struct hbm *hbm = ch->hbm;
    const struct next_beat *ahead = &hbm->next[(ch->index + 3) % HBM_MAX_CHANNELS];
    __builtin_prefetch(ahead->data);
    __builtin_prefetch(ahead->ready);
    const struct burst *b = queue_at(&ch->reads, 0);
    if (ch->reads.count == 0 || b->resp == HBM_DECERR) return;
    size_t at = (size_t)b->done * (size_t)hbm->config.beat_bytes;
    hbm->next[ch->index] = (struct next_beat){.data = ch->memory + b->offset + at, .ready = &b->ready[b->done]};
}

// Draws one of the first `count` bursts at random, and makes the first burst of its id the oldest.
static void bring_forward(struct hbm_channel *ch, struct queue *q, int count) {
    int id = queue_at(q, (int)(draw(ch) % (uint64_t)count))->id, found = 0;
    while (queue_at(q, found)->id != id) found++;
    struct burst first = *queue_at(q, found);
    for (int i = found; i > 0; i--) *queue_at(q, i) = *queue_at(q, i - 1);
    *queue_at(q, 0) = first;
}

// Chooses the burst that is answered next. A burst whose first beat has been asked for stays chosen until its end.
static void choose_read(struct hbm_channel *ch) {
    if (ch->hbm->shuffles && !ch->read_chosen) bring_forward(ch, &ch->reads, ch->reads.count);
    ch->read_chosen = true;
}

// Returns the response of the read beat that is taken next.
static int read_resp(const struct hbm_channel *ch, const struct burst *b, uint64_t at, uint64_t bytes) {
    bool bad = (int64_t)(ch->stats.read_bytes / bytes) == ch->bad_beat;
    if (b->resp != HBM_OKAY || (!bad && is_written(ch, b->offset + at, bytes))) return b->resp;
    return HBM_SLVERR;
}

int hbm_take_read(struct hbm_channel *ch, uint8_t data[], struct hbm_beat *beat) {
    if (ch->reads.count == 0) return -1;
    choose_read(ch);
    struct burst *b = queue_at(&ch->reads, 0);
    int wait = cycles_until(ch->hbm, b->ready[b->done]);
    if (wait > 0) return wait;
    size_t beat_bytes = (size_t)ch->hbm->config.beat_bytes;
    size_t at = (size_t)b->done * beat_bytes;
    if (b->resp == HBM_DECERR) memset(data, 0, beat_bytes);
    else memcpy(data, b->has_copy ? b->data + at : ch->memory + b->offset + at, beat_bytes);
    b->done++;
    bool last = b->done == b->beats;
    int resp = read_resp(ch, b, at, beat_bytes);
    *beat = (struct hbm_beat){.id = b->id, .resp = resp, .last = last && !b->endless, .natives = last ? b->natives : 0};
    ch->stats.read_bytes += beat_bytes;
    ch->hbm->beats++;
    if (last) queue_pop(&ch->reads);
    ch->read_chosen = !last;
    fetch_ahead(ch);
    return 0;
}

void hbm_give_write(struct hbm_channel *ch, const uint8_t data[], uint64_t strobe) {
    if (ch->writes_complete == ch->writes.count)
        base_fatal("HBM model: write data of channel %d without an address", ch->index);
    struct burst *b = queue_at(&ch->writes, ch->writes_complete);
    size_t beat_bytes = (size_t)ch->hbm->config.beat_bytes;
    memcpy(b->data + (size_t)b->done * beat_bytes, data, beat_bytes);
    b->strobe[b->done] = strobe;
    b->done++;
    ch->stats.write_bytes += beat_bytes;
    ch->hbm->beats++;
    if (b->done < b->beats) return;
    ch->writes_complete++;
    uint64_t arrival = arrival_time(ch);
    uint64_t end = arrival;
    for (int i = 0; i < b->beats; i++) end = beat_time(ch, arrival, b->offset + (uint64_t)i * beat_bytes, true);
    b->ready[0] = end + ch->hbm->config.timing.write_response;
}

// Copies the content that a write is about to change into the outstanding reads of this content, so that they return
// the old content. AXI allows this, and it exposes a design that reads too early.
static void keep_old_content(struct hbm_channel *ch, uint64_t offset, uint64_t bytes) {
    for (int i = 0; i < ch->reads.count; i++) {
        struct burst *b = queue_at(&ch->reads, i);
        uint64_t size = (uint64_t)b->beats * (uint64_t)ch->hbm->config.beat_bytes;
        if (b->resp == HBM_DECERR || b->has_copy || b->offset >= offset + bytes || offset >= b->offset + size) continue;
        memcpy(b->data, ch->memory + b->offset, size);
        if (!is_written(ch, b->offset, size)) b->resp = HBM_SLVERR;
        b->has_copy = true;
    }
}

static void write_bytes(uint8_t *to, const uint8_t *from, uint64_t strobe, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (strobe >> i & 1) to[i] = from[i];
}

static void mark_strobed(struct hbm_channel *ch, uint64_t offset, uint64_t strobe, size_t bytes) {
    for (size_t at = 0; at < bytes; at += HBM_ATOM_BYTES)
        if ((uint32_t)(strobe >> at) == UINT32_MAX) hbm_mark_written(ch->hbm, ch->index, offset + at, HBM_ATOM_BYTES);
}

// Stores the data of a write burst in the channel's memory.
static void burst_commit(struct hbm_channel *ch, const struct burst *b) {
    size_t beat_bytes = (size_t)ch->hbm->config.beat_bytes;
    uint64_t bytes = (uint64_t)b->beats * beat_bytes;
    if (b->resp != HBM_OKAY) return;
    keep_old_content(ch, b->offset, bytes);
    for (int i = 0; i < b->beats; i++) {
        size_t at = (size_t)i * beat_bytes;
        write_bytes(ch->memory + b->offset + at, b->data + at, b->strobe[i], beat_bytes);
        if (ch->written != NULL) mark_strobed(ch, b->offset + at, b->strobe[i], beat_bytes);
    }
    if (ch->hbm->observer != NULL) ch->hbm->observer(ch->hbm->observer_ctx, ch->index, b->offset, bytes);
}

int hbm_take_response(struct hbm_channel *ch, struct hbm_beat *beat) {
    if (ch->writes_complete == 0) return -1;
    if (ch->hbm->shuffles) bring_forward(ch, &ch->writes, ch->writes_complete);
    const struct burst *b = queue_at(&ch->writes, 0);
    int wait = cycles_until(ch->hbm, b->ready[0]);
    if (wait > 0) return wait;
    *beat = (struct hbm_beat){.id = b->id, .resp = b->resp, .last = true, .natives = b->natives};
    burst_commit(ch, b);
    queue_pop(&ch->writes);
    ch->writes_complete--;
    return 0;
}

int hbm_draw_stall(struct hbm_channel *ch) {
    if (ch->hbm->config.seed == 0) return 0;
    uint64_t r = draw(ch);
    return (r & 7) != 0 ? 0 : (int)(r >> 3 & 15);
}
