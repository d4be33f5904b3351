/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child: whether it is allowed, and each of its parameters before constraints and
 * given that it is allowed. */

#include "law_child.h"
#include "space_spec_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"
#include "text_lines_internal.h"

#include <opevo/child_given.h>
#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/space.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 24 };

typedef struct parent_list {
    const opevo_space *space;
    opevo_index *points;
    double *weights;
    size_t count, point_capacity, weight_capacity;
} parent_list;

static void release(parent_list *self)
{
    opevo_free(self->points);
    opevo_free(self->weights);
}

/* A weight, by default 1, and a configuration, as in "2.5 K=64,4,4". */
static opevo_status read_line(void *context, const char *path, size_t number, const char *line,
                              opevo_error *err)
{
    parent_list *self = context;
    char *end = NULL;
    double weight = strtod(line, &end);
    opevo_error why = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (line[strspn(line, " \t\r")] == '\0')
        return OPEVO_OK;
    if (end == line || !strchr(" \t", *end)) {
        weight = 1;
        end = (char *)line;
    }
    if (!(weight >= 0 && isfinite(weight)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: the weight must be a number of at least 0.",
                          path, number);
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->points, &self->point_capacity,
                                       self->count + 1, sizeof *self->points) &&
                             opevo_reserve((void **)&self->weights, &self->weight_capacity,
                                           self->count + 1, sizeof *self->weights),
                         "parents");
    status =
        opevo_space_read(self->space, end + strspn(end, " \t"), &self->points[self->count], &why);
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s:%zu: %s", path, number, why.message);
    self->weights[self->count++] = weight;
    return OPEVO_OK;
}

static opevo_status read_parents(const opevo_space *space, const char *path, parent_list *out,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    out->space = space;
    status = opevo_i_cli_each_line(path, BYTES_MAX, read_line, out, err);
    if (status == OPEVO_OK && out->count == 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: no parent; write one configuration on each line.", path);
    return status;
}

/* One row for each value that a child can have: PARAMETER,VALUE,BEFORE,GIVEN. */
static opevo_status add_rows(const opevo_space *space, size_t i, const opevo_child_given *given,
                             const double *before, opevo_table *table, opevo_text *csv,
                             opevo_error *err)
{
    const opevo_parameter *parameter = opevo_space_parameter(space, i);
    size_t size = (size_t)opevo_parameter_size(parameter);
    double *law = opevo_malloc(size + 1, sizeof *law);
    opevo_text value = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(law, "the law of a parameter");
    OPEVO_TRY(opevo_child_given_law(given, i, law, err));
    for (size_t v = 0; v <= size; v++) {
        if ((v == size || before[v] <= 0) && law[v] <= 0)
            continue;
        opevo_text_clear(&value);
        if (v == size)
            opevo_text_add(&value, "(inactive)");
        else
            opevo_parameter_print(parameter, v, &value);
        if (csv) {
            opevo_text_add_csv(csv, opevo_parameter_name(parameter));
            opevo_text_add(csv, ",");
            opevo_text_add_csv(csv, opevo_text_string(&value));
            opevo_text_add(csv, ",");
            if (v < size)
                opevo_text_add_double(csv, before[v]);
            opevo_text_add(csv, ",");
            opevo_text_add_double(csv, law[v]);
            opevo_text_add(csv, "\n");
            continue;
        }
        opevo_i_cli_table_cell(table, "%s", opevo_parameter_name(parameter));
        opevo_i_cli_table_cell(table, "%s", opevo_text_string(&value));
        if (v < size)
            opevo_i_cli_table_cell(table, "%.6g", before[v]);
        else
            opevo_i_cli_table_cell(table, "%s", "-");
        opevo_i_cli_table_cell(table, "%.6g", law[v]);
    }
cleanup:
    opevo_text_free(&value);
    opevo_free(law);
    return status;
}

static opevo_status print(const opevo_space *space, const opevo_parents *parents, double q,
                          const opevo_child_given *given, bool csv, opevo_text *out,
                          opevo_error *err)
{
    static const char *const heads[] = {"<parameter", "<value", "before", "given"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};
    opevo_child_law *law = NULL;
    double bound = 0, allowed = opevo_child_given_probability(given, &bound);
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_child_law_create(space, parents, q, NULL, &law, err));
    if (csv)
        opevo_text_add(out, "parameter,value,before,given\n");
    else
        opevo_text_printf(out,
                          "%zu parent%s, q = %g; a child is allowed with probability %.10g, within "
                          "%.2g (bounded)\n\n",
                          parents->count, opevo_i_cli_plural(parents->count), q, allowed, bound);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        OPEVO_TRY(add_rows(space, i, given, opevo_child_law_marginal(law, i), &table,
                           csv ? out : NULL, err));
    if (!csv)
        status = opevo_i_cli_table_print(&table, 0, out, err);
cleanup:
    opevo_i_cli_table_free(&table);
    opevo_child_law_destroy(law);
    return status;
}

opevo_status opevo_i_cli_law_child(const opevo_call *call, opevo_text *out, opevo_error *err)
{
    static const char *const of_walks[] = {"start", "topology", "method", "tolerance",
                                           "top",   "json",     "svg"};
    opevo_status status = OPEVO_OK;
    opevo_space *space = NULL;
    opevo_child_given *given = NULL;
    parent_list list = {0};
    opevo_parents parents;
    double q = 0;

    for (size_t i = 0; i < sizeof of_walks / sizeof *of_walks; i++) {
        if (opevo_i_cli_option(call, of_walks[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--%s does not apply to the law of a child (--parents).",
                              of_walks[i]);
    }
    OPEVO_TRY(opevo_i_cli_option_q(call, &q, err));
    OPEVO_TRY(opevo_i_cli_space_of(call->arguments[0], &space, err));
    OPEVO_TRY(read_parents(space, opevo_i_cli_option(call, "parents"), &list, err));
    parents = (opevo_parents){list.points, list.weights, list.count};
    OPEVO_TRY(opevo_child_given_create(space, &parents, q, &given, err));
    status = print(space, &parents, q, given, opevo_i_cli_flag(call, "csv"), out, err);
cleanup:
    opevo_child_given_destroy(given);
    release(&list);
    opevo_space_destroy(space);
    return status;
}
