/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuning problem of Kernel Tuner (T1) or of KTT's loader: its KernelSpecification as a harness.
 * Scalars are sizes, so that the expressions of the problem may name them. Source: the schema T1
 * 1.0.0 of github.com/odgaard/TuningSchema; KTT's Source/TuningLoader and
 * TuningLoader/TuningFormatSchema.json. */

#include "own_t1_internal.h"

#include <opevo/own_kernels.h>

#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILE_BYTES = 1 << 24 };

typedef struct reader {
    const char *path;
    const json_t *root, *kernel; /* KernelSpecification */
    const opevo_space *space;
    json_t *harness;
    bool failed; /* no memory */
} reader;

static void set(reader *self, json_t *object, const char *key, json_t *value)
{
    self->failed |= json_object_set_new(object, key, value) != 0;
}

static opevo_status refuse(const reader *self, opevo_error *err, const char *what, const char *why)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s: KernelSpecification.%s: %s", self->path, what, why);
}

static void print_expression(const reader *self, const json_t *given, opevo_text *out)
{
    opevo_i_own_t1_print(json_object_get(self->kernel, "ProblemSize"), self->space, given, out);
}

static json_t *expression(reader *self, const json_t *given)
{
    opevo_text text = {0};
    json_t *out = NULL;

    if (!json_is_string(given))
        return json_deep_copy(given);
    print_expression(self, given, &text);
    out = text.failed ? NULL : json_string(opevo_text_string(&text));
    self->failed |= !out;
    opevo_text_free(&text);
    return out;
}

/* ---- The launch ----------------------------------------------------------------------------- */

static const char *const axes[] = {"X", "Y", "Z"};
enum { AXES = 3 };

/* The modifiers of KTT: a parameter that a size is multiplied by, divided by and the like. */
static void modify(const reader *self, const char *type, int axis, opevo_text *out)
{
    static const char *const actions[][3] = {{"Add", "", " + "},
                                             {"Subtract", "", " - "},
                                             {"Multiply", "", " * "},
                                             {"Divide", "", " / "},
                                             {"DivideCeil", "ceil", ", "}};
    const json_t *list = json_object_get(self->kernel, "Modifiers");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *of = json_string_value(json_object_get(one, "Type"));
        const char *dimension = json_string_value(json_object_get(one, "Dimension"));
        const char *parameter = json_string_value(json_object_get(one, "Parameter"));
        const char *action = json_string_value(json_object_get(one, "Action"));

        if (!of || !dimension || !parameter || strcmp(of, type) != 0 ||
            strcmp(dimension, axes[axis]) != 0)
            continue;
        for (size_t a = 0; action && a < sizeof actions / sizeof *actions; a++) {
            opevo_text whole = {0};

            if (strcmp(actions[a][0], action) != 0)
                continue;
            opevo_text_printf(&whole, "%s(%s%s%s)", actions[a][1], opevo_text_string(out),
                              actions[a][2], parameter);
            opevo_text_clear(out);
            opevo_text_add(out, opevo_text_string(&whole));
            opevo_text_free(&whole);
        }
    }
}

static bool is_parameter(const reader *self, const char *name)
{
    const json_t *list =
        json_object_get(json_object_get(self->root, "ConfigurationSpace"), "TuningParameters");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_object_get(json_array_get(list, i), "Name"));

        if (one && !strcmp(one, name))
            return true;
    }
    return false;
}

/* Work items of a block: as given, else by Kernel Tuner's name of the parameter, else 1. */
static void print_block(const reader *self, int axis, opevo_text *out)
{
    static const char *const usual[] = {"block_size_x", "block_size_y", "block_size_z"};
    const json_t *given = opevo_i_own_t1_axis(json_object_get(self->kernel, "LocalSize"), axis);

    if (given)
        print_expression(self, given, out);
    else
        opevo_text_add(out, is_parameter(self, usual[axis]) ? usual[axis] : "1");
    modify(self, "Local", axis, out);
}

/* What divides a problem's size: a list, or one alone; NULL: not given. */
static const json_t *divisors_of(const reader *self, int axis)
{
    char key[] = "GridDivX";
    const json_t *given = NULL;

    key[sizeof key - 2] = axes[axis][0];
    given = json_object_get(self->kernel, key);
    return json_is_null(given) ? NULL : given;
}

