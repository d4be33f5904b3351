/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of templates: each template has one for every shape and device, which its limits
 * accept; a schedule leads back to a point that has it. */

#include "check.h"
#include "points.h"

#include <string.h>

#include <opevo/random.h>
#include <opevo/template.h>

static const char *const forms[] = {
    "matmul(512,1024,1024)",
    "matmul(1,4096,4096)",
    "matmul(4096,1,4096)",
    "matmul(4096,4096,1)",
    "matmul(37,129,511,TN)",
    "matmul(1009,1013,1019,NT)",
    "matmul(1,1,1)",
    "batch_matmul(960,128,64,128)",
    "batch_matmul(3,7,11,13,TT)",
    "conv2d(1,64,56,56,64,3,3,1,1)",
    "conv2d(1,256,14,14,512,1,1,2,0)",
    "conv2d(2,3,9,8,5,3,3,2,1)",
    "conv2d(1,512,7,7,512,3,3,1,1)",
};

static const opevo_device_facts devices[] = {
    {0}, /* nothing is known */
    {.vector_bits = 512, .l1_bytes = 48 << 10, .l2_bytes = 1 << 20},
    {.vector_bits = 256, .l1_bytes = 32 << 10, .l2_bytes = 512 << 10},
    {.vector_bits = 128, .l1_bytes = 64 << 10, .l2_bytes = 1 << 20},
};

/* The steps of a point; the caller frees it. */
static void print_steps(const opevo_kernel_maker *maker, opevo_index point, opevo_text *out)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};

    CHECK_OK(opevo_template_pipeline(maker, point, &pipeline, &why, &err));
    assert_non_null(pipeline);
    opevo_pipeline_print(pipeline, out);
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
}

static void check_start(const opevo_kernel_maker *maker, const opevo_device_facts *facts)
{
    opevo_kernel kernel = {.dialect = maker->dialect};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_index point = 0;
    opevo_index again = 1;
    bool found = false;
    opevo_operator op;

    CHECK_OK(opevo_operator_parse(maker->computation->name, &op, &err));
    CHECK_OK(maker->ops->start(maker, facts, &found, &point, &err));
    /* Where k is 1 there is no loop over tiles that the paper's buffers could be of. */
    assert_int_equal(found,
                     strcmp(maker->name, "paper") != 0 || op.kind == OPEVO_CONV2D || op.k > 1);
    if (!found)
        return;
    CHECK_OK(maker->ops->start(maker, facts, &found, &again, &err));
    assert_true(point == again && opevo_space_allows(maker->space, point));
    CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
    assert_int_equal(refused, OPEVO_OUTCOME_OK);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
}

typedef void visitor(const opevo_kernel_maker *maker);

/* Every template for every form and dialect that it fits; a sixth of them in the short run. */
static void visit_makers(size_t sixth, visitor *visit)
{
    for (size_t t = 0; t < opevo_template_count(); t++) {
        const opevo_template_info *info = opevo_template_get(t);

        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            opevo_operator op;

            CHECK_OK(opevo_operator_parse(forms[f], &op, &err));
            for (int d = 0; d < OPEVO_KERNEL_COUNT; d++) {
                opevo_kernel_maker *maker = NULL;

                if (!test_takes(t + f + (size_t)d, sixth, 6) ||
                    !(info->kinds >> op.kind & 1 && info->dialects >> d & 1))
                    continue;
                CHECK_OK(
                    opevo_template_open(&op, info->name, (opevo_kernel_dialect)d, &maker, &err));
                visit(maker);
                maker->ops->destroy(maker);
            }
        }
    }
}

static void start_on_all_devices(const opevo_kernel_maker *maker)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        check_start(maker, &devices[i]);
}

CHECK_TEST(test_every_template_has_a_start)
{
    visit_makers(0, start_on_all_devices);
}

