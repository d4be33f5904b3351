/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The criteria of a recorded landscape after its fitness: those that the description of a table
 * names, each with its column. */

#include "recorded_internal.h"

#include <opevo/memory.h>

#include <string.h>

bool opevo_i_landscape_criteria_add(opevo_i_landscape_criteria *self, const char *name,
                                    const char *unit, bool larger_is_better)
{
    char *own_name = opevo_strdup(name);
    char *own_unit = opevo_strdup(unit);

    if (!own_name || !own_unit) {
        opevo_free(own_name);
        opevo_free(own_unit);
        return false;
    }
    self->items[self->count++] = (opevo_criterion){own_name, own_unit, larger_is_better};
    return true;
}

void opevo_i_landscape_criteria_clear(opevo_i_landscape_criteria *self)
{
    for (size_t i = 0; i < self->count; i++) {
        opevo_free((char *)self->items[i].name);
        opevo_free((char *)self->items[i].unit);
    }
    *self = (opevo_i_landscape_criteria){.count = 0};
}

/* The column of a criterion; a column of a parameter is not one. */
static opevo_status find_column(const opevo_i_landscape_recording *recording,
                                const opevo_i_landscape_table *table, const char *name,
                                const char *path, size_t *out, opevo_error *err)
{
    const opevo_space *space = recording->described.space;
    size_t count = 0;

    *out = opevo_i_landscape_find_name(table->names, table->column_count, name);
    if (*out == SIZE_MAX)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, 1,
                                         "missing column '%.80s', which %s names as a criterion.",
                                         name, path);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        count += opevo_parameter_arity(opevo_space_parameter(space, i));
    for (size_t i = 0; i < count; i++) {
        if (recording->described.columns[i] == *out)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: the column '%.80s' of a criterion is also that of a parameter.",
                              path, name);
    }
    return OPEVO_OK;
}

static opevo_status read_criterion(opevo_i_landscape_recording *recording,
                                   const opevo_i_landscape_table *table, const json_t *json,
                                   const char *path, opevo_error *err)
{
    opevo_i_landscape_criteria *self = &recording->criteria;
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *unit = json_string_value(json_object_get(json, "unit"));
    const char *better = json_string_value(json_object_get(json, "better"));
    const char *column = json_string_value(json_object_get(json, "column"));
    bool larger = better && !strcmp(better, "larger");
    opevo_status status = OPEVO_OK;

    if (!name || !opevo_criterion_name_is_valid(name))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: criteria[%zu] needs a \"name\" of at most %d letters, digits, '_', "
                          "'.' and '-', a letter first and not \"fitness\".",
                          path, self->count, OPEVO_CRITERION_NAME_MAX);
    if (!larger && (!better || strcmp(better, "smaller") != 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: the criterion '%s' needs \"better\": \"smaller\" or \"larger\".",
                          path, name);
    if ((!unit && json_object_get(json, "unit")) || (!column && json_object_get(json, "column")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: \"unit\" and \"column\" of the criterion '%s' must be strings.",
                          path, name);
    for (size_t i = 0; i < self->count; i++) {
        if (!strcmp(self->items[i].name, name))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: the criterion '%s' is given twice.", path,
                              name);
    }
    status = find_column(recording, table, column ? column : name, path,
                         &self->columns[self->count], err);
    if (status != OPEVO_OK)
        return status;
    OPEVO_NEED_OR_RETURN(opevo_i_landscape_criteria_add(self, name, unit ? unit : "", larger),
                         "reading %s", path);
    return OPEVO_OK;
}

opevo_status opevo_i_landscape_description_criteria(opevo_i_landscape_recording *recording,
                                                    const opevo_i_landscape_table *table,
                                                    const json_t *root, const char *path,
                                                    opevo_error *err)
{
    const json_t *criteria = json_object_get(root, "criteria");
    opevo_status status = OPEVO_OK;

    if (criteria && json_array_size(criteria) >= OPEVO_CRITERIA_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"criteria\" has more than %d members.", path,
                          OPEVO_CRITERIA_MOST - 1);
    if (criteria && !json_is_array(criteria))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"criteria\" is not a list.", path);
    recording->criteria.described = true;
    for (size_t i = 0; i < json_array_size(criteria) && status == OPEVO_OK; i++)
        status = read_criterion(recording, table, json_array_get(criteria, i), path, err);
    return status;
}
