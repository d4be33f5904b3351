/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child after duplicates are handled, on spaces small enough to list. Points of S from
 * which no point of T can be reached are set aside first.
 *
 * Without limits a child is recombined once. With them it is recombined in rounds: each succeeds or
 * not independently of the others, so the law is that of one round times the number of rounds that
 * are expected. How far a round may be off counts that often, too: replacing one round after the
 * other by the computed one moves the law and the probability of no child, together, by the error
 * of one, times the probability that it is reached.
 *
 * For `redraw`, in the same way, the mutations of one round are trials: each adds 2 delta, as the
 * probabilities of T and of success are off by delta each. */

#include "child_step.h"
#include "law_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double tolerance = 1e-9;

/* ---- Before duplicates ---- */

/* origin(x) = prod_i sum of the shares of the parents that have x_i, over the active parameters;
 * one parameter at a time. `vertices` is scratch. */
static void recombine(opevo_i_law_child *self, const opevo_space *space,
                      const opevo_i_law_inheritance *from, opevo_index *vertices)
{
    for (size_t x = 0; x < self->point_count; x++)
        self->origin[x] = 1;
    for (size_t i = 0; i < self->kernel.factor_count; i++) {
        double *mixture = self->row; /* at most point_count vertices */

        memset(mixture, 0, self->kernel.factors[i].size * sizeof *mixture);
        for (size_t j = 0; j < from->count; j++) {
            opevo_index vertex = 0;
            double share = opevo_i_law_inherited(from, i, j, &vertex);

            if (share > 0)
                mixture[(size_t)vertex] += share;
        }
        for (size_t x = 0; x < self->point_count; x++) {
            opevo_space_decode(space, x, vertices);
            if (vertices[i] != OPEVO_INACTIVE)
                self->origin[x] *= mixture[(size_t)vertices[i]];
        }
    }
}

static opevo_status mutate(opevo_i_law_child *self, opevo_error *err)
{
    long double *scratch = opevo_malloc(self->point_count, sizeof *scratch);

    OPEVO_NEED_OR_RETURN(scratch, "the law of a child");
    for (size_t x = 0; x < self->point_count; x++)
        self->sums[x] = self->origin[x];
    opevo_i_law_kernel_apply(&self->kernel, self->sums, scratch, self->row);
    for (size_t y = 0; y < self->point_count; y++)
        self->landed[y] = (double)self->sums[y];
    opevo_free(scratch);
    return OPEVO_OK;
}

/* ---- Drawing again ---- */

static void redraw(opevo_i_law_child *self, unsigned most)
{
    for (size_t x = 0; x < self->point_count; x++) {
        long double accepted = 0, mutations = 0;

        if (self->origin[x] == 0)
            continue;
        if (opevo_i_law_child_is_lost(self, x)) {
            self->lost += self->origin[x];
            continue;
        }
        opevo_i_law_kernel_row(&self->kernel, x, self->row);
        for (size_t y = 0; y < self->point_count; y++)
            accepted += self->taken[y] ? 0 : self->row[y];
        mutations = opevo_i_law_trials(accepted, most);
        for (size_t y = 0; y < self->point_count; y++)
            self->sums[y] += self->taken[y] ? 0 : self->origin[x] * self->row[y] * mutations;
        self->lost += self->origin[x] * opevo_i_law_no_success(accepted, most);
        self->off += (double)(self->origin[x] * 2 * self->kernel.bound * mutations);
    }
}

/* ---- Given that it is new ---- */

/* A draw is new with probability P(T) / P(allowed). Both parts of P(x) / P(T) may be off by what
 * the kernel and `off` say. */
static void condition(opevo_i_law_child *self, const opevo_space *space, unsigned most)
{
    long double mass = 0, allowed = 0, found = 0;

    for (size_t y = 0; y < self->point_count; y++) {
        mass += self->taken[y] ? 0 : self->landed[y];
        allowed += !self->taken[y] || opevo_space_allows(space, y) ? self->landed[y] : 0;
    }
    self->off += self->kernel.bound + DBL_EPSILON;
    if (!(mass > 0)) {
        self->lost = 1;
        return;
    }
    self->lost = opevo_i_law_no_success(mass / allowed, most);
    found = mass / allowed * opevo_i_law_trials(mass / allowed, most);
    for (size_t y = 0; y < self->point_count; y++)
        self->sums[y] = self->taken[y] ? 0 : found * self->landed[y] / mass;
    self->off = (double)(2 * self->off / mass);
}

/* ---- Rounds ---- */

typedef struct outcome {
    long double *law;
    long double lost;
    double off;
} outcome;

/* One recombined child, mutated at most `most` times, 0 for any number. `recombined_off` is how far
 * the law after recombination may be off. */
static opevo_status play(opevo_i_law_child *self, const opevo_child_step *step, unsigned most,
                         double recombined_off, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->off = recombined_off;
    self->lost = 0;
    if (step->rule == OPEVO_DUPLICATE_GIVEN || (step->rule == OPEVO_DUPLICATE_CONTINUE && !most)) {
        status = mutate(self, err);
        if (status != OPEVO_OK)
            return status;
    }
    memset(self->sums, 0, self->point_count * sizeof *self->sums);
    if (step->rule == OPEVO_DUPLICATE_GIVEN)
        condition(self, step->space, most);
    else if (step->rule == OPEVO_DUPLICATE_REDRAW)
        redraw(self, most);
    else if (most)
        return opevo_i_law_continue_within(self, most, err);
    else
        return opevo_i_law_continue(self, err);
    return OPEVO_OK;
}

