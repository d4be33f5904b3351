/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An analysis as CSV, one number a row, and as a LaTeX table. */

#include "analyze_internal.h"

#include <opevo/text.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

/* ---- CSV ---- */

typedef struct row {
    const char *landscape, *tuner, *against;
    const char *sure;
} row;

/* An empty field for what is not known, "inf" for never. */
static void add_value(opevo_text *out, double value)
{
    if (isinf(value))
        opevo_text_add(out, value > 0 ? "inf" : "-inf");
    else if (!isnan(value))
        opevo_text_add_double(out, value);
}

static void add_row(opevo_text *out, const row *self, const char *statistic, double at, double runs,
                    double value, opevo_interval interval)
{
    if (isnan(value))
        return;
    opevo_text_add_csv(out, self->landscape);
    opevo_text_add(out, ",");
    opevo_text_add_csv(out, self->tuner);
    opevo_text_add(out, ",");
    opevo_text_add_csv(out, self->against);
    opevo_text_printf(out, ",%s,", statistic);
    add_value(out, at);
    opevo_text_add(out, ",");
    add_value(out, runs);
    opevo_text_add(out, ",");
    add_value(out, value);
    opevo_text_add(out, ",");
    add_value(out, interval.low);
    opevo_text_add(out, ",");
    add_value(out, interval.high);
    opevo_text_printf(out, ",%s\n", self->sure);
}

static const opevo_interval none = {NAN, NAN};

static void add_points(opevo_text *out, const opevo_study_place *place,
                       const opevo_study_cell *cell, const row *self)
{
    for (size_t i = 0; i < place->grid_count; i++) {
        const opevo_study_point *point = &cell->points[i];
        double at = (double)point->trials, runs = point->runs ? (double)point->runs : (double)NAN;

        add_row(out, self, "mean", at, runs, point->mean, point->interval);
        add_row(out, self, "sd", at, runs, point->sd, none);
        add_row(out, self, "worst", at, runs, point->worst, none);
        add_row(out, self, "within_5_percent", at, runs, point->within_5, point->within_5_interval);
        add_row(out, self, "within_1_percent", at, runs, point->within_1, point->within_1_interval);
        add_row(out, self, "score", at, runs, point->score, point->score_interval);
        add_row(out, self, "ecdf", at, runs, point->ecdf, none);
    }
}

/* The parts are exact where the whole is not: the runs are a sample, and their choices are not. */
static void add_regret(opevo_text *out, const opevo_study_regret *regret, const row *self)
{
    static const char *const names[] = {"regret", "regret_exploration", "regret_selection",
                                        "regret_noise"};
    const opevo_study_mean *means[] = {&regret->total, &regret->exploration, &regret->selection,
                                       &regret->noise};
    row part = *self;

    for (size_t i = 0; i < 4 && regret->runs; i++) {
        part.sure = regret->is_exact && i > 1 ? "exact" : self->sure;
        add_row(out, &part, names[i], NAN, (double)regret->runs, means[i]->mean,
                means[i]->interval);
    }
}

static void add_cell(opevo_text *out, const opevo_study_analysis *analysis,
                     const opevo_study_place *place, const opevo_study_cell *cell, const row *self)
{
    bool exact = cell == &place->random;
    double runs = cell->runs ? (double)cell->runs : (double)NAN;

    add_points(out, place, cell, self);
    for (size_t i = 0; i < place->moment_count && !exact; i++)
        add_row(out, self, "mean_by_seconds", cell->moments[i].seconds,
                (double)cell->moments[i].runs, cell->moments[i].mean, cell->moments[i].interval);
    for (size_t i = 0; i < analysis->options.target_count; i++) {
        const opevo_study_target *target = &cell->targets[i];

        add_row(out, self, "ert", target->fraction, runs, target->ert, target->interval);
        add_row(out, self, "reached", target->fraction, runs, target->hit, none);
    }
    add_row(out, self, "ecdf_area", (double)place->horizon, runs, cell->ecdf_area,
            cell->ecdf_area_interval);
    add_regret(out, &cell->regret, self);
    if (exact) { /* why scores against the community's baseline may be left out */
        add_row(out, self, "score_over_trials_community", (double)place->trials_to, (double)NAN,
                place->community_random_by_trials, none);
        add_row(out, self, "score_over_seconds_community", place->seconds_to, (double)NAN,
                place->community_random_by_time, none);
    }
    for (int k = 0; k < 2 && !exact; k++) {
        const opevo_study_score *score = k ? &cell->by_time : &cell->by_trials;
        double at = k ? place->seconds_to : (double)place->trials_to;

        add_row(out, self, k ? "score_over_seconds_exact" : "score_over_trials_exact", at,
                (double)score->runs, score->exact, score->exact_interval);
        add_row(out, self, k ? "score_over_seconds_community" : "score_over_trials_community", at,
                (double)score->runs, score->community, score->community_interval);
    }
}

