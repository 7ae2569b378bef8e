// SPDX-License-Identifier: Apache-2.0
// Finds and reads the files of chat templates. tokenizer_chat.c and the server apply them.
#define _POSIX_C_SOURCE 200809L
#include "gen/spec/chat.h"

#include <unistd.h>

// A key of a template file whose value is a text.
#define TEXT(word, member, must, text)                                                                                 \
    {                                                                                                                  \
        .key = word, .type = SCHEMA_STRING, .offset = offsetof(struct chat_template, member), .required = must,        \
        .preset_text = "", .doc = text                                                                                 \
    }

static const struct schema_field fields[] = {
    TEXT("chat", name, true, "its name: letters, digits, `_` and `-`"),
    TEXT("requires", needs, true, "a token that the vocabulary must have for this template"),
    TEXT("prefix", prefix, true, "text before a question, with its control tokens"),
    TEXT("suffix", suffix, true, "text after the question, up to the start of the answer"),
    TEXT("stop", stop, true, "the token that ends an answer"),
    TEXT("system_prefix", system_prefix, false, "text before a system message. Without this key there is none"),
    TEXT("system_suffix", system_suffix, false, "text after a system message, up to the first question"),
    TEXT("between", between, false,
         "text between an answer and the next question, with the token that ends the answer. Without this key a "
         "conversation has one question"),
};
const struct schema_table chat_table = {.what = "a chat template", .fields = fields, .count = COUNT_OF(fields)};

static const struct chat_template *read_file(const char *path, struct arena *arena, struct diag *diag) {
    struct chat_template *chat = ARENA_NEW(arena, struct chat_template);
    const struct yaml_node *root = yaml_read_file(path, arena, diag);
    bool good = root && schema_read(root, "template", fields, COUNT_OF(fields), NULL, 0, chat, arena, diag);
    return good ? chat : NULL;
}

// Adds notes that suggest installed templates with similar names, and a file of the user.
static void note_unknown(const char *name, struct arena *arena, struct diag *diag) {
    file_names names = file_list_shared(arena, "families/chat");
    diag_note_words(diag, loc_none(), name, names.items, names.count);
    diag_note(diag, loc_none(), "give your own template as a file, such as `./mine.yaml` (docs/models.md)");
}

const struct chat_template *chat_find(const char *name, struct arena *arena, struct diag *diag) {
    bool is_path = file_is_path(name);
    const char *path = is_path ? name : file_find_shared(arena, arena_printf(arena, "families/chat/%s.yaml", name));
    if (path && access(path, R_OK) == 0) return read_file(path, arena, diag);
    if (is_path) diag_error(diag, loc_none(), MSG_NO_CHAT_FILE, path);
    else diag_error(diag, loc_none(), MSG_UNKNOWN_CHAT, name);
    if (!is_path) note_unknown(name, arena, diag);
    return NULL;
}