/* Blocks by a problem's size and what divides it, as Kernel Tuner has it: by the block where
 * nothing is given, and by 1 for an empty list. */
static void print_divided(const reader *self, int axis, const json_t *size, const char *block,
                          opevo_text *out)
{
    const json_t *divisors = divisors_of(self, axis);
    size_t count = json_is_array(divisors) ? json_array_size(divisors) : divisors != NULL;

    opevo_text_add(out, "ceil(");
    print_expression(self, size, out);
    opevo_text_add(out, ", ");
    for (size_t i = 0; i < count; i++) {
        opevo_text_add(out, i ? " * (" : "(");
        print_expression(self, json_is_array(divisors) ? json_array_get(divisors, i) : divisors,
                         out);
        opevo_text_add(out, ")");
    }
    if (!divisors)
        opevo_text_add(out, block);
    opevo_text_add(out, divisors && !count ? "1)" : ")");
}

/* Blocks, or work items over those of a block. */
static void print_global(const reader *self, int axis, const char *block, opevo_text *out)
{
    const json_t *given = opevo_i_own_t1_axis(json_object_get(self->kernel, "GlobalSize"), axis);
    const char *kind = json_string_value(json_object_get(self->kernel, "GlobalSizeType"));
    const char *language = json_string_value(json_object_get(self->kernel, "Language"));
    bool items = kind ? !strcmp(kind, "OpenCL") : language && !strcmp(language, "OpenCL");
    opevo_text whole = {0};

    if (given)
        print_expression(self, given, &whole);
    else
        opevo_text_add(&whole, "1");
    modify(self, "Global", axis, &whole);
    if (items && given)
        opevo_text_printf(out, "ceil(%s, %s)", opevo_text_string(&whole), block);
    else
        opevo_text_add(out, opevo_text_string(&whole));
    opevo_text_free(&whole);
}

/* A problem's size counts where a divisor is named, or there is no GlobalSize. */
static bool is_divided(const reader *self)
{
    bool named = divisors_of(self, 0) || divisors_of(self, 1) || divisors_of(self, 2);

    return json_object_get(self->kernel, "ProblemSize") &&
           (named || !json_object_get(self->kernel, "GlobalSize"));
}

static void add_launch(reader *self, json_t *step)
{
    const json_t *problem = json_object_get(self->kernel, "ProblemSize");
    const json_t *shared = json_object_get(self->kernel, "SharedMemory");
    json_t *grid = json_array(), *block = json_array();

    for (int axis = 0; axis < AXES; axis++) {
        opevo_text blocks = {0}, items = {0};
        const json_t *size = opevo_i_own_t1_axis(problem, axis);

        print_block(self, axis, &items);
        if (is_divided(self) && size)
            print_divided(self, axis, size, opevo_text_string(&items), &blocks);
        else if (is_divided(self))
            opevo_text_add(&blocks, "1");
        else
            print_global(self, axis, opevo_text_string(&items), &blocks);
        self->failed |= blocks.failed || items.failed;
        self->failed |= json_array_append_new(grid, json_string(opevo_text_string(&blocks))) != 0;
        self->failed |= json_array_append_new(block, json_string(opevo_text_string(&items))) != 0;
        opevo_text_free(&blocks);
        opevo_text_free(&items);
    }
    set(self, step, "grid", grid);
    set(self, step, "block", block);
    if (json_is_string(shared) || json_number_value(shared) > 0)
        set(self, step, "shared", expression(self, shared));
}

/* ---- Arguments ------------------------------------------------------------------------------ */

/* What is put into a vector, or is right in it; NULL for what a harness has not. */
static json_t *fill_of(reader *self, const json_t *argument, const char *element)
{
    const char *type = json_string_value(json_object_get(argument, "FillType"));
    const char *source = json_string_value(json_object_get(argument, "DataSource"));
    double value = json_number_value(json_object_get(argument, "FillValue"));
    json_t *generated = NULL;

    if (!type || !strcmp(type, "Constant"))
        return element[0] == 'f' ? json_pack("{s:f}", "constant", value)
                                 : json_pack("{s:I}", "constant", (json_int_t)value);
    if (!strcmp(type, "Random") && element[0] == 'f')
        return json_pack("{s:[f,f]}", "uniform", 0.0, value > 0 ? value : 1.0);
    if (!strcmp(type, "Random"))
        return json_pack("{s:[i,i]}", "integers", 0, value >= 1 && value < 128 ? (int)value : 100);
    if (!strcmp(type, "BinaryRaw") && source)
        return json_pack("{s:s}", "file", source);
    if (strcmp(type, "Generator") != 0 || !source)
        return NULL;
    generated = expression(self, json_object_get(argument, "DataSource"));
    return json_pack("{s:o}", "expression", generated);
}

