/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cases: their names and buffers, and the walk through the steps. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, STEPS = 1 << 16, BLOCK_SIZE = 1024, SHARED = 1 << 24 };

#define CASE_BYTES ((size_t)1 << 30)

/* ---- Layout ---- */

static opevo_status define(opevo_case *self, const char *name, int64_t value, const char *key,
                           opevo_error *err)
{
    opevo_i_harness_size_names *names = &self->names;

    for (size_t i = 0; i < names->count; i++) {
        if (!strcmp(names->name[i], name))
            return opevo_i_harness_fail(self->harness, err, key, "\"%.60s\" is defined twice.",
                                        name);
    }
    if (names->count == OPEVO_I_SIZE_NAMES)
        return opevo_i_harness_fail(self->harness, err, key, "There are more than %d names.",
                                    OPEVO_I_SIZE_NAMES);
    names->name[names->count] = name;
    names->value[names->count++] = value;
    return OPEVO_OK;
}

static bool is_parameter(const opevo_harness *harness, const char *name)
{
    size_t i = 0;

    while (i < harness->values.count && strcmp(harness->values.name[i], name) != 0)
        i++;
    return i < harness->values.count;
}

static opevo_status define_all(opevo_case *self, json_t *object, const char *key, opevo_text *label,
                               opevo_error *err)
{
    const char *name = NULL;
    json_t *value = NULL;

    json_object_foreach(object, name, value)
    {
        opevo_status status = OPEVO_OK;

        if (is_parameter(self->harness, name))
            continue;
        status = define(self, name, json_integer_value(value), key, err);
        if (status != OPEVO_OK)
            return status;
        opevo_text_printf(label, "%s=%" JSON_INTEGER_FORMAT " ", name, json_integer_value(value));
    }
    return OPEVO_OK;
}

