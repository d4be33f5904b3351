/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading a plan file. It is strict: what is not understood is refused, with the path of the key,
 * for a misspelt key that is passed over would give another study than the one that was meant. */

#include "study_plan_internal.h"

#include <opevo/file.h>
#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/tuners.h>

#include <gsl/gsl_sort_ulong.h>

#include <math.h>
#include <string.h>

#define PLAN_BYTES_MAX ((size_t)16 << 20) /* of JSON, which takes some twenty times its size */

/* ---- Objectives ----------------------------------------------------------------------------- */

static opevo_status add_objective(opevo_plan *plan, const char *on, const char *what,
                                  const char *space, const char *where, opevo_error *err)
{
    opevo_i_study_plan_objective *grown =
        opevo_realloc(plan->objectives, plan->objective_count + 1, sizeof *grown);
    opevo_i_study_plan_objective *made = NULL;

    if (!grown)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    plan->objectives = grown;
    made = &grown[plan->objective_count++];
    *made = (opevo_i_study_plan_objective){.on = opevo_strdup(on),
                                           .what = what ? opevo_strdup(what) : NULL,
                                           .space = space ? opevo_strdup(space) : NULL,
                                           .where = opevo_strdup(where)};
    if (!made->on || !made->where || (what && !made->what) || (space && !made->space))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    return OPEVO_OK;
}

/* What is searched for: "criteria" and "require", each a text or a list of texts. */
static opevo_status read_search(opevo_plan *plan, const json_t *entry,
                                opevo_i_study_plan_objective *self, opevo_error *err)
{
    opevo_i_study_texts criteria = {NULL, 0};
    opevo_i_study_texts require = {NULL, 0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_study_plan_texts(plan->path, entry, self->where, "criteria", false, &criteria,
                                       err));
    OPEVO_TRY(
        opevo_i_study_plan_texts(plan->path, entry, self->where, "require", false, &require, err));
    for (size_t i = 0; i < criteria.count; i++)
        opevo_text_printf(&self->criteria, "%s%s", i ? "," : "", criteria.items[i]);
    self->requirements = opevo_calloc(require.count, sizeof *self->requirements);
    for (size_t i = 0; self->requirements && i < require.count; i++) {
        self->requirements[i] = opevo_strdup(require.items[i]);
        self->requirement_count += self->requirements[i] != NULL;
    }
    if (self->criteria.failed || self->requirement_count < require.count)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
cleanup:
    opevo_free(criteria.items);
    opevo_free(require.items);
    return status;
}

/* One entry: each "on" with each "what". */
static opevo_status read_objective(opevo_plan *plan, const json_t *entry, const char *where,
                                   opevo_error *err)
{
    static const char *const keys[] = {
        "on",       "what",    "space", "only-recorded",      "topologies",
        "criteria", "require", "start", OPEVO_I_PLAN_OPTIONS, NULL};
    const json_t *only = json_object_get(entry, "only-recorded");
    opevo_status status = OPEVO_OK;
    opevo_i_study_texts on = {NULL, 0};
    opevo_i_study_texts what = {NULL, 0};
    opevo_i_study_texts space = {NULL, 0};
    size_t first = plan->objective_count;

    if (json_is_string(entry))
        return add_objective(plan, json_string_value(entry), NULL, NULL, where, err);
    OPEVO_TRY(
        opevo_i_study_plan_keys(plan->path, entry, where, keys, "a string or an object", err));
    OPEVO_TRY(opevo_i_study_plan_texts(plan->path, entry, where, "on", true, &on, err));
    OPEVO_TRY(opevo_i_study_plan_texts(plan->path, entry, where, "what", false, &what, err));
    OPEVO_TRY(opevo_i_study_plan_texts(plan->path, entry, where, "space", false, &space, err));
    if (space.count > 1) {
        status = opevo_i_study_plan_fail(err, plan->path, where, "give one space, not a list.");
        goto cleanup;
    }
    if (only && !json_is_boolean(only)) {
        status =
            opevo_i_study_plan_fail(err, plan->path, where, "only-recorded must be true or false.");
        goto cleanup;
    }
    for (size_t i = 0; i < on.count; i++) {
        for (size_t k = 0; k < (what.count ? what.count : 1); k++)
            OPEVO_TRY(add_objective(plan, on.items[i], what.count ? what.items[k] : NULL,
                                    space.count ? space.items[0] : NULL, where, err));
    }
    for (size_t i = first; i < plan->objective_count; i++) {
        plan->objectives[i].only_recorded = json_is_true(only);
        OPEVO_TRY(opevo_i_study_plan_read_options(plan, entry, &plan->objectives[i], err));
        OPEVO_TRY(read_search(plan, entry, &plan->objectives[i], err));
        OPEVO_TRY(opevo_i_study_plan_read_starts(plan, entry, &plan->objectives[i], err));
    }
    for (size_t i = first; json_object_get(entry, "topologies") && i < plan->objective_count; i++) {
        plan->objectives[i].own_topologies = true;
        OPEVO_TRY(opevo_i_study_plan_axes(plan->path, json_object_get(entry, "topologies"), where,
                                          "topologies", &plan->objectives[i].topologies, err));
    }
cleanup:
    opevo_free(on.items);
    opevo_free(what.items);
    opevo_free(space.items);
    return status;
}

