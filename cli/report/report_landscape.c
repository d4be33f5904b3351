/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A landscape as the data of a page: what `opevo landscape --json` prints, the distribution of the
 * fitness, and the law of the walk on each parameter from the value that the optimum has. */

#include "landscape_internal.h"
#include "options_internal.h"
#include "report_internal.h"

#include <opevo/figure.h>
#include <opevo/gsl_errors.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/objective.h>
#include <opevo/summary.h>

#include <gsl/gsl_sort.h>
#include <string.h>

enum {
    QUANTILES = 512,
    BARS = 48,
    LISTED = 300,           /* local optima of a topology */
    MOST_COMPARED = 100000, /* points; above, all topologies take minutes */
    MOST_LAWS = 12,         /* parameters whose graph is drawn */
    MOST_VERTICES = 120     /* above, a vertex has no room for its label */
};
static const double drawn_q = 0.5;

/* ---- What is asked for ---- */

static const opevo_option *find_option(const opevo_verb *verb, const char *name)
{
    for (size_t i = 0; i < verb->option_count; i++) {
        if (!strcmp(verb->options[i].name, name))
            return &verb->options[i];
    }
    return NULL;
}

/* The call with the analysis asked for that it leaves open: the topologies, and a generation after
 * some random trials. Its `given` is the caller's to free. */
static opevo_status complete_call(const opevo_call *call, opevo_index points, opevo_call *out,
                                  opevo_error *err)
{
    opevo_given *given = opevo_malloc(call->given_count + 2, sizeof *given);

    OPEVO_NEED_OR_RETURN(given, "the options of a report");
    if (call->given_count)
        memcpy(given, call->given, call->given_count * sizeof *given);
    *out = *call;
    out->given = given;
    if (!opevo_i_cli_flag(call, "topologies"))
        given[out->given_count++] = (opevo_given){find_option(call->verb, "topologies"),
                                                  points > MOST_COMPARED ? "current" : "all"};
    if (!opevo_i_cli_flag(call, "population"))
        given[out->given_count++] =
            (opevo_given){find_option(call->verb, "population"), points < 100 ? "1" : "50"};
    return OPEVO_OK;
}

/* ---- Distribution ---- */

static void add_bars(opevo_text *out, const double *sorted, size_t count)
{
    double low = sorted[0], width = (sorted[count - 1] - low) / BARS;
    size_t i = 0;

    opevo_json_double(out, "low", low);
    opevo_json_double(out, "width", width);
    opevo_json_open(out, "bars", "[");
    for (size_t bar = 0; bar < BARS; bar++) {
        size_t first = i;

        while (i < count && (bar + 1 == BARS || sorted[i] < low + width * (double)(bar + 1)))
            i++;
        opevo_json_next(out, "");
        opevo_text_add_index(out, i - first);
    }
    opevo_text_add(out, "]");
}

/* Of the points that are ok: a histogram, and the quantile function in equal steps of the share. */
static opevo_status add_distribution(const opevo_landscape_table *table, opevo_text *out,
                                     opevo_error *err)
{
    double *sorted = opevo_malloc(table->ok, sizeof *sorted);
    size_t count = 0;

    OPEVO_NEED_OR_RETURN(sorted, "the distribution of a landscape");
    for (size_t i = 0; i < table->size; i++) {
        if (table->state[i] == OPEVO_POINT_OK)
            sorted[count++] = table->fitness[i];
    }
    gsl_sort(sorted, 1, count);
    opevo_json_key(out, "distribution");
    opevo_text_add(out, count ? "{" : "null");
    if (count) {
        add_bars(out, sorted, count);
        opevo_json_open(out, "quantile", "[");
        for (size_t i = 0; i <= QUANTILES; i++) {
            opevo_json_next(out, "");
            opevo_text_add_double(out, opevo_quantile_sorted(sorted, count, (double)i / QUANTILES));
        }
        opevo_text_add(out, "]}");
    }
    opevo_free(sorted);
    return OPEVO_OK;
}

/* ---- Laws ---- */

static opevo_status add_law(const opevo_parameter *parameter, opevo_index start, opevo_text *out,
                            opevo_error *err)
{
    opevo_law_options settings = {OPEVO_LAW_AUTO, 0};
    opevo_law *law = NULL;
    opevo_text svg = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_law_create(parameter, drawn_q, start, &settings, &law, err));
    OPEVO_TRY(opevo_figure_law(law, &svg, err));
    OPEVO_TRY(opevo_text_check(&svg, err));
    opevo_text_add(out, "{");
    opevo_json_string(out, "parameter", opevo_parameter_name(parameter));
    opevo_json_string(out, "values", opevo_parameter_text(parameter));
    opevo_json_string(out, "topology", opevo_parameter_topology(parameter));
    opevo_json_double(out, "bound", opevo_law_bound(law));
    opevo_json_string(out, "svg", svg.data);
    opevo_text_add(out, "}");
