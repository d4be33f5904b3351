/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading a plan file. It is strict: what is not understood is refused, with the path of the key,
 * for a misspelt key that is passed over would give another study than the one that was meant. */

#include "study_plan_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/tuners.h>

#include <gsl/gsl_sort_ulong.h>

#include <math.h>
#include <string.h>

#define PLAN_BYTES_MAX ((size_t)16 << 20) /* of JSON, which takes some twenty times its size */

static opevo_status no_memory(const char *path, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
}

/* ---- Objectives ----------------------------------------------------------------------------- */

typedef struct objective_entry {
    json_t *on, *what, *criteria, *require, *start, *topologies; /* NULL: absent */
    const char *space;
    bool only_recorded;
} objective_entry;

static const opevo_json_field objective_fields[] = {
    OPEVO_JSON_FIELD(objective_entry, on, TEXTS, .required = true, .least = 1),
    OPEVO_JSON_FIELD(objective_entry, what, TEXTS, .least = 1),
    OPEVO_JSON_FIELD(objective_entry, space, TEXT, .least = 1),
    {"only-recorded", OPEVO_JSON_FLAG, .offset = offsetof(objective_entry, only_recorded)},
    OPEVO_JSON_FIELD(objective_entry, topologies, OBJECT),
    OPEVO_JSON_FIELD(objective_entry, criteria, TEXTS, .least = 1),
    OPEVO_JSON_FIELD(objective_entry, require, TEXTS, .least = 1),
    OPEVO_JSON_FIELD(objective_entry, start, TEXTS, .least = 1),
};

static opevo_status add_objective(opevo_plan *plan, const opevo_json_reader *at, const char *on,
                                  const char *what, const char *space, opevo_error *err)
{
    opevo_i_study_plan_objective *grown =
        opevo_realloc(plan->objectives, plan->objective_count + 1, sizeof *grown);
    opevo_i_study_plan_objective *made = NULL;

    if (!grown)
        return no_memory(plan->path, err);
    plan->objectives = grown;
    made = &grown[plan->objective_count++];
    *made = (opevo_i_study_plan_objective){.on = opevo_strdup(on),
                                           .what = what ? opevo_strdup(what) : NULL,
                                           .space = space ? opevo_strdup(space) : NULL,
                                           .where = opevo_json_path(at)};
    if (!made->on || !made->where || (what && !made->what) || (space && !made->space))
        return no_memory(plan->path, err);
    return OPEVO_OK;
}

/* All but what it is: how it is measured, what is searched for, and from where. */
static opevo_status read_rest(const opevo_json_reader *at, const objective_entry *entry,
                              opevo_i_study_plan_objective *self, opevo_error *err)
{
    opevo_json_reader topologies = opevo_json_member(at, "topologies");
    opevo_status status = OPEVO_OK;

    self->only_recorded = entry->only_recorded;
    OPEVO_TRY(opevo_i_study_plan_read_options(at, self, err));
    for (size_t i = 0; i < opevo_json_text_count(entry->criteria); i++)
        opevo_text_printf(&self->criteria, "%s%s", i ? "," : "",
                          opevo_json_text_at(entry->criteria, i));
    OPEVO_TRY(opevo_text_check(&self->criteria, err));
    OPEVO_TRY(opevo_i_study_plan_copy_texts(at, entry->require, &self->requirements,
                                            &self->requirement_count, err));
    OPEVO_TRY(opevo_i_study_plan_copy_texts(at, entry->start, &self->start_texts,
                                            &self->start_count, err));
    self->own_topologies = entry->topologies != NULL;
    if (entry->topologies)
        OPEVO_TRY(opevo_i_study_plan_axes(&topologies, &self->topologies, err));
cleanup:
    return status;
}

/* One entry: each "on" with each "what". */
static opevo_status read_objective(opevo_plan *plan, const opevo_json_reader *at, opevo_error *err)
{
    static const char *const keys[] = {
        "on",       "what",    "space", "only-recorded",      "topologies",
        "criteria", "require", "start", OPEVO_I_PLAN_OPTIONS, NULL};
    objective_entry entry = {.on = NULL};
    size_t first = plan->objective_count, what_count = 0;
    opevo_status status = OPEVO_OK;

    if (json_is_string(at->value))
        return add_objective(plan, at, json_string_value(at->value), NULL, NULL, err);
    OPEVO_TRY(opevo_json_keys(at, keys, "a string or an object", err));
    OPEVO_TRY(opevo_json_read_some(
        at, objective_fields, sizeof objective_fields / sizeof *objective_fields, &entry, err));
    what_count = opevo_json_text_count(entry.what);
    for (size_t i = 0; i < opevo_json_text_count(entry.on); i++) {
        for (size_t k = 0; k < (what_count ? what_count : 1); k++)
            OPEVO_TRY(add_objective(plan, at, opevo_json_text_at(entry.on, i),
                                    what_count ? opevo_json_text_at(entry.what, k) : NULL,
                                    entry.space, err));
    }
    for (size_t i = first; i < plan->objective_count; i++)
        OPEVO_TRY(read_rest(at, &entry, &plan->objectives[i], err));
cleanup:
    return status;
}

