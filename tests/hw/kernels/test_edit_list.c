/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What edits are worth, by a worker whose costs are a formula of the list (fake_evolver.sh): the
 * length of the text, 50 more without the edit "gain"; "needy" fails without "help". */

#include "fake_evolver.h"

#include <opevo/edit_list.h>

#include <math.h>

static const char whole[] = "gain; x; needy; help";
enum { GAIN, X, NEEDY, HELP, COUNT };

static double cost_of(const char *edits)
{
    return (double)strlen(edits) + (strstr(edits, "gain") ? 0 : 50);
}

static opevo_evolver *open_floor(const fixture *self)
{
    opevo_evolver *evolver = NULL;
    char mark[128];
    FILE *file = NULL;

    snprintf(mark, sizeof mark, "%s/floor", self->folder);
    file = fopen(mark, "w");
    assert_non_null(file);
    fclose(file);
    CHECK_OK(open_fake(self, "kernel.ll", 2, 60, &evolver, &err));
    return evolver;
}

static void read_list(opevo_evolver *evolver, const char *text, opevo_edit_list *list)
{
    *list = (opevo_edit_list){.edits = NULL};
    CHECK_OK(opevo_edit_list_read(evolver, text, list, &err));
    CHECK_OK(opevo_edit_list_evaluate(list, &err));
    assert_true(list->base.cost == cost_of("none"));
    assert_true(list->whole.cost == cost_of(text));
}

/* Of the result no edit can be left out: by brute force. */
CHECK_TEST_WITHIN(minimal, setup, teardown)
{
    static const struct {
        const char *text, *left;
        double tolerance;
    } cases[] = {{whole, "gain", 0},
                 {"x; gain", "gain", 0},
                 {"gain", "gain", 0.9}, /* 54 are more than 4 + .9 x 54 */
                 {"gain", "none", 0.93},
                 {"none", "none", 0}};
    opevo_evolver *evolver = open_floor(*state);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_edit_list list;
        size_t evaluations = 0, before = 0;

        read_list(evolver, cases[i].text, &list);
        before = list.count;
        CHECK_OK(opevo_edit_list_minimise(&list, cases[i].tolerance, &evaluations, &err));
        assert_string_equal(list.edits, cases[i].left);
        assert_int_equal(list.count, opevo_edit_count(cases[i].left));
        assert_true(evaluations >= before);
        opevo_edit_list_free(&list);
    }
    opevo_evolver_close(evolver);
}

CHECK_TEST_WITHIN(explained, setup, teardown)
{
    static const char *const edits[COUNT] = {"gain", "x", "needy", "help"};
    opevo_evolver *evolver = open_floor(*state);
    opevo_edits_explained out = {.alone = NULL};
    opevo_edit_list list;
    opevo_text graph = {0};

    read_list(evolver, whole, &list);
    CHECK_OK(opevo_edit_list_explain(&list, &out, &err));
    for (size_t i = 0; i < COUNT; i++) {
        double gain = opevo_edits_gain(&list, &out.alone[i]);

        assert_string_equal(out.lines[i], edits[i]);
        if (i == NEEDY)
            assert_true(isnan(gain));
        else
            CHECK_CLOSE(gain, (54 - cost_of(edits[i])) / 54, 1e-12);
        for (size_t k = 0; k < COUNT; k++)
            assert_int_equal(opevo_edits_needs(&list, &out, i, k), i == NEEDY && k == HELP);
    }
    assert_true(opevo_edits_gain(&list, &out.subsets[0]) == 0);
    assert_true(out.subsets[(1 << COUNT) - 1].cost == list.whole.cost);
    CHECK_CLOSE(opevo_edits_gain(&list, &out.without[GAIN]), (54 - cost_of("x; needy; help")) / 54,
                1e-12);
    CHECK_CLOSE(opevo_edits_epistasis(&list, &out, X, GAIN),
                (54 - cost_of("gain; x") - (54 - cost_of("gain")) - (54 - cost_of("x"))) / 54,
                1e-12);
    opevo_edits_graph(&list, &out, &graph);
    assert_non_null(strstr(opevo_text_string(&graph), "marker-end=\"url(#needs)\""));
    opevo_text_free(&graph);
    opevo_edits_explained_free(&list, &out);
    opevo_edit_list_free(&list);
    opevo_evolver_close(evolver);
}

/* The first exact variant that passes is the best; those before it are overfitted. */
CHECK_TEST_WITHIN(held_out, setup, teardown)
{
    static const char *const texts[] = {"needy", "gain", "x"};
    opevo_evolver *evolver = open_floor(*state);
    opevo_found found = {.exact_count = 3};

    found.exact = calloc(3, sizeof *found.exact);
    assert_non_null(found.exact);
    for (size_t i = 0; i < 3; i++)
        opevo_text_add(&found.exact[i].edits, texts[i]);
    CHECK_OK(opevo_found_evaluate_base(evolver, &found, &err));
    assert_true(found.base[OPEVO_CASES_FINAL] == 54);
    CHECK_OK(opevo_found_held_out(evolver, NULL, NULL, &found, &err));
    assert_int_equal(found.best, 1);
    assert_int_equal(found.overfitted, 1);
    assert_true(found.exact[1].final.cost == 4);
    assert_null(found.exact[2].selection.status);
    assert_false(opevo_found_variant_holds(&found.exact[0]));
    assert_true(opevo_found_variant_holds(&found.exact[1]));
    opevo_found_free(&found);
    opevo_evolver_close(evolver);
}

CHECK_TEST_WITHIN(a_list_that_fails, setup, teardown)
{
    opevo_evolver *evolver = open_floor(*state);
    opevo_edit_list list = {.edits = NULL};

    CHECK_OK(opevo_edit_list_read(evolver, "x; needy", &list, &err));
    CHECK_FAILS(OPEVO_INVALID, "The list fails on the search cases: It differs.",
                opevo_edit_list_evaluate(&list, &err));
    opevo_edit_list_free(&list);
    opevo_evolver_close(evolver);
}
