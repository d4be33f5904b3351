/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run on a device: its best trials measured once more, side by side. */

#include "cli_internal.h"

#include <math.h>
#include <string.h>

void opevo_i_finals_note(opevo_i_finals *finals, const opevo_trial *trial)
{
    opevo_finalist *all = finals->finalists;
    double fitness = trial->outcome.fitness;
    size_t at = finals->count;

    if (trial->outcome.kind != OPEVO_OUTCOME_OK || !finals->most)
        return;
    for (size_t i = 0; i < finals->count; i++) {
        if (all[i].point == trial->proposal.point)
            return;
    }
    while (at > 0 && all[at - 1].median < fitness)
        at--;
    if (at == finals->most)
        return;
    if (finals->count < finals->most)
        finals->count++;
    memmove(all + at + 1, all + at, (finals->count - at - 1) * sizeof *all);
    all[at] = (opevo_finalist){.point = trial->proposal.point, .median = fitness};
}

opevo_status opevo_i_finals_read(const opevo_call *call, const opevo_objective *objective,
                                 opevo_i_finals *out, opevo_error *err)
{
    bool live = opevo_live_batch(objective) > 0;
    bool kernels = live && !strcmp(objective->ops->kind, "live");
    opevo_status status = OPEVO_OK;
    uint64_t most = 0;

    *out = (opevo_i_finals){.most = 0};
    if (!live && opevo_i_flag(call, "finals"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--finals goes with a device: a landscape answers the same again.");
    OPEVO_TRY(opevo_i_option_count(call, "finals", kernels ? 5 : 0, 0, OPEVO_I_MOST_FINALISTS,
                                   &most, err));
    OPEVO_TRY(opevo_i_option_count(call, "rounds", 30, 1, 10000, &out->rounds, err));
    out->most = (size_t)most;
cleanup:
    return status;
}

opevo_status opevo_i_finals_run(opevo_i_finals *finals, opevo_objective *objective, uint64_t seed,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (finals->count < 2)
        return OPEVO_OK;
    status = opevo_live_finals(objective, finals->finalists, finals->count, finals->rounds, seed,
                               &finals->verdict, err);
    finals->ran = status == OPEVO_OK;
    return status;
}

/* " (1 to 2)", where there is an interval. */
static void print_interval(double low, double high, opevo_text *out)
{
    if (isfinite(low) && isfinite(high))
        opevo_text_printf(out, " (%.6g to %.6g)", low, high);
}

void opevo_i_finals_print(const opevo_i_finals *finals, const opevo_objective *objective,
                          opevo_text *out)
{
    const opevo_final_verdict *verdict = &finals->verdict;

    if (!finals->ran)
        return;
    opevo_text_printf(out,
                      "finals of the best %zu, side by side in %llu rounds (estimated; 95 %% "
                      "confidence):\n",
                      finals->count, (unsigned long long)finals->rounds);
    for (size_t i = 0; i < finals->count; i++) {
        const opevo_finalist *one = &finals->finalists[i];

        opevo_text_printf(out, "%s %.6g %s", i == verdict->winner ? "*" : " ", one->median,
                          objective->unit);
        print_interval(one->low, one->high, out);
        opevo_text_add(out, "  ");
        opevo_space_print(objective->space, one->point, out);
        opevo_text_add(out, "\n");
    }
    opevo_text_printf(out, "%s: time of the next by time of the winner %.4f",
                      verdict->faster ? "the winner is faster" : "not distinguishable",
                      verdict->ratio);
    print_interval(verdict->ratio_low, verdict->ratio_high, out);
    opevo_text_printf(out, ", p = %.2g\n", verdict->probability);
}

void opevo_i_finals_print_json(const opevo_i_finals *finals, const opevo_objective *objective,
                               opevo_text *out)
{
    const opevo_final_verdict *verdict = &finals->verdict;

    if (!finals->ran)
        return;
    opevo_i_json_key(out, "finals");
    opevo_text_add(out, "{");
    opevo_i_json_string(out, "verdict", verdict->faster ? "faster" : "not distinguishable");
    opevo_i_json_double(out, "p", verdict->probability);
    opevo_i_json_double(out, "ratio", verdict->ratio);
    opevo_i_json_double(out, "ratio_low", verdict->ratio_low);
    opevo_i_json_double(out, "ratio_high", verdict->ratio_high);
    opevo_i_json_index(out, "rounds", finals->rounds);
    opevo_i_json_index(out, "winner", verdict->winner);
    opevo_i_json_key(out, "finalists");
    for (size_t i = 0; i < finals->count; i++) {
        const opevo_finalist *one = &finals->finalists[i];

        opevo_text_add(out, i ? ", {" : "[{");
        opevo_i_json_key(out, "configuration");
        opevo_space_print_json(objective->space, one->point, out);
        opevo_i_json_double(out, "fitness", one->median);
        opevo_i_json_double(out, "low", one->low);
        opevo_i_json_double(out, "high", one->high);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]}");
}
