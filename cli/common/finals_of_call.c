/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run on a device, by the options of a call, and how they are printed. */

#include "finals_of_call_internal.h"
#include "options_internal.h"

#include <opevo/finals.h>
#include <opevo/hardware.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

opevo_status opevo_i_cli_finals_read(const opevo_call *call, const opevo_objective *objective,
                                     opevo_finals **out, opevo_error *err)
{
    bool live = !objective->concurrent;
    bool kernels = live && !strcmp(objective->ops->kind, "live");
    opevo_status status = OPEVO_OK;
    opevo_finals_options options = {.with_library = opevo_i_cli_flag(call, "library"),
                                    .no_twin = opevo_i_cli_flag(call, "no-null")};
    uint64_t most = 0;

    if (!live && opevo_i_cli_flag(call, "finals"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--finals requires a device: a landscape returns the same value again.");
    if (!kernels && options.with_library)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--library requires kernels: use --on " OPEVO_DEVICES_OR ".");
    OPEVO_TRY(opevo_i_cli_option_count(call, "finals", kernels ? 5 : 0, 0, OPEVO_FINALISTS_MOST,
                                       &most, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "rounds", OPEVO_FINALS_ROUNDS, 1, 10000,
                                       &options.rounds, err));
    if (most == 0 && options.with_library)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--library takes part in the finals: omit --finals 0 or --library.");
    options.most = (size_t)most;
    status = opevo_finals_create(&options, out, err);
cleanup:
    return status;
}

/* Where the two copies of a kernel differ, so may all others by no merit of theirs. */
static const char *verdict_of(const opevo_final_verdict *verdict)
{
    return verdict->is_biased ? "biased" : verdict->faster ? "faster" : "not distinguishable";
}

/* The numbers of the finalists by rank; the library is the last. */
static void order_by_rank(const opevo_finals *finals, size_t *order)
{
    for (size_t i = 0; i < finals->count; i++) {
        size_t rank = finals->finalists[i].rank;

        order[rank > 0 ? rank - 1 : finals->count - 1] = i;
    }
}

void opevo_i_cli_finalist_bounds(const opevo_finalist *one, const char *unit, double *low,
                                 double *high)
{
    bool is_time = opevo_unit_is_time(unit);

    *low = opevo_unit_result(unit, is_time ? one->high : one->low);
    *high = opevo_unit_result(unit, is_time ? one->low : one->high);
}

void opevo_i_cli_finalist_of_samples(const opevo_outcome *outcome, opevo_finalist *out)
{
    size_t count = isfinite(outcome->time_s) ? outcome->sample_count : 0;
    double *fitness = count ? opevo_malloc(count, sizeof *fitness) : NULL;
    opevo_final_verdict verdict;

    *out = (opevo_finalist){.low = NAN, .high = NAN};
    for (size_t i = 0; fitness && i < count; i++)
        fitness[i] = outcome->fitness * outcome->time_s / outcome->samples_s[i];
    if (fitness)
        opevo_finals_judge(out, 1, count, fitness, &verdict, NULL);
    out->median = outcome->fitness;
    opevo_free(fitness);
}

/* " (1 to 2)", where there is an interval. */
static void print_interval(double low, double high, opevo_text *out)
{
    if (isfinite(low) && isfinite(high))
        opevo_text_printf(out, " (%.6g to %.6g)", low, high);
}

static void print_number(opevo_index point, opevo_text *out)
{
    opevo_text_add(out, "point ");
    opevo_text_add_index(out, point);
}

static void print_place(const opevo_finals *finals, size_t number, opevo_text *out)
{
    if (number == finals->verdict.winner)
        opevo_text_add(out, "winner   ");
    else if (number == finals->verdict.rival)
        opevo_text_add(out, "next     ");
    else if (number == finals->verdict.library)
        opevo_text_add(out, "library  ");
    else
        opevo_text_printf(out, "rank %-2zu  ", finals->finalists[number].rank);
}

static void print_finalist(const opevo_finals *finals, size_t number, const opevo_space *space,
                           const char *unit, const opevo_i_cli_kernels *kernels, opevo_text *out)
{
    const opevo_finalist *one = &finals->finalists[number];
    const opevo_final_verdict *verdict = &finals->verdict;
    double low = 0;
    double high = 0;

    opevo_i_cli_finalist_bounds(one, unit, &low, &high);
    if (number == verdict->library && one->median == 0) {
        opevo_text_add(out, "library  not measured: ");
        opevo_text_add_visible(out, finals->library);
        opevo_text_add(out, "\n");
        return;
    }
    print_place(finals, number, out);
    if (one->median > 0) {
        opevo_text_printf(out, "%.6g %s", opevo_unit_result(unit, one->median),
                          opevo_unit_name(unit));
        print_interval(low, high, out);
    } else {
        opevo_text_add(out, "failed in a round");
    }
    if (one->rank > 0)
        opevo_text_printf(out, ", won %llu round%s", (unsigned long long)one->won,
                          one->won == 1 ? "" : "s");
    if (number != verdict->library)
        opevo_i_cli_kernel_print(kernels, one->point, out);
    opevo_text_add(out, "  ");
    if (number == verdict->library)
        opevo_text_add_visible(out, finals->library);
    else if (space)
        opevo_space_print(space, one->point, out);
    else
        print_number(one->point, out);
    opevo_text_add(out, "\n");
}

static void print_twin(const opevo_final_verdict *verdict, opevo_text *out)
{
    if (!verdict->has_twin || !isfinite(verdict->twin_ratio))
        return;
    opevo_text_printf(out, "A/A: the kernel of the best trial against itself: ratio %.4f",
                      verdict->twin_ratio);
    print_interval(verdict->twin_low, verdict->twin_high, out);
    opevo_text_printf(out, ", p = %.2g%s\n", verdict->twin_probability,
                      verdict->is_biased
                          ? "; the measurement tells a kernel from itself, so nothing can be said: "
                            "repeat it on a quieter machine, or with more --rounds"
                          : "");
}

void opevo_i_cli_finals_print(const opevo_finals *finals, const opevo_space *space,
                              const char *unit, const opevo_i_cli_kernels *kernels, opevo_text *out)
{
    const opevo_final_verdict *verdict = &finals->verdict;
    size_t order[OPEVO_FINALISTS_MOST + 1];

    if (*finals->failure) {
        opevo_text_add(out, "the re-evaluation (finals) failed: ");
        opevo_text_add_visible(out, finals->failure);
        opevo_text_add(out, "\n");
    }
    if (!finals->ran)
        return;
    opevo_text_printf(
        out,
        "re-evaluation (finals) of the best %zu, side by side in %llu rounds (estimated; 95 %% "
        "confidence):\n",
        finals->count - (verdict->library < finals->count),
        (unsigned long long)finals->options.rounds);
    order_by_rank(finals, order);
    for (size_t i = 0; i < finals->count; i++)
        print_finalist(finals, order[i], space, unit, kernels, out);
    if (verdict->rival < finals->count) {
        opevo_text_printf(out, "%s: time of the next divided by that of the winner %.4f",
                          verdict->is_biased ? "no verdict"
                          : verdict->faster  ? "the winner is faster"
                                             : "not distinguishable",
                          verdict->ratio);
        print_interval(verdict->ratio_low, verdict->ratio_high, out);
        opevo_text_printf(out, ", p = %.2g\n", verdict->probability);
    }
    print_twin(verdict, out);
    if (isfinite(verdict->library_ratio)) {
        opevo_text_printf(out, "time of the library divided by that of the winner %.4f",
                          verdict->library_ratio);
        print_interval(verdict->library_low, verdict->library_high, out);
        opevo_text_add(out, "\n");
    }
}

/* Of the library: null. */
static void add_json_configuration(const opevo_finalist *one, const opevo_space *space,
                                   opevo_text *out)
{
    opevo_json_key(out, "configuration");
    if (one->point == OPEVO_LIBRARY_POINT) {
        opevo_text_add(out, "null");
    } else if (space) {
        opevo_space_print_json(space, one->point, out);
    } else {
        opevo_text_add(out, "\"");
        print_number(one->point, out);
        opevo_text_add(out, "\"");
    }
}

static void add_json_finalist(const opevo_finalist *one, const opevo_space *space, const char *unit,
                              const opevo_i_cli_kernels *kernels, opevo_text *out)
{
    double low = 0;
    double high = 0;

    opevo_json_open_next(out, " ", "{");
    if (one->rank > 0) {
        opevo_json_index(out, "rank", one->rank);
        opevo_json_index(out, "won", one->won);
    }
    add_json_configuration(one, space, out);
    opevo_i_cli_finalist_bounds(one, unit, &low, &high);
    opevo_json_double(out, "fitness", one->median);
    opevo_json_double(out, "result", opevo_unit_result(unit, one->median));
    opevo_json_double(out, "low", low);
    opevo_json_double(out, "high", high);
    if (one->point != OPEVO_LIBRARY_POINT)
        opevo_i_cli_kernel_print_json(kernels, one->point, out);
    opevo_text_add(out, "}");
}

void opevo_i_cli_finals_print_json(const opevo_finals *finals, const opevo_space *space,
                                   const char *unit, const opevo_i_cli_kernels *kernels,
                                   opevo_text *out)
{
    const opevo_final_verdict *verdict = &finals->verdict;
    bool dropped = finals->interrupted || *finals->failure;
    size_t order[OPEVO_FINALISTS_MOST + 1];

    if (!finals->ran && !dropped)
        return;
    opevo_json_key(out, "finals");
    if (dropped) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_string(out, "verdict", verdict_of(verdict));
    opevo_json_double(out, "p", verdict->probability);
    opevo_json_double(out, "ratio", verdict->ratio);
    opevo_json_double(out, "ratio_low", verdict->ratio_low);
    opevo_json_double(out, "ratio_high", verdict->ratio_high);
    if (verdict->has_twin) {
        opevo_json_open(out, "null", "{");
        opevo_json_double(out, "p", verdict->twin_probability);
        opevo_json_double(out, "ratio", verdict->twin_ratio);
        opevo_json_double(out, "ratio_low", verdict->twin_low);
        opevo_json_double(out, "ratio_high", verdict->twin_high);
        opevo_text_add(out, "}");
    }
    opevo_json_index(out, "rounds", finals->options.rounds);
    opevo_json_index(out, "winner", 0);
    if (verdict->rival < finals->count)
        opevo_json_index(out, "next", 1);
    if (verdict->library < finals->count) {
        opevo_json_string(out, "library", finals->library);
        opevo_json_double(out, "library_ratio", verdict->library_ratio);
        opevo_json_double(out, "library_ratio_low", verdict->library_low);
        opevo_json_double(out, "library_ratio_high", verdict->library_high);
    }
    opevo_json_open(out, "finalists", "[");
    order_by_rank(finals, order);
    for (size_t i = 0; i < finals->count; i++)
        add_json_finalist(&finals->finalists[order[i]], space, unit, kernels, out);
    opevo_text_add(out, "]}");
}
