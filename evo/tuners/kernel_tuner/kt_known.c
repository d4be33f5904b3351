/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A plane holds one byte of the name of each point's value of one parameter: a parameter of up to
 * 256 values has one plane, any other two, one with a single value none. Points stand in blocks of
 * BLOCK; a block has the bytes of its points plane after plane. So the distances to a block are
 * sums of comparisons along short arrays of fixed length, of which the compiler does many at once.
 *
 * Which points are near is hard to foresee for a processor, so no point is compared with the worst
 * of the nearest so far: all distances are measured first, and then the points at the least one are
 * taken, those at the next, and so on until they are enough. */

#include "kt_known_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <string.h>

enum {
    BLOCK = 64,
    LANE = 16,
    BYTE_VALUES = 256,
    FARTHEST = 255, /* as far, or farther */
    SUMS_MOST = 255 /* parameters whose sums fit a byte */
};

bool opevo_i_kt_known_init(opevo_i_kt_known *self, const opevo_i_kt_space *space)
{
    *self = (opevo_i_kt_known){.space = space};
    self->names = opevo_malloc(space->width, 2 * sizeof *self->names);
    self->widths = opevo_malloc(space->width, sizeof *self->widths);
    if (!self->names || !self->widths)
        return false;
    for (size_t i = 0; i < space->width; i++) {
        if (space->sizes[i] == 1)
            continue;
        self->widths[self->varied_count] = space->sizes[i] > BYTE_VALUES ? 2 : 1;
        self->plane_count += self->widths[self->varied_count++];
    }
    return true;
}

void opevo_i_kt_known_clear(opevo_i_kt_known *self)
{
    opevo_free(self->planes);
    opevo_free(self->distances);
    opevo_free(self->costs);
    opevo_free(self->names);
    opevo_free(self->widths);
}

/* A name of 16 bits for a value. Two of more than 2^16 values have the same one with probability
 * 2^-16, and then count as equal in a distance. */
static uint16_t short_name(opevo_index value)
{
    if (value <= UINT16_MAX)
        return (uint16_t)value;
    return (uint16_t)opevo_hash_mix((uint64_t)value ^ opevo_hash_mix((uint64_t)(value >> 64)));
}

static void set_names(opevo_i_kt_known *self, const opevo_index *vertices)
{
    uint8_t *names = self->names;

    for (size_t i = 0; i < self->space->width; i++) {
        uint16_t name = short_name(vertices[i]);

        if (self->space->sizes[i] > 1)
            *names++ = (uint8_t)name;
        if (self->space->sizes[i] > BYTE_VALUES)
            *names++ = (uint8_t)(name >> 8);
    }
}

static bool grow(opevo_i_kt_known *self)
{
    size_t capacity = self->capacity ? 2 * self->capacity : 2 * BLOCK;
    double *costs = opevo_realloc(self->costs, capacity, sizeof *costs);
    uint8_t *planes = NULL;
    uint8_t *distances = NULL;

    if (!costs)
        return false;
    self->costs = costs;
    distances = opevo_realloc(self->distances, capacity, sizeof *distances);
    if (!distances)
        return false;
    self->distances = distances;
    planes = opevo_realloc(self->planes, capacity, self->plane_count + 1);
    if (!planes)
        return false;
    memset(planes + self->capacity * self->plane_count, 0,
           (capacity - self->capacity) * self->plane_count);
    self->planes = planes;
    self->capacity = capacity;
    return true;
}

opevo_status opevo_i_kt_known_add(opevo_i_kt_known *self, const opevo_index *vertices, double cost,
                                  opevo_error *err)
{
    uint8_t *block = NULL;

    if (self->count == self->capacity && !grow(self))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to learn from another point.");
    set_names(self, vertices);
    block = self->planes + self->count / BLOCK * BLOCK * self->plane_count;
    for (size_t plane = 0; plane < self->plane_count; plane++)
        block[plane * BLOCK + self->count % BLOCK] = self->names[plane];
    self->costs[self->count++] = cost;
    return OPEVO_OK;
}

/* Sixteen bytes that are worked on at once; a comparison gives 255 where it holds, which is -1. */
typedef uint8_t lane __attribute__((vector_size(LANE)));

static lane load(const uint8_t *bytes)
{
    lane result;

    memcpy(&result, bytes, sizeof result);
    return result;
}

/* sums + whether the bytes are equal, as -1. */
static lane add_equal(lane sums, const uint8_t *plane, uint8_t name)
{
    return sums + (lane)(load(plane) == name);
}

