/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pass `fuse`: a step and the element-wise steps after it become one computation.
 *
 * Going through the steps in order, each takes in those that make its operands: an operand that
 * nobody else reads, and that the step reads only at the place of the result, in a definition
 * that does not reduce. At most one of the steps that are joined reduces, so that a schedule tiles
 * that one, and computes the others on its tiles. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

enum { INPUTS_MOST = 7 }; /* of what is joined; with the output, all operands may have layouts */

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
        self->own_place &= opevo_i_reads_own_place(self->reader, read);
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

/* A step that makes an operand, and what counts for it. */
typedef struct candidate {
    int step; /* -1: none */
    double flop;
} candidate;

static bool is_joinable(const opevo_net_step *step)
{
    return step->kind == OPEVO_NET_STEP_COMPUTE && step->outputs == 1 && step->output[0] >= 0;
}

/* The operand with most operations, the last of them: what a step of `inputs` inputs was made
 * for. */
static opevo_status consider(const opevo_inference *inference, const opevo_i_links *links,
                             const opevo_i_part *reader, const opevo_tensor *operand, int inputs,
                             candidate *best, opevo_error *err)
{
    int value = reader->identity[operand->number];
    int step = value < 0 ? -1 : links->producer[value];
    opevo_i_part part = {0};
    opevo_status status = OPEVO_OK;
    double flop = 0;

    if (operand->definition || step < 0 ||
        inputs + inference->step[step].inputs - 1 > INPUTS_MOST || links->readers[value] != 1 ||
        inference->value[value].output || !is_joinable(&inference->step[step]) ||
        !is_elementwise(operand))
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_part_create(&inference->step[step], &part, err));
    flop = opevo_computation_flop(part.computation).count;
    if ((reduces(part.computation) && reduces(reader->computation)) ||
        (best->step >= 0 && (flop < best->flop || (flop == best->flop && step < best->step))))
        goto cleanup;
    *best = (candidate){step, flop};
cleanup:
    opevo_i_part_free(&part);
    return status;
}

/* ---- Joining -------------------------------------------------------------------------------- */

/* Definitions that would be too large stay apart. */
static bool is_refused(opevo_status status)
{
    return status == OPEVO_LIMIT || status == OPEVO_INVALID;
}

static opevo_status join(opevo_inference *inference, opevo_i_links *links, int first, int second,
                         bool *joined, opevo_error *err)
{
    opevo_net_step *a = &inference->step[first], *b = &inference->step[second];
    opevo_i_part part[2] = {{0}, {0}};
    opevo_status status = OPEVO_OK;

    *joined = false;
    OPEVO_TRY(opevo_i_part_create(a, &part[0], err));
    OPEVO_TRY(opevo_i_part_create(b, &part[1], err));
    opevo_i_links_count(links, b, -1);
    status = opevo_i_step_define(b, part, 2, b->output[0], NULL);
    *joined = status == OPEVO_OK;
    opevo_i_links_count(links, b, 1);
    if (is_refused(status))
        status = OPEVO_OK;
    if (!*joined)
        goto cleanup;
    OPEVO_TRY(opevo_i_step_name(b, a, b, err));
    b->node = a->node < b->node ? a->node : b->node;
    opevo_i_links_count(links, a, -1);
    links->dead[first] = true;
cleanup:
    opevo_i_part_free(&part[0]);
    opevo_i_part_free(&part[1]);
    return status;
}

/* Take in one operand of step n. */
static opevo_status take_operand(opevo_inference *inference, opevo_i_links *links, int n,
                                 bool *taken, opevo_error *err)
{
    candidate best = {.step = -1};
    opevo_i_part part = {0};
    opevo_status status = OPEVO_OK;

    *taken = false;
    OPEVO_TRY(opevo_i_part_create(&inference->step[n], &part, err));
    for (int i = 0; i < part.computation->tensors; i++)
        OPEVO_TRY(consider(inference, links, &part, part.computation->tensor[i],
                           inference->step[n].inputs, &best, err));
    if (best.step >= 0)
        OPEVO_TRY(join(inference, links, best.step, n, taken, err));
cleanup:
    opevo_i_part_free(&part);
    return status;
}

/* Steps that were not joined get the names of those that were. */
static opevo_status rename_alone(opevo_net_step *step, opevo_i_links *links, opevo_error *err)
{
    opevo_i_part part = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_part_create(step, &part, err));
    opevo_i_links_count(links, step, -1);
    status = opevo_i_step_define(step, &part, 1, step->output[0], NULL);
    opevo_i_links_count(links, step, 1);
    if (is_refused(status))
        status = OPEVO_OK;
cleanup:
    opevo_i_part_free(&part);
    return status;
}

opevo_status opevo_i_pass_fuse(opevo_inference *inference, opevo_error *err)
{
    opevo_i_links links = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_links_create(inference, &links, err));
    for (int n = 0; n < inference->steps; n++) {
        bool taken = is_joinable(&inference->step[n]);

        if (taken)
            OPEVO_TRY(rename_alone(&inference->step[n], &links, err));
        while (taken)
            OPEVO_TRY(take_operand(inference, &links, n, &taken, err));
    }
cleanup:
    if (status == OPEVO_OK)
        opevo_i_steps_remove(inference, links.dead);
    opevo_i_links_free(&links);
    return status;
}
