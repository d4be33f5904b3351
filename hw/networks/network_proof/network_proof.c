/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The verdict on the steps of a library against those of the model.
 *
 * Passes move constants, so that a constant of the library is one of the model at another place.
 * To see which, the passes are run once more on labels in the place of weights: floats that no
 * model has, all of them different. Whatever passes then do, the steps with labels as variables
 * are compared with the model; and the library has them at these weights if its steps are the same
 * and each of its constants has the bits of the one that its label names. */

#include "network_proof_internal.h"

#include <opevo/clock.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPERATIONS 0x1p36
#define MOST_DOUBT 1e-3

typedef struct proving {
    const opevo_network *network;
    const opevo_network_inference *steps; /* of the library */
    uint32_t first, rest;                 /* passes before and behind what counts as the model */
    opevo_network_inference *plain;       /* the model, with its weights */
    opevo_network_inference *model, *labelled; /* with labels; behind all passes */
    int64_t *first_label;                      /* of each value of the model; -1: none */
    opevo_network_proof *out;
} proving;

static void say(proving *self, opevo_network_verdict verdict, const char *reason)
{
    self->out->verdict = verdict;
    snprintf(self->out->reason, sizeof self->out->reason, "%s", reason);
}

/* ---- Labels ---- */

static bool is_weight(const opevo_network_tensor *value)
{
    return value->array.data && value->array.type == OPEVO_NETWORK_FLOAT32;
}

/* Labels in the place of all weights. False: they are too many. */
static opevo_status label(opevo_network_inference *inference, int64_t *first_label, bool *fits,
                          opevo_error *err)
{
    int64_t next = 0;

    for (int i = 0; i < inference->values; i++) {
        opevo_network_tensor *value = &inference->value[i];
        opevo_array array = value->array;
        int64_t count = opevo_array_elements(&array);

        if (first_label)
            first_label[i] = -1;
        if (!is_weight(value))
            continue;
        *fits &= next + count <= OPEVO_I_NETPROOF_LABELS;
        if (!*fits)
            return OPEVO_OK;
        if (opevo_array_allocate(&array, err) != OPEVO_OK)
            return OPEVO_NOMEM;
        for (int64_t e = 0; e < count; e++) {
            uint32_t bits = OPEVO_I_NETPROOF_FIRST_LABEL + (uint32_t)(next + e);

            memcpy((float *)array.data + e, &bits, sizeof bits);
        }
        if (value->owned)
            opevo_array_free(&value->array);
        value->array = array;
        value->owned = true;
        if (first_label)
            first_label[i] = next;
        next += count;
    }
    return OPEVO_OK;
}

static opevo_status create(const proving *self, opevo_network_inference **out, opevo_error *err)
{
    opevo_status status = opevo_network_inference_create(self->network, out, err);

    if (status != OPEVO_OK)
        return status;
    (*out)->winograd.error = self->steps->winograd.error;
    (*out)->winograd.tile = self->steps->winograd.tile;
    return opevo_network_inference_pass(*out, self->first, err);
}

/* ---- The comparison ---- */

static double operations_of(const opevo_network_inference *steps)
{
    double all = 0;

    for (int n = 0; n < steps->steps; n++)
        if (steps->step[n].kind == OPEVO_NETWORK_STEP_COMPUTE)
            all += opevo_computation_flop(steps->step[n].computation).count;
    return all;
}

static void bound_probability(proving *self, const opevo_field *field, uint64_t degree)
{
    opevo_field_uses uses = opevo_field_used(field);
    double arguments = (double)(uses.unknown + uses.exponentials + uses.maxima);
    double most = (double)(degree > uses.degree ? degree : uses.degree);

    self->out->assumed = arguments > 0 || self->out->unknown > 0;
    self->out->probability = (most > 1 ? most : 1) * (1 + arguments * arguments / 2) /
                             (double)(arguments > 0 ? OPEVO_FIELD_Q : OPEVO_FIELD_P);
    if (self->out->verdict == OPEVO_NETWORK_PROVED &&
        (self->out->probability > MOST_DOUBT || degree >= UINT32_MAX - 1))
        say(self, OPEVO_NETWORK_UNDECIDED,
            "The degree is too high for the field: a proof would say little.");
}

