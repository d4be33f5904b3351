/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Initial contents of buffers. Each buffer has a random stream of its own, named after it; the
 * parts of graphs of the same case have one in common, so that they fit together. Nothing but exact
 * arithmetic and rounding is used, so that all machines have the same bytes. */

#include "kernel_harness_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/random.h>

#include <math.h>
#include <string.h>

static double uniform(opevo_rng *rng, double least, double most)
{
    return least + (most - least) * opevo_rng_unit(rng);
}

/* The sum of twelve uniform numbers: mean 0, variance 1, and close to normal. */
static double normal(opevo_rng *rng)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += opevo_rng_unit(rng);
    return sum;
}

static void fill_permutation(opevo_buffer *buffer, opevo_rng *rng)
{
    for (size_t i = 0; i < buffer->count; i++)
        opevo_i_harness_set_integer(buffer, i, (int64_t)i);
    for (size_t i = buffer->count; i > 1; i--) {
        size_t other = (size_t)opevo_rng_below(rng, i);
        size_t size = opevo_kernel_element_size(buffer->element);

        opevo_rng_swap(buffer->data, i - 1, other, size);
    }
}

/* A random directed graph in compressed rows: a tree from node 0, in which node v > 0 has an edge
 * from a uniform node before it, and uniform edges. */
static opevo_status fill_graph(opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                               opevo_buffer *buffer, size_t nodes, size_t edges, opevo_error *err)
{
    uint32_t *from = opevo_malloc(edges, sizeof *from), *to = opevo_malloc(edges, sizeof *to);
    size_t *offsets = opevo_calloc(nodes + 1, sizeof *offsets);
    opevo_status status = OPEVO_OK;
    opevo_rng rng;

    OPEVO_NEED(from && to && offsets, "a graph of %zu edges", edges);
    opevo_rng_init(&rng, self->seed, "kernel graph", 0);
    for (size_t e = 0; e < edges; e++) {
        bool tree = e + 1 < nodes;

        from[e] = (uint32_t)opevo_rng_below(&rng, tree ? e + 1 : nodes);
        to[e] = tree ? (uint32_t)(e + 1) : (uint32_t)opevo_rng_below(&rng, nodes);
        offsets[from[e] + 1]++;
    }
    for (size_t v = 0; v < nodes; v++)
        offsets[v + 1] += offsets[v];
    for (size_t v = 0; plan->fill == OPEVO_I_FILL_OFFSETS && v <= nodes; v++)
        opevo_i_harness_set_integer(buffer, v, (int64_t)offsets[v]);
    for (size_t e = 0; plan->fill == OPEVO_I_FILL_TARGETS && e < edges; e++)
        opevo_i_harness_set_integer(buffer, offsets[from[e]]++, to[e]);
cleanup:
    opevo_free(from);
    opevo_free(to);
    opevo_free(offsets);
    return status;
}

/* Rows of a square matrix of `count` elements; 0 if it is not square. */
static size_t square_root(size_t count)
{
    size_t rows = (size_t)sqrt((double)count);

    return rows * rows == count ? rows : 0;
}

static void fill_border(opevo_buffer *buffer, double step)
{
    size_t rows = square_root(buffer->count);

    for (size_t i = 0; i < rows; i++) {
        opevo_i_harness_set_number(buffer, i, step * (double)i);
        opevo_i_harness_set_number(buffer, i * rows, step * (double)i);
    }
}

/* Elements by an expression of their index; without data only the first and the last one, as a
 * check. */
