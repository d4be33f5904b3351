/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The same values and constraints under other graphs: a copy made through the space's JSON form. */

#include <opevo/space.h>

#include <jansson.h>

#include "space_internal.h"

#include <stdlib.h>

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to copy a space.");
}

/* Set the topologies of the parameters in an object, branches included; they stand in the file in
 * the order of the space. False without memory. */
static bool choose(json_t *object, const char *const *topologies, size_t *next)
{
    const char *key = NULL;
    json_t *entry = NULL, *value = NULL;

    json_object_foreach(object, key, entry)
    {
        size_t i = 0;

        if (!json_object_get(entry, "_type"))
            continue;
        if (topologies[*next] &&
            json_object_set_new(entry, "_topology", json_string(topologies[*next])) != 0)
            return false;
        ++*next;
        json_array_foreach(json_object_get(entry, "_value"), i, value)
        {
            if (!choose(value, topologies, next))
                return false;
        }
    }
    return true;
}

opevo_status opevo_space_with_topologies(const opevo_space *space, const char *const *topologies,
                                         opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};
    json_t *root = NULL;
    char *copy = NULL;
    opevo_space *made = NULL;
    size_t next = 0;

    opevo_space_write_json(space, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    root = json_loads(opevo_text_string(&text), 0, NULL);
    if (!root || !choose(root, topologies, &next)) {
        status = no_memory(err);
        goto cleanup;
    }
    copy = json_dumps(root, JSON_COMPACT);
    if (!copy) {
        status = no_memory(err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_space_parse(copy, "the space", NULL, &made, err));
    opevo_i_topology_space_join(made, space);
    *out = made;
cleanup:
    free(copy);
    json_decref(root);
    opevo_text_free(&text);
    return status;
}
