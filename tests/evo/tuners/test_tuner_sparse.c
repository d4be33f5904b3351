/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every tuner of the table on spaces whose allowed points are listed and far between: each listed
 * point is proposed, none other, and searches go on while there are some. */

#include "contract_fixture.h"

/* `parameters` parameters of `values` values each, of which `rows` random points are listed: drawn
 * at random, or each a row before it with one value changed. */
static opevo_space *sparse_space(size_t parameters, size_t values, size_t rows, bool related)
{
    opevo_text text = {0};
    opevo_space *space = NULL;
    opevo_index *points = opevo_malloc(rows, sizeof *points);
    opevo_rng rng;

    assert_non_null(points);
    opevo_text_add(&text, "{");
    for (size_t i = 0; i < parameters; i++) {
        opevo_text_printf(&text, "%s\"p%zu\": {\"_type\": \"%s\", \"_value\": [", i ? ", " : "", i,
                          i % 3 ? "discrete" : "choice");
        for (size_t v = 0; v < values; v++)
            opevo_text_printf(&text, "%s%zu", v ? ", " : "", v + 1);
        opevo_text_add(&text, "]}");
    }
    opevo_text_add(&text, "}");
    CHECK_OK(opevo_space_parse(text.data, "a test", NULL, &space, &err));
    opevo_text_free(&text);
    opevo_rng_init(&rng, 1, "rows", 0);
    for (size_t i = 0; i < rows; i++) {
        opevo_index vertices[32];

        points[i] = opevo_rng_below_wide(&rng, opevo_space_size(space));
        if (!related || i == 0)
            continue;
        opevo_space_decode(space, points[opevo_rng_below(&rng, i)], vertices);
        vertices[opevo_rng_below(&rng, parameters)] = opevo_rng_below(&rng, values);
        points[i] = opevo_space_encode(space, vertices);
    }
    CHECK_OK(opevo_space_restrict(space, points, rows, &err));
    opevo_free(points);
    return space;
}

CHECK_TEST(exhausts_a_sparse_list)
{
    for (int related = 0; related < 2; related++) {
        opevo_space *space = sparse_space(12, 8, 90, related);
        opevo_space_share share;

        CHECK_OK(opevo_space_count_allowed(space, 0, 1, &share, &err));
        for (size_t t = 0; t < opevo_tuner_count(); t++) {
            const opevo_tuner_ops *ops = opevo_tuner_get(t);
            formula objective = formula_on(space, 3, 4);
            opevo_tuner *tuner = make(ops, space, "", 5);
            opevo_index_set *met = opevo_index_set_create();
            opevo_index points[64];
            size_t count = 0;

            while ((count = turn(tuner, &objective, 7, points)) > 0) {
                for (size_t i = 0; i < count; i++) {
                    assert_true(opevo_space_allows(space, points[i]));
                    assert_false(opevo_index_set_has(met, points[i]));
                    assert_true(opevo_index_set_add(met, points[i]));
                }
            }
            if (opevo_index_set_count(met) != share.allowed)
                fail_msg("%s: %zu of %zu listed points; %s", ops->name,
                         (size_t)opevo_index_set_count(met), (size_t)share.allowed, tuner->reason);
            assert_string_equal(tuner->reason, "every allowed point has been proposed");
            opevo_index_set_destroy(met);
            opevo_tuner_destroy(tuner);
        }
        opevo_space_destroy(space);
    }
}

/* The budget is used on 5,000 random rows of 8^12 points. */
CHECK_TEST(goes_on_in_a_large_space)
{
    opevo_space *space = sparse_space(12, 8, 5000, false);

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        formula objective = formula_on(space, 3, 4);
        opevo_tuner *tuner = make(ops, space, "", 5);
        opevo_index points[64];
        size_t made = 0;

        while (made < 200) {
            size_t count = turn(tuner, &objective, 8, points);

            if (count == 0)
                fail_msg("%s: ended after %zu trials; %s", ops->name, made, tuner->reason);
            made += count;
        }
        opevo_tuner_destroy(tuner);
    }
    opevo_space_destroy(space);
}
