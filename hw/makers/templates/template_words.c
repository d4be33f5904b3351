/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words that templates are written in. */

#include "template_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ---- */

/* Number of a stage; a failure of the build if none has the name. */
static int find_stage(opevo_i_template_build *build, const char *name)
{
    int stage = build->status == OPEVO_OK ? opevo_pipeline_find(build->pipeline, name) : -1;

    if (stage < 0 && build->status == OPEVO_OK)
        build->status = OPEVO_FAIL(build->err, OPEVO_INVALID, "Unknown stage %s.", name);
    return stage;
}

/* Place of a loop whose name has this many bytes; a failure of the build if none exists. */
static int64_t find(opevo_i_template_build *build, const char *stage, const char *name,
                    size_t length)
{
    int number = find_stage(build, stage);
    int loops = number < 0 ? 0 : opevo_pipeline_stage(build->pipeline, number).loops;

    for (int i = 0; i < loops; i++) {
        const char *one = opevo_pipeline_loop(build->pipeline, number, i).name;

        if (strlen(one) == length && memcmp(one, name, length) == 0)
            return i;
    }
    if (number >= 0)
        build->status =
            OPEVO_FAIL(build->err, OPEVO_INVALID, "%s has no loop %.*s.", stage, (int)length, name);
    return 0;
}

/* ---- Steps ---- */

void opevo_i_template_step(opevo_i_template_build *build, opevo_pipeline_step_kind kind,
                           const char *stage, int count, const int64_t *numbers)
{
    opevo_pipeline_step step = {.kind = kind, .stage = find_stage(build, stage), .count = count};

    if (step.stage < 0)
        return;
    if (count > 0)
        memcpy(step.number, numbers, (size_t)count * sizeof *numbers);
    build->status = opevo_pipeline_apply(build->pipeline, &step, build->err);
}

void opevo_i_template_split(opevo_i_template_build *build, const char *stage, const char *loop,
                            int count, const int64_t *lengths)
{
    int64_t numbers[OPEVO_PIPELINE_NUMBERS] = {find(build, stage, loop, strlen(loop))};

    memcpy(numbers + 1, lengths, (size_t)count * sizeof *lengths);
    opevo_i_template_step(build, OPEVO_PIPELINE_SPLIT, stage, count + 1, numbers);
}

void opevo_i_template_extend(opevo_i_template_build *build, const char *loop, int64_t extent)
{
    int64_t numbers[2] = {find(build, "C", loop, strlen(loop)), extent};

    opevo_i_template_step(build, OPEVO_PIPELINE_EXTEND, "C", 2, numbers);
}

opevo_i_template_loop opevo_i_template_fuse(opevo_i_template_build *build, const char *stage,
                                            const char *first, int count)
{
    int number = find_stage(build, stage);
    opevo_i_template_loop fused = {""};
    int64_t numbers[OPEVO_PIPELINE_NUMBERS] = {first ? find(build, stage, first, strlen(first))
                                                     : 0};

    if (build->status != OPEVO_OK)
        return fused;
    if (!count)
        count = opevo_pipeline_stage(build->pipeline, number).loops;
    for (int i = 1; i < count; i++)
        numbers[i] = numbers[0] + i;
    opevo_i_template_step(build, OPEVO_PIPELINE_FUSE, stage, count, numbers);
    if (build->status == OPEVO_OK)
        snprintf(fused.name, sizeof fused.name, "%s",
                 opevo_pipeline_loop(build->pipeline, number, (int)numbers[0]).name);
    return fused;
}

void opevo_i_template_reorder(opevo_i_template_build *build, const char *stage, const char *loops)
{
    int64_t numbers[OPEVO_PIPELINE_NUMBERS];
    int count = 0;

    while (*loops && count < OPEVO_PIPELINE_NUMBERS) {
        size_t length = strcspn(loops, " ");

        numbers[count++] = find(build, stage, loops, length);
        loops += length;
        loops += strspn(loops, " ");
    }
    opevo_i_template_step(build, OPEVO_PIPELINE_REORDER, stage, count, numbers);
}

void opevo_i_template_annotate(opevo_i_template_build *build, const char *stage, const char *loop,
                               opevo_annotation what)
{
    int64_t numbers[2] = {find(build, stage, loop, strlen(loop)), what};

    opevo_i_template_step(build, OPEVO_PIPELINE_ANNOTATE, stage, 2, numbers);
}

void opevo_i_template_unroll_window(opevo_i_template_build *build, int64_t tile, int64_t limit)
{
    int64_t row = tile * build->op->kernel_width;

    if (row <= limit)
        opevo_i_template_annotate(build, "C", "s", OPEVO_ANNOTATION_UNROLL);
    if (row * build->op->kernel_height <= limit)
        opevo_i_template_annotate(build, "C", "r", OPEVO_ANNOTATION_UNROLL);
}

opevo_i_template_image_loops opevo_i_template_loops_of_image(const opevo_i_template_build *build)
{
    if (opevo_pipeline_find(build->pipeline, "P") >= 0)
        return (opevo_i_template_image_loops){"n", "c", "h", "w"};
    return (opevo_i_template_image_loops){"i0", "i1", "i2", "i3"};
}

