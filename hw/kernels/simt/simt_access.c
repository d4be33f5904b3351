/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Accesses to memory by the running lanes of a warp: where they go, whether they may, and the
 * bytes. A lane that may not ends the launch before any lane has stored. */

#include "simt_registers_internal.h"

#include <stdio.h>
#include <string.h>

#define OFFSET_MASK ((UINT64_C(1) << OPEVO_I_SIMT_HANDLE_SHIFT) - 1)

/* NOLINTBEGIN(bugprone-macro-parentheses): a name */
#define EACH_LANE(lane, mask)                                                                      \
    for (uint32_t rest_ = (mask), lane; rest_ && ((lane = (uint32_t)__builtin_ctz(rest_)), true);  \
         rest_ &= rest_ - 1)
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- Addresses ---- */

static const char *verb(const opevo_i_simt_code *code)
{
    return code->kind == OPEVO_I_SIMT_LOAD    ? "reads"
           : code->kind == OPEVO_I_SIMT_STORE ? "writes"
                                              : "updates";
}

/* "buffer 2", "buffer in", "shared variable tile". */
static void describe(const opevo_simt *self, const opevo_i_simt_region *region, char *out,
                     size_t size)
{
    static const char *const kinds[] = {"nothing", "variable", "constant", "shared variable",
                                        "local variable"};
    size_t number = (size_t)(region - self->regions);

    if (number >= self->first_buffer && region->buffer_name)
        (void)snprintf(out, size, "buffer %.60s", region->buffer_name);
    else if (number >= self->first_buffer)
        (void)snprintf(out, size, "buffer %zu", number - self->first_buffer);
    else
        (void)snprintf(out, size, "%s %s", kinds[region->kind],
                       region->name && *region->name ? region->name : "without a name");
}

static bool space_fits(unsigned space, opevo_i_simt_region_kind kind)
{
    switch (space) {
    case 0:
        return true;
    case 1:
        return kind == OPEVO_I_SIMT_GLOBAL || kind == OPEVO_I_SIMT_CONSTANT;
    case 3:
        return kind == OPEVO_I_SIMT_SHARED;
    case 4:
        return kind == OPEVO_I_SIMT_CONSTANT || kind == OPEVO_I_SIMT_GLOBAL;
    case 5:
        return kind == OPEVO_I_SIMT_LOCAL;
    default:
        return false;
    }
}

static bool fault_bounds(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code, unsigned lane, uint64_t address)
{
    uint64_t handle = address >> OPEVO_I_SIMT_HANDLE_SHIFT;
    char name[96];

    /* Below the first byte of a region is the far end of the one before it. */
    bool below = (address & OFFSET_MASK) > OFFSET_MASK / 2 && handle + 1 < self->region_count;
    int64_t offset = below ? (int64_t)((address & OFFSET_MASK) | ~OFFSET_MASK)
                           : (int64_t)(address & OFFSET_MASK);

    handle += below;
    if (handle >= self->region_count || !self->regions ||
        self->regions[handle].kind == OPEVO_I_SIMT_NONE)
        return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_OUT_OF_BOUNDS,
                                  "%s %u bytes at an address outside of all buffers", verb(code),
                                  code->size);
    describe(self, &self->regions[handle], name, sizeof name);
    return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_OUT_OF_BOUNDS,
                              "%s %u bytes at byte %lld of %s, which has %llu", verb(code),
                              code->size, (long long)offset, name,
                              (unsigned long long)self->regions[handle].size);
}

