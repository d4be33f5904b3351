/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Facts from the diagram of a space. */

#include "space_facts.h"
#include "terminal_internal.h"

#include <opevo/diagram_components.h>
#include <opevo/json.h>
#include <opevo/memory.h>

#include <string.h>

enum { VALUES_SHOWN = 8, VALUES_LOOKED_AT = 1 << 16 };

/* ---- Values that no point has ---- */

/* What is called for each value that no allowed point has. */
typedef void (*dead_value)(void *context, const opevo_parameter *parameter, opevo_index vertex);

/* A parameter of many values is passed by. */
static void each_dead(const opevo_space *space, const opevo_diagram *diagram, size_t i,
                      dead_value found, void *context)
{
    const opevo_parameter *parameter = opevo_space_parameter(space, i);
    opevo_index size = opevo_parameter_size(parameter);

    for (opevo_index vertex = 0; size <= VALUES_LOOKED_AT && vertex < size; vertex++) {
        if (!opevo_diagram_occurs(diagram, i, vertex))
            found(context, parameter, vertex);
    }
}

typedef struct dead_list {
    opevo_text *out;
    size_t count;
} dead_list;

static void print_dead(void *context, const opevo_parameter *parameter, opevo_index vertex)
{
    dead_list *self = context;

    if (self->count++ >= VALUES_SHOWN)
        return;
    if (self->count == 1)
        opevo_text_printf(self->out, "no allowed point has %s=", opevo_parameter_name(parameter));
    else
        opevo_text_add(self->out, ", ");
    opevo_parameter_print(parameter, vertex, self->out);
}

static void print_dead_json(void *context, const opevo_parameter *parameter, opevo_index vertex)
{
    dead_list *self = context;

    if (self->count++ == 0) {
        opevo_json_next(self->out, " ");
        opevo_text_add(self->out, "{");
        opevo_json_string(self->out, "parameter", opevo_parameter_name(parameter));
        opevo_json_key(self->out, "values");
        opevo_text_add(self->out, "[");
    }
    opevo_json_next(self->out, " ");
    opevo_parameter_print_json(parameter, vertex, self->out);
}

/* ---- Both forms ---- */

/* Flags of useless constraints; all false where they are too costly to find. */
static opevo_status find_useless(const opevo_space *space, bool **out, opevo_error *err)
{
    size_t count = opevo_space_constraint_count(space);
    bool *useless = opevo_calloc(count, sizeof *useless);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(useless, "the facts of a space");
    status = opevo_space_find_useless(space, useless, err);
    if (status == OPEVO_LIMIT) {
        memset(useless, 0, count * sizeof *useless);
        status = OPEVO_OK;
    }
    if (status == OPEVO_OK)
        *out = useless;
    else
        opevo_free(useless);
    return status;
}

static opevo_status print_components(const opevo_diagram *diagram, opevo_text *out,
                                     opevo_error *err)
{
    bool decided = false;
    opevo_index count = 0;
    opevo_status status = opevo_diagram_components(diagram, 0, &decided, &count, err);

    if (status != OPEVO_OK)
        return status;
    if (decided && count == 0)
        return OPEVO_OK;
    opevo_text_add(out, "steps between allowed neighbours: ");
    if (!decided) {
        opevo_text_add(out, "not decided whether they connect all allowed points\n");
    } else if (count == 1) {
        opevo_text_add(out, "connect all allowed points (exact)\n");
    } else {
        opevo_text_add(out, "leave ");
        opevo_i_cli_text_add_grouped(out, count);
        opevo_text_add(out, " parts without a way between them (exact)\n");
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_space_facts_print(const opevo_space *space, opevo_text *out,
                                           opevo_error *err)
{
    const opevo_diagram *diagram = NULL;
    opevo_error why = {OPEVO_OK, ""};
    opevo_status status = opevo_space_diagram(space, &diagram, &why);
    bool *useless = NULL;

    if (status == OPEVO_LIMIT) {
        opevo_text_printf(out, "no diagram: %s\n", why.message);
        return OPEVO_OK;
    }
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s", why.message);
    opevo_text_add(out, "diagram: ");
    opevo_i_cli_text_add_grouped(out, opevo_diagram_node_count(diagram));
    opevo_text_add(out, " nodes, ");
    opevo_i_cli_text_add_grouped(out, opevo_diagram_bytes(diagram));
    opevo_text_add(out, " bytes\n");
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        dead_list dead = {.out = out};

        each_dead(space, diagram, i, print_dead, &dead);
        if (dead.count > VALUES_SHOWN)
            opevo_text_printf(out, " and %zu more", dead.count - VALUES_SHOWN);
        opevo_text_add(out, dead.count ? "\n" : "");
    }
    OPEVO_TRY(print_components(diagram, out, err));
    OPEVO_TRY(find_useless(space, &useless, err));
    for (size_t i = 0; i < opevo_space_constraint_count(space); i++) {
        if (useless[i])
            opevo_text_printf(out, "constraint %zu excludes no point that the others allow\n",
                              i + 1);
    }
cleanup:
    opevo_free(useless);
    return status;
}

opevo_status opevo_i_cli_space_facts_print_json(const opevo_space *space, opevo_text *out,
                                                opevo_error *err)
{
    const opevo_diagram *diagram = NULL;
    opevo_error why = {OPEVO_OK, ""};
    opevo_status status = opevo_space_diagram(space, &diagram, &why);
    bool *useless = NULL, decided = false;
    opevo_index components = 0;

    opevo_json_open(out, "diagram", "{");
    if (status == OPEVO_LIMIT) {
        opevo_json_string(out, "none", why.message);
        opevo_text_add(out, "}");
        return OPEVO_OK;
    }
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s", why.message);
    opevo_json_index(out, "nodes", opevo_diagram_node_count(diagram));
    opevo_json_index(out, "bytes", opevo_diagram_bytes(diagram));
    OPEVO_TRY(opevo_diagram_components(diagram, 0, &decided, &components, err));
    opevo_json_key(out, "components");
    if (decided)
        opevo_text_add_index(out, components);
    else
        opevo_text_add(out, "null");
    opevo_json_open(out, "absent_values", "[");
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        dead_list dead = {.out = out};

        each_dead(space, diagram, i, print_dead_json, &dead);
        opevo_text_add(out, dead.count ? "]}" : "");
    }
    opevo_text_add(out, "]");
    OPEVO_TRY(find_useless(space, &useless, err));
    opevo_json_open(out, "useless_constraints", "[");
    for (size_t i = 0; i < opevo_space_constraint_count(space); i++) {
        if (!useless[i])
            continue;
        opevo_json_next(out, " ");
        opevo_text_printf(out, "%zu", i + 1);
    }
    opevo_text_add(out, "]}");
cleanup:
    opevo_free(useless);
    return status;
}

