// SPDX-License-Identifier: Apache-2.0
// Reads the text output of platforminfo and the tables of Vivado's report_utilization. Tables and columns are found by
// their names, because versions of the tools order and number them differently. A value that cannot be read is an error
// with its line and column.
#include "gen/device/platform.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Limits: bytes of a file, cells of a row, characters of a word that is copied, and a number in a table. Further cells
// and characters are ignored.
enum { MAX_FILE = 64 << 20, MAX_CELLS = 64, MAX_WORD = 200 };
static const double MAX_COUNT = 1e9;

struct line { // a piece of the file, without a 0 at its end
    const char *at;
    size_t len;
};

struct cells { // the cells of a row of a table
    struct line cell[MAX_CELLS];
    int count;
};

struct reader {
    struct platform_said *said;
    const struct rill_device *device;
    const struct platform_build *build;
    struct arena *arena;
    struct diag *diag;
    const struct source *source;
    const char *next;
    uint32_t number; // number of the line read last
    bool has_kernel; // the kernel was found in the table of instances
    const char *ulp; // last name in the path of the platform's dynamic region; NULL: unknown
    // top: counts of the whole build; inner: counts of the kernel, or of the dynamic region in it.
    double top[PLATFORM_KINDS], inner[PLATFORM_KINDS];
    struct loc top_loc; // source NULL: no table of instances
    bool has_ulp;       // the dynamic region was found in the table of instances
};

// Reads the next line, without its end. Returns false at the end of the file.
static bool next_line(struct reader *r, struct line *line) {
    if (!*r->next) return false;
    size_t len = strcspn(r->next, "\n");
    *line = (struct line){r->next, len && r->next[len - 1] == '\r' ? len - 1 : len};
    r->next += len + (r->next[len] == '\n');
    r->number++;
    return true;
}

static struct loc place(const struct reader *r, const struct line *line, const char *at) {
    return (struct loc){r->source, r->number, (uint32_t)(at - line->at) + 1};
}

static struct line trimmed(struct line t) {
    while (t.len && isspace((unsigned char)*t.at)) t.at++, t.len--;
    while (t.len && isspace((unsigned char)t.at[t.len - 1])) t.len--;
    return t;
}

static bool is(struct line t, const char *word) { return t.len == strlen(word) && !memcmp(t.at, word, t.len); }

// Returns a copy with a 0 at its end, of at most MAX_WORD characters.
static const char *copy(const struct reader *r, struct line t) {
    return arena_strndup(r->arena, t.at, t.len < MAX_WORD ? t.len : MAX_WORD);
}

static bool names_die(struct line t) {
    if (t.len < 4 || memcmp(t.at, "SLR", 3) != 0) return false;
    for (size_t i = 3; i < t.len; i++)
        if (!isdigit((unsigned char)t.at[i])) return false;
    return true;
}

// Reads a count with or without its share, such as `1234`, `25.5`, `1234(0.56%)` or `1234 [ 0.56%]`.
static bool read_number(struct reader *r, const struct line *line, struct line cell, double *out) {
    struct line t = trimmed(cell);
    const char *text = copy(r, t);
    char *end = (char *)(uintptr_t)text;
    if (isdigit((unsigned char)*text)) *out = strtod(text, &end);
    while (*end == ' ') end++;
    if (end != text && *out <= MAX_COUNT && (!*end || *end == '(' || *end == '[')) return true;
    diag_error(r->diag, place(r, line, t.at), MSG_PLATFORM_COUNT, text, (int)MAX_COUNT);
    return false;
}

static bool add(struct reader *r, enum platform_what what, const char *die, enum platform_kind kind, double low,
                double high, struct loc loc) {
    struct platform_row row = {.what = what, .kind = kind, .die = die, .low = low, .high = high, .loc = loc};
    return platform_add(r->said, &row, r->arena, r->diag);
}

