/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One pass over the stores in the order of the program. What each store touches is remembered by
 * loop, as later stores inside the same loop see it. */

#include "statement_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#define LINE_BYTES 64.0

/* Lengths of thread axes, in the order of the features. */
enum { AXES = 7 };

/* Operations and bytes at each loop of a store, from the innermost out. */
typedef struct curve {
    double operations; /* of all loops */
    double x[OPEVO_I_STATEMENT_LOOPS];
    double bytes[OPEVO_I_STATEMENT_LOOPS];
    size_t count;
} curve;

/* A buffer of a row; the members in the order of the features. */
typedef struct buffer_row {
    double lines, bytes; /* for the order */
    float numbers[18];
} buffer_row;

typedef struct reuse {
    size_t type; /* 0: repeated by a loop, 1: by another store, 2: none */
    double iterations, bytes, count;
} reuse;

static float slog(double x)
{
    return (float)log2(x + 1);
}

static double extent_of(const opevo_statement_program *program, const opevo_statement_store *store,
                        size_t i)
{
    return (double)program->loops[store->loops[i]].extent;
}

static double outer_product(const opevo_statement_program *program,
                            const opevo_statement_store *store, size_t count)
{
    double product = 1;

    for (size_t i = 0; i < count; i++)
        product *= extent_of(program, store, i);
    return product;
}

/* ---- Computation ---- */

static bool is_kind(opevo_annotation kind, size_t group)
{
    switch (group) {
    case 0:
        return kind == OPEVO_ANNOTATION_VECTORIZE;
    case 1:
        return kind == OPEVO_ANNOTATION_UNROLL || kind == OPEVO_ANNOTATION_EXPAND;
    default:
        return kind == OPEVO_ANNOTATION_PARALLEL;
    }
}

/* Number, product, innermost and position of the loops of one kind. */
static float *add_annotated(const opevo_statement_program *program,
                            const opevo_statement_store *store, size_t group, float *out)
{
    double count = 0, product = 1, innermost = 0;

    for (size_t i = 0; i < store->loop_count; i++) {
        if (!is_kind(program->loops[store->loops[i]].kind, group))
            continue;
        innermost = extent_of(program, store, i);
        product *= innermost;
        count++;
    }
    *out++ = slog(count);
    *out++ = slog(count > 0 ? product : 0);
    *out++ = slog(innermost);
    memset(out, 0, 8 * sizeof *out);
    out[count > 0 ? 7 : 0] = 1;
    return out + 8;
}

/* Which axis a loop is; AXES: none. */
static size_t axis_of(opevo_annotation kind)
{
    switch (kind) {
    case OPEVO_ANNOTATION_BLOCK_X:
        return 0;
    case OPEVO_ANNOTATION_BLOCK_Y:
        return 1;
    case OPEVO_ANNOTATION_BLOCK_Z:
        return 2;
    case OPEVO_ANNOTATION_THREAD_X:
        return 3;
    case OPEVO_ANNOTATION_THREAD_Y:
        return 4;
    case OPEVO_ANNOTATION_THREAD_Z:
        return 5;
    case OPEVO_ANNOTATION_VTHREAD:
        return 6;
    default:
        return AXES;
    }
}

/* Virtual threads inside each other multiply; of other axes the innermost counts. */
static float *add_axes(const opevo_statement_program *program, const opevo_statement_store *store,
                       bool *is_gpu, float *out)
{
    double lengths[AXES] = {1, 1, 1, 1, 1, 1, 1};

    for (size_t i = 0; i < store->loop_count; i++) {
        size_t axis = axis_of(program->loops[store->loops[i]].kind);

        if (axis == AXES)
            continue;
        *is_gpu = true;
        lengths[axis] = (axis + 1 == AXES ? lengths[axis] : 1) * extent_of(program, store, i);
    }
    *out++ = *is_gpu;
    for (size_t axis = 0; axis < AXES; axis++)
        *out++ = slog(lengths[axis]);
    return out;
}

/* ---- Accesses ---- */

