/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run on a device: its best trials measured once more, side by side. */

#include "cli_internal.h"

#include <opevo/memory.h>

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

    *out = (opevo_i_finals){.with_library = opevo_i_flag(call, "library")};
    if (!live && opevo_i_flag(call, "finals"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--finals goes with a device: a landscape answers the same again.");
    if (!kernels && out->with_library)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--library goes with kernels: give --on cpu, cuda:N or hip:N.");
    OPEVO_TRY(opevo_i_option_count(call, "finals", kernels ? 5 : 0, 0, OPEVO_I_MOST_FINALISTS,
                                   &most, err));
    OPEVO_TRY(opevo_i_option_count(call, "rounds", 30, 1, 10000, &out->rounds, err));
    out->most = (size_t)most;
cleanup:
    return status;
}

void opevo_i_finals_free(opevo_i_finals *finals)
{
    opevo_text_free(&finals->library);
}

/* The points of the finalists, for the store. */
static void list_points(const opevo_i_finals *finals, opevo_stored_finals *out, opevo_index *points)
{
    for (size_t i = 0; i < finals->count; i++)
        points[i] = finals->finalists[i].point;
    *out = (opevo_stored_finals){
        .points = points, .count = finals->count, .rounds = (size_t)finals->rounds};
}

opevo_status opevo_i_finals_run(opevo_i_finals *finals, opevo_objective *objective, uint64_t seed,
                                opevo_store *store, int64_t run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index points[OPEVO_I_MOST_FINALISTS + 1];
    opevo_stored_finals stored;
    double *fitness = NULL;
    bool found = false;

    if (finals->with_library && finals->count > 0)
        finals->finalists[finals->count++] = (opevo_finalist){.point = OPEVO_LIVE_LIBRARY};
    if (finals->count < 2)
        return OPEVO_OK;
    fitness = opevo_calloc(finals->count * (size_t)finals->rounds, sizeof *fitness);
    if (!fitness)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for finals.");
    list_points(finals, &stored, points);
    stored.fitness = fitness;
    if (store)
        OPEVO_TRY(opevo_store_get_finals(store, run, &stored, &finals->library, &found, err));
    if (!found) {
        OPEVO_TRY(opevo_live_finals(objective, finals->finalists, finals->count, finals->rounds,
                                    seed, fitness, &finals->library, err));
        stored.library = opevo_text_string(&finals->library);
        if (store)
            OPEVO_TRY(opevo_store_put_finals(store, run, &stored, err));
    }
    OPEVO_TRY(opevo_finals_judge(finals->finalists, finals->count, finals->rounds, fitness,
                                 &finals->verdict, err));
    finals->ran = true;
cleanup:
    opevo_free(fitness);
    return status;
}

/* " (1 to 2)", where there is an interval. */
static void print_interval(double low, double high, opevo_text *out)
{
    if (isfinite(low) && isfinite(high))
        opevo_text_printf(out, " (%.6g to %.6g)", low, high);
}

static void print_finalist(const opevo_i_finals *finals, size_t number,
                           const opevo_objective *objective, opevo_text *out)
{
    const opevo_finalist *one = &finals->finalists[number];
    const opevo_final_verdict *verdict = &finals->verdict;

    if (number == verdict->library && one->median == 0) {
        opevo_text_printf(out, "- the library was not measured: %s\n",
                          opevo_text_string(&finals->library));
        return;
    }
    opevo_text_printf(out, "%s %.6g %s",
                      number == verdict->winner    ? "*"
                      : number == verdict->library ? "-"
                                                   : " ",
                      one->median, objective->unit);
    print_interval(one->low, one->high, out);
    opevo_text_add(out, "  ");
    if (number == verdict->library)
        opevo_text_add(out, opevo_text_string(&finals->library));
    else
        opevo_space_print(objective->space, one->point, out);
    opevo_text_add(out, "\n");
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
                      finals->count - (verdict->library < finals->count),
                      (unsigned long long)finals->rounds);
    for (size_t i = 0; i < finals->count; i++)
        print_finalist(finals, i, objective, out);
    if (verdict->rival < finals->count) {
        opevo_text_printf(out, "%s: time of the next by time of the winner %.4f",
                          verdict->faster ? "the winner is faster" : "not distinguishable",
                          verdict->ratio);
        print_interval(verdict->ratio_low, verdict->ratio_high, out);
        opevo_text_printf(out, ", p = %.2g\n", verdict->probability);
    }
    if (isfinite(verdict->library_ratio)) {
        opevo_text_printf(out, "time of the library by time of the winner %.4f",
                          verdict->library_ratio);
        print_interval(verdict->library_low, verdict->library_high, out);
        opevo_text_add(out, "\n");
    }
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
    if (verdict->library < finals->count) {
        opevo_i_json_string(out, "library", opevo_text_string(&finals->library));
        opevo_i_json_double(out, "library_ratio", verdict->library_ratio);
        opevo_i_json_double(out, "library_ratio_low", verdict->library_low);
        opevo_i_json_double(out, "library_ratio_high", verdict->library_high);
    }
    opevo_i_json_key(out, "finalists");
    for (size_t i = 0; i < finals->count; i++) {
        const opevo_finalist *one = &finals->finalists[i];

        opevo_text_add(out, i ? ", {" : "[{");
        opevo_i_json_key(out, "configuration"); /* of the library: null */
        if (i == verdict->library)
            opevo_text_add(out, "null");
        else
            opevo_space_print_json(objective->space, one->point, out);
        opevo_i_json_double(out, "fitness", one->median);
        opevo_i_json_double(out, "low", one->low);
        opevo_i_json_double(out, "high", one->high);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]}");
}
