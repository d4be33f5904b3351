/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The hypervolume by sweeping the last dimension: between two neighbouring points of the sweep the
 * section of the union does not change. In three dimensions the section is the area under a
 * staircase, kept in an array; each point adds its part of the area once and removes the steps that
 * it dominates. In four the section is a volume of three, computed anew at each point from an order
 * by the third dimension that is made once. */

#include <opevo/front.h>

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

/* A staircase of points none of which dominates another, by x ascending and so by y descending. */
typedef struct staircase {
    const double **steps;
    size_t count;
    double area; /* of the union of the boxes between the steps and the reference point */
} staircase;

/* Add the point; what it dominates leaves. */
static void add_step(staircase *self, const double *point, const double *reference)
{
    size_t low = 0, high = self->count, last = 0;
    double y = reference[1];
    double x = point[0];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (self->steps[middle][0] <= point[0])
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0)
        y = self->steps[low - 1][1];
    if (y <= point[1])
        return; /* the step before it dominates it */
    /* Its part of the area: below the step before it, as far as the first step that is lower. */
    for (last = low; last < self->count && self->steps[last][1] >= point[1]; last++) {
        self->area += (self->steps[last][0] - x) * (y - point[1]);
        x = self->steps[last][0];
        y = self->steps[last][1];
    }
    self->area += ((last < self->count ? self->steps[last][0] : reference[0]) - x) * (y - point[1]);
    if (low > 0 && self->steps[low - 1][0] == point[0])
        low--; /* the same x, and higher */
    memmove(self->steps + low + 1, self->steps + last, (self->count - last) * sizeof *self->steps);
    self->steps[low] = point;
    self->count = self->count - (last - low) + 1;
}

static int compare_at(const void *a, const void *b, void *dimension)
{
    double x = (*(const double *const *)a)[*(const size_t *)dimension];
    double y = (*(const double *const *)b)[*(const size_t *)dimension];

    return (x > y) - (x < y);
}

static double best_of(const double *const *points, size_t count)
{
    double best = points[0][0];

    for (size_t i = 1; i < count; i++)
        best = points[i][0] < best ? points[i][0] : best;
    return best;
}

static double area_of(const double *const *points, size_t count, const double *reference,
                      const double **steps)
{
    staircase stairs = {.steps = steps};

    for (size_t i = 0; i < count; i++)
        add_step(&stairs, points[i], reference);
    return stairs.area;
}

/* The volume in three dimensions of those points whose fourth coordinate is at most *limit; NULL:
 * of all. They are in the order of the third. */
static double volume_of(const double *const *points, size_t count, const double *limit,
                        const double *reference, const double **steps)
{
    staircase stairs = {.steps = steps};
    double volume = 0, last = reference[2];

    for (size_t i = 0; i < count; i++) {
        if (limit && points[i][3] > *limit)
            continue;
        volume += stairs.area * (points[i][2] - last);
        last = points[i][2];
        add_step(&stairs, points[i], reference);
    }
    return volume + stairs.area * (reference[2] - last);
}

static void sort_by(const double **points, size_t count, size_t dimension)
{
    qsort_r(points, count, sizeof *points, compare_at, &dimension);
}

/* `points` are sorted here; `scratch` has room for dimensions * count pointers. All of the points
 * lie below the reference point. */
static double sweep(const double **points, size_t count, size_t dimensions, const double *reference,
                    const double **scratch)
{
    double volume = 0;

    if (count == 0)
        return 0;
    if (dimensions == 1)
        return reference[0] - best_of(points, count);
    if (dimensions == 2)
        return area_of(points, count, reference, scratch);
    sort_by(points, count, dimensions - 1);
    if (dimensions == 3)
        return volume_of(points, count, NULL, reference, scratch);
    memcpy(scratch, points, count * sizeof *points);
    sort_by(scratch, count, 2);
    for (size_t i = 0; i < count; i++) {
        double thickness = (i + 1 < count ? points[i + 1][3] : reference[3]) - points[i][3];

        if (thickness > 0)
            volume +=
                thickness * volume_of(scratch, count, &points[i][3], reference, scratch + count);
    }
    return volume;
}

opevo_status opevo_hypervolume(const double *points, size_t count, size_t dimensions,
                               const double *reference, double *volume, opevo_error *err)
{
    const double **below = opevo_malloc((1 + dimensions) * count, sizeof *below);
    size_t kept = 0;

    OPEVO_NEED_OR_RETURN(below, "a hypervolume");
    for (size_t i = 0; i < count; i++) {
        const double *point = points + i * dimensions;
        bool counts = true;

        for (size_t k = 0; k < dimensions; k++)
            counts = counts && point[k] < reference[k];
        if (counts)
            below[kept++] = point;
    }
    *volume = sweep(below, kept, dimensions, reference, below + count);
    opevo_free(below);
    return OPEVO_OK;
}
