/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The members "buffers", "outputs" and "races" of a harness file. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum { BUFFERS = 256 };

static bool is_float(opevo_kernel_element element)
{
    return element == OPEVO_KERNEL_ELEMENT_F32 || element == OPEVO_KERNEL_ELEMENT_F64;
}

static bool element_of(const char *name, opevo_kernel_element *out)
{
    for (opevo_kernel_element e = 0; e <= OPEVO_KERNEL_ELEMENT_U8; e++) {
        if (name && !strcmp(name, opevo_kernel_element_name(e))) {
            *out = e;
            return true;
        }
    }
    return false;
}

/* The integers that an element holds exactly and that a double holds too. */
static void integer_range(opevo_kernel_element element, double *least, double *most)
{
    static const struct {
        double least, most;
    } ranges[] = {[OPEVO_KERNEL_ELEMENT_F32] = {-16777216, 16777216},
                  [OPEVO_KERNEL_ELEMENT_F64] = {-0x1p53, 0x1p53},
                  [OPEVO_KERNEL_ELEMENT_I32] = {INT32_MIN, INT32_MAX},
                  [OPEVO_KERNEL_ELEMENT_U32] = {0, UINT32_MAX},
                  [OPEVO_KERNEL_ELEMENT_I64] = {-0x1p53, 0x1p53},
                  [OPEVO_KERNEL_ELEMENT_U64] = {0, 0x1p53},
                  [OPEVO_KERNEL_ELEMENT_I16] = {INT16_MIN, INT16_MAX},
                  [OPEVO_KERNEL_ELEMENT_U16] = {0, UINT16_MAX},
                  [OPEVO_KERNEL_ELEMENT_I8] = {INT8_MIN, INT8_MAX},
                  [OPEVO_KERNEL_ELEMENT_U8] = {0, UINT8_MAX}};

    *least = ranges[element].least;
    *most = ranges[element].most;
}

/* A number that an element of the buffer holds. */
static opevo_status read_number(const opevo_harness *harness, json_t *value, bool integer,
                                const opevo_i_harness_buffer_plan *buffer, const char *key,
                                double *out, opevo_error *err)
{
    double number = json_number_value(value), least, most;

    integer_range(buffer->element, &least, &most);
    if (!json_is_number(value) ||
        ((integer || !is_float(buffer->element)) && number != trunc(number)))
        return opevo_i_harness_fail(harness, err, key, "%s is expected.",
                                    integer || !is_float(buffer->element) ? "An integer"
                                                                          : "A number");
    if ((integer || !is_float(buffer->element)) && (number < least || number > most))
        return opevo_i_harness_fail(harness, err, key, "%.17g does not fit into %s.", number,
                                    opevo_kernel_element_name(buffer->element));
    if (buffer->element == OPEVO_KERNEL_ELEMENT_F32 && !isfinite((float)number))
        return opevo_i_harness_fail(harness, err, key, "%.17g does not fit into f32.", number);
    *out = number;
    return OPEVO_OK;
}

/* {"uniform": [lo, hi]} and the like. */
static opevo_status read_pair(const opevo_harness *harness, json_t *pair, const char *key,
                              opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    bool integer = buffer->fill == OPEVO_I_FILL_INTEGERS;

    if (!json_is_array(pair) || json_array_size(pair) != 2)
        return opevo_i_harness_fail(harness, err, key, "An array of two numbers is expected.");
    for (size_t i = 0; i < 2; i++) {
        opevo_status status = read_number(harness, json_array_get(pair, i), integer, buffer, key,
                                          &buffer->numbers[i], err);

        if (status != OPEVO_OK)
            return status;
    }
    if (buffer->fill == OPEVO_I_FILL_NORMAL ? buffer->numbers[1] < 0
                                            : buffer->numbers[0] > buffer->numbers[1])
        return opevo_i_harness_fail(harness, err, key,
                                    buffer->fill == OPEVO_I_FILL_NORMAL
                                        ? "The standard deviation is negative."
                                        : "The first number exceeds the second one.");
    return OPEVO_OK;
}

static opevo_status read_graph(const opevo_harness *harness, json_t *fill, const char *key,
                               opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    static const char *const known[] = {"graph", "nodes", "edges", NULL};
    const char *part = json_string_value(json_object_get(fill, "graph"));
    opevo_status status = opevo_i_harness_keys(harness, fill, key, known, err);

    if (status != OPEVO_OK)
        return status;
    if (!part || (strcmp(part, "offsets") != 0 && strcmp(part, "targets") != 0))
        return opevo_i_harness_fail(harness, err, key,
                                    "\"graph\" must be \"offsets\" or \"targets\".");
    buffer->fill = *part == 'o' ? OPEVO_I_FILL_OFFSETS : OPEVO_I_FILL_TARGETS;
    buffer->expressions[0] = json_object_get(fill, "nodes");
    buffer->expressions[1] = json_object_get(fill, "edges");
    return OPEVO_OK;
}

