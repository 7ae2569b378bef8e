// SPDX-License-Identifier: Apache-2.0
// The journal of a run in shards: a file of JSON lines with the plan and the results, which is written during the run.
// A run that was killed continues where its journal ends.
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/base/messages.h"
#include "gen/shards/shards.h"

enum { MOST_BYTES = 256 << 20 }; // size limit of a journal

static const char *string(const json_t *line, const char *key) {
    const char *value = json_string_value(json_object_get(line, key));
    return value ? value : "";
}

// Passes the end of a shard to `ended` if the line reports one. Returns false if the line begins the plan of another
// run, which has another key.
static bool take_line(const json_t *line, const char *key, journal_end *ended, void *context) {
    const char *event = string(line, "event");
    if (!strcmp(event, "plan")) return !strcmp(string(line, "key"), key);
    if (!strcmp(event, "end"))
        ended(context, (int)json_integer_value(json_object_get(line, "shard")), string(line, "state"),
              strtoull(string(line, "result"), NULL, 16));
    return true;
}

// Reads the complete lines until one belongs to another run, and sets *same to whether all of them belong to this run.
// Ignores an incomplete last line, which a killed process may leave. Returns false if a line is not JSON.
static bool take_lines(struct journal *j, char *text, const char *key, journal_end *ended, void *context, bool *same,
                       const char **why) {
    int number = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
        number++;
        if (!line) return *why = arena_printf(j->arena, MSG_VERIFY_JOURNAL, j->path, number), false;
        *same = take_line(line, key, ended, context) && (number == 1 || *same);
        json_decref(line);
        if (!*same) return true;
    }
    return true;
}

static void cut_off(const char *path, const char *text) { // removes an incomplete last line
    const char *last = strrchr(text, '\n');
    FILE *file = fopen(path, "w");
    if (!file) return;
    if (last) fwrite(text, 1, (size_t)(last + 1 - text), file);
    fclose(file);
}

bool journal_open(struct journal *j, struct arena *arena, const char *path, const char *key, journal_end *ended,
                  void *context, const char **why) {
    size_t len;
    const char *unreadable;
    bool same = false;
    *j = (struct journal){.arena = arena, .path = path};
    char *text = file_read(arena, path, MOST_BYTES, &len, &unreadable);
    if (text && !take_lines(j, text, key, ended, context, &same, why)) return false;
    if (same && len > 0 && text[len - 1] != '\n') cut_off(path, text);
    j->file = fopen(path, same ? "a" : "w");
    if (!j->file) return *why = arena_printf(arena, MSG_FILE_UNWRITABLE, path, strerror(errno)), false;
    if (!same) journal_line(j, "\"event\": \"plan\", \"key\": \"%s\"", key);
    return true;
}

void journal_line(struct journal *j, const char *fmt, ...) {
    va_list args;
    fprintf(j->file, "{\"time\": %lld, ", (long long)time(NULL));
    va_start(args, fmt);
    vfprintf(j->file, fmt, args);
    va_end(args);
    fputs("}\n", j->file);
    fflush(j->file);
}

void journal_close(struct journal *j) {
    if (j->file) fclose(j->file);
    j->file = NULL;
}
