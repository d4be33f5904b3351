/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the build files of all libraries have: flags of the compiler, kernels, sizes. */

#include "library_internal.h"

#include <string.h>

/* Those of a processor are not for all files of libraries with several targets. */
static void add_flags(const opevo_network_library *self, opevo_text *out)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!self->of || strncmp(flags[i], "-m", 2) != 0)
            opevo_text_printf(out, "%s ", flags[i]);
    }
    opevo_text_add(out, "-Wall -Wextra");
}

/* The numbers of all kernels, each between two texts. */
static void add_kernels(const opevo_network_library *self, const char *before, const char *behind,
                        opevo_text *out)
{
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, "%skernel_%03d%s", before, t, behind);
}

void opevo_i_library_fill_build(const opevo_network_library *self, const char *text,
                                const char *before, const char *behind, const opevo_text_slot *more,
                                size_t count, opevo_text *out)
{
    enum { FLAGS, KERNELS, BYTES, PARTS };
    opevo_i_library_part parts[PARTS] = {{"flags", {0}}, {"kernels", {0}}, {"bytes", {0}}};
    opevo_text filled = {0};

    add_flags(self, &parts[FLAGS].text);
    add_kernels(self, before, behind, &parts[KERNELS].text);
    opevo_text_printf(&parts[BYTES].text, "%lld", (long long)self->weight_bytes);
    opevo_text_fill(&filled, text, more, count);
    opevo_i_library_fill(self, opevo_text_string(&filled), parts, PARTS, out);
    out->failed |= filled.failed;
    opevo_text_free(&filled);
}
