// SPDX-License-Identifier: Apache-2.0
// Runs a simulation from the command line to the exit code.
#include "verif/harness/sim_pins.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "verif/model/hbm_dpi.h"
#include "gen/kernel/kernel.h"
#include "gen/pack/pack.h"
#include "verif/harness/sim_internal.h"
#include "verif/harness/snapshot.h"

void sim_fail(struct sim *sim, const char *fmt, ...) {
    if (sim->failure != NULL) return;
    va_list args;
    va_start(args, fmt);
    sim->failure = arena_vprintf(&sim->arena, fmt, args);
    va_end(args);
}

uint64_t sim_bytes(const struct sim *sim) { return hbm_beats(sim->hbm) * (uint64_t)(sim->ir->design.beat_bits / 8); }

static const char *path_in(struct sim *sim, const char *name) {
    return arena_printf(&sim->arena, "%s/%s", sim->options.dir, name);
}

uint64_t sim_base(const struct sim *sim, int channel) {
    uint64_t base = SIM_BASE;
    for (size_t i = 0; i < sim->options.bases.count; i++)
        if (sim->options.bases.items[i].channel == channel) base += sim->options.bases.items[i].bytes;
    return base;
}

static bool open_memory(struct sim *sim) {
    const struct ir_design *d = &sim->ir->design;
    const char *why = NULL;
    struct hbm_config config = {.channels = d->channels,
                                .beat_bytes = d->beat_bits / 8,
                                .clock_mhz = sim->clock_mhz,
                                .channel_bytes = 1ull << SIM_CHANNEL_SHIFT,
                                .seed = sim->options.seed,
                                .timing = hbm_timing_of(&d->hbm)};
    sim->hbm = hbm_open(&sim->arena, &config, &why);
    if (sim->hbm == NULL) {
        sim_fail(sim, "%s", why);
        return false;
    }
    for (int c = 0; c < d->channels; c++) {
        const char *path = path_in(sim, arena_printf(&sim->arena, "image/channel_%02d.bin", c));
        why = hbm_load(sim->hbm, c, sim_base(sim, c), path);
        if (why != NULL) {
            sim_fail(sim, MSG_SIM_FILE, path, why);
            return false;
        }
    }
    hbm_dpi_bind(sim->hbm, d->beat_bits / 8);
    return true;
}

static void inject_errors(struct sim *sim) {
    for (size_t i = 0; i < sim->options.errors.count; i++) {
        const struct sim_error *e = &sim->options.errors.items[i];
        hbm_inject_error(sim->hbm, e->channel, e->is_write, e->burst);
    }
}

// Opens the tokenizer that the packer stored with the image. If there is none, as with random weights, each byte is a
// token. Returns false after an error.
static bool open_tokenizer(struct sim *sim) {
    sim->tokenizer =
        sim_tokenizer_open(&sim->arena, path_in(sim, "image"), ir_vocabulary(sim->ir), &sim->options, &sim->diag);
    return sim->tokenizer != NULL;
}

// Opens the oracle with the copy of the spec in the folder of the design. Without a copy, only warns. Returns false
// after an error.
static bool open_oracle(struct sim *sim) {
    bool absent;
    sim->spec = oracle_read_folder(&sim->arena, sim->options.dir, &absent, &sim->diag);
    if (absent) diag_command("sim", "warning", MSG_ORACLE_COPY_MISSING, sim->options.dir);
    if (!sim->spec) return absent;
    sim->oracle = oracle_open_image(&sim->arena, sim->spec, path_in(sim, "image"), &sim->diag);
    if (sim->oracle) check_set_oracle(sim->check, sim->spec, sim->oracle, path_in(sim, "oracle/spec.yaml"));
    return sim->oracle != NULL;
}

// Computes a hash of everything on which a state depends besides the prompt: the image, the sampling, and whether
// end-of-text ids end the request. Returns false after a failure.
static bool state_identity(struct sim *sim, uint64_t *identity) {
    size_t len;
    const char *why, *path = path_in(sim, "image/manifest.json");
    const char *manifest = file_read(&sim->arena, path, 64 << 20, &len, &why);
    const struct sampling *s = &sim->options.prompts.items[0].sampling; // a run with states has one request
    if (manifest == NULL) return sim_fail(sim, MSG_SIM_FILE, path, why), false;
    const uint64_t all[] = {bytes_hash(manifest, len), s->inverse, s->top_k, s->min_p, s->seed,
                            sim->options.ignore_eot};
    *identity = bytes_hash(all, sizeof all);
    return true;
}

