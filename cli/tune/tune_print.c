/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the verb tune prints. */

#include "curve_internal.h"
#include "finals_of_call_internal.h"
#include "measured_internal.h"
#include "recording_spec_internal.h"
#include "roof_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"
#include "tuner_library_internal.h"

#include <opevo/bootstrap.h>
#include <opevo/gsl_errors.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/summary.h>
#include <opevo/unit.h>

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static double fraction(const opevo_i_cli_tuning *self, double fitness)
{
    return self->optimum.known ? fitness / self->optimum.fitness : NAN;
}

static void add_json_head(const opevo_i_cli_tuning *self, opevo_text *out)
{
    opevo_json_string(out, "objective", self->objective->name);
    opevo_json_string(out, "unit", opevo_unit_name(self->objective->unit));
    opevo_json_string(out, "better", opevo_unit_better(self->objective->unit));
    opevo_json_double(out, "optimum",
                      self->optimum.known
                          ? opevo_unit_result(self->objective->unit, self->optimum.fitness)
                          : NAN);
    opevo_json_string(out, "tuner", self->run.tuner->name);
    opevo_json_key(out, "settings");
    opevo_settings_print_json(self->run.tuner, self->settings, out);
    opevo_i_cli_add_library_json(self->run.tuner, self->settings, out);
    if (self->run.earlier_count > 0)
        opevo_json_index(out, "earlier_trials", self->run.earlier_count);
    if (self->run.earlier_tree_count > 0)
        opevo_json_index(out, "earlier_trees", self->run.earlier_tree_count);
    if (self->run.model)
        opevo_json_string(out, "learned", self->run.model->kind);
    if (self->starts.list)
        opevo_json_index(out, "start_points", self->starts.list->starts.count);
}

static void add_json_best(const opevo_i_cli_tuning *self, const opevo_trial *best, opevo_text *out)
{
    const char *unit = self->objective->unit;
    bool is_gflops = !strcmp(opevo_unit_of_fitness(unit), "GFLOP/s");

    opevo_json_key(out, "best");
    if (!best->number) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_key(out, "configuration");
    opevo_space_print_json(self->objective->space, best->proposal.point, out);
    opevo_json_double(out, "result", opevo_unit_result(unit, best->outcome.fitness));
    opevo_json_double(out, "gflops", is_gflops ? best->outcome.fitness : NAN);
    opevo_json_double(out, "fitness", best->outcome.fitness);
    opevo_i_cli_tune_add_json_interval(self, out);
    opevo_i_cli_roof_print_json(self->roof, best->outcome.fitness, out);
    opevo_json_index(out, "trial", best->number);
    opevo_i_cli_kernel_print_json(&self->kernels, best->proposal.point, out);
    opevo_text_add(out, "}");
}

static void add_json_result(const opevo_i_cli_tuning *self, size_t index, opevo_text *out)
{
    const opevo_run_result *result = &self->results[index];

    add_json_best(self, &result->best, out);
    opevo_json_index(out, "trials", result->trials);
    opevo_json_index(out, "resumed", result->resumed);
    opevo_json_index(out, "failed", result->failed);
    opevo_json_double(out, "cost_s", result->cost_s);
    if (self->reasons)
        opevo_i_cli_reasons_print_json(&self->reasons[index], out);
    opevo_json_string(out, "stop", opevo_stop_name(result->stop));
    opevo_json_index(out, "seed", self->run.seed + index);
    opevo_json_double(out, "fraction_of_optimum", fraction(self, result->best.outcome.fitness));
}

void opevo_i_cli_tune_add_json(const opevo_i_cli_tuning *self, opevo_text *out)
{
    add_json_result(self, 0, out);
    add_json_head(self, out);
    opevo_i_cli_add_json_workers(self->objective, out);
    opevo_i_cli_finals_print_json(self->finals, self->objective->space, self->objective->unit,
                                  &self->kernels, out);
    opevo_i_cli_tune_add_json_proofs(self, out);
}

