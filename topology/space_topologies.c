/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The same values and constraints under other graphs: a copy made through the space's JSON form. */

#include <opevo/space.h>

#include <jansson.h>

#include <stdlib.h>

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to copy a space.");
}

static opevo_status choose(json_t *root, const opevo_space *space, const char *const *topologies,
                           opevo_error *err)
{
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const char *name = opevo_parameter_name(opevo_space_parameter(space, i));

        if (topologies[i] && json_object_set_new(json_object_get(root, name), "_topology",
                                                 json_string(topologies[i])) != 0)
            return no_memory(err);
    }
    return OPEVO_OK;
}

opevo_status opevo_space_with_topologies(const opevo_space *space, const char *const *topologies,
                                         opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};
    json_t *root = NULL;
    char *copy = NULL;

    opevo_space_write_json(space, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    root = json_loads(opevo_text_string(&text), 0, NULL);
    if (!root) {
        status = no_memory(err);
        goto cleanup;
    }
    OPEVO_TRY(choose(root, space, topologies, err));
    copy = json_dumps(root, JSON_COMPACT);
    if (!copy) {
        status = no_memory(err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_space_parse(copy, "the space", NULL, out, err));
cleanup:
    free(copy);
    json_decref(root);
    opevo_text_free(&text);
    return status;
}
