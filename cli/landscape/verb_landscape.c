/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a landscape holds: points, failures by class, optimum, quantiles; and, where an option asks
 * for it, what it is like under its topology or under others. */

#include "landscape_internal.h"
#include "options_internal.h"
#include "recording_spec_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/landscape.h>
#include <opevo/landscape_summary.h>
#include <opevo/unit.h>

#include <math.h>

static const opevo_option options[] = {
    {"on", "OBJECTIVE", "recorded:[FILE], or sim:DEVICE for an operator", false},
    OPEVO_I_ONLY_RECORDED_OPTION,
    {"result", "UNIT:COLUMN",
     "the result of a table without description, such as ms:time; ,mean averages equal rows",
     false},
    {"space", "FILE", "space file that replaces the recording's space", false},
    {"topologies", "WHICH",
     "topologies to analyse: current, all (side by side), or names such as path", false},
    {"nodes", "SET", "nodes of the analysis: ok, allowed (default: failures with fitness 0) or all",
     false},
    {"target", "X", "target of the search: a result, or X% of the optimum (default 95%)", false},
    {"population", "N|FILE", "improvement of a generation after N random trials, or those of FILE",
     false},
    {"lambda", "N", "parents of a generation: the fittest (default 8)", false},
    {"rho", "N", "children of a generation (default 8)", false},
    {"q", "Q,...", "probabilities of one more step (default 0.05,0.1,...,0.95)", false},
    {"duplicates", "RULE", "rule for duplicates: continue (default) or redraw", false},
    {"seed", "N", "seed of the N random trials (default 1)", false},
    {"threads", "N", "threads (default 0: all cores)", false},
    {"json", NULL, "print one JSON object", false},
    {"quiet", NULL, "no progress line", false},
};

static const char *sureness(const opevo_landscape_summary *facts)
{
    return facts->exact ? "exact" : "estimated";
}

static void add_json_optimum(const opevo_objective *objective, const opevo_optimum *optimum,
                             opevo_text *out)
{
    opevo_json_key(out, "optimum");
    if (!optimum->known) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_key(out, "configuration");
    opevo_space_print_json(objective->space, optimum->point, out);
    opevo_json_double(out, "fitness", optimum->fitness);
    opevo_json_double(out, "result", opevo_unit_result(objective->unit, optimum->fitness));
    opevo_json_string(out, "unit", opevo_unit_name(objective->unit));
    opevo_json_string(out, "better", opevo_unit_better(objective->unit));
    opevo_text_add(out, "}");
}

void opevo_i_cli_landscape_json(const opevo_objective *objective,
                                const opevo_landscape_summary *facts,
                                const opevo_i_cli_landscape_analysis *analysis, size_t listed,
                                opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "objective", objective->name);
    if (opevo_recorded_inferred(objective))
        opevo_json_string(out, "inferred", opevo_recorded_inferred(objective));
    opevo_json_string(out, "unit", opevo_unit_of_fitness(objective->unit));
    opevo_json_string(out, "sure", sureness(facts));
    opevo_json_key(out, "points");
    opevo_space_print_size(objective->space, out);
    if (facts->exact)
        opevo_json_index(out, "allowed", facts->points);
    else
        opevo_json_double(out, "allowed", NAN);
    opevo_json_index(out, "evaluated", facts->evaluated);
    opevo_json_open(out, "outcomes", "{");
    for (int i = 0; i < OPEVO_OUTCOME_INFEASIBLE; i++) /* which a run alone can say */
        opevo_json_index(out, opevo_outcome_name((opevo_outcome_class)i), facts->by_class[i]);
    opevo_text_add(out, "}");
    opevo_json_open(out, "quantiles", "[");
    for (size_t i = 0; i < 5; i++) {
        opevo_json_open_next(out, " ", "[");
        opevo_text_add_double(out, opevo_landscape_quantiles[i]);
        opevo_text_add(out, ", ");
        opevo_text_add_double(out, facts->quantile[i]);
        opevo_text_add(out, ", ");
        opevo_text_add_double(out, facts->quantile_low[i]);
        opevo_text_add(out, ", ");
        opevo_text_add_double(out, facts->quantile_high[i]);
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, "]");
    opevo_json_double(out, "mean", facts->mean);
    opevo_json_double(out, "mean_low", facts->mean_low);
    opevo_json_double(out, "mean_high", facts->mean_high);
    opevo_json_double(out, "sd", facts->sd);
    opevo_json_index(out, "within_5_percent", facts->within_5_percent);
    add_json_optimum(objective, &facts->optimum, out);
    if (analysis->entry_count)
        opevo_i_cli_landscape_analysis_json(analysis, listed, out);
    opevo_text_add(out, "}\n");
}

static void print_outcomes(const opevo_landscape_summary *facts, opevo_text *out)
{
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        if (!facts->by_class[i])
            continue;
        opevo_text_printf(out, "  %-13s", opevo_outcome_name((opevo_outcome_class)i));
        opevo_i_cli_text_add_grouped(out, facts->by_class[i]);
        opevo_text_printf(out, "  (%.2f %%)  %s\n",
                          100 * (double)facts->by_class[i] / (double)facts->evaluated,
                          opevo_outcome_meaning((opevo_outcome_class)i));
    }
}