static lane add_both_equal(lane sums, const uint8_t *planes, const uint8_t *names)
{
    return sums + ((lane)(load(planes) == names[0]) & (lane)(load(planes + BLOCK) == names[1]));
}

/* distances += those by `count` parameters, at most SUMS_MOST, whose first plane is `planes`. What
 * passes FARTHEST stays there. */
static void measure_some(const uint8_t *planes, const uint8_t *names, const uint8_t *widths,
                         size_t count, lane *distances)
{
    lane a = (lane){0} + (uint8_t)count;
    lane b = a, c = a, d = a;

    for (size_t i = 0; i < count; i++) {
        if (widths[i] == 1) {
            a = add_equal(a, planes, *names);
            b = add_equal(b, planes + LANE, *names);
            c = add_equal(c, planes + 2 * LANE, *names);
            d = add_equal(d, planes + 3 * LANE, *names);
        } else {
            a = add_both_equal(a, planes, names);
            b = add_both_equal(b, planes + LANE, names);
            c = add_both_equal(c, planes + 2 * LANE, names);
            d = add_both_equal(d, planes + 3 * LANE, names);
        }
        planes += widths[i] * BLOCK;
        names += widths[i];
    }
    a += distances[0];
    b += distances[1];
    c += distances[2];
    d += distances[3];
    distances[0] = a | (lane)(a < distances[0]);
    distances[1] = b | (lane)(b < distances[1]);
    distances[2] = c | (lane)(c < distances[2]);
    distances[3] = d | (lane)(d < distances[3]);
}

/* Distances of the named point to those of a block. */
static void measure(const opevo_i_kt_known *self, const uint8_t *planes, uint8_t *distances)
{
    const uint8_t *names = self->names;
    lane lanes[BLOCK / LANE] = {{0}};

    for (size_t first = 0; first < self->varied_count; first += SUMS_MOST) {
        size_t left = self->varied_count - first;

        measure_some(planes, names, self->widths + first, left < SUMS_MOST ? left : SUMS_MOST,
                     lanes);
        for (size_t i = first; left > SUMS_MOST && i < first + SUMS_MOST; i++) {
            planes += self->widths[i] * BLOCK;
            names += self->widths[i];
        }
    }
    /* cppcheck-suppress bufferAccessOutOfBounds ; a lane has LANE bytes */
    memcpy(distances, lanes, BLOCK);
}

/* Measure the distances of the named point to all; what fills up the last block is farthest. The
 * least of them. */
static unsigned measure_all(opevo_i_kt_known *self, size_t blocks)
{
    uint8_t *distances = self->distances;
    uint8_t least = FARTHEST;

    for (size_t block = 0; block < blocks; block++) {
        measure(self, self->planes + block * BLOCK * self->plane_count, distances + block * BLOCK);
    }
    memset(distances + self->count, FARTHEST, blocks * BLOCK - self->count);
    for (size_t n = 0; n < blocks * BLOCK; n++)
        least = distances[n] < least ? distances[n] : least;
    return least;
}

/* Which of the first `count` points of a block are at this distance: bit n for point n. Eight bytes
 * of 0 or 1 are gathered into one byte by a product. */
static uint64_t find_at(const uint8_t *restrict distances, uint8_t distance, size_t count)
{
    uint8_t marks[BLOCK];
    uint64_t found = 0;

    for (size_t n = 0; n < BLOCK; n++)
        marks[n] = distances[n] == distance;
    for (size_t n = 0; n < BLOCK; n += 8) {
        uint64_t word = 0;

        memcpy(&word, marks + n, sizeof word);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        found |= (word * UINT64_C(0x0102040810204080) >> 56) << n;
    }
    return count < BLOCK ? found & ((UINT64_C(1) << count) - 1) : found;
}

double opevo_i_kt_known_predict(opevo_i_kt_known *self, const opevo_index *vertices, size_t k)
{
    size_t blocks = (self->count + BLOCK - 1) / BLOCK;
    size_t wanted = k < self->count ? k : self->count;
    size_t met = 0;
    double sum = 0;

    set_names(self, vertices);
    for (unsigned distance = measure_all(self, blocks); met < wanted; distance++) {
        for (size_t block = 0; block < blocks && met < wanted; block++) {
            uint64_t found = find_at(self->distances + block * BLOCK, (uint8_t)distance,
                                     self->count - block * BLOCK);

            for (; found && met < wanted; found &= found - 1) {
                sum += self->costs[block * BLOCK + (size_t)__builtin_ctzll(found)];
                met++;
            }
        }
    }
    return sum / (double)wanted;
}
