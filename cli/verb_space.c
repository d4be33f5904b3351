/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Facts of a space: each parameter's graph, the number of points, the share that the constraints
 * allow. */

#include "options_internal.h"
#include "recording_spec_internal.h"
#include "space_facts.h"
#include "space_spec_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/diagram.h>
#include <opevo/json.h>
#include <opevo/space.h>

#include <math.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"json", NULL, "print one JSON object", false},
    OPEVO_I_ONLY_RECORDED_OPTION,
    {"shares", "A[,B]",
     "the share of the allowed points for each value of A, or each pair of A and B", false},
    {"threads", "N", "threads for counting the allowed points (default 0: all cores)", false},
};

/* Spaces up to this many points are counted one by one: a few seconds. */
#define MOST_COUNTED ((opevo_index)1 << 26)

static void add_json_fact(opevo_text *out, const char *key, bool known, opevo_index value)
{
    opevo_json_key(out, key);
    if (known)
        opevo_text_add_index(out, value);
    else
        opevo_text_add(out, "null");
}

/* When parameter i is active: "op=conv". */
static void add_condition(const opevo_space *space, size_t i, opevo_text *out)
{
    opevo_activation when = opevo_space_activation(space, i);
    const opevo_parameter *parent = opevo_space_parameter(space, when.parent);

    opevo_text_printf(out, "%s=", opevo_parameter_name(parent));
    opevo_parameter_print(parent, when.value, out);
}

static void add_json_condition(const opevo_space *space, size_t i, opevo_text *out)
{
    opevo_activation when = opevo_space_activation(space, i);
    const opevo_parameter *parent = NULL;

    if (when.parent == OPEVO_NO_PARENT)
        return;
    parent = opevo_space_parameter(space, when.parent);
    opevo_json_open(out, "active", "{");
    opevo_json_string(out, "parent", opevo_parameter_name(parent));
    opevo_json_key(out, "value");
    opevo_parameter_print_json(parent, when.value, out);
    opevo_text_add(out, "}");
}

static opevo_status add_json_parameter(const opevo_space *space, size_t i, opevo_text *out,
                                       opevo_error *err)
{
    const opevo_parameter *parameter = opevo_space_parameter(space, i);
    opevo_parameter_metrics facts;
    opevo_status status = opevo_parameter_measure(parameter, &facts, err);

    if (status != OPEVO_OK)
        return status;
    opevo_text_add(out, "{");
    opevo_json_string(out, "name", opevo_parameter_name(parameter));
    opevo_json_string(out, "parameter", opevo_parameter_text(parameter));
    opevo_json_string(out, "topology", opevo_parameter_topology(parameter));
    opevo_json_index(out, "vertices", opevo_parameter_size(parameter));
    add_json_fact(out, "edges", facts.known & OPEVO_METRIC_EDGES, facts.edges);
    add_json_fact(out, "degree_min", facts.known & OPEVO_METRIC_DEGREES, facts.degree_min);
    opevo_json_double(out, "degree_mean",
                      facts.known & OPEVO_METRIC_DEGREES ? facts.degree_mean : NAN);
    add_json_fact(out, "degree_max", facts.known & OPEVO_METRIC_DEGREES, facts.degree_max);
    add_json_fact(out, "diameter", facts.known & OPEVO_METRIC_DIAMETER, facts.diameter);
    add_json_fact(out, "components", facts.known & OPEVO_METRIC_COMPONENTS, facts.components);
    add_json_condition(space, i, out);
    opevo_text_add(out, "}");
    return OPEVO_OK;
}

/* The number of allowed points where it exceeds an opevo_index: that of the diagram. */
static void print_allowed(const opevo_space *space, opevo_text *out)
{
    const opevo_diagram *diagram = NULL;

    if (opevo_space_diagram(space, &diagram, NULL) == OPEVO_OK)
        opevo_diagram_print_count(diagram, out);
}

