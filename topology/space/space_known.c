/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points of a space that has more than 2^128 - 1 of them: what the number of a point stands for. A
 * point is written as the bytes of its vertices, each as vertex + 1 in base 128, the lowest digit
 * first, with the high bit set on all digits but the last, and 0 for an inactive parameter. So a
 * text belongs to one point only. Its number is the 128-bit FNV-1a hash of these bytes, and the
 * bytes are kept in chunks that never move. */

#include "space_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <pthread.h>
#include <string.h>

enum {
    CHUNK_BITS = 18,
    CHUNK = 1 << CHUNK_BITS,
    DIGITS_MOST = 19, /* of a vertex */
    BYTES_MOST = OPEVO_SPACE_PARAMETERS_MAX * DIGITS_MOST
};

struct opevo_i_topology_known {
    pthread_mutex_t lock; /* guards what follows */
    size_t owners;
    opevo_index_map *places; /* chunk << CHUNK_BITS | offset */
    unsigned char **chunks;
    size_t chunk_count, chunk_capacity;
    size_t used; /* of the last chunk */
};

opevo_i_topology_known *opevo_i_topology_known_create(void)
{
    opevo_i_topology_known *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->owners = 1;
    self->used = CHUNK;
    self->places = opevo_index_map_create();
    if (!self->places || pthread_mutex_init(&self->lock, NULL) != 0) {
        opevo_index_map_destroy(self->places);
        opevo_free(self);
        return NULL;
    }
    return self;
}

opevo_i_topology_known *opevo_i_topology_known_share(opevo_i_topology_known *known)
{
    pthread_mutex_lock(&known->lock);
    known->owners++;
    pthread_mutex_unlock(&known->lock);
    return known;
}

void opevo_i_topology_known_release(opevo_i_topology_known *known)
{
    size_t left = 0;

    if (!known)
        return;
    pthread_mutex_lock(&known->lock);
    left = --known->owners;
    pthread_mutex_unlock(&known->lock);
    if (left > 0)
        return;
    for (size_t i = 0; i < known->chunk_count; i++)
        opevo_free(known->chunks[i]);
    opevo_free(known->chunks);
    opevo_index_map_destroy(known->places);
    pthread_mutex_destroy(&known->lock);
    opevo_free(known);
}

/* ---- Bytes ---- */

/* At most DIGITS_MOST for each vertex; returns how many. */
static size_t write_bytes(const opevo_index *vertices, size_t count, unsigned char *out)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        opevo_index rest = vertices[i] == OPEVO_INACTIVE ? 0 : vertices[i] + 1;

        for (; rest >= 128; rest >>= 7)
            out[length++] = (unsigned char)(rest & 127) | 128;
        out[length++] = (unsigned char)rest;
    }
    return length;
}

static void read_bytes(const unsigned char *bytes, size_t count, opevo_index *vertices)
{
    for (size_t i = 0; i < count; i++) {
        opevo_index number = 0;
        unsigned shift = 0;

        for (; *bytes & 128; bytes++, shift += 7)
            number |= (opevo_index)(*bytes & 127) << shift;
        number |= (opevo_index)*bytes++ << shift;
        vertices[i] = number ? number - 1 : OPEVO_INACTIVE;
    }
}

/* The bytes at a place, with the lock held. */
static const unsigned char *bytes_at(const opevo_i_topology_known *self, uint64_t place)
{
    return self->chunks[place >> CHUNK_BITS] + (place & (CHUNK - 1));
}

/* Keep new bytes, with the lock held; false without memory. */
static bool keep(opevo_i_topology_known *self, opevo_index point, const unsigned char *bytes,
                 size_t length)
{
    void *chunks = self->chunks;

    if (length > CHUNK - self->used) {
        unsigned char *chunk = NULL;

        if (!opevo_reserve(&chunks, &self->chunk_capacity, self->chunk_count + 1,
                           sizeof *self->chunks))
            return false;
        self->chunks = chunks;
        chunk = opevo_calloc(CHUNK + BYTES_MOST, 1); /* others are compared with what it ends in */
        if (!chunk)
            return false;
        self->chunks[self->chunk_count++] = chunk;
        self->used = 0;
    }
    if (!opevo_index_map_put(self->places, point,
                             (uint64_t)(self->chunk_count - 1) << CHUNK_BITS | self->used))
        return false;
    memcpy(self->chunks[self->chunk_count - 1] + self->used, bytes, length);
    self->used += length;
    return true;
}

/* ---- Points ---- */

opevo_index opevo_i_topology_known_add(opevo_i_topology_known *known, const opevo_index *vertices,
                                       size_t count)
{
    unsigned char bytes[BYTES_MOST];
    size_t length = 0;
    opevo_index point = 0;
    uint64_t place = 0;
    bool right = false;

    bytes[0] = 0;
    length = write_bytes(vertices, count, bytes);
    point = opevo_hash_wide(bytes, length);
    if (point == OPEVO_INDEX_MAX)
        point--;
    pthread_mutex_lock(&known->lock);
    if (opevo_index_map_get(known->places, point, &place))
        right = memcmp(bytes_at(known, place), bytes, length) == 0;
    else
        right = keep(known, point, bytes, length);
    pthread_mutex_unlock(&known->lock);
    return right ? point : OPEVO_INDEX_MAX;
}

bool opevo_i_topology_known_get(opevo_i_topology_known *known, opevo_index point,
                                opevo_index *vertices, size_t count)
{
    const unsigned char *bytes = NULL;
    uint64_t place = 0;

    pthread_mutex_lock(&known->lock);
    if (opevo_index_map_get(known->places, point, &place))
        bytes = bytes_at(known, place);
    pthread_mutex_unlock(&known->lock);
    if (bytes && vertices)
        read_bytes(bytes, count, vertices);
    return bytes;
}