static opevo_status read_objectives(opevo_plan *plan, const opevo_json_reader *list,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(list->value); i++) {
        opevo_json_reader entry = opevo_json_element(list, i);

        status = read_objective(plan, &entry, err);
    }
    return status;
}

/* ---- Tuners --------------------------------------------------------------------------------- */

/* Every value of every setting must be one that the tuner takes. */
static opevo_status check_settings(const opevo_plan *plan, const opevo_i_study_plan_tuner *tuner,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_setting_value *values = opevo_calloc(tuner->ops->setting_count, sizeof *values);
    opevo_text assignment = {0};
    opevo_error inner = {OPEVO_OK, ""};

    if (!values)
        return no_memory(plan->path, err);
    for (size_t i = 0; i < tuner->settings.count; i++) {
        const opevo_i_study_axis *axis = &tuner->settings.items[i];

        for (size_t k = 0; k < axis->count; k++) {
            opevo_text_clear(&assignment);
            opevo_text_printf(&assignment, "%s=%s", axis->key, axis->values[k]);
            OPEVO_TRY(opevo_text_check(&assignment, err));
            if (opevo_settings_set(tuner->ops, assignment.data, values, &inner)) {
                status = opevo_i_study_plan_fail(err, plan->path, axis->where, "%s", inner.message);
                goto cleanup;
            }
        }
    }
cleanup:
    opevo_text_free(&assignment);
    opevo_free(values);
    return status;
}

typedef struct tuner_entry {
    const char *tuner;
    json_t *settings;
} tuner_entry;

static const opevo_json_field tuner_fields[] = {OPEVO_JSON_FIELD(tuner_entry, tuner, TEXT),
                                                OPEVO_JSON_FIELD(tuner_entry, settings, OBJECT)};

static opevo_status read_tuner(opevo_plan *plan, const opevo_json_reader *at, opevo_error *err)
{
    opevo_i_study_plan_tuner *self = &plan->tuners[plan->tuner_count++];
    tuner_entry entry = {.tuner = json_string_value(at->value)};
    opevo_json_reader settings = opevo_json_member(at, "settings");
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    self->where = opevo_json_path(at);
    if (!self->where)
        return no_memory(plan->path, err);
    if (json_is_object(at->value))
        OPEVO_TRY(opevo_json_read(at, tuner_fields, 2, &entry, err));
    if (!entry.tuner)
        return opevo_json_fail(at, err, "name the tuner, as in {\"tuner\": \"opevo\"}.");
    if (opevo_tuner_find(entry.tuner, &self->ops, &inner))
        return opevo_json_fail(at, err, "%s", inner.message);
    if (entry.settings)
        OPEVO_TRY(opevo_i_study_plan_axes(&settings, &self->settings, err));
    OPEVO_TRY(check_settings(plan, self, err));
cleanup:
    return status;
}

static opevo_status read_tuners(opevo_plan *plan, const opevo_json_reader *list, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    plan->tuners = opevo_calloc(json_array_size(list->value), sizeof *plan->tuners);
    if (!plan->tuners)
        return no_memory(plan->path, err);
    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(list->value); i++) {
        opevo_json_reader entry = opevo_json_element(list, i);

        status = read_tuner(plan, &entry, err);
    }
    return status;
}

/* ---- Budgets -------------------------------------------------------------------------------- */

static opevo_status read_target(const opevo_json_reader *at, opevo_i_study_plan_budget *out,
                                opevo_error *err)
{
    const json_t *value = at->value;
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    size_t length = strlen(text);
    char number[64] = "";

    if (json_is_number(value)) {
        out->target = json_number_value(value);
        if (out->target > 0)
            return OPEVO_OK;
    } else if (length > 1 && length < sizeof number && text[length - 1] == '%') {
        memcpy(number, text, length - 1);
        if (opevo_parse_double(number, &out->target) && out->target > 0 && out->target <= 100) {
            out->target /= 100;
            out->target_is_share = true;
            return OPEVO_OK;
        }
    }
    return opevo_json_fail(at, err,
                           "must be a result above 0 or a share of the optimum, such as \"95%%\".");
}

