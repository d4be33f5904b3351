/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loop nests built by hand, and their plain evaluation in double precision: each number with a
 * bound of the error that single precision may make. */

#ifndef OPEVO_TESTS_NEST_FIXTURE_H
#define OPEVO_TESTS_NEST_FIXTURE_H

#include "kernel_fixture.h"

#include "print_internal.h"

#include <opevo/computation_reference.h>

#include <float.h>

/* ---- Building ---- */

static inline opevo_i_nest *nest_new(int inputs, int outputs)
{
    opevo_i_nest *nest = opevo_calloc(1, sizeof *nest);

    nest->root = opevo_i_nest_add(nest, NULL, OPEVO_I_LIST);
    nest->inputs = inputs;
    nest->operands = inputs + outputs;
    opevo_i_nest_add_launch(nest, nest->root);
    return nest;
}

static inline opevo_i_nest_node *nest_loop(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                           int64_t extent, opevo_annotation annotation)
{
    return opevo_i_nest_add_loop(nest, parent, opevo_i_affine_atoms_loop(&nest->atoms, extent),
                                 extent, annotation);
}

static inline opevo_i_nest_leaf *nest_leaf(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                           opevo_i_nest_leaf_kind kind)
{
    opevo_i_nest_leaf leaf = {.kind = kind};

    return opevo_i_nest_add_leaf(nest, parent, &leaf)->leaf;
}

static inline opevo_i_nest_value *nest_value(opevo_i_nest *nest, opevo_expression_kind kind,
                                             const opevo_i_nest_value *left,
                                             const opevo_i_nest_value *right)
{
    opevo_i_nest_value *value = opevo_i_nest_take(nest, sizeof *value);

    value->kind = kind;
    value->left = left;
    value->right = right;
    return value;
}

/* ---- Evaluation ---- */

typedef struct element {
    double value, error;
    bool written;
} element;

typedef struct machine {
    const opevo_i_nest *nest;
    int64_t *at; /* of each loop variable */
    element *memory[OPEVO_I_BUFFERS];
    /* Instead of an evaluation: which elements would be read and written. */
    bool dry;
    int64_t least[OPEVO_I_BUFFERS], most[OPEVO_I_BUFFERS];
} machine;

static inline int64_t whole_at(const machine *self, const opevo_i_affine *a)
{
    return opevo_i_affine_value(&self->nest->atoms, a, self->at);
}

static inline bool guards_hold(const machine *self, const opevo_i_nest_guards *guards)
{
    for (int i = 0; i < guards->count; i++) {
        int64_t value = whole_at(self, &guards->item[i].value);

        if (value < guards->item[i].least || value >= guards->item[i].limit)
            return false;
    }
    return true;
}

static inline element *element_at(machine *self, const opevo_i_nest_access *access)
{
    static element none;
    int64_t place = whole_at(self, &access->address);

    if (self->dry) {
        if (place < self->least[access->buffer])
            self->least[access->buffer] = place;
        if (place > self->most[access->buffer])
            self->most[access->buffer] = place;
        none = (element){0, 0, false};
        return &none;
    }
    return &self->memory[access->buffer][place];
}

/* Rounded to single precision, and wrong by `units` half units in the last place. */
static inline element rounded(double value, double error, double units)
{
    double size = fabs(value) + error;

    if (!(size <= (double)FLT_MAX))
        return (element){value, INFINITY, true};
    return (element){value, error + units * 0x1.000002p-24 * size + (size > 0 ? 0x1p-125 : 0),
                     true};
}

static inline element value_of(machine *self, const opevo_i_nest_leaf *leaf,
                               const opevo_i_nest_value *value);

typedef struct outcome {
    bool holds, certain;
} outcome;

static inline outcome condition_of(machine *self, const opevo_i_nest_leaf *leaf,
                                   const opevo_i_nest_condition *condition)
{
    outcome left = {0}, right = {0};
    element x = {0}, y = {0};
    double gap = 0;

    if (condition->left) {
        left = condition_of(self, leaf, condition->left);
        right = condition_of(self, leaf, condition->right);
        if (condition->kind == OPEVO_COND_AND)
            return (outcome){left.holds && right.holds, (left.certain && right.certain) ||
                                                            (left.certain && !left.holds) ||
                                                            (right.certain && !right.holds)};
        return (outcome){left.holds || right.holds, (left.certain && right.certain) ||
                                                        (left.certain && left.holds) ||
                                                        (right.certain && right.holds)};
    }
    if (condition->is_whole) {
        x.value = (double)whole_at(self, &condition->whole);
    } else {
        x = value_of(self, leaf, condition->x);
        y = value_of(self, leaf, condition->y);
    }
    gap = fabs(x.value - y.value);
    return (outcome){condition->kind == OPEVO_COND_LESS         ? x.value < y.value
                     : condition->kind == OPEVO_COND_LESS_EQUAL ? x.value <= y.value
                     : condition->kind == OPEVO_COND_EQUAL      ? x.value == y.value
                                                                : x.value != y.value,
                     condition->is_whole ||
                         (!self->dry && (x.error + y.error == 0 || gap > x.error + y.error))};
}

