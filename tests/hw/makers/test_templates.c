/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Templates: the steps of their points print, read back and replay to the same program; parts of
 * their spaces; what they refuse. */

#include "kernel_fixture.h"

static const char *const forms[] = {"matmul(32,48,64)", "batch_matmul(4,16,12,24,TN)",
                                    "conv2d(2,4,10,12,8,3,3,1,1)"};
enum { FORMS = sizeof forms / sizeof *forms };

static void check_round_trip(const opevo_pipeline *pipeline, opevo_kernel_dialect dialect)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_text text = {0};
    opevo_text again = {0};
    opevo_pipeline *read = NULL;
    opevo_kernel kernel[2] = {{0}, {0}};
    opevo_text why[2] = {{0}, {0}};
    bool fits[2];

    opevo_pipeline_print(pipeline, &text);
    CHECK_OK(opevo_pipeline_parse(opevo_pipeline_computation(pipeline), opevo_text_string(&text),
                                  "text", &read, &err));
    opevo_pipeline_print(read, &again);
    assert_string_equal(opevo_text_string(&text), opevo_text_string(&again));
    assert_int_equal(opevo_pipeline_step_count(pipeline), opevo_pipeline_step_count(read));
    CHECK_OK(opevo_pipeline_emit(pipeline, dialect, &limits, &kernel[0], &fits[0], &why[0], &err));
    CHECK_OK(opevo_pipeline_emit(read, dialect, &limits, &kernel[1], &fits[1], &why[1], &err));
    assert_int_equal(fits[0], fits[1]);
    assert_string_equal(opevo_text_string(&why[0]), opevo_text_string(&why[1]));
    assert_string_equal(opevo_text_string(&kernel[0].source), opevo_text_string(&kernel[1].source));
    for (int i = 0; i < 2; i++) {
        opevo_kernel_free(&kernel[i]);
        opevo_text_free(&why[i]);
    }
    opevo_pipeline_destroy(read);
    opevo_text_free(&text);
    opevo_text_free(&again);
}

CHECK_TEST(test_round_trip)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "round trip", 0);
    for (size_t i = 0; i < opevo_template_count() * FORMS; i++) {
        const opevo_template_info *info = opevo_template_get(i / FORMS);
        opevo_kernel_dialect dialect = OPEVO_KERNEL_C;
        opevo_operator op;
        opevo_kernel_maker *maker = NULL;

        CHECK_OK(opevo_operator_parse(forms[i % FORMS], &op, &err));
        while (!(info->dialects >> dialect & 1))
            dialect = (opevo_kernel_dialect)(dialect + 1);
        if (!(info->kinds >> op.kind & 1))
            continue;
        CHECK_OK(opevo_template_open(&op, info->name, dialect, &maker, &err));
        for (int p = 0; p < 20; p++) {
            opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
            opevo_pipeline *pipeline = NULL;
            opevo_text why = {0};

            CHECK_OK(opevo_template_pipeline(maker, point, &pipeline, &why, &err));
            if (pipeline)
                check_round_trip(pipeline, dialect);
            opevo_pipeline_destroy(pipeline);
            opevo_text_free(&why);
        }
        maker->ops->destroy(maker);
    }
}

CHECK_TEST(test_templates_refuse)
{
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;

    CHECK_OK(opevo_operator_parse("matmul(8,8,8)", &op, &err));
    CHECK_FAILS(OPEVO_INVALID, "use one of cpu",
                opevo_template_open(&op, "nothing", OPEVO_KERNEL_C, &maker, &err));
    CHECK_FAILS(OPEVO_INVALID, "use one of paper",
                opevo_template_open(&op, "cpu", OPEVO_KERNEL_CUDA, &maker, &err));
    CHECK_OK(opevo_operator_parse("matmul(2000000000,2000000000,3)", &op, &err));
    CHECK_FAILS(OPEVO_LIMIT, "2^40", opevo_template_open(&op, NULL, OPEVO_KERNEL_C, &maker, &err));
    assert_null(maker);
}

static char *source_of(const opevo_kernel_maker *maker, opevo_index point)
{
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    char *source = NULL;

    CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
    source = opevo_strdup(opevo_text_string(refused == OPEVO_OUTCOME_OK ? &kernel.source : &why));
    assert_non_null(source);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return source;
}

