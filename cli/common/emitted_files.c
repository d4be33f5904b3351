/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel as files: the best one of a run, with --emit, and others. */

#include "emitted_files_internal.h"
#include "options_internal.h"

#include <opevo/export.h>
#include <opevo/file.h>
#include <opevo/hardware.h>
#include <opevo/live.h>
#include <opevo/version.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static opevo_status refuse_file(const char *option, const char *folder, const char *name,
                                opevo_error *err)
{
    opevo_text path = {0};
    struct stat info;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    status = opevo_text_check(&path, err);
    if (status == OPEVO_OK && lstat(path.data, &info) == 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "--%s %s: %s already exists; give another folder.",
                            option, folder, name);
    opevo_text_free(&path);
    return status;
}

static opevo_status refuse_present(const char *option, const char *folder,
                                   opevo_kernel_dialect dialect, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < OPEVO_EXPORT_FILES && status == OPEVO_OK; i++)
        status = refuse_file(option, folder, opevo_export_name(dialect, i), err);
    return status;
}

static opevo_status make_folder(const char *option, const char *folder, opevo_error *err)
{
    opevo_text inside = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&inside, "%s/.", folder); /* only of a folder */
    status = opevo_text_check(&inside, err);
    if (status == OPEVO_OK && ((mkdir(folder, 0777) && errno != EEXIST) ||
                               access(opevo_text_string(&inside), W_OK | X_OK)))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--%s %s: %s; give a folder that can be created or written.", option,
                            folder, strerror(errno));
    opevo_text_free(&inside);
    return status;
}

opevo_status opevo_i_cli_kernel_folder_prepare(const char *option, const char *folder,
                                               opevo_kernel_dialect dialect, bool make,
                                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!opevo_export_name(dialect, 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--%s %s: kernels in %s are not written to folders; omit the option.",
                          option, folder, opevo_kernel_dialect_name(dialect));
    status = refuse_present(option, folder, dialect, err);

    return status == OPEVO_OK && make ? make_folder(option, folder, err) : status;
}

/* The same for the files that a maker names itself. */
static opevo_status prepare_own(const char *folder, const opevo_kernel_maker *maker, bool make,
                                opevo_error *err)
{
    const char *name = NULL;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; status == OPEVO_OK && (name = maker->ops->file_name(maker, i)) != NULL; i++)
        status = refuse_file("emit", folder, name, err);
    return status == OPEVO_OK && make ? make_folder("emit", folder, err) : status;
}

static opevo_status write_own(const char *folder, const opevo_kernel_maker *maker,
                              opevo_index point, opevo_error *err)
{
    const char *name = NULL;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; status == OPEVO_OK && (name = maker->ops->file_name(maker, i)) != NULL;
         i++) {
        opevo_text text = {0};

        status = maker->ops->file(maker, point, i, &text, err);
        if (status == OPEVO_OK)
            status = opevo_file_write_in(folder, name, &text, err);
        opevo_text_free(&text);
    }
    return status;
}

opevo_status opevo_i_cli_kernel_files_prepare(const opevo_call *call, const char *folder,
                                              const opevo_objective *objective, opevo_error *err)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);

    if (!folder)
        return OPEVO_OK;
    if (!maker)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--emit requires kernels: use --on " OPEVO_DEVICES_OR ".");
    if (maker->ops->file_name)
        return prepare_own(folder, maker, !opevo_i_cli_flag(call, "dry-run"), err);
    return opevo_i_cli_kernel_folder_prepare("emit", folder, maker->dialect,
                                             !opevo_i_cli_flag(call, "dry-run"), err);
}

opevo_status opevo_i_cli_kernel_folder_write(const char *folder, opevo_kernel_dialect dialect,
                                             const opevo_text *files, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < OPEVO_EXPORT_FILES && status == OPEVO_OK; i++)
        status = opevo_file_write_in(folder, opevo_export_name(dialect, i), &files[i], err);
    return status;
}

opevo_status opevo_i_cli_kernel_files_write(const char *folder, const char *on,
                                            const opevo_objective *objective, opevo_index point,
                                            double fitness, opevo_error *err)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);
    opevo_text files[OPEVO_EXPORT_FILES] = {0};
    opevo_text device = {0};
    opevo_export_label label = {.version = OPEVO_VERSION, .fitness = fitness};
    opevo_status status = OPEVO_OK;

    if (maker->ops->file_name)
        return write_own(folder, maker, point, err);
    opevo_live_print_devices(objective, &device);
    /* No worker was asked when every trial was in the store. */
    label.device = device.length ? opevo_text_string(&device) : on;
    OPEVO_TRY(opevo_export_print(maker, point, &label, files, err));
    OPEVO_TRY(opevo_i_cli_kernel_folder_write(folder, maker->dialect, files, err));
cleanup:
    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++)
        opevo_text_free(&files[i]);
    opevo_text_free(&device);
    return status;
}