static void add_pair(opevo_text *out, const opevo_study_analysis *analysis,
                     const opevo_stored_study *data, const opevo_study_pair *pair)
{
    bool registered = !opevo_stored_study_exploratory(data, pair->landscape, pair->a, pair->b);
    row self = {analysis->study.landscapes[pair->landscape].name,
                analysis->study.contenders[pair->a], analysis->study.contenders[pair->b],
                "estimated"};
    row of_p = self, bounded = self;
    double at = (double)pair->trials, runs = (double)pair->test.pairs;

    if (pair->test.pairs == 0)
        return;
    bounded.sure = "bounded";
    of_p.sure = pair->test.exact ? "exact" : "approximate";
    add_row(out, &self, "difference", at, runs, pair->mean_a - pair->mean_b, pair->interval);
    add_row(out, &of_p, "p", at, runs, pair->test.p, none);
    if (analysis->options.anytime)
        add_row(out, &bounded, "p_anytime", at, runs, pair->anytime.p, none);
    add_row(out, analysis->options.anytime ? &bounded : &of_p, "p_holm", at, runs, pair->p_adjusted,
            none);
    add_row(out, &self, "rank_biserial", at, runs, pair->test.rank_biserial, none);
    add_row(out, &self, "superiority", at, runs, pair->test.superiority, pair->superiority);
    add_row(out, &self, "pairs_needed", at, runs, pair->pairs_needed, none);
    add_row(out, &self, "verdict", at, runs, (double)pair->verdict, none);
    of_p.sure = "exact";
    add_row(out, &of_p, "registered", at, runs, registered, none);
}

static void add_overall(opevo_text *out, const opevo_study_analysis *analysis)
{
    const opevo_analysed_study *study = &analysis->study;
    const opevo_study_overall *overall = &analysis->overall;
    const opevo_friedman *test = &overall->test;
    row all = {"", "", "", "estimated"};
    double blocks = (double)overall->blocks;

    if (overall->blocks < 2 || study->contender_count < 2)
        return;
    for (size_t j = 0; j < study->contender_count; j++) {
        row self = {"", study->contenders[j], "", "estimated"};

        add_row(out, &self, "mean", NAN, blocks, overall->mean[j], overall->interval[j]);
        add_row(out, &self, "mean_rank", NAN, blocks, overall->mean_rank[j], none);
    }
    add_row(out, &all, "friedman_chi_square", NAN, blocks, test->chi_square, none);
    all.sure = test->exact ? "exact" : "estimated";
    add_row(out, &all, "friedman_p", NAN, blocks, test->p, test->p_interval);
    all.sure = "approximate";
    add_row(out, &all, "iman_davenport_p", NAN, blocks, test->p_f, none);
    add_row(out, &all, "critical_difference", NAN, blocks, overall->critical_difference, none);
}

void opevo_i_cli_analysis_print_csv(const opevo_stored_study *data,
                                    const opevo_study_analysis *analysis, opevo_text *out)
{
    const opevo_analysed_study *study = &analysis->study;

    opevo_text_add(out, "landscape,tuner,against,statistic,at,runs,value,low,high,sure\n");
    for (size_t i = 0; i < study->landscape_count; i++) {
        const opevo_study_place *place = &analysis->places[i];
        row self = {study->landscapes[i].name, "", "", "estimated"};

        self.sure = place->optimum_known ? "exact" : "estimated";
        add_row(out, &self, "optimum", NAN, NAN,
                place->optimum > 0 ? opevo_unit_result(study->landscapes[i].unit, place->optimum)
                                   : NAN,
                none);
        self.sure = "estimated";
        for (size_t j = 0; j < study->contender_count; j++) {
            const opevo_study_cell *cell = opevo_study_cell_of(analysis, i, j);

            self.tuner = study->contenders[j];
            if (cell->runs)
                add_cell(out, analysis, place, cell, &self);
        }
        self.tuner = "random search";
        self.sure = "exact";
        if (place->exact_random)
            add_cell(out, analysis, place, &place->random, &self);
    }
    for (size_t i = 0; i < analysis->pair_count; i++)
        add_pair(out, analysis, data, &analysis->pairs[i]);
    if (analysis->null.pairs)
        add_row(out, &(row){"", "", "", "estimated"}, "false_verdict_rate", NAN,
                (double)analysis->null.pairs, analysis->null.rate, analysis->null.interval);
    add_overall(out, analysis);
}

