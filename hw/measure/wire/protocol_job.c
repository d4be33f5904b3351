/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Jobs as JSON and back. What comes in is checked before it is used. */

#include "protocol_internal.h"

#include <string.h>

static json_t *triple(const uint32_t *numbers)
{
    return json_pack("[i,i,i]", (int)numbers[0], (int)numbers[1], (int)numbers[2]);
}

/* Nothing where all operands are dense. */
static int add_packed(const opevo_kernel *kernel, json_t *message)
{
    json_t *list = NULL;
    int failed = 0;
    int count = 0;

    for (int i = 0; i < OPEVO_OPERANDS; i++)
        count = kernel->packed[i] ? i + 1 : count;
    if (!count)
        return 0;
    list = json_array();
    for (int i = 0; i < count; i++)
        failed |= json_array_append_new(list, json_integer((json_int_t)kernel->packed[i]));
    return failed | json_object_set_new(message, "packed", list);
}

static json_t *launch_to_json(const opevo_launch *launch)
{
    return json_pack("{s:o, s:o, s:I}", "grid", triple(launch->grid), "block",
                     triple(launch->block), "shared_bytes",
                     (json_int_t)launch->dynamic_shared_bytes);
}

/* The launches after the first; left out of a kernel with one. */
static int add_launches(const opevo_kernel *kernel, json_t *message)
{
    json_t *list = kernel->more ? json_array() : NULL;
    int failed = 0;

    if (!kernel->more)
        return 0;
    for (int i = 0; i < kernel->more; i++)
        failed |= json_array_append_new(list, launch_to_json(&kernel->then[i]));
    return failed | json_object_set_new(message, "then", list);
}

static int add_words(const opevo_i_process_arguments *words, const char *key, json_t *message)
{
    json_t *list = json_array();
    int failed = !list;

    for (size_t i = 0; i < words->count; i++)
        failed |= json_array_append_new(list, opevo_i_wire_json_text(words->items[i]));
    return failed | json_object_set_new(message, key, list);
}

/* The lines of a text as a list; left out when the text is empty. */
static int add_lines(const opevo_text *text, const char *key, json_t *message)
{
    json_t *list = text->length ? json_array() : NULL;
    int failed = text->length && !list;

    for (const char *at = opevo_text_string(text); *at && !failed;) {
        size_t length = strcspn(at, "\n");

        failed |= json_array_append_new(list, json_stringn(at, length));
        at += length + (at[length] != '\0');
    }
    return failed | (list ? json_object_set_new(message, key, list) : 0);
}

/* What only kernels have that opevo did not write. */
static int add_own(const opevo_kernel *kernel, json_t *message)
{
    int failed = add_lines(&kernel->options, "options", message);

    failed |= add_lines(&kernel->values, "values", message);
    if (kernel->own)
        failed |= json_object_set_new(message, "dialect",
                                      json_string(opevo_kernel_dialect_name(kernel->dialect)));
    return failed;
}

json_t *opevo_i_wire_job_to_json(const opevo_i_wire_job *job)
{
    json_t *message = json_pack("{s:s, s:I, s:b}", "type", "measure", "job", (json_int_t)job->id,
                                "single_sample", (int)job->single_sample);
    const opevo_kernel *kernel = &job->kernel;
    int failed = 0;

    if (!message)
        return NULL;
    if (job->command.count) {
        failed |= add_words(&job->command, "command", message);
        if (job->build.count)
            failed |= add_words(&job->build, "build", message);
    } else if (job->library) {
        failed |= json_object_set_new(message, "library", json_true());
    } else {
        failed |= json_object_set_new(message, "source",
                                      opevo_i_wire_json_text(opevo_text_string(&kernel->source)));
        failed |= json_object_set_new(message, "entry", opevo_i_wire_json_text(kernel->entry));
        failed |= json_object_set_new(message, "grid", triple(kernel->grid));
        failed |= json_object_set_new(message, "block", triple(kernel->block));
        failed |= json_object_set_new(message, "shared_bytes",
                                      json_integer(kernel->dynamic_shared_bytes));
        failed |= add_launches(kernel, message);
        failed |= add_own(kernel, message);
        if (kernel->parallel)
            failed |= json_object_set_new(message, "parallel", json_true());
        failed |= add_packed(kernel, message);
        failed |= json_object_set_new(message, "scratch_bytes",
                                      json_integer((json_int_t)kernel->scratch_bytes));
        failed |= json_object_set_new(message, "thread_scratch_bytes",
                                      json_integer((json_int_t)kernel->thread_scratch_bytes));
    }
    if (job->slower > 0)
        failed |= json_object_set_new(message, "slower", json_real(job->slower));
    if (job->best_s > 0)
        failed |= json_object_set_new(message, "best_s", json_real(job->best_s));
    if (failed) {
        json_decref(message);
        return NULL;
    }
    return message;
}

