// SPDX-License-Identifier: Apache-2.0
// Reads the outputs of Vivado's commands `report_utilization -hierarchical` and `report_timing_summary`. It finds
// columns by their names, because versions of the tool order them differently. A table line that cannot be read is an
// error with its line and column.
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "gen/report/vendor.h"

enum { MAX_REPORT = 512 << 20, MAX_CELLS = 64, MAX_DEPTH = 128 }; // limits: bytes of a report, columns, levels

struct line {
    const char *at;
    size_t len;
};

struct reader {
    struct arena *arena;
    struct diag *diag;
    struct source *source; // the report that is read
    const char *next;      // its next line
    uint32_t number;       // number of the line read last
};

// Reads the next line, without its line end. Returns false at the end of the report.
static bool next_line(struct reader *r, struct line *line) {
    if (!*r->next) return false;
    size_t len = strcspn(r->next, "\n");
    *line = (struct line){r->next, len && r->next[len - 1] == '\r' ? len - 1 : len};
    r->next += len + (r->next[len] == '\n');
    r->number++;
    return true;
}

static void rewind_to_start(struct reader *r) {
    r->next = r->source->data;
    r->number = 0;
}

// Returns the location of a character of the current line, for messages.
static struct loc place(const struct reader *r, const struct line *line, const char *at) {
    return (struct loc){r->source, r->number, (uint32_t)(at - line->at) + 1};
}

static bool holds(const struct line *line, const char *word) { return memmem(line->at, line->len, word, strlen(word)); }

static const char *trimmed(struct arena *arena, const char *at, size_t len) {
    while (len && isspace((unsigned char)*at)) at++, len--;
    while (len && isspace((unsigned char)at[len - 1])) len--;
    return arena_strndup(arena, at, len);
}

// Returns the value in the first heading line with this key, such as `| Design State : Routed`, or NULL if there is no
// such line. The key may be anywhere in the line, so a blank at the end of a key excludes longer words.
static const char *heading(struct reader *r, const char *key) {
    struct line line;
    rewind_to_start(r);
    while (next_line(r, &line)) {
        const char *found = line.len && line.at[0] == '|' ? memmem(line.at, line.len, key, strlen(key)) : NULL;
        const char *colon = found ? memchr(found, ':', line.len - (size_t)(found - line.at)) : NULL;
        if (colon) return trimmed(r->arena, colon + 1, line.len - (size_t)(colon + 1 - line.at));
    }
    return NULL;
}

static struct vendor_source source_of(struct reader *r) {
    return (struct vendor_source){r->source->path, heading(r, "Tool Version"), heading(r, "Design State"),
                                  heading(r, "Device ")};
}

// Returns how far implementation was when the report was written, from 1 (synthesized) to 4 (routed), or 0 if the
// report does not say so. Figures of later stages are more exact.
static int stage_of(const struct vendor_source *s) {
    static const char *const words[] = {"Synthesized", "Optimized", "Placed", "Routed"};
    for (int i = COUNT_OF(words); s->state && i-- > 0;)
        if (strcasestr(s->state, words[i])) return i + 1;
    return 0;
}

// ---- the table of instances ----

struct cells {
    struct line cell[MAX_CELLS];
    int count;
};

// Splits a line of a table at its bars.
static void split_cells(const struct line *line, struct cells *out) {
    out->count = 0;
    const char *end = line->at + line->len, *at = line->at + 1;
    for (const char *bar; at < end && (bar = memchr(at, '|', (size_t)(end - at))) && out->count < MAX_CELLS;
         at = bar + 1)
        out->cell[out->count++] = (struct line){at, (size_t)(bar - at)};
}

enum column { NAME, MODULE, LUT, FF, RAMB36, RAMB18, URAM, DSP, COLUMNS };
static const struct {
    const char *names[4]; // names in different versions of the tool and families of devices
    bool optional;        // older families lack this column
} columns[COLUMNS] = {
    [NAME] = {{"Instance"}, false},
    [MODULE] = {{"Module"}, false},
    [LUT] = {{"Total LUTs", "CLB LUTs", "Slice LUTs"}, false},
    [FF] = {{"FFs", "CLB Registers", "Slice Registers"}, false},
    [RAMB36] = {{"RAMB36"}, false},
    [RAMB18] = {{"RAMB18"}, false},
    [URAM] = {{"URAM"}, true},
    [DSP] = {{"DSP Blocks", "DSP48 Blocks", "DSPs"}, false},
};

