/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows are gathered in blocks. A full block keeps each column in the smallest form that gives every
 * number back bit by bit: one number for all, the decimal that a table had, what follows from the
 * time, a float, or a double. A decimal i / 10^d is the double that its text reads as, since both
 * numbers are exact and the division is rounded once; a time in milliseconds is divided once more.
 *
 * A row is found by its point in a table of row numbers: at the point itself where the space has no
 * more points than the table has slots, otherwise by hashing. */

#include "row_store.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum {
    BLOCK = 4096,
    COLUMN_COUNT = 7 + OPEVO_CRITERIA_MOST - 1,
    FITNESS = 0,
    TIME,
    BUILD,
    RUN,
    CHECK,
    OTHER,
    KIND,
    MORE,
    DIGITS_MOST = 12
};

static const double powers[DIGITS_MOST + 1] = {1,   1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
                                               1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

typedef enum form {
    ALIKE,        /* `value` */
    IS_TIME,      /* of the time, or 0 where that is NAN */
    IS_RATE,      /* 1 / time, likewise */
    IS_FLOP_RATE, /* flop / time / 1e9, likewise */
    DECIMAL_1,    /* i / 10^digits / divisor, in so many bytes; the least number is NAN */
    DECIMAL_2,
    DECIMAL_4,
    FLOAT,
    DOUBLE
} form;

typedef struct column {
    unsigned char form, digits;
    bool milli; /* divided by 1000 once more */
    double value;
    void *data;
} column;

typedef struct block {
    void *points;
    column columns[COLUMN_COUNT]; /* of a full block */
} block;

/* Rows that do not fill a block yet, by columns. */
typedef double open_block[COLUMN_COUNT][BLOCK];

struct opevo_i_row_store {
    opevo_index size; /* of the space; OPEVO_INDEX_MAX: points are hashes */
    size_t point_width;
    double flop;
    size_t count;
    block *blocks;
    size_t block_count, block_capacity;
    open_block *open;
    uint32_t *slots;     /* number of the row plus 1; 0: none */
    unsigned char *tags; /* of each slot, with hashing: 0 for a free one, else bits of the hash, so
                            that few slots are looked at whose point is another */
    size_t slot_count;
    bool direct; /* slot = point */
};

opevo_i_row_store *opevo_i_row_store_create(const opevo_space *space, double flop)
{
    opevo_i_row_store *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->size = opevo_space_is_wide(space) ? OPEVO_INDEX_MAX : opevo_space_size(space);
    self->point_width = self->size <= UINT32_MAX ? 4 : self->size <= UINT64_MAX ? 8 : 16;
    self->flop = flop;
    self->open = opevo_malloc(1, sizeof *self->open);
    if (!self->open) {
        opevo_free(self);
        return NULL;
    }
    return self;
}

void opevo_i_row_store_destroy(opevo_i_row_store *self)
{
    if (!self)
        return;
    for (size_t b = 0; b < self->block_count; b++) {
        opevo_free(self->blocks[b].points);
        for (size_t c = 0; c < COLUMN_COUNT; c++)
            opevo_free(self->blocks[b].columns[c].data);
    }
    opevo_free(self->blocks);
    opevo_free(self->open);
    opevo_free(self->slots);
    opevo_free(self->tags);
    opevo_free(self);
}

size_t opevo_i_row_store_count(const opevo_i_row_store *self)
{
    return self->count;
}

/* ---- Points --------------------------------------------------------------------------------- */

opevo_index opevo_i_row_store_point(const opevo_i_row_store *self, size_t row)
{
    const void *points = self->blocks[row / BLOCK].points;

    if (self->point_width == 4)
        return ((const uint32_t *)points)[row % BLOCK];
    if (self->point_width == 8)
        return ((const uint64_t *)points)[row % BLOCK];
    return ((const opevo_index *)points)[row % BLOCK];
}

static void set_point(opevo_i_row_store *self, size_t row, opevo_index point)
{
    void *points = self->blocks[row / BLOCK].points;

    if (self->point_width == 4)
        ((uint32_t *)points)[row % BLOCK] = (uint32_t)point;
    else if (self->point_width == 8)
        ((uint64_t *)points)[row % BLOCK] = (uint64_t)point;
    else
        ((opevo_index *)points)[row % BLOCK] = point;
}

/* Eight points that follow each other lie together, which makes going through a space fast. */
static uint64_t hash_of(opevo_index point)
{
    opevo_index eight = point >> 3;

    return opevo_hash_mix((uint64_t)eight ^ opevo_hash_mix((uint64_t)(eight >> 64))) << 3 |
           (uint64_t)(point & 7);
}

static unsigned char tag_of(uint64_t hash)
{
    return (unsigned char)(1 + (hash >> 56) % 255);
}

/* The slot of the point, or a free one. */
static size_t slot_of(const opevo_i_row_store *self, opevo_index point)
{
    size_t mask = self->slot_count - 1, slot = 0;
    uint64_t hash = 0;

    if (self->direct)
        return (size_t)point;
    hash = hash_of(point);
    for (slot = (size_t)hash & mask; self->tags[slot]; slot = (slot + 1) & mask) {
        if (self->tags[slot] == tag_of(hash) &&
            opevo_i_row_store_point(self, self->slots[slot] - 1) == point)
            break;
    }
    return slot;
}

static void set_slot(opevo_i_row_store *self, size_t row, opevo_index point)
{
    size_t slot = slot_of(self, point);

    self->slots[slot] = (uint32_t)row + 1;
    if (!self->direct)
        self->tags[slot] = tag_of(hash_of(point));
}

size_t opevo_i_row_store_find(const opevo_i_row_store *self, opevo_index point)
{
    uint32_t slot = self->slot_count ? self->slots[slot_of(self, point)] : 0;

    return slot ? slot - 1 : SIZE_MAX;
}

void opevo_i_row_store_expect(const opevo_i_row_store *self, opevo_index point)
{
    size_t slot = 0;

    if (!self->slot_count)
        return;
    slot = self->direct ? (size_t)point : (size_t)hash_of(point) & (self->slot_count - 1);
    __builtin_prefetch(&self->slots[slot]);
    if (!self->direct)
        __builtin_prefetch(&self->tags[slot]);
}

static bool grow_slots(opevo_i_row_store *self)
{
    opevo_i_row_store next = *self;

    if (self->direct || 4 * (self->count + 1) <= 3 * self->slot_count)
        return true;
    next.slot_count = self->slot_count ? 2 * self->slot_count : 64;
    next.direct = self->size <= next.slot_count;
    if (next.direct)
        next.slot_count = (size_t)self->size;
    next.slots = opevo_calloc(next.slot_count, sizeof *next.slots);
    next.tags = next.direct ? NULL : opevo_calloc(next.slot_count, sizeof *next.tags);
    if (!next.slots || (!next.tags && !next.direct)) {
        opevo_free(next.slots);
        opevo_free(next.tags);
        return false;
    }
    for (size_t row = 0; row < self->count; row++)
        set_slot(&next, row, opevo_i_row_store_point(self, row));
    opevo_free(self->slots);
    opevo_free(self->tags);
    *self = next;
    return true;
}

/* ---- Columns -------------------------------------------------------------------------------- */

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* What a column would be if it followed from the time. */
static double follow(form how, double time_s, double flop)
{
    if (isnan(time_s))
        return 0;
    return how == IS_TIME ? time_s : how == IS_RATE ? 1 / time_s : flop / time_s / 1e9;
}

static bool follows(form how, const double *values, const double *times, size_t count, double flop)
{
    size_t i = 0;

    while (i < count && is_same(values[i], follow(how, times[i], flop)))
        i++;
    return i == count;
}

static double of_decimal(double whole, unsigned digits, bool milli)
{
    double value = whole / powers[digits];

    return milli ? value / 1e3 : value;
}

/* Whether all numbers are such decimals; *most: the largest whole number. */
static bool are_decimals(const double *values, size_t count, unsigned digits, bool milli,
                         double *most)
{
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        double whole = round(values[i] * powers[digits] * (milli ? 1e3 : 1));

        if (isnan(values[i]))
            continue;
        if (!(fabs(whole) <= INT32_MAX) ||
            !is_same(of_decimal((int32_t)whole, digits, milli), values[i]))
            return false;
        *most = fmax(*most, fabs(whole));
    }
    return true;
}