static opevo_status define_derived(opevo_case *self, opevo_error *err)
{
    const char *name = NULL;
    json_t *value = NULL;

    json_object_foreach(self->harness->derived, name, value)
    {
        char key[OPEVO_I_WHERE_SIZE];
        int64_t number = 0;
        opevo_status status;

        snprintf(key, sizeof key, "derived.%.60s", name);
        status = opevo_i_harness_value(self->harness, value, &self->names, key, INT64_MIN,
                                       INT64_MAX, &number, err);
        if (status == OPEVO_OK)
            status = define(self, name, number, key, err);
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

static opevo_status lay_out_buffers(opevo_case *self, opevo_error *err)
{
    const opevo_harness *harness = self->harness;
    size_t total = 0;

    self->buffers = opevo_calloc(harness->buffer_count, sizeof *self->buffers);
    self->memory = opevo_calloc(harness->buffer_count, sizeof *self->memory);
    OPEVO_NEED_OR_RETURN(self->buffers && self->memory, "a case of %s", harness->path);
    for (size_t i = 0; i < harness->buffer_count; i++) {
        const opevo_i_harness_buffer_plan *plan = &harness->buffers[i];
        opevo_buffer *buffer = &self->buffers[i];
        size_t size = opevo_kernel_element_size(plan->element);
        char key[OPEVO_I_WHERE_SIZE];
        int64_t count = 0;
        opevo_status status;

        snprintf(key, sizeof key, "buffers.%.60s.count", plan->name);
        status = opevo_i_harness_value(harness, plan->count, &self->names, key, 1,
                                       (int64_t)(CASE_BYTES / size), &count, err);
        if (status != OPEVO_OK)
            return status;
        *buffer = (opevo_buffer){.name = plan->name,
                                 .element = plan->element,
                                 .count = (size_t)count,
                                 .size_bytes = (size_t)count * size,
                                 .initialised = plan->fill != OPEVO_I_FILL_NONE,
                                 .output = plan->output,
                                 .benign_races = plan->benign_races,
                                 .symbol = plan->symbol};
        total += buffer->size_bytes;
    }
    if (total > CASE_BYTES)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s: The buffers of case %s have more than 1 GiB.",
                          harness->path, self->label);
    return OPEVO_OK;
}

opevo_status opevo_i_harness_case_lay_out(opevo_case *self, const opevo_i_harness_case_plan *plan,
                                          const opevo_harness_values *values, opevo_error *err)
{
    opevo_text label = {0};
    opevo_status status = OPEVO_OK;

    self->seed = plan->seed;
    status = define_all(self, plan->sizes, "sets.sizes", &label, err);
    if (status == OPEVO_OK)
        status = define_all(self, plan->geometry, "sets.geometries", &label, err);
    opevo_text_printf(&label, "seed=%" PRIu64, plan->seed);
    if (status == OPEVO_OK)
        status = opevo_text_check(&label, err);
    self->label = label.data;
    for (size_t i = 0; i < values->count && status == OPEVO_OK; i++)
        status = define(self, values->name[i], values->value[i], "parameters", err);
    if (status == OPEVO_OK)
        status = define_derived(self, err);
    return status == OPEVO_OK ? lay_out_buffers(self, err) : status;
}

opevo_status opevo_case_open(const opevo_harness *harness, opevo_harness_set set, size_t i,
                             opevo_case **out, opevo_error *err)
{
    return opevo_case_open_with(harness, set, i, NULL, out, err);
}

opevo_status opevo_case_open_with(const opevo_harness *harness, opevo_harness_set set, size_t i,
                                  const opevo_harness_values *values, opevo_case **out,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_case *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a case of %s", harness->path);
    self->harness = harness;
    OPEVO_TRY(opevo_i_harness_case_lay_out(self, &harness->cases[set][i],
                                           values ? values : &harness->values, err));
    for (size_t b = 0; b < harness->buffer_count; b++) {
        uintptr_t start;

        self->memory[b] = opevo_calloc(1, self->buffers[b].size_bytes + ALIGNMENT);
        OPEVO_NEED(self->memory[b], "case %s of %s", self->label, harness->path);
        start = (uintptr_t)self->memory[b];
        self->buffers[b].data = (char *)self->memory[b] + (ALIGNMENT - start % ALIGNMENT);
        OPEVO_TRY(opevo_i_harness_case_fill(self, b, err));
    }
    *out = self;
    self = NULL; /* handed over */
cleanup:
    opevo_case_close(self);
    return status;
}

opevo_status opevo_case_refill(opevo_case *self, uint64_t seed, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->seed = seed;
    self->anew = true;
    for (size_t b = 0; b < self->harness->buffer_count && status == OPEVO_OK; b++) {
        memset(self->buffers[b].data, 0,
               self->buffers[b].size_bytes); /* of which fills set a part */
        status = opevo_i_harness_case_fill(self, b, err);
    }
    return status;
}

void opevo_case_close(opevo_case *self)
{
    if (!self)
        return;
    for (size_t i = 0; self->memory && i < self->harness->buffer_count; i++)
        opevo_free(self->memory[i]);
    opevo_free(self->memory);
    opevo_free(self->buffers);
    opevo_free(self->label);
    opevo_free(self);
}

opevo_buffer *opevo_case_buffers(opevo_case *self, size_t *count)
{
    *count = self->harness->buffer_count;
    return self->buffers;
}

bool opevo_case_value(const opevo_case *self, size_t i, const char **name, int64_t *value)
{
    if (i >= self->names.count)
        return false;
    *name = self->names.name[i];
    *value = self->names.value[i];
    return true;
}

const char *opevo_case_label(const opevo_case *self)
{
    return self->label;
}

/* ---- Steps ---- */

typedef struct walk {
    opevo_case *what;
    const opevo_player *player;
    opevo_evaluation *out;
    size_t steps; /* so far */
    opevo_error *err;
} walk;

static opevo_status evaluate(const walk *w, json_t *expression, const opevo_i_harness_step *step,
                             const char *member, int64_t least, int64_t most, int64_t *out)
{
    char key[OPEVO_I_WHERE_SIZE];

    snprintf(key, sizeof key, "%s.%s", step->where, member);
    return opevo_i_harness_value(w->what->harness, expression, &w->what->names, key, least, most,
                                 out, w->err);
}

static opevo_status scalar(const walk *w, const opevo_i_harness_step *step,
                           const opevo_i_harness_argument_plan *plan, opevo_argument *out)
{
    bool real = opevo_kernel_element_is_real(plan->element);
    size_t bits = 8 * opevo_kernel_element_size(plan->element);
    bool is_unsigned = opevo_kernel_element_name(plan->element)[0] == 'u';
    int64_t least = real || bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    int64_t most =
        real || bits == 64 ? INT64_MAX : (INT64_C(1) << (is_unsigned ? bits : bits - 1)) - 1;
    int64_t number = 0;
    double value = json_real_value(plan->value);
    opevo_status status;

    out->element = plan->element;
    if (!real || !json_is_real(plan->value)) {
        status =
            evaluate(w, plan->value, step, "arguments", is_unsigned ? 0 : least, most, &number);
        if (status != OPEVO_OK)
            return status;
        value = (double)number;
    }
    out->bits = real ? 0 : (uint64_t)number;
    if (real)
        opevo_kernel_element_put(plan->element, &out->bits, 0, value);
    if (real && !isfinite(opevo_kernel_element_get(plan->element, &out->bits, 0))) {
        char key[OPEVO_I_WHERE_SIZE];

        snprintf(key, sizeof key, "%s.arguments", step->where);
        return opevo_i_harness_fail(w->what->harness, w->err, key, "%.17g does not fit into %s.",
                                    value, opevo_kernel_element_name(plan->element));
    }
    if (bits < 64)
        out->bits &= (UINT64_C(1) << bits) - 1;
    return OPEVO_OK;
}

size_t opevo_argument_lay_out(const opevo_argument *argument,
                              uint64_t (*address)(const void *context, size_t buffer),
                              const void *context, uint8_t out[OPEVO_STRUCT_MOST])
{
    size_t at = 0, widest = 1;

    memset(out, 0, OPEVO_STRUCT_MOST);
    for (size_t i = 0; i < argument->member_count; i++) {
        const opevo_argument *member = &argument->members[i];
        bool is_buffer = member->kind == OPEVO_ARGUMENT_BUFFER;
        uint64_t bits = is_buffer ? address(context, member->buffer) : member->bits;
        size_t size = is_buffer ? sizeof bits : opevo_kernel_element_size(member->element);

        at += -at & (size - 1);
        memcpy(out + at, &bits, size); /* the low bytes come first */
        at += size;
        widest = size > widest ? size : widest;
    }
    return at + (-at & (widest - 1));
}

static opevo_status local_bytes(const walk *w, const opevo_i_harness_step *step,
                                const opevo_i_harness_argument_plan *plan, opevo_argument *out)
{
    int64_t bytes = 0;
    opevo_status status = evaluate(w, plan->value, step, "arguments", 1, SHARED, &bytes);

    out->bits = (uint64_t)bytes;
    if (status == OPEVO_OK && !w->player->takes_local) {
        w->out->verdict = OPEVO_VERDICT_UNSUPPORTED;
        snprintf(w->out->message, sizeof w->out->message,
                 "%.60s takes local memory as an argument, which only OpenCL passes; give "
                 "\"shared\" bytes.",
                 step->name);
    }
    return status;
}

/* Buffers, and scalars with their values. */
static opevo_status evaluate_arguments(const walk *w, const opevo_i_harness_step *step,
                                       const opevo_i_harness_argument_plan *plans, size_t count,
                                       opevo_argument *out)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; status == OPEVO_OK && i < count; i++) {
        out[i].kind = plans[i].kind;
        out[i].buffer = plans[i].buffer;
        if (out[i].kind == OPEVO_ARGUMENT_SCALAR)
            status = scalar(w, step, &plans[i], &out[i]);
        if (out[i].kind == OPEVO_ARGUMENT_LOCAL)
            status = local_bytes(w, step, &plans[i], &out[i]);
    }
    return status;
}

