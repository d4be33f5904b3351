/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces of more than 2^128 - 1 points: their size, the numbers of their points, uniform draws and
 * shares. */

#include "space_checks.h"

#include <math.h>

#include <opevo/diagram.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

enum { DRAWS = 20000 };

static uint64_t next_bits(void *context)
{
    uint64_t *state = context;

    return opevo_hash_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* `count` parameters of `values` values; each two have an even sum if they are tied. */
static opevo_space *plain_space(size_t count, int values, bool tied)
{
    opevo_space *space = NULL;
    opevo_text json = {0};

    opevo_text_add(&json, "{");
    for (size_t i = 0; i < count; i++) {
        opevo_text_printf(&json, "%s\"p%zu\": {\"_type\": \"discrete\", \"_value\": [0",
                          i ? ", " : "", i);
        for (int v = 1; v < values; v++)
            opevo_text_printf(&json, ", %d", v);
        opevo_text_add(&json, "]}");
    }
    for (size_t i = 0; tied && i + 1 < count; i += 2)
        opevo_text_printf(&json, "%s\"(p%zu + p%zu) %% 2 == 0\"",
                          i ? ", " : ", \"_constraints\": [", i, i + 1);
    opevo_text_add(&json, tied ? "]}" : "}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "a test", NULL, &space, &err));
    opevo_text_free(&json);
    return space;
}

static void check_size(size_t count, int values, const char *digits)
{
    opevo_space *space = plain_space(count, values, false);
    opevo_text text = {0};

    opevo_space_print_size(space, &text);
    assert_string_equal(opevo_text_string(&text), digits);
    assert_true(fabs(opevo_space_log2_size(space) - (double)count * log2(values)) <
                1e-10 * (double)count);
    assert_true(opevo_space_is_wide(space) == ((double)count * log2(values) >= 128));
    opevo_text_free(&text);
    opevo_space_destroy(space);
}

/* 7^45 < 2^128 < 7^46, and 2^128 is one more than a number of 128 bits holds. */
CHECK_TEST(test_sizes)
{
    check_size(45, 7, "107006904423598033356356300384937784807");
    check_size(46, 7, "749048330965186233494494102694564493649");
    check_size(127, 2, "170141183460469231731687303715884105728");
    check_size(128, 2, "340282366920938463463374607431768211456");
    check_size(100, 8,
               "2037035976334486086268445688409378161051468393665936250636140449354381299763336706"
               "183397376");
}

static void draw(const opevo_space *space, uint64_t *seed, opevo_index *vertices)
{
    opevo_diagram_draw(opevo_space_draws_from(space), next_bits, seed, vertices);
}

/* What was encoded is decoded, and has the same number in every space of the same parameters; what
 * was not is not a point. */
CHECK_TEST(test_numbers)
{
    opevo_space *space = plain_space(1000, 300, false), *other = plain_space(1000, 300, false);
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX], again[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_index_set *met = opevo_index_set_create();
    uint64_t seed = 1;

    for (int i = 0; i < 1000; i++) {
        opevo_index point = 0;

        draw(space, &seed, vertices);
        point = opevo_space_encode(space, vertices);
        assert_true(opevo_space_has(space, point) && opevo_space_allows(space, point));
        assert_false(opevo_space_has(other, point) || opevo_space_allows(other, point));
        opevo_space_decode(space, point, again);
        assert_memory_equal(vertices, again, 1000 * sizeof *vertices);
        assert_true(opevo_space_encode(other, vertices) == point);
        opevo_index_set_add(met, point);
        vertices[i] = (vertices[i] + 1) % 300;
        opevo_index_set_add(met, opevo_space_encode(space, vertices));
    }
    assert_int_equal(opevo_index_set_count(met), 2000);
    assert_false(opevo_space_has(space, 0) || opevo_space_has(space, OPEVO_INDEX_MAX));
    memset(vertices, 0, sizeof vertices);
    assert_true(opevo_space_first(space) == opevo_space_encode(space, vertices));
    opevo_index_set_destroy(met);
    opevo_space_destroy(space);
    opevo_space_destroy(other);
}

/* A space under other topologies knows the points of the first. */
CHECK_TEST(test_topologies)
{
    opevo_space *space = plain_space(60, 8, false), *complete = NULL;
    const char *topologies[60] = {[7] = "complete"};
    opevo_index vertices[60], again[60], point = 0;
    uint64_t seed = 2;

    CHECK_OK(opevo_space_with_topologies(space, topologies, &complete, &err));
    draw(space, &seed, vertices);
    point = opevo_space_encode(space, vertices);
    assert_true(opevo_space_has(complete, point));
    opevo_space_destroy(space);
    opevo_space_decode(complete, point, again);
    assert_memory_equal(vertices, again, sizeof again);
    opevo_space_destroy(complete);
}

/* What is read has the number of what was printed, and inactive parameters do not count. */
CHECK_TEST(test_texts_and_branches)
{
    opevo_space *space = NULL, *other = NULL;
    opevo_text json = {0}, text = {0};
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX], again[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_index point = 0, read = 0;
    uint64_t seed = 3;

    opevo_text_add(&json, "{\"c\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"a\"");
    for (int i = 0; i < 50; i++)
        opevo_text_printf(&json,
                          ", \"a%d\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6,"
                          " 7]}",
                          i);
    opevo_text_add(&json, "}, \"b\"]}, \"x\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "a test", NULL, &space, &err));
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "a test", NULL, &other, &err));
    opevo_space_print_size(space, &text); /* 2 (7^50 + 1) */
    assert_string_equal(opevo_text_string(&text), "3596930085294824293240560681139298698502500");
    for (int i = 0; i < 100; i++) {
        opevo_text_clear(&text);
        draw(space, &seed, vertices);
        point = opevo_space_encode(space, vertices);
        opevo_space_decode(space, point, again);
        assert_memory_equal(vertices, again, 52 * sizeof *again);
        opevo_space_print(space, point, &text);
        CHECK_OK(opevo_space_read(other, opevo_text_string(&text), &read, &err));
        assert_true(read == point);
    }
    for (size_t i = 1; i < 51; i++)
        vertices[i] = 3; /* not read: the branch b is taken */
    vertices[0] = 1;
    vertices[51] = 1;
    point = opevo_space_encode(space, vertices);
    for (size_t i = 1; i < 51; i++)
        vertices[i] = OPEVO_INACTIVE;
    assert_true(opevo_space_encode(space, vertices) == point);
    opevo_text_free(&json);
    opevo_text_free(&text);
    opevo_space_destroy(space);
    opevo_space_destroy(other);
}

/* Draws under 50 constraints: each parameter's values as often as its shares say, within five
 * standard deviations, and every point allowed. */
CHECK_TEST(test_draws)
{
    opevo_space *space = plain_space(100, 8, true);
    opevo_index vertices[100];
    opevo_space_share share;
    double shares[9];
    size_t counts[100][8] = {{0}};
    uint64_t seed = 4;

    CHECK_OK(opevo_space_count_allowed(space, 0, 1, &share, &err));
    assert_true(share.exact && share.allowed == OPEVO_INDEX_MAX);
    assert_true(fabs(share.share / exp2(-50) - 1) < 1e-12);
    for (int i = 0; i < DRAWS; i++) {
        draw(space, &seed, vertices);
        assert_true(opevo_space_allows_vertices(space, vertices));
        for (size_t k = 0; k < 100; k++)
            counts[k][(size_t)vertices[k]]++;
    }
    for (size_t k = 0; k < 100; k++) {
        CHECK_OK(opevo_diagram_shares(opevo_space_draws_from(space), k, shares, &err));
        for (size_t v = 0; v < 8; v++) {
            assert_true(fabs(shares[v] - 0.125) < 1e-14);
            assert_true(fabs((double)counts[k][v] - DRAWS * shares[v]) <
                        5 * sqrt(DRAWS * shares[v] * (1 - shares[v])));
        }
    }
    opevo_space_destroy(space);
}
