/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makers of sketches, made once for all that ask for the same. */

#include <opevo/sketch.h>

#include <opevo/memory.h>

/* Kernels carry the names of their computation: computations that differ in names are different
 * entries. */
typedef struct entry {
    uint64_t signature;
    opevo_sketch_target target;
    opevo_computation *computation;
    opevo_kernel_maker *maker; /* NULL: it exceeds a limit */
    opevo_error limit;
} entry;

struct opevo_sketch_store {
    entry *item;
    size_t count, capacity;
};

opevo_status opevo_sketch_store_create(opevo_sketch_store **out, opevo_error *err)
{
    opevo_sketch_store *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "sketches");
    *out = self;
    return OPEVO_OK;
}

void opevo_sketch_store_destroy(opevo_sketch_store *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        if (self->item[i].maker)
            self->item[i].maker->ops->destroy(self->item[i].maker);
        opevo_computation_destroy(self->item[i].computation);
    }
    opevo_free(self->item);
    opevo_free(self);
}

static bool is_entry_of(const entry *one, uint64_t signature, const opevo_computation *computation,
                        const opevo_sketch_target *target)
{
    return one->signature == signature && one->target.dialect == target->dialect &&
           one->target.cores == target->cores && one->target.threads == target->threads &&
           one->target.ansor == target->ansor &&
           opevo_computation_same(one->computation, computation);
}

/* A maker of its own. */
static opevo_status open_alone(const opevo_computation *computation,
                               const opevo_sketch_target *target, opevo_kernel_maker **out,
                               opevo_error *err)
{
    opevo_computation *owned = opevo_computation_share(computation);
    opevo_status status = opevo_sketches_open(owned, target, out, err);

    if (status != OPEVO_OK)
        opevo_computation_destroy(owned);
    return status;
}

static opevo_status add_entry(opevo_sketch_store *self, uint64_t signature,
                              const opevo_computation *computation,
                              const opevo_sketch_target *target, opevo_error *err)
{
    entry one = {.signature = signature, .target = *target};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&self->item, &self->capacity, self->count + 1, sizeof one),
        "sketches");
    status = open_alone(computation, target, &one.maker, &one.limit);
    if (status != OPEVO_OK && status != OPEVO_LIMIT)
        return OPEVO_FAIL(err, status, "%s", one.limit.message);
    one.computation = opevo_computation_share(computation);
    self->item[self->count++] = one;
    return OPEVO_OK;
}

opevo_status opevo_sketch_store_open(opevo_sketch_store *self, const opevo_computation *computation,
                                     const opevo_sketch_target *target, opevo_kernel_maker **out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t signature = 0;
    size_t at = 0;

    if (!self)
        return open_alone(computation, target, out, err);
    signature = opevo_computation_signature(computation);
    while (at < self->count && !is_entry_of(&self->item[at], signature, computation, target))
        at++;
    if (at == self->count)
        OPEVO_TRY(add_entry(self, signature, computation, target, err));
    if (!self->item[at].maker)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_LIMIT, "%s", self->item[at].limit.message));
    *out = opevo_sketches_share(self->item[at].maker);
cleanup:
    return status;
}
