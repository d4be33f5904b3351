/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces: points as mixed-radix numbers, as text, signatures, what is refused. */

#include "space_checks.h"

#include <opevo/memory.h>

/* ---- Points ---- */

/* The odometer with the last parameter fastest is the definition of the numbering. */
CHECK_TEST(test_points_in_order)
{
    opevo_space *space = make(
        LIST("K: factor(12,2)", "P: permutation(3)", "d: discrete(5,1,3)", "c: choice(7)"), NULL);
    opevo_index vertices[4] = {0}, decoded[4] = {0};
    opevo_index point = 0;

    check_index(opevo_space_size(space), 6 * 6 * 3);
    assert_int_equal(opevo_space_parameter_count(space), 4);
    assert_string_equal(opevo_parameter_name(opevo_space_parameter(space, 1)), "P");
    for (vertices[0] = 0; vertices[0] < 6; vertices[0]++)
        for (vertices[1] = 0; vertices[1] < 6; vertices[1]++)
            for (vertices[2] = 0; vertices[2] < 3; vertices[2]++) {
                opevo_space_decode(space, point, decoded);
                for (size_t i = 0; i < 4; i++)
                    check_index(decoded[i], vertices[i]);
                check_index(opevo_space_encode(space, vertices), point);
                assert_true(opevo_space_allows(space, point));
                point++;
            }
    check_index(point, opevo_space_size(space));
    opevo_space_destroy(space);
    opevo_space_destroy(NULL);
}

/* Around the sizes where 64-bit arithmetic ends, and far beyond. */
CHECK_TEST(test_large_points)
{
    static const struct {
        const char *parameters[5];
    } cases[] = {
        {{"a: permutation(20)", "b: discrete(1,2,3,4,5,6,7)", NULL}},
        {{"a: permutation(20)", "b: discrete(1,2,3,4,5,6,7,8)", NULL}},
        {{"a: discrete(1,2,3)", "b: permutation(28)", "c: factor(1099511627776,6)", NULL}},
        {{"a: permutation(34)", NULL}},
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        opevo_space *space = make(cases[c].parameters, NULL);
        opevo_index size = opevo_space_size(space), point = 0;

        for (int i = 0; i < 2000; i++) {
            opevo_index vertices[4] = {0}, expected = 0;

            /* Both ends, and steps that visit all residues. */
            point = i == 0 ? 0 : i == 1 ? size - 1 : (point + size / 997 * 613 + 12345) % size;
            opevo_space_decode(space, point, vertices);
            for (size_t k = 0; k < opevo_space_parameter_count(space); k++) {
                opevo_index radix = opevo_parameter_size(opevo_space_parameter(space, k));

                assert_true(vertices[k] < radix);
                expected = expected * radix + vertices[k];
            }
            check_index(expected, point);
            check_index(opevo_space_encode(space, vertices), point);
        }
        opevo_space_destroy(space);
    }
}

/* The operators of "OpEvo", appendix B; each count is a product of numbers of factorisations, and
 * those of C into v parts are products over the primes p^e of C of binomial(e + v - 1, v - 1). */
CHECK_TEST(test_spaces_of_the_paper)
{
    static const struct {
        const char *parameters[5];
        unsigned size;
    } cases[] = {
        {{"K: factor(1024,3)", "X: factor(512,4)", "Y: factor(1024,4)", NULL}, 4152720},
        {{"K: factor(1024,3)", "X: factor(512,4)", "Y: factor(4096,4)", NULL}, 6606600},
        {{"K: factor(4096,3)", "X: factor(512,4)", "Y: factor(1024,4)", NULL}, 5725720},
        {{"B: factor(960,2)", "K: factor(128,3)", "X: factor(128,4)", "Y: factor(64,4)", NULL},
         10160640},
        {{"B: factor(960,2)", "K: factor(64,3)", "X: factor(128,4)", "Y: factor(128,4)", NULL},
         11289600},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_space *space = make(cases[i].parameters, NULL);

        check_index(opevo_space_size(space), cases[i].size);
        opevo_space_destroy(space);
    }
}

/* ---- What is refused ---- */

