/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The members "buffers", "outputs" and "races" of a harness file. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { BUFFERS = 256 };

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
                  [OPEVO_KERNEL_ELEMENT_F16] = {-2048, 2048},
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

static bool fits(opevo_kernel_element element, double number)
{
    double held = 0;

    opevo_kernel_element_put(element, &held, 0, number);
    return isfinite(opevo_kernel_element_get(element, &held, 0));
}

/* A number that an element of the buffer holds. */
static opevo_status read_number(const opevo_json_reader *at, bool integer,
                                const opevo_i_harness_buffer_plan *buffer, double *out,
                                opevo_error *err)
{
    double number = json_number_value(at->value), least, most;

    integer_range(buffer->element, &least, &most);
    if (!json_is_number(at->value) ||
        ((integer || !opevo_kernel_element_is_real(buffer->element)) && number != trunc(number)))
        return opevo_json_fail(
            at, err, "%s is expected.",
            integer || !opevo_kernel_element_is_real(buffer->element) ? "An integer" : "A number");
    if ((integer || !opevo_kernel_element_is_real(buffer->element)) &&
        (number < least || number > most))
        return opevo_json_fail(at, err, "%.17g does not fit into %s.", number,
                               opevo_kernel_element_name(buffer->element));
    if (opevo_kernel_element_is_real(buffer->element) && !fits(buffer->element, number))
        return opevo_json_fail(at, err, "%.17g does not fit into %s.", number,
                               opevo_kernel_element_name(buffer->element));
    *out = number;
    return OPEVO_OK;
}

/* {"uniform": [lo, hi]} and the like. */
static opevo_status read_pair(const opevo_json_reader *at, opevo_i_harness_buffer_plan *buffer,
                              opevo_error *err)
{
    bool integer = buffer->fill == OPEVO_I_FILL_INTEGERS;

    if (json_array_size(at->value) != 2)
        return opevo_json_fail(at, err, "An array of two numbers is expected.");
    for (size_t i = 0; i < 2; i++) {
        opevo_json_reader number = opevo_json_element(at, i);
        opevo_status status = read_number(&number, integer, buffer, &buffer->numbers[i], err);

        if (status != OPEVO_OK)
            return status;
    }
    if (buffer->fill == OPEVO_I_FILL_NORMAL ? buffer->numbers[1] < 0
                                            : buffer->numbers[0] > buffer->numbers[1])
        return opevo_json_fail(at, err,
                               buffer->fill == OPEVO_I_FILL_NORMAL
                                   ? "The standard deviation is negative."
                                   : "The first number exceeds the second one.");
    return OPEVO_OK;
}

typedef struct graph_fill {
    unsigned part;
    json_t *nodes, *edges;
} graph_fill;

static opevo_status read_graph(const opevo_json_reader *at, opevo_i_harness_buffer_plan *buffer,
                               opevo_error *err)
{
    static const char *const parts[] = {"offsets", "targets", NULL};
    static const opevo_json_field fields[] = {
        {"graph", OPEVO_JSON_WORD, .offset = offsetof(graph_fill, part), .words = parts},
        OPEVO_JSON_FIELD(graph_fill, nodes, ANY),
        OPEVO_JSON_FIELD(graph_fill, edges, ANY)};
    graph_fill fill = {.part = 0};
    opevo_status status = opevo_json_read(at, fields, 3, &fill, err);

    if (status != OPEVO_OK)
        return status;
    buffer->fill = fill.part == 0 ? OPEVO_I_FILL_OFFSETS : OPEVO_I_FILL_TARGETS;
    buffer->expressions[0] = fill.nodes;
    buffer->expressions[1] = fill.edges;
    return OPEVO_OK;
}

