/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The roof of a device is measured as any kernel of a user is: a source with a harness, of whose
 * few points the fastest counts. */

#include "roof_internal.h"

#include "own_of_call_internal.h"

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/own_kernels.h>
#include <opevo/text_fill.h>
#include <opevo/worker.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, KEPT_BYTES = 4096, CORES = 16 /* of a device that does not tell */ };
enum { ITEMS = 2048 /* of a compute unit */, PARTS = 64 /* of a thread */ };
#define LANES "\"lanes\": {\"_type\": \"discrete\", \"_value\": [4, 8, 16]}"
static const char points[] = "{" LANES "}";
static const char points_opencl[] =
    "{" LANES ", \"fused\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}";

static bool counts_flop(const char *unit)
{
    return !strcmp(unit, "GFLOP/s");
}

static bool has_roof(const char *unit)
{
    return counts_flop(unit) || !strcmp(unit, "GB/s");
}

/* ---- What is kept --------------------------------------------------------------------------- */

static opevo_status path_of(const char *device, unsigned threads, const char *unit, char **out,
                            opevo_error *err)
{
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, device, strlen(device) + 1);
    char name[64];

    hash = opevo_hash_u64(hash, threads > 1 ? threads : 1);
    hash = opevo_hash_u64(opevo_hash_bytes(hash, unit, strlen(unit)), VERSION);
    snprintf(name, sizeof name, "roof-%016" PRIx64, opevo_hash_mix(hash));
    return opevo_cache_path(name, out, err);
}

double opevo_i_cli_roof_known(const char *device, unsigned threads, const char *unit)
{
    char *path = NULL, *text = NULL;
    size_t size = 0;
    double roof = 0;

    if (*device && has_roof(unit) && path_of(device, threads, unit, &path, NULL) == OPEVO_OK &&
        opevo_file_read(path, KEPT_BYTES, &text, &size, NULL) == OPEVO_OK) {
        text[strcspn(text, " \n")] = '\0';
        if (!opevo_parse_double(text, &roof) || !(roof > 0) || !isfinite(roof))
            roof = 0;
    }
    opevo_free(path);
    opevo_free(text);
    return roof;
}

/* Where it cannot be kept it is measured again. */
static void keep(const char *device, unsigned threads, const char *unit, double roof)
{
    opevo_text text = {0};
    char *path = NULL;

    opevo_text_printf(&text, "%.6g %s with %u threads on %s\n", roof, unit, threads, device);
    if (!text.failed && path_of(device, threads, unit, &path, NULL) == OPEVO_OK)
        (void)opevo_file_write(path, opevo_text_string(&text), text.length, NULL);
    opevo_free(path);
    opevo_text_free(&text);
}

/* ---- Its kernels ---------------------------------------------------------------------------- */

#define CALL(name, arguments) "{\"call\": \"" name "\", \"arguments\": [" arguments "]}"
#define LAUNCH(name, grid, arguments)                                                              \
    "{\"launch\": \"" name "\", \"grid\": \"" grid                                                 \
    "\", \"block\": 256, \"arguments\": [" arguments "]}"
#define NUMBERS "{\"f32\": 1}, {\"f32\": 1}"

static const char *step(bool flop, bool calls, bool cuda)
{
    if (calls)
        return flop ? CALL("flop", "\"start\", \"out\", {\"i32\": \"rounds\"}, {\"i32\": "
                                   "\"parts\"}, " NUMBERS)
                    : CALL("copy", "\"a\", \"b\", {\"i32\": \"n\"}, {\"i32\": \"parts\"}");
    if (flop)
        return LAUNCH("flop", "parts / 256", "\"start\", \"out\", {\"i32\": \"rounds\"}, " NUMBERS);
    return cuda ? LAUNCH("copy", "n / (lanes / 4 * 4) / 256", "\"a\", \"b\"")
                : LAUNCH("copy", "n / lanes / 256", "\"a\", \"b\"");
}

