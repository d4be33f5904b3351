/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A harness file: it is refused with a sentence, or its small cases open and their steps are walked
 * through. */

#include "fuzz.h"

#include <opevo/memory.h>

#include <stdlib.h>

#include "kernel_harness_internal.h"

enum { SMALL_BYTES = 1 << 18 };

static opevo_status launch(void *context, const opevo_grid_launch *launched, opevo_evaluation *out,
                           opevo_error *err)
{
    (void)context, (void)out, (void)err;
    for (int axis = 0; axis < 3; axis++)
        FUZZ_CHECK(launched->grid[axis] >= 1 && launched->block[axis] >= 1);
    return OPEVO_OK;
}

/* Every case was laid out when the file was read, so that this cannot fail. */
static bool is_small(const opevo_harness *harness, const opevo_i_harness_case_plan *plan)
{
    opevo_case *what = opevo_calloc(1, sizeof *what);
    size_t count = 0, size = 0;

    FUZZ_CHECK(what);
    what->harness = harness;
    FUZZ_CHECK(opevo_i_harness_case_lay_out(what, plan, &harness->values, NULL) == OPEVO_OK);
    opevo_case_buffers(what, &count);
    for (size_t i = 0; i < count; i++)
        size += what->buffers[i].size_bytes;
    opevo_case_close(what);
    FUZZ_CHECK(size <= (size_t)1 << 30);
    return size <= SMALL_BYTES;
}

void fuzz_one(const uint8_t *data, size_t size)
{
    const opevo_player player = {.launch = launch};
    opevo_error err = {OPEVO_OK, ""};
    opevo_harness *harness = NULL;
    char *text = fuzz_text(data, size);
    bool accepted = fuzz_accepts(opevo_harness_parse("k.json", text, size, &harness, &err), &err);

    free(text);
    if (!accepted)
        return;
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
        opevo_evaluation out = {0};
        opevo_case *what = NULL;

        if (!opevo_harness_case_count(harness, set) || !is_small(harness, &harness->cases[set][0]))
            continue;
        if (opevo_case_open(harness, set, 0, &what, &err) != OPEVO_OK) {
            FUZZ_CHECK(err.status == OPEVO_IO || err.status == OPEVO_INVALID); /* of a file */
            continue;
        }
        FUZZ_CHECK(opevo_case_play(what, &player, &out, &err) == OPEVO_OK);
        opevo_case_close(what);
    }
    if (opevo_harness_case_count(harness, OPEVO_SET_TUNE)) {
        opevo_text printed = {0};

        if (opevo_harness_print_c(harness, NULL, true, "f", &printed, &err) != OPEVO_OK)
            FUZZ_CHECK(err.status == OPEVO_INVALID);
        opevo_text_free(&printed);
    }
    opevo_harness_destroy(harness);
}
