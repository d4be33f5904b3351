/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Candidates are drawn until allowed ones are met, which gives each the same chance. Only where
 * many draws in a row fail, and the candidates are few, are they walked through, and each that is
 * allowed takes its place among the chosen with the right chance (reservoir sampling); so the law
 * stays uniform either way. */

#include "kt_hamming_internal.h"
#include "kt_space_internal.h"

#include <opevo/memory.h>
#include <opevo/random_allowed.h>
#include <opevo/space_listed.h>

#include <string.h>

enum {
    MISSES_MOST = 10000000,
    DRAWS_FIRST = 256,     /* draws before the candidates are walked through */
    WALKED_MOST = 1 << 14, /* candidates that are walked through */
    BOX_DRAWS = 1 << 10    /* in a box of a diagram, for each point that is wanted */
};

/* ---- Uniform points ---- */

static bool draw(const opevo_i_kt_space *self, opevo_rng *rng, opevo_index *point)
{
    if (self->allowed) {
        *point = self->allowed[opevo_rng_below(rng, (uint64_t)self->count)];
        return true;
    }
    if (self->sparse) {
        *point = opevo_space_listed_point(self->space, opevo_rng_below_wide(rng, self->count));
        return true;
    }
    if (self->diagram) {
        *point = opevo_rng_allowed(rng, self->diagram);
        return true;
    }
    for (int misses = 0; misses < MISSES_MOST; misses++) {
        *point = opevo_rng_point(rng, self->space);
        if (opevo_space_allows(self->space, *point))
            return true;
    }
    return false;
}

bool opevo_i_kt_sample(const opevo_i_kt_space *self, opevo_rng *rng, opevo_index *vertices)
{
    opevo_index point = 0;

    if (!draw(self, rng, &point))
        return false;
    opevo_i_kt_decode(self, point, vertices);
    return true;
}

size_t opevo_i_kt_sample_distinct(const opevo_i_kt_space *self, opevo_rng *rng, size_t count,
                                  opevo_index *rows)
{
    return opevo_i_kt_sample_others(self, rng, count, 0, rows);
}

size_t opevo_i_kt_sample_others(const opevo_i_kt_space *self, opevo_rng *rng, size_t count,
                                size_t given, opevo_index *rows)
{
    size_t drawn = given;

    if (self->count < count)
        count = (size_t)self->count;
    /* A space whose allowed points are not listed may have fewer than `count` of them. */
    for (size_t tries = 0; drawn < count && tries < 100 * count + OPEVO_I_KT_LISTED_MOST; tries++) {
        opevo_index *row = rows + drawn * self->width;

        if (!opevo_i_kt_sample(self, rng, row))
            break;
        drawn += !opevo_i_kt_is_among(self, row, rows, drawn);
    }
    return drawn;
}

/* ---- Neighbours ---- */

/* The nearest value below (`side` 0) or above (1) that occurs; false if none exists. */
static bool nearest(const opevo_i_kt_space *self, bool strictly, size_t i, opevo_index value,
                    int side, opevo_index *out)
{
    const uint32_t *occurs = self->occurs && !strictly ? self->occurs[i] : NULL;
    size_t low = 0; /* values that occur below `value` */
    size_t count = 0;

    if (!occurs) {
        *out = side ? value + 1 : value - 1;
        return side ? value + 1 < self->sizes[i] : value > 0;
    }
    count = self->occur_counts[i];
    while (low < count && occurs[low] < value)
        low++;
    if (side) {
        low += low < count && occurs[low] == value;
        *out = low < count ? occurs[low] : value;
        return low < count;
    }
    *out = low ? occurs[low - 1] : value;
    return low > 0;
}

/* The candidates around one point, numbered from 0. */
typedef struct candidates {
    const opevo_i_kt_space *space;
    const opevo_index *from;
    bool box;          /* every parameter may differ; otherwise exactly one does */
    bool any;          /* by any value; otherwise by the nearest ones */
    opevo_index count; /* OPEVO_INDEX_MAX when there are more */
} candidates;

/* Work out what is near. Of a parameter, near[0] is the value itself, then come the others. Where
 * one parameter differs, it is not a silent one; in a box one may be, which another wakes. */
