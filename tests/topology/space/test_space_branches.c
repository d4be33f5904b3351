/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces with branches: numbering, files and points as text. */

#include "branch_checks.h"

#include <opevo/memory.h>

/* ---- Numbers ---- */

/* Calls itself for each vertex of parameter i, so that it meets the points in lexicographic order;
 * returns the number behind the last one met. */
static opevo_index walk(const opevo_space *space, size_t i, opevo_index *vertices, opevo_index next)
{
    opevo_index decoded[ROOM];

    if (i == opevo_space_parameter_count(space)) {
        check_index(opevo_space_encode(space, vertices), next);
        opevo_space_decode(space, next, decoded);
        for (size_t k = 0; k < i; k++)
            check_index(decoded[k], vertices[k]);
        return next + 1;
    }
    if (!opevo_space_is_active(space, i, vertices)) {
        vertices[i] = OPEVO_INACTIVE;
        return walk(space, i + 1, vertices, next);
    }
    for (opevo_index v = 0; v < opevo_parameter_size(opevo_space_parameter(space, i)); v++) {
        vertices[i] = v;
        next = walk(space, i + 1, vertices, next);
    }
    return next;
}

static void check_numbers(const char *members, opevo_index size)
{
    opevo_space *space = parse(members);
    opevo_index vertices[ROOM];

    assert_true(opevo_space_has_branches(space));
    check_index(opevo_space_size(space), size);
    check_index(walk(space, 0, vertices, 0), size);
    opevo_space_destroy(space);
}

CHECK_TEST(test_points_are_numbered_without_gaps)
{
    check_numbers(FLAT_CHOICE, 3 * (2 * 3 + 2 + 1) * 2);
    check_numbers(TWO_LEVELS, (3 * (1 + 6 + 2 * 2) + 2 + 1) * 2);
    check_numbers(TWO_LEVELS TWO_LEVELS_CONSTRAINT, 72);
    /* Branches of one point each, a branch at the end, several branching parameters. */
    check_numbers("\"a\": {\"_type\": \"choice\", \"_value\": [{\"_name\": 1, \"b\": {\"_type\": "
                  "\"discrete\", \"_value\": [7]}}, {\"_name\": 2.5, \"c\": {\"_type\": \"choice\","
                  "\"_value\": [true, {\"_name\": false, \"d\": {\"_type\": \"permutation\", "
                  "\"_value\": 3}}]}}]}, \"e\": {\"_type\": \"choice\", \"_value\": [\"x\", "
                  "{\"_name\": \"y\", \"f\": {\"_type\": \"factor\", \"_value\": [12, 2]}}]}",
                  (1 + 7) * (1 + 6));
}

/* Large branches: 34! + 33! points, and two of them overflow. */
CHECK_TEST(test_large_branches)
{
    static const char half[] = "\"%s\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"p\", "
                               "\"x\": {\"_type\": \"permutation\", \"_value\": 34}}, {\"_name\": "
                               "\"q\", \"y\": {\"_type\": \"permutation\", \"_value\": %d}}]}";
    opevo_text members = {0};
    opevo_space *space = NULL;
    opevo_index most = 1, vertices[3];

    for (unsigned i = 2; i <= 33; i++)
        most *= i;
    opevo_text_printf(&members, half, "a", 33);
    space = parse(opevo_text_string(&members));
    check_index(opevo_space_size(space), 34 * most + most);
    opevo_space_decode(space, 34 * most - 1, vertices);
    assert_true(vertices[0] == 0 && vertices[1] == 34 * most - 1 && vertices[2] == OPEVO_INACTIVE);
    opevo_space_decode(space, 34 * most + 5, vertices);
    assert_true(vertices[0] == 1 && vertices[1] == OPEVO_INACTIVE && vertices[2] == 5);
    check_index(opevo_space_encode(space, vertices), 34 * most + 5);
    opevo_space_destroy(space);
    space = NULL;
    opevo_text_clear(&members);
    opevo_text_add(&members, "{");
    opevo_text_printf(&members, half, "a", 34);
    opevo_text_add(&members, "}");
    CHECK_FAILS(OPEVO_LIMIT, "more than 2^128 - 1 points",
                opevo_space_parse(opevo_text_string(&members), "s", NULL, &space, &err));
    opevo_text_free(&members);
}

