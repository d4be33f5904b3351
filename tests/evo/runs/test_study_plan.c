/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plans: what they expand to, and what is refused. */

#include "study_fixture.h"

#include <opevo/memory.h>

static opevo_study *study_of(fixture *self, const char *text)
{
    opevo_study *study = NULL;

    CHECK_OK(fixture_study(self, text, &study, &err));
    return study;
}

/* Nested loops, written out. */
CHECK_TEST(test_expansion)
{
    static const char *const on[] = {"small", "device"};
    static const char *const q[] = {"0.1", "0.3", "0.5"};
    static const int lambda[] = {4, 8};
    static const char *const topology[] = {"prime-move", "any-divisor"};
    static const char *const budget[] = {"trials=5", "trials=7 seconds=2.5"};
    fixture self;
    opevo_study *study = NULL;
    size_t at = 0;

    fixture_make(&self);
    study = study_of(
        &self, "{\"study\": 1, \"objectives\": [\"small\", {\"on\": \"device\"}],"
               " \"tuners\": [\"random\", {\"tuner\": \"opevo\", \"settings\": {\"q\": {\"from\":"
               " 0.1, \"to\": 0.5, \"step\": 0.2}, \"lambda\": [4, 8]}}],"
               " \"topologies\": {\"*factor\": [\"prime-move\", \"any-divisor\"]},"
               " \"budget\": [{\"trials\": 5}, {\"trials\": 7, \"seconds\": 2.5}],"
               " \"seeds\": [3, 9, 4]}");
    for (size_t o = 0; o < 2; o++) {
        for (size_t s = 0; s < 7; s++) { /* random, then 3 x 2 of opevo */
            for (size_t t = 0; t < 2; t++) {
                for (size_t b = 0; b < 2; b++, at++) {
                    const opevo_study_line *line = &study->lines[at];
                    char wanted[256];

                    if (s == 0)
                        snprintf(wanted, sizeof wanted, "topology=*factor:%s", topology[t]);
                    else
                        snprintf(wanted, sizeof wanted,
                                 "lambda=%d rho=8 q=%s duplicates=continue topology=*factor:%s",
                                 lambda[(s - 1) % 2], q[(s - 1) / 2], topology[t]);
                    assert_string_equal(line->settings_text, wanted);
                    assert_string_equal(line->objective->name, on[o]);
                    assert_string_equal(line->tuner->name, s ? "opevo" : "random");
                    assert_string_equal(line->budget_text, budget[b]);
                    assert_true(line->budget.trials == (b ? 7 : 5) &&
                                line->budget.seconds == (b ? 2.5 : 0));
                    assert_string_equal(
                        opevo_parameter_topology(opevo_space_parameter(line->objective->space, 0)),
                        topology[t]);
                }
            }
        }
    }
    assert_int_equal(study->line_count, at);
    assert_int_equal(opevo_study_run_count(study), 3 * at);
    assert_true(study->seeds[0] == 3 && study->seeds[1] == 9 && study->seeds[2] == 4);
    opevo_study_destroy(study);
    fixture_free(&self);
}

/* With "null" each line is followed by its twin: the same but for a word and seeds of its own. */
CHECK_TEST(test_twins)
{
    fixture self;
    opevo_plan *plan = NULL;
    opevo_study *study = NULL;

    fixture_make(&self);
    study = study_of(&self, "{\"study\": 1, \"objectives\": [\"small\"], \"tuners\": [\"random\","
                            " \"opevo\"], \"budget\": [{\"trials\": 3}, {\"trials\": 5}],"
                            " \"seeds\": [4, 9], \"null\": true}");
    assert_int_equal(study->line_count, 8);
    for (uint64_t k = 0; k < opevo_study_run_count(study); k++) {
        const opevo_study_line *line = &study->lines[k % 8];
        uint64_t seed = k / 8 ? 9 : 4;

        assert_int_equal(line->is_twin, k % 2);
        assert_true(opevo_study_seed(study, k) == seed + (k % 2 ? UINT64_C(1) << 40 : 0));
        assert_string_equal(line->tuner->name, k % 8 < 4 ? "random" : "opevo");
        assert_true(line->budget.trials == (k % 4 < 2 ? 3 : 5));
        if (k % 2) {
            char wanted[128];

            snprintf(wanted, sizeof wanted, "%s%snull=1", line[-1].settings_text,
                     *line[-1].settings_text ? " " : "");
            assert_string_equal(line->settings_text, wanted);
        }
    }
    opevo_study_destroy(study);
    CHECK_FAILS(OPEVO_INVALID, "null: requires seeds below 2^40",
                fixture_plan(&self,
                             "{\"study\": 1, \"objectives\": [\"small\"], \"tuners\":"
                             " [\"random\"], \"budget\": {\"trials\": 3}, \"null\": true,"
                             " \"seeds\": {\"from\": 1099511627774, \"count\": 3}}",
                             &plan, &err));
    fixture_free(&self);
}

