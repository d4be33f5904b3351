/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run on a device: its best trials measured once more, side by side. */

#include "cli_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

void opevo_i_cli_finals_note(opevo_i_cli_finals *finals, const opevo_trial *trial)
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

opevo_status opevo_i_cli_finals_read(const opevo_call *call, const opevo_objective *objective,
                                     opevo_i_cli_finals *out, opevo_error *err)
{
    bool live = !objective->concurrent;
    bool kernels = live && !strcmp(objective->ops->kind, "live");
    opevo_status status = OPEVO_OK;
    uint64_t most = 0;

    *out = (opevo_i_cli_finals){.with_library = opevo_i_cli_flag(call, "library")};
    if (!live && opevo_i_cli_flag(call, "finals"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--finals requires a device: a landscape returns the same value again.");
    if (!kernels && out->with_library)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--library requires kernels: use --on cpu, cuda:N or hip:N.");
    OPEVO_TRY(opevo_i_cli_option_count(call, "finals", kernels ? 5 : 0, 0, OPEVO_I_MOST_FINALISTS,
                                       &most, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "rounds", 30, 1, 10000, &out->rounds, err));
    if (most == 0 && out->with_library)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--library takes part in the finals: omit --finals 0 or --library.");
    out->most = (size_t)most;
cleanup:
    return status;
}

void opevo_i_cli_finals_free(opevo_i_cli_finals *finals)
{
    opevo_text_free(&finals->library);
    opevo_text_free(&finals->failure);
}

/* Whether the stored ones are of these finalists, in as many rounds. */
static bool are_of(const opevo_stored_finals *stored, const opevo_i_cli_finals *finals)
{
    bool same = stored->count == finals->count && stored->rounds == finals->rounds;

    for (size_t i = 0; same && i < finals->count; i++)
        same = stored->points[i] == finals->finalists[i].point;
    return same;
}

static opevo_status measure(const opevo_i_cli_finals *finals, opevo_objective *objective,
                            uint64_t seed, opevo_stored_finals *out, opevo_error *err)
{
    size_t count = finals->count;
    opevo_finals_plan plan = {.finalists = finals->finalists,
                              .count = count,
                              .rounds = finals->rounds,
                              .seed = seed,
                              .interrupt = &opevo_i_cli_interrupted};

    *out = (opevo_stored_finals){.count = count, .rounds = (size_t)finals->rounds};
    out->points = opevo_malloc(count, sizeof *out->points);
    out->fitness = opevo_calloc(count * out->rounds, sizeof *out->fitness);
    if (!out->points || !out->fitness)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for finals.");
    for (size_t i = 0; i < count; i++)
        out->points[i] = finals->finalists[i].point;
    return opevo_live_finals(objective, &plan, out->fitness, &out->library, err);
}

static opevo_status judge(opevo_i_cli_finals *finals, const opevo_stored_finals *stored,
                          opevo_error *err)
{
    opevo_status status = opevo_finals_judge(finals->finalists, finals->count, finals->rounds,
                                             stored->fitness, &finals->verdict, err);

    opevo_text_add(&finals->library, opevo_text_string(&stored->library));
    finals->ran = status == OPEVO_OK && finals->finalists[finals->verdict.winner].median > 0;
    if (status == OPEVO_OK && !finals->ran)
        opevo_text_add(&finals->failure, "each of the best points failed in a round.");
    return status;
}

/* The search stands, whatever becomes of its finals. */
static bool is_dropped(opevo_i_cli_finals *finals, opevo_status status, const opevo_error *failure)
{
    finals->interrupted = status == OPEVO_INTERRUPTED;
    if (status == OPEVO_IO || status == OPEVO_FAULT)
        opevo_text_add(&finals->failure, failure->message);
    return finals->interrupted || finals->failure.length > 0;
}

opevo_status opevo_i_cli_finals_run(opevo_i_cli_finals *finals, opevo_objective *objective,
                                    uint64_t seed, opevo_store *store, int64_t run,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_stored_finals stored = {0};
    opevo_error failure = {OPEVO_OK, ""};

    if (finals->with_library && finals->count > 0)
        finals->finalists[finals->count++] = (opevo_finalist){.point = OPEVO_LIVE_LIBRARY};
    if (finals->count < 2)
        return OPEVO_OK;
    if (store)
        OPEVO_TRY(opevo_store_get_finals(store, run, &stored, err));
    if (!are_of(&stored, finals)) {
        opevo_stored_finals_free(&stored);
        status = measure(finals, objective, seed, &stored, &failure);
        if (is_dropped(finals, status, &failure)) {
            status = OPEVO_OK;
            goto cleanup;
        }
        if (status != OPEVO_OK) {
            opevo_error_set(err, status, "%s", failure.message);
            goto cleanup;
        }
        OPEVO_TRY(judge(finals, &stored, err));
        if (finals->ran && store)
            status = opevo_store_put_finals(store, run, &stored, err);
    } else {
        status = judge(finals, &stored, err);
    }
cleanup:
    opevo_stored_finals_free(&stored);
    return status;
}

/* What tune stores: some points of the space, and perhaps the library. */
static bool are_sound(const opevo_stored_finals *stored, const opevo_space *space)
{
    size_t points = 0;

    for (size_t i = 0; i < stored->count; i++) {
        bool library = stored->points[i] == OPEVO_LIVE_LIBRARY;

        if (!library && space && stored->points[i] >= opevo_space_size(space))
            return false;
        points += !library;
    }
    return points > 0 && points <= OPEVO_I_MOST_FINALISTS && stored->count <= points + 1 &&
           stored->rounds > 0;
}

opevo_status opevo_i_cli_finals_of_run(opevo_store *store, int64_t run, opevo_i_cli_finals *out,
                                       opevo_space **space, opevo_error *err)
{
    opevo_stored_finals stored = {0};
    opevo_status status = opevo_store_get_finals(store, run, &stored, err);

    *out = (opevo_i_cli_finals){.count = stored.count, .rounds = stored.rounds};
    *space = NULL;
    if (status != OPEVO_OK || stored.count == 0)
        goto cleanup;
    OPEVO_TRY(opevo_store_space(store, run, space, err));
    if (!are_sound(&stored, *space)) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID,
                       "%s is damaged: the finals of run %lld are malformed; use another store.",
                       opevo_store_path(store), (long long)run);
        goto cleanup;
    }
    for (size_t i = 0; i < stored.count; i++)
        out->finalists[i].point = stored.points[i];
    status = judge(out, &stored, err);
cleanup:
    opevo_stored_finals_free(&stored);
    return status;
}

