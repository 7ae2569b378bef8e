// SPDX-License-Identifier: Apache-2.0
// The options of a simulation, and the requests that it runs. `rill sim` reads the options to refuse mistakes before it
// builds anything; the program that it builds reads them again.
#ifndef RILL_SIM_OPTIONS_H
#define RILL_SIM_OPTIONS_H

#include "gen/spec/chat.h"
#include "gen/options/options.h"
#include "gen/base/sampling.h"

// A memory and a clock that replace the design's, for all commands that report time.
struct figure_options {
    VEC(const char *) hbm; // KEY=VALUE strings; a NULL follows the last
    double clock_mhz;      // 0: the design's
};
extern const struct option_row figure_rows[];
extern const struct option_row sampling_rows[]; // fill a struct sampling

// The options of sampling. Their functions are NAME_temperature, NAME_top_k, NAME_min_p and NAME_seed. more: text that
// follows the help of the first one.
#define SAMPLING_ROWS(NAME, TRAITS, more)                                                                              \
    {"--temperature",                                                                                                  \
     "T",                                                                                                              \
     OPTION_CALL,                                                                                                      \
     TRAITS,                                                                                                           \
     0,                                                                                                                \
     .call = NAME##_temperature,                                                                                       \
     .group = "Random sampling, in a design with `sampling`",                                                          \
     .help = "0.01 to 100, or 0 for the most likely token" more},                                                      \
        {"--top-k",                                                                                                    \
         "K",                                                                                                          \
         OPTION_CALL,                                                                                                  \
         TRAITS,                                                                                                       \
         0,                                                                                                            \
         .call = NAME##_top_k,                                                                                         \
         .help = "draw only from the K most likely tokens. 0: from all"},                                              \
        {"--min-p",                                                                                                    \
         "P",                                                                                                          \
         OPTION_CALL,                                                                                                  \
         TRAITS,                                                                                                       \
         0,                                                                                                            \
         .call = NAME##_min_p,                                                                                         \
         .help = "with `--top-k`: draw only tokens at least P times as likely as the most likely one"},                \
    {                                                                                                                  \
        "--sampling-seed", "S", OPTION_CALL, TRAITS, 0, .call = NAME##_seed, .help = "seed of the random numbers"      \
    }

// One setting of sampling, which an option sets. sampling_read stores its value and returns NULL, or returns a message
// that says what the option takes. sampling_copy copies this setting alone.
enum sampling_setting { SAMPLING_TEMPERATURE, SAMPLING_TOP_K, SAMPLING_MIN_P, SAMPLING_SEED, SAMPLING_SETTINGS };
const char *sampling_read(enum sampling_setting, struct sampling *, const char *text);
void sampling_copy(enum sampling_setting, const struct sampling *from, struct sampling *to);

// A request. Its prompt is text or ids. It has neither if the graph takes rows.
struct sim_prompt {
    const char *text;
    const uint32_t *ids;
    int64_t count;  // number of ids
    int64_t tokens; // tokens to generate, or rows to send
    bool then;      // the ids continue those of the previous request, generated ones included
    // The host predicts this text, or these ids, as the answer. Both are NULL if it predicts nothing.
    const char *predicted_text;
    const uint32_t *predicted;
    int64_t predicted_count; // number of predicted ids
    uint64_t predict_at;     // cycles from the submission to the prediction; 0: before the request
    int64_t prefix;          // positions to keep of the previous request, or SIM_PREFIX_*
    struct sampling sampling;
    unsigned sampled; // bit n: the options give setting n of sampling for this request
};
enum { SIM_PREFIX_UNSET = -2, SIM_PREFIX_MOST = -1, SIM_PREDICTED_MOST = 2048 /* predicted ids of a request */ };

// A burst that the memory answers with an error.
struct sim_error {
    int channel;
    bool is_write;
    uint64_t burst; // number of the burst among the channel's reads, or writes, from 0
};

// A request that is stopped (--stop), and one that must end with a fault (--fault), in a design with slots. `request`
// counts from 0.
struct sim_stop {
    size_t request;
    uint64_t cycles; // from the submission of the request to its stop
};
struct sim_fault {
    size_t request;
    uint64_t code; // the fault with which the request must end
};

