/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An operator as text: what is printed reads back equal,
 * and its space can be made or is refused. */

#include "fuzz.h"

#include <opevo/operator.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_equal(const opevo_operator *a, const opevo_operator *b)
{
    FUZZ_CHECK(a->kind == b->kind && a->batch == b->batch && a->n == b->n && a->m == b->m);
    FUZZ_CHECK(a->k == b->k && a->transpose_x == b->transpose_x);
    FUZZ_CHECK(a->transpose_y == b->transpose_y && a->in_channels == b->in_channels);
    FUZZ_CHECK(a->height == b->height && a->width == b->width);
    FUZZ_CHECK(a->out_channels == b->out_channels && a->kernel_height == b->kernel_height);
    FUZZ_CHECK(a->kernel_width == b->kernel_width && a->stride == b->stride);
    FUZZ_CHECK(a->padding == b->padding);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_operator op = {0};
    opevo_operator again = {0};
    opevo_space *space = NULL;
    opevo_text printed = {0};

    if (fuzz_accepts(opevo_operator_parse(text, &op, &err), &err)) {
        opevo_operator_print(&op, &printed);
        FUZZ_CHECK(opevo_operator_parse(printed.data, &again, &err) == OPEVO_OK);
        check_equal(&op, &again);
        FUZZ_CHECK(opevo_operator_flop(&op) > 0 && isfinite(opevo_operator_flop(&op)));
        if (fuzz_accepts(opevo_operator_space(&op, &space, &err), &err))
            opevo_space_destroy(space);
    }
    opevo_text_free(&printed);
    free(text);
}