static opevo_status extents(const walk *w, const opevo_i_harness_step *step,
                            opevo_grid_launch *launch)
{
    static const int64_t most[2][3] = {{INT32_MAX, 65535, 65535}, {1024, 1024, 64}};
    int64_t value = 0, items = 1;

    for (size_t axis = 0; axis < 3; axis++) {
        opevo_status status = OPEVO_OK;

        launch->grid[axis] = launch->block[axis] = 1;
        if (step->grid[axis]) {
            status = evaluate(w, step->grid[axis], step, "grid", 0, most[0][axis], &value);
            launch->grid[axis] = (uint32_t)value;
        }
        if (status == OPEVO_OK && step->block[axis]) {
            status = evaluate(w, step->block[axis], step, "block", 1, most[1][axis], &value);
            launch->block[axis] = (uint32_t)value;
        }
        if (status != OPEVO_OK)
            return status;
        items *= launch->block[axis];
    }
    if (items > BLOCK_SIZE)
        return opevo_i_harness_fail(w->what->harness, w->err, step->where,
                                    "A block of %lld work items exceeds %d.", (long long)items,
                                    BLOCK_SIZE);
    return OPEVO_OK;
}

/* The value of the name of `length` bytes at `text`; NULL: none. */
static const int64_t *value_of(const opevo_i_harness_size_names *names, const char *text,
                               size_t length)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->name[i]) == length && !strncmp(names->name[i], text, length))
            return &names->value[i];
    }
    return NULL;
}

