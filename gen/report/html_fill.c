// SPDX-License-Identifier: Apache-2.0
// Draws small step charts of how full a stream is over time: forecast for the timeline's window, or measured over a
// simulated run. A dashed line shows the FIFO's depth.
#include "gen/report/html.h"

// Sizes in SVG units.
enum {
    FORECAST_WIDTH = 120, // also the number of intervals
    MEASURED_WIDTH = 240,
    HEIGHT = 24,
    MARGIN = 3 // space above the dashed line or the fill, whichever is higher
};

// Adds the filled area under the steps. scale: SVG units per word.
static void add_steps(const int64_t most[], int count, int width, double scale, struct text *out) {
    int64_t before = -1;
    text_addf(out, "<path d=\"M0 %d", HEIGHT);
    for (int i = 0; i < count; i++) {
        if (most[i] == before) continue;
        if (before >= 0) text_addf(out, "H%.4g", (double)i * width / count);
        text_addf(out, "V%.4g", HEIGHT - (double)most[i] * scale);
        before = most[i];
    }
    text_addf(out, "H%dV%dZ\"/>", width, HEIGHT);
}

// Adds a chart. most: the largest number of words in each of `count` equal intervals of time.
static void add_chart(const char *class, int width, const int64_t most[], int count, int64_t depth, struct text *out) {
    int64_t top = depth > 0 ? depth : 1, highest = 0;
    for (int i = 0; i < count; i++)
        if (most[i] > highest) highest = most[i];
    double scale = (double)(HEIGHT - MARGIN) / (double)(highest > top ? highest : top),
           line = HEIGHT - (double)top * scale;
    text_addf(out,
              "<svg class=\"fill %s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\"><title>at most "
              "%lld of %lld words</title>",
              class, width, HEIGHT, width, HEIGHT, (long long)highest, (long long)depth);
    add_steps(most, count, width, scale, out);
    text_addf(out, "<line x1=\"0\" y1=\"%.4g\" x2=\"%d\" y2=\"%.4g\"/></svg>", line, width, line);
}

// Follows the words that enter and leave the stream, and draws the largest number of words in it for each of
// FORECAST_WIDTH equal intervals of the window.
void html_fill_line(const struct ir *ir, int edge, const struct html_window *w, struct text *out) {
    const struct timing_edge *t = &w->run->edge[edge];
    int64_t most[FORECAST_WIDTH] = {0}, puts = 0, takes = 0;
    int64_t taken = t->words - t->holds; // words that left the stream during the run
    for (int x = 0; x < FORECAST_WIDTH; x++) {
        int64_t end = w->from + (w->to - w->from) * (x + 1) / FORECAST_WIDTH;
        most[x] = puts - takes;
        // Events in the order of time: at equal times a word leaves before another one enters.
        while ((puts < t->words && t->put[puts] < end) || (takes < taken && t->take[takes] < end)) {
            if (takes < taken && takes < puts && (puts >= t->words || t->take[takes] <= t->put[puts])) takes++;
            else if (puts < t->words) puts++;
            else break;
            if (puts - takes > most[x]) most[x] = puts - takes;
        }
    }
    add_chart("forecast", FORECAST_WIDTH, most, FORECAST_WIDTH, ir->edge[edge].depth, out);
}

void html_fill_measured(const struct ir *ir, int edge, const struct measured *m, struct text *out) {
    if (m->fill[edge])
        add_chart("measured", MEASURED_WIDTH, m->fill[edge], m->windows[edge], ir->edge[edge].depth, out);
    else text_add(out, "-");
}