static uint64_t degree_of(const opevo_simt_value *a, const opevo_simt_value *b)
{
    uint64_t left = (uint64_t)opevo_field_numerator(a) + opevo_field_denominator(b);
    uint64_t right = (uint64_t)opevo_field_numerator(b) + opevo_field_denominator(a);

    return left > right ? left : right;
}

/* Compare the elements of an output; false at the first that is another function. */
static bool compare(proving *self, int output, const opevo_simt_value *a, const opevo_simt_value *b,
                    uint64_t *degree)
{
    const opevo_network_tensor *tensor = &self->steps->value[self->steps->output[output]];
    int64_t count = opevo_array_elements(&tensor->array);
    char text[sizeof self->out->reason];

    for (int64_t e = 0; e < count; e++, self->out->compared++) {
        uint64_t one = degree_of(&a[e], &b[e]);
        opevo_field_comparison compared = opevo_field_compare(&a[e], &b[e]);

        *degree = one > *degree ? one : *degree;
        if (compared == OPEVO_FIELD_EQUAL)
            continue;
        snprintf(text, sizeof text,
                 compared == OPEVO_FIELD_OPEN
                     ? "Element %lld of %.100s has no value in the field: a division by 0, or "
                       "infinities that meet."
                     : "Element %lld of %.100s is another function of the inputs than in the "
                       "model, as far as the field knows.",
                 (long long)e, tensor->name);
        say(self, OPEVO_NETWORK_UNDECIDED, text);
        return false;
    }
    return true;
}

static opevo_status evaluate(proving *self, const opevo_network_inference *model,
                             const opevo_network_inference *steps, uint64_t seed, opevo_error *err)
{
    size_t outputs = (size_t)steps->outputs;
    opevo_simt_value **a = opevo_calloc(outputs + 1, sizeof *a);
    opevo_simt_value **b = opevo_calloc(outputs + 1, sizeof *b);
    opevo_field *field = NULL;
    opevo_status status = OPEVO_OK;
    uint64_t degree = 0;

    OPEVO_NEED(a && b, "a proof of the network");
    OPEVO_TRY(opevo_field_create(seed, &field, err));
    OPEVO_TRY(opevo_i_netproof_in_field(model, field, a, &degree, err));
    OPEVO_TRY(opevo_i_netproof_in_field(steps, field, b, &degree, err));
    self->out->verdict = OPEVO_NETWORK_PROVED;
    self->out->reason[0] = '\0';
    self->out->compared = 0;
    for (size_t i = 0; i < outputs; i++)
        if (!compare(self, (int)i, a[i], b[i], &degree))
            break;
    OPEVO_NEED(!opevo_field_failed(field), "a proof of the network");
    bound_probability(self, field, degree);
cleanup:
    for (size_t i = 0; i < outputs; i++) {
        opevo_free(a ? a[i] : NULL);
        opevo_free(b ? b[i] : NULL);
    }
    opevo_free(a);
    opevo_free(b);
    opevo_field_destroy(field);
    return status;
}

/* ---- Floats ---- */

#define TOLERANCE 1e-2
#define NEARBY 1e-3

enum { NEAR_RUNS = 3 };

/* Inputs of floats, and what comes of them: of the model, of the steps, and, where both differ, of
 * the model on inputs nearby. */
typedef struct trial {
    opevo_array *in;
    opevo_array *out[2 + NEAR_RUNS];
    bool all_floats;
} trial;

static float uniform(uint64_t *state, double size)
{
    return (float)(((double)(opevo_hash_mix(++*state) >> 11) * 0x1p-52 - 1) * size);
}

static opevo_status open_trial(const proving *self, uint64_t *state, double size, trial *out,
                               opevo_error *err)
{
    const opevo_network_inference *steps = self->steps;
    opevo_status status = OPEVO_OK;

    *out = (trial){.all_floats = true};
    OPEVO_NEW_OR_RETURN(out->in, (size_t)steps->inputs + 1, "a proof of the network");
    for (int r = 0; r < 2 + NEAR_RUNS; r++)
        OPEVO_NEW_OR_RETURN(out->out[r], (size_t)steps->outputs + 1, "a proof of the network");
    for (int i = 0; i < steps->inputs; i++) {
        opevo_array *in = &out->in[i];

        *in = steps->value[steps->input[i]].array;
        in->data = NULL;
        OPEVO_TRY(opevo_array_allocate(in, err));
        out->all_floats &= in->type == OPEVO_NETWORK_FLOAT32;
        for (int64_t e = 0; e < opevo_array_elements(in) && out->all_floats; e++)
            ((float *)in->data)[e] = uniform(state, size);
    }
cleanup:
    return status;
}

