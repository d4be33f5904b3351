/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values as they are in the file: points, reals, signatures; and the origins of trials,
 * each kept once. */

#include "store_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

void opevo_i_store_point_to_bytes(opevo_index point, unsigned char *bytes)
{
    for (int i = OPEVO_I_POINT_BYTES - 1; i >= 0; i--) {
        bytes[i] = (unsigned char)point;
        point >>= 8;
    }
}

opevo_index opevo_i_store_point_from_bytes(const unsigned char *bytes)
{
    opevo_index point = 0;

    for (int i = 0; i < OPEVO_I_POINT_BYTES; i++)
        point = point << 8 | bytes[i];
    return point;
}

unsigned char *opevo_i_store_reals_to_bytes(const double *reals, size_t count)
{
    unsigned char *bytes = opevo_malloc(count, 8);

    for (size_t i = 0; bytes && i < count; i++) {
        uint64_t bits = 0;

        memcpy(&bits, &reals[i], sizeof bits);
        for (size_t k = 0; k < 8; k++)
            bytes[8 * i + k] = (unsigned char)(bits >> (8 * k));
    }
    return bytes;
}

void opevo_i_store_reals_from_bytes(const unsigned char *bytes, size_t count, double *reals)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;

        for (size_t k = 8; k-- > 0;)
            bits = bits << 8 | bytes[8 * i + k];
        memcpy(&reals[i], &bits, sizeof bits);
    }
}

char *opevo_i_store_signature_text(uint64_t signature, char *text)
{
    snprintf(text, OPEVO_I_HEX_SIZE, "%016llx", (unsigned long long)signature);
    return text;
}

const char *opevo_i_store_keep_origin(opevo_store *store, const char *origin, size_t length)
{
    opevo_index hash = opevo_hash_bytes(OPEVO_HASH_START, origin, length);
    void *origins = store->origins;
    uint64_t place = 0;
    char *copy = NULL;

    if (!store->origin_places)
        store->origin_places = opevo_index_map_create();
    if (!store->origin_places)
        return NULL;
    if (opevo_index_map_get(store->origin_places, hash, &place) &&
        !strncmp(store->origins[place], origin, length) && !store->origins[place][length])
        return store->origins[place];
    if (!opevo_reserve(&origins, &store->origin_capacity, store->origin_count + 1, sizeof(char *)))
        return NULL;
    store->origins = origins;
    copy = opevo_strndup(origin, length);
    if (!copy)
        return NULL;
    store->origins[store->origin_count++] = copy; /* the store's, also where the map cannot grow */
    return opevo_index_map_put(store->origin_places, hash, store->origin_count - 1) ? copy : NULL;
}