opevo_status opevo_i_study_plan_print_budget(const opevo_plan *plan,
                                             const opevo_i_study_plan_budget *budget,
                                             const char *unit, char **out, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (budget->trials)
        opevo_text_printf(&text, "trials=%llu", (unsigned long long)budget->trials);
    if (budget->seconds > 0) {
        opevo_text_add(&text, text.length ? " seconds=" : "seconds=");
        opevo_text_add_double(&text, budget->seconds);
    }
    if (budget->target > 0) {
        opevo_text_add(&text, text.length ? " target=" : "target=");
        opevo_text_add_double(&text,
                              budget->target_is_share ? 100 * budget->target : budget->target);
        opevo_text_add(&text, budget->target_is_share ? "%" : unit);
    }
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK && !text.data)
        status = opevo_i_study_plan_fail(err, plan->path, budget->where,
                                         "a run needs a limit: trials, seconds or target.");
    if (status == OPEVO_OK)
        *out = text.data;
    else
        opevo_text_free(&text);
    return status;
}

static const opevo_json_field budget_fields[] = {
    OPEVO_JSON_FIELD(opevo_i_study_plan_budget, trials, WHOLE, .least = 1),
    OPEVO_JSON_FIELD(opevo_i_study_plan_budget, seconds, NUMBER, .is_open = true)};

static opevo_status read_budget(opevo_plan *plan, const opevo_json_reader *at, opevo_error *err)
{
    static const char *const keys[] = {"trials", "seconds", "target", NULL};
    opevo_i_study_plan_budget *self = &plan->budgets[plan->budget_count++];
    opevo_json_reader target = opevo_json_member(at, "target");
    opevo_status status = OPEVO_OK;

    self->where = opevo_json_path(at);
    if (!self->where)
        return no_memory(plan->path, err);
    OPEVO_TRY(opevo_json_keys(at, keys, "an object", err));
    OPEVO_TRY(opevo_json_read_some(at, budget_fields, 2, self, err));
    if (target.value)
        OPEVO_TRY(read_target(&target, self, err));
    OPEVO_TRY(opevo_i_study_plan_print_budget(plan, self, "", &self->text, err));
cleanup:
    return status;
}

/* An object, or a list of them. */
static opevo_status read_budgets(opevo_plan *plan, const opevo_json_reader *given, opevo_error *err)
{
    size_t count = json_is_array(given->value) ? json_array_size(given->value) : 1;
    opevo_status status = OPEVO_OK;

    if (!given->value || count == 0)
        return opevo_json_fail(given, err, "give the end of a run, as in {\"trials\": 500}.");
    plan->budgets = opevo_calloc(count, sizeof *plan->budgets);
    if (!plan->budgets)
        return no_memory(plan->path, err);
    if (!json_is_array(given->value))
        return read_budget(plan, given, err);
    for (size_t i = 0; status == OPEVO_OK && i < count; i++) {
        opevo_json_reader entry = opevo_json_element(given, i);

        status = read_budget(plan, &entry, err);
    }
    return status;
}

/* ---- Seeds ---------------------------------------------------------------------------------- */

enum { SEEDS_MAX = 1 << 24 };

static opevo_status fail_seeds(const opevo_json_reader *at, opevo_error *err)
{
    return opevo_json_fail(at, err,
                           "give a number of seeds (which then count from 1), a list of distinct "
                           "ones, or {\"from\": 1, \"count\": 100}; at most %d.",
                           (int)SEEDS_MAX);
}

static opevo_status read_seed_list(opevo_plan *plan, const opevo_json_reader *list,
                                   opevo_error *err)
{
    uint64_t *sorted = NULL;
    bool ok = true;

    for (size_t i = 0; i < plan->seed_count; i++) {
        const json_t *item = json_array_get(list->value, i);

        ok = ok && json_is_integer(item) && json_integer_value(item) >= 0;
        plan->seeds[i] = (uint64_t)json_integer_value(item);
    }
    sorted = opevo_malloc(plan->seed_count, sizeof *sorted);
    if (!sorted)
        return no_memory(plan->path, err);
    memcpy(sorted, plan->seeds, plan->seed_count * sizeof *sorted);
    gsl_sort_ulong(sorted, 1, plan->seed_count);
    for (size_t i = 1; i < plan->seed_count; i++)
        ok = ok && sorted[i] != sorted[i - 1];
    opevo_free(sorted);
    return ok ? OPEVO_OK : fail_seeds(list, err);
}

typedef struct seed_range {
    uint64_t from, count;
} seed_range;