static const struct {
    const char *parameters[4], *constraint;
    opevo_dialect dialect;
    opevo_status status;
    const char *words;
} refusals[] = {
    {{NULL}, NULL, OPEVO_DIALECT_C, OPEVO_INVALID, "at least one parameter"},
    {{"K: factor(8,2)", "K: permutation(2)", NULL},
     NULL,
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "The name K is used twice"},
    {{"K: discrete(1,2)", NULL},
     "K * BX < 3",
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "here: constraint 1, column 5: unknown name BX; the names are K."},
    {{"K: discrete(1,2)", NULL},
     "  ",
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "here: constraint 1 is empty"},
    {{"K: discrete(1,2)", NULL},
     "1 < 2",
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "here: constraint 1: \"1 < 2\" names no parameter"},
    {{"m: choice(1,auto)", NULL},
     "m + 1 > 0",
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "column 3: it uses a string as a number at m=auto"},
    {{"m: choice(1,auto)", NULL},
     "m",
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "it uses a string as a number at m=auto"},
    {{"p: choice(fp16,fp32)", NULL},
     "p",
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "here: constraint 1 is a string"},
    {{"p: choice(fp16,fp32)", NULL},
     "p > 16",
     OPEVO_DIALECT_C,
     OPEVO_INVALID,
     "a string is used as a number"},
    {{"K: discrete(1,2)", NULL},
     "K > 5",
     OPEVO_DIALECT_PYTHON,
     OPEVO_INVALID,
     "no point satisfies the constraints, because \"K > 5\" never holds"},
    {{"K: discrete(1,2)", NULL},
     "K and",
     OPEVO_DIALECT_PYTHON,
     OPEVO_INVALID,
     "column 6: unexpected end"},
};

CHECK_TEST(test_refusals)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        opevo_space *space = NULL;
        int64_t live = opevo_memory_live();

        CHECK_FAILS(refusals[i].status, refusals[i].words,
                    build(refusals[i].parameters,
                          refusals[i].constraint ? LIST(refusals[i].constraint) : NULL,
                          refusals[i].dialect, &space, &err));
        assert_null(space);
        assert_int_equal(opevo_memory_live(), live);
    }
}

CHECK_TEST(test_refusals_together)
{
    opevo_space *space = NULL;

    CHECK_FAILS(OPEVO_INVALID,
                "here: no point satisfies the constraints 2 (\"K < J\") and 4 (\"J < K\") together",
                build(LIST("K: discrete(1,2,3)", "J: discrete(1,2,3)"),
                      LIST("K + J < 6", "K < J", "K > 0", "J < K"), OPEVO_DIALECT_C, &space, &err));
    CHECK_FAILS(OPEVO_INVALID, "here: constraint 2, column 1",
                build(LIST("K: discrete(1,2,3)", "J: discrete(1,2,3)"), LIST("K < J", "Z"),
                      OPEVO_DIALECT_C, &space, &err));
}

CHECK_TEST(test_names_of_components)
{
    const opevo_value sides[] = {opevo_value_of_integer(8), opevo_value_of_integer(2)};
    static const char *const names[] = {"outer", "K"};
    opevo_parameter *parameters[2] = {NULL};
    opevo_space *space = NULL;

    CHECK_OK(opevo_parameter_parse("K", "discrete(1,2)", NULL, &parameters[0], &err));
    CHECK_OK(opevo_parameter_create(&(opevo_parameter_spec){.name = "X",
                                                            .type = "factor",
                                                            .values = sides,
                                                            .value_count = 2,
                                                            .component_names = names,
                                                            .component_name_count = 2},
                                    &parameters[1], &err));
    CHECK_FAILS(OPEVO_INVALID, "The name K is used twice",
                opevo_space_create(parameters, 2, NULL, 0, OPEVO_DIALECT_C, NULL, &space, &err));
    opevo_parameter_destroy(parameters[0]);
    opevo_parameter_destroy(parameters[1]);
}

/* ---- Text ---- */

CHECK_TEST(test_text)
{
    static const char texts[] = "c: choice(7,\"7\",true,\"true\",\"\",plain,\"two words\",\"a=b\","
                                "\"1,2\",\"it's\",\"back\\\\slash\",\"+7\",\"\xc3\xa4\")";
    opevo_space *space =
        make(LIST("K: factor(12,3)", "P: permutation(3)", "r: discrete(0.25,1,1e30)", texts), NULL);
    opevo_text line = {0};

    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        opevo_index read = OPEVO_INDEX_MAX;

        opevo_text_clear(&line);
        opevo_space_print(space, point, &line);
        CHECK_OK(opevo_space_read(space, opevo_text_string(&line), &read, &err));
        check_index(read, point);
    }
    opevo_text_clear(&line);
    opevo_space_print(space, 0, &line);
    assert_string_equal(opevo_text_string(&line), "K=12,1,1 P=0,1,2 r=0.25 c=7");
    opevo_text_clear(&line);
    opevo_space_print(space, 6, &line);
    assert_string_equal(opevo_text_string(&line), "K=12,1,1 P=0,1,2 r=0.25 c=\"two words\"");
    opevo_text_clear(&line);
    opevo_space_print(space, 7, &line);
    assert_string_equal(opevo_text_string(&line), "K=12,1,1 P=0,1,2 r=0.25 c=\"a=b\"");
    opevo_text_clear(&line);
    opevo_space_print_json(space, 6, &line);
    assert_string_equal(opevo_text_string(&line), "{\"K\": [12, 1, 1], \"P\": [0, 1, 2], "
                                                  "\"r\": 0.25, \"c\": \"two words\"}");
    opevo_text_free(&line);
    opevo_space_destroy(space);
}

