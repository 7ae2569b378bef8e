// SPDX-License-Identifier: Apache-2.0
// The timing contract of a kernel, as functions of its RTL parameters: the machine that it is, and that machine's
// numbers. docs/timing.md. Units: cycles, words of a stream. A row is a word for each active token of the step.
#ifndef RILL_CONTRACT_H
#define RILL_CONTRACT_H

#include "gen/ir/ir.h"

// How a kernel orders its work. Each machine has numbers of its own, below, and runs in gen/simulator (machines.def).
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

// The numbers of each machine. Times are in cycles.

// Rows of a table in memory that a custom kernel reads before it takes the words of a firing.
struct timing_table {
    int64_t beats;    // of a row; 0: it reads none
    int64_t ask;      // from a step word, or the firing before, to the first request
    int64_t ask_next; // between requests of a step
    int64_t held;     // from the last beat of the rows to the first word taken
};

struct timing_pipe {
    bool sliced;               // the first of the stages is a register slice at each input, with room of its own
    int64_t rows;              // of a firing of the output; 0: as the input's
    int64_t firings;           // of the input in one of the output; 0: one
    struct timing_table table; // custom kernels
};

// TIMING_BANKS, TIMING_SOFTMAX
struct timing_banks {
    int64_t enter;      // stages before the banks
    int64_t rows;       // of a group; 0: up to the end of the firing
    int64_t banks;      // groups that are held
    int64_t room;       // words that these groups hold in all; 0: each its own place
    int64_t release;    // from a group's last word read to its place being free
    int64_t ready;      // from the last word of a group (at the banks) to the first word that may be read
    int64_t pack;       // rows read for a word out
    bool by_token;      // a group is read token after token, not row after row
    bool pads;          // and its units are made even
    int64_t groups;     // of a firing of the output; 0: as the input's firings
    struct {            // TIMING_SOFTMAX
        int64_t behind; // from a token's last word out to its scalar
        int64_t kept;   // firings whose scalars have room
        int64_t heads, layers, lanes;
        int64_t together; // query heads of a firing in a step of one token; 0, 1: one
    } softmax;
};

struct timing_gear {
    int64_t in, out;                   // elements of a word
    int64_t last_words, last_elements; // of the last of so many words; 0: as the others
    int64_t lines;                     // row-steps that wait at the output
};

struct timing_replay {
    int64_t banks;    // groups that are held
    int64_t ready;    // from the last word of a group to the first word that may be read
    int64_t release;  // from the last word read to the place being free
    int64_t times;    // passes
    int64_t units;    // words of a head and token, which are a group; 0: the whole firing is one
    int64_t together; // query heads of a firing in a step of one token; 0, 1: one
};

// TIMING_PACK (together alone), TIMING_SPLIT
struct timing_split {
    int64_t together; // query heads of a firing in a step of one token
    int64_t rows;     // of a firing that is split
    int64_t banks;    // firings that are held
    int64_t ready;    // from the last word of a firing to the first word that may be read
    int64_t heads, layers;
};

struct timing_spill {
    int64_t words;          // of a firing
    int64_t firings;        // that are held
    int64_t in_beat, beats; // words of a beat, beats of a word; one of the two is 1
    int64_t burst;          // beats
    int64_t settle;         // from the last beat handed over to the first look for the response
};

struct timing_layout {
    int64_t rows;    // of a group
    int64_t banks;   // groups that are held
    int64_t ready;   // from the last word of a group to the first word that may be read
    int64_t release; // from the last word read to the place being free
    int64_t reads;   // words read of a group, per token
    int64_t groups;  // of a firing
};

struct timing_store {
    int64_t words; // that it holds
};

struct timing_scales {
    int64_t ready;   // from a scale taken to its being read
    int64_t release; // from a step's last word to the step after the next
    int64_t look;    // more behind a layer, until it is known where the next one's window begins
    int64_t times;   // passes
    int64_t units;   // scales of a head and token
    int64_t heads, layers, lanes;
    int64_t together; // query heads of a firing in a step of one token; 0, 1: one
};

struct timing_keys { // TIMING_K_WRITER
    int64_t heads, layers;
    int64_t units;    // words of a head and token
    int64_t channels; // over which positions are dealt out
    int64_t ask;      // from a step's last word to the next step
};

struct timing_values { // TIMING_V_TAIL
    int64_t heads, layers;
    int64_t rows;        // of a head on a channel
    int64_t units;       // words of a head and token
    int64_t beats;       // of 64 positions
    int64_t reads;       // of the open block in a layer; 0: nobody waits for them
    int64_t reads_alone; // in a step of one token
    bool by_step;        // waits for all reads of the step before, not for those of a layer
    int64_t release;     // from the engine's last read of an open block to its next word
    int64_t every;       // for a beat written out
    int64_t settle;      // from the last beat handed over to its response
};

struct timing_engine {
    int64_t channels;   // lanes
    int64_t beat_bits;  // of memory
    int64_t copies;     // tokens of a beat in a cycle
    int64_t results;    // row-steps that wait at the output
    int64_t lane_beats; // that a lane holds
    int64_t key_units;  // of a lane
    int64_t release;    // from a result taken to its place being free, beside the next cycle
};

// TIMING_EMBED, TIMING_POSITION
struct timing_fetch {
    int64_t rows;     // words of a row
    int64_t beats;    // read from memory for a row
    int64_t ask;      // from an id or a step to the first request
    int64_t ask_next; // between requests of a step
    int64_t ready;    // from the last beat to the first word
};

// TIMING_READER, TIMING_WRITER
struct timing_rows {
    int64_t rows;  // of a firing
    int64_t group; // rows that are in memory together
    int64_t beats; // of a group and token
    int64_t ask;   // from a step, or a group's last word, to the request
    int64_t ready; // from a group's last beat to its first word
};

struct timing_walker {
    int64_t layers; // of the cache; 0: there is none
};

struct timing_ring {
    int64_t settle; // from the response to the next id
};

struct timing_groups {
    int64_t groups;                                  // of a firing
    int64_t gives;                                   // words out of a group; the last one gives the rest
    int64_t words_out;                               // of a firing
    int64_t banks;                                   // groups that are held
    int64_t every;                                   // from a word to the next
    int64_t take[IR_MAX_PORTS], words[IR_MAX_PORTS]; // of every input: words of a group and of a firing
    struct timing_table table;
};

struct timing_contract {
    enum timing_machine machine;
    int64_t stages; // from a word read to the output's offer: they stall together
    union {         // by the machine
        struct timing_pipe pipe;
        struct timing_banks banks;
        struct timing_gear gear;
        struct timing_replay replay;
        struct timing_split split;
        struct timing_spill spill;
        struct timing_layout layout;
        struct timing_store store;
        struct timing_scales scales;
        struct timing_keys keys;
        struct timing_values values;
        struct timing_engine engine;
        struct timing_fetch fetch;
        struct timing_rows rows;
        struct timing_walker walker;
        struct timing_ring ring;
        struct timing_groups groups;
    };
};

// False when the module has no contract; then nothing can be said about a design that has it.
bool timing_contract(const struct ir *, int kernel, struct timing_contract *);
// Cycles from the last word of an input group to the first word that comes of it, nothing being in the way.
int64_t timing_latency(const struct timing_contract *);
enum timing_need timing_need(const struct ir_kernel *, int port);
// Rows of a table that a custom kernel reads; NULL: no custom kernel's contract.
const struct timing_table *timing_table(const struct timing_contract *);
// The layers that the machine counts, or NULL.
int64_t *timing_layers(struct timing_contract *);

#endif
