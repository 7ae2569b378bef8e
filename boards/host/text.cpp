// SPDX-License-Identifier: Apache-2.0
// Implements the functions of rill_host.h that convert text without a card.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "boards/host/host.hpp"

extern "C" {
#include "gen/spec/chat.h"
}

using namespace rill;

struct rill_text {
    std::string failure;
    package pkg;
    std::unique_ptr<words> speech;
    const chat_template *chat = nullptr;
    std::int64_t stop = -1; // id with which the template ends an answer
    std::mutex busy;        // held while a call encodes, because encoding changes the tokenizer; decoding only reads
};

namespace {

void open_text(rill_text *t, const std::string &folder, const char *image, const char *chat) {
    t->pkg = read_package(folder);
    t->speech = std::make_unique<words>(image ? image : folder + "/image", folder);
    if (!chat) return;
    t->chat = t->speech->chat(chat);
    t->speech->encode_turns(t->chat, {{RILL_TEXT_USER, ""}}); // throws if the template is for another vocabulary
    t->stop = t->speech->find(t->chat->stop);
}

// Copies the first ids, at most `room`, and returns the count of all ids.
long give(const std::vector<std::uint32_t> &made, std::uint32_t *ids, std::size_t room) {
    if (std::size_t n = std::min(room, made.size())) std::memcpy(ids, made.data(), 4 * n);
    return static_cast<long>(made.size());
}

} // namespace

extern "C" {

rill_text *rill_text_open(const char *package, const char *image, const char *chat) {
    auto *t = new rill_text;
    try {
        open_text(t, package, image, chat);
    } catch (const std::exception &e) {
        t->failure = e.what();
    }
    return t;
}

void rill_text_close(rill_text *t) { delete t; }

const char *rill_text_failed(const rill_text *t) { return t->failure.empty() ? nullptr : t->failure.c_str(); }

void rill_text_describe(const rill_text *t, struct rill_text_facts *facts) {
    *facts = {};
    facts->design = t->pkg.design.c_str(), facts->identity = t->pkg.identity.c_str();
    facts->context = static_cast<std::uint32_t>(t->pkg.is_lm ? t->pkg.context : 0);
    facts->vocabulary = static_cast<std::uint32_t>(t->pkg.is_lm ? t->pkg.vocabulary : 0);
    facts->sampling = static_cast<std::uint32_t>(t->pkg.sampling);
    facts->slots = t->pkg.slots;
    facts->logprobs = static_cast<std::uint32_t>(t->pkg.logprobs);
    facts->channels = static_cast<std::uint32_t>(t->pkg.channels);
    facts->beat_bytes = static_cast<std::uint32_t>(t->pkg.beat_bytes);
    facts->clock_mhz = t->pkg.clock_mhz;
    facts->has_tokenizer = t->speech->exist(), facts->has_chat = t->chat != nullptr;
    facts->chat_system = t->chat && *t->chat->system_prefix, facts->chat_turns = t->chat && *t->chat->between;
}

long rill_text_encode(rill_text *t, const char *bytes, size_t count, uint32_t *ids, size_t room) {
    std::lock_guard<std::mutex> lock(t->busy);
    return t->speech->exist() ? give(t->speech->encode(std::string(bytes, count)), ids, room) : -1;
}

long rill_text_encode_chat(rill_text *t, const struct rill_text_turn *turns, size_t count, uint32_t *ids, size_t room,
                           char *why, size_t why_bytes) {
    std::lock_guard<std::mutex> lock(t->busy);
    try {
        if (!t->chat) throw problem(RILL_HOST_INPUT, "no chat template was given");
        return give(t->speech->encode_turns(t->chat, std::vector<rill_text_turn>(turns, turns + count)), ids, room);
    } catch (const std::exception &e) {
        if (why_bytes) std::snprintf(why, why_bytes, "%s", e.what());
        return -1;
    }
}

const char *rill_text_decode(rill_text *t, uint32_t id, size_t *bytes) { return t->speech->decode(id, bytes); }

int rill_text_ends(rill_text *t, uint32_t id) {
    const auto &more = t->pkg.eot_more;
    return id == t->pkg.eot || id == t->stop || std::find(more.begin(), more.end(), id) != more.end();
}

} // extern "C"