/* Remember the regions at every loop, and the curve with them. `last` receives the region of the
 * last buffer at the outermost loop. */
static void touch_loops(const opevo_statement_program *program, const opevo_statement_store *store,
                        const opevo_i_feature_touched_buffer *buffers, size_t count,
                        opevo_i_feature_touches *touches, curve *out, double *last)
{
    double operations = 0;

    for (size_t op = 0; op <= OPEVO_STATEMENT_FLOAT_OTHER; op++)
        operations += store->ops[op];
    out->count = 0;
    for (size_t i = store->loop_count; i-- > 0;) {
        double bytes = 0;

        for (size_t b = 0; b < count; b++) {
            double width = (double)program->buffers[buffers[b].buffer].element_bytes;
            double elements =
                opevo_i_feature_statement_region(program, store, &buffers[b], i, last);

            opevo_i_feature_touches_add(touches, store->loops[i], buffers[b].buffer, elements,
                                        width);
            bytes += elements * width;
        }
        operations *= extent_of(program, store, i);
        out->x[out->count] = log2(operations);
        out->bytes[out->count++] = log2(fmax(bytes, 2)); /* divided by; TVM: infinite at 1 byte */
    }
    out->operations = operations;
}

static reuse find_reuse(const opevo_statement_program *program, const opevo_statement_store *store,
                        const opevo_i_feature_touched_buffer *touched,
                        const opevo_i_feature_touches *touches)
{
    reuse found = {.type = 0, .iterations = 1, .bytes = -1};

    for (size_t i = store->loop_count; i-- > 0;) {
        size_t loop = store->loops[i];
        double extent = extent_of(program, store, i);
        double least = 0;
        size_t times = 0;

        if (!opevo_i_feature_statement_depends(program, touched, loop)) {
            if (found.bytes < 0)
                found.bytes = opevo_i_feature_touches_one_each(touches, loop);
            found.count = extent;
            return found;
        }
        found.iterations *= extent;
        found.bytes = opevo_i_feature_touches_bytes(touches, loop);
        times = opevo_i_feature_touches_of(touches, loop, touched->buffer, &least);
        if (times > 1)
            return (reuse){.type = 1,
                           .iterations = least / extent,
                           .bytes = found.bytes / extent,
                           .count = (double)times - 1};
    }
    return (reuse){.type = 2};
}

/* Lines accessed, and the stride of the innermost loop. */
static double count_lines(const opevo_statement_program *program,
                          const opevo_statement_store *store,
                          const opevo_i_feature_touched_buffer *touched, double product,
                          double *innermost_stride)
{
    double width = (double)program->buffers[touched->buffer].element_bytes;
    double innermost = extent_of(program, store, store->loop_count - 1);
    double stride = 0, skipped = 1;
    size_t i = store->loop_count;

    while (i > 0) {
        stride = opevo_i_feature_statement_stride(program, touched, store->loops[i - 1]);
        if (stride > 0)
            break;
        skipped *= innermost;
        i--;
    }
    *innermost_stride = i == store->loop_count ? stride : 0;
    return fmax(product / skipped * fmin(1, stride * width / LINE_BYTES), 1);
}

/* Bytes in a row, by the region `last` of the last buffer of the statement. */
static double continuous_bytes(const opevo_statement_buffer *buffer, const double *last,
                               size_t last_dimensions)
{
    for (size_t d = last_dimensions; d-- > 0;) {
        if (d < buffer->dimension_count && last[d] == (double)buffer->shape[d])
            return (double)buffer->element_bytes * last[d];
    }
    return (double)buffer->element_bytes;
}

