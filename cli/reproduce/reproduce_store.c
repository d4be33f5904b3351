/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The runs of a store, made again from its plans and calls. */

#include "call_file_internal.h"
#include "reproduce_internal.h"
#include "study_cli_internal.h"

#include <opevo/json_read.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/store.h>
#include <opevo/study_until.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Plans ----------------------------------------------------------------------------------- */

/* The first objective of a plan that is measured; NULL: all are computed. */
static const char *first_measured(const opevo_plan *plan)
{
    for (size_t i = 0; i < opevo_plan_objective_count(plan); i++) {
        const char *on = opevo_plan_objective_get(plan, i).on;

        if (!opevo_i_cli_reproduce_is_computed(on))
            return on;
    }
    return NULL;
}

/* The number of seeds in ranges such as "1-100,205"; 0 for another text. */
static size_t count_seeds(const char *text)
{
    size_t count = 0;

    while (text && *text) {
        char *end = NULL;
        unsigned long long from = strtoull(text, &end, 10), to = from;

        if (end == text)
            return 0;
        if (*end == '-')
            to = strtoull(end + 1, &end, 10);
        count += to >= from ? (size_t)(to - from) + 1 : 0;
        text = end + (*end == ',');
    }
    return count;
}

/* The runs, by the rule by which seeds were added if one was registered. */
static opevo_status make_runs(opevo_study *study, const json_t *registered, const char *target,
                              opevo_error *err)
{
    const json_t *alpha = json_object_get(json_object_get(registered, "until"), "alpha");
    size_t most = count_seeds(json_string_value(json_object_get(registered, "seeds")));
    opevo_study_options options = {.store = target};
    opevo_study_result result;
    opevo_until_result until = {.pairs = NULL};
    opevo_status status = OPEVO_OK;

    if (!json_is_number(alpha) || most == 0)
        return opevo_study_run(study, &options, &result, err);
    status = opevo_study_until(study, &options, json_number_value(alpha), most, &until, err);
    opevo_until_result_free(&until);
    return status;
}

static opevo_status run_plan(opevo_i_cli_reproduced *self, opevo_plan **plan, const char *path,
                             const char *target, const json_t *registered, opevo_text *found,
                             opevo_error *err)
{
    opevo_i_cli_opened *opened = NULL;
    opevo_study *study = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(
        opevo_i_cli_open_study(path, plan, &opevo_i_cli_verb_study, &opened, &count, &study, err));
    OPEVO_TRY(opevo_study_registration(study, found, err));
    OPEVO_TRY(make_runs(study, registered, target, err));
    self->repeated++;
cleanup:
    opevo_study_destroy(study);
    opevo_i_cli_close_objectives(opened, count);
    return status;
}

opevo_status opevo_i_cli_reproduce_plan(opevo_i_cli_reproduced *self, const char *text,
                                        const char *path, const char *target,
                                        const json_t *registered, opevo_text *found, bool *whole,
                                        opevo_error *err)
{
    opevo_plan *plan = NULL;
    const char *measured = NULL;
    opevo_status status = opevo_plan_parse(text, strlen(text), path, &plan, err);

    if (status != OPEVO_OK)
        return status;
    measured = first_measured(plan);
    *whole = !measured || self->measures;
    if (*whole)
        status = run_plan(self, &plan, path, target, registered, found, err);
    else
        opevo_i_cli_reproduce_leave(self, "the runs of %s: %s is measured; --measure repeats them",
                                    path, measured);
    opevo_plan_destroy(plan);
    return status;
}

/* Where the files of a plan are: in its folder, or else beside the file that is reproduced. */
static void add_plan_path(const opevo_i_cli_reproduced *self, const char *plan, opevo_text *out)
{
    const char *slash = strrchr(plan, '/');
    opevo_text folder = {0};

    opevo_text_add_bytes(&folder, plan, slash ? (size_t)(slash - plan) : 0);
    if (slash && access(opevo_text_string(&folder), F_OK) == 0)
        opevo_text_add(out, plan);
    else
        opevo_text_printf(out, "%s/%s", self->beside, slash ? slash + 1 : plan);
    opevo_text_free(&folder);
}

static char *dump(const json_t *value)
{
    return json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
}

