// SPDX-License-Identifier: Apache-2.0
// A replacement for XRT's libxrt_coreutil.so.2 with the functions that rill-host needs, under XRT's own names and
// types. When LD_LIBRARY_PATH names its folder, the unchanged program runs on a simulated card (card.c). $RILL_CARD
// names the socket of the card (default: card.socket in the current folder). For a binary with several compute units,
// $RILL_CARD has a socket for each one in their order, with `:` between them: each unit is simulated by a process with
// its own banks. Kernels, arguments, offsets and banks come from the binary's sections, by XRT's rules.
#define XCL_DRIVER_DLL_EXPORT
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#include <experimental/xrt_system.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <xclbin.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "verif/card/protocol.h"

namespace {

// Throws an exception with an errno, as XRT's functions do.
[[noreturn]] void fail(int code, const std::string &what) {
    throw std::system_error(code, std::generic_category(), what);
}

struct argument {
    std::uint32_t offset = 0, size = 0; // of the argument's registers, in bytes
    int bank = -1;                      // memory bank of a buffer's argument; -1: none
};

struct compute_unit {
    std::string name;                  // kernel:unit
    std::map<int, argument> arguments; // by index
};

struct binary { // an .xclbin file: its bytes, and the UUID and compute units read from its sections
    std::uint8_t uuid[16] = {};
    std::vector<compute_unit> units;
    std::vector<char> bytes;