static bool find_decimal(const double *values, size_t count, column *out)
{
    for (unsigned try = 0; try <= 2 * DIGITS_MOST + 1; try++) {
        double most = 0;

        out->digits = (unsigned char)(try / 2);
        out->milli = try % 2;
        if (!are_decimals(values, count, out->digits, out->milli, &most))
            continue;
        out->form = most <= INT8_MAX ? DECIMAL_1 : most <= INT16_MAX ? DECIMAL_2 : DECIMAL_4;
        return true;
    }
    return false;
}

static bool are_alike(const double *values, size_t count)
{
    size_t i = 1;

    while (i < count && is_same(values[i], values[0]))
        i++;
    return i >= count;
}

static bool are_floats(const double *values, size_t count)
{
    size_t i = 0;

    while (i < count && is_same((double)(float)values[i], values[i]))
        i++;
    return i == count;
}

static void choose(const double *values, const double *times, double flop, column *out)
{
    if (are_alike(values, BLOCK)) {
        out->form = ALIKE;
        out->value = values[0];
        return;
    }
    for (form how = IS_TIME; values != times && how <= IS_FLOP_RATE; how++) {
        if (follows(how, values, times, BLOCK, flop)) {
            out->form = (unsigned char)how;
            return;
        }
    }
    if (!find_decimal(values, BLOCK, out))
        out->form = are_floats(values, BLOCK) ? FLOAT : DOUBLE;
}

