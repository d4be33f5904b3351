/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <opevo/portfolio_crossing.h>

#include "portfolio_internal.h"

#include <opevo/hash.h>
#include <opevo/listed.h>
#include <opevo/memory.h>
#include <opevo/nearest.h>

#include <math.h>
#include <string.h>

static const char *const end_names[] = {
    [OPEVO_CROSSING_OPEN] = "open",     [OPEVO_CROSSING_CLOSED] = "closed",
    [OPEVO_CROSSING_TRIALS] = "trials", [OPEVO_CROSSING_SECONDS] = "seconds",
    [OPEVO_CROSSING_LIMIT] = "limit",   [OPEVO_CROSSING_INTERRUPTED] = "interrupted",
};

/* A configuration on one workload. */
typedef struct cell {
    opevo_index point;
    bool exists;      /* it has a counterpart there */
    size_t successes; /* of `measured` trials */
    size_t measured;
    double sum; /* of their fitness */
} cell;

typedef struct column {
    char *text;
    uint64_t hash; /* of it */
    cell *cells;   /* one for each workload */
} column;

typedef struct workload {
    opevo_objective *objective;
    opevo_listed *run;
} workload;

struct opevo_crossing {
    opevo_portfolio_options options;
    uint64_t trials_most;
    double seconds_most;
    opevo_crossing_state state;
    workload *workloads;
    size_t workload_count, workload_capacity;
    column *columns;
    size_t column_count, column_capacity;
    double *regret; /* of the matrix */
};

const char *opevo_crossing_end_name(opevo_crossing_end end)
{
    return end_names[end];
}

static opevo_status fail_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a portfolio.");
}

/* ---- Counterparts ---- */

static bool is_allowed(const opevo_space *space, opevo_index point)
{
    return opevo_space_has(space, point) && opevo_space_allows(space, point);
}

opevo_status opevo_portfolio_carry(const opevo_space *from, opevo_index point,
                                   const opevo_space *to, bool *found, opevo_index *out,
                                   opevo_error *err)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    *found = false;
    opevo_space_print(from, point, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    if (opevo_space_read(to, opevo_text_string(&text), out, NULL) == OPEVO_OK &&
        is_allowed(to, *out)) {
        *found = true;
        goto cleanup;
    }
    opevo_space_decode(to, 0, vertices);
    if (opevo_space_carry(from, point, to, vertices) > 0)
        status = opevo_space_nearest_allowed(to, vertices, found, out, err);
cleanup:
    opevo_text_free(&text);
    return status;
}

/* ---- Creating ---- */

opevo_status opevo_crossing_create(const opevo_portfolio_options *options, opevo_crossing **out,
                                   opevo_error *err)
{
    opevo_crossing *self = NULL;

    if (options->most == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "An option of the portfolio lies outside its domain.");
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return fail_memory(err);
    self->options = *options;
    self->options.seconds = 0;
    if (self->options.steps == 0)
        self->options.steps = OPEVO_CROSSING_STEPS;
    *out = self;
    return OPEVO_OK;
}

void opevo_crossing_allow(opevo_crossing *self, uint64_t trials, double seconds)
{
    self->trials_most = trials;
    self->seconds_most = seconds;
    if (self->state.end != OPEVO_CROSSING_INTERRUPTED)
        self->state.end = OPEVO_CROSSING_OPEN;
}

void opevo_crossing_destroy(opevo_crossing *self)
{
    static const opevo_stop stops[] = {[OPEVO_CROSSING_OPEN] = OPEVO_STOP_INTERRUPTED,
                                       [OPEVO_CROSSING_CLOSED] = OPEVO_STOP_SEARCH_OVER,
                                       [OPEVO_CROSSING_TRIALS] = OPEVO_STOP_TRIALS,
                                       [OPEVO_CROSSING_SECONDS] = OPEVO_STOP_SECONDS,
                                       [OPEVO_CROSSING_LIMIT] = OPEVO_STOP_SEARCH_OVER,
                                       [OPEVO_CROSSING_INTERRUPTED] = OPEVO_STOP_INTERRUPTED};

    if (!self)
        return;
    for (size_t w = 0; w < self->workload_count; w++)
        (void)opevo_listed_end(self->workloads[w].run, stops[self->state.end], NULL);
    for (size_t c = 0; c < self->column_count; c++) {
        opevo_free(self->columns[c].text);
        opevo_free(self->columns[c].cells);
    }
    opevo_free(self->workloads);
    opevo_free(self->columns);
    opevo_free(self->regret);
    opevo_portfolio_free(&self->state.portfolio);
    opevo_free(self);
}