bool platform_add(struct platform_said *said, const struct platform_row *row, struct arena *arena, struct diag *diag) {
    for (size_t i = 0; i < said->rows.count; i++) {
        struct platform_row *was = &said->rows.items[i];
        bool same_die = was->die && row->die ? !strcmp(was->die, row->die) : was->die == row->die;
        if (was->what != row->what || was->kind != row->kind || !same_die) continue;
        if (row->low <= was->high && row->high >= was->low) { // both can be true: keep the range that both allow
            if (row->low > was->low) was->low = row->low;
            if (row->high < was->high) was->high = row->high;
            return true;
        }
        diag_error(diag, row->loc, MSG_PLATFORM_TWICE, platform_figure_name(row, arena), was->loc.line);
        return false;
    }
    VEC_PUSH(arena, said->rows, *row);
    return true;
}

// ---- platforminfo ----

static const struct {
    const char *name;
    enum platform_kind kind;
} info_kinds[] = {{"LUTs", PLATFORM_LUT},
                  {"FFs", PLATFORM_FF},
                  {"BRAMs", PLATFORM_BRAM36},
                  {"URAMs", PLATFORM_URAM},
                  {"DSPs", PLATFORM_DSP}};

// Reads a line `key: value` of the section. If the key is the name of a die, the counts in later lines belong to this
// die.
static bool read_info_line(struct reader *r, const struct line *line, struct line t, const char **die) {
    const char *colon = memchr(t.at, ':', t.len);
    struct line key = trimmed((struct line){t.at, (size_t)(colon - t.at)}),
                value = {colon + 1, (size_t)(t.at + t.len - colon - 1)};
    if (names_die(key)) {
        *die = copy(r, key);
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(info_kinds); i++) {
        double count;
        if (!is(key, info_kinds[i].name)) continue;
        return read_number(r, line, value, &count) &&
               add(r, PLATFORM_REGION, *die, info_kinds[i].kind, count, count, place(r, line, trimmed(value).at));
    }
    return true; // another property
}

// Reads the section `Resource Availability`, from its heading up to the next heading. Headings are lines without a
// colon, between rules of `=`.
static bool read_info(struct reader *r) {
    struct line line;
    const char *die = NULL;
    bool inside = false;
    while (next_line(r, &line)) {
        struct line t = trimmed(line);
        if (!t.len || t.at[0] == '=') continue;
        bool heading = !memchr(t.at, ':', t.len);
        if (is(t, "Resource Availability")) inside = true;
        else if (is(t, "Total") || is(t, "Per SLR")) die = NULL;
        else if (heading) inside = false;
        else if (inside && !read_info_line(r, &line, t, &die)) return false;
    }
    return true;
}

// Finds the name of the platform, NAME in `File: .../NAME.xpfm`, and returns to the first line.
static void find_platform(struct reader *r) {
    struct line line;
    const char *start = r->next;
    while (!r->said->platform && next_line(r, &line)) {
        const char *end = memmem(line.at, line.len, ".xpfm", 5), *from = end;
        while (from && from > line.at && !strchr("/ \t\"'", from[-1])) from--;
        if (!end || from == end) continue;
        r->said->platform = copy(r, (struct line){from, (size_t)(end - from)});
        r->said->platform_loc = place(r, &line, from);
    }
    r->next = start;
    r->number = 0;
}

// ---- tables of Vivado ----

// Splits a line of a table, `| a | b |`, into its cells.
static void split_cells(const struct line *line, struct cells *out) {
    out->count = 0;
    const char *end = line->at + line->len, *at = line->at + 1;
    for (const char *bar; at < end && (bar = memchr(at, '|', (size_t)(end - at))) && out->count < MAX_CELLS;
         at = bar + 1)
        out->cell[out->count++] = (struct line){at, (size_t)(bar - at)};
}

// Returns the index of the column with this title, or -1 if there is none.
static int column(const struct cells *head, const char *name) {
    for (int i = 0; i < head->count; i++)
        if (is(trimmed(head->cell[i]), name)) return i;
    return -1;
}

// Returns the name of a row without the marks of footnotes that may follow it.
static struct line row_name(struct line cell) {
    struct line t = trimmed(cell);
    while (t.len && t.at[t.len - 1] == '*') t.len--;
    return t;
}