/* More seeds, and lines at the end, keep what was there; shares are a partition, and fair. */
CHECK_TEST(test_shares)
{
    fixture self;

    fixture_make(&self);
    for (unsigned lines = 1; lines <= 4; lines++) {
        char text[512];
        opevo_study *study = NULL;

        snprintf(
            text, sizeof text,
            "{\"study\": 1, \"objectives\": [\"small\"], \"tuners\": [{\"tuner\": \"opevo\","
            " \"settings\": {\"lambda\": {\"from\": 1, \"to\": %u}}}], \"budget\": {\"trials\":"
            " 3}, \"seeds\": 12}",
            lines);
        study = study_of(&self, text);
        assert_int_equal(study->line_count, lines);
        for (uint32_t n = 1; n <= 6; n++) {
            uint64_t count[6] = {0};
            uint64_t of_first_line[6] = {0};

            for (uint64_t k = 0; k < opevo_study_run_count(study); k++) {
                unsigned owners = 0;

                for (uint32_t i = 0; i < n; i++) {
                    bool has = opevo_shard_has((opevo_shard){i, n}, study, k);

                    owners += has;
                    count[i] += has;
                    of_first_line[i] += has && k % lines == 0;
                }
                assert_int_equal(owners, 1);
            }
            for (uint32_t i = 0; i < n; i++) /* equal, also where not all can be */
                assert_in_range(count[i], 12 * lines / n, (12 * lines + n - 1) / n);
            for (uint32_t i = 0; i < n && 12 % n == 0; i++)
                assert_true(count[i] == 12 * lines / n && of_first_line[i] == 12 / n);
        }
        opevo_study_destroy(study);
    }
    fixture_free(&self);
}

CHECK_TEST(test_texts_of_objectives)
{
    fixture self;
    opevo_plan *plan = NULL;
    opevo_plan_objective named;

    fixture_make(&self);
    CHECK_OK(fixture_plan(&self,
                          "{\"study\": 1, \"objectives\": [\"recorded:a.csv\", {\"on\": [\"sim:x\","
                          " \"sim:y\"], \"what\": [\"mm1\", \"mm2\"], \"space\": \"s.json\"}],"
                          " \"tuners\": [\"random\"], \"seeds\": {\"count\": 2}, \"budget\":"
                          " {\"target\": 5}}",
                          &plan, &err));
    assert_int_equal(opevo_plan_objective_count(plan), 5);
    named = opevo_plan_objective_get(plan, 0);
    assert_string_equal(named.on, "recorded:a.csv");
    assert_true(!named.what && !named.space);
    named = opevo_plan_objective_get(plan, 3);
    assert_string_equal(named.on, "sim:y");
    assert_string_equal(named.what, "mm1");
    assert_string_equal(named.space, "s.json");
    assert_string_equal(named.where, "objectives[1]");
    opevo_plan_destroy(plan);
    fixture_free(&self);
}

#define HEAD "{\"study\": 1, \"objectives\": [\"small\"], \"tuners\": [\"random\"], \"seeds\": 1, "
#define TUNERS(text)                                                                               \
    "{\"study\": 1, \"objectives\": [\"small\"], \"seeds\": 1, \"budget\": {\"trials\": 1}, "      \
    "\"tuners\": " text "}"
#define OBJECTIVES(text)                                                                           \
    "{\"study\": 1, \"tuners\": [\"random\"], \"seeds\": 1, \"budget\": {\"trials\": 1}, "         \
    "\"objectives\": " text "}"
#define SEEDS(text)                                                                                \
    "{\"study\": 1, \"objectives\": [\"small\"], \"tuners\": [\"random\"], \"budget\": "           \
    "{\"trials\": 1}, \"seeds\": " text "}"

static void check_unknown_optimum(fixture *self)
{
    opevo_study *study = NULL;

    CHECK_FAILS(OPEVO_INVALID, ": budget: the optimum of large is unknown",
                fixture_study(self,
                              "{\"study\": 1, \"objectives\": [\"small\", \"large\"], \"tuners\":"
                              " [\"random\"], \"seeds\": 1, \"budget\": {\"target\": \"50%\"}}",
                              &study, &err));
}

