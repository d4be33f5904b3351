/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A schedule as text, after a line with its operator: what is printed gives the same schedule, and
 * it lowers to a kernel or is refused. */

#include "fuzz.h"

#include <opevo/emit.h>

#include <stdlib.h>
#include <string.h>

static void check_again(const opevo_schedule *schedule)
{
    opevo_text first = {0};
    opevo_text second = {0};
    opevo_schedule *again = NULL;
    opevo_error err = {OPEVO_OK, ""};

    opevo_schedule_print(schedule, &first);
    FUZZ_CHECK(!first.failed);
    FUZZ_CHECK(opevo_schedule_parse(opevo_schedule_operator(schedule), opevo_text_string(&first),
                                    "again", &again, &err) == OPEVO_OK);
    opevo_schedule_print(again, &second);
    FUZZ_CHECK(strcmp(opevo_text_string(&first), opevo_text_string(&second)) == 0);
    opevo_schedule_destroy(again);
    opevo_text_free(&first);
    opevo_text_free(&second);
}

static void emit(const opevo_schedule *schedule)
{
    for (int dialect = 0; dialect < OPEVO_KERNEL_COUNT; dialect++) {
        opevo_limits limits = opevo_limits_default((opevo_kernel_dialect)dialect);
        opevo_kernel kernel = {0};
        opevo_error err = {OPEVO_OK, ""};
        opevo_text why = {0};
        bool fits = false;

        if (fuzz_accepts(opevo_schedule_emit(schedule, (opevo_kernel_dialect)dialect, &limits,
                                             &kernel, &fits, &why, &err),
                         &err))
            FUZZ_CHECK(fits ? kernel.source.length > 0 : why.length > 0);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
    }
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *name = fuzz_line(&data, &size);
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_operator op = {0};
    opevo_schedule *schedule = NULL;

    if (fuzz_accepts(opevo_operator_parse(name, &op, &err), &err) &&
        fuzz_accepts(opevo_schedule_parse(&op, text, "fuzz", &schedule, &err), &err)) {
        check_again(schedule);
        emit(schedule);
        opevo_schedule_destroy(schedule);
    }
    free(name);
    free(text);
}
