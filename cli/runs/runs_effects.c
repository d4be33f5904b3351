/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a run says of the program in it, drawn in characters: its trials, and the effect of each
 * parameter. */

#include "run_trials_internal.h"
#include "runs_internal.h"
#include "style_internal.h"

#include <opevo/text.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

enum { ROWS = 10, LABEL = 10, WIDEST = 80, NARROWEST = 40, FEWEST_TRIALS = 10, MOST = 8, BAR = 12 };

/* ---- Trials --------------------------------------------------------------------------------- */

typedef struct grid {
    double low, high; /* ln of the results in the unit, the ends of the rows */
    int columns;
    unsigned cells[ROWS][WIDEST], failed[WIDEST];
} grid;

static void count_trials(const opevo_i_cli_run_trials *run, const char *unit, grid *out)
{
    for (size_t i = 0; i < run->count; i++) {
        double fitness = run->trials[i].outcome.fitness;
        size_t column = i * (size_t)out->columns / run->count;
        double share = 0;

        if (!(fitness > 0)) {
            out->failed[column]++;
            continue;
        }
        share = (log(opevo_unit_result(unit, fitness)) - out->low) / (out->high - out->low);
        out->cells[(int)((1 - share) * (ROWS - 1) + 0.5)][column]++;
    }
}

static bool find_range(const opevo_i_cli_run_trials *run, const char *unit, grid *out)
{
    out->low = INFINITY;
    out->high = -INFINITY;
    for (size_t i = 0; i < run->count; i++) {
        double fitness = run->trials[i].outcome.fitness;

        if (!(fitness > 0))
            continue;
        out->low = fmin(out->low, log(opevo_unit_result(unit, fitness)));
        out->high = fmax(out->high, log(opevo_unit_result(unit, fitness)));
    }
    return out->high > out->low;
}

static void add_row(const unsigned *counts, int columns, char one, char more, opevo_text *out)
{
    int last = columns;

    while (last > 0 && !counts[last - 1])
        last--;
    for (int i = 0; i < last; i++)
        opevo_text_add_bytes(out, counts[i] > 1 ? &more : counts[i] > 0 ? &one : " ", 1);
    opevo_text_add(out, "\n");
}

void opevo_i_cli_runs_print_scatter(const opevo_i_cli_run_trials *run, const char *unit,
                                    unsigned width, opevo_text *out)
{
    grid self = {.columns = (int)(width && width < WIDEST ? width : WIDEST) - LABEL - 2};
    unsigned failed = 0;

    if (run->count < FEWEST_TRIALS || self.columns < NARROWEST - LABEL - 2 ||
        !find_range(run, unit, &self))
        return;
    count_trials(run, unit, &self);
    opevo_text_printf(out, "results of trials 1 to %zu, ", run->count);
    opevo_text_add_visible(out, opevo_unit_name(unit));
    opevo_text_add(out, ", logarithmic (. one, : more, x failed)\n");
    for (int i = 0; i < ROWS; i++) {
        double value = exp(self.high - (self.high - self.low) * i / (ROWS - 1));

        if (i % 3 == 0)
            opevo_text_printf(out, "%*.4g |", LABEL, value);
        else
            opevo_text_printf(out, "%*s |", LABEL, "");
        add_row(self.cells[i], self.columns, '.', ':', out);
    }
    for (int i = 0; i < self.columns; i++)
        failed += self.failed[i];
    if (!failed)
        return;
    opevo_text_printf(out, "%*s |", LABEL, "failed");
    add_row(self.failed, self.columns, 'x', 'x', out);
}

/* ---- Effects -------------------------------------------------------------------------------- */

/* From the middle, which is 1, to the left below it and to the right above it. */
static void add_bar(double factor, double most, opevo_text *out)
{
    int length = (int)fmin(BAR, fabs(log(factor)) / most * BAR + 0.5);

    for (int i = -BAR; i <= BAR; i++) {
        bool filled = factor < 1 ? i < 0 && i >= -length : i > 0 && i <= length;

        opevo_text_add(out, i == 0 ? "|" : filled ? "#" : " ");
    }
}

static double largest(const opevo_effects *effects)
{
    double most = 0;

    for (size_t i = 0; i < effects->count; i++) {
        for (size_t k = 0; k < effects->effects[i].level_count; k++)
            most = fmax(most, fabs(effects->effects[i].levels[k].model));
    }
    return most;
}

static void print_effect(const opevo_effect *effect, const char *unit, double most, opevo_text *out)
{
    int label = 0;

    for (size_t k = 0; k < effect->level_count; k++) {
        int length = (int)strlen(effect->levels[k].label);

        label = length > label && length <= 24 ? length : label;
    }
    opevo_text_add_visible(out, effect->name);
    opevo_text_printf(out, ", importance %.1f %%\n", 100 * effect->importance);
    for (size_t k = 0; k < effect->level_count; k++) {
        const opevo_effect_level *level = &effect->levels[k];
        double a = opevo_i_cli_effect_factor(unit, level->model_low);
        double b = opevo_i_cli_effect_factor(unit, level->model_high);

        opevo_text_printf(out, "  %*.24s ", label, level->label);
        add_bar(opevo_i_cli_effect_factor(unit, level->model), most, out);
        opevo_text_printf(out, " %.3g (%.3g to %.3g), %zu trial%s\n",
                          opevo_i_cli_effect_factor(unit, level->model), fmin(a, b), fmax(a, b),
                          level->trials, opevo_i_cli_plural(level->trials));
    }
}

void opevo_i_cli_runs_print_effects(const opevo_i_cli_run_trials *run, const char *unit,
                                    opevo_text *out)
{
    const opevo_effects *effects = run->effects;
    size_t shown = 0;
    double most = 0;

    if (!effects || !effects->count || !isfinite(effects->explained))
        return;
    most = largest(effects);
    if (!(most > 0))
        return;
    opevo_text_printf(
        out,
        "effects: %s divided by its mean, with the other parameters held fixed, by an "
        "additive model of %zu trials that explains %.0f %% of the variance "
        "(estimated; 95 %% intervals)\n",
        opevo_unit_is_time(unit) ? "the time" : "the result", effects->trials,
        100 * effects->explained);
    for (; shown < effects->count && shown < MOST; shown++)
        print_effect(&effects->effects[shown], unit, most, out);
    if (shown < effects->count)
        opevo_text_printf(out, "and %zu more of less importance; opevo report shows all\n",
                          effects->count - shown);
}
