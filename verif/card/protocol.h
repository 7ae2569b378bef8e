// SPDX-License-Identifier: Apache-2.0
// What the stand-in for XRT's library says to the simulated card, over a local socket: a request and its bytes, a reply
// and its bytes. Both sides are on one machine, so words are as the machine has them.
#ifndef VERIF_CARD_PROTOCOL_H
#define VERIF_CARD_PROTOCOL_H

#include <stdint.h>

enum card_op {
    CARD_LOAD,      // bytes: UUID of a binary; value of the reply: 1 when it was there already
    CARD_LOADED,    // reply bytes: UUID of the binary on the card
    CARD_OPEN_UNIT, // the compute unit, exclusively
    CARD_RESET,     // kernel and memory ports; the memory keeps its content
    CARD_WRITE,     // bytes to memory at `address`
    CARD_READ,      // `count` bytes of memory at `address`
    CARD_SET,       // register `offset` = `address`
    CARD_GET,       // value of the reply: register `offset`
    CARD_START,     // bytes: words from register 0x10 on; then the start bit, as XRT's scheduler does
    CARD_STATE      // value of the reply: 0 idle, 1 a command is running, 2 it has completed (told once)
};

enum { CARD_UUID_BYTES = 16, CARD_ARGUMENTS_AT = 0x10, CARD_CHUNK = 1 << 20, CARD_CHANNEL_SHIFT = 29 };

struct card_request {
    uint32_t op, offset;
    uint64_t address, count; // count: of the bytes that follow (CARD_READ: that are wanted)
};
struct card_reply {
    int32_t error; // errno, 0: done
    uint32_t value;
    uint64_t count; // of the bytes that follow
};

#endif
