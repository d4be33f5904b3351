/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One-point messy crossover of edit lists: the edits of both parents are shuffled, and cut into two
 * lists. With OPEVO_CROSSOVER_SYMDIFF each child keeps the edits that both parents have, and only
 * the others are dealt. Source of the messy crossover: Liou et al., "GEVO", ACM TACO 17 (2020). */

#include "edits_internal.h"

#include <opevo/memory.h>

static bool has(const opevo_edits *edits, const opevo_i_edit *edit)
{
    for (size_t i = 0; i < edits->count; i++)
        if (edits->items[i]->hash == edit->hash)
            return true;
    return false;
}

/* Adds those edits of `from` that `other` has, or those that it lacks. */
static bool add_if(opevo_edits *to, const opevo_edits *from, const opevo_edits *other, bool common)
{
    for (size_t i = 0; i < from->count; i++)
        if (has(other, from->items[i]) == common && !opevo_i_edit_add(to, from->items[i]))
            return false;
    return true;
}

/* Adds a part of the shuffled pool, as far as a list may be long, and orders it. */
static opevo_status deal(opevo_edits *child, const opevo_edits *pool, size_t from, size_t to,
                         opevo_edit_order order, opevo_error *err)
{
    for (size_t i = from; i < to && child->count < OPEVO_EDITS_MOST; i++)
        OPEVO_NEED_OR_RETURN(opevo_i_edit_add(child, pool->items[i]), "crossing edits");
    return opevo_i_edit_settle(child, order, err);
}

opevo_status opevo_edits_cross(const opevo_edit_settings *settings, const opevo_edits *a,
                               const opevo_edits *b, opevo_rng *rng, opevo_edits **first,
                               opevo_edits **second, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_edits *children[2] = {opevo_edits_create(), opevo_edits_create()};
    opevo_edits *pool = opevo_edits_create();
    bool symdiff = settings->crossover == OPEVO_CROSSOVER_SYMDIFF;
    bool ok = children[0] && children[1] && pool;
    size_t cut;

    if (ok && symdiff)
        ok = add_if(children[0], a, b, true) && add_if(children[1], a, b, true) &&
             add_if(pool, a, b, false) && add_if(pool, b, a, false);
    for (size_t i = 0; ok && !symdiff && i < a->count + b->count; i++)
        ok = opevo_i_edit_add(pool, i < a->count ? a->items[i] : b->items[i - a->count]);
    OPEVO_NEED(ok, "crossing edits");
    opevo_rng_shuffle(rng, pool->items, pool->count, sizeof(opevo_i_edit *));
    cut = (size_t)opevo_rng_below(rng, pool->count + 1);
    OPEVO_TRY(deal(children[0], pool, 0, cut, settings->order, err));
    OPEVO_TRY(deal(children[1], pool, cut, pool->count, settings->order, err));
    *first = children[0];
    children[0] = NULL; /* handed over */
    if (second) {
        *second = children[1];
        children[1] = NULL;
    }
cleanup:
    opevo_edits_destroy(children[0]);
    opevo_edits_destroy(children[1]);
    opevo_edits_destroy(pool);
    return status;
}
