// SPDX-License-Identifier: Apache-2.0
// The timing contract of a kernel, as functions of its RTL parameters. docs/timing.md. Units: cycles, words of a
// stream. A row is a word for each active token of the step.
#ifndef RILL_CONTRACT_H
#define RILL_CONTRACT_H

#include "gen/ir/ir.h"

// How a kernel orders its work; the numbers that belong to it are below.
enum timing_machine {
    TIMING_NONE,     // moves no words of streams
    TIMING_PIPE,     // a word of every input for a word of the output, stages that stall together
    TIMING_BANKS,    // groups of rows are gathered in banks, then read while the next ones come in
    TIMING_SOFTMAX,  // the same with a stream of scalars beside it
    TIMING_ARGMAX,   // a firing in, a word per token out
    TIMING_GEAR,     // words of some elements to words of others
    TIMING_FORK,     // a word to every output, each as soon as it takes it
    TIMING_MUX,      // firings of the inputs in turn
    TIMING_DEMUX,    // firings to the outputs in turn
    TIMING_SELECT,   // the last token of a firing
    TIMING_REPLAY,   // a firing (or a head) is kept and sent several times
    TIMING_PACK,     // heads of a step of one token become tokens of a firing
    TIMING_SPLIT,    // and firings again
    TIMING_SPILL,    // a firing goes to memory and comes back
    TIMING_LAYOUT,   // two banks, read in another order
    TIMING_STORE,    // vector parameters for ever
    TIMING_SCALES,   // scales of the KV cache
    TIMING_K_WRITER, // keys to memory
    TIMING_V_TAIL,   // values to the open block and to memory
    TIMING_ENGINE,   // the matrix engine with its beats
    TIMING_EMBED,    // a row of memory per id
    TIMING_POSITION, // a row of memory per position
    TIMING_READER,   // rows of memory per step, read ahead
    TIMING_WALKER,   // the order in which the engine's beats are read
    TIMING_WRITER,   // rows to memory
    TIMING_SINK,     // takes a word per cycle
    TIMING_RING,     // ids to memory, one after the other
    TIMING_LOOP,     // steps and ids of a request
    TIMING_GROUPS,   // custom: a group of words of every input, then the words made of it
    TIMING_MACHINES
};

// What a kernel needs of an input.
enum timing_need {
    TIMING_EACH,  // a word for every word read
    TIMING_ROW,   // a word for every row: looked at for each word, popped with the last token's
    TIMING_FIRST, // a word for every token, with the first row of a firing
    TIMING_HELD,  // a firing for every firing of the output: whole before its first word is read, kept in banks
};

struct timing_contract {
    enum timing_machine machine;
    int64_t enter; // stages before the banks
    int64_t rows; // of an input group (TIMING_PIPE: of an output firing; TIMING_SPILL: words of a firing); 0: up to the
                  // end of the firing
    int64_t banks; // groups (TIMING_SPILL: firings) that are held; a group's place is free `release` cycles after its
                   // last word was read
    int64_t room;  // words that these groups hold in all; 0: each its own place. TIMING_ENGINE: units of keys of a lane
    int64_t release; // TIMING_ENGINE: from a result taken to its place being free, beside the next cycle.
                     // TIMING_SCALES: from a step's last word to the step after the next. TIMING_V_TAIL: from the
                     // engine's last read of an open block to its next word
    int64_t ready;   // from the last word of a group (at the banks) to the first word that may be read
    int64_t pipe;    // from a word read to the output's offer: stages that stall together
    bool sliced;     // TIMING_PIPE: the first cycle of `pipe` is a register slice at each input, with room of its own
    int64_t pack;    // rows read for a word out
    bool by_token;   // a group is read token after token, not row after row
    bool pads;       // and its units are made even
    bool by_step;    // TIMING_V_TAIL: waits for all reads of the step before, not for those of a layer
    int64_t fire;    // input groups (of TIMING_PIPE: firings) of an output firing; 0: as the input's firings
    int64_t in, out; // elements of a word in and out (TIMING_GEAR); of the last of `rows` words `units`, if not 0.
                     // TIMING_SPILL: words of a beat, beats of a word; one of the two is 1
    int64_t lines;   // row-steps that wait at the output (TIMING_GEAR)
    int64_t times;   // passes (TIMING_REPLAY, TIMING_SCALES); groups of a firing (TIMING_LAYOUT)
    int64_t units;   // words of a head and token (TIMING_LAYOUT: read of a group, per token)
    int64_t heads, layers, lanes;
    int64_t together; // query heads of a firing in a step of one token; 0, 1: one. TIMING_V_TAIL: reads of such a step
    int64_t beats;    // read from memory for a row; TIMING_SPILL: of a burst; TIMING_ENGINE: that a lane holds
    int64_t ask;      // cycles from an id, a step or a group's last word (TIMING_WRITER) to the first request
    int64_t ask_next; // between requests of a step
    int64_t every;    // cycles from a word to the next (TIMING_GROUPS), for a beat written out (TIMING_V_TAIL)
    int64_t look;     // more behind a layer, until it is known where the next one's window begins (TIMING_SCALES)
    int64_t settle; // of writes: from the response to the next id (TIMING_RING), from the last beat handed over to the
                    // first look for the response (TIMING_SPILL), or to the response itself (TIMING_V_TAIL)
    int64_t held;   // custom: from the last beat of a firing's rows to the first word taken
    int64_t take[IR_MAX_PORTS], words[IR_MAX_PORTS]; // of every input: words of a group and of a firing
                                                     // (TIMING_GROUPS); words[0] of TIMING_STORE: that it holds
    int64_t channels;
};

// False when the module has no contract; then nothing can be said about a design that has it.
bool timing_contract(const struct ir *, int kernel, struct timing_contract *);
// Cycles from the last word of an input group to the first word that comes of it, nothing being in the way.
int64_t timing_latency(const struct timing_contract *);
enum timing_need timing_need(const struct ir_kernel *, int port);

#endif
