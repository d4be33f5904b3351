/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The folder of a library. The list net.files in it names what opevo wrote there; no other file is
 * replaced or removed.
 *
 * All files are written to a folder inside, then renamed into place. While files of two libraries
 * may be there the list names those of both, and no file that says how a library is built is there.
 * So a write that fails leaves the library that was there, and one that is killed is taken over by
 * the next. */

#include "library_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char list_name[] = "net.files", inside[] = "opevo-partial",
                  certificate[] = "kernels.proof", /* of the kernels that were there */
    made_mark[] = "# made: ",
                  mark[] =
                      "# Files that opevo wrote. It replaces and removes these and no others.\n";

/* ---- Names ---- */

static bool has(const opevo_i_library_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0)
            return true;
    }
    return false;
}

static opevo_status fail_path(const char *folder, const char *name, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO, "%s/%s: %s.", folder, name, strerror(errno));
}

/* ---- The list ---- */

static opevo_status refuse(const char *folder, const char *name, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: %s already exists and was not written by opevo; give another folder, or "
                      "move it away.",
                      folder, name);
}

static opevo_status read_names(const char *folder, char *text, opevo_i_library_names *out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *rest = NULL;
    int number = 2;

    if (strncmp(text, mark, strlen(mark)) != 0)
        return refuse(folder, list_name, err);
    for (char *name = strtok_r(text + strlen(mark), "\n", &rest); name && status == OPEVO_OK;
         name = strtok_r(NULL, "\n", &rest), number++) {
        if (strncmp(name, made_mark, strlen(made_mark)) == 0)
            continue;
        if (!opevo_i_library_is_name(name))
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "%s/%s:%d: \"%.40s\" is not a file of a library; give another folder.", folder,
                list_name, number, name);
        status = opevo_i_library_names_add(out, name, err);
    }
    return status;
}

/* No names where no library was written. */
static opevo_status read_list(int folder_file, const char *folder, opevo_i_library_names *out,
                              opevo_error *err)
{
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;
    struct stat info;
    char *data = NULL;
    size_t size = 0;

    if (fstatat(folder_file, list_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? OPEVO_OK : fail_path(folder, list_name, err);
    if (!S_ISREG(info.st_mode))
        return refuse(folder, list_name, err);
    opevo_text_printf(&path, "%s/%s", folder, list_name);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_file_read(path.data, (size_t)1 << 20, &data, &size, err));
    status = read_names(folder, data, out, err);
cleanup:
    opevo_free(data);
    opevo_text_free(&path);
    return status;
}

static opevo_status write_list(const opevo_i_library_folder *self,
                               const opevo_i_library_names *names, const char *made,
                               opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(&text, mark);
    if (*made)
        opevo_text_printf(&text, "%s%s\n", made_mark, made);
    for (size_t i = 0; i < names->count; i++)
        opevo_text_printf(&text, "%s\n", names->name[i]);
    OPEVO_TRY(opevo_file_write_in(self->path, list_name, &text, err));
    (void)fsync(self->file); /* where folders can be flushed: the list is there before the files */
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_network_library_read_note(const char *folder, opevo_text *out, opevo_error *err)
{
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;
    char *data = NULL;
    const char *at;
    size_t size = 0;

    opevo_text_printf(&path, "%s/%s", folder, list_name);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_file_read(path.data, (size_t)1 << 20, &data, &size, err));
    at = strncmp(data, mark, strlen(mark)) == 0 ? data + strlen(mark) : "";
    if (strncmp(at, made_mark, strlen(made_mark)) == 0)
        opevo_text_add_bytes(out, at + strlen(made_mark), strcspn(at, "\n") - strlen(made_mark));
    status = opevo_text_check(out, err);
cleanup:
    opevo_free(data);
    opevo_text_free(&path);
    return status;
}

/* ---- Opening ---- */

static opevo_status check_names(const opevo_i_library_folder *self,
                                const opevo_i_library_names *names, opevo_error *err)
{
    struct stat info;

    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->name[i];

        if (fstatat(self->file, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno != ENOENT)
                return fail_path(self->path, name, err);
        } else if (!S_ISREG(info.st_mode) || !has(&self->before, name)) {
            return refuse(self->path, name, err);
        }
    }
    if (fstatat(self->file, inside, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode))
        return refuse(self->path, inside, err);
    return OPEVO_OK;
}

