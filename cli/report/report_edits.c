/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `opevo edits explain --json` found of lists of edits, for the page to draw. */

#include "options_internal.h"
#include "report_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/memory.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 64 << 20 };

static bool is_edit(const json_t *edit)
{
    return json_is_string(json_object_get(edit, "edit")) &&
           json_is_object(json_object_get(edit, "alone")) &&
           json_is_object(json_object_get(edit, "without"));
}

static bool is_pair(const json_t *pair, json_int_t count)
{
    json_int_t first = json_integer_value(json_object_get(pair, "first"));
    json_int_t second = json_integer_value(json_object_get(pair, "second"));

    return first >= 1 && first < second && second <= count &&
           json_is_object(json_object_get(pair, "together"));
}

/* Whether the page can draw it. */
static bool is_explained(const json_t *explained)
{
    const json_t *list = json_object_get(explained, "list");
    const json_t *pairs = json_object_get(explained, "pairs");
    bool fits = json_is_object(json_object_get(explained, "whole")) && json_is_array(list) &&
                json_is_array(pairs);

    for (size_t i = 0; fits && i < json_array_size(list); i++)
        fits = is_edit(json_array_get(list, i));
    for (size_t i = 0; fits && i < json_array_size(pairs); i++)
        fits = is_pair(json_array_get(pairs, i), (json_int_t)json_array_size(list));
    return fits;
}

static opevo_status add_file(const char *path, opevo_text *out, opevo_error *err)
{
    char *data = NULL;
    size_t size = 0;
    json_t *explained = NULL;
    char *text = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_file_read(path, FILE_LIMIT, &data, &size, err));
    explained = json_loadb(data, size, 0, NULL);
    if (!is_explained(explained)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--edits %s: the file is not an output of opevo edits explain --json.",
                            path);
        goto cleanup;
    }
    text = json_dumps(explained, JSON_COMPACT);
    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "file", path);
    opevo_json_key(out, "explained");
    opevo_text_add(out, text ? text : "null");
    opevo_text_add(out, "}");
cleanup:
    free(text);
    json_decref(explained);
    opevo_free(data);
    return status;
}

opevo_status opevo_i_cli_report_edits(const opevo_call *call, opevo_text *json, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_json_open(json, "edits", "[");
    for (size_t i = 0; i < call->given_count && status == OPEVO_OK; i++) {
        if (!strcmp(call->given[i].option->name, "edits"))
            status = add_file(call->given[i].value, json, err);
    }
    opevo_text_add(json, "]");
    return status;
}