static int find_column(struct reader *r, const struct cells *head, const char *name) {
    for (int i = 0; i < head->count; i++)
        if (!strcmp(trimmed(r->arena, head->cell[i].at, head->cell[i].len), name)) return i;
    return IR_NONE;
}

// Finds the cell of each column in the head of the table. Reports an error if a column that is not optional is missing.
static bool find_columns(struct reader *r, const struct line *line, const struct cells *head, int where[COLUMNS]) {
    for (int c = 0; c < COLUMNS; c++) {
        where[c] = IR_NONE;
        for (size_t n = 0; n < COUNT_OF(columns[c].names) && columns[c].names[n] && where[c] == IR_NONE; n++)
            where[c] = find_column(r, head, columns[c].names[n]);
        if (where[c] != IR_NONE || columns[c].optional) continue;
        diag_error(r->diag, place(r, line, line->at), MSG_VENDOR_COLUMN, columns[c].names[0]);
        return false;
    }
    return true;
}

// Reads a count, `1234` or with its share `1234(0.56%)`. Drops a fraction of the count.
static bool read_count(struct reader *r, const struct line *line, const struct line *cell, int64_t *out) {
    const char *text = trimmed(r->arena, cell->at, cell->len);
    char *end;
    double value = strtod(text, &end);
    if (end != text && value >= 0 && value < 1e12 && isdigit((unsigned char)*text) && (!*end || *end == '(')) {
        *out = (int64_t)value;
        return true;
    }
    diag_error(r->diag, place(r, line, cell->at), MSG_VENDOR_COUNT, text);
    return false;
}

static bool read_counts(struct reader *r, const struct line *line, const struct cells *row, const int where[COLUMNS],
                        struct cost_resources *is) {
    int64_t n[COLUMNS] = {0};
    for (int c = LUT; c < COLUMNS; c++)
        if (where[c] != IR_NONE && !read_count(r, line, &row->cell[where[c]], &n[c])) return false;
    *is = (struct cost_resources){
        .lut = n[LUT], .ff = n[FF], .dsp = n[DSP], .bram18 = 2 * n[RAMB36] + n[RAMB18], .uram = n[URAM]};
    return true;
}

// Returns the depth in the hierarchy, which the report shows by blanks: one after the bar, then two for each level.
static int depth_of(const struct line *cell) {
    size_t blanks = 0;
    while (blanks < cell->len && cell->at[blanks] == ' ') blanks++;
    return blanks ? (int)(blanks - 1) / 2 : 0;
}

// Reads an instance. last[d]: row of the newest instance at depth d, which is the parent of rows at depth d + 1.
static bool read_row(struct reader *r, const struct line *line, const struct cells *row, const int where[COLUMNS],
                     int last[MAX_DEPTH], struct vendor *v) {
    const struct line *cell = &row->cell[where[NAME]], *module = &row->cell[where[MODULE]];
    struct vendor_row out = {.name = trimmed(r->arena, cell->at, cell->len),
                             .module = trimmed(r->arena, module->at, module->len),
                             .depth = depth_of(cell)};
    if (out.name[0] == '(') return true; // not an instance, but the part of its parent outside all instances
    bool known = out.depth < MAX_DEPTH && (!out.depth || last[out.depth - 1] != IR_NONE);
    if (!known) diag_error(r->diag, place(r, line, cell->at), MSG_VENDOR_PARENT, out.name);
    if (!known || !read_counts(r, line, row, where, &out.is)) return false;
    out.parent = out.depth ? last[out.depth - 1] : IR_NONE;
    last[out.depth] = (int)v->rows.count;
    for (int d = out.depth + 1; d < MAX_DEPTH; d++) last[d] = IR_NONE;
    VEC_PUSH(r->arena, v->rows, out);
    return true;
}

