/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exact law of a walk: as a table with bars, CSV, JSON, and as a drawing. */

#include "law_child.h"
#include "law_rows_internal.h"
#include "options_internal.h"
#include "output_file_internal.h"
#include "space_spec_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/figure.h>
#include <opevo/file.h>
#include <opevo/law.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"start", "VALUE", "start of the walk (default: the first value)", false},
    {"q", "Q", "probability of one more step, 0 <= q < 1 (default 0.5)", false},
    {"topology", "NAME", "which values are neighbours (default: the paper's)", false},
    {"method", "NAME", "auto, closed-form, tridiagonal, cholesky, cg, cg-implicit, lumped", false},
    {"tolerance", "T", "largest accepted error bound, in the 1-norm (default 1e-12)", false},
    {"top", "N", "rows of the table, most probable first (default 40; 0: all)", false},
    {"csv", NULL, "print value,p,bound; the bound is that of the whole law", false},
    {"json", NULL, "print one JSON object", false},
    {"parents", "FILE", "of a space: the law of a child of these, one configuration on each line",
     false},
    {"svg", "FILE", "draw the graph, its vertices shaded by probability", false},
};

static int by_probability(const void *a, const void *b)
{
    const opevo_i_cli_law_row *x = a;
    const opevo_i_cli_law_row *y = b;

    if (x->class.probability != y->class.probability)
        return x->class.probability < y->class.probability ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static void print_csv(const opevo_law *law, const opevo_i_cli_law_row *rows, size_t count,
                      bool by_class, opevo_text *out)
{
    opevo_text value = {0};

    opevo_text_add(out, by_class ? "representative,count,p,bound\n" : "value,p,bound\n");
    for (size_t i = 0; i < count; i++) {
        opevo_text_clear(&value);
        opevo_parameter_print(opevo_law_parameter(law), rows[i].class.representative, &value);
        opevo_text_add_csv(out, opevo_text_string(&value));
        if (by_class) {
            opevo_text_add(out, ",");
            opevo_text_add_index(out, rows[i].class.size);
        }
        opevo_text_add(out, ",");
        opevo_text_add_double(out, rows[i].class.probability);
        opevo_text_add(out, ",");
        opevo_text_add_double(out, opevo_i_cli_law_printed_bound(law));
        opevo_text_add(out, "\n");
    }
    opevo_text_free(&value);
}

/* A bar in eighths of a character, so that small probabilities are still told apart; in whole ones
 * where the locale has no such characters. */
static void draw_bar(double share, char *bar, size_t size)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    bool unicode = opevo_i_cli_unicode();
    unsigned length = (unsigned)(share * 24 * 8 + 0.5);
    size_t used = 0;

    bar[0] = '\0';
    for (; length >= 8; length -= 8)
        used += (size_t)snprintf(bar + used, size - used, "%s", unicode ? "█" : "#");
    if (unicode)
        snprintf(bar + used, size - used, "%s", eighths[length]);
}

static opevo_status print_rows(const opevo_law *law, const opevo_i_cli_law_row *rows, size_t count,
                               bool by_class, opevo_text *out, opevo_error *err)
{
    static const char *const by_value_heads[] = {"<value", "probability", "<"};
    static const char *const by_class_heads[] = {"<one of", "count", "probability of each",
                                                 "of all", "<"};
    opevo_table table = {.heads = by_class ? by_class_heads : by_value_heads,
                         .columns = by_class ? 5 : 3};
    double most = rows[0].class.probability * (double)(by_class ? rows[0].class.size : 1);

    for (size_t i = 1; i < count && by_class; i++) {
        double mass = rows[i].class.probability * (double)rows[i].class.size;

        most = mass > most ? mass : most;
    }
    for (size_t i = 0; i < count; i++) {
        double mass = rows[i].class.probability * (double)rows[i].class.size;
        opevo_text value = {0};
        char digits[OPEVO_INDEX_TEXT_SIZE];
        char bar[128];

        opevo_parameter_print(opevo_law_parameter(law), rows[i].class.representative, &value);
        opevo_i_cli_table_cell(&table, "%s", opevo_text_string(&value));
        opevo_text_free(&value);
        if (by_class) {
            opevo_i_cli_table_cell(&table, "%s", opevo_index_format(rows[i].class.size, digits));
            opevo_i_cli_table_cell(&table, "%.6e", rows[i].class.probability);
        }
        opevo_i_cli_table_cell(&table, mass >= 1e-4 || mass == 0 ? "%.6f" : "%.2e", mass);
        draw_bar(most > 0 ? mass / most : 0, bar, sizeof bar);
        opevo_i_cli_table_cell(&table, "%s", bar);
    }
    return opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
}