static bool resolve_lane(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code, unsigned lane, uint64_t address,
                         opevo_i_simt_targets *out)
{
    uint64_t handle = address >> OPEVO_I_SIMT_HANDLE_SHIFT, offset = address & OFFSET_MASK;
    opevo_i_simt_region *region = handle < self->region_count ? &self->regions[handle] : NULL;
    unsigned alignment = 1u << (code->space >> 4);
    char name[96];
    bool fits;

    if (!region || region->kind == OPEVO_I_SIMT_NONE || offset + code->size > region->size)
        return fault_bounds(self, warp, code, lane, address);
    fits = space_fits(code->space & 15, region->kind) && !(offset & (alignment - 1)) &&
           !(region->read_only && code->kind != OPEVO_I_SIMT_LOAD);
    if (!fits)
        describe(self, region, name, sizeof name);
    if (!space_fits(code->space & 15, region->kind))
        return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_OUT_OF_BOUNDS,
                                  "%s %s as if it were in address space %u", verb(code), name,
                                  code->space & 15u);
    if (region->read_only && code->kind != OPEVO_I_SIMT_LOAD)
        return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_OUT_OF_BOUNDS,
                                  "%s %s, which is constant", verb(code), name);
    if (offset & (alignment - 1))
        return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_OUT_OF_BOUNDS,
                                  "%s byte %llu of %s, which is not a multiple of %u", verb(code),
                                  (unsigned long long)offset, name, alignment);
    out->region[lane] = region;
    out->offset[lane] = offset;
    if (region->kind == OPEVO_I_SIMT_LOCAL)
        out->offset[lane] += (warp->index * (uint64_t)OPEVO_I_SIMT_LANES + lane) * region->size;
    return true;
}

/* All lanes in one region and in order: the usual case, without a test of each. */
static bool resolve_together(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code, opevo_i_simt_targets *out)
{
    const uint64_t *address = (const uint64_t *)(const void *)(warp->file + code->a);
    uint64_t first = address[__builtin_ctz(warp->mask)] + (uint64_t)code->number;
    uint64_t handle = first >> OPEVO_I_SIMT_HANDLE_SHIFT, wrong = 0, past = 0, limit;
    uint64_t low = (UINT64_C(1) << (code->space >> 4)) - 1;
    opevo_i_simt_region *region = handle < self->region_count ? &self->regions[handle] : NULL;

    if (!region || region->size < code->size || region->kind == OPEVO_I_SIMT_LOCAL ||
        !space_fits(code->space & 15, region->kind) ||
        (region->read_only && code->kind != OPEVO_I_SIMT_LOAD))
        return false;
    limit = region->size - code->size;
    for (unsigned i = 0; i < OPEVO_I_SIMT_LANES; i++) {
        uint64_t at = warp->mask >> i & 1 ? address[i] + (uint64_t)code->number : first;
        uint64_t offset = at & OFFSET_MASK;

        wrong |= (at ^ first) >> OPEVO_I_SIMT_HANDLE_SHIFT | (at & low);
        past |= limit - offset; /* below 0 sets the high bit */
        out->offset[i] = offset;
    }
    if (wrong || past >> 63)
        return false;
    for (unsigned i = 0; i < OPEVO_I_SIMT_LANES; i++)
        out->region[i] = region;
    out->kind = region->kind;
    out->one = region;
    out->plain = !region->valid && !region->cells;
    return true;
}

bool opevo_i_simt_resolve(opevo_simt *self, const opevo_i_simt_warp *warp,
                          const opevo_i_simt_code *code, opevo_i_simt_targets *out)
{
    const uint64_t *address = (const uint64_t *)(const void *)(warp->file + code->a);
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->a);

    if (header->undefined & warp->mask)
        return opevo_i_simt_fault_undefined(self, warp, code, header->origin,
                                            header->undefined & warp->mask,
                                            "has it for an address");
    if (warp->mask & (warp->mask - 1) && resolve_together(self, warp, code, out))
        return true;
    out->kind = OPEVO_I_SIMT_NONE;
    EACH_LANE(lane, warp->mask)
    {
        if (!resolve_lane(self, warp, code, lane, address[lane] + (uint64_t)code->number, out))
            return false;
        if (out->kind == OPEVO_I_SIMT_NONE)
            out->kind = out->region[lane]->kind;
    }
    out->one = NULL;
    out->plain = false;
    return true;
}

