/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An analysis as tables and sentences for a person. */

#include "analyze_internal.h"
#include "terminal_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SENTENCES = 10 }; /* of a landscape; above, a table of signs */

typedef struct printer {
    const opevo_stored_study *data;
    const opevo_study_analysis *analysis;
    unsigned width;
    opevo_text *out;
} printer;

/* ---- Cells ---- */

static void number_cell(opevo_table *table, const char *format, double value)
{
    char text[64] = "-";

    if (isinf(value))
        snprintf(text, sizeof text, "never");
    else if (!isnan(value))
        snprintf(text, sizeof text, format, value); /* NOLINT: formats are ours */
    opevo_i_cli_table_cell(table, "%s", text);
}

/* A number with its interval, "0.93 (0.91 to 0.95)"; with "exact" for it where it is a formula. */
static void sure_cell(opevo_table *table, const char *format, double value, opevo_interval interval,
                      bool exact)
{
    char text[64] = "-", low[64], high[64] = "never";

    if (isinf(value))
        snprintf(text, sizeof text, "never");
    else if (!isnan(value))
        snprintf(text, sizeof text, format, value); /* NOLINT: formats are ours */
    if (exact || !isfinite(interval.low)) {
        opevo_i_cli_table_cell(table, "%s%s", text, exact ? " (exact)" : "");
        return;
    }
    snprintf(low, sizeof low, format, interval.low); /* NOLINT: formats are ours */
    if (isfinite(interval.high))
        snprintf(high, sizeof high, format, interval.high); /* NOLINT: formats are ours */
    opevo_i_cli_table_cell(table, "%s (%s to %s)", text, low, high);
}

static void share_cell(opevo_table *table, double share, opevo_interval interval, bool exact)
{
    if (isnan(share))
        opevo_i_cli_table_cell(table, "-");
    else if (exact)
        opevo_i_cli_table_cell(table, "%.1f %% (exact)", 100 * share);
    else
        opevo_i_cli_table_cell(table, "%.0f %% (%.0f to %.0f)", 100 * share, 100 * interval.low,
                               100 * interval.high);
}

/* The cells of a landscape to print: the contenders that ran there, then random search. */
static const opevo_study_cell *row_of(const printer *self, size_t landscape, size_t i,
                                      const char **name)
{
    const opevo_study_analysis *analysis = self->analysis;
    const opevo_study_cell *cell = NULL;

    if (i == analysis->study.contender_count) {
        *name = opevo_i_cli_random_name;
        return analysis->places[landscape].exact_random ? &analysis->places[landscape].random
                                                        : NULL;
    }
    *name = analysis->study.contenders[i];
    cell = opevo_study_cell_of(analysis, landscape, i);
    return cell->runs ? cell : NULL;
}

/* ---- In short, and the ranking ---- */

static void print_short_line(opevo_i_cli_short *line, opevo_text *out)
{
    const opevo_text *parts[] = {&line->where, &line->who, &line->rest};

    for (size_t i = 0; i < 3 && line->who.length; i++) {
        opevo_text_add(out, i == 0 ? "- " : i == 1 ? ": " : " ");
        opevo_text_add_visible(out, opevo_text_string(parts[i]));
    }
    opevo_text_add(out, line->who.length ? "\n" : "");
    out->failed = out->failed || line->where.failed || line->who.failed || line->rest.failed;
    opevo_i_cli_short_free(line);
}

static opevo_status print_short(const printer *self, opevo_error *err)
{
    opevo_i_cli_short line = {.where = {0}};
    opevo_status status = OPEVO_OK;

    opevo_text_add(self->out, "\nin short\n");
    status = opevo_i_cli_short_overall(self->analysis, &line, err);
    print_short_line(&line, self->out);
    for (size_t i = 0; i < self->analysis->study.landscape_count && status == OPEVO_OK; i++) {
        status = opevo_i_cli_short_place(self->analysis, i, &line, err);
        print_short_line(&line, self->out);
    }
    if (self->analysis->null.pairs) {
        opevo_text_add(self->out, "- ");
        opevo_study_null_sentence(self->analysis, self->out);
        opevo_text_add(self->out, ".\n");
    }
    return status;
}

