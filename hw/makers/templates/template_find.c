/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The point of a space that makes a given schedule. Templates apply their steps one after the
 * other, each by the values of few parameters, so the point is found parameter by parameter: each
 * is set to a value with which the schedule's text agrees longest, also where a later step then
 * fails. */

#include "template_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { SWEEPS_MOST = 6, VERTICES_MOST = 1 << 16 };

typedef struct finder {
    const opevo_kernel_maker *maker;
    const char *wanted;
    opevo_index vertex[OPEVO_I_VALUES];
} finder;

/* How many characters both texts begin with. A line counts where its first two words agree, for
 * another step or stage is not a step closer. */
static size_t common_length(const char *a, const char *b)
{
    size_t length = 0;
    size_t line = 0; /* where the last line begins, and how many of its words agree */
    int words = 0;

    for (; a[length] && a[length] == b[length]; length++) {
        words += a[length] == ' ';
        if (a[length] == '\n') {
            line = length + 1;
            words = 0;
        }
    }
    return words < 2 ? line : length;
}

/* How well the schedule of the point in `vertex` agrees, and whether it is the one wanted. */
static opevo_status judge(const finder *self, size_t *score, bool *equal, opevo_error *err)
{
    opevo_index point = opevo_space_encode(self->maker->space, self->vertex);
    opevo_text text = {0};
    bool whole = false;
    opevo_status status = opevo_i_template_print(self->maker, point, &whole, &text, err);
    const char *got = opevo_text_string(&text);

    *score = common_length(got, self->wanted);
    *equal = status == OPEVO_OK && whole && !strcmp(got, self->wanted);
    opevo_text_free(&text);
    return status;
}

/* Set parameter i to its best value; *score rises where there is a better one. */
static opevo_status improve(finder *self, size_t i, size_t *score, bool *equal, opevo_error *err)
{
    const opevo_parameter *parameter = opevo_space_parameter(self->maker->space, i);
    opevo_index best = self->vertex[i];
    opevo_status status = OPEVO_OK;

    if (opevo_parameter_size(parameter) > VERTICES_MOST)
        return OPEVO_OK;
    for (opevo_index v = 0; v < opevo_parameter_size(parameter) && !*equal; v++) {
        size_t here = 0;

        self->vertex[i] = v;
        OPEVO_TRY(judge(self, &here, equal, err));
        if (here > *score || *equal) {
            *score = here;
            best = v;
        }
    }
cleanup:
    self->vertex[i] = best;
    return status;
}

opevo_status opevo_template_find(const opevo_kernel_maker *maker, const opevo_pipeline *pipeline,
                                 opevo_index near, bool *found, opevo_index *point,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text wanted = {0};
    finder self = {.maker = maker};
    size_t score = 0;
    size_t before = 0;
    bool equal = false;

    opevo_pipeline_print(pipeline, &wanted);
    OPEVO_TRY(opevo_text_check(&wanted, err));
    self.wanted = opevo_text_string(&wanted);
    opevo_space_decode(maker->space, near, self.vertex);
    OPEVO_TRY(judge(&self, &score, &equal, err));
    for (int sweep = 0; sweep < SWEEPS_MOST && !equal && (sweep == 0 || score > before); sweep++) {
        before = score;
        for (size_t i = 0; i < opevo_space_parameter_count(maker->space) && !equal; i++)
            OPEVO_TRY(improve(&self, i, &score, &equal, err));
    }
    *found = equal;
    if (equal)
        *point = opevo_space_encode(maker->space, self.vertex);
cleanup:
    opevo_text_free(&wanted);
    return status;
}
