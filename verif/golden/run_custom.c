// SPDX-License-Identifier: Apache-2.0
// Hand-written kernels in the golden executor: their golden files are compiled and loaded when a run is opened.
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/ir_custom.h"
#include "../../include/rill_kernel.h"
#include "run_guard.h"
#include "run_internal.h"

enum { CUSTOM_WHAT = 400 };

struct run_custom {
    void *library; // NULL: none, or not used
    rill_function *function;
};

// ---- compiling ----

struct build {
    struct arena *arena;
    const struct custom *custom;
    const char *dir, *source, *object, *log;
    struct diag *diag;
};

static void show_log(const struct build *b) {
    size_t len;
    const char *why, *text = file_read(b->arena, b->log, 1 << 20, &len, &why);
    if (text) fprintf(stderr, "%.*s", len > 4000 ? 4000 : (int)len, text);
}

// The project's folder: headers, and the arithmetic that golden files may use.
static const char *find_root(const struct build *b) {
    const char *header = file_find_shared(b->arena, "include/rill_kernel.h");
    return header ? arena_strndup(b->arena, header, strlen(header) - strlen("/include/rill_kernel.h")) : NULL;
}

static bool compile(const struct build *b) {
    const char *root = find_root(b), *cc = getenv("CC");
    if (!root) {
        diag_error(b->diag, loc_none(),
                   "include/rill_kernel.h is not beside the program: set RILL_HOME to the project's folder");
        return false;
    }
    // What C once let pass is hardly ever meant: a function without its header returns an int, whatever it is.
    static const char errors[] =
        "-Werror=implicit-function-declaration -Werror=incompatible-pointer-types -Werror=int-conversion";
    const char *command =
        arena_printf(b->arena,
                     "%s -std=gnu11 -O2 -ffp-contract=off %s -shared -fPIC '-I%s/include' '-I%s/verif/golden' '%s' "
                     "'%s/verif/golden/fp32.c' -o '%s' -lm >'%s' 2>&1",
                     cc && *cc ? cc : "cc", errors, root, root, b->source, root, b->object, b->log);
    if (system(command) == 0) return true;
    diag_error(b->diag, loc_none(), "kernel `%s`: its golden file `%s` does not compile", b->custom->name,
               b->custom->golden.name);
    show_log(b);
    return false;
}

static bool load(const struct build *b, struct run_custom *out) {
    out->library = dlopen(b->object, RTLD_NOW | RTLD_LOCAL);
    if (!out->library) {
        diag_error(b->diag, loc_none(), "kernel `%s`: its golden file cannot be loaded: %s", b->custom->name,
                   dlerror());
        return false;
    }
    void *symbol = dlsym(out->library, b->custom->function);
    if (symbol) memcpy(&out->function, &symbol, sizeof symbol);
    else
        diag_error(b->diag, loc_none(), "kernel `%s`: `%s` defines no function `%s`", b->custom->name,
                   b->custom->golden.name, b->custom->function);
    return symbol != NULL;
}

static bool open_custom(struct golden_run *run, const struct custom *custom, struct run_custom *out,
                        struct diag *diag) {
    const char *root = getenv("TMPDIR");
    struct arena *a = run->arena;
    char *dir = arena_printf(a, "%s/rill-kernel-XXXXXX", root && *root ? root : "/tmp");
    if (!mkdtemp(dir)) {
        diag_error(diag, loc_file(a, dir), "no temporary folder can be made: %s", strerror(errno));
        return false;
    }
    struct build b = {a,
                      custom,
                      dir,
                      arena_printf(a, "%s/%s", dir, custom->golden.name),
                      arena_printf(a, "%s/golden.so", dir),
                      arena_printf(a, "%s/golden.log", dir),
                      diag};
    struct text text = {0};
    text_add(&text, custom->golden.text);
    const char *why = file_write_text(a, b.source, &text);
    text_free(&text);
    if (why) diag_error(diag, loc_none(), "%s", why);
    bool ok = !why && compile(&b) && load(&b, out);
    unlink(b.source), unlink(b.object), unlink(b.log); // loaded: nothing is left behind if the run is broken off
    rmdir(dir);
    return ok;
}

static bool is_used(const struct ir *ir, int custom) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_custom_of(ir, n) == &ir->custom[custom]) return true;
    return false;
}

bool run_open_customs(struct golden_run *run, struct diag *diag) {
    const struct ir *ir = run->ir;
    run->custom = ARENA_ARRAY(run->arena, struct run_custom, (size_t)ir->customs + 1);
    for (int c = 0; c < ir->customs; c++)
        if (ir->custom[c].function && is_used(ir, c) && !open_custom(run, &ir->custom[c], &run->custom[c], diag))
            return false;
    return true;
}

