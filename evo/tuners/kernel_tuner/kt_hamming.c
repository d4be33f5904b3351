/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many alternatives the parameters of a point have is kept from call to call: a search steps
 * from neighbour to neighbour, and a step changes the alternatives of one group only. */

#include "kt_hamming_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { ALTERNATIVES_MOST = 1 << 20 };

struct opevo_i_kt_hamming {
    const opevo_i_kt_space *space;
    bool counted;
    bool allowed;    /* the point: others are counted from it, group by group */
    uint64_t total;  /* of its neighbours */
    opevo_index *at; /* the point whose alternatives are counted */
    size_t *counts;  /* of each parameter */
    size_t *groups;  /* likewise */
    bool *changed;   /* of each group */
};

opevo_i_kt_hamming *opevo_i_kt_hamming_create(const opevo_i_kt_space *space)
{
    opevo_i_kt_hamming *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->space = space;
    self->at = opevo_malloc(space->width, sizeof *self->at);
    self->counts = opevo_malloc(space->width, sizeof *self->counts);
    self->groups = opevo_malloc(space->width, sizeof *self->groups);
    self->changed = opevo_malloc(opevo_diagram_group_count(space->diagram), sizeof(bool));
    if (!self->at || !self->counts || !self->groups || !self->changed) {
        opevo_i_kt_hamming_destroy(self);
        return NULL;
    }
    for (size_t i = 0; i < space->width; i++)
        self->groups[i] = opevo_diagram_group(space->diagram, i);
    return self;
}

void opevo_i_kt_hamming_destroy(opevo_i_kt_hamming *hamming)
{
    if (!hamming)
        return;
    opevo_free(hamming->at);
    opevo_free(hamming->counts);
    opevo_free(hamming->groups);
    opevo_free(hamming->changed);
    opevo_free(hamming);
}

/* Count the alternatives of an allowed point; false without memory. */
static bool count_allowed(opevo_i_kt_hamming *self, const opevo_index *from)
{
    const opevo_diagram *diagram = self->space->diagram;
    size_t groups = opevo_diagram_group_count(diagram);
    bool anew = !self->counted || !self->allowed;

    memset(self->changed, anew, groups);
    for (size_t i = 0; i < self->space->width && !anew; i++) {
        if (from[i] != self->at[i])
            self->changed[self->groups[i]] = true;
    }
    self->counted = false;
    for (size_t g = 0; g < groups; g++) {
        if (self->changed[g] && !opevo_diagram_count_alternatives(diagram, from, g, self->counts))
            return false;
    }
    return true;
}

/* Count the alternatives of a point; false without memory. */
static bool count_alternatives(opevo_i_kt_hamming *self, const opevo_index *from)
{
    const opevo_diagram *diagram = self->space->diagram;
    bool allowed = false;

    if (self->counted && opevo_i_kt_equal(self->space, from, self->at))
        return true;
    allowed = opevo_diagram_allows(diagram, from);
    if (allowed && !count_allowed(self, from))
        return false;
    self->total = 0;
    for (size_t i = 0; i < self->space->width; i++) {
        if (!allowed)
            self->counts[i] = opevo_diagram_alternatives(diagram, from, i, NULL, 0);
        self->total += self->counts[i];
    }
    opevo_i_kt_copy(self->space, self->at, from);
    self->allowed = allowed;
    self->counted = true;
    return true;
}

bool opevo_i_kt_hamming_has_none(const opevo_i_kt_hamming *hamming, const opevo_index *from)
{
    return hamming->counted && hamming->total == 0 &&
           opevo_i_kt_equal(hamming->space, from, hamming->at);
}

/* Write the neighbour of a place among all; false without memory. */
static bool write(const opevo_i_kt_hamming *self, const opevo_index *from, uint64_t place,
                  opevo_index *row)
{
    size_t i = 0;
    opevo_index *values = NULL;

    for (; place >= self->counts[i]; i++)
        place -= self->counts[i];
    values = opevo_malloc((size_t)place + 1, sizeof *values);
    if (!values)
        return false;
    (self->allowed ? opevo_diagram_alternatives_of_allowed : opevo_diagram_alternatives)(
        self->space->diagram, from, i, values, (size_t)place + 1);
    opevo_i_kt_copy(self->space, row, from);
    row[i] = values[place];
    opevo_free(values);
    return true;
}

bool opevo_i_kt_hamming_draw(opevo_i_kt_hamming *hamming, const opevo_index *from, opevo_rng *rng,
                             size_t count, opevo_index *rows, size_t *found)
{
    size_t drawn = 0;

    if (!count_alternatives(hamming, from) || hamming->total > ALTERNATIVES_MOST)
        return false;
    if (count == 1 && hamming->total > 0) {
        *found = 1;
        return write(hamming, from, opevo_rng_below(rng, hamming->total), rows);
    }
    for (uint64_t place = 0; place < hamming->total && drawn < count; place++) {
        /* Selection sampling: a place is taken with the chance (still wanted) / (still to come). */
        if (opevo_rng_below(rng, hamming->total - place) >= count - drawn)
            continue;
        if (!write(hamming, from, place, rows + drawn++ * hamming->space->width))
            return false;
    }
    *found = drawn;
    return true;
}
