/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Words and numbers of the sources of all libraries. */

#include "library_internal.h"

#include <math.h>
#include <string.h>

/* A name as the text of a string or of a comment. */
void opevo_i_library_plain(const char *name, opevo_text *out)
{
    for (; *name; name++) {
        bool plain = *name >= ' ' && *name < 127 && !strchr("\"\\*?", *name);

        opevo_text_add_bytes(out, plain ? name : "_", 1);
    }
}

/* Dimensions of a box, without those of one element and with adjacent ones as one. */
void opevo_i_library_simplify(opevo_network_copy *copy)
{
    int kept = 0;

    for (int d = 0; d < copy->dims; d++) {
        if (copy->extent[d] == 1)
            continue;
        copy->extent[kept] = copy->extent[d];
        copy->from_stride[kept] = copy->from_stride[d];
        copy->to_stride[kept++] = copy->to_stride[d];
        while (kept > 1 &&
               copy->from_stride[kept - 2] ==
                   copy->extent[kept - 1] * copy->from_stride[kept - 1] &&
               copy->to_stride[kept - 2] == copy->extent[kept - 1] * copy->to_stride[kept - 1]) {
            copy->extent[kept - 2] *= copy->extent[kept - 1];
            copy->from_stride[kept - 2] = copy->from_stride[kept - 1];
            copy->to_stride[kept - 2] = copy->to_stride[kept - 1];
            kept--;
        }
    }
    copy->dims = kept;
}

void opevo_i_library_numbers(const char *member, const int64_t *numbers, int count, opevo_text *out)
{
    if (count == 0)
        return;
    opevo_text_printf(out, ", .%s = {", member);
    for (int i = 0; i < count; i++)
        opevo_text_printf(out, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    opevo_text_add(out, "}");
}

void opevo_i_library_number(float value, opevo_text *out)
{
    if (isfinite(value))
        opevo_text_printf(out, "%af", (double)value);
    else
        opevo_text_add(out, isnan(value) ? "NAN" : value > 0 ? "INFINITY" : "-INFINITY");
}
