/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations made, shared and released, and what is asked of their tensors. */

#include "computation_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <stdatomic.h>
#include <string.h>

/* What is handed out is the first member of what is kept, which lies in its own arena. */
typedef struct kept {
    opevo_computation super;
    opevo_i_comp_arena arena;
    atomic_uint owners;
} kept;

static kept *kept_of(const opevo_computation *computation)
{
    return (kept *)(uintptr_t)computation;
}

opevo_computation *opevo_i_comp_create(opevo_i_comp_arena *arena,
                                       const opevo_tensor *const *tensors, int count)
{
    kept *self = opevo_i_comp_arena_take(arena, sizeof *self);

    if (!self)
        return NULL;
    self->super = (opevo_computation){.tensors = count, .tensor = tensors};
    self->arena = *arena;
    atomic_init(&self->owners, 1);
    *arena = (opevo_i_comp_arena){0};
    return &self->super;
}

opevo_status opevo_i_comp_name(opevo_computation *computation, const opevo_text *name,
                               opevo_error *err)
{
    kept *self = kept_of(computation);

    if (!name->failed)
        computation->name =
            opevo_i_comp_arena_copy(&self->arena, opevo_text_string(name), name->length + 1);
    return computation->name ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a name.");
}

opevo_computation *opevo_computation_share(const opevo_computation *computation)
{
    kept *self = kept_of(computation);

    atomic_fetch_add(&self->owners, 1);
    return &self->super;
}

void opevo_computation_destroy(opevo_computation *computation)
{
    opevo_i_comp_arena arena = {0};

    if (!computation || atomic_fetch_sub(&kept_of(computation)->owners, 1) > 1)
        return;
    arena = kept_of(computation)->arena;
    opevo_i_comp_arena_free(&arena);
}

/* ---- Tensors ---- */

const opevo_tensor *opevo_computation_find(const opevo_computation *computation, const char *name)
{
    for (int i = 0; i < computation->tensors; i++) {
        if (strcmp(computation->tensor[i]->name, name) == 0)
            return computation->tensor[i];
    }
    return NULL;
}

int64_t opevo_tensor_elements(const opevo_tensor *tensor)
{
    int64_t elements = 1;

    for (int d = 0; d < tensor->dims; d++)
        elements *= tensor->extent[d];
    return elements;
}

uint64_t opevo_computation_signature(const opevo_computation *computation)
{
    opevo_text text = {0};
    uint64_t signature = 0;

    opevo_computation_print(computation, "\n", &text);
    if (!text.failed)
        signature = opevo_hash_bytes(OPEVO_HASH_START, opevo_text_string(&text), text.length);
    opevo_text_free(&text);
    return signature;
}

/* ---- Walks ---- */

static void walk_condition(const opevo_condition *condition, opevo_i_comp_read_function each,
                           void *context)
{
    if (condition->left) {
        walk_condition(condition->left, each, context);
        walk_condition(condition->right, each, context);
    } else if (condition->x) {
        opevo_i_comp_walk_reads(condition->x, each, context);
        opevo_i_comp_walk_reads(condition->y, each, context);
    }
}

void opevo_i_comp_walk_reads(const opevo_expression *expression, opevo_i_comp_read_function each,
                             void *context)
{
    if (expression->kind == OPEVO_EXPR_READ)
        each(context, expression);
    if (expression->condition)
        walk_condition(expression->condition, each, context);
    if (expression->left)
        opevo_i_comp_walk_reads(expression->left, each, context);
    if (expression->right)
        opevo_i_comp_walk_reads(expression->right, each, context);
}
