/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuning problem of Kernel Tuner (T1): its KernelSpecification as a harness. Scalars are sizes,
 * so that the expressions of the problem may name them; operators that C spells otherwise are
 * replaced. Source: the schema T1 1.0.0 of github.com/odgaard/TuningSchema. */

#include <opevo/own_kernels.h>

#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 24 };

typedef struct reader {
    const char *path;
    const json_t *kernel; /* KernelSpecification */
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

static const char *element_of(const char *type)
{
    static const char *const types[][2] = {
        {"float", "f32"}, {"double", "f64"},  {"int", "i32"},    {"uint", "u32"},
        {"int8", "i8"},   {"uint8", "u8"},    {"int16", "i16"},  {"uint16", "u16"},
        {"int32", "i32"}, {"uint32", "u32"},  {"int64", "i64"},  {"uint64", "u64"},
        {"bool", "u8"},   {"float32", "f32"}, {"float64", "f64"}};

    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++) {
        if (!strcmp(types[i][0], type))
            return types[i][1];
    }
    return NULL;
}

/* An expression in Python as one of a harness: whole division is "/". */
static json_t *expression(const json_t *given)
{
    const char *at = json_string_value(given);
    opevo_text text = {0};
    json_t *out = NULL;

    if (!at)
        return json_deep_copy(given);
    for (; *at; at++) {
        if (at[0] == '/' && at[1] == '/')
            at++;
        opevo_text_add_bytes(&text, at, 1);
    }
    out = text.failed ? NULL : json_string(opevo_text_string(&text));
    opevo_text_free(&text);
    return out;
}

/* The grid: blocks, or work items over those of a block. */
static void add_launch(reader *self, json_t *step)
{
    static const char *const axes[] = {"X", "Y", "Z"};
    const json_t *global = json_object_get(self->kernel, "GlobalSize");
    const json_t *local = json_object_get(self->kernel, "LocalSize");
    const char *kind = json_string_value(json_object_get(self->kernel, "GlobalSizeType"));
    const char *language = json_string_value(json_object_get(self->kernel, "Language"));
    bool items = kind ? !strcmp(kind, "OpenCL") : language && !strcmp(language, "OpenCL");
    json_t *grid = json_array(), *block = json_array();

    for (size_t i = 0; i < 3; i++) {
        json_t *all = expression(json_object_get(global, axes[i]));
        json_t *one = expression(json_object_get(local, axes[i]));
        char text[1024];

        one = one ? one : json_string("1");
        all = all ? all : json_string(items ? "1" : "1");
        if (items && json_string_value(all) && json_string_value(one)) {
            snprintf(text, sizeof text, "ceil(%.480s, %.480s)", json_string_value(all),
                     json_string_value(one));
            json_decref(all);
            all = json_string(text);
        }
        self->failed |= json_array_append_new(grid, all) | json_array_append_new(block, one);
    }
    set(self, step, "grid", grid);
    set(self, step, "block", block);
}

static json_t *fill_of(const json_t *argument)
{
    const char *type = json_string_value(json_object_get(argument, "FillType"));
    const char *element = element_of(json_string_value(json_object_get(argument, "Type")));
    double value = json_number_value(json_object_get(argument, "FillValue"));

    if (type && !strcmp(type, "Random") && element[0] == 'f')
        return json_pack("{s:[f,f]}", "uniform", 0.0, value > 0 ? value : 1.0);
    if (type && !strcmp(type, "Random"))
        return json_pack("{s:[i,i]}", "integers", 0, value >= 1 && value < 128 ? (int)value : 100);
    return element[0] == 'f' ? json_pack("{s:f}", "constant", value)
                             : json_pack("{s:i}", "constant", (int)value);
}

static opevo_status add_vector(reader *self, const json_t *argument, const char *name,
                               const char *element, opevo_error *err)
{
    const char *access = json_string_value(json_object_get(argument, "AccessType"));
    const char *type = json_string_value(json_object_get(argument, "FillType"));
    json_t *size = expression(json_object_get(argument, "Size"));
    bool output = (access && strcmp(access, "ReadOnly") != 0) ||
                  json_number_value(json_object_get(argument, "Output")) > 0;

    if (type && strcmp(type, "Random") != 0 && strcmp(type, "Constant") != 0) {
        json_decref(size);
        return refuse(self, err, "Arguments", "a vector's FillType is Random or Constant.");
    }
    if (!size)
        return refuse(self, err, "Arguments", "a vector needs a Size.");
    set(self, json_object_get(self->harness, "buffers"), name,
        json_pack("{s:s, s:o, s:o}", "type", element, "count", size, "fill", fill_of(argument)));
    if (output)
        set(self, json_object_get(self->harness, "outputs"), name,
            element[0] == 'f' ? json_pack("{s:f, s:f}", "relative", 1e-4, "floor", 1.0)
                              : json_string("exact"));
    return OPEVO_OK;
}

static opevo_status add_argument(reader *self, const json_t *argument, json_t *arguments,
                                 opevo_error *err)
{
    const char *name = json_string_value(json_object_get(argument, "Name"));
    const char *memory = json_string_value(json_object_get(argument, "MemoryType"));
    const char *element = element_of(json_string_value(json_object_get(argument, "Type")));
    const json_t *value = json_object_get(argument, "FillValue");

    if (!name || !element || !memory)
        return refuse(self, err, "Arguments",
                      "an argument needs a Name, a Type of numbers and a MemoryType.");
    if (!strcmp(memory, "Vector")) {
        self->failed |= json_array_append_new(arguments, json_string(name));
        return add_vector(self, argument, name, element, err);
    }
    if (strcmp(memory, "Scalar") != 0 || !json_is_number(value))
        return refuse(self, err, "Arguments",
                      "an argument is a Vector, or a Scalar with a number as FillValue.");
    if (json_is_integer(value))
        set(self, json_object_get(json_object_get(self->harness, "tune"), "sizes"), name,
            json_deep_copy(value));
    self->failed |= json_array_append_new(
        arguments, json_pack("{s:o}", element,
                             json_is_integer(value) ? json_string(name) : json_deep_copy(value)));
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

static opevo_status convert(reader *self, const json_t *root, opevo_error *err)
{
    const char *name = json_string_value(json_object_get(self->kernel, "KernelName"));
    const json_t *list = json_object_get(self->kernel, "Arguments");
    const json_t *options = json_object_get(self->kernel, "CompilerOptions");
    json_t *step = json_pack("{s:s}", "launch", name ? name : "");
    json_t *arguments = json_array();

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
    if (json_array_size(options))
        self->failed |=
            json_object_set(self->harness, "compiler", (json_t *)(uintptr_t)options) != 0;
    add_default(self, root);
    for (size_t i = 0; i < json_array_size(list); i++) {
        opevo_status status = add_argument(self, json_array_get(list, i), arguments, err);

        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
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
    json_t *root = NULL;
    char *text = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_load(path, FILE_BYTES, &root, err));
    self.kernel = json_object_get(root, "KernelSpecification");
    OPEVO_TRY(find_source(&self, source, err));
    OPEVO_TRY(convert(&self, root, err));
    text = self.failed ? NULL : json_dumps(self.harness, JSON_INDENT(2));
    opevo_text_add(harness, text ? text : "");
    status = text ? opevo_text_check(harness, err)
                  : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
cleanup:
    free(text);
    json_decref(self.harness);
    json_decref(root);
    return status;
}
