/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps that are nodes, as calls of routines: their texts, and a call of each. */

#include "library_internal.h"

#include <opevo/network_routine.h>

#include <math.h>
#include <string.h>

const char *opevo_i_library_node_refusal(const opevo_network_library *self,
                                         const opevo_network_step *step, int64_t *bytes)
{
    opevo_network_routine routine = {0};
    bool has_routine =
        opevo_network_step_routine(self->inference, step, &routine, NULL) == OPEVO_OK &&
        routine.name;
    double needed = self->options.freestanding ? routine.least_memory_bytes : routine.memory_bytes;
    bool fits = needed < 0x1p48;

    *bytes = has_routine && fits ? (int64_t)needed : 0;
    opevo_network_routine_free(&routine);
    return opevo_i_library_is_for_gpu(self)
               ? "it is neither a computation on float32 nor a move of its elements"
           : !has_routine ? "it has no code in a library"
           : !fits        ? "its code needs more memory than machines have"
                          : NULL;
}

static bool is_called(const opevo_network_library *self, int n)
{
    const opevo_network_step *step = &self->inference->step[n];

    return step->kind == OPEVO_NETWORK_STEP_NODE && !opevo_i_library_is_empty(self, step);
}

/* Whether a text has the routine of a step. */
static bool is_needed(const opevo_network_library *self, const char *text)
{
    bool needed = false;

    for (int n = 0; n < self->inference->steps && !needed; n++) {
        opevo_network_routine routine = {0};
        opevo_text head = {0};

        if (!is_called(self, n))
            continue;
        if (opevo_network_step_routine(self->inference, &self->inference->step[n], &routine,
                                       NULL) == OPEVO_OK &&
            routine.name) {
            opevo_text_printf(&head, "\nconst char *%s(", routine.name);
            needed = !head.failed && strstr(text, opevo_text_string(&head));
        }
        opevo_text_free(&head);
        opevo_network_routine_free(&routine);
    }
    return needed;
}

/* Whether a text has the routine of a step, or one behind it that does includes it. */
static bool is_text_needed(const opevo_network_library *self, int i)
{
    const opevo_network_routine_text *texts = opevo_network_routine_texts;
    bool needed = is_needed(self, texts[i].text);
    opevo_text include = {0};

    opevo_text_printf(&include, "#include \"%s\"\n", texts[i].name);
    for (int k = i + 1; texts[k].name && !needed; k++)
        needed = !include.failed && strstr(texts[k].text, opevo_text_string(&include)) &&
                 is_needed(self, texts[k].text);
    opevo_text_free(&include);
    return needed;
}

/* Without its licence and includes of the folder; routines are of this file only. */
static void add_text(const char *text, opevo_text *out)
{
    static const char include[] = "#include \"", declared[] = "routine";

    text = strchr(text, '\n') + 2;
    while (*text) {
        size_t length = strcspn(text, "\n") + 1;

        if (strncmp(text, declared, strlen(declared)) == 0)
            opevo_text_add(out, "static ");
        if (strncmp(text, include, strlen(include)) != 0)
            opevo_text_add_bytes(out, text, length);
        text += length;
    }
    opevo_text_add(out, "\n");
}

static bool has_nodes(const opevo_network_library *self)
{
    bool any = false;

    for (int n = 0; n < self->inference->steps && !any; n++)
        any = is_called(self, n);
    return any;
}

void opevo_i_library_node_texts(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_part routines = {"routines", {0}};

    if (!has_nodes(self))
        return;
    for (int i = 0; opevo_network_routine_texts[i].name; i++) {
        if (i < 2 || is_text_needed(self, i))
            add_text(opevo_network_routine_texts[i].text, &routines.text);
    }
    opevo_i_library_fill(self, opevo_i_library_routines_text, &routines, 1, out);
}

static void add_tensors(const opevo_network_library *self, const char *name, const int *numbers,
                        int count, opevo_text *out)
{
    opevo_text_printf(out, "    const routine_tensor %s[] = {\n", name);
    for (int i = 0; i < count; i++) {
        const opevo_array *array =
            numbers[i] < 0 ? NULL : &self->inference->value[numbers[i]].array;

        opevo_text_add(out, "        ");
        if (!array || self->plan->place[numbers[i]].kind == OPEVO_MEMORY_NONE) {
            opevo_text_add(out, "{0, 0, {0}, NULL},\n");
            continue;
        }
        opevo_text_printf(out, "{%d, %d, {", (int)array->type, array->dims);
        for (int d = 0; d < array->dims; d++) {
            opevo_text_add(out, d ? ", " : "");
            opevo_i_library_extent(self, numbers[i], d, out);
        }
        opevo_text_printf(out, "%s}, (void *)(", array->dims ? "" : "0");
        opevo_i_library_address(self, numbers[i], out);
        opevo_text_add(out, ")},\n");
    }
    opevo_text_add(out, "        {0, 0, {0}, NULL}};\n");
}

static void add_number(double number, opevo_text *out)
{
    if (isfinite(number))
        opevo_text_printf(out, "%a", number);
    else
        opevo_text_add(out, isnan(number) ? "NAN" : number > 0 ? "INFINITY" : "-INFINITY");
}

opevo_status opevo_i_library_node(const opevo_network_library *self, int n, opevo_text *out,
                                  opevo_error *err)
{
    const opevo_network_step *step = &self->inference->step[n];
    opevo_network_routine routine = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_step_routine(self->inference, step, &routine, err));
    opevo_text_add(out, "    static const int64_t whole[] = {");
    for (size_t i = 0; i < routine.wholes; i++)
        opevo_text_printf(out, "%lld, ", (long long)routine.whole[i]);
    opevo_text_add(out, "0};\n    static const double number[] = {");
    for (size_t i = 0; i < routine.numbers; i++) {
        add_number(routine.number[i], out);
        opevo_text_add(out, ", ");
    }
    opevo_text_add(out, "0};\n");
    add_tensors(self, "in", step->input, step->inputs, out);
    add_tensors(self, "out", step->output, step->outputs, out);
    opevo_text_printf(out,
                      "\n    self->error = %s(&(const routine_call){in, out, %d, %d, whole, "
                      "number, self->sentence, self->scratch, %s});\n",
                      routine.name, step->inputs, step->outputs,
                      self->options.freestanding ? "true" : "false");
cleanup:
    opevo_network_routine_free(&routine);
    return status;
}