static void close_trial(const proving *self, trial *one)
{
    for (int i = 0; one->in && i < self->steps->inputs; i++)
        opevo_array_free(&one->in[i]);
    for (int r = 0; r < 2 + NEAR_RUNS; r++) {
        for (int i = 0; one->out[r] && i < self->steps->outputs; i++)
            opevo_array_free(&one->out[r][i]);
        opevo_free(one->out[r]);
    }
    opevo_free(one->in);
}

static opevo_status run_nearby(const proving *self, uint64_t *state, trial *one, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int r = 2; r < 2 + NEAR_RUNS && status == OPEVO_OK; r++) {
        for (int i = 0; i < self->steps->inputs; i++)
            for (int64_t e = 0; e < opevo_array_elements(&one->in[i]); e++)
                ((float *)one->in[i].data)[e] *= 1 + uniform(state, NEARBY);
        status = opevo_network_inference_run(self->plain, one->in, one->out[r], 0, err);
    }
    return status;
}

static bool are_close(double x, double y, double most)
{
    return x == y || fabs(x - y) <= TOLERANCE * most || (isnan(x) && isnan(y));
}

/* The first element from `from` on that differs; the number of elements if none does. A model that
 * rounds, compares or sorts jumps at some inputs, where roundings of the steps may decide: with
 * `nearby`, elements do not count that jump close to the inputs. */
static int64_t find_different(const trial *one, int output, bool nearby)
{
    const opevo_array *a = &one->out[0][output], *b = &one->out[1][output];
    int64_t count = opevo_array_elements(a);
    double most = 0;

    for (int64_t e = 0; e < count; e++)
        most = fmax(most, fabs(opevo_array_number(a, e)));
    for (int64_t e = 0; e < count; e++) {
        double x = opevo_array_number(a, e);
        bool steady = true;

        for (int r = 2; r < 2 + NEAR_RUNS && nearby; r++)
            steady &= are_close(x, opevo_array_number(&one->out[r][output], e), most);
        if (steady && !are_close(x, opevo_array_number(b, e), most))
            return e;
    }
    return count;
}

/* Whether both differ on an input of floats below `size` by more than roundings would explain. */
static opevo_status try_floats(proving *self, uint64_t seed, double size, opevo_error *err)
{
    uint64_t state = seed;
    opevo_status status = OPEVO_OK;
    bool nearby = false;
    trial one;

    OPEVO_TRY(open_trial(self, &state, size, &one, err));
    if (!one.all_floats)
        goto cleanup;
    OPEVO_TRY(opevo_network_inference_run(self->plain, one.in, one.out[0], 0, err));
    OPEVO_TRY(opevo_network_inference_run(self->steps, one.in, one.out[1], 0, err));
    for (int i = 0; i < self->steps->outputs; i++) {
        int64_t count = opevo_array_elements(&one.out[0][i]), e = find_different(&one, i, nearby);
        char text[sizeof self->out->reason];

        if (e < count && !nearby) {
            OPEVO_TRY(run_nearby(self, &state, &one, err));
            nearby = true;
            e = find_different(&one, i, nearby);
        }
        if (e == count)
            continue;
        snprintf(text, sizeof text,
                 "Element %lld of %.100s is %g, and %g in the model, on random inputs.",
                 (long long)e, self->steps->value[self->steps->output[i]].name,
                 opevo_array_number(&one.out[1][i], e), opevo_array_number(&one.out[0][i], e));
        say(self, OPEVO_NETWORK_REFUTED, text);
        goto cleanup;
    }
cleanup:
    close_trial(self, &one);
    return status;
}

