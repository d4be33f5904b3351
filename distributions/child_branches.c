/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel of one mutation where a space has branches. Rows are computed point by point from the
 * lists of what is active. Parameters of a single value are left out of these: they neither move
 * nor tell points apart, except through a branch that their parent has anyway. What can be reached
 * is found between classes of points, of which a connected space has one for each choice of
 * branches. */

#include "child_kernel.h"

#include "law_internal.h"

#include <opevo/memory.h>

#include <float.h>

/* ---- What becomes active ---- */

/* M_i: the mixture of the laws from the parents' vertices, or the uniform law. */
static opevo_status init_fresh(opevo_i_law_factor *self, const opevo_i_law_inheritance *from,
                               size_t i, opevo_error *err)
{
    bool any = from->active[i] > 0;

    self->fresh = opevo_calloc(self->size, sizeof *self->fresh);
    self->reached = opevo_calloc(self->region_count, sizeof *self->reached);
    OPEVO_NEED_OR_RETURN(self->fresh && self->reached, "the kernel of a mutation");
    for (size_t r = 0; r < self->region_count; r++)
        self->reached[r] = !any;
    for (size_t v = 0; v < self->size; v++)
        self->fresh[v] = any ? 0 : 1 / (double)self->size;
    for (size_t j = 0; j < from->count; j++) {
        opevo_index vertex = 0;
        double share = opevo_i_law_inherited(from, i, j, &vertex);
        const double *law = NULL;

        if (!(share > 0))
            continue;
        law = self->law + (size_t)vertex * self->size;
        self->reached[self->region[(size_t)vertex]] = true;
        for (size_t v = 0; v < self->size; v++)
            self->fresh[v] += share * law[v];
    }
    /* Shares, products and sums are rounded. */
    self->bound = opevo_i_law_bound_join(self->bound, (double)(from->count + 4) * DBL_EPSILON);
    return OPEVO_OK;
}

/* ---- What is active ---- */

static opevo_status list_active(opevo_i_law_kernel *self, const opevo_space *space,
                                opevo_error *err)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    size_t count = 0, capacity = 0;

    self->start = opevo_calloc(self->point_count + 1, sizeof *self->start);
    OPEVO_NEED_OR_RETURN(self->start, "the kernel of a mutation");
    for (size_t x = 0; x < self->point_count; x++) {
        void *active = self->active;

        opevo_space_decode(space, x, vertices);
        self->start[x] = count;
        OPEVO_NEED_OR_RETURN(
            opevo_reserve(&active, &capacity, count + self->factor_count, sizeof *self->active),
            "the kernel of a mutation");
        self->active = active;
        for (size_t i = 0; i < self->factor_count; i++) {
            if (vertices[i] != OPEVO_INACTIVE && self->factors[i].size > 1)
                self->active[count++] = (opevo_i_law_active){(uint32_t)i, (uint32_t)vertices[i]};
        }
    }
    self->start[self->point_count] = count;
    return OPEVO_OK;
}

/* Step through the parameters of y; *before is the same one of x, or NULL where it is not active.
 */
typedef struct pair {
    const opevo_i_law_active *x, *x_end, *y, *y_end;
} pair;

static pair begin(const opevo_i_law_kernel *self, size_t x, size_t y)
{
    return (pair){self->active + self->start[x], self->active + self->start[x + 1],
                  self->active + self->start[y], self->active + self->start[y + 1]};
}

static bool next(pair *self, const opevo_i_law_active **before, const opevo_i_law_active **after)
{
    if (self->y == self->y_end)
        return false;
    *after = self->y++;
    while (self->x < self->x_end && self->x->parameter < (*after)->parameter)
        self->x++;
    *before = self->x < self->x_end && self->x->parameter == (*after)->parameter ? self->x : NULL;
    return true;
}

void opevo_i_law_kernel_branches_row(const opevo_i_law_kernel *self, size_t point, double *row)
{
    for (size_t y = 0; y < self->point_count; y++) {
        pair walk = begin(self, point, y);
        const opevo_i_law_active *before = NULL, *after = NULL;

        row[y] = 1;
        while (next(&walk, &before, &after)) {
            const opevo_i_law_factor *factor = &self->factors[after->parameter];
            const double *law =
                before ? factor->law + before->vertex * factor->size : factor->fresh;

            row[y] *= law[after->vertex];
        }
    }
}

