/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the files of a folder are those of a library, whatever kernels it has chosen.
 *
 * A kernel says in front of its source what the library must know of it, so a library takes the
 * kernels that it finds in the folder, and then has to have the other files byte by byte. Times of
 * steps were measured and may be others. */

#include "library_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 1 << 28 };

/* *data stays NULL where the file is missing, which is said. */
static opevo_status read_file(const char *folder, const char *name, char **data, size_t *size,
                              opevo_text *why, opevo_error *err)
{
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    OPEVO_TRY(opevo_text_check(&path, err));
    if (access(path.data, F_OK) != 0)
        opevo_text_printf(why, "The folder does not have %s.", name);
    else
        status = opevo_file_read(path.data, TEXT_BYTES, data, size, err);
cleanup:
    opevo_text_free(&path);
    return status;
}

/* ---- Kernels ---- */

/* The function behind the last line that begins with "void NAME(" and packs nothing: as `opevo
 * prove` finds the kernel. */
static bool find_entry(const char *text, char entry[static 64])
{
    static const char head[] = "\nvoid ", pack[] = "_pack_";
    const char *found = NULL;
    size_t length = 0;

    for (const char *at = strstr(text, head); at; at = strstr(at, head)) {
        at += strlen(head);
        length = strcspn(at, "(");
        if (length <= strlen(pack) ||
            strncmp(at + length - strlen(pack) - 1, pack, strlen(pack)) != 0)
            found = at;
    }
    length = found ? strcspn(found, "(") : 0;
    if (length == 0 || length >= 64)
        return false;
    snprintf(entry, 64, "%.*s", (int)length, found);
    return true;
}

/* What a comment in front says of the kernel. */
static void read_comment(const char *line, const opevo_workload *work, opevo_kernel *out)
{
    unsigned long long bytes = 0, of_threads = 0;
    char name[OPEVO_KERNEL_NAME], operand[32];
    int end = -1;

    /* NOLINTBEGIN(cert-err34-c): other numbers give another head, which is compared */
    if (sscanf(line, "/* scratch memory: %llu bytes, and %llu of each thread */%n", &bytes,
               &of_threads, &end) == 2 &&
        end > 0) {
        out->scratch_bytes = bytes;
        out->thread_scratch_bytes = of_threads;
        out->parallel = of_threads > 0;
    } else if (sscanf(line, "/* %79s packs %31s into %llu bytes */%n", name, operand, &bytes,
                      &end) == 3 &&
               end > 0) {
        for (int i = 0; i < work->list.inputs && i < OPEVO_OPERANDS; i++)
            if (strcmp(work->list.item[i].name, operand) == 0)
                out->packed[i] = bytes / sizeof(float);
    }
    /* NOLINTEND(cert-err34-c) */
}

/* The kernel of a file, without its source, which the library does not need. */
static bool read_kernel(const char *text, const opevo_workload *work, opevo_kernel *out)
{
    *out = (opevo_kernel){.dialect = OPEVO_KERNEL_C, .block = {1, 1, 1}, .grid = {1, 1, 1}};
    for (const char *at = strstr(text, " */"); at; at = strchr(at, '\n')) {
        at += strspn(at, "\n");
        read_comment(at, work, out);
    }
    return find_entry(text, out->entry);
}

static opevo_status take_kernel(opevo_network_library *self, const char *folder, int t,
                                opevo_text *why, opevo_error *err)
{
    opevo_i_library_task *task = &self->task[t];
    char name[OPEVO_I_FILE_NAME], *text = NULL;
    size_t size = 0;
    opevo_kernel kernel = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_library_kernel_name(self, t, name);
    status = read_file(folder, name, &text, &size, why, err);
    if (status != OPEVO_OK || !text)
        return status;
    if (!read_kernel(text, task->work, &kernel)) {
        opevo_text_printf(why, "%s is not a kernel of a library in C.", name);
    } else {
        opevo_kernel_free(&task->kernel);
        task->kernel = kernel;
    }
    opevo_free(text);
    return OPEVO_OK;
}

/* What stands in front of the kernel is what the library would write there: the same definitions,
 * and of memory neither more nor less than the plan needs. */
static opevo_status check_head(const opevo_network_library *self, const char *folder, int t,
                               opevo_text *why, opevo_error *err)
{
    opevo_text comments = {0}, source = {0};
    char name[OPEVO_I_FILE_NAME], *text = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    opevo_i_library_kernel_name(self, t, name);
    OPEVO_TRY(read_file(folder, name, &text, &size, why, err));
    if (!text)
        goto cleanup;
    opevo_i_library_kernel_parts(&self->task[t], &comments, &source);
    OPEVO_TRY(opevo_text_check(&comments, err));
    if (strncmp(text, opevo_text_string(&comments), comments.length) != 0)
        opevo_text_printf(why, "%s says in front of the kernel something else than the steps need.",
                          name);
cleanup:
    opevo_text_free(&comments);
    opevo_text_free(&source);
    opevo_free(text);
    return status;
}

