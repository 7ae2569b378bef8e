// SPDX-License-Identifier: Apache-2.0
// Design-wide numbers; part of ir.h.
#ifndef RILL_IR_DESIGN_H
#define RILL_IR_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "include/board_figures.h"
#include "include/choices.h"
#include "include/hbm_figures.h"

// What a package needs of the board (device.h says more of each); NULL where the board does not say it.
struct ir_platform {
    const char *part, *name;
    const char *first, *last; // versions of the vendor's tools
    const char *cells, *pblock;
};

// What size-fifos weighed before it chose; NONE: the depths are as the spec asks, and nothing was.
enum ir_strategy { IR_STRATEGY_NONE, IR_STRATEGY_CONSERVATIVE, IR_STRATEGY_AUTO };

struct ir_design { // design-wide numbers, docs/rtl.md section 2
    double clock_mhz;
    int channels, beat_bits, lanes, tokens;
    int arrays;      // tokens that a beat serves in one cycle of a matrix engine; divides tokens
    int pump;        // products of a multiplier in a cycle, where `arrays` leaves a choice: 2; else 0
    int query_heads; // most that an engine takes together in a step of one token; 0, 1: each for itself
    int unroll;      // lanes to hand out, 0: every kernel has `lanes`
    int group;
    int prefetch_beats, max_burst, outstanding;
    int64_t context;              // positions
    struct end_ids eot;           // ids that end a request
    int64_t channel_bytes;        // memory of one channel
    struct hbm_figures hbm;       // of the board's memory
    struct board_figures figures; // and what else the board says in numbers
    int64_t on_chip_kib;          // budget of a group, 0: none
    int sampling;                 // longest list that ids are drawn from, 0: greedy alone
    bool is_lm;                   // ids in, ids out; else rows in, rows out
    const char *derived;          // sizes of the model that the spec does not say, in words for the report, or NULL
    const char *family; // of the model, whose checkpoints have a config.json to hold against the graph; NULL: a graph
                        // written out
    enum spec_binding binding;
    enum spec_format weights; // the default of products
    enum spec_activations activations;
    enum spec_fifo fifo; // SPEC_AUTO until size-fifos
    const char *board;
    struct ir_platform platform;
    enum ir_strategy strategy;
    const char *weighed;   // of a strategy: what came of it, in words for the report
    const char *memories;  // how allocate-memories chose, in words for the report, or NULL
    int dies;              // 1: no partition
    int64_t sll;           // bits that can cross from die to die, 0: not known
    const char *placement; // how place-dies found its partition, or NULL
};

#endif