static void fill_buffer_row(const opevo_i_feature_touched_buffer *touched, const reuse *how,
                            double bytes, double unique_bytes, double lines, double unique_lines,
                            double stride, buffer_row *out)
{
    double share = how->count > 0.5 ? 1 / how->count : 2;
    float *number = out->numbers;

    out->lines = lines;
    out->bytes = bytes;
    *number++ = touched->read && !touched->written;
    *number++ = touched->written && !touched->read;
    *number++ = touched->read && touched->written;
    *number++ = slog(bytes);
    *number++ = slog(unique_bytes);
    *number++ = slog(lines);
    *number++ = slog(unique_lines);
    for (size_t type = 0; type < 3; type++)
        *number++ = how->type == type;
    *number++ = slog(how->iterations);
    *number++ = slog(how->bytes);
    *number++ = slog(how->count);
    *number++ = slog(bytes * share);
    *number++ = slog(unique_bytes * share);
    *number++ = slog(lines * share);
    *number++ = slog(unique_lines * share);
    *number++ = slog(stride);
}

static void describe_buffer(const opevo_statement_program *program,
                            const opevo_statement_store *store,
                            const opevo_i_feature_touched_buffer *touched,
                            const opevo_i_feature_touches *touches, const double *last,
                            size_t last_dimensions, buffer_row *out)
{
    const opevo_statement_buffer *buffer = &program->buffers[touched->buffer];
    double width = (double)buffer->element_bytes;
    double product = outer_product(program, store, store->loop_count);
    double unique_bytes = width, lines = 1, unique_lines = 1, stride = 0;
    reuse how = find_reuse(program, store, touched, touches);

    if (store->loop_count > 0) {
        unique_bytes =
            opevo_i_feature_touches_oldest(touches, store->loops[0], touched->buffer)->elements *
            width;
        lines = count_lines(program, store, touched, product, &stride);
        unique_lines =
            unique_bytes / fmin(continuous_bytes(buffer, last, last_dimensions), LINE_BYTES);
        unique_lines = fmax(unique_lines, 1);
    }
    fill_buffer_row(touched, &how, product * width, unique_bytes, lines, unique_lines, stride, out);
}

/* The five rows with most lines, then bytes; zeros where there are fewer. */
static float *add_buffers(buffer_row *rows, size_t count, float *out)
{
    for (size_t k = 0; k < OPEVO_I_STATEMENT_BUFFERS; k++, out += 18) {
        size_t best = k;
        buffer_row kept;

        if (k >= count) {
            memset(out, 0, sizeof rows->numbers);
            continue;
        }
        for (size_t i = k + 1; i < count; i++) {
            if (rows[i].lines > rows[best].lines ||
                (rows[i].lines == rows[best].lines && rows[i].bytes > rows[best].bytes))
                best = i;
        }
        kept = rows[best];
        memmove(rows + k + 1, rows + k, (best - k) * sizeof *rows); /* equals keep their order */
        rows[k] = kept;
        memcpy(out, kept.numbers, sizeof kept.numbers);
    }
    return out;
}

/* ---- The curve ---- */

/* y = x / bytes at ten points of x, between the loops by straight lines. */
static float *add_curve(const curve *of, float *out)
{
    size_t at = 0;

    for (size_t i = 1; i <= OPEVO_I_STATEMENT_CURVE; i++) {
        double wanted = 0, before = 0, slope = 0;

        if (of->count == 0 || !(of->operations > 0)) {
            *out++ = 0;
            continue;
        }
        wanted = of->x[of->count - 1] * ((double)i / OPEVO_I_STATEMENT_CURVE);
        while (of->x[at] < wanted && at + 1 < of->count)
            at++;
        if (at == 0) {
            *out++ = (float)(of->x[0] / of->bytes[0]);
            continue;
        }
        before = of->x[at - 1] / of->bytes[at - 1];
        slope = (of->x[at] / of->bytes[at] - before) / (of->x[at] - of->x[at - 1]);
        *out++ = (float)(before + slope * (wanted - of->x[at - 1]));
    }
    return out;
}

/* ---- Rows ---- */

