/* SPDX-License-Identifier: GPL-3.0-or-later */

/* More seeds for those lines of a study that are not told apart, look after look. */

#include <opevo/study_until.h>

#include <opevo/comparison.h>
#include <opevo/memory.h>
#include <opevo/struct_size.h>

#include <math.h>
#include <string.h>

typedef struct until {
    opevo_study *study;
    opevo_study_options options;
    double alpha;
    size_t most;   /* seeds */
    size_t *seeds; /* that each line has */
    size_t *read;  /* of them, those whose best is known */
    double *best;  /* `most` for each line */
    double *p;     /* of each pair, and adjusted */
    opevo_until_result *out;
} until;

/* ---- What is compared ----------------------------------------------------------------------- */

static opevo_status check_budgets(const opevo_study *study, opevo_error *err)
{
    const opevo_study_line *first = &study->lines[0];

    for (size_t i = 0; i < study->line_count; i++) {
        const opevo_study_line *line = &study->lines[i];

        if (!line->budget.trials || line->budget.seconds > 0)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "the budget %s: runs until resolved are compared at a number of "
                              "trials; give trials, and no seconds.",
                              line->budget_text);
        if (line->budget.trials != first->budget.trials)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "the budgets %s and %s: runs until resolved have one budget.",
                              first->budget_text, line->budget_text);
    }
    return OPEVO_OK;
}

static bool is_pair(const opevo_study *study, size_t a, size_t b)
{
    return study->lines[a].place == study->lines[b].place && !study->lines[a].is_twin &&
           !study->lines[b].is_twin;
}

static opevo_status list_pairs(until *self, opevo_error *err)
{
    const opevo_study *study = self->study;
    opevo_until_result *out = self->out;
    void *pairs = NULL;
    size_t capacity = 0;

    for (size_t a = 0; a < study->line_count; a++) {
        for (size_t b = a + 1; b < study->line_count; b++) {
            if (!is_pair(study, a, b))
                continue;
            OPEVO_NEED_OR_RETURN(
                opevo_reserve(&pairs, &capacity, out->pair_count + 1, sizeof *out->pairs),
                "comparisons");
            out->pairs = pairs;
            out->pairs[out->pair_count++] = (opevo_until_pair){.a = a, .b = b, .p_adjusted = 1};
        }
    }
    return OPEVO_OK;
}

static opevo_status prepare(until *self, opevo_error *err)
{
    size_t lines = self->study->line_count, first = self->study->seed_count;
    opevo_status status = check_budgets(self->study, err);

    OPEVO_TRY(status);
    OPEVO_TRY(list_pairs(self, err));
    if (self->out->pair_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "runs until resolved compare combinations on one objective, and no "
                          "objective has two: name another tuner, or run the plan as it is.");
    self->most = self->most > first ? self->most : first;
    OPEVO_TRY(opevo_study_extend(self->study, self->most, err));
    self->study->until_alpha = self->alpha;
    self->seeds = opevo_calloc(lines, sizeof *self->seeds);
    self->read = opevo_calloc(lines, sizeof *self->read);
    self->best = opevo_malloc(lines, self->most * sizeof *self->best);
    self->p = opevo_malloc(2 * self->out->pair_count, sizeof *self->p);
    OPEVO_NEED_OR_RETURN(self->seeds && self->read && self->best && self->p,
                         "%zu seeds of %zu combinations", self->most, lines);
    for (size_t i = 0; i < lines; i++)
        self->seeds[i] = first;
    self->options.line_seeds = self->seeds;
cleanup:
    return status;
}

/* ---- A look --------------------------------------------------------------------------------- */

static opevo_status read_line(until *self, opevo_store *store, size_t line, opevo_error *err)
{
    size_t first = self->read[line], count = self->seeds[line] - first;
    uint64_t *numbers = opevo_malloc(count, sizeof *numbers);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(numbers, "reading %zu runs", count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint64_t)(first + i) * self->study->line_count + line;
    status = opevo_study_best(self->study, store, numbers, count,
                              self->best + line * self->most + first, err);
    if (status == OPEVO_OK)
        self->read[line] = self->seeds[line];
    opevo_free(numbers);
    return status;
}

static opevo_status read_best(until *self, opevo_error *err)
{
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_open(self->options.store, OPEVO_STORE_READ, &store, err));
    for (size_t i = 0; i < self->study->line_count; i++)
        OPEVO_TRY(read_line(self, store, i, err));
cleanup:
    opevo_store_close(store);
    return status;
}

