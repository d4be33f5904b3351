/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The published landscapes beside the repository, every one of them: what is replayed is held
 * against the facts that their descriptions state, which other programs computed. Skips where the
 * folder is absent. */

#include "landscape_files.h"

#include <opevo/landscape.h>

#include <gsl/gsl_sort.h>
#include <jansson.h>

static const char *folder_of_landscapes(void)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");

    if (!folder || access(folder, R_OK) != 0)
        CHECK_SKIP("recorded landscapes: none in %s", folder ? folder : "$OPEVO_TEST_LANDSCAPES");
    return folder;
}

/* All allowed points of a landscape. */
typedef struct replay {
    size_t kinds[OPEVO_OUTCOME_CLASS_COUNT];
    double *times_s; /* of the ok points, ascending */
    size_t time_count;
    double cost_s;
} replay;

static replay replay_all(opevo_objective *objective)
{
    replay out = {.cost_s = 0};
    opevo_index size = opevo_space_size(objective->space);

    out.times_s = malloc((size_t)size * sizeof *out.times_s);
    assert_non_null(out.times_s);
    for (opevo_index point = 0; point < size; point++) {
        opevo_outcome outcome;

        if (!opevo_space_allows(objective->space, point))
            continue;
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        out.kinds[outcome.kind]++;
        out.cost_s += opevo_outcome_cost_s(&outcome);
        if (outcome.kind == OPEVO_OUTCOME_OK)
            out.times_s[out.time_count++] = outcome.time_s;
    }
    gsl_sort(out.times_s, 1, out.time_count);
    return out;
}

/* The point of the configuration that the description calls best. */
static opevo_index best_point(const opevo_objective *objective, const json_t *best)
{
    const json_t *config = json_object_get(best, "config");
    const opevo_space *space = objective->space;
    opevo_index vertices[64];

    if (!config)
        config = json_object_get(best, "configuration");
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_value components[16];

        for (size_t c = 0; c < opevo_parameter_arity(parameter); c++) {
            const char *name = opevo_parameter_component_name(parameter, c);
            const json_t *value =
                json_object_get(config, name ? name : opevo_parameter_name(parameter));

            assert_true(json_is_integer(value));
            components[c] = opevo_value_of_integer(json_integer_value(value));
        }
        assert_true(opevo_parameter_find(parameter, components, &vertices[i]));
    }
    return opevo_space_encode(space, vertices);
}

static void check_best(opevo_objective *objective, const json_t *root)
{
    const json_t *best = json_object_get(root, "best");
    const json_t *gflops = json_object_get(best, "gflops");
    const json_t *time_ms = json_object_get(best, "time_ms");
    opevo_optimum optimum = {.known = false};
    opevo_index point = best_point(objective, best);
    opevo_outcome outcome;

    CHECK_OK(opevo_objective_optimum(objective, &optimum, &err));
    assert_true(optimum.known && optimum.point == point);
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_true(outcome.kind == OPEVO_OUTCOME_OK && outcome.fitness == optimum.fitness);
    if (time_ms)
        CHECK_CLOSE(1e3 * outcome.time_s, json_number_value(time_ms), 1e-12);
    if (gflops) /* the table has six digits of it */
        CHECK_CLOSE(outcome.fitness / json_number_value(gflops), 1, 5e-6);
    else
        CHECK_CLOSE(outcome.fitness * outcome.time_s, 1, 1e-12);
}

static void check_distribution(const replay *all, const json_t *root)
{
    static const struct {
        const char *key;
        double share;
    } near[] = {{"valid_within_1pct_of_best", 0.99},
                {"valid_within_5pct_of_best", 0.95},
                {"valid_within_10pct_of_best", 0.90},
                {"valid_within_50pct_of_best", 0.50}};
    const json_t *median = json_object_get(root, "median_time_ms");
    const json_t *worst = json_object_get(root, "worst_time_ms");
    size_t n = all->time_count;

    if (median) /* of an even number of times the descriptions state the upper middle one */
        CHECK_CLOSE(1e3 * all->times_s[n / 2], json_number_value(median), 1e-9);
    if (worst)
        CHECK_CLOSE(1e3 * all->times_s[n - 1], json_number_value(worst), 1e-9);
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        const json_t *expected = json_object_get(root, near[i].key);
        size_t count = 0;

        while (count < n && all->times_s[0] / all->times_s[count] >= near[i].share)
            count++;
        if (expected)
            assert_int_equal(count, json_integer_value(expected));
    }
}

