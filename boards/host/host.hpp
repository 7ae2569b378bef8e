// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of the library share. folder.cpp reads the package and the image, and binary.cpp the
// .xclbin. card.cpp calls XRT. logprobs.cpp reads records of log probabilities. words.cpp has the tokenizer and texts
// for numbers. library.cpp, requests.cpp and text.cpp implement rill_host.h with them. All functions throw errors as
// `problem`, whose message is complete for the user.
#ifndef RILL_HOST_HPP
#define RILL_HOST_HPP

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "boards/host/rill_host.h"

struct chat_template; // gen/spec/chat.h

namespace rill {

struct problem : std::runtime_error {
    rill_host_status status;
    problem(rill_host_status s, const std::string &what) : std::runtime_error(what), status(s) {}
};

// ---- package and image (folder.cpp) ----

struct reg {              // a register of the kernel
    std::uint32_t offset; // bytes
    int bits, argument;   // argument: id of the kernel argument, or -1 for none
    std::string port;     // memory port to which an argument of 64 bits points, or "" for none
};

struct segment {
    std::string name;
    int channel; // -1 if the segment is in all channels
    std::uint64_t offset, bytes;
};

struct package {
    // identity and layout are hashes of the design and of its memory layout, 16 hexadecimal digits each.
    std::string folder, design, identity, layout, kernel, platform;
    std::vector<std::string> units; // all compute units
    std::string unit;               // the compute unit to use
    double clock_mhz;
    int channels, beat_bytes;
    bool is_lm, hashes;                                   // hashes: the register logits_hash has a hash of the logits
    std::int64_t context, eot, vocabulary, channel_bytes; // eot: an id that ends a request; -1: none
    std::vector<std::uint32_t> eot_more;                  // further ids that end a request
    std::int64_t sampling;         // longest list that ids are drawn from; 0: the design takes the most likely one
    std::int64_t logprobs;         // most likely tokens in a record of log probabilities; 0: there are no records
    std::uint64_t logprobs_offset; // bytes from a ring to its first record
    std::int64_t drafts;           // most drafts of a step; 0: none
    std::uint32_t slots;           // requests at the same time
    bool prefix;                   // a request can keep positions of the request before it
    int draft_counter;             // number of the first of the two counters of drafts
    std::map<std::string, reg> registers;
    std::map<std::string, std::string> bank; // the unit's memory bank by port
    std::vector<std::string> faulty;         // kernels that can report a fault, in the order of their numbers
    std::vector<segment> segments;

