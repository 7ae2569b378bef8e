// SPDX-License-Identifier: Apache-2.0
// Runs Graphviz' dot on a graph and keeps only the SVG element. It drops the prolog that dot prints before the element,
// because that refers to external addresses, and the page must load nothing from outside.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/report/html.h"

static const char missing[] = "Graphviz' `dot` is not installed (Debian: apt-get install graphviz)";

// Returns a temporary file with the given text, or an empty one if `text` is NULL. The file is deleted when it is
// closed. Returns NULL after an error.
static FILE *file_of(const struct text *text) {
    FILE *f = tmpfile();
    if (f && text && text->len && fwrite(text->data, 1, text->len, f) != text->len) {
        fclose(f);
        return NULL;
    }
    if (f) rewind(f);
    return f;
}

// Runs dot and returns its exit status, 127 if dot is not installed, or -1 if dot did not end normally. `again` selects
// dot's newer ranking, which can lay out the few graphs with nested clusters that the usual ranking cannot. Only this
// second try may print dot's error messages.
static int run_dot(FILE *in, FILE *out, bool again) {
    char *const args[] = {"dot", "-Tsvg", again ? "-Gnewrank=true" : NULL, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        int nowhere = again ? -1 : open("/dev/null", O_WRONLY);
        dup2(fileno(in), 0);
        dup2(fileno(out), 1);
        if (nowhere >= 0) dup2(nowhere, 2);
        execvp(args[0], args);
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns the content of a file as a string, or NULL if the file is empty or cannot be read.
static char *read_back(struct arena *arena, FILE *f) {
    long len = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    if (len <= 0) return NULL;
    char *data = arena_alloc(arena, (size_t)len + 1, 1);
    rewind(f);
    return fread(data, 1, (size_t)len, f) == (size_t)len ? data : NULL;
}

// Copies the SVG from `from`, without comments and without XML namespace declarations, which HTML does not need.
static void keep_element(const char *from, struct text *svg) {
    static const char *const dropped[] = {" xmlns=\"http://www.w3.org/2000/svg\"",
                                          " xmlns:xlink=\"http://www.w3.org/1999/xlink\""};
    while (*from) {
        size_t skip = 0;
        for (size_t i = 0; i < COUNT_OF(dropped); i++)
            if (!strncmp(from, dropped[i], strlen(dropped[i]))) skip = strlen(dropped[i]);
        if (!strncmp(from, "<!--", 4)) {
            const char *end = strstr(from, "-->");
            skip = end ? (size_t)(end - from) + 3 : strlen(from);
        }
        if (!skip) text_add_bytes(svg, from, skip = 1);
        from += skip;
    }
}

static bool try_dot(struct arena *arena, const struct text *graph, struct text *svg, const char **why, bool again) {
    FILE *in = file_of(graph), *out = file_of(NULL);
    int status = in && out ? run_dot(in, out, again) : -1;
    char *data = out && status == 0 ? read_back(arena, out) : NULL;
    const char *element = data ? strstr(data, "<svg") : NULL;
    if (in) fclose(in);
    if (out) fclose(out);
    *why = status == 127 ? missing : arena_printf(arena, "`dot` ended with status %d", status);
    if (element) keep_element(element, svg);
    return element != NULL;
}

bool dot_svg(struct arena *arena, const struct text *graph, struct text *svg, const char **why) {
    return try_dot(arena, graph, svg, why, false) || try_dot(arena, graph, svg, why, true);
}
