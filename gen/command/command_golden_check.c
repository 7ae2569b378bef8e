// SPDX-License-Identifier: Apache-2.0
// rill golden --check: tests whether the weights have the layout that the spec assumes. Compiler and oracle may both
// assume a wrong layout, so comparing their results proves nothing. Instead, this test measures the loss on a plain
// text without quantization. It compares this loss with that of random guesses, with that of the values of the hardware
// (exact mode), and with that of the other pairing in rotary embedding.
#include <math.h>
#include <stdio.h>

#include "gen/command/command.h"
#include "gen/reference/evaluate.h"
#include "gen/reference/oracle.h"

// The text is simple enough for every model of English.
static const char text[] =
    "Once upon a time, there was a little girl named Lily. She loved to play outside in the park "
    "with her mom and dad. One day, she saw a big red ball.";

// LOST_SHARE: share of the loss of random guesses. A model that was read correctly has a smaller loss than this share.
// MOST_APART: largest plausible difference of the losses of exact and unquantized values, in nats.
#define LOST_SHARE 0.5
#define MOST_APART 0.5

// Returns the mean loss in nats per prediction, or NAN after an error.
static double loss_of(const struct golden_check *c, struct oracle *oracle) {
    struct evaluate_text of = {c->tokenizer, text, sizeof text - 1, oracle_context(c->graph), 1, NULL, NULL};
    struct evaluate_lanes lane = {{oracle}, 1};
    struct evaluate_model model = evaluate_lanes_model(&lane, oracle_vocabulary(c->graph));
    struct evaluation e;
    bool ok = evaluate_text(&of, &model, 1, &e);
    if (ok && e.tokens) return e.model[0].nll / (double)e.tokens;
    const char *where = oracle_fault(oracle);
    diag_error(c->diag, loc_none(), MSG_CHECK_FAILED, where ? "numeric fault: " : "no text fits the context",
               where ? where : "");
    return NAN;
}

// Returns the loss without quantization, or NAN after an error. The unquantized weights are in a separate arena, which
// is freed before the return, because they are large.
static double float_loss(const struct golden_check *c, const struct oracle_graph *graph) {
    struct arena arena;
    arena_init(&arena);
    struct oracle *oracle = oracle_open(&arena, graph, ORACLE_FLOAT, c->checkpoint, c->diag);
    double loss = oracle ? loss_of(c, oracle) : NAN;
    oracle_close(oracle);
    arena_free(&arena);
    return loss;
}

// Returns the loss with the other pairing in rotary embedding (halves or neighbours). Returns NAN if the model has no
// rotary embedding, or after an error.
static double other_loss(const struct golden_check *c) {
    struct oracle_graph *graph = oracle_read(c->arena, c->spec, c->diag);
    return graph && oracle_turn_other_pairs(graph) ? float_loss(c, graph) : NAN;
}

// Warns of losses that a correct model does not have. plain: the loss without quantization. exact: the loss with the
// values of the hardware. other: the loss with the other pairing, or NAN.
static void warn(const struct golden_check *c, double plain, double exact, double other) {
    double chance = log((double)oracle_vocabulary(c->graph));
    struct loc loc = loc_file(c->arena, c->weights);
    if (plain > chance * LOST_SHARE) diag_warning(c->diag, loc, MSG_CHECK_LOSS);
    if (other < plain) diag_warning(c->diag, loc, MSG_CHECK_ROPE);
    if (fabs(exact - plain) > MOST_APART) diag_warning(c->diag, loc, MSG_CHECK_QUANTIZATION);
}

bool command_golden_check(const struct golden_check *c) {
    double plain = float_loss(c, c->graph), exact = isnan(plain) ? NAN : loss_of(c, c->exact), other = other_loss(c);
    if (isnan(exact)) return false;
    printf("nats for each id of a plain text: %.3f without quantization, %.3f exact, %.3f by chance\n", plain, exact,
           log((double)oracle_vocabulary(c->graph)));
    if (!isnan(other)) printf("with the pairs of rotary embedding taken the other way: %.3f\n", other);
    warn(c, plain, exact, other);
    return true;
}
