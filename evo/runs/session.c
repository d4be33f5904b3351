/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sessions: creating and ending them. */

#include "session_internal.h"

#include <opevo/diagram.h>
#include <opevo/hash.h>
#include <opevo/loop_tree.h>
#include <opevo/memory.h>
#include <opevo/struct_size.h>

#include <math.h>
#include <string.h>

enum { EXTERNAL_BATCH = 64 }; /* trials that the tuner is asked for at once; does not change them */

/* ---- Creating ------------------------------------------------------------------------------- */

static opevo_status check_budget(const opevo_budget *budget, bool external, opevo_error *err)
{
    if (!(budget->seconds >= 0 && isfinite(budget->seconds)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The budget in seconds must be positive, or 0 for no such limit.");
    if (!(budget->target >= 0 && isfinite(budget->target)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The target must be a positive fitness, or 0 for no such limit.");
    if (!external && budget->trials == 0 && budget->seconds == 0 && budget->target == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A run needs a limit: a number of trials, seconds or a target.");
    return OPEVO_OK;
}

/* What identifies the earlier trials: how many they are, and a signature of their numbers, points
 * and fitness. */
static void print_earlier(const opevo_run_options *options, opevo_text *out)
{
    uint64_t hash = OPEVO_HASH_START;

    for (size_t i = 0; i < options->earlier_count; i++) {
        const opevo_trial *trial = &options->earlier[i];
        uint64_t words[4] = {trial->number, (uint64_t)(trial->proposal.point >> 64),
                             (uint64_t)trial->proposal.point, 0};

        memcpy(&words[3], &trial->outcome.fitness, sizeof words[3]);
        hash = opevo_hash_bytes(hash, words, sizeof words);
    }
    opevo_text_printf(out, "%searlier=%zu:%016llx", out->length ? " " : "", options->earlier_count,
                      (unsigned long long)hash);
}

static void print_earlier_trees(const opevo_run_options *options, opevo_text *out)
{
    uint64_t hash = OPEVO_HASH_START;

    for (size_t i = 0; i < options->earlier_tree_count; i++) {
        const opevo_earlier_tree *tree = &options->earlier_trees[i];
        uint64_t words[2] = {tree->run, 0};

        memcpy(&words[1], &tree->fitness, sizeof words[1]);
        hash = opevo_hash_bytes(hash, words, sizeof words);
        hash = opevo_hash_bytes(hash, tree->rows,
                                tree->row_count * OPEVO_LOOP_COLUMNS * sizeof *tree->rows);
    }
    opevo_text_printf(out, "%searlier-trees=%zu:%016llx", out->length ? " " : "",
                      options->earlier_tree_count, (unsigned long long)hash);
}

static void print_model(const opevo_run_options *options, opevo_text *out)
{
    opevo_text_printf(out, "%slearned=%s:%016llx", out->length ? " " : "", options->model->kind,
                      (unsigned long long)opevo_cost_model_hash(options->model));
}

/* Whether the tuner searches by anything else than the fitness. */
static bool sees_criteria(const opevo_run_options *options)
{
    const opevo_criteria *criteria = options->criteria;

    return criteria && options->tuner->by_criteria &&
           (criteria->count > 1 || criteria->chosen[0].index > 0);
}

static void print_settings(const opevo_objective *objective, const opevo_run_options *options,
                           opevo_text *out)
{
    opevo_settings_print(options->tuner, options->settings, out);
    if (sees_criteria(options)) {
        opevo_text_add(out, out->length ? " criteria=" : "criteria=");
        opevo_criteria_print(objective, options->criteria, out);
    }
    for (size_t i = 0; i < options->requirement_count; i++) {
        opevo_text_add(out, i ? "," : out->length ? " require=" : "require=");
        opevo_requirement_print(&options->requirements[i], out);
    }
}

void opevo_run_print_settings_sized(const opevo_objective *objective,
                                    const opevo_run_options *options, size_t size, opevo_text *out)
{
    opevo_run_options known;

    if (opevo_struct_read(options, size, "opevo_run_options", &known, sizeof known, NULL) ==
        OPEVO_OK)
        print_settings(objective, &known, out);
}

static opevo_status begin_stored_run(opevo_session *self, opevo_error *err)
{
    const opevo_run_options *options = &self->options;
    opevo_status status = OPEVO_OK;
    opevo_text settings = {0};
    opevo_run_key key = {
        .objective = self->objective->name,
        .tuner = options->tuner->name,
        .seed = options->seed,
        .objective_signature = self->objective->signature,
        .program = self->objective->program,
        .space = self->objective->space,
        .domain = self->objective->domain,
        .unit = self->objective->unit,
        .criteria = self->objective->criteria,
        .more_count = self->objective->more_count,
        .has_requirements = options->requirement_count > 0,
        .note = options->note,
        .call = options->call,
    };

    print_settings(self->objective, options, &settings);
    opevo_text_add(&settings, options->settings_more ? options->settings_more : "");
    if (options->earlier_count > 0)
        print_earlier(options, &settings);
    if (options->earlier_tree_count > 0)
        print_earlier_trees(options, &settings);
    if (options->model)
        print_model(options, &settings);
    OPEVO_TRY(opevo_text_check(&settings, err));
    key.settings = opevo_text_string(&settings);
    OPEVO_TRY(opevo_store_begin(options->store, &key, &self->result.run, err));
    self->stored_remain = true;
cleanup:
    opevo_text_free(&settings);
    return status;
}

static opevo_status allocate(opevo_session *self, opevo_error *err)
{
    const opevo_run_options *options = &self->options;

    self->batch = options->batch ? options->batch : opevo_objective_wanted(self->objective);
    if (opevo_objective_is_external(self->objective))
        self->batch = EXTERNAL_BATCH;
    if (options->budget.trials && options->budget.trials < self->batch)
        self->batch = (size_t)options->budget.trials;
    self->proposals = opevo_malloc(self->batch, sizeof *self->proposals);
    self->points = opevo_malloc(self->batch, sizeof *self->points);
    self->outcomes = opevo_malloc(self->batch, sizeof *self->outcomes);
    OPEVO_NEED_OR_RETURN(self->proposals && self->points && self->outcomes, "batches of %zu trials",
                         self->batch);
    return OPEVO_OK;
}

static void destroy(opevo_session *self)
{
    if (!self)
        return;
    for (size_t i = self->first; i < self->end; i++)
        opevo_i_session_slot_clear(&self->slots[i]);
    opevo_i_session_free_early(self);
    opevo_tuner_destroy(self->tuner);
    opevo_free(self->starts);
    opevo_free(self->proposals);
    opevo_free(self->points);
    opevo_free(self->outcomes);
    opevo_free(self->trials);
    opevo_free(self->slots);
    opevo_free(self->given);
    opevo_i_workers_free(&self->workers);
    opevo_free(self);
}

/* Of the three that a run may learn from. */
static opevo_status learn(opevo_tuner *tuner, const opevo_run_options *options, opevo_error *err)
{
    if ((options->earlier_count > 0) + (options->earlier_tree_count > 0) + !!options->model > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A run learns from runs on its own search space, from runs on others, or "
                          "from a stored model, not from two of them.");
    if (options->model)
        return opevo_tuner_learn_model(tuner, options->model, err);
    if (options->earlier_count > 0)
        return opevo_tuner_learn(tuner, options->earlier, options->earlier_count, err);
    if (options->earlier_tree_count > 0)
        return opevo_tuner_learn_trees(tuner, options->earlier_trees, options->earlier_tree_count,
                                       err);
    return OPEVO_OK;
}

opevo_status opevo_session_create_sized(opevo_objective *objective,
                                        const opevo_run_options *options, size_t size,
                                        opevo_session **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_session *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a run");
    OPEVO_TRY(opevo_struct_read(options, size, "opevo_run_options", &self->options,
                                sizeof self->options, err));
    options = &self->options;
    if (!options->tuner) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "A run needs a tuner, such as the one that opevo_tuner_find gives.");
        goto cleanup;
    }
    OPEVO_TRY(check_budget(&options->budget, opevo_objective_is_external(objective), err));
    OPEVO_TRY(opevo_objective_check(objective, err));
    if (objective->space)
        OPEVO_TRY(opevo_space_check_points(objective->space, NULL, err));
    self->objective = objective;
    self->result.stop = OPEVO_STOP_INTERRUPTED; /* as long as nothing else ends it */
    OPEVO_TRY(allocate(self, err));
    if (objective->space)
        OPEVO_TRY(opevo_tuner_create(options->tuner, objective->space, options->settings,
                                     options->seed, &self->tuner, err));
    else
        OPEVO_TRY(opevo_tuner_create_on(options->tuner, objective->domain, options->settings,
                                        options->seed, &self->tuner, err));
    if (options->criteria)
        OPEVO_TRY(opevo_tuner_use_criteria(self->tuner, options->criteria, err));
    OPEVO_TRY(opevo_tuner_use_features(self->tuner, objective->features, err));
    OPEVO_TRY(opevo_tuner_use_trees(self->tuner, objective->trees, err));
    OPEVO_TRY(learn(self->tuner, options, err));
    if (options->store)
        OPEVO_TRY(begin_stored_run(self, err));
    OPEVO_TRY(opevo_i_session_take_starts(self, err));
    if (opevo_objective_is_external(objective))
        OPEVO_TRY(opevo_i_session_resume(self, err));
    else if (options->store && !objective->concurrent)
        OPEVO_TRY(opevo_i_session_read_early(self, err));
    OPEVO_TRY(opevo_i_workers_note(self->objective, &self->workers, err));
    *out = self;
    self = NULL;
cleanup:
    destroy(self);
    return status;
}

/* ---- Ending --------------------------------------------------------------------------------- */

static const char *const stop_names[] = {
    [OPEVO_STOP_TRIALS] = "trials",           [OPEVO_STOP_SECONDS] = "seconds",
    [OPEVO_STOP_TARGET] = "target",           [OPEVO_STOP_SEARCH_OVER] = "search-over",
    [OPEVO_STOP_INTERRUPTED] = "interrupted", [OPEVO_STOP_GAVE_UP] = "gave-up",
};

const char *opevo_stop_name(opevo_stop stop)
{
    return stop_names[stop];
}

const opevo_run_result *opevo_session_result(const opevo_session *session)
{
    return &session->result;
}

/* Say in the store why the run ended, unless the store holds more of it than this budget asked
 * for. */
static opevo_status note_end(const opevo_session *self, opevo_error *err)
{
    opevo_store *store = self->options.store;
    const opevo_run_result *result = &self->result;
    opevo_status status = OPEVO_OK;
    opevo_trial next;
    size_t more = 0;

    OPEVO_TRY(opevo_store_read(store, result->run, result->trials, &next, 1, &more, err));
    if (more == 0)
        OPEVO_TRY(opevo_store_end(store, result->run, opevo_stop_name(result->stop), err));
cleanup:
    return status;
}

static opevo_status store_workers(const opevo_session *self, opevo_error *err)
{
    const opevo_run_result *result = &self->result;

    return opevo_i_workers_store(&self->workers, self->objective, result->trials > result->resumed,
                                 self->options.store, result->run, err);
}

opevo_status opevo_session_end(opevo_session *session, opevo_run_result *result, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!session)
        return OPEVO_OK;
    status = store_workers(session, session->failed ? NULL : err);
    if (session->failed) /* that is what is said; the workers may be why */
        status = OPEVO_OK;
    if (status == OPEVO_OK && session->options.store && !session->failed &&
        session->result.stop != OPEVO_STOP_INTERRUPTED)
        status = note_end(session, err);
    if (result && status == OPEVO_OK)
        *result = session->result;
    destroy(session);
    return status;
}