static void add_ranked(opevo_table *table, const char *name, const opevo_study_point *point,
                       bool exact, const char *verdict)
{
    opevo_i_cli_table_cell(table, "%s", name);
    sure_cell(table, "%.3f", point->mean, point->interval, exact);
    number_cell(table, "%.3f", point->worst);
    number_cell(table, "%.0f %%", 100 * point->within_5);
    number_cell(table, "%.3f", point->score);
    number_cell(table, "%.0f", exact ? (double)NAN : (double)point->runs);
    opevo_i_cli_table_cell(table, "%s", verdict);
}

/* The first of the ranking, or all; random search stands where its mean is. */
static opevo_status print_ranking(printer *self, size_t landscape, bool all, opevo_error *err)
{
    const opevo_study_analysis *analysis = self->analysis;
    const opevo_study_place *place = &analysis->places[landscape];
    const opevo_study_point *random = NULL;
    opevo_table table = {
        .heads = opevo_i_cli_ranking_heads, .columns = OPEVO_I_RANKING_COLUMNS, .compared = true};
    size_t *order = NULL;
    size_t count = 0, shown = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_ranking_make(analysis, landscape, &order, &count, err));
    if (place->exact_random)
        random = opevo_i_cli_compared_point(place, &place->random);
    shown = all || count < OPEVO_I_RANKING_ROWS ? count : OPEVO_I_RANKING_ROWS;
    for (size_t i = 0; i <= shown; i++) {
        const opevo_study_point *point =
            i < shown ? opevo_i_cli_compared_point(
                            place, opevo_study_cell_of(analysis, landscape, order[i]))
                      : NULL;

        if (random && (!point || point->mean < random->mean)) {
            add_ranked(&table, opevo_i_cli_random_name, random, true, "");
            random = NULL;
        }
        if (point)
            add_ranked(&table, analysis->study.contenders[order[i]], point, false,
                       opevo_i_cli_ranking_verdict(analysis, landscape, order, count, order[i]));
    }
    opevo_text_printf(self->out, "\nbest fraction of the %s after ",
                      opevo_i_cli_fraction_of(place));
    opevo_i_cli_text_add_grouped(self->out, place->compared_at);
    opevo_text_printf(self->out, " trial%s\n", place->compared_at == 1 ? "" : "s");
    status = opevo_i_cli_table_print(&table, self->width, self->out, err);
    if (shown < count)
        opevo_text_printf(self->out, "and %zu more contenders, with --all\n", count - shown);
cleanup:
    opevo_free(order);
    return status;
}

/* ---- Tables of a landscape ---- */

static opevo_status print_points(printer *self, size_t landscape, opevo_error *err)
{
    static const char *const heads[] = {"<contender", "trials", "runs", "<mean", "sd", "worst"};
    const opevo_study_place *place = &self->analysis->places[landscape];
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};

    for (size_t i = 0; i <= self->analysis->study.contender_count; i++) {
        const char *name = NULL;
        const opevo_study_cell *cell = row_of(self, landscape, i, &name);

        for (size_t j = 0; cell && j < place->grid_count; j++) {
            const opevo_study_point *point = &cell->points[j];

            if (!point->checkpoint)
                continue;
            opevo_i_cli_table_cell(&table, "%s", name);
            opevo_i_cli_table_cell(&table, "%llu", (unsigned long long)point->trials);
            number_cell(&table, "%.0f", point->runs ? (double)point->runs : (double)NAN);
            sure_cell(&table, "%.4f", point->mean, point->interval, cell == &place->random);
            number_cell(&table, "%.4f", point->sd);
            number_cell(&table, "%.4f", point->worst);
        }
    }
    opevo_text_printf(self->out, "\nbest fraction of the %s by number of trials\n",
                      opevo_i_cli_fraction_of(place));
    return opevo_i_cli_table_print(&table, self->width, self->out, err);
}

