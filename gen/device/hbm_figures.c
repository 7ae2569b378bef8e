// SPDX-License-Identifier: Apache-2.0
// Works on the figures of a board's memory: applies overrides, finds contradictions, prints the list of keys, and
// derives values from the figures.
#include "gen/device/hbm_figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/diag.h"

#define ATOM_BYTES 32.0 // the unit in which bus time is counted (hbm_figures_atom_ns)

enum figure_type { FIGURE_int, FIGURE_double };

static const struct figure {
    const char *key;
    enum figure_type type;
    size_t offset;
    double low, high, preset;
    const char *unit, *text;
} figures[] = {
#define FIGURE(type, key, low, high, preset, unit, text)                                                               \
    {#key, FIGURE_##type, offsetof(struct hbm_figures, key), low, high, preset, unit, text},
    HBM_FIGURES(FIGURE)
#undef FIGURE
};

// ---- overrides ----

static const struct figure *find(const char *key, size_t len) {
    for (size_t i = 0; i < COUNT_OF(figures); i++)
        if (strlen(figures[i].key) == len && !strncmp(figures[i].key, key, len)) return &figures[i];
    return NULL;
}

// Returns the message about an unknown key, with the most similar known one.
static const char *unknown(struct arena *arena, const char *key) {
    const char *words[COUNT_OF(figures)];
    for (size_t i = 0; i < COUNT_OF(figures); i++) words[i] = figures[i].key;
    const char *near = diag_nearest_word(key, words, COUNT_OF(figures));
    return arena_printf(arena, "no figure `%s`; %s%s%s", key, near ? "did you mean `" : "`--hbm help` lists them",
                        near ? near : "", near ? "`?" : "");
}

const char *hbm_figures_set(struct arena *arena, struct hbm_figures *h, const char *key_value) {
    size_t len = strcspn(key_value, "=");
    const struct figure *f = find(key_value, len);
    if (!key_value[len]) return arena_printf(arena, "`%s`: write KEY=VALUE", key_value);
    if (!f) return unknown(arena, arena_strndup(arena, key_value, len));
    if (f->preset == HBM_LIMIT) return arena_printf(arena, "`%s` is the board file's alone", f->key);
    const char *text = key_value + len + 1;
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    bool number = end != text && !*end && !errno && isfinite(v);
    if (!number || (f->type == FIGURE_int && v != floor(v)))
        return arena_printf(arena, "%s takes %s from %g to %g, not `%s`", f->key,
                            f->type == FIGURE_int ? "an integer" : "a number", f->low, f->high, text);
    if (v < f->low || v > f->high)
        return arena_printf(arena, "%s must be from %g to %g%s%s, not %g; the nearest legal value is %g", f->key,
                            f->low, f->high, *f->unit ? " " : "", f->unit, v, v < f->low ? f->low : f->high);
    void *member = (char *)h + f->offset;
    if (f->type == FIGURE_int) *(int *)member = (int)v;
    else *(double *)member = v;
    return NULL;
}

const char *hbm_figures_override(struct arena *arena, struct hbm_figures *h, const char *const *key_value) {
    struct hbm_fault fault[HBM_MAX_FAULTS];
    for (; key_value && *key_value; key_value++) {
        const char *why = hbm_figures_set(arena, h, *key_value);
        if (why) return why;
    }
    if (!hbm_figures_faults(arena, h, fault)) return NULL;
    return arena_printf(arena, "%s; the nearest legal value is %g", fault[0].what, fault[0].nearest);
}

// ---- contradictions ----

// Returns the power of two, from 32 on, that is nearest to `bits`.
static double nearest_power(int bits) {
    double power = 32;
    while (power * 3 / 2 < bits) power *= 2;
    return power;
}

int hbm_figures_faults(struct arena *arena, const struct hbm_figures *h, struct hbm_fault out[HBM_MAX_FAULTS]) {
    const struct {
        const char *low, *high;
        double value, limit;
    } order[] = {{"sustained_gbs", "peak_gbs", h->sustained_gbs, h->peak_gbs},
                 {"latency_hit_ns", "latency_closed_ns", h->latency_hit_ns, h->latency_closed_ns},
                 {"latency_closed_ns", "latency_miss_ns", h->latency_closed_ns, h->latency_miss_ns},
                 {"refresh_ns", "half of refresh_interval_ns", h->refresh_ns, h->refresh_interval_ns / 2}};
    int count = 0;
    for (size_t i = 0; i < COUNT_OF(order); i++)
        if (order[i].value > order[i].limit)
            out[count++] = (struct hbm_fault){order[i].low,
                                              arena_printf(arena, "%s (%g) must not be above %s (%g)", order[i].low,
                                                           order[i].value, order[i].high, order[i].limit),
                                              order[i].limit};
    if (h->port_bits & (h->port_bits - 1))
        out[count++] = (struct hbm_fault){
            "port_bits", arena_printf(arena, "hbm.port_bits (%d) must be a power of two", h->port_bits),
            nearest_power(h->port_bits)};
    return count;
}

// ---- lists ----

void hbm_figures_list(FILE *out, bool markdown) {
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        const struct figure *f = &figures[i];
        char range[64], preset[32] = "required";
        snprintf(range, sizeof range, "%.10g to %.10g", f->low, f->high);
        if (f->preset >= 0) snprintf(preset, sizeof preset, "%g", f->preset);
        if (!markdown && f->preset == HBM_LIMIT) continue;
        if (markdown) fprintf(out, "| `hbm.%s` | %s | %s | %s | %s |\n", f->key, range, f->unit, preset, f->text);
        else fprintf(out, "  %-20s %-18s %-6s %s\n", f->key, range, f->unit, f->text);
    }
}

// ---- derived values ----

static double most(double a, double b) { return a > b ? a : b; }

// The bus idles while a refresh keeps all banks closed, and then while the next row is opened. Opening a row takes the
// difference of the latencies with a closed and with an open row.
double hbm_figures_pause_ns(const struct hbm_figures *h) {
    return h->refresh_ns + h->latency_closed_ns - h->latency_hit_ns;
}

// The sustained rate includes refreshes, so the rate between them is higher by the share of time that they take.
double hbm_figures_atom_ns(const struct hbm_figures *h) {
    double pins = ATOM_BYTES / h->peak_gbs, port = ATOM_BYTES / (h->port_bits / 8.0 * h->port_mhz * 1e-3),
           between = ATOM_BYTES / h->sustained_gbs * (1 - hbm_figures_pause_ns(h) / h->refresh_interval_ns);
    return most(most(pins, port), between);
}

// The data that are on the bus when a refresh begins still finish, so the bus idles for one atom less than the pause.
double hbm_figures_rate(const struct hbm_figures *h) {
    double atom = hbm_figures_atom_ns(h), idle = most(hbm_figures_pause_ns(h) - atom, 0);
    return ATOM_BYTES / atom * (1 - idle / h->refresh_interval_ns);
}

struct hbm_share hbm_figures_share(const struct hbm_figures *h, double bytes, double seconds) {
    double gbs = seconds > 0 ? bytes / seconds * 1e-9 : 0;
    return (struct hbm_share){gbs / h->peak_gbs, gbs / hbm_figures_rate(h)};
}

const char *hbm_figures_share_text(struct arena *arena, const struct hbm_figures *h, struct hbm_share s) {
    return arena_printf(arena, "%.1f %% of the peak %.2f GB/s, %.1f %% of the sustained %.2f", 100 * s.peak,
                        h->peak_gbs, 100 * s.sustained, hbm_figures_rate(h));
}