/* The fill of a name; as it is for an unknown one. */
static void find_fill(const char *name, opevo_i_harness_buffer_plan *buffer)
{
    static const char *const names[] = {
        [OPEVO_I_FILL_CONSTANT] = "constant",    [OPEVO_I_FILL_UNIFORM] = "uniform",
        [OPEVO_I_FILL_NORMAL] = "normal",        [OPEVO_I_FILL_INTEGERS] = "integers",
        [OPEVO_I_FILL_CHOICE] = "choice",        [OPEVO_I_FILL_BORDER] = "border",
        [OPEVO_I_FILL_INDEX] = "index",          [OPEVO_I_FILL_PERMUTATION] = "permutation",
        [OPEVO_I_FILL_DOMINANT] = "dominant",    [OPEVO_I_FILL_FILE] = "file",
        [OPEVO_I_FILL_EXPRESSION] = "expression"};

    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (names[i] && !strcmp(name, names[i]))
            buffer->fill = (opevo_i_harness_fill)i;
    }
}

static opevo_status fail_unknown(const opevo_json_reader *at, opevo_error *err)
{
    return opevo_json_fail(
        at, err,
        "Unknown fill; use \"zero\", \"index\", \"permutation\", or an object with one of "
        "\"constant\", \"uniform\", \"normal\", \"integers\", \"choice\", \"border\", "
        "\"dominant\", \"graph\", \"expression\", \"file\".");
}

/* What the fill of that name needs, from its content. */
static opevo_status read_content(const opevo_harness *harness, const opevo_json_reader *at,
                                 const char *name, const opevo_json_reader *content,
                                 opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    switch (buffer->fill) {
    case OPEVO_I_FILL_INDEX:
    case OPEVO_I_FILL_PERMUTATION:
        return content->value ? fail_unknown(at, err) : OPEVO_OK;
    case OPEVO_I_FILL_CONSTANT:
    case OPEVO_I_FILL_BORDER:
        return content->value ? read_number(content, false, buffer, &buffer->numbers[0], err)
                              : opevo_json_fail(at, err, "A number is expected.");
    case OPEVO_I_FILL_UNIFORM:
    case OPEVO_I_FILL_NORMAL:
        if (!opevo_kernel_element_is_real(buffer->element))
            return opevo_json_fail(at, err, "Integers cannot be %s; use \"integers\".", name);
        /* fall through */
    case OPEVO_I_FILL_INTEGERS:
    case OPEVO_I_FILL_CHOICE:
        return content->value ? read_pair(content, buffer, err)
                              : opevo_json_fail(at, err, "An array of two numbers is expected.");
    case OPEVO_I_FILL_FILE:
        name = json_string_value(content->value);
        return name && *name ? opevo_i_harness_path(harness, name, &buffer->file, err)
                             : opevo_json_fail(at, err, "The path of a file is expected.");
    case OPEVO_I_FILL_EXPRESSION:
        buffer->expressions[0] = json_object_get(at->value, name);
        return content->value ? OPEVO_OK
                              : opevo_json_fail(at, err, "An expression of i is expected.");
    case OPEVO_I_FILL_DOMINANT:
        if (!opevo_kernel_element_is_real(buffer->element))
            return opevo_json_fail(at, err, "A dominant matrix must have floats.");
        buffer->expressions[0] = json_object_get(at->value, name);
        return content->value ? OPEVO_OK
                              : opevo_json_fail(at, err, "The number of rows is missing.");
    default:
        return fail_unknown(at, err);
    }
}

opevo_status opevo_i_harness_read_fill(const opevo_harness *harness, const opevo_json_reader *at,
                                       opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    const char *name = json_string_value(at->value);
    opevo_json_reader content = {.value = NULL};

    if (!at->value)
        return OPEVO_OK;
    if (json_object_get(at->value, "graph"))
        return read_graph(at, buffer, err);
    if (json_object_size(at->value) == 1) {
        name = json_object_iter_key(json_object_iter((json_t *)at->value));
        content = opevo_json_member(at, name);
    } else if (name && !strcmp(name, "zero")) {
        buffer->fill = OPEVO_I_FILL_CONSTANT;
        return OPEVO_OK;
    }
    find_fill(name, buffer);
    return read_content(harness, at, name, &content, buffer, err);
}

