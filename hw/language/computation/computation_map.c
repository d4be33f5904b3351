/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Copies of expressions, of which a caller makes the leaves. */

#include "computation_internal.h"

static const opevo_affine *map_whole(const opevo_i_comp_mapping *mapping, const opevo_affine *from)
{
    return from && mapping->whole ? mapping->whole(mapping->context, from) : from;
}

static const opevo_expression *map_operand(const opevo_i_comp_mapping *mapping,
                                           const opevo_expression *from)
{
    return from ? opevo_i_comp_map_expression(mapping, from) : NULL;
}

static const opevo_condition *map_condition(const opevo_i_comp_mapping *mapping,
                                            const opevo_condition *from)
{
    opevo_condition *made =
        from ? opevo_i_comp_arena_copy(mapping->arena, from, sizeof *made) : NULL;

    if (!made)
        return NULL;
    made->left = map_condition(mapping, from->left);
    made->right = map_condition(mapping, from->right);
    made->x = map_operand(mapping, from->x);
    made->y = map_operand(mapping, from->y);
    made->a = map_whole(mapping, from->a);
    made->b = map_whole(mapping, from->b);
    return made;
}

const opevo_expression *opevo_i_comp_map_expression(const opevo_i_comp_mapping *mapping,
                                                    const opevo_expression *from)
{
    opevo_expression *made = NULL;

    if (from->kind == OPEVO_EXPR_READ)
        return mapping->read(mapping->context, from);
    made = opevo_i_comp_arena_copy(mapping->arena, from, sizeof *made);
    if (!made)
        return NULL;
    made->index = map_whole(mapping, from->index);
    made->condition = map_condition(mapping, from->condition);
    made->left = map_operand(mapping, from->left);
    made->right = map_operand(mapping, from->right);
    if (mapping->finish && !mapping->arena->failed)
        mapping->finish(mapping->context, made);
    return made;
}
