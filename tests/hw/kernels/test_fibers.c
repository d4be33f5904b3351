/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Native kernels with faults: each has its verdict, and the process that asks goes on. */

#include "check.h"

#include <opevo/clock.h>
#include <opevo/fibers.h>
#include <opevo/file.h>
#include <opevo/memory.h>

/* A harness of one launch of 4 blocks of 8 work items. */
static opevo_harness *harness_of(const char *kernel, const char *more)
{
    opevo_harness *harness = NULL;
    char text[2048];

    snprintf(text, sizeof text,
             "{\"buffers\": {\"out\": {\"type\": \"i32\", \"count\": \"n\"}}, \"steps\": "
             "[{\"launch\": \"%s\", "
             "\"grid\": 4, \"block\": 8, \"arguments\": [\"out\"%s]}], \"outputs\": {\"out\": "
             "\"exact\"}, "
             "\"sets\": {\"search\": [{\"sizes\": [{\"n\": 32}], \"seeds\": [1]}], \"selection\": "
             "[{\"sizes\": "
             "[{\"n\": 32}], \"seeds\": [2]}], \"final\": [{\"sizes\": [{\"n\": 32}], \"seeds\": "
             "[3]}]}}",
             kernel, more);
    CHECK_OK(opevo_harness_parse("k.json", text, strlen(text), &harness, &err));
    return harness;
}

static opevo_launcher *link(opevo_fibers *fibers, bool base)
{
    opevo_launcher *launcher = NULL;
    char *object = NULL;
    size_t size = 0;

    CHECK_OK(opevo_file_read(OPEVO_TEST_OBJECTS "/faulty.o", 1 << 24, &object, &size, &err));
    CHECK_OK(opevo_fibers_launcher(fibers, object, size, base, &launcher, &err));
    opevo_free(object);
    return launcher;
}

/* Run a kernel; the results are copied to `results` unless it is NULL. */
static opevo_evaluation run(opevo_fibers_options options, const char *kernel, const char *more,
                            int32_t *results)
{
    opevo_harness *harness = harness_of(kernel, more);
    opevo_evaluation out = {0};
    opevo_fibers *fibers = NULL;
    opevo_launcher *launcher;
    opevo_case *what = NULL;
    size_t count = 0;

    CHECK_OK(opevo_fibers_create(&options, &fibers, &err));
    launcher = link(fibers, true);
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_SEARCH, 0, &what, &err));
    CHECK_OK(launcher->ops->run(launcher, what, &out, &err));
    if (results)
        memcpy(results, opevo_case_buffers(what, &count)->data, 32 * sizeof *results);
    opevo_case_close(what);
    opevo_launcher_destroy(launcher);
    opevo_fibers_destroy(fibers);
    opevo_harness_destroy(harness);
    return out;
}

static void fails(const char *kernel, opevo_kernel_verdict verdict, const char *words)
{
    opevo_fibers_options options = opevo_fibers_defaults;
    opevo_evaluation out;

    options.timeout_s = 2;
    options.windows = 1;
    out = run(options, kernel, "", NULL);
    if (out.verdict != verdict || !strstr(out.message, words))
        fail_msg("%s: %s: %s", kernel, opevo_kernel_verdict_name(out.verdict), out.message);
}

CHECK_TEST(faults_have_their_verdicts)
{
    fails("beyond", OPEVO_VERDICT_OUT_OF_BOUNDS, "beyond accesses memory outside of out.");
    fails("before", OPEVO_VERDICT_OUT_OF_BOUNDS, "before accesses memory outside of out.");
    fails("deep", OPEVO_VERDICT_OUT_OF_BOUNDS, "deep accesses memory outside of its stack.");
    fails("divergent", OPEVO_VERDICT_DIVERGENT_BARRIER, "block (0, 0, 0) of divergent");
    fails("null", OPEVO_VERDICT_SIGNAL, "signal 11");
    fails("endless", OPEVO_VERDICT_TIMEOUT, "did not end within 2 s");
    fails("absent", OPEVO_VERDICT_UNSUPPORTED, "no kernel absent");
}

CHECK_TEST(arguments_of_all_types_arrive)
{
    int32_t results[32];
    opevo_evaluation out =
        run(opevo_fibers_defaults, "fine",
            ", {\"i32\": 30}, {\"f32\": 2.0}, {\"f64\": 0.5}, {\"i64\": 12884901888}, {\"i8\": -1}",
            results);

    assert_int_equal(out.verdict, OPEVO_VERDICT_OK);
    assert_true(out.time_s > 0 && out.time_s < 1);
    for (int i = 0; i < 30; i++)
        assert_int_equal(results[i], 2 * i + 2);
    assert_int_equal(results[30], -1); /* without a value */
    assert_int_equal(results[31], -1);
}

CHECK_TEST(the_order_shows_races)
{
    opevo_fibers_options options = opevo_fibers_defaults;
    int32_t forward[32], reverse[32], first[32], second[32];

    run(options, "racy", "", forward);
    options.order = OPEVO_FIBERS_REVERSE;
    run(options, "racy", "", reverse);
    assert_memory_not_equal(forward, reverse, sizeof forward);
    options.order = OPEVO_FIBERS_SHUFFLED;
    options.order_seed = 5;
    run(options, "racy", "", first);
    run(options, "racy", "", second);
    assert_memory_equal(first, second, sizeof first);
}

/* The variants of a fast base end soon. */
CHECK_TEST(the_base_limits_the_time_of_others)
{
    opevo_harness *quick = harness_of("reader", ""), *slow = harness_of("endless", "");
    opevo_fibers_options options = opevo_fibers_defaults;
    opevo_fibers *fibers = NULL;
    opevo_launcher *base, *other;
    opevo_evaluation out = {0};
    opevo_case *what = NULL;
    double start_s;

    options.timeout_s = 100;
    CHECK_OK(opevo_fibers_create(&options, &fibers, &err));
    base = link(fibers, true);
    other = link(fibers, false);
    CHECK_OK(opevo_case_open(quick, OPEVO_SET_SEARCH, 0, &what, &err));
    CHECK_OK(base->ops->run(base, what, &out, &err));
    assert_int_equal(out.verdict, OPEVO_VERDICT_OK);
    opevo_case_close(what);
    start_s = opevo_clock_monotonic_s();
    CHECK_OK(opevo_case_open(slow, OPEVO_SET_SEARCH, 0, &what, &err));
    CHECK_OK(other->ops->run(other, what, &out, &err));
    assert_int_equal(out.verdict, OPEVO_VERDICT_TIMEOUT);
    assert_true(opevo_clock_monotonic_s() - start_s < 50);
    opevo_case_close(what);
    opevo_launcher_destroy(base);
    opevo_launcher_destroy(other);
    opevo_fibers_destroy(fibers);
    opevo_harness_destroy(quick);
    opevo_harness_destroy(slow);
}

CHECK_TEST(what_is_no_object_is_refused)
{
    opevo_fibers *fibers = NULL;
    opevo_launcher *launcher = NULL;

    CHECK_OK(opevo_fibers_create(&opevo_fibers_defaults, &fibers, &err));
    CHECK_FAILS(OPEVO_INVALID, "The object cannot be linked",
                opevo_fibers_launcher(fibers, "nothing", 7, false, &launcher, &err));
    opevo_fibers_destroy(fibers);
}