const char *opevo_i_template_image(const opevo_i_template_build *build)
{
    return opevo_pipeline_find(build->pipeline, "P") < 0 ? "A" : "P";
}

opevo_i_template_stage opevo_i_template_copy(opevo_i_template_build *build, const char *stage,
                                             opevo_scope scope, const char *at)
{
    opevo_i_template_stage copy = {""};
    int source = find_stage(build, stage);
    int64_t numbers[2] = {scope, find_stage(build, "C")};

    if (build->status != OPEVO_OK)
        return copy;
    opevo_i_template_step(build, OPEVO_PIPELINE_CACHE_READ, stage, 2, numbers);
    if (build->status != OPEVO_OK)
        return copy;
    snprintf(copy.name, sizeof copy.name, "%s",
             opevo_pipeline_stage(build->pipeline, source + 1).name);
    if (strcmp(stage, "P") == 0)
        opevo_i_template_step(build, OPEVO_PIPELINE_COMPUTE_INLINE, stage, 0, NULL);
    numbers[0] = find_stage(build, "C");
    numbers[1] = find(build, "C", at, strlen(at));
    opevo_i_template_step(build, OPEVO_PIPELINE_COMPUTE_AT, copy.name, 2, numbers);
    opevo_i_template_step(build, OPEVO_PIPELINE_EXACT, copy.name, 0, NULL);
    return copy;
}

void opevo_i_template_accumulate(opevo_i_template_build *build, const char *loop)
{
    int64_t at = find(build, "C", loop, strlen(loop));

    opevo_i_template_step(build, OPEVO_PIPELINE_ACCUMULATE, "C", 1, &at);
}

void opevo_i_template_trim(opevo_i_template_build *build, const char *loop)
{
    int64_t at = find(build, "C", loop, strlen(loop));

    opevo_i_template_step(build, OPEVO_PIPELINE_TRIM, "C", 1, &at);
}

void opevo_i_template_layout(opevo_i_template_build *build, const char *stage, int pieces,
                             const int64_t *numbers)
{
    opevo_i_template_step(build, OPEVO_PIPELINE_LAYOUT, stage, 2 * pieces, numbers);
}

void opevo_i_template_pad(opevo_i_template_build *build, const char *stage, const char *loop,
                          int64_t inside, int64_t more)
{
    int64_t numbers[3] = {find(build, stage, loop, strlen(loop)), inside + more, 0};

    if (more)
        opevo_i_template_step(build, OPEVO_PIPELINE_STORAGE_ALIGN, stage, 3, numbers);
}

static void find_part(opevo_i_template_build *build, int stage)
{
    size_t steps = opevo_pipeline_step_count(build->pipeline);

    if (build->part == stage && build->part_steps == steps)
        return;
    build->status =
        opevo_pipeline_part_extents(build->pipeline, stage, build->part_extent, build->err);
    build->part = stage;
    build->part_steps = steps;
}

int64_t opevo_i_template_extent(opevo_i_template_build *build, const char *stage, const char *loop)
{
    int64_t at = find(build, stage, loop, strlen(loop));
    int number = find_stage(build, stage);

    if (build->status != OPEVO_OK)
        return 1;
    if (opevo_pipeline_stage(build->pipeline, number).place != OPEVO_PLACE_AT)
        return opevo_pipeline_loop(build->pipeline, number, (int)at).extent;
    find_part(build, number);
    return build->status == OPEVO_OK ? build->part_extent[at] : 1;
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
        opevo_i_template_annotate(build, "C", loops[build->parallel - 1].loop,
                                  OPEVO_ANNOTATION_PARALLEL);
}

/* The outermost loop of a copy that is long enough for the threads, but for the innermost, which
 * becomes a row or a vector; -1: none, as where the copy is small. */
static int long_loop(const opevo_i_template_build *build, int loops, const int64_t *extents)
{
    double size = 1;

    for (int i = 0; i < loops; i++)
        size *= (double)extents[i];
    for (int i = 0; i + 1 < loops && size >= LARGE_COPY; i++) {
        if (keeps_busy(build->threads, extents[i]))
            return i;
    }
    return -1;
}

void opevo_i_template_divide_copy(opevo_i_template_build *build, const char *stage, const char *at,
                                  const opevo_i_template_divisible *loops)
{
    const char *divided = build->parallel ? loops[build->parallel - 1].loop : NULL;
    int number = find_stage(build, stage);
    int64_t loop = -1;

    if (build->status != OPEVO_OK || !divided ||
        find(build, "C", at, strlen(at)) >= find(build, "C", divided, strlen(divided)))
        return;
    find_part(build, number);
    if (build->status == OPEVO_OK)
        loop = long_loop(build, opevo_pipeline_stage(build->pipeline, number).loops,
                         build->part_extent);
    if (loop >= 0)
        opevo_i_template_step(build, OPEVO_PIPELINE_ANNOTATE, stage, 2,
                              (const int64_t[]){loop, OPEVO_ANNOTATION_PARALLEL});
}
