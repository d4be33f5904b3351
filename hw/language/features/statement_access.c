/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Regions and strides of affine accesses. Loops run from 0, so that an index has its smallest value
 * where the loops of negative strides are at their end. */

#include "statement_internal.h"

#include <math.h>
#include <stdlib.h>

static opevo_i_feature_touched_buffer *find(opevo_i_feature_touched_buffer *buffers, size_t *count,
                                            size_t buffer)
{
    for (size_t i = 0; i < *count; i++) {
        if (buffers[i].buffer == buffer)
            return &buffers[i];
    }
    buffers[*count] = (opevo_i_feature_touched_buffer){.buffer = buffer};
    return &buffers[(*count)++];
}

size_t opevo_i_feature_statement_buffers(const opevo_statement_store *store,
                                         opevo_i_feature_touched_buffer *buffers)
{
    size_t count = 0;
    opevo_i_feature_touched_buffer *one = find(buffers, &count, store->target.buffer);

    one->written = true;
    one->accesses[one->access_count++] = &store->target;
    for (size_t i = 0; i < store->read_count; i++) {
        one = find(buffers, &count, store->reads[i].buffer);
        one->read = true;
        if (!one->written)
            one->accesses[one->access_count++] = &store->reads[i];
    }
    return count;
}

/* The largest value of a term's quotient, over all iterations of its loop. */
static double largest(const opevo_statement_program *program, const opevo_statement_term *term)
{
    int64_t last = (program->loops[term->loop].extent - 1) / term->divisor;

    return (double)(term->modulus && last >= term->modulus ? term->modulus - 1 : last);
}

static bool runs(const opevo_statement_store *store, size_t outermost, size_t loop)
{
    for (size_t i = outermost; i < store->loop_count; i++) {
        if (store->loops[i] == loop)
            return true;
    }
    return false;
}

double opevo_i_feature_statement_region(const opevo_statement_program *program,
                                        const opevo_statement_store *store,
                                        const opevo_i_feature_touched_buffer *touched,
                                        size_t outermost, double *extents)
{
    size_t dimensions = program->buffers[touched->buffer].dimension_count;
    double product = 1;

    for (size_t d = 0; d < dimensions; d++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t a = 0; a < touched->access_count; a++) {
            const opevo_statement_index *index = &touched->accesses[a]->indices[d];
            double least = (double)index->offset, most = least;

            for (size_t t = 0; t < index->term_count; t++) {
                const opevo_statement_term *term = &index->terms[t];
                double reach = 0;

                if (!runs(store, outermost, term->loop))
                    continue;
                reach = (double)term->stride * largest(program, term);
                least += fmin(reach, 0);
                most += fmax(reach, 0);
            }
            low = fmin(low, least);
            high = fmax(high, most);
        }
        extents[d] = high - low + 1;
        product *= extents[d];
    }
    return product;
}

/* The stride of a loop in an index, of the first term that has it; false if none has. */
static bool find_stride(const opevo_statement_index *index, size_t loop, double *stride)
{
    for (size_t t = 0; t < index->term_count; t++) {
        if (index->terms[t].loop == loop && index->terms[t].stride != 0) {
            *stride = fabs((double)index->terms[t].stride);
            return true;
        }
    }
    return false;
}

double opevo_i_feature_statement_stride(const opevo_statement_program *program,
                                        const opevo_i_feature_touched_buffer *touched, size_t loop)
{
    const opevo_statement_buffer *buffer = &program->buffers[touched->buffer];
    double smallest = INFINITY;

    for (size_t a = 0; a < touched->access_count; a++) {
        double elements = 1; /* between two values of the index */
        double stride = 0;

        for (size_t d = buffer->dimension_count; d-- > 0;) {
            if (find_stride(&touched->accesses[a]->indices[d], loop, &stride)) {
                smallest = fmin(smallest, stride * elements);
                break;
            }
            elements *= (double)buffer->shape[d];
        }
    }
    return isfinite(smallest) ? smallest : 0;
}

bool opevo_i_feature_statement_depends(const opevo_statement_program *program,
                                       const opevo_i_feature_touched_buffer *touched, size_t loop)
{
    return opevo_i_feature_statement_stride(program, touched, loop) > 0;
}
