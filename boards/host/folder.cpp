// SPDX-License-Identifier: Apache-2.0
// Reads package.json, memory_map.json and image/manifest.json, and checks that the image fits the package.
#include <jansson.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "boards/host/host.hpp"

namespace rill {

namespace {

[[noreturn]] void bad(const std::string &path, const std::string &what) {
    throw problem(RILL_HOST_INPUT, path + ": " + what);
}

// A value in a JSON file. at() throws, with the name of the file, if the member is missing. text(), number(), truth()
// and items() throw if the value has another type, but text() returns "" for null.
class node {
  public:
    node(const std::string &file) : path(file) {
        json_error_t error;
        json_t *top = json_load_file(file.c_str(), 0, &error);
        if (!top) bad(file, error.line > 0 ? "line " + std::to_string(error.line) + ": " + error.text : error.text);
        root.reset(top, json_decref);
        value = top;
    }
    node at(const char *key) const {
        json_t *found = json_object_get(value, key);
        if (!found) bad(path, std::string("no `") + key + "`; was it made by this version of rill?");
        return node(*this, found);
    }
    bool has(const char *key) const { return json_object_get(value, key) != nullptr; }
    std::string text() const {
        if (json_is_null(value)) return "";
        if (!json_is_string(value)) bad(path, "a text is expected");
        return json_string_value(value);
    }
    std::int64_t number() const {
        if (!json_is_integer(value)) bad(path, "a whole number is expected");
        return json_integer_value(value);
    }
    bool truth() const {
        if (!json_is_boolean(value)) bad(path, "true or false is expected");
        return json_is_true(value);
    }
    std::vector<node> items() const {
        if (!json_is_array(value)) bad(path, "a list is expected");
        std::vector<node> all;
        for (std::size_t i = 0; i < json_array_size(value); i++) all.push_back(node(*this, json_array_get(value, i)));
        return all;
    }
    std::string path;

