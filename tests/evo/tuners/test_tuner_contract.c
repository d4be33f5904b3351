/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The contract of tuner.h, for every tuner of the table on every kind of space. */

#include "contract_fixture.h"
#include "points.h"

/* Ask until the search is over: every allowed point came exactly once. */
static void check_exhausts(const opevo_tuner_ops *ops, const opevo_space *space,
                           const char *changes, unsigned fail_one_in, uint64_t seed)
{
    formula objective = formula_on(space, seed, fail_one_in);
    opevo_tuner *tuner = make(ops, space, changes, seed);
    size_t size = (size_t)opevo_space_size(space);
    unsigned times[SMALL_MOST] = {0};
    opevo_index points[64];
    size_t count = 0;

    assert_true(size <= SMALL_MOST);
    while ((count = turn(tuner, &objective, 1 + seed % 13, points)) > 0) {
        for (size_t i = 0; i < count; i++)
            times[points[i]]++;
    }
    assert_string_equal(tuner->reason, "every allowed point has been proposed");
    assert_int_equal(turn(tuner, &objective, 5, points), 0);
    for (size_t point = 0; point < size; point++)
        assert_int_equal(times[point], opevo_space_allows(space, point));
    opevo_tuner_destroy(tuner);
}

CHECK_TEST(test_exhausts_small_spaces)
{
    static const unsigned failing[] = {0, 3, 1}; /* one in so many, or none */

    for (size_t s = 0; s < SMALL_COUNT; s++) {
        opevo_space *space = formula_space(small_spaces[s]);

        for (size_t t = 0; t < opevo_tuner_count(); t++) {
            for (size_t v = 0; v < VARIANT_COUNT; v++) {
                if (!has_keys(opevo_tuner_get(t), variants[v]) ||
                    opevo_tuner_suits(opevo_tuner_get(t), space, NULL) != OPEVO_OK)
                    continue;
                for (size_t f = 0; f < 3; f++) {
                    if (test_takes(s + t + v, f, 3))
                        check_exhausts(opevo_tuner_get(t), space, variants[v], failing[f],
                                       1 + 10 * f + v);
                }
            }
        }
        opevo_space_destroy(space);
    }
}

/* A graph of three parts without a path between them. */
CHECK_TEST(test_exhausts_a_disconnected_graph)
{
    char folder[] = "opevo-test-XXXXXX";
    char path[64];
    opevo_space *space = NULL;
    FILE *file = NULL;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/parts.edges", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("0 1\n1 2\n3 4\n5 6\n6 7\n7 5\n", file);
    fclose(file);
    CHECK_OK(opevo_space_parse("{\"g\": {\"_type\": \"graph\", \"_value\": [\"parts.edges\"]},"
                               " \"b\": {\"_type\": \"choice\", \"_value\": [0, 1]}}",
                               "a test", folder, &space, &err));
    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        check_exhausts(opevo_tuner_get(t), space, "", 0, 1);
        check_exhausts(opevo_tuner_get(t), space, "", 1, 2);
    }
    opevo_space_destroy(space);
    unlink(path);
    rmdir(folder);
}

/* Large, two levels deep, with a constraint over what is active. */
static const char large_branched[] =
    "{\"u\": {\"_type\": \"discrete\", \"_value\": [0, 125, 256]}, \"op\": {\"_type\": \"choice\","
    " \"_value\": [{\"_name\": \"tiled\", \"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]},"
    " \"inner\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"split\", \"X\": {\"_type\":"
    " \"factor\", \"_value\": [512, 4]}, \"o\": {\"_type\": \"permutation\", \"_value\": [6]}},"
    " {\"_name\": \"fused\", \"Y\": {\"_type\": \"factor\", \"_value\": [1024, 4]}}, \"plain\"]}},"
    " {\"_name\": \"flat\", \"size\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16]}}]},"
    " \"_constraints\": [\"active(X) ? X[2] * K[1] <= 1024 : u > 0 || op == 'tiled'\"]}";

/* The first `wanted` points, asked for in pieces of varying size. */
static void collect(const opevo_tuner_ops *ops, const opevo_space *space, const char *changes,
                    unsigned fail_one_in, uint64_t seed, size_t piece, size_t wanted,
                    opevo_index *points)
{
    formula objective = formula_on(space, 5, fail_one_in);
    opevo_tuner *tuner = make(ops, space, changes, seed);
    size_t got = 0;

    while (got < wanted) {
        size_t capacity = piece ? piece : 1 + got % 17;

        if (capacity > wanted - got)
            capacity = wanted - got;
        capacity = turn(tuner, &objective, capacity, points + got);
        assert_true(capacity > 0);
        got += capacity;
    }
    opevo_tuner_destroy(tuner);
}