/* ---- Files ---- */

/* Two rows of steps that differ in their times only: `    {"name", "operation", 1.5e-06},`. */
static bool is_same_row(const char *a, size_t a_length, const char *b, size_t b_length)
{
    static const char number[] = "0123456789.e+-";
    size_t a_tail = 0, b_tail = 0;

    if (a_length < 8 || b_length < 8 || strncmp(a, "    {\"", 6) != 0 ||
        strncmp(a + a_length - 2, "},", 2) != 0 || strncmp(b + b_length - 2, "},", 2) != 0)
        return false;
    a_length -= 2;
    b_length -= 2;
    while (a_tail < a_length && strchr(number, a[a_length - a_tail - 1]))
        a_tail++;
    while (b_tail < b_length && strchr(number, b[b_length - b_tail - 1]))
        b_tail++;
    return a_tail && b_tail && a_length - a_tail == b_length - b_tail &&
           strncmp(a, b, a_length - a_tail) == 0 &&
           strncmp(a + a_length - a_tail - 3, "\", ", 3) == 0;
}

/* The first line that differs, from 1; 0: none. */
static size_t find_difference(const char *a, const char *b)
{
    for (size_t line = 1; *a || *b; line++) {
        size_t a_length = strcspn(a, "\n"), b_length = strcspn(b, "\n");

        if ((a_length != b_length || strncmp(a, b, a_length) != 0) &&
            !is_same_row(a, a_length, b, b_length))
            return line;
        a += a_length;
        b += b_length;
        if (*a != *b)
            return line;
        a += *a == '\n';
        b += *b == '\n';
    }
    return 0;
}

static opevo_status check_source(const opevo_network_library *self, const char *folder,
                                 size_t source, opevo_text *why, opevo_error *err)
{
    char name[OPEVO_I_FILE_NAME], *there = NULL;
    opevo_text text = {0};
    size_t size = 0, line = 0;
    opevo_status status = opevo_i_library_source_name(self, source, name, err);

    OPEVO_TRY(status);
    OPEVO_TRY(read_file(folder, name, &there, &size, why, err));
    if (!there)
        goto cleanup;
    opevo_i_library_source_text(self, source, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    line = strlen(there) == size ? find_difference(there, opevo_text_string(&text)) : 1;
    if (line)
        opevo_text_printf(why, "%s, line %zu, is not what this opevo writes for these steps.", name,
                          line);
cleanup:
    opevo_text_free(&text);
    opevo_free(there);
    return status;
}

static opevo_status check_weights(const opevo_network_library *self, const char *folder,
                                  opevo_text *why, opevo_error *err)
{
    opevo_text path = {0};
    FILE *file = NULL;
    opevo_status status = OPEVO_OK;
    bool same = true;

    opevo_text_printf(&path, "%s/%s", folder, OPEVO_I_LIBRARY_WEIGHTS);
    OPEVO_TRY(opevo_text_check(&path, err));
    file = fopen(path.data, "rb");
    for (int i = 0; i < self->stored_count && file && same; i++) {
        const opevo_array *array = &self->inference->value[self->stored[i]].array;
        size_t bytes = (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type);
        size_t all = (size_t)opevo_i_library_aligned((int64_t)bytes);
        char *there = opevo_malloc(all + 1, 1);

        OPEVO_NEED(there, "weights of a library");
        same = fread(there, 1, all, file) == all && memcmp(there, array->data, bytes) == 0;
        opevo_free(there);
    }
    if (!file || !same || fgetc(file) != EOF)
        opevo_text_add(why, OPEVO_I_LIBRARY_WEIGHTS " does not have the weights of these steps.");
cleanup:
    if (file)
        (void)fclose(file);
    opevo_text_free(&path);
    return status;
}

/* ---- All ---- */

opevo_status opevo_network_library_compare(opevo_network_library *self, const char *folder,
                                           opevo_text *why, opevo_error *err)
{
    opevo_network_library_sizes sizes = {0};
    opevo_status status = OPEVO_OK;

    if (self->options.dialect != OPEVO_KERNEL_C || self->options.freestanding ||
        self->inference->dynamic)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: only a library in C of known sizes, that is not freestanding, can "
                          "be compared.",
                          folder);
    for (int t = 0; t < self->tasks && !why->length; t++)
        OPEVO_TRY(take_kernel(self, folder, t, why, err));
    if (!why->length)
        OPEVO_TRY(opevo_network_library_measure(self, &sizes, err));
    for (int t = 0; t < self->tasks && !why->length; t++)
        OPEVO_TRY(check_head(self, folder, t, why, err));
    for (size_t i = 0; i < OPEVO_I_LIBRARY_SOURCES && !why->length; i++)
        OPEVO_TRY(check_source(self, folder, i, why, err));
    if (!why->length)
        OPEVO_TRY(check_weights(self, folder, why, err));
    status = opevo_text_check(why, err);
cleanup:
    return status;
}