static opevo_status read_places(const opevo_json_reader *at,
                                const opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (at->value && (!json_is_array(at->value) || buffer->fill == OPEVO_I_FILL_NONE))
        return opevo_json_fail(at, err,
                               "An array of pairs, index and value, is expected, and a fill.");
    for (size_t i = 0; status == OPEVO_OK && i < json_array_size(at->value); i++) {
        opevo_json_reader pair = opevo_json_element(at, i);
        opevo_json_reader value = opevo_json_element(&pair, 1);
        double ignored;

        if (json_array_size(pair.value) != 2)
            return opevo_json_fail(at, err, "Pair %zu is not a pair.", i);
        status = read_number(&value, false, buffer, &ignored, err);
    }
    return status;
}

typedef struct buffer_entry {
    json_t *type, *count, *fill, *set;
    const char *symbol;
} buffer_entry;

static bool is_name(const char *text)
{
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    return text[strspn(text, letters)] == '\0' && !(*text >= '0' && *text <= '9');
}

static opevo_status read_buffer(const opevo_harness *harness, const opevo_json_reader *at,
                                opevo_i_harness_buffer_plan *buffer, opevo_error *err)
{
    static const opevo_json_field fields[] = {
        OPEVO_JSON_FIELD(buffer_entry, type, ANY), OPEVO_JSON_FIELD(buffer_entry, count, ANY),
        OPEVO_JSON_FIELD(buffer_entry, fill, ANY), OPEVO_JSON_FIELD(buffer_entry, set, ANY),
        OPEVO_JSON_FIELD(buffer_entry, symbol, TEXT, .least = 1, .most = 120)};
    opevo_json_reader type = opevo_json_member(at, "type");
    opevo_json_reader fill = opevo_json_member(at, "fill");
    opevo_json_reader places = opevo_json_member(at, "set");
    buffer_entry entry = {.type = NULL};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_read(at, fields, 5, &entry, err));
    buffer->count = entry.count;
    buffer->places = entry.set;
    buffer->symbol = entry.symbol;
    if (!element_of(json_string_value(type.value), &buffer->element))
        return opevo_json_fail(
            &type, err,
            "A type is expected: f32, f64, f16, i32, u32, i64, u64, i16, u16, i8 or u8.");
    OPEVO_TRY(opevo_i_harness_read_fill(harness, &fill, buffer, err));
    OPEVO_TRY(read_places(&places, buffer, err));
    if (buffer->symbol && (!is_name(buffer->symbol) || buffer->fill == OPEVO_I_FILL_NONE))
        status = opevo_json_fail(at, err,
                                 "A \"symbol\" is the name of a variable, and needs a \"fill\".");
cleanup:
    return status;
}

typedef struct tolerance_entry {
    double relative, absolute, floor; /* below 0: absent */
} tolerance_entry;

/* |x - g| <= a + r |g| is an error of at most r relative to |g| + a / r. */
static void set_tolerance(opevo_i_harness_buffer_plan *buffer, const tolerance_entry *entry)
{
    buffer->tolerance = OPEVO_I_RELATIVE;
    buffer->bound = entry->relative;
    buffer->floor = entry->floor > 0 ? entry->floor : 0x1p-126;
    if (entry->absolute < 0)
        return;
    buffer->tolerance = OPEVO_I_ABSOLUTE;
    buffer->bound = entry->absolute;
    if (!(entry->relative > 0))
        return;
    buffer->tolerance = OPEVO_I_SUMMED;
    buffer->bound = entry->relative;
    buffer->floor = fmax(entry->absolute / entry->relative, DBL_MIN);
}