static opevo_status read_fill(const opevo_harness *harness, json_t *fill, const char *key,
                              opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    static const char *const names[] = {
        [OPEVO_I_FILL_CONSTANT] = "constant", [OPEVO_I_FILL_UNIFORM] = "uniform",
        [OPEVO_I_FILL_NORMAL] = "normal",     [OPEVO_I_FILL_INTEGERS] = "integers",
        [OPEVO_I_FILL_CHOICE] = "choice",     [OPEVO_I_FILL_BORDER] = "border",
        [OPEVO_I_FILL_INDEX] = "index",       [OPEVO_I_FILL_PERMUTATION] = "permutation",
        [OPEVO_I_FILL_DOMINANT] = "dominant"};
    const char *name = json_string_value(fill);
    json_t *value = NULL;
    bool real = is_float(buffer->element);

    if (!fill)
        return OPEVO_OK;
    if (json_object_get(fill, "graph"))
        return read_graph(harness, fill, key, buffer, err);
    if (json_is_object(fill) && json_object_size(fill) == 1) {
        void *member = json_object_iter(fill);

        name = json_object_iter_key(member);
        value = json_object_iter_value(member);
    } else if (name && !strcmp(name, "zero")) {
        buffer->fill = OPEVO_I_FILL_CONSTANT;
        return OPEVO_OK;
    }
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (names[i] && !strcmp(name, names[i]))
            buffer->fill = (opevo_i_harness_fill)i;
    }
    switch (buffer->fill) {
    case OPEVO_I_FILL_INDEX:
    case OPEVO_I_FILL_PERMUTATION:
        if (!value)
            return OPEVO_OK;
        break;
    case OPEVO_I_FILL_CONSTANT:
    case OPEVO_I_FILL_BORDER:
        return read_number(harness, value, false, buffer, key, &buffer->numbers[0], err);
    case OPEVO_I_FILL_UNIFORM:
    case OPEVO_I_FILL_NORMAL:
        if (!real)
            return opevo_i_harness_fail(harness, err, key,
                                        "Integers cannot be %s; use \"integers\".", name);
        return read_pair(harness, value, key, buffer, err);
    case OPEVO_I_FILL_INTEGERS:
    case OPEVO_I_FILL_CHOICE:
        return read_pair(harness, value, key, buffer, err);
    case OPEVO_I_FILL_DOMINANT:
        if (!real)
            return opevo_i_harness_fail(harness, err, key, "A dominant matrix must have floats.");
        buffer->expressions[0] = value;
        return value ? OPEVO_OK
                     : opevo_i_harness_fail(harness, err, key, "The number of rows is missing.");
    default:
        break;
    }
    return opevo_i_harness_fail(
        harness, err, key,
        "Unknown fill; use \"zero\", \"index\", \"permutation\", or an object with one of "
        "\"constant\", \"uniform\", \"normal\", \"integers\", \"choice\", \"border\", "
        "\"dominant\", \"graph\".");
}