void opevo_i_cli_tune_print_json(const opevo_i_cli_tuning *self, opevo_text *out)
{
    opevo_text_add(out, "{");
    if (self->runs == 1) {
        opevo_i_cli_tune_add_json(self, out);
    } else {
        add_json_head(self, out);
        opevo_json_open(out, "runs", "[");
        for (size_t i = 0; i < self->runs; i++) {
            opevo_json_open_next(out, "\n  ", "{");
            add_json_result(self, i, out);
            if (self->fronts)
                opevo_json_double(out, "hypervolume", self->fronts[i].volume);
            opevo_text_add(out, "}");
        }
        opevo_text_add(out, "\n]");
        opevo_i_cli_add_json_workers(self->objective, out);
    }
    opevo_i_cli_tune_print_json_front(self, out);
    opevo_text_add(out, "}\n");
}

static void add_json_budget(const opevo_i_cli_tuning *self, opevo_text *out)
{
    const opevo_budget *budget = &self->run.budget;
    const char *unit = self->objective->unit;

    if (budget->trials)
        opevo_json_index(out, "trials", budget->trials);
    if (budget->seconds > 0)
        opevo_json_double(out, "seconds", budget->seconds);
    if (budget->target > 0)
        opevo_json_double(out, "target", opevo_unit_result(unit, budget->target));
}

static void add_json_search(const opevo_i_cli_tuning *self, opevo_text *out)
{
    opevo_text requirements = {0};

    if (self->run.criteria)
        opevo_json_string(out, "criteria", self->criteria_words);
    if (!self->run.requirement_count)
        return;
    for (size_t i = 0; i < self->run.requirement_count; i++) {
        opevo_text_add(&requirements, i ? ", " : "");
        opevo_requirement_print(&self->requirements[i], &requirements);
    }
    opevo_json_string(out, "requires", opevo_text_string(&requirements));
    out->failed |= requirements.failed;
    opevo_text_free(&requirements);
}

void opevo_i_cli_tune_add_json_settings(const opevo_i_cli_tuning *self, opevo_text *out)
{
    add_json_head(self, out);
    opevo_json_key(out, "points");
    opevo_space_print_size(self->objective->space, out);
    opevo_json_index(out, "seed", self->run.seed);
    opevo_json_index(out, "runs", self->runs);
    opevo_json_open(out, "budget", "{");
    add_json_budget(self, out);
    opevo_text_add(out, "}");
    add_json_search(self, out);
}

void opevo_i_cli_tune_print_json_settings(const opevo_i_cli_tuning *self, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_i_cli_tune_add_json_settings(self, out);
    opevo_text_add(out, "}\n");
}

void opevo_i_cli_tune_print_settings(const opevo_i_cli_tuning *self, opevo_text *out)
{
    const opevo_budget *budget = &self->run.budget;
    const char *unit = self->objective->unit;

    opevo_i_cli_text_add_objective(out, self->objective->name);
    opevo_text_add(out, ", ");
    opevo_i_cli_text_add_points(out, self->objective->space);
    opevo_text_printf(out, "; tuner %s", self->run.tuner->name);
    opevo_i_cli_add_library(self->run.tuner, self->settings, out);
    opevo_text_printf(out, "%s%s; ", self->settings_text.length ? " " : "",
                      opevo_text_string(&self->settings_text));
    if (self->runs == 1)
        opevo_text_printf(out, "seed %llu", (unsigned long long)self->run.seed);
    else
        opevo_text_printf(out, "seeds %llu to %llu", (unsigned long long)self->run.seed,
                          (unsigned long long)(self->run.seed + self->runs - 1));
    if (self->run.earlier_count > 0)
        opevo_text_printf(out, "; %zu earlier trial%s", self->run.earlier_count,
                          opevo_i_cli_plural(self->run.earlier_count));
    if (self->run.earlier_tree_count > 0)
        opevo_text_printf(out, "; %zu earlier loop tree%s", self->run.earlier_tree_count,
                          opevo_i_cli_plural(self->run.earlier_tree_count));
    if (self->run.model)
        opevo_text_printf(out, "; a model learned from %llu loop trees",
                          (unsigned long long)self->run.model->trees);
    if (self->starts.list)
        opevo_text_printf(out, "; %zu start point%s", self->starts.list->starts.count,
                          self->starts.list->starts.count == 1 ? "" : "s");
    if (budget->trials)
        opevo_text_printf(out, "; at most %llu trial%s", (unsigned long long)budget->trials,
                          opevo_i_cli_plural(budget->trials));
    if (budget->seconds > 0)
        opevo_text_printf(out, "; at most %g s", budget->seconds);
    if (budget->target > 0)
        opevo_text_printf(out, "; to %.6g %s", opevo_unit_result(unit, budget->target),
                          opevo_unit_name(unit));
    if (self->run.criteria) {
        opevo_text_printf(out, "; criteria %s", self->criteria_words);
        if (!self->run.tuner->by_criteria)
            opevo_text_add(out, " (the tuner searches by the fitness)");
    }
    for (size_t i = 0; i < self->run.requirement_count; i++) {
        opevo_text_add(out, i ? ", " : "; requires ");
        opevo_requirement_print(&self->requirements[i], out);
    }
    if (opevo_unit_is_time(unit))
        opevo_text_printf(out, "; results in %s, smaller is better", opevo_unit_name(unit));
    opevo_text_add(out, "\n");
    opevo_i_cli_print_ignored(self->objective, out);
    opevo_i_cli_print_library_note(self->run.tuner, self->settings, out);
    opevo_i_cli_print_features_note(self->run.tuner, self->run.settings, self->objective, out);
}

