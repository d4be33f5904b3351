/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of networks whose sizes are not known before a run: numbers of net.c that are forms of
 * the sizes. Places in memory are those of the largest
 * sizes; arrays are dense for those of a run, so each is a start of its place. */

#include "library_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- Numbers ---- */

/* A form as an expression of net.c. */
static void print_form(const opevo_network_form *form, opevo_text *out)
{
    bool any = false;

    for (int set = OPEVO_NETWORK_FACTORS - 1; set >= 0; set--) {
        if (!form->factor[set])
            continue;
        opevo_text_printf(out, "%s%lld", any ? " + " : "", (long long)form->factor[set]);
        for (int i = 0; i < OPEVO_NETWORK_SIZES; i++) {
            if (set >> i & 1)
                opevo_text_printf(out, " * self->size[%d]", i);
        }
        any = true;
    }
    opevo_text_add(out, any ? "" : "0");
}

void opevo_i_library_extent(const opevo_network_library *self, int value, int d, opevo_text *out)
{
    opevo_network_form form;

    if (!self->inference->dynamic) {
        opevo_text_printf(out, "%lld", (long long)self->inference->value[value].array.extent[d]);
        return;
    }
    form = opevo_network_dynamic_extent(self->inference->dynamic, value, d);
    print_form(&form, out);
}

/* ---- Copies ---- */

/* The numbers of a box at each reading. */
typedef struct boxes {
    const opevo_network_dynamic *dynamic;
    opevo_network_copy at[OPEVO_NETWORK_READINGS];
    int dims;
} boxes;

typedef enum box_member { EXTENT, FROM, TO } box_member;

static int64_t *number_of(opevo_network_copy *copy, box_member which, int d)
{
    return which == EXTENT ? &copy->extent[d]
           : which == FROM ? &copy->from_stride[d]
                           : &copy->to_stride[d];
}

static bool find_form(boxes *self, box_member which, int d, opevo_network_form *out)
{
    int64_t values[OPEVO_NETWORK_READINGS];

    for (int k = 0; k < self->dynamic->points; k++)
        values[k] = *number_of(&self->at[k], which, d);
    return opevo_network_dynamic_fit(self->dynamic, values, out);
}

/* Whether dimension d and the one behind it are one at all sizes. */
static bool are_one(const boxes *self, int d)
{
    int64_t values[OPEVO_NETWORK_READINGS];
    opevo_network_form form;

    for (int k = 0; k < self->dynamic->points; k++) {
        const opevo_network_copy *one = &self->at[k];

        values[k] = one->extent[d] * one->extent[d + 1];
        if (one->from_stride[d] != one->extent[d + 1] * one->from_stride[d + 1] ||
            one->to_stride[d] != one->extent[d + 1] * one->to_stride[d + 1])
            return false;
    }
    return opevo_network_dynamic_fit(self->dynamic, values, &form);
}

static bool is_single(const boxes *self, int d)
{
    bool single = true;

    for (int k = 0; k < self->dynamic->points; k++)
        single &= self->at[k].extent[d] == 1;
    return single;
}

static void remove_dim(boxes *self, int d)
{
    for (int k = 0; k < self->dynamic->points; k++) {
        for (int i = d; i + 1 < self->dims; i++) {
            for (box_member which = EXTENT; which <= TO; which++)
                *number_of(&self->at[k], which, i) = *number_of(&self->at[k], which, i + 1);
        }
    }
    self->dims--;
}

static void simplify(boxes *self)
{
    for (int d = self->dims - 1; d >= 0; d--) {
        if (is_single(self, d))
            remove_dim(self, d);
    }
    for (int d = self->dims - 2; d >= 0; d--) {
        if (!are_one(self, d))
            continue;
        for (int k = 0; k < self->dynamic->points; k++)
            self->at[k].extent[d + 1] *= self->at[k].extent[d];
        remove_dim(self, d);
    }
}

static void add_numbers(boxes *self, const char *name, box_member which, opevo_text *out)
{
    if (!self->dims)
        return;
    opevo_text_printf(out, ", .%s = {", name);
    for (int d = 0; d < self->dims; d++) {
        opevo_network_form form;

        (void)find_form(self, which, d, &form); /* it was compared, or looked at above */
        opevo_text_add(out, d ? ", " : "");
        print_form(&form, out);
    }
    opevo_text_add(out, "}");
}