    explicit binary(const std::string &path) {
        std::ifstream in(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
        if (!in.is_open() || bytes.size() < sizeof(axlf) || std::memcmp(bytes.data(), "xclbin2", 8) != 0)
            fail(EINVAL, path + ": no binary");
        std::memcpy(uuid, top()->m_header.uuid, sizeof uuid);
        for (int i = 0; layout() && i < layout()->m_count; i++) {
            units.push_back({reinterpret_cast<const char *>(layout()->m_ip_data[i].m_name), {}});
            read_arguments(units.back());
        }
        read_banks();
    }

    // Returns the index of the compute unit with an argument in this bank, or -1 if there is none.
    int unit_of_bank(int bank) const {
        for (std::size_t i = 0; i < units.size(); i++)
            for (const auto &[index, a] : units[i].arguments)
                if (a.bank == bank) return static_cast<int>(i);
        return -1;
    }

    const axlf *top() const { return reinterpret_cast<const axlf *>(bytes.data()); }
    const ip_layout *layout() const { return section<ip_layout>(IP_LAYOUT).first; }

    // Returns the data and size of the first section of a kind, or NULL and 0 if the file has none.
    template <typename type> std::pair<const type *, std::size_t> section(axlf_section_kind kind) const {
        for (std::uint32_t i = 0; i < top()->m_header.m_numSections; i++) {
            const auto &s = top()->m_sections[i];
            if (s.m_sectionKind == kind && s.m_sectionOffset + s.m_sectionSize <= bytes.size())
                return {reinterpret_cast<const type *>(bytes.data() + s.m_sectionOffset), s.m_sectionSize};
        }
        return {nullptr, 0};
    }

    // Returns the value of an XML element's attribute, or an empty string if the element lacks it.
    static std::string attribute(const std::string &element, const char *name) {
        std::smatch found;
        std::regex pattern(std::string(" ") + name + "=\"([^\"]*)\"");
        return std::regex_search(element, found, pattern) ? found[1].str() : "";
    }

    // Reads the arguments of a unit's kernel from the kernel's XML description.
    void read_arguments(compute_unit &unit) {
        auto [text, size] = section<char>(EMBEDDED_METADATA);
        std::string xml = text ? std::string(text, size) : "", kernel = unit.name.substr(0, unit.name.find(':'));
        std::size_t at = 0, end = 0;
        while (end < xml.size() && attribute(xml.substr(at, xml.find('>', at) - at), "name") != kernel) {
            at = xml.find("<kernel ", end);
            if (at == std::string::npos) return;
            end = std::min(xml.find("</kernel>", at), xml.size());
        }
        xml = xml.substr(at, end - at);
        std::regex element("<arg [^>]*>");
        for (std::sregex_iterator it(xml.begin(), xml.end(), element), end; it != end; ++it) {
            argument a;
            a.offset = static_cast<std::uint32_t>(std::stoul(attribute(it->str(), "offset"), nullptr, 0));
            a.size = static_cast<std::uint32_t>(std::stoul(attribute(it->str(), "size"), nullptr, 0));
            unit.arguments[std::stoi(attribute(it->str(), "id"))] = a;
        }
    }

    // Reads the memory bank of each argument.
    void read_banks() {
        auto *wires = section<connectivity>(CONNECTIVITY).first;
        for (int i = 0; wires && i < wires->m_count; i++) {
            const connection &wire = wires->m_connection[i];
            units.at(static_cast<std::size_t>(wire.m_ip_layout_index)).arguments[wire.arg_index].bank =
                wire.mem_data_index;
        }
    }
};

} // namespace

namespace xrt_core {

// Returns the paths of the simulated card's sockets, one per compute unit.
static std::vector<std::string> sockets() {
    const char *list = std::getenv("RILL_CARD");
    std::vector<std::string> paths;
    std::string path;
    for (std::istringstream in(list ? list : "card.socket"); std::getline(in, path, ':');) paths.push_back(path);
    return paths;
}

class device { // connections to the card: one to the process of each compute unit
  public:
    device() {
        for (const std::string &path : sockets()) {
            sockaddr_un address = {};
            address.sun_family = AF_UNIX;
            std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
            fd.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            if (connect(fd.back(), reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
                fail(ENODEV, "no such device");
        }
    }
    ~device() {
        for (int one : fd) close(one);
    }
    device(const device &) = delete;
    device &operator=(const device &) = delete;
    int units() const { return static_cast<int>(fd.size()); }

    // Sends a request with request.count bytes and returns the reply, whose bytes go to `into`. Fails with the text
    // `what` if the card replies with an error.
    card_reply must(const char *what, int unit, const card_request &request, const void *bytes = nullptr,
                    void *into = nullptr) const {
        card_reply reply;
        put(unit, &request, sizeof request);
        if (bytes) put(unit, bytes, request.count);
        get(unit, &reply, sizeof reply);
        if (into && reply.count) get(unit, into, reply.count);
        if (reply.error) fail(reply.error, what);
        return reply;
    }

    std::shared_ptr<binary> loaded;
    std::map<int, std::uint64_t> used; // bytes used in each bank

  private:
    std::vector<int> fd;

    void put(int unit, const void *data, std::size_t bytes) const {
        for (auto *at = static_cast<const char *>(data); bytes > 0;) {
            ssize_t n = send(fd.at(static_cast<std::size_t>(unit)), at, bytes, MSG_NOSIGNAL);
            if (n <= 0) fail(EIO, "the card is gone");
            at += n, bytes -= static_cast<std::size_t>(n);
        }
    }
    void get(int unit, void *data, std::size_t bytes) const {
        for (auto *at = static_cast<char *>(data); bytes > 0;) {
            ssize_t n = recv(fd.at(static_cast<std::size_t>(unit)), at, bytes, 0);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) fail(EIO, "the card is gone");
            at += n, bytes -= static_cast<std::size_t>(n);
        }
    }
};

} // namespace xrt_core

namespace xrt {

// ---- device ----

// Keeps every opened device alive, because an xclDeviceHandle is a plain pointer.
static std::vector<std::shared_ptr<xrt_core::device>> opened;

device::device(unsigned int index) {
    if (index != 0) fail(ENODEV, "no such device");
    handle = std::make_shared<xrt_core::device>();
    opened.push_back(handle);
}

// Takes the PCI address of the only card, or an index. All indices except 0 fail.
device::device(const std::string &name) : device(name == "0000:00:00.1" ? 0u : std::stoul(name) ? 1u : 0u) {}

device::operator xclDeviceHandle() const { return handle.get(); }

uuid device::load_xclbin(const std::string &path) {
    auto file = std::make_shared<binary>(path);
    if (static_cast<int>(file->units.size()) != handle->units()) fail(EINVAL, "other compute units than the card has");
    for (int unit = 0; unit < handle->units(); unit++)
        handle->must("load_xclbin", unit, {CARD_LOAD, 0, 0, sizeof file->uuid}, file->uuid);
    handle->loaded = file;
    return uuid(file->uuid);
}

uuid device::get_xclbin_uuid() const {
    xuid_t id;
    handle->must("get_xclbin_uuid", 0, {CARD_LOADED, 0, 0, 0}, nullptr, id);
    return uuid(id);
}

void device::reset() {
    for (int unit = 0; unit < handle->units(); unit++) handle->must("reset", unit, {CARD_RESET, 0, 0, 0});
}

std::any device::get_info_std(info::device what, const detail::abi &) const {
    switch (what) {
    case info::device::name: return std::string("xilinx_u55c_gen3x16_xdma_base_3");
    case info::device::bdf: return std::string("0000:00:00.1");
    case info::device::max_clock_frequency_mhz: return 300ul;
    case info::device::electrical: return std::string(R"({"power_consumption_watts": "31.5"})");
    case info::device::memory: return std::string("{}");
    default: fail(EOPNOTSUPP, "not simulated");
    }
}

unsigned int system::enumerate_devices() { return 1; }

// ---- buffers ----

class bo_impl {
  public:
    xrt_core::device *card;
    int unit;                                // compute unit whose process has the bank
    std::shared_ptr<std::vector<char>> host; // the host's copy; a sub-buffer shares its parent's
    std::uint64_t address;                   // of the first byte, in the memory of the card
    std::size_t offset, bytes;               // part of `host`
};

// BANK_BASE: offset of the first buffer in a bank. It is not 0, so that a design that ignores its base register fails.
// PAGE: buffers begin at multiples of this number of bytes.
enum { BANK_BASE = 2 << 20, PAGE = 4096 };

// Allocates a buffer in a bank. Its memory on the host begins with bytes of 0x5a, so that a program that relies on
// zeros fails.
bo::bo(xclDeviceHandle device, size_t bytes, bo::flags, memory_group bank) {
    auto *card = static_cast<xrt_core::device *>(device);
    std::uint64_t &used = card->used[static_cast<int>(bank)];
    if (bytes == 0 || BANK_BASE + used + bytes > 1ull << CARD_CHANNEL_SHIFT) throw std::bad_alloc();
    int unit = card->loaded ? card->loaded->unit_of_bank(static_cast<int>(bank)) : -1;
    if (unit < 0) fail(EINVAL, "no compute unit uses the bank");
    std::uint64_t address = (static_cast<std::uint64_t>(bank) << CARD_CHANNEL_SHIFT) + BANK_BASE + used;
    handle = std::make_shared<bo_impl>();
    *handle = {card, unit, std::make_shared<std::vector<char>>(bytes, '\x5a'), address, 0, bytes};
    used += (bytes + PAGE - 1) / PAGE * PAGE;
}

bo::bo(const bo &parent, size_t bytes, size_t offset) {
    const bo_impl &p = *parent.handle;
    if (offset + bytes > p.bytes) fail(EINVAL, "sub-buffer");
    handle = std::make_shared<bo_impl>();
    *handle = {p.card, p.unit, p.host, p.address + offset, p.offset + offset, bytes};
}

void *bo::map() { return handle->host->data() + handle->offset; }
size_t bo::size() const { return handle->bytes; }
uint64_t bo::address() const { return handle->address; }

void bo::sync(xclBOSyncDirection direction, size_t bytes, size_t offset) {
    if (offset + bytes > handle->bytes) fail(EINVAL, "sync");
    bool to_card = direction == XCL_BO_SYNC_BO_TO_DEVICE;
    for (size_t done = 0; done < bytes; done += CARD_CHUNK) {
        size_t n = std::min<size_t>(bytes - done, CARD_CHUNK);
        char *at = handle->host->data() + handle->offset + offset + done;
        card_request r = {to_card ? CARD_WRITE : CARD_READ, 0, handle->address + offset + done, n};
        handle->card->must("sync", handle->unit, r, to_card ? at : nullptr, to_card ? nullptr : at);
    }
}

// ---- kernels ----

class kernel_impl {
  public:
    std::shared_ptr<xrt_core::device> card;
    int unit;
    bool exclusive;
    const argument &at(int index) const {
        const auto &arguments = card->loaded->units[static_cast<std::size_t>(unit)].arguments;
        auto found = arguments.find(index);
        if (found == arguments.end()) fail(EINVAL, "no such argument");
        return found->second;
    }
    card_reply must(const char *what, const card_request &request, const void *bytes = nullptr) const {
        return card->must(what, unit, request, bytes);
    }
};

static std::string plain(std::string name) { // kernel:{unit} -> kernel:unit
    name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c == '{' || c == '}'; }), name.end());
    return name;
}

