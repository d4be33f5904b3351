/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of a case as a C function behind the source of what it calls, so that a compiler sees
 * both: calls have the types that the source declares, and sizes are constants. Names of sizes and
 * functions of expressions get a prefix, as the source may have such names itself. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <string.h>

#define PREFIX "opevo_run_"

typedef struct printer {
    const opevo_case *what;
    opevo_text *out;
    unsigned depth;
    unsigned loops; /* so far: each has a counter of its own */
    bool device;    /* buffers are b[0], b[1], ..., and kernels are launched */
} printer;

static void indent(const printer *self)
{
    for (unsigned i = 0; i < self->depth; i++)
        opevo_text_add(self->out, "    ");
}

static void add_expression(const printer *self, const json_t *expression)
{
    const char *at = json_string_value(expression);

    if (!at) {
        opevo_text_printf(self->out, "%lldLL", (long long)json_integer_value(expression));
        return;
    }
    opevo_text_add(self->out, "(");
    while (*at) {
        size_t length = 0;

        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        if (length)
            opevo_text_printf(self->out, "%s%.*s%s", isdigit((unsigned char)*at) ? "" : PREFIX,
                              (int)length, at, isdigit((unsigned char)*at) ? "LL" : "");
        else
            opevo_text_add_bytes(self->out, at, length = 1);
        at += length;
    }
    opevo_text_add(self->out, ")");
}

static const char *type_of(opevo_kernel_element element)
{
    static const char *const types[] = {[OPEVO_KERNEL_ELEMENT_F32] = "float",
                                        [OPEVO_KERNEL_ELEMENT_F64] = "double",
                                        [OPEVO_KERNEL_ELEMENT_F16] = "_Float16",
                                        [OPEVO_KERNEL_ELEMENT_I32] = "int",
                                        [OPEVO_KERNEL_ELEMENT_U32] = "unsigned",
                                        [OPEVO_KERNEL_ELEMENT_I64] = "long long",
                                        [OPEVO_KERNEL_ELEMENT_U64] = "unsigned long long",
                                        [OPEVO_KERNEL_ELEMENT_I16] = "short",
                                        [OPEVO_KERNEL_ELEMENT_U16] = "unsigned short",
                                        [OPEVO_KERNEL_ELEMENT_I8] = "signed char",
                                        [OPEVO_KERNEL_ELEMENT_U8] = "unsigned char"};

    return types[element];
}

static void add_argument(const printer *self, const opevo_i_harness_argument_plan *argument)
{
    if (argument->kind == OPEVO_ARGUMENT_STRUCT) { /* its arrays need no braces of their own */
        opevo_text_printf(self->out, "(%s){", argument->type);
        for (size_t m = 0; m < argument->member_count; m++) {
            opevo_text_add(self->out, m ? ", " : "");
            add_argument(self, &argument->members[m]);
        }
        opevo_text_add(self->out, "}");
        return;
    }
    if (argument->kind == OPEVO_ARGUMENT_BUFFER) {
        opevo_text_printf(self->out, self->device ? "b[%zu]" : "b%zu", argument->buffer);
        return;
    }
    opevo_text_printf(self->out, "(%s)", type_of(argument->element));
    if (json_is_real(argument->value))
        opevo_text_printf(self->out, "%a", json_real_value(argument->value));
    else
        add_expression(self, argument->value);
}

static opevo_status print(printer *self, const opevo_i_harness_step *steps, size_t count,
                          opevo_error *err);

/* ---- Launches ---- */

static void print_extents(const printer *self, const char *name, json_t *const *extents)
{
    opevo_text_printf(self->out, "        const unsigned %s[3] = {", name);
    for (int axis = 0; axis < 3; axis++) {
        opevo_text_add(self->out, axis ? ", " : "");
        if (extents[axis]) {
            opevo_text_add(self->out, "(unsigned)");
            add_expression(self, extents[axis]);
        } else {
            opevo_text_add(self->out, "1");
        }
    }
    opevo_text_add(self->out, "};\n");
}

/* A variable that holds a scalar or a struct: its address is the argument. */
static void print_variable(const printer *self, const opevo_i_harness_argument_plan *argument,
                           size_t i)
{
    size_t count = argument->kind == OPEVO_ARGUMENT_STRUCT ? argument->member_count : 0;

    if (!count) {
        opevo_text_printf(self->out, "        const %s a%zu = ", type_of(argument->element), i);
        add_argument(self, argument);
        opevo_text_add(self->out, ";\n");
        return;
    }
    opevo_text_add(self->out, "        const struct {");
    for (size_t m = 0; m < count; m++)
        opevo_text_printf(self->out, " %s m%zu;",
                          argument->members[m].kind == OPEVO_ARGUMENT_BUFFER
                              ? "device_memory"
                              : type_of(argument->members[m].element),
                          m);
    opevo_text_printf(self->out, " } a%zu = {", i);
    for (size_t m = 0; m < count; m++) {
        opevo_text_add(self->out, m ? ", " : "");
        add_argument(self, &argument->members[m]);
    }
    opevo_text_add(self->out, "};\n");
}