void opevo_i_cli_tune_print_failures(const opevo_run_result *result, opevo_text *out)
{
    const char *separator = " (";

    opevo_text_printf(out, ", %llu failed = %.1f %%", (unsigned long long)result->failed,
                      result->trials ? 100 * (double)result->failed / (double)result->trials : 0.0);
    for (int i = OPEVO_OUTCOME_OK + 1; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        if (result->failed_by_class[i]) {
            opevo_text_printf(out, "%s%llu %s", separator,
                              (unsigned long long)result->failed_by_class[i],
                              opevo_outcome_name((opevo_outcome_class)i));
            separator = ", ";
        }
    }
    opevo_text_add(out, result->failed ? ")" : "");
}

/* How the run went, whatever it found. */
static void print_course(const opevo_i_cli_tuning *self, const char *store, opevo_text *out)
{
    const opevo_run_result *result = &self->results[0];

    opevo_text_printf(out, "%llu trial%s", (unsigned long long)result->trials,
                      opevo_i_cli_plural(result->trials));
    opevo_i_cli_tune_print_failures(result, out);
    if (result->resumed)
        opevo_text_printf(out, ", %llu taken from %s", (unsigned long long)result->resumed, store);
    opevo_text_printf(out, "; cost %.1f s; stopped by: %s", result->cost_s,
                      result->stop == OPEVO_STOP_SEARCH_OVER && result->reason
                          ? result->reason
                          : opevo_stop_name(result->stop));
    if (!result->best.number)
        opevo_text_add(out, "\nno trial succeeded");
    opevo_text_add(out, "\n");
    if (self->live) {
        opevo_live_print_reference(self->objective, out);
        opevo_i_cli_reasons_print(&self->reasons[0], out);
    }
    if (result->stop == OPEVO_STOP_GAVE_UP)
        opevo_i_cli_give_up_print(self->run.give_up, out);
}

static void print_best(const opevo_i_cli_tuning *self, opevo_text *out)
{
    const opevo_trial *trial = &self->results[0].best;
    const char *unit = self->objective->unit;
    char best[64];

    snprintf(best, sizeof best, "best %.8g %s", opevo_unit_result(unit, trial->outcome.fitness),
             opevo_unit_name(unit));
    opevo_i_cli_text_add_styled(out, STDOUT_FILENO, OPEVO_STYLE_STRONG, best);
    opevo_i_cli_tune_print_interval(self, out);
    if (self->optimum.known)
        opevo_text_printf(out, " = %.2f %% of the optimum %.8g (exact)",
                          100 * fraction(self, trial->outcome.fitness),
                          opevo_unit_result(unit, self->optimum.fitness));
    opevo_text_printf(out, ", at trial %llu", (unsigned long long)trial->number);
    opevo_i_cli_kernel_print(&self->kernels, trial->proposal.point, out);
    opevo_text_add(out, "\n");
    opevo_space_print(self->objective->space, trial->proposal.point, out);
    opevo_text_add(out, "\n");
    opevo_i_cli_roof_print(self->roof, trial->outcome.fitness, unit, out);
    opevo_i_cli_tune_print_gain(self, out);
    if (self->draws_curve)
        opevo_i_cli_curve_print(&self->curve, self->optimum.known ? self->optimum.fitness : 0, unit,
                                opevo_i_cli_terminal_width(STDOUT_FILENO), out);
}

