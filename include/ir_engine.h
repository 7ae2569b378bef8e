// SPDX-License-Identifier: Apache-2.0
// Of the intermediate representation: matrix engines, what they fire, and the segments of memory.
#ifndef RILL_IR_ENGINE_H
#define RILL_IR_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/ir_die.h"
#include "include/ram_style.h"

// A matrix engine with the kernels around it, and the memory channels that its lanes read: one for all products, or one
// for each. Row n of a product lies on channel first_channel + n mod channels.
struct ir_engine {
    const char *name;                   // the product's where there are several
    int kernel, x_mux, y_demux, walker; // kernels, or IR_NONE before they are made
    int first_channel, channels;
    enum ram_style prefetch_style; // of its channels' prefetch FIFOs; RAM_AUTO before allocate-memories
    // With dies: where each lane lies, without the beats that wait; where its sums and their dequantizer lie, elsewhere
    // than its multipliers where it is cut, and these are at the memory then; where results come together.
    int lane_die[IR_MAX_LANES], sums_die[IR_MAX_LANES], result_die;
};

// One firing of a matrix engine, in program order inside its region. docs/engine.md.
struct ir_firing {
    int engine;
    int node;
    int region;
    int head;        // attention: query head of this firing; a product of a tensor: the row
    int kv_head;     // the key and value head that it reads
    int mode;        // ENGINE_MODE_INT8 ... (fields.def)
    int x_edge_port; // input of the x multiplexer
    bool x_take, x_free;
    bool outer;   // modes 0, 1: the first chunk of row-steps column by column, K outermost
    bool kv_keep; // mode 3: the next firing of this node reads the same head
    int y_port;   // output of the y demultiplexer
    int64_t row_steps, beats, last_rows, tail_base, groups;
    int64_t heads; // attention: query heads of this firing in a step of one token; 0: its own alone
    bool many;     // left out of steps of one token, as another head's firing has it
};

enum ir_segment_kind { IR_SEG_WEIGHTS, IR_SEG_K, IR_SEG_V, IR_SEG_TABLE, IR_SEG_PARAMS, IR_SEG_IO, IR_SEG_HEADER };
enum ir_segment_role { IR_SEG_OF_KERNEL, IR_SEG_PROMPT, IR_SEG_RING };

struct ir_segment { // the same offset on every channel it lives on
    const char *name;
    enum ir_segment_kind kind;
    int node;                  // matmul, embed, ... or IR_NONE
    int channel;               // IR_NONE: every channel of the engine that reads it
    int64_t offset;            // bytes
    int64_t layer_stride;      // bytes; 0 outside repeated regions
    int64_t bytes;             // total
    enum ir_segment_role role; // of what lies there for no operation
    int parts;                 // above 1: row r lies on channel + r mod parts, as its row r / parts
};

#endif