/* Four plans of 64, three generations of a hundred. */
enum { LONG = 300, LONG_OF_CUBIC = 100 };

/* The time that a run of qgp takes grows with the cube of its trials. */
static size_t long_run(const opevo_tuner_ops *ops)
{
    return strcmp(ops->name, "qgp") != 0 ? LONG : LONG_OF_CUBIC;
}

/* Tuners that work on branches are checked on branches, and in the long run without them, too. */
static void check_same_points(const char *json)
{
    static const size_t pieces[] = {1, 8, 0};
    opevo_space *space = formula_space(json);
    opevo_index first[LONG];
    opevo_index again[LONG];

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        size_t wanted = long_run(ops);
        size_t size = wanted * sizeof *first;

        if (ops->works_on_branches && !opevo_space_has_branches(space) && !test_size(0, 1))
            continue;
        for (size_t v = 0; v < VARIANT_COUNT; v++) {
            if (!has_keys(ops, variants[v]) || opevo_tuner_suits(ops, space, NULL) != OPEVO_OK)
                continue;
            for (unsigned fail = 0; fail < 5; fail += 4) {
                if (!test_takes(t + v, fail / 4, 2))
                    continue;
                collect(ops, space, variants[v], fail, 1, 64, wanted, first);
                for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
                    if (!test_takes(t + v, p, sizeof pieces / sizeof *pieces))
                        continue;
                    collect(ops, space, variants[v], fail, 1, pieces[p], wanted, again);
                    assert_memory_equal(first, again, size);
                }
                collect(ops, space, variants[v], fail, 2, 64, wanted, again);
                if (strcmp(ops->name, "grid") != 0 && strcmp(ops->name, "droplet") != 0)
                    assert_memory_not_equal(first, again, size); /* those draw nothing */
            }
        }
    }
    opevo_space_destroy(space);
}

CHECK_TEST(test_same_seed_same_points_however_cut)
{
    check_same_points(large_space);
}

CHECK_TEST(test_same_points_with_branches)
{
    check_same_points(large_branched);
}

static void check_constraints(const char *json)
{
    opevo_space *space = formula_space(json);
    opevo_index points[LONG];

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        opevo_index_set *met = opevo_index_set_create();

        size_t wanted = long_run(opevo_tuner_get(t));

        if (opevo_tuner_suits(opevo_tuner_get(t), space, NULL) != OPEVO_OK ||
            (opevo_tuner_get(t)->works_on_branches &&
             !test_takes(t, opevo_space_has_branches(space), 2))) {
            opevo_index_set_destroy(met);
            continue;
        }
        collect(opevo_tuner_get(t), space, "", 4, 3, 8, wanted, points);
        for (size_t i = 0; i < wanted; i++) {
            assert_true(opevo_space_allows(space, points[i]));
            opevo_index_set_add(met, points[i]);
        }
        assert_int_equal(opevo_index_set_count(met), wanted);
        opevo_index_set_destroy(met);
    }
    opevo_space_destroy(space);
}

CHECK_TEST(test_never_repeats_or_breaks_a_constraint)
{
    check_constraints(large_space);
    check_constraints(large_branched);
}

/* A tuner either works on branches or says that it does not, when it is created. */
CHECK_TEST(test_branches_are_refused_by_the_others)
{
    opevo_space *space = formula_space("{" FLAT_CHOICE "}");
    size_t suited = 0;

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        opevo_setting_value values[FORMULA_SETTINGS_MOST];
        opevo_tuner *tuner = NULL;
        char sentence[128];

        suited += ops->works_on_branches;
        if (ops->works_on_branches)
            continue;
        snprintf(
            sentence, sizeof sentence,
            "The tuner %s does not support spaces with branches; opevo tuners lists those that do.",
            ops->name);
        opevo_settings_default(ops, values);
        CHECK_FAILS(OPEVO_INVALID, sentence,
                    opevo_tuner_create(ops, space, values, 1, &tuner, &err));
    }
    assert_true(suited >= 18);
    opevo_space_destroy(space);
}

enum {
    CUT_MOST = 150, /* trials of a run that is cut */
    CUT_MOST_OF_CUBIC = 50,
    CUT_RUNS = 4
};

/* A run in which asks and tells are cut at random: asks of some while others are pending, tells of
 * some of those, in their order. Its points must be those of `expected`, as far as that goes. */
