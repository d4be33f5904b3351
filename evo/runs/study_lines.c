/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a plan to its lines: every combination once, in the order that gives the runs their numbers.
 */

#include "study_parts_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <stdlib.h>
#include <string.h>

#define RUNS_MAX ((opevo_index)1 << 40)

static opevo_status fail_memory(const opevo_plan *plan, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the runs of %s.", plan->path);
}

static const opevo_i_study_axes *topologies_of(const opevo_plan *plan, size_t objective)
{
    const opevo_i_study_plan_objective *self = &plan->objectives[objective];

    return self->own_topologies ? &self->topologies : &plan->topologies;
}

/* ---- One line ------------------------------------------------------------------------------- */

/* Where a line stands in the plan. */
typedef struct place {
    size_t objective, tuner, budget;
    uint64_t settings, topologies;
    bool is_twin;
} place;

/* By what the runs of the line search, and what they require. */
static opevo_status set_search(const opevo_plan *plan, const place *at, opevo_study_line *line,
                               opevo_error *err)
{
    const opevo_i_study_plan_objective *entry = &plan->objectives[at->objective];
    const opevo_search_defaults *defaults = line->objective->defaults;
    const char *criteria = entry->criteria.length ? entry->criteria.data
                           : defaults             ? defaults->criteria
                                                  : NULL;
    opevo_error inner = {OPEVO_OK, ""};

    line->criteria = opevo_criteria_fitness();
    if (criteria && opevo_criteria_parse(line->objective, criteria, &line->criteria, &inner))
        return opevo_i_study_plan_fail(err, plan->path, entry->where, "criteria: %s",
                                       inner.message);
    line->requirements = opevo_calloc(entry->requirement_count, sizeof *line->requirements);
    if (!line->requirements)
        return fail_memory(plan, err);
    for (size_t i = 0; i < entry->requirement_count; i++) {
        if (opevo_requirement_parse(line->objective, entry->requirements[i], &line->requirements[i],
                                    &inner))
            return opevo_i_study_plan_fail(err, plan->path, entry->where, "require: %s",
                                           inner.message);
    }
    line->requirement_count = entry->requirement_count;
    return OPEVO_OK;
}

/* The settings, and what else tells runs of one tuner on one objective apart. */
static opevo_status print_settings(const opevo_plan *plan, const place *at, opevo_study_line *line,
                                   opevo_error *err)
{
    const opevo_i_study_axes *axes = topologies_of(plan, at->objective);
    const char *space = plan->objectives[at->objective].space;
    const char *slash = space ? strrchr(space, '/') : NULL;
    opevo_text text = {0};
    size_t length = 0;

    opevo_run_print_settings(line->objective,
                             &(opevo_run_options){.tuner = line->tuner,
                                                  .settings = line->settings,
                                                  .criteria = &line->criteria,
                                                  .requirements = line->requirements,
                                                  .requirement_count = line->requirement_count},
                             &text);
    length = text.length;
    if (space)
        opevo_text_printf(&text, "%sspace=%s", text.length ? " " : "", slash ? slash + 1 : space);
    for (size_t i = 0; i < axes->count; i++)
        opevo_text_printf(&text, "%s%s:%s",
                          i             ? ","
                          : text.length ? " " OPEVO_I_TOPOLOGY
                                        : OPEVO_I_TOPOLOGY,
                          axes->items[i].key, opevo_i_study_axes_value(axes, at->topologies, i));
    opevo_i_study_plan_print_starts(&plan->objectives[at->objective], &text);
    opevo_i_study_plan_print_with(&plan->objectives[at->objective], &text);
    if (at->is_twin)
        opevo_text_add(&text, text.length ? " " OPEVO_TWIN_WORD : OPEVO_TWIN_WORD);
    opevo_text_add(&text, ""); /* a text in any case */
    if (opevo_text_check(&text, err) != OPEVO_OK) {
        opevo_text_free(&text);
        return OPEVO_NOMEM;
    }
    line->settings_text = text.data;
    line->settings_more = text.data + length;
    return OPEVO_OK;
}

static opevo_status set_settings(const opevo_plan *plan, const place *at, opevo_study_line *line,
                                 opevo_error *err)
{
    const opevo_i_study_axes *axes = &plan->tuners[at->tuner].settings;
    const opevo_search_defaults *defaults = line->objective->defaults;
    opevo_status status = OPEVO_OK;
    opevo_text assignment = {0};

    line->settings = opevo_calloc(line->tuner->setting_count, sizeof *line->settings);
    if (!line->settings)
        return fail_memory(plan, err);
    OPEVO_TRY(opevo_settings_default_on(line->tuner, defaults ? defaults->settings : NULL,
                                        line->settings, err));
    for (size_t i = 0; i < axes->count; i++) {
        opevo_text_clear(&assignment);
        opevo_text_printf(&assignment, "%s=%s", axes->items[i].key,
                          opevo_i_study_axes_value(axes, at->settings, i));
        OPEVO_TRY(opevo_text_check(&assignment, err));
        OPEVO_TRY(opevo_settings_set(line->tuner, assignment.data, line->settings, err));
    }
cleanup:
    opevo_text_free(&assignment);
    return status;
}