/* `rounds` of them, until one succeeds. */
static opevo_status add_rounds(opevo_i_law_child *self, const opevo_child_step *step,
                               unsigned rounds, unsigned most, double recombined_off, outcome *out,
                               opevo_error *err)
{
    opevo_status status = play(self, step, most, recombined_off, err);
    long double found = 0, times = 0;

    if (status != OPEVO_OK)
        return status;
    for (size_t y = 0; y < self->point_count; y++)
        found += self->sums[y];
    times = rounds == 1 ? out->lost : out->lost * opevo_i_law_trials(found, rounds);
    for (size_t y = 0; y < self->point_count; y++)
        out->law[y] += times * self->sums[y];
    out->off += (double)times * self->off;
    out->lost *= powl(self->lost, rounds);
    return OPEVO_OK;
}

/* Without steps a mutation changes nothing, so that each is of another recombined child. */
static opevo_status add_all_rounds(opevo_i_law_child *self, const opevo_child_step *step,
                                   double recombined_off, outcome *out, opevo_error *err)
{
    opevo_child_limits limits = step->limits;
    opevo_status status = OPEVO_OK;

    memset(out->law, 0, self->point_count * sizeof *out->law);
    out->lost = 1;
    if (!limits.tries)
        return add_rounds(self, step, 1, 0, recombined_off, out, err);
    if (step->q == 0)
        limits.patience = 1;
    if (step->rule == OPEVO_DUPLICATE_GIVEN || limits.patience > limits.tries)
        limits.patience = limits.tries;
    status = add_rounds(self, step, limits.tries / limits.patience, limits.patience, recombined_off,
                        out, err);
    if (status == OPEVO_OK && limits.tries % limits.patience)
        status =
            add_rounds(self, step, 1, limits.tries % limits.patience, recombined_off, out, err);
    return status;
}

/* ---- All ---- */

static opevo_status child_init(opevo_i_law_child *self, const opevo_child_step *step,
                               const opevo_i_law_inheritance *from, opevo_error *err)
{
    opevo_status status = opevo_i_law_kernel_init(step->space, from, step->q, &self->kernel, err);
    size_t n = self->kernel.point_count;

    if (status != OPEVO_OK)
        return status;
    self->taken = step->taken;
    self->point_count = n;
    self->origin = opevo_malloc(n, sizeof *self->origin);
    self->landed = opevo_malloc(n, sizeof *self->landed);
    self->escapes = opevo_calloc(n, sizeof *self->escapes);
    self->row = opevo_malloc(n, sizeof *self->row);
    self->sums = opevo_malloc(n, sizeof *self->sums);
    OPEVO_NEED_OR_RETURN(self->origin && self->landed && self->escapes && self->row && self->sums,
                         "the law of a child on %zu points", n);
    opevo_i_law_kernel_escapes(&self->kernel, step->taken, step->rule == OPEVO_DUPLICATE_CONTINUE,
                               self->escapes);
    return OPEVO_OK;
}

static void child_release(opevo_i_law_child *self)
{
    opevo_i_law_kernel_release(&self->kernel);
    opevo_free(self->origin);
    opevo_free(self->landed);
    opevo_free(self->escapes);
    opevo_free(self->row);
    opevo_free(self->sums);
}

static opevo_status judge(double off, opevo_error *err)
{
    if (off <= tolerance)
        return OPEVO_OK;
    return OPEVO_FAIL(
        err, OPEVO_TOLERANCE,
        "The law of the child could be certified only within %.3g, not within %g: the free points "
        "are reached too rarely for double precision; leave more of them free, or use a larger q.",
        off, tolerance);
}

static opevo_status check(const opevo_child_step *step, opevo_error *err)
{
    double unused = 0;

    if (!step->limits.tries != !step->limits.patience)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The limits of a child are tries %u and patience %u; give both, or "
                          "neither.",
                          step->limits.tries, step->limits.patience);
    return opevo_i_law_check(step->q, NULL, &unused, err);
}

opevo_status opevo_child_law_without_duplicates(const opevo_child_step *step, double *law,
                                                double *lost, double *bound, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_law_child self = {.off = 0};
    opevo_i_law_inheritance from = {0};
    opevo_index *vertices = NULL;
    outcome out = {0};
    double recombined_off = 0;

    OPEVO_TRY(check(step, err));
    OPEVO_NEW(vertices, opevo_space_parameter_count(step->space), "the law of a child");
    OPEVO_TRY(opevo_i_law_inheritance_init(step->space, step->parents, &from, err));
    OPEVO_TRY(child_init(&self, step, &from, err));
    OPEVO_NEW(out.law, self.point_count, "the law of a child");
    recombine(&self, step->space, &from, vertices);
    /* Shares, in branches normalised, their sums and products are rounded; so is the law itself at
     * the end. */
    recombined_off = (double)(step->parents->count + (self.kernel.start ? 4 : 2)) *
                     (double)self.kernel.factor_count * DBL_EPSILON;
    OPEVO_TRY(add_all_rounds(&self, step, recombined_off, &out, err));
    /* One rounding for each of the bounds that were added up. */
    out.off =
        opevo_i_law_bound_join(out.off, out.off * (double)(self.point_count + 8) * DBL_EPSILON);
    OPEVO_TRY(judge(out.off, err));
    for (size_t y = 0; y < self.point_count; y++)
        law[y] = (double)out.law[y];
    if (lost)
        *lost = (double)out.lost;
    if (bound)
        *bound = out.off;
cleanup:
    child_release(&self);
    opevo_i_law_inheritance_release(&from);
    opevo_free(vertices);
    opevo_free(out.law);
    return status;
}