static void check_random_cuts(const opevo_tuner_ops *ops, const opevo_space *space,
                              const char *changes, const opevo_index *expected, size_t wanted,
                              uint64_t cut)
{
    formula objective = formula_on(space, 5, 4);
    opevo_tuner *tuner = make(ops, space, changes, 1);
    opevo_trial trials[CUT_MOST];
    size_t asked = 0, told = 0, count = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, cut, "cuts", 0);
    while (told < wanted) {
        opevo_proposal proposals[24];
        size_t capacity = 1 + (size_t)opevo_rng_below(&rng, 24);

        if (capacity > wanted - asked)
            capacity = wanted - asked;
        count = 0;
        if (capacity > 0 && opevo_rng_below(&rng, 3) > 0)
            CHECK_OK(opevo_tuner_ask(tuner, proposals, capacity, &count, &err));
        for (size_t i = 0; i < count; i++, asked++) {
            assert_true(proposals[i].point == expected[asked]);
            trials[asked] = (opevo_trial){.number = asked + 1,
                                          .proposal = proposals[i],
                                          .outcome = formula_outcome(&objective, expected[asked])};
        }
        count = (size_t)opevo_rng_below(&rng, asked - told + 1);
        CHECK_OK(opevo_tuner_tell(tuner, trials + told, count, &err));
        told += count;
    }
    opevo_tuner_destroy(tuner);
}

/* The points of a run that asks for one and tells it; returns how many there are. */
static size_t one_by_one(const opevo_tuner_ops *ops, const opevo_space *space, const char *changes,
                         opevo_index *points, size_t most)
{
    formula objective = formula_on(space, 5, 4);
    opevo_tuner *tuner = make(ops, space, changes, 1);
    size_t got = 0;

    while (got < most && turn(tuner, &objective, 1, points + got) > 0)
        got++;
    opevo_tuner_destroy(tuner);
    return got;
}

/* What a program that measures several points at once does with a session: trials are told in their
 * order, but some while others are pending. */
CHECK_TEST(test_same_points_however_asks_and_tells_are_cut)
{
    const char *const spaces[] = {small_spaces[2], small_spaces[4], middle_space,
                                  small_spaces[SMALL_COUNT - 1]};

    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
        opevo_space *space = formula_space(spaces[s]);

        for (size_t t = 0; t < opevo_tuner_count(); t++) {
            const opevo_tuner_ops *ops = opevo_tuner_get(t);
            bool cubic = strcmp(ops->name, "qgp") == 0;

            for (size_t v = 0; v < VARIANT_COUNT; v++) {
                opevo_index points[CUT_MOST];
                size_t wanted = 0;

                if (!has_keys(ops, variants[v]) || opevo_tuner_suits(ops, space, NULL) != OPEVO_OK)
                    continue;
                wanted = one_by_one(ops, space, variants[v], points,
                                    cubic ? CUT_MOST_OF_CUBIC : CUT_MOST);
                for (uint64_t cut = 0; cut < test_size(1, CUT_RUNS); cut++)
                    check_random_cuts(ops, space, variants[v], points, wanted, cut);
            }
        }
        opevo_space_destroy(space);
    }
}

/* Whoever asks on without telling gets 0 for now, no reason, and the same points as ever. */
CHECK_TEST(test_asking_ahead)
{
    opevo_space *space = formula_space(large_space);
    formula objective = formula_on(space, 5, 0);
    opevo_index points[64];

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        opevo_tuner *tuner = make(ops, space, "", 1);
        opevo_proposal ahead[64];
        opevo_trial trials[64];
        size_t pending = 0;
        size_t count = 0;

        collect(ops, space, "", 0, 1, 64, 64, points);
        do {
            CHECK_OK(opevo_tuner_ask(tuner, ahead + pending, 5, &count, &err));
            pending += count;
        } while (count && pending + 5 <= 64);
        assert_null(tuner->reason);
        assert_int_equal(tuner->pending, pending);
        for (size_t i = 0; i < pending; i++) {
            assert_true(ahead[i].point == points[i]);
            trials[i] = (opevo_trial){.proposal = ahead[i],
                                      .outcome = formula_outcome(&objective, points[i])};
        }
        CHECK_FAILS(OPEVO_INVALID, "are pending",
                    opevo_tuner_tell(tuner, trials, pending + 1, &err));
        for (size_t i = 0; i < pending; i++)
            CHECK_OK(opevo_tuner_tell(tuner, &trials[i], 1, &err));
        CHECK_OK(opevo_tuner_ask(tuner, ahead, 1, &count, &err));
        assert_true(count == 1 && (pending == 64 || ahead[0].point == points[pending]));
        CHECK_FAILS(OPEVO_INVALID, "at least one point",
                    opevo_tuner_ask(tuner, ahead, 0, &count, &err));
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}