static void add_digits(const opevo_space *space, void (*print)(const opevo_space *, opevo_text *),
                       opevo_text *out)
{
    opevo_text digits = {0};

    print(space, &digits);
    opevo_i_cli_text_add_digits(out, opevo_text_string(&digits));
    out->failed |= digits.failed;
    opevo_text_free(&digits);
}

static void add_json_share(const opevo_space *space, const opevo_space_share *share,
                           opevo_text *out)
{
    opevo_json_open(out, "allowed", "{");
    opevo_json_string(out, "sure", share->exact ? "exact" : "estimated");
    opevo_json_double(out, "share", share->share);
    if (share->exact && share->allowed == OPEVO_INDEX_MAX) {
        opevo_json_key(out, "points");
        print_allowed(space, out);
    } else {
        add_json_fact(out, "points", share->exact, share->allowed);
    }
    opevo_json_double(out, "share_low", share->share_low);
    opevo_json_double(out, "share_high", share->share_high);
    opevo_text_add(out, "}");
}

static opevo_status print_json(const opevo_space *space, const opevo_space_share *share,
                               opevo_text *out, opevo_error *err)
{
    opevo_text_add(out, "{");
    opevo_json_open(out, "parameters", "[");
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        opevo_status status = OPEVO_OK;

        opevo_json_next(out, "\n  ");
        status = add_json_parameter(space, i, out, err);
        if (status != OPEVO_OK)
            return status;
    }
    opevo_text_add(out, "\n]");
    opevo_json_key(out, "points");
    opevo_space_print_size(space, out);
    opevo_json_open(out, "constraints", "[");
    for (size_t i = 0; i < opevo_space_constraint_count(space); i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_space_constraint(space, i));
    }
    opevo_text_add(out, "]");
    add_json_share(space, share, out);
    if (opevo_space_is_restricted(space)) {
        opevo_status status = opevo_i_cli_space_facts_print_json(space, out, err);

        if (status != OPEVO_OK)
            return status;
    }
    opevo_text_add(out, "}\n");
    return OPEVO_OK;
}

static void grouped_cell(opevo_table *table, bool known, opevo_index value)
{
    opevo_text text = {0};

    if (known)
        opevo_i_cli_text_add_grouped(&text, value);
    else
        opevo_text_add(&text, "?");
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    opevo_text_free(&text);
}

static opevo_status add_row(opevo_table *table, const opevo_parameter *parameter, opevo_error *err)
{
    opevo_parameter_metrics facts;
    opevo_status status = opevo_parameter_measure(parameter, &facts, err);
    bool degrees = false;

    if (status != OPEVO_OK)
        return status;
    degrees = facts.known & OPEVO_METRIC_DEGREES;
    opevo_i_cli_table_cell(table, "%s", opevo_parameter_name(parameter));
    opevo_i_cli_table_cell(table, "%s", opevo_parameter_text(parameter));
    opevo_i_cli_table_cell(table, "%s", opevo_parameter_topology(parameter));
    grouped_cell(table, true, opevo_parameter_size(parameter));
    grouped_cell(table, facts.known & OPEVO_METRIC_EDGES, facts.edges);
    grouped_cell(table, degrees, facts.degree_min);
    opevo_i_cli_table_cell(table, degrees ? "%.2f" : "?", facts.degree_mean);
    grouped_cell(table, degrees, facts.degree_max);
    grouped_cell(table, facts.known & OPEVO_METRIC_DIAMETER, facts.diameter);
    grouped_cell(table, facts.known & OPEVO_METRIC_COMPONENTS, facts.components);
    return OPEVO_OK;
}

/* The parameters that `parent` activates, branch by branch, each with those in its own branches. */
static void print_tree(const opevo_space *space, size_t parent, unsigned depth, opevo_text *out)
{
    size_t count = opevo_space_parameter_count(space);
    bool top = parent == OPEVO_NO_PARENT;
    opevo_index shown = OPEVO_INDEX_MAX; /* the branch whose line stands */

    for (size_t i = top ? 0 : parent + 1; i < count; i++) {
        opevo_activation when = opevo_space_activation(space, i);

        if (when.parent != parent)
            continue;
        if (!top && when.value != shown) {
            opevo_text_printf(out, "%*s", (int)(4 * depth - 2), "");
            add_condition(space, i, out);
            opevo_text_add(out, "\n");
            shown = when.value;
        }
        opevo_text_printf(out, "%*s%s: %s\n", (int)(4 * depth), "",
                          opevo_parameter_name(opevo_space_parameter(space, i)),
                          opevo_parameter_text(opevo_space_parameter(space, i)));
        print_tree(space, i, depth + 1, out);
    }
}