/* ---- Races ---- */

static bool fault_race(opevo_simt *self, const opevo_i_simt_warp *warp,
                       const opevo_i_simt_code *code, unsigned lane,
                       const opevo_i_simt_targets *where, opevo_i_simt_conflict conflict)
{
    static const char *const verbs[] = {"wrote", "updated", "read", "read"};
    bool of_block = conflict.scope == OPEVO_I_SIMT_OTHER_BLOCK;
    bool known = conflict.place != OPEVO_I_SIMT_NOWHERE;
    char name[96];

    describe(self, where->region[lane], name, sizeof name);
    return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_RACE,
                              "%s byte %llu of %s, which %s%sanother %s %s%s", verb(code),
                              (unsigned long long)where->offset[lane], name,
                              known ? self->places[conflict.place].name : "", known ? " of " : "",
                              self->fork.open ? "iteration of the parallel loop"
                              : of_block      ? "block of the launch"
                                              : "thread",
                              verbs[conflict.access], of_block ? "" : " since the last barrier");
}

/* Whether a granule at byte `at` of a copy is what memory has at `byte`. */
static bool is_same_raw(const opevo_i_simt_raw *raw, const opevo_i_simt_region *region, uint64_t at,
                        uint64_t byte, const opevo_simt *self)
{
    size_t granule = (size_t)1 << self->granule_shift;

    if (memcmp(raw->state + at, region->valid + byte, granule) != 0)
        return false;
    if (raw->state[at] & OPEVO_I_SIMT_OF_VALUE)
        return memcmp(&raw->value[at >> self->value_shift],
                      &region->values[byte >> self->value_shift], sizeof *raw->value) == 0;
    return memcmp((const uint8_t *)&raw->bits + at, region->data + byte, granule) == 0;
}

/* Of a granule at a byte of the region. Lanes store one after the other, so that memory has what
 * the lanes before stored. */
static opevo_i_simt_found find_value(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                     const opevo_i_simt_code *code, unsigned lane,
                                     const opevo_i_simt_targets *where, uint64_t byte)
{
    const uint8_t *value = warp->file + code->b + (size_t)lane * code->size;
    const opevo_i_simt_region *region = where->region[lane];

    if (code->raw)
        return is_same_raw((const opevo_i_simt_raw *)(const void *)(warp->file + code->b) + lane,
                           region, byte - where->offset[lane], byte, self)
                   ? OPEVO_I_SIMT_SAME_VALUE
                   : OPEVO_I_SIMT_OTHER_VALUE;
    /* A value and bits are not compared. */
    if (region->valid && code->value != (region->valid[byte] >= OPEVO_I_SIMT_OF_VALUE))
        return OPEVO_I_SIMT_OTHER_VALUE;
    if (code->value)
        return memcmp(&region->values[byte >> self->value_shift],
                      warp->file + code->b + lane * sizeof(opevo_simt_value),
                      sizeof(opevo_simt_value)) == 0
                   ? OPEVO_I_SIMT_SAME_VALUE
                   : OPEVO_I_SIMT_OTHER_VALUE;
    return memcmp(where->region[lane]->data + byte, value + (byte - where->offset[lane]),
                  (size_t)1 << self->granule_shift) == 0
               ? OPEVO_I_SIMT_SAME_VALUE
               : OPEVO_I_SIMT_OTHER_VALUE;
}