static opevo_status set_budget(const opevo_plan *plan, const place *at, opevo_study_line *line,
                               opevo_error *err)
{
    const opevo_i_study_plan_budget *budget = &plan->budgets[at->budget];
    const char *unit = line->objective->unit;
    opevo_status status = OPEVO_OK;

    line->budget_text = budget->text;
    line->budget = (opevo_budget){budget->trials, budget->seconds, budget->target};
    if (!budget->target_is_share) {
        line->budget.target = budget->target > 0 ? opevo_unit_fitness(unit, budget->target) : 0;
        if (budget->target > 0 && opevo_unit_is_time(unit))
            status = opevo_i_study_plan_print_budget(plan, budget, opevo_unit_name(unit),
                                                     &line->own_budget_text, err);
        if (line->own_budget_text)
            line->budget_text = line->own_budget_text;
        return status;
    }
    if (!(line->note.optimum > 0))
        return opevo_i_study_plan_fail(err, plan->path, budget->where,
                                       "the optimum of %s is unknown: give the target as a result.",
                                       line->objective->name);
    line->budget.target = opevo_fitness_share(budget->target, line->note.optimum);
    return OPEVO_OK;
}

/* Fill the line; what it holds is released with the study also after a failure. */
static opevo_status make_line(const opevo_plan *plan, const place *at, opevo_objective *objective,
                              const opevo_objective_note *note, opevo_study_line *line,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *line = (opevo_study_line){.objective = objective,
                               .note = *note,
                               .tuner = plan->tuners[at->tuner].ops,
                               .place = at->objective,
                               .is_twin = at->is_twin};
    OPEVO_TRY(set_settings(plan, at, line, err));
    OPEVO_TRY(set_search(plan, at, line, err));
    OPEVO_TRY(print_settings(plan, at, line, err));
    OPEVO_TRY(set_budget(plan, at, line, err));
cleanup:
    return status;
}

/* Whether the tuner can begin at all. */
static opevo_status try_tuner(const opevo_study *study, const place *at,
                              const opevo_study_line *line, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_tuner *tuner = NULL;
    opevo_status status = line->objective->space
                              ? opevo_tuner_create(line->tuner, line->objective->space,
                                                   line->settings, 0, &tuner, &inner)
                              : opevo_tuner_create_on(line->tuner, line->objective->domain,
                                                      line->settings, 0, &tuner, &inner);

    if (status == OPEVO_OK)
        status = opevo_tuner_use_features(tuner, line->objective->features, &inner);
    if (status == OPEVO_OK)
        status = opevo_tuner_use_trees(tuner, line->objective->trees, &inner);
    opevo_tuner_destroy(tuner);
    if (status == OPEVO_OK || status == OPEVO_NOMEM)
        return status == OPEVO_OK ? OPEVO_OK : fail_memory(study->plan, err);
    return opevo_i_study_plan_fail(err, study->plan->path, study->plan->tuners[at->tuner].where,
                                   "%s on %s: %s", line->tuner->name, line->objective->name,
                                   inner.message);
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* Lines that an objective adds; 0 where they are too many. */
static opevo_index lines_of(const opevo_plan *plan, size_t objective)
{
    opevo_index topologies = opevo_i_study_axes_combinations(topologies_of(plan, objective));
    opevo_index sum = 0;

    for (size_t i = 0; i < plan->tuner_count; i++) {
        uint64_t settings = opevo_i_study_axes_combinations(&plan->tuners[i].settings);

        if (settings == 0)
            return 0;
        sum += settings;
    }
    return sum * topologies * plan->budget_count * (plan->twins ? 2 : 1);
}

static opevo_status count_lines(const opevo_plan *plan, size_t *lines, size_t *shapes,
                                opevo_error *err)
{
    opevo_index sum = 0;

    *shapes = 0;
    for (size_t i = 0; i < plan->objective_count; i++) {
        opevo_index count = lines_of(plan, i);

        sum += count;
        if (count == 0 || sum > RUNS_MAX / plan->seed_count)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "%s has more than 2^40 runs: use fewer combinations or seeds.",
                              plan->path);
        if (topologies_of(plan, i)->count)
            *shapes += (size_t)opevo_i_study_axes_combinations(topologies_of(plan, i));
    }
    *lines = (size_t)sum;
    return OPEVO_OK;
}

