/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pass `block`: tensors between steps lie in blocks of channels, as long as vectors, and
 * constants in the order in which they are read then.
 *
 * Whether a tensor can is a property of a class: tensors that some definition reads and writes at
 * the same channel are blocked together, or not at all; a sum over channels reads blocks whatever
 * it writes. Inputs and outputs of the network are as they were, as is everything that moves
 * elements in another way than in whole blocks, or that is to stay plain. No conversion is left: a
 * step between classes is one. */

#include "network_passes_internal.h"

#include <opevo/computation_block.h>
#include <opevo/memory.h>

#include <string.h>

enum { CHANNELS = 1, LEAST_DIMS = 3 };

/* A step in blocks; NULL where none of its tensors is blocked. */
typedef struct written {
    opevo_computation *computation;
    opevo_tensor_cut *cut;
} written;

/* Nodes are the values of the network, then the tensors of each step. */
typedef struct blocking {
    opevo_network_inference *inference;
    int values; /* at first: cut constants are added */
    int64_t block;
    opevo_i_net_links links;
    bool *constant;         /* of each value: it had data at first */
    opevo_i_net_part *part; /* of each step; without computation: not one that is written anew */
    written *written;       /* of each step, as the classes are */
    int *base;              /* the first node of each step's tensors */
    int *parent;            /* of a node in its class; itself at the root */
    bool *banned;           /* at the roots */
    int nodes;
} blocking;

/* ---- Classes -------------------------------------------------------------------------------- */

static int root_of(blocking *self, int node)
{
    while (self->parent[node] != node)
        node = self->parent[node] = self->parent[self->parent[node]];
    return node;
}

static void ban(blocking *self, int node)
{
    self->banned[root_of(self, node)] = true;
}

static void join(blocking *self, int a, int b)
{
    int from = root_of(self, a), to = root_of(self, b);

    if (from == to)
        return;
    self->banned[to] |= self->banned[from];
    self->parent[from] = to;
}

static int node_of(const blocking *self, int step, const opevo_tensor *tensor)
{
    int value = self->part[step].identity[tensor->number];

    return value >= 0 ? value : self->base[step] + tensor->number;
}

static bool has_blocks(const blocking *self, int dims, const int64_t *extent)
{
    return dims >= LEAST_DIMS && dims < OPEVO_COMPUTATION_DIMS &&
           extent[CHANNELS] % self->block == 0;
}

static bool is_constant(const blocking *self, int value)
{
    return value < self->values && self->constant[value];
}

/* ---- Steps that compute --------------------------------------------------------------------- */

typedef struct look {
    blocking *self;
    int step, node;
    const opevo_definition *reader;
} look;

static bool is_along(const opevo_affine *index, int axis)
{
    return index->count == 1 && index->constant == 0 && index->term[0].factor == 1 &&
           index->term[0].atom == OPEVO_ATOM_AXIS && index->term[0].axis == axis;
}

/* Whether a sum reads whole blocks: one axis of the sum, and multiples of a block. */
static bool sums_blocks(const look *at, const opevo_affine *index)
{
    int64_t block = at->self->block;
    int sums = 0;

    for (int t = 0; t < index->count; t++) {
        const opevo_term *term = &index->term[t];

        if (term->factor % block == 0) {
            if (term->atom != OPEVO_ATOM_AXIS && term->divisor % block)
                return false;
            continue;
        }
        if (term->factor != 1 || term->atom != OPEVO_ATOM_AXIS ||
            term->axis < at->reader->spatial || at->reader->axis[term->axis].extent % block)
            return false;
        sums++;
    }
    return sums == 1 && index->constant % block == 0;
}

static void look_at_read(void *context, const opevo_expression *read)
{
    look *at = context;
    int node = node_of(at->self, at->step, read->tensor);

    if (is_constant(at->self, node))
        return;
    if (read->tensor->dims > CHANNELS && is_along(&read->index[CHANNELS], CHANNELS) &&
        at->reader->spatial > CHANNELS)
        join(at->self, node, at->node);
    else if (read->tensor->dims <= CHANNELS || !sums_blocks(at, &read->index[CHANNELS]))
        ban(at->self, node);
}

