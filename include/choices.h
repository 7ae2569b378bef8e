// SPDX-License-Identifier: Apache-2.0
// Choices of a design, which its spec names in words and the IR keeps: read once, compared as numbers.
#ifndef RILL_CHOICES_H
#define RILL_CHOICES_H

enum spec_format { SPEC_INT8, SPEC_INT4, SPEC_FORMATS }; // of the weights of products
enum spec_binding { SPEC_SHARED, SPEC_SPATIAL, SPEC_BINDINGS };
// Depths from timing contracts; of whole tensors; from contracts, fewer, at a pace; until size-fifos, the better of the
// first two.
enum spec_fifo { SPEC_TIMED, SPEC_SAFE, SPEC_CONSERVATIVE, SPEC_AUTO, SPEC_FIFOS };

extern const char *const spec_format_words[], *const spec_binding_words[], *const spec_fifo_words[];
const char *spec_format_name(int format); // enum spec_format, and so on
const char *spec_binding_name(int binding);
const char *spec_fifo_name(int fifo);

#endif
