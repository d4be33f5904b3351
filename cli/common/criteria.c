/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria as they are printed. */

#include "cli_internal.h"

void opevo_i_json_criteria(const opevo_criterion *criteria, size_t count, opevo_text *out)
{
    opevo_text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        opevo_text_add(out, i ? ", {" : "{");
        opevo_json_string(out, "name", criteria[i].name);
        opevo_json_string(out, "unit", criteria[i].unit);
        opevo_json_string(out, "better", criteria[i].larger_is_better ? "larger" : "smaller");
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}
