// SPDX-License-Identifier: Apache-2.0
// Writes placement.tcl, which says on which die each instance of the design is. Its lines call rill_prefer and
// rill_place, which boards/vitis/place.tcl defines. With the rill_prefer lines alone, only the large kernels and the
// engines are placed.
#include "gen/emit/emit.h"
#include "gen/cost/cost.h"
#include "gen/package/package.h"

// A kernel is large if it needs more than this percentage of any kind of resource of its die.
enum { LARGE_PERCENT = 4 };

static bool is_share(int64_t part, int64_t whole) { return part * 100 > whole * LARGE_PERCENT; }

static bool is_large(const struct cost_resources *c, const struct ir_die *d) {
    return is_share(c->lut, d->lut) || is_share(c->ff, d->ff) || is_share(c->dsp, d->dsp) ||
           is_share(c->bram18, 2 * d->bram36) || is_share(c->uram, d->uram);
}

static bool is_engine(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel) return true;
    return false;
}

static void prefer(const struct package *p, int die, const char *path, struct text *out) {
    text_addf(out, "rill_prefer %s {%s}\n", p->ir->die[die].name, path);
}

// Adds a preference for each large kernel whose resources are estimated, except engines, which emit_engine_preferences
// adds.
static void prefer_kernels(const struct package *p, struct text *out) {
    struct cost_design cost = cost_design(p->ir);
    for (int k = 0; k < p->ir->kernels; k++) {
        const struct ir_kernel *kernel = &p->ir->kernel[k];
        if (cost.known[k] && !is_engine(p->ir, k) && is_large(&cost.kernel[k], &p->ir->die[kernel->die]))
            prefer(p, kernel->die, emit_kernel_path(p->plan, k), out);
    }
}

void package_placement(const struct package *p, struct text *out) {
    bool spread = p->ir->design.dies > 1 && p->ir->dies > 1;
    text_addf(
        out,
        "%s\n# Instances of rill_top and their dies. `rill_prefer die path`: large kernels (estimated at more than\n"
        "# %d %% of a kind of resource of the die), and matrix engines with the parts of their lanes.\n"
        "# `rill_place pblock_<die> path`: everything. An instance is where it was put last.\n",
        package_comment(p, "#"), LARGE_PERCENT);
    if (!spread) {
        text_add(out, "# The design is not spread over dies (design.dies): there is nothing to say.\n");
        return;
    }
    prefer_kernels(p, out);
    emit_engine_preferences(p->plan, out);
    emit_placement(p->plan, out);
}
