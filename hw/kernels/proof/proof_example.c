/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Counterexamples: runs of the kernel in IEEE 754 on ordinary floats, against the definition with a
 * bound of all roundings. Small integers come first: sums and products of them are exact, so that
 * one missing term shows. */

#include "proof_internal.h"
#include "real_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/simt_launcher.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Inputs that are tried: a few, and more of them where runs are short, as a maximum shows what it
 * lacks only where that is the largest. */
enum { TRIES = 8, MORE_TRIES = 120, MORE_OPERATIONS = 1 << 20 };

__extension__ typedef _Float16 half;

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 1;

    while (*name)
        hash = opevo_hash_mix(hash ^ (unsigned char)*name++);
    return hash;
}

/* Three kinds of input by the seed: integers from -4 to 4, from -1 to 1 in 1/64, and of one sign to
 * 2. All are floats of 16 bits, too. */
static float input_of(uint64_t seed, const char *tensor, uint64_t element)
{
    uint64_t bits =
        opevo_hash_mix(opevo_hash_mix(element + hash_name(tensor)) ^ opevo_hash_mix(seed + 1));

    switch (seed % 3) {
    case 0:
        return (float)(int)(bits % 9) - 4;
    case 1:
        return ((float)(int)(bits % 129) - 64) / 64;
    default:
        return (float)(1 + bits % 128) / (seed / 3 % 2 ? -64 : 64);
    }
}

static opevo_simt_value input(const void *context, const opevo_tensor *tensor, uint64_t element)
{
    const uint64_t *seed = context;

    return opevo_i_real_of((double)input_of(*seed, tensor->name, element));
}

/* Inputs of the computation get new contents; what nothing filled is poisoned by the machine. */
static opevo_status fill(void *context, opevo_simt *simt, opevo_case *what, opevo_error *err)
{
    const opevo_i_proving *self = context;

    (void)what;
    for (size_t i = 0; i < self->count; i++) {
        float *data = self->buffers[i].data;
        half *halves = self->buffers[i].data;

        for (size_t e = 0;
             self->tensor[i] && !self->tensor[i]->definition && e < self->buffers[i].count; e++) {
            float value = input_of(self->out->example.seed, self->tensor[i]->name, e);

            if (opevo_i_proof_bytes(self, i) == sizeof *halves)
                halves[e] = (half)value;
            else
                data[e] = value;
        }
    }
    return opevo_i_proof_allow(self, simt, err);
}

static double result_of(const opevo_i_proving *self, size_t buffer, size_t element)
{
    const float *data = self->buffers[buffer].data;
    const half *halves = self->buffers[buffer].data;

    return opevo_i_proof_bytes(self, buffer) == sizeof *halves ? (double)halves[element]
                                                               : (double)data[element];
}

/* How far roundings of the kernel may take an element from what it computes in real numbers. */
static double rounding_of(const opevo_i_proving *self, const opevo_simt *in_reals, size_t buffer,
                          size_t element)
{
    opevo_simt_value value;

    return opevo_simt_read(in_reals, (uint32_t)buffer, element, opevo_i_proof_bytes(self, buffer),
                           &value) == OPEVO_SIMT_ELEMENT_VALUE
               ? opevo_i_real_bound(&value)
               : HUGE_VAL;
}

/* The element that is furthest beyond its bound, if one is: what roundings of the definition and of
 * the kernel explain is not a difference. */
static void find_difference(const opevo_i_proving *self, const opevo_simt *in_reals,
                            const opevo_defined *defined)
{
    opevo_counterexample *example = &self->out->example;
    double most = 0;

    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0; self->result[i] && e < self->buffers[i].count; e++) {
            const opevo_simt_value *value =
                &opevo_defined_values(defined, self->result[i]->number)[e];
            double computed = result_of(self, i, e);
            double bound =
                opevo_i_real_bound(value) + rounding_of(self, in_reals, i, e) + (double)(1e-30F);
            double apart = fabs(computed - opevo_i_real_number(value)) / bound;

            if (isnan(computed) && bound < HUGE_VAL)
                apart = HUGE_VAL;
            if (!(apart > 2) || !(apart > most))
                continue;
            most = apart;
            example->found = true;
            snprintf(example->tensor, sizeof example->tensor, "%s", self->result[i]->name);
            example->element = (int64_t)e;
            example->computed = computed;
            example->defined = opevo_i_real_number(value);
            example->bound = bound;
        }
}

/* Buffers that a run changes are as the harness filled them before each. */
opevo_status opevo_i_proof_save(const opevo_i_proving *self, void **copies, bool restore,
                                opevo_error *err)
{
    for (size_t i = 0; i < self->count; i++) {
        const opevo_buffer *buffer = &self->buffers[i];

        if (restore) {
            memcpy(buffer->data, copies[i], buffer->size_bytes);
            continue;
        }
        copies[i] = opevo_malloc(buffer->size_bytes, 1);
        OPEVO_NEED_OR_RETURN(copies[i], "a proof");
        memcpy(copies[i], buffer->data, buffer->size_bytes);
    }
    return OPEVO_OK;
}

static opevo_status try_seed(opevo_i_proving *self, uint64_t seed, void **copies, opevo_error *err)
{
    opevo_evaluation run;
    opevo_launcher *launcher = NULL;
    opevo_launcher *in_reals = NULL;
    opevo_defined *defined = NULL;
    opevo_status status = OPEVO_OK;

    self->out->example.seed = seed;
    OPEVO_TRY(opevo_i_proof_run(self, &opevo_i_real_arithmetic, fill, &in_reals, &run, err));
    if (run.verdict != OPEVO_VERDICT_OK)
        goto cleanup;
    OPEVO_TRY(opevo_i_proof_save(self, copies, true, err));
    OPEVO_TRY(opevo_i_proof_run(self, NULL, fill, &launcher, &run, err));
    if (run.verdict != OPEVO_VERDICT_OK) {
        self->out->memory =
            run.verdict == OPEVO_VERDICT_UNSUPPORTED || run.verdict == OPEVO_VERDICT_LIMIT;
        snprintf(self->out->reason, sizeof self->out->reason, "%s", run.message);
        goto cleanup;
    }
    OPEVO_TRY(
        opevo_define(self->computation, &opevo_i_real_arithmetic, input, &seed, &defined, err));
    find_difference(self, opevo_simt_launcher_machine(in_reals), defined);
cleanup:
    opevo_defined_destroy(defined);
    opevo_launcher_destroy(in_reals);
    opevo_launcher_destroy(launcher);
    return status;
}

opevo_status opevo_i_proof_confirm(opevo_i_proving *self, opevo_error *err)
{
    void **copies = opevo_calloc(self->count + 1, sizeof *copies);
    uint64_t more = MORE_OPERATIONS / (self->out->operations + 1);
    uint64_t tries = TRIES + (more < MORE_TRIES ? more : MORE_TRIES);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(copies, "a proof");
    OPEVO_TRY(opevo_i_proof_save(self, copies, false, err));
    for (uint64_t i = 0; i < tries && !self->out->example.found && self->out->memory; i++) {
        OPEVO_TRY(try_seed(self, 3 * self->options.seed + i, copies, err));
        OPEVO_TRY(opevo_i_proof_save(self, copies, true, err));
    }
cleanup:
    for (size_t i = 0; i < self->count; i++)
        opevo_free(copies[i]);
    opevo_free(copies);
    return status;
}