#define FILLS "FillType is Constant, Random, BinaryRaw or Generator, with its DataSource."

/* Elements of a vector of `lanes` each. */
static json_t *size_of(reader *self, const json_t *argument, unsigned lanes)
{
    const json_t *given = json_object_get(argument, "Size");
    opevo_text text = {0};
    json_t *size = NULL;

    if (lanes == 1)
        return expression(self, given);
    if (!given)
        return NULL;
    opevo_text_printf(&text, "%u * (", lanes);
    print_expression(self, given, &text);
    opevo_text_add(&text, ")");
    self->failed |= text.failed;
    size = json_string(opevo_text_string(&text));
    opevo_text_free(&text);
    return size;
}

static opevo_status add_vector(reader *self, const json_t *argument, const char *name,
                               const char *element, unsigned lanes, opevo_error *err)
{
    const char *access = json_string_value(json_object_get(argument, "AccessType"));
    json_t *size = size_of(self, argument, lanes);
    json_t *fill = fill_of(self, argument, element);
    bool output = (access && strcmp(access, "ReadOnly") != 0) ||
                  json_number_value(json_object_get(argument, "Output")) > 0;

    if (!fill || !size) {
        const char *what = fill ? "a vector needs a Size." : "a vector's " FILLS;

        json_decref(size);
        json_decref(fill);
        return refuse(self, err, "Arguments", what);
    }
    set(self, json_object_get(self->harness, "buffers"), name,
        json_pack("{s:s, s:o, s:o}", "type", element, "count", size, "fill", fill));
    if (output)
        set(self, json_object_get(self->harness, "outputs"), name,
            element[0] == 'f' ? json_pack("{s:f, s:f}", "relative", 1e-4, "floor", 1.0)
                              : json_string("exact"));
    return OPEVO_OK;
}

/* Local memory: as many elements. */
static void add_local(reader *self, const json_t *argument, size_t bytes, json_t *arguments)
{
    opevo_text text = {0};

    opevo_text_printf(&text, "%zu * (", bytes);
    print_expression(self, json_object_get(argument, "Size"), &text);
    opevo_text_add(&text, ")");
    self->failed |= text.failed;
    self->failed |= json_array_append_new(
                        arguments, json_pack("{s:s}", "local", opevo_text_string(&text))) != 0;
    opevo_text_free(&text);
}

static void add_scalar(reader *self, const char *name, const char *element, const json_t *value,
                       json_t *arguments)
{
    bool named = json_is_integer(value) && !is_parameter(self, name);
    json_t *number = NULL;

    if (named)
        set(self, json_object_get(json_object_get(self->harness, "tune"), "sizes"), name,
            json_deep_copy(value));
    if (named)
        number = json_string(name);
    else if (element[0] == 'f')
        number = json_real(json_number_value(value));
    else
        number = json_integer((json_int_t)json_number_value(value));
    self->failed |= json_array_append_new(arguments, json_pack("{s:o}", element, number)) != 0;
}

/* In constant memory, which CUDA and HIP have as a variable of the argument's name. */
static bool is_constant(const reader *self, const json_t *argument)
{
    const char *kind = json_string_value(json_object_get(argument, "MemType"));
    const char *language = json_string_value(json_object_get(self->kernel, "Language"));

    return kind && !strcmp(kind, "Constant") && language && strcmp(language, "OpenCL") != 0;
}

/* Bytes have no random values, and no constant but 0; a struct by value needs its members. */
static bool fits_bytes(const json_t *argument, const char *element, const char *memory)
{
    const char *fill = json_string_value(json_object_get(argument, "FillType"));
    bool zero = (!fill || !strcmp(fill, "Constant")) &&
                json_number_value(json_object_get(argument, "FillValue")) == 0;

    return element && memory &&
           (!strcmp(memory, "Local") ||
            (!strcmp(memory, "Vector") && (zero || (fill && !strcmp(fill, "BinaryRaw")))));
}

