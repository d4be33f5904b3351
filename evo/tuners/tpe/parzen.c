/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Observations of one value are tallied: how many a side has of them, and the sum of the ranks of
 * those that are older than its newest, as weights are linear in the rank. So an observation costs
 * a look-up, and only one that changes sides a pass over all. */

#include "parzen_struct_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { KEPT_MOST = 4096 /* values of a parameter of which anything is kept */ };

/* Numbers that are not worked out; NULL without memory. */
static double *create_row(size_t count)
{
    double *row = opevo_malloc(count, sizeof *row);

    for (size_t i = 0; row && i < count; i++)
        row[i] = -1;
    return row;
}

static bool create_tables(opevo_i_tpe_parzen *self)
{
    size_t size = (size_t)self->size;
    bool made = true;

    for (int side = 0; side < OPEVO_I_PARZEN_SIDES; side++) {
        self->sides[side].kept[OPEVO_I_PARZEN_HALF].deviation = 0.5;
        self->sides[side].kept[OPEVO_I_PARZEN_ONE].deviation = 1;
    }
    if (self->size > KEPT_MOST)
        return true;
    self->ratios = create_row(size);
    self->prior = create_row(size + 1);
    for (int i = 0; i < OPEVO_I_PARZEN_SIDES * OPEVO_I_PARZEN_KEPT && self->ordered; i++) {
        opevo_i_tpe_kept *one = &self->sides[i / OPEVO_I_PARZEN_KEPT].kept[i % OPEVO_I_PARZEN_KEPT];

        one->near = create_row(2 * size);
        one->whole = create_row(size);
        made = made && one->near && one->whole;
    }
    return made && self->ratios && self->prior;
}

/* Room for so many observations, for another group, and for a component of each observation and
 * the prior. */
static bool reserve(opevo_i_tpe_parzen *self, size_t count)
{
    bool has_room = opevo_reserve((void **)&self->group_of, &self->group_of_capacity, count,
                                  sizeof *self->group_of) &&
                    opevo_reserve((void **)&self->is_below, &self->is_below_capacity, count,
                                  sizeof *self->is_below) &&
                    opevo_reserve((void **)&self->groups, &self->group_capacity,
                                  self->group_count + 1, sizeof *self->groups) &&
                    opevo_reserve((void **)&self->order, &self->order_capacity,
                                  self->group_count + 1, sizeof *self->order);

    for (int side = 0; side < OPEVO_I_PARZEN_SIDES && has_room; side++) {
        opevo_i_tpe_mixture *made = &self->sides[side];

        has_room = opevo_reserve((void **)&made->members, &made->member_capacity, count,
                                 sizeof *made->members) &&
                   opevo_reserve((void **)&made->components, &made->capacity, count + 1,
                                 sizeof *made->components);
    }
    return has_room;
}

opevo_i_tpe_parzen *opevo_i_tpe_parzen_create(const opevo_parameter *parameter)
{
    opevo_i_tpe_parzen *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->ordered = !strcmp(opevo_parameter_type(parameter), "discrete");
    self->size = opevo_parameter_size(parameter);
    if (!create_tables(self) || !reserve(self, 0)) {
        opevo_i_tpe_parzen_destroy(self);
        return NULL;
    }
    return self;
}

void opevo_i_tpe_parzen_destroy(opevo_i_tpe_parzen *parzen)
{
    if (!parzen)
        return;
    for (int side = 0; side < OPEVO_I_PARZEN_SIDES; side++) {
        opevo_i_tpe_mixture *made = &parzen->sides[side];

        opevo_free(made->members);
        opevo_free(made->components);
        for (int k = 0; k < OPEVO_I_PARZEN_KEPT; k++) {
            opevo_free(made->kept[k].near);
            opevo_free(made->kept[k].whole);
        }
    }
    opevo_free(parzen->group_of);
    opevo_free(parzen->is_below);
    opevo_free(parzen->groups);
    opevo_free(parzen->order);
    opevo_free(parzen->ratios);
    opevo_free(parzen->prior);
    opevo_free(parzen);
}

/* ---- Observations ---- */