static candidates gather(const opevo_i_kt_space *space, opevo_i_kt_kind kind,
                         const opevo_index *from)
{
    bool strictly = kind == OPEVO_I_KT_STRICTLY_ADJACENT;
    candidates self = {.space = space, .from = from, .any = kind == OPEVO_I_KT_HAMMING};

    self.box = strictly || kind == OPEVO_I_KT_ADJACENT;
    self.count = self.box;
    for (size_t i = 0; i < space->width; i++) {
        opevo_index *near = space->near + 4 * i;
        unsigned count = 1;

        near[0] = from[i];
        for (int side = 0; side < 2 && !self.any; side++)
            count += nearest(space, strictly, i, from[i], side, &near[count]);
        space->near_counts[i] = count;
        space->others[i] = self.any ? space->sizes[i] - 1 : count - 1;
        if (!self.box && opevo_i_kt_is_silent(space, i, from))
            space->others[i] = 0;
        if (!self.box)
            self.count += space->others[i];
        else if (!opevo_index_mul(self.count, count, &self.count))
            self.count = OPEVO_INDEX_MAX;
    }
    return self;
}

/* Write the candidate that differs in one parameter and has this number. */
static void write_single(const candidates *self, opevo_index number, opevo_index *to)
{
    const opevo_i_kt_space *space = self->space;
    size_t i = 0;

    opevo_i_kt_copy(space, to, self->from);
    for (; number >= space->others[i]; i++)
        number -= space->others[i];
    to[i] =
        self->any ? number + (number >= self->from[i]) : space->near[4 * i + 1 + (unsigned)number];
}

/* A number of a box may stand for the point itself, which is not a neighbour. */
static void write_numbered(const candidates *self, opevo_index number, opevo_index *to)
{
    const opevo_i_kt_space *space = self->space;

    if (!self->box) {
        write_single(self, number, to);
        return;
    }
    for (size_t i = 0; i < space->width; i++) {
        unsigned count = space->near_counts[i];

        to[i] = space->near[4 * i + (unsigned)number % count];
        number = (uint32_t)number / count;
    }
}

/* A uniform one; those of a box are drawn parameter by parameter, as there may be any number. */
static void write_drawn(const candidates *self, opevo_rng *rng, opevo_index *to)
{
    const opevo_i_kt_space *space = self->space;

    if (!self->box) {
        write_single(self, opevo_rng_below_wide(rng, self->count), to);
        return;
    }
    for (size_t i = 0; i < space->width; i++) {
        unsigned count = space->near_counts[i];

        to[i] = space->near[4 * i + (count > 1 ? opevo_rng_below(rng, count) : 0)];
    }
}

/* Whether what is silent in `to` is as in `from`; always so without branches. */
static bool silent_stays(const opevo_i_kt_space *self, const opevo_index *from,
                         const opevo_index *to)
{
    bool stays = true;

    for (size_t i = 0; opevo_space_has_branches(self->space) && stays && i < self->width; i++) {
        bool active = opevo_space_is_active(self->space, i, self->active);

        self->active[i] = active ? to[i] : OPEVO_INACTIVE;
        stays = active || to[i] == from[i];
    }
    return stays;
}

static bool is_neighbour(const candidates *self, const opevo_index *candidate)
{
    return silent_stays(self->space, self->from, candidate) &&
           opevo_i_kt_allows(self->space, candidate) &&
           !opevo_i_kt_equal(self->space, candidate, self->from);
}

/* Walk through all candidates and choose `count` of those that are neighbours. */
static size_t walk(const candidates *self, opevo_rng *rng, size_t count, opevo_index *rows)
{
    const opevo_i_kt_space *space = self->space;
    size_t met = 0;

    for (opevo_index number = 0; number < self->count; number++) {
        size_t place = met;

        write_numbered(self, number, space->spare);
        if (!is_neighbour(self, space->spare))
            continue;
        met++;
        if (met > count)
            place = (size_t)opevo_rng_below(rng, met);
        if (place < count)
            opevo_i_kt_copy(space, rows + place * space->width, space->spare);
    }
    return met < count ? met : count;
}

static bool is_conditional(const opevo_i_kt_space *self, size_t i)
{
    return opevo_space_activation(self->space, i).parent != OPEVO_NO_PARENT;
}

/* Let a box of the diagram have the first `count` values of `near` of a parameter; those of a
 * branch may be inactive. */
static void box_in(const opevo_i_kt_space *self, size_t i, unsigned count)
{
    self->box_counts[i] = count;
    if (is_conditional(self, i))
        self->near[4 * i + self->box_counts[i]++] = OPEVO_INACTIVE;
}