static opevo_status fill_expression(const opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                                    opevo_buffer *buffer, opevo_error *err)
{
    opevo_i_harness_size_names names = self->names;
    size_t step = buffer->data || buffer->count < 2 ? 1 : buffer->count - 1;
    char key[OPEVO_I_WHERE_SIZE];
    opevo_status status = OPEVO_OK;

    snprintf(key, sizeof key, "buffers.%.60s.fill", plan->name);
    if (names.count == OPEVO_I_SIZE_NAMES)
        return opevo_i_harness_fail(self->harness, err, key, "There are more than %d names.",
                                    OPEVO_I_SIZE_NAMES);
    names.name[names.count++] = "i";
    for (size_t k = 0; k < buffer->count && status == OPEVO_OK; k += step) {
        int64_t value = 0;

        names.value[names.count - 1] = (int64_t)k;
        status = opevo_i_harness_value(self->harness, plan->expressions[0], &names, key, INT64_MIN,
                                       INT64_MAX, &value, err);
        if (status == OPEVO_OK && buffer->data)
            opevo_i_harness_set_integer(buffer, k, value);
    }
    return status;
}

/* Values of the expressions of a fill. */
static opevo_status fill_sizes(const opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                               size_t count, int64_t sizes[2], opevo_error *err)
{
    size_t needed = 0;
    char key[OPEVO_I_WHERE_SIZE];

    snprintf(key, sizeof key, "buffers.%.60s.fill", plan->name);
    if (plan->fill == OPEVO_I_FILL_BORDER && !square_root(count))
        return opevo_i_harness_fail(self->harness, err, key,
                                    "A matrix with a border must be square, but has %zu elements.",
                                    count);
    if (plan->fill < OPEVO_I_FILL_DOMINANT || plan->fill == OPEVO_I_FILL_FILE)
        return OPEVO_OK;
    for (size_t e = 0; e < (plan->fill == OPEVO_I_FILL_DOMINANT ? 1 : 2); e++) {
        opevo_status status = opevo_i_harness_value(
            self->harness, plan->expressions[e], &self->names, key, 1, INT32_MAX, &sizes[e], err);

        if (status != OPEVO_OK)
            return status;
    }
    if (plan->fill == OPEVO_I_FILL_DOMINANT)
        needed = (size_t)sizes[0] * (size_t)sizes[0];
    else
        needed = plan->fill == OPEVO_I_FILL_OFFSETS ? (size_t)sizes[0] + 1 : (size_t)sizes[1];
    if (needed != count)
        return opevo_i_harness_fail(self->harness, err, key,
                                    "The fill has %zu elements, but the buffer has %zu.", needed,
                                    count);
    if (plan->fill != OPEVO_I_FILL_DOMINANT && sizes[1] < sizes[0] - 1)
        return opevo_i_harness_fail(self->harness, err, key,
                                    "A graph of %lld nodes needs at least %lld edges.",
                                    (long long)sizes[0], (long long)sizes[0] - 1);
    return OPEVO_OK;
}

/* The pairs of "set"; `buffer` NULL: only check them. */
static opevo_status set_places(const opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                               size_t count, opevo_buffer *buffer, opevo_error *err)
{
    json_t *place = NULL;
    size_t p = 0;
    char key[OPEVO_I_WHERE_SIZE];

    snprintf(key, sizeof key, "buffers.%.60s.set", plan->name);
    json_array_foreach(plan->places, p, place)
    {
        int64_t index = 0;
        opevo_status status =
            opevo_i_harness_value(self->harness, json_array_get(place, 0), &self->names, key, 0,
                                  (int64_t)count - 1, &index, err);

        if (status != OPEVO_OK)
            return status;
        if (buffer)
            opevo_i_harness_set_number(buffer, (size_t)index,
                                       json_number_value(json_array_get(place, 1)));
    }
    return OPEVO_OK;
}

opevo_status opevo_i_harness_case_fill_check(const opevo_case *self, size_t i, opevo_error *err)
{
    const opevo_i_harness_buffer_plan *plan = &self->harness->buffers[i];
    opevo_buffer *buffer = &self->buffers[i];
    int64_t sizes[2] = {0};
    opevo_status status = fill_sizes(self, plan, buffer->count, sizes, err);

    if (status == OPEVO_OK && plan->fill == OPEVO_I_FILL_EXPRESSION)
        status = fill_expression(self, plan, buffer, err);
    return status == OPEVO_OK ? set_places(self, plan, buffer->count, NULL, err) : status;
}

