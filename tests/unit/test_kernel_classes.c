// SPDX-License-Identifier: Apache-2.0
// Compares the kernel classes (include/kernels.def and those of include/ops.def) with the library of Verilog templates.
// Also tests the classes that custom kernels get from their declarations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"
#include "gen/kernel/args.h"

// The classes that no operation names, then those of the operations. A class of several operations is repeated.
static const struct kernel_class *const table[] = {
#define KERNEL(name) &rtl_##name,
#include "include/kernels.def"
#undef KERNEL
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) &rtl_##kernel,
#include "include/ops.def"
#undef RILL_OP
};
enum { OTHERS = COUNT_OF(table) - IR_OPS /* classes that no operation names */ };

static void every_class_is_found(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) assert_ptr_equal(kernel_find(table[i]->module), table[i]);
    assert_null(kernel_find("rill_"));
    assert_null(kernel_find("rill_zzz"));
}

// include/kernels.def must be sorted by name and have no class that an operation names.
static void no_class_is_listed_twice(void **state) {
    (void)state;
    for (size_t i = 0; i < OTHERS; i++) {
        if (i) assert_true(strcmp(table[i - 1]->module, table[i]->module) < 0);
        for (size_t op = OTHERS; op < COUNT_OF(table); op++)
            if (table[op] == table[i]) fail_msg("%s: in kernels.def, and in ops.def", table[i]->module);
    }
}

static FILE *open_template(const char *module) {
    static const char *const folders[] = {"arith", "control", "dma",    "engine", "kernel",
                                          "kv",    "layout",  "memory", "stream"};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        char path[256];
        snprintf(path, sizeof path, "rtl-templates/%s/%s.v", folders[i], module);
        FILE *file = fopen(path, "r");
        if (file) return file;
    }
    return NULL;
}

static bool in_library(const char *module) {
    FILE *file = open_template(module);
    if (file) fclose(file);
    return file;
}

static void every_class_has_a_module(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!in_library(table[i]->module)) fail_msg("no rtl-templates/*/%s.v", table[i]->module);
    assert_false(in_library("rill_zzz"));
}

// Returns whether a template has an output `fault`.
static bool has_fault_port(const char *module) {
    FILE *file = open_template(module);
    char line[256], word[16];
    bool found = false;
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        found |= sscanf(line, " output %*4[a-z] %15[a-z]", word) == 1 && !strcmp(word, "fault");
    fclose(file);
    return found;
}

// The class of an operation must have the trait KERNEL_FAULT if and only if the module has a port `fault`. Without the
// trait, the port would not be connected, and a NaN would not be noticed.
static void a_fault_is_connected(void **state) {
    (void)state;
    for (int op = 0; op < IR_OPS; op++) {
        const struct kernel_class *class = kernel_of_op(NULL, op);
        if (ir_op_table[op].traits & OP_ON_ENGINE) continue; // the engine handles its faults
        if (has_fault_port(class->module) != !!(class->traits & KERNEL_FAULT))
            fail_msg("%s: trait KERNEL_FAULT and port `fault` do not agree", class->module);
    }
}

// A kernel that was read from a dump gets its class at the first look-up. A custom kernel has no class of the library.
static void traits_follow_the_module(void **state) {
    (void)state;
    const struct ir_kernel fork = {.module = "rill_fork"}, other = {.module = "fork"};
    assert_true(kernel_is(&fork, KERNEL_FORK | KERNEL_MUX));
    assert_false(kernel_is(&fork, KERNEL_MUX));
    assert_false(kernel_is(&other, KERNEL_FORK));
}

// A custom kernel gets traits and numbers of lanes from its declaration. `lanes` is the sum of the powers of two that
// are allowed.
static void a_declared_kernel_has_its_class(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct ir ir = {.arena = &arena};
    struct custom custom[] = {{.name = "a", .module = "m", .step = true, .fetch = true, .lanes = 4 | 16},
                              {.name = "b", .module = "n", .vectors = 1, .lanes = 63}};
    kernel_set_customs(&ir, custom, 2);
    const struct kernel_class *a = kernel_of_op(&ir, IR_OPS), *b = kernel_of_op(&ir, IR_OPS + 1);
    assert_int_equal(a->traits, KERNEL_STEP | KERNEL_FETCH);
    assert_int_equal(b->traits, KERNEL_PARAM);
    assert_string_equal(a->module, "m");
    assert_ptr_equal(b->custom, &custom[1]);
    assert_int_equal(kernel_lanes(a, 8), 4);
    assert_int_equal(kernel_lanes(a, 32), 16);
    assert_int_equal(kernel_lanes(a, 2), 4);
    assert_int_equal(kernel_lanes(b, 2), 2);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_is_found),     cmocka_unit_test(no_class_is_listed_twice),
        cmocka_unit_test(every_class_has_a_module), cmocka_unit_test(a_fault_is_connected),
        cmocka_unit_test(traits_follow_the_module), cmocka_unit_test(a_declared_kernel_has_its_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