static opevo_status read_places(const opevo_harness *harness, opevo_i_harness_buffer_plan *buffer,
                                const char *key, opevo_error *err)
{
    json_t *place = NULL;
    size_t i = 0;

    if (!buffer->places)
        return OPEVO_OK;
    if (!json_is_array(buffer->places) || buffer->fill == OPEVO_I_FILL_NONE)
        return opevo_i_harness_fail(harness, err, key,
                                    "An array of pairs, index and value, is expected, and a fill.");
    json_array_foreach(buffer->places, i, place)
    {
        double ignored;
        opevo_status status;

        if (!json_is_array(place) || json_array_size(place) != 2)
            return opevo_i_harness_fail(harness, err, key, "Pair %zu is not a pair.", i);
        status = read_number(harness, json_array_get(place, 1), false, buffer, key, &ignored, err);
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

static opevo_status read_buffer(const opevo_harness *harness, json_t *object,
                                opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    static const char *const known[] = {"type", "count", "fill", "set", NULL};
    char key[OPEVO_I_WHERE_SIZE];
    opevo_status status = OPEVO_OK;

    snprintf(key, sizeof key, "buffers.%.60s", buffer->name);
    OPEVO_TRY(opevo_i_harness_keys(harness, object, key, known, err));
    if (!element_of(json_string_value(json_object_get(object, "type")), &buffer->element)) {
        strcat(key, ".type");
        return opevo_i_harness_fail(
            harness, err, key,
            "A type is expected: f32, f64, i32, u32, i64, u64, i16, u16, i8 or u8.");
    }
    buffer->count = json_object_get(object, "count");
    buffer->places = json_object_get(object, "set");
    snprintf(key, sizeof key, "buffers.%.60s.fill", buffer->name);
    OPEVO_TRY(read_fill(harness, json_object_get(object, "fill"), key, buffer, err));
    snprintf(key, sizeof key, "buffers.%.60s.set", buffer->name);
    OPEVO_TRY(read_places(harness, buffer, key, err));
cleanup:
    return status;
}

static opevo_status read_tolerance(const opevo_harness *harness, json_t *value, const char *key,
                                   opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    static const char *const known[] = {"relative", "floor", "absolute", NULL};
    json_t *relative = json_object_get(value, "relative");
    json_t *absolute = json_object_get(value, "absolute");
    json_t *least = json_object_get(value, "floor");
    opevo_status status;

    buffer->output = true;
    if (json_is_string(value) && !strcmp(json_string_value(value), "exact"))
        return OPEVO_OK;
    if (!json_is_object(value) || !relative == !absolute || (absolute && least))
        return opevo_i_harness_fail(harness, err, key,
                                    "\"exact\", {\"relative\": r, \"floor\": f} or "
                                    "{\"absolute\": a} is expected.");
    status = opevo_i_harness_keys(harness, value, key, known, err);
    if (status != OPEVO_OK)
        return status;
    buffer->tolerance = relative ? OPEVO_I_RELATIVE : OPEVO_I_ABSOLUTE;
    buffer->bound = json_number_value(relative ? relative : absolute);
    buffer->floor = least ? json_number_value(least) : 0x1p-126;
    if (!json_is_number(relative ? relative : absolute) || !(buffer->bound >= 0) ||
        !isfinite(buffer->bound) || !(buffer->floor > 0) || !isfinite(buffer->floor))
        return opevo_i_harness_fail(
            harness, err, key,
            "A tolerance must be a number of at least 0, and a floor a positive number.");
    if (!is_float(buffer->element))
        return opevo_i_harness_fail(harness, err, key, "Integers must be \"exact\".");
    return OPEVO_OK;
}

static opevo_status read_outputs(opevo_harness *harness, opevo_error *err)
{
    json_t *outputs = json_object_get(harness->root, "outputs");
    const char *name = NULL;
    json_t *value = NULL;

    if (!json_is_object(outputs) || json_object_size(outputs) == 0)
        return opevo_i_harness_fail(harness, err, "outputs",
                                    "An object with at least one output is expected.");
    json_object_foreach(outputs, name, value)
    {
        size_t i = opevo_i_harness_buffer(harness, name);
        char key[OPEVO_I_WHERE_SIZE];
        opevo_status status;

        snprintf(key, sizeof key, "outputs.%.60s", name);
        if (i == harness->buffer_count)
            return opevo_i_harness_fail(harness, err, key, "No buffer has this name.");
        status = read_tolerance(harness, value, key, &harness->buffers[i], err);
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

static opevo_status read_races(opevo_harness *harness, opevo_error *err)
{
    json_t *races = json_object_get(harness->root, "races");
    json_t *name = NULL;
    size_t i = 0;

    if (races && !json_is_array(races))
        return opevo_i_harness_fail(harness, err, "races", "An array of names is expected.");
    harness->racy = opevo_calloc(json_array_size(races) + 1, sizeof *harness->racy);
    if (!harness->racy)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", harness->path);
    json_array_foreach(races, i, name)
    {
        size_t buffer;

        if (!json_is_string(name))
            return opevo_i_harness_fail(harness, err, "races", "Entry %zu is not a name.", i);
        buffer = opevo_i_harness_buffer(harness, json_string_value(name));
        if (buffer < harness->buffer_count)
            harness->buffers[buffer].benign_races = true;
        else
            harness->racy[harness->racy_count++] = json_string_value(name);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_harness_buffers(opevo_harness *harness, opevo_error *err)
{
    json_t *buffers = json_object_get(harness->root, "buffers");
    opevo_status status = OPEVO_OK;
    const char *name = NULL;
    json_t *value = NULL;

    if (!json_is_object(buffers) || json_object_size(buffers) == 0 ||
        json_object_size(buffers) > BUFFERS)
        return opevo_i_harness_fail(harness, err, "buffers",
                                    "An object with 1 to %d buffers is expected.", BUFFERS);
    harness->buffers = opevo_calloc(json_object_size(buffers), sizeof *harness->buffers);
    if (!harness->buffers)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", harness->path);
    json_object_foreach(buffers, name, value)
    {
        harness->buffers[harness->buffer_count].name = name;
        OPEVO_TRY(read_buffer(harness, value, &harness->buffers[harness->buffer_count++], err));
    }
    OPEVO_TRY(read_outputs(harness, err));
    OPEVO_TRY(read_races(harness, err));
cleanup:
    return status;
}