static opevo_status add_argument(reader *self, const json_t *argument, size_t number,
                                 json_t *arguments, opevo_error *err)
{
    const char *given = json_string_value(json_object_get(argument, "Name"));
    const char *memory = json_string_value(json_object_get(argument, "MemoryType"));
    unsigned lanes = 1;
    const char *element = opevo_i_own_t1_element(argument, &lanes);
    const json_t *value = json_object_get(argument, "FillValue");
    opevo_status status = OPEVO_OK;
    char name[160];

    if (given)
        snprintf(name, sizeof name, "%.150s", given);
    else
        snprintf(name, sizeof name, "argument%zu", number);
    if (opevo_i_own_t1_is_custom(argument) && !fits_bytes(argument, element, memory))
        return refuse(
            self, err, "Arguments",
            "a custom type needs its TypeSize in bytes, and is that of a Vector whose "
            "FillType is BinaryRaw, or Constant with FillValue 0, or of Local memory; for "
            "others write a harness, which has structs.");
    if (!element || !memory)
        return refuse(self, err, "Arguments",
                      "an argument needs a MemoryType, and a Type of numbers, such as float, half, "
                      "float4 or int32, or custom with a TypeSize.");
    if (!strcmp(memory, "Vector")) {
        self->failed |= json_array_append_new(arguments, json_string(name)) != 0;
        status = add_vector(self, argument, name, element, lanes, err);
        if (status == OPEVO_OK && is_constant(self, argument))
            set(self, json_object_get(json_object_get(self->harness, "buffers"), name), "symbol",
                json_string(name));
        return status;
    }
    if (!strcmp(memory, "Local") && json_object_get(argument, "Size")) {
        add_local(self, argument, lanes * (strtoul(element + 1, NULL, 10) / 8), arguments);
        return OPEVO_OK;
    }
    if (strcmp(memory, "Scalar") != 0 || lanes != 1 || !json_is_number(value))
        return refuse(self, err, "Arguments",
                      "an argument is a Vector, Local memory with a Size, or a Scalar of one "
                      "number with a number as FillValue.");
    add_scalar(self, name, element, value, arguments);
    return OPEVO_OK;
}

/* The place of an argument: its Order, where it has one. */
static const json_t *argument_at(const json_t *list, size_t place)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const json_t *order = json_object_get(one, "Order");

        if (json_is_integer(order) && json_integer_value(order) == (json_int_t)place)
            return one;
    }
    return json_array_get(list, place);
}

/* ---- What is right -------------------------------------------------------------------------- */

/* Only the vectors with a reference are then compared. KTT's AbsoluteDifference bounds the sum of
 * all differences; here it bounds each of them. */
static opevo_status add_reference(reader *self, const json_t *reference, json_t *outputs,
                                  json_t *values, opevo_error *err)
{
    const char *target = json_string_value(json_object_get(reference, "TargetName"));
    const char *method = json_string_value(json_object_get(reference, "ValidationMethod"));
    const json_t *threshold = json_object_get(reference, "ValidationThreshold");
    const json_t *buffer =
        json_object_get(json_object_get(self->harness, "buffers"), target ? target : "");
    const char *element = json_string_value(json_object_get(buffer, "type"));
    double bound = threshold ? json_number_value(threshold) : 1e-4;
    json_t *fill = element ? fill_of(self, reference, element) : NULL;

    if (!fill)
        return refuse(self, err, "ReferenceArguments",
                      element ? "the " FILLS : "TargetName must be the Name of a vector.");
    set(self, values, target, fill);
    if (element[0] != 'f')
        set(self, outputs, target, json_string("exact"));
    else if (!method || !strcmp(method, "SideBySideRelativeComparison"))
        set(self, outputs, target, json_pack("{s:f, s:f}", "relative", bound, "floor", 1.0));
    else
        set(self, outputs, target, json_pack("{s:f}", "absolute", bound));
    return OPEVO_OK;
}

static opevo_status add_references(reader *self, opevo_error *err)
{
    const json_t *list = json_object_get(self->kernel, "ReferenceArguments");
    json_t *outputs = json_object(), *values = json_object();
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(list) && status == OPEVO_OK; i++)
        status = add_reference(self, json_array_get(list, i), outputs, values, err);
    if (json_array_size(list) == 0 || status != OPEVO_OK) {
        json_decref(outputs);
        json_decref(values);
        return status;
    }
    set(self, self->harness, "outputs", outputs);
    set(self, self->harness, "reference", json_pack("{s:o}", "values", values));
    return OPEVO_OK;
}