CHECK_TEST(test_activations)
{
    opevo_space *space = parse(TWO_LEVELS);
    static const struct {
        const char *name;
        size_t parent;
        unsigned value;
    } expected[] = {
        {"op", OPEVO_NO_PARENT, 0},
        {"kernel", 0, 0},
        {"algo", 0, 0},
        {"order", 2, 1},
        {"m", 2, 2},
        {"g", 2, 2},
        {"size", 0, 1},
        {"last", OPEVO_NO_PARENT, 0},
    };

    assert_int_equal(opevo_space_parameter_count(space), 8);
    for (size_t i = 0; i < 8; i++) {
        opevo_activation when = opevo_space_activation(space, i);

        assert_string_equal(opevo_parameter_name(opevo_space_parameter(space, i)),
                            expected[i].name);
        assert_true(when.parent == expected[i].parent && when.value == expected[i].value);
    }
    opevo_space_destroy(space);
}

/* Where nothing depends on anything, the space is the same as without activations. */
CHECK_TEST(test_spaces_without_branches_stay)
{
    static const opevo_activation always[] = {{OPEVO_NO_PARENT, 0}, {OPEVO_NO_PARENT, 0}};
    const char *const constraint = "b > 1";
    opevo_space *plain = make(LIST("a: categorical(x,y)", "b: discrete(1,2,3)"), LIST("b > 1"));
    opevo_space *branched = NULL;
    opevo_parameter *parameters[2] = {NULL, NULL};

    CHECK_OK(opevo_parameter_parse("a", "categorical(x,y)", NULL, &parameters[0], &err));
    CHECK_OK(opevo_parameter_parse("b", "discrete(1,2,3)", NULL, &parameters[1], &err));
    CHECK_OK(opevo_space_create_branched(&(opevo_space_spec){.parameters = parameters,
                                                             .activations = always,
                                                             .count = 2,
                                                             .constraints = &constraint,
                                                             .constraint_count = 1},
                                         &branched, &err));
    assert_false(opevo_space_has_branches(branched));
    assert_true(opevo_space_signature(branched) == opevo_space_signature(plain));
    opevo_space_destroy(plain);
    opevo_space_destroy(branched);
}

/* Another vertex of an active parameter: what else was active stays, what becomes active is at its
 * first vertex, and so a new branch at its first point. */
CHECK_TEST(test_settle)
{
    opevo_space *space = parse(TWO_LEVELS);
    size_t count = opevo_space_parameter_count(space);

    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        opevo_index from[ROOM], to[ROOM], again[ROOM];

        opevo_space_decode(space, point, from);
        for (size_t i = 0; i < count; i++) {
            opevo_index size = opevo_parameter_size(opevo_space_parameter(space, i));

            for (opevo_index v = 0; from[i] != OPEVO_INACTIVE && v < size; v++) {
                memcpy(to, from, sizeof to);
                to[i] = v;
                opevo_space_settle(space, i, to);
                opevo_space_decode(space, opevo_space_encode(space, to), again);
                for (size_t k = 0; k < count; k++) {
                    bool stays = from[k] != OPEVO_INACTIVE && again[k] != OPEVO_INACTIVE;

                    check_index(to[k], again[k]);
                    if (k != i && again[k] != OPEVO_INACTIVE)
                        check_index(again[k], stays ? from[k] : 0);
                }
                check_index(to[i], v);
            }
        }
    }
    opevo_space_destroy(space);
}

/* ---- Creation ---- */

static void check_refused(const char *const *parameters, const opevo_activation *activations,
                          const char *words)
{
    opevo_parameter *made[ROOM] = {NULL};
    opevo_space *space = NULL;
    size_t count = 0;

    for (; parameters[count]; count++) {
        const char *colon = strchr(parameters[count], ':');
        char name[32] = "";

        memcpy(name, parameters[count], (size_t)(colon - parameters[count]));
        CHECK_OK(opevo_parameter_parse(name, colon + 2, NULL, &made[count], &err));
    }
    CHECK_FAILS(
        OPEVO_INVALID, words,
        opevo_space_create_branched(
            &(opevo_space_spec){.parameters = made, .activations = activations, .count = count},
            &space, &err));
    for (size_t i = 0; i < count; i++)
        opevo_parameter_destroy(made[i]);
}

