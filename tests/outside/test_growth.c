/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Programs that were compiled with the headers of another version: every struct that a caller fills
 * in may end earlier than here, or later, where what is not known here must be 0; and tables of
 * functions have room. Linked with the shared library, as such programs are. */

#include "check.h"
#include "evo/scratch_folder.h"

#include <opevo/opevo.h>

enum { LATER = 16 }; /* bytes that a later version adds */

typedef opevo_status (*taker)(const void *given, size_t size, opevo_error *err);

/* Let `take` have the struct in each of the versions.
 *
 *   older  size of it in the oldest version that has all that `given` sets */
static void check_versions(const char *type, const void *given, size_t older, size_t size,
                           taker take)
{
    unsigned char caller[1024];

    assert_true(size + LATER <= sizeof caller);
    memset(caller, 0, sizeof caller);
    memcpy(caller, given, size);
    CHECK_OK(take(caller, size, &err));
    CHECK_OK(take(caller, size + LATER, &err));
    CHECK_FAILS(OPEVO_INVALID, type, take(caller, 0, &err));
    caller[size + LATER - 1] = 1;
    CHECK_FAILS(OPEVO_INVALID, type, take(caller, size + LATER, &err));
    memset(caller + older, 0xa5, sizeof caller - older);
    CHECK_OK(take(caller, older, &err));
}

#define CHECK_VERSIONS(type, given, last, take)                                                    \
    check_versions(#type, (given), offsetof(type, last), sizeof(type), (take))

/* ---- Spaces and laws ---- */

static opevo_parameter *path(const char *name)
{
    opevo_parameter *parameter = NULL;

    CHECK_OK(opevo_parameter_parse(name, "discrete(1,2,3)", NULL, &parameter, &err));
    return parameter;
}

static opevo_status take_parameter(const void *given, size_t size, opevo_error *said)
{
    opevo_parameter *parameter = NULL;
    opevo_status status = opevo_parameter_create_sized(given, size, &parameter, said);

    opevo_parameter_destroy(parameter);
    return status;
}

static opevo_parameter *space_parameter; /* of the space that is made next */

static opevo_status take_space(const void *given, size_t size, opevo_error *said)
{
    opevo_space *space = NULL;
    opevo_status status = OPEVO_OK;

    space_parameter = path("X");
    status = opevo_space_create_branched_sized(given, size, &space, said);
    if (status != OPEVO_OK)
        opevo_parameter_destroy(space_parameter);
    opevo_space_destroy(space);
    return status;
}

CHECK_TEST(parameters_and_spaces)
{
    opevo_value value = opevo_value_of_integer(4);
    opevo_parameter_spec parameter = {
        .name = "X", .type = "permutation", .values = &value, .value_count = 1};
    opevo_space_spec space = {.parameters = &space_parameter, .count = 1};

    CHECK_VERSIONS(opevo_parameter_spec, &parameter, topology, take_parameter);
    CHECK_VERSIONS(opevo_space_spec, &space, constraints, take_space);
}

static opevo_status take_law(const void *given, size_t size, opevo_error *said)
{
    opevo_parameter *parameter = path("X");
    opevo_law *law = NULL;
    opevo_status status = opevo_law_create_sized(parameter, 0.5, 1, given, size, &law, said);

    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
    return status;
}

static opevo_status take_solve(const void *given, size_t size, opevo_error *said)
{
    static const uint32_t edges[] = {0, 1, 1, 2};
    static const double start[] = {1, 0, 0};
    double law[3];
    opevo_graph *graph = NULL;
    opevo_status status = OPEVO_OK;

    CHECK_OK(opevo_graph_from_edges(3, edges, 2, &graph, &err));
    status = opevo_law_solve_sized(graph, 0.5, start, given, size, law, NULL, said);
    opevo_graph_destroy(graph);
    return status;
}

static opevo_status take_child(const void *given, size_t size, opevo_error *said)
{
    static const opevo_index point = 1;
    static const double weight = 1;
    opevo_parameter *parameter = path("X");
    opevo_parents parents = {&point, &weight, 1};
    opevo_space *space = NULL;
    opevo_child_law *law = NULL;
    opevo_status status = OPEVO_OK;

    CHECK_OK(opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, NULL, &space, &err));
    status = opevo_child_law_create_sized(space, &parents, 0.5, given, size, &law, said);
    opevo_child_law_destroy(law);
    opevo_space_destroy(space);
    return status;
}

CHECK_TEST(laws)
{
    opevo_law_options options = {.method = OPEVO_LAW_CHOLESKY};

    CHECK_VERSIONS(opevo_law_options, &options, tolerance, take_law);
    CHECK_VERSIONS(opevo_law_options, &options, tolerance, take_solve);
    CHECK_VERSIONS(opevo_law_options, &options, tolerance, take_child);
}

/* ---- Runs and studies ---- */

static opevo_objective *objective; /* the recording that the library brings */

static int open_objective(void **state)
{
    CHECK_OK(opevo_recorded_open("", NULL, &objective, &err));
    return 0;
}

