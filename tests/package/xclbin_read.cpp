// SPDX-License-Identifier: Apache-2.0
// Prints what XRT's library reads from an xclbin: each kernel and unit, its arguments with offset, bytes, port and
// bank, and the number of banks in use. tests/package/check.py compares this with the package. usage: xclbin_read FILE
#include <cstdio>
#include <string>

#include <experimental/xrt_xclbin.h>

// Returns the names of the banks that an argument can reach, joined by `+`, or `-` for a register.
static std::string bank_of(const xrt::xclbin::arg &argument) {
    std::string banks;
    for (const auto &memory : argument.get_mems()) banks += (banks.empty() ? "" : "+") + memory.get_tag();
    return banks.empty() ? "-" : banks;
}

static void print_kernel(const xrt::xclbin::kernel &kernel) {
    for (const auto &unit : kernel.get_cus()) {
        std::string name = unit.get_name(); // kernel:unit
        std::printf("kernel %s %s\n", kernel.get_name().c_str(), name.substr(name.find(':') + 1).c_str());
        for (const auto &argument : unit.get_args())
            std::printf("argument %zu %s 0x%llx %llu %s %s\n", argument.get_index(), argument.get_name().c_str(),
                        static_cast<unsigned long long>(argument.get_offset()),
                        static_cast<unsigned long long>(argument.get_size()), argument.get_port().c_str(),
                        bank_of(argument).c_str());
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    try {
        xrt::xclbin binary{std::string(argv[1])};
        for (const auto &kernel : binary.get_kernels()) print_kernel(kernel);
        int used = 0;
        for (const auto &memory : binary.get_mems()) used += memory.get_used();
        std::printf("banks %d\n", used);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 1;
    }
}
