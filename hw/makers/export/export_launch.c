/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Programs for kernels on a GPU that have scratch memory or are several kernels after one
 * another. */

#include "export_internal.h"

#include <stdio.h>

bool opevo_i_export_is_simple(const opevo_kernel *kernel)
{
    return kernel->more == 0 && kernel->scratch_bytes == 0;
}

void opevo_i_export_more(opevo_text *out, const opevo_kernel *kernel)
{
    for (int i = 1; i <= kernel->more; i++) {
        opevo_launch one = opevo_kernel_launch(kernel, i);
        char name[OPEVO_KERNEL_NAME];

        opevo_kernel_launch_name(kernel, i, name);
        opevo_text_printf(out, "#define ENTRY_%d %s\n#define GRID_%d %u, %u, %u\n", i + 1, name,
                          i + 1, one.grid[0], one.grid[1], one.grid[2]);
        opevo_text_printf(out, "#define BLOCK_%d %u, %u, %u\n#define DYNAMIC_SHARED_BYTES_%d %u\n",
                          i + 1, one.block[0], one.block[1], one.block[2], i + 1,
                          one.dynamic_shared_bytes);
    }
}

void opevo_i_export_reserve(opevo_text *out, const opevo_kernel *kernel)
{
    if (kernel->scratch_bytes)
        opevo_text_printf(out,
                          "    must(GPU(Malloc)((void **)&scratch, %lluLL), \"allocating\");\n",
                          (unsigned long long)kernel->scratch_bytes);
    for (int i = 1; i <= kernel->more; i++) {
        if (opevo_kernel_launch(kernel, i).dynamic_shared_bytes)
            opevo_text_printf(out,
                              "    must(GPU(FuncSetAttribute)((const void *)ENTRY_%d,\n"
                              "                               "
                              "GPU(FuncAttributeMaxDynamicSharedMemorySize),\n"
                              "                               DYNAMIC_SHARED_BYTES_%d),\n"
                              "         \"asking for shared memory\");\n",
                              i + 1, i + 1);
    }
}

void opevo_i_export_call(opevo_text *out, const opevo_kernel *kernel, const opevo_text *arguments)
{
    opevo_text_add(out, "}\n\n/* One execution: kernels that wait for one another. */\n"
                        "static void call(void)\n{\n");
    for (int i = 0; i <= kernel->more; i++) {
        char suffix[16] = "";

        if (i)
            snprintf(suffix, sizeof suffix, "_%d", i + 1);
        opevo_text_printf(out,
                          "    ENTRY%s<<<dim3(GRID%s), dim3(BLOCK%s), DYNAMIC_SHARED_BYTES%s>>>(",
                          suffix, suffix, suffix, suffix);
        opevo_text_printf(out, "%s%s);\n", opevo_text_string(arguments),
                          kernel->scratch_bytes ? ", scratch" : "");
    }
}
