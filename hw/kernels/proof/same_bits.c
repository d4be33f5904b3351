/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two kernels side by side: each runs once on inputs that are leaves of trees, or random elements
 * of the field, and elements of the outputs are compared as such. Where these differ, runs on
 * floats look for one whose bits differ as well, or whose results do by more than all roundings. */

#include "proof_internal.h"
#include "real_internal.h"
#include "terms_internal.h"

#include <opevo/clock.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/simt_launcher.h>

#include <llvm-c/Core.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDES = 2, TRIES = 8 };

typedef struct pair {
    opevo_i_proving side[SIDES];
    opevo_launcher *launcher[SIDES];
    void **copies[SIDES];
    size_t *partner;    /* of each buffer of the first side: that of its name on the second */
    opevo_field *field; /* NULL: trees are compared */
    bool wrong;         /* the first kernel has used memory wrongly */
    const opevo_buffer *whole; /* an output of whole numbers; NULL: all are of floats */
    opevo_proof *out;
} pair;

/* ---- Buffers ---- */

static unsigned float_bytes(const opevo_buffer *buffer)
{
    return buffer->element == OPEVO_KERNEL_ELEMENT_F32   ? 4
           : buffer->element == OPEVO_KERNEL_ELEMENT_F64 ? 8
                                                         : 0;
}

static bool is_input(const opevo_buffer *buffer)
{
    return buffer->initialised && float_bytes(buffer);
}

static opevo_status match(pair *self, opevo_error *err)
{
    const opevo_i_proving *a = &self->side[0], *b = &self->side[1];

    for (size_t i = 0; i < a->count; i++) {
        const opevo_buffer *own = &a->buffers[i], *other;
        size_t k = 0;

        while (k < b->count && strcmp(b->buffers[k].name, own->name) != 0)
            k++;
        self->partner[i] = k;
        if (!own->output)
            continue;
        other = k < b->count ? &b->buffers[k] : NULL;
        if (!float_bytes(own) && !self->field)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Output %s is of %s, and floats are compared of f32 and f64.",
                              own->name, opevo_kernel_element_name(own->element));
        if (!float_bytes(own) && !self->whole)
            self->whole = own;
        if (!other || other->element != own->element || other->count != own->count)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Both kernels need the output %s, of the same type and size.",
                              own->name);
        self->out->elements += own->count;
    }
    return self->out->elements ? OPEVO_OK
                               : OPEVO_FAIL(err, OPEVO_INVALID, "The harness has no outputs.");
}

/* ---- Runs ---- */

static uint64_t hash_name(const char *name)
{
    return opevo_hash_bytes(OPEVO_HASH_START, name, strlen(name));
}

static opevo_status fill_field(void *context, opevo_simt *simt, opevo_case *what, opevo_error *err)
{
    const opevo_i_proving *self = context;

    (void)what;
    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0; is_input(&self->buffers[i]) && e < self->buffers[i].count; e++) {
            opevo_simt_value value =
                opevo_field_input(self->field, hash_name(self->buffers[i].name), e);

            opevo_simt_write(simt, (uint32_t)i, e, float_bytes(&self->buffers[i]), &value);
        }
    return opevo_i_proof_allow(self, simt, err);
}

static opevo_status fill_terms(void *context, opevo_simt *simt, opevo_case *what, opevo_error *err)
{
    const opevo_i_proving *self = context;

    (void)what;
    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0; is_input(&self->buffers[i]) && e < self->buffers[i].count; e++) {
            unsigned bytes = float_bytes(&self->buffers[i]);
            opevo_simt_value value = opevo_i_terms_input(self->buffers[i].name, e, bytes);

            opevo_simt_write(simt, (uint32_t)i, e, bytes, &value);
        }
    return opevo_i_proof_allow(self, simt, err);
}

/* With all their digits, of both signs and several sizes; for odd seeds zeros, infinities and NaNs
 * among them, by which comparisons and maxima differ. */