static void look_at_definitions(blocking *self, int step)
{
    const opevo_computation *computation = self->part[step].computation;

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        look at = {self, step, node_of(self, step, tensor), tensor->definition};

        if (!has_blocks(self, tensor->dims, tensor->extent) || tensor->element != OPEVO_FLOAT32)
            ban(self, at.node);
        if (tensor->definition)
            opevo_expression_reads(tensor->definition->value, look_at_read, &at);
    }
}

/* ---- Steps that move elements --------------------------------------------------------------- */

static int64_t inside_channels(const opevo_array *array)
{
    int64_t inside = 1;

    for (int d = CHANNELS + 1; d < array->dims; d++)
        inside *= array->extent[d];
    return inside;
}

/* Whether a box is made of whole blocks, `whole` elements each, which lie together in both
 * layouts. */
static bool copies_blocks(const opevo_network_copy *copy, int64_t whole)
{
    int64_t run = 1; /* elements that lie together on both sides */
    int d = copy->dims - 1;

    for (; d >= 0 && (copy->extent[d] == 1 || (copy->to_stride[d] == run &&
                                               (copy->input < 0 || copy->from_stride[d] == run)));
         d--)
        run *= copy->extent[d];
    if (run % whole || copy->to % whole || (copy->input >= 0 && copy->from % whole))
        return false;
    for (; d >= 0; d--) {
        if (copy->extent[d] > 1 &&
            (copy->to_stride[d] % whole || (copy->input >= 0 && copy->from_stride[d] % whole)))
            return false;
    }
    return true;
}

/* The elements of whole blocks stand together in either layout, so that such a copy serves both. */
static void look_at_copy(blocking *self, const opevo_network_step *step)
{
    const opevo_array *to = &self->inference->value[step->output[0]].array;
    int64_t whole = self->block * inside_channels(to);
    bool fits = true;

    for (int i = 0; i < step->inputs; i++) {
        if (step->input[i] < 0)
            continue;
        fits &=
            inside_channels(&self->inference->value[step->input[i]].array) == inside_channels(to) &&
            !is_constant(self, step->input[i]);
        join(self, step->input[i], step->output[0]);
    }
    for (int i = 0; i < step->copies && fits; i++)
        fits = copies_blocks(&step->copy[i], whole);
    if (!fits)
        ban(self, step->output[0]);
}

/* One channel of one element is the same in both layouts. */
static void look_at_view(blocking *self, int value)
{
    if (value >= 0 && inside_channels(&self->inference->value[value].array) != 1)
        ban(self, value);
}

static void ban_all(blocking *self, const opevo_network_step *step)
{
    for (int i = 0; i < step->inputs; i++) {
        if (step->input[i] >= 0)
            ban(self, step->input[i]);
    }
    for (int i = 0; i < step->outputs; i++) {
        if (step->output[i] >= 0)
            ban(self, step->output[i]);
    }
}

static void look_at_step(blocking *self, int n)
{
    const opevo_network_step *step = &self->inference->step[n];

    if (self->part[n].computation) {
        look_at_definitions(self, n);
    } else if (step->kind == OPEVO_NETWORK_STEP_COPY) {
        look_at_copy(self, step);
    } else if (step->kind == OPEVO_NETWORK_STEP_VIEW) {
        look_at_view(self, step->input[0]);
        look_at_view(self, step->output[0]);
    } else {
        ban_all(self, step);
    }
}

/* ---- Writing -------------------------------------------------------------------------------- */

static bool is_blocked(blocking *self, int node)
{
    return !is_constant(self, node) && !self->banned[root_of(self, node)];
}