static void add_default(reader *self, const json_t *root)
{
    const json_t *list =
        json_object_get(json_object_get(root, "ConfigurationSpace"), "TuningParameters");
    json_t *point = json_object();

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(entry, "Name"));
        json_t *value = json_object_get(entry, "Default");

        if (name && value)
            self->failed |= json_object_set(point, name, value) != 0;
    }
    if (json_object_size(point))
        set(self, self->harness, "default", point);
    else
        json_decref(point);
}

/* An array of words, or a text of words with spaces between. */
static void add_options(reader *self)
{
    const json_t *options = json_object_get(self->kernel, "CompilerOptions");
    size_t count = json_is_string(options) ? 1 : json_array_size(options);
    json_t *words = json_array();

    for (size_t i = 0; i < count; i++) {
        const char *at =
            json_string_value(json_is_string(options) ? options : json_array_get(options, i));

        while (at && *at) {
            size_t length = strcspn(at, " ");

            if (length)
                self->failed |= json_array_append_new(words, json_stringn(at, length)) != 0;
            at += length + (at[length] != '\0');
        }
    }
    if (json_array_size(words))
        set(self, self->harness, "compiler", words);
    else
        json_decref(words);
}

static opevo_status convert(reader *self, opevo_error *err)
{
    const char *name = json_string_value(json_object_get(self->kernel, "KernelName"));
    const json_t *list = json_object_get(self->kernel, "Arguments");
    json_t *step = json_pack("{s:s}", "launch", name ? name : "");
    json_t *arguments = json_array();
    opevo_status status = OPEVO_OK;

    self->harness = json_pack("{s:{s:{}}, s:{}, s:{}, s:[o]}", "tune", "sizes", "buffers",
                              "outputs", "steps", step);
    self->failed = !self->harness || !arguments;
    if (self->failed || !name || json_array_size(list) == 0) {
        json_decref(arguments);
        return name && json_array_size(list)
                   ? OPEVO_OK
                   : refuse(self, err, name ? "Arguments" : "KernelName", "it is missing.");
    }
    add_launch(self, step);
    set(self, step, "arguments", arguments);
    add_options(self);
    add_default(self, self->root);
    for (size_t i = 0; i < json_array_size(list) && status == OPEVO_OK; i++)
        status = add_argument(self, argument_at(list, i), i, arguments, err);
    return status == OPEVO_OK ? add_references(self, err) : status;
}

/* The path of the kernel, seen from the problem's folder. */
static opevo_status find_source(const reader *self, opevo_text *out, opevo_error *err)
{
    const char *file = json_string_value(json_object_get(self->kernel, "KernelFile"));
    const char *slash = strrchr(self->path, '/');

    if (!file || !*file)
        return refuse(self, err, "KernelFile", "it is missing.");
    if (slash && *file != '/')
        opevo_text_add_bytes(out, self->path, (size_t)(slash + 1 - self->path));
    opevo_text_add(out, file);
    return opevo_text_check(out, err);
}

bool opevo_own_is_t1(const char *path)
{
    json_t *root = NULL;
    bool is = opevo_json_load(path, FILE_BYTES, &root, NULL) == OPEVO_OK &&
              json_object_get(root, "KernelSpecification") &&
              json_object_get(root, "ConfigurationSpace");

    json_decref(root);
    return is;
}

opevo_status opevo_own_t1_read(const char *path, opevo_text *source, opevo_text *harness,
                               opevo_error *err)
{
    reader self = {.path = path};
    opevo_space *space = NULL;
    json_t *root = NULL;
    char *text = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_load(path, FILE_BYTES, &root, err));
    OPEVO_TRY(opevo_space_load(path, &space, err));
    self.space = space;
    self.root = root;
    self.kernel = json_object_get(root, "KernelSpecification");
    OPEVO_TRY(find_source(&self, source, err));
    OPEVO_TRY(convert(&self, err));
    text = self.failed ? NULL : json_dumps(self.harness, JSON_INDENT(2));
    opevo_text_add(harness, text ? text : "");
    status = text ? opevo_text_check(harness, err)
                  : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
cleanup:
    free(text);
    json_decref(self.harness);
    json_decref(root);
    opevo_space_destroy(space);
    return status;
}
