/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Devices as data: the files that the build embeds, and those of a user. */

#include "simulated_internal.h"

#include <opevo/closest.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <jansson.h>

#include <math.h>
#include <string.h>

typedef struct number {
    const char *key;
    double low, high;
    bool whole;
} number;

static const number numbers[] = {
#define NUMBER(name, low, high, whole) {#name, low, high, whole},
    OPEVO_I_DEVICE_NUMBERS(NUMBER)
#undef NUMBER
};
#define DEVICE_BYTES_MAX ((size_t)1 << 20)
enum { NUMBER_COUNT = sizeof numbers / sizeof *numbers };

_Static_assert(sizeof(opevo_i_landscape_device) == NUMBER_COUNT * sizeof(double),
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

static opevo_status read_number(const json_t *object, const number *wanted, const char *origin,
                                double *out, opevo_error *err)
{
    const json_t *member = json_object_get(object, wanted->key);
    double value = 0.0;

    if (!json_is_number(member))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: '%s' must be given, as a number.", origin,
                          wanted->key);
    value = json_number_value(member);
    if (!(value >= wanted->low && value <= wanted->high) ||
        (wanted->whole && value != floor(value)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: '%s' must be a %snumber from %g to %g.", origin,
                          wanted->key, wanted->whole ? "whole " : "", wanted->low, wanted->high);
    *out = value;
    return OPEVO_OK;
}

static bool is_known(const char *key)
{
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        if (strcmp(key, numbers[i].key) == 0)
            return true;
    }
    return strcmp(key, "title") == 0;
}

static opevo_status read_members(json_t *object, const char *origin, opevo_i_landscape_device *out,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double values[NUMBER_COUNT];
    const char *key = NULL;
    json_t *member = NULL;

    if (!json_is_object(object) || !json_is_string(json_object_get(object, "title")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: a device file is an object with a string 'title' and numbers.",
                          origin);
    json_object_foreach(object, key, member)
    {
        if (!is_known(key))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: unknown key '%s' in a device file.", origin,
                              key);
    }
    for (size_t i = 0; i < NUMBER_COUNT; i++)
        OPEVO_TRY(read_number(object, &numbers[i], origin, &values[i], err));
    memcpy(out, values, sizeof values);
cleanup:
    return status;
}

static opevo_status parse(const char *text, size_t size, const char *origin,
                          opevo_i_landscape_device *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    json_error_t error;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);

    if (!object)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: %s.", origin, error.line, error.text);
    status = read_members(object, origin, out, err);
    json_decref(object);
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

opevo_status opevo_i_landscape_device_load(const char *device, opevo_i_landscape_device *out,
                                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t length = strlen(device);
    char *data = NULL;
    size_t size = 0;

    for (size_t i = 0; i < opevo_device_count(); i++) {
        const opevo_i_landscape_embedded_device *known = &opevo_i_landscape_embedded_devices[i];

        if (strcmp(device, known->name) == 0)
            return parse(known->json, strlen(known->json), device, out, err);
    }
    if (!strchr(device, '/') && (length < 5 || strcmp(device + length - 5, ".json") != 0))
        return fail_unknown(device, err);
    OPEVO_TRY(opevo_file_read(device, DEVICE_BYTES_MAX, &data, &size, err));
    OPEVO_TRY(parse(data, size, device, out, err));
cleanup:
    opevo_free(data);
    return status;
}
