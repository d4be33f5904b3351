/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pass `fuse`: a step, the element-wise steps after it, and copies before it become one
 * computation.
 *
 * Going through the steps in order, each takes in those that make its operands: an operand that
 * nobody else reads, and that the step reads only at the place of the result, in a definition
 * that does not reduce; or that is a copy of one box, such as padding or a transpose. At most one
 * of the steps that are joined reduces, so that a schedule tiles that one, and computes the others
 * on its tiles; except where all work on whole rows, as normalisations do. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

enum {
    INPUTS_MOST = 7, /* of what is joined; with the output, all operands may have layouts */
    STEPS_MOST = 64  /* that are joined to one: the whole is written again for each */
};

/* ---- Which operands are taken in ------------------------------------------------------------ */

static bool reduces(const opevo_computation *computation)
{
    for (int i = 0; i < computation->tensors; i++) {
        const opevo_definition *definition = computation->tensor[i]->definition;

        if (definition && definition->reducer != OPEVO_REDUCER_NONE)
            return true;
    }
    return false;
}

typedef struct look {
    const opevo_tensor *operand;
    const opevo_definition *reader;
    bool own_place;
} look;

static void look_at_read(void *context, const opevo_expression *read)
{
    look *self = context;

    if (read->tensor == self->operand)
        self->own_place &= opevo_reads_own_place(self->reader, read);
}

/* Whether all definitions that read the operand do so at their own place, without reducing. */
static bool is_elementwise(const opevo_tensor *operand)
{
    look self = {.operand = operand, .own_place = true};

    for (int i = 0; i < operand->readers && self.own_place; i++) {
        self.reader = operand->reader[i]->definition;
        self.own_place = self.reader->reducer == OPEVO_REDUCER_NONE;
        opevo_expression_reads(self.reader->value, look_at_read, &self);
    }
    return self.own_place && operand->readers > 0;
}

static bool is_axis_or_number(const opevo_affine *index)
{
    return index->count == 0 ||
           (index->count == 1 && index->constant == 0 && index->term[0].atom == OPEVO_ATOM_AXIS);
}

static void look_at_indices(void *context, const opevo_expression *read)
{
    bool *plain = context;

    for (int d = 0; d < read->tensor->dims; d++)
        *plain &= is_axis_or_number(&read->index[d]);
}

/* Whether all reads are along axes, without windows, and sums do not read elements again: parts of
 * a normalisation or softmax, which need each row a few times. */
static bool is_rowwise(const opevo_computation *computation)
{
    bool plain = true;

    for (int i = 0; i < computation->tensors && plain; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        if (!tensor->definition)
            continue;
        opevo_expression_reads(tensor->definition->value, look_at_indices, &plain);
        plain &=
            tensor->definition->reducer == OPEVO_REDUCER_NONE || !opevo_tensor_needs_tiling(tensor);
    }
    return plain;
}

/* Whether the step that reads the operand may take in the part that makes it. */
static bool fits(const opevo_computation *part, const opevo_tensor *operand, bool is_copy,
                 const opevo_computation *reader)
{
    if ((is_copy || is_elementwise(operand)) && (!reduces(part) || !reduces(reader)))
        return true;
    return is_rowwise(part) && is_rowwise(reader);
}

/* The steps that are joined; of each, how many are on the longest path to it, of how many it is
 * made, and its definitions, where they were looked at since they changed. */
typedef struct joining {
    opevo_network_inference *inference;
    opevo_i_net_links links;
    int *depth, *joined;
    opevo_i_net_part *part;
} joining;

static bool is_joinable(const opevo_network_step *step)
{
    return step->kind == OPEVO_NETWORK_STEP_COMPUTE && step->outputs == 1 && step->output[0] >= 0;
}

/* The definitions of step n, borrowed until they change; NULL if it has none. */
static opevo_status part_of(joining *self, int n, const opevo_i_net_part **out, opevo_error *err)
{
    opevo_network_step copy = self->inference->step[n];
    opevo_i_net_part *part = &self->part[n];
    opevo_computation *copied = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;
    bool is_one = copy.kind == OPEVO_NETWORK_STEP_COPY
                      ? !part->computation && opevo_i_net_copy_define(self->inference, &copy, &text)
                      : is_joinable(&copy);

    if (is_one && !part->computation) {
        OPEVO_TRY(opevo_text_check(&text, err));
        if (text.data)
            OPEVO_TRY(opevo_computation_parse(text.data, "definitions", NULL, 0, &copied, err));
        if (copied)
            copy.computation = copied;
        OPEVO_TRY(opevo_i_net_part_create(&copy, part, err));
    }
    *out = part->computation ? part : NULL;
cleanup:
    opevo_computation_destroy(copied);
    opevo_text_free(&text);
    return status;
}

/* Whether the operand of step n is taken in, rather than that of step *best; -1: none. Of two, it
 * is the deeper one, then the later one: shortcuts around layers stay inputs, so that layers with
 * and without a convolution in their shortcut are the same. */
