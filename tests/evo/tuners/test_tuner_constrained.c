/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where a space is compiled because allowed points are rare, no tuner draws until something is
 * allowed: what it draws, its neighbours and what it repairs come from the diagram. Looks at
 * whether something is allowed are counted here, by how they end. */

#include "contract_fixture.h"

#include <opevo/diagram.h>

bool __real_opevo_space_allows(const opevo_space *space, opevo_index point);
bool __wrap_opevo_space_allows(const opevo_space *space, opevo_index point);
bool __real_opevo_space_allows_vertices(const opevo_space *space, const opevo_index *vertices);
bool __wrap_opevo_space_allows_vertices(const opevo_space *space, const opevo_index *vertices);
bool __real_opevo_diagram_allows(const opevo_diagram *diagram, const opevo_index *vertices);
bool __wrap_opevo_diagram_allows(const opevo_diagram *diagram, const opevo_index *vertices);

opevo_index __real_opevo_space_encode(const opevo_space *space, const opevo_index *vertices);
opevo_index __wrap_opevo_space_encode(const opevo_space *space, const opevo_index *vertices);

static size_t refused, numbered;

opevo_index __wrap_opevo_space_encode(const opevo_space *space, const opevo_index *vertices)
{
    numbered++;
    return __real_opevo_space_encode(space, vertices);
}

static bool counted(bool allowed)
{
    refused += !allowed;
    return allowed;
}

bool __wrap_opevo_space_allows(const opevo_space *space, opevo_index point)
{
    return counted(__real_opevo_space_allows(space, point));
}

bool __wrap_opevo_space_allows_vertices(const opevo_space *space, const opevo_index *vertices)
{
    return counted(__real_opevo_space_allows_vertices(space, vertices));
}

bool __wrap_opevo_diagram_allows(const opevo_diagram *diagram, const opevo_index *vertices)
{
    return counted(__real_opevo_diagram_allows(diagram, vertices));
}

static void add_values(opevo_text *json, const char *name, unsigned count, bool powers)
{
    opevo_text_printf(json, "%s\"%s\": {\"_type\": \"discrete\", \"_value\": [",
                      json->length > 1 ? ", " : "", name);
    for (unsigned v = 0; v < count; v++)
        opevo_text_printf(json, "%s%u", v ? ", " : "", powers ? 1U << v : v + 1);
    opevo_text_add(json, "]}");
}

/* The tiles of CLBlast's direct GEMM up to 64: 2,880,920 of 4.4e12 points are allowed, most of them
 * with allowed points beside them. */
static char *write_tiles(void)
{
    static const char *const tiles[] = {"WGD", "MDIMCD", "NDIMCD", "MDIMAD", "NDIMBD", "KWID"};
    opevo_text json = {0};

    opevo_text_add(&json, "{");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        add_values(&json, tiles[i], 64, false);
    add_values(&json, "VWMD", 4, true);
    add_values(&json, "VWND", 4, true);
    add_values(&json, "PADA", 2, false);
    add_values(&json, "PADB", 2, false);
    opevo_text_add(
        &json, ", \"_constraints\": [\"WGD % KWID == 0\", \"WGD % (MDIMCD * VWMD) == 0\","
               " \"WGD % (NDIMCD * VWND) == 0\", \"WGD % (MDIMAD * VWMD) == 0\","
               " \"WGD % (NDIMBD * VWND) == 0\","
               " \"(MDIMCD * NDIMCD) % MDIMAD == 0 && WGD % ((MDIMCD * NDIMCD) / MDIMAD) == 0\","
               " \"(MDIMCD * NDIMCD) % NDIMBD == 0 && WGD % ((MDIMCD * NDIMCD) / NDIMBD) == 0\"]}");
    return json.data;
}

/* 9 products that must be 128: 8^9 of 8^18 points are allowed, none beside another. */
static char *write_pairs(void)
{
    opevo_text json = {0};

    opevo_text_add(&json, "{");
    for (unsigned i = 0; i < 18; i++) {
        char name[8];

        snprintf(name, sizeof name, "p%u", i);
        add_values(&json, name, 8, true);
    }
    opevo_text_add(&json, ", \"_constraints\": [");
    for (unsigned i = 0; i < 18; i += 2)
        opevo_text_printf(&json, "%s\"p%u * p%u == 128\"", i ? ", " : "", i, i + 1);
    opevo_text_add(&json, "]}");
    return json.data;
}

