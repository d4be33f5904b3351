/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Listed points by their rank, and the rows of a sparse list in the orders of all rotations of the
 * parameters. The order of the rotation that begins with parameter r is that of the one that begins
 * with r + 1, sorted stably by parameter r; so all of them take two passes for each parameter. */

#include <opevo/space_listed.h>

#include "space_internal.h"

#include <opevo/memory.h>

#include <pthread.h>
#include <string.h>

enum {
    SPARSE_SHARE = 16,
    DIGITS = 1 << 16,
    STEPS_FIRST = 2,  /* rows looked at on each side of a place in a rotation */
    STEPS_MOST = 512, /* where the nearer ones are refused */
    STEP_FAR = 2
};
#define MEMORY_MOST ((size_t)96 << 20)

/* What rows have for vertices, cut to 32 bits, and where each stands. */
typedef struct rotations {
    uint32_t *ids;    /* row by row */
    uint32_t *orders; /* rotation by rotation: the rows in its order */
    uint32_t *places; /* rotation by rotation: of each row in it */
    size_t rows, width, count;
} rotations;

struct opevo_i_topology_listing {
    opevo_index *before; /* listed points ahead of each range, and all of them */
    size_t range_count;
    pthread_mutex_t lock; /* of what is made when first needed */
    bool made;
    rotations by;
};

/* ---- Ranks ---- */

opevo_i_topology_listing *opevo_i_topology_listing_create(const opevo_space *space)
{
    opevo_i_topology_listing *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->range_count = space->range_count;
    self->before = opevo_malloc(space->range_count + 1, sizeof *self->before);
    if (!self->before || pthread_mutex_init(&self->lock, NULL) != 0) {
        opevo_free(self->before);
        opevo_free(self);
        return NULL;
    }
    self->before[0] = 0;
    for (size_t i = 0; i < space->range_count; i++)
        self->before[i + 1] =
            self->before[i] + (space->ranges[i].last - space->ranges[i].first) + 1;
    return self;
}

void opevo_i_topology_listing_destroy(opevo_i_topology_listing *listing)
{
    if (!listing)
        return;
    pthread_mutex_destroy(&listing->lock);
    opevo_free(listing->before);
    opevo_free(listing->by.ids);
    opevo_free(listing->by.orders);
    opevo_free(listing->by.places);
    opevo_free(listing);
}

bool opevo_space_is_sparse(const opevo_space *space)
{
    return space->listing && space->list_allowed && !space->allowed &&
           opevo_space_listed_count(space) <= space->size / SPARSE_SHARE;
}

opevo_index opevo_space_listed_count(const opevo_space *space)
{
    return space->listing->before[space->range_count];
}

