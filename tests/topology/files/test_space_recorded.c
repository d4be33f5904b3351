/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The constraints that recorded landscapes declare allow exactly the points that were recorded. */

#include "space_file_checks.h"

#include <jansson.h>

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Recorded landscapes ---- */

/* A space made from the parameters and constraints that a landscape's description states. */
static void check_landscape(const char *path)
{
    json_t *root = json_load_file(path, 0, NULL), *parameters = json_object_get(root, "parameters");
    json_t *constraints = json_object_get(root, "constraints"), *nni = json_object();
    char *text = NULL;
    opevo_space *space = NULL;

    if (!constraints)
        goto done;
    for (size_t i = 0; i < json_array_size(parameters); i++) {
        const json_t *entry = json_array_get(parameters, i);
        json_t *description = json_object();

        json_object_set_new(description, "_type", json_string("discrete"));
        json_object_set(description, "_value", json_object_get(entry, "values"));
        json_object_set_new(nni, json_string_value(json_object_get(entry, "name")), description);
    }
    json_object_set(nni, "_constraints", constraints);
    text = json_dumps(nni, 0);
    CHECK_OK(opevo_space_parse(text, path, NULL, &space, &err));
    check_size(space, (opevo_index)json_integer_value(json_object_get(root, "cartesian_size")));
    assert_int_equal((json_int_t)count_allowed(space),
                     json_integer_value(json_object_get(root, "constraint_satisfying")));
    opevo_space_destroy(space);
    free(text);
done:
    json_decref(nni);
    json_decref(root);
}

static size_t check_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry = NULL;
    size_t count = 0;

    while (directory && (entry = readdir(directory))) {
        char path[1024];
        size_t length = strlen(entry->d_name);

        if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_landscape(path);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

CHECK_TEST(test_recorded_landscapes)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    char inner[1024];

    snprintf(inner, sizeof inner, "%s/no-licence-stated", folder ? folder : "");
    if (!folder || check_folder(folder) == 0)
        CHECK_SKIP("recorded landscapes: none in %s", folder ? folder : "$OPEVO_TEST_LANDSCAPES");
    check_folder(inner);
}

/* The T1 description of a convolution benchmark, whose conditions are those of the recorded
 * landscapes of the same kernel: 4362 configurations. */
CHECK_TEST(test_recorded_t1)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    char path[1024];
    opevo_space *space = NULL, *again = NULL;
    opevo_text written = {0};

    snprintf(path, sizeof path, "%s/raw/convolution_milo_T1.json", folder ? folder : "");
    if (access(path, R_OK) != 0)
        CHECK_SKIP("recorded landscapes: %s is missing", path);
    CHECK_OK(opevo_space_load(path, &space, &err));
    check_size(space, 10240);
    assert_true(count_allowed(space) == 4362);
    opevo_space_write_json(space, &written);
    again = parse(opevo_text_string(&written));
    assert_true(opevo_space_signature(again) == opevo_space_signature(space));
    assert_true(count_allowed(again) == 4362);
    opevo_text_free(&written);
    opevo_space_destroy(space);
    opevo_space_destroy(again);
}
