/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels that measure the roof of a device are right on each kind of it, and their harness
 * tells spoilt ones, so that a rate is that of all multiply-adds and of the whole copy; what was
 * measured is found again, for the same device, threads and unit only. */

#include "hw/own_fixture.h"
#include "points.h"
#include "roof_internal.h"

#define LANES "\"lanes\": {\"_type\": \"discrete\", \"_value\": [4, 8, 16]}"
static const char points[] = "{" LANES "}";
static const char points_opencl[] =
    "{" LANES ", \"fused\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}";

/* Its points, all with the same verdict. `from` becomes `to` in the source; NULL: nothing does. Of
 * a spoilt source outside the long run one point. */
static void judge(const char *device, const char *ending, const char *unit, const char *from,
                  const char *to)
{
    const opevo_i_cli_roof_kernel what = {
        .unit = unit, .ending = ending, .cores = 1, .work = 4800, .bytes = UINT64_C(1) << 18};
    const own_expected right = {OPEVO_OUTCOME_OK, NULL}, wrong = {OPEVO_OUTCOME_WRONG, NULL};
    const own_expected one = from ? wrong : right, all[] = {one, one, one, one, one, one};
    bool opencl = !strcmp(ending, ".cl");
    size_t count = opencl ? 6 : 3;
    opevo_text harness = {0}, source = {0}, spoilt = {0};
    opevo_objective *objective = NULL;
    const char *text = NULL, *at = NULL;
    char name[32];

    CHECK_OK(opevo_i_cli_roof_texts(&what, &harness, &source, &err));
    text = opevo_text_string(&source);
    at = from ? strstr(text, from) : text;
    assert_non_null(at);
    opevo_text_printf(&spoilt, "%.*s%s%s", (int)(at - text), text, from ? to : "",
                      at + (from ? strlen(from) : 0));
    snprintf(name, sizeof name, "roof%s", ending);
    CHECK_OK(own_open(device, name, opevo_text_string(&spoilt), opevo_text_string(&harness),
                      opencl ? points_opencl : points, &objective, &err));
    assert_string_equal(objective->unit, unit);
    own_check(name, objective, all, from ? test_size(1, count) : count);
    opevo_objective_destroy(objective);
    opevo_text_free(&harness);
    opevo_text_free(&source);
    opevo_text_free(&spoilt);
}

static void judge_all(const char *device, const char *ending, const char *copied,
                      const char *copied_less)
{
    judge(device, ending, "GFLOP/s", NULL, NULL);
    judge(device, ending, "GB/s", NULL, NULL);
    judge(device, ending, "GFLOP/s", "r < rounds", "r < rounds - 1");
    judge(device, ending, "GB/s", copied, copied_less);
}

CHECK_TEST(test_processor)
{
    judge_all("cpu", ".c", "(to - from)", "(to - from - 1)");
}

CHECK_TEST(test_interpreter)
{
    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    judge_all("simt", ".cu", "k < lanes / 4; k++)\n        ((",
              "k < lanes / 4 - 1; k++)\n        ((");
}

CHECK_TEST(test_opencl)
{
    if (!own_has_opencl())
        CHECK_SKIP("no OpenCL device: install pocl-opencl-icd");
    judge_all("opencl:0", ".cl", "size_t i = ", "size_t i = 1 | ");
}

CHECK_TEST(test_kept)
{
    opevo_objective *objective = NULL;
    opevo_text harness = {0}, source = {0}, device = {0}, other = {0};
    const opevo_i_cli_roof_kernel what = {
        .unit = "GFLOP/s", .ending = ".c", .cores = 1, .work = 4800};
    opevo_index first = 0;
    opevo_outcome outcome;
    const char *words = NULL;
    double roof = 0;

    CHECK_OK(opevo_i_cli_roof_texts(&what, &harness, &source, &err));
    CHECK_OK(own_open("cpu", "roof.c", opevo_text_string(&source), opevo_text_string(&harness),
                      points, &objective, &err));
    assert_true(opevo_i_cli_roof_of(objective, "cpu", 0, true) == 0); /* of an unknown device */
    CHECK_OK(opevo_objective_evaluate(objective, &first, 1, &outcome, &err));
    opevo_live_print_devices(objective, &device);
    words = opevo_text_string(&device);
    assert_true(opevo_i_cli_roof_of(objective, "simt", 0, true) == 0);
    assert_true(opevo_i_cli_roof_of(objective, "cpu", 0, false) == 0);
    roof = opevo_i_cli_roof_of(objective, "cpu", 0, true);
    assert_true(roof > 0.1);
    assert_true(fabs(opevo_i_cli_roof_known(words, 1, "GFLOP/s") / roof - 1) < 1e-5);
    assert_true(opevo_i_cli_roof_of(objective, "cpu", roof / 2, true) ==
                opevo_i_cli_roof_known(words, 1, "GFLOP/s"));
    assert_true(opevo_i_cli_roof_known(words, 2, "GFLOP/s") == 0);
    assert_true(opevo_i_cli_roof_known(words, 1, "GB/s") == 0);
    assert_true(opevo_i_cli_roof_known(words, 1, "ms") == 0);
    opevo_text_printf(&other, "%s!", words);
    assert_true(opevo_i_cli_roof_known(opevo_text_string(&other), 1, "GFLOP/s") == 0);
    opevo_objective_destroy(objective);
    opevo_text_free(&harness);
    opevo_text_free(&source);
    opevo_text_free(&device);
    opevo_text_free(&other);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