static opevo_status read_objectives(opevo_plan *plan, const json_t *root, opevo_error *err)
{
    const json_t *list = NULL;
    opevo_status status = opevo_i_study_plan_list(plan->path, root, "objectives", &list, err);
    char where[OPEVO_I_STUDY_WHERE_SIZE];

    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(list); i++) {
        snprintf(where, sizeof where, "objectives[%zu]", i);
        status = read_objective(plan, json_array_get(list, i), where, err);
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
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
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

static opevo_status read_tuner(opevo_plan *plan, const json_t *entry, const char *where,
                               opevo_error *err)
{
    static const char *const keys[] = {"tuner", "settings", NULL};
    opevo_i_study_plan_tuner *self = &plan->tuners[plan->tuner_count++];
    const json_t *name = entry;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    self->where = opevo_strdup(where);
    if (!self->where)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    if (!json_is_string(entry)) {
        OPEVO_TRY(
            opevo_i_study_plan_keys(plan->path, entry, where, keys, "a string or an object", err));
        name = json_object_get(entry, "tuner");
    }
    if (!json_is_string(name))
        return opevo_i_study_plan_fail(err, plan->path, where,
                                       "name the tuner, as in {\"tuner\": \"opevo\"}.");
    if (opevo_tuner_find(json_string_value(name), &self->ops, &inner))
        return opevo_i_study_plan_fail(err, plan->path, where, "%s", inner.message);
    if (json_is_object(entry) && json_object_get(entry, "settings"))
        OPEVO_TRY(opevo_i_study_plan_axes(plan->path, json_object_get(entry, "settings"), where,
                                          "settings", &self->settings, err));
    OPEVO_TRY(check_settings(plan, self, err));
cleanup:
    return status;
}

static opevo_status read_tuners(opevo_plan *plan, const json_t *root, opevo_error *err)
{
    const json_t *list = NULL;
    opevo_status status = opevo_i_study_plan_list(plan->path, root, "tuners", &list, err);
    char where[OPEVO_I_STUDY_WHERE_SIZE];

    if (status != OPEVO_OK)
        return status;
    plan->tuners = opevo_calloc(json_array_size(list), sizeof *plan->tuners);
    if (!plan->tuners)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(list); i++) {
        snprintf(where, sizeof where, "tuners[%zu]", i);
        status = read_tuner(plan, json_array_get(list, i), where, err);
    }
    return status;
}

/* ---- Budgets -------------------------------------------------------------------------------- */