static opevo_status refute(proving *self, uint64_t seed, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < 4 && status == OPEVO_OK && self->out->verdict != OPEVO_NETWORK_REFUTED; t++)
        status = try_floats(self, opevo_hash_mix(seed + (uint64_t)t), ldexp(1, t), err);
    return status;
}

/* ---- All ---- */

/* The passes that are before: fold, split and drop, and `scale` where it changes something. */
static opevo_status part_passes(proving *self, uint32_t mask, opevo_error *err)
{
    const opevo_network_inference none = {0};
    const opevo_i_netproof_weights no_labels = {&none, NULL};
    opevo_network_inference *unscaled = NULL;
    opevo_status status = OPEVO_OK;
    uint32_t before = 0, scale = 0;

    OPEVO_TRY(opevo_network_passes_named("fold,split,drop", &before, err));
    OPEVO_TRY(opevo_network_passes_named("scale", &scale, err));
    self->first = mask & before;
    OPEVO_TRY(create(self, &self->plain, err));
    if (mask & scale) {
        OPEVO_TRY(create(self, &unscaled, err));
        OPEVO_TRY(opevo_network_inference_pass(self->plain, scale, err));
        self->out->scaled = !opevo_i_netproof_is_same(self->plain, unscaled, &no_labels);
        self->first |= scale;
    }
    self->rest = mask & ~self->first;
cleanup:
    opevo_network_inference_destroy(unscaled);
    return status;
}

static opevo_status prove(proving *self, uint64_t seed, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_netproof_weights weights;
    bool fits = true;

    OPEVO_TRY(create(self, &self->model, err));
    OPEVO_NEW(self->first_label, (size_t)self->plain->values + 1, "a proof of the network");
    OPEVO_TRY(label(self->model, self->first_label, &fits, err));
    OPEVO_TRY(create(self, &self->labelled, err));
    if (fits)
        OPEVO_TRY(label(self->labelled, NULL, &fits, err));
    OPEVO_TRY(opevo_network_inference_pass(self->labelled, self->rest, err));
    weights = (opevo_i_netproof_weights){self->plain, self->first_label};
    if (fits && opevo_i_netproof_is_same(self->steps, self->labelled, &weights)) {
        self->out->all_weights = true;
        OPEVO_TRY(evaluate(self, self->model, self->labelled, seed, err));
    }
    if (self->out->verdict != OPEVO_NETWORK_PROVED) {
        self->out->all_weights = false;
        OPEVO_TRY(evaluate(self, self->plain, self->steps, seed, err));
    }
    if (self->out->verdict != OPEVO_NETWORK_PROVED)
        OPEVO_TRY(refute(self, seed, err));
    if (self->out->verdict == OPEVO_NETWORK_UNDECIDED && self->steps->winograd.layers)
        say(self, OPEVO_NETWORK_UNDECIDED,
            "The pass winograd rounds the weights that it transforms, and the field has no "
            "roundings.");
cleanup:
    return status;
}

opevo_status opevo_network_prove(const opevo_network *network, const opevo_network_inference *steps,
                                 uint32_t mask, uint64_t seed, opevo_network_proof *out,
                                 opevo_error *err)
{
    proving self = {.network = network, .steps = steps, .out = out};
    double start = opevo_clock_process_s();
    opevo_status status = OPEVO_OK;

    *out = (opevo_network_proof){.verdict = OPEVO_NETWORK_UNDECIDED};
    OPEVO_TRY(part_passes(&self, mask, err));
    for (int n = 0; n < steps->steps; n++)
        out->unknown += steps->step[n].kind == OPEVO_NETWORK_STEP_NODE;
    for (int i = 0; i < steps->outputs; i++)
        out->elements += (uint64_t)opevo_array_elements(&steps->value[steps->output[i]].array);
    if (operations_of(self.plain) + operations_of(steps) > MOST_OPERATIONS)
        say(&self, OPEVO_NETWORK_UNDECIDED,
            "It has more than 6.9e10 operations, which would take more than half an hour.");
    else
        OPEVO_TRY(prove(&self, seed, err));
    out->time_s = opevo_clock_process_s() - start;
cleanup:
    opevo_network_inference_destroy(self.plain);
    opevo_network_inference_destroy(self.model);
    opevo_network_inference_destroy(self.labelled);
    opevo_free(self.first_label);
    return status;
}