static size_t width_of(const column *self)
{
    static const size_t widths[] = {
        [DECIMAL_1] = 1, [DECIMAL_2] = 2, [DECIMAL_4] = 4, [FLOAT] = 4, [DOUBLE] = 8};

    return widths[self->form];
}

static void store(column *self, size_t i, double value)
{
    double whole = round(value * powers[self->digits] * (self->milli ? 1e3 : 1));

    switch (self->form) {
    case DECIMAL_1:
        ((int8_t *)self->data)[i] = isnan(value) ? INT8_MIN : (int8_t)whole;
        break;
    case DECIMAL_2:
        ((int16_t *)self->data)[i] = isnan(value) ? INT16_MIN : (int16_t)whole;
        break;
    case DECIMAL_4:
        ((int32_t *)self->data)[i] = isnan(value) ? INT32_MIN : (int32_t)whole;
        break;
    case FLOAT:
        ((float *)self->data)[i] = (float)value;
        break;
    default:
        ((double *)self->data)[i] = value;
    }
}

static double decimal(const column *self, int32_t whole, int32_t none)
{
    return whole == none ? (double)NAN : of_decimal(whole, self->digits, self->milli);
}

static double fetch(const column *self, size_t i, double time_s, double flop)
{
    switch (self->form) {
    case ALIKE:
        return self->value;
    case DECIMAL_1:
        return decimal(self, ((const int8_t *)self->data)[i], INT8_MIN);
    case DECIMAL_2:
        return decimal(self, ((const int16_t *)self->data)[i], INT16_MIN);
    case DECIMAL_4:
        return decimal(self, ((const int32_t *)self->data)[i], INT32_MIN);
    case FLOAT:
        return ((const float *)self->data)[i];
    case DOUBLE:
        return ((const double *)self->data)[i];
    default:
        return follow((form)self->form, time_s, flop);
    }
}