/* Groups of values below `vertex`. */
static size_t groups_below(const opevo_i_tpe_parzen *self, opevo_index vertex)
{
    size_t low = 0;
    size_t high = self->group_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (self->groups[self->order[middle]].vertex < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const opevo_i_tpe_group *opevo_i_tpe_parzen_find(const opevo_i_tpe_parzen *self, opevo_index vertex)
{
    size_t at = groups_below(self, vertex);
    const opevo_i_tpe_group *found = at < self->group_count ? &self->groups[self->order[at]] : NULL;

    return found && found->vertex == vertex ? found : NULL;
}

/* The number of the group of a value, which may be new. */
static size_t put_group(opevo_i_tpe_parzen *self, opevo_index vertex)
{
    size_t at = groups_below(self, vertex);

    if (at < self->group_count && self->groups[self->order[at]].vertex == vertex)
        return self->order[at];
    memmove(self->order + at + 1, self->order + at, (self->group_count - at) * sizeof *self->order);
    self->order[at] = self->group_count;
    self->groups[self->group_count] = (opevo_i_tpe_group){.vertex = vertex};
    return self->group_count++;
}

/* The newest member of a side counts in its tally, and the one that leaves the newest is old. */
static void add_member(opevo_i_tpe_parzen *self, opevo_i_tpe_parzen_side side, size_t place)
{
    opevo_i_tpe_mixture *made = &self->sides[side];
    size_t rank = made->member_count;
    opevo_i_tpe_tally *own = &self->groups[self->group_of[place]].sides[side];

    made->members[made->member_count++] = place;
    if (own->count++ == 0)
        own->oldest = rank;
    own->newest = rank;
    if (rank >= OPEVO_I_PARZEN_NEWEST) {
        size_t old = rank - OPEVO_I_PARZEN_NEWEST;
        opevo_i_tpe_tally *left = &self->groups[self->group_of[made->members[old]]].sides[side];

        left->old++;
        left->old_ranks += old;
    }
    made->fitted = false;
}

opevo_status opevo_i_tpe_parzen_observe(opevo_i_tpe_parzen *parzen, opevo_index vertex,
                                        opevo_error *err)
{
    opevo_i_tpe_parzen *self = parzen;

    OPEVO_NEED_OR_RETURN(reserve(self, self->count + 1), "another observation");
    self->group_of[self->count] = put_group(self, vertex);
    self->is_below[self->count++] = false;
    if (!self->sides[OPEVO_I_PARZEN_ABOVE].stale) /* else its members are counted anew */
        add_member(self, OPEVO_I_PARZEN_ABOVE, self->count - 1);
    return OPEVO_OK;
}

size_t opevo_i_tpe_parzen_count(const opevo_i_tpe_parzen *parzen)
{
    return parzen->count;
}

void opevo_i_tpe_parzen_move(opevo_i_tpe_parzen *parzen, size_t place, opevo_i_tpe_parzen_side side)
{
    parzen->is_below[place] = side == OPEVO_I_PARZEN_BELOW;
    parzen->sides[OPEVO_I_PARZEN_BELOW].stale = true;
    parzen->sides[OPEVO_I_PARZEN_ABOVE].stale = true;
}

void opevo_i_tpe_parzen_forget(opevo_i_tpe_parzen *parzen, size_t count)
{
    for (size_t place = count; place < parzen->count; place++)
        parzen->sides[parzen->is_below[place] ? OPEVO_I_PARZEN_BELOW : OPEVO_I_PARZEN_ABOVE].stale =
            true;
    parzen->count = count;
}

void opevo_i_tpe_parzen_tally(opevo_i_tpe_parzen *self, opevo_i_tpe_parzen_side side)
{
    opevo_i_tpe_mixture *made = &self->sides[side];
    bool below = side == OPEVO_I_PARZEN_BELOW;

    for (size_t g = 0; g < self->group_count; g++)
        self->groups[g].sides[side] = (opevo_i_tpe_tally){.count = 0};
    made->member_count = 0;
    for (size_t place = 0; place < self->count; place++) {
        if (self->is_below[place] == below)
            add_member(self, side, place);
    }
    made->stale = made->fitted = false;
}