static void check_landscape(const char *path, const json_t *root)
{
    static const struct {
        const char *status;
        opevo_outcome_class kind;
    } states[] = {{"compile_error", OPEVO_OUTCOME_BUILD_ERROR},
                  {"runtime_error", OPEVO_OUTCOME_LAUNCH_ERROR},
                  {"invalid", OPEVO_OUTCOME_REJECTED},
                  {"timeout", OPEVO_OUTCOME_TIMEOUT}};
    const json_t *counts = json_object_get(root, "status_counts");
    json_int_t rows = json_integer_value(json_object_get(root, "rows"));
    opevo_space_share share;
    opevo_objective *objective = NULL;
    replay all;

    CHECK_OK(opevo_recorded_open(path, NULL, &objective, &err));
    CHECK_OK(opevo_space_count_allowed(objective->space, 1 << 24, 1, &share, &err));
    assert_true(share.exact && share.allowed == (opevo_index)rows);
    all = replay_all(objective);
    assert_int_equal(all.kinds[OPEVO_OUTCOME_UNRECORDED], 0);
    assert_int_equal(all.kinds[OPEVO_OUTCOME_OK],
                     json_integer_value(json_object_get(root, "valid")));
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        assert_int_equal(all.kinds[states[i].kind],
                         json_integer_value(json_object_get(counts, states[i].status)));
    check_best(objective, root);
    check_distribution(&all, root);
    print_message("%-20s %6d rows %6d ok, %8.0f recorded seconds\n", objective->name, (int)rows,
                  (int)all.time_count, all.cost_s);
    free(all.times_s);
    opevo_objective_destroy(objective);
}

/* Check every description in a folder; returns how many. */
static size_t check_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry = NULL;
    size_t count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        size_t length = strlen(entry->d_name);
        char path[1024];
        json_t *root = NULL;

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            count += check_folder(path);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        root = json_load_file(path, 0, NULL);
        if (json_object_get(root, "format")) {
            check_landscape(path, root);
            count++;
        }
        json_decref(root);
    }
    closedir(dir);
    return count;
}

CHECK_TEST(replays_the_published_landscapes)
{
    const char *folder = folder_of_landscapes();

    assert_true(check_folder(folder) >= 1);
}

/* Open one of the raw files; NULL where it is absent. */
static opevo_objective *open_raw(const char *name)
{
    opevo_objective *objective = NULL;
    char path[1024];

    snprintf(path, sizeof path, "%s/raw/%s", folder_of_landscapes(), name);
    if (access(path, R_OK) != 0)
        CHECK_SKIP("recorded landscapes: %s is missing", path);
    CHECK_OK(opevo_recorded_open(path, NULL, &objective, &err));
    return objective;
}

/* Counts as the collectors of the files state them; GFLOP/s times the time is the operation count
 * of 4096 x 4096 outputs of a 15 x 15 filter. */
CHECK_TEST(reads_a_complete_cache)
{
    opevo_objective *objective = open_raw("convolution_milo_A6000_original.json.gz");
    replay all = replay_all(objective);

    assert_int_equal(all.kinds[OPEVO_OUTCOME_OK], 2266);
    assert_int_equal(all.kinds[OPEVO_OUTCOME_BUILD_ERROR], 104);
    assert_int_equal(all.kinds[OPEVO_OUTCOME_LAUNCH_ERROR], 72);
    assert_int_equal(all.kinds[OPEVO_OUTCOME_REJECTED], 0);
    for (opevo_index point = 0; point < opevo_space_size(objective->space); point++) {
        opevo_outcome outcome;

        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        if (outcome.kind == OPEVO_OUTCOME_OK)
            CHECK_CLOSE(outcome.fitness * outcome.time_s * 1e9 / 7549747200.0, 1, 1e-9);
    }
    free(all.times_s);
    opevo_objective_destroy(objective);
}

/* The run was going on, and its times are pairs [0, t]. The operation count of the kernel,
 * 2 n^3 + 2 n^2 for n = 4096, shows that time and GFLOP/s were put right together, and the time of
 * the first entry that it is the mean of its second members. */