/* Give the open rows, which fill the last block, their forms. */
static bool seal(opevo_i_row_store *self)
{
    column *columns = self->blocks[self->block_count - 1].columns;

    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        const double *values = (*self->open)[c];

        opevo_free(columns[c].data); /* of a try that memory ended */
        columns[c] = (column){.form = ALIKE};
        choose(values, (*self->open)[TIME], self->flop, &columns[c]);
        if (!width_of(&columns[c]))
            continue;
        columns[c].data = opevo_malloc(BLOCK, width_of(&columns[c]));
        if (!columns[c].data)
            return false;
        for (size_t i = 0; i < BLOCK; i++)
            store(&columns[c], i, values[i]);
    }
    return true;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void open_row(open_block *open, size_t i, const opevo_i_landscape_row *row)
{
    (*open)[FITNESS][i] = row->fitness;
    (*open)[TIME][i] = row->time_s;
    (*open)[BUILD][i] = row->build_s;
    (*open)[RUN][i] = row->run_s;
    (*open)[CHECK][i] = row->check_s;
    (*open)[OTHER][i] = row->other_s;
    (*open)[KIND][i] = row->kind;
    for (size_t k = 0; k < OPEVO_CRITERIA_MOST - 1; k++)
        (*open)[MORE + k][i] = row->more[k];
}

/* A block for the next row; the one before it is full. */
static bool add_block(opevo_i_row_store *self)
{
    void *blocks = self->blocks;
    bool room = opevo_reserve(&blocks, &self->block_capacity, self->block_count + 1, sizeof(block));
    void *points = NULL;

    self->blocks = blocks;
    if (!room)
        return false;
    points = opevo_malloc(BLOCK, self->point_width);
    if (!points || (self->block_count && !seal(self))) {
        opevo_free(points);
        return false;
    }
    self->blocks[self->block_count++] = (block){.points = points};
    return true;
}

bool opevo_i_row_store_add(opevo_i_row_store *self, opevo_index point,
                           const opevo_i_landscape_row *row)
{
    if (self->count >= UINT32_MAX - 1 || !grow_slots(self))
        return false;
    if (self->count == self->block_count * BLOCK && !add_block(self))
        return false;
    set_point(self, self->count, point);
    open_row(self->open, self->count % BLOCK, row);
    set_slot(self, self->count, point);
    self->count++;
    return true;
}

opevo_i_landscape_row opevo_i_row_store_get(const opevo_i_row_store *self, size_t row)
{
    size_t i = row % BLOCK;
    double values[COLUMN_COUNT];
    opevo_i_landscape_row out;

    if (row / BLOCK + 1 == self->block_count) {
        for (size_t c = 0; c < COLUMN_COUNT; c++)
            values[c] = (*self->open)[c][i];
    } else {
        const column *columns = self->blocks[row / BLOCK].columns;
        double time_s = fetch(&columns[TIME], i, NAN, 0);

        for (size_t c = 0; c < COLUMN_COUNT; c++)
            values[c] = c == TIME ? time_s : fetch(&columns[c], i, time_s, self->flop);
    }
    out = (opevo_i_landscape_row){.fitness = values[FITNESS],
                                  .time_s = values[TIME],
                                  .build_s = values[BUILD],
                                  .run_s = values[RUN],
                                  .check_s = values[CHECK],
                                  .other_s = values[OTHER],
                                  .kind = (opevo_outcome_class)values[KIND]};
    memcpy(out.more, values + MORE, sizeof out.more);
    return out;
}

size_t opevo_i_row_store_bytes(const opevo_i_row_store *self)
{
    size_t bytes = sizeof *self + sizeof *self->open + self->block_capacity * sizeof(block) +
                   self->slot_count * (sizeof *self->slots + !self->direct);

    for (size_t b = 0; b < self->block_count; b++) {
        bytes += BLOCK * self->point_width;
        for (size_t c = 0; c < COLUMN_COUNT; c++)
            bytes +=
                self->blocks[b].columns[c].data ? BLOCK * width_of(&self->blocks[b].columns[c]) : 0;
    }
    return bytes;
}
