/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sketches of a computation: their steps, and what they leave open. */

#include "computation_spec_internal.h"
#include "live_options_internal.h"
#include "options_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/file.h>
#include <opevo/hardware.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/sketch.h>
#include <opevo/workload.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"on", "DEVICE", "what the kernels are for (default cpu): " OPEVO_DEVICES_OR, false},
    {"threads", "N", "threads of a kernel (default 1; 0: all cores)", false},
    {"cores", "N", "cores that sums may be divided among (default: the threads)", false},
    {"ansor", NULL, "Ansor's sketches only, without those that opevo adds", false},
    {"space", NULL, "print the search space, in the format of space files", false},
    {"record", "FILE", "print the pipelines of a log of TVM's auto-scheduler instead", false},
    {"json", NULL, "print one JSON object", false},
};

static opevo_status read_target(const opevo_call *call, opevo_sketch_target *out, opevo_error *err)
{
    static const char *const of_cpu[] = {"threads", "cores"};
    const char *device = opevo_i_cli_option(call, "on");
    opevo_status status = OPEVO_OK;
    uint64_t threads = 1;
    uint64_t cores = 0;
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;

    if (device)
        OPEVO_TRY(opevo_i_cli_device_of(device, &dialect, err));
    for (size_t i = 0; i < sizeof of_cpu / sizeof *of_cpu; i++) {
        if (dialect != OPEVO_KERNEL_C && opevo_i_cli_flag(call, of_cpu[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s applies to kernels (cpu), not to %.100s.",
                              of_cpu[i], device);
    }
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 1, 0, 1024, &threads, err));
    threads = threads ? threads : opevo_processor_count();
    OPEVO_TRY(opevo_i_cli_option_count(call, "cores", threads, 1, 1 << 20, &cores, err));
    *out = (opevo_sketch_target){.dialect = dialect,
                                 .cores = (unsigned)cores,
                                 .threads = (unsigned)threads,
                                 .ansor = opevo_i_cli_flag(call, "ansor")};
cleanup:
    return status;
}

/* Points of the branch of a sketch, constraints not counted: the product of its parameters' values.
 */
static double points_of(const opevo_space *space, size_t first, const opevo_sketch *sketch)
{
    double points = 1;

    for (int i = 0; i < sketch->slots; i++)
        points *= (double)opevo_parameter_size(opevo_space_parameter(space, first + (size_t)i));
    return points;
}

static void print_text(const opevo_sketches *sketches, const opevo_space *space,
                       int64_t scratch_bytes, opevo_text *out)
{
    size_t first = sketches->count > 1;

    opevo_text_printf(out, "%zu ", sketches->count);
    if (sketches->found > sketches->count || sketches->partial)
        opevo_text_printf(out, "of %s%zu ", sketches->partial ? "more than " : "", sketches->found);
    opevo_text_add(out, sketches->found == 1 ? "sketch, " : "sketches, ");
    opevo_i_cli_text_add_points(out, space);
    opevo_text_printf(out, ", %zu constraint%s\n", opevo_space_constraint_count(space),
                      opevo_i_cli_plural(opevo_space_constraint_count(space)));
    if (scratch_bytes)
        opevo_text_printf(out, "memory of a kernel beside its operands: at most %.0f MiB\n",
                          floor((double)scratch_bytes * 0x1p-20));
    for (size_t i = 0; i < sketches->count; i++) {
        const opevo_sketch *sketch = sketches->item[i];
        double points = points_of(space, first, sketch);

        opevo_text_printf(out, "\ns%zu%s: %d parameter%s, %.4g point%s\n", i + 1,
                          sketch->registers >= 0 ? " (register tile)" : "", sketch->slots,
                          opevo_i_cli_plural((opevo_index)sketch->slots), points,
                          points == 1 ? "" : "s");
        opevo_pipeline_print(sketch->pipeline, out);
        for (int k = 0; k < sketch->slots; k++)
            opevo_text_printf(out, "  %s = %s\n", sketch->slot[k].name,
                              opevo_parameter_text(opevo_space_parameter(space, first++)));
    }
}

static void print_json(const opevo_sketches *sketches, const opevo_space *space,
                       int64_t scratch_bytes, opevo_text *out)
{
    size_t first = sketches->count > 1;

    opevo_text_add(out, "{");
    opevo_json_index(out, "sketches", sketches->count);
    opevo_json_index(out, "found", sketches->found);
    opevo_json_key(out, "points");
    opevo_space_print_size(space, out);
    opevo_json_index(out, "constraints", opevo_space_constraint_count(space));
    if (scratch_bytes)
        opevo_json_index(out, "scratch_bytes", (opevo_index)scratch_bytes);
    opevo_json_open(out, "branches", "[");
    for (size_t i = 0; i < sketches->count; i++) {
        const opevo_sketch *sketch = sketches->item[i];
        opevo_text steps = {0};

        opevo_pipeline_print(sketch->pipeline, &steps);
        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_index(out, "sketch", i + 1);
        opevo_json_bool(out, "register_tile", sketch->registers >= 0);
        opevo_json_double(out, "points", points_of(space, first, sketch));
        opevo_json_string(out, "steps", opevo_text_string(&steps));
        opevo_json_open(out, "parameters", "{");
        for (int k = 0; k < sketch->slots; k++)
            opevo_json_string(out, sketch->slot[k].name,
                              opevo_parameter_text(opevo_space_parameter(space, first++)));
        opevo_text_add(out, "}}");
        out->failed |= steps.failed;
        opevo_text_free(&steps);
    }
    opevo_text_add(out, "\n]}\n");
}

