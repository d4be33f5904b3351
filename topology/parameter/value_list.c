/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of distinct values, and the parameters whose values are such a list. */

#include "value_list.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "value_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    opevo_value value;
    uint32_t position;
} entry;

static int compare_entries(const void *a, const void *b)
{
    return opevo_value_compare(((const entry *)a)->value, ((const entry *)b)->value);
}

static bool increases(const opevo_value *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (opevo_value_compare(values[i - 1], values[i]) >= 0)
            return false;
    }
    return true;
}

/* One block holds all texts. */
static bool copy_values(opevo_i_topology_value_list *list, const opevo_value *values, size_t count)
{
    size_t bytes = 0;
    char *at = NULL;

    for (size_t i = 0; i < count; i++)
        bytes += values[i].kind == OPEVO_VALUE_TEXT ? strlen(values[i].as.text) + 1 : 0;
    list->values = opevo_malloc(count, sizeof *values);
    list->texts = opevo_malloc(bytes, 1);
    if (!list->values || !list->texts)
        return false;
    at = list->texts;
    for (size_t i = 0; i < count; i++) {
        list->values[i] = values[i];
        if (values[i].kind == OPEVO_VALUE_TEXT) {
            size_t length = strlen(values[i].as.text) + 1;

            list->values[i].as.text = memcpy(at, values[i].as.text, length);
            at += length;
        }
    }
    list->count = count;
    return true;
}

static opevo_status refuse_equal(const entry *entries, size_t count, const char *name,
                                 opevo_error *err)
{
    for (size_t i = 1; i < count; i++) {
        if (opevo_value_compare(entries[i - 1].value, entries[i].value) == 0) {
            opevo_text text = {0};

            opevo_i_topology_value_print(&text, entries[i].value);
            opevo_error_set(err, OPEVO_INVALID,
                            "Parameter %s: the value %s is given twice; each may occur once.", name,
                            OPEVO_I_EXCERPT(opevo_text_string(&text)));
            opevo_text_free(&text);
            return OPEVO_INVALID;
        }
    }
    return OPEVO_OK;
}

opevo_status opevo_i_topology_value_list_init(opevo_i_topology_value_list *list,
                                              const opevo_value *values, size_t count, bool sort,
                                              const char *name, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    entry *entries = NULL;

    if (count > UINT32_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "Parameter %s: more than 4294967295 values.", name);
    if (!copy_values(list, values, count))
        goto no_memory;
    if (increases(list->values, count))
        return OPEVO_OK;
    entries = opevo_malloc(count, sizeof *entries);
    if (!entries || (!sort && !(list->order = opevo_malloc(count, sizeof *list->order))))
        goto no_memory;
    for (size_t i = 0; i < count; i++)
        entries[i] = (entry){list->values[i], (uint32_t)i};
    qsort(entries, count, sizeof *entries, compare_entries);
    OPEVO_TRY(refuse_equal(entries, count, name, err));
    for (size_t i = 0; i < count; i++) {
        if (sort)
            list->values[i] = entries[i].value;
        else
            list->order[i] = entries[i].position;
    }
cleanup:
    opevo_free(entries);
    return status;
no_memory:
    opevo_free(entries);
    return OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory for %zu values.", name, count);
}

void opevo_i_topology_value_list_release(opevo_i_topology_value_list *list)
{
    opevo_free(list->values);
    opevo_free(list->order);
    opevo_free(list->texts);
    *list = (opevo_i_topology_value_list){0};
}

static bool find_value(const opevo_i_topology_value_list *list, opevo_value value, size_t *at)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        size_t position = list->order ? list->order[middle] : middle;
        int order = opevo_value_compare(value, list->values[position]);

        if (order == 0) {
            *at = position;
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* Equal values must hash alike, so a real number equal to an integer is hashed as that integer. */
static uint64_t hash_value(uint64_t hash, opevo_value value)
{
    int64_t integer = 0;
    uint64_t bits = 0;

    if (opevo_i_topology_value_integer(value, &integer)) {
        hash = opevo_hash_u64(hash, OPEVO_VALUE_INTEGER);
        return opevo_hash_u64(hash, (uint64_t)integer);
    }
    hash = opevo_hash_u64(hash, value.kind);
    if (value.kind == OPEVO_VALUE_TEXT)
        return opevo_i_topology_hash_text(hash, value.as.text);
    if (value.kind == OPEVO_VALUE_BOOLEAN)
        return opevo_hash_u64(hash, value.as.boolean);
    memcpy(&bits, &value.as.real, sizeof bits);
    return opevo_hash_u64(hash, bits);
}

static uint64_t hash_list(const opevo_i_topology_value_list *list, uint64_t hash)
{
    hash = opevo_hash_u64(hash, list->count);
    for (size_t i = 0; i < list->count; i++)
        hash = hash_value(hash, list->values[i]);
    return hash;
}

void opevo_i_topology_listed_destroy(opevo_parameter *self)
{
    opevo_i_topology_value_list_release(&((opevo_i_topology_listed *)self)->list);
    opevo_free(self);
}

opevo_status opevo_i_topology_listed_create(const opevo_parameter_spec *spec, bool sort,
                                            opevo_parameter **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_topology_listed *self = NULL;

    if (spec->value_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s: %s needs at least one value.",
                          spec->name, spec->type);
    self = opevo_calloc(1, sizeof *self);
    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory.", spec->name);
    OPEVO_TRY(opevo_i_topology_value_list_init(&self->list, spec->values, spec->value_count, sort,
                                               spec->name, err));
    self->super.size = spec->value_count;
    self->super.arity = 1;
    *out = &self->super;
    self = NULL;
cleanup:
    if (self)
        opevo_i_topology_listed_destroy(&self->super);
    return status;
}

void opevo_i_topology_listed_value(const opevo_parameter *self, opevo_index vertex,
                                   opevo_value *components)
{
    components[0] = ((const opevo_i_topology_listed *)self)->list.values[(size_t)vertex];
}

bool opevo_i_topology_listed_find(const opevo_parameter *self, const opevo_value *components,
                                  opevo_index *vertex)
{
    size_t at = 0;

    if (!find_value(&((const opevo_i_topology_listed *)self)->list, components[0], &at))
        return false;
    *vertex = at;
    return true;
}

uint64_t opevo_i_topology_listed_hash(const opevo_parameter *self, uint64_t start)
{
    return hash_list(&((const opevo_i_topology_listed *)self)->list, start);
}