static void print_launch(const printer *self, const opevo_i_harness_step *step)
{
    char name[OPEVO_KERNEL_EXPRESSION] = ""; /* that it fits was checked */
    size_t count = step->argument_count;

    opevo_text_add(self->out, "    {\n");
    print_extents(self, "grid", step->grid);
    print_extents(self, "block", step->block);
    for (size_t i = 0; i < count; i++) {
        if (step->arguments[i].kind == OPEVO_ARGUMENT_SCALAR ||
            step->arguments[i].kind == OPEVO_ARGUMENT_STRUCT)
            print_variable(self, &step->arguments[i], i);
    }
    opevo_text_add(self->out, "        const argument arguments[] = {");
    for (size_t i = 0; i < count; i++) {
        const opevo_i_harness_argument_plan *one = &step->arguments[i];

        opevo_text_add(self->out, i ? ", " : "");
        if (one->kind == OPEVO_ARGUMENT_BUFFER) {
            opevo_text_printf(self->out, "{&b[%zu], sizeof *b}", one->buffer);
        } else if (one->kind == OPEVO_ARGUMENT_LOCAL) {
            opevo_text_add(self->out, "{NULL, (size_t)");
            add_expression(self, one->value);
            opevo_text_add(self->out, "}");
        } else {
            opevo_text_printf(self->out, "{&a%zu, sizeof a%zu}", i, i);
        }
    }
    self->out->failed |= opevo_i_harness_kernel_name(self->what, step, name, NULL) != OPEVO_OK;
    opevo_text_printf(self->out, "%s};\n\n        launch(KERNEL(%s), grid, block, (size_t)",
                      count ? "" : "{NULL, 0}", name);
    if (step->shared)
        add_expression(self, step->shared);
    else
        opevo_text_add(self->out, "0");
    opevo_text_printf(self->out, ", arguments, %zu);\n    }\n", count);
}

/* ---- Steps ---- */

static opevo_status print_call(const printer *self, const opevo_i_harness_step *step,
                               opevo_error *err)
{
    if (self->device) {
        print_launch(self, step);
        return OPEVO_OK;
    }
    if (!step->call)
        return opevo_i_harness_fail(self->what->harness, err, step->where,
                                    "A launch with a grid needs a device; a C function is called "
                                    "by {\"call\": \"%.60s\", \"arguments\": [...]}.",
                                    step->name);
    indent(self);
    opevo_text_printf(self->out, "%s(", step->name);
    for (size_t i = 0; i < step->argument_count; i++) {
        if (step->arguments[i].kind == OPEVO_ARGUMENT_LOCAL)
            return opevo_i_harness_fail(self->what->harness, err, step->where,
                                        "A C function takes no local memory; pass a buffer.");
        opevo_text_add(self->out, i ? ", " : "");
        add_argument(self, &step->arguments[i]);
    }
    opevo_text_add(self->out, ");\n");
    return OPEVO_OK;
}

static opevo_status print_loop(printer *self, const opevo_i_harness_step *step, opevo_error *err)
{
    bool repeat = step->kind == OPEVO_I_STEP_REPEAT;
    char name[96];
    opevo_status status;

    if (repeat)
        snprintf(name, sizeof name, PREFIX "%.80s", step->name);
    else
        snprintf(name, sizeof name, "round%u", self->loops++);
    indent(self);
    opevo_text_printf(self->out, "for (long long %s = 0; %s < ", name, name);
    add_expression(self, step->count);
    opevo_text_printf(self->out, "; %s++) {\n", name);
    self->depth++;
    status = print(self, step->steps, step->step_count, err);
    if (!repeat) {
        const opevo_buffer *flag = &self->what->buffers[step->buffer];

        indent(self);
        opevo_text_printf(self->out,
                          self->device ? "if (!flag_is_set(b[%zu], %zu))\n"
                                       : "if (!__builtin_memcmp(b%zu, (const char[8]){0}, %zu))\n",
                          step->buffer, opevo_kernel_element_size(flag->element));
        indent(self);
        opevo_text_add(self->out, "    break;\n");
    }
    self->depth--;
    indent(self);
    opevo_text_add(self->out, "}\n");
    return status;
}

