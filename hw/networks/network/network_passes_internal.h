/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What passes over the steps of a network share. */

#ifndef OPEVO_NETWORK_PASSES_INTERNAL_H
#define OPEVO_NETWORK_PASSES_INTERNAL_H

#include <opevo/computation_access.h>
#include <opevo/computation_block.h>
#include <opevo/computation_join.h>
#include <opevo/network_passes.h>

#include "network_internal.h"

opevo_status opevo_i_net_pass_fold(opevo_network_inference *inference, opevo_error *err);
opevo_status opevo_i_net_pass_split(opevo_network_inference *inference, opevo_error *err);
opevo_status opevo_i_net_pass_drop(opevo_network_inference *inference, opevo_error *err);
opevo_status opevo_i_net_pass_scale(opevo_network_inference *inference, opevo_error *err);
opevo_status opevo_i_net_pass_fuse(opevo_network_inference *inference, opevo_error *err);
opevo_status opevo_i_net_pass_attention(opevo_network_inference *inference, opevo_error *err);
opevo_status opevo_i_net_pass_block(opevo_network_inference *inference, opevo_error *err);
opevo_status opevo_i_net_pass_winograd(opevo_network_inference *inference, opevo_error *err);

/* Which values the pass `block` blocks together: for each the first of them, -1 where it is not
 * blocked. Errors: those of the pass. */
opevo_status opevo_i_net_block_classes(opevo_network_inference *inference, int *class_of,
                                       opevo_error *err);

/* ---- Steps in their list (network_steps.c) ---- */

typedef struct opevo_i_net_links {
    int *producer; /* the step that makes each value; -1: none */
    int *readers;  /* how often steps name each value, and once more for an output of the network */
    bool *dead;    /* of each step; false at first */
} opevo_i_net_links;

/* Of the values and steps that are there. Free it also after a failure. Errors: NOMEM. */
opevo_status opevo_i_net_links_create(const opevo_network_inference *inference,
                                      opevo_i_net_links *out, opevo_error *err);
void opevo_i_net_links_free(opevo_i_net_links *links);
/* Take the names of a step's inputs from the counts, or add them. */
void opevo_i_net_links_count(opevo_i_net_links *links, const opevo_network_step *step, int by);

/* Remove steps, and the data of constants that nobody reads then. */
void opevo_i_net_steps_remove(opevo_network_inference *inference, const bool *dead);
void opevo_i_net_step_free(opevo_network_step *step);

/* A further value, a constant that takes over the array's data; also after a failure.
 * Errors: NOMEM. */
opevo_status opevo_i_net_value_add(opevo_network_inference *inference, const char *name,
                                   opevo_array *array, int *number, opevo_error *err);

/* The same of one float32 without dimensions. */
opevo_status opevo_i_net_number_add(opevo_network_inference *inference, const char *name,
                                    float number, int *out, opevo_error *err);

/* Whether nobody but one reader needs the data of a value, so that it may take or change them. */
bool opevo_i_net_is_last_reader(const opevo_network_inference *inference,
                                const opevo_i_net_links *links, int value);

/* Name a step after two, `before` and `after`; it may be one of them. Errors: NOMEM. */
opevo_status opevo_i_net_step_name(opevo_network_step *step, const opevo_network_step *before,
                                   const opevo_network_step *after, opevo_error *err);

/* Whether both are of one type and shape. */
bool opevo_i_net_same_shape(const opevo_array *a, const opevo_array *b);

/* ---- Constants that are cut (network_cut.c) ---- */

/* A constant in the order of a cut as a further value, in the memory of the old one where nobody
 * needs that; *number is the old one, and then the new one. Errors: NOMEM. */
opevo_status opevo_i_net_constant_cut(opevo_network_inference *inference,
                                      const opevo_i_net_links *links, const opevo_tensor_cut *cut,
                                      int64_t block, int *number, opevo_error *err);

/* ---- Definitions of steps ---- */

/* A step as a part of a computation: its definitions, each tensor with the number of its value. */
typedef struct opevo_i_net_part {
    opevo_computation *computation;
    int *identity;
} opevo_i_net_part;

/* Free it also after a failure. Errors: those of parsing. */
opevo_status opevo_i_net_part_create(const opevo_network_step *step, opevo_i_net_part *out,
                                     opevo_error *err);
void opevo_i_net_part_free(opevo_i_net_part *part);

/* Append the definition of the output Y0 of a COPY. False, with nothing appended, if it has none:
 * it reads several boxes, or fills them with several numbers. */
bool opevo_i_net_copy_define(const opevo_network_inference *inference,
                             const opevo_network_step *step, opevo_text *out);

/* Give a step the definitions of value `output`, which the parts make. It is left as it is on
 * failure. Errors: those of opevo_computation_join. */
opevo_status opevo_i_net_step_define(opevo_network_step *step, const opevo_i_net_part *part,
                                     int parts, int output, opevo_error *err);

/* ---- Masks (network_pass_attention_mask.c) ---- */

/* Whether a step is a Where on values. */
bool opevo_i_net_step_is_where(const opevo_network_inference *inference,
                               const opevo_network_step *step);
/* A step that chooses by a mask as the definition Y0 = select(0 < X0, X1, X2); *out has no
 * computation if it is of another kind. X0 is a further value, the mask as floats; without data
 * where the mask is known at a run only. Free *out. Errors: NOMEM. */
opevo_status opevo_i_net_mask_define(opevo_network_inference *inference, int number,
                                     opevo_network_step *out, opevo_error *err);

#endif
