/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "kernel_maker_internal.h"

#include "computation_spec_internal.h"

#include <opevo/computation_named.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/sketch.h>
#include <opevo/template.h>

#include <stdio.h>
#include <string.h>

/* The computation is read again, as the maker owns its own. */
static opevo_status open_sketches(const opevo_workload *work, opevo_kernel_dialect dialect,
                                  unsigned threads, opevo_kernel_maker **out, opevo_error *err)
{
    const opevo_sketch_target target = {.dialect = dialect, .cores = threads, .threads = threads};
    opevo_text what = {0};
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    opevo_workload_print(work, &what);
    OPEVO_TRY(opevo_text_check(&what, err));
    OPEVO_TRY(opevo_computation_read(opevo_text_string(&what), &computation, err));
    OPEVO_TRY(opevo_sketches_open(computation, &target, out, err));
    computation = NULL;
cleanup:
    opevo_computation_destroy(computation);
    opevo_text_free(&what);
    return status;
}

opevo_status opevo_i_cli_device_of(const char *device, opevo_kernel_dialect *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};

    return opevo_live_dialect(device, out, &inner) == OPEVO_OK
               ? OPEVO_OK
               : OPEVO_FAIL(err, inner.status, "--on %s", inner.message);
}

opevo_status opevo_i_cli_find_maker(const opevo_workload *work, const char *name, bool sketches,
                                    opevo_kernel_dialect dialect, unsigned threads,
                                    opevo_kernel_maker **out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (sketches)
        return open_sketches(work, dialect, threads, out, err);
    if (!work->library)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--template %.100s: the kernels of a computation come from sketches; give "
            "sketch, or nothing.",
            name);
    status = opevo_template_open_threads(work->library, name, dialect, threads, out, &inner);
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "%s%s", inner.message,
                   status == OPEVO_INVALID && name && dialect == OPEVO_KERNEL_C
                       ? " --template sketch takes sketches of the computation instead."
                       : "");
    return status;
}

/* ---- By the name of an objective ---- */

/* The parts of the name of an objective of kernels; `what` is cut out of it. */
typedef struct origin {
    char device[OPEVO_I_DEVICE_NAME], maker[64];
    unsigned threads;
    char *what;
} origin;

/* False for another kind of name, and without memory. */
static bool parse(const char *name, origin *out)
{
    const char *space = strchr(name, ' '), *colon = NULL, *threads = strstr(name, " threads=");
    uint64_t count = 1;

    for (const char *at = name; space && at < space; at++)
        colon = *at == ':' ? at : colon;
    if (!colon || (size_t)(colon - name) >= sizeof out->device ||
        (size_t)(space - colon) > sizeof out->maker ||
        (threads && !opevo_parse_u64(threads + strlen(" threads="), &count)) || count < 1 ||
        count > OPEVO_THREADS_MOST)
        return false;
    snprintf(out->device, sizeof out->device, "%.*s", (int)(colon - name), name);
    snprintf(out->maker, sizeof out->maker, "%.*s", (int)(space - colon - 1), colon + 1);
    out->threads = (unsigned)count;
    out->what =
        threads ? opevo_strndup(space + 1, (size_t)(threads - space - 1)) : opevo_strdup(space + 1);
    return out->what && opevo_live_is_device(out->device);
}

static opevo_status open_maker(const char *device, const char *what, const char *name,
                               unsigned threads, opevo_kernel_maker **out, opevo_error *err)
{
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C, best = OPEVO_KERNEL_C;
    bool sketches = !strcmp(name, "sketch");
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;
    unsigned cores = 1;

    OPEVO_TRY(opevo_i_cli_device_of(device, &dialect, err));
    OPEVO_TRY(opevo_live_sketch_dialect(device, &best, &cores, err));
    OPEVO_TRY(opevo_i_cli_workload_of(what, &work, err));
    OPEVO_TRY(
        opevo_i_cli_find_maker(work, name, sketches, sketches ? best : dialect, threads, out, err));
cleanup:
    opevo_workload_destroy(work);
    return status;
}

opevo_status opevo_i_cli_maker_named(const char *name, char device[OPEVO_I_DEVICE_NAME],
                                     opevo_kernel_maker **out, opevo_error *err)
{
    origin from = {.what = NULL};
    opevo_status status = OPEVO_OK;

    if (parse(name, &from)) {
        memcpy(device, from.device, sizeof from.device);
        status = open_maker(from.device, from.what, from.maker, from.threads, out, err);
    } else {
        status = OPEVO_FAIL(err, OPEVO_MISMATCH, "%.200s are not kernels of opevo.", name);
    }
    opevo_free(from.what);
    return status;
}