static double random_float(uint64_t seed, const char *buffer, uint64_t element)
{
    static const double special[] = {0., -0., HUGE_VAL, -HUGE_VAL, NAN};
    uint64_t bits =
        opevo_hash_mix(opevo_hash_mix(element ^ hash_name(buffer)) + opevo_hash_mix(seed));
    double size = (double)(bits >> 12) * 0x1p-52 + 0x1p-30;

    if (seed % 2 == 1 && bits % 16 < 2 * sizeof special / sizeof *special)
        return special[bits % 16 / 2];
    return ldexp(bits & 1 ? size : -size, (int)(bits >> 1 & 3) - 1);
}

/* Contents of the harness for the first seed, which are in the domain of the kernel, then small
 * integers, fractions, and positive fractions, sums and products of which are exact. */
static bool plain_float(uint64_t seed, const char *buffer, uint64_t element, double *out)
{
    uint64_t bits =
        opevo_hash_mix(opevo_hash_mix(element + hash_name(buffer)) ^ opevo_hash_mix(seed + 1));

    *out = seed % 3 == 1   ? (double)(bits % 9) - 4
           : seed % 3 == 2 ? ((double)(bits % 129) - 64) / 64
                           : (double)(1 + bits % 128) / 64;
    return seed != 0;
}

static opevo_status fill_plain(void *context, opevo_simt *simt, opevo_case *what, opevo_error *err)
{
    const opevo_i_proving *self = context;
    double value = 0;

    (void)what;
    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0; is_input(&self->buffers[i]) && e < self->buffers[i].count; e++) {
            if (!plain_float(self->out->example.seed, self->buffers[i].name, e, &value))
                continue;
            if (float_bytes(&self->buffers[i]) == sizeof value)
                ((double *)self->buffers[i].data)[e] = value;
            else
                ((float *)self->buffers[i].data)[e] = (float)value;
        }
    return opevo_i_proof_allow(self, simt, err);
}

static opevo_status fill_floats(void *context, opevo_simt *simt, opevo_case *what, opevo_error *err)
{
    const opevo_i_proving *self = context;

    (void)what;
    for (size_t i = 0; i < self->count; i++)
        for (size_t e = 0; is_input(&self->buffers[i]) && e < self->buffers[i].count; e++) {
            double value = random_float(self->out->example.seed, self->buffers[i].name, e);

            if (float_bytes(&self->buffers[i]) == sizeof value)
                ((double *)self->buffers[i].data)[e] = value;
            else
                ((float *)self->buffers[i].data)[e] = (float)value;
        }
    return opevo_i_proof_allow(self, simt, err);
}

/* False, with the reason in self->out, where a run says nothing. */
static opevo_status run(pair *self, const opevo_simt_arithmetic *arithmetic,
                        opevo_simt_prepare *prepare, bool *good, opevo_error *err)
{
    *good = true;
    for (int s = 0; s < SIDES && *good; s++) {
        opevo_evaluation ended;
        opevo_status status;

        opevo_launcher_destroy(self->launcher[s]);
        self->launcher[s] = NULL;
        status = opevo_i_proof_save(&self->side[s], self->copies[s], true, err);
        if (status == OPEVO_OK)
            status = opevo_i_proof_run(&self->side[s], arithmetic, prepare, &self->launcher[s],
                                       &ended, err);
        if (status != OPEVO_OK)
            return status;
        *good = ended.verdict == OPEVO_VERDICT_OK;
        if (!*good)
            self->wrong = s == 0 && ended.verdict != OPEVO_VERDICT_UNSUPPORTED &&
                          ended.verdict != OPEVO_VERDICT_LIMIT;
        if (!*good)
            snprintf(self->out->reason, sizeof self->out->reason, "%s kernel: %.380s",
                     s ? "The other" : "The", ended.message);
    }
    return OPEVO_OK;
}

