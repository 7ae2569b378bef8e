// SPDX-License-Identifier: Apache-2.0
// The timing contract of a kernel, which follows from its RTL parameters: the machine that imitates the kernel in the
// simulator of the forecast, and the numbers of this machine (docs/timing.md explains each with examples). Times are in
// cycles, and amounts are in words of a stream. A row is one word of each active token of the step. A group is the
// words that a kernel gathers before it sends the words made from them. A turn is the time in which a kernel passes the
// words of one of its streams. ir.h explains firing, step, head, part and slot.
#ifndef RILL_CONTRACT_H
#define RILL_CONTRACT_H

#include "gen/ir/ir.h"

// The machines: the ways in which kernels take and send words. The simulator implements them
// (gen/simulator/machines.def). The structs below have their numbers.
enum timing_machine {
    TIMING_NONE,     // moves no words
    TIMING_PIPE,     // takes a word of every input for each word of the output; its stages stall together, that is, an
                     // output word that is not taken holds all of them
    TIMING_BANKS,    // groups of rows are gathered in banks, then read while the next ones arrive
    TIMING_SOFTMAX,  // as TIMING_BANKS, with a stream of scalars in addition
    TIMING_ARGMAX,   // takes a firing, then sends a word per token
    TIMING_GEAR,     // changes the number of elements in a word
    TIMING_FORK,     // a word goes to every output, to each as soon as that output takes it
    TIMING_MUX,      // merges firings of the inputs, in turn
    TIMING_DEMUX,    // distributes firings to the outputs, in turn
    TIMING_SELECT,   // passes, in steps with a head, a firing's last token (all tokens with drafts or slots)
    TIMING_REPLAY,   // a firing (or a head) is kept and sent several times
    TIMING_PACK,     // in steps of one token, query heads become tokens of a firing
    TIMING_SPLIT,    // tokens that were query heads become firings again
    TIMING_SPILL,    // a firing goes to memory and comes back
    TIMING_LAYOUT,   // two banks, read in another order
    TIMING_PARTS,    // repeats the words of a step's parts
    TIMING_ORDER,    // cuts a step's tensor into its parts, or joins them
    TIMING_LINES,    // a ring of words, read patch by patch
    TIMING_TURNS,    // takes words of one input, then of the other one
    TIMING_SIEVE,    // takes every word, and passes on the words of some rounds
    TIMING_STORE,    // gives vector parameters without end
    TIMING_SCALES,   // stores and gives scales of the KV cache
    TIMING_K_WRITER, // writes keys to memory
    TIMING_V_TAIL,   // writes values to the open block and to memory
    TIMING_ENGINE,   // the matrix engine with its beats
    TIMING_EMBED,    // reads a row of memory per id
    TIMING_POSITION, // reads a row of memory per position
    TIMING_READER,   // reads rows of memory for each step, ahead of it
    TIMING_WALKER,   // gives the order in which the engine's beats are read
    TIMING_WRITER,   // writes rows to memory
    TIMING_SINK,     // takes a word in every cycle and sends none
    TIMING_RING,     // writes ids to memory, one after another
    TIMING_LOGPROBS, // stores a firing, and for every id reads a row of it again and sends a record
    TIMING_RECORDS,  // writes records to memory, one after another, and then sends their ids
    TIMING_LOOP,     // gives steps and ids of a request
    TIMING_SLOTS,    // gives steps and ids of several requests
    TIMING_GROUPS,   // custom kernels: takes a group of words of every input, then gives the words made from it
    TIMING_MACHINES
};

// How often a kernel needs a word of an input, relative to the words of its other inputs or of the output.
enum timing_need {
    TIMING_EACH,  // a word for every word of the other inputs
    TIMING_ROW,   // a word for every row, used for each word of the row and taken with the last token's word
    TIMING_FIRST, // a word for every token, with the first row of a firing
    TIMING_HELD,  // a firing for every firing of the output: it must be complete before its first word is read, and is
                  // kept in banks
};

// The numbers of each machine. A place is free when a word or group may be written there. Most numbers must be from 0
// to 2^20 (kernel.c checks them).

// Rows of a table in memory that a custom kernel reads before it takes the words of a firing.
struct timing_table {
    int64_t beats;    // beats of a row; 0: it reads no table
    int64_t ask;      // from a step word, or the previous firing, to the first request
    int64_t ask_next; // between requests of a step
    int64_t held;     // from the last beat of the rows to the first word taken
};

struct timing_pipe {
    bool sliced;               // the first stage is a register slice at each input, which holds words itself
    int64_t rows;              // rows of a firing of the output; 0: as many as a firing of the input has
    int64_t firings;           // firings of the input in one firing of the output; 0: one
    struct timing_table table; // of a custom kernel
};

