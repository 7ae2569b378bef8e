// SPDX-License-Identifier: Apache-2.0
// Reads records of log probabilities, which a design with `logprobs` writes for each generated id (docs/numerics.md
// section 11).
#include <cmath>
#include <cstring>

#include "boards/host/host.hpp"

namespace rill {

namespace {

// Words of a record: id, its logit, S (low word, high word), the ids of the list, the logits of the list. The list has
// the most likely ids, the most likely first, in RILL_HOST_MAX_LOGPROBS places. So word LOGITS is m, the largest logit
// of all ids. A place that is not filled has the id EMPTY.
constexpr std::size_t ID = 0, LOGIT = 1, SUM = 2, IDS = 4, LOGITS = 9;
constexpr std::uint32_t EMPTY = 0xffffffff;
constexpr int FRACTION = 39; // S is the sum of exp(x - m) over the logits x of all ids, in units of 2^-39

double number(std::uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return static_cast<double>(x);
}

} // namespace

// The log probability of an id with logit x is x - m - ln(S / 2^39), which is x - norm here.
rill_host_logprobs read_record(const std::uint32_t *words) {
    std::uint64_t sum = static_cast<std::uint64_t>(words[SUM + 1]) << 32 | words[SUM];
    double norm = number(words[LOGITS]) + std::log(std::ldexp(static_cast<double>(sum), -FRACTION));
    rill_host_logprobs one = {};
    one.id = words[ID], one.logprob = number(words[LOGIT]) - norm;
    for (; one.count < RILL_HOST_MAX_LOGPROBS && words[IDS + one.count] != EMPTY; one.count++) {
        one.top_id[one.count] = words[IDS + one.count];
        one.top[one.count] = number(words[LOGITS + one.count]) - norm;
    }
    return one;
}

} // namespace rill
