/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Space files of all forms: the content says which it is. */

#include <opevo/space.h>

#include <opevo/file.h>
#include <opevo/json_read.h>
#include <opevo/memory.h>
#include <opevo/space_tree.h>

#include "space_file_internal.h"

#include <string.h>

/* Of a space file: JSON takes some twenty times its size in memory. */
#define SPACE_BYTES_MAX ((size_t)32 << 20)

opevo_status opevo_space_from_tree(const json_t *root, const char *json, const char *origin,
                                   const char *directory, opevo_space **out, opevo_error *err)
{
    opevo_i_topology_space_file file = {json, origin, directory, root};
    opevo_status status = OPEVO_OK;
    json_t *made = NULL;

    if (!json_is_object(root))
        return opevo_i_topology_space_file_fail(&file, 1, OPEVO_INVALID,
                                                "A search space is a JSON object.", err);
    if (json_object_get(root, "ConfigurationSpace"))
        return opevo_i_topology_space_from_t1(&file, out, err);
    if (opevo_i_topology_is_kernel_tuner_space(root) || opevo_i_topology_is_t4(root))
        return opevo_i_topology_space_from_kernel_tuner(&file, out, err);
    status = opevo_i_topology_space_translate(&file, &made, err);
    if (status != OPEVO_OK)
        return status;
    if (json_object_get(root, "input_parameters") || json_object_get(root, "hyperparameters"))
        file.text = ""; /* of another tool: no line of it is one of the tree */
    file.root = made;
    status = opevo_i_topology_space_from_nni(&file, out, err);
    json_decref(made);
    return status;
}

opevo_status opevo_space_parse(const char *json, const char *origin, const char *directory,
                               opevo_space **out, opevo_error *err)
{
    json_t *root = NULL;
    opevo_status status = opevo_json_parse(origin, json, strlen(json), &root, err);

    if (status != OPEVO_OK)
        return status;
    status = opevo_space_from_tree(root, json, origin, directory, out, err);
    json_decref(root);
    return status;
}

opevo_status opevo_space_load(const char *path, opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *slash = strrchr(path, '/');
    char *data = NULL, *directory = NULL;
    size_t size = 0;

    OPEVO_TRY(opevo_file_read(path, SPACE_BYTES_MAX, &data, &size, err));
    directory = slash ? opevo_strndup(path, (size_t)(slash - path) + 1) : opevo_strdup(".");
    if (!directory)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", path);
    else if (strlen(data) != size)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%.256s is not a text file: it holds a zero byte.",
                            path);
    else
        status = opevo_space_parse(data, path, directory, out, err);
cleanup:
    opevo_free(directory);
    opevo_free(data);
    return status;
}