static inline element select_of(machine *self, const opevo_i_nest_leaf *leaf,
                                const opevo_i_nest_value *value)
{
    outcome what = condition_of(self, leaf, value->condition);
    element chosen = value_of(self, leaf, what.holds ? value->left : value->right);

    if (!what.certain) {
        element other = value_of(self, leaf, what.holds ? value->right : value->left);
        double error = fabs(other.value - chosen.value) + other.error;

        if (!(error <= chosen.error))
            chosen.error = error;
    }
    return chosen;
}

/* A function of slope `steepest` near x at most. */
static inline element function_of(double value, element x, double steepest, double units)
{
    return rounded(value, x.error == 0 ? 0 : x.error * steepest, units);
}

static inline element value_of(machine *self, const opevo_i_nest_leaf *leaf,
                               const opevo_i_nest_value *value)
{
    const double units = 2 * OPEVO_REFERENCE_ULPS;
    element x = {0}, y = {0};

    switch (value->kind) {
    case OPEVO_EXPR_READ:
        return *element_at(self, &leaf->factor[value->read]);
    case OPEVO_EXPR_NUMBER:
        return (element){(double)(float)value->number, 0, true};
    case OPEVO_EXPR_WHOLE:
        return (element){(double)whole_at(self, &value->whole), 0, true};
    case OPEVO_EXPR_SELECT:
        return select_of(self, leaf, value);
    default:
        break;
    }
    x = value_of(self, leaf, value->left);
    if (value->right)
        y = value_of(self, leaf, value->right);
    switch (value->kind) {
    case OPEVO_EXPR_ADD:
        return rounded(x.value + y.value, x.error + y.error, 1);
    case OPEVO_EXPR_SUBTRACT:
        return rounded(x.value - y.value, x.error + y.error, 1);
    case OPEVO_EXPR_MULTIPLY:
        return rounded(x.value * y.value,
                       fabs(x.value) * y.error + fabs(y.value) * x.error + x.error * y.error, 1);
    case OPEVO_EXPR_DIVIDE:
        if (fabs(y.value) <= y.error)
            return (element){x.value / y.value, INFINITY, true};
        return rounded(x.value / y.value,
                       (x.error + fabs(x.value / y.value) * y.error) / (fabs(y.value) - y.error),
                       1);
    case OPEVO_EXPR_MAX:
        return (element){x.value > y.value ? x.value : y.value, fmax(x.error, y.error), true};
    case OPEVO_EXPR_MIN:
        return (element){x.value < y.value ? x.value : y.value, fmax(x.error, y.error), true};
    case OPEVO_EXPR_NEGATE:
        return (element){-x.value, x.error, true};
    case OPEVO_EXPR_EXP:
        return rounded(exp(x.value), exp(x.value) * expm1(x.error), units);
    case OPEVO_EXPR_SQRT:
        if (x.error > 0 ? x.value <= 2 * x.error : x.value < 0)
            return (element){0, INFINITY, true};
        return function_of(sqrt(x.value), x, 1 / sqrt(x.value), 1);
    case OPEVO_EXPR_TANH:
        return function_of(tanh(x.value), x, 1, units);
    case OPEVO_EXPR_ERF:
        return function_of(erf(x.value), x, 1.13, units);
    case OPEVO_EXPR_LOG:
        if (x.error > 0 ? x.value <= 2 * x.error : x.value <= 0)
            return (element){0, INFINITY, true};
        return function_of(log(x.value), x, 2 / x.value, units);
    default: /* SIGMOID */
        return function_of(1 / (1 + exp(-x.value)), x, .25, units + 3);
    }
}