/* What depends on the order of threads has no certain bits. */
static bool has_doubt(pair *self)
{
    for (int s = 0; s < SIDES; s++) {
        char place[128];
        const char *why =
            opevo_simt_doubt(opevo_simt_launcher_machine(self->launcher[s]), place, sizeof place);

        if (!why)
            continue;
        snprintf(self->out->reason, sizeof self->out->reason, "%s %s.", place, why);
        return true;
    }
    return false;
}

static void count_operations(pair *self)
{
    for (int s = 0; s < SIDES; s++) {
        opevo_simt_counts counts;

        opevo_simt_count(opevo_simt_launcher_machine(self->launcher[s]), &counts);
        self->out->operations += counts.value_operations;
    }
    self->out->probability =
        (double)self->out->operations * (double)self->out->operations * 0x1p-129;
}

static void read_pair(pair *self, size_t buffer, size_t e, opevo_simt_value value[SIDES],
                      bool *known)
{
    const uint32_t number[] = {(uint32_t)buffer, (uint32_t)self->partner[buffer]};

    *known = true;
    for (int s = 0; s < SIDES; s++)
        *known &= opevo_simt_read(opevo_simt_launcher_machine(self->launcher[s]), number[s], e,
                                  float_bytes(&self->side[0].buffers[buffer]),
                                  &value[s]) == OPEVO_SIMT_ELEMENT_VALUE;
}

/* ---- Comparing ---- */

/* Whether two elements are the same, and how a sentence about them goes on if they are not. */
static bool is_same(pair *self, const opevo_simt_value value[SIDES], const char **why)
{
    opevo_field_comparison compared;

    *why = "is made by other operations, or in another order.";
    if (!self->field)
        return opevo_i_terms_equal(&value[0], &value[1]);
    opevo_i_proof_note_degree(self->out, &value[0], &value[1]);
    compared = opevo_field_compare(&value[0], &value[1]);
    *why = compared == OPEVO_FIELD_OPEN
               ? "has no value in the field: a division by 0, or infinities that meet."
               : "is another function of the inputs than that of the other kernel.";
    return compared == OPEVO_FIELD_EQUAL;
}

/* The first element that differs, or that has no value. */
static bool compare(pair *self)
{
    opevo_proof *out = self->out;

    for (size_t i = 0; i < self->side[0].count; i++) {
        const opevo_buffer *buffer = &self->side[0].buffers[i];

        for (size_t e = 0; buffer->output && float_bytes(buffer) && e < buffer->count; e++) {
            opevo_simt_value value[SIDES];
            const char *why = "is made of bits that depend on data.";
            bool known;

            read_pair(self, i, e, value, &known);
            out->compared++;
            if (known && is_same(self, value, &why))
                continue;
            snprintf(out->reason, sizeof out->reason, "%.60s[%zu] %s", buffer->name, e, why);
            return false;
        }
    }
    return true;
}

static double element_of(const opevo_buffer *buffer, size_t e)
{
    return float_bytes(buffer) == sizeof(double) ? ((const double *)buffer->data)[e]
                                                 : (double)((const float *)buffer->data)[e];
}

static bool differ(double a, double b)
{
    return (a != b || signbit(a) != signbit(b)) && !(isnan(a) && isnan(b));
}

/* Whether results differ, of the same function by more than what roundings of both explain. */
static bool are_apart(pair *self, opevo_launcher *const *in_reals, size_t buffer, size_t e,
                      double a, double b)
{
    const uint32_t number[] = {(uint32_t)buffer, (uint32_t)self->partner[buffer]};
    double bound = (double)(1e-30F);

    if (!self->field)
        return differ(a, b);
    for (int s = 0; s < SIDES; s++) {
        opevo_simt_value value;

        if (opevo_simt_read(opevo_simt_launcher_machine(in_reals[s]), number[s], e,
                            float_bytes(&self->side[0].buffers[buffer]),
                            &value) != OPEVO_SIMT_ELEMENT_VALUE)
            return false;
        bound += opevo_i_real_bound(&value);
    }
    self->out->example.bound = bound;
    return bound < HUGE_VAL && (isnan(a) != isnan(b) || fabs(a - b) > 2 * bound);
}