static opevo_status print(printer *self, const opevo_i_harness_step *steps, size_t count,
                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        const opevo_i_harness_step *step = &steps[i];

        if (step->kind == OPEVO_I_STEP_LAUNCH) {
            status = print_call(self, step, err);
        } else if (step->kind == OPEVO_I_STEP_ZERO) {
            indent(self);
            opevo_text_printf(self->out,
                              self->device ? "set_zero(b[%zu], %zu);\n"
                                           : "__builtin_memset(b%zu, 0, %zu);\n",
                              step->buffer, self->what->buffers[step->buffer].size_bytes);
        } else {
            status = print_loop(self, step, err);
        }
    }
    return status;
}

/* The functions that expressions use. */
void opevo_harness_print_helpers(opevo_text *out)
{
    static const char functions[] =
        "static inline long long " PREFIX "min(long long a, long long b) { return a < b ? a : b; "
        "}\n"
        "static inline long long " PREFIX "max(long long a, long long b) { return a > b ? a : b; "
        "}\n"
        "static inline long long " PREFIX "ceil(long long a, long long b)\n"
        "{\n"
        "    return a / b + (a % b != 0 && (a < 0) == (b < 0));\n"
        "}\n\n";

    opevo_text_add(out, functions);
}

static void print_head(const printer *self, const char *entry)
{
    opevo_text_printf(self->out, "__attribute__((visibility(\"default\"))) void %s(", entry);
    for (size_t b = 0; b < self->what->harness->buffer_count; b++)
        opevo_text_printf(self->out, "void *b%zu, ", b);
    opevo_text_add(self->out, "void *scratch)\n{\n");
}

static void print_names(const printer *self)
{
    const opevo_i_harness_size_names *names = &self->what->names;

    for (size_t i = 0; i < names->count; i++)
        opevo_text_printf(self->out, "    const long long " PREFIX "%s = %lldLL;\n", names->name[i],
                          (long long)names->value[i]);
    opevo_text_add(self->out, "\n");
}

/* `entry` is a name, or for a device all that stands before the parameters. */
/* Variables of the module get the contents of their buffers. */
static void print_variables(const printer *self)
{
    for (size_t i = 0; i < self->what->harness->buffer_count; i++) {
        const opevo_buffer *buffer = &self->what->buffers[i];

        if (buffer->symbol)
            opevo_text_printf(self->out, "    set_variable(%s, b[%zu], %zu);\n", buffer->symbol, i,
                              buffer->size_bytes);
    }
}

/* Functions in C take arguments; what a variable holds for kernels is one for their reference. */
static opevo_status check_variables(const opevo_harness *harness, bool reference, opevo_error *err)
{
    for (size_t i = 0; i < harness->buffer_count && !reference; i++) {
        if (harness->buffers[i].symbol)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: buffers.%.60s.symbol: functions in C take buffers as arguments: "
                              "omit it.",
                              harness->path, harness->buffers[i].name);
    }
    return OPEVO_OK;
}

static opevo_status print_function(const opevo_harness *harness, const opevo_harness_values *values,
                                   bool reference, const char *entry, bool device, opevo_text *out,
                                   opevo_error *err)
{
    bool own = reference && harness->reference_steps;
    printer self = {.out = out, .depth = 1, .device = device};
    opevo_case *what = opevo_calloc(1, sizeof *what);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(what, "a case of %s", harness->path);
    what->harness = harness;
    self.what = what;
    OPEVO_TRY(opevo_i_harness_case_lay_out(what, &harness->cases[OPEVO_SET_TUNE][0],
                                           values ? values : &harness->values, err));
    if (device) {
        opevo_text_printf(out, "%s(device_memory *b)\n{\n", entry);
    } else {
        opevo_harness_print_helpers(out);
        print_head(&self, entry);
    }
    print_names(&self);
    if (device)
        print_variables(&self);
    else if (!own)
        OPEVO_TRY(check_variables(harness, reference, err));
    OPEVO_TRY(print(&self, own ? harness->reference_steps : harness->steps,
                    own ? harness->reference_step_count : harness->step_count, err));
    opevo_text_add(out, "}\n");
    status = opevo_text_check(out, err);
cleanup:
    opevo_case_close(what);
    return status;
}

opevo_status opevo_harness_print_c(const opevo_harness *harness, const opevo_harness_values *values,
                                   bool reference, const char *entry, opevo_text *out,
                                   opevo_error *err)
{
    return print_function(harness, values, reference, entry, false, out, err);
}

opevo_status opevo_harness_print_launches(const opevo_harness *harness,
                                          const opevo_harness_values *values, const char *head,
                                          opevo_text *out, opevo_error *err)
{
    return print_function(harness, values, false, head, true, out, err);
}

static const char *called_in(const opevo_i_harness_step *steps, size_t count)
{
    const char *name = NULL;

    for (size_t i = 0; i < count && !name; i++)
        name = steps[i].call ? steps[i].name : called_in(steps[i].steps, steps[i].step_count);
    return name;
}

const char *opevo_harness_called(const opevo_harness *harness)
{
    return called_in(harness->steps, harness->step_count);
}
