/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which worker may measure what. A host in trouble must decide no trial and end no run while
 * another is sound: a job that a worker was lost with, or its host failed with, goes to others
 * first, and a worker of which that is true again and again is left alone for a while. */

#include "pool_internal.h"

/* In a row. More losses than a job may cost one worker, so that the job is found out first. */
enum { LOSSES = OPEVO_I_ATTEMPTS + 1, STARTS = 3, FAULTS = 5 };

bool opevo_i_connection_is_suspended(const opevo_i_connection *member)
{
    return member->losses >= LOSSES || member->failed_starts >= STARTS;
}

bool opevo_i_pool_can_spare(const opevo_i_pool *pool, size_t member)
{
    if (pool->members[member].faults < FAULTS)
        return false;
    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_connection *other = &pool->members[i];

        if (i != member && other->state == OPEVO_I_READY && other->faults < FAULTS)
            return true;
    }
    return false;
}

static bool is_barred(const opevo_i_task *task, size_t member)
{
    unsigned count = task->attempts + task->faults;

    for (unsigned i = 0; i < count; i++) {
        if (task->barred[i] == member)
            return true;
    }
    return false;
}

bool opevo_i_pool_may_take(const opevo_i_pool *pool, const opevo_i_task *task, size_t member)
{
    if (!is_barred(task, member))
        return true;
    for (size_t i = 0; i < pool->count; i++) {
        const opevo_i_connection *other = &pool->members[i];

        if (other->state != OPEVO_I_DOWN && !other->failed_starts && !is_barred(task, i))
            return false;
    }
    return true;
}

void opevo_i_pool_choose_lead(opevo_i_pool *pool)
{
    pool->lead = 0;
    for (size_t i = pool->count; i-- > 0;) {
        const opevo_i_connection *member = &pool->members[i];

        if (member->state == OPEVO_I_READY && !member->losses && !member->faults)
            pool->lead = i;
    }
}

void opevo_i_pool_pass_lead(opevo_i_pool *pool)
{
    pool->lead = (pool->lead + 1) % pool->count;
}
