/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names of outcomes, and the calls of an objective through its table of functions. */

#include <opevo/objective.h>

#include "port_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>
#include <opevo/version.h>

#include <math.h>
#include <string.h>

enum {
    COMPUTED_WANTED = 64, /* enough for all threads of a batch */
    AHEAD = 32,           /* for each of those wanted */
    LEAST_AHEAD = 64
};

typedef struct class_row {
    const char *name;
    const char *meaning;
} class_row;

static const class_row classes[OPEVO_OUTCOME_CLASS_COUNT] = {
#define CLASS_ROW(suffix, name, meaning) {name, meaning},
    OPEVO_OUTCOME_LIST(CLASS_ROW)
#undef CLASS_ROW
};

const char *opevo_outcome_name(opevo_outcome_class kind)
{
    return classes[kind].name;
}

const char *opevo_outcome_meaning(opevo_outcome_class kind)
{
    return classes[kind].meaning;
}

bool opevo_outcome_parse(const char *name, opevo_outcome_class *kind)
{
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        if (!strcmp(classes[i].name, name)) {
            *kind = (opevo_outcome_class)i;
            return true;
        }
    }
    return false;
}

opevo_outcome opevo_outcome_failed(opevo_outcome_class kind)
{
    return (opevo_outcome){.kind = kind, .time_s = NAN, .more = {NAN, NAN, NAN}};
}

opevo_outcome opevo_outcome_of_fitness(double fitness)
{
    return (opevo_outcome){.fitness = fitness, .time_s = NAN, .more = {NAN, NAN, NAN}};
}

opevo_outcome opevo_outcome_of_time(double time_s)
{
    return (opevo_outcome){.fitness = 1 / time_s, .time_s = time_s, .more = {NAN, NAN, NAN}};
}

double opevo_outcome_cost_s(const opevo_outcome *outcome)
{
    return outcome->build_s + outcome->run_s + outcome->check_s + outcome->other_s;
}

opevo_status opevo_i_port_reserved_check(void (*const *reserved)(void), size_t count,
                                         const char *kind, const char *name, opevo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (reserved[i])
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The %s %s has a function that opevo " OPEVO_VERSION
                              " does not know: "
                              "run it with the libopevo that it was compiled for.",
                              kind, name);
    }
    return OPEVO_OK;
}

opevo_status opevo_objective_check(const opevo_objective *objective, opevo_error *err)
{
    const opevo_objective_ops *ops = objective->ops;
    const opevo_domain *domain = objective->domain;
    opevo_status status =
        opevo_i_port_reserved_check(ops->reserved, sizeof ops->reserved / sizeof *ops->reserved,
                                    "objective", objective->name, err);

    if (status == OPEVO_OK && domain)
        status = opevo_i_port_reserved_check(domain->ops->reserved, OPEVO_RESERVED, "domain",
                                             domain->name, err);
    return status;
}

size_t opevo_objective_wanted(const opevo_objective *objective)
{
    if (objective->wanted > 0)
        return objective->wanted;
    return objective->concurrent ? COMPUTED_WANTED : 1;
}

size_t opevo_objective_ahead(const opevo_objective *objective)
{
    size_t ahead = AHEAD * opevo_objective_wanted(objective);

    return ahead > LEAST_AHEAD ? ahead : LEAST_AHEAD;
}

double opevo_objective_time_s(const opevo_objective *objective, double fitness)
{
    const char *unit = opevo_unit_of_fitness(objective->unit);

    if (!strcmp(unit, "1/s"))
        return 1 / fitness;
    if (!strcmp(unit, "GFLOP/s") && objective->flop > 0)
        return objective->flop / fitness / 1e9;
    return NAN;
}

static opevo_status keep(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    (void)err;
    ((opevo_outcome *)context)[i] = *outcome;
    return OPEVO_OK;
}

opevo_status opevo_objective_evaluate(opevo_objective *objective, const opevo_index *points,
                                      size_t count, opevo_outcome *outcomes, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (count == 0)
        return OPEVO_OK;
    if (opevo_objective_is_external(objective))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "The outcomes of %.200s come from the caller: ask a session for trials and "
            "tell it their outcomes.",
            objective->name);
    if (!objective->ops->evaluate)
        return opevo_objective_measure(objective, points, count, NULL, keep, outcomes, err);
    status = objective->ops->evaluate(objective, points, count, outcomes, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        opevo_i_port_outcome_clean(objective, &outcomes[i]);
    return OPEVO_OK;
}

typedef struct receiver {
    const opevo_objective *objective;
    opevo_outcome_sink sink;
    void *context;
} receiver;