static inline void run_leaf(machine *self, const opevo_i_nest_leaf *leaf)
{
    element *to = NULL;
    element value = {1, 0, true};

    if (!guards_hold(self, &leaf->keep))
        return;
    if (leaf->kind >= OPEVO_I_STORE) {
        value = value_of(self, leaf, leaf->value);
    } else if (leaf->kind == OPEVO_I_ZERO || !guards_hold(self, &leaf->inside)) {
        value.value = 0;
    } else {
        for (int i = 0; i < leaf->factors; i++) {
            element one = *element_at(self, &leaf->factor[i]);

            value = rounded(value.value * one.value,
                            fabs(value.value) * one.error + fabs(one.value) * value.error, i > 0);
        }
    }
    to = element_at(self, &leaf->to);
    if (leaf->kind == OPEVO_I_ADD || leaf->kind == OPEVO_I_MAC || leaf->kind == OPEVO_I_SUM)
        *to = rounded(to->value + value.value, to->error + value.error, 1);
    else if (leaf->kind == OPEVO_I_MAX || leaf->kind == OPEVO_I_MIN)
        *to = (element){(leaf->kind == OPEVO_I_MAX) == (to->value > value.value) ? to->value
                                                                                 : value.value,
                        fmax(to->error, value.error), true};
    else
        *to = value;
    to->written = true;
}

static inline void run_node(machine *self, const opevo_i_nest_node *node)
{
    const opevo_i_nest_node *first = node->first;
    int64_t turns = node->kind == OPEVO_I_LOOP ? node->extent : 1;

    if (node->kind == OPEVO_I_LEAF)
        run_leaf(self, node->leaf);
    if (node->kind == OPEVO_I_IF && !guards_hold(self, &node->guards))
        first = node->otherwise ? node->otherwise->first : NULL;
    for (int64_t i = 0; i < turns; i++) {
        if (node->kind == OPEVO_I_LOOP)
            self->at[node->atom] = i;
        if (node->kind == OPEVO_I_LET)
            self->at[node->atom] = whole_at(self, &node->value);
        for (const opevo_i_nest_node *one = first; one; one = one->next)
            run_node(self, one);
    }
}

/* All blocks and threads one after the other: for nests without barriers. */
static inline void run_nest(machine *self)
{
    int64_t all = 1;

    for (int a = 0; a < OPEVO_ANNOTATION_COUNT; a++)
        all *= self->nest->launch[0].bound_extent[a];
    for (int64_t i = 0; i < all; i++) {
        int64_t rest = i;

        for (int a = 0; a < OPEVO_ANNOTATION_COUNT; a++) {
            if (self->nest->launch[0].bound[a] >= 0)
                self->at[self->nest->launch[0].bound[a]] =
                    rest % self->nest->launch[0].bound_extent[a];
            rest /= self->nest->launch[0].bound_extent[a];
        }
        run_node(self, self->nest->root);
    }
}

/* ---- Comparison ---- */

enum { NEST_OPERANDS = 20 };

typedef void nest_function(float *, float *, float *, float *, float *, float *, float *, float *,
                           float *, float *, float *, float *, float *, float *, float *, float *,
                           float *, float *, float *, float *);

/* Give buffers the sizes that the nest uses, after its addresses were moved to begin at 0. */
static inline void nest_fit(opevo_i_nest *nest)
{
    machine all = {.nest = nest, .dry = true};

    all.at = opevo_calloc(nest->atoms.count, sizeof *all.at);
    for (int b = 0; b < OPEVO_I_BUFFERS; b++)
        all.least[b] = all.most[b] = nest->buffer[b].size || b < nest->operands ? INT64_MAX : 0;
    for (int b = 0; b < OPEVO_I_BUFFERS; b++)
        all.most[b] = -all.most[b];
    run_nest(&all);
    for (opevo_i_nest_node *node = nest->nodes; node; node = node->made_before) {
        if (node->kind != OPEVO_I_LEAF)
            continue;
        for (int i = -1; i < node->leaf->factors; i++) {
            opevo_i_nest_access *access = i < 0 ? &node->leaf->to : &node->leaf->factor[i];

            if (access->buffer < nest->operands && all.least[access->buffer] != INT64_MAX)
                access->address.constant -= all.least[access->buffer];
        }
    }
    for (int b = 0; b < nest->operands; b++)
        nest->buffer[b].size = all.least[b] == INT64_MAX ? 1 : all.most[b] - all.least[b] + 1;
    opevo_free(all.at);
}

typedef struct nest_run {
    machine all;
    opevo_i_reference_guarded memory[NEST_OPERANDS];
} nest_run;