static opevo_box box_of(const opevo_i_kt_space *self)
{
    return (opevo_box){.vertices = self->near, .counts = self->box_counts, .stride = 4};
}

/* A point of the box that was counted last as a row, in which what is silent is as in `from`. */
static void draw_row(const opevo_i_kt_space *self, const opevo_index *from, opevo_rng *rng,
                     opevo_index *row)
{
    opevo_box box = box_of(self);

    opevo_diagram_box_draw(self->boxes, &box, opevo_rng_bits, rng, row);
    for (size_t i = 0; i < self->width; i++)
        row[i] = row[i] == OPEVO_INACTIVE ? from[i] : row[i];
}

/* `count` different neighbours in the box that gather left in `near`, or as many as there are;
 * hardly ever one fewer, where all of few are wanted. */
static size_t draw_in_box(const opevo_i_kt_space *self, const opevo_index *from, opevo_rng *rng,
                          size_t count, opevo_index *rows)
{
    opevo_box box = box_of(self);
    double total = 0;
    size_t wanted = 0, found = 0;

    for (size_t i = 0; i < self->width; i++)
        box_in(self, i, self->near_counts[i]);
    total = opevo_diagram_box_count(self->boxes, &box) - opevo_i_kt_allows(self, from);
    wanted = total < (double)count ? (size_t)total : count;
    for (size_t tries = 0; found < wanted && tries < BOX_DRAWS * count; tries++) {
        opevo_index *row = rows + found * self->width;

        draw_row(self, from, rng, row);
        found += !opevo_i_kt_equal(self, row, from) && !opevo_i_kt_is_among(self, row, rows, found);
    }
    return found;
}

/* The points of the box in which one parameter has any value and all others stay. */
static double count_along(const opevo_i_kt_space *self, size_t i)
{
    opevo_box box = box_of(self);
    double count = 0;

    self->box_counts[i] = OPEVO_BOX_ALL;
    count = opevo_diagram_box_count(self->boxes, &box);
    box_in(self, i, 1);
    return count;
}

/* `count` different Hamming neighbours of a point in a space with branches: the parameter that
 * differs is drawn by the neighbours that differ in it. */
static size_t draw_along(const candidates *around, opevo_rng *rng, size_t count, opevo_index *rows)
{
    const opevo_i_kt_space *self = around->space;
    opevo_box box = box_of(self);
    opevo_index total = 0;
    bool allowed = opevo_i_kt_allows(self, around->from);
    size_t found = 0;

    for (size_t i = 0; i < self->width; i++)
        box_in(self, i, 1); /* near[0] is its own */
    for (size_t i = 0; i < self->width; i++) {
        if (self->others[i])
            self->others[i] = (opevo_index)count_along(self, i) - allowed;
        total += self->others[i];
    }
    for (size_t tries = 0; found < count && found < total && tries < BOX_DRAWS * count; tries++) {
        opevo_index *row = rows + found * self->width, place = opevo_rng_below_wide(rng, total);
        size_t i = 0;

        for (; place >= self->others[i]; i++)
            place -= self->others[i];
        self->box_counts[i] = OPEVO_BOX_ALL;
        opevo_diagram_box_count(self->boxes, &box);
        do
            draw_row(self, around->from, rng, row);
        while (opevo_i_kt_equal(self, row, around->from));
        box_in(self, i, 1);
        found += !opevo_i_kt_is_among(self, row, rows, found);
    }
    return found;
}

/* Look at the candidates in a uniform order until `count` of them are neighbours: each once. */
static size_t look_once(const candidates *self, opevo_rng *rng, size_t count, opevo_index *rows)
{
    const opevo_i_kt_space *space = self->space;
    size_t left = (size_t)self->count, found = 0;

    for (size_t i = 0; i < left; i++)
        space->order[i] = (uint32_t)i;
    while (left > 0 && found < count) {
        size_t place = (size_t)opevo_rng_below(rng, left--);
        opevo_index *row = rows + found * space->width;

        write_numbered(self, space->order[place], row);
        space->order[place] = space->order[left];
        found += is_neighbour(self, row);
    }
    return found;
}