/* Two processes that write into one folder wait for each other, where the file system can lock
 * it. */
static opevo_status start(opevo_i_library_folder *self, const char *path,
                          const opevo_i_library_names *names, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->path = path;
    self->file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->file < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    while (flock(self->file, LOCK_EX) != 0 && errno == EINTR)
        ;
    OPEVO_TRY(read_list(self->file, path, &self->before, err));
    status = check_names(self, names, err);
cleanup:
    return status;
}

/* What a killed process has left. */
static void clean(const opevo_i_library_folder *self)
{
    DIR *entries = opendir(self->inside.data);
    struct dirent *entry = NULL;

    while (entries && (entry = readdir(entries)) != NULL) {
        char name[sizeof entry->d_name], *end = NULL;

        snprintf(name, sizeof name, "%s", entry->d_name);
        end = strstr(name, ".opevo-partial"); /* of opevo_file_write */
        if (end)
            *end = '\0';
        if (opevo_i_library_is_name(name))
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries)
        closedir(entries);
}

opevo_status opevo_i_library_folder_open(const char *path, const opevo_i_library_names *names,
                                         opevo_i_library_folder *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(start(out, path, names, err));
    opevo_text_printf(&out->inside, "%s/%s", path, inside);
    OPEVO_TRY(opevo_text_check(&out->inside, err));
    if (mkdirat(out->file, inside, 0777) != 0 && errno != EEXIST)
        OPEVO_TRY(fail_path(path, inside, err));
    out->made = true;
    clean(out);
cleanup:
    return status;
}

opevo_status opevo_i_library_folder_check(const char *path, const opevo_i_library_names *names,
                                          opevo_error *err)
{
    opevo_i_library_folder self = {.file = -1};
    opevo_status status = start(&self, path, names, err);

    opevo_i_library_folder_close(&self);
    return status;
}

void opevo_i_library_folder_close(opevo_i_library_folder *self)
{
    if (self->made) {
        clean(self);
        (void)unlinkat(self->file, inside, AT_REMOVEDIR);
    }
    if (self->file >= 0)
        close(self->file);
    opevo_text_free(&self->inside);
    opevo_i_library_names_free(&self->before);
}

/* ---- Into place ---- */

/* Files by which a library is built: gone first and there last. */
static bool builds(const char *name)
{
    return strcmp(name, "Makefile") == 0 || strcmp(name, "CMakeLists.txt") == 0;
}

static opevo_status remove_file(const opevo_i_library_folder *self, const char *name,
                                opevo_error *err)
{
    return unlinkat(self->file, name, 0) == 0 || errno == ENOENT ? OPEVO_OK
                                                                 : fail_path(self->path, name, err);
}

static opevo_status put(const opevo_i_library_folder *self, const opevo_i_library_names *names,
                        bool last, opevo_error *err)
{
    char from[sizeof inside + OPEVO_I_FILE_NAME];

    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->name[i];

        snprintf(from, sizeof from, "%s/%s", inside, name);
        if (builds(name) == last && renameat(self->file, from, self->file, name) != 0)
            return fail_path(self->path, name, err);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_library_folder_finish(opevo_i_library_folder *self,
                                           const opevo_i_library_names *names, const char *made,
                                           opevo_error *err)
{
    opevo_i_library_names both = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < names->count; i++)
        OPEVO_TRY(opevo_i_library_names_add(&both, names->name[i], err));
    for (size_t i = 0; i < self->before.count; i++) {
        if (!has(names, self->before.name[i]))
            OPEVO_TRY(opevo_i_library_names_add(&both, self->before.name[i], err));
    }
    OPEVO_TRY(write_list(self, &both, "", err));
    for (size_t i = 0; i < self->before.count; i++) {
        if (builds(self->before.name[i]))
            OPEVO_TRY(remove_file(self, self->before.name[i], err));
    }
    if (self->before.count)
        OPEVO_TRY(remove_file(self, certificate, err));
    OPEVO_TRY(put(self, names, false, err));
    for (size_t i = names->count; i < both.count; i++)
        OPEVO_TRY(remove_file(self, both.name[i], err));
    OPEVO_TRY(put(self, names, true, err));
    status = write_list(self, names, made, err);
cleanup:
    opevo_i_library_names_free(&both);
    return status;
}
