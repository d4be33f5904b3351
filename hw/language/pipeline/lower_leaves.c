/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statements and the loops around them: what all that is lowered is put together from. */

#include "lower_pipeline_internal.h"

#include <math.h>

opevo_i_nest_node *opevo_i_pipeline_checked(opevo_i_pipeline_lowering *self,
                                            opevo_i_nest_node *node)
{
    if (!node)
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
    return node;
}

int opevo_i_pipeline_add_buffer(opevo_i_pipeline_lowering *self, opevo_i_nest_buffer buffer)
{
    if (self->buffers < OPEVO_I_BUFFERS) {
        self->nest->buffer[self->buffers] = buffer;
        return self->buffers++;
    }
    OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A kernel has at most %d buffers.", OPEVO_I_BUFFERS);
    return 0;
}

static opevo_i_nest_node *add_vthreads(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                                       const opevo_i_nest_leaf *leaf)
{
    for (int i = 0; i < self->vthreads && parent; i++)
        parent = opevo_i_pipeline_checked(
            self, opevo_i_nest_add_vthread(self->nest, parent, leaf, &self->nest->atoms,
                                           self->vthread[i].atom, self->vthread[i].extent));
    return parent;
}

opevo_i_nest_node *opevo_i_pipeline_add_loop(opevo_i_pipeline_lowering *self,
                                             opevo_i_nest_node *parent, int key,
                                             const opevo_i_nest_loop *loop)
{
    opevo_i_nest_node *node =
        opevo_i_pipeline_checked(self, opevo_i_nest_add_loop(self->nest, parent, loop->atom,
                                                             loop->extent, loop->annotation));

    if (node)
        node->count = opevo_i_pipeline_count(self, key, loop);
    return node;
}

void opevo_i_pipeline_add_leaf(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                               const opevo_i_nest_leaf *leaf)
{
    parent = add_vthreads(self, parent, leaf);
    if (parent)
        opevo_i_pipeline_checked(self, opevo_i_nest_add_leaf(self->nest, parent, leaf));
}

void opevo_i_pipeline_add_kept(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                               int at, const opevo_i_nest_leaf *leaf)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    bool spread = false; /* over virtual threads */

    for (int i = at; i < own->loops && parent; i++) {
        const opevo_i_nest_loop *loop = &own->loop[i];

        if (loop->reduces)
            continue;
        /* Lanes stay innermost, so that they can become a vector. */
        if (!spread && loop->annotation == OPEVO_ANNOTATION_VECTORIZE) {
            parent = add_vthreads(self, parent, leaf);
            spread = true;
        }
        if (parent && opevo_i_pipeline_has_node(loop->annotation))
            parent = opevo_i_pipeline_add_loop(self, parent, key, loop);
        else if (parent && loop->annotation == OPEVO_ANNOTATION_VTHREAD)
            parent = opevo_i_pipeline_checked(
                self, opevo_i_nest_add_vthread(self->nest, parent, leaf, &self->nest->atoms,
                                               loop->atom, loop->extent));
    }
    if (parent && !spread)
        parent = add_vthreads(self, parent, leaf);
    if (parent)
        opevo_i_pipeline_checked(self, opevo_i_nest_add_leaf(self->nest, parent, leaf));
}

/* The neutral element of max or min among the values of a type. */
static double neutral_of(opevo_reducer reducer, opevo_element element)
{
    if (opevo_element_is_whole(element))
        return reducer == OPEVO_REDUCER_MAX ? opevo_element_least(element)
                                            : opevo_element_most(element);
    return reducer == OPEVO_REDUCER_MAX ? -INFINITY : INFINITY;
}

/* The value that the leaf of a stage has, of its type; NULL without memory, which is noted. */
static opevo_i_nest_value *give_value(opevo_i_pipeline_lowering *self, int key,
                                      opevo_expression_kind kind, opevo_i_nest_leaf *leaf)
{
    opevo_i_nest_value *value = opevo_i_nest_take(self->nest, sizeof *value);

    if (!value) {
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
        return NULL;
    }
    value->kind = kind;
    value->type = opevo_i_pipeline_type(self, key);
    leaf->value = value;
    return value;
}

/* to = the neutral element of the stage's reducer. */
void opevo_i_pipeline_set_neutral(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *leaf)
{
    opevo_reducer reducer = opevo_i_pipeline_reducer(self, key);
    opevo_i_nest_value *value = NULL;

    leaf->kind = OPEVO_I_ZERO;
    if (reducer == OPEVO_REDUCER_SUM)
        return;
    value = give_value(self, key, OPEVO_EXPR_NUMBER, leaf);
    if (!value)
        return;
    value->number = neutral_of(reducer, opevo_i_pipeline_element(self->pipeline, key));
    leaf->kind = OPEVO_I_STORE;
}

/* The guards of a stage's own element: those of the axes that do not reduce. */
opevo_i_nest_guards opevo_i_pipeline_element_guards(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_part *part = self->part[key];
    opevo_i_nest_guards guards = part->bound;

    for (int d = 0; d < stage->dims; d++) {
        if (!opevo_i_pipeline_add_extent(self, &guards, &part->value[d], stage->own.axis_extent[d],
                                         part->free[d], false))
            OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                    OPEVO_I_GUARDS);
    }
    return guards;
}

/* The leaf, which copies, joins its factor with what is there instead. */
void opevo_i_pipeline_set_update(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *leaf)
{
    opevo_reducer reducer = opevo_i_pipeline_reducer(self, key);

    leaf->kind = OPEVO_I_ADD;
    if (reducer != OPEVO_REDUCER_SUM && give_value(self, key, OPEVO_EXPR_READ, leaf))
        leaf->kind = reducer == OPEVO_REDUCER_MAX ? OPEVO_I_MAX : OPEVO_I_MIN;
}

void opevo_i_pipeline_add_sync(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent)
{
    opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_SYNC));
}
