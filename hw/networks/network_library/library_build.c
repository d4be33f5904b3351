/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the build files of all libraries have: flags of the compiler, kernels, sizes. */

#include "library_internal.h"

#include <opevo/index.h>

static void add_flags(opevo_text *out)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        opevo_text_printf(out, "%s ", flags[i]);
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
    opevo_text flags = {0}, kernels = {0}, filled = {0};
    char bytes[OPEVO_INDEX_TEXT_SIZE];

    add_flags(&flags);
    add_kernels(self, before, behind, &kernels);
    opevo_index_format((opevo_index)self->weight_bytes, bytes);
    opevo_text_fill(&filled, text, more, count);
    opevo_text_fill(out, opevo_text_string(&filled),
                    (opevo_text_slot[]){{"flags", opevo_text_string(&flags)},
                                        {"kernels", opevo_text_string(&kernels)},
                                        {"bytes", bytes}},
                    3);
    out->failed = out->failed || flags.failed || kernels.failed || filled.failed;
    opevo_text_free(&flags);
    opevo_text_free(&kernels);
    opevo_text_free(&filled);
}