/* A point of a part of the space makes the kernel that it makes in the whole. */
CHECK_TEST(test_narrow)
{
    static const char text[] =
        "{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]}, \"X\": {\"_type\": \"factor\","
        " \"_value\": [8, 4], \"_topology\": \"complete\"}, \"Y\": {\"_type\": \"factor\","
        " \"_value\": [8, 4]}, \"_constraints\": [\"K[0] == 2\", \"X[1] == Y[1]\"]}";
    opevo_operator op;
    opevo_kernel_maker *whole = NULL;
    opevo_kernel_maker *part = NULL;
    opevo_space *space = NULL;
    size_t compared = 0;

    CHECK_OK(opevo_operator_parse("matmul(8,8,8)", &op, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &whole, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &part, &err));
    CHECK_OK(opevo_space_parse(text, "a test", NULL, &space, &err));
    CHECK_OK(opevo_template_narrow(part, space, &err));
    assert_ptr_equal(part->space, space);
    assert_true(part->signature != whole->signature);
    for (opevo_index point = 0; point < opevo_space_size(space); point += 7) {
        opevo_index vertices[3];
        char *sources[2];

        if (!opevo_space_allows(space, point))
            continue;
        opevo_space_decode(space, point, vertices);
        for (size_t i = 0; i < 3; i++) {
            opevo_value values[4];

            opevo_parameter_value(opevo_space_parameter(space, i), vertices[i], values);
            assert_true(
                opevo_parameter_find(opevo_space_parameter(whole->space, i), values, &vertices[i]));
        }
        sources[0] = source_of(part, point);
        sources[1] = source_of(whole, opevo_space_encode(whole->space, vertices));
        assert_string_equal(sources[0], sources[1]);
        opevo_free(sources[0]);
        opevo_free(sources[1]);
        compared++;
    }
    assert_true(compared > 20);
    part->ops->destroy(part);
    whole->ops->destroy(whole);
}

CHECK_TEST(test_narrow_refuses)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]}}",
         "Parameter 2 of the template paper is X"},
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [16, 3]}}",
         "K = 16,1,1 is not a value of factor(8,3)"},
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [8, 2]}}",
         "K has values of 3 components here, not 2"},
        {"{\"k\": {\"_type\": \"factor\", \"_value\": [8, 3]}}",
         "Parameter 1 of the template paper is K"},
        {"{\"K\": {\"_type\": \"factor\", \"_value\": [8, 3]}, \"X\": {\"_type\": \"factor\", "
         "\"_value\":"
         " [8, 4]}, \"Y\": {\"_type\": \"factor\", \"_value\": [8, 4]}, \"Z\": {\"_type\": "
         "\"choice\","
         " \"_value\": [1]}}",
         "Parameter 4 of the template paper is not there"},
    };
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;

    CHECK_OK(opevo_operator_parse("matmul(8,8,8)", &op, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &maker, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_space *space = NULL;

        CHECK_OK(opevo_space_parse(bad[i].text, "a test", NULL, &space, &err));
        CHECK_FAILS(OPEVO_INVALID, bad[i].words, opevo_template_narrow(maker, space, &err));
        opevo_space_destroy(space);
    }
    maker->ops->destroy(maker);
}

/* Whichever allocation fails, nothing is left behind. */
CHECK_TEST(test_allocations)
{
    int64_t before = opevo_memory_live();
    bool failed = true;
    opevo_operator op;

    CHECK_OK(opevo_operator_parse("batch_matmul(2,8,8,8)", &op, &err));
    for (int64_t n = 1; failed; n = n < 60 ? n + 1 : n + 7) {
        opevo_kernel_maker *maker = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(n);
        status = opevo_template_open(&op, "paper", OPEVO_KERNEL_CUDA, &maker, NULL);
        if (status == OPEVO_OK)
            status = maker->ops->make(maker, opevo_space_size(maker->space) / 3, &kernel, &refused,
                                      &why, NULL);
        opevo_memory_fail_at(0);
        failed = status != OPEVO_OK || why.failed;
        if (maker)
            maker->ops->destroy(maker);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
        assert_int_equal(opevo_memory_live(), before);
    }
}