/* What the plan was registered with, beside what is there. */
static void compare_data(opevo_i_cli_reproduced *self, const char *stated, const char *found)
{
    json_t *a = json_loads(stated, 0, NULL), *b = json_loads(found, 0, NULL);
    const json_t *before = json_object_get(a, "objectives"),
                 *now = json_object_get(b, "objectives");

    /* Seeds that are added until resolved are those up to a limit, not those of the plan. */
    if (!json_object_get(a, "until") &&
        !json_equal(json_object_get(a, "seeds"), json_object_get(b, "seeds"))) {
        self->result.differ++;
        opevo_text_add(&self->result.list, "the registered seeds are not those of the plan\n");
    }
    for (size_t i = 0; i < json_array_size(before); i++) {
        const json_t *one = json_array_get(before, i);
        char *was = NULL, *is = NULL;

        if (json_equal((json_t *)one, json_array_get(now, i))) {
            self->result.equal++;
            continue;
        }
        was = dump(one);
        is = dump(json_array_get(now, i));
        self->result.differ++;
        opevo_text_printf(
            &self->result.list,
            "the data are not those of the plan: %.300s was registered, %.300s is here\n",
            was ? was : "", is ? is : "");
        free(was); /* Jansson's */
        free(is);
    }
    json_decref(a);
    json_decref(b);
}

/* The hash that a reader compares with a published one must be that of what is repeated. */
static void check_hash(opevo_i_cli_reproduced *self, const char *text, const char *stated)
{
    char hash[OPEVO_SHA256_SIZE];

    opevo_sha256_of(text, strlen(text), hash);
    if (stated && !strcmp(hash, stated)) {
        self->result.equal++;
        return;
    }
    self->result.differ++;
    opevo_text_printf(&self->result.list,
                      "the plan is not the registered one: its text has SHA-256 %s, %.64s is "
                      "stated\n",
                      hash, stated ? stated : "nothing");
}

static void count_run(void *context, const opevo_run_info *info)
{
    size_t *count = context;

    (void)info;
    ++*count;
}

/* The number of runs of a store; 0 without a store. */
static opevo_status count_runs(const char *path, size_t *count, opevo_error *err)
{
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;

    *count = 0;
    if (access(path, F_OK) != 0)
        return OPEVO_OK;
    status = opevo_store_open(path, OPEVO_STORE_READ, &store, err);
    if (status == OPEVO_OK)
        status = opevo_store_list(store, count_run, count, err);
    opevo_store_close(store);
    return status;
}

static opevo_status make_registered(opevo_i_cli_reproduced *self, const json_t *one,
                                    const char *target, bool *whole, opevo_error *err)
{
    const char *text = json_string_value(json_object_get(one, "text"));
    const char *plan = json_string_value(json_object_get(one, "plan"));
    json_int_t runs = json_integer_value(json_object_get(one, "runs"));
    json_t *root = text ? json_loads(text, 0, NULL) : NULL;
    char *planned = root ? dump(json_object_get(root, "plan")) : NULL;
    size_t before = 0, after = 0;
    opevo_text path = {0}, found = {0};
    opevo_status status = OPEVO_OK;

    if (!planned || !plan) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: its manifest has a registration without a plan.", self->path);
        goto cleanup;
    }
    check_hash(self, text, json_string_value(json_object_get(one, "hash")));
    add_plan_path(self, plan, &path);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(count_runs(target, &before, err));
    OPEVO_TRY(
        opevo_i_cli_reproduce_plan(self, planned, path.data, target, root, &found, whole, err));
    if (!*whole)
        goto cleanup;
    compare_data(self, text, opevo_text_string(&found));
    OPEVO_TRY(count_runs(target, &after, err));
    if (runs < 0 || after - before != (size_t)runs) {
        opevo_i_cli_reproduce_leave(self, "the runs of %s: it makes %zu, and %lld are in the store",
                                    path.data, after - before, (long long)runs);
        *whole = false;
    }
cleanup:
    json_decref(root);
    free(planned); /* Jansson's */
    opevo_text_free(&path);
    opevo_text_free(&found);
    return status;
}

/* ---- Calls of tune --------------------------------------------------------------------------- */