bool opevo_i_simt_check_lane(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code, unsigned lane,
                             const opevo_i_simt_targets *where, opevo_i_simt_access access)
{
    const opevo_i_simt_region *region = where->region[lane];
    uint64_t granule = UINT64_C(1) << self->granule_shift;

    for (uint64_t byte = where->offset[lane]; byte < where->offset[lane] + code->size;
         byte += granule) {
        opevo_i_simt_found found = access == OPEVO_I_SIMT_WRITE && region->same_value
                                       ? find_value(self, warp, code, lane, where, byte)
                                       : OPEVO_I_SIMT_ANY_VALUE;
        opevo_i_simt_conflict conflict =
            opevo_i_simt_race(self, warp, lane, region->kind == OPEVO_I_SIMT_SHARED,
                              &region->cells[byte >> self->granule_shift], access, code, found);

        if (conflict.scope != OPEVO_I_SIMT_NO_CONFLICT)
            return fault_race(self, warp, code, lane, where, conflict);
    }
    return true;
}

bool opevo_i_simt_check_races(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code, const opevo_i_simt_targets *where,
                              opevo_i_simt_access access)
{
    const opevo_i_simt_region *one = where->one;
    uint32_t lanes = warp->mask;

    if (one && !one->cells)
        return true;
    if (one && access == OPEVO_I_SIMT_READ)
        lanes = opevo_i_simt_race_reads(self, warp, one->kind == OPEVO_I_SIMT_SHARED, one->cells,
                                        where->offset, code);
    EACH_LANE(lane, lanes)
    if (where->region[lane]->cells &&
        !opevo_i_simt_check_lane(self, warp, code, lane, where, access))
        return false;
    return true;
}

/* ---- Initial values ---- */

static bool is_valid(const uint8_t *valid, unsigned size)
{
    uint64_t bytes = 0;

    memcpy(&bytes, valid, size);
    return bytes == UINT64_C(0x0101010101010101) >> (64 - 8 * size);
}

/* The same of all lanes in one region, for the usual sizes. The offsets of lanes that do not run
 * are within it, too. */
static uint32_t invalid_together(const uint8_t *valid, const uint64_t *offset, bool is_wide)
{
    uint32_t lanes = 0;

    for (unsigned i = 0; i < OPEVO_I_SIMT_LANES; i++)
        lanes |= (uint32_t)!is_valid(valid + offset[i], is_wide ? 8 : 4) << i;
    return lanes;
}

/* Lanes that read bytes which nothing wrote. */
static uint32_t invalid_lanes(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code,
                              const opevo_i_simt_targets *where)
{
    uint32_t lanes = 0;

    if (where->one && !where->one->valid)
        return 0;
    if (where->one && code->size == 4)
        return invalid_together(where->one->valid, where->offset, false) & warp->mask;
    if (where->one && code->size == 8)
        return invalid_together(where->one->valid, where->offset, true) & warp->mask;
    EACH_LANE(lane, warp->mask)
    if (where->region[lane]->valid &&
        !is_valid(where->region[lane]->valid + where->offset[lane], code->size))
        lanes |= 1u << lane;
    return lanes;
}

/* Why the lanes are undefined that read bytes which are not written ones: behind this place. */
static uint32_t origin_of(const opevo_i_simt_code *code, const opevo_i_simt_targets *where,
                          uint32_t lanes)
{
    EACH_LANE(lane, lanes)
    for (unsigned i = 0; i < code->size; i++)
        if (where->region[lane]->valid[where->offset[lane] + i] > OPEVO_I_SIMT_WRITTEN)
            return code->place | OPEVO_I_SIMT_OF_DATA;
    return code->place;
}