/* The rest of a line: of an estimate its confidence interval. */
static void print_interval(const opevo_landscape_summary *facts, double low, double high,
                           opevo_text *out)
{
    if (!facts->exact)
        opevo_text_printf(out, "  (%.6g to %.6g, 99 %% confidence)", low, high);
    opevo_text_add(out, "\n");
}

static void print_text(const opevo_objective *objective, const opevo_landscape_summary *facts,
                       opevo_text *out)
{
    const char *sure = sureness(facts);

    opevo_text_add_visible(out, objective->name);
    opevo_text_add(out, ": ");
    opevo_i_cli_text_add_points(out, objective->space);
    if (facts->exact) {
        opevo_text_add(out, ", ");
        opevo_i_cli_text_add_grouped(out, facts->points);
        opevo_text_add(out, " allowed (exact)\n");
    } else {
        opevo_text_add(out, "; estimated from ");
        opevo_i_cli_text_add_grouped(out, facts->evaluated);
        opevo_text_add(out, " of them, evenly spread\n");
    }
    if (opevo_recorded_inferred(objective))
        opevo_text_add(out, opevo_recorded_inferred(objective));
    opevo_i_cli_print_ignored(objective, out);
    print_outcomes(facts, out);
    if (facts->optimum.known) {
        opevo_text_printf(out, "optimum (exact): %.8g %s at ",
                          opevo_unit_result(objective->unit, facts->optimum.fitness),
                          opevo_unit_name(objective->unit));
        opevo_space_print(objective->space, facts->optimum.point, out);
        opevo_text_add(out, "\nwithin 5 % of it: ");
        opevo_i_cli_text_add_grouped(out, facts->within_5_percent);
        opevo_text_printf(out, " point%s (%s)\n", facts->within_5_percent == 1 ? "" : "s",
                          facts->exact ? "exact" : "of those evaluated");
    }
    if (!isfinite(facts->mean)) {
        opevo_text_add(out, "no point succeeded\n");
        return;
    }
    if (!facts->optimum.known)
        opevo_text_printf(out, "optimum: unknown; the best of the sample is %.8g %s\n",
                          opevo_unit_result(objective->unit, facts->best),
                          opevo_unit_name(objective->unit));
    opevo_text_printf(out, "fitness of the successful points (%s), %s:\n", sure,
                      opevo_unit_of_fitness(objective->unit));
    for (size_t i = 0; i < 5; i++) {
        opevo_text_printf(out, "  quantile %.2f  %.6g", opevo_landscape_quantiles[i],
                          facts->quantile[i]);
        print_interval(facts, facts->quantile_low[i], facts->quantile_high[i], out);
    }
    opevo_text_printf(out, "  mean           %.6g", facts->mean);
    print_interval(facts, facts->mean_low, facts->mean_high, out);
    if (isfinite(facts->sd))
        opevo_text_printf(out, "  standard deviation  %.6g\n", facts->sd);
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_objective *objective = NULL;
    opevo_landscape_summary facts;
    opevo_i_cli_landscape_analysis analysis = {.entry_count = 0};
    uint64_t threads = 0;

    (void)exit_code;
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    OPEVO_TRY(opevo_i_cli_landscape_open(call, call->argument_count ? call->arguments[0] : NULL,
                                         opevo_i_cli_option(call, "on"), &objective, err));
    OPEVO_TRY(opevo_landscape_summarise(objective, OPEVO_I_MOST_EVALUATED, (unsigned)threads,
                                        &facts, err));
    if (opevo_i_cli_landscape_wants_analysis(call))
        OPEVO_TRY(
            opevo_i_cli_landscape_analysis_run(call, objective, (unsigned)threads, &analysis, err));
    if (opevo_i_cli_flag(call, "json"))
        opevo_i_cli_landscape_json(objective, &facts, &analysis, OPEVO_I_LISTED_OPTIMA, out);
    else
        print_text(objective, &facts, out);
    if (analysis.entry_count && !opevo_i_cli_flag(call, "json"))
        OPEVO_TRY(opevo_i_cli_landscape_analysis_print(&analysis, out, err));
cleanup:
    opevo_i_cli_landscape_analysis_release(&analysis);
    opevo_objective_destroy(objective);
    return status;
}

const opevo_verb opevo_i_cli_verb_landscape = {
    .name = "landscape",
    .arguments = "[WHAT]",
    .arguments_max = 1,
    .summary = "Describe a landscape, and analyse it under its topologies.",
    .details = "Without analysis options it prints points, failures, optimum and quantiles.\n"
               "docs/landscape-analysis.md defines every number of the analysis.\n\n"
               "  opevo landscape mm1 --on sim:gtx1080ti\n"
               "  opevo landscape --on recorded:conv_a100.csv.xz --topologies current\n"
               "  opevo landscape --on recorded:conv_a100.csv.xz --topologies all\n"
               "  opevo landscape --on recorded:conv_a100.csv.xz --population 50",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_manifest = true,
    .run = run,
};