kernel::kernel(const device &d, const uuid &, const std::string &name, cu_access_mode mode) {
    auto card = d.get_handle();
    int unit = card->loaded ? static_cast<int>(card->loaded->units.size()) - 1 : -1;
    while (unit >= 0 && plain(name) != card->loaded->units[static_cast<std::size_t>(unit)].name) unit--;
    if (unit < 0) fail(ENOENT, "no compute unit " + name);
    card->must("compute unit", unit, {CARD_OPEN_UNIT, 0, 0, 0});
    handle = std::make_shared<kernel_impl>();
    *handle = {card, unit, mode == cu_access_mode::exclusive};
}

int kernel::group_id(int index) const {
    if (handle->at(index).bank < 0) fail(EINVAL, "no memory of the argument");
    return handle->at(index).bank;
}

uint32_t kernel::offset(int index) const { return handle->at(index).offset; }

uint32_t kernel::read_register(uint32_t offset) const {
    if (!handle->exclusive) fail(EPERM, "the compute unit is shared");
    return handle->must("read_register", {CARD_GET, offset, 0, 0}).value;
}

void kernel::write_register(uint32_t offset, uint32_t value) {
    if (!handle->exclusive) fail(EPERM, "the compute unit is shared");
    handle->must("write_register", {CARD_SET, offset, value, 0});
}

