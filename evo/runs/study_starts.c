/* SPDX-License-Identifier: GPL-3.0-or-later */

/* "start" of an objective in a plan: points with which its runs begin, before the one that the
 * objective itself has, or "none" for neither. */

#include "study_plan_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <string.h>

void opevo_i_study_plan_free_starts(opevo_i_study_plan_objective *self)
{
    for (size_t i = 0; i < self->start_count; i++)
        opevo_free(self->start_texts[i]);
    opevo_free(self->start_texts);
    opevo_free(self->start_points);
}

static bool is_none(const opevo_i_study_plan_objective *self)
{
    for (size_t i = 0; i < self->start_count; i++) {
        if (!strcmp(self->start_texts[i], "none"))
            return true;
    }
    return false;
}

static bool is_word(const char *text)
{
    return !strcmp(text, "none") || !strcmp(text, "default");
}

opevo_status opevo_i_study_plan_set_starts(const opevo_plan *plan,
                                           opevo_i_study_plan_objective *self,
                                           const opevo_objective *objective, opevo_error *err)
{
    const opevo_starts *own = is_none(self) ? NULL : objective->starts;
    size_t most = self->start_count + (own ? own->count : 0);
    size_t count = 0;

    opevo_free(self->start_points); /* of a study that failed */
    self->start_points = opevo_malloc(most, sizeof *self->start_points);
    OPEVO_NEED_OR_RETURN(self->start_points, "reading %s", plan->path);
    for (size_t i = 0; i < self->start_count; i++) {
        const char *text = self->start_texts[i];
        opevo_error inner = {OPEVO_OK, ""};
        opevo_index point = 0;

        if (is_word(text))
            continue;
        if (opevo_space_read(objective->space, text, &point, &inner) != OPEVO_OK)
            return opevo_i_study_plan_fail(err, plan->path, self->where, "start: %s: %s", text,
                                           inner.message);
        if (!opevo_space_allows(objective->space, point))
            return opevo_i_study_plan_fail(err, plan->path, self->where,
                                           "start: %s: a constraint forbids this configuration.",
                                           text);
        self->start_points[count++] = (opevo_proposal){.point = point, .origin = "start"};
    }
    for (size_t i = 0; own && i < own->count; i++)
        self->start_points[count++] = own->points[i];
    self->starts = (opevo_starts){self->start_points, count};
    return OPEVO_OK;
}

void opevo_i_study_plan_print_starts(const opevo_i_study_plan_objective *self, opevo_text *out)
{
    uint64_t hash = OPEVO_HASH_START;
    bool any = false;

    for (size_t i = 0; i < self->start_count; i++) {
        if (!strcmp(self->start_texts[i], "default"))
            continue;
        hash = opevo_hash_bytes(hash, self->start_texts[i], strlen(self->start_texts[i]) + 1);
        any = true;
    }
    if (any)
        opevo_text_printf(out, "%sstart=%016llx", out->length ? " " : "", (unsigned long long)hash);
}