// Reads the file of --state and compares its prompt with that of the request. Returns false after a failure.
static bool open_state(struct sim *sim) {
    const struct request_result *r = &sim->host.result[0];
    struct check_state *s = &sim->load.file;
    const char *why = NULL, *path = sim->options.state;
    uint64_t identity;
    if (path == NULL) return true;
    if (!state_identity(sim, &identity)) return false;
    if (!check_read_state(&sim->arena, path, identity, s, &why)) return sim_fail(sim, "%s", why), false;
    bool same = sim->options.from < r->prompt_len ? r->prompt_len <= s->count + s->made : r->prompt_len == s->count;
    for (int64_t i = 0; same && i < r->prompt_len; i++) same = s->ids[i] == r->prompt[i];
    if (!same) sim_fail(sim, MSG_STATE_OTHER, path, "prompt");
    else if (sim->options.from > s->positions)
        sim_fail(sim, MSG_STATE_SHORT, path, (long long)s->positions, (long long)sim->options.from);
    return sim->failure == NULL;
}

// Runs the replay and the oracle, without the design, and writes the replay's state to the file of --write-state.
// Returns false after a failure.
static bool write_state(struct sim *sim) {
    const struct request_result *r = &sim->host.result[0];
    static const struct end_ids none;
    struct check_request request = {.ids = r->prompt,
                                    .count = r->prompt_len,
                                    .max_new = r->tokens,
                                    .eot = sim->options.ignore_eot ? none : sim->ir->design.eot};
    uint64_t identity;
    if (!state_identity(sim, &identity)) return false;
    host_sample(&sim->host);
    check_begin(sim->check, &request);
    const char *why = check_write_state(sim->check, sim->options.write_state, identity);
    if (check_overflow(sim->check)) sim_fail(sim, MSG_VALUE_OVERFLOW, check_overflow(sim->check));
    else if (check_mismatch(sim->check)) sim_fail(sim, MSG_MISMATCH, check_mismatch(sim->check));
    else if (why) sim_fail(sim, "%s", why);
    return sim->failure == NULL && report_write_golden(sim);
}

static bool open_check(struct sim *sim) {
    if (!pack_check_image(sim->ir, path_in(sim, "image"), &sim->diag)) return false;
    sim->golden = replay_open(&sim->arena, sim->ir, path_in(sim, "image"), check_window(sim->ir), &sim->diag);
    if (sim->golden == NULL) return false;
    sim->check = check_open(&sim->arena, sim->ir, sim->golden, (enum check_set)sim->options.compare, &sim->diag);
    // The values in a state were compared with the oracle's when it was written.
    return sim->check != NULL && (sim->options.state != NULL || open_oracle(sim));
}

// Replaces figures of the HBM by those of the command line.
static bool change_figures(struct sim *sim) {
    const char *const *hbm = sim->options.figures.hbm.items;
    const char *why = hbm ? hbm_figures_override(&sim->arena, &sim->ir->design.hbm, hbm) : NULL;
    if (why) sim_fail(sim, MSG_HBM_OPTION, why);
    return !why;
}

// Handles SIGBUS. The library for traces writes them through mapped memory, so a full disk shows as a bus error.
static const char *trace_path;
static void end_trace(int signal) {
    (void)signal;
    diag_command("sim", "error", MSG_TRACE_FULL, trace_path);
    _exit(RILL_BAD_SPEC);
}

static bool open_all(struct sim *sim) {
    trace_path = sim->options.trace;
    if (trace_path) signal(SIGBUS, end_trace);
    sim->ir = kernel_read_design(&sim->arena, path_in(sim, "design.yaml"), &sim->diag);
    if (sim->ir == NULL) return false;
    sim->clock_mhz = sim->options.figures.clock_mhz > 0 ? sim->options.figures.clock_mhz : sim->ir->design.clock_mhz;
    const char *why = sim_options_fault(&sim->arena, sim->ir, &sim->options);
    if (why) sim_fail(sim, "%s", why);
    if (why || !change_figures(sim) || !open_memory(sim)) return false;
    inject_errors(sim);
    plant_begin(sim);
    if (!sim_options_read_chat(&sim->arena, &sim->options, &sim->diag)) return false;
    if (sim->ir->design.is_lm && !open_tokenizer(sim)) return false;
    if (!open_check(sim)) return false;
    if (sim->options.beats != NULL && (sim->beats = fopen(sim->options.beats, "w")) == NULL) {
        sim_fail(sim, MSG_SIM_FILE, sim->options.beats, strerror(errno));
        return false;
    }
    watch_open(&sim->watch, &sim->arena, sim->ir);
    if (sim->options.occupancy) occupancy_open(&sim->occupancy, &sim->arena, sim->ir->edges);
    sim->contracts = contracts_open(&sim->arena, sim->ir);
    probe_dpi_bind(sim);
    if (sim->options.timeline != NULL) timeline_open(&sim->timeline, &sim->arena, sim->ir->edges);
    return host_open(&sim->host, sim) && open_state(sim);
}

