/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows in which a law is printed, and a law as JSON. */

#include "law_rows_internal.h"

#include <opevo/json.h>
#include <opevo/law.h>
#include <opevo/memory.h>

#include <float.h>
#include <math.h>

/* Above this many values the law is printed by classes, where its method has them. */
enum { MOST_VALUES = 1 << 22 };

opevo_status opevo_i_cli_law_rows_make(const opevo_law *law, opevo_i_cli_law_row **out,
                                       size_t *count, bool *by_class, opevo_error *err)
{
    opevo_index size = opevo_parameter_size(opevo_law_parameter(law));
    opevo_i_cli_law_row *rows = NULL;

    *by_class = size > MOST_VALUES && opevo_law_class_count(law) < size;
    *count = *by_class ? opevo_law_class_count(law) : (size_t)size;
    rows = opevo_malloc(*count, sizeof *rows);
    OPEVO_NEED_OR_RETURN(rows, "%zu rows", *count);
    for (size_t i = 0; i < *count; i++) {
        rows[i].place = i;
        rows[i].class = *by_class ? opevo_law_class_get(law, i)
                                  : (opevo_law_class){i, 1, opevo_law_probability(law, i)};
    }
    *out = rows;
    return OPEVO_OK;
}

/* The shortest decimals that a double is read back from are off by at most half a unit in its last
 * place, 2^-53 of it: all of a law, whose sum is below 1.01, by less than 2^-52, with the rounding
 * of that sum. The decimals of the bound itself are covered by the second step up. */
double opevo_i_cli_law_printed_bound(const opevo_law *law)
{
    return nextafter(nextafter(opevo_law_bound(law) + DBL_EPSILON, INFINITY), INFINITY);
}

void opevo_i_cli_law_json(const opevo_law *law, const opevo_i_cli_law_row *rows, size_t count,
                          bool by_class, const char *line_end, opevo_text *out)
{
    const opevo_parameter *parameter = opevo_law_parameter(law);
    bool lines = *line_end != '\0';

    opevo_json_string(out, "parameter", opevo_parameter_text(parameter));
    opevo_json_string(out, "topology", opevo_parameter_topology(parameter));
    opevo_json_double(out, "q", opevo_law_q(law));
    opevo_json_key(out, "start");
    opevo_parameter_print_json(parameter, opevo_law_start(law), out);
    opevo_json_string(out, "method", opevo_law_method_name(opevo_law_get_method(law)));
    opevo_json_double(out, "bound", opevo_i_cli_law_printed_bound(law));
    opevo_json_open(out, "law", "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_open_next(out, lines ? "\n  " : " ", "{");
        opevo_json_key(out, "value");
        opevo_parameter_print_json(parameter, rows[i].class.representative, out);
        if (by_class)
            opevo_json_index(out, "count", rows[i].class.size);
        opevo_json_double(out, "p", rows[i].class.probability);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, line_end);
    opevo_text_add(out, "]");
}