static opevo_status consider(joining *self, int n, const opevo_i_net_part *reader,
                             const opevo_tensor *operand, int *best, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    int value = reader->identity[operand->number];
    int step = value < 0 ? -1 : self->links.producer[value];
    const opevo_i_net_part *part = NULL;
    opevo_status status = OPEVO_OK;

    if (operand->definition || step < 0 || self->links.readers[value] != 1 ||
        inference->value[value].output ||
        inference->step[n].inputs + inference->step[step].inputs - 1 > INPUTS_MOST ||
        self->joined[n] + self->joined[step] > STEPS_MOST)
        return OPEVO_OK;
    if (*best >= 0 && (self->depth[step] < self->depth[*best] ||
                       (step < *best && self->depth[step] == self->depth[*best])))
        return OPEVO_OK;
    OPEVO_TRY(part_of(self, step, &part, err));
    if (part && fits(part->computation, operand,
                     inference->step[step].kind == OPEVO_NETWORK_STEP_COPY, reader->computation))
        *best = step;
cleanup:
    return status;
}

/* ---- Joining -------------------------------------------------------------------------------- */

/* Definitions that would be too large stay apart. */
static bool is_refused(opevo_status status)
{
    return status == OPEVO_LIMIT || status == OPEVO_INVALID;
}

/* Both have definitions. */
static opevo_status join(joining *self, int first, int second, bool *joined, opevo_error *err)
{
    opevo_i_net_links *links = &self->links;
    opevo_network_step *a = &self->inference->step[first], *b = &self->inference->step[second];
    const opevo_i_net_part part[2] = {self->part[first], self->part[second]};
    opevo_status status = OPEVO_OK;

    opevo_i_net_links_count(links, b, -1);
    status = opevo_i_net_step_define(b, part, 2, b->output[0], NULL);
    *joined = status == OPEVO_OK;
    opevo_i_net_links_count(links, b, 1);
    if (is_refused(status))
        status = OPEVO_OK;
    if (!*joined)
        goto cleanup;
    OPEVO_TRY(opevo_i_net_step_name(b, a, b, err));
    b->node = a->node < b->node ? a->node : b->node;
    opevo_i_net_links_count(links, a, -1);
    links->dead[first] = true;
    self->joined[second] += self->joined[first];
    opevo_i_net_part_free(&self->part[first]);
    opevo_i_net_part_free(&self->part[second]);
cleanup:
    return status;
}

/* Take in one operand of step n. */
static opevo_status take_operand(joining *self, int n, bool *taken, opevo_error *err)
{
    const opevo_i_net_part *part = NULL;
    opevo_status status = OPEVO_OK;
    int best = -1;

    *taken = false;
    OPEVO_TRY(part_of(self, n, &part, err));
    for (int i = 0; part && i < part->computation->tensors; i++)
        OPEVO_TRY(consider(self, n, part, part->computation->tensor[i], &best, err));
    if (best >= 0)
        OPEVO_TRY(join(self, best, n, taken, err));
cleanup:
    return status;
}

/* Steps that were not joined get the names of those that were. */
static opevo_status rename_alone(opevo_network_step *step, opevo_i_net_links *links,
                                 opevo_error *err)
{
    opevo_i_net_part part = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_part_create(step, &part, err));
    opevo_i_net_links_count(links, step, -1);
    status = opevo_i_net_step_define(step, &part, 1, step->output[0], NULL);
    opevo_i_net_links_count(links, step, 1);
    if (is_refused(status))
        status = OPEVO_OK;
cleanup:
    opevo_i_net_part_free(&part);
    return status;
}

static void find_depth(joining *self, int n)
{
    const opevo_network_step *step = &self->inference->step[n];

    self->joined[n] = 1;
    for (int i = 0; i < step->inputs; i++) {
        int before = step->input[i] < 0 ? -1 : self->links.producer[step->input[i]];

        if (before >= 0 && self->depth[before] >= self->depth[n])
            self->depth[n] = self->depth[before] + 1;
    }
}

opevo_status opevo_i_net_pass_fuse(opevo_network_inference *inference, opevo_error *err)
{
    joining self = {.inference = inference};
    opevo_status status = OPEVO_OK;
    size_t steps = (size_t)inference->steps + 1;

    OPEVO_TRY(opevo_i_net_links_create(inference, &self.links, err));
    self.depth = opevo_calloc(steps, sizeof *self.depth);
    self.joined = opevo_calloc(steps, sizeof *self.joined);
    self.part = opevo_calloc(steps, sizeof *self.part);
    OPEVO_NEED(self.depth && self.joined && self.part, "the steps of the network");
    for (int n = 0; n < inference->steps; n++) {
        bool taken = is_joinable(&inference->step[n]);

        find_depth(&self, n);
        if (taken)
            OPEVO_TRY(rename_alone(&inference->step[n], &self.links, err));
        while (taken)
            OPEVO_TRY(take_operand(&self, n, &taken, err));
    }
cleanup:
    for (size_t n = 0; n < steps && self.part; n++)
        opevo_i_net_part_free(&self.part[n]);
    if (status == OPEVO_OK)
        opevo_i_net_steps_remove(inference, self.links.dead);
    opevo_i_net_links_free(&self.links);
    opevo_free(self.depth);
    opevo_free(self.joined);
    opevo_free(self.part);
    return status;
}
