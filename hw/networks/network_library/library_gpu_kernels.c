/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sources of kernels for a GPU: as they are measured, in words that a C compiler can be given other
 * meanings of, and a description of each launch. */

#include "library_internal.h"

#include <stdio.h>
#include <string.h>

/* What is said otherwise in the text of a kernel, with the name of the library ahead. */
static const struct {
    const char *from, *to;
} words[] = {
    {"extern \"C\" ", "_EXTERN "},
    {"extern __shared__ __align__(16) float shared_memory[];", "_SHARED_MEMORY(shared_memory);"},
};

static void add_words(const opevo_network_library *self, const char *text, const char *end,
                      opevo_text *out)
{
    while (text < end) {
        size_t i = 0;

        while (i < sizeof words / sizeof *words &&
               strncmp(text, words[i].from, strlen(words[i].from)) != 0)
            i++;
        if (i < sizeof words / sizeof *words) {
            opevo_text_printf(out, "%s%s", self->upper, words[i].to);
            text += strlen(words[i].from);
        } else {
            opevo_text_add_bytes(out, text++, 1);
        }
    }
}

const char *opevo_i_library_find_launch(const opevo_kernel *kernel, int number)
{
    const char *text = opevo_text_string(&kernel->source);
    char name[OPEVO_KERNEL_NAME], head[OPEVO_KERNEL_NAME + 2];

    opevo_kernel_launch_name(kernel, number, name);
    snprintf(head, sizeof head, "%s(", name);
    return strstr(text, head);
}

static void add_source(const opevo_network_library *self, const opevo_i_library_task *task,
                       opevo_text *out)
{
    const char *at = opevo_text_string(&task->kernel.source);

    for (int i = 0; i <= task->kernel.more; i++) {
        const char *head = opevo_i_library_find_launch(&task->kernel, i);
        const char *end = head ? strchr(head, ')') : NULL;

        if (!end)
            continue;
        add_words(self, at, head, out);
        opevo_i_library_signature(task, "__restrict__ ", head, end, out);
        at = end;
    }
    add_words(self, at, at + strlen(at), out);
}

int opevo_i_library_arguments(const opevo_i_library_task *task)
{
    return task->work->list.count + (task->kernel.scratch_bytes > 0);
}

/* The call of a launch with arguments in memory, and whether there are barriers in it. */
static void add_call(const opevo_network_library *self, const opevo_i_library_task *task,
                     int number, opevo_text *out)
{
    const char *head = opevo_i_library_find_launch(&task->kernel, number);
    const char *barrier = head ? strstr(head, "__syncthreads") : NULL;
    const char *next =
        number < task->kernel.more ? opevo_i_library_find_launch(&task->kernel, number + 1) : NULL;
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_launch_name(&task->kernel, number, name);
    opevo_text_printf(out, "%s_CALL(%s, %d,\n         (", self->upper, name,
                      barrier && (!next || barrier < next) ? 1 : 0);
    for (int i = 0; i < opevo_i_library_arguments(task); i++)
        opevo_text_printf(out, "%s%s_POINTER(%d)", i ? ", " : "", self->upper, i);
    opevo_text_add(out, "))\n");
}

void opevo_i_library_add_launch(const opevo_i_library_task *task, int number, const char *function,
                                opevo_text *out)
{
    const opevo_launch launch = opevo_kernel_launch(&task->kernel, number);
    const opevo_workload_list *list = &task->work->list;

    opevo_text_printf(out, "    {%s, {%u, %u, %u}, {%u, %u, %u}, %u, %d,\n     {", function,
                      launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                      launch.block[1], launch.block[2], launch.dynamic_shared_bytes,
                      opevo_i_library_arguments(task));
    for (int i = 0; i < list->count; i++)
        opevo_text_printf(out, "%s%lld", i ? ", " : "", (long long)list->item[i].elements);
    if (task->kernel.scratch_bytes)
        opevo_text_printf(out, ", %lld",
                          (long long)task->kernel.scratch_bytes / (long long)sizeof(float));
    opevo_text_add(out, "}},\n");
}

void opevo_i_library_gpu_kernel(const opevo_network_library *self, int number, opevo_text *out)
{
    enum { DEFINITIONS, SOURCE, CALLS, NUMBER, LAUNCHES, PARTS };
    opevo_i_library_part parts[PARTS] = {
        {"definitions", {0}}, {"source", {0}}, {"calls", {0}}, {"number", {0}}, {"launches", {0}}};
    const opevo_i_library_task *task = &self->task[number];

    opevo_i_library_definitions(task, &parts[DEFINITIONS].text);
    add_source(self, task, &parts[SOURCE].text);
    opevo_text_printf(&parts[NUMBER].text, "%03d", number);
    for (int i = 0; i <= task->kernel.more; i++) {
        char name[OPEVO_KERNEL_NAME], function[2 * OPEVO_KERNEL_NAME];

        add_call(self, task, i, &parts[CALLS].text);
        opevo_kernel_launch_name(&task->kernel, i, name);
        snprintf(function, sizeof function, "%s_FUNCTION(%s)", self->upper, name);
        opevo_i_library_add_launch(task, i, function, &parts[LAUNCHES].text);
    }
    opevo_i_library_fill(self, opevo_i_library_gpu_kernel_text, parts, PARTS, out);
}
