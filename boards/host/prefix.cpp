// SPDX-License-Identifier: Apache-2.0
// Finds how many positions a request can keep from the request before it.
#include <algorithm>

#include "boards/host/host.hpp"

namespace rill {

namespace {
constexpr std::size_t BLOCK = 64; // positions of a block of values
}

// Returns how many positions at the start of the prompt the card already holds, and at which the design can begin. A
// design can begin at any position of the latest block of held positions, whose values are on chip. Earlier blocks are
// only in memory, so in them a design can begin only at the first position of a block. At least one id of the prompt is
// left to compute.
std::uint32_t common_prefix(const std::vector<std::uint32_t> &held, const std::uint32_t *prompt, std::uint32_t count) {
    std::size_t n = 0, most = std::min<std::size_t>(held.size(), count ? count - 1 : 0);
    while (n < most && held[n] == prompt[n]) n++;
    bool on_chip = n % BLOCK == 0 || n / BLOCK == (held.size() - 1) / BLOCK;
    return static_cast<std::uint32_t>(on_chip ? n : n / BLOCK * BLOCK);
}

} // namespace rill