/* All but the pairs of "set". */
static opevo_status make(opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                         opevo_buffer *buffer, const int64_t sizes[2], opevo_error *err)
{
    const double *n = plan->numbers;
    opevo_status status = OPEVO_OK;
    opevo_rng rng;

    opevo_rng_init(&rng, self->seed, "kernel buffer",
                   opevo_hash_bytes(OPEVO_HASH_START, plan->name, strlen(plan->name)));
    switch (plan->fill) {
    case OPEVO_I_FILL_PERMUTATION:
        fill_permutation(buffer, &rng);
        break;
    case OPEVO_I_FILL_OFFSETS:
    case OPEVO_I_FILL_TARGETS:
        status = fill_graph(self, plan, buffer, (size_t)sizes[0], (size_t)sizes[1], err);
        break;
    case OPEVO_I_FILL_BORDER:
        fill_border(buffer, n[0]);
        break;
    case OPEVO_I_FILL_FILE:
        status = opevo_harness_read_numbers(plan->file, buffer->element, buffer->count,
                                            buffer->data, err);
        break;
    case OPEVO_I_FILL_EXPRESSION:
        status = fill_expression(self, plan, buffer, err);
        break;
    case OPEVO_I_FILL_NONE:
        break;
    default:
        for (size_t k = 0; k < buffer->count; k++) {
            if (plan->fill == OPEVO_I_FILL_CONSTANT)
                opevo_i_harness_set_number(buffer, k, n[0]);
            else if (plan->fill == OPEVO_I_FILL_UNIFORM)
                opevo_kernel_element_put(buffer->element, buffer->data, k,
                                         uniform(&rng, n[0], n[1]));
            else if (plan->fill == OPEVO_I_FILL_NORMAL)
                opevo_kernel_element_put(buffer->element, buffer->data, k,
                                         n[0] + n[1] * normal(&rng));
            else if (plan->fill == OPEVO_I_FILL_INTEGERS)
                opevo_i_harness_set_integer(
                    buffer, k,
                    (int64_t)n[0] + (int64_t)opevo_rng_below(&rng, (uint64_t)(n[1] - n[0]) + 1));
            else if (plan->fill == OPEVO_I_FILL_CHOICE)
                opevo_i_harness_set_number(buffer, k, n[opevo_rng_below(&rng, 2)]);
            else if (plan->fill == OPEVO_I_FILL_INDEX)
                opevo_i_harness_set_integer(buffer, k, (int64_t)k);
            else /* dominant: uniform on [-1, 1), and the number of rows added on the diagonal */
                opevo_kernel_element_put(buffer->element, buffer->data, k,
                                         uniform(&rng, -1, 1) + (k % ((size_t)sizes[0] + 1) == 0
                                                                     ? (double)sizes[0]
                                                                     : 0));
        }
    }
    return status;
}

static opevo_status fill(opevo_case *self, const opevo_i_harness_buffer_plan *plan,
                         opevo_buffer *buffer, opevo_error *err)
{
    int64_t sizes[2] = {0};
    opevo_status status = fill_sizes(self, plan, buffer->count, sizes, err);

    if (status == OPEVO_OK && !opevo_i_harness_recall(self, plan, buffer)) {
        status = make(self, plan, buffer, sizes, err);
        if (status == OPEVO_OK)
            opevo_i_harness_keep(self, plan, buffer);
    }
    return status == OPEVO_OK ? set_places(self, plan, buffer->count, buffer, err) : status;
}

opevo_status opevo_i_harness_case_fill(opevo_case *self, size_t i, opevo_error *err)
{
    return fill(self, &self->harness->buffers[i], &self->buffers[i], err);
}

opevo_status opevo_case_golden(opevo_case *self, size_t buffer, void *out, opevo_error *err)
{
    opevo_buffer place = self->buffers[buffer];

    place.data = out;
    return fill(self, &self->harness->golden[buffer], &place, err);
}