// Frees the run and everything that it has opened.
static void release(struct sim *sim) {
    struct arena arena = sim->arena;
    if (sim->tokenizer != NULL) tokenizer_close(sim->tokenizer);
    if (sim->golden != NULL) replay_close(sim->golden);
    oracle_close(sim->oracle);
    if (sim->hbm != NULL) hbm_close(sim->hbm);
    for (size_t i = 0; sim->host.result != NULL && i < sim->options.prompts.count; i++)
        text_free(&sim->host.result[i].text);
    text_free(&sim->failure_detail);
    free(sim);
    arena_free(&arena);
}

// Returns false if the program should end; *exit_code is then its status (0 after --help).
static bool read_options(struct sim *sim, int argc, char **argv, int *exit_code) {
    sim->options.reads_pipes = true;
    int status = options_parse(&sim_program, &sim->arena, argc, argv, &sim->options);
    const char *why = status == OPTIONS_GO_ON ? sim_options_finish(&sim->arena, &sim->options) : NULL;
    *exit_code = why ? options_wrong(&sim_program, why) : status;
    return *exit_code == OPTIONS_GO_ON;
}

struct sim *sim_open(int argc, char **argv, int *exit_code) {
    struct sim *sim = calloc(1, sizeof *sim);
    if (sim == NULL) base_fatal("out of memory");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sim->wall_start = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    arena_init(&sim->arena);
    diag_init(&sim->diag, stderr);
    bool ok = read_options(sim, argc, argv, exit_code);
    if (ok && !open_all(sim)) {
        if (sim->failure != NULL) diag_command("sim", "error", "%s", sim->failure);
        *exit_code = RILL_BAD_SPEC;
        ok = false;
    }
    if (ok && !sim->options.write_state) return sim;
    if (ok) *exit_code = write_state(sim) ? RILL_OK : RILL_BAD_SPEC;
    if (ok && sim->failure != NULL) diag_command("sim", "error", "%s", sim->failure);
    release(sim);
    return NULL;
}

const char *sim_trace(const struct sim *sim) { return sim->options.trace; }

// Saves the run. Returns true in the process that saved, which then ends.
static bool save_run(struct sim *sim) {
    const char *why;
    if (snapshot_save(&why)) return false;
    if (why != NULL) sim_fail(sim, MSG_SIM_FILE, snapshot_path(), why);
    else
        fprintf(stderr, "rill sim: saved at cycle %llu; go on with --resume %s\n",
                (unsigned long long)hbm_cycle(sim->hbm), snapshot_path());
    sim->saved = why == NULL;
    return true;
}

bool sim_saved(const struct sim *sim) { return sim->saved; }

bool sim_edge(struct sim *sim, struct sim_pins *pins) {
    hbm_tick(sim->hbm);
    if (snapshot_due(hbm_cycle(sim->hbm)) && save_run(sim)) return false;
    report_progress(sim);
    return host_edge(&sim->host, pins);
}

void sim_stopped(struct sim *sim) { sim_fail(sim, MSG_DESIGN_STOPPED, (unsigned long long)hbm_cycle(sim->hbm)); }

int sim_close(struct sim *sim) {
    if (sim->watch.asked) watch_report(&sim->watch, sim->check, &sim->arena, &sim->failure_detail);
    if (sim->beats != NULL && fclose(sim->beats) != 0) sim_fail(sim, MSG_SIM_FILE, sim->options.beats, strerror(errno));
    sim->beats = NULL;
    report_summary(sim);
    if (sim->failure != NULL) {
        diag_command("sim", "error", "%s", sim->failure);
        fputs(text_cstr(&sim->failure_detail), stderr);
    }
    bool json = report_write_json(sim), logits = report_write_logits(sim), timeline = timeline_write(sim);
    bool rows = rows_save(sim);
    int exit_code = sim->failure == NULL && json && logits && timeline && rows ? RILL_OK : RILL_BAD_SPEC;
    release(sim);
    return exit_code;
}
