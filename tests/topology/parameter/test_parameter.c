/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What all parameter types promise: topologies, names, text and signature. */

#include "check_memory.h"
#include "topology_checks.h"

#include <opevo/hash.h>

#include <time.h>

CHECK_TEST(test_table_of_types)
{
    assert_int_equal(opevo_type_count(), 5);
    for (size_t i = 0; i < opevo_type_count(); i++) {
        const opevo_type_info *info = opevo_type_get(i);

        assert_true(i == 0 || strcmp(opevo_type_get(i - 1)->name, info->name) < 0);
        assert_true(strncmp(info->usage, info->name, strlen(info->name)) == 0);
        assert_true(info->summary[0] && info->topologies[0]);
    }
}

/* One parameter of each type that needs no file, and each topology that the table names for it. */
static const char *const examples[] = {"categorical(a,b,c)", "discrete(1,2,4,8)", "factor(12,3)",
                                       "permutation(4)"};

static void for_each_topology(void (*check)(const char *text, const char *topology))
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const char *topologies = NULL;

        for (size_t t = 0; t < opevo_type_count(); t++) {
            const opevo_type_info *info = opevo_type_get(t);

            if (strncmp(examples[i], info->name, strlen(info->name)) == 0)
                topologies = info->topologies;
        }
        assert_non_null(topologies);
        while (topologies && *topologies) {
            char topology[32];
            size_t length = strcspn(topologies, " ");

            snprintf(topology, sizeof topology, "%.*s", (int)length, topologies);
            check(examples[i], strcmp(topology, "steps(k)") ? topology : "steps(2)");
            topologies += length + strspn(topologies + length, " ");
        }
    }
}

static void check_named(const char *text, const char *topology)
{
    opevo_parameter *parameter = parse_parameter(text, topology);

    assert_string_equal(opevo_parameter_text(parameter), text);
    assert_string_equal(opevo_parameter_topology(parameter), topology);
    assert_string_equal(opevo_parameter_name(parameter), "x");
    assert_null(opevo_parameter_component_name(parameter, 0));
    check_metrics(parameter, CHECK_ALL_METRICS);
    for (opevo_index v = 0; v < opevo_parameter_size(parameter); v++) {
        check_round_trip(parameter, v);
        check_neighbours_of(parameter, v);
    }
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_each_topology)
{
    for_each_topology(check_named);
}