/* ---- What can be reached ---- */

/* Whether one mutation of x may give y. */
static bool reaches(const opevo_i_law_kernel *self, size_t x, size_t y)
{
    pair walk = begin(self, x, y);
    const opevo_i_law_active *before = NULL, *after = NULL;

    while (next(&walk, &before, &after)) {
        const opevo_i_law_factor *factor = &self->factors[after->parameter];
        uint32_t region = factor->region[after->vertex];

        if (before ? factor->region[before->vertex] != region : !factor->reached[region])
            return false;
    }
    return true;
}

/* Whether what reaches one of them reaches the other, and what one reaches the other reaches. */
static bool alike(const opevo_i_law_kernel *self, size_t x, size_t y)
{
    size_t count = self->start[x + 1] - self->start[x];
    const opevo_i_law_active *a = self->active + self->start[x], *b = self->active + self->start[y];

    if (self->start[y + 1] - self->start[y] != count)
        return false;
    for (size_t k = 0; k < count; k++) {
        const opevo_i_law_factor *factor = &self->factors[a[k].parameter];

        if (a[k].parameter != b[k].parameter ||
            factor->region[a[k].vertex] != factor->region[b[k].vertex])
            return false;
    }
    return true;
}

static opevo_status find_classes(opevo_i_law_kernel *self, opevo_error *err)
{
    self->class_of = opevo_malloc(self->point_count, sizeof *self->class_of);
    self->member = opevo_malloc(self->point_count, sizeof *self->member);
    OPEVO_NEED_OR_RETURN(self->class_of && self->member, "the kernel of a mutation");
    for (size_t x = 0; x < self->point_count; x++) {
        size_t c = self->class_count;

        while (c > 0 && !alike(self, x, self->member[c - 1]))
            c--;
        if (c == 0) {
            self->member[self->class_count++] = x;
            c = self->class_count;
        }
        self->class_of[x] = (uint32_t)(c - 1);
    }
    return OPEVO_OK;
}

void opevo_i_law_kernel_branches_escapes(const opevo_i_law_kernel *self, const bool *taken,
                                         bool repeated, bool *escapes)
{
    bool goal[OPEVO_I_KERNEL_MAX] = {false}; /* what need be reached only */
    bool changed = true;

    for (size_t x = 0; x < self->point_count; x++)
        goal[self->class_of[x]] |= !taken[x];
    while (changed) {
        changed = false;
        for (size_t c = 0; c < self->class_count; c++) {
            for (size_t d = 0; d < self->class_count && !escapes[c]; d++)
                escapes[c] = goal[d] && reaches(self, self->member[c], self->member[d]);
            changed |= repeated && escapes[c] && !goal[c];
            goal[c] |= repeated && escapes[c];
        }
    }
}

/* ---- Both ---- */

opevo_status opevo_i_law_kernel_branches_init(opevo_i_law_kernel *self, const opevo_space *space,
                                              const opevo_i_law_inheritance *from, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->bound = 0;
    for (size_t i = 0; i < self->factor_count; i++) {
        OPEVO_TRY(init_fresh(&self->factors[i], from, i, err));
        self->bound = opevo_i_law_bound_join(
            self->bound, opevo_i_law_bound_join(self->factors[i].bound, DBL_EPSILON));
    }
    OPEVO_TRY(list_active(self, space, err));
    OPEVO_TRY(find_classes(self, err));
cleanup:
    return status;
}

void opevo_i_law_kernel_branches_release(opevo_i_law_kernel *self)
{
    for (size_t i = 0; self->factors && i < self->factor_count; i++) {
        opevo_free(self->factors[i].fresh);
        opevo_free(self->factors[i].reached);
    }
    opevo_free(self->start);
    opevo_free(self->active);
    opevo_free(self->class_of);
    opevo_free(self->member);
}
