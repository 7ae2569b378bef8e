// SPDX-License-Identifier: Apache-2.0
// Makes texts for numbers of the design, such as states and faults. Encodes prompts and decodes ids.
#include "boards/host/host.hpp"

extern "C" {
#include "gen/base/endings.h"
#include "gen/spec/chat.h"
#include "gen/model/tokenizer.h"
}
#include <unistd.h>

namespace rill {

namespace {
// Names of the states of rill_token_loop.v, and of rill_slot_loop.v for designs with slots.
const char *const token_loop[] = {"idle",
                                  "checking the arguments",
                                  "beginning to load the parameters",
                                  "loading the parameters",
                                  "asking for the prompt",
                                  "beginning a step",
                                  "waiting for an id of the prompt",
                                  "checking an id",
                                  "handing an id to the embedding",
                                  "waiting for the next id, the result of a step",
                                  "writing an id to the ring",
                                  "deciding whether to go on",
                                  "waiting for the last writes",
                                  "waiting for memory to be quiet",
                                  "clearing its streams",
                                  "done"};
const char *const slot_loop[] = {"idle",
                                 "checking the clock",
                                 "beginning to load the parameters",
                                 "loading the parameters",
                                 "choosing a slot",
                                 "beginning a step",
                                 "taking a request",
                                 "checking the arguments",
                                 "handing ids to the embedding",
                                 "waiting for the next ids, the result of a step",
                                 "waiting for a ring",
                                 "deciding whether a request goes on",
                                 "waiting for the last writes",
                                 "waiting for memory to be quiet",
                                 "clearing its streams",
                                 "done",
                                 "asking for a prompt",
                                 "waiting for ids of a prompt",
                                 "checking ids",
                                 "adding a part to the step",
                                 "advancing a request",
                                 "choosing the next part",
                                 "ending a request",
                                 "writing an id to a ring",
                                 "hashing logits",
                                 "looking for drafts",
                                 "passing over kept positions"};
} // namespace

// Describes the register `status`. Bits 15:0 are the state of the token loop, the upper bits the position.
std::string state_words(std::uint32_t status, std::uint32_t slots) {
    const char *const *names = slots > 1 ? slot_loop : token_loop;
    std::size_t count = slots > 1 ? sizeof slot_loop / sizeof *slot_loop : sizeof token_loop / sizeof *token_loop;
    std::uint32_t state = status & 0xffff;
    std::string name = state < count ? names[state] : "in a state that is not known";
    return name + " (state " + std::to_string(state) + "), latest step at position " + std::to_string(status >> 16);
}

// Names the pointer that fault 3 reports in fault_place.
static std::string pointer_words(std::uint32_t place) {
    if (place < 2) return place == 0 ? "the prompt's" : "the ring's";
    return "the base of channel " + std::to_string(place - 2);
}

// Describes a bit of the register idle_engines: bit c for channel c, and bit 32 + e for matrix engine e.
static std::string place_words(const package &p, std::uint32_t bit) {
    if (bit >= 32) return "matrix engine " + std::to_string(bit - 32);
    return "the DMA engines of channel " + std::to_string(bit) + (bit < unsigned(p.channels) ? "" : " (none)");
}

// Lists the bits of the register idle_engines that are 0.
std::string busy_words(const package &p, std::uint64_t idle_engines) {
    std::string s;
    for (std::uint32_t bit = 0; bit < 64; bit++)
        if (!(idle_engines >> bit & 1)) s += (s.empty() ? "" : ", ") + place_words(p, bit);
    return s.empty() ? "every memory engine is idle" : "not idle: " + s;
}

// Describes the register `ending`.
const char *ending_words(std::uint32_t ending) {
    const char *text = ending_text(ending);
    return text ? text : "ended in a way that is not known";
}

// Describes a fault by the registers `fault` and `fault_place`.
std::string fault_words(const package &p, std::uint32_t fault, std::uint32_t place) {
    std::string at = std::to_string(place);
    switch (fault) {
    case FAULT_NONE:
    case FAULT_NO_PROMPT: return fault_text(fault);
    case FAULT_LONG_PROMPT: return fault_text(fault) + (", " + std::to_string(p.context));
    case FAULT_POINTER: return "a pointer is no multiple of a beat: " + pointer_words(place);
    case FAULT_ID: return "the prompt's id at position " + at + " is outside the vocabulary";
    case FAULT_KERNEL:
        return "a value left its format in kernel `" + (place < p.faulty.size() ? p.faulty[place] : at) + "`";
    case FAULT_MEMORY: return "the memory answered an error on channel " + at;
    case FAULT_SILENCE:
        return "nothing moved for as many cycles as the watchdog allows; not idle: " + place_words(p, place);
    case FAULT_IMAGE:
        return place == 0   ? "the memory holds no image"
               : place == 1 ? "the image in the memory is of another version of rill"
                            : "the image in the memory is for another design";
    case FAULT_RING: return "the area for ids must hold " + at;
    case FAULT_CLOCK:
        return place == 0 ? "the second clock was lost in the request (see `clock`): is the kernel's clock steady?"
                          : "the second clock is not there (see `clock`)";
    case FAULT_PREFIX: return "the card cannot begin at the request's prefix: it holds " + at + " positions";
    default: return "fault " + std::to_string(fault) + ", place " + at + ", which this program does not know";
    }
}

std::string hexadecimal(std::uint64_t v) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
    return text;
}