CHECK_TEST(test_wrong_activations)
{
    static const char *const three[] = {"a: categorical(x,y)", "b: discrete(1,2)",
                                        "c: discrete(1,2)", NULL};

    check_refused(three, (opevo_activation[]){{0, 0}, {OPEVO_NO_PARENT, 0}, {OPEVO_NO_PARENT, 0}},
                  "Parameter a precedes the parameter that activates it.");
    check_refused(three, (opevo_activation[]){{OPEVO_NO_PARENT, 0}, {0, 0}, {1, 0}},
                  "Parameter c depends on discrete(1,2), which is not categorical");
    check_refused(three, (opevo_activation[]){{OPEVO_NO_PARENT, 0}, {0, 0}, {0, 2}},
                  "Parameter c depends on a value that a does not have.");
    check_refused(three, (opevo_activation[]){{OPEVO_NO_PARENT, 0}, {0, 1}, {0, 0}},
                  "Parameter c is not with its branch");
    check_refused(three, (opevo_activation[]){{OPEVO_NO_PARENT, 0}, {OPEVO_NO_PARENT, 0}, {0, 0}},
                  "Parameter c is not with its branch");
    check_refused(
        (const char *const[]){"a: categorical(x,y)", "b: discrete(1,2)", "b: discrete(1,2)", NULL},
        (opevo_activation[]){{OPEVO_NO_PARENT, 0}, {0, 0}, {0, 1}},
        "Parameter b of a branch must have the name a.x.b.");
}

/* ---- Files ---- */

/* The example of NNI's documentation: the same names stand in several branches. */
CHECK_TEST(test_names_of_branches)
{
    opevo_space *space = parse(
        "\"layer0\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"Empty\"},"
        "{\"_name\": \"Conv 2d\", \"kernel_size\": {\"_type\": \"choice\", \"_value\": [1, 2, "
        "3, 5]}}, {\"_name\": \"Max_pool\", \"pooling_size\": {\"_type\": \"choice\", "
        "\"_value\": [2, 3, 5]}}, {\"_name\": \"3\", \"pooling_size\": {\"_type\": "
        "\"choice\", \"_value\": [2, 3, 5]}, \"only\": {\"_type\": \"discrete\", \"_value\": "
        "[1]}}]}, \"kernel_size\": {\"_type\": \"discrete\", \"_value\": [1, 2]},"
        "\"_constraints\": [\"layer0.Conv_2d.kernel_size < 5\"]");
    static const char *const names[] = {"layer0",
                                        "layer0.Conv_2d.kernel_size",
                                        "layer0.Max_pool.pooling_size",
                                        "layer0._3.pooling_size",
                                        "only",
                                        "kernel_size"};
    opevo_text text = {0};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(opevo_parameter_name(opevo_space_parameter(space, i)), names[i]);
    assert_true(opevo_space_size(space) == (1 + 4 + 3 + 3) * 2);
    opevo_space_write_json(space, &text);
    assert_non_null(
        strstr(opevo_text_string(&text), "{\"_name\": \"Conv 2d\", \"kernel_size\": {\"_type\": "));
    opevo_text_free(&text);
    opevo_space_destroy(space);
}

static void check_round_trip(const char *members)
{
    opevo_space *space = parse(members), *again = NULL;
    opevo_text written = {0}, twice = {0}, line = {0};

    opevo_space_write_json(space, &written);
    CHECK_OK(opevo_space_parse(opevo_text_string(&written), "again", NULL, &again, &err));
    assert_true(opevo_space_signature(again) == opevo_space_signature(space));
    opevo_space_write_json(again, &twice);
    assert_string_equal(opevo_text_string(&twice), opevo_text_string(&written));
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        opevo_index read = OPEVO_INDEX_MAX;

        opevo_text_clear(&line);
        opevo_space_print(space, point, &line);
        CHECK_OK(opevo_space_read(again, opevo_text_string(&line), &read, &err));
        check_index(read, point);
        assert_int_equal(opevo_space_allows(again, point), opevo_space_allows(space, point));
    }
    opevo_text_free(&written);
    opevo_text_free(&twice);
    opevo_text_free(&line);
    opevo_space_destroy(space);
    opevo_space_destroy(again);
}