static opevo_status print_shares(printer *self, size_t landscape, opevo_error *err)
{
    static const char *const heads[] = {"<contender", "trials", "<within 5 %", "<within 1 %",
                                        "<score"};
    const opevo_study_place *place = &self->analysis->places[landscape];
    opevo_table table = {.heads = heads, .columns = place->exact_random ? 5 : 4, .compared = true};

    for (size_t i = 0; i <= self->analysis->study.contender_count; i++) {
        const char *name = NULL;
        const opevo_study_cell *cell = row_of(self, landscape, i, &name);
        bool exact = cell == &place->random;

        for (size_t j = 0; cell && j < place->grid_count; j++) {
            const opevo_study_point *point = &cell->points[j];

            if (!point->checkpoint)
                continue;
            opevo_i_cli_table_cell(&table, "%s", name);
            opevo_i_cli_table_cell(&table, "%llu", (unsigned long long)point->trials);
            share_cell(&table, point->within_5, point->within_5_interval, exact);
            share_cell(&table, point->within_1, point->within_1_interval, exact);
            if (place->exact_random)
                sure_cell(&table, "%.3f", point->score, point->score_interval, exact);
        }
    }
    opevo_text_printf(self->out, "\nshare of runs near the %s%s\n", opevo_i_cli_fraction_of(place),
                      place->exact_random ? ", and score: 0 as exact random search, 1 the optimum"
                                          : "");
    return opevo_i_cli_table_print(&table, self->width, self->out, err);
}

static opevo_status print_targets(printer *self, size_t landscape, opevo_error *err)
{
    static const char *const heads[] = {"<contender", "target", "<reached in", "<ERT"};
    const opevo_study_place *place = &self->analysis->places[landscape];
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};

    for (size_t i = 0; i <= self->analysis->study.contender_count; i++) {
        const char *name = NULL;
        const opevo_study_cell *cell = row_of(self, landscape, i, &name);
        bool exact = cell == &place->random;

        for (size_t j = 0; cell && j < self->analysis->options.target_count; j++) {
            const opevo_study_target *target = &cell->targets[j];

            opevo_i_cli_table_cell(&table, "%s", name);
            opevo_i_cli_table_cell(&table, "%g", target->fraction);
            if (exact)
                share_cell(&table, target->hit, target->interval, true);
            else
                opevo_i_cli_table_cell(&table, "%zu of %zu", target->reached, target->runs);
            sure_cell(&table, "%.1f", target->ert, target->interval, exact);
        }
    }
    opevo_text_printf(self->out,
                      "\nexpected running time (ERT), in trials, to a fraction of the %s\n",
                      opevo_i_cli_fraction_of(place));
    return opevo_i_cli_table_print(&table, self->width, self->out, err);
}

static opevo_status print_areas(printer *self, size_t landscape, opevo_error *err)
{
    static const char *const heads[] = {"<contender", "<area"};
    const opevo_study_place *place = &self->analysis->places[landscape];
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};

    for (size_t i = 0; i <= self->analysis->study.contender_count; i++) {
        const char *name = NULL;
        const opevo_study_cell *cell = row_of(self, landscape, i, &name);

        if (!cell)
            continue;
        opevo_i_cli_table_cell(&table, "%s", name);
        sure_cell(&table, "%.4f", cell->ecdf_area, cell->ecdf_area_interval,
                  cell == &place->random);
    }
    opevo_text_printf(self->out, "\narea under the ECDF over these targets, log trials 1 to %llu\n",
                      (unsigned long long)place->horizon);
    return opevo_i_cli_table_print(&table, self->width, self->out, err);
}

