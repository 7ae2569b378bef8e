// SPDX-License-Identifier: Apache-2.0
// Keeps the state of the probes of probes.sv, and reports to the checker and the watch through
// verif/harness/probe_dpi.c.
#include <svdpi.h>

extern "C" {
#include "verif/harness/probe_dpi.h"
}

struct stream {
    int id;
    bool wanted; // the checker compares further beats
    long long beats, stalls;
};

enum { READY = 1, LAST = 2, RESET = 4 }; // bits of `flags`: tready, tlast and reset in this cycle

// Reports a cycle in which a word is offered.
static void offer(stream &s, int flags, const svBitVecVal *data, int user, int count) {
    if (flags & READY) {
        if (s.wanted && !(flags & RESET)) s.wanted = rill_probe_beat(s.id, data, user, (flags & LAST) != 0, count) != 0;
        s.beats++;
    } else if (!(flags & RESET)) s.stalls++;
    rill_probe_state(s.id, 1, flags & READY, s.beats, s.stalls);
}

extern "C" void *rill_stream_open(int id, int data_w) { return new stream{id, rill_probe_open(id, data_w) != 0, 0, 0}; }

extern "C" void rill_stream_64(void *s, char flags, const svBitVecVal *data, int user, int count) {
    offer(*static_cast<stream *>(s), flags, data, user, count);
}

extern "C" void rill_stream_544(void *s, char flags, const svBitVecVal *data, int user, int count) {
    offer(*static_cast<stream *>(s), flags, data, user, count);
}

extern "C" void rill_stream_1088(void *s, char flags, const svBitVecVal *data, int user, int count) {
    offer(*static_cast<stream *>(s), flags, data, user, count);
}

// Reports that no word is offered any more, or that `tready` has changed while none was offered.
extern "C" void rill_stream_still(void *s, svBit ready) {
    auto &stream = *static_cast<struct stream *>(s);
    rill_probe_state(stream.id, 0, ready, stream.beats, stream.stalls);
}
