/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One assignment a line to the settings of a tuner, which the first line names: what is printed
 * sets the same values. */

#include "fuzz.h"

#include <opevo/memory.h>
#include <opevo/tuners.h>

#include <stdlib.h>
#include <string.h>

static void check_again(const opevo_tuner_ops *ops, const opevo_setting_value *values)
{
    opevo_setting_value *again = opevo_calloc(ops->setting_count + 1, sizeof *again);
    opevo_text printed = {0};
    char *rest = NULL;

    opevo_settings_print(ops, values, &printed);
    opevo_settings_default(ops, again);
    for (char *word = strtok_r(printed.data, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        opevo_error err = {OPEVO_OK, ""};

        FUZZ_CHECK(opevo_settings_set(ops, word, again, &err) == OPEVO_OK);
    }
    for (size_t i = 0; i < ops->setting_count; i++)
        FUZZ_CHECK(again[i].number == values[i].number);
    opevo_text_free(&printed);
    opevo_free(again);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *name = fuzz_line(&data, &size);
    const opevo_tuner_ops *ops = NULL;
    opevo_error err = {OPEVO_OK, ""};

    if (fuzz_accepts(opevo_tuner_find(name, &ops, &err), &err)) {
        opevo_setting_value *values = opevo_calloc(ops->setting_count + 1, sizeof *values);

        opevo_settings_default(ops, values);
        while (size > 0) {
            char *assignment = fuzz_line(&data, &size);

            fuzz_accepts(opevo_settings_set(ops, assignment, values, &err), &err);
            free(assignment);
        }
        if (ops->setting_count)
            check_again(ops, values);
        opevo_free(values);
    }
    free(name);
}