static opevo_status print_regret(printer *self, size_t landscape, opevo_error *err)
{
    static const char *const heads[] = {"<contender", "<regret", "<exploration",
                                        "<selection", "<noise",  "runs"};
    const opevo_study_place *place = &self->analysis->places[landscape];
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};
    bool some = false;

    for (size_t i = 0; i < self->analysis->study.contender_count; i++) {
        const char *name = NULL;
        const opevo_study_cell *cell = row_of(self, landscape, i, &name);
        const opevo_study_regret *regret = cell ? &cell->regret : NULL;

        if (!regret || !regret->runs)
            continue;
        some = true;
        opevo_i_cli_table_cell(&table, "%s", name);
        sure_cell(&table, "%.4f", regret->total.mean, regret->total.interval, false);
        sure_cell(&table, "%.4f", regret->exploration.mean, regret->exploration.interval, false);
        sure_cell(&table, "%.4g", regret->selection.mean, regret->selection.interval,
                  regret->is_exact);
        sure_cell(&table, "%.4g", regret->noise.mean, regret->noise.interval, regret->is_exact);
        opevo_i_cli_table_cell(&table, "%zu", regret->runs);
    }
    if (!some)
        return OPEVO_OK;
    opevo_text_printf(
        self->out,
        "\nregret at the end of the runs, as a fraction of the %s: never tried + tried, "
        "not chosen + noise\n",
        place->optimum_known ? "optimum" : "best of all finals");
    return opevo_i_cli_table_print(&table, self->width, self->out, err);
}

static void print_windows(const printer *self, const opevo_study_place *place)
{
    opevo_text_add(self->out, "\nscore P averaged");
    if (place->trials_from <= place->trials_to)
        opevo_text_printf(self->out, " over trials %llu to %llu%s",
                          (unsigned long long)place->trials_from,
                          (unsigned long long)place->trials_to,
                          place->trials_cut ? " (cut at the end of the runs)" : "");
    if (place->seconds_from <= place->seconds_to)
        opevo_text_printf(self->out, ", over seconds %.3g to %.4g%s", place->seconds_from,
                          place->seconds_to, place->seconds_cut ? " (cut likewise)" : "");
    opevo_text_printf(self->out,
                      "\nagainst exact random search%s and against the community's approximation "
                      "of it\n",
                      place->seconds_from <= place->seconds_to
                          ? " (over seconds approximate, at the mean cost of a trial)"
                          : "");
}

static opevo_status print_scores(printer *self, size_t landscape, opevo_error *err)
{
    static const char *const heads[] = {"<contender", "<over trials", "community's",
                                        "<over seconds", "community's, seconds"};
    const opevo_study_place *place = &self->analysis->places[landscape];
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};

    if (!place->exact_random ||
        (place->trials_from > place->trials_to && place->seconds_from > place->seconds_to))
        return OPEVO_OK;
    for (size_t i = 0; i < self->analysis->study.contender_count; i++) {
        const char *name = NULL;
        const opevo_study_cell *cell = row_of(self, landscape, i, &name);

        if (!cell)
            continue;
        opevo_i_cli_table_cell(&table, "%s", name);
        for (int k = 0; k < 2; k++) {
            const opevo_study_score *score = k ? &cell->by_time : &cell->by_trials;

            sure_cell(&table, "%.3f", score->exact, score->exact_interval, false);
            number_cell(&table, "%.3f", score->community);
        }
    }
    print_windows(self, place);
    return opevo_i_cli_table_print(&table, self->width, self->out, err);
}

/* ---- Comparisons ---- */

/* How the tuner of the row does against that of the column: + better, - worse, . not resolved. */
static const char *sign_of(const opevo_study_analysis *analysis, size_t landscape, size_t row,
                           size_t column)
{
    opevo_verdict verdict = OPEVO_VERDICT_UNRESOLVED;

    if (!opevo_i_cli_verdict_of(analysis, landscape, row, column, &verdict))
        return "";
    return verdict == OPEVO_VERDICT_BETTER ? "+" : verdict == OPEVO_VERDICT_WORSE ? "-" : ".";
}

