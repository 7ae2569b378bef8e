// SPDX-License-Identifier: Apache-2.0
// Reads the platform, the compute units and the memory banks for which an .xclbin was linked. XRT checks the rest.
#include <uuid/uuid.h>
#include <xclbin.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "boards/host/host.hpp"

namespace rill {

namespace {

[[noreturn]] void bad(const std::string &path, const std::string &what) {
    throw problem(RILL_HOST_INPUT, path + ": " + what);
}

// Reads single values at given offsets of the file. It does not load the file, because the bitstream of a large card
// has 100 MB and more, and the tables can be anywhere in it.
class reader {
  public:
    explicit reader(const std::string &file) : path(file), in(file, std::ios::binary) {
        if (!in) bad(file, std::string(std::strerror(errno)) + "; `make xclbin` in the package makes it");
    }
    template <typename type> type take(std::uint64_t at) {
        type value;
        in.seekg(static_cast<std::streamoff>(at));
        if (!in.read(reinterpret_cast<char *>(&value), sizeof value)) bad(path, "no whole .xclbin");
        return value;
    }
    std::string path;

  private:
    std::ifstream in;
};

// Return the text of a field of fixed size, which ends at the first zero byte or at the end of the field.
template <std::size_t n> std::string text(const char (&field)[n]) { return std::string(field, strnlen(field, n)); }
template <std::size_t n> std::string text(const unsigned char (&field)[n]) {
    return std::string(reinterpret_cast<const char *>(field), strnlen(reinterpret_cast<const char *>(field), n));
}

// Returns the offset of the first section of a kind in the file, or 0 if there is none.
std::uint64_t section(reader &r, const axlf &head, axlf_section_kind kind) {
    for (std::uint32_t i = 0; i < head.m_header.m_numSections; i++) {
        auto s = r.take<axlf_section_header>(offsetof(axlf, m_sections) + i * sizeof(axlf_section_header));
        if (s.m_sectionKind == kind) return s.m_sectionOffset;
    }
    return 0;
}

// Returns the names of the memory banks, in the order of their indexes. Other memories of the platform may precede HBM,
// so the index of a bank is not its number.
std::vector<std::string> bank_names(reader &r, const axlf &head) {
    std::vector<std::string> names;
    std::uint64_t at = section(r, head, MEM_TOPOLOGY);
    int count = at ? r.take<std::int32_t>(at) : 0;
    for (int i = 0; i < count; i++)
        names.push_back(text(r.take<mem_data>(at + offsetof(mem_topology, m_mem_data) + i * sizeof(mem_data)).m_tag));
    return names;
}

// Returns the name of a bank. A bank without a name is called HBM[index], as if HBM were the first memory of the
// platform.
std::string bank_name(const std::vector<std::string> &names, int index) {
    bool named = index >= 0 && static_cast<std::size_t>(index) < names.size() && !names[index].empty();
    return named ? names[index] : "HBM[" + std::to_string(index) + "]";
}

} // namespace

// Reads the header and the tables of an .xclbin. Throws if the file is none, or has no kernel.
binary read_binary(const std::string &path) {
    reader r(path);
    auto head = r.take<axlf>(0);
    if (std::memcmp(head.m_magic, "xclbin2", 8) != 0) bad(path, "no .xclbin");
    binary b;
    b.path = path;
    b.platform = text(head.m_header.m_platformVBNV);
    char id[37];
    uuid_unparse_lower(head.m_header.uuid, id);
    b.uuid = id;
    std::uint64_t layout = section(r, head, IP_LAYOUT), wires = section(r, head, CONNECTIVITY);
    if (!layout || !wires) bad(path, "no kernel in it");
    std::vector<std::string> names = bank_names(r, head);
    std::map<int, std::map<int, std::string>> banks; // name of the bank, by index of the unit and of the argument
    int count = r.take<std::int32_t>(wires);
    for (int i = 0; i < count; i++) {
        auto c = r.take<::connection>(wires + offsetof(::connectivity, m_connection) + i * sizeof(::connection));
        banks[c.m_ip_layout_index][c.arg_index] = bank_name(names, c.mem_data_index);
    }
    int units = r.take<std::int32_t>(layout);
    for (int i = 0; i < units; i++) {
        auto ip = r.take<ip_data>(layout + offsetof(ip_layout, m_ip_data) + i * sizeof(ip_data));
        if (ip.m_type == IP_KERNEL) b.unit[text(ip.m_name)] = banks[i];
    }
    return b;
}

// Throws if the binary was not linked for this package: it lacks the compute unit, is for another platform, or has a
// memory argument on another bank.
void check_binary(const binary &b, const package &p) {
    auto unit = b.unit.find(p.unit_name());
    if (unit == b.unit.end()) {
        std::string names;
        for (const auto &[name, bank] : b.unit) names += (names.empty() ? "`" : ", `") + name + "`";
        bad(b.path, "it holds the compute unit " + names + ", the package's is `" + p.unit_name() + "`");
    }
    if (!p.platform.empty() && b.platform != p.platform)
        bad(b.path, "it was linked for `" + b.platform + "`, the package is for `" + p.platform + "`");
    for (const auto &[name, r] : p.registers) {
        if (r.argument < 0 || r.bits != 64) continue;
        auto found = unit->second.find(r.argument), none = unit->second.end();
        std::string has = found == none ? "no bank" : found->second;
        std::string want = p.bank.at(r.port);
        if (has != want) bad(b.path, "argument `" + name + "` is on " + has + ", the package has it on " + want);
    }
}

} // namespace rill