static inline void nest_run_open(nest_run *self, const opevo_i_nest *nest, uint64_t seed)
{
    opevo_rng rng;

    *self = (nest_run){.all.nest = nest};
    self->all.at = opevo_calloc(nest->atoms.count, sizeof(int64_t));
    opevo_rng_init(&rng, seed, "operands", 0);
    for (int b = 0; b < OPEVO_I_BUFFERS; b++) {
        if (nest->buffer[b].size)
            self->all.memory[b] = opevo_calloc((size_t)nest->buffer[b].size, sizeof(element));
    }
    for (int b = 0; b < nest->operands; b++) {
        size_t bytes = (size_t)nest->buffer[b].size * sizeof(float);

        CHECK_OK(opevo_i_reference_guarded_create(bytes, false, &self->memory[b], &err));
        memset(self->memory[b].data, 0xff, bytes);
        for (int64_t i = 0; i < nest->buffer[b].size && b < nest->inputs; i++) {
            float value = (float)(opevo_rng_below(&rng, 4) ? 4 * opevo_rng_unit(&rng) - 2
                                                           : (double)opevo_rng_below(&rng, 5) - 2);

            opevo_i_reference_floats(&self->memory[b])[i] = value;
            self->all.memory[b][i].value = (double)value;
        }
    }
    run_nest(&self->all);
}

static inline void nest_run_close(nest_run *self)
{
    for (int b = 0; b < OPEVO_I_BUFFERS; b++)
        opevo_free(self->all.memory[b]);
    for (int b = 0; b < self->all.nest->operands; b++)
        opevo_i_reference_guarded_free(&self->memory[b]);
    opevo_free(self->all.at);
}

static inline bool is_right(double is, element right)
{
    return is == right.value || fabs(is - right.value) <= right.error || isinf(right.error);
}

/* The elements that were written are right, all others as they were; returns how many have a bound.
 */
static inline int64_t nest_compare(const nest_run *self, const char *source)
{
    const opevo_i_nest *nest = self->all.nest;
    int64_t checked = 0;

    for (int b = 0; b < nest->operands; b++) {
        for (int64_t i = 0; i < nest->buffer[b].size && b >= nest->inputs; i++) {
            element right = self->all.memory[b][i];
            double is = (double)opevo_i_reference_floats(&self->memory[b])[i];

            if (right.written ? !is_right(is, right) : !isnan(is)) {
                fputs(source, stderr);
                fail_msg("element %lld of operand %d is %.17g, expected %.17g within %g",
                         (long long)i, b, is, right.value, right.error);
            }
            checked += right.written && isfinite(right.error);
        }
        if (!opevo_i_reference_guarded_intact(&self->memory[b]))
            fail_msg("operand %d has something written behind it", b);
    }
    return checked;
}

/* Print, compile, run and compare; returns how many elements have a bound. */
static inline int64_t nest_check(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                                 uint64_t seed)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_kernel kernel = {0};
    nest_run run;
    nest_function *function = NULL;
    float *data[NEST_OPERANDS] = {NULL};
    opevo_i_reference_guarded scratch;
    void *handle = NULL;
    int64_t checked = 0;

    opevo_i_print_nest_print(nest, dialect, &limits, &kernel);
    handle = source_load(opevo_text_string(&kernel.source));
    if (!handle) {
        fputs(opevo_text_string(&kernel.source), stderr);
        fail_msg("this does not compile");
        return 0;
    }
    *(void **)&function = dlsym(handle, kernel.entry);
    assert_non_null(function);
    nest_run_open(&run, nest, seed);
    for (int b = 0; b < nest->operands; b++)
        data[b] = opevo_i_reference_floats(&run.memory[b]);
    CHECK_OK(opevo_i_reference_guarded_create((size_t)opevo_kernel_scratch_bytes(&kernel, 1), false,
                                              &scratch, &err));
    data[nest->operands] = opevo_i_reference_floats(&scratch);
    function(data[0], data[1], data[2], data[3], data[4], data[5], data[6], data[7], data[8],
             data[9], data[10], data[11], data[12], data[13], data[14], data[15], data[16],
             data[17], data[18], data[19]);
    checked = nest_compare(&run, opevo_text_string(&kernel.source));
    assert_true(opevo_i_reference_guarded_intact(&scratch));
    opevo_i_reference_guarded_free(&scratch);
    dlclose(handle);
    nest_run_close(&run);
    opevo_kernel_free(&kernel);
    return checked;
}

#endif