opevo_index opevo_space_listed_point(const opevo_space *space, opevo_index k)
{
    const opevo_index *before = space->listing->before;
    size_t low = 0, high = space->range_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (before[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return space->ranges[low].first + (k - before[low]);
}

/* The first range that does not end below the point. */
static size_t find_range(const opevo_space *space, opevo_index point)
{
    size_t low = 0, high = space->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (space->ranges[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool opevo_space_listed_next(const opevo_space *space, opevo_index *point)
{
    size_t range = find_range(space, *point);

    if (range == space->range_count)
        return false;
    if (*point < space->ranges[range].first)
        *point = space->ranges[range].first;
    return true;
}

static opevo_index rank_of(const opevo_space *space, opevo_index point)
{
    size_t range = find_range(space, point);

    return space->listing->before[range] + (point - space->ranges[range].first);
}

/* ---- Rotations ---- */

static uint32_t id_of(opevo_index vertex)
{
    return vertex == OPEVO_INACTIVE
               ? UINT32_MAX
               : (uint32_t)(vertex ^ vertex >> 32 ^ vertex >> 64 ^ vertex >> 96);
}

/* Sort `from` stably by the ids of parameter `column` into `to`: two passes of 16 bits each, by way
 * of `spare`. */
static void sort_stably(const rotations *self, size_t column, const uint32_t *from, uint32_t *spare,
                        uint32_t *to, uint32_t *counts)
{
    for (int pass = 0; pass < 2; pass++) {
        const uint32_t *source = pass ? spare : from;
        uint32_t *target = pass ? to : spare;
        uint32_t sum = 0;

        memset(counts, 0, DIGITS * sizeof *counts);
        for (size_t i = 0; i < self->rows; i++)
            counts[self->ids[i * self->width + column] >> 16 * pass & (DIGITS - 1)]++;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            uint32_t count = counts[digit];

            counts[digit] = sum;
            sum += count;
        }
        for (size_t i = 0; i < self->rows; i++) {
            uint32_t row = source[i];

            target[counts[self->ids[row * self->width + column] >> 16 * pass & (DIGITS - 1)]++] =
                row;
        }
    }
}

/* Fill the orders of rotations count - 1 to 0, once sorted by all parameters from the last on. */
static void fill_orders(rotations *self, uint32_t *spare, uint32_t *now, uint32_t *counts)
{
    for (size_t i = 0; i < self->rows; i++)
        now[i] = (uint32_t)i;
    for (size_t k = 2 * self->width; k-- > 0;) {
        size_t column = k % self->width;
        uint32_t *order = self->orders + column * self->rows;

        sort_stably(self, column, now, spare, now, counts);
        if (k >= self->width || column >= self->count)
            continue;
        memcpy(order, now, self->rows * sizeof *order);
        for (size_t i = 0; i < self->rows; i++)
            self->places[column * self->rows + order[i]] = (uint32_t)i;
    }
}

static void fill_ids(const opevo_space *space, rotations *self)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    for (size_t row = 0; row < self->rows; row++) {
        opevo_space_decode(space, opevo_space_listed_point(space, row), vertices);
        for (size_t i = 0; i < self->width; i++)
            self->ids[row * self->width + i] = id_of(vertices[i]);
    }
}

/* As many rotations as the memory allows; none, with rows of 0, where it does not hold the rows. */
static void make(const opevo_space *space, rotations *self)
{
    opevo_index count = opevo_space_listed_count(space);
    size_t width = space->parameter_count;
    size_t most = count < UINT32_MAX ? MEMORY_MOST / sizeof *self->ids / (size_t)count : 0;
    uint32_t *spare = NULL, *counts = NULL;

    if (most < width + 2)
        return;
    self->width = width;
    self->count = (most - width) / 2 < width ? (most - width) / 2 : width;
    self->rows = (size_t)count;
    self->ids = opevo_malloc(self->rows * width, sizeof *self->ids);
    self->orders = opevo_malloc(self->rows * self->count, sizeof *self->orders);
    self->places = opevo_malloc(self->rows * self->count, sizeof *self->places);
    spare = opevo_malloc(2 * self->rows, sizeof *spare);
    counts = opevo_malloc(DIGITS, sizeof *counts);
    if (self->ids && self->orders && self->places && spare && counts) {
        fill_ids(space, self);
        fill_orders(self, spare, spare + self->rows, counts);
    } else {
        self->rows = 0;
    }
    opevo_free(spare);
    opevo_free(counts);
}

/* NULL where there are none. */
static const rotations *rotations_of(const opevo_space *space)
{
    opevo_i_topology_listing *listing = space->listing;

    pthread_mutex_lock(&listing->lock);
    if (!listing->made)
        make(space, &listing->by);
    listing->made = true;
    pthread_mutex_unlock(&listing->lock);
    return listing->by.rows ? &listing->by : NULL;
}

/* Whether a row stands ahead of `ids` in a rotation. */
static bool is_ahead(const rotations *self, size_t rotation, uint32_t row, const uint32_t *ids)
{
    const uint32_t *own = self->ids + (size_t)row * self->width;

    for (size_t k = 0, i = rotation; k < self->width; k++, i = i + 1 == self->width ? 0 : i + 1) {
        if (own[i] != ids[i])
            return own[i] < ids[i];
    }
    return false;
}

static size_t find_place(const rotations *self, size_t rotation, const uint32_t *ids)
{
    const uint32_t *order = self->orders + rotation * self->rows;
    size_t low = 0, high = self->rows;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (is_ahead(self, rotation, order[middle], ids))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The nearest row met so far. */
typedef struct best_row {
    size_t distance;
    uint32_t row;
} best_row;

static size_t distance_of(const rotations *self, uint32_t row, const uint32_t *ids)
{
    const uint32_t *own = self->ids + (size_t)row * self->width;
    size_t distance = 0;

    for (size_t i = 0; i < self->width; i++)
        distance += own[i] != ids[i];
    return distance;
}

/* What is looked for, and where. */
typedef struct looker {
    const opevo_space *space;
    const rotations *by;
    const uint32_t *ids;
    opevo_refuses refuses;
    const void *context;
    best_row best;
} looker;

/* Note a row if it is nearer and not refused; returns its distance. */
static size_t look_at(looker *self, uint32_t row)
{
    size_t distance = distance_of(self->by, row, self->ids);
    const best_row *best = &self->best;

    if (distance < best->distance || (distance == best->distance && row < best->row)) {
        if (!self->refuses ||
            !self->refuses(self->context, opevo_space_listed_point(self->space, row)))
            self->best = (best_row){distance, row};
    }
    return distance;
}

/* Look at `count` rows on each side of a place, and farther while they differ in one parameter. */
static void look_around(looker *self, size_t rotation, size_t place, size_t count)
{
    const uint32_t *order = self->by->orders + rotation * self->by->rows;

    for (size_t k = 0; place + k < self->by->rows && k < STEPS_MOST; k++) {
        if (look_at(self, order[place + k]) > 1 && k + 1 >= count)
            break;
    }
    for (size_t k = 1; k <= place && k <= STEPS_MOST; k++) {
        if (look_at(self, order[place - k]) > 1 && k >= count)
            break;
    }
}

bool opevo_space_nearest_listed(const opevo_space *space, const opevo_index *vertices,
                                opevo_refuses refuses, const void *context, opevo_index *point)
{
    const rotations *self = rotations_of(space);
    uint32_t ids[OPEVO_SPACE_PARAMETERS_MAX] = {0};
    size_t places[OPEVO_SPACE_PARAMETERS_MAX] = {0};
    looker look = {.space = space,
                   .by = self,
                   .ids = ids,
                   .refuses = refuses,
                   .context = context,
                   .best = {.distance = SIZE_MAX}};

    if (!self)
        return false;
    for (size_t i = 0; i < self->width; i++)
        ids[i] = id_of(vertices[i]);
    for (size_t r = 0; r < self->count; r++)
        places[r] = find_place(self, r, ids);
    for (size_t count = STEPS_FIRST; count <= STEPS_MOST && look.best.distance == SIZE_MAX;
         count *= 4) {
        for (size_t r = 0; r < self->count; r++)
            look_around(&look, r, places[r], count);
    }
    if (look.best.distance == SIZE_MAX)
        return false;
    *point = opevo_space_listed_point(space, look.best.row);
    return true;
}

opevo_index opevo_space_listed_step(const opevo_space *space, opevo_index point, uint64_t random)
{
    const rotations *self = rotations_of(space);
    size_t row = 0, rotation = 0, place = 0;
    size_t offset = 1 + (size_t)(random >> 1 & (STEP_FAR - 1));

    if (!self)
        return point;
    row = (size_t)rank_of(space, point);
    rotation = (size_t)((random >> 32) * self->count >> 32);
    place = self->places[rotation * self->rows + row];
    if (random & 1)
        place = place + offset < self->rows ? place + offset : place ? place - 1 : place;
    else
        place = place >= offset ? place - offset : self->rows > 1 ? place + 1 : place;
    return opevo_space_listed_point(space, self->orders[rotation * self->rows + place]);
}
