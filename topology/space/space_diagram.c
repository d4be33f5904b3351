/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The diagram that a space keeps, and where draws come from it. */

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include "diagram_internal.h"
#include "space_internal.h"

#include <pthread.h>

enum {
    LOOKED_AT = 4096,
    RARE = LOOKED_AT / 256 /* fewer allowed points among them make draws by rejection slow */
};

struct opevo_i_topology_compiled {
    pthread_mutex_t lock;
    bool compiled, looked; /* the results below are there */
    opevo_status status;
    opevo_error why;
    opevo_diagram *diagram;
    bool rare;
};

opevo_i_topology_compiled *opevo_i_topology_compiled_create(void)
{
    opevo_i_topology_compiled *self = opevo_calloc(1, sizeof *self);

    if (self && pthread_mutex_init(&self->lock, NULL) != 0) {
        opevo_free(self);
        return NULL;
    }
    return self;
}

void opevo_i_topology_compiled_forget(opevo_i_topology_compiled *self)
{
    opevo_diagram_destroy(self->diagram);
    self->diagram = NULL;
    self->compiled = self->looked = false;
}

void opevo_i_topology_compiled_destroy(opevo_i_topology_compiled *self)
{
    if (!self)
        return;
    opevo_i_topology_compiled_forget(self);
    pthread_mutex_destroy(&self->lock);
    opevo_free(self);
}

opevo_status opevo_space_diagram(const opevo_space *space, const opevo_diagram **out,
                                 opevo_error *err)
{
    opevo_i_topology_compiled *self = space->compiled;
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&self->lock);
    if (!self->compiled) {
        self->status = opevo_diagram_create(space, NULL, &self->diagram, &self->why);
        self->compiled = self->status != OPEVO_NOMEM;
    }
    status = self->status;
    pthread_mutex_unlock(&self->lock);
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s", self->why.message);
    *out = self->diagram;
    return OPEVO_OK;
}

const opevo_diagram *opevo_space_all(const opevo_space *space)
{
    return space->all;
}

/* Whether few of fixed pseudo-random points are allowed, of a space whose points are many. */
static bool is_rare(const opevo_space *space)
{
    int allowed = 0;

    for (uint64_t i = 0; i < LOOKED_AT && allowed < RARE; i++) {
        opevo_index random =
            (opevo_index)opevo_hash_mix(2 * i + 1) << 64 | opevo_hash_mix(2 * i + 2);

        allowed += opevo_space_allows(space, random % space->size);
    }
    return allowed < RARE;
}

bool opevo_i_topology_draws_from_diagram(const opevo_space *space)
{
    opevo_i_topology_compiled *self = space->compiled;
    bool rare = false;

    if (space->known)
        return !space->ranges;
    if (!opevo_space_is_restricted(space) || space->allowed || opevo_space_is_sparse(space))
        return false;
    pthread_mutex_lock(&self->lock);
    if (!self->looked) {
        self->rare = is_rare(space);
        self->looked = true;
    }
    rare = self->rare;
    pthread_mutex_unlock(&self->lock);
    return rare;
}

const opevo_diagram *opevo_space_draws_from(const opevo_space *space)
{
    const opevo_diagram *diagram = NULL;

    if (!opevo_i_topology_draws_from_diagram(space) ||
        opevo_space_diagram(space, &diagram, NULL) != OPEVO_OK)
        return NULL;
    return opevo_i_topology_diagram_has_points(diagram) ? diagram : NULL;
}
