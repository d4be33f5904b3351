/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The least mean regret on few workloads, exactly, whatever the number of configurations: a
 * portfolio divides the workloads into as many parts as it has configurations, each part served by
 * the configuration with the least sum of regrets there. That of every set of workloads is found
 * first, then the best division of every set into 1, 2, ... parts. */

#include "portfolio_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum { WORKLOADS_MOST = 13 };
/* A division that gains less does not count: both parts have the same configuration. */
#define ROUNDING (OPEVO_I_PORTFOLIO_CLOSE / 16)
#define SUMS_MOST ((double)(UINT64_C(1) << 31))

typedef struct part {
    double sum;    /* the least, of the configurations or of the divisions */
    size_t column; /* that has it, of a set that is not divided */
    uint32_t last; /* the last part of a division */
} part;

bool opevo_i_portfolio_is_of_few(const opevo_i_portfolio_search *search)
{
    return search->workloads <= WORKLOADS_MOST &&
           ldexp((double)search->columns, (int)search->workloads) <= SUMS_MOST;
}

/* The sum of a column over every set, each from the one without its last member. */
static void take_column(const opevo_i_portfolio_search *search, size_t column, double *sums,
                        part *best)
{
    uint32_t sets = (uint32_t)1 << search->workloads;

    for (uint32_t set = 1; set < sets; set++) {
        size_t w = (size_t)__builtin_ctz(set);

        sums[set] = sums[set & (set - 1)] +
                    search->weights[w] * search->regret[w * search->columns + column];
        if (sums[set] < best[set].sum) {
            best[set].sum = sums[set];
            best[set].column = column;
        }
    }
}

/* From divisions into one part less, and what one part has. A set without the first of its members
 * in the last part is the same division in another order. */
static void divide(const part *one, const part *less, part *more, uint32_t sets)
{
    for (uint32_t set = 1; set < sets; set++) {
        uint32_t first = set & -set;

        more[set] = less[set];
        for (uint32_t rest = set ^ first, some = rest;; some = (some - 1) & rest) {
            uint32_t last = some | first;
            double sum = one[last].sum + (set == last ? 0 : less[set ^ last].sum);

            if (sum < more[set].sum - ROUNDING) {
                more[set].sum = sum;
                more[set].last = last;
            }
            if (some == 0)
                break;
        }
    }
}

/* The columns of the parts of the best division. */
static void take_division(opevo_i_portfolio_search *search, const part *levels, size_t count,
                          uint32_t sets)
{
    uint32_t left = sets - 1;

    search->count = 0;
    for (size_t level = count; left; level--) {
        const part *at = &levels[(level - 1) * sets + left];
        bool whole = level == 1;

        while (!whole && at->sum == levels[(level - 2) * sets + left].sum) {
            level--; /* one part less does as well */
            at = &levels[(level - 1) * sets + left];
            whole = level == 1;
        }
        search->chosen[search->count++] = levels[whole ? left : at->last].column;
        left = whole ? 0 : left ^ at->last;
    }
}

opevo_status opevo_i_portfolio_mean_of_few(opevo_i_portfolio_search *search, bool *done,
                                           opevo_error *err)
{
    uint32_t sets = (uint32_t)1 << search->workloads;
    size_t count = search->most < search->workloads ? search->most : search->workloads;
    double *sums = opevo_calloc(sets, sizeof *sums);
    part *levels = opevo_malloc(count, sets * sizeof *levels);
    opevo_status status = OPEVO_OK;

    *done = false;
    OPEVO_NEED(sums && levels, "portfolios of %zu configurations", search->columns);
    for (uint32_t set = 0; set < sets; set++)
        levels[set] = (part){.sum = set ? (double)INFINITY : 0};
    for (size_t c = 0; c < search->columns; c++) {
        if (opevo_i_portfolio_is_over(search))
            goto cleanup;
        take_column(search, c, sums, levels);
    }
    for (size_t k = 1; k < count; k++) {
        levels[k * sets] = levels[0];
        divide(levels, levels + (k - 1) * sets, levels + k * sets, sets);
    }
    take_division(search, levels, count, sets);
    search->value = levels[(count - 1) * sets + sets - 1].sum;
    search->bound = search->value;
    *done = true;
cleanup:
    opevo_free(sums);
    opevo_free(levels);
    return status;
}