static opevo_status add_line(opevo_study *study, place at, opevo_objective *objective,
                             const opevo_objective_note *note, opevo_error *err)
{
    const opevo_i_study_plan_objective *entry = &study->plan->objectives[at.objective];
    opevo_study_line *line = &study->lines[study->line_count];

    study->plan->line_starts[study->line_count++] = entry->start_count ? &entry->starts : NULL;
    return make_line(study->plan, &at, objective, note, line, err);
}

/* The lines of one tuner entry on one objective. shapes[t] is the objective with topologies t. */
static opevo_status add_tuner(opevo_study *study, place at, opevo_objective *const *shapes,
                              const opevo_objective_note *note, opevo_error *err)
{
    const opevo_plan *plan = study->plan;
    uint64_t settings = opevo_i_study_axes_combinations(&plan->tuners[at.tuner].settings);
    uint64_t topologies = opevo_i_study_axes_combinations(topologies_of(plan, at.objective));

    for (at.settings = 0; at.settings < settings; at.settings++) {
        for (at.topologies = 0; at.topologies < topologies; at.topologies++) {
            for (at.budget = 0; at.budget < plan->budget_count; at.budget++) {
                opevo_status status = add_line(study, at, shapes[at.topologies], note, err);

                if (status == OPEVO_OK && at.budget == 0)
                    status = try_tuner(study, &at, &study->lines[study->line_count - 1], err);
                at.is_twin = plan->twins;
                if (status == OPEVO_OK && at.is_twin)
                    status = add_line(study, at, shapes[at.topologies], note, err);
                at.is_twin = false;
                if (status != OPEVO_OK)
                    return status;
            }
        }
    }
    return OPEVO_OK;
}

/* What needs parameters says nothing of other candidates. */
static opevo_status check_without_space(const opevo_study *study, size_t which,
                                        const opevo_objective *objective, opevo_error *err)
{
    const opevo_i_study_plan_objective *entry = &study->plan->objectives[which];
    const char *key = entry->space                               ? "space"
                      : entry->start_count                       ? "start"
                      : topologies_of(study->plan, which)->count ? "topologies"
                                                                 : NULL;

    if (!key)
        return OPEVO_OK;
    return opevo_i_study_plan_fail(err, study->plan->path, entry->where,
                                   "%s requires a search space, which %s does not have%s.", key,
                                   objective->name,
                                   strcmp(key, "topologies") != 0 || entry->own_topologies
                                       ? ""
                                       : "; give the other objectives their own");
}

static opevo_status add_objective(opevo_study *study, size_t which,
                                  const opevo_study_objective *given, opevo_error *err)
{
    const opevo_i_study_axes *axes = topologies_of(study->plan, which);
    opevo_objective *plain = given->objective;
    opevo_objective *const *shapes = &plain;
    opevo_status status = OPEVO_OK;

    if (!plain->space)
        OPEVO_TRY(check_without_space(study, which, plain, err));
    if (study->plan->objectives[which].start_count > 0)
        OPEVO_TRY(opevo_i_study_plan_set_starts(study->plan, &study->plan->objectives[which], plain,
                                                err));
    if (axes->count) {
        uint64_t count = opevo_i_study_axes_combinations(axes);

        shapes = study->reshaped + study->reshaped_count;
        for (uint64_t t = 0; t < count; t++) {
            status = opevo_i_study_reshape(plain, axes, t, study->plan->path,
                                           &study->reshaped[study->reshaped_count], err);
            if (status != OPEVO_OK)
                return status;
            study->reshaped_count++;
        }
    }
    for (size_t i = 0; status == OPEVO_OK && i < study->plan->tuner_count; i++)
        status =
            add_tuner(study, (place){.objective = which, .tuner = i}, shapes, &given->note, err);
cleanup:
    return status;
}