opevo_status opevo_i_cli_roof_texts(const opevo_i_cli_roof_kernel *what, opevo_text *harness,
                                    opevo_text *source, opevo_error *err)
{
    bool flop = counts_flop(what->unit);
    bool calls = !strcmp(what->ending, ".c");
    bool cuda = !strcmp(what->ending, ".cu");
    char parts[32], work[32], n[32], value[64];
    const opevo_text_slot slots[] = {{"parts", parts},
                                     {"work", work},
                                     {"n", n},
                                     {"step", step(flop, calls, cuda)},
                                     {"output", flop ? "\"out\": \"exact\"" : "\"b\": \"exact\""},
                                     {"value", flop ? value : "\"b\": \"index\""},
                                     {"compiler", calls ? "\"-O3\"" : ""},
                                     {"rate", flop ? "flop" : "bytes"},
                                     {"amount", flop ? "2 * work * parts" : "8 * n"}};

    snprintf(parts, sizeof parts, "%" PRIu64, what->cores * (calls ? PARTS : ITEMS));
    snprintf(work, sizeof work, "%" PRIu64, what->work);
    snprintf(value, sizeof value, "\"out\": {\"constant\": %s}", work);
    snprintf(n, sizeof n, "%" PRIu64, flop ? 1 : what->bytes / sizeof(float));
    opevo_text_fill(harness, opevo_i_cli_roof_harness, slots, sizeof slots / sizeof *slots);
    opevo_text_add(source, calls  ? opevo_i_cli_roof_kernels_c
                           : cuda ? opevo_i_cli_roof_kernels_cu
                                  : opevo_i_cli_roof_kernels_cl);
    return harness->failed ? opevo_text_check(harness, err) : opevo_text_check(source, err);
}

/* ---- Measuring ------------------------------------------------------------------------------ */

typedef struct search {
    const char *device;
    unsigned cores;
} search;

static void note_cores(void *context, const opevo_hardware *row)
{
    search *self = context;

    if (row->present && !strcmp(row->name, self->device))
        self->cores = row->cores;
}

static opevo_status open_kernels(const char *on, unsigned threads, const char *unit,
                                 opevo_objective **out, opevo_error *err)
{
    static const char *const endings[] = {[OPEVO_KERNEL_C] = ".c",
                                          [OPEVO_KERNEL_CUDA] = ".cu",
                                          [OPEVO_KERNEL_HIP] = ".cu",
                                          [OPEVO_KERNEL_OPENCL] = ".cl"};
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;
    opevo_live_options options = opevo_live_defaults();
    opevo_text harness = {0}, source = {0};
    opevo_kernel_maker *maker = NULL;
    opevo_space *space = NULL;
    search here = {.device = on};
    char name[32], *path = NULL;
    opevo_status status = OPEVO_OK;
    bool calls = false;

    OPEVO_TRY(opevo_live_dialect(on, &dialect, err));
    calls = dialect == OPEVO_KERNEL_C;
    if (!calls)
        opevo_hardware_list(note_cores, &here);
    OPEVO_TRY(opevo_i_cli_roof_texts(&(opevo_i_cli_roof_kernel){.unit = unit,
                                                                .ending = endings[dialect],
                                                                .cores = calls        ? threads
                                                                         : here.cores ? here.cores
                                                                                      : CORES,
                                                                .work = calls ? 3840000 : 96000,
                                                                .bytes = UINT64_C(64) << 20},
                                     &harness, &source, err));
    snprintf(name, sizeof name, "roof%s", endings[dialect]);
    OPEVO_TRY(opevo_cache_path(name, &path, err));
    OPEVO_TRY(opevo_file_write(path, opevo_text_string(&source), source.length, err));
    OPEVO_TRY(opevo_space_parse(dialect == OPEVO_KERNEL_OPENCL ? points_opencl : points,
                                "the points of a roof", "", &space, err));
    OPEVO_TRY(opevo_own_kernels_open(
        &(opevo_own_files){.source = path, .harness = path, .text = opevo_text_string(&harness)},
        dialect, calls, threads, space, &maker, err));
    options.device = on;
    status = opevo_live_open(maker, &options, out, err);
cleanup:
    opevo_text_free(&harness);
    opevo_text_free(&source);
    opevo_free(path);
    return status;
}

