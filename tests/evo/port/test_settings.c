/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Settings: defaults, reading, bounds, printing. */

#include "formula.h"

#include <opevo/memory.h>

static const opevo_setting table[] = {
    {.key = "size", .kind = OPEVO_SETTING_COUNT, .default_value = 8, .min = 1, .max = 100},
    {.key = "q", .kind = OPEVO_SETTING_REAL, .default_value = 0.5, .max = 1, .below_max = true},
    {.key = "rule", .kind = OPEVO_SETTING_CHOICE, .choices = "first second third"},
};
static const opevo_tuner_ops ops = {.name = "toy", .settings = table, .setting_count = 3};
static const opevo_tuner_ops bare = {.name = "bare"};

static void check_print(const opevo_setting_value *values, const char *text, const char *json)
{
    opevo_text out = {0};

    opevo_settings_print(&ops, values, &out);
    assert_string_equal(opevo_text_string(&out), text);
    opevo_text_clear(&out);
    opevo_settings_print_json(&ops, values, &out);
    assert_string_equal(opevo_text_string(&out), json);
    opevo_text_free(&out);
}

CHECK_TEST(test_set_and_print)
{
    opevo_setting_value values[3];
    opevo_text out = {0};

    opevo_settings_default(&ops, values);
    check_print(values, "size=8 q=0.5 rule=first",
                "{\"size\": 8, \"q\": 0.5, \"rule\": \"first\"}");
    CHECK_OK(opevo_settings_set(&ops, "size=100", values, &err));
    CHECK_OK(opevo_settings_set(&ops, "q=0.1", values, &err));
    CHECK_OK(opevo_settings_set(&ops, "rule=third", values, &err));
    check_print(values, "size=100 q=0.1 rule=third",
                "{\"size\": 100, \"q\": 0.1, \"rule\": \"third\"}");
    /* -0 and 0 are one setting, so they must print alike. */
    CHECK_OK(opevo_settings_set(&ops, "q=-0", values, &err));
    CHECK_OK(opevo_settings_set(&ops, "size=1e1", values, &err));
    check_print(values, "size=10 q=0 rule=third", "{\"size\": 10, \"q\": 0, \"rule\": \"third\"}");
    opevo_settings_print(&bare, NULL, &out);
    assert_string_equal(opevo_text_string(&out), "");
    opevo_settings_print_json(&bare, NULL, &out);
    assert_string_equal(opevo_text_string(&out), "{}");
    opevo_text_free(&out);
}

static opevo_setting_value created_with[3];

static opevo_status keep_settings(const opevo_space *space, const opevo_setting_value *settings,
                                  const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    (void)space, (void)rng, (void)out;
    memcpy(created_with, settings, sizeof created_with);
    return OPEVO_FAIL(err, OPEVO_LIMIT, "Only the settings matter.");
}

/* No settings are the defaults, wherever settings are taken. */
CHECK_TEST(test_no_settings)
{
    opevo_tuner_ops keeping = ops;
    opevo_tuner *tuner = NULL;

    check_print(NULL, "size=8 q=0.5 rule=first", "{\"size\": 8, \"q\": 0.5, \"rule\": \"first\"}");
    keeping.create = keep_settings;
    CHECK_FAILS(OPEVO_LIMIT, "Only", opevo_tuner_create(&keeping, NULL, NULL, 1, &tuner, &err));
    check_print(created_with, "size=8 q=0.5 rule=first",
                "{\"size\": 8, \"q\": 0.5, \"rule\": \"first\"}");
    opevo_memory_fail_at(1);
    CHECK_FAILS(OPEVO_NOMEM, "toy", opevo_tuner_create(&keeping, NULL, NULL, 1, &tuner, &err));
}