// Returns the kind of resource that a row of the table of sites counts, or -1 for a kind that is not compared.
static int site_kind(struct line name) {
    static const struct {
        const char *name;
        enum platform_kind kind;
    } sites[] = {{"CLB LUTs", PLATFORM_LUT},
                 {"CLB Registers", PLATFORM_FF},
                 {"Block RAM Tile", PLATFORM_BRAM36},
                 {"URAM", PLATFORM_URAM},
                 {"DSPs", PLATFORM_DSP}};
    for (size_t i = 0; i < COUNT_OF(sites); i++)
        if (is(name, sites[i].name)) return (int)sites[i].kind;
    return -1;
}

// Reads a row of | Site Type | Used | ... | Available | Util% |. The number under `Available` is that of the device.
static bool read_site(struct reader *r, const struct line *line, const struct cells *head, const struct cells *row) {
    int kind = site_kind(row_name(row->cell[0])), available = column(head, "Available");
    double count;
    if (kind < 0) return true;
    return read_number(r, line, row->cell[available], &count) &&
           add(r, PLATFORM_DEVICE, NULL, (enum platform_kind)kind, count, count,
               place(r, line, trimmed(row->cell[available]).at));
}

// Reads a row of | Site Type | SLR0 | SLR1 | ... | SLR0 % | SLR1 % | ... |. The resources of a die are its used number
// divided by its share. The share is rounded to two decimals, so the figure is a range.
static bool read_site_of_dies(struct reader *r, const struct line *line, const struct cells *head,
                              const struct cells *row) {
    static const double HALF = 0.005; // % by which a share may be rounded
    int kind = site_kind(row_name(row->cell[0]));
    for (int i = 1; kind >= 0 && i < head->count; i++) {
        struct line title = trimmed(head->cell[i]);
        double used, share;
        if (!names_die(title)) continue;
        const char *die = copy(r, title);
        int at = column(head, arena_printf(r->arena, "%s %%", die));
        if (at < 0) continue;
        struct line cell = trimmed(row->cell[at]);
        if (!read_number(r, line, row->cell[i], &used)) return false;
        if (cell.len && *cell.at == '<') continue; // too small for a range: `<0.01`
        if (!read_number(r, line, row->cell[at], &share)) return false;
        if (share <= HALF) continue;
        if (!add(r, PLATFORM_DEVICE, die, (enum platform_kind)kind, ceil(100 * used / (share + HALF)),
                 floor(100 * used / (share - HALF)), place(r, line, trimmed(row->cell[i]).at)))
            return false;
    }
    return true;
}

// Reads a row of | SLR1 <-> SLR0 | used | fixed | available | ... |. The wires that a build uses are an upper bound of
// those that the platform uses.
static bool read_wires(struct reader *r, const struct line *line, const struct cells *head, const struct cells *row) {
    struct line name = trimmed(row->cell[0]);
    const char *arrow = memmem(name.at, name.len, "<->", 3);
    if (!arrow) return true;
    struct line a = trimmed((struct line){name.at, (size_t)(arrow - name.at)}),
                b = trimmed((struct line){arrow + 3, (size_t)(name.at + name.len - arrow - 3)});
    if (!names_die(a) || !names_die(b)) return true;
    const char *one = copy(r, a), *two = copy(r, b), *die = atoi(one + 3) < atoi(two + 3) ? one : two;
    double used, all;
    int used_at = column(head, "Used"), all_at = column(head, "Available");
    return read_number(r, line, row->cell[used_at], &used) && read_number(r, line, row->cell[all_at], &all) &&
           add(r, PLATFORM_WIRES, die, PLATFORM_LUT, all, all, place(r, line, trimmed(row->cell[all_at]).at)) &&
           add(r, PLATFORM_WIRES_USED, die, PLATFORM_LUT, 0, used, place(r, line, trimmed(row->cell[used_at]).at));
}