/* The numbers of the finalists by rank; the library is the last. */
static void order_by_rank(const opevo_i_cli_finals *finals, size_t *order)
{
    for (size_t i = 0; i < finals->count; i++) {
        size_t rank = finals->finalists[i].rank;

        order[rank > 0 ? rank - 1 : finals->count - 1] = i;
    }
}

/* An interval of the fitness as one of the result, of which the lower end comes first. */
static void bounds_of(const opevo_finalist *one, const char *unit, double *low, double *high)
{
    bool is_time = opevo_unit_is_time(unit);

    *low = opevo_unit_result(unit, is_time ? one->high : one->low);
    *high = opevo_unit_result(unit, is_time ? one->low : one->high);
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

static void print_place(const opevo_i_cli_finals *finals, size_t number, opevo_text *out)
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

static void print_finalist(const opevo_i_cli_finals *finals, size_t number,
                           const opevo_space *space, const char *unit, opevo_text *out)
{
    const opevo_finalist *one = &finals->finalists[number];
    const opevo_final_verdict *verdict = &finals->verdict;
    double low = 0;
    double high = 0;

    bounds_of(one, unit, &low, &high);
    if (number == verdict->library && one->median == 0) {
        opevo_text_add(out, "library  not measured: ");
        opevo_text_add_visible(out, opevo_text_string(&finals->library));
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
    opevo_text_add(out, "  ");
    if (number == verdict->library)
        opevo_text_add_visible(out, opevo_text_string(&finals->library));
    else if (space)
        opevo_space_print(space, one->point, out);
    else
        print_number(one->point, out);
    opevo_text_add(out, "\n");
}

void opevo_i_cli_finals_print(const opevo_i_cli_finals *finals, const opevo_space *space,
                              const char *unit, opevo_text *out)
{
    const opevo_final_verdict *verdict = &finals->verdict;
    size_t order[OPEVO_I_MOST_FINALISTS + 1];

    if (finals->failure.length) {
        opevo_text_add(out, "the re-evaluation (finals) failed: ");
        opevo_text_add_visible(out, opevo_text_string(&finals->failure));
        opevo_text_add(out, "\n");
    }
    if (!finals->ran)
        return;
    opevo_text_printf(
        out,
        "re-evaluation (finals) of the best %zu, side by side in %llu rounds (estimated; 95 %% "
        "confidence):\n",
        finals->count - (verdict->library < finals->count), (unsigned long long)finals->rounds);
    order_by_rank(finals, order);
    for (size_t i = 0; i < finals->count; i++)
        print_finalist(finals, order[i], space, unit, out);
    if (verdict->rival < finals->count) {
        opevo_text_printf(out, "%s: time of the next divided by that of the winner %.4f",
                          verdict->faster ? "the winner is faster" : "not distinguishable",
                          verdict->ratio);
        print_interval(verdict->ratio_low, verdict->ratio_high, out);
        opevo_text_printf(out, ", p = %.2g\n", verdict->probability);
    }
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
    if (one->point == OPEVO_LIVE_LIBRARY) {
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
                              opevo_text *out)
{
    double low = 0;
    double high = 0;

    opevo_json_next(out, " ");
    opevo_text_add(out, "{");
    if (one->rank > 0) {
        opevo_json_index(out, "rank", one->rank);
        opevo_json_index(out, "won", one->won);
    }
    add_json_configuration(one, space, out);
    bounds_of(one, unit, &low, &high);
    opevo_json_double(out, "fitness", one->median);
    opevo_json_double(out, "result", opevo_unit_result(unit, one->median));
    opevo_json_double(out, "low", low);
    opevo_json_double(out, "high", high);
    opevo_text_add(out, "}");
}

void opevo_i_cli_finals_print_json(const opevo_i_cli_finals *finals, const opevo_space *space,
                                   const char *unit, opevo_text *out)
{
    const opevo_final_verdict *verdict = &finals->verdict;
    bool dropped = finals->interrupted || finals->failure.length;
    size_t order[OPEVO_I_MOST_FINALISTS + 1];

    if (!finals->ran && !dropped)
        return;
    opevo_json_key(out, "finals");
    if (dropped) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_string(out, "verdict", verdict->faster ? "faster" : "not distinguishable");
    opevo_json_double(out, "p", verdict->probability);
    opevo_json_double(out, "ratio", verdict->ratio);
    opevo_json_double(out, "ratio_low", verdict->ratio_low);
    opevo_json_double(out, "ratio_high", verdict->ratio_high);
    opevo_json_index(out, "rounds", finals->rounds);
    opevo_json_index(out, "winner", 0);
    if (verdict->rival < finals->count)
        opevo_json_index(out, "next", 1);
    if (verdict->library < finals->count) {
        opevo_json_string(out, "library", opevo_text_string(&finals->library));
        opevo_json_double(out, "library_ratio", verdict->library_ratio);
        opevo_json_double(out, "library_ratio_low", verdict->library_low);
        opevo_json_double(out, "library_ratio_high", verdict->library_high);
    }
    opevo_json_key(out, "finalists");
    opevo_text_add(out, "[");
    order_by_rank(finals, order);
    for (size_t i = 0; i < finals->count; i++)
        add_json_finalist(&finals->finalists[order[i]], space, unit, out);
    opevo_text_add(out, "]}");
}