static opevo_status print_table(const opevo_space *space, const opevo_space_share *share,
                                opevo_text *out, opevo_error *err)
{
    static const char *const heads[] = {"<name",    "<parameter", "<topology",   "vertices",
                                        "edges",    "degree min", "degree mean", "degree max",
                                        "diameter", "components"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < opevo_space_parameter_count(space) && status == OPEVO_OK; i++)
        status = add_row(&table, opevo_space_parameter(space, i), err);
    if (status == OPEVO_OK)
        status =
            opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
    opevo_i_cli_table_free(&table);
    if (status != OPEVO_OK)
        return status;
    opevo_text_add(out, "\n");
    if (opevo_space_has_branches(space)) {
        opevo_text_add(out, "branches\n");
        print_tree(space, OPEVO_NO_PARENT, 0, out);
        opevo_text_add(out, "\n");
    }
    add_digits(space, opevo_space_print_size, out);
    opevo_text_printf(out, " point%s (exact)", opevo_i_cli_plural(opevo_space_size(space)));
    for (size_t i = 0; i < opevo_space_constraint_count(space); i++) {
        opevo_text_printf(out, "\nconstraint %zu: ", i + 1);
        opevo_text_add_visible(out, opevo_space_constraint(space, i));
    }
    if (opevo_space_is_restricted(space)) {
        opevo_text_printf(out,
                          share->exact && share->share < 1e-5
                              ? "\nallowed: %.4g %% of the points, "
                              : "\nallowed: %.4f %% of the points, ",
                          100 * share->share);
        if (share->exact) {
            if (share->allowed == OPEVO_INDEX_MAX)
                add_digits(space, print_allowed, out);
            else
                opevo_i_cli_text_add_grouped(out, share->allowed);
            opevo_text_add(out, " (exact)");
        } else {
            opevo_text_printf(out, "between %.4f %% and %.4f %% (estimated, 99 %% confidence)",
                              100 * share->share_low, 100 * share->share_high);
        }
    }
    opevo_text_add(out, "\n");
    return opevo_space_is_restricted(space) ? opevo_i_cli_space_facts_print(space, out, err)
                                            : OPEVO_OK;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_space *space = NULL;
    opevo_space_share share;
    uint64_t threads = 0;
    opevo_text text = {0};
    const char *what = NULL;

    (void)exit_code;
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    OPEVO_TRY(opevo_i_cli_on_of_call(call, call->arguments[0], &text, &what, err));
    OPEVO_TRY(opevo_i_cli_space_of(what, &space, err));
    OPEVO_TRY(opevo_space_check_points(space, what, err));
    if (opevo_i_cli_option(call, "shares")) {
        status =
            opevo_i_cli_space_shares_print(space, opevo_i_cli_option(call, "shares"), out, err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_space_count_allowed(space, MOST_COUNTED, (unsigned)threads, &share, err));
    if (opevo_i_cli_flag(call, "json"))
        OPEVO_TRY(print_json(space, &share, out, err));
    else
        OPEVO_TRY(print_table(space, &share, out, err));
cleanup:
    opevo_text_free(&text);
    opevo_space_destroy(space);
    return status;
}

const opevo_verb opevo_i_cli_verb_space = {
    .name = "space",
    .arguments = "WHAT",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Describe a search space: parameter graphs, points, share of allowed points.",
    .details =
        "WHAT is an operator (mm1, matmul(512,1024,1024)), a space file (NNI's format, T1, Kernel\n"
        "Tuner's tune_params or T4 results), a parameter (factor(8,3)) or recorded:[FILE].",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
