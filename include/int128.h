// SPDX-License-Identifier: Apache-2.0
// Sums that 64 bits do not hold: of norms, of long rows of weights.
#ifndef RILL_INT128_H
#define RILL_INT128_H

__extension__ typedef __int128 golden_i128;

#endif