static opevo_status pass_on(void *context, size_t i, const opevo_outcome *outcome, opevo_error *err)
{
    const receiver *self = context;
    opevo_outcome cleaned = *outcome;

    opevo_i_port_outcome_clean(self->objective, &cleaned);
    return self->sink(self->context, i, &cleaned, err);
}

opevo_status opevo_objective_measure(opevo_objective *objective, const opevo_index *points,
                                     size_t count, const opevo_interrupt *interrupt,
                                     opevo_outcome_sink sink, void *sink_context, opevo_error *err)
{
    receiver self = {.objective = objective, .sink = sink, .context = sink_context};
    opevo_status status = OPEVO_OK;

    if (objective->ops->measure && count > 0)
        return objective->ops->measure(objective, points, count, interrupt, pass_on, &self, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_outcome outcome;

        if (opevo_interrupt_is_raised(interrupt))
            return OPEVO_FAIL(err, OPEVO_INTERRUPTED, "Measuring was interrupted.");
        status = opevo_objective_evaluate(objective, &points[i], 1, &outcome, err);
        if (status == OPEVO_OK)
            status = sink(sink_context, i, &outcome, err);
    }
    return status;
}

/* A batch of points, of which the first is number `first` of all. */
typedef struct batch {
    size_t first;
    opevo_outcome_sink sink;
    void *context;
} batch;

static opevo_status hand_over(void *context, size_t i, const opevo_outcome *outcome,
                              opevo_error *err)
{
    const batch *self = context;

    return self->sink(self->context, self->first + i, outcome, err);
}

/* As many points as there are, at most `capacity`. */
static opevo_status fill(const opevo_point_source *source, opevo_index *points, size_t capacity,
                         size_t *count, bool *over, opevo_error *err)
{
    size_t more = 1;

    for (*count = 0; more > 0 && *count < capacity && !*over; *count += more) {
        opevo_status status =
            source->next(source->context, points + *count, capacity - *count, &more, over, err);

        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

static opevo_status measure_batches(opevo_objective *objective, const opevo_point_source *source,
                                    const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                                    void *sink_context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t wanted = opevo_objective_wanted(objective);
    opevo_index *points = opevo_malloc(wanted, sizeof *points);
    batch now = {.sink = sink, .context = sink_context};
    size_t count = 1;
    bool over = false;

    OPEVO_NEED_OR_RETURN(points, "batches of %zu points", wanted);
    while (count > 0 && !over) {
        OPEVO_TRY(fill(source, points, wanted, &count, &over, err));
        if (count > 0 && !over)
            OPEVO_TRY(
                opevo_objective_measure(objective, points, count, interrupt, hand_over, &now, err));
        now.first += count;
    }
cleanup:
    opevo_free(points);
    return status;
}

opevo_status opevo_objective_measure_from(opevo_objective *objective,
                                          const opevo_point_source *source,
                                          const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                                          void *sink_context, opevo_error *err)
{
    receiver self = {.objective = objective, .sink = sink, .context = sink_context};

    if (objective->ops->measure_from)
        return objective->ops->measure_from(objective, source, interrupt, pass_on, &self, err);
    return measure_batches(objective, source, interrupt, sink, sink_context, err);
}

opevo_status opevo_objective_measure_rounds(opevo_objective *objective, const opevo_rounds *rounds,
                                            double *fitness, opevo_text *library, opevo_error *err)
{
    if (!objective->ops->measure_rounds || rounds->count < 2 || rounds->rounds < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Finals need an objective that measures, two finalists and a round.");
    return objective->ops->measure_rounds(objective, rounds, fitness, library, err);
}

void opevo_objective_note_best(opevo_objective *objective, double fitness)
{
    if (objective->ops->note_best)
        objective->ops->note_best(objective, fitness);
}

const opevo_measurer *opevo_objective_measurer(const opevo_objective *objective)
{
    return objective->measurer && objective->measurer->command ? objective->measurer : NULL;
}

bool opevo_objective_worker(const opevo_objective *objective, size_t i, opevo_worker_facts *out)
{
    return objective->ops->worker && objective->ops->worker(objective, i, out);
}

const double *opevo_objective_processor_times(const opevo_objective *objective,
                                              const opevo_outcome *outcome)
{
    return objective->ops->processor_times ? objective->ops->processor_times(objective, outcome)
                                           : NULL;
}

opevo_status opevo_objective_optimum(opevo_objective *objective, opevo_optimum *out,
                                     opevo_error *err)
{
    if (objective->ops->optimum)
        return objective->ops->optimum(objective, out, err);
    *out = (opevo_optimum){.known = false};
    return OPEVO_OK;
}

void opevo_objective_destroy(opevo_objective *objective)
{
    if (objective)
        objective->ops->destroy(objective);
}