/* Tensors inside a step are blocked with some outside, or not at all. */
static opevo_status ban_inner(blocking *self, opevo_error *err)
{
    bool *outer = opevo_calloc((size_t)self->nodes + 1, sizeof *outer);

    OPEVO_NEED_OR_RETURN(outer, "the layouts of the network");
    for (int i = 0; i < self->values; i++)
        outer[root_of(self, i)] = true;
    for (int i = self->values; i < self->nodes; i++) {
        if (!outer[root_of(self, i)])
            ban(self, i);
    }
    opevo_free(outer);
    return OPEVO_OK;
}

static opevo_status start(blocking *self, opevo_error *err)
{
    opevo_network_inference *inference = self->inference;
    size_t steps = (size_t)inference->steps + 1;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_links_create(inference, &self->links, err));
    self->part = opevo_calloc(steps, sizeof *self->part);
    self->written = opevo_calloc(steps, sizeof *self->written);
    self->base = opevo_calloc(steps, sizeof *self->base);
    self->constant = opevo_calloc((size_t)self->values + 1, sizeof *self->constant);
    OPEVO_NEED_OR_RETURN(self->part && self->written && self->base && self->constant,
                         "the layouts of the network");
    for (int i = 0; i < self->values; i++)
        self->constant[i] = inference->value[i].array.data != NULL;
    self->nodes = self->values;
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        self->base[n] = self->nodes;
        if (step->kind != OPEVO_NETWORK_STEP_COMPUTE || step->outputs != 1 || step->output[0] < 0)
            continue;
        OPEVO_TRY(opevo_i_net_part_create(step, &self->part[n], err));
        self->nodes += self->part[n].computation->tensors;
    }
    self->parent = opevo_calloc((size_t)self->nodes + 1, sizeof *self->parent);
    self->banned = opevo_calloc((size_t)self->nodes + 1, sizeof *self->banned);
    OPEVO_NEED_OR_RETURN(self->parent && self->banned, "the layouts of the network");
    for (int i = 0; i < self->nodes; i++)
        self->parent[i] = i;
    for (int i = 0; i < self->values; i++) {
        const opevo_network_tensor *value = &inference->value[i];

        self->banned[i] = value->input || value->output || value->plain ||
                          value->array.type != OPEVO_NETWORK_FLOAT32 ||
                          !has_blocks(self, value->array.dims, value->array.extent);
    }
    for (int n = 0; n < inference->steps; n++)
        look_at_step(self, n);
    status = ban_inner(self, err);
cleanup:
    return status;
}

static void release_written(written *self)
{
    opevo_computation_destroy(self->computation);
    opevo_free(self->cut);
    *self = (written){0};
}

static opevo_status write_step(blocking *self, int n, opevo_error *err)
{
    const opevo_i_net_part *part = &self->part[n];
    written *out = &self->written[n];
    size_t tensors = (size_t)part->computation->tensors;
    opevo_layout_choice *choice = opevo_calloc(tensors + 1, sizeof *choice);
    opevo_status status = OPEVO_OK;
    bool any = false;

    release_written(out);
    out->cut = opevo_calloc(tensors + 1, sizeof *out->cut);
    OPEVO_NEED(choice && out->cut, "the layouts of the network");
    for (size_t i = 0; i < tensors; i++) {
        int node = node_of(self, n, part->computation->tensor[i]);

        choice[i] = is_constant(self, node)  ? OPEVO_LAYOUT_FREE
                    : is_blocked(self, node) ? OPEVO_LAYOUT_BLOCKED
                                             : OPEVO_LAYOUT_PLAIN;
        any |= choice[i] == OPEVO_LAYOUT_BLOCKED;
    }
    if (any)
        status = opevo_computation_block(part->computation, self->block, choice, &out->computation,
                                         out->cut, err);
cleanup:
    opevo_free(choice);
    return status;
}

/* Write all steps. Those that cannot be written after all keep their layouts, and so do those
 * around them, which are written again then. */