// ---- runs ----

class run_impl {
  public:
    std::shared_ptr<kernel_impl> kernel;
    std::map<std::uint32_t, std::uint32_t> word; // value of each register, by its byte offset
    ert_cmd_state state = ERT_CMD_STATE_NEW;
};

run::run(const kernel &k) {
    handle = std::make_shared<run_impl>();
    handle->kernel = k.get_handle();
}

void run::set_arg_at_index(int index, const void *value, size_t bytes) {
    const argument &a = handle->kernel->at(index);
    if (bytes != a.size) fail(EINVAL, "size of an argument");
    for (size_t i = 0; i < bytes; i += 4)
        std::memcpy(&handle->word[a.offset + i], static_cast<const char *>(value) + i, 4);
}

void run::set_arg_at_index(int index, const bo &b) {
    if (b.address() >> CARD_CHANNEL_SHIFT != static_cast<std::uint64_t>(handle->kernel->at(index).bank))
        fail(EINVAL, "a buffer in another bank than the argument's");
    std::uint64_t address = b.address();
    set_arg_at_index(index, &address, sizeof address);
}

// Starts a run. Like XRT's scheduler, copies all words from the first argument's register to the last argument's;
// registers between arguments get 0.
void run::start() {
    std::vector<std::uint32_t> words;
    for (auto [offset, value] : handle->word) {
        words.resize((offset - CARD_ARGUMENTS_AT) / 4 + 1);
        words.back() = value;
    }
    handle->kernel->must("start", {CARD_START, 0, 0, 4 * words.size()}, words.data());
    handle->state = ERT_CMD_STATE_RUNNING;
}

// Returns the state of the run. After a reset the card does not know the command, and the state becomes ABORT.
ert_cmd_state run::state() const {
    if (handle->state != ERT_CMD_STATE_RUNNING) return handle->state;
    std::uint32_t value = handle->kernel->must("state", {CARD_STATE, 0, 0, 0}).value;
    if (value == 2) handle->state = ERT_CMD_STATE_COMPLETED;
    if (value == 0) handle->state = ERT_CMD_STATE_ABORT;
    return handle->state;
}

// Waits until the run has ended, or for at most `limit` (0: no limit). Returns the state, or TIMEOUT at the limit.
ert_cmd_state run::wait(const std::chrono::milliseconds &limit) const {
    auto end = std::chrono::steady_clock::now() + limit;
    while (state() == ERT_CMD_STATE_RUNNING) {
        if (limit.count() != 0 && std::chrono::steady_clock::now() >= end) return ERT_CMD_STATE_TIMEOUT;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return handle->state;
}

ert_cmd_state run::abort() { return handle->state = ERT_CMD_STATE_ABORT; }

} // namespace xrt
