// SPDX-License-Identifier: Apache-2.0
#include "ops.h"

#include <stdio.h>
#include <string.h>

#include "type_rules.h"

const struct ir_op_info ir_op_table[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, module, ports, type, bind, golden, doc) {name, ins, outs, attrs, module, ports, type_##type, doc},
#include "ops.def"
#undef RILL_OP
};

const struct ir_op_info *ir_op_of(const struct ir *ir, int op) { return op < IR_OPS ? &ir_op_table[op] : &ir->custom_op[op - IR_OPS]; }

int ir_op_find(const struct ir *ir, const char *name) {
    for (int op = 0; op < IR_OPS + ir->customs; op++)
        if (!strcmp(ir_op_of(ir, op)->name, name)) return op;
    return IR_NONE;
}

static enum ir_attr_kind attr_kind(char c) { return c == 'i' ? IR_ATTR_INT : c == 'f' ? IR_ATTR_FLOAT : c == 'l' ? IR_ATTR_LIST : IR_ATTR_STRING; }

int ir_op_attrs(const struct ir *ir, int op, struct ir_op_attr out[IR_MAX_OP_ATTRS]) {
    int count = 0;
    const char *p = ir_op_of(ir, op)->attributes;
    while (*p && count < IR_MAX_OP_ATTRS) {
        struct ir_op_attr *attr = &out[count++];
        memset(attr, 0, sizeof *attr);
        bool optional = *p == '?';
        p += optional;
        size_t len = strcspn(p, ":");
        memcpy(attr->name, p, len < sizeof attr->name ? len : sizeof attr->name - 1);
        p += len + 1;
        attr->kind = attr_kind(*p++);
        if (*p == '=') {
            attr->has_default = true;
            len = strcspn(++p, " ");
            memcpy(attr->text, p, len < sizeof attr->text ? len : sizeof attr->text - 1);
            p += len;
        }
        attr->required = !optional && !attr->has_default;
        while (*p == ' ') p++;
    }
    return count;
}

const char *ir_op_port(const struct ir *ir, int op, int column, int index) {
    const char *p = ir_op_of(ir, op)->ports;
    for (; column > 0; column--) p = strchr(p, '|') + 1;
    for (;; index--) {
        while (*p == ' ') p++;
        size_t len = strcspn(p, " |");
        if (len == 0) return NULL;
        if (index == 0) return arena_strndup(ir->arena, p, len);
        p += len;
    }
}

bool ir_op_has_extra(const struct ir *ir, int op, const char *extra) {
    const char *p = strrchr(ir_op_of(ir, op)->ports, '|') + 1;
    size_t want = strlen(extra);
    while (*p) {
        while (*p == ' ') p++;
        size_t len = strcspn(p, " ");
        if (len == want && !strncmp(p, extra, len)) return true;
        p += len;
    }
    return false;
}