static opevo_status read_target(const opevo_plan *plan, const json_t *value, const char *where,
                                opevo_i_study_plan_budget *out, opevo_error *err)
{
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
    return opevo_i_study_plan_fail(
        err, plan->path, where,
        "target must be a result above 0 or a share of the optimum, such as \"95%%\".");
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

static opevo_status read_budget(opevo_plan *plan, const json_t *entry, const char *where,
                                opevo_error *err)
{
    static const char *const keys[] = {"trials", "seconds", "target", NULL};
    opevo_i_study_plan_budget *self = &plan->budgets[plan->budget_count++];
    const json_t *trials = NULL;
    const json_t *seconds = NULL;
    const json_t *target = NULL;
    opevo_status status = OPEVO_OK;

    self->where = opevo_strdup(where);
    if (!self->where)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    OPEVO_TRY(opevo_i_study_plan_keys(plan->path, entry, where, keys, "an object", err));
    trials = json_object_get(entry, "trials");
    seconds = json_object_get(entry, "seconds");
    target = json_object_get(entry, "target");
    if (trials && !(json_is_integer(trials) && json_integer_value(trials) > 0))
        return opevo_i_study_plan_fail(err, plan->path, where,
                                       "trials must be a whole number above 0.");
    if (seconds && !(json_is_number(seconds) && json_number_value(seconds) > 0))
        return opevo_i_study_plan_fail(err, plan->path, where, "seconds must be a number above 0.");
    self->trials = trials ? (uint64_t)json_integer_value(trials) : 0;
    self->seconds = seconds ? json_number_value(seconds) : 0;
    if (target)
        OPEVO_TRY(read_target(plan, target, where, self, err));
    OPEVO_TRY(opevo_i_study_plan_print_budget(plan, self, "", &self->text, err));
cleanup:
    return status;
}

/* An object, or a list of them. */
static opevo_status read_budgets(opevo_plan *plan, const json_t *root, opevo_error *err)
{
    const json_t *given = json_object_get(root, "budget");
    size_t count = json_is_array(given) ? json_array_size(given) : 1;
    opevo_status status = OPEVO_OK;
    char where[OPEVO_I_STUDY_WHERE_SIZE] = "budget";

    if (!given || count == 0)
        return opevo_i_study_plan_fail(err, plan->path, "budget",
                                       "give the end of a run, as in {\"trials\": 500}.");
    plan->budgets = opevo_calloc(count, sizeof *plan->budgets);
    if (!plan->budgets)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    if (!json_is_array(given))
        return read_budget(plan, given, where, err);
    for (size_t i = 0; status == OPEVO_OK && i < count; i++) {
        snprintf(where, sizeof where, "budget[%zu]", i);
        status = read_budget(plan, json_array_get(given, i), where, err);
    }
    return status;
}

/* ---- Seeds ---------------------------------------------------------------------------------- */

enum { SEEDS_MAX = 1 << 24 };

static opevo_status fail_seeds(const opevo_plan *plan, opevo_error *err)
{
    return opevo_i_study_plan_fail(
        err, plan->path, "seeds",
        "give a number of seeds (which then count from 1), a list of distinct "
        "ones, or {\"from\": 1, \"count\": 100}; at most %d.",
        (int)SEEDS_MAX);
}

static opevo_status read_seed_list(opevo_plan *plan, const json_t *list, opevo_error *err)
{
    uint64_t *sorted = NULL;
    bool ok = true;

    for (size_t i = 0; i < plan->seed_count; i++) {
        const json_t *item = json_array_get(list, i);

        ok = ok && json_is_integer(item) && json_integer_value(item) >= 0;
        plan->seeds[i] = (uint64_t)json_integer_value(item);
    }
    sorted = opevo_malloc(plan->seed_count, sizeof *sorted);
    if (!sorted)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    memcpy(sorted, plan->seeds, plan->seed_count * sizeof *sorted);
    gsl_sort_ulong(sorted, 1, plan->seed_count);
    for (size_t i = 1; i < plan->seed_count; i++)
        ok = ok && sorted[i] != sorted[i - 1];
    opevo_free(sorted);
    return ok ? OPEVO_OK : fail_seeds(plan, err);
}

static opevo_status read_seeds(opevo_plan *plan, const json_t *root, opevo_error *err)
{
    static const char *const keys[] = {"from", "count", NULL};
    const json_t *given = json_object_get(root, "seeds");
    const json_t *from = NULL;
    const json_t *count = given;
    json_int_t first = 1;
    json_int_t total = 0;
    opevo_status status = OPEVO_OK;

    if (json_is_object(given)) {
        OPEVO_TRY(opevo_i_study_plan_keys(plan->path, given, "seeds", keys, "an object", err));
        from = json_object_get(given, "from");
        count = json_object_get(given, "count");
        first = from ? json_integer_value(from) : 1;
    }
    if (!json_is_array(given) && (!json_is_integer(count) || (from && !json_is_integer(from))))
        return fail_seeds(plan, err);
    total = json_is_array(given) ? (json_int_t)json_array_size(given) : json_integer_value(count);
    if (total < 1 || total > SEEDS_MAX || first < 0 || first > INT64_MAX - total)
        return fail_seeds(plan, err);
    plan->seed_count = (size_t)total;
    plan->seeds = opevo_malloc(plan->seed_count, sizeof *plan->seeds);
    if (!plan->seeds)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", plan->path);
    for (size_t i = 0; i < plan->seed_count; i++)
        plan->seeds[i] = (uint64_t)first + i;
    if (json_is_array(given))
        OPEVO_TRY(read_seed_list(plan, given, err));
cleanup:
    return status;
}

/* ---- The file ------------------------------------------------------------------------------- */

static opevo_status read_root(opevo_plan *plan, const json_t *root, opevo_error *err)
{
    static const char *const keys[] = {"study",  "objectives", "tuners", "topologies",
                                       "budget", "seeds",      NULL};
    const json_t *version = json_object_get(root, "study");
    opevo_status status = OPEVO_OK;

    if (!json_is_object(root) || !json_is_integer(version) || json_integer_value(version) != 1)
        return opevo_i_study_plan_fail(
            err, plan->path, "study",
            "a plan must be an object with \"study\": 1, the version of its format.");
    OPEVO_TRY(opevo_i_study_plan_keys(plan->path, root, "", keys, "an object", err));
    OPEVO_TRY(read_objectives(plan, root, err));
    OPEVO_TRY(read_tuners(plan, root, err));
    OPEVO_TRY(read_budgets(plan, root, err));
    OPEVO_TRY(read_seeds(plan, root, err));
    if (json_object_get(root, "topologies"))
        OPEVO_TRY(opevo_i_study_plan_axes(plan->path, json_object_get(root, "topologies"), "",
                                          "topologies", &plan->topologies, err));
cleanup:
    return status;
}

opevo_status opevo_plan_load(const char *path, opevo_plan **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_plan *plan = opevo_calloc(1, sizeof *plan);
    json_t *root = NULL;
    char *text = NULL;
    size_t size = 0;

    if (!plan)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    plan->path = opevo_strdup(path);
    if (!plan->path) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
        goto cleanup;
    }
    OPEVO_TRY(opevo_file_read(path, PLAN_BYTES_MAX, &text, &size, err));
    OPEVO_TRY(opevo_i_study_plan_parse(path, text, size, &root, err));
    OPEVO_TRY(read_root(plan, root, err));
    *out = plan;
    plan = NULL;
cleanup:
    json_decref(root);
    opevo_free(text);
    opevo_plan_destroy(plan);
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