void run_close_customs(struct golden_run *run) {
    for (int c = 0; run->custom && c < run->ir->customs; c++)
        if (run->custom[c].library) dlclose(run->custom[c].library);
    golden_run_forget(run);
}

// ---- results from outside ----

static size_t bytes_of(const struct ir_tensor *t) {
    return (t->dtype == IR_F32 ? sizeof(float) : 1) * (size_t)ir_tensor_elements(t);
}
static void *data_of(const struct run_value *v) { return v->f32 ? (void *)v->f32 : v->q; }

void golden_run_give(struct golden_run *run, int tensor, int64_t repetition, int64_t position, const void *values) {
    size_t bytes = bytes_of(&run->ir->tensor[tensor]);
    void *copy = malloc(bytes);
    if (!copy) base_fatal("golden: out of memory");
    memcpy(copy, values, bytes);
    VEC_PUSH(run->arena, run->given, ((struct run_given){tensor, repetition, position, copy}));
}

void golden_run_forget(struct golden_run *run) {
    for (size_t i = 0; i < run->given.count; i++) free(run->given.items[i].values);
    run->given.count = 0;
    run->waits = false;
}

// They are asked for in about the order in which they came, so the search begins where the last one was found.
static bool take_given(struct run_op *op) {
    struct golden_run *run = op->run;
    for (size_t i = 0; i < run->given.count; i++) {
        size_t at = (run->last_given + i) % run->given.count;
        const struct run_given *g = &run->given.items[at];
        if (g->tensor != op->node->out[0] || g->repetition != op->repetition || g->position != op->position) continue;
        memcpy(data_of(op->out[0]), g->values, bytes_of(&run->ir->tensor[g->tensor]));
        run->last_given = at;
        return true;
    }
    run->waits = true;
    return false;
}

// ---- running ----

static struct rill_value value_of(const struct ir_tensor *t, const struct run_value *v) {
    struct rill_value value = {.rank = t->rank ? t->rank : 1,
                               .extent = {1, 1, 1},
                               .elements = ir_tensor_elements(t),
                               .f32 = v->f32,
                               .i8 = v->q};
    for (int d = 0; d < t->rank && d < 3; d++) value.extent[d] = t->shape[d].bound;
    return value;
}

static int parameters_of(const struct run_op *op, const struct custom *custom, struct rill_parameter out[]) {
    int count = 0;
    for (int p = 0; p < custom->params; p++) {
        struct custom_scope scope = {.ir = op->run->ir, .node = op->node, .custom = custom, .outputs = true};
        bool number;
        int64_t value;
        if (ir_custom_param(&scope, &custom->param[p], &number, &value, NULL) && number && !scope.depends)
            out[count++] = (struct rill_parameter){custom->param[p].name, value};
    }
    return count;
}

// Whatever a golden function does to the process, its place is told.
static void call_guarded(const struct run_op *op, const struct custom *custom, rill_function *function,
                         struct rill_call *call) {
    char what[CUSTOM_WHAT];
    snprintf(what, sizeof what, "kernel `%s`: at position %lld, repetition %lld, `%s` of its golden file `%s`",
             custom->name, (long long)op->position, (long long)op->repetition, custom->function, custom->golden.name);
    guard_enter(what);
    function(call);
    guard_leave();
}

bool run_custom(struct run_op *op) {
    const struct ir *ir = op->run->ir;
    int id = op->node->op - IR_OPS;
    const struct custom *custom = &ir->custom[id];
    if (!op->run->custom[id].function) return take_given(op);
    struct rill_value in[IR_MAX_PORTS], out[IR_MAX_PORTS];
    struct rill_parameter parameter[CUSTOM_MAX_PARAMS];
    for (int i = 0; i < op->node->inputs; i++) in[i] = value_of(&ir->tensor[op->node->in[i]], op->in[i]);
    for (int o = 0; o < op->node->outputs; o++) {
        out[o] = value_of(&ir->tensor[op->node->out[o]], op->out[o]);
        memset(data_of(op->out[o]), 0, bytes_of(&ir->tensor[op->node->out[o]]));
    }
    struct arena_mark mark = arena_mark(ir->arena);
    struct rill_call call = {.inputs = op->node->inputs,
                             .outputs = op->node->outputs,
                             .parameters = parameters_of(op, custom, parameter),
                             .in = in,
                             .out = out,
                             .parameter = parameter,
                             .position = op->position,
                             .repetition = op->repetition};
    call_guarded(op, custom, op->run->custom[id].function, &call);
    arena_release(ir->arena, mark);
    if (call.fault) golden_fault_raise(op->fault, GOLDEN_FAULT_KERNEL);
    return true;
}