/* ---- LaTeX ---- */

static void add_latex(opevo_text *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("&%$#_{}", *text))
            opevo_text_printf(out, "\\%c", *text);
        else if (strchr("~^\\", *text))
            opevo_text_printf(out, "\\char%d{}", *text);
        else
            opevo_text_add_bytes(out, text, 1);
    }
}

static const opevo_study_point *compared_point(const opevo_study_place *place,
                                               const opevo_study_cell *cell)
{
    for (size_t i = 0; i < place->grid_count; i++) {
        if (cell->points[i].trials == place->compared_at)
            return &cell->points[i];
    }
    return NULL;
}

static void add_latex_cell(opevo_text *out, const opevo_study_place *place,
                           const opevo_study_cell *cell)
{
    const opevo_study_point *point = cell ? compared_point(place, cell) : NULL;

    if (!point || isnan(point->mean))
        opevo_text_add(out, " & --");
    else if (isnan(point->sd))
        opevo_text_printf(out, " & $%.4f$", point->mean);
    else
        opevo_text_printf(out, " & $%.4f \\pm %.4f$", point->mean, point->sd);
}

static void add_latex_heads(opevo_text *out, const opevo_study_analysis *analysis, bool overall)
{
    const opevo_analysed_study *study = &analysis->study;

    opevo_text_add(out, "\\begin{tabular}{l");
    for (size_t i = 0; i < study->landscape_count + (overall ? 2 : 0); i++)
        opevo_text_add(out, "r");
    opevo_text_add(out, "}\n\\toprule\ntuner");
    for (size_t i = 0; i < study->landscape_count; i++) {
        opevo_text_add(out, " & ");
        add_latex(out, study->landscapes[i].name);
        opevo_text_add(out, analysis->places[i].optimum_known ? "" : "$^*$");
    }
    opevo_text_add(out, overall ? " & mean & mean rank" : "");
    opevo_text_add(out, " \\\\\ntrials");
    for (size_t i = 0; i < study->landscape_count; i++)
        opevo_text_printf(out, " & %llu", (unsigned long long)analysis->places[i].compared_at);
    opevo_text_add(out, overall ? " & & \\\\\n\\midrule\n" : " \\\\\n\\midrule\n");
}

void opevo_i_cli_analysis_print_latex(const opevo_stored_study *data,
                                      const opevo_study_analysis *analysis, opevo_text *out)
{
    const opevo_analysed_study *study = &analysis->study;
    bool overall = analysis->overall.blocks >= 2 && study->contender_count >= 2;
    bool unknown = false;

    opevo_text_add(out, "% Best fraction of the optimum, mean +- standard deviation over runs.\n"
                        "% Random search is exact: expectation and standard deviation.\n% ");
    opevo_stored_study_print_standing(data, out);
    for (size_t i = 0; i < study->landscape_count; i++)
        unknown = unknown || !analysis->places[i].optimum_known;
    if (unknown)
        opevo_text_add(out, "% * the optimum is unknown: fraction of the best of all runs.\n");
    add_latex_heads(out, analysis, overall);
    for (size_t j = 0; j < study->contender_count; j++) {
        add_latex(out, study->contenders[j]);
        for (size_t i = 0; i < study->landscape_count; i++) {
            const opevo_study_cell *cell = opevo_study_cell_of(analysis, i, j);

            add_latex_cell(out, &analysis->places[i], cell->runs ? cell : NULL);
        }
        if (overall)
            opevo_text_printf(out, " & $%.4f$ & $%.2f$", analysis->overall.mean[j],
                              analysis->overall.mean_rank[j]);
        opevo_text_add(out, " \\\\\n");
    }
    opevo_text_add(out, "\\midrule\nrandom search, exact");
    for (size_t i = 0; i < study->landscape_count; i++)
        add_latex_cell(out, &analysis->places[i],
                       analysis->places[i].exact_random ? &analysis->places[i].random : NULL);
    opevo_text_add(out, overall ? " & & \\\\\n" : " \\\\\n");
    opevo_text_add(out, "\\bottomrule\n\\end{tabular}\n");
}
