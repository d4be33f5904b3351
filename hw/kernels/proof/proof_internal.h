/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A proof on its way: what each buffer of the case is in the computation. */

#ifndef OPEVO_PROOF_INTERNAL_H
#define OPEVO_PROOF_INTERNAL_H

#include <opevo/proof.h>

#include <opevo/proof_definition.h>
#include <opevo/proof_field.h>
#include <opevo/simt_launcher.h>

typedef struct opevo_i_proving {
    struct LLVMOpaqueModule *module;
    const opevo_harness *harness;
    opevo_case *what;
    const opevo_computation *computation;
    opevo_proof_options options;
    opevo_field *field;
    bool has_half; /* some tensor that is a buffer is of float16 */
    bool one_lane; /* the module is of this processor, and its launches are of one work item */
    opevo_simt_costs *costs;
    const opevo_tensor **tensor; /* of each buffer; NULL: the computation has none of its name */
    const opevo_tensor **result; /* that it has in the end, if it is an output; else NULL */
    opevo_buffer *buffers;
    size_t count;
    opevo_proof *out;
} opevo_i_proving;

/* Bytes of the elements of a buffer that is a tensor. */
static inline unsigned opevo_i_proof_bytes(const opevo_i_proving *self, size_t buffer)
{
    return self->buffers[buffer].element == OPEVO_KERNEL_ELEMENT_F32 ? 4 : 2;
}

/* proof_example.c: look for an input at which a run in floats differs from the definition, which
 * goes to out->example; a run that uses memory wrongly makes *out refuted by it. */
opevo_status opevo_i_proof_confirm(opevo_i_proving *self, opevo_error *err);
/* Keep what buffers hold, or put it back, as runs change them. Errors: NOMEM. */
opevo_status opevo_i_proof_save(const opevo_i_proving *self, void **copies, bool restore,
                                opevo_error *err);
/* proof.c: what of a module no instruction of a kernel shows, a sentence; NULL: nothing. */
const char *opevo_i_proof_unseen(struct LLVMOpaqueModule *module);
/* proof_rounding.c: out->error and out->error_in_any_order. */
opevo_status opevo_i_proof_bound_roundings(opevo_i_proving *self, opevo_error *err);
/* proof_run.c: what opevo's own kernels are allowed. Errors: INVALID. */
opevo_status opevo_i_proof_allow(const opevo_i_proving *self, opevo_simt *simt, opevo_error *err);
/* proof_run.c: run the case in an arithmetic, NULL: floats. */
opevo_status opevo_i_proof_run(opevo_i_proving *self, const opevo_simt_arithmetic *arithmetic,
                               opevo_simt_prepare *prepare, opevo_launcher **launcher,
                               opevo_evaluation *out, opevo_error *err);

/* proof.c: the probability of a false verdict, of what the field has computed and the degrees that
 * were noted; and what is said where it is too large. */
#define OPEVO_I_PROOF_DOUBT 1e-3 /* the largest probability of a false verdict */
#define OPEVO_I_PROOF_HIGH "The degree is too high for the field: a proof would say little."
void opevo_i_proof_bound(const opevo_field *field, opevo_proof *out);
void opevo_i_proof_note_degree(opevo_proof *out, const opevo_simt_value *a,
                               const opevo_simt_value *b);

#endif