CHECK_TEST(test_refused)
{
    static const char *const bad[][2] = {
        {"size=0", "whole number from 1 to 100; not 0"},
        {"size=101", "from 1 to 100"},
        {"size=1.5", "whole number"},
        {"size=", "not empty"},
        {"size=nan", "whole number"},
        {"size=8x", "not 8x"},
        {"q=1", "real number from 0 to below 1; not 1"},
        {"q=-0.1", "below 1"},
        {"q=inf", "below 1"},
        {"rule=fourth", "one of: first second third; not fourth"},
        {"rule=", "one of"},
        {"rule=firs", "one of"},
        {"rule=1", "one of"},
        {"rho=8", "use one of size, q, rule"},
        {"siz=8", "did you mean size?"},
        {"size", "KEY=VALUE"},
        {"=8", "KEY=VALUE"},
        {"", "KEY=VALUE"},
    };
    opevo_setting_value values[3];

    opevo_settings_default(&ops, values);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(OPEVO_INVALID, bad[i][1], opevo_settings_set(&ops, bad[i][0], values, &err));
    check_print(values, "size=8 q=0.5 rule=first",
                "{\"size\": 8, \"q\": 0.5, \"rule\": \"first\"}");
    CHECK_FAILS(OPEVO_INVALID, "bare has no settings",
                opevo_settings_set(&bare, "q=0.5", values, &err));
}

/* Values that did not come through opevo_settings_set are checked when a tuner is made. */
CHECK_TEST(test_checked_at_create)
{
    static const double bad[][3] = {{0, 0.5, 0},   {8.5, 0.5, 0}, {NAN, 0.5, 0},  {8, 1, 0},
                                    {8, NAN, 0},   {8, -1, 0},    {8, 0.5, 3},    {8, 0.5, -1},
                                    {8, 0.5, 0.5}, {8, 0.5, NAN}, {8, 0.5, 1e300}};
    opevo_tuner *tuner = NULL;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_setting_value values[3] = {{bad[i][0]}, {bad[i][1]}, {bad[i][2]}};

        CHECK_FAILS(OPEVO_INVALID, "of tuner toy",
                    opevo_tuner_create(&ops, NULL, values, 1, &tuner, &err));
    }
    assert_null(tuner);
}

/* What is set for workers: at least their number, at most the bound; nothing else. */
CHECK_TEST(test_batch)
{
    static const opevo_setting rows[] = {
        {.key = "size", .kind = OPEVO_SETTING_COUNT, .default_value = 8, .min = 1, .max = 100},
        {.key = "batch",
         .kind = OPEVO_SETTING_COUNT,
         .default_value = 4,
         .min = 1,
         .max = 64,
         .batch = OPEVO_BATCH_OF_WORKERS},
    };
    static const opevo_setting loose[] = {{.key = "rho",
                                           .kind = OPEVO_SETTING_COUNT,
                                           .default_value = 5,
                                           .min = 1,
                                           .max = 64,
                                           .batch = OPEVO_BATCH_AT_MOST}};
    static const size_t workers[] = {0, 1, 4, 5, 64, 65, SIZE_MAX};
    static const double batches[] = {4, 4, 4, 5, 64, 64, 64};
    const opevo_tuner_ops wide = {.name = "wide", .settings = rows, .setting_count = 2};
    const opevo_tuner_ops at_most = {.name = "loose", .settings = loose, .setting_count = 1};
    const opevo_tuner_ops any = {.name = "any", .any_batch = true};
    opevo_setting_value values[2];
    bool fewer = true;

    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
        opevo_settings_default(&wide, values);
        opevo_settings_widen(&wide, workers[i], values);
        assert_true(values[0].number == 8);
        assert_true(values[1].number == batches[i]);
        assert_int_equal(opevo_settings_batch(&wide, values, &fewer), batches[i]);
        assert_false(fewer);
    }
    assert_int_equal(opevo_settings_batch(&wide, NULL, &fewer), 4);
    assert_int_equal(opevo_settings_batch(&at_most, NULL, &fewer), 5);
    assert_true(fewer);
    opevo_settings_widen(&at_most, 16, values);
    assert_true(values[0].number == 8);
    assert_true(opevo_settings_batch(&any, NULL, &fewer) == SIZE_MAX && !fewer);
    assert_int_equal(opevo_settings_batch(&bare, NULL, &fewer), 1);
}
