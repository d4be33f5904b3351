/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel from a schedule that was written before, as its source or as a folder. */

#include "computation_spec_internal.h"
#include "emitted_files_internal.h"
#include "live_options_internal.h"
#include "options_internal.h"

#include <opevo/export.h>
#include <opevo/hardware.h>
#include <opevo/schedule_file.h>
#include <opevo/version.h>

#include <string.h>

static const opevo_option options[] = {
    {"schedule", "FILE", "the schedule, such as the kernel.schedule of --emit; or a record of TVM",
     false},
    {"on", "DEVICE", OPEVO_DEVICES_OR " (default: what the file is for, or else cpu)", false},
    {"record", NULL, "print it as a record of TVM's auto-scheduler instead of the kernel", false},
    {"to", "DIR", "write the kernel with a program that checks and times it (default: print it)",
     false},
};

/* `wanted` is what the arguments name, NULL where they do not. */
static opevo_status read_schedule(const opevo_call *call, opevo_workload **wanted,
                                  opevo_schedule_file *out, opevo_error *err)
{
    const char *path = opevo_i_cli_option(call, "schedule");
    const char *on = opevo_i_cli_option(call, "on");
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;
    opevo_status status = OPEVO_OK;

    if (!path)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--schedule is missing: give the file with the schedule.");
    if (on)
        OPEVO_TRY(opevo_i_cli_device_of(on, &dialect, err));
    if (call->argument_count)
        OPEVO_TRY(opevo_i_cli_workload_of(call->arguments[0], wanted, err));
    OPEVO_TRY(opevo_schedule_file_read(path, *wanted, on ? &dialect : NULL, out, err));
    if (out->dialect == OPEVO_KERNEL_COUNT)
        out->dialect = OPEVO_KERNEL_C;
cleanup:
    return status;
}

static opevo_status print_record(const opevo_schedule_file *file, opevo_text *out, opevo_error *err)
{
    const char *target = file->dialect == OPEVO_KERNEL_CUDA  ? "cuda"
                         : file->dialect == OPEVO_KERNEL_HIP ? "rocm"
                                                             : "llvm";
    opevo_status status = OPEVO_OK;
    opevo_text what = {0};

    opevo_workload_print(file->work, &what);
    OPEVO_TRY(opevo_text_check(&what, err));
    status = opevo_record_write_line(file->pipeline, opevo_text_string(&what), target, out, err);
cleanup:
    opevo_text_free(&what);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *folder = opevo_i_cli_option(call, "to");
    opevo_workload *wanted = NULL;
    opevo_schedule_file file = {0};
    opevo_text files[OPEVO_EXPORT_FILES] = {0};
    opevo_export_label label = {.version = OPEVO_VERSION};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    if (opevo_i_cli_flag(call, "record") && folder)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--record prints a line; leave out --to.");
    OPEVO_TRY(read_schedule(call, &wanted, &file, err));
    if (opevo_i_cli_flag(call, "record")) {
        status = print_record(&file, out, &inner);
        if (status != OPEVO_OK)
            OPEVO_FAIL(err, status, "%s: %s", opevo_i_cli_option(call, "schedule"), inner.message);
        goto cleanup;
    }
    label.threads = file.threads;
    label.name = file.maker;
    label.configuration = file.configuration;
    status = opevo_export_print_pipeline(file.pipeline, file.dialect, &label, files, &inner);
    if (status != OPEVO_OK) {
        OPEVO_FAIL(err, status, "%s: %s", opevo_i_cli_option(call, "schedule"), inner.message);
        goto cleanup;
    }
    if (folder) {
        OPEVO_TRY(opevo_i_cli_kernel_folder_prepare("to", folder, file.dialect, true, err));
        OPEVO_TRY(opevo_i_cli_kernel_folder_write(folder, file.dialect, files, err));
    } else {
        opevo_text_add(out, opevo_text_string(&files[0]));
    }
cleanup:
    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++)
        opevo_text_free(&files[i]);
    opevo_schedule_file_free(&file);
    opevo_workload_destroy(wanted);
    return status;
}

const opevo_verb opevo_i_cli_verb_emit = {
    .name = "emit",
    .arguments = "[COMPUTATION]",
    .arguments_max = 1,
    .summary = "Write the kernel of a schedule: its source, or a folder that builds.",
    .details =
        "The schedule is a file as opevo tune --emit writes it, kernel.schedule. Its head names\n"
        "an operator or a computation, and a dialect; they must agree with COMPUTATION and --on\n"
        "where these are given. A file of steps alone needs COMPUTATION, and so does a record of\n"
        "TVM's auto-scheduler (docs/formats/record.md). docs/pipelines.md has the steps.\n\n"
        "  opevo tune mm1 --on cpu --emit mm1-kernel\n"
        "  opevo emit --schedule mm1-kernel/kernel.schedule --to again",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints_data = true,
    .run = run,
};