size_t opevo_i_kt_neighbours(const opevo_i_kt_space *self, opevo_i_kt_kind kind,
                             const opevo_index *from, opevo_rng *rng, size_t count,
                             opevo_index *rows)
{
    candidates around = {0};
    bool few = false;
    size_t tries = 0;
    size_t found = 0;

    if (self->sparse)
        return opevo_i_kt_listed_neighbours(self, from, rng, count, rows);
    if (self->hamming && kind == OPEVO_I_KT_HAMMING_ADJACENT &&
        opevo_i_kt_hamming_has_none(self->hamming, from))
        return 0;
    if (self->hamming && kind == OPEVO_I_KT_HAMMING &&
        opevo_i_kt_hamming_draw(self->hamming, from, rng, count, rows, &found))
        return found;
    around = gather(self, kind, from);
    if (around.box && self->boxes)
        return draw_in_box(self, from, rng, count, rows);
    if (around.any && self->boxes)
        return draw_along(&around, rng, count, rows);
    if (self->boxes)
        return look_once(&around, rng, count, rows);
    few = around.count <= WALKED_MOST;
    tries = few ? DRAWS_FIRST : WALKED_MOST;
    if (around.count <= 2 * (opevo_index)count)
        return walk(&around, rng, count, rows);
    for (size_t i = 0; i < tries && found < count; i++) {
        opevo_index *row = rows + found * self->width;

        write_drawn(&around, rng, row);
        found += is_neighbour(&around, row) && !opevo_i_kt_is_among(self, row, rows, found);
    }
    return found < count && few ? walk(&around, rng, count, rows) : found;
}

bool opevo_i_kt_step(const opevo_i_kt_space *self, opevo_i_kt_kind kind, opevo_rng *rng,
                     opevo_index *vertices)
{
    if (opevo_i_kt_neighbours(self, kind, vertices, rng, 1, self->row) == 0)
        return false;
    opevo_i_kt_copy(self, vertices, self->row);
    return true;
}

bool opevo_i_kt_repair(const opevo_i_kt_space *self, opevo_rng *rng, opevo_index *vertices)
{
    static const opevo_i_kt_kind kinds[] = {OPEVO_I_KT_STRICTLY_ADJACENT, OPEVO_I_KT_ADJACENT,
                                            OPEVO_I_KT_HAMMING};

    if (opevo_i_kt_allows(self, vertices))
        return true;
    if (self->sparse)
        return opevo_i_kt_become_listed(self, NULL, vertices);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        /* Where every value occurs the first two kinds are one. */
        if (kinds[k] == OPEVO_I_KT_ADJACENT && !self->occurs)
            continue;
        if (opevo_i_kt_step(self, kinds[k], rng, vertices))
            return true;
    }
    return false;
}

/* ---- The order of the source's list ---- */

/* A search among candidates in falling order, which ends with the first that is allowed or after
 * WALKED_MOST of them. */
typedef struct ordered_search {
    const opevo_i_kt_space *space;
    const opevo_index *from;
    const opevo_index *reach; /* how far parameters can differ in sum from the i-th on */
    size_t tried;
    bool found;
    opevo_index last; /* what was found */
    opevo_index *row; /* vertices of the candidate, kept without strides and with a diagram */
} ordered_search;

/* Where no stride leads from value to value, and for a diagram, which asks for vertices, a row is
 * kept as well. */
static void note_value(const ordered_search *self, size_t i, opevo_index value)
{
    if (self->row)
        self->row[i] = value;
}

static bool is_over(const ordered_search *self)
{
    return self->found || self->tried >= WALKED_MOST;
}

/* The row of a search, which begins at `vertices`; NULL where it needs none. */
static opevo_index *row_of(const opevo_i_kt_space *self, const opevo_index *vertices)
{
    if (opevo_space_has_strides(self->space) && !self->diagram)
        return NULL;
    opevo_i_kt_copy(self, self->spare, vertices);
    return self->spare;
}

static void try_candidate(ordered_search *self, opevo_index point)
{
    self->tried++;
    self->found = self->row ? opevo_i_kt_allows(self->space, self->row)
                            : opevo_space_allows(self->space->space, point);
    if (self->found)
        self->last = self->row ? opevo_i_kt_encode(self->space, self->row) : point;
}

/* Try the points at distance `left` from `point` that differ in parameters from `i` on only, and
 * can be as far. */
