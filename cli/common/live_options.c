/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From the command line to live objectives. */

#include "computation_spec_internal.h"
#include "kernel_maker_internal.h"
#include "live_options_internal.h"
#include "options_internal.h"
#include "own_of_call_internal.h"
#include "space_spec_internal.h"
#include "terminal_internal.h"

#include <opevo/computation_named.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/sketch.h>
#include <opevo/template.h>

#include <stdio.h>
#include <string.h>

static const opevo_option rows[] = {OPEVO_I_LIVE_OPTIONS, OPEVO_I_SEARCHED_OPTIONS,
                                    OPEVO_I_KERNEL_THREADS_OPTION};

const opevo_option *opevo_i_cli_live_option(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    }
    return NULL;
}

/* The list is the caller's, also on failure. */
static opevo_status read_workers(const opevo_call *call, const char ***list, opevo_workers *out,
                                 opevo_error *err)
{
    opevo_status status = opevo_i_cli_option_all(call, "workers", list, &out->count, err);

    if (status != OPEVO_OK || !call)
        return status;
    out->commands = *list;
    out->mixed = opevo_i_cli_flag(call, "mixed-devices");
    out->from = opevo_i_cli_option(call, "workers-from");
    out->address = opevo_i_cli_option(call, "workers-address");
    return OPEVO_OK;
}

/* Limits of time; what is not given stays. */
static opevo_status read_limits(const opevo_call *call, double *run_s, double *build_s,
                                opevo_workers *workers, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double run_limit_s = 0, build_limit_s = 0;

    OPEVO_TRY(opevo_i_cli_option_positive(call, "timeout", &run_limit_s, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "build-timeout", &build_limit_s, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "worker-timeout", &workers->start_s, err));
    *run_s = run_limit_s > 0 ? run_limit_s : *run_s;
    *build_s = build_limit_s > 0 ? build_limit_s : *build_s;
cleanup:
    return status;
}

