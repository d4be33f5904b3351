/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables of costs: a JSON object with a number for each constant. */

#include "simt_internal.h"

#include <opevo/hash.h>
#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)1 << 20)
enum { MOST = 1000000 }; /* cycles */

typedef struct description {
    double cost[OPEVO_I_SIMT_COST_COUNT];
    const char *name;
    json_t *unit; /* for readers of the file */
} description;

static const opevo_json_field fields[] = {
    OPEVO_JSON_FIELD(description, name, TEXT, .required = true, .least = 1,
                     .most = OPEVO_SIMT_NAME_SIZE - 1),
    OPEVO_JSON_FIELD(description, unit, ANY),
#define COST(suffix, word)                                                                         \
    {word,                                                                                         \
     OPEVO_JSON_NUMBER,                                                                            \
     .offset = offsetof(description, cost) + OPEVO_I_SIMT_COST_##suffix * sizeof(double),          \
     .required = true,                                                                             \
     .most = MOST,                                                                                 \
     .unit = "cycles"},
    OPEVO_I_SIMT_COST_LIST(COST)
#undef COST
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields - 1 }; /* without the last one, FREE */

opevo_status opevo_simt_costs_load(const char *path, opevo_simt_costs **out, opevo_error *err)
{
    opevo_json_reader whole = {.origin = path ? path : "costs"};
    description read = {.name = NULL};
    opevo_simt_costs *self = NULL;
    json_t *root = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(path ? opevo_json_load(path, FILE_BYTES_MAX, &root, err)
                   : opevo_json_parse(whole.origin, opevo_i_simt_builtin_costs,
                                      strlen(opevo_i_simt_builtin_costs), &root, err));
    whole.value = root;
    OPEVO_TRY(opevo_json_read(&whole, fields, FIELD_COUNT, &read, err));
    OPEVO_NEW(self, 1, "a table of costs");
    (void)snprintf(self->name, sizeof self->name, "%s", read.name);
    for (unsigned i = 0; i < OPEVO_I_SIMT_COST_FREE; i++)
        self->cost[i] = (uint64_t)llround(read.cost[i] * OPEVO_I_SIMT_COST_UNIT);
    *out = self;
cleanup:
    json_decref(root);
    return status;
}

void opevo_simt_costs_destroy(opevo_simt_costs *costs)
{
    opevo_free(costs);
}

const char *opevo_simt_costs_name(const opevo_simt_costs *costs)
{
    return costs->name;
}

uint64_t opevo_simt_costs_hash(const opevo_simt_costs *costs)
{
    uint64_t hash = OPEVO_HASH_START;

    for (unsigned i = 0; i < OPEVO_I_SIMT_COST_FREE; i++)
        hash = opevo_hash_u64(hash, costs->cost[i]);
    return hash;
}
