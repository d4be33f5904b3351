/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `analyze` and `report` say first, in the same words: who is best, and the ranking. */

#include "analyze_internal.h"
#include "terminal_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include <math.h>
#include <stdlib.h>

enum { MOST_NAMES = 4 };

const char opevo_i_cli_random_name[] = "random search";
const char *const opevo_i_cli_ranking_heads[OPEVO_I_RANKING_COLUMNS] = {
    "<contender", "mean", "worst", "within 5 %", "score", "runs", "<against the first"};

const char *opevo_i_cli_fraction_of(const opevo_study_place *place)
{
    return place->optimum_known ? "optimum" : "best of all runs";
}

bool opevo_i_cli_verdict_of(const opevo_study_analysis *analysis, size_t landscape, size_t a,
                            size_t b, opevo_verdict *out)
{
    for (size_t i = 0; i < analysis->pair_count; i++) {
        const opevo_study_pair *pair = &analysis->pairs[i];
        bool turned = pair->a == b && pair->b == a;

        if (pair->landscape != landscape || !(turned || (pair->a == a && pair->b == b)))
            continue;
        *out = turned ? (opevo_verdict)-pair->verdict : pair->verdict;
        return pair->test.pairs > 0;
    }
    return false;
}

const opevo_study_point *opevo_i_cli_compared_point(const opevo_study_place *place,
                                                    const opevo_study_cell *cell)
{
    size_t i = 0;

    while (i + 1 < place->grid_count && place->grid[i] < place->compared_at)
        i++;
    return &cell->points[i];
}

/* ---- The ranking ---- */

typedef struct ranked {
    double mean; /* or what else is best when it is great; -1 where there is none */
    size_t contender;
} ranked;

static int best_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->mean != y->mean)
        return x->mean < y->mean ? 1 : -1;
    return (x->contender > y->contender) - (x->contender < y->contender);
}

opevo_status opevo_i_cli_ranking_make(const opevo_study_analysis *analysis, size_t landscape,
                                      size_t **out, size_t *count, opevo_error *err)
{
    size_t contenders = analysis->study.contender_count;
    ranked *rows = opevo_malloc(contenders, sizeof *rows);
    size_t *order = opevo_malloc(contenders, sizeof *order);

    if (!rows || !order) {
        opevo_free(rows);
        opevo_free(order);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a ranking.");
    }
    *count = 0;
    for (size_t i = 0; i < contenders; i++) {
        const opevo_study_cell *cell = opevo_study_cell_of(analysis, landscape, i);
        double mean = cell->runs
                          ? opevo_i_cli_compared_point(&analysis->places[landscape], cell)->mean
                          : (double)NAN;

        if (cell->runs)
            rows[(*count)++] = (ranked){isnan(mean) ? -1 : mean, i};
    }
    qsort(rows, *count, sizeof *rows, best_first);
    for (size_t i = 0; i < *count; i++)
        order[i] = rows[i].contender;
    opevo_free(rows);
    *out = order;
    return OPEVO_OK;
}

const char *opevo_i_cli_ranking_verdict(const opevo_study_analysis *analysis, size_t landscape,
                                        const size_t *order, size_t count, size_t contender)
{
    opevo_verdict verdict = OPEVO_VERDICT_UNRESOLVED;

    if (contender == order[0])
        return count > 1 ? "highest mean" : "";
    return opevo_i_cli_verdict_of(analysis, landscape, contender, order[0], &verdict)
               ? opevo_verdict_name(verdict)
               : "not compared";
}

/* ---- In short ---- */

/* "A, B, C, D and 5 more"; names come one by one. */
typedef struct name_list {
    opevo_text text;
    size_t count;
} name_list;

static void add_name(name_list *list, const char *name)
{
    if (list->count++ < MOST_NAMES)
        opevo_text_printf(&list->text, "%s%s", list->count > 1 ? ", " : "", name);
}

static void end_names(name_list *list, opevo_text *out)
{
    opevo_text_add(out, opevo_text_string(&list->text));
    if (list->count > MOST_NAMES)
        opevo_text_printf(out, " and %zu more", list->count - MOST_NAMES);
    out->failed = out->failed || list->text.failed;
    opevo_text_free(&list->text);
}