static opevo_status read_program(const opevo_call *call, opevo_program_options *options,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0;

    if (!call)
        return OPEVO_OK;
    options->name = opevo_i_cli_option(call, "name");
    options->result = opevo_i_cli_option(call, "result");
    OPEVO_TRY(opevo_i_cli_option_positive(call, "flop", &options->flop, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "repeats", 1, 1, 10000, &options->repeats, err));
    OPEVO_TRY(
        read_limits(call, &options->run_limit_s, &options->build_limit_s, &options->workers, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    options->build = opevo_i_cli_option(call, "build");
    options->threads = (unsigned)threads;
cleanup:
    return status;
}

opevo_status opevo_i_cli_live_program(const opevo_call *call, const char *command,
                                      const char *space, opevo_objective **out, opevo_error *err)
{
    opevo_program_options options = opevo_program_defaults();
    opevo_status status = OPEVO_OK;
    opevo_space *loaded = NULL;
    const char **workers = NULL;
    const char **exits = NULL;
    const char **criteria = NULL;

    options.command = command;
    OPEVO_TRY(read_program(call, &options, err));
    OPEVO_TRY(read_workers(call, &workers, &options.workers, err));
    OPEVO_TRY(opevo_i_cli_option_all(call, "exit", &exits, &options.exit_count, err));
    options.exits = exits;
    OPEVO_TRY(opevo_i_cli_option_all(call, "criterion", &criteria, &options.criterion_count, err));
    options.criteria = criteria;
    OPEVO_TRY(opevo_i_cli_space_of(space, &loaded, err));
    OPEVO_TRY(opevo_program_open(loaded, &options, out, err));
    loaded = NULL; /* the objective's */
cleanup:
    opevo_space_destroy(loaded);
    opevo_free(workers);
    opevo_free(exits);
    opevo_free(criteria);
    return status;
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static opevo_status read_kernels(const opevo_call *call, opevo_live_options *options,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double percent = 0;
    const char *slower = NULL;

    if (!call)
        return OPEVO_OK;
    options->cold_cache = opevo_i_cli_flag(call, "cold");
    OPEVO_TRY(
        read_limits(call, &options->run_limit_s, &options->build_limit_s, &options->workers, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "precision", &percent, err));
    if (percent >= 100)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--precision %g: give a percentage below 100.",
                          percent);
    options->precision = percent > 0 ? percent / 100 : options->precision;
    slower = opevo_i_cli_option(call, "slower");
    if (slower && (!opevo_parse_double(slower, &options->slower) ||
                   !(options->slower == 0 || options->slower >= 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--slower %s: give a factor of at least 1, or 0 for no such limit.",
                          slower);
    options->verifier = opevo_i_cli_option(call, "verifier");
    OPEVO_TRY(opevo_i_cli_option_count(call, "check", options->check_every, 0, 1000000,
                                       &options->check_every, err));
cleanup:
    return status;
}

opevo_status opevo_i_cli_kernel_threads(const opevo_call *call, uint64_t fallback,
                                        unsigned *threads, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t count = fallback;

    if (call)
        OPEVO_TRY(opevo_i_cli_option_count(call, "threads", fallback, 0, OPEVO_THREADS_MOST, &count,
                                           err));
    if (count == 0 && (opevo_i_cli_flag(call, "workers") || opevo_i_cli_flag(call, "workers-from")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--threads 0: give their number, as other hosts have other cores.");
    *threads = count ? (unsigned)count : opevo_processor_count();
cleanup:
    return status;
}

enum { MOST_SCRATCH_MIB = 1 << 30 };

static opevo_status limit_scratch(const opevo_call *call, opevo_kernel_maker *maker,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_error inner = {OPEVO_OK, ""};
    uint64_t mib = 0;

    if (!call || !opevo_i_cli_flag(call, "scratch"))
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_cli_option_count(call, "scratch", 0, 0, MOST_SCRATCH_MIB, &mib, err));
    if (!opevo_sketches_made(maker) || !opevo_kernel_is_for_cpu(maker->dialect))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--scratch applies to sketches of CPU kernels: omit it.");
    status = opevo_sketches_limit(maker, (int64_t)mib << 20, &inner);
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "--scratch %llu: %s", (unsigned long long)mib, inner.message);
cleanup:
    return status;
}

void opevo_i_cli_say_beyond_limit(const opevo_kernel_maker *maker)
{
    opevo_text names = {0};
    size_t count = opevo_sketches_made(maker) ? opevo_sketches_beyond_limit(maker, &names) : 0;
    const char *first = opevo_text_string(&names);

    if (count)
        fprintf(stderr,
                "%zu sketch%s (%s) store%s at every point more beside the operands than a kernel "
                "may, and all trials there are rejected: raise --scratch, or exclude them in the "
                "space file of --space by constraints such as sketch != '%.*s'\n",
                count, count == 1 ? "" : "es", first, count == 1 ? "s" : "",
                (int)strcspn(first, ","), first);
    opevo_text_free(&names);
}

/* What makes the kernels: templates and sketches of what a user writes, or his own source. */
static opevo_status open_maker(const opevo_call *call, const char *device, const char *what,
                               opevo_kernel_maker **out, opevo_error *err)
{
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;
    unsigned threads = 1;
    const char *name = call ? opevo_i_cli_option(call, "template") : NULL;
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C, best = OPEVO_KERNEL_C;
    unsigned cores = 1;
    bool sketches = false;

    OPEVO_TRY(opevo_i_cli_device_of(device, &dialect, err));
    OPEVO_TRY(opevo_live_sketch_dialect(device, &best, &cores, err));
    OPEVO_TRY(opevo_i_cli_workload_of(what, &work, err));
    /* Templates for GPUs are far from the best on a CPU. */
    sketches = name ? strcmp(name, "sketch") == 0 : !work->library || best != dialect;
    OPEVO_TRY(opevo_i_cli_kernel_threads(call, sketches ? cores : 1, &threads, err));
    OPEVO_TRY(
        opevo_i_cli_find_maker(work, name, sketches, sketches ? best : dialect, threads, out, err));
cleanup:
    opevo_workload_destroy(work);
    return status;
}

static opevo_status narrow(opevo_kernel_maker *maker, const char *file, opevo_error *err)
{
    opevo_space *part = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    status = opevo_i_cli_space_of(file, &part, err);
    if (status != OPEVO_OK)
        return status;
    status = opevo_sketches_made(maker) ? opevo_sketches_narrow(maker, part, &inner)
                                        : opevo_template_narrow(maker, part, &inner);
    if (status == OPEVO_OK)
        return OPEVO_OK;
    opevo_space_destroy(part);
    return OPEVO_FAIL(err, status, "%s: %s", file, inner.message);
}

/* Generated kernels, in a part of their space where the user gave one. */
static opevo_status open_generated(const opevo_call *call, const char *device, const char *what,
                                   const char *space, bool says, opevo_kernel_maker **out,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_kernel_maker *maker = NULL;

    OPEVO_TRY(open_maker(call, device, what, &maker, err));
    OPEVO_TRY(limit_scratch(call, maker, err));
    if (space)
        OPEVO_TRY(narrow(maker, space, err));
    else if (says)
        opevo_i_cli_say_beyond_limit(maker);
    *out = maker;
    maker = NULL;
cleanup:
    if (maker)
        maker->ops->destroy(maker);
    return status;
}

static opevo_status open_own(const opevo_call *call, const char *device, const char *what,
                             const char *space, opevo_kernel_maker **out, opevo_error *err)
{
    opevo_i_cli_own_device where = {.name = device, .any = !strcmp(device, "simt")};
    opevo_status status = OPEVO_OK;

    if (!where.any)
        OPEVO_TRY(opevo_i_cli_device_of(device, &where.dialect, err));
    where.calls = !where.any && where.dialect == OPEVO_KERNEL_C;
    OPEVO_TRY(opevo_i_cli_kernel_threads(call, 1, &where.threads, err));
    status = opevo_i_cli_own_of_call(call, what, &where, space, out, err);
cleanup:
    return status;
}

opevo_status opevo_i_cli_live_options_of(const opevo_call *call, const char *device,
                                         opevo_live_options *out, const char ***list,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = opevo_live_defaults();
    out->device = device;
    /* A plan is also opened to be merged, or shown, and then by no verb. */
    out->meet = call && call->verb && !opevo_i_cli_flag(call, "dry-run");
    out->of_plan = !call || !call->verb || !strcmp(call->verb->name, "study");
    out->interrupt = &opevo_i_cli_interrupted;
    OPEVO_TRY(read_kernels(call, out, err));
    OPEVO_TRY(read_workers(call, list, &out->workers, err));
cleanup:
    return status;
}

opevo_status opevo_i_cli_kernels_named(const char *name, const char *space, opevo_objective **out,
                                       opevo_error *err)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    char device[OPEVO_I_DEVICE_NAME];
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_maker_named(name, device, &maker, err));
    if (space)
        OPEVO_TRY(narrow(maker, space, err));
    options.device = device;
    status = opevo_live_open(maker, &options, out, err);
    maker = NULL;
cleanup:
    if (maker)
        maker->ops->destroy(maker);
    return status;
}

void opevo_i_cli_catch_while_waiting(const opevo_live_options *options)
{
    if (options->meet && (options->workers.from || options->workers.count))
        opevo_i_cli_catch_interrupts();
}

opevo_status opevo_i_cli_live_kernels(const opevo_call *call, const char *device, const char *space,
                                      const char *what, opevo_objective **out, opevo_error *err)
{
    opevo_live_options options = {.device = device};
    opevo_status status = OPEVO_OK;
    opevo_kernel_maker *maker = NULL;
    const char **workers = NULL;
    const char **criteria = NULL;

    OPEVO_TRY(opevo_i_cli_live_options_of(call, device, &options, &workers, err));
    OPEVO_TRY(opevo_i_cli_option_all(call, "criterion", &criteria, &options.criterion_count, err));
    options.criteria = criteria;
    OPEVO_TRY(opevo_i_cli_is_own(call, what)
                  ? open_own(call, device, what, space, &maker, err)
                  : open_generated(call, device, what, space, options.meet, &maker, err));
    opevo_i_cli_catch_while_waiting(&options);
    status = opevo_live_open(maker, &options, out, err);
    maker = NULL;
cleanup:
    if (maker)
        maker->ops->destroy(maker);
    opevo_free(workers);
    opevo_free(criteria);
    return status;
}
