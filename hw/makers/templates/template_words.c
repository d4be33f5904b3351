/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words that templates are written in. */

#include "template_internal.h"

#include <stdio.h>
#include <string.h>

void opevo_i_template_step(opevo_i_template_build *build, opevo_step_kind kind, int stage,
                           int count, const int64_t *numbers)
{
    opevo_step step = {.kind = kind, .stage = stage, .count = count};

    if (build->status != OPEVO_OK)
        return;
    if (count > 0)
        memcpy(step.number, numbers, (size_t)count * sizeof *numbers);
    build->status = opevo_schedule_apply(build->schedule, &step, build->err);
}

/* Place of a loop whose name has this many bytes; a failure of the build if none exists. */
static int64_t find(opevo_i_template_build *build, int stage, const char *name, size_t length)
{
    if (build->status != OPEVO_OK)
        return 0;
    for (int i = 0; i < opevo_schedule_loop_count(build->schedule, stage); i++) {
        const char *one = opevo_schedule_loop(build->schedule, stage, i).name;

        if (strlen(one) == length && memcmp(one, name, length) == 0)
            return i;
    }
    build->status =
        OPEVO_FAIL(build->err, OPEVO_INVALID, "%s has no loop %.*s.",
                   opevo_schedule_stage_name(build->schedule, stage), (int)length, name);
    return 0;
}

void opevo_i_template_split(opevo_i_template_build *build, int stage, const char *loop, int count,
                            const int64_t *lengths)
{
    int64_t numbers[OPEVO_STEP_NUMBERS] = {find(build, stage, loop, strlen(loop))};

    memcpy(numbers + 1, lengths, (size_t)count * sizeof *lengths);
    opevo_i_template_step(build, OPEVO_STEP_SPLIT, stage, count + 1, numbers);
}

void opevo_i_template_extend(opevo_i_template_build *build, const char *loop, int64_t extent)
{
    int64_t numbers[2] = {find(build, OPEVO_STAGE_C, loop, strlen(loop)), extent};

    if (build->status == OPEVO_OK && opevo_i_template_extent(build, OPEVO_STAGE_C, loop) != extent)
        opevo_i_template_step(build, OPEVO_STEP_EXTEND, OPEVO_STAGE_C, 2, numbers);
}

void opevo_i_template_fuse(opevo_i_template_build *build, int stage, const char *first, int count)
{
    int64_t numbers[2] = {find(build, stage, first, strlen(first)), count};

    opevo_i_template_step(build, OPEVO_STEP_FUSE, stage, 2, numbers);
}

void opevo_i_template_reorder(opevo_i_template_build *build, int stage, const char *loops)
{
    int64_t numbers[OPEVO_STEP_NUMBERS];
    int count = 0;

    while (*loops && count < OPEVO_STEP_NUMBERS) {
        size_t length = strcspn(loops, " ");

        numbers[count++] = find(build, stage, loops, length);
        loops += length;
        loops += strspn(loops, " ");
    }
    opevo_i_template_step(build, OPEVO_STEP_REORDER, stage, count, numbers);
}

void opevo_i_template_annotate(opevo_i_template_build *build, int stage, const char *loop,
                               opevo_annotation what)
{
    int64_t numbers[2] = {find(build, stage, loop, strlen(loop)), what};

    opevo_i_template_step(build, OPEVO_STEP_ANNOTATE, stage, 2, numbers);
}

int64_t opevo_i_template_lanes(int64_t run, int64_t wanted)
{
    while (run % wanted)
        wanted /= 2;
    return wanted;
}

int64_t opevo_i_template_widened(int64_t size, const int64_t *units)
{
    for (; *units > 1; units++) {
        int64_t up = (size + *units - 1) / *units * *units;

        if (up - size <= size / 16)
            return up;
    }
    return size;
}

int opevo_i_template_cache_read(opevo_i_template_build *build, int stage, opevo_scope scope)
{
    opevo_i_template_step(build, OPEVO_STEP_CACHE_READ, stage, 1, (const int64_t[]){scope});
    return opevo_schedule_stage_count(build->schedule) - 1;
}

int opevo_i_template_cache_write(opevo_i_template_build *build)
{
    opevo_i_template_step(build, OPEVO_STEP_CACHE_WRITE, OPEVO_STAGE_C, 1,
                          (const int64_t[]){OPEVO_SCOPE_LOCAL});
    return opevo_schedule_stage_count(build->schedule) - 1;
}

void opevo_i_template_attach(opevo_i_template_build *build, int stage, const char *loop)
{
    int64_t at = find(build, OPEVO_STAGE_C, loop, strlen(loop));

    opevo_i_template_step(build, OPEVO_STEP_ATTACH, stage, 1, &at);
}