cleanup:
    opevo_text_free(&svg);
    opevo_law_destroy(law);
    return status;
}

static opevo_status add_laws(const opevo_objective *objective, const opevo_optimum *optimum,
                             opevo_text *out, opevo_error *err)
{
    const opevo_space *space = objective->space;
    size_t count = opevo_space_parameter_count(space), drawn = 0;
    opevo_index *start = opevo_calloc(count, sizeof *start);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(start, "the laws of a report");
    if (optimum->known)
        opevo_space_decode(space, optimum->point, start);
    opevo_json_double(out, "law_q", drawn_q);
    opevo_json_open(out, "laws", "[");
    for (size_t i = 0; i < count && drawn < MOST_LAWS; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_index size = opevo_parameter_size(parameter);

        if (size < 2 || size > MOST_VERTICES || start[i] == OPEVO_INACTIVE)
            continue;
        drawn++;
        opevo_json_next(out, " ");
        OPEVO_TRY(add_law(parameter, start[i], out, err));
    }
    opevo_text_add(out, "]");
cleanup:
    opevo_free(start);
    return status;
}

/* ---- All ---- */

/* The analysis under topologies. A landscape that is too large for it gets a note instead. */
static opevo_status analyse(const opevo_call *call, opevo_objective *objective,
                            const opevo_landscape_summary *facts, unsigned threads,
                            opevo_i_cli_landscape_analysis *study, opevo_text *notes,
                            opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_call complete = {0};
    opevo_status status = OPEVO_OK;

    if (!facts->exact || !facts->optimum.known || opevo_space_has_branches(objective->space)) {
        opevo_text_printf(notes, "No analysis under topologies: %s.",
                          !facts->exact          ? "the landscape is too large"
                          : facts->optimum.known ? "the space has branches"
                                                 : "no point succeeded");
        return OPEVO_OK;
    }
    OPEVO_TRY(complete_call(call, facts->points, &complete, err));
    study->interactions = true;
    status = opevo_i_cli_landscape_analysis_run(&complete, objective, threads, study, &inner);
    if (status == OPEVO_LIMIT || status == OPEVO_TOLERANCE) {
        opevo_text_printf(notes, "No analysis under topologies: %s", inner.message);
        opevo_i_cli_landscape_analysis_release(study);
        *study = (opevo_i_cli_landscape_analysis){.entry_count = 0};
        status = OPEVO_OK;
    } else if (status != OPEVO_OK) {
        status = OPEVO_FAIL(err, status, "%s", inner.message);
    }
cleanup:
    opevo_free(complete.given);
    return status;
}

static opevo_status add_all(const opevo_call *call, const opevo_objective *objective,
                            const opevo_landscape_summary *facts,
                            const opevo_i_cli_landscape_analysis *study, const opevo_text *notes,
                            opevo_text *out, opevo_error *err)
{
    opevo_text signature = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(out, "{");
    opevo_i_cli_report_json_head("landscape", objective->name, call, out);
    opevo_json_string(out, "notes", opevo_text_string(notes));
    opevo_text_printf(&signature, "%016llx",
                      (unsigned long long)opevo_space_signature(objective->space));
    opevo_json_string(out, "space_signature", opevo_text_string(&signature));
    opevo_json_key(out, "landscape");
    opevo_i_cli_landscape_json(objective, facts, study, LISTED, out);
    if (study->table)
        OPEVO_TRY(add_distribution(study->table, out, err));
    OPEVO_TRY(add_laws(objective, &facts->optimum, out, err));
    opevo_text_add(out, "}");
cleanup:
    opevo_text_free(&signature);
    return status;
}

opevo_status opevo_i_cli_report_landscape(const opevo_call *call, opevo_text *json,
                                          opevo_error *err)
{
    const char *what = call->argument_count ? call->arguments[0] : NULL;
    const char *on = opevo_i_cli_option(call, "on");
    opevo_objective *objective = NULL;
    opevo_landscape_summary facts;
    opevo_i_cli_landscape_analysis study = {.entry_count = 0};
    opevo_text notes = {0};
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0;

    if (!on) {
        on = what;
        what = NULL;
    }
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    OPEVO_TRY(opevo_i_cli_landscape_open(call, what, on, &objective, err));
    OPEVO_TRY(opevo_landscape_summarise(objective, OPEVO_I_MOST_EVALUATED, (unsigned)threads,
                                        &facts, err));
    OPEVO_TRY(analyse(call, objective, &facts, (unsigned)threads, &study, &notes, err));
    OPEVO_TRY(add_all(call, objective, &facts, &study, &notes, json, err));
cleanup:
    opevo_text_free(&notes);
    opevo_i_cli_landscape_analysis_release(&study);
    opevo_objective_destroy(objective);
    return status;
}
