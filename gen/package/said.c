// SPDX-License-Identifier: Apache-2.0
// Makes the text that `rill package` prints: which files it wrote, and the commands that come next.
#include "gen/package/package.h"

void package_said(const struct package *p, const char *dir, size_t files, struct text *out) {
    const struct ir_platform *b = &p->ir->design.platform;
    const char *tools = b->first ? arena_printf(p->arena, " %s to %s", b->first, b->last) : "";
    text_addf(out, "wrote %s: kernel `%s`, compute %s `%s`, of the design `%s`; %zu files\nnext:\n", dir, p->name,
              p->units > 1 ? "units" : "unit", package_units(p, "`, `"), p->ir->name, files);
    text_addf(out, "  make -C %s lint      reads the Verilog with the tools that are installed\n", dir);
    text_addf(out, "  make -C %s host      builds the host program: needs g++ and XRT\n", dir);
    text_addf(out, "  make -C %s xo        packages the kernel: needs Vivado%s, minutes\n", dir, tools);
    text_addf(
        out,
        "  make -C %s xclbin    links it for the card: needs Vitis, hours, about %d GB of memory and %d GB of disk\n",
        dir, PACKAGE_LINK_MEMORY, PACKAGE_LINK_DISK);
    text_addf(out, "%s/CHECKLIST.md has the order of a first run on a card\n", dir);
}