opevo_status opevo_i_harness_kernel_name(const opevo_case *self, const opevo_i_harness_step *step,
                                         char out[OPEVO_KERNEL_EXPRESSION], opevo_error *err)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const char *at = step->name;
    size_t length = strcspn(at, "<"), used = 0;

    for (bool inside = false; *at; inside = true, at += length) {
        size_t word = inside ? strspn(at, letters) : 0;
        const int64_t *value = word ? value_of(&self->names, at, word) : NULL;
        int written = 0;

        if (inside)
            length = word ? word : 1;
        written =
            value ? snprintf(out + used, OPEVO_KERNEL_EXPRESSION - used, "%lld", (long long)*value)
                  : snprintf(out + used, OPEVO_KERNEL_EXPRESSION - used, "%.*s", (int)length, at);
        if (written < 0 || used + (size_t)written >= OPEVO_KERNEL_EXPRESSION)
            return opevo_i_harness_fail(self->harness, err, step->where,
                                        "The name of a kernel has %d characters or more.",
                                        OPEVO_KERNEL_EXPRESSION);
        used += (size_t)written;
    }
    return OPEVO_OK;
}

static opevo_status play_launch(walk *w, const opevo_i_harness_step *step)
{
    opevo_argument arguments[OPEVO_I_ARGUMENTS] = {{0}}, members[OPEVO_I_ARGUMENTS] = {{0}};
    char name[OPEVO_KERNEL_EXPRESSION] = "";
    opevo_grid_launch launch = {
        .kernel = name, .arguments = arguments, .argument_count = step->argument_count};
    opevo_status status = extents(w, step, &launch);
    int64_t shared = 0;
    size_t used = 0; /* of `members` */

    if (status == OPEVO_OK)
        status = opevo_i_harness_kernel_name(w->what, step, name, w->err);
    if (status == OPEVO_OK && step->shared)
        status = evaluate(w, step->shared, step, "shared", 0, SHARED, &shared);
    launch.shared_bytes = (uint32_t)shared;
    if (status == OPEVO_OK)
        status = evaluate_arguments(w, step, step->arguments, step->argument_count, arguments);
    for (size_t i = 0; status == OPEVO_OK && i < step->argument_count; i++) {
        arguments[i].members = &members[used];
        arguments[i].member_count = step->arguments[i].member_count;
        status = evaluate_arguments(w, step, step->arguments[i].members,
                                    step->arguments[i].member_count, &members[used]);
        used += step->arguments[i].member_count;
    }
    if (status != OPEVO_OK || w->out->verdict != OPEVO_VERDICT_OK || !launch.grid[0] ||
        !launch.grid[1] || !launch.grid[2])
        return status;
    return w->player->launch(w->player->context, &launch, w->out, w->err);
}