static int close_objective(void **state)
{
    opevo_objective_destroy(objective);
    return 0;
}

static opevo_status take_session(const void *given, size_t size, opevo_error *said)
{
    opevo_session *session = NULL;
    opevo_status status = opevo_session_create_sized(objective, given, size, &session, said);

    if (session)
        CHECK_OK(opevo_session_end(session, NULL, &err));
    return status;
}

static opevo_status take_run(const void *given, size_t size, opevo_error *said)
{
    return opevo_run_sized(objective, given, size, NULL, said);
}

static opevo_status take_key(const void *given, size_t size, opevo_error *said)
{
    scratch_folder scratch = scratch_make();
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;
    int64_t run = 0;

    CHECK_OK(opevo_store_open(scratch.file, OPEVO_STORE_WRITE, &store, &err));
    status = opevo_store_begin_sized(store, given, size, &run, said);
    opevo_store_close(store);
    scratch_remove(&scratch);
    return status;
}

static opevo_status take_external(const void *given, size_t size, opevo_error *said)
{
    union {
        opevo_external_options known;
        unsigned char bytes[sizeof(opevo_external_options) + LATER];
    } own;
    opevo_parameter *parameter = path("X");
    opevo_objective *external = NULL;
    opevo_status status = OPEVO_OK;

    memcpy(own.bytes, given, size);
    CHECK_OK(
        opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, NULL, &own.known.space, &err));
    status = opevo_external_create_sized(&own.known, size, &external, said);
    if (status != OPEVO_OK)
        opevo_space_destroy(own.known.space);
    opevo_objective_destroy(external);
    return status;
}

static opevo_status take_scheduler(const void *given, size_t size, opevo_error *said)
{
    opevo_scheduler *scheduler = NULL;
    opevo_status status = opevo_scheduler_create_sized(given, size, &scheduler, said);

    CHECK_OK(opevo_scheduler_end(scheduler, &err));
    return status;
}

static opevo_status take_task(const void *given, size_t size, opevo_error *said)
{
    opevo_scheduler_options options = {.trials = 5};
    opevo_scheduler *scheduler = NULL;
    opevo_status status = OPEVO_OK;

    CHECK_OK(opevo_scheduler_create(&options, &scheduler, &err));
    status = opevo_scheduler_add_sized(scheduler, objective, given, size, 1, NULL, said);
    CHECK_OK(opevo_scheduler_end(scheduler, &err));
    return status;
}

CHECK_TEST(runs)
{
    opevo_run_options options = {.seed = 1, .budget = {.trials = 5}};
    opevo_run_key key = {.objective = "an objective",
                         .tuner = "random",
                         .settings = "",
                         .space = objective->space,
                         .unit = "GFLOP/s"};
    opevo_external_options external = {.name = "an objective", .unit = "ms"};
    opevo_scheduler_options scheduler = {.trials = 5};
    opevo_text text = {0};

    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    CHECK_VERSIONS(opevo_run_options, &options, give_up, take_session);
    CHECK_VERSIONS(opevo_run_options, &options, give_up, take_run);
    CHECK_VERSIONS(opevo_run_key, &key, criteria, take_key);
    CHECK_VERSIONS(opevo_external_options, &external, criteria, take_external);
    CHECK_VERSIONS(opevo_scheduler_options, &scheduler, round, take_scheduler);
    opevo_text_clear(&text);
    opevo_scheduler_print_options_sized(&scheduler, offsetof(opevo_scheduler_options, round), 5,
                                        &text);
    assert_non_null(strstr(opevo_text_string(&text), "round=1 "));
    opevo_text_clear(&text);
    options.budget.trials = 0;
    CHECK_VERSIONS(opevo_run_options, &options, give_up, take_task);
    options.budget.trials = 5;
    CHECK_OK(opevo_tuner_find("opevo", &options.tuner, &err));
    options.settings = (opevo_setting_value[8]){{4}, {4}, {0.5}, {0}};
    opevo_run_print_settings_sized(objective, &options, offsetof(opevo_run_options, give_up),
                                   &text);
    assert_int_equal(strncmp(opevo_text_string(&text), "lambda=4 ", 9), 0);
    opevo_text_free(&text);
}

static opevo_study *study;
static scratch_folder folder;

static opevo_status take_study(const void *given, size_t size, opevo_error *said)
{
    opevo_study_result result;

    return opevo_study_run_sized(study, given, size, &result, said);
}

static opevo_status take_estimate(const void *given, size_t size, opevo_error *said)
{
    opevo_study_estimate estimate;

    return opevo_study_estimate_time_sized(study, given, size, 0.01, &estimate, said);
}

