// SPDX-License-Identifier: Apache-2.0
// Board figures other than dies and memory: the logic that the vendor's linker adds for each memory port, how full a
// die or a die boundary may be, and the card's power. Each section of a board file has one table here. The section's
// keys, its copy in design.yaml and the rows of docs/boards.md are generated from the table.
#ifndef RILL_BOARD_FIGURES_H
#define RILL_BOARD_FIGURES_H

#include <stdio.h>

// F(type, key, low, high, preset, unit, text): type in C, key of the board file, range of legal values, the value if
// the file lacks the key, unit, description for docs/boards.md
#define BOARD_PORT_FIGURES(F)                                                                                          \
    F(int, lut, 0, 1000000, 0, "", "LUTs of the vendor's memory subsystem for each channel in use")                    \
    F(int, ff, 0, 1000000, 0, "", "flip-flops in the same way")                                                        \
    F(int, most_lut, 0, 1000000, 0, "",                                                                                \
      "LUTs by a second, higher estimate, which reports also show. 0: the first estimate")                             \
    F(int, most_ff, 0, 1000000, 0, "", "flip-flops in the same way")

#define BOARD_LIMIT_FIGURES(F)                                                                                         \
    F(double, lut, 1, 100, 60, "%", "LUTs of a die")                                                                   \
    F(double, hbm_lut, 1, 100, 65, "%", "LUTs of the die with the memory ports")                                       \
    F(double, ff, 1, 100, 75, "%", "flip-flops of a die")                                                              \
    F(double, dsp, 1, 100, 75, "%", "DSPs of a die")                                                                   \
    F(double, bram36, 1, 100, 75, "%", "block RAMs of a die")                                                          \
    F(double, uram, 1, 100, 75, "%", "URAMs of a die")                                                                 \
    F(double, wires, 1, 100, 60, "%", "wires between two dies, those of the platform included, as a share of `sll`")

#define BOARD_POWER_FIGURES(F)                                                                                         \
    F(double, limit_w, 0, 10000, 0, "W", "highest power of the card. 0: power is not estimated")                       \
    F(double, idle_low_w, 0, 10000, 0, "W", "power of the card without a design, lower estimate")                      \
    F(double, idle_high_w, 0, 10000, 0, "W", "static power, platform and memory subsystem, higher estimate")           \
    F(double, hbm_low_pj, 0, 1000, 0, "pJ/bit", "energy per bit read or written, lower estimate")                      \
    F(double, hbm_high_pj, 0, 1000, 0, "pJ/bit", "energy per bit with its path, higher estimate")                      \
    F(double, lut_pj, 0, 1000, 0, "pJ", "energy of a LUT in a cycle in which its kernel works")                        \
    F(double, ff_pj, 0, 1000, 0, "pJ", "energy of a flip-flop in such a cycle")                                        \
    F(double, dsp_pj, 0, 1000, 0, "pJ", "energy of a DSP in such a cycle")                                             \
    F(double, bram36_pj, 0, 1000, 0, "pJ", "energy of a block RAM in such a cycle")                                    \
    F(double, uram_pj, 0, 1000, 0, "pJ", "energy of a URAM in such a cycle")                                           \
    F(double, waiting, 0, 1, 1, "", "share of that energy in a cycle in which its kernel waits")                       \
    F(double, logic_spread, 1, 10, 1, "", "factor by which the power of logic may be lower or higher")

// S(section of the board file, its figures)
#define BOARD_SECTIONS(S)                                                                                              \
    S(memory_port, BOARD_PORT_FIGURES)                                                                                 \
    S(limits, BOARD_LIMIT_FIGURES)                                                                                     \
    S(power, BOARD_POWER_FIGURES)

#define BOARD_MEMBER(type, key, low, high, preset, unit, text) type key;
#define BOARD_STRUCT(name, figures)                                                                                    \
    struct board_##name {                                                                                              \
        figures(BOARD_MEMBER)                                                                                          \
    };
BOARD_SECTIONS(BOARD_STRUCT)
#undef BOARD_STRUCT
#undef BOARD_MEMBER

#define BOARD_SECTION(name, figures) struct board_##name name;
struct board_figures {
    BOARD_SECTIONS(BOARD_SECTION)
};
#undef BOARD_SECTION

#endif