// TIMING_BANKS, TIMING_SOFTMAX
struct timing_banks {
    int64_t enter;      // stages before the banks
    int64_t rows;       // rows of a group; 0: up to the end of the firing
    int64_t banks;      // groups that are held
    int64_t room;       // words that these groups hold in total; 0: each group has its own place
    int64_t release;    // from reading a group's last word until its place is free
    int64_t ready;      // from the last word of a group (at the banks) to the first word that may be read
    int64_t pack;       // rows that are read for each word that is sent
    bool by_token;      // a group is read token by token, not row by row
    bool pads;          // with by_token: a token's units are padded to an even number
    int64_t groups;     // groups in a firing of the output; 0: firings are those of the input
    struct {            // TIMING_SOFTMAX
        int64_t behind; // from the output of a token's last word to its scalar
        int64_t kept;   // firings whose scalars can wait
        // Query heads of a layer; layers of the cache; lanes of a word.
        int64_t heads, layers, lanes;
        int64_t together; // query heads of a firing in a step of one token; 0, 1: one
    } softmax;
};

struct timing_gear {
    int64_t in, out; // elements of a word at the input and at the output
    // Each `last_words`-th row-step has only `last_elements` elements per token. 0: the words themselves tell their
    // numbers of elements.
    int64_t last_words, last_elements;
    int64_t lines; // row-steps that may wait at the output
};

struct timing_replay {
    int64_t banks;    // groups that are held
    int64_t ready;    // from the last word of a group to the first word that may be read
    int64_t release;  // from reading the last word until the place is free
    int64_t times;    // how often a group is sent
    int64_t units;    // words of a head and token; a group is a head of all tokens. 0: a group is a whole firing
    int64_t together; // query heads of a firing in a step of one token; 0, 1: one
};

// TIMING_PACK (uses only `together` and `heads`), TIMING_SPLIT
struct timing_split {
    int64_t together; // query heads, or rows of a tensor, of a firing in a step of one token
    int64_t rows;     // rows of a firing, before and after the split
    int64_t banks;    // firings that are held
    int64_t ready;    // from the last word of a firing to the first word that may be read
    // Heads of a layer, and layers. The last firing of a layer may have fewer heads than the others. TIMING_PACK: heads
    // is 0 if all firings have equally many.
    int64_t heads, layers;
};

struct timing_spill {
    int64_t words;          // words of a firing
    int64_t firings;        // firings that are held
    int64_t in_beat, beats; // words of a beat, beats of a word; one of these is 1
    int64_t burst;          // beats of a burst
    int64_t settle;         // from sending the last beat to the first check for its response
};

struct timing_layout {
    int64_t rows;    // rows of a group
    int64_t banks;   // groups that are held
    int64_t ready;   // from the last word of a group to the first word that may be read
    int64_t release; // from reading the last word until the place is free
    int64_t reads;   // words that are read from a group, per token
    int64_t groups;  // groups of a firing
};

struct timing_slots {  // times of the token loop in a design with slots
    int64_t arguments; // for reading a slot's state and arguments
    int64_t part;      // for adding a part to the step, in addition to a cycle for each of its tokens
    int64_t hash;      // from sending an id to the ring until the loop goes on
    int64_t look;      // for finding out that a part can have no drafts; a search takes longer
};

struct timing_order {
    int64_t words; // words of a token in the tensor
    int64_t fire;  // words of a token in a firing of the output
    bool join;     // takes the parts and sends the step's tensor; false: takes the tensor and sends the parts
};

struct timing_lines {
    struct itensor_line_axis axis[2]; // rows, pixels of a row
    int64_t pixel;                    // words of a pixel
    int64_t buffer;                   // words that the ring holds
    int64_t ready;                    // from a word's last token to reading it
    int64_t begin;   // from a tensor's first word to reading it; also from the last word read of the previous tensor
    int64_t release; // from reading the last word of a patch until the places that it frees can be written
};

struct timing_sieve {
    int64_t groups;             // groups of a firing; 0: the input's last word ends the output's firing
    int64_t rounds, words;      // rounds of a group; words of a round and token
    int64_t first, step, count; // the words of rounds first, first + step, ... are passed on, `count` rounds of a group
};

struct timing_turns {
    int64_t words[2]; // words of a turn of each input, per token
};

struct timing_store {
    int64_t words; // words that the store holds
};

struct timing_scales {
    int64_t ready;   // from taking a scale to reading it
    int64_t release; // from a step's last word to taking the step after the next
    int64_t look;    // additional cycles after a layer, until the beginning of the next layer's window is known
    int64_t times;   // how often the scales of a head are sent
    int64_t units;   // words of a head and token, the first of which gives the scale
    int64_t heads, layers, lanes; // heads of a layer; layers of the cache; lanes of a word
    int64_t together;             // query heads of a firing in a step of one token; 0, 1: one
};

struct timing_keys {       // TIMING_K_WRITER
    int64_t heads, layers; // heads of a layer; layers of the cache
    int64_t units;         // words of a head and token
    int64_t channels;      // channels over which positions are distributed
    int64_t ask;           // cycles without a unit before the first unit of a step (with slots, of each firing)
};