static void add_place(const boxes *self, bool from, opevo_text *out)
{
    int64_t values[OPEVO_NETWORK_READINGS];
    opevo_network_form form;

    for (int k = 0; k < self->dynamic->points; k++)
        values[k] = from ? self->at[k].from : self->at[k].to;
    (void)opevo_network_dynamic_fit(self->dynamic, values, &form); /* it was compared */
    opevo_text_add(out, "(");
    print_form(&form, out);
    opevo_text_add(out, ")");
}

void opevo_i_library_dynamic_copy(const opevo_network_library *self, int n, int number,
                                  opevo_text *out)
{
    const opevo_network_step *step = &self->inference->step[n];
    const opevo_network_copy *copy = &step->copy[number];
    opevo_network_type type = self->inference->value[step->output[0]].array.type;
    bool is_float = type == OPEVO_NETWORK_FLOAT32, fills = copy->input < 0;
    size_t bytes = opevo_network_type_bytes(type);
    boxes box = {.dynamic = self->inference->dynamic, .dims = copy->dims};

    for (int k = 0; k < box.dynamic->points; k++)
        box.at[k] = box.dynamic->at[k]->step[n].copy[number];
    simplify(&box);
    opevo_text_printf(out, "    move%s(&(const %s_box){.dims = %d", is_float ? "" : "_bytes",
                      self->name, box.dims);
    add_numbers(&box, "extent", EXTENT, out);
    if (!fills)
        add_numbers(&box, "from", FROM, out);
    add_numbers(&box, "to", TO, out);
    opevo_text_add(out, "},\n        ");
    if (is_float)
        opevo_i_library_number(fills ? copy->value : 0, out);
    else
        opevo_text_printf(out, "%zu", bytes);
    opevo_text_add(out, fills ? ", NULL" : is_float ? ", (const float *)(" : ", (const char *)(");
    if (!fills) {
        opevo_i_library_address(self, step->input[copy->input], out);
        opevo_text_printf(out, ") + %zu * ", is_float ? 1 : bytes);
        add_place(&box, true, out);
    }
    opevo_text_add(out, is_float ? ", (float *)(" : ", (char *)(");
    opevo_i_library_address(self, step->output[0], out);
    opevo_text_printf(out, ") + %zu * ", is_float ? 1 : bytes);
    add_place(&box, false, out);
    opevo_text_add(out, ");\n");
}

/* ---- Kernels ---- */

/* In the order of the kernel. */
void opevo_i_library_add_arguments(const opevo_network_library *self, int n, opevo_text *out)
{
    const opevo_network_free_axes *axes = opevo_i_library_axes(self, n);
    const opevo_kernel *kernel = &self->task[self->task_of[n]].kernel;

    for (int k = 0; k < kernel->arguments; k++) {
        for (int i = 0; i < axes->count; i++) {
            if (strcmp(axes->axis[i].name, kernel->argument[k].name) != 0)
                continue;
            opevo_text_add(out, ", (int)(");
            print_form(&axes->axis[i].extent, out);
            opevo_text_add(out, ")");
        }
    }
}

/* ---- Sizes ---- */

/* Rows of the tables of ranges and forms. */
static void add_ranges(const opevo_network_library *self, opevo_text *out)
{
    const opevo_network_ranges *ranges = &self->inference->dynamic->ranges;

    for (int i = 0; i < ranges->count; i++) {
        opevo_text_add(out, "    {\"");
        opevo_i_library_plain(ranges->range[i].name, out);
        opevo_text_printf(out, "\", %lld, %lld},\n", (long long)ranges->range[i].least,
                          (long long)ranges->range[i].most);
    }
}

static void add_forms(const opevo_network_library *self, const int *numbers, int count,
                      opevo_text *out)
{
    const opevo_network_dynamic *dynamic = self->inference->dynamic;
    int factors = 1 << dynamic->ranges.count;

    for (int i = 0; i < count; i++) {
        const opevo_array *array = &self->inference->value[numbers[i]].array;

        opevo_text_add(out, "    {");
        for (int d = 0; d < array->dims; d++) {
            opevo_network_form form = opevo_network_dynamic_extent(dynamic, numbers[i], d);

            opevo_text_add(out, d ? ", {" : "{");
            for (int set = 0; set < factors; set++)
                opevo_text_printf(out, "%s%lld", set ? ", " : "", (long long)form.factor[set]);
            opevo_text_add(out, "}");
        }
        opevo_text_add(out, array->dims ? "},\n" : "{0}},\n");
    }
}