static void print_signs(const printer *self, size_t landscape)
{
    const opevo_analysed_study *study = &self->analysis->study;
    size_t widest = 0;
    bool narrow = false;

    opevo_text_add(self->out, "row against column: + better, - worse, . not resolved; --json has a "
                              "sentence for each pair\n");
    for (size_t i = 0; i < study->contender_count; i++)
        widest = strlen(study->contenders[i]) > widest ? strlen(study->contenders[i]) : widest;
    narrow = self->width && widest + 4 + 3 * study->contender_count > self->width;
    for (size_t i = 0; narrow && i < study->contender_count; i++)
        opevo_text_printf(self->out, "%2zu  %s\n", i + 1, study->contenders[i]);
    widest = narrow ? 0 : widest;
    opevo_text_printf(self->out, "%*s", (int)widest + 4, "");
    for (size_t j = 0; j < study->contender_count; j++)
        opevo_text_printf(self->out, " %2zu", j + 1);
    for (size_t i = 0; i < study->contender_count; i++) {
        opevo_text_printf(self->out, "\n%2zu  %-*s", i + 1, (int)widest,
                          narrow ? "" : study->contenders[i]);
        for (size_t j = 0; j < study->contender_count; j++)
            opevo_text_printf(self->out, " %2s",
                              i == j ? "" : sign_of(self->analysis, landscape, i, j));
    }
    opevo_text_add(self->out, "\n");
}

static void print_verdicts(const printer *self, size_t landscape)
{
    const opevo_study_analysis *analysis = self->analysis;
    size_t count = 0;

    for (size_t i = 0; i < analysis->pair_count; i++)
        count += analysis->pairs[i].landscape == landscape;
    if (count == 0)
        return;
    opevo_text_printf(self->out, "\nverdicts at %llu trials\n",
                      (unsigned long long)analysis->places[landscape].compared_at);
    if (count > MOST_SENTENCES) {
        print_signs(self, landscape);
        return;
    }
    for (size_t i = 0; i < analysis->pair_count; i++) {
        if (analysis->pairs[i].landscape != landscape)
            continue;
        opevo_study_pair_sentence(analysis, &analysis->pairs[i], self->out);
        opevo_text_printf(self->out, "%s\n",
                          opevo_stored_study_exploratory(self->data, landscape,
                                                         analysis->pairs[i].a, analysis->pairs[i].b)
                              ? " (exploratory)"
                              : "");
    }
}

/* ---- Over the landscapes ---- */

static void print_friedman(const printer *self)
{
    const opevo_study_overall *overall = &self->analysis->overall;
    const opevo_friedman *test = &overall->test;

    opevo_text_printf(self->out, "Friedman's chi-square %.3f, p = %.2g ", test->chi_square,
                      test->p);
    if (test->exact)
        opevo_text_add(self->out, "(exact, over all orders of the ranks)");
    else
        opevo_text_printf(self->out, "(estimated from random orders of the ranks, %.2g to %.2g)",
                          test->p_interval.low, test->p_interval.high);
    if (isfinite(test->f))
        opevo_text_printf(self->out, "; Iman-Davenport F %.3f, p = %.2g (approximate)", test->f,
                          test->p_f);
    opevo_text_printf(
        self->out,
        "\ncritical difference of mean ranks (Nemenyi, %.3g %%; approximate, for many "
        "landscapes): %.3f\n",
        100 * (1 - self->analysis->options.alpha), overall->critical_difference);
}

static opevo_status print_overall(printer *self, opevo_error *err)
{
    static const char *const heads[] = {"<contender", "<mean", "mean rank"};
    const opevo_study_overall *overall = &self->analysis->overall;
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};
    opevo_status status = OPEVO_OK;

    if (overall->blocks < 2 || self->analysis->study.contender_count < 2)
        return OPEVO_OK;
    opevo_text_printf(self->out, "\nover the %zu landscapes on which all of them ran",
                      overall->blocks);
    if (overall->all_failed)
        opevo_text_printf(self->out, ", without %zu on which no trial succeeded",
                          overall->all_failed);
    opevo_text_add(self->out, "\n");
    for (size_t i = 0; i < self->analysis->study.contender_count; i++) {
        opevo_i_cli_table_cell(&table, "%s", self->analysis->study.contenders[i]);
        sure_cell(&table, "%.4f", overall->mean[i], overall->interval[i], false);
        number_cell(&table, "%.2f", overall->mean_rank[i]);
    }
    status = opevo_i_cli_table_print(&table, self->width, self->out, err);
    print_friedman(self);
    return status;
}

/* ---- All of it ---- */