struct timing_values {     // TIMING_V_TAIL
    int64_t heads, layers; // heads of a layer; layers of the cache
    int64_t rows;          // rows of a head on a channel
    int64_t units;         // words of a head and token
    int64_t beats;         // beats of a block of 64 positions of a row
    int64_t reads;         // reads of the open block in a layer; 0: the kernel does not wait for them
    int64_t reads_alone;   // reads in a step of one token
    bool by_step;          // it waits for all reads of the previous step, not only for those of a layer
    int64_t release;       // from the engine's last read of an open block until a word of values may follow
    int64_t every;         // cycles for each beat that is written to memory
    int64_t settle;        // from sending the last beat to its response
};

struct timing_engine {
    int64_t channels;   // lanes
    int64_t beat_bits;  // bits of a beat of memory
    int64_t copies;     // tokens that share a beat in a cycle
    int64_t results;    // output words that may wait at the output: the results of a row-step for one token each
    int64_t lane_beats; // beats that a lane can hold
    int64_t key_units;  // units of keys of the present step that a lane can hold
    int64_t release;    // from sending an output word until its place is free, beyond one cycle
};

// TIMING_EMBED, TIMING_POSITION
struct timing_fetch {
    int64_t rows;     // words of a row of the table
    int64_t beats;    // beats of a row of the table
    int64_t ask;      // from an id or a step word to the first request
    int64_t ask_next; // between requests of a step
    int64_t ready;    // from the last beat to the first word
};

// TIMING_READER, TIMING_WRITER
struct timing_rows {
    int64_t rows;  // rows of a firing
    int64_t group; // rows that are in memory together
    int64_t beats; // beats of a group and token
    int64_t ask;   // from a step, or a group's last word, to the request
    int64_t ready; // from a group's last beat to its first word
};

struct timing_walker {
    int64_t layers;                 // layers of the cache; 0: there is no cache
    int64_t slot_keys, slot_values; // bytes from one slot's keys (values) to those of the next slot
};

struct timing_ring {
    int64_t settle; // from the response to the next id
};

struct timing_logprobs {
    int64_t ready;  // from the last word of a firing to the first id that may be taken
    int64_t record; // from an id to its record
};

struct timing_records {
    int64_t beats;  // beats of a record
    int64_t offset; // bytes from the ring to the first record
    int64_t settle; // from the response to sending the id on
};

struct timing_groups {
    int64_t groups;                                  // groups of a firing
    int64_t gives;                                   // words sent for a group; the last group sends the rest
    int64_t words_out;                               // words sent for a firing
    int64_t banks;                                   // groups that are held
    int64_t every;                                   // from one word to the next
    int64_t take[IR_MAX_PORTS], words[IR_MAX_PORTS]; // per input: words of a group and of a firing
    struct timing_table table;
};

struct timing_contract {
    enum timing_machine machine;
    // Cycles from reading a word to offering the word made from it at the output. In a pipeline, the stages stall
    // together. TIMING_ARGMAX, TIMING_GROUPS: from the last word of a firing or group. TIMING_LOOP, TIMING_SLOTS: from
    // an id to the step after it.
    int64_t stages;
    union { // the machine decides which member has its numbers
        struct timing_pipe pipe;
        struct timing_banks banks;
        struct timing_gear gear;
        struct timing_replay replay;
        struct timing_split split;
        struct timing_spill spill;
        struct timing_layout layout;
        struct timing_order order;
        struct timing_slots slots;
        struct timing_lines lines;
        struct timing_sieve sieve;
        struct timing_turns turns;
        struct timing_store store;
        struct timing_scales scales;
        struct timing_keys keys;
        struct timing_values values;
        struct timing_engine engine;
        struct timing_fetch fetch;
        struct timing_rows rows;
        struct timing_walker walker;
        struct timing_ring ring;
        struct timing_logprobs logprobs;
        struct timing_records records;
        struct timing_groups groups;
    };
};

// Makes a kernel's contract. Returns false if the module has no contract, or if its numbers are impossible, as in an
// edited dump; the contract then must not be used. The timing of a design with such a kernel cannot be analysed.
bool timing_contract(const struct ir *, int kernel, struct timing_contract *);
// Returns the cycles from the last word of an input group (for most machines, from a word) to the first word made from
// it, if nothing stalls. For TIMING_EMBED, TIMING_POSITION and TIMING_READER, they count from the last beat.
int64_t timing_latency(const struct timing_contract *);
enum timing_need timing_need(const struct ir_kernel *, int port); // what the kernel needs from this input
// Returns the numbers of the table that a custom kernel reads; NULL: the machine has none.
const struct timing_table *timing_table(const struct timing_contract *);
// Returns the place of the number of layers in the contract, so that a caller can change it; NULL: the machine has
// none.
int64_t *timing_layers(struct timing_contract *);

#endif