CHECK_TEST(test_written_spaces_come_back)
{
    check_round_trip(FLAT_CHOICE);
    check_round_trip(TWO_LEVELS TWO_LEVELS_CONSTRAINT);
    check_round_trip("\"a\": {\"_type\": \"categorical\", \"_value\": {\"_name\": \"s\", \"b\": "
                     "{\"_type\": \"discrete\", \"_value\": [1, 2.0], \"_topology\": \"cycle\"}}}");
    check_round_trip("\"a\": {\"_type\": \"choice\", \"_value\": [{\"_name\": 2.0, \"k\": "
                     "{\"_type\": \"factor\", \"_value\": [6, 2], \"_components\": [\"k0\", "
                     "\"k1\"]}}, {\"_name\": true, \"k\": {\"_type\": \"discrete\", \"_value\": [3]"
                     "}}, {\"_name\": \"\\u00e4\\\"\", \"k\": {\"_type\": \"discrete\", "
                     "\"_value\": [3]}}]}, \"_constraints\": [\"not active(a.true.k) or 1\"], "
                     "\"_dialect\": \"python\", \"_points\": \"0-2 5\"");
}

CHECK_TEST(test_other_branches_are_other_spaces)
{
    static const char *const all[] = {
        "\"a\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\"]}, "
        "\"b\": {\"_type\": \"discrete\", \"_value\": [1, 2]}",
        "\"a\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"x\", "
        "\"b\": {\"_type\": \"discrete\", \"_value\": [1, 2]}}, \"y\"]}",
        "\"a\": {\"_type\": \"choice\", \"_value\": [\"x\", {\"_name\": \"y\", "
        "\"b\": {\"_type\": \"discrete\", \"_value\": [1, 2]}}]}"};

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < i; k++) {
            opevo_space *a = parse(all[i]), *b = parse(all[k]);

            assert_true(opevo_space_signature(a) != opevo_space_signature(b));
            opevo_space_destroy(a);
            opevo_space_destroy(b);
        }
    }
}

#define LONG_NAME "a_name_of_more_than_sixty_three_characters_is_too_long_for_a_branch"

CHECK_TEST(test_mistakes)
{
#define ONE(body)                                                                                  \
    "{\"a\": {\"_type\": \"choice\", \"_value\": [\"s\",\n{\"_name\": \"x\",\n" body "}]}}"
    static const struct {
        const char *json, *words;
    } cases[] = {
        {ONE("\"b\": 3"), "s.json:3: Parameter b: write {\"_type\": ..., \"_value\": ...}"},
        {ONE("\"b\": {\"_type\": \"discrete\", \"_value\": []}"),
         "s.json:3: Parameter b: discrete"},
        {ONE("\"b\": {\"_type\": \"choice\", \"_value\": [\n{\"_name\": 1, \"c\": {\"_type\": "
             "\"factor\", \"_value\": 3}}]}"),
         "s.json:4: Parameter c: factor"},
        {ONE("\"_topology\": \"path\""), "s.json:3: Unknown key \"_topology\" in a branch"},
        {ONE("\"b.c\": {\"_type\": \"discrete\", \"_value\": [1]}"),
         "s.json:3: The parameter name \"b.c\" is not an identifier"},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [{\"b\": {\"_type\": \"discrete\", "
         "\"_value\": [1]}}]}}",
         "s.json:1: Parameter a: a branch has no name"},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [{\"_name\": [1]}]}}", "a value is a list"},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [\"x\", {\"_name\": \"x\"}]}}",
         "s.json:1: Parameter a: the value x is given twice"},
        {"{\"a\": {\"_type\": \"graph\", \"_edges\": [], \"_value\": [{\"_name\": \"x\"}]}}",
         "only the values of a choice open branches"},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"x y\", \"k\": {\"_type\": "
         "\"discrete\", \"_value\": [1]}}, {\"_name\": \"x_y\", \"k\": {\"_type\": \"discrete\", "
         "\"_value\": [1]}}]}}",
         "s.json: The name a.x_y.k is used twice"},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"" LONG_NAME
         "\", \"k\": {\"_type\": "
         "\"discrete\", \"_value\": [1]}}, {\"_name\": \"y\", \"k\": {\"_type\": \"discrete\", "
         "\"_value\": [1]}}]}}",
         "s.json:1: Parameter k: its name a." LONG_NAME
         ".k, which tells it from others of this key"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_space *space = NULL;
        int64_t live = opevo_memory_live();

        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_space_parse(cases[i].json, "s.json", NULL, &space, &err));
        assert_int_equal(opevo_memory_live(), live);
    }
#undef ONE
}