static float *add_allocation(const opevo_statement_program *program,
                             const opevo_statement_store *store, float *out)
{
    const opevo_statement_buffer *buffer = &program->buffers[store->target.buffer];
    double outside = 0;

    if (!buffer->allocated) {
        memset(out, 0, 4 * sizeof *out);
        return out + 4;
    }
    outside = outer_product(program, store, buffer->allocated_inside);
    *out++ = slog((double)buffer->allocated_elements * (double)buffer->element_bytes);
    *out++ = slog((double)buffer->allocated_elements * outside);
    *out++ = slog(outside);
    *out++ = slog(outer_product(program, store, store->loop_count) / outside);
    return out;
}

static void describe_store(const opevo_statement_program *program,
                           const opevo_statement_store *store, opevo_i_feature_touches *touches,
                           bool *is_gpu, float *out)
{
    opevo_i_feature_touched_buffer buffers[OPEVO_I_STATEMENT_ACCESSES];
    buffer_row rows[OPEVO_I_STATEMENT_ACCESSES];
    double last[OPEVO_I_STATEMENT_DIMENSIONS];
    size_t count = opevo_i_feature_statement_buffers(store, buffers);
    size_t last_dimensions = program->buffers[buffers[count - 1].buffer].dimension_count;
    double product = outer_product(program, store, store->loop_count);
    curve intensity;

    for (size_t op = 0; op < OPEVO_STATEMENT_OP_COUNT; op++)
        *out++ = slog(store->ops[op] * product);
    for (size_t group = 0; group < 3; group++)
        out = add_annotated(program, store, group, out);
    out = add_axes(program, store, is_gpu, out);
    touch_loops(program, store, buffers, count, touches, &intensity, last);
    for (size_t b = 0; b < count; b++)
        describe_buffer(program, store, &buffers[b], touches, last, last_dimensions, &rows[b]);
    out = add_buffers(rows, count, out);
    out = add_curve(&intensity, out);
    out = add_allocation(program, store, out);
    *out++ = slog(product);
    *out++ = slog((double)store->loop_count);
    *out = slog((double)store->auto_unroll);
}

opevo_status opevo_i_feature_statement_check(const opevo_statement_program *program,
                                             opevo_error *err)
{
    for (size_t i = 0; i < program->store_count; i++) {
        const opevo_statement_store *store = &program->stores[i];

        if (store->loop_count > OPEVO_I_STATEMENT_LOOPS ||
            store->read_count >= OPEVO_I_STATEMENT_ACCESSES)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "Store %zu has more than %d loops around it, or more than %d accesses.", i,
                OPEVO_I_STATEMENT_LOOPS, OPEVO_I_STATEMENT_ACCESSES);
    }
    for (size_t i = 0; i < program->buffer_count; i++) {
        if (program->buffers[i].dimension_count > OPEVO_I_STATEMENT_DIMENSIONS)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Buffer %zu has more than %d dimensions.", i,
                              OPEVO_I_STATEMENT_DIMENSIONS);
    }
    return OPEVO_OK;
}

/* The row of the buffer of store i; a new one for its first store. */
static size_t row_of(const opevo_statement_program *program, size_t i, size_t *rows, size_t *count)
{
    size_t earlier = 0;

    while (program->stores[earlier].target.buffer != program->stores[i].target.buffer)
        earlier++;
    rows[i] = earlier < i ? rows[earlier] : (*count)++;
    return rows[i];
}

opevo_status opevo_statement_features(const opevo_statement_program *program, float *rows,
                                      size_t *count, opevo_error *err)
{
    opevo_status status = opevo_i_feature_statement_check(program, err);
    opevo_i_feature_touches touches;
    size_t *places = NULL;
    bool is_gpu = false;
    size_t made = 0;

    if (status != OPEVO_OK)
        return status;
    places = opevo_malloc(program->store_count, sizeof *places);
    OPEVO_NEED(opevo_i_feature_touches_init(&touches, program) && places,
               "the features of a program");
    for (size_t i = 0; i < program->store_count; i++)
        describe_store(program, &program->stores[i], &touches, &is_gpu,
                       rows + row_of(program, i, places, &made) * OPEVO_STATEMENT_FEATURES);
    *count = made;
cleanup:
    opevo_i_feature_touches_release(&touches);
    opevo_free(places);
    return status;
}