static void print_head(const printer *self, const char *name)
{
    const opevo_study_analysis *analysis = self->analysis;
    const opevo_analysed_study *study = &analysis->study;
    uint64_t trials = 0;

    for (size_t i = 0; i < study->run_count; i++)
        trials += study->runs[i].curve.trials;
    opevo_text_printf(self->out, "%s: %zu run%s, ", name, study->run_count,
                      study->run_count == 1 ? "" : "s");
    opevo_i_cli_text_add_grouped(self->out, trials);
    opevo_text_printf(self->out,
                      " trials; numbers are estimated from the runs, with %s %g %% intervals%s, "
                      "unless marked exact or approximate; seed %llu, %zu resamples\n",
                      analysis->options.exact_intervals ? "exact" : "approximate",
                      100 * analysis->options.confidence,
                      analysis->options.exact_intervals
                          ? " (of shares, means and areas; those of ERT are approximate)"
                          : " (of shares exact)",
                      (unsigned long long)analysis->options.seed, analysis->options.resamples);
    opevo_text_add(self->out, opevo_text_string(&self->data->notes));
    opevo_stored_study_print_standing(self->data, self->out);
}

static void print_place(const printer *self, size_t landscape)
{
    const opevo_study_analysis *analysis = self->analysis;
    const opevo_study_place *place = &analysis->places[landscape];
    const opevo_study_landscape *shown = &analysis->study.landscapes[landscape];
    const char *unit = opevo_unit_name(shown->unit);
    const char *better = opevo_unit_is_time(shown->unit) ? " (smaller is better)" : "";
    double best = opevo_unit_result(shown->unit, place->optimum);

    opevo_text_add(self->out, "\n== ");
    opevo_text_add_visible(self->out, shown->name);
    opevo_text_add(self->out, ": ");
    if (shown->table) {
        opevo_i_cli_text_add_grouped(self->out, shown->table->points);
        opevo_text_add(self->out, " points, ");
    }
    if (place->optimum_known)
        opevo_text_printf(self->out, "optimum (exact) %.8g %s%s\n", best, unit, better);
    else if (!(place->optimum > 0))
        opevo_text_add(self->out, "no trial of any run succeeded\n");
    else
        opevo_text_printf(self->out,
                          "the optimum is unknown; the best of all runs is %.8g %s%s, and the "
                          "true fractions are smaller\n",
                          best, unit, better);
    for (size_t i = 0; i < analysis->study.contender_count; i++) {
        const opevo_study_cell *cell = opevo_study_cell_of(analysis, landscape, i);

        if (cell->open)
            opevo_text_printf(
                self->out, "%s: unfinished runs: %zu of %zu; they count up to their last trial\n",
                analysis->study.contenders[i], cell->open, cell->runs);
    }
}

opevo_status opevo_i_cli_analysis_print_text(const char *name, const opevo_stored_study *data,
                                             const opevo_study_analysis *analysis, bool all,
                                             opevo_text *out, opevo_error *err)
{
    printer self = {data, analysis, opevo_i_cli_terminal_width(STDOUT_FILENO), out};
    opevo_status status = OPEVO_OK;

    print_head(&self, name);
    OPEVO_TRY(print_short(&self, err));
    for (size_t i = 0; i < analysis->study.landscape_count; i++) {
        print_place(&self, i);
        OPEVO_TRY(print_ranking(&self, i, all, err));
        OPEVO_TRY(opevo_i_cli_analysis_print_front(data, i, self.width, out, err));
        if (!all)
            continue;
        OPEVO_TRY(print_points(&self, i, err));
        OPEVO_TRY(print_shares(&self, i, err));
        OPEVO_TRY(print_targets(&self, i, err));
        OPEVO_TRY(print_areas(&self, i, err));
        OPEVO_TRY(print_regret(&self, i, err));
        OPEVO_TRY(print_scores(&self, i, err));
        print_verdicts(&self, i);
    }
    if (all)
        OPEVO_TRY(print_overall(&self, err));
    else
        opevo_text_add(out, "\n--all adds checkpoints, targets, areas, scores and all verdicts.\n");
cleanup:
    return status;
}
