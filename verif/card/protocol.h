// SPDX-License-Identifier: Apache-2.0
// The protocol between the simulated card and the replacement for XRT's library, over a local socket: a request with
// its bytes, then a reply with its bytes. Both sides run on one machine, so words have its byte order.
#ifndef VERIF_CARD_PROTOCOL_H
#define VERIF_CARD_PROTOCOL_H

#include <stdint.h>

// A request can be answered with these errors. EBUSY: another client has opened the unit (CARD_OPEN_UNIT, and CARD_LOAD
// of a binary that is not loaded). EFAULT: the bytes are not in the memory of one channel. EPERM: the client accesses
// registers and has not opened the unit. EINVAL: there is no such operation.
enum card_op {
    CARD_LOAD,      // bytes: UUID of a binary; reply value: 1 if it was already loaded
    CARD_LOADED,    // reply bytes: UUID of the binary on the card
    CARD_OPEN_UNIT, // opens the compute unit exclusively
    CARD_RESET,     // resets kernel and memory ports; the memory keeps its content
    CARD_WRITE,     // writes bytes to memory at `address`
    CARD_READ,      // reads `count` bytes of memory at `address`
    CARD_SET,       // sets register `offset` to the value in `address`
    CARD_GET,       // reply value: register `offset`
    CARD_START,     // bytes: words from register 0x10 on; then sets the start bit, as XRT's scheduler does
    CARD_STATE      // reply value: 0 idle, 1 a command is running, 2 it has completed (reported once)
};

// CARD_ARGUMENTS_AT: offset of the first argument's register. CARD_CHUNK: largest number of bytes that a request of the
// library moves. CARD_CHANNEL_SHIFT: a bank of the card's memory has 2^29 bytes; the bits of an address from this one
// on are the number of the bank.
enum { CARD_UUID_BYTES = 16, CARD_ARGUMENTS_AT = 0x10, CARD_CHUNK = 1 << 20, CARD_CHANNEL_SHIFT = 29 };

struct card_request {
    uint32_t op, offset;     // op: an enum card_op; offset: byte offset of a register
    uint64_t address, count; // count: number of bytes that follow (CARD_READ: bytes wanted)
};
struct card_reply {
    int32_t error; // errno; 0: done
    uint32_t value;
    uint64_t count; // number of bytes that follow
};

#endif
