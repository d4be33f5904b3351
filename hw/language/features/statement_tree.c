/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loop tree of a program. A loop gets a row when the first store inside it is met, so that
 * loops around a store have theirs before those inside. */

#include "statement_internal.h"

#include <opevo/memory.h>

#include <math.h>

typedef struct tree {
    const opevo_statement_program *program;
    const unsigned *names;
    opevo_loop_node *nodes;
    size_t count;
    size_t buffers[OPEVO_LOOP_BUFFERS], buffer_count;
    size_t *node_of; /* of each loop; SIZE_MAX: none yet */
} tree;

static opevo_loop_kind kind_of(opevo_annotation annotation)
{
    static const opevo_loop_kind kinds[OPEVO_ANNOTATION_COUNT] = {
        [OPEVO_ANNOTATION_SERIAL] = OPEVO_LOOP_SERIAL,
        [OPEVO_ANNOTATION_UNROLL] = OPEVO_LOOP_UNROLL,
        [OPEVO_ANNOTATION_EXPAND] = OPEVO_LOOP_UNROLL,
        [OPEVO_ANNOTATION_VECTORIZE] = OPEVO_LOOP_VECTORIZE,
        [OPEVO_ANNOTATION_PARALLEL] = OPEVO_LOOP_PARALLEL,
        [OPEVO_ANNOTATION_VTHREAD] = OPEVO_LOOP_VTHREAD,
        [OPEVO_ANNOTATION_BLOCK_X] = OPEVO_LOOP_BLOCK_X,
        [OPEVO_ANNOTATION_BLOCK_Y] = OPEVO_LOOP_BLOCK_Y,
        [OPEVO_ANNOTATION_BLOCK_Z] = OPEVO_LOOP_BLOCK_Z,
        [OPEVO_ANNOTATION_THREAD_X] = OPEVO_LOOP_THREAD_X,
        [OPEVO_ANNOTATION_THREAD_Y] = OPEVO_LOOP_THREAD_Y,
        [OPEVO_ANNOTATION_THREAD_Z] = OPEVO_LOOP_THREAD_Z,
    };

    return kinds[annotation];
}

/* A store of a constant to a buffer that is stored to again: the start of a sum. */
static bool starts_sum(const opevo_statement_program *program, size_t i)
{
    const opevo_statement_store *store = &program->stores[i];

    for (size_t j = i + 1; j < program->store_count && store->read_count == 0; j++) {
        if (program->stores[j].target.buffer == store->target.buffer)
            return true;
    }
    return false;
}

/* The place of a buffer in all rows; OPEVO_LOOP_BUFFERS where all are taken. */
static size_t slot_of(tree *self, size_t buffer)
{
    size_t i = 0;

    while (i < self->buffer_count && self->buffers[i] != buffer)
        i++;
    if (i == self->buffer_count && i < OPEVO_LOOP_BUFFERS)
        self->buffers[self->buffer_count++] = buffer;
    return i;
}

/* What a store touches under its loops from the i-th on. */
static void touch(tree *self, const opevo_statement_store *store,
                  const opevo_i_feature_touched_buffer *buffers, size_t buffer_count, size_t i,
                  double iterations)
{
    size_t place = self->node_of[store->loops[i]];
    double extents[OPEVO_I_STATEMENT_DIMENSIONS];

    self->nodes[place].bottom_up = fmax(self->nodes[place].bottom_up, iterations);
    for (size_t b = 0; b < buffer_count; b++) {
        size_t slot = slot_of(self, buffers[b].buffer);
        double elements =
            opevo_i_feature_statement_region(self->program, store, &buffers[b], i, extents);

        if (slot == OPEVO_LOOP_BUFFERS || elements <= self->nodes[place].touches[slot].elements)
            continue;
        self->nodes[place].touches[slot] =
            (opevo_loop_touch){.elements = elements,
                               .reuse = iterations / elements,
                               .stride = opevo_i_feature_statement_stride(
                                   self->program, &buffers[b], store->loops[i])};
    }
}

static void add_store(tree *self, const opevo_statement_store *store)
{
    const opevo_statement_loop *loops = self->program->loops;
    opevo_i_feature_touched_buffer buffers[OPEVO_I_STATEMENT_ACCESSES];
    size_t buffer_count = opevo_i_feature_statement_buffers(store, buffers);
    size_t parent = SIZE_MAX;
    double product = 1;

    for (size_t i = 0; i < store->loop_count; i++) {
        const opevo_statement_loop *loop = &loops[store->loops[i]];
        size_t *place = &self->node_of[store->loops[i]];

        product *= (double)loop->extent;
        if (loop->extent == 1)
            continue;
        if (*place == SIZE_MAX) {
            *place = self->count++;
            self->nodes[*place] = (opevo_loop_node){.parent = parent,
                                                    .name = self->names[store->loops[i]],
                                                    .kind = kind_of(loop->kind),
                                                    .extent = (double)loop->extent,
                                                    .top_down = product,
                                                    .bottom_up = 1};
        }
        parent = *place;
    }
    product = 1;
    for (size_t i = store->loop_count; i-- > 0;) {
        product *= (double)loops[store->loops[i]].extent;
        if (loops[store->loops[i]].extent > 1)
            touch(self, store, buffers, buffer_count, i, product);
    }
}

opevo_status opevo_statement_tree(const opevo_statement_program *program, const unsigned *names,
                                  float *rows, size_t *count, opevo_error *err)
{
    opevo_status status = opevo_i_feature_statement_check(program, err);
    tree self = {.program = program, .names = names};

    if (status != OPEVO_OK)
        return status;
    self.nodes = opevo_malloc(program->loop_count + 1, sizeof *self.nodes);
    self.node_of = opevo_malloc(program->loop_count + 1, sizeof *self.node_of);
    OPEVO_NEED(self.nodes && self.node_of, "the loop tree of a program");
    for (size_t i = 0; i < program->loop_count; i++)
        self.node_of[i] = SIZE_MAX;
    for (size_t i = 0; i < program->store_count; i++) {
        if (!starts_sum(program, i))
            add_store(&self, &program->stores[i]);
    }
    if (self.count == 0)
        self.nodes[self.count++] =
            (opevo_loop_node){.parent = SIZE_MAX, .extent = 1, .top_down = 1, .bottom_up = 1};
    if (self.count > OPEVO_LOOP_TREE_ROWS) {
        status = OPEVO_FAIL(err, OPEVO_LIMIT, "The loop tree of a program has more than %d loops.",
                            OPEVO_LOOP_TREE_ROWS);
        goto cleanup;
    }
    for (size_t i = 0; i < self.count; i++)
        opevo_loop_node_write(&self.nodes[i], i, rows + i * OPEVO_LOOP_COLUMNS);
    *count = self.count;
cleanup:
    opevo_free(self.nodes);
    opevo_free(self.node_of);
    return status;
}