/* What an interrupt left undone, and how it is done. */
static void print_interrupted(const opevo_i_cli_tuning *self, const char *store, opevo_text *out)
{
    if (self->finals->interrupted && store)
        opevo_text_printf(out,
                          "the re-evaluation (finals) was interrupted and is dropped; the same "
                          "command takes the trials from %s and repeats the re-evaluation\n",
                          store);
    else if (self->finals->interrupted)
        opevo_text_add(out, "the re-evaluation (finals) was interrupted and is dropped; without "
                            "--store the same command starts over\n");
    if (self->results[0].stop == OPEVO_STOP_INTERRUPTED && store)
        opevo_text_printf(out,
                          "interrupted; the same command, or opevo resume %s:%lld, continues it\n",
                          store, (long long)self->results[0].run);
}

void opevo_i_cli_tune_print_result(const opevo_i_cli_tuning *self, const char *store,
                                   opevo_text *out)
{
    print_course(self, store, out);
    if (!self->results[0].best.number)
        return;
    print_best(self, out);
    opevo_i_cli_finals_print(self->finals, self->objective->space, self->objective->unit,
                             &self->kernels, out);
    opevo_i_cli_tune_print_proofs(self, out);
    if (self->results[0].stop != OPEVO_STOP_INTERRUPTED)
        opevo_i_cli_tune_print_offer(self, out);
    print_interrupted(self, store, out);
}

/* How many runs reached the target, and after how many trials: the median over all runs, those that
 * did not reach it counting as longer than any. */
static void print_target(const opevo_i_cli_tuning *self, double *scratch, opevo_text *out)
{
    size_t finished = 0;
    size_t reached = 0;
    double median = 0;

    for (size_t i = 0; i < self->runs; i++) {
        bool there = self->results[i].stop == OPEVO_STOP_TARGET;

        reached += there;
        if (self->results[i].stop != OPEVO_STOP_INTERRUPTED)
            scratch[finished++] = there ? (double)self->results[i].trials : DBL_MAX;
    }
    median = opevo_moments_of(scratch, finished).median;
    opevo_text_printf(out, "target reached in %zu of %zu runs", reached, finished);
    if (median < DBL_MAX / 2)
        opevo_text_printf(out, "; median trials to it: %g (estimated from the runs)", median);
    opevo_text_add(out, "\n");
}

/* The runs that were not interrupted and found something: their best result, as a fraction of the
 * optimum where that is known, into `values`; *finished counts those that were not interrupted. */
static size_t gather(const opevo_i_cli_tuning *self, double *values, size_t *finished,
                     uint64_t *trials)
{
    size_t count = 0;

    *trials = *finished = 0;
    for (size_t i = 0; i < self->runs; i++) {
        double fitness = self->results[i].best.outcome.fitness;
        double result = self->optimum.known ? fraction(self, fitness)
                                            : opevo_unit_result(self->objective->unit, fitness);

        if (self->results[i].stop == OPEVO_STOP_INTERRUPTED)
            continue;
        ++*finished;
        *trials += self->results[i].trials;
        if (isfinite(result)) /* failures alone have no time */
            values[count++] = result;
    }
    return count;
}