static opevo_status play(walk *w, const opevo_i_harness_step *steps, size_t count);

static opevo_status play_repeat(walk *w, const opevo_i_harness_step *step)
{
    opevo_i_harness_size_names *names = &w->what->names;
    size_t place = names->count;
    int64_t rounds = 0;
    opevo_status status = evaluate(w, step->count, step, "count", 0, STEPS, &rounds);

    if (status == OPEVO_OK)
        status = define(w->what, step->name, 0, step->where, w->err);
    for (int64_t i = 0; i < rounds && status == OPEVO_OK && w->out->verdict == OPEVO_VERDICT_OK;
         i++) {
        names->value[place] = i;
        status = play(w, step->steps, step->step_count);
    }
    names->count = place;
    return status;
}

/* The first element of a buffer differs from 0; nothing is known without data. */
static bool flag_is_set(const opevo_buffer *buffer)
{
    static const unsigned char zero[8];

    return buffer->data &&
           memcmp(buffer->data, zero, opevo_kernel_element_size(buffer->element)) != 0;
}

static opevo_status play_while(walk *w, const opevo_i_harness_step *step)
{
    const opevo_buffer *flag = &w->what->buffers[step->buffer];
    int64_t most = 0;
    opevo_status status = evaluate(w, step->count, step, "limit", 1, STEPS, &most);

    for (int64_t i = 0; status == OPEVO_OK; i++) {
        if (i == most) {
            w->out->verdict = OPEVO_VERDICT_LIMIT;
            snprintf(w->out->message, sizeof w->out->message,
                     "The loop by the flag \"%.60s\" does not end within %lld rounds.", flag->name,
                     (long long)most);
            break;
        }
        status = play(w, step->steps, step->step_count);
        if (status == OPEVO_OK && w->player->fetch)
            status = w->player->fetch(w->player->context, step->buffer, w->err);
        if (w->out->verdict != OPEVO_VERDICT_OK || !flag_is_set(flag))
            break;
    }
    return status;
}

static opevo_status play_zero(walk *w, const opevo_i_harness_step *step)
{
    const opevo_buffer *buffer = &w->what->buffers[step->buffer];

    if (buffer->data)
        memset(buffer->data, 0, buffer->size_bytes);
    return w->player->store ? w->player->store(w->player->context, step->buffer, w->err) : OPEVO_OK;
}

static opevo_status play(walk *w, const opevo_i_harness_step *steps, size_t count)
{
    static opevo_status (*const players[])(walk *, const opevo_i_harness_step *) = {
        [OPEVO_I_STEP_LAUNCH] = play_launch,
        [OPEVO_I_STEP_REPEAT] = play_repeat,
        [OPEVO_I_STEP_WHILE] = play_while,
        [OPEVO_I_STEP_ZERO] = play_zero};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK && w->out->verdict == OPEVO_VERDICT_OK;
         i++) {
        if (++w->steps > STEPS)
            return opevo_i_harness_fail(w->what->harness, w->err, steps[i].where,
                                        "Case %s has more than %d steps.", w->what->label, STEPS);
        status = players[steps[i].kind](w, &steps[i]);
    }
    return status;
}

opevo_status opevo_case_play(opevo_case *what, const opevo_player *player, opevo_evaluation *out,
                             opevo_error *err)
{
    walk w = {.what = what, .player = player, .out = out, .err = err};

    return play(&w, what->harness->steps, what->harness->step_count);
}