  private:
    std::shared_ptr<json_t> root;
    json_t *value;
    node(const node &from, json_t *v) : path(from.path), root(from.root), value(v) {}
};

// Chooses a compute unit and the banks of its ports. Units are counted from 1, and 0 chooses the first. Throws if the
// package has no such unit.
void read_unit(const node &top, std::uint32_t unit, package &p) {
    for (const node &name : top.at("compute_units").items()) p.units.push_back(name.text());
    std::size_t index = unit ? unit - 1 : 0;
    if (index >= p.units.size())
        bad(top.path,
            "there is no compute unit " + std::to_string(unit) + ": the package has " + std::to_string(p.units.size()));
    p.unit = p.units[index];
    for (const node &port : top.at("memory_ports").items())
        p.bank[port.at("name").text()] = port.at("banks").items().at(index).text();
}

void read_registers(const node &top, package &p) {
    for (const node &r : top.at("registers").items()) {
        reg made;
        made.offset = static_cast<std::uint32_t>(r.at("offset").number());
        made.bits = static_cast<int>(r.at("bits").number());
        made.argument = r.has("argument") ? static_cast<int>(r.at("argument").number()) : -1;
        made.port = r.has("port") ? r.at("port").text() : "";
        p.registers[r.at("name").text()] = made;
    }
    for (const node &kernel : top.at("fault_kernels").items()) p.faulty.push_back(kernel.text());
}

void read_map(const std::string &path, package &p) {
    for (const node &s : node(path).at("segments").items())
        p.segments.push_back({s.at("name").text(), static_cast<int>(s.at("channel").number()),
                              static_cast<std::uint64_t>(s.at("offset").number()),
                              static_cast<std::uint64_t>(s.at("bytes").number())});
}

std::string two_digits(int n) { return (n < 10 ? "0" : "") + std::to_string(n); }

} // namespace

const segment &package::io(const std::string &name) const {
    for (const segment &s : segments)
        if (s.name == name && s.channel >= 0) return s;
    throw problem(RILL_HOST_INPUT, folder + "/memory_map.json: no area `" + name + "`: no language model's design");
}

std::string package::channel_argument(int channel) const { return "hbm_" + two_digits(channel); }
std::string package::counter(int number) const { return "counter_" + two_digits(number); }

namespace {

void read_end_ids(const node &top, package &p) {
    if (!top.has("eot_more")) return;
    for (const node &id : top.at("eot_more").items()) p.eot_more.push_back(static_cast<std::uint32_t>(id.number()));
}

} // namespace

// Reads package.json and memory_map.json. Throws if a file or a member is missing or wrong.
package read_package(const std::string &folder, std::uint32_t unit) {
    node top(folder + "/package.json");
    package p;
    p.folder = folder;
    p.design = top.at("design").text(), p.identity = top.at("identity").text(), p.layout = top.at("layout").text();
    p.kernel = top.at("kernel").text();
    read_unit(top, unit, p);
    p.platform = top.at("platform").text();
    p.clock_mhz = static_cast<double>(top.at("clock_hz").number()) / 1e6;
    p.channels = static_cast<int>(top.at("channels").number());
    p.beat_bytes = static_cast<int>(top.at("beat_bits").number() / 8);
    p.is_lm = top.at("language_model").truth();
    p.hashes = top.has("hashes_logits") && top.at("hashes_logits").truth();
    p.context = top.at("context").number(), p.eot = top.at("eot").number();
    read_end_ids(top, p);
    p.vocabulary = top.at("vocabulary").number(), p.channel_bytes = top.at("channel_bytes").number();
    p.sampling = top.has("sampling") ? top.at("sampling").number() : 0;
    p.logprobs = top.has("logprobs") ? top.at("logprobs").number() : 0;
    p.logprobs_offset = p.logprobs ? static_cast<std::uint64_t>(top.at("logprobs_offset").number()) : 0;
    p.drafts = top.has("drafts") ? top.at("drafts").number() : 0;
    p.slots = top.has("slots") ? static_cast<std::uint32_t>(top.at("slots").number()) : 1;
    p.prefix = top.has("prefix") && top.at("prefix").truth();
    p.draft_counter = p.drafts ? static_cast<int>(top.at("draft_counter").number()) : 0;
    if (p.channels < 1 || p.channels > RILL_HOST_MAX_CHANNELS) bad(top.path, "`channels` must be 1 to 32");
    if (p.slots < 1 || p.slots > RILL_HOST_MAX_SLOTS) bad(top.path, "`slots` must be 1 to 16");
    read_registers(top, p);
    read_map(folder + "/memory_map.json", p);
    return p;
}

// ---- image ----

namespace {

std::uint64_t file_bytes(const std::string &path) {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) bad(path, std::strerror(errno));
    return static_cast<std::uint64_t>(info.st_size);
}

// Returns the CRC-32 of `bytes` bytes of a file from `offset` on. Sets *whole to false if the file ends before them.
std::uint32_t sum_of(std::FILE *file, std::uint64_t offset, std::uint64_t bytes, bool *whole) {
    std::vector<unsigned char> buffer(1 << 20);
    std::uint32_t crc = 0;
    *whole = fseeko(file, static_cast<off_t>(offset), SEEK_SET) == 0;
    while (*whole && bytes > 0) {
        std::size_t n = std::min<std::uint64_t>(bytes, buffer.size());
        *whole = std::fread(buffer.data(), 1, n, file) == n;
        crc = static_cast<std::uint32_t>(crc32_z(crc, buffer.data(), n));
        bytes -= n;
    }
    return crc;
}

// Reads a part of the manifest. Throws if the file of its channel has another checksum there.
image_part check_part(const image &im, const node &part) {
    auto channel = static_cast<std::size_t>(part.at("channel").number());
    if (channel >= im.file.size()) bad(part.path, "a part on a channel that the design does not have");
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(im.file[channel].c_str(), "rb"), std::fclose);
    bool whole = file != nullptr;
    image_part p = {part.at("segment").text(), channel, static_cast<std::uint64_t>(part.at("offset").number()),
                    static_cast<std::uint64_t>(part.at("bytes").number()),
                    static_cast<std::uint32_t>(std::strtoul(part.at("crc32").text().c_str(), nullptr, 16))};
    std::uint32_t crc = 0;
    if (whole) crc = sum_of(file.get(), p.offset, p.bytes, &whole);
    if (!whole || crc != p.crc)
        bad(im.file[channel], "segment `" + p.segment + "` is " + (whole ? "damaged" : "cut off") + "; pack again");
    return p;
}

// Returns the bytes of memory that a channel needs, in whole pages. The weights end with the file of the channel, which
// has `file` bytes. Caches and areas of the host can follow, up to the end of the last segment. A segment with a
// negative channel is in every channel.
std::uint64_t needed_of(const package &p, int channel, std::uint64_t file) {
    std::uint64_t end = file;
    for (const segment &s : p.segments)
        if (s.channel < 0 || s.channel == channel) end = std::max(end, s.offset + s.bytes);
    return (end + 4095) / 4096 * 4096;
}

} // namespace

image read_image(const std::string &folder, const package &p) {
    node top(folder + "/manifest.json");
    image im;
    im.folder = folder;
    im.weights = top.at("weights").text(), im.layout = top.at("layout").text();
    if (im.layout != p.layout)
        bad(top.path, "the image is for another design (`" + top.at("design").text() + "`, layout " + im.layout +
                          "; the package's is " + p.layout + "); pack for this one");
    for (int c = 0; c < p.channels; c++) {
        im.file.push_back(folder + "/channel_" + two_digits(c) + ".bin");
        im.bytes.push_back(file_bytes(im.file.back()));
        im.needed.push_back(needed_of(p, c, im.bytes.back()));
        if (im.needed.back() > static_cast<std::uint64_t>(p.channel_bytes))
            bad(im.file.back(), "channel " + std::to_string(c) + " needs more memory than a bank has");
    }
    for (const node &part : top.at("parts").items()) im.parts.push_back(check_part(im, part));
    return im;
}

} // namespace rill