static void print_reasons_of_runs(const opevo_i_cli_tuning *self, opevo_text *out)
{
    for (size_t i = 0; self->live && i < self->runs; i++) {
        const opevo_run_result *result = &self->results[i];

        if (result->failed)
            opevo_text_printf(out, "seed %llu: %llu of %llu trials failed%s\n",
                              (unsigned long long)self->run.seed + i,
                              (unsigned long long)result->failed,
                              (unsigned long long)result->trials,
                              result->stop == OPEVO_STOP_GAVE_UP ? ", and the run gave up" : "");
        opevo_i_cli_reasons_print(&self->reasons[i], out);
    }
}

/* A share to four places, a result to six digits. */
static void add_best(const char *what, double value, bool is_share, opevo_text *out)
{
    opevo_text_printf(out, is_share ? "%s%.4f" : "%s%.6g", what, value);
}

/* The 95 % interval of a mean: of shares as analyze has it; of results Student's, which are above
 * 0. Without memory none. */
static void add_mean_interval(const double *values, const opevo_moments *moments, bool is_share,
                              opevo_text *out)
{
    double reach = gsl_cdf_tdist_Pinv(0.975, (double)moments->count - 1) * moments->sd /
                   sqrt((double)moments->count);
    opevo_interval interval = {fmax(moments->mean - reach, 0), moments->mean + reach};
    const opevo_bootstrap bootstrap = {2000, 1, 0};

    if (is_share && opevo_mean_interval(values, moments->count, (opevo_interval){0, 1}, &bootstrap,
                                        0.95, false, &interval, NULL) != OPEVO_OK)
        return;
    add_best(" (", interval.low, is_share, out);
    add_best(" to ", interval.high, is_share, out);
    opevo_text_add(out, ", 95 % approximately)");
}

/* Mean with its confidence interval, least, median and largest of values that are shares, or
 * results; `values` are reordered. */
static void print_moments(double *values, size_t count, bool is_share, opevo_text *out)
{
    opevo_moments moments = opevo_moments_of(values, count);

    add_best("\n  mean ", moments.mean, is_share, out);
    if (count > 1) {
        add_mean_interval(values, &moments, is_share, out);
        add_best(", standard deviation ", moments.sd, is_share, out);
    }
    add_best("\n  min ", moments.min, is_share, out);
    add_best(", median ", moments.median, is_share, out);
    add_best(", max ", moments.max, is_share, out);
    opevo_text_add(out, "\n");
}

/* The hypervolumes of the runs that were not interrupted. */
static void print_volumes(const opevo_i_cli_tuning *self, double *values, opevo_text *out)
{
    size_t count = 0;

    for (size_t i = 0; i < self->runs; i++) {
        if (self->results[i].stop != OPEVO_STOP_INTERRUPTED)
            values[count++] = self->fronts[i].volume;
    }
    opevo_text_add(out, "hypervolume of the front of a run (estimated from the runs):");
    print_moments(values, count, true, out);
}

opevo_status opevo_i_cli_tune_print_results(const opevo_i_cli_tuning *self, opevo_text *out,
                                            opevo_error *err)
{
    double *values = opevo_malloc((size_t)self->runs, sizeof *values);
    uint64_t trials = 0;
    size_t finished = 0;
    size_t count = 0;

    OPEVO_NEED_OR_RETURN(values, "a summary");
    count = gather(self, values, &finished, &trials);
    opevo_text_printf(out, "%zu run%s%s, %llu trial%s\n", finished, opevo_i_cli_plural(finished),
                      finished < self->runs ? " finished before the interruption" : "",
                      (unsigned long long)trials, opevo_i_cli_plural(trials));
    if (count) {
        opevo_text_printf(out, "best of a run, %s (estimated from the runs):",
                          self->optimum.known ? "as a fraction of the optimum"
                                              : opevo_unit_name(self->objective->unit));
        print_moments(values, count, self->optimum.known, out);
    }
    print_reasons_of_runs(self, out);
    if (self->optimum.known)
        opevo_text_printf(out, "optimum (exact): %.8g %s\n",
                          opevo_unit_result(self->objective->unit, self->optimum.fitness),
                          opevo_unit_name(self->objective->unit));
    if (finished && self->run.budget.target > 0)
        print_target(self, values, out);
    if (finished && self->front.count > 0)
        print_volumes(self, values, out);
    opevo_free(values);
    return OPEVO_OK;
}
