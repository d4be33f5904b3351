/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Devices as data: the files that the build embeds, and those of a user. */

#include "simulated_internal.h"

#include <opevo/closest.h>
#include <opevo/json_read.h>

#include <stddef.h>
#include <string.h>

typedef struct description {
    opevo_i_landscape_device device;
    const char *title;
} description;

static const opevo_json_field fields[] = {
    OPEVO_JSON_FIELD(description, title, TEXT, .required = true),
#define NUMBER(name, low, high, whole)                                                             \
    {#name,                                                                                        \
     OPEVO_JSON_NUMBER,                                                                            \
     .offset = offsetof(description, device.name),                                                 \
     .required = true,                                                                             \
     .is_integral = whole,                                                                         \
     .least = low,                                                                                 \
     .most = high},
    OPEVO_I_DEVICE_NUMBERS(NUMBER)
#undef NUMBER
};
#define DEVICE_BYTES_MAX ((size_t)1 << 20)
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

_Static_assert(sizeof(opevo_i_landscape_device) == (FIELD_COUNT - 1) * sizeof(double),
               "a device is its numbers and nothing else, so that it can be hashed as bytes");

size_t opevo_device_count(void)
{
    return opevo_i_landscape_embedded_device_count;
}

opevo_device_info opevo_device_get(size_t i)
{
    return (opevo_device_info){opevo_i_landscape_embedded_devices[i].name,
                               opevo_i_landscape_embedded_devices[i].title};
}

/* Takes the tree over. */
static opevo_status read_tree(json_t *root, const char *origin, opevo_i_landscape_device *out,
                              opevo_error *err)
{
    const opevo_json_reader whole = {.origin = origin, .value = root};
    description read = {.title = NULL};
    opevo_status status = opevo_json_read(&whole, fields, FIELD_COUNT, &read, err);

    if (status == OPEVO_OK)
        *out = read.device;
    json_decref(root);
    return status;
}

static opevo_status fail_unknown(const char *device, opevo_error *err)
{
    opevo_closest closest = {.word = device};
    opevo_text names = {0};

    for (size_t i = 0; i < opevo_device_count(); i++) {
        opevo_text_printf(&names, "%s, ", opevo_i_landscape_embedded_devices[i].name);
        opevo_closest_offer(&closest, opevo_i_landscape_embedded_devices[i].name);
    }
    if (closest.found)
        OPEVO_FAIL(err, OPEVO_INVALID, "Unknown simulated device '%s'; did you mean %s?", device,
                   closest.found);
    else
        OPEVO_FAIL(err, OPEVO_INVALID,
                   "Unknown simulated device '%s': use one of %sor the path of a device file "
                   "(with a '/' or ending in .json).",
                   device, opevo_text_string(&names));
    opevo_text_free(&names);
    return OPEVO_INVALID;
}

/* The description of a device that the program brings; NULL: it is that of a file. */
static const char *find_known(const char *device)
{
    for (size_t i = 0; i < opevo_device_count(); i++) {
        if (!strcmp(device, opevo_i_landscape_embedded_devices[i].name))
            return opevo_i_landscape_embedded_devices[i].json;
    }
    return NULL;
}

bool opevo_i_landscape_device_is_known(const char *device)
{
    return find_known(device) != NULL;
}

opevo_status opevo_i_landscape_device_load(const char *device, opevo_i_landscape_device *out,
                                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t length = strlen(device);
    json_t *root = NULL;
    const char *known = find_known(device);

    if (known) {
        status = opevo_json_parse(device, known, strlen(known), &root, err);
        return status == OPEVO_OK ? read_tree(root, device, out, err) : status;
    }
    if (!strchr(device, '/') && (length < 5 || strcmp(device + length - 5, ".json") != 0))
        return fail_unknown(device, err);
    status = opevo_json_load(device, DEVICE_BYTES_MAX, &root, err);
    return status == OPEVO_OK ? read_tree(root, device, out, err) : status;
}
