// SPDX-License-Identifier: Apache-2.0
// Parses a JSON object from text or a file, with errors that say where and why.
#include "gen/model/json_text.h"

#include <unistd.h>

#include "gen/base/base.h"

// Returns whether the text seems to be truncated: it ends inside a string, or before its last bracket.
static bool is_cut(const json_error_t *e, size_t len) {
    return json_error_code(e) == json_error_premature_end_of_input || (size_t)e->position >= len;
}

json_t *json_text_object(const char *text, size_t len, struct loc loc, struct diag *diag) {
    json_error_t e;
    const char *instead = file_stand_in(text, len);
    if (instead) return diag_error(diag, loc, "%s", instead), NULL;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
    if (json_is_object(root)) return root;
    if (root) diag_error(diag, loc, MSG_JSON_OBJECT);
    else
        diag_error(diag, loc, MSG_JSON_SYNTAX, e.line, e.column, e.text,
                   is_cut(&e, len) ? "; is the file cut off?" : "");
    json_decref(root);
    return NULL;
}

bool json_file_object(struct arena *arena, const char *path, size_t max, struct diag *diag, json_t **root) {
    const char *why;
    size_t len;
    *root = NULL;
    if (access(path, F_OK) != 0) return true;
    const char *text = file_read(arena, path, max, &len, &why);
    if (!text) diag_error_text(diag, loc_file(arena, path), why);
    else *root = json_text_object(text, len, loc_file(arena, path), diag);
    return *root;
}
