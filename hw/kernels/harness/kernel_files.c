/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where kernels and their harness files are. */

#include <opevo/kernel_harness.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the text names a file that can be read; it is emptied otherwise. */
static bool try_path(opevo_text *path)
{
    struct stat file;

    if (!path->failed && path->length > 0 && access(path->data, R_OK) == 0 &&
        stat(path->data, &file) == 0 && !S_ISDIR(file.st_mode))
        return true;
    opevo_text_clear(path);
    return false;
}

/* NAME or NAME.ll in FOLDER. */
static bool try_kernel(opevo_text *path, const char *folder, const char *name)
{
    opevo_text_printf(path, "%s/%s", folder, name);
    if (try_path(path))
        return true;
    opevo_text_printf(path, "%s/%s.ll", folder, name);
    return try_path(path);
}

/* The same in a folder that is named from that of this program. */
static bool try_beside(opevo_text *path, const char *folder, const char *name)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    opevo_text where = {0};
    bool found;

    if (length <= 0)
        return false;
    program[length] = '\0';
    opevo_text_add_bytes(&where, program, (size_t)(strrchr(program, '/') + 1 - program));
    opevo_text_add(&where, folder);
    found = !where.failed && try_kernel(path, where.data, name);
    opevo_text_free(&where);
    return found;
}

opevo_status opevo_kernel_path(const char *name, char **out, opevo_error *err)
{
    const char *folder = getenv("OPEVO_KERNELS");
    opevo_text path = {0};
    bool found;

    opevo_text_add(&path, name);
    found = try_path(&path);
    if (!found && !strchr(name, '/')) {
        found = (folder && *folder && try_kernel(&path, folder, name)) ||
                try_beside(&path, "kernels", name) ||
                try_beside(&path, "../share/opevo/kernels", name);
    }
    if (!found) {
        opevo_text_free(&path);
        if (!*name)
            return OPEVO_FAIL(err, OPEVO_INVALID, "The name of the kernel is empty.");
        return OPEVO_FAIL(err, OPEVO_IO,
                          access(name, F_OK) == 0 ? "%s: Not a file that can be read."
                                                  : "%s: No such file, nor a kernel of opevo.",
                          name);
    }
    *out = path.data;
    return OPEVO_OK;
}

opevo_status opevo_harness_path(const char *kernel, char **out, opevo_error *err)
{
    const char *slash = strrchr(kernel, '/');
    const char *name = slash ? slash + 1 : kernel;
    const char *end = strrchr(name, '.'), *variant = strchr(name, '-');
    opevo_text path = {0};

    if (!end)
        end = name + strlen(name);
    opevo_text_add_bytes(&path, kernel, (size_t)(end - kernel));
    opevo_text_add(&path, ".json");
    /* One that is there and cannot be read is not passed over: who opens it says why. */
    if (!path.failed && access(path.data, F_OK) != 0)
        opevo_text_clear(&path);
    if (path.length == 0 && variant && variant < end) {
        opevo_text_add_bytes(&path, kernel, (size_t)(variant - kernel));
        opevo_text_add(&path, ".json");
        try_path(&path);
    }
    if (path.length == 0) {
        opevo_text_free(&path);
        return OPEVO_FAIL(err, OPEVO_IO,
                          "No harness file %.*s.json beside the kernel; name one by --harness.",
                          (int)(end - name), name);
    }
    *out = path.data;
    return OPEVO_OK;
}