static opevo_status print_table(const opevo_law *law, opevo_i_cli_law_row *rows, size_t count,
                                bool by_class, size_t top, opevo_text *out, opevo_error *err)
{
    const opevo_parameter *parameter = opevo_law_parameter(law);
    size_t shown = top && count > top ? top : count;
    opevo_status status = OPEVO_OK;
    double rest = 0;

    opevo_text_printf(out, "Law of the q-random walk on %s, topology %s, q = %g, from ",
                      opevo_parameter_text(parameter), opevo_parameter_topology(parameter),
                      opevo_law_q(law));
    opevo_parameter_print(parameter, opevo_law_start(law), out);
    opevo_text_add(out, "\n");
    opevo_i_cli_text_add_grouped(out, opevo_parameter_size(parameter));
    opevo_text_printf(out, " value%s; method %s; exact within ",
                      opevo_parameter_size(parameter) == 1 ? "" : "s",
                      opevo_law_method_name(opevo_law_get_method(law)));
    opevo_i_cli_text_add_bound(out, opevo_law_bound(law));
    opevo_text_add(out,
                   " in the 1-norm (bounded); shown are rounded probabilities, --csv and --json "
                   "have all digits\n\n");
    qsort(rows, count, sizeof *rows, by_probability);
    status = print_rows(law, rows, shown, by_class, out, err);
    for (size_t i = shown; i < count; i++)
        rest += rows[i].class.probability * (double)rows[i].class.size;
    if (shown < count) {
        opevo_text_add(out, "... and ");
        opevo_i_cli_text_add_grouped(out, count - shown);
        opevo_text_printf(out, " more %s, with probability %.3g together (--top 0 shows all)\n",
                          by_class ? "classes" : "values", rest);
    }
    return status;
}

static opevo_status find_start(const opevo_call *call, const opevo_parameter *parameter,
                               opevo_index *start, opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "start");
    opevo_error inner = {OPEVO_OK, ""};

    *start = 0;
    if (!text || opevo_parameter_read(parameter, text, start, &inner) == OPEVO_OK)
        return OPEVO_OK;
    return OPEVO_FAIL(err, inner.status, "--start %.100s: %.900s", text,
                      opevo_i_cli_unnamed(inner.message));
}

static opevo_status find_options(const opevo_call *call, opevo_law_options *settings,
                                 opevo_error *err)
{
    const char *method = opevo_i_cli_option(call, "method");

    if (method && !opevo_law_method_parse(method, &settings->method))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--method %s: give auto, closed-form, tridiagonal, cholesky, cg, "
                          "cg-implicit or lumped.",
                          method);
    return opevo_i_cli_option_positive(call, "tolerance", &settings->tolerance, err);
}

static opevo_status write_svg(const opevo_law *law, const char *path, opevo_error *err)
{
    opevo_text svg = {0};
    opevo_status status = opevo_figure_law(law, &svg, err);

    if (status == OPEVO_OK)
        status = opevo_file_write(path, opevo_text_string(&svg), svg.length, err);
    opevo_text_free(&svg);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_parameter *parameter = NULL;
    opevo_law *law = NULL;
    opevo_i_cli_law_row *rows = NULL;
    opevo_law_options settings = {OPEVO_LAW_AUTO, 0};
    const char *svg = opevo_i_cli_option(call, "svg");
    opevo_index start = 0;
    uint64_t top = 0;
    double q = 0;
    size_t count = 0;
    bool by_class = false;

    (void)exit_code;
    if (opevo_i_cli_option(call, "parents"))
        return opevo_i_cli_law_child(call, out, err);
    OPEVO_TRY(opevo_i_cli_parameter_of(call->arguments[0], opevo_i_cli_option(call, "topology"),
                                       &parameter, err));
    OPEVO_TRY(find_start(call, parameter, &start, err));
    if (opevo_i_cli_flag(call, "json") && opevo_i_cli_flag(call, "csv")) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "--json and --csv: choose one.");
        goto cleanup;
    }
    if (svg)
        OPEVO_TRY(opevo_i_cli_check_output("--svg", svg, "<title>q-random walk on ", err));
    OPEVO_TRY(opevo_i_cli_option_q(call, &q, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "top", 40, 0, UINT64_MAX, &top, err));
    OPEVO_TRY(find_options(call, &settings, err));
    OPEVO_TRY(opevo_law_create(parameter, q, start, &settings, &law, err));
    OPEVO_TRY(opevo_i_cli_law_rows_make(law, &rows, &count, &by_class, err));
    if (svg)
        OPEVO_TRY(write_svg(law, svg, err));
    if (opevo_i_cli_flag(call, "json")) {
        opevo_text_add(out, "{");
        opevo_i_cli_law_json(law, rows, count, by_class, "\n", out);
        opevo_text_add(out, "}\n");
    } else if (opevo_i_cli_flag(call, "csv")) {
        print_csv(law, rows, count, by_class, out);
    } else {
        OPEVO_TRY(print_table(law, rows, count, by_class, (size_t)top, out, err));
    }
cleanup:
    opevo_free(rows);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
    return status;
}

const opevo_verb opevo_i_cli_verb_law = {
    .name = "law",
    .arguments = "PARAMETER",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Compute the law of a q-random walk: the exact distribution of where it ends.",
    .details =
        "PARAMETER is one of factor(C,v), permutation(n), discrete(a,b,...),\n"
        "categorical(a,b,...), graph(FILE); docs/topologies.md has their topologies. With\n"
        "--parents it is a space: the probability that a child of the parents is allowed, and\n"
        "the law of each of its parameters, before constraints and given that it is. A line\n"
        "of the file may begin with a weight: 2.5 K=64,4,4 X=512.\n\n"
        "  opevo law 'factor(8,3)' --start 8,1,1 --q 0.5\n"
        "  opevo law 'permutation(30)' --q 0.9\n"
        "  opevo law 'discrete(0,125,256)' --json\n"
        "  opevo law space.json --parents best.txt --q 0.5",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_manifest = true,
    .run = run,
};