/* `levels` choices inside each other around one parameter. */
static opevo_status parse_nested(unsigned levels, opevo_space **out, opevo_error *err)
{
    opevo_text json = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(&json, "{");
    for (unsigned i = 0; i < levels; i++)
        opevo_text_printf(&json, "\"p%u\": {\"_type\": \"choice\", \"_value\": [{\"_name\": 0, ",
                          i);
    opevo_text_add(&json, "\"k\": {\"_type\": \"discrete\", \"_value\": [1, 2]}");
    for (unsigned i = 0; i < levels; i++)
        opevo_text_add(&json, "}, 1]}");
    opevo_text_add(&json, "}");
    status = opevo_space_parse(opevo_text_string(&json), "s.json", NULL, out, err);
    opevo_text_free(&json);
    return status;
}

CHECK_TEST(test_depth_is_bounded)
{
    opevo_space *space = NULL;

    CHECK_OK(parse_nested(64, &space, &err));
    assert_true(opevo_space_size(space) == 66);
    opevo_space_destroy(space);
    space = NULL;
    CHECK_FAILS(OPEVO_LIMIT, "s.json: Parameter k is in more than 64 nested",
                parse_nested(65, &space, &err));
    CHECK_FAILS(OPEVO_LIMIT, "nested branches", parse_nested(600, &space, &err));
    CHECK_FAILS(OPEVO_INVALID, "s.json:1:", parse_nested(100000, &space, &err));
}

/* ---- Points as text ---- */

CHECK_TEST(test_points_as_text)
{
    opevo_space *space = parse(FLAT_CHOICE);
    opevo_text text = {0};
    opevo_index point = 0;

    CHECK_OK(opevo_space_read(space, "kernel=3 last=1 op=conv n=4 tile=1,4", &point, &err));
    opevo_space_print(space, point, &text);
    assert_string_equal(opevo_text_string(&text), "n=4 op=conv kernel=3 tile=1,4 last=1");
    opevo_text_clear(&text);
    opevo_space_print_json(space, point, &text);
    assert_string_equal(
        opevo_text_string(&text),
        "{\"n\": 4, \"op\": \"conv\", \"kernel\": 3, \"tile\": [1, 4], \"last\": 1}");
    opevo_text_clear(&text);
    CHECK_OK(opevo_space_read(space, "n=1 op=skip last=0", &point, &err));
    opevo_space_print(space, point, &text);
    assert_string_equal(opevo_text_string(&text), "n=1 op=skip last=0");
    CHECK_FAILS(OPEVO_INVALID, "Parameter kernel is inactive in this branch of op; omit it.",
                opevo_space_read(space, "n=1 op=skip last=0 kernel=3", &point, &err));
    CHECK_FAILS(OPEVO_INVALID, "Parameter size has no value; write size=value.",
                opevo_space_read(space, "n=1 op=pool last=0", &point, &err));
    CHECK_FAILS(OPEVO_INVALID, "Parameter op has no value",
                opevo_space_read(space, "n=1 last=0 kernel=3 tile=1,4", &point, &err));
    opevo_text_free(&text);
    opevo_space_destroy(space);
}

/* ---- Copies ---- */

CHECK_TEST(test_other_topologies)
{
    opevo_space *space = parse(FLAT_CHOICE), *other = NULL;
    const char *topologies[6] = {NULL, NULL, "complete", "any-divisor", NULL, "cycle"};

    CHECK_OK(opevo_space_with_topologies(space, topologies, &other, &err));
    for (size_t i = 0; i < 6; i++) {
        const opevo_parameter *before = opevo_space_parameter(space, i);
        const opevo_parameter *after = opevo_space_parameter(other, i);

        assert_string_equal(opevo_parameter_text(after), opevo_parameter_text(before));
        assert_string_equal(opevo_parameter_topology(after),
                            topologies[i] ? topologies[i] : opevo_parameter_topology(before));
    }
    opevo_space_destroy(space);
    opevo_space_destroy(other);
}

CHECK_TEST(test_every_allocation_can_fail)
{
    static const char json[] = "{" TWO_LEVELS ", \"x\": {\"_type\": \"choice\", \"_value\": "
                               "[{\"_name\": \"t\", \"m\": {\"_type\": \"discrete\", \"_value\": "
                               "[1]}}]}, \"_constraints\": [\"op == 'skip' || kernel > x.t.m\"]}";
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_space *space = NULL;
        int64_t live = opevo_memory_live();
        opevo_error err = {OPEVO_OK, ""};

        opevo_memory_fail_at(n);
        status = opevo_space_parse(json, "s", NULL, &space, &err);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        opevo_space_destroy(space);
        assert_int_equal(opevo_memory_live(), live);
    }
}