std::string quoted(const std::string &s) {
    struct text t = {};
    text_add_json_string(&t, s.data(), s.size());
    std::string made = text_cstr(&t);
    text_free(&t);
    return made;
}

// ---- tokenizer ----

struct speech {
    struct arena arena;
    struct tokenizer *tokenizer;
};

static bool has_tokenizer(const std::string &folder) {
    for (const char *name : tokenizer_file)
        if (access((folder + "/" + name).c_str(), R_OK) == 0) return true;
    return false;
}

words::words(const std::string &folder, const std::string &package) {
    file_also_shared((package + "/host").c_str());
    if (!has_tokenizer(folder)) return;
    auto made = std::make_unique<speech>();
    struct diag diag;
    arena_init(&made->arena);
    diag_init(&diag, stderr);
    made->tokenizer = tokenizer_open(&made->arena, folder.c_str(), &diag);
    if (!made->tokenizer) {
        arena_free(&made->arena);
        throw problem(RILL_HOST_INPUT, folder + ": the tokenizer cannot be read");
    }
    handle = made.release();
}

words::~words() {
    auto *s = static_cast<speech *>(handle);
    if (!s) return;
    tokenizer_close(s->tokenizer);
    arena_free(&s->arena);
    delete s;
}

namespace {

// Returns the ids that a function appends. Releases the memory that the function has taken from the arena, because a
// server encodes any number of prompts. Throws if the function returns a reason.
template <typename call> std::vector<std::uint32_t> encoded(speech *s, call &&f) {
    struct arena_mark before = arena_mark(&s->arena);
    struct token_ids ids = {};
    const char *why = f(&ids);
    std::string reason = why ? why : "";
    std::vector<std::uint32_t> made(ids.items, ids.items + ids.count);
    arena_release(&s->arena, before);
    if (why) throw problem(RILL_HOST_INPUT, reason);
    return made;
}

} // namespace

std::vector<std::uint32_t> words::encode(const std::string &text) const {
    auto *s = static_cast<speech *>(handle);
    return encoded(s, [&](struct token_ids *ids) -> const char * {
        return tokenizer_encode_prompt(s->tokenizer, text.data(), text.size(), ids), nullptr;
    });
}

const chat_template *words::chat(const std::string &name) const {
    if (!handle) throw problem(RILL_HOST_INPUT, "the image has no tokenizer");
    struct diag diag;
    diag_init(&diag, stderr);
    const struct chat_template *found = chat_find(name.c_str(), &static_cast<speech *>(handle)->arena, &diag);
    if (!found) throw problem(RILL_HOST_INPUT, "there is no chat template `" + name + "`");
    return found;
}

std::vector<std::uint32_t> words::encode_turns(const chat_template *chat,
                                               const std::vector<rill_text_turn> &turns) const {
    auto *s = static_cast<speech *>(handle);
    std::vector<struct chat_turn> given;
    for (const rill_text_turn &turn : turns) given.push_back({static_cast<enum chat_role>(turn.role), turn.text});
    try {
        return encoded(s, [&](struct token_ids *ids) {
            return tokenizer_encode_turns(s->tokenizer, chat, given.data(), given.size(), ids);
        });
    } catch (const problem &e) {
        throw problem(RILL_HOST_INPUT, "chat template `" + std::string(chat->name) + "`: " + e.what());
    }
}

std::vector<std::uint32_t> words::encode_chat(const std::string &chat_name, const std::string &text) const {
    return encode_turns(chat(chat_name), {{RILL_TEXT_USER, text.c_str()}});
}

std::int64_t words::find(const char *token) const {
    std::vector<std::uint32_t> ids = encode(token);
    for (std::uint32_t id : ids) {
        std::size_t bytes;
        const char *text = decode(id, &bytes);
        if (std::string(text, bytes) == token) return id;
    }
    return -1;
}

const char *words::decode(std::uint32_t id, std::size_t *bytes) const {
    auto *s = static_cast<speech *>(handle);
    if (s && id < tokenizer_vocab(s->tokenizer)) return tokenizer_decode(s->tokenizer, id, bytes);
    *bytes = 0;
    return "";
}

} // namespace rill
