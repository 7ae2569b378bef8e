// SPDX-License-Identifier: Apache-2.0
// Records of log probabilities (docs/numerics.md section 11), with the same bits as the RTL module rill_logprobs.
#ifndef RILL_LOGPROBS_H
#define RILL_LOGPROBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOGPROBS_MOST = 5,      // longest list of the largest logits
    LOGPROBS_WORDS = 16,    // words of a record, 32 bits each
    LOGPROBS_FRACTION = 39, // the sum of exponentials is in units of 2^-39
    LOGPROBS_EMPTY = -1,    // id and logit of a place of the list that is not filled, as 32 bits

    // Words of a record.
    LOGPROBS_ID = 0,    // the id that was chosen
    LOGPROBS_LOGIT = 1, // its logit
    LOGPROBS_SUM = 2,   // the sum of exp(x - largest x): the low word, then the high word
    LOGPROBS_IDS = 4,   // ids of the largest logits, the largest first
    LOGPROBS_LOGITS = 9 // these logits
};

// Makes the record of an id that was chosen from the logits x[n]. id: below n; top: places of the list of the largest
// logits, 1 to LOGPROBS_MOST.
void golden_logprobs(size_t n, const float x[], uint32_t id, int top, uint32_t record[LOGPROBS_WORDS]);
// Returns the natural logarithm of the probability of a logit of the record: word LOGPROBS_LOGIT, or LOGPROBS_LOGITS
// and those after it.
double logprobs_of(const uint32_t record[LOGPROBS_WORDS], int word);
// Returns how many places of the record's list are filled.
int logprobs_listed(const uint32_t record[LOGPROBS_WORDS]);

#endif