// Adds the range of the platform's cells that follows from a count in a build. An exact count has the platform's cells
// and the memory subsystem for all ports. Tools optimize differently, so the range is wider by one percent. It begins
// at the count less the subsystem for all ports, or at 0 if the number of ports or the subsystem's count of this kind
// is unknown. A count that is not exact is only a lower bound of the platform's cells.
static bool add_cells(struct reader *r, enum platform_kind kind, double count, bool exact, struct loc loc) {
    const struct board_memory_port *port = &r->device->figures.memory_port;
    const double SLACK = 0.01;
    double low = 0, high = exact ? floor(count * (1 + SLACK)) : 1e12;
    if (!exact) low = count;
    else if (r->build->has_ports && kind == PLATFORM_LUT)
        low = ceil(count * (1 - SLACK) - (double)r->build->ports * port->most_lut);
    else if (r->build->has_ports && kind == PLATFORM_FF)
        low = ceil(count * (1 - SLACK) - (double)r->build->ports * port->most_ff);
    return add(r, PLATFORM_CELLS, NULL, kind, low > 0 ? low : 0, high, loc);
}

static const char *const kernel_columns[PLATFORM_KINDS] = {"LUT", "REG", "BRAM", "URAM", "DSP"};

// Reads a row of | Name | LUT | LUTAsMem | REG | BRAM | URAM | DSP |. The row `Platform` counts the platform's cells.
// The sum of this row and the row `User Budget` is the device.
static bool read_kernel_row(struct reader *r, const struct line *line, const struct cells *head,
                            const struct cells *row) {
    struct line name = trimmed(row->cell[0]);
    bool platform = is(name, "Platform"), budget = is(name, "User Budget");
    for (int k = 0; (platform || budget) && k < PLATFORM_KINDS; k++) {
        int at = column(head, kernel_columns[k]);
        double count;
        if (at < 0) continue;
        if (!read_number(r, line, row->cell[at], &count)) return false;
        struct loc loc = place(r, line, trimmed(row->cell[at]).at);
        if (platform) r->top[k] = count;
        if (platform && !add_cells(r, (enum platform_kind)k, count, true, loc)) return false;
        if (budget && !add(r, PLATFORM_DEVICE, NULL, (enum platform_kind)k, r->top[k] + count, r->top[k] + count, loc))
            return false;
    }
    return true;
}

// Reads a row of the table of instances: the first row, which counts the whole build, and the rows of the kernel, or of
// the dynamic region if the kernel's name is unknown.
static bool read_instance(struct reader *r, const struct line *line, const struct cells *head,
                          const struct cells *row) {
    static const char *const names[PLATFORM_KINDS][3] = {[PLATFORM_LUT] = {"Total LUTs", "CLB LUTs"},
                                                         [PLATFORM_FF] = {"FFs", "CLB Registers"},
                                                         [PLATFORM_BRAM36] = {"RAMB36"},
                                                         [PLATFORM_URAM] = {"URAM"},
                                                         [PLATFORM_DSP] = {"DSP Blocks", "DSP48 Blocks", "DSPs"}};
    struct line name = trimmed(row->cell[column(head, "Instance")]);
    bool top = !r->top_loc.source, kernel = r->build->kernel && is(name, r->build->kernel),
         ulp = !r->build->kernel && r->ulp && is(name, r->ulp) && !r->has_ulp;
    if (!top && !kernel && !ulp) return true;
    for (int k = 0; k < PLATFORM_KINDS; k++) {
        int at = -1, half = k == PLATFORM_BRAM36 ? column(head, "RAMB18") : -1;
        for (int n = 0; n < 3 && names[k][n] && at < 0; n++) at = column(head, names[k][n]);
        double count = 0, halves = 0;
        if (at >= 0 && !read_number(r, line, row->cell[at], &count)) return false;
        if (half >= 0 && !read_number(r, line, row->cell[half], &halves)) return false;
        if (top) r->top[k] = count + halves / 2;
        else r->inner[k] += count + halves / 2;
    }
    if (top) r->top_loc = place(r, line, name.at);
    r->has_kernel = r->has_kernel || (kernel && !top);
    r->has_ulp = r->has_ulp || (ulp && !top);
    return true;
}

static bool has_dies(const struct cells *head) {
    for (int i = 1; i < head->count; i++)
        if (names_die(trimmed(head->cell[i]))) return true;
    return false;
}

typedef bool row_reader(struct reader *, const struct line *, const struct cells *head, const struct cells *row);