static opevo_status write_steps(blocking *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool refused = true;

    while (refused) {
        refused = false;
        for (int n = 0; n < self->inference->steps && status == OPEVO_OK; n++) {
            if (!self->part[n].computation)
                continue;
            status = write_step(self, n, err);
            if (status != OPEVO_INVALID && status != OPEVO_LIMIT)
                continue;
            status = OPEVO_OK;
            refused = true;
            ban_all(self, &self->inference->step[n]);
            for (int i = 0; i < self->part[n].computation->tensors; i++)
                ban(self, node_of(self, n, self->part[n].computation->tensor[i]));
        }
    }
    return status;
}

/* ---- Constants ------------------------------------------------------------------------------ */

static opevo_status cut_constants(blocking *self, int n, const opevo_computation *made,
                                  const opevo_tensor_cut *cut, opevo_error *err)
{
    int *identity = self->part[n].identity;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < made->tensors; i++) {
        if (cut[i].dims)
            OPEVO_TRY(opevo_i_net_constant_cut(self->inference, &self->links, &cut[i], self->block,
                                               &identity[i], err));
    }
cleanup:
    return status;
}

static opevo_status apply(blocking *self, int n, opevo_error *err)
{
    opevo_i_net_part *part = &self->part[n];
    written *with = &self->written[n];
    opevo_status status = OPEVO_OK;

    if (!with->computation)
        return OPEVO_OK;
    OPEVO_TRY(cut_constants(self, n, with->computation, with->cut, err));
    opevo_computation_destroy(part->computation);
    part->computation = with->computation;
    with->computation = NULL;
    status = opevo_i_net_step_define(&self->inference->step[n], part, 1,
                                     self->inference->step[n].output[0], err);
cleanup:
    return status;
}

static void release(blocking *self, int steps)
{
    for (int n = 0; n < steps && self->part; n++)
        opevo_i_net_part_free(&self->part[n]);
    for (int n = 0; n < steps && self->written; n++)
        release_written(&self->written[n]);
    opevo_free(self->written);
    opevo_i_net_links_free(&self->links);
    opevo_free(self->constant);
    opevo_free(self->part);
    opevo_free(self->base);
    opevo_free(self->parent);
    opevo_free(self->banned);
}

opevo_status opevo_i_net_block_classes(opevo_network_inference *inference, int *class_of,
                                       opevo_error *err)
{
    blocking self = {
        .inference = inference, .values = inference->values, .block = inference->block};
    int *first = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(start(&self, err));
    OPEVO_TRY(write_steps(&self, err));
    first = opevo_calloc((size_t)self.nodes + 1, sizeof *first); /* and 1 more; 0: none yet */
    OPEVO_NEED(first, "the layouts of the network");
    for (int i = 0; i < self.values; i++) {
        int root = root_of(&self, i);

        first[root] = first[root] ? first[root] : i + 1;
        class_of[i] = is_blocked(&self, i) ? first[root] - 1 : -1;
    }
cleanup:
    release(&self, inference->steps);
    opevo_free(first);
    return status;
}

opevo_status opevo_i_net_pass_block(opevo_network_inference *inference, opevo_error *err)
{
    blocking self = {
        .inference = inference, .values = inference->values, .block = inference->block};
    bool *dead = opevo_calloc((size_t)inference->steps + 1, sizeof *dead);
    int steps = inference->steps;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(dead, "the layouts of the network");
    if (self.block < 2)
        goto cleanup;
    OPEVO_TRY(start(&self, err));
    OPEVO_TRY(write_steps(&self, err));
    for (int n = 0; n < steps; n++) {
        if (self.part[n].computation)
            OPEVO_TRY(apply(&self, n, err));
    }
    for (int i = 0; i < self.values; i++) {
        opevo_array *array = &inference->value[i].array;

        if (!is_blocked(&self, i))
            continue;
        array->extent[CHANNELS] /= self.block;
        array->extent[array->dims++] = self.block;
    }
    inference->blocked = inference->block;
    inference->block = 0;
    opevo_i_net_steps_remove(inference, dead);
cleanup:
    release(&self, steps);
    opevo_free(dead);
    return status;
}
