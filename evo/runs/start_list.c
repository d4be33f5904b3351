/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of start points, from points and configurations. */

#include "start_list_internal.h"

#include <opevo/memory.h>

#include <jansson.h>

opevo_status opevo_start_list_create(opevo_start_list **out, opevo_error *err)
{
    opevo_i_start_list *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "start points");
    *out = &self->super;
    return OPEVO_OK;
}

void opevo_start_list_destroy(opevo_start_list *list)
{
    if (list)
        opevo_free(((opevo_i_start_list *)list)->points);
    opevo_free(list);
}

opevo_status opevo_start_list_add(opevo_start_list *list, opevo_index point, const char *origin,
                                  opevo_error *err)
{
    opevo_i_start_list *self = (opevo_i_start_list *)list;

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->points, &self->capacity,
                                       list->starts.count + 1, sizeof *self->points),
                         "start points");
    self->points[list->starts.count++] = (opevo_proposal){.point = point, .origin = origin};
    list->starts.points = self->points;
    return OPEVO_OK;
}

opevo_status opevo_start_list_add_own(opevo_start_list *list, const opevo_objective *objective,
                                      opevo_error *err)
{
    const opevo_starts *own = objective->starts;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; own && i < own->count && status == OPEVO_OK; i++)
        status = opevo_start_list_add(list, own->points[i].point, own->points[i].origin, err);
    return status;
}

/* ---- A configuration ---- */

/* A value as opevo_space_read takes it: the numbers of an array with commas. */
static void add_value(const json_t *value, opevo_text *out)
{
    char *text = NULL;

    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            opevo_text_add(out, i ? "," : "");
            add_value(json_array_get(value, i), out);
        }
        return;
    }
    text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    opevo_text_add(out, text ? text : "");
    free(text);
}

static opevo_status read_json(const char *text, opevo_text *out, opevo_error *err)
{
    json_error_t where;
    json_t *object = json_loads(text, 0, &where);
    const char *key = NULL;
    json_t *value = NULL;

    if (!json_is_object(object)) {
        json_decref(object);
        return OPEVO_FAIL(err, OPEVO_INVALID, "column %d: %s; give one JSON object.", where.column,
                          where.text);
    }
    json_object_foreach(object, key, value)
    {
        opevo_text_printf(out, "%s%s=", out->length ? " " : "", key);
        add_value(value, out);
    }
    json_decref(object);
    return opevo_text_check(out, err);
}

opevo_status opevo_start_list_add_text(opevo_start_list *list, const opevo_space *space,
                                       const char *text, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text plain = {0};
    opevo_index point = 0;

    if (*text == '{')
        OPEVO_TRY(read_json(text, &plain, err));
    OPEVO_TRY(
        opevo_space_read(space, *text == '{' ? opevo_text_string(&plain) : text, &point, err));
    if (!opevo_space_allows(space, point))
        status = OPEVO_FAIL(err, OPEVO_INVALID, "a constraint forbids this configuration.");
    else
        status = opevo_start_list_add(list, point, "start", err);
cleanup:
    opevo_text_free(&plain);
    return status;
}