static const struct {
    const char *text, *words;
} refused_cases[] = {
    {"", "plan.json:1:"},
    {"{\"study\": 1, \"study\": 1}", "duplicate"},
    {"[]", ": study: a plan must be"},
    {"{}", ": study: a plan must be"},
    {"{\"study\": 2}", ": study: a plan must be"},
    {"{\"study\": 1}", ": objectives: must be "},
    {HEAD "\"budget\": {\"trials\": 1}, \"threads\": 2}", ": threads: unknown key"},
    {OBJECTIVES("[]"), ": objectives: must be "},
    {OBJECTIVES("[3]"), ": objectives[0]: expected a string or an object"},
    {OBJECTIVES("[{\"what\": \"mm1\"}]"), ": objectives[0].on: must be given, as a string"},
    {OBJECTIVES("[{\"on\": []}]"),
     ": objectives[0].on: must be a string, or a list of strings, none of them empty"},
    {OBJECTIVES("[{\"on\": \"small\", \"at\": 1}]"), ": objectives[0].at: unknown key"},
    {OBJECTIVES("[{\"on\": \"small\", \"space\": [\"a\", \"b\"]}]"),
     ": objectives[0].space: must be a string"},
    {OBJECTIVES("[\"small\", \"small\"]"), "appears twice"},
    {OBJECTIVES("[{\"on\": \"small\", \"topologies\": {\"Z\": \"complete\"}}]"),
     ": objectives[0].topologies.Z: small has no such parameter"},
    {OBJECTIVES("[{\"on\": \"small\", \"topologies\": {\"K\": \"cycle\"}}]"), "cycle"},
    {TUNERS("[]"), ": tuners: must be a list of at least 1 element"},
    {TUNERS("[{\"settings\": {}}]"), ": tuners[0]: name the tuner"},
    {TUNERS("[\"random\", \"opeva\"]"), ": tuners[1]: Unknown tuner opeva; did you mean opevo?"},
    {TUNERS("[\"random\", {\"tuner\": \"random\"}]"), "appears twice"},
    {TUNERS("[{\"tuner\": \"opevo\", \"setings\": {}}]"), ": tuners[0].setings: unknown key"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": []}]"),
     ": tuners[0].settings: must be an object"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"q\": []}}]"),
     ": tuners[0].settings.q: this list is empty"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"q\": [0.5, 1]}}]"),
     ": tuners[0].settings.q: "},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"q\": [0.5, 0.5]}}]"), "appears twice"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"q\": true}}]"), "give a number"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"q\": {\"from\": 1}}}]"),
     ": tuners[0].settings.q.to: must be given"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"q\": {\"from\": 0, \"to\": 1, \"step\":"
            " 0}}}]"),
     ": tuners[0].settings.q.step: must be a number above 0"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"q\": {\"from\": 0, \"to\": 1, \"by\":"
            " 1}}}]"),
     ": tuners[0].settings.q.by: unknown key"},
    {TUNERS("[{\"tuner\": \"opevo\", \"settings\": {\"lamda\": 3}}]"),
     ": tuners[0].settings.lamda: "},
    {HEAD "\"budget\": {}}", ": budget: a run needs a limit"},
    {HEAD "\"budget\": []}", ": budget: give the end of a run"},
    {HEAD "\"budget\": [{\"trials\": 1}, {\"trials\": 0}]}",
     ": budget[1].trials: must be a whole number"},
    {HEAD "\"budget\": {\"seconds\": -1}}", ": budget.seconds: must be a number above 0"},
    {HEAD "\"budget\": {\"target\": \"101%\"}}", ": budget.target: must be"},
    {HEAD "\"budget\": {\"target\": 0}}", ": budget.target: must be"},
    {HEAD "\"budget\": {\"trails\": 1}}", ": budget.trails: unknown key"},
    {SEEDS("0"), ": seeds: give"},
    {SEEDS("[]"), ": seeds: give"},
    {SEEDS("[1, 2, 1]"), ": seeds: give"},
    {SEEDS("[-1]"), ": seeds: give"},
    {SEEDS("\"all\""), ": seeds: give"},
    {SEEDS("{\"from\": 1}"), ": seeds: give"},
    {SEEDS("{\"from\": 1, \"to\": 3}"), ": seeds.to: unknown key"},
    {SEEDS("{\"from\": 9223372036854775807, \"count\": 2}"), ": seeds: give"},
};

/* The sentence begins with the path of the plan and has these words. */
CHECK_TEST(test_refused)
{
    fixture self;
    fixture_path path;

    fixture_make(&self);
    path = fixture_file(&self, "plan.json");
    for (size_t i = 0; i < sizeof refused_cases / sizeof *refused_cases; i++) {
        int64_t alive = opevo_memory_live();
        opevo_error inner = {OPEVO_OK, ""};
        opevo_study *study = NULL;
        opevo_status status = fixture_study(&self, refused_cases[i].text, &study, &inner);

        if (status != OPEVO_INVALID || !strstr(inner.message, refused_cases[i].words) ||
            strncmp(inner.message, path.text, strlen(path.text)) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", refused_cases[i].text, inner.message,
                     refused_cases[i].words);
        assert_int_equal(opevo_memory_live(), alive);
    }
    check_unknown_optimum(&self);
    fixture_free(&self);
}

/* Every allocation fails in turn; nothing is left alive. */
CHECK_TEST(test_out_of_memory)
{
    static const char text[] =
        "{\"study\": 1, \"objectives\": [{\"on\": \"small\", \"topologies\": {\"*factor\":"
        " [\"prime-move\", \"complete\"]}}], \"tuners\": [\"random\", {\"tuner\": \"opevo\","
        " \"settings\": {\"q\": [0.1, 0.2]}}], \"seeds\": [1, 2], \"budget\": [{\"trials\": 5}]}";
    fixture self;
    opevo_status status = OPEVO_NOMEM;
    int64_t alive = 0;

    fixture_make(&self);
    alive = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_study *study = NULL;

        opevo_memory_fail_at(n);
        status = fixture_study(&self, text, &study, NULL);
        opevo_memory_fail_at(0);
        if (status == OPEVO_OK)
            opevo_study_destroy(study);
        else
            assert_int_equal(status, OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), alive);
    }
    fixture_free(&self);
}