/* " Better than 3 of 5; not resolved against A." */
static void add_compared(const opevo_study_analysis *analysis, size_t landscape,
                         const size_t *order, size_t count, opevo_text *out)
{
    name_list open = {.count = 0};
    size_t beaten = 0;

    for (size_t i = 1; i < count; i++) {
        opevo_verdict verdict = OPEVO_VERDICT_UNRESOLVED;

        if (!opevo_i_cli_verdict_of(analysis, landscape, order[0], order[i], &verdict))
            continue;
        beaten += verdict == OPEVO_VERDICT_BETTER;
        if (verdict == OPEVO_VERDICT_UNRESOLVED)
            add_name(&open, analysis->study.contenders[order[i]]);
    }
    opevo_text_printf(out, " Better than %zu of %zu%s", beaten, count - 1,
                      open.count ? "; not resolved against " : "");
    end_names(&open, out);
    opevo_text_add(out, ".");
}

static void say_place(const opevo_study_analysis *analysis, size_t landscape, const size_t *order,
                      size_t count, opevo_i_cli_short *out)
{
    const opevo_study_place *place = &analysis->places[landscape];
    const opevo_study_cell *best = opevo_study_cell_of(analysis, landscape, order[0]);
    const opevo_study_point *point = opevo_i_cli_compared_point(place, best);

    opevo_text_add(&out->where, analysis->study.landscapes[landscape].name);
    opevo_text_add(&out->who, analysis->study.contenders[order[0]]);
    opevo_text_printf(&out->rest, "has the %s %.3f", count > 1 ? "highest mean," : "mean",
                      point->mean);
    if (isfinite(point->interval.low))
        opevo_text_printf(&out->rest, " (%.3f to %.3f)", point->interval.low, point->interval.high);
    opevo_text_printf(&out->rest, " of the %s after ", opevo_i_cli_fraction_of(place));
    opevo_i_cli_text_add_grouped(&out->rest, place->compared_at);
    opevo_text_printf(&out->rest, " trial%s%s.", place->compared_at == 1 ? "" : "s",
                      point->runs == 1 ? ", from one run" : "");
    if (count > 1)
        add_compared(analysis, landscape, order, count, &out->rest);
    if (place->exact_random)
        opevo_text_printf(&out->rest, " The mean of %s is %.3f (exact).", opevo_i_cli_random_name,
                          opevo_i_cli_compared_point(place, &place->random)->mean);
}

opevo_status opevo_i_cli_short_place(const opevo_study_analysis *analysis, size_t landscape,
                                     opevo_i_cli_short *out, opevo_error *err)
{
    size_t *order = NULL;
    size_t count = 0;
    opevo_status status = opevo_i_cli_ranking_make(analysis, landscape, &order, &count, err);

    if (status == OPEVO_OK && count > 0 && analysis->places[landscape].optimum > 0)
        say_place(analysis, landscape, order, count, out);
    opevo_free(order);
    return status;
}

static void say_overall(const opevo_study_analysis *analysis, const ranked *rows,
                        opevo_i_cli_short *out)
{
    const opevo_study_overall *overall = &analysis->overall;
    const opevo_analysed_study *study = &analysis->study;
    double best = overall->mean_rank[rows[0].contender];
    name_list open = {.count = 0};

    opevo_text_printf(&out->where, "over %zu landscapes", overall->blocks);
    opevo_text_add(&out->who, study->contenders[rows[0].contender]);
    for (size_t i = 1; i < study->contender_count; i++)
        if (overall->mean_rank[rows[i].contender] < best + overall->critical_difference)
            add_name(&open, study->contenders[rows[i].contender]);
    opevo_text_printf(&out->rest, "has the best mean rank, %.2f of %zu; by ranks alone %s", best,
                      study->contender_count,
                      open.count ? "not resolved against " : "better than all others");
    end_names(&open, &out->rest);
    opevo_text_add(&out->rest, ".");
    if (overall->all_failed)
        opevo_text_printf(&out->rest, " Excluded: %zu landscape%s on which no trial succeeded.",
                          overall->all_failed, overall->all_failed == 1 ? "" : "s");
}

opevo_status opevo_i_cli_short_overall(const opevo_study_analysis *analysis, opevo_i_cli_short *out,
                                       opevo_error *err)
{
    size_t count = analysis->study.contender_count;
    ranked *rows = NULL;

    if (analysis->overall.blocks < 2 || count < 2)
        return OPEVO_OK;
    rows = opevo_malloc(count, sizeof *rows);
    OPEVO_NEED_OR_RETURN(rows, "a ranking");
    for (size_t i = 0; i < count; i++)
        rows[i] = (ranked){-analysis->overall.mean_rank[i], i};
    qsort(rows, count, sizeof *rows, best_first);
    say_overall(analysis, rows, out);
    opevo_free(rows);
    return OPEVO_OK;
}

void opevo_i_cli_short_free(opevo_i_cli_short *self)
{
    opevo_text_free(&self->where);
    opevo_text_free(&self->who);
    opevo_text_free(&self->rest);
}