CHECK_TEST(reads_an_unfinished_cache)
{
    opevo_objective *objective = open_raw("gemm_milo_W7800_unfinished.json.gz");
    replay all = replay_all(objective);
    opevo_index point = 0;
    opevo_outcome outcome;

    assert_int_equal(all.kinds[OPEVO_OUTCOME_OK], 109); /* as many lines of entries */
    CHECK_OK(opevo_space_read(objective->space,
                              "GEMMK=0 MWG=16 NWG=16 KWG=16 MDIMC=8 NDIMC=8 MDIMA=8 NDIMB=8 KWI=2 "
                              "VWM=1 VWN=1 STRM=0 STRN=0 SA=0 SB=0 KREG=1 PRECISION=32",
                              &point, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    CHECK_CLOSE(outcome.time_s, 2 * 29.930085361003876e-3, 1e-12);
    CHECK_CLOSE(outcome.fitness, 4593.1211436875465 / 2, 1e-9);
    CHECK_CLOSE(outcome.fitness * outcome.time_s * 1e9, 2.0 * 4096 * 4096 * 4097, 1e3);
    free(all.times_s);
    opevo_objective_destroy(objective);
}

CHECK_TEST(reads_a_cache_of_mixed_values)
{
    opevo_objective *objective = open_raw("kernel_tuner_mixed_types_cache.json");
    replay all = replay_all(objective);
    opevo_optimum best = {.known = false};
    opevo_index point = 0;

    assert_string_equal(objective->unit, "1/s");
    assert_int_equal(all.kinds[OPEVO_OUTCOME_OK], 15);
    assert_int_equal(all.kinds[OPEVO_OUTCOME_UNRECORDED], 225);
    CHECK_OK(opevo_space_read(objective->space,
                              "block_size_x=768 test_string=alg_2 test_single=15 test_bool=true "
                              "test_mixed=2.45",
                              &point, &err));
    CHECK_OK(opevo_objective_optimum(objective, &best, &err));
    assert_true(best.known && best.point == point);
    CHECK_CLOSE(best.fitness, 1e3 / 0.03175771422684193, 1e-9);
    free(all.times_s);
    opevo_objective_destroy(objective);
}

/* Every configuration of the first landscape has the same outcome in the second. */
static void check_same_outcomes(opevo_objective *first, opevo_objective *second, size_t rows)
{
    opevo_text text = {0};
    size_t compared = 0;

    for (opevo_index point = 0; point < opevo_space_size(first->space); point++) {
        opevo_outcome a, b;
        opevo_index other = 0;

        CHECK_OK(opevo_objective_evaluate(first, &point, 1, &a, &err));
        if (a.kind == OPEVO_OUTCOME_UNRECORDED)
            continue;
        opevo_text_clear(&text);
        opevo_space_print(first->space, point, &text);
        CHECK_OK(opevo_space_read(second->space, text.data, &other, &err));
        CHECK_OK(opevo_objective_evaluate(second, &other, 1, &b, &err));
        assert_int_equal(a.kind, b.kind);
        if (a.kind == OPEVO_OUTCOME_OK)
            CHECK_CLOSE(a.time_s / b.time_s, 1, 1e-12);
        if (b.build_s > 0) /* the table has costs as a whole */
            CHECK_CLOSE(a.build_s, b.build_s, 1e-9);
        compared++;
    }
    assert_int_equal(compared, rows);
    opevo_text_free(&text);
    opevo_objective_destroy(first);
    opevo_objective_destroy(second);
}

/* The hub's T4 file is its cache file in another form, and KTT's is what a table was made from. */
CHECK_TEST(reads_t4_results)
{
    opevo_objective *table = NULL;
    opevo_text path = {0};

    check_same_outcomes(open_raw("convolution_milo_A6000_original_T4.json.gz"),
                        open_raw("convolution_milo_A6000_original.json.gz"), 2442);
    opevo_text_printf(&path, "%s/coulomb_rtx2080ti.csv.xz", folder_of_landscapes());
    CHECK_OK(opevo_recorded_open(opevo_text_string(&path), NULL, &table, &err));
    opevo_text_free(&path);
    check_same_outcomes(open_raw("ktt_coulomb_2080_full_search_space_converted_T4.json.xz"), table,
                        210);
}
