/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The point of a space that makes a given schedule. A step is the work of few parameters, so the
 * point is found parameter by parameter: each is set to the value with which most lines of the
 * schedule's text agree, as long as that makes any difference. */

#include "template_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { SWEEPS_MOST = 6, VERTICES_MOST = 1 << 16 };

typedef struct finder {
    const opevo_kernel_maker *maker;
    const char *wanted;
    opevo_index vertex[OPEVO_I_VALUES];
} finder;

static bool has_line(const char *text, const char *line, size_t length)
{
    for (const char *at = text; *at;) {
        size_t here = strcspn(at, "\n");

        if (here == length && !memcmp(at, line, length))
            return true;
        at += here + (at[here] == '\n');
    }
    return false;
}

/* Lines of `a` that `b` has, less those that it does not have. */
static int64_t agreement(const char *a, const char *b)
{
    int64_t sum = 0;

    for (const char *at = a; *at;) {
        size_t here = strcspn(at, "\n");

        sum += has_line(b, at, here) ? 1 : -1;
        at += here + (at[here] == '\n');
    }
    return sum;
}

/* How well the schedule of the point in `vertex` agrees, and whether it is the one wanted. */
static opevo_status judge(const finder *self, int64_t *score, bool *equal, opevo_error *err)
{
    opevo_schedule *schedule = NULL;
    opevo_text why = {0};
    opevo_text text = {0};
    opevo_status status = opevo_template_schedule(
        self->maker, opevo_space_encode(self->maker->space, self->vertex), &schedule, &why, err);

    *score = INT64_MIN;
    *equal = false;
    if (status == OPEVO_OK && schedule) {
        opevo_schedule_print(schedule, &text);
        status = opevo_text_check(&text, err);
    }
    if (status == OPEVO_OK && schedule) {
        *equal = !strcmp(opevo_text_string(&text), self->wanted);
        *score = agreement(self->wanted, opevo_text_string(&text)) +
                 agreement(opevo_text_string(&text), self->wanted);
    }
    opevo_schedule_destroy(schedule);
    opevo_text_free(&why);
    opevo_text_free(&text);
    return status;
}

/* Set parameter i to its best value; *score rises where there is a better one. */
static opevo_status improve(finder *self, size_t i, int64_t *score, bool *equal, opevo_error *err)
{
    const opevo_parameter *parameter = opevo_space_parameter(self->maker->space, i);
    opevo_index best = self->vertex[i];
    opevo_status status = OPEVO_OK;

    if (opevo_parameter_size(parameter) > VERTICES_MOST)
        return OPEVO_OK;
    for (opevo_index v = 0; v < opevo_parameter_size(parameter) && !*equal; v++) {
        int64_t here = 0;

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

opevo_status opevo_template_find(const opevo_kernel_maker *maker, const opevo_schedule *schedule,
                                 opevo_index near, bool *found, opevo_index *point,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text wanted = {0};
    finder self = {.maker = maker};
    int64_t score = 0;
    int64_t before = 0;
    bool equal = false;

    opevo_schedule_print(schedule, &wanted);
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