/* A whole number from 0 to 2^32 - 1. */
static bool read_u32(const json_t *json, uint32_t *out)
{
    json_int_t value = json_is_integer(json) ? json_integer_value(json) : -1;

    *out = (uint32_t)value;
    return value >= 0 && value <= UINT32_MAX;
}

/* A size of memory, 0 where nothing says it. */
static bool read_size(const json_t *json, uint64_t *out)
{
    json_int_t value = json_integer_value(json);

    *out = (uint64_t)value;
    return (!json || json_is_integer(json)) && value >= 0 && value <= OPEVO_I_SCRATCH_LIMIT;
}

static bool read_packed(const json_t *list, opevo_kernel *out)
{
    bool good = (!list || json_is_array(list)) && json_array_size(list) <= OPEVO_OPERANDS;

    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = read_size(json_array_get(list, i), &out->packed[i]);
    return good;
}

static bool read_triple(const json_t *json, uint32_t *out)
{
    bool good = json_array_size(json) == 3;

    for (size_t i = 0; good && i < 3; i++)
        good = read_u32(json_array_get(json, i), &out[i]);
    return good;
}

static bool read_launches(const json_t *list, opevo_kernel *out)
{
    bool good =
        (!list || json_is_array(list)) && json_array_size(list) <= OPEVO_KERNEL_LAUNCHES - 1;

    out->more = good ? (int)json_array_size(list) : 0;
    for (int i = 0; good && i < out->more; i++) {
        const json_t *one = json_array_get(list, (size_t)i);

        good = read_triple(json_object_get(one, "grid"), out->then[i].grid) &&
               read_triple(json_object_get(one, "block"), out->then[i].block) &&
               read_u32(json_object_get(one, "shared_bytes"), &out->then[i].dynamic_shared_bytes);
    }
    return good;
}

static bool read_lines(const json_t *list, opevo_text *out)
{
    bool good = !list || json_is_array(list);

    for (size_t i = 0; good && i < json_array_size(list); i++) {
        const char *line = json_string_value(json_array_get(list, i));

        good = line && !strchr(line, '\n');
        if (good)
            opevo_text_printf(out, "%s\n", line);
    }
    return good && !out->failed;
}

static bool read_own(const json_t *message, opevo_kernel *out)
{
    const char *dialect = json_string_value(json_object_get(message, "dialect"));

    out->own = dialect != NULL;
    return read_lines(json_object_get(message, "options"), &out->options) &&
           read_lines(json_object_get(message, "values"), &out->values) &&
           (!dialect || opevo_kernel_dialect_find(dialect, &out->dialect));
}

static bool read_kernel(const json_t *message, opevo_kernel *out)
{
    const char *source = json_string_value(json_object_get(message, "source"));
    const char *entry = json_string_value(json_object_get(message, "entry"));

    if (!source || !entry || strlen(entry) >= sizeof out->entry)
        return false;
    memcpy(out->entry, entry, strlen(entry) + 1);
    opevo_text_add(&out->source, source);
    out->parallel = json_is_true(json_object_get(message, "parallel"));
    return !out->source.failed && read_own(message, out) &&
           read_triple(json_object_get(message, "grid"), out->grid) &&
           read_triple(json_object_get(message, "block"), out->block) &&
           read_u32(json_object_get(message, "shared_bytes"), &out->dynamic_shared_bytes) &&
           read_launches(json_object_get(message, "then"), out) &&
           read_packed(json_object_get(message, "packed"), out) &&
           read_size(json_object_get(message, "scratch_bytes"), &out->scratch_bytes) &&
           read_size(json_object_get(message, "thread_scratch_bytes"), &out->thread_scratch_bytes);
}

static bool read_command(const json_t *command, opevo_i_process_arguments *out)
{
    bool good = json_array_size(command) > 0;

    for (size_t i = 0; good && i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));

        good = word && opevo_i_process_arguments_add(out, word, strlen(word));
    }
    return good;
}

bool opevo_i_wire_job_from_json(const json_t *message, opevo_i_wire_job *out)
{
    const json_t *command = json_object_get(message, "command");
    const json_t *build = json_object_get(message, "build");
    const json_t *id = json_object_get(message, "job");
    opevo_i_wire_job job = {.id = json_integer_value(id),
                            .library = json_is_true(json_object_get(message, "library")),
                            .single_sample =
                                json_is_true(json_object_get(message, "single_sample")),
                            .slower = json_number_value(json_object_get(message, "slower")),
                            .best_s = json_number_value(json_object_get(message, "best_s"))};
    bool good = json_is_integer(id);

    if (good && command)
        good = read_command(command, &job.command) && (!build || read_command(build, &job.build));
    else if (good && !job.library)
        good = read_kernel(message, &job.kernel);
    if (good)
        *out = job;
    else
        opevo_i_wire_job_clear(&job);
    return good;
}