/* The best of its points, `most`: or what was measured before; 0 where none succeeds. */
static double measure(const char *on, unsigned threads, const char *unit, bool most)
{
    opevo_objective *objective = NULL;
    opevo_error err = {OPEVO_OK, ""};
    opevo_text device = {0};
    double best = 0;

    if (open_kernels(on, threads, unit, &objective, &err) != OPEVO_OK)
        return 0;
    for (opevo_index point = 0; point < opevo_space_size(objective->space); point++) {
        opevo_outcome outcome;

        if (opevo_objective_evaluate(objective, &point, 1, &outcome, &err) == OPEVO_OK)
            best = fmax(best, outcome.fitness);
    }
    opevo_live_print_devices(objective, &device);
    if (best > 0 && most)
        best = fmax(best, opevo_i_cli_roof_known(opevo_text_string(&device), threads, unit));
    if (best > 0 && device.length)
        keep(opevo_text_string(&device), threads, unit, best);
    opevo_text_free(&device);
    opevo_objective_destroy(objective);
    return best;
}

double opevo_i_cli_roof_of(opevo_objective *objective, const char *on, double fitness, bool here)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);
    opevo_text device = {0};
    unsigned threads = 1;
    bool stale = false;
    double roof = 0;

    if (!maker || !maker->bench || !has_roof(objective->unit) || !strcmp(on, "simt"))
        return 0;
    threads = maker->threads > 1 ? maker->threads : 1;
    opevo_live_print_devices(objective, &device);
    if (device.length && !device.failed && !strstr(device.data, "; "))
        roof = opevo_i_cli_roof_known(device.data, threads, objective->unit);
    stale = counts_flop(objective->unit) && fitness > roof; /* measured on a busy machine */
    if ((!(roof > 0) || stale) && here && device.length) {
        opevo_live_rest(objective);
        roof = measure(on, threads, objective->unit, false);
    }
    opevo_text_free(&device);
    return roof;
}

double opevo_i_cli_roof_peak(const char *on, unsigned threads)
{
    return 1e9 * measure(on, threads > 1 ? threads : 1, "GFLOP/s", true);
}

double opevo_i_cli_roof_of_run(const opevo_run_info *info, const opevo_i_cli_measured *measured)
{
    const char *words = strstr(info->objective, " threads=");
    const char *device = measured->count ? measured->workers[0].device : NULL;

    if (!device || !info->best_trial || !opevo_i_cli_is_own(NULL, info->what))
        return 0;
    for (size_t i = 1; i < measured->count; i++) {
        if (!measured->workers[i].device || strcmp(measured->workers[i].device, device) != 0)
            return 0;
    }
    return opevo_i_cli_roof_known(
        device, words ? (unsigned)strtoul(words + strlen(" threads="), NULL, 10) : 1, info->unit);
}

/* ---- Printing ------------------------------------------------------------------------------- */

void opevo_i_cli_roof_print(double roof, double fitness, const char *unit, opevo_text *out)
{
    if (roof > 0)
        opevo_text_printf(out, "%.1f %% of the %.4g %s that %s on the device (estimated)\n",
                          100 * fitness / roof, roof, unit,
                          counts_flop(unit) ? "multiply-adds of floats reach"
                                            : "a copy in memory reaches");
}

void opevo_i_cli_roof_print_json(double roof, double fitness, opevo_text *out)
{
    if (!(roof > 0))
        return;
    opevo_json_double(out, "roof", roof);
    opevo_json_double(out, "share_of_roof", fitness / roof);
}