/* ---- Shares ---- */

static opevo_status find_parameter(const opevo_space *space, const char *name, size_t length,
                                   size_t *out, opevo_error *err)
{
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const char *known = opevo_parameter_name(opevo_space_parameter(space, i));

        if (strncmp(known, name, length) == 0 && known[length] == '\0') {
            *out = i;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "--shares: unknown parameter %.*s; write A or A,B.",
                      (int)length, name);
}

static void add_value(const opevo_space *space, size_t parameter, size_t vertex, size_t size,
                      opevo_text *out)
{
    opevo_text_printf(out, "%s=", opevo_parameter_name(opevo_space_parameter(space, parameter)));
    if (vertex == size)
        opevo_text_add(out, "(inactive)");
    else
        opevo_parameter_print(opevo_space_parameter(space, parameter), vertex, out);
    opevo_text_add(out, " ");
}

static opevo_status print_shares(const opevo_space *space, const opevo_diagram *diagram,
                                 const size_t *which, size_t count, opevo_text *out,
                                 opevo_error *err)
{
    opevo_index size[2] = {0, 0};
    double *shares = NULL;
    opevo_status status = OPEVO_OK;

    for (size_t k = 0; k < count; k++)
        size[k] = opevo_parameter_size(opevo_space_parameter(space, which[k]));
    if (size[0] > SIZE_MAX / 64 || size[1] > SIZE_MAX / 64 / (size[0] + 1))
        return OPEVO_FAIL(err, OPEVO_LIMIT, "--shares: the parameters have too many values.");
    shares = opevo_malloc((size_t)((size[0] + 1) * (size[1] + 1)), sizeof *shares);
    OPEVO_NEED_OR_RETURN(shares, "the shares of values");
    if (count == 1)
        OPEVO_TRY(opevo_diagram_shares(diagram, which[0], shares, err));
    else
        OPEVO_TRY(opevo_diagram_pair_shares(diagram, which[0], which[1], shares, err));
    for (size_t u = 0; u <= (size_t)size[0]; u++) {
        size_t columns = count == 1 ? 1 : (size_t)size[1] + 1;

        for (size_t v = 0; v < columns; v++) {
            if (shares[u * columns + v] <= 0)
                continue;
            add_value(space, which[0], u, (size_t)size[0], out);
            if (count == 2)
                add_value(space, which[1], v, (size_t)size[1], out);
            opevo_text_printf(out, "%.10g\n", shares[u * columns + v]);
        }
    }
cleanup:
    opevo_free(shares);
    return status;
}

opevo_status opevo_i_cli_space_shares_print(const opevo_space *space, const char *names,
                                            opevo_text *out, opevo_error *err)
{
    const opevo_diagram *diagram = NULL;
    size_t which[2] = {0, 0}, first = strcspn(names, ",");
    bool two = names[first] == ',';
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(find_parameter(space, names, first, &which[0], err));
    if (two)
        OPEVO_TRY(
            find_parameter(space, names + first + 1, strlen(names + first + 1), &which[1], err));
    if (two && which[0] == which[1])
        return OPEVO_FAIL(err, OPEVO_INVALID, "--shares: %s is named twice.", names);
    OPEVO_TRY(opevo_space_diagram(space, &diagram, err));
    status = print_shares(space, diagram, which, two ? 2 : 1, out, err);
cleanup:
    return status;
}