/* ---- The same run twice --------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
    const opevo_study_line *x = *(const opevo_study_line *const *)a;
    const opevo_study_line *y = *(const opevo_study_line *const *)b;
    int order = strcmp(x->objective->name, y->objective->name);

    order = order ? order : strcmp(x->tuner->name, y->tuner->name);
    order = order ? order : strcmp(x->settings_text, y->settings_text);
    return order ? order : strcmp(x->budget_text, y->budget_text);
}

static opevo_status check_different(const opevo_study *study, opevo_error *err)
{
    const opevo_study_line **sorted = opevo_malloc(study->line_count, sizeof(void *));
    opevo_status status = OPEVO_OK;

    if (!sorted)
        return fail_memory(study->plan, err);
    for (size_t i = 0; i < study->line_count; i++)
        sorted[i] = &study->lines[i];
    qsort(sorted, study->line_count, sizeof(void *), compare_lines);
    for (size_t i = 1; i < study->line_count && status == OPEVO_OK; i++) {
        const opevo_study_line *line = sorted[i];
        bool same = line->objective->signature == sorted[i - 1]->objective->signature;

        if (compare_lines(&sorted[i - 1], &sorted[i]) == 0)
            status = opevo_i_study_plan_fail(
                err, study->plan->path, "", "tuner %s with %s%s%s on %s appears twice%s",
                line->tuner->name, line->settings_text, *line->settings_text ? " " : "",
                line->budget_text, line->objective->name,
                same ? ": leave one out."
                     : ", on two objectives of this name: give each program a \"name\", or leave "
                       "one out.");
    }
    opevo_free(sorted);
    return status;
}

/* ---- The study ------------------------------------------------------------------------------ */

opevo_status opevo_study_create(opevo_plan *plan, const opevo_study_objective *objectives,
                                opevo_study **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_study *study = NULL;
    size_t lines = 0;
    size_t shapes = 0;

    OPEVO_TRY(count_lines(plan, &lines, &shapes, err));
    study = opevo_calloc(1, sizeof *study);
    if (!study)
        return fail_memory(plan, err);
    study->plan = plan;
    study->plan_alpha = plan->alpha;
    study->seeds = plan->seeds;
    study->seed_count = plan->seed_count;
    study->lines = opevo_calloc(lines, sizeof *study->lines);
    study->reshaped = opevo_calloc(shapes, sizeof(opevo_objective *));
    opevo_free(plan->line_starts); /* of a study that failed */
    plan->line_starts = opevo_calloc(lines, sizeof(void *));
    if (!study->lines || !study->reshaped || !plan->line_starts) {
        status = fail_memory(plan, err);
        goto cleanup;
    }
    for (size_t i = 0; i < plan->objective_count; i++)
        OPEVO_TRY(add_objective(study, i, &objectives[i], err));
    OPEVO_TRY(check_different(study, err));
    *out = study;
    return OPEVO_OK;
cleanup:
    if (study)
        study->plan = NULL; /* stays the caller's */
    opevo_study_destroy(study);
    return status;
}

void opevo_study_destroy(opevo_study *study)
{
    if (!study)
        return;
    for (size_t i = 0; study->lines && i < study->line_count; i++) {
        opevo_free(study->lines[i].settings);
        opevo_free(study->lines[i].requirements);
        opevo_free(study->lines[i].settings_text);
        opevo_free(study->lines[i].own_budget_text);
    }
    for (size_t i = 0; study->reshaped && i < study->reshaped_count; i++)
        opevo_objective_destroy(study->reshaped[i]);
    opevo_free(study->lines);
    opevo_free(study->reshaped);
    opevo_plan_destroy(study->plan);
    opevo_free(study);
}

uint64_t opevo_study_run_count(const opevo_study *study)
{
    return (uint64_t)study->line_count * study->seed_count;
}

uint64_t opevo_study_seed(const opevo_study *study, uint64_t number)
{
    uint64_t seed = study->seeds[number / study->line_count];

    return study->lines[number % study->line_count].is_twin ? seed + OPEVO_TWIN_SEEDS : seed;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Runs are dealt out by number, which makes shares equal. After each common multiple of lines and
 * shares one share is passed over, or a share would have the same lines again. */
bool opevo_shard_has(opevo_shard shard, const opevo_study *study, uint64_t number)
{
    uint64_t round = 0;

    if (shard.count < 2)
        return true;
    round = study->line_count / common_divisor(study->line_count, shard.count) * shard.count;
    return (number + number / round) % shard.count == shard.index;
}

opevo_status opevo_i_study_shard_numbers(const opevo_study *study, opevo_shard shard,
                                         uint64_t **out, size_t *count, opevo_error *err)
{
    uint64_t runs = opevo_study_run_count(study);
    uint64_t *numbers = NULL;
    size_t capacity = 0;

    for (uint64_t k = 0; k < runs; k++)
        capacity += opevo_shard_has(shard, study, k);
    numbers = opevo_malloc(capacity, sizeof *numbers);
    if (!numbers)
        return fail_memory(study->plan, err);
    *count = 0;
    for (uint64_t k = 0; k < runs; k++) {
        if (opevo_shard_has(shard, study, k))
            numbers[(*count)++] = k;
    }
    *out = numbers;
    return OPEVO_OK;
}