static void compare_floats(pair *self, opevo_launcher *const *in_reals)
{
    opevo_counterexample *example = &self->out->example;

    for (size_t i = 0; i < self->side[0].count && !example->found; i++) {
        const opevo_buffer *own = &self->side[0].buffers[i];
        const opevo_buffer *other = &self->side[1].buffers[self->partner[i]];

        for (size_t e = 0; own->output && float_bytes(own) && e < own->count && !example->found;
             e++) {
            double a = element_of(own, e), b = element_of(other, e);

            if (!are_apart(self, in_reals, i, e, a, b))
                continue;
            example->found = true;
            example->element = (int64_t)e;
            example->computed = a;
            example->defined = b;
            snprintf(example->tensor, sizeof example->tensor, "%s", own->name);
        }
    }
}

/* A run on the floats of a seed; of functions, before it one in real numbers, for bounds. */
static opevo_status try_seed(pair *self, uint64_t seed, bool *good, opevo_error *err)
{
    opevo_launcher *in_reals[SIDES] = {NULL, NULL};
    opevo_status status = OPEVO_OK;

    self->out->example.seed = seed;
    if (self->field) {
        OPEVO_TRY(run(self, &opevo_i_real_arithmetic, fill_plain, good, err));
        memcpy(in_reals, self->launcher, sizeof in_reals);
        memset(self->launcher, 0, sizeof self->launcher);
    }
    if (*good)
        OPEVO_TRY(run(self, NULL, self->field ? fill_plain : fill_floats, good, err));
    if (*good)
        compare_floats(self, in_reals);
cleanup:
    for (int s = 0; s < SIDES; s++)
        opevo_launcher_destroy(in_reals[s]);
    return status;
}

/* What differs may still have the same bits, or be the same function; only floats refute. */
static opevo_status refute(pair *self, opevo_error *err)
{
    char kept[OPEVO_PROOF_REASON_SIZE];
    bool good = true;
    opevo_status status = OPEVO_OK;

    memcpy(kept, self->out->reason, sizeof kept);
    for (uint64_t i = 0; i < TRIES && good && !self->out->example.found && status == OPEVO_OK; i++)
        status = try_seed(self, self->side[0].options.seed * TRIES + i, &good, err);
    self->out->verdict = self->out->example.found ? OPEVO_PROOF_REFUTED : OPEVO_PROOF_UNDECIDED;
    snprintf(self->out->reason, sizeof self->out->reason, "%.500s%s", kept,
             self->out->example.found ? "" : " No input of floats that was tried shows it.");
    return status;
}

/* What a proof of functions may be false by. */
static void bound(pair *self)
{
    opevo_i_proof_bound(self->field, self->out);
    if (self->out->verdict != OPEVO_PROOF_PROVED || self->out->probability <= OPEVO_I_PROOF_DOUBT)
        return;
    self->out->verdict = OPEVO_PROOF_UNDECIDED;
    snprintf(self->out->reason, sizeof self->out->reason, "%s", OPEVO_I_PROOF_HIGH);
}