static void add_input_forms(const opevo_network_library *self, opevo_text *out)
{
    add_forms(self, self->inference->input, self->inference->inputs, out);
}

static void add_output_forms(const opevo_network_library *self, opevo_text *out)
{
    add_forms(self, self->inference->output, self->inference->outputs, out);
}

static void add_count(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_printf(out, "%d", self->inference->dynamic->ranges.count);
}

static void add_profile_sized(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_add(
        self, self->of ? opevo_i_library_targets_sizes : opevo_i_library_sizes_profile, out);
}

void opevo_i_library_sizes_code(const opevo_network_library *self, opevo_text *out)
{
    static const opevo_i_library_place places[] = {{"ranges", add_ranges},
                                                   {"input_forms", add_input_forms},
                                                   {"output_forms", add_output_forms},
                                                   {"profile_sized", add_profile_sized}};

    if (self->inference->dynamic)
        opevo_i_library_print(self, opevo_i_library_sizes, places, sizeof places / sizeof *places,
                              out);
}

void opevo_i_library_sizes_header(const opevo_network_library *self, opevo_text *out)
{
    static const opevo_i_library_place places[] = {{"sizes", add_count}};

    if (self->inference->dynamic)
        opevo_i_library_print(self, opevo_i_library_sizes_calls, places, 1, out);
}

/* The sizes of the recorded tensors, the largest first. */
static void add_recorded(const opevo_network_library *self, opevo_text *out)
{
    const opevo_network_dynamic *dynamic = self->inference->dynamic;

    for (int r = 2; r >= 0; r--) {
        opevo_text_add(out, "    {");
        for (int i = 0; i < dynamic->ranges.count; i++)
            opevo_text_printf(out, "%s%lld", i ? ", " : "",
                              (long long)dynamic->size[dynamic->checked[r]][i]);
        opevo_text_add(out, "},\n");
    }
}

void opevo_i_library_sizes_fill(const opevo_network_library *self, const char *text,
                                opevo_text *out)
{
    /* Where all sizes are known, and where not. */
    static const struct {
        const char *name, *fixed, *dynamic;
    } rows[] = {
        {"now", "@net@", "now"},
        {"open_inputs", "open_data(\"inputs.bin\")", "open_record(\"inputs.bin\", 1)"},
        {"open_outputs", "open_data(\"outputs.bin\")", "open_record(\"outputs.bin\", 0)"},
        {"run", "@net@_run", "@net@_run_sized"},
        {"profile", "@net@_profile", "@net@_profile_sized"},
        {"now_sizes", "", "now_sizes, "},
        {"check", "check", "check_sizes"},
        {"check_sizes", "", opevo_i_library_sizes_check},
        {"sizes_help", "",
         "    \"  --sizes N,N,...  the sizes of --time and --profile (default: the "
         "largest)\\n\"\n"},
        {"sizes_option", "",
         "        else if (strcmp(argument[i], \"--sizes\") == 0 && more)\n"
         "            sizes = argument[++i];\n"},
        {"sizes_name", "", ", --sizes N,N,..."},
        {"set_sizes", "", "    if (sizes)\n        read_sizes(sizes);\n"},
        {"sizes_variable", "", "    const char *sizes = NULL;\n"},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    static const opevo_i_library_place places[] = {{"recorded", add_recorded}};
    bool dynamic = self->inference->dynamic != NULL;
    opevo_i_library_part parts[ROWS + 1 + OPEVO_I_LIBRARY_TARGET_PARTS] = {{"sizes", {0}}};

    if (dynamic)
        opevo_i_library_print(self, opevo_i_library_sizes_program, places, 1, &parts[0].text);
    for (int i = 0; i < ROWS; i++) {
        parts[i + 1] = (opevo_i_library_part){rows[i].name, {0}};
        opevo_i_library_add(self, dynamic ? rows[i].dynamic : rows[i].fixed, &parts[i + 1].text);
    }
    opevo_i_library_target_parts(self, parts + ROWS + 1);
    opevo_i_library_fill(self, text, parts, sizeof parts / sizeof *parts, out);
}