// A fault planted in the design or the memory (--plant, whose help explains the kinds). Tests use it to see that such a
// run fails.
enum plant_kind {
    PLANT_MEMORY,
    PLANT_SHORT,
    PLANT_OPEN,
    PLANT_ENDLESS,
    PLANT_LOGITS,
    PLANT_KEY, // this and the following kinds change the state that `--from` loads; the place is a position
    PLANT_VALUE,
    PLANT_KEY_SCALE,
    PLANT_VALUE_SCALE,
    PLANT_TAIL,
    PLANT_KINDS
};
const char *sim_plant_name(int kind); // the word of a kind; NULL for PLANT_KINDS
struct plant {
    enum plant_kind kind;
    uint64_t place; // a bit, a burst or a position, depending on the kind; 0 if none is given
};

enum { SIM_BASE_MOST = 1 << 20 }; // most bytes of --base
struct sim_base {                 // a channel whose image begins at another address than usual (--base)
    int channel;
    uint64_t bytes; // distance from the usual address
};

struct sim_options {
    // Folder of the design, and files that the options of the same names give; NULL: not given.
    const char *dir, *trace, *json, *logits, *timeline, *beats, *save, *resume;
    const char *state, *write_state; // files of the replay's state
    const char *inputs, *outputs;    // files of rows
    VEC(struct sim_prompt) prompts;
    const char *chat;                          // chat template for the prompts; NULL: no template
    const struct chat_template *chat_template; // set by sim_options_read_chat
    VEC(struct sim_error) errors;
    VEC(struct sim_base) bases;
    VEC(struct plant) plants;
    // Cycles after the start at which the second and further requests are submitted. The last one is for all others.
    VEC(uint64_t) joins;
    VEC(struct sim_stop) stops;
    VEC(struct sim_fault) faults;
    struct figure_options figures;
    struct sampling sampling;                           // for requests whose options give no others
    unsigned sampled;                                   // as in struct sim_prompt
    int64_t tokens;                                     // the first --tokens; 0: not given
    uint64_t seed, data_seed, timeout, watchdog, pause; // the last three in cycles; timeout 0: none
    int64_t from;                                       // position at which the design begins; 0: at the start
    int64_t prefix;                                     // for requests without one; 0: they keep no positions
    bool ignore_eot, unchecked, quiet, occupancy;
    bool tokens_fit;  // --tokens is not given, so the default is lowered to the room in the context
    bool reads_pipes; // set by the caller: this process reads requests from a pipe
    bool unread;      // result: requests of a pipe were not read here, but left for another process
    int compare;      // enum check_set (verif/check/check.h)
};
extern const struct option_row request_rows[]; // options of a request
extern const struct option_row sim_rows[];     // the other options, without `--dir`
extern const struct options sim_program;       // options of the simulation program, with `--dir`

// Applies rules that no single row can check, and defaults that depend on other options. Returns NULL, or what is
// wrong.
const char *sim_options_finish(struct arena *arena, struct sim_options *options);

// Return the --stop and the --fault of a request, which counts from 0. NULL: there is none.
const struct sim_stop *sim_stop_of(const struct sim_options *, size_t request);
const struct sim_fault *sim_fault_of(const struct sim_options *, size_t request);

// Reads the chat template that the options name into chat_template, if they name one. Returns false after an error.
bool sim_options_read_chat(struct arena *, struct sim_options *, struct diag *);

// Returns a message about an option that asks for more than the design supports, or NULL.
struct ir;
const char *sim_options_fault(struct arena *, const struct ir *, const struct sim_options *);

// A request in the form that the design takes. prompt_len: number of prompt tokens or, for a graph that is not a
// language model, of rows. tokens: number of tokens to generate.
struct sim_request {
    const uint32_t *prompt;
    int64_t prompt_len, tokens;
    const uint32_t *predicted; // ids that the host predicts after the prompt
    int64_t predicted_count;
};
struct tokenizer;
// Opens the tokenizer in the folder of the image. If there is none, opens a tokenizer in which each byte is a token. It
// also does so, after a warning, if the tokenizer cannot be used but all prompts are ids. NULL after an error.
struct tokenizer *sim_tokenizer_open(struct arena *, const char *image, int64_t vocabulary, const struct sim_options *,
                                     struct diag *);
// Builds the request for a prompt. Returns NULL, or the reason why the design cannot take it. tokenizer: NULL if the
// graph is not a language model.
const char *sim_request_read(struct arena *, const struct ir *, const struct tokenizer *, const struct sim_options *,
                             const struct sim_prompt *, struct sim_request *);

#endif