static opevo_status tune(const opevo_i_cli_reproduced *self, const char *text, const char *seed,
                         const char *target, opevo_error *err)
{
    opevo_i_cli_call_file file = {.root = NULL};
    opevo_text out = {0};
    int exit_code = OPEVO_EXIT_OK;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_call_file_parse(text, strlen(text), "a call of the manifest",
                                          &opevo_i_cli_verb_tune, &file, err));
    OPEVO_TRY(opevo_i_cli_call_file_enter(&file, "a call of the manifest", err));
    if (!opevo_i_cli_call_file_add(&file, "store", target) ||
        !opevo_i_cli_call_file_add(&file, "seed", seed) ||
        !opevo_i_cli_call_file_add(&file, "quiet", NULL))
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to repeat a run.");
    else
        status = opevo_i_cli_reproduce_allow(self, &file.call, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_verb_tune.run(&file.call, &out, &exit_code, err);
cleanup:
    opevo_i_cli_call_file_free(&file);
    opevo_text_free(&out);
    return status;
}

/* What of a text or a list of texts behind --on is measured; NULL: nothing. */
static const char *measured_of(const json_t *on)
{
    for (size_t i = 0; i < opevo_json_text_count(on); i++) {
        if (!opevo_i_cli_reproduce_is_computed(opevo_json_text_at(on, i)))
            return opevo_json_text_at(on, i);
    }
    return opevo_json_text_count(on) ? NULL : "a device";
}

static opevo_status make_called(opevo_i_cli_reproduced *self, const json_t *one, const char *target,
                                bool *whole, opevo_error *err)
{
    static const char *const written[] = {"emit", "store", "save", "curve", "json"};
    json_t *call = json_copy(json_object_get(one, "call"));
    const json_t *seeds = json_object_get(one, "seeds");
    const char *measured = measured_of(json_object_get(call, "on"));
    char *text = NULL;
    opevo_status status = OPEVO_OK;

    /* A manifest may come from anybody, and only the store is to be written. */
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        json_object_del(call, written[i]);
    text = call ? dump(call) : NULL;

    *whole = self->measures || !measured;
    if (!*whole)
        opevo_i_cli_reproduce_leave(self, "runs of %s: they are measured; --measure repeats them",
                                    measured);
    for (size_t i = 0; *whole && text && i < json_array_size(seeds) && status == OPEVO_OK; i++) {
        const char *seed = json_string_value(json_array_get(seeds, i));

        status = tune(self, text, seed ? seed : "1", target, err);
    }
    self->repeated += *whole;
    json_decref(call);
    free(text); /* Jansson's */
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static opevo_status make_calls(opevo_i_cli_reproduced *self, const json_t *calls,
                               const char *target, bool *whole, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(calls) && *whole && status == OPEVO_OK; i++)
        status = make_called(self, json_array_get(calls, i), target, whole, err);
    return status;
}

/* Runs without a plan come before the first late plan: they may be why it is late. */
opevo_status opevo_i_cli_reproduce_store(opevo_i_cli_reproduced *self, const json_t *store,
                                         const char *target, bool *whole, opevo_error *err)
{
    const json_t *plans = json_object_get(store, "registrations");
    const json_t *calls = json_object_get(store, "calls");
    const char *name = json_string_value(json_object_get(store, "file"));
    json_int_t others = json_integer_value(json_object_get(store, "others"));
    bool called = false;
    opevo_status status = OPEVO_OK;

    *whole = true;
    for (size_t i = 0; i < json_array_size(plans) && *whole; i++) {
        const json_t *one = json_array_get(plans, i);

        if (!called && json_is_false(json_object_get(one, "before_first_trial"))) {
            called = true;
            OPEVO_TRY(make_calls(self, calls, target, whole, err));
        }
        if (*whole)
            OPEVO_TRY(make_registered(self, one, target, whole, err));
    }
    if (!called)
        OPEVO_TRY(make_calls(self, calls, target, whole, err));
    if (others && *whole) {
        opevo_i_cli_reproduce_leave(self, "the runs of %s: %lld of them name no command",
                                    name ? name : "a store", (long long)others);
        *whole = false;
    }
cleanup:
    return status;
}