/* ---- Loads ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define LOAD(type)                                                                                 \
    {                                                                                              \
        type *to = (type *)(void *)(warp->file + code->to);                                        \
                                                                                                   \
        if (where.plain && warp->mask == UINT32_MAX) {                                             \
            const uint8_t *data = where.region[0]->data;                                           \
                                                                                                   \
            for (unsigned i = 0; i < OPEVO_I_SIMT_LANES; i++)                                      \
                memcpy(&to[i], data + where.offset[i], sizeof(type));                              \
        } else {                                                                                   \
            EACH_LANE(lane, warp->mask)                                                            \
            memcpy(&to[lane], where.region[lane]->data + where.offset[lane], sizeof(type));        \
        }                                                                                          \
        break;                                                                                     \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

bool opevo_i_simt_load(opevo_simt *self, const opevo_i_simt_warp *warp,
                       const opevo_i_simt_code *code)
{
    opevo_i_simt_targets where;
    uint32_t undefined = 0;

    if (!opevo_i_simt_resolve(self, warp, code, &where))
        return false;
    if (!where.plain) {
        if (self->races &&
            !opevo_i_simt_check_races(self, warp, code, &where,
                                      code->atomic ? OPEVO_I_SIMT_LOOK : OPEVO_I_SIMT_READ))
            return false;
        if (self->options.check_uninitialised)
            undefined = invalid_lanes(warp, code, &where);
    }
    if (self->races && code->atomic && opevo_i_simt_is_ordered(self))
        opevo_i_simt_doubt(self, code->place, "reads atomically, at no certain time");
    switch (code->size) {
    case 1:
        LOAD(uint8_t)
    case 2:
        LOAD(uint16_t)
    case 4:
        LOAD(uint32_t)
    default:
        LOAD(uint64_t)
    }
    if (self->options.check_uninitialised)
        opevo_i_simt_define(warp, code->to, undefined, origin_of(code, &where, undefined));
    opevo_i_simt_traffic(self, warp, code, where.kind, false);
    return true;
}

/* ---- Stores ---- */

bool opevo_i_simt_check_stored(opevo_simt *self, const opevo_i_simt_warp *warp,
                               const opevo_i_simt_code *code, const opevo_i_simt_targets *where)
{
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->b);

    EACH_LANE(lane, header->undefined & warp->mask)
    if (where->region[lane]->kind == OPEVO_I_SIMT_GLOBAL)
        return opevo_i_simt_fault_undefined(self, warp, code, header->origin, 1u << lane,
                                            "stores it in global memory");
    return true;
}

static bool store_lane(opevo_simt *self, const opevo_i_simt_warp *warp,
                       const opevo_i_simt_code *code, unsigned lane,
                       const opevo_i_simt_targets *where)
{
    opevo_i_simt_region *region = where->region[lane];
    uint64_t at = where->offset[lane];
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->b);
    bool undefined = header->undefined >> lane & 1;

    if (region->cells && self->races &&
        !opevo_i_simt_check_lane(self, warp, code, lane, where,
                                 code->atomic ? OPEVO_I_SIMT_UPDATE : OPEVO_I_SIMT_WRITE))
        return false;
    memcpy(region->data + at, warp->file + code->b + (size_t)lane * code->size, code->size);
    if (region->valid)
        memset(region->valid + at,
               code->atomic && opevo_i_simt_is_ordered(self)
                   ? OPEVO_I_SIMT_UNKNOWN
                   : opevo_i_simt_state_of(undefined, header->origin),
               code->size);
    return true;
}

#define STORE(type)                                                                                \
    {                                                                                              \
        const type *from = (const type *)(const void *)(warp->file + code->b);                     \
        uint8_t *data = where.region[first]->data;                                                 \
                                                                                                   \
        EACH_LANE(lane, warp->mask)                                                                \
        memcpy(data + where.offset[lane], &from[lane], sizeof(type));                              \
        break;                                                                                     \
    }

bool opevo_i_simt_store(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code)
{
    unsigned first = (unsigned)__builtin_ctz(warp->mask);
    opevo_i_simt_targets where;

    if (!opevo_i_simt_resolve(self, warp, code, &where) ||
        !opevo_i_simt_check_stored(self, warp, code, &where))
        return false;
    opevo_i_simt_traffic(self, warp, code, where.kind, false);
    if (!where.plain) {
        EACH_LANE(lane, warp->mask)
        if (!store_lane(self, warp, code, lane, &where))
            return false;
        return true;
    }
    switch (code->size) {
    case 1:
        STORE(uint8_t)
    case 2:
        STORE(uint16_t)
    case 4:
        STORE(uint32_t)
    default:
        STORE(uint64_t)
    }
    return true;
}