/* Of those for a CPU also for several threads. */
CHECK_TEST(test_every_template_has_a_start_for_threads)
{
    for (size_t t = 0; t < opevo_template_count(); t++) {
        const opevo_template_info *info = opevo_template_get(t);

        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            opevo_kernel_maker *maker = NULL;
            opevo_operator op;

            CHECK_OK(opevo_operator_parse(forms[f], &op, &err));
            if (!test_takes(t + f, 0, 3) ||
                !(info->kinds >> op.kind & 1 && info->dialects >> OPEVO_KERNEL_C & 1))
                continue;
            CHECK_OK(opevo_template_open_threads(&op, info->name, OPEVO_KERNEL_C, 4, &maker, &err));
            check_start(maker, &devices[f % 4]);
            maker->ops->destroy(maker);
        }
    }
}

/* With 32 registers of 16 lanes: 8 rows of two vectors; with 16 of 8: 4 rows of two, or the like
 * that divides the extents. The accumulators are unrolled, so that they have names. */
CHECK_TEST(test_tile_fills_the_registers)
{
    static const struct {
        size_t device;
        const char *part;
    } cases[] = {{1, "8 Y=1,1,32,32 "}, {2, "4 Y=2,1,32,16 "}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_kernel_maker *maker = NULL;
        opevo_operator op;
        opevo_text text = {0};
        opevo_index point = 0;
        bool found = false;

        CHECK_OK(opevo_operator_parse("matmul(512,1024,1024)", &op, &err));
        CHECK_OK(opevo_template_open(&op, "cpu", OPEVO_KERNEL_C, &maker, &err));
        CHECK_OK(maker->ops->start(maker, &devices[cases[i].device], &found, &point, &err));
        opevo_space_print(maker->space, point, &text);
        assert_non_null(strstr(opevo_text_string(&text), cases[i].part));
        opevo_text_free(&text);
        print_steps(maker, point, &text);
        assert_non_null(strstr(opevo_text_string(&text), "annotate C i.3 unroll\n"));
        assert_non_null(strstr(opevo_text_string(&text), "annotate C j.3.0 unroll\n"));
        opevo_text_free(&text);
        maker->ops->destroy(maker);
    }
}

/* In a part of the space the start is the nearest point that the part allows. */
CHECK_TEST(test_start_in_a_part)
{
    opevo_kernel_maker *maker = NULL;
    opevo_space *part = NULL;
    opevo_operator op;
    opevo_text json = {0};

    CHECK_OK(opevo_operator_parse("matmul(64,64,64)", &op, &err));
    CHECK_OK(opevo_template_open(&op, "cpu", OPEVO_KERNEL_C, &maker, &err));
    opevo_space_write_json(maker->space, &json);
    json.length = (size_t)(strrchr(json.data, '}') - json.data);
    json.data[json.length] = '\0';
    opevo_text_add(&json, ", \"_constraints\": [\"X[3] * Y[3] <= 64\", \"vector == 8\"]}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "a part", NULL, &part, &err));
    CHECK_OK(opevo_template_narrow(maker, part, &err));
    check_start(maker, &devices[1]);
    opevo_text_free(&json);
    maker->ops->destroy(maker);
}

static void find_a_random_point(const opevo_kernel_maker *maker)
{
    opevo_rng rng;
    opevo_index point = 0;
    opevo_index at = 0;
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    opevo_text wanted = {0};
    opevo_text text = {0};
    bool found = false;

    opevo_rng_init(&rng, 1, "test", 0);
    for (int draws = 0; !pipeline && draws < 1000; draws++) {
        point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
        CHECK_OK(opevo_template_pipeline(maker, point, &pipeline, &why, &err));
    }
    opevo_text_free(&why);
    if (!pipeline)
        return; /* as with the paper's template where k is 1 */
    CHECK_OK(opevo_template_find(maker, pipeline, 0, &found, &at, &err));
    assert_true(found);
    opevo_pipeline_print(pipeline, &wanted);
    print_steps(maker, at, &text);
    assert_string_equal(opevo_text_string(&text), opevo_text_string(&wanted));
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&wanted);
    opevo_text_free(&text);
}

CHECK_TEST(test_steps_lead_back_to_a_point)
{
    visit_makers(3, find_a_random_point);
}
