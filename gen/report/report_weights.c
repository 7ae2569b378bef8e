// SPDX-License-Identifier: Apache-2.0
// Section of the report about the bits per weight in the memory image, for each format and for the whole model.
#include "gen/report/report_parts.h"

double report_per_weight(const struct cost_format *f, int64_t bits) {
    return f->weights ? (double)bits / (double)f->weights : 0;
}

int64_t report_filled(const struct cost_format *f) { return f->stored - f->elements - f->beside; }

static void add_row(const struct cost_format *f, struct text *out) {
    text_addf(out, "  %-10s %-10s %12lld %12lld %11.3f %9.3f %7.3f %7.3f\n", f->what, f->format, (long long)f->weights,
              (long long)(f->stored / 8), report_per_weight(f, f->stored), report_per_weight(f, f->elements),
              report_per_weight(f, f->beside), report_per_weight(f, report_filled(f)));
}

void report_weights(const struct report *r, struct text *out) {
    struct cost_formats all = cost_formats(r->ir);
    if (!all.rows) return;
    text_add(out, "\nbits per weight in the memory image: elements; scales, offsets and biases; padding\n"
                  "  format                     weights        bytes bits/weight  elements  scales padding\n");
    for (int i = 0; i < all.rows; i++) add_row(&all.row[i], out);
    add_row(&all.all, out);
}

static void add_object(const struct cost_format *f, struct text *out) {
    text_addf(
        out,
        "{\"what\": \"%s\", \"format\": \"%s\", \"weights\": %lld, \"stored_bits\": %lld, \"element_bits\": %lld, "
        "\"beside_bits\": %lld, \"bits_per_weight\": %.4f}",
        f->what, f->format, (long long)f->weights, (long long)f->stored, (long long)f->elements, (long long)f->beside,
        report_per_weight(f, f->stored));
}

void report_weights_json(const struct report *r, struct text *out) {
    struct cost_formats all = cost_formats(r->ir);
    text_add(out, " \"formats\": [");
    for (int i = 0; i < all.rows; i++) {
        text_add(out, i ? ",\n  " : "\n  ");
        add_object(&all.row[i], out);
    }
    text_addf(out, "],\n \"bits_per_weight\": %.4f,\n", report_per_weight(&all.all, all.all.stored));
}