static opevo_status decide(pair *self, opevo_error *err)
{
    const opevo_simt_arithmetic *arithmetic =
        self->field ? opevo_field_arithmetic(self->field) : &opevo_i_terms_arithmetic;
    bool good = false;
    opevo_status status;

    for (int s = 0; s < SIDES; s++) {
        const char *why = opevo_i_proof_unseen(self->side[s].module);

        if (why) {
            snprintf(self->out->reason, sizeof self->out->reason, "%s", why);
            return OPEVO_OK;
        }
    }
    status = run(self, arithmetic, self->field ? fill_field : fill_terms, &good, err);
    if (status != OPEVO_OK || !good) {
        if (self->field && self->wrong)
            self->out->verdict = OPEVO_PROOF_REFUTED;
        return status;
    }
    self->out->memory = true;
    count_operations(self);
    if (!compare(self))
        return refute(self, err);
    if (self->field && opevo_field_failed(self->field))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a proof.");
    self->out->verdict = has_doubt(self) ? OPEVO_PROOF_UNDECIDED : OPEVO_PROOF_PROVED;
    if (self->field)
        bound(self);
    if (self->out->verdict == OPEVO_PROOF_PROVED && self->whole) {
        self->out->verdict = OPEVO_PROOF_UNDECIDED;
        snprintf(
            self->out->reason, sizeof self->out->reason,
            "Output %.60s is of %s, and proofs are of floats; no access to memory is wrong for "
            "the contents of the harness.",
            self->whole->name, opevo_kernel_element_name(self->whole->element));
    }
    return OPEVO_OK;
}

/* ---- All of it ---- */

static opevo_status open_side(pair *self, int s, const opevo_bits_side *side, opevo_error *err)
{
    opevo_i_proving *to = &self->side[s];
    opevo_status status = OPEVO_OK;

    *to = (opevo_i_proving){.module = side->module,
                            .harness = side->harness,
                            .what = side->what,
                            .options = side->options,
                            .field = self->field,
                            .one_lane = strncmp(LLVMGetTarget(side->module), "nvptx", 5) != 0,
                            .out = self->out};
    to->buffers = opevo_case_buffers(side->what, &to->count);
    OPEVO_NEW(self->copies[s], to->count + 1, "a proof");
    OPEVO_TRY(opevo_i_proof_save(to, self->copies[s], false, err));
    status = opevo_simt_costs_load(NULL, &to->costs, err);
cleanup:
    return status;
}

static void close_side(pair *self, int s)
{
    opevo_launcher_destroy(self->launcher[s]);
    for (size_t i = 0; self->copies[s] && i < self->side[s].count; i++)
        opevo_free(self->copies[s][i]);
    opevo_free(self->copies[s]);
    opevo_simt_costs_destroy(self->side[s].costs);
}

static opevo_status prove(const opevo_bits_side sides[2], bool in_field, opevo_proof *out,
                          opevo_error *err)
{
    pair self = {.out = out};
    double start = opevo_clock_process_s();
    opevo_status status = OPEVO_OK;

    *out = (opevo_proof){.verdict = OPEVO_PROOF_UNDECIDED};
    if (in_field)
        OPEVO_TRY(opevo_field_create(sides[0].options.seed, &self.field, err));
    for (int s = 0; s < SIDES; s++)
        OPEVO_TRY(open_side(&self, s, &sides[s], err));
    OPEVO_NEW(self.partner, self.side[0].count + 1, "a proof");
    OPEVO_TRY(match(&self, err));
    status = decide(&self, err);
    for (int s = 0; s < SIDES; s++) /* the cases are as they were */
        (void)opevo_i_proof_save(&self.side[s], self.copies[s], true, NULL);
    out->kernel_time_s = out->time_s = opevo_clock_process_s() - start;
cleanup:
    for (int s = 0; s < SIDES; s++)
        close_side(&self, s);
    opevo_free(self.partner);
    opevo_field_destroy(self.field);
    return status;
}

opevo_status opevo_prove_same_bits(const opevo_bits_side sides[2], opevo_proof *out,
                                   opevo_error *err)
{
    return prove(sides, false, out, err);
}

/* What has the same trees is the same function, also where its degree is too high for the field. */
opevo_status opevo_prove_same_function(const opevo_bits_side sides[2], opevo_proof *out,
                                       opevo_error *err)
{
    opevo_proof of_bits;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = prove(sides, true, out, err);

    if (status == OPEVO_OK && out->verdict == OPEVO_PROOF_UNDECIDED && out->memory &&
        prove(sides, false, &of_bits, &inner) == OPEVO_OK && of_bits.verdict == OPEVO_PROOF_PROVED)
        *out = of_bits;
    return status;
}