CHECK_TEST(test_reading_points)
{
    opevo_space *space = make(LIST("K: factor(8,2)", "c: choice(one,\"a b\",\"12\")"), NULL);
    opevo_index point = 99;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "Parameter K has no value; write K=value."},
        {"K=8,1", "Parameter c has no value"},
        {"K=8,1 c=one K=8,1", "Parameter K is given twice."},
        {"K=8,1 Z=3", "Unknown parameter Z; the parameters are K, c."},
        {"K=4,1 c=one", "4,1 is not a value of factor(8,2): its product is 4"},
        {"K=8,1,1 c=one", "Parameter K"},
        {"K=8,1 c=two", "two is not a value of"},
        {"K=8,1 c", "\"c\" is not of the form NAME=value"},
        {"K=8,1 =one", "is not of the form NAME=value"},
        {"K=8,1 c=\"a b", "the quotes of \"a b are not closed"},
        {"K=8,1 c=\"a b\"x", "the quotes of"},
        {"K=8,1 c=\"a\\qb\"", "is not a value of"},
        {"K=\"8,1\" c=one", "\"8,1\" is not a value of factor(8,2)"},
        {"K= c=one", "Parameter K"},
    };

    CHECK_OK(opevo_space_read(space, "\t c=\"a b\"\n K=2,4 ", &point, &err));
    assert_true(opevo_space_allows(space, point));
    CHECK_OK(opevo_space_read(space, "c=12 K=2,4", &point, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        point = 99;
        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_space_read(space, cases[i].text, &point, &err));
        check_index(point, 99);
    }
    opevo_space_destroy(space);
}

/* ---- Signatures and memory ---- */

CHECK_TEST(test_signatures)
{
    opevo_space *spaces[] = {
        make(LIST("K: factor(8,2)", "c: discrete(1,2)"), LIST("c < 3")),
        make(LIST("K: factor(8,2)", "c: discrete(1,2)"), NULL),
        make(LIST("K: factor(8,2)", "c: discrete(1,2)"), LIST("c < 4")),
        make(LIST("K: factor(8,2)", "c: discrete(1,2)"), LIST("c < 3", "c < 4")),
        make(LIST("K: factor(8,2)", "c: discrete(1,2)"), LIST("c < 4", "c < 3")),
        make(LIST("K: factor(8,2)", "c: discrete(1,3)"), NULL),
        make(LIST("K: factor(8,2)", "c: choice(1,2)"), NULL),
        make(LIST("c: discrete(1,2)", "K: factor(8,2)"), NULL),
        make(LIST("K: factor(8,2)", "d: discrete(1,2)"), NULL),
        make(LIST("K: factor(8,3)", "c: discrete(1,2)"), NULL),
    };
    enum { COUNT = sizeof spaces / sizeof(opevo_space *) };
    opevo_space *again = make(LIST("K: factor(8,2)", "c: discrete(1,2)"), LIST("c < 3"));
    opevo_space *python = NULL;

    CHECK_OK(build(LIST("K: factor(8,2)", "c: discrete(1,2)"), LIST("c < 3"), OPEVO_DIALECT_PYTHON,
                   &python, &err));
    assert_true(opevo_space_signature(python) != opevo_space_signature(spaces[0]));
    opevo_space_destroy(python);
    assert_true(opevo_space_signature(again) == opevo_space_signature(spaces[0]));
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(opevo_space_signature(spaces[i]) != opevo_space_signature(spaces[j]));
    for (size_t i = 0; i < COUNT; i++)
        opevo_space_destroy(spaces[i]);
    opevo_space_destroy(again);
}

static opevo_status everything(void)
{
    opevo_space *space = NULL;
    opevo_space_share share = {0};
    opevo_index point = 0;
    opevo_text line = {0};
    opevo_status status = build(
        LIST("K: factor(64,3)", "X: factor(64,3)", "Y: factor(64,4)", "c: choice(one,two)",
             "P: permutation(5)"),
        LIST("K[0] * X[0] <= 64 && c == \"one\"", "K[1] >= X[1]", "P[0] + Y[1] + X[2] + K[2] < 90"),
        OPEVO_DIALECT_C, &space, NULL);

    if (status != OPEVO_OK)
        return status;
    status = opevo_space_count_allowed(space, 0, 1, &share, NULL);
    opevo_space_print(space, 7, &line);
    if (status == OPEVO_OK)
        status = opevo_text_check(&line, NULL);
    if (status == OPEVO_OK)
        status = opevo_space_read(space, opevo_text_string(&line), &point, NULL);
    opevo_text_free(&line);
    opevo_space_destroy(space);
    return status;
}

CHECK_TEST(test_allocation_failures)
{
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_memory_fail_at(n);
        status = everything();
        assert_int_equal(opevo_memory_live(), live);
        assert_true(n < 1000);
    }
    opevo_memory_fail_at(0);
    assert_int_equal(status, OPEVO_OK);
}
