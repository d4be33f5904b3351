/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a kernel is started: its numbers, and on a GPU the launches of one execution. */

#include <opevo/text_fill.h>

#include <stdio.h>

#include "export_internal.h"

enum { NUMBERS = 64 };

/* A text for one launch: @suffix@ is nothing for the first, "_2" for the second, and so on. */
static void add_for(opevo_text *out, const opevo_kernel *kernel, int number, const char *text,
                    const char *arguments)
{
    opevo_launch one = opevo_kernel_launch(kernel, number);
    char suffix[NUMBERS] = "", name[OPEVO_KERNEL_NAME];
    char grid[NUMBERS], block[NUMBERS], shared[NUMBERS];

    if (number)
        snprintf(suffix, sizeof suffix, "_%d", number + 1);
    opevo_kernel_launch_name(kernel, number, name);
    snprintf(grid, sizeof grid, "%u, %u, %u", one.grid[0], one.grid[1], one.grid[2]);
    snprintf(block, sizeof block, "%u, %u, %u", one.block[0], one.block[1], one.block[2]);
    snprintf(shared, sizeof shared, "%u", one.dynamic_shared_bytes);
    opevo_text_fill(out, text,
                    (opevo_text_slot[]){{"suffix", suffix},
                                        {"entry", name},
                                        {"grid", grid},
                                        {"block", block},
                                        {"shared", shared},
                                        {"arguments", arguments}},
                    6);
}

static void add_cpu(opevo_text *out, const opevo_kernel *kernel)
{
    char scratch[NUMBERS], each[NUMBERS];

    snprintf(scratch, sizeof scratch, "%llu", (unsigned long long)kernel->scratch_bytes);
    snprintf(each, sizeof each, "%llu", (unsigned long long)kernel->thread_scratch_bytes);
    opevo_text_fill(out, opevo_i_export_cpu_numbers,
                    (opevo_text_slot[]){{"entry", kernel->entry},
                                        {"scratch", scratch},
                                        {"threads", kernel->parallel ? "THREADS" : "1"},
                                        {"each", each}},
                    4);
}

void opevo_i_export_launch(opevo_text *out, const opevo_kernel *kernel, double flop)
{
    bool cpu = kernel->dialect == OPEVO_KERNEL_C;

    opevo_text_printf(out, "#define FLOP %.1f\n#define WINDOW_S %s\n", flop,
                      cpu ? "0.2e-3" : "1e-3");
    if (cpu) {
        add_cpu(out, kernel);
        return;
    }
    if (!opevo_i_export_is_opencl(kernel))
        opevo_text_printf(out, "#define GPU(name) %s##name\n",
                          kernel->dialect == OPEVO_KERNEL_CUDA ? "cuda" : "hip");
    for (int i = 0; i <= kernel->more; i++)
        add_for(out, kernel, i, opevo_i_export_launch_numbers, "");
}

void opevo_i_export_reserve(opevo_text *out, const opevo_kernel *kernel)
{
    if (kernel->scratch_bytes)
        opevo_text_printf(out,
                          "    must(GPU(Malloc)((void **)&scratch, %lluLL), \"allocating\");\n",
                          (unsigned long long)kernel->scratch_bytes);
    for (int i = 0; i <= kernel->more; i++) {
        if (opevo_kernel_launch(kernel, i).dynamic_shared_bytes)
            add_for(out, kernel, i, opevo_i_export_shared, "");
    }
}

void opevo_i_export_call(opevo_text *out, const opevo_kernel *kernel, const char *arguments)
{
    opevo_text_add(out, "}\n\n/* One execution. */\nstatic void call(void)\n{\n");
    for (int i = 0; i <= kernel->more; i++)
        add_for(out, kernel, i,
                opevo_i_export_is_opencl(kernel) ? opevo_i_export_opencl_launch
                                                 : opevo_i_export_call_launch,
                arguments);
    opevo_text_add(out, "}\n");
}