static const opevo_json_field seed_fields[] = {OPEVO_JSON_FIELD(seed_range, from, WHOLE),
                                               OPEVO_JSON_FIELD(seed_range, count, WHOLE)};

static opevo_status read_seeds(opevo_plan *plan, const opevo_json_reader *given, opevo_error *err)
{
    json_int_t number = json_integer_value(given->value);
    seed_range range = {.from = 1, .count = number > 0 ? (uint64_t)number : 0};
    opevo_status status = OPEVO_OK;

    if (json_is_object(given->value))
        OPEVO_TRY(opevo_json_read(given, seed_fields, 2, &range, err));
    if (json_is_array(given->value))
        range.count = json_array_size(given->value);
    if (range.count < 1 || range.count > SEEDS_MAX || range.from > INT64_MAX - range.count)
        return fail_seeds(given, err);
    plan->seed_count = (size_t)range.count;
    plan->seeds = opevo_malloc(plan->seed_count, sizeof *plan->seeds);
    if (!plan->seeds)
        return no_memory(plan->path, err);
    for (size_t i = 0; i < plan->seed_count; i++)
        plan->seeds[i] = range.from + i;
    if (json_is_array(given->value))
        OPEVO_TRY(read_seed_list(plan, given, err));
cleanup:
    return status;
}

/* The seeds of twins must be no other line's. */
static opevo_status check_twins(const opevo_plan *plan, const opevo_json_reader *root,
                                opevo_error *err)
{
    opevo_json_reader at = opevo_json_member(root, "null");

    for (size_t i = 0; i < plan->seed_count && plan->twins; i++) {
        if (plan->seeds[i] >= OPEVO_TWIN_SEEDS)
            return opevo_json_fail(&at, err,
                                   "requires seeds below 2^40; the other runs of a "
                                   "tuner have the seeds from there.");
    }
    return OPEVO_OK;
}

/* "alpha", by which seeds can be added too. */
static opevo_status read_alpha(opevo_plan *plan, const opevo_json_reader *analysis,
                               opevo_error *err)
{
    opevo_json_reader member = opevo_json_member(analysis, "alpha");

    if (!member.value)
        return OPEVO_OK;
    if (!opevo_parse_double(json_string_value(member.value), &plan->alpha) ||
        !(plan->alpha > 0 && plan->alpha < 1))
        return opevo_json_fail(&member, err, "give a number between 0 and 1 as a string.");
    return OPEVO_OK;
}

/* What is to be told from the runs, as options of `opevo analyze`: registered with the plan, and
 * compared with those of an analysis. */
static opevo_status read_analysis(opevo_plan *plan, const opevo_json_reader *root, opevo_error *err)
{
    static const char *const keys[] = {"alpha",     "at",    "budget", "criteria",
                                       "landscape", "tuner", NULL};
    opevo_json_reader at = opevo_json_member(root, "analysis");
    opevo_status status = at.value ? opevo_json_keys(&at, keys, "an object", err) : OPEVO_OK;

    for (size_t i = 0; at.value && keys[i] && status == OPEVO_OK; i++) {
        opevo_json_reader member = opevo_json_member(&at, keys[i]);

        if (member.value && !json_is_string(member.value))
            status = opevo_json_fail(
                &member, err, "give the value of --%s of opevo analyze as a string.", keys[i]);
    }
    return status == OPEVO_OK && at.value ? read_alpha(plan, &at, err) : status;
}

/* ---- The file ------------------------------------------------------------------------------- */

typedef struct root_entry {
    json_t *study, *objectives, *tuners, *topologies, *budget, *seeds, *analysis;
    bool twins;
} root_entry;

static const opevo_json_field root_fields[] = {
    OPEVO_JSON_FIELD(root_entry, study, ANY),
    OPEVO_JSON_FIELD(root_entry, objectives, LIST, .required = true, .least = 1),
    OPEVO_JSON_FIELD(root_entry, tuners, LIST, .required = true, .least = 1),
    OPEVO_JSON_FIELD(root_entry, topologies, OBJECT),
    OPEVO_JSON_FIELD(root_entry, budget, ANY),
    OPEVO_JSON_FIELD(root_entry, seeds, ANY),
    OPEVO_JSON_FIELD(root_entry, analysis, OBJECT),
    {"null", OPEVO_JSON_FLAG, .offset = offsetof(root_entry, twins)}};