static opevo_status test_pairs(until *self, opevo_error *err)
{
    opevo_until_result *out = self->out;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < out->pair_count; i++) {
        opevo_until_pair *pair = &out->pairs[i];
        size_t a = self->seeds[pair->a], b = self->seeds[pair->b], both = a < b ? a : b;

        if (pair->test.pairs < both)
            OPEVO_TRY(opevo_anytime_test(self->best + pair->a * self->most,
                                         self->best + pair->b * self->most, both, &pair->test,
                                         err));
        self->p[i] = pair->test.p;
    }
    OPEVO_TRY(opevo_holm_adjust(self->p, out->pair_count, self->p + out->pair_count, err));
    out->resolved = 0;
    for (size_t i = 0; i < out->pair_count; i++) {
        opevo_until_pair *pair = &out->pairs[i];

        pair->p_adjusted = self->p[out->pair_count + i];
        pair->verdict = pair->p_adjusted > self->alpha                 ? OPEVO_VERDICT_UNRESOLVED
                        : pair->test.log_better > pair->test.log_worse ? OPEVO_VERDICT_BETTER
                                                                       : OPEVO_VERDICT_WORSE;
        out->resolved += pair->verdict != OPEVO_VERDICT_UNRESOLVED;
    }
    out->looks++;
cleanup:
    return status;
}

/* Give the lines of unresolved pairs more seeds; false if none gets some. All of these lines have
 * equally many, for what is resolved stays so. */
static bool add_seeds(until *self)
{
    size_t grown = self->out->seeds + (self->out->seeds > 10 ? self->out->seeds / 10 : 1);
    bool added = false;

    grown = grown < self->most ? grown : self->most;
    for (size_t i = 0; i < self->out->pair_count; i++) {
        const opevo_until_pair *pair = &self->out->pairs[i];

        if (pair->verdict != OPEVO_VERDICT_UNRESOLVED || grown == self->out->seeds)
            continue;
        self->seeds[pair->a] = self->seeds[pair->b] = grown;
        added = true;
    }
    for (size_t i = 0; i < self->study->line_count; i++) {
        if (self->study->lines[i].is_twin)
            self->seeds[i] = self->seeds[i - 1];
    }
    return added;
}

static void add_result(opevo_study_result *sum, const opevo_study_result *one)
{
    uint64_t ran = sum->ran + one->ran, trials = sum->trials + one->trials;
    double wall_s = sum->wall_s + one->wall_s, busy_s = sum->busy_s + one->busy_s;
    uint64_t unrecorded = sum->unrecorded + one->unrecorded;
    unsigned threads = one->threads > sum->threads ? one->threads : sum->threads;

    *sum = *one; /* what counts all runs counts those of earlier looks as well */
    sum->ran = ran;
    sum->present = one->interrupted ? one->present : one->runs - ran;
    sum->trials = trials;
    sum->wall_s = wall_s;
    sum->busy_s = busy_s;
    sum->unrecorded = unrecorded;
    sum->threads = threads;
}

static opevo_status look(until *self, opevo_error *err)
{
    opevo_study_result one;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_study_run(self->study, &self->options, &one, err));
    add_result(&self->out->runs, &one);
    if (one.interrupted)
        return OPEVO_OK;
    OPEVO_TRY(read_best(self, err));
    OPEVO_TRY(test_pairs(self, err));
cleanup:
    return status;
}

static opevo_status mark(const char *path, opevo_error *err)
{
    opevo_store *store = NULL;
    opevo_status status = opevo_store_open(path, OPEVO_STORE_ALONE, &store, err);

    if (status == OPEVO_OK)
        status = opevo_store_mark_looked(store, err);
    opevo_store_close(store);
    return status;
}

opevo_status opevo_study_until_sized(opevo_study *study, const opevo_study_options *options,
                                     size_t size, double alpha, size_t seeds_most,
                                     opevo_until_result *out, opevo_error *err)
{
    until self = {.study = study, .alpha = alpha, .most = seeds_most, .out = out};
    opevo_status status = OPEVO_OK;
    bool more = true;

    *out = (opevo_until_result){.pairs = NULL};
    OPEVO_TRY(opevo_struct_read(options, size, "opevo_study_options", &self.options,
                                sizeof self.options, err));
    out->seeds = study->seed_count;
    OPEVO_TRY(prepare(&self, err));
    OPEVO_TRY(mark(self.options.store, err));
    while (more) {
        OPEVO_TRY(look(&self, err));
        more = !out->runs.interrupted && add_seeds(&self);
        for (size_t i = 0; more && i < study->line_count; i++)
            out->seeds = self.seeds[i] > out->seeds ? self.seeds[i] : out->seeds;
    }
cleanup:
    opevo_free(self.seeds);
    opevo_free(self.read);
    opevo_free(self.best);
    opevo_free(self.p);
    return status;
}

void opevo_until_result_free(opevo_until_result *result)
{
    opevo_free(result->pairs);
    *result = (opevo_until_result){.pairs = NULL};
}
