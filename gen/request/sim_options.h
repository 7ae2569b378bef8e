// SPDX-License-Identifier: Apache-2.0
// What a simulation may be told: of `rill sim`, which refuses what is wrong before it builds anything, and of the
// program that it builds.
#ifndef RILL_SIM_OPTIONS_H
#define RILL_SIM_OPTIONS_H

#include "gen/spec/chat.h"
#include "gen/options/options.h"
#include "gen/base/sampling.h"

// Another memory and another clock than the design's: of every command that tells time.
struct figure_options {
    VEC(const char *) hbm; // KEY=VALUE each, NULL behind the last
    double clock_mhz;      // 0: the design's
};
extern const struct option_row figure_rows[];
extern const struct option_row sampling_rows[]; // fill a struct sampling

struct sim_prompt {
    const char *text; // or
    const uint32_t *ids;
    int64_t count;  // of ids
    int64_t tokens; // ids to make, or rows
};

struct sim_error {
    int channel;
    bool is_write;
    uint64_t burst;
};

// A fault of the design or the memory, so that the tests can see that a run with it fails.
enum plant_kind { PLANT_MEMORY, PLANT_SHORT, PLANT_OPEN, PLANT_ENDLESS, PLANT_LOGITS, PLANT_KINDS };
struct plant {
    enum plant_kind kind;
    uint64_t place;
};

enum { SIM_BASE_MOST = 1 << 20 };
struct sim_base { // of a channel that begins elsewhere than usual
    int channel;
    uint64_t bytes; // further
};

struct sim_options {
    const char *dir, *trace, *json, *logits, *timeline, *beats, *save, *resume;
    const char *inputs, *outputs; // files of rows
    VEC(struct sim_prompt) prompts;
    const char *chat;                          // template of their texts; NULL: as they are
    const struct chat_template *chat_template; // once sim_options_read_chat has read it
    VEC(struct sim_error) errors;
    VEC(struct sim_base) bases;
    VEC(struct plant) plants;
    struct figure_options figures;
    struct sampling sampling;
    int64_t tokens; // 0: not given
    uint64_t seed, data_seed, timeout, watchdog, pause;
    bool ignore_eot, unchecked, quiet, occupancy;
    bool tokens_fit;  // not given: as many of the default as the context has room for
    bool reads_pipes; // set before: requests of a pipe are for this process
    bool unread;      // requests of a pipe were left to another
    int compare;      // enum check_set
};
extern const struct option_row sim_rows[]; // without `--dir`
extern const struct options sim_program;   // of the simulation: with it

// What no row says, and defaults that depend on others; NULL, or what is wrong.
const char *sim_options_finish(struct arena *arena, struct sim_options *options);

// Reads the chat template that is asked for; false after a message.
bool sim_options_read_chat(struct arena *, struct sim_options *, struct diag *);

// What of the options asks for more than the design has; NULL: nothing.
struct ir;
const char *sim_options_fault(struct arena *, const struct ir *, const struct sim_options *);

// A request as the design takes it. prompt_len: of a graph that is no language model its rows.
struct sim_request {
    const uint32_t *prompt;
    int64_t prompt_len, tokens;
};
// The request of a prompt; NULL, or why the design cannot take it. tokenizer: NULL where there are no ids.
struct tokenizer;
const char *sim_request_read(struct arena *, const struct ir *, const struct tokenizer *, const struct sim_options *,
                             const struct sim_prompt *, struct sim_request *);

#endif