/* ---- Records of TVM ---- */

static void print_record(const opevo_record *record, size_t number, bool json, opevo_text *out)
{
    opevo_text steps = {0};

    opevo_pipeline_print(record->pipeline, &steps);
    if (json) {
        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_index(out, "line", number);
        opevo_json_double(out, "cost_s", record->cost_s);
        opevo_json_index(out, "error", (opevo_index)record->error);
        opevo_json_string(out, "steps", opevo_text_string(&steps));
        opevo_text_add(out, "}");
    } else {
        opevo_text_printf(out, "%sline %zu: ", out->length ? "\n" : "", number);
        if (isfinite(record->cost_s))
            opevo_text_printf(out, "%.6g s\n", record->cost_s);
        else
            opevo_text_printf(out, "error %d\n", record->error);
        opevo_text_add(out, opevo_text_string(&steps));
    }
    out->failed |= steps.failed;
    opevo_text_free(&steps);
}

enum { LARGEST_LOG = 64 << 20 };

static opevo_status print_log(const char *path, const opevo_computation *computation, bool json,
                              opevo_text *out, opevo_error *err)
{
    char *data = NULL;
    size_t size = 0;
    size_t number = 1;
    size_t records = 0;
    char *rest = NULL;
    opevo_status status = opevo_file_read(path, LARGEST_LOG, &data, &size, err);

    if (status != OPEVO_OK)
        return status;
    opevo_text_add(out, json ? "[" : "");
    for (char *line = data; line; line = rest, number++) {
        opevo_record record = {0};
        opevo_text origin = {0};

        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        if (strchr("#", line[strspn(line, " \t\r")])) /* or the end of a blank line */
            continue;
        opevo_text_printf(&origin, "%s:%zu", path, number);
        status = opevo_record_read(computation, line, opevo_text_string(&origin), &record, err);
        opevo_text_free(&origin);
        if (status != OPEVO_OK)
            break;
        records++;
        print_record(&record, number, json, out);
        opevo_pipeline_destroy(record.pipeline);
    }
    opevo_text_add(out, json ? "\n]\n" : "");
    opevo_free(data);
    if (status == OPEVO_OK && records == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no records.", path);
    return status;
}

/* A log has pipelines of its own: what is about sketches says nothing of them. */
static opevo_status check_options(const opevo_call *call, opevo_error *err)
{
    static const char *const of_sketches[] = {"on", "threads", "cores", "ansor", "space"};

    for (size_t i = 0; i < sizeof of_sketches / sizeof *of_sketches; i++) {
        if (opevo_i_cli_flag(call, "record") && opevo_i_cli_flag(call, of_sketches[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--record and --%s exclude each other: a log has no sketches.",
                              of_sketches[i]);
    }
    if (opevo_i_cli_flag(call, "space") && opevo_i_cli_flag(call, "json"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--space prints a space file, which is JSON: omit --json.");
    return OPEVO_OK;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_space *space = NULL;
    opevo_sketch_target target;
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    OPEVO_TRY(check_options(call, err));
    OPEVO_TRY(read_target(call, &target, err));
    OPEVO_TRY(opevo_i_cli_computation_of(call->arguments[0], &computation, err));
    if (opevo_i_cli_option(call, "record")) {
        status = print_log(opevo_i_cli_option(call, "record"), computation,
                           opevo_i_cli_flag(call, "json"), out, err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_sketches_create(computation, &target, &sketches, err));
    OPEVO_TRY(opevo_sketches_space(sketches, &space, err));
    if (opevo_i_cli_flag(call, "space"))
        opevo_space_write_json(space, out);
    else
        (opevo_i_cli_flag(call, "json") ? print_json : print_text)(
            sketches, space,
            target.dialect == OPEVO_KERNEL_C ? opevo_sketches_scratch(computation) : 0, out);
cleanup:
    opevo_space_destroy(space);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
    return status;
}

const opevo_verb opevo_i_cli_verb_sketch = {
    .name = "sketch",
    .arguments = "COMPUTATION",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Print the sketches of a computation and the space that they leave open.",
    .details = "COMPUTATION is what `opevo computation` takes. A sketch is a list of steps whose\n"
               "tile sizes are open; `opevo tune COMPUTATION --on cpu` searches the space of\n"
               "all. docs/sketches.md says how they are made.\n\n"
               "  opevo sketch 'matmul(512,512,512)'\n"
               "  opevo sketch 'softmax(512,1024)' --ansor --cores 4",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