/* ---- Atomics ---- */

static uint64_t lane_bits(const opevo_i_simt_warp *warp, uint32_t at, unsigned lane, unsigned size)
{
    uint64_t bits = 0;

    memcpy(&bits, warp->file + at + (size_t)lane * size, size);
    return bits;
}

static void update_lane(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code, unsigned lane,
                        const opevo_i_simt_targets *where)
{
    uint8_t *data = where->region[lane]->data + where->offset[lane];
    int64_t update = code->number;
    uint64_t old = 0, value = lane_bits(warp, code->b, lane, code->size), updated;

    if (update == OPEVO_I_SIMT_UPDATE_FADD_FLUSHED &&
        where->region[lane]->kind != OPEVO_I_SIMT_GLOBAL)
        update = OPEVO_I_SIMT_UPDATE_FADD;
    memcpy(&old, data, code->size);
    if (code->kind == OPEVO_I_SIMT_EXCHANGE) {
        uint32_t success;
        uint8_t *to = warp->file + (uint32_t)code->number;

        memcpy(&success, to, sizeof success);
        success = (success & ~(1u << lane)) | (uint32_t)(old == value) << lane;
        memcpy(to, &success, sizeof success);
        updated = old == value ? lane_bits(warp, code->c, lane, code->size) : old;
    } else {
        updated = opevo_i_simt_updated(update, old, value, code->size);
    }
    memcpy(data, &updated, code->size);
    memcpy(warp->file + code->to + (size_t)lane * code->size, &old, code->size);
}

static bool check_atomic(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code, const opevo_i_simt_targets *where)
{
    uint32_t undefined = (opevo_i_simt_header_of(warp, code->b)->undefined |
                          opevo_i_simt_header_of(warp, code->c)->undefined) &
                         warp->mask;

    if (undefined)
        return opevo_i_simt_fault_undefined(self, warp, code,
                                            opevo_i_simt_header_of(warp, code->b)->origin,
                                            undefined, "updates memory with it");
    if (self->options.check_uninitialised) {
        undefined = invalid_lanes(warp, code, where);
        if (undefined)
            return opevo_i_simt_fault_undefined(self, warp, code, origin_of(code, where, undefined),
                                                undefined, "updates memory with it");
    }
    return !self->races || opevo_i_simt_check_races(self, warp, code, where, OPEVO_I_SIMT_UPDATE);
}

/* Lanes update in ascending order. */
bool opevo_i_simt_atomic(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code)
{
    opevo_i_simt_code access = *code;
    opevo_i_simt_targets where;

    access.number = 0; /* which is not a distance here */
    if (!opevo_i_simt_resolve(self, warp, &access, &where) ||
        !check_atomic(self, warp, code, &where))
        return false;
    EACH_LANE(lane, warp->mask)
    {
        update_lane(warp, code, lane, &where);
        if (opevo_i_simt_is_ordered(self) && where.region[lane]->valid &&
            (code->kind == OPEVO_I_SIMT_EXCHANGE || code->number == OPEVO_I_SIMT_UPDATE_XCHG))
            memset(where.region[lane]->valid + where.offset[lane], OPEVO_I_SIMT_UNKNOWN,
                   code->size);
    }
    if (self->options.check_uninitialised) {
        uint32_t unknown = opevo_i_simt_is_ordered(self) ? warp->mask : 0;
        uint32_t origin = unknown ? code->place | OPEVO_I_SIMT_OF_DATA : code->place;

        opevo_i_simt_define(warp, code->to, unknown, origin);
        if (code->kind == OPEVO_I_SIMT_EXCHANGE)
            opevo_i_simt_define(warp, (uint32_t)code->number, unknown, origin);
    }
    opevo_i_simt_traffic(self, warp, code, where.kind, true);
    return true;
}
