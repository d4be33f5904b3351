/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The folder of a verifier holds the outputs of the case that was judged last. */

#include "own_verifier_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend_internal.h"

#define LIMIT_S 10
enum { HEADER = 128, OUTPUT_LIMIT = 1 << 12, WORDS = 400 };

struct opevo_i_own_verifier {
    opevo_i_process_arguments command;
    char folder[4096];  /* "": none */
    opevo_text written; /* names of files, each in a line */
};

opevo_status opevo_i_own_verifier_open(const json_t *setup, opevo_i_own_verifier **out,
                                       opevo_error *err)
{
    const char *command = json_string_value(json_object_get(setup, "verifier"));
    const char *base = getenv("TMPDIR");
    opevo_i_own_verifier *self = NULL;
    opevo_status status = OPEVO_OK;

    if (!command)
        return OPEVO_OK;
    OPEVO_NEW_OR_RETURN(self, 1, "a verifier");
    *out = self;
    status = opevo_i_process_command_split(command, &self->command, err);
    if (status != OPEVO_OK)
        return status;
    snprintf(self->folder, sizeof self->folder, "%.4000s/opevo-verify-XXXXXX",
             base && *base ? base : "/tmp");
    if (!mkdtemp(self->folder)) {
        *self->folder = '\0';
        return OPEVO_FAIL(err, OPEVO_IO, "No folder for the results that a verifier judges.");
    }
    return opevo_i_process_arguments_add(&self->command, self->folder, strlen(self->folder))
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a verifier.");
}

void opevo_i_own_verifier_close(opevo_i_own_verifier *self)
{
    if (!self)
        return;
    for (const char *at = opevo_text_string(&self->written); *at;) {
        size_t length = strcspn(at, "\n");
        char path[4400];

        snprintf(path, sizeof path, "%s/%.*s", self->folder, (int)length, at);
        unlink(path);
        at += length + (at[length] != '\0');
    }
    if (*self->folder)
        rmdir(self->folder);
    opevo_text_free(&self->written);
    opevo_i_process_arguments_clear(&self->command);
    opevo_free(self);
}

/* ---- Files ---- */

/* The head of an array of one dimension, version 1.0, which ends at a multiple of 64 bytes. */
static void print_head(const opevo_buffer *buffer, opevo_text *out)
{
    const char *type = opevo_kernel_element_name(buffer->element);
    size_t size = opevo_kernel_element_size(buffer->element);
    char order = size == 1 ? '|' : __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    char head[HEADER + 1];
    int length = snprintf(head, sizeof head,
                          "\x93NUMPY\x01%c%c%c{'descr': '%c%c%zu', 'fortran_order': False, "
                          "'shape': (%zu,), }",
                          0, HEADER - 10, 0, order, *type, size, buffer->count);

    memset(head + length, ' ', (size_t)(HEADER - length));
    head[HEADER - 1] = '\n';
    opevo_text_add_bytes(out, head, HEADER);
}

static opevo_status write_output(opevo_i_own_verifier *self, const opevo_buffer *buffer,
                                 const void *data, opevo_error *err)
{
    opevo_text array = {0}, line = {0};
    char path[4400];
    opevo_status status = OPEVO_OK;

    print_head(buffer, &array);
    opevo_text_add_bytes(&array, data, buffer->size_bytes);
    opevo_text_printf(&line, "%.200s.npy\n", buffer->name);
    OPEVO_TRY(opevo_text_check(&array, err));
    OPEVO_TRY(opevo_text_check(&line, err));
    snprintf(path, sizeof path, "%s/%.200s.npy", self->folder, buffer->name);
    OPEVO_TRY(opevo_file_write(path, array.data, array.length, err));
    if (!strstr(opevo_text_string(&self->written), line.data))
        opevo_text_add(&self->written, line.data);
cleanup:
    opevo_text_free(&array);
    opevo_text_free(&line);
    return status;
}

/* ---- The program ---- */

static opevo_status judge_end(const opevo_i_own_verifier *self,
                              const opevo_i_process_program_end *end, opevo_evaluation *out,
                              opevo_error *err)
{
    const char *name = self->command.items[0];
    char tail[WORDS] = "";

    opevo_i_process_program_tail(end, tail, sizeof tail);
    if (!end->kept)
        return OPEVO_FAIL(err, OPEVO_FAULT, "the verifier %.100s was killed", name);
    if (end->start_errno)
        return OPEVO_FAIL(err, OPEVO_FAULT, "the verifier %.100s cannot be started: %s", name,
                          strerror(end->start_errno));
    if (end->timed_out)
        return OPEVO_FAIL(err, OPEVO_FAULT, "the verifier %.100s took longer than %d s", name,
                          LIMIT_S);
    if (!WIFEXITED(end->wait_status) || WEXITSTATUS(end->wait_status) > 1)
        return OPEVO_FAIL(err, OPEVO_FAULT, "the verifier %.100s fails%.200s", name, tail);
    if (WEXITSTATUS(end->wait_status) == 0)
        return OPEVO_OK;
    out->verdict = OPEVO_VERDICT_WRONG;
    snprintf(out->message, sizeof out->message, "The verifier says that it is wrong%.250s.", tail);
    return OPEVO_OK;
}

opevo_status opevo_i_own_verifier_ask(opevo_i_own_verifier *self, const opevo_buffer *buffers,
                                      size_t count, const void *const *data, opevo_evaluation *out,
                                      opevo_error *err)
{
    const opevo_i_process_program program = {
        .argv = self->command.items, .limit_s = LIMIT_S, .output_limit = OUTPUT_LIMIT};
    opevo_i_process_keeper keeper;
    opevo_i_process_program_end end = {.kept = false};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count; i++) {
        if (buffers[i].output)
            OPEVO_TRY(write_output(self, &buffers[i], data[i], err));
    }
    OPEVO_TRY(opevo_i_process_keeper_start(&program, &keeper, err));
    opevo_i_backend_await(&keeper, &end);
    status = judge_end(self, &end, out, err);
    opevo_i_process_program_end_free(&end);
cleanup:
    return status;
}