static opevo_status read_tolerance(const opevo_json_reader *at, opevo_i_harness_buffer_plan *buffer,
                                   opevo_error *err)
{
    static const opevo_json_field fields[] = {
        OPEVO_JSON_FIELD(tolerance_entry, relative, NUMBER, .most = DBL_MAX),
        OPEVO_JSON_FIELD(tolerance_entry, absolute, NUMBER, .most = DBL_MAX),
        OPEVO_JSON_FIELD(tolerance_entry, floor, NUMBER, .is_open = true)};
    tolerance_entry entry = {-1, -1, -1};
    const char *word = json_string_value(at->value);
    opevo_status status = OPEVO_OK;

    buffer->output = true;
    if (word && !strcmp(word, "exact"))
        return OPEVO_OK;
    if (word && !strcmp(word, "any")) {
        buffer->tolerance = OPEVO_I_ANY;
        buffer->bound = DBL_MAX;
        return OPEVO_OK;
    }
    if (json_is_object(at->value))
        OPEVO_TRY(opevo_json_read(at, fields, 3, &entry, err));
    if ((entry.relative < 0 && entry.absolute < 0) || (entry.absolute >= 0 && entry.floor >= 0))
        return opevo_json_fail(at, err,
                               "\"exact\", \"any\", {\"relative\": r, \"floor\": f}, "
                               "{\"absolute\": a} or {\"absolute\": a, \"relative\": r} is "
                               "expected.");
    set_tolerance(buffer, &entry);
    if (!opevo_kernel_element_is_real(buffer->element))
        return opevo_json_fail(at, err, "Integers must be \"exact\".");
cleanup:
    return status;
}

static opevo_status read_outputs(opevo_harness *harness, const opevo_json_reader *at,
                                 opevo_error *err)
{
    const char *name = NULL;
    json_t *value = NULL;
    opevo_status status = OPEVO_OK;

    if (json_object_size(at->value) == 0)
        return opevo_json_fail(at, err, "An object with at least one output is expected.");
    json_object_foreach((json_t *)at->value, name, value)
    {
        opevo_json_reader output = opevo_json_member(at, name);
        size_t i = opevo_i_harness_buffer(harness, name);

        if (i == harness->buffer_count)
            return opevo_json_fail(&output, err, "No buffer has this name.");
        OPEVO_TRY(read_tolerance(&output, &harness->buffers[i], err));
    }
cleanup:
    return status;
}

static opevo_status read_races(opevo_harness *harness, const opevo_json_reader *at,
                               opevo_error *err)
{
    if (at->value && !json_is_array(at->value))
        return opevo_json_fail(at, err, "An array of names is expected.");
    OPEVO_NEW_OR_RETURN(harness->racy, json_array_size(at->value) + 1, "reading %s", harness->path);
    for (size_t i = 0; i < json_array_size(at->value); i++) {
        const char *name = json_string_value(json_array_get(at->value, i));
        size_t buffer = name ? opevo_i_harness_buffer(harness, name) : 0;

        if (!name)
            return opevo_json_fail(at, err, "Entry %zu is not a name.", i);
        if (buffer < harness->buffer_count)
            harness->buffers[buffer].benign_races = true;
        else
            harness->racy[harness->racy_count++] = name;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_harness_buffers(opevo_harness *harness, const opevo_json_reader *root,
                                     opevo_error *err)
{
    opevo_json_reader buffers = opevo_json_member(root, "buffers");
    opevo_json_reader outputs = opevo_json_member(root, "outputs");
    opevo_json_reader races = opevo_json_member(root, "races");
    size_t count = json_object_size(buffers.value);
    opevo_status status = OPEVO_OK;
    const char *name = NULL;
    json_t *value = NULL;

    if (count == 0 || count > BUFFERS)
        return opevo_json_fail(&buffers, err, "An object with 1 to %d buffers is expected.",
                               BUFFERS);
    OPEVO_NEW(harness->buffers, count, "%s", harness->path);
    json_object_foreach((json_t *)buffers.value, name, value)
    {
        opevo_i_harness_buffer_plan *buffer = &harness->buffers[harness->buffer_count++];
        opevo_json_reader entry = opevo_json_member(&buffers, name);

        buffer->name = name;
        OPEVO_TRY(read_buffer(harness, &entry, buffer, err));
    }
    OPEVO_TRY(read_outputs(harness, &outputs, err));
    OPEVO_TRY(read_races(harness, &races, err));
cleanup:
    return status;
}