    const segment &io(const std::string &name) const; // a segment on one channel; throws if there is none
    // Whether the design has a register of this name.
    bool has(const std::string &name) const { return registers.count(name) != 0; }
    std::string channel_argument(int channel) const; // name of the register with the channel's base
    std::string counter(int number) const;           // name of a counter's register
    std::string unit_name() const { return kernel + ":" + unit; }
};
package read_package(const std::string &folder, std::uint32_t unit = 0); // unit counts from 1; 0 chooses the first

struct image_part { // bytes of an image with their checksum
    std::string segment;
    std::size_t channel;
    std::uint64_t offset, bytes;
    std::uint32_t crc;
};

struct image {
    std::string folder, weights, layout;
    std::vector<image_part> parts;
    std::vector<std::string> file;     // path of each channel's file
    std::vector<std::uint64_t> bytes;  // length of each file
    std::vector<std::uint64_t> needed; // memory that the design may read in each channel
};
// Reads the manifest of an image. Checks its layout and every checksum.
image read_image(const std::string &folder, const package &);

// ---- positions that a request keeps (prefix.cpp) ----

// Returns how many first ids of the prompt need not be computed again. `held` has the ids of the positions that the
// slot holds.
std::uint32_t common_prefix(const std::vector<std::uint32_t> &held, const std::uint32_t *prompt, std::uint32_t count);

struct slot_positions {
    bool busy = false;               // the slot has a request
    std::uint64_t latest = 0;        // number of the latest submission to the slot; 0: none
    std::vector<std::uint32_t> held; // ids of the positions that the slot holds, if it is not busy
};
// Returns the slot that a request with this prompt should get. At least one slot must not be busy.
std::uint32_t choose_slot(const std::vector<slot_positions> &slots, const std::uint32_t *prompt, std::uint32_t count);

// ---- the binary for the card (binary.cpp) ----

struct binary {
    std::string path, platform, uuid;
    // names of the banks of each compute unit: [kernel:unit][id of the argument]
    std::map<std::string, std::map<int, std::string>> unit;
};
binary read_binary(const std::string &path);
// Throws if the binary lacks the compute unit of the package, is for another platform, or has an argument on another
// bank.
void check_binary(const binary &, const package &);

// ---- the card (card.cpp) ----

// The functions take a callback that reports progress: what is done, the bytes done, and the bytes in all.
class card {
  public:
    // Opens the card and loads the binary. Opens the compute unit, which no other program can then use. Allocates the
    // buffers of the channels. device: index or PCIe address.
    card(const std::string &device, const binary &, const package &, const image &);
    ~card();
    std::uint32_t read(std::uint32_t offset) const;        // reads 32 bits of a register at a byte offset
    void write(std::uint32_t offset, std::uint32_t value); // writes them
    std::uint64_t value(const reg &) const;                // reads a register of 32 or 64 bits
    // Writes the image, and zeros elsewhere. With `verify`, then reads everything back and compares it.
    void upload(const package &, const image &, bool verify,
                const std::function<void(const char *, std::uint64_t, std::uint64_t)> &);
    // Reads all parts of the image back from the memory of the card and compares them with the checksums of the
    // manifest.
    void check_weights(const package &, const image &,
                       const std::function<void(const char *, std::uint64_t, std::uint64_t)> &);
    // There are as many areas for a prompt and a ring as the design has slots.
    void put_prompt(std::uint32_t area, const std::vector<std::uint32_t> &ids); // also clears the ring
    // Reads ids from..from+count-1 of the ring.
    void get_ring(std::uint32_t area, std::uint32_t from, std::uint32_t count, std::uint32_t *ids);
    // Reads the records of log probabilities of these ids, record_words words each. The design must make records.
    void get_records(std::uint32_t area, std::uint32_t from, std::uint32_t count, std::uint32_t *words);
    std::uint64_t prompt_address(std::uint32_t area) const;
    std::uint64_t ring_address(std::uint32_t area) const;
    std::uint32_t ring_ids() const;                // how many ids a ring has room for
    void argument(int index, std::uint32_t value); // sets a kernel argument of the next run
    void start();                                  // starts a run with the prompt and the ring of area 0
    bool done(unsigned milliseconds);              // waits at most `milliseconds`; returns whether the run has ended
    double watts() const;                          // returns 0 if the sensor cannot be read
    std::string name, bdf, uuid;
    std::vector<std::uint64_t> address; // address of each channel's buffer

  private:
    struct parts;
    std::unique_ptr<parts> p;
};

void reset_card(const std::string &device); // device: as for `card`

// ---- log probabilities (logprobs.cpp) ----

constexpr std::size_t record_words = 16; // 32-bit words of a record
// Calculates the log probabilities of a record, whose words docs/numerics.md section 11 lists.
rill_host_logprobs read_record(const std::uint32_t *words);

// ---- text for numbers (words.cpp) ----

// These describe values of the registers with these names, for messages (docs/registers.md).
std::string state_words(std::uint32_t status, std::uint32_t slots); // slots: of the design
std::string fault_words(const package &, std::uint32_t fault, std::uint32_t place);
const char *ending_words(std::uint32_t ending);
std::string busy_words(const package &, std::uint64_t idle_engines); // the channels and engines that are not idle
std::string hexadecimal(std::uint64_t);                              // 16 digits
std::string quoted(const std::string &);                             // quoted as a JSON string

// ---- tokenizer (words.cpp): the compiler's code, with the image's files ----

class words {
  public:
    // Reads the tokenizer in the image folder. Its text splitting rules and chat templates are in the package.
    words(const std::string &folder, const std::string &package);
    ~words();
    words(const words &) = delete;
    words &operator=(const words &) = delete;
    bool exist() const { return handle != nullptr; } // whether the image has a tokenizer
    std::vector<std::uint32_t> encode(const std::string &text) const;
    // Encodes a question in a chat template, given by name or by path of its file. Throws on errors.
    std::vector<std::uint32_t> encode_chat(const std::string &chat, const std::string &text) const;
    // Encodes a whole conversation in a template that `chat` has found.
    std::vector<std::uint32_t> encode_turns(const chat_template *, const std::vector<rill_text_turn> &) const;
    const chat_template *chat(const std::string &name) const; // throws if there is none
    std::int64_t find(const char *token) const;               // returns the id of a token by its text, or -1
    const char *decode(std::uint32_t id, std::size_t *bytes) const;

  private:
    void *handle = nullptr;
};

} // namespace rill

#endif