// Returns the reader for the rows of a table with these titles, or NULL if the table has nothing to compare.
static row_reader *reader_of(const struct cells *head) {
    bool sites = column(head, "Site Type") == 0, available = column(head, "Available") > 0;
    if (sites && has_dies(head)) return read_site_of_dies;
    // A report for a pblock or for cells has the same sites with other totals, and more columns.
    if (sites && available && column(head, "Used") == 1) return read_site;
    if (head->count && !trimmed(head->cell[0]).len && available && column(head, "Used") > 0) return read_wires;
    if (column(head, "Instance") >= 0 && column(head, "Module") >= 0) return read_instance;
    if (column(head, "Name") == 0 && column(head, "LUT") > 0 && column(head, "REG") > 0) return read_kernel_row;
    return NULL;
}

// Reads the rows of all tables that can be compared. A table has its titles between two rules `+---+`. A line that is
// neither a rule nor a row ends it.
static bool read_tables(struct reader *r) {
    struct line line;
    struct cells head = {0}, row;
    row_reader *read = NULL;
    bool in_table = false, after_rule = false;
    while (next_line(r, &line)) {
        char first = line.len ? line.at[0] : 0;
        if (first != '|') {
            in_table = first == '+' && in_table;
            after_rule = first == '+';
            continue;
        }
        if (!in_table) {
            in_table = after_rule;
            split_cells(&line, &head);
            read = in_table ? reader_of(&head) : NULL;
            continue;
        }
        if (!read) continue;
        split_cells(&line, &row);
        if (row.count != head.count) {
            diag_error(r->diag, place(r, &line, line.at), MSG_PLATFORM_CELLS, row.count, head.count);
            return false;
        }
        if (!read(r, &line, &head, &row)) return false;
    }
    return true;
}

// Adds the platform's cells by the table of instances: the whole build less the kernel. Without the kernel's name, the
// cells outside the dynamic region are a lower bound.
static bool add_instances(struct reader *r) {
    if (!r->top_loc.source) return true;
    if (r->build->kernel && !r->has_kernel) {
        diag_error(r->diag, r->top_loc, MSG_PLATFORM_KERNEL, r->build->kernel);
        return false;
    }
    for (int k = 0; (r->has_kernel || r->has_ulp) && k < PLATFORM_KINDS; k++)
        if (!add_cells(r, (enum platform_kind)k, r->top[k] > r->inner[k] ? r->top[k] - r->inner[k] : 0, r->has_kernel,
                       r->top_loc))
            return false;
    return true;
}

// Returns the part of a path after the last slash.
static const char *last_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static struct source *read_source(const char *path, struct arena *arena, struct diag *diag) {
    struct source *s = ARENA_NEW(arena, struct source);
    const char *why;
    size_t len;
    s->path = arena_strdup(arena, path);
    s->data = file_read(arena, path, MAX_FILE, &len, &why);
    s->size = len;
    if (!s->data) diag_error_text(diag, loc_file(arena, path), why);
    else if (memchr(s->data, 0, len)) diag_error(diag, loc_file(arena, path), MSG_PLATFORM_BINARY);
    else return s;
    return NULL;
}

struct platform_said *platform_read(const char *path, const struct rill_device *device,
                                    const struct platform_build *build, struct arena *arena, struct diag *diag) {
    struct source *source = read_source(path, arena, diag);
    if (!source) return NULL;
    struct platform_said *said = ARENA_NEW(arena, struct platform_said);
    struct reader r = {.said = said,
                       .device = device,
                       .build = build,
                       .arena = arena,
                       .diag = diag,
                       .source = source,
                       .next = source->data,
                       .ulp = last_name(device->vitis.cells)};
    char first = source->data[strspn(source->data, " \t\r\n")];
    bool json = first == '{' || first == '[';
    bool info = json || strstr(source->data, "Resource Availability");
    said->format = info ? "platforminfo" : "a utilization report";
    find_platform(&r);
    bool ok = json ? platform_read_json(source, said, arena, diag) : info ? read_info(&r) : read_tables(&r);
    if (!ok || !add_instances(&r)) return NULL;
    if (said->rows.count) return said;
    diag_error(diag, loc_file(arena, path), MSG_PLATFORM_NOTHING);
    return NULL;
}