static opevo_status read_root(opevo_plan *plan, const opevo_json_reader *root, opevo_error *err)
{
    opevo_json_reader version = opevo_json_member(root, "study");
    opevo_json_reader objectives = opevo_json_member(root, "objectives");
    opevo_json_reader tuners = opevo_json_member(root, "tuners");
    opevo_json_reader topologies = opevo_json_member(root, "topologies");
    opevo_json_reader budget = opevo_json_member(root, "budget");
    opevo_json_reader seeds = opevo_json_member(root, "seeds");
    root_entry entry = {.study = NULL};
    opevo_status status = OPEVO_OK;

    if (json_integer_value(version.value) != 1)
        return opevo_json_fail(&version, err,
                               "a plan must be an object with \"study\": 1, the version of its "
                               "format.");
    OPEVO_TRY(
        opevo_json_read(root, root_fields, sizeof root_fields / sizeof *root_fields, &entry, err));
    OPEVO_TRY(read_objectives(plan, &objectives, err));
    OPEVO_TRY(read_tuners(plan, &tuners, err));
    OPEVO_TRY(read_budgets(plan, &budget, err));
    OPEVO_TRY(read_seeds(plan, &seeds, err));
    plan->twins = entry.twins;
    OPEVO_TRY(check_twins(plan, root, err));
    OPEVO_TRY(read_analysis(plan, root, err));
    if (entry.topologies)
        OPEVO_TRY(opevo_i_study_plan_axes(&topologies, &plan->topologies, err));
cleanup:
    return status;
}

static opevo_status make_plan(const char *path, const json_t *root, opevo_plan **out,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_plan *plan = opevo_calloc(1, sizeof *plan);
    opevo_json_reader whole = {.origin = path, .value = root};

    if (plan)
        plan->path = opevo_strdup(path);
    if (!plan || !plan->path) {
        status = no_memory(path, err);
        goto cleanup;
    }
    OPEVO_TRY(read_root(plan, &whole, err));
    plan->canonical = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    if (!plan->canonical) {
        status = no_memory(path, err);
        goto cleanup;
    }
    *out = plan;
    plan = NULL;
cleanup:
    opevo_plan_destroy(plan);
    return status;
}

opevo_status opevo_plan_load(const char *path, opevo_plan **out, opevo_error *err)
{
    json_t *root = NULL;
    opevo_status status = opevo_json_load(path, PLAN_BYTES_MAX, &root, err);

    if (status == OPEVO_OK)
        status = make_plan(path, root, out, err);
    json_decref(root);
    return status;
}

opevo_status opevo_plan_parse(const char *text, size_t size, const char *path, opevo_plan **out,
                              opevo_error *err)
{
    json_t *root = NULL;
    opevo_status status = opevo_json_parse(path, text, size, &root, err);

    if (status == OPEVO_OK)
        status = make_plan(path, root, out, err);
    json_decref(root);
    return status;
}

void opevo_plan_destroy(opevo_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->objective_count; i++) {
        opevo_i_study_plan_objective *self = &plan->objectives[i];

        opevo_free(self->on);
        opevo_free(self->what);
        opevo_free(self->space);
        opevo_free(self->where);
        opevo_text_free(&self->criteria);
        for (size_t k = 0; k < self->requirement_count; k++)
            opevo_free(self->requirements[k]);
        opevo_free(self->requirements);
        opevo_i_study_plan_free_starts(self);
        for (size_t k = 0; k < self->option_count; k++) {
            opevo_free(self->options[k].key);
            opevo_free(self->options[k].value);
        }
        opevo_free(self->options);
        opevo_i_study_axes_free(&self->topologies);
    }
    for (size_t i = 0; i < plan->tuner_count; i++) {
        opevo_free(plan->tuners[i].where);
        opevo_i_study_axes_free(&plan->tuners[i].settings);
    }
    for (size_t i = 0; i < plan->budget_count; i++) {
        opevo_free(plan->budgets[i].where);
        opevo_free(plan->budgets[i].text);
    }
    opevo_i_study_axes_free(&plan->topologies);
    opevo_free(plan->objectives);
    opevo_free(plan->tuners);
    opevo_free(plan->budgets);
    opevo_free(plan->seeds);
    opevo_free(plan->line_starts);
    free(plan->canonical); /* Jansson's */
    opevo_free(plan->path);
    opevo_free(plan);
}

size_t opevo_plan_objective_count(const opevo_plan *plan)
{
    return plan->objective_count;
}

opevo_plan_objective opevo_plan_objective_get(const opevo_plan *plan, size_t i)
{
    const opevo_i_study_plan_objective *self = &plan->objectives[i];

    return (opevo_plan_objective){self->on,          self->what,          self->space,
                                  self->where,       self->only_recorded, self->options,
                                  self->option_count};
}
