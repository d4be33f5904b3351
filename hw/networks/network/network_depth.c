/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How deep graphs lie in a model, looked up before it is unpacked: the unpacker recurses. */

#include "network_read_internal.h"

enum { DEPTH = 8 }; /* of graphs in graphs */

/* A number of the wire format; false at the end of the bytes. */
static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;

        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* What messages are unpacked into others that could nest. */
typedef enum message { MODEL, GRAPH, FUNCTION, NODE, ATTRIBUTE, LEAF } message;

static message inner_of(message of, uint64_t field)
{
    switch (of) {
    case MODEL:
        return field == 7 ? GRAPH : field == 25 ? FUNCTION : LEAF;
    case GRAPH:
        return field == 1 ? NODE : LEAF;
    case FUNCTION:
        return field == 7 ? NODE : field == 11 ? ATTRIBUTE : LEAF;
    case NODE:
        return field == 5 ? ATTRIBUTE : LEAF;
    case ATTRIBUTE:
        return field == 6 ? GRAPH : LEAF;
    default:
        return LEAF;
    }
}

/* What is not a message is left to the unpacker. */
static bool is_shallow(const uint8_t *at, const uint8_t *end, message of, int depth)
{
    uint64_t key = 0, size = 0;

    if (depth > DEPTH)
        return false;
    while (take_varint(&at, end, &key)) {
        message inner = (key & 7) == 2 ? inner_of(of, key >> 3) : LEAF;

        switch (key & 7) {
        case 0:
            if (!take_varint(&at, end, &size))
                return true;
            continue;
        case 1:
            size = 8;
            break;
        case 2:
            if (!take_varint(&at, end, &size))
                return true;
            break;
        case 5:
            size = 4;
            break;
        default:
            return true;
        }
        if (size > (uint64_t)(end - at))
            return true;
        if (inner != LEAF && !is_shallow(at, at + size, inner, depth + (of == ATTRIBUTE)))
            return false;
        at += size;
    }
    return true;
}

bool opevo_i_net_is_shallow(const void *bytes, size_t size)
{
    return is_shallow(bytes, (const uint8_t *)bytes + size, MODEL, 0);
}