/* Two numbers of 1..64 that must give 64, beside two branches: 7 of 4096 points are allowed. */
static char *write_branches(void)
{
    opevo_text json = {0};

    opevo_text_add(&json, "{");
    add_values(&json, "u", 64, false);
    add_values(&json, "w", 64, false);
    opevo_text_add(&json, ", \"c\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"a\"");
    add_values(&json, "x", 64, false);
    add_values(&json, "y", 64, false);
    opevo_text_add(&json, "}, {\"_name\": \"b\"");
    add_values(&json, "z", 64, false);
    opevo_text_add(&json, "}]}, \"_constraints\": [\"u * w == 64\"]}");
    return json.data;
}

static opevo_outcome outcome_of(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_outcome outcome = {.kind = OPEVO_OUTCOME_OK};
    double sum = 0;

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        sum += (vertices[i] == OPEVO_INACTIVE ? 0 : (double)vertices[i]) *
               (double)(opevo_hash_mix(i + 1) % 8); /* the best are at an end of each parameter */
    outcome.fitness = 1 + sum;
    outcome.time_s = 1 / outcome.fitness;
    return outcome;
}

static void run_on(const opevo_tuner_ops *ops, const opevo_space *space, size_t wanted)
{
    opevo_tuner *tuner = make(ops, space, "", 3);
    size_t got = 0;

    while (got < wanted) {
        opevo_proposal proposals[16];
        opevo_trial trials[16];
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, proposals, 16, &count, &err));
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++)
            trials[i] = (opevo_trial){.number = ++got,
                                      .proposal = proposals[i],
                                      .outcome = outcome_of(space, proposals[i].point)};
        CHECK_OK(opevo_tuner_tell(tuner, trials, count, &err));
    }
    opevo_tuner_destroy(tuner);
}

/* Kernel Tuner's strategies that make a point of several others look once whether it is allowed,
 * and where it is not take one near to it from the diagram, or count it as failed. */
static bool looks_before_repair(const char *name)
{
    static const char *const names[] = {"kt-annealing", "kt-diff-evo",      "kt-genetic",
                                        "kt-pso",       "kt-tabu-greywolf", "kt-vndx"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* The paper's rule of mutating until a child is new, which looks at parts of points without
 * branches and at whole points with them. */
static bool mutates_on(const char *name)
{
    return strcmp(name, "opevo") == 0 || strcmp(name, "climb") == 0 || strcmp(name, "nsga2") == 0;
}

enum { TRIALS = 400, TRIALS_OF_CUBIC = 40, LOOKS_MOST = 64 /* for each trial, of those */ };

static void check_tuners(char *json)
{
    opevo_space *space = formula_space(json);
    size_t rejecting = 0;

    assert_non_null(opevo_space_draws_from(space));
    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);

        size_t most = looks_before_repair(ops->name) ? LOOKS_MOST * TRIALS : 0;

        if (opevo_space_has_branches(space) && (!ops->works_on_branches || mutates_on(ops->name)))
            continue;
        refused = 0;
        run_on(ops, space, strcmp(ops->name, "qgp") == 0 ? TRIALS_OF_CUBIC : TRIALS);
        if (refused > most)
            print_message("%s: %zu points were not allowed\n", ops->name, refused);
        rejecting += refused > most;
    }
    assert_int_equal(rejecting, 0);
    opevo_space_destroy(space);
    opevo_free(json);
}

CHECK_TEST(test_tiles)
{
    check_tuners(write_tiles());
}

CHECK_TEST(test_pairs)
{
    check_tuners(write_pairs());
}

CHECK_TEST(test_branches)
{
    check_tuners(write_branches());
}

/* A wide space keeps every point that it numbers, so that the thousands which a search looks at for
 * each trial have no numbers: autotvm's chains make 200 steps. */
CHECK_TEST(test_wide_space_numbers_few_points)
{
    enum { WIDE_TRIALS = 256, NUMBERED_MOST = 50 };
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_add(&json, "{");
    for (unsigned i = 0; i < 60; i++) {
        char name[8];

        snprintf(name, sizeof name, "p%u", i);
        add_values(&json, name, 8, true);
    }
    opevo_text_add(&json, "}");
    space = formula_space(json.data);
    assert_true(opevo_space_is_wide(space));
    numbered = 0;
    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        if (strcmp(opevo_tuner_get(t)->name, "autotvm") == 0)
            run_on(opevo_tuner_get(t), space, WIDE_TRIALS);
    }
    assert_true(numbered >= WIDE_TRIALS && numbered < NUMBERED_MOST * WIDE_TRIALS);
    opevo_space_destroy(space);
    opevo_text_free(&json);
}