CHECK_TEST(studies)
{
    static const char text[] = "{\"study\": 1, \"objectives\": [\"recorded:\"], \"tuners\": "
                               "[\"random\"], \"budget\": {\"trials\": 5}, \"seeds\": 2}";
    char plan_path[64], store_path[64];
    opevo_plan *plan = NULL;
    opevo_study_objective opened = {.objective = objective, .note = {.on = "recorded:"}};
    opevo_study_options options = {.store = store_path};
    FILE *file = NULL;

    folder = scratch_make();
    snprintf(plan_path, sizeof plan_path, "%s/plan.json", folder.path);
    snprintf(store_path, sizeof store_path, "%s/study.db", folder.path);
    file = fopen(plan_path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    CHECK_OK(opevo_plan_load(plan_path, &plan, &err));
    CHECK_OK(opevo_study_create(plan, &opened, &study, &err));
    CHECK_VERSIONS(opevo_study_options, &options, threads, take_estimate);
    CHECK_VERSIONS(opevo_study_options, &options, threads, take_study);
    opevo_study_destroy(study);
    scratch_remove(&folder);
}

/* ---- Analysis ---- */

static opevo_status take_analysis(const void *given, size_t size, opevo_error *said)
{
    opevo_outcome outcome = {.kind = OPEVO_OUTCOME_OK, .fitness = 3};
    opevo_analysed_run run = {.seed = 1, .end = OPEVO_RUN_TRIALS};
    opevo_study_landscape landscape = {.name = "small", .unit = "GFLOP/s", .optimum = 4};
    const char *contender = "random";
    opevo_analysed_study analysed = {.landscapes = &landscape,
                                     .contenders = &contender,
                                     .runs = &run,
                                     .landscape_count = 1,
                                     .contender_count = 1,
                                     .run_count = 1};
    opevo_study_analysis *analysis = NULL;
    opevo_status status = OPEVO_OK;

    CHECK_OK(opevo_run_curve_add(&run.curve, &outcome, &err));
    status = opevo_study_analyse_sized(&analysed, given, size, &analysis, said);
    opevo_study_analysis_destroy(analysis);
    opevo_run_curve_free(&run.curve);
    return status;
}

static opevo_landscape_table *table;

static opevo_status take_profile(const void *given, size_t size, opevo_error *said)
{
    opevo_landscape_profile profile;
    opevo_status status =
        opevo_landscape_profile_create_sized(table, objective->space, given, size, &profile, said);

    if (status == OPEVO_OK)
        opevo_landscape_profile_release(&profile);
    return status;
}

CHECK_TEST(analyses)
{
    opevo_analysis_options options = opevo_analysis_options_default();
    opevo_profile_options profile = {.nodes = OPEVO_NODES_OK, .target = 0.9};
    unsigned char bytes[sizeof(opevo_analysis_options) + 2];

    options.resamples = 100;
    check_versions("opevo_analysis_options", &options, sizeof options, sizeof options,
                   take_analysis);
    CHECK_OK(opevo_landscape_table_create(objective, 1, &table, &err));
    CHECK_VERSIONS(opevo_profile_options, &profile, order_max, take_profile);
    opevo_landscape_table_destroy(table);
    /* The defaults, of a caller with a smaller struct and of one with a larger. */
    memset(bytes, 0xa5, sizeof bytes);
    opevo_analysis_options_fill((opevo_analysis_options *)(void *)bytes, 8);
    assert_int_equal(bytes[8], 0xa5);
    opevo_analysis_options_fill((opevo_analysis_options *)(void *)bytes, sizeof bytes - 1);
    assert_int_equal(bytes[sizeof bytes - 2], 0);
    assert_int_equal(bytes[sizeof bytes - 1], 0xa5);
}

/* ---- Tables of functions ---- */

static void unknown_function(void)
{
}

CHECK_TEST(tables)
{
    opevo_objective_ops objective_ops = *objective->ops;
    opevo_objective other = *objective;
    const opevo_tuner_ops *random = NULL;
    opevo_tuner_ops tuner_ops;
    opevo_domain *domain = NULL;
    opevo_domain_ops domain_ops;
    opevo_tuner *tuner = NULL;
    opevo_session *session = NULL;
    opevo_run_options options = {.seed = 1, .budget = {.trials = 5}};

    CHECK_OK(opevo_tuner_find("random", &random, &err));
    tuner_ops = *random;
    options.tuner = random;
    tuner_ops.reserved[0] = unknown_function;
    CHECK_FAILS(OPEVO_INVALID, "The tuner random has a function that opevo",
                opevo_tuner_create(&tuner_ops, objective->space, NULL, 1, &tuner, &err));
    other.ops = &objective_ops;
    objective_ops.reserved[0] = unknown_function;
    CHECK_FAILS(OPEVO_INVALID, "has a function that opevo",
                opevo_session_create(&other, &options, &session, &err));
    objective_ops.reserved[0] = NULL;
    CHECK_OK(opevo_domain_of_space(objective->space, &domain, &err));
    domain_ops = *domain->ops;
    domain_ops.reserved[0] = unknown_function;
    domain->ops = &domain_ops;
    other.space = NULL;
    other.domain = domain;
    CHECK_FAILS(OPEVO_INVALID, "The domain",
                opevo_session_create(&other, &options, &session, &err));
    domain_ops.reserved[0] = NULL;
    opevo_domain_destroy(domain);
}

int main(void)
{
    return check_tests(open_objective, close_objective);
}