CHECK_TEST(test_default_is_the_first)
{
    static const char *const defaults[] = {"complete", "path", "prime-move", "transposition"};

    for (size_t i = 0; i < 4; i++) {
        opevo_parameter *parameter = parse_parameter(examples[i], NULL);

        assert_string_equal(opevo_parameter_topology(parameter), defaults[i]);
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(test_refused_texts)
{
    static const struct {
        const char *text, *topology, *words;
    } cases[] = {
        {"", NULL, "write a type with its arguments"},
        {"factor", NULL, "is not a parameter"},
        {"factor(8,3", NULL, "is not a parameter"},
        {"factor 8,3)", NULL, "is not a parameter"},
        {"factor(8,3) x", NULL, "is not a parameter"},
        {")factor(", NULL, "is not a parameter"},
        {"fractor(8,3)", NULL,
         "unknown type \"fractor\"; the types are categorical, discrete, factor, graph, "
         "permutation"},
        {"(8,3)", NULL, "unknown type \"\""},
        {"factor(8,3)", "transposition",
         "factor has no topology \"transposition\"; it has: prime-move any-divisor complete"},
        {"factor(8,3)", "prime-move(2)", "no topology"},
    };
    opevo_parameter *parameter = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_parameter_parse("x", cases[i].text, cases[i].topology, &parameter, &err));
    assert_null(parameter);
    parameter = parse_parameter("  factor ( 8 , 3 )  ", NULL);
    assert_string_equal(opevo_parameter_text(parameter), "factor(8,3)");
    opevo_parameter_destroy(parameter);
    opevo_parameter_destroy(NULL);
}

static opevo_status create_named(const char *name, const char *const *components, size_t count,
                                 opevo_parameter **out, opevo_error *err)
{
    const opevo_value values[] = {opevo_value_of_integer(8), opevo_value_of_integer(3)};
    opevo_parameter_spec spec = {.name = name,
                                 .type = "factor",
                                 .values = values,
                                 .value_count = 2,
                                 .component_names = components,
                                 .component_name_count = count};

    return opevo_parameter_create(&spec, out, err);
}

CHECK_TEST(test_names)
{
    static const char *const refused[] = {"", "2x", "a-b", "a b", "x\xc3\xa9"};
    static const char *const good[] = {"block", "_thread", "k3"};
    static const char *const equal[] = {"a", "b", "a"};
    static const char *const bad[] = {"a", "b", "3"};
    opevo_parameter *parameter = NULL;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_FAILS(OPEVO_INVALID, "is not an identifier",
                    create_named(refused[i], NULL, 0, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "is not an identifier",
                create_named(NULL, NULL, 0, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "two components have the name a",
                create_named("X", equal, 3, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "\"3\" is not an identifier",
                create_named("X", bad, 3, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "2 component names for values of 3 components",
                create_named("X", good, 2, &parameter, &err));
    assert_null(parameter);
    CHECK_OK(create_named("X", good, 3, &parameter, &err));
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(opevo_parameter_component_name(parameter, i), good[i]);
    opevo_parameter_destroy(parameter);
}

/* No more than 60 bytes of what somebody wrote stand in a message, and no half of a character. */
CHECK_TEST(test_long_texts_are_cut)
{
    static const char *const begins[] = {"", "discrete(", "categorical(", "factor(8,", "graph"};
    char names[3][80] = {"", "", ""};
    opevo_parameter *parameter = NULL;

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        opevo_text text = {0};
        opevo_error err = {OPEVO_OK, ""};

        opevo_text_add(&text, begins[i]);
        for (int k = 0; k < 3000; k++)
            opevo_text_add(&text, "\xc3\xa4");
        opevo_text_add(&text, i == 2 ? ",1,1)" : ")");
        assert_int_equal(
            opevo_parameter_parse("x", opevo_text_string(&text), NULL, &parameter, &err),
            OPEVO_INVALID);
        assert_true(strlen(err.message) < 260);
        assert_true(strstr(err.message, i == 2 ? "the value 1 is" : "..."));
        assert_null(strstr(err.message, "\xc3."));
        opevo_text_free(&text);
    }
    memset(names[0], 'n', 63);
    memset(names[1], 'n', 64);
    strcpy(names[2], "a");
    CHECK_OK(opevo_parameter_parse(names[0], "discrete(1)", NULL, &parameter, &err));
    opevo_parameter_destroy(parameter);
    parameter = NULL;
    CHECK_FAILS(OPEVO_INVALID, "n...\" is not an identifier: use at most 63 letters",
                opevo_parameter_parse(names[1], "discrete(1)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "n...: a value is missing",
                opevo_parameter_parse(names[1], "discrete(1,)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "...\" is not an identifier",
                create_named("X", (const char *[]){"a", "b", names[1]}, 3, &parameter, &err));
    assert_null(parameter);
}

/* One long value does not make a long description. */
CHECK_TEST(test_description_of_long_values)
{
    char text[400] = "categorical(a,", *at = text + strlen(text);
    opevo_parameter *parameter = NULL;

    memset(at, 'b', 300);
    strcpy(at + 300, ",c)");
    parameter = parse_parameter(text, NULL);
    assert_string_equal(opevo_parameter_text(parameter), "categorical(a,...)");
    assert_int_equal(opevo_parameter_size(parameter), 3);
    check_round_trip(parameter, 1);
    CHECK_FAILS(OPEVO_INVALID, "b... is not a value of categorical(a,...).",
                opevo_parameter_read(parameter, at, &(opevo_index){0}, &err));
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_print)
{
    static const struct {
        const char *text, *plain, *json;
    } cases[] = {
        {"factor(8,3)", "8,1,1", "[8, 1, 1]"},
        {"factor(8,1)", "8", "[8]"},
        {"permutation(3)", "0,1,2", "[0, 1, 2]"},
        {"discrete(0.5,7)", "0.5", "0.5"},
        {"categorical(a b,\"q\\\\\")", "a b", "\"a b\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_parameter *parameter = parse_parameter(cases[i].text, NULL);
        opevo_text text = {0};

        opevo_parameter_print(parameter, 0, &text);
        assert_string_equal(opevo_text_string(&text), cases[i].plain);
        opevo_text_clear(&text);
        opevo_parameter_print_json(parameter, 0, &text);
        assert_string_equal(opevo_text_string(&text), cases[i].json);
        opevo_text_free(&text);
        opevo_parameter_destroy(parameter);
    }
}

static uint64_t hash_of(const char *name, const char *text, const char *topology)
{
    opevo_parameter *parameter = NULL;
    uint64_t hash = 0;

    CHECK_OK(opevo_parameter_parse(name, text, topology, &parameter, &err));
    hash = opevo_parameter_hash(parameter, OPEVO_HASH_START);
    opevo_parameter_destroy(parameter);
    return hash;
}

/* All of these differ in something that matters. */
CHECK_TEST(test_hash_tells_apart)
{
    static const char *const specs[][3] = {
        {"x", "factor(8,3)", NULL},          {"y", "factor(8,3)", NULL},
        {"x", "factor(8,3)", "any-divisor"}, {"x", "factor(8,3)", "complete"},
        {"x", "factor(3,8)", NULL},          {"x", "factor(8,4)", NULL},
        {"x", "permutation(3)", NULL},       {"x", "permutation(3)", "insertion"},
        {"x", "discrete(1,2)", NULL},        {"x", "discrete(1,2)", "steps(1)"},
        {"x", "discrete(1,2)", "steps(2)"},  {"x", "discrete(1,2,3)", NULL},
        {"x", "discrete(1,2.5)", NULL},      {"x", "categorical(1,2)", NULL},
        {"x", "categorical(2,1)", NULL},     {"x", "categorical(1,\"2\")", NULL},
        {"x", "categorical(ab,c)", NULL},    {"x", "categorical(a,bc)", NULL},
        {"x", "categorical(true,1)", NULL},  {"x", "categorical(\"true\",1)", NULL},
    };
    enum { COUNT = sizeof specs / sizeof specs[0] };
    uint64_t hashes[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        hashes[i] = hash_of(specs[i][0], specs[i][1], specs[i][2]);
        for (size_t j = 0; j < i; j++)
            assert_true(hashes[i] != hashes[j]);
    }
}

/* What names the same parameter has the same hash; the golden value guards the files that hold it.
 */
CHECK_TEST(test_hash_is_stable)
{
    static const char *const names[] = {"a", "b", "c"};
    opevo_parameter *named = NULL;

    assert_true(hash_of("x", "choice(a,b)", NULL) == hash_of("x", "categorical(a,b)", "complete"));
    assert_true(hash_of("x", "discrete(1,2.0)", NULL) == hash_of("x", "discrete(2,1)", "path"));
    assert_true(hash_of("x", "factor(8,3)", "prime-move") == hash_of("x", "factor(8,3)", NULL));
    CHECK_OK(create_named("x", names, 3, &named, &err));
    assert_true(opevo_parameter_hash(named, OPEVO_HASH_START) != hash_of("x", "factor(8,3)", NULL));
    opevo_parameter_destroy(named);
    assert_int_equal(hash_of("K", "factor(1024,3)", NULL), UINT64_C(0xe7e3ce9bd874486a));
}

CHECK_TEST(test_allocations_with_component_names)
{
    opevo_parameter *parameter = NULL;

    static const char *const names[] = {"a", "b", "c"};

    CHECK_MEMORY_OF(create_named("X", names, 3, &parameter, NULL),
                    opevo_parameter_destroy(parameter), parameter = NULL);
}

/* measure and read, with every allocation failing in turn. */
CHECK_TEST(test_allocations_of_use)
{
    opevo_parameter *parameter = parse_parameter("factor(192,4)", "any-divisor");
    int64_t live = opevo_memory_live(), failures = 0;
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status == OPEVO_NOMEM; n++, failures++) {
        opevo_parameter_metrics metrics = {.edges = 77};

        opevo_memory_fail_at(n);
        status = opevo_parameter_measure(parameter, &metrics, NULL);
        opevo_memory_fail_at(0);
        assert_int_equal(opevo_memory_live(), live);
        if (status != OPEVO_OK)
            assert_true(metrics.edges == 77);
    }
    assert_int_equal(status, OPEVO_OK);
    assert_true(failures > 6);
    status = OPEVO_NOMEM;
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_index vertex = 5;

        opevo_memory_fail_at(n);
        status = opevo_parameter_read(parameter, "192,1,1,1", &vertex, NULL);
        opevo_memory_fail_at(0);
        assert_int_equal(opevo_memory_live(), live);
        assert_true(vertex == (status == OPEVO_OK ? 0u : 5u));
    }
    assert_int_equal(status, OPEVO_OK);
    opevo_parameter_destroy(parameter);
}

/* Above 2^20 vertices only formulas count. */
CHECK_TEST(test_unknown_metrics)
{
    opevo_parameter *parameter = parse_parameter("factor(897612484786617600,6)", "any-divisor");
    opevo_parameter_metrics metrics = {0};

    CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
    assert_int_equal(metrics.known, OPEVO_METRIC_COMPONENTS | OPEVO_METRIC_EDGES);
    assert_true(metrics.degree_max == 0 && metrics.diameter == 0);
    CHECK_CLOSE(metrics.degree_mean, 0, 0);
    assert_true(metrics.components == 1 && metrics.edges > 0);
    opevo_parameter_destroy(parameter);
}

/* Graphs whose exploration would take from many seconds (27 million edges) to hours (2e9). */
CHECK_TEST(test_measure_is_quick)
{
    static const char *const cases[][2] = {{"factor(720720,5)", "any-divisor"},
                                           {"permutation(11)", "insertion"},
                                           {"permutation(11)", "transposition"},
                                           {"factor(3491888400,4)", "any-divisor"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_parameter *parameter = parse_parameter(cases[i][0], cases[i][1]);
        opevo_parameter_metrics metrics = {0};
        clock_t start = clock();

        CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2);
        assert_true(metrics.known & OPEVO_METRIC_EDGES);
        opevo_parameter_destroy(parameter);
    }
}