static void try_distance(ordered_search *self, size_t i, opevo_index left, opevo_index point)
{
    const opevo_i_kt_space *space = self->space;
    opevo_index stride = 0;
    opevo_index below = 0;
    opevo_index above = 0;
    opevo_index least = 0; /* what the parameters after this one cannot make up for */

    if (left == 0) {
        try_candidate(self, point);
        return;
    }
    while (space->sizes[i] == 1)
        i++;
    stride = space->strides[i];
    below = self->from[i];
    above = space->sizes[i] - 1 - below;
    least = left > self->reach[i + 1] ? left - self->reach[i + 1] : 0;
    for (opevo_index step = left < above ? left : above; step > 0 && step >= least; step--) {
        if (is_over(self))
            return;
        note_value(self, i, below + step);
        try_distance(self, i + 1, left - step, point + step * stride);
    }
    for (opevo_index step = least; step <= left && step <= below; step++) {
        if (is_over(self))
            return;
        note_value(self, i, below - step);
        try_distance(self, i + 1, left - step, point - step * stride);
    }
    note_value(self, i, below);
}

/* Which leaves what is silent as it is. */
static bool nearest_in_diagram(const opevo_i_kt_space *self, opevo_index *vertices)
{
    if (!opevo_diagram_nearest(self->diagram, vertices, self->spare))
        return false;
    for (size_t i = 0; i < self->width; i++)
        vertices[i] = self->spare[i] == OPEVO_INACTIVE ? vertices[i] : self->spare[i];
    return true;
}

bool opevo_i_kt_nearest(const opevo_i_kt_space *self, opevo_index *vertices)
{
    opevo_index *reach = self->near; /* width + 1 of its 3 width numbers */
    ordered_search search = {
        .space = self, .from = vertices, .reach = reach, .row = row_of(self, vertices)};
    opevo_index point = opevo_i_kt_encode(self, vertices);

    if (opevo_space_allows(self->space, point))
        return true;
    if (self->sparse)
        return opevo_i_kt_become_listed(self, NULL, vertices);
    if (self->boxes)
        return nearest_in_diagram(self, vertices);
    reach[self->width] = 0;
    for (size_t i = self->width; i-- > 0;) {
        opevo_index above = self->sizes[i] - 1 - vertices[i];

        reach[i] = reach[i + 1] + (vertices[i] > above ? vertices[i] : above);
    }
    for (opevo_index distance = 1; distance <= reach[0] && !is_over(&search); distance++)
        try_distance(&search, 0, distance, point);
    if (search.found)
        opevo_i_kt_decode(self, search.last, vertices);
    return search.found;
}

/* Try the points of the box in falling order until one is allowed. */
static void try_box(ordered_search *self, size_t i, opevo_index point)
{
    const opevo_i_kt_space *space = self->space;
    opevo_index values[3]; /* falling */
    unsigned count = 0;

    if (i == space->width) {
        try_candidate(self, point);
        return;
    }
    for (unsigned k = 0; k < space->near_counts[i]; k++) {
        opevo_index value = space->near[4 * i + k];
        unsigned at = count++;

        for (; at > 0 && values[at - 1] < value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
    for (unsigned k = 0; k < count && !is_over(self); k++) {
        note_value(self, i, values[k]);
        try_box(self, i + 1, point + values[k] * space->strides[i]);
    }
}

/* Take of each parameter in turn the last value that some allowed point of the box has together
 * with those taken before. */
static bool last_in_box(const opevo_i_kt_space *self, opevo_index *vertices)
{
    opevo_box box = box_of(self);

    for (size_t i = 0; i < self->width; i++)
        box_in(self, i, self->near_counts[i]);
    if (!(opevo_diagram_box_count(self->boxes, &box) > 0))
        return false;
    for (size_t i = 0; i < self->width; i++) {
        opevo_index values[3], *near = self->near + 4 * i;
        unsigned left = self->near_counts[i];

        memcpy(values, near, sizeof values);
        do {
            unsigned last = 0;

            for (unsigned k = 1; k < left; k++)
                last = values[k] > values[last] ? k : last;
            near[0] = values[last];
            values[last] = values[--left];
            box_in(self, i, 1);
        } while (left > 0 && !(opevo_diagram_box_count(self->boxes, &box) > 0));
        vertices[i] = near[0];
    }
    return true;
}

bool opevo_i_kt_last_adjacent(const opevo_i_kt_space *self, opevo_index *vertices)
{
    ordered_search search = {.space = self, .from = vertices, .row = row_of(self, vertices)};

    if (self->sparse)
        return opevo_i_kt_become_listed(self, NULL, vertices);
    gather(self, OPEVO_I_KT_ADJACENT, vertices);
    if (self->boxes)
        return last_in_box(self, vertices);
    try_box(&search, 0, 0);
    if (search.found)
        opevo_i_kt_decode(self, search.last, vertices);
    return search.found;
}