// Reads the table of instances: its head is the line with the columns Instance and Module, and it ends at the first
// line that is neither a row nor a rule.
static bool read_instances(struct reader *r, struct vendor *v) {
    struct line line;
    struct cells head = {0}, row;
    int where[COLUMNS], last[MAX_DEPTH];
    for (int d = 0; d < MAX_DEPTH; d++) last[d] = IR_NONE;
    rewind_to_start(r);
    while (next_line(r, &line)) {
        bool table = line.len && line.at[0] == '|';
        if (!head.count) {
            if (!table || !holds(&line, "Instance") || !holds(&line, "Module")) continue;
            split_cells(&line, &head);
            if (!find_columns(r, &line, &head, where)) return false;
        } else if (table) {
            split_cells(&line, &row);
            if (row.count != head.count) {
                diag_error(r->diag, place(r, &line, line.at), MSG_VENDOR_CELLS, row.count, head.count);
                return false;
            }
            if (!read_row(r, &line, &row, where, last, v)) return false;
        } else if (v->rows.count && (!line.len || line.at[0] != '+')) break;
    }
    if (v->rows.count) return true;
    diag_error(r->diag, loc_file(r->arena, r->source->path), MSG_VENDOR_INSTANCES);
    return false;
}

// Finds the first instance of rill_top, by its module or by the name it has in the kernel.
static bool find_top(struct reader *r, struct vendor *v) {
    for (size_t i = 0; i < v->rows.count; i++)
        if (!strcmp(v->rows.items[i].module, "rill_top") || !strcmp(v->rows.items[i].name, "rill_top") ||
            !strcmp(v->rows.items[i].name, "u_top")) {
            v->top = (int)i;
            return true;
        }
    diag_error(r->diag, loc_file(r->arena, r->source->path), MSG_VENDOR_NO_TOP);
    return false;
}

// ---- timing ----

// Splits a line into columns, which are two or more blanks apart; single blanks are part of a column.
static int split_columns(const struct line *line, struct line out[MAX_CELLS]) {
    int count = 0;
    for (const char *at = line->at, *end = line->at + line->len; at < end && count < MAX_CELLS;) {
        while (at < end && *at == ' ') at++;
        const char *from = at;
        while (at < end && !(*at == ' ' && (at + 1 == end || at[1] == ' '))) at++;
        if (at > from) out[count++] = (struct line){from, (size_t)(at - from)};
    }
    return count;
}

static int column_of(const struct line *head, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (head[i].len == strlen(name) && !memcmp(head[i].at, name, head[i].len)) return i;
    return IR_NONE;
}

// Reads a slack. The tool prints `NA` if there is no such path.
static bool read_slack(struct reader *r, const struct line *line, const struct line *cell, double *out, bool *has) {
    const char *text = trimmed(r->arena, cell->at, cell->len);
    char *end;
    *out = strtod(text, &end);
    *has = end != text && !*end;
    if (*has || !strcmp(text, "NA") || !strcmp(text, "N/A")) return true;
    diag_error(r->diag, place(r, line, cell->at), MSG_VENDOR_SLACK, text);
    return false;
}

// Reads a number of end points. `NA` counts as 0.
static bool read_ends(struct reader *r, const struct line *line, const struct line *cell, int64_t *out) {
    const char *text = trimmed(r->arena, cell->at, cell->len);
    *out = 0;
    return !strcmp(text, "NA") || read_count(r, line, cell, out);
}

// Reads the timing summary: a head line, a line of dashes, a line of values in the same columns.
static bool read_summary(struct reader *r, const struct line *head_line, struct vendor *v) {
    struct line line = *head_line, head[MAX_CELLS], value[MAX_CELLS];
    int heads = split_columns(&line, head), values = 0;
    static const char *const names[] = {"WNS(ns)", "TNS Failing Endpoints", "TNS Total Endpoints", "WHS(ns)"};
    int at[COUNT_OF(names)];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        at[i] = column_of(head, heads, names[i]);
        if (at[i] != IR_NONE) continue;
        diag_error(r->diag, place(r, &line, line.at), MSG_VENDOR_TIMING_COLUMN, names[i]);
        return false;
    }
    while (next_line(r, &line) && (!line.len || holds(&line, "---"))) continue;
    values = split_columns(&line, value);
    if (values != heads) {
        diag_error(r->diag, place(r, &line, line.at), MSG_VENDOR_TIMING_CELLS, values, heads);
        return false;
    }
    return read_slack(r, &line, &value[at[0]], &v->setup, &v->has_setup) &&
           read_ends(r, &line, &value[at[1]], &v->failing) && read_ends(r, &line, &value[at[2]], &v->ends) &&
           read_slack(r, &line, &value[at[3]], &v->hold, &v->has_hold);
}

