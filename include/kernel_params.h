// SPDX-License-Identifier: Apache-2.0
// What others ask of an instance's parameters. Each is spelled in the file of its module (gen/kernel), those that most
// modules have in class.c.
#ifndef RILL_KERNEL_PARAMS_H
#define RILL_KERNEL_PARAMS_H

#include "include/kernel.h"

int64_t kernel_ports(const struct ir_kernel *);    // streams that it forks, merges, parts or stores
int64_t kernel_tokens(const struct ir_kernel *);   // of a firing at most
int64_t kernel_offset(const struct ir_kernel *);   // bytes from a base to what it reads or writes
bool kernel_is_together(const struct ir_kernel *); // query heads are tokens there in steps of one token,
int64_t kernel_together(const struct ir_kernel *); // so many; 0: it does not say
bool kernel_takes_whole(const struct ir_kernel *); // of those that reorder: a firing is one group

// A storage's memory (allocate_memories): of pieces, those in UltraRAM.
enum ram_style kernel_style(const struct ir_kernel *); // RAM_AUTO: not chosen
int64_t kernel_ultra(const struct ir_kernel *);

// Sliding windows: of softmax and of scales; of keys and of values where an engine's, a walker's cache has layers.
bool kernel_has_window(const struct ir_kernel *);
bool kernel_has_key_windows(const struct ir_kernel *);
bool kernel_has_value_windows(const struct ir_kernel *);

// rill_fifo_pool
int64_t kernel_pool_words(const struct ir_kernel *);
int64_t kernel_pool_word_bits(const struct ir_kernel *);
int64_t kernel_pool_bits(const struct ir_kernel *); // with tlast

// rill_spill
int kernel_spill_firings(const struct ir_kernel *);
int64_t kernel_spill_bits(const struct ir_kernel *); // what it holds beside the buffers of its two DMA engines

// A table of rows in memory (KERNEL_FETCH).
struct kernel_table {
    int64_t offset, row_bytes; // 0: not said
    int64_t stride;            // from the table of a repetition to the next; 0: all have one
    int64_t rows, parts;       // channels over which rows are dealt out
};
struct kernel_table kernel_table(const struct ir_kernel *);

// Where rill_k_writer puts keys: bytes from its channel's base, from head to head and layer to layer.
struct kernel_cache {
    int64_t base, head, layer;
};
struct kernel_cache kernel_cache(const struct ir_kernel *);

int64_t kernel_load_hops(const struct ir_kernel *); // rill_param_store: from the die of what loads it
int kernel_reset_way(const struct ir_kernel *);     // rill_token_loop: cycles that a reset takes
int kernel_counters(const struct ir_kernel *);      // rill_axil_regs

#endif
