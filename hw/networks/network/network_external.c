/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Data of tensors in files beside the model. Nothing outside the model's folder is opened: each
 * part of a location is opened from the part before it, and none may be ".." or a symbolic link.
 * Memory is taken only after the file was found to have all bytes of the tensor. */

#include "network_internal.h"

#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Data of one tensor, and where the model says that they are. */
typedef struct external {
    const char *what; /* begins messages */
    const char *location;
    uint64_t offset;
    size_t bytes;
} external;

/* ---- Entries ---- */

static const char *find_entry(const Onnx__Tensor *tensor, const char *key)
{
    for (size_t i = 0; i < tensor->n_external_data; i++) {
        const Onnx__StringPair *pair = tensor->external_data[i];

        if (pair->key && strcmp(pair->key, key) == 0)
            return pair->value ? pair->value : "";
    }
    return NULL;
}

static opevo_status take_number(const external *self, const Onnx__Tensor *tensor, const char *key,
                                uint64_t absent, uint64_t *out, opevo_error *err)
{
    const char *text = find_entry(tensor, key);

    *out = absent;
    if (text && !opevo_parse_u64(text, out))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s in '%.200s' has the %s '%.50s', which is not a whole number.",
                          self->what, self->location, key, text);
    return OPEVO_OK;
}

static opevo_status take_entries(const Onnx__Tensor *tensor, external *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t length = 0;

    self->location = find_entry(tensor, "location");
    if (!self->location || !*self->location)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has its data in another file, without its name.",
                          self->what);
    if (tensor->has_raw_data || tensor->n_float_data || tensor->n_int32_data ||
        tensor->n_int64_data || tensor->n_double_data || tensor->n_uint64_data)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has data both in the model and in '%.200s'; keep one of them.",
                          self->what, self->location);
    OPEVO_TRY(take_number(self, tensor, "offset", 0, &self->offset, err));
    OPEVO_TRY(take_number(self, tensor, "length", self->bytes, &length, err));
    if (length != self->bytes)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s has %llu bytes in '%.200s'; its shape and type have %zu.",
                            self->what, (unsigned long long)length, self->location, self->bytes);
cleanup:
    return status;
}

/* ---- The file ---- */

static opevo_status fail_part(const external *self, int folder, const char *part, int reason,
                              opevo_error *err)
{
    struct stat info;

    if (fstatat(folder, part, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has its data in '%.200s', where '%.100s' is a symbolic link; put the "
                          "file itself beside the model.",
                          self->what, self->location, part);
    return OPEVO_FAIL(err, OPEVO_IO, "%s has its data in '%.200s': %s.", self->what, self->location,
                      strerror(reason));
}

/* Open the rest of a location from its folder, part by part; closes the folder. The location is cut
 * into its parts. */
static opevo_status open_parts(const external *self, int folder, char *rest, int *out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (char *part = strtok_r(rest, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        bool last = !*rest;
        int next = openat(folder, part,
                          O_CLOEXEC | O_NOFOLLOW |
                              (last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY));

        if (next < 0)
            status = fail_part(self, folder, part, errno, err);
        close(folder);
        folder = next;
        if (next < 0)
            return status;
    }
    *out = folder;
    return OPEVO_OK;
}

/* Paths of descriptors, such as /dev/stdin, have a folder that is not the model's. */
static bool has_folder(const char *model)
{
    return model && strncmp(model, "/proc/", 6) != 0 &&
           (strncmp(model, "/dev/", 5) != 0 || strncmp(model, "/dev/shm/", 9) == 0);
}

/* Whether some part of the location is "..". */
static bool climbs(const char *location)
{
    for (const char *part = location; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (!part[2] || part[2] == '/'))
            return true;
    }
    return false;
}

static opevo_status open_external(const external *self, const char *model, int *out,
                                  opevo_error *err)
{
    const char *name = model ? strrchr(model, '/') : NULL;
    opevo_status status = OPEVO_OK;
    opevo_text parent = {0}, rest = {0};
    int folder = -1;

    if (!has_folder(model))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has its data in '%.200s', and there is no folder to find it in; save "
                          "it with its data inside.",
                          self->what, self->location);
    if (*self->location == '/' || climbs(self->location))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has its data in '%.200s', which is outside the folder of the model; "
                          "put the file beside the model.",
                          self->what, self->location);
    opevo_text_printf(&parent, "%.*s", name ? (int)(name - model) + 1 : 2, name ? model : "./");
    opevo_text_printf(&rest, "%s", self->location);
    OPEVO_TRY(opevo_text_check(&parent, err));
    OPEVO_TRY(opevo_text_check(&rest, err));
    folder = open(opevo_text_string(&parent), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", opevo_text_string(&parent), strerror(errno));
    else
        status = open_parts(self, folder, rest.data, out, err);
cleanup:
    opevo_text_free(&parent);
    opevo_text_free(&rest);
    return status;
}

static opevo_status check_size(const external *self, int file, opevo_error *err)
{
    struct stat info;

    if (fstat(file, &info) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s has its data in '%.200s': %s.", self->what,
                          self->location, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has its data in '%.200s', which is not a regular file.", self->what,
                          self->location);
    if (self->offset > (uint64_t)info.st_size ||
        self->bytes > (uint64_t)info.st_size - self->offset)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has its data in '%.200s', %zu bytes from byte %llu on; the file has "
                          "%llu bytes.",
                          self->what, self->location, self->bytes, (unsigned long long)self->offset,
                          (unsigned long long)info.st_size);
    return OPEVO_OK;
}

static opevo_status read_bytes(const external *self, int file, char *out, opevo_error *err)
{
    for (size_t done = 0; done < self->bytes;) {
        ssize_t got = pread(file, out + done, self->bytes - done, (off_t)(self->offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return OPEVO_FAIL(err, OPEVO_IO, "%s has its data in '%.200s': %s.", self->what,
                              self->location, got ? strerror(errno) : "The file became shorter");
        done += (size_t)got;
    }
    return OPEVO_OK;
}

bool opevo_i_net_is_external(const Onnx__Tensor *tensor)
{
    return tensor->data_location || tensor->n_external_data;
}

opevo_status opevo_i_net_external_read(const Onnx__Tensor *tensor, const char *what,
                                       const char *model, opevo_array *array, opevo_error *err)
{
    external self = {.what = what, .bytes = opevo_i_net_bytes(array)};
    opevo_status status = OPEVO_OK;
    int file = -1;

    OPEVO_TRY(take_entries(tensor, &self, err));
    OPEVO_TRY(open_external(&self, model, &file, err));
    OPEVO_TRY(check_size(&self, file, err));
    OPEVO_TRY(opevo_array_allocate(array, err));
    OPEVO_TRY(read_bytes(&self, file, array->data, err));
cleanup:
    if (status != OPEVO_OK)
        opevo_array_free(array);
    if (file >= 0)
        close(file);
    return status;
}
