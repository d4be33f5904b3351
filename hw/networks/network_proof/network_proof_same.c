/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether steps are those that passes made of labels, at the weights that these name. */

#include "network_proof_internal.h"

#include <opevo/network_tasks.h>

#include <math.h>
#include <string.h>

/* The weight of the model that a label stands for. */
static float weight_of(const opevo_i_netproof_weights *weights, int64_t number)
{
    for (int i = weights->model->values - 1; i >= 0; i--)
        if (weights->first_label[i] >= 0 && weights->first_label[i] <= number &&
            number <
                weights->first_label[i] + opevo_array_elements(&weights->model->value[i].array))
            return ((const float *)weights->model->value[i]
                        .array.data)[number - weights->first_label[i]];
    return NAN;
}

/* ---- The steps of the library and those with labels ---- */

static bool same_numbers(const int *a, const int *b, int count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_copy(const opevo_network_copy *a, const opevo_network_copy *b)
{
    bool same = a->input == b->input && memcmp(&a->value, &b->value, sizeof a->value) == 0 &&
                a->dims == b->dims && a->from == b->from && a->to == b->to;

    for (int d = 0; d < a->dims && same; d++)
        same = a->extent[d] == b->extent[d] && a->from_stride[d] == b->from_stride[d] &&
               a->to_stride[d] == b->to_stride[d];
    return same;
}

static bool same_step(const opevo_network_step *a, const opevo_network_step *b)
{
    if (a->kind != b->kind || a->inputs != b->inputs || a->outputs != b->outputs ||
        !same_numbers(a->input, b->input, a->inputs) ||
        !same_numbers(a->output, b->output, a->outputs))
        return false;
    if (a->kind == OPEVO_NETWORK_STEP_NODE)
        return a->node == b->node;
    if (a->kind == OPEVO_NETWORK_STEP_COMPUTE)
        return opevo_network_is_same_task(a->computation, b->computation);
    if (a->kind == OPEVO_NETWORK_STEP_COPY && a->copies != b->copies)
        return false;
    for (int k = 0; a->kind == OPEVO_NETWORK_STEP_COPY && k < a->copies; k++)
        if (!same_copy(&a->copy[k], &b->copy[k]))
            return false;
    return true;
}

static bool same_array(const opevo_i_netproof_weights *weights, const opevo_array *found,
                       const opevo_array *labelled)
{
    if (found->type != labelled->type || found->dims != labelled->dims ||
        memcmp(found->extent, labelled->extent, (size_t)found->dims * sizeof *found->extent) != 0 ||
        !found->data != !labelled->data)
        return false;
    if (!found->data)
        return true;
    if (found->type != OPEVO_NETWORK_FLOAT32)
        return memcmp(found->data, labelled->data,
                      (size_t)opevo_array_elements(found) *
                          opevo_network_type_bytes(found->type)) == 0;
    for (int64_t e = 0; e < opevo_array_elements(found); e++) {
        float wanted = ((const float *)labelled->data)[e];
        int64_t number = opevo_i_netproof_label_of(wanted);

        wanted = number < 0 ? wanted : weight_of(weights, number);
        if (memcmp(&wanted, (const float *)found->data + e, sizeof wanted) != 0)
            return false;
    }
    return true;
}

/* Of a step that is the same. Constants that no step reads may have been released. */
static bool same_operands(const opevo_i_netproof_weights *weights, const opevo_network_inference *a,
                          const opevo_network_inference *b, int step)
{
    const opevo_network_step *one = &a->step[step];
    bool same = true;

    for (int i = 0; i < one->inputs && same; i++)
        same = one->input[i] < 0 ||
               same_array(weights, &a->value[one->input[i]].array, &b->value[one->input[i]].array);
    for (int o = 0; o < one->outputs && same; o++)
        same = one->output[o] < 0 || same_array(weights, &a->value[one->output[o]].array,
                                                &b->value[one->output[o]].array);
    return same;
}

bool opevo_i_netproof_is_same(const opevo_network_inference *steps,
                              const opevo_network_inference *labelled,
                              const opevo_i_netproof_weights *weights)
{
    const opevo_network_inference *a = steps, *b = labelled;
    bool same = a->values == b->values && a->steps == b->steps && a->inputs == b->inputs &&
                a->outputs == b->outputs && same_numbers(a->input, b->input, a->inputs) &&
                same_numbers(a->output, b->output, a->outputs);

    for (int n = 0; n < a->steps && same; n++)
        same = same_step(&a->step[n], &b->step[n]) && same_operands(weights, a, b, n);
    for (int i = 0; i < a->outputs && same; i++)
        same = same_array(weights, &a->value[a->output[i]].array, &b->value[a->output[i]].array);
    return same;
}