opevo_status opevo_crossing_add(opevo_crossing *self, opevo_objective *objective,
                                const opevo_run_options *run, opevo_error *err)
{
    workload one = {.objective = objective};
    opevo_status status = OPEVO_OK;

    if (!opevo_reserve((void **)&self->workloads, &self->workload_capacity,
                       self->workload_count + 1, sizeof *self->workloads))
        return fail_memory(err);
    status = opevo_listed_create(objective, run, &one.run, err);
    if (status == OPEVO_OK)
        self->workloads[self->workload_count++] = one;
    return status;
}

/* ---- What was measured ---- */

/* The counterparts of a configuration of a workload. */
static opevo_status carry_all(const opevo_crossing *self, size_t own, opevo_index point,
                              cell *cells, opevo_error *err)
{
    for (size_t w = 0; w < self->workload_count; w++) {
        opevo_status status = opevo_portfolio_carry(self->workloads[own].objective->space, point,
                                                    self->workloads[w].objective->space,
                                                    &cells[w].exists, &cells[w].point, err);

        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

/* What the others have measured at the counterparts of a new configuration. */
static void share(opevo_crossing *self, cell *cells)
{
    for (size_t w = 0; w < self->workload_count; w++) {
        for (size_t c = 0; c < self->column_count && cells[w].exists; c++) {
            const cell *other = &self->columns[c].cells[w];

            if (other->exists && other->point == cells[w].point && other->measured) {
                cells[w] = *other;
                break;
            }
        }
    }
}

static opevo_status add_column(opevo_crossing *self, size_t own, opevo_index point, char *text,
                               uint64_t hash, opevo_error *err)
{
    cell *cells = opevo_calloc(self->workload_count, sizeof *cells);
    opevo_status status = cells ? OPEVO_OK : fail_memory(err);

    if (status == OPEVO_OK)
        status = carry_all(self, own, point, cells, err);
    if (status == OPEVO_OK && !opevo_reserve((void **)&self->columns, &self->column_capacity,
                                             self->column_count + 1, sizeof *self->columns))
        status = fail_memory(err);
    if (status != OPEVO_OK) {
        opevo_free(cells);
        opevo_free(text);
        return status;
    }
    share(self, cells);
    self->columns[self->column_count++] = (column){.text = text, .hash = hash, .cells = cells};
    return OPEVO_OK;
}

static bool has_text(const opevo_crossing *self, const char *text, uint64_t hash)
{
    for (size_t c = 0; c < self->column_count; c++) {
        if (self->columns[c].hash == hash && !strcmp(self->columns[c].text, text))
            return true;
    }
    return false;
}

/* Of every configuration that is this point there. */
static void note_all(opevo_crossing *self, size_t own, const opevo_trial *trial)
{
    for (size_t c = 0; c < self->column_count; c++) {
        cell *one = &self->columns[c].cells[own];

        if (!one->exists || one->point != trial->proposal.point)
            continue;
        one->measured++;
        one->successes += trial->outcome.kind == OPEVO_OUTCOME_OK;
        one->sum += trial->outcome.kind == OPEVO_OUTCOME_OK ? trial->outcome.fitness : 0;
    }
}

opevo_status opevo_crossing_note(opevo_crossing *self, size_t own, const opevo_trial *trial,
                                 opevo_error *err)
{
    opevo_text text = {0};
    uint64_t hash = 0;
    opevo_status status = OPEVO_OK;

    if (trial->outcome.kind == OPEVO_OUTCOME_UNRECORDED)
        return OPEVO_OK;
    opevo_space_print(self->workloads[own].objective->space, trial->proposal.point, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    hash = opevo_hash_bytes(OPEVO_HASH_START, opevo_text_string(&text), text.length);
    if (!has_text(self, opevo_text_string(&text), hash)) {
        status = add_column(self, own, trial->proposal.point, text.data, hash, err);
        text = (opevo_text){0}; /* handed over */
        OPEVO_TRY(status);
    }
    note_all(self, own, trial);
cleanup:
    opevo_text_free(&text);
    return status;
}

static opevo_status evaluate(opevo_crossing *self, size_t own, opevo_index point, opevo_error *err)
{
    opevo_trial trial = {.number = 0};
    bool recalled = false;
    opevo_status status =
        opevo_listed_evaluate(self->workloads[own].run, point, &trial, &recalled, err);

    if (status != OPEVO_OK)
        return status;
    if (trial.number == 0) {
        self->state.end = OPEVO_CROSSING_INTERRUPTED;
        return OPEVO_OK;
    }
    self->state.trials++;
    self->state.resumed += recalled;
    self->state.failed += trial.outcome.kind != OPEVO_OUTCOME_OK;
    self->state.cost_s += opevo_outcome_cost_s(&trial.outcome);
    note_all(self, own, &trial);
    return OPEVO_OK;
}

/* Take all that the store has: it is of another portfolio or of searches that ended elsewhere. */
static opevo_status recall(opevo_crossing *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t w = 0; w < self->workload_count; w++) {
        for (bool any = true; any && self->state.end == OPEVO_CROSSING_OPEN;) {
            opevo_index point = 0;

            OPEVO_TRY(opevo_listed_stored(self->workloads[w].run, &any, &point, err));
            if (any)
                OPEVO_TRY(evaluate(self, w, point, err));
        }
    }
cleanup:
    return status;
}

/* ---- The matrix ---- */

double opevo_crossing_fitness(const opevo_crossing *self, size_t configuration, size_t own)
{
    const cell *one = &self->columns[configuration].cells[own];

    if (!one->exists)
        return 0;
    return one->successes ? one->sum / (double)one->successes : one->measured ? 0 : (double)NAN;
}

const char *opevo_crossing_text(const opevo_crossing *self, size_t configuration)
{
    return self->columns[configuration].text;
}

bool opevo_crossing_point(const opevo_crossing *self, size_t configuration, size_t own,
                          opevo_index *point)
{
    const cell *one = &self->columns[configuration].cells[own];

    *point = one->exists ? one->point : *point;
    return one->exists;
}

static opevo_status make_matrix(opevo_crossing *self, opevo_error *err)
{
    size_t rows = self->workload_count, columns = self->column_count;
    double *fitness = opevo_malloc(rows, (columns + 1) * sizeof *fitness);
    opevo_status status = OPEVO_OK;

    if (!fitness)
        return fail_memory(err);
    for (size_t w = 0; w < rows; w++) {
        bool any = false;

        for (size_t c = 0; c < columns; c++) {
            fitness[w * columns + c] = opevo_crossing_fitness(self, c, w);
            any = any || fitness[w * columns + c] > 0;
        }
        if (!any) {
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "No configuration of %.200s succeeded: a portfolio has nothing to "
                                "compare there.",
                                self->workloads[w].objective->name);
            goto cleanup;
        }
    }
    opevo_free(self->regret);
    self->regret = NULL;
    self->state.matrix = (opevo_portfolio_matrix){.regret = NULL};
    OPEVO_TRY(opevo_portfolio_regret(fitness, rows, columns, &self->regret, err));
    self->state.matrix = (opevo_portfolio_matrix){self->regret, rows, columns};
cleanup:
    opevo_free(fitness);
    return status;
}

static opevo_status find(opevo_crossing *self, opevo_error *err)
{
    opevo_status status = make_matrix(self, err);

    if (status != OPEVO_OK)
        return status;
    opevo_portfolio_free(&self->state.portfolio);
    return opevo_portfolio_find(&self->state.matrix, &self->options, &self->state.portfolio, err);
}

/* ---- Which cell ---- */

static double regret_at(const opevo_crossing *self, size_t own, size_t configuration)
{
    return self->regret[own * self->column_count + configuration];
}

/* The mean of what was measured of it. */
static double mean_regret(const opevo_crossing *self, size_t configuration)
{
    double sum = 0, count = 0;

    for (size_t w = 0; w < self->workload_count; w++) {
        double own = regret_at(self, w, configuration);

        sum += isnan(own) ? 0 : own;
        count += !isnan(own);
    }
    return count > 0 ? sum / count : 1;
}

/* What a workload would lose if nothing of the hopeful set that was not measured there were of use;
 * *configuration is the one of these with the least mean regret elsewhere. 0: all was measured. */
static double at_stake(const opevo_crossing *self, size_t own, size_t *configuration)
{
    const opevo_portfolio *found = &self->state.portfolio;
    double measured = 1, least = INFINITY;

    for (size_t i = 0; i < found->hopeful_count; i++) {
        size_t c = found->hopeful[i];
        double regret = regret_at(self, own, c);

        if (!isnan(regret)) {
            measured = fmin(measured, regret);
        } else if (mean_regret(self, c) < least) {
            least = mean_regret(self, c);
            *configuration = c;
        }
    }
    return isinf(least) ? 0 : measured;
}

/* False: nothing of the hopeful set is left to be measured. */
static bool choose_cell(const opevo_crossing *self, size_t *own, size_t *configuration)
{
    const double *weights = self->options.weights;
    double most = 0;

    for (size_t w = 0; w < self->workload_count; w++) {
        size_t which = 0;
        double stake =
            at_stake(self, w, &which) * (weights && !self->options.worst ? weights[w] : 1);

        if (stake > most) {
            most = stake;
            *own = w;
            *configuration = which;
        }
    }
    return most > 0;
}

/* ---- Steps ---- */

static opevo_crossing_end look_at_limits(const opevo_crossing *self)
{
    const opevo_crossing_state *state = &self->state;

    if (state->portfolio.value - state->portfolio.floor <= OPEVO_I_PORTFOLIO_CLOSE)
        return OPEVO_CROSSING_CLOSED;
    if (opevo_interrupt_is_raised(self->options.interrupt))
        return OPEVO_CROSSING_INTERRUPTED;
    if (self->trials_most && state->trials >= self->trials_most)
        return OPEVO_CROSSING_TRIALS;
    if (self->seconds_most > 0 && state->cost_s >= self->seconds_most)
        return OPEVO_CROSSING_SECONDS;
    return OPEVO_CROSSING_OPEN;
}

static opevo_status measure(opevo_crossing *self, opevo_error *err)
{
    size_t own = 0, configuration = 0;
    opevo_index stored = 0, wanted = 0;
    bool any = false;
    opevo_status status = OPEVO_OK;

    if (!choose_cell(self, &own, &configuration)) {
        self->state.end = OPEVO_CROSSING_LIMIT;
        return OPEVO_OK;
    }
    wanted = self->columns[configuration].cells[own].point;
    OPEVO_TRY(opevo_listed_stored(self->workloads[own].run, &any, &stored, err));
    status = any && stored != wanted ? recall(self, err) : evaluate(self, own, wanted, err);
cleanup:
    return status;
}

opevo_status opevo_crossing_step(opevo_crossing *self, opevo_crossing_end *end, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(find(self, err));
    if (self->state.end == OPEVO_CROSSING_OPEN)
        self->state.end = look_at_limits(self);
    if (self->state.end == OPEVO_CROSSING_OPEN)
        OPEVO_TRY(measure(self, err));
    *end = self->state.end;
cleanup:
    return status;
}

const opevo_crossing_state *opevo_crossing_state_of(const opevo_crossing *self)
{
    return &self->state;
}