/* A tuner takes what it is told as it is: no fitness may break it. */
CHECK_TEST(test_strange_fitness)
{
    static const double strange[] = {0,     -0.0,    -1,     NAN,      INFINITY, -INFINITY,
                                     1e308, 1.7e308, 5e-324, 2.2e-308, 1e-300,   1};
    opevo_space *space = formula_space(small_spaces[4]);

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        opevo_tuner *tuner = make(opevo_tuner_get(t), space, "", 1);
        size_t total = 0;
        size_t count = 0;

        do {
            opevo_proposal proposal;

            CHECK_OK(opevo_tuner_ask(tuner, &proposal, 1, &count, &err));
            if (count) {
                opevo_trial trial = {.proposal = proposal};

                trial.outcome.fitness = strange[total % (sizeof strange / sizeof *strange)];
                CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
                total++;
            }
        } while (count);
        assert_int_equal(total, opevo_space_size(space));
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}

/* Every number setting at both ends of its domain. Steps of a network are refused without one,
 * which needs loop trees: test_models searches with it. */
CHECK_TEST(test_ends_of_settings)
{
    opevo_space *space = formula_space(small_spaces[5]);
    formula objective = formula_on(space, 1, 3);
    opevo_index points[64];

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);

        for (size_t s = 0; s < 2 * ops->setting_count; s++) {
            const opevo_setting *setting = &ops->settings[s / 2];
            opevo_setting_value values[FORMULA_SETTINGS_MOST];
            bool of_network = !strcmp(setting->key, "updates");
            opevo_tuner *tuner = NULL;

            if (setting->kind == OPEVO_SETTING_CHOICE)
                continue;
            opevo_settings_default(ops, values);
            values[s / 2].number = s % 2 ? setting->max : setting->min;
            if (s % 2 && setting->below_max)
                values[s / 2].number = nextafter(setting->max, 0) - 1e-6;
            if (of_network)
                CHECK_OK(opevo_settings_set(ops, "model=treegru", values, &err));
            CHECK_OK(opevo_tuner_create(ops, space, values, 1, &tuner, &err));
            for (size_t i = 0; i < test_size(2, 3) && !of_network; i++)
                turn(tuner, &objective, 64, points);
            opevo_tuner_destroy(tuner);
        }
    }
    opevo_space_destroy(space);
}

static opevo_status use(const opevo_tuner_ops *ops, const opevo_space *space, bool observes)
{
    formula objective = formula_on(space, 1, 3);
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_status status = OPEVO_OK;
    opevo_tuner *tuner = NULL;
    size_t count = 1;

    formula_settings(ops, cheaper_settings(ops), values);
    status = opevo_tuner_create(ops, space, values, 1, &tuner, NULL);
    if (status == OPEVO_OK && observes) {
        opevo_trial observed[OBSERVED_MOST];

        status = opevo_tuner_observe(
            tuner, observed, choose_observed(space, &objective, observed, OBSERVED_MOST), NULL);
    }
    while (status == OPEVO_OK && count) {
        opevo_proposal proposal;

        status = opevo_tuner_ask(tuner, &proposal, 1, &count, NULL);
        if (status == OPEVO_OK && count) {
            opevo_trial trial = {.proposal = proposal,
                                 .outcome = formula_outcome(&objective, proposal.point)};

            status = opevo_tuner_tell(tuner, &trial, 1, NULL);
        }
    }
    opevo_tuner_destroy(tuner);
    return status;
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_space *space = formula_space(middle_space);
    int64_t live = opevo_memory_live();

    for (size_t k = 0; k < 2 * opevo_tuner_count(); k++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(k / 2);
        opevo_status status = OPEVO_NOMEM;

        for (int64_t n = 1; status != OPEVO_OK; n += (int64_t)test_size(9, 1)) {
            assert_true(n < 4000);
            opevo_memory_fail_at(n);
            status = use(ops, space, k % 2 == 1);
            opevo_memory_fail_at(0);
            assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
            assert_int_equal(opevo_memory_live(), live);
        }
    }
    opevo_space_destroy(space);
}

CHECK_TEST(test_table)
{
    const opevo_tuner_ops *found = NULL;

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);

        CHECK_OK(opevo_tuner_find(ops->name, &found, &err));
        assert_ptr_equal(found, ops);
        assert_true(t == 0 || strcmp(opevo_tuner_get(t - 1)->name, ops->name) < 0);
        assert_true(ops->summary && ops->source);
        for (size_t s = 0; s < ops->setting_count; s++)
            assert_true(ops->settings[s].key && ops->settings[s].summary);
    }
    CHECK_FAILS(OPEVO_INVALID, "opevo, opevo-reference, ", opevo_tuner_find("none", &found, &err));
    opevo_tuner_destroy(NULL);
}