int64_t opevo_i_template_extent(const opevo_i_template_build *build, int stage, const char *loop)
{
    int at =
        build->status == OPEVO_OK ? opevo_schedule_find_loop(build->schedule, stage, loop) : -1;

    return at < 0 ? 1 : opevo_schedule_loop(build->schedule, stage, at).extent;
}

/* ---- Spaces ---- */

enum { MOST_NUMBERS = 8 };

void opevo_i_template_add_parameter(opevo_i_template_space_builder *builder, const char *name,
                                    const char *type, size_t count, const int64_t *numbers)
{
    opevo_value values[MOST_NUMBERS];
    opevo_parameter_spec spec = {
        .name = name, .type = type, .values = values, .value_count = count};

    if (builder->status != OPEVO_OK)
        return;
    for (size_t i = 0; i < count; i++)
        values[i] = opevo_value_of_integer(numbers[i]);
    builder->status =
        opevo_parameter_create(&spec, &builder->parameter[builder->count], builder->err);
    if (builder->status == OPEVO_OK)
        builder->count++;
}

opevo_status opevo_i_template_finish_space(opevo_i_template_space_builder *builder,
                                           opevo_space **out)
{
    const char *constraints[OPEVO_I_DIVISIBLES];

    for (size_t i = 0; i < builder->constraints; i++)
        constraints[i] = builder->constraint[i];
    if (builder->status == OPEVO_OK) {
        builder->status = opevo_space_create(builder->parameter, builder->count, constraints,
                                             builder->constraints, OPEVO_DIALECT_C, "template", out,
                                             builder->err);
        if (builder->status == OPEVO_OK)
            builder->count = 0; /* owned by the space */
    }
    while (builder->count)
        opevo_parameter_destroy(builder->parameter[--builder->count]);
    return builder->status;
}

/* ---- Many cores ---- */

/* Elements from which on copying them takes longer than waking threads up. */
enum { LARGE_COPY = 1 << 14 };

static bool keeps_busy(unsigned threads, int64_t iterations)
{
    return 2 * iterations > threads;
}

void opevo_i_template_add_parallel(opevo_i_template_space_builder *builder, unsigned threads,
                                   const opevo_i_template_divisible *loops, size_t count)
{
    int64_t values[OPEVO_I_DIVISIBLES + 1] = {0};
    size_t offered = 1;

    if (threads <= 1)
        return;
    for (size_t i = 0; i < count; i++) {
        if (!keeps_busy(threads, loops[i].most))
            continue;
        values[offered++] = (int64_t)i + 1;
        if (loops[i].component)
            snprintf(builder->constraint[builder->constraints++], sizeof *builder->constraint,
                     "parallel != %zu || 2 * %s > %u", i + 1, loops[i].component, threads);
    }
    opevo_i_template_add_parameter(builder, "parallel", "categorical", offered, values);
}

void opevo_i_template_divide(opevo_i_template_build *build, const opevo_i_template_divisible *loops)
{
    if (build->parallel)
        opevo_i_template_annotate(build, OPEVO_STAGE_C, loops[build->parallel - 1].loop,
                                  OPEVO_ANNOTATION_PARALLEL);
}

/* The outermost loop of a copy that is long enough for the threads, but for the innermost, which
 * becomes a row or a vector; NULL: none. */
static const char *long_loop(const opevo_i_template_build *build, int stage)
{
    for (int i = 0; i + 1 < opevo_schedule_loop_count(build->schedule, stage); i++) {
        opevo_loop loop = opevo_schedule_loop(build->schedule, stage, i);

        if (keeps_busy(build->threads, loop.extent))
            return loop.name;
    }
    return NULL;
}

void opevo_i_template_divide_copy(opevo_i_template_build *build, int stage, const char *at,
                                  const opevo_i_template_divisible *loops)
{
    const char *loop = NULL;
    double size = 1;

    if (build->status != OPEVO_OK || !build->parallel ||
        find(build, OPEVO_STAGE_C, at, strlen(at)) >= find(build, OPEVO_STAGE_C,
                                                           loops[build->parallel - 1].loop,
                                                           strlen(loops[build->parallel - 1].loop)))
        return;
    for (int i = 0; i < opevo_schedule_loop_count(build->schedule, stage); i++)
        size *= (double)opevo_schedule_loop(build->schedule, stage, i).extent;
    loop = size >= LARGE_COPY ? long_loop(build, stage) : NULL;
    if (loop)
        opevo_i_template_annotate(build, stage, loop, OPEVO_ANNOTATION_PARALLEL);
}
