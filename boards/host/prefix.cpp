// SPDX-License-Identifier: Apache-2.0
// Finds how many positions a request can keep of those that a slot holds, and chooses the slot of a request. A design
// without slots has one slot.
#include <algorithm>

#include "boards/host/host.hpp"

namespace rill {

namespace {
constexpr std::size_t BLOCK = 64; // positions of a block of values

// Returns how many positions would be lost if a request that keeps `kept` positions began in slot s. Positions that
// another slot holds as well are not lost.
std::size_t lost_positions(const std::vector<slot_positions> &slots, std::size_t s, std::size_t kept) {
    const std::vector<std::uint32_t> &held = slots[s].held;
    std::size_t most = kept;
    for (std::size_t t = 0; t < slots.size(); t++) {
        const std::vector<std::uint32_t> &other = slots[t].held;
        std::size_t n = 0, both = std::min(held.size(), other.size());
        while (t != s && n < both && held[n] == other[n]) n++;
        most = std::max(most, n);
    }
    return held.size() - std::min(most, held.size());
}
} // namespace

// Returns how many positions at the start of the prompt the slot already holds, and at which the design can begin. A
// design can begin at any position of the latest block of held positions, whose values are on chip. Earlier blocks are
// only in memory, so in them a design can begin only at the first position of a block. At least one id of the prompt is
// left to compute.
std::uint32_t common_prefix(const std::vector<std::uint32_t> &held, const std::uint32_t *prompt, std::uint32_t count) {
    std::size_t n = 0, most = std::min<std::size_t>(held.size(), count ? count - 1 : 0);
    while (n < most && held[n] == prompt[n]) n++;
    bool on_chip = n % BLOCK == 0 || n / BLOCK == (held.size() - 1) / BLOCK;
    return static_cast<std::uint32_t>(on_chip ? n : n / BLOCK * BLOCK);
}

// A slot of which the request keeps at least as many positions as are lost is best, and the more it keeps, the better.
// If there is none, the request gets a slot of which nothing is lost, or else the slot that was used least recently. So
// a long conversation is not given up because a new one begins like it.
std::uint32_t choose_slot(const std::vector<slot_positions> &slots, const std::uint32_t *prompt, std::uint32_t count) {
    std::size_t best = slots.size(), best_kept = 0;
    std::uint64_t best_age = 0;
    for (std::size_t s = 0; s < slots.size(); s++) {
        if (slots[s].busy) continue;
        std::size_t kept = common_prefix(slots[s].held, prompt, count), lost = lost_positions(slots, s, kept);
        if (kept < lost) kept = 0;
        std::uint64_t age = lost ? slots[s].latest : 0;
        if (best < slots.size() && (kept < best_kept || (kept == best_kept && age >= best_age))) continue;
        best = s, best_kept = kept, best_age = age;
    }
    return static_cast<std::uint32_t>(best);
}

} // namespace rill
