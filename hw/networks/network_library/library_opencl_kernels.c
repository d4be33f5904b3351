/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sources of kernels in OpenCL C as texts in files of C, with a description of each launch. Places
 * in memory are not aligned as buffers of OpenCL must be, so a kernel takes a buffer and where in
 * it the operand begins. */

#include "library_internal.h"

#include <stdio.h>
#include <string.h>

/* The parameters of a launch: "__global const float *restrict a" is one buffer and a number. */
static void add_parameters(const char *at, const char *end, opevo_text *out)
{
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        int length = (int)((comma ? comma : end) - at);
        const char *name = at + length;

        while (name[-1] != ' ' && name[-1] != '*')
            name--;
        opevo_text_printf(out, "%.*s_base, const long %.*s_at%s", length, at,
                          (int)(at + length - name), name, comma ? ", " : "");
        at += length + 1 + (comma && comma[1] == ' ');
    }
}

/* The operands as the rest of the text names them. */
static void add_operands(const char *at, const char *end, opevo_text *out)
{
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        int length = (int)((comma ? comma : end) - at);
        const char *name = at + length;
        int letters = 0;

        while (name[-1] != ' ' && name[-1] != '*')
            name--;
        letters = (int)(at + length - name);
        opevo_text_printf(out, "    %.*s = %.*s_base + %.*s_at;\n", length, at, letters, name,
                          letters, name);
        at += length + 1 + (comma && comma[1] == ' ');
    }
}

/* The source with such parameters. */
static void add_source(const opevo_i_library_task *task, opevo_text *out)
{
    static const char body[] = "\n{\n";
    const char *at = opevo_text_string(&task->kernel.source);

    for (int i = 0; i <= task->kernel.more; i++) {
        const char *head = opevo_i_library_find_launch(&task->kernel, i);
        const char *open = head ? strchr(head, '(') : NULL;
        const char *close = open ? strchr(open, ')') : NULL;

        if (!close)
            continue;
        opevo_text_add_bytes(out, at, (size_t)(open + 1 - at));
        add_parameters(open + 1, close, out);
        opevo_text_add(out, ")\n{\n");
        add_operands(open + 1, close, out);
        at = close + 1;
        at += strncmp(at, body, strlen(body)) == 0 ? strlen(body) : 0;
    }
    opevo_text_add(out, at);
}

/* A text as a string of C, a line each; without `left_out`, unless that is NULL. */
static void add_string(const char *text, const char *left_out, opevo_text *out)
{
    opevo_text_add(out, "    \"");
    for (; *text; text++) {
        if (left_out && strncmp(text, left_out, strlen(left_out)) == 0) {
            text += strlen(left_out) - 1;
            continue;
        }
        if (*text == '\n')
            opevo_text_add(out, text[1] ? "\\n\"\n    \"" : "\\n");
        else if (*text == '"' || *text == '\\')
            opevo_text_printf(out, "\\%c", *text);
        else
            opevo_text_add_bytes(out, text, 1);
    }
    opevo_text_add(out, "\"");
}

void opevo_i_library_opencl_kernel(const opevo_network_library *self, int number, opevo_text *out)
{
    enum { DEFINITIONS, SOURCE, FUNCTIONS, NUMBER, LAUNCHES, PARTS };
    opevo_i_library_part parts[PARTS] = {{"definitions", {0}},
                                         {"source", {0}},
                                         {"functions", {0}},
                                         {"number", {0}},
                                         {"launches", {0}}};
    const opevo_i_library_task *task = &self->task[number];
    opevo_text source = {0};

    opevo_i_library_definitions(task, &parts[DEFINITIONS].text);
    add_source(task, &source);
    /* Where the output may be an input, pointers are plain ones. */
    add_string(opevo_text_string(&source), task->reused ? "restrict " : NULL, &parts[SOURCE].text);
    opevo_text_printf(&parts[NUMBER].text, "%03d", number);
    for (int i = 0; i <= task->kernel.more; i++) {
        char name[OPEVO_KERNEL_NAME], function[32];

        opevo_kernel_launch_name(&task->kernel, i, name);
        opevo_text_printf(&parts[FUNCTIONS].text, "    {source, \"%s\", %d, 0, 0},\n", name,
                          opevo_i_library_arguments(task));
        snprintf(function, sizeof function, "&functions[%d]", i);
        opevo_i_library_add_launch(task, i, function, &parts[LAUNCHES].text);
    }
    opevo_i_library_fill(self, opevo_i_library_opencl_kernel_text, parts, PARTS, out);
    out->failed |= source.failed;
    opevo_text_free(&source);
}
