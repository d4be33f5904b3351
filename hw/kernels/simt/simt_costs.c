/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables of costs: a JSON object with a number for each constant. */

#include "simt_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1000000 }; /* cycles */

static const char *const keys[] = {
#define KEY(suffix, key) key,
    OPEVO_I_SIMT_COST_LIST(KEY)
#undef KEY
};

static opevo_status read_cost(const char *path, const json_t *root, unsigned which,
                              opevo_simt_costs *self, opevo_error *err)
{
    const json_t *value = json_object_get(root, keys[which]);
    double number = json_number_value(value);

    if (!json_is_number(value) || !(number >= 0 && number <= MOST))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s: needs a number of cycles from 0 to %d.",
                          path, keys[which], MOST);
    self->cost[which] = (uint64_t)llround(number * OPEVO_I_SIMT_COST_UNIT);
    return OPEVO_OK;
}

static bool is_known(const char *key)
{
    for (unsigned i = 0; i < OPEVO_I_SIMT_COST_FREE; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return strcmp(key, "name") == 0 || strcmp(key, "unit") == 0;
}

static opevo_status read_costs(const char *path, json_t *root, opevo_simt_costs *self,
                               opevo_error *err)
{
    const char *name = json_string_value(json_object_get(root, "name")), *key;
    json_t *value;

    if (!json_is_object(root) || !name || !*name || strlen(name) >= sizeof self->name)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: name: needs a name of 1 to %zu bytes in an object of costs.", path,
                          sizeof self->name - 1);
    (void)snprintf(self->name, sizeof self->name, "%s", name);
    json_object_foreach(root, key, value)
    {
        if (!is_known(key))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s: unknown key; docs/gevo.md lists them.",
                              path, key);
    }
    for (unsigned i = 0; i < OPEVO_I_SIMT_COST_FREE; i++) {
        opevo_status status = read_cost(path, root, i, self, err);

        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

opevo_status opevo_simt_costs_load(const char *path, opevo_simt_costs **out, opevo_error *err)
{
    opevo_simt_costs *self = opevo_calloc(1, sizeof *self);
    json_error_t place;
    json_t *root = NULL;
    FILE *file = path ? fopen(path, "r") : NULL;
    opevo_status status = OPEVO_OK;

    if (!self) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a table of costs.");
    } else if (path && !file) {
        status = OPEVO_FAIL(err, OPEVO_IO, "Cannot open %s: %s.", path, strerror(errno));
    } else {
        root = file ? json_loadf(file, JSON_REJECT_DUPLICATES, &place)
                    : json_loads(opevo_i_simt_builtin_costs, JSON_REJECT_DUPLICATES, &place);
        status = root ? read_costs(path ? path : "costs", root, self, err)
                      : OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: %s.", path ? path : "costs",
                                   place.line, place.text);
    }
    json_decref(root);
    if (file)
        (void)fclose(file);
    if (status != OPEVO_OK) {
        opevo_free(self);
        return status;
    }
    *out = self;
    return OPEVO_OK;
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