// Reads rows such as `ap_clk  {0.000 2.000}  4.000  250.000` up to an empty line.
static bool read_clocks(struct reader *r, const struct line *head_line, struct vendor *v) {
    struct line line = *head_line, cell[MAX_CELLS];
    int heads = split_columns(&line, cell), period = column_of(cell, heads, "Period(ns)");
    while (next_line(r, &line) && line.len) {
        int n = split_columns(&line, cell);
        if (!n || holds(&line, "-----")) continue;
        double value = 0;
        bool has = false;
        if (n != heads || period == IR_NONE) {
            diag_error(r->diag, place(r, &line, line.at), MSG_VENDOR_CLOCK_CELLS, n, heads);
            return false;
        }
        if (!read_slack(r, &line, &cell[period], &value, &has)) return false;
        if (has)
            VEC_PUSH(r->arena, v->clocks, (struct vendor_clock){trimmed(r->arena, cell[0].at, cell[0].len), value});
    }
    return true;
}

// Reads the summary of the slacks, and the clocks if the report has them. Reports an error if there is no summary.
static bool read_timing(struct reader *r, struct vendor *v) {
    struct line line;
    bool summary = false, clocks = false;
    rewind_to_start(r);
    while (next_line(r, &line)) {
        if (!summary && holds(&line, "WNS(ns)") && holds(&line, "WHS(ns)")) {
            if (!read_summary(r, &line, v)) return false;
            summary = true;
        } else if (!clocks && holds(&line, "Waveform(ns)") && holds(&line, "Period(ns)")) {
            if (!read_clocks(r, &line, v)) return false;
            clocks = true;
        }
    }
    if (!summary) diag_error(r->diag, loc_file(r->arena, r->source->path), MSG_VENDOR_NO_SLACK);
    return summary;
}

// ---- the folder ----

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

typedef VEC(const char *) path_list;

static path_list list_reports(struct arena *arena, const char *dir) {
    path_list list = {0};
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (file_has_suffix(e->d_name, ".rpt")) VEC_PUSH(arena, list, arena_printf(arena, "%s/%s", dir, e->d_name));
    if (d) closedir(d);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, by_name);
    return list;
}

static struct source *read_source(struct arena *arena, const char *path, struct diag *diag) {
    struct source *s = ARENA_NEW(arena, struct source);
    const char *why;
    size_t len;
    s->path = path;
    s->data = file_read(arena, path, MAX_REPORT, &len, &why);
    s->size = len;
    if (!s->data) diag_error_text(diag, loc_file(arena, path), why);
    return s->data ? s : NULL;
}

// Keeps the report of the later stage. Reports an error if both reports are of the same stage.
static bool keep_later(struct reader *r, struct vendor_source *kept, struct source **source) {
    struct vendor_source found = source_of(r);
    if (kept->path && stage_of(kept) == stage_of(&found)) {
        diag_error(r->diag, loc_file(r->arena, found.path), MSG_VENDOR_STAGE_TWICE, kept->path,
                   found.state ? found.state : "not said");
        return false;
    }
    if (kept->path && stage_of(kept) > stage_of(&found)) return true;
    *kept = found;
    *source = r->source;
    return true;
}

struct vendor *vendor_read(struct arena *arena, const char *dir, struct diag *diag) {
    struct vendor *v = ARENA_NEW(arena, struct vendor);
    struct reader r = {.arena = arena, .diag = diag};
    struct source *instances = NULL, *timing = NULL;
    path_list list = list_reports(arena, dir);
    for (size_t i = 0; i < list.count; i++) {
        r.source = read_source(arena, list.items[i], diag);
        if (!r.source) return NULL;
        bool ok = true;
        if (strstr(r.source->data, "Utilization by Hierarchy")) ok = keep_later(&r, &v->utilization, &instances);
        else if (strstr(r.source->data, "Design Timing Summary")) ok = keep_later(&r, &v->timing, &timing);
        if (!ok) return NULL;
    }
    if (!instances) {
        diag_error(diag, loc_file(arena, dir), MSG_VENDOR_NO_REPORT);
        return NULL;
    }
    r.source = instances;
    if (!read_instances(&r, v) || !find_top(&r, v)) return NULL;
    r.source = timing;
    return !timing || read_timing(&r, v) ? v : NULL;
}

int vendor_find(const struct vendor *v, int parent, const char *name) {
    for (size_t i = 0; i < v->rows.count; i++)
        if (v->rows.items[i].parent == parent && !strcmp(v->rows.items[i].name, name)) return (int)i;
    return IR_NONE;
}
