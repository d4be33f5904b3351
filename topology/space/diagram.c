/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Diagrams of spaces: how they are made, and what they count. A node knows the points below it. */

#include <opevo/diagram.h>

#include <opevo/memory.h>

#include "diagram_build.h"
#include "space_internal.h"

#include <math.h>
#include <string.h>

enum { FREE_LIMBS = 2 };

/* ---- Creation ---- */

static void release_group(opevo_i_topology_group *group)
{
    for (size_t l = 0; group->levels && l < group->depth; l++) {
        opevo_free(group->levels[l].starts);
        opevo_free(group->levels[l].arcs);
        opevo_free(group->levels[l].counts);
        opevo_free(group->levels[l].before);
        opevo_free(group->levels[l].reach);
    }
    opevo_free(group->levels);
    *group = (opevo_i_topology_group){0};
}

size_t opevo_i_topology_group_count(const opevo_i_topology_group *group, uint64_t *count)
{
    if (group->depth == 0) {
        count[0] = (uint64_t)group->free_size;
        count[1] = (uint64_t)(group->free_size >> 64);
        return FREE_LIMBS;
    }
    if (group->levels[0].node_count == 0) {
        count[0] = 0;
        return 1;
    }
    memcpy(count, group->levels[0].counts, group->limbs * sizeof *count);
    return group->limbs;
}

void opevo_diagram_destroy(opevo_diagram *diagram)
{
    if (!diagram)
        return;
    for (size_t g = 0; g < diagram->group_count; g++)
        release_group(&diagram->groups[g]);
    opevo_free(diagram->groups);
    opevo_free(diagram->group_of);
    opevo_free(diagram->level_of);
    opevo_free(diagram);
}

/* Whether nothing is tied to the parameter. */
static bool is_free(const opevo_i_topology_compiler *compiler, size_t parameter)
{
    for (size_t i = 0; i < compiler->space->parameter_count; i++) {
        if (i != parameter && opevo_i_topology_compiler_first(compiler, i) == parameter)
            return false;
    }
    for (size_t c = 0; c < compiler->conjunct_count; c++) {
        if (compiler->conjuncts[c].parameters[0] == parameter)
            return false;
    }
    return true;
}

/* Bits that hold any count: those of the product of what each level offers. */
static size_t bits_of(const opevo_i_topology_group *group)
{
    double bits = 1;

    for (size_t l = 0; l < group->depth; l++) {
        uint64_t widest = 1;

        for (uint32_t node = 0; node < group->levels[l].node_count; node++) {
            uint64_t labels = 0;

            for (size_t k = group->levels[l].starts[node]; k < group->levels[l].starts[node + 1];
                 k++)
                labels += group->levels[l].arcs[k].count;
            widest = labels > widest ? labels : widest;
        }
        bits += ceil(log2((double)widest));
    }
    return (size_t)bits;
}

/* Counts of all nodes in so many limbs, and of what is ahead of the arcs if `before`. */
static bool count_nodes(opevo_i_topology_group *group, size_t limbs, bool before)
{
    for (size_t l = group->depth; l-- > 0;) {
        opevo_i_topology_level *level = &group->levels[l];
        static const uint64_t one[OPEVO_I_DIAGRAM_LIMBS_MAX] = {1};

        opevo_free(level->counts);
        level->counts = opevo_calloc(level->node_count * limbs, sizeof *level->counts);
        if (before)
            level->before = opevo_malloc(level->arc_count * limbs, sizeof *level->before);
        if (!level->counts || (before && !level->before))
            return false;
        for (uint32_t node = 0; node < level->node_count; node++) {
            uint64_t *sum = level->counts + node * limbs;

            for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++) {
                const opevo_i_topology_arc *arc = &level->arcs[k];

                if (before)
                    memcpy(level->before + k * limbs, sum, limbs * sizeof *sum);
                opevo_i_topology_natural_add_times(
                    sum, l + 1 < group->depth ? level[1].counts + arc->node * limbs : one,
                    arc->count, limbs);
            }
        }
    }
    group->limbs = limbs;
    return true;
}

void opevo_i_topology_reach_by(const opevo_i_topology_group *group, size_t l,
                               const opevo_i_topology_arc *arc, uint64_t *reach)
{
    size_t known = opevo_i_topology_reach(group, l), behind = 0;

    for (uint32_t i = 0; i < arc->count && reach[0] != UINT64_MAX; i++)
        reach[0] |= opevo_i_topology_arc_bit(arc->first + i);
    if (known == 1)
        return;
    behind = opevo_i_topology_reach(group, l + 1);
    for (size_t k = 1; k < known; k++)
        reach[k] |= group->levels[l + 1].reach[arc->node * behind + k - 1];
}

/* Let all nodes know of the vertices behind them; false without memory. */
static bool reach_nodes(opevo_i_topology_group *group)
{
    for (size_t l = group->depth; l-- > 0;) {
        opevo_i_topology_level *level = &group->levels[l];
        size_t known = opevo_i_topology_reach(group, l);

        level->reach = opevo_calloc(level->node_count * known, sizeof *level->reach);
        if (!level->reach)
            return false;
        for (uint32_t node = 0; node < level->node_count; node++) {
            for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++)
                opevo_i_topology_reach_by(group, l, &level->arcs[k], level->reach + node * known);
        }
    }
    return true;
}

/* Fill the counts of all nodes. Errors: LIMIT for more points than the limbs hold; NOMEM. */
static opevo_status add_up(opevo_i_topology_group *group, opevo_error *err)
{
    size_t limbs = bits_of(group) / 64 + 1, needed = 1;

    if (limbs > OPEVO_I_DIAGRAM_LIMBS_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A group of parameters may have more than 2^%d points.",
                          64 * OPEVO_I_DIAGRAM_LIMBS_MAX - 64);
    OPEVO_NEED_OR_RETURN(count_nodes(group, limbs, limbs == 1), "counting the points of a space");
    if (limbs == 1 || group->levels[0].node_count == 0)
        return OPEVO_OK;
    for (size_t i = 1; i < limbs; i++)
        needed = group->levels[0].counts[i] ? i + 1 : needed;
    OPEVO_NEED_OR_RETURN(count_nodes(group, needed, true), "counting the points of a space");
    return OPEVO_OK;
}

static opevo_status add_group(opevo_i_topology_compiler *compiler, size_t first,
                              opevo_i_topology_group *group, opevo_error *err)
{
    opevo_i_topology_plan plan = {0};
    opevo_status status = OPEVO_OK;

    if (is_free(compiler, first)) {
        group->free_parameter = first;
        group->free_size = opevo_parameter_size(compiler->space->parameters[first]);
        group->limbs = FREE_LIMBS;
        return OPEVO_OK;
    }
    OPEVO_TRY(opevo_i_topology_plan_create(compiler, first, &plan, err));
    OPEVO_TRY(opevo_i_topology_group_compile(compiler, &plan, group, err));
    OPEVO_TRY(add_up(group, err));
    if (!reach_nodes(group))
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of a space.");
cleanup:
    opevo_i_topology_plan_release(&plan);
    return status;
}

static void note_places(opevo_diagram *self)
{
    for (size_t g = 0; g < self->group_count; g++) {
        const opevo_i_topology_group *group = &self->groups[g];

        if (group->depth == 0) {
            self->group_of[group->free_parameter] = g;
            self->level_of[group->free_parameter] = SIZE_MAX;
        }
        for (size_t l = 0; l < group->depth; l++) {
            self->group_of[group->levels[l].parameter] = g;
            self->level_of[group->levels[l].parameter] = l;
        }
    }
}

opevo_status opevo_i_topology_diagram_create(const opevo_space *space, const bool *used,
                                             const opevo_diagram_limits *limits,
                                             opevo_diagram **out, opevo_error *err)
{
    opevo_diagram *self = opevo_calloc(1, sizeof *self);
    opevo_i_topology_compiler compiler = {.space = space};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "compiling a space");
    self->space = space;
    self->groups = opevo_calloc(space->parameter_count, sizeof *self->groups);
    self->group_of = opevo_calloc(space->parameter_count, sizeof *self->group_of);
    self->level_of = opevo_calloc(space->parameter_count, sizeof *self->level_of);
    OPEVO_NEED(self->groups && self->group_of && self->level_of, "compiling a space");
    OPEVO_TRY(opevo_i_topology_compiler_init(&compiler, space, used, limits, err));
    for (size_t i = 0; i < space->parameter_count; i++) {
        if (opevo_i_topology_compiler_first(&compiler, i) == i)
            OPEVO_TRY(add_group(&compiler, i, &self->groups[self->group_count++], err));
    }
    note_places(self);
    *out = self;
    self = NULL;
cleanup:
    opevo_i_topology_compiler_clear(&compiler);
    opevo_diagram_destroy(self);
    return status;
}

opevo_status opevo_diagram_create(const opevo_space *space, const opevo_diagram_limits *limits,
                                  opevo_diagram **out, opevo_error *err)
{
    return opevo_i_topology_diagram_create(space, NULL, limits, out, err);
}

bool opevo_i_topology_diagram_has_points(const opevo_diagram *diagram)
{
    for (size_t g = 0; g < diagram->group_count; g++) {
        if (diagram->groups[g].depth && diagram->groups[g].levels[0].node_count == 0)
            return false;
    }
    return true;
}

/* ---- Counts ---- */

bool opevo_diagram_count(const opevo_diagram *diagram, opevo_index *count)
{
    opevo_index product = 1;
    bool fits = true, none = false;

    for (size_t g = 0; g < diagram->group_count; g++) {
        uint64_t limbs[OPEVO_I_DIAGRAM_LIMBS_MAX];
        size_t size = opevo_i_topology_group_count(&diagram->groups[g], limbs);
        opevo_index one = limbs[0];

        if (size > 1)
            one |= (opevo_index)limbs[1] << 64;
        none |= opevo_i_topology_natural_is_zero(limbs, size);
        fits = fits && (size <= 2 || opevo_i_topology_natural_is_zero(limbs + 2, size - 2)) &&
               opevo_index_mul(product, one, &product);
    }
    if (none)
        product = 0;
    if (!fits && !none)
        return false;
    *count = product;
    return true;
}

double opevo_diagram_log2_count(const opevo_diagram *diagram)
{
    double sum = 0;

    for (size_t g = 0; g < diagram->group_count; g++) {
        uint64_t limbs[OPEVO_I_DIAGRAM_LIMBS_MAX];
        size_t size = opevo_i_topology_group_count(&diagram->groups[g], limbs);

        while (size > 1 && limbs[size - 1] == 0)
            size--;
        sum += size > 1 ? log2((double)limbs[size - 1] + (double)limbs[size - 2] * 0x1p-64) +
                              64.0 * (double)(size - 1)
                        : log2((double)limbs[0]);
    }
    return sum;
}

/* The digits of a number, which is lost. */
static void print_natural(uint64_t *limbs, size_t size, opevo_text *out)
{
    const uint64_t chunk = UINT64_C(1000000000000000000);
    size_t room = size * 20 / 18 + 2, count = 0;
    uint64_t *chunks = opevo_malloc(room, sizeof *chunks);

    if (!chunks) {
        out->failed = true;
        return;
    }
    do {
        chunks[count++] = opevo_i_topology_natural_divide(limbs, chunk, size);
    } while (!opevo_i_topology_natural_is_zero(limbs, size));
    opevo_text_printf(out, "%llu", (unsigned long long)chunks[--count]);
    while (count > 0)
        opevo_text_printf(out, "%018llu", (unsigned long long)chunks[--count]);
    opevo_free(chunks);
}

void opevo_diagram_print_count(const opevo_diagram *diagram, opevo_text *out)
{
    size_t size = 1, room = 1;
    uint64_t *product = NULL, *sum = NULL;

    for (size_t g = 0; g < diagram->group_count; g++)
        room += diagram->groups[g].limbs;
    product = opevo_calloc(room, sizeof *product);
    sum = opevo_calloc(room, sizeof *sum);
    if (!product || !sum) {
        out->failed = true;
        goto cleanup;
    }
    product[0] = 1;
    for (size_t g = 0; g < diagram->group_count; g++) {
        uint64_t limbs[OPEVO_I_DIAGRAM_LIMBS_MAX];
        size_t factor = opevo_i_topology_group_count(&diagram->groups[g], limbs);

        memset(sum, 0, room * sizeof *sum);
        for (size_t i = 0; i < factor; i++)
            opevo_i_topology_natural_add_times(sum + i, product, limbs[i], room - i);
        memcpy(product, sum, room * sizeof *sum);
        size += factor;
    }
    print_natural(product, size < room ? size : room, out);
cleanup:
    opevo_free(product);
    opevo_free(sum);
}

size_t opevo_diagram_node_count(const opevo_diagram *diagram)
{
    size_t count = 0;

    for (size_t g = 0; g < diagram->group_count; g++) {
        for (size_t l = 0; l < diagram->groups[g].depth; l++)
            count += diagram->groups[g].levels[l].node_count;
    }
    return count;
}

size_t opevo_diagram_bytes(const opevo_diagram *diagram)
{
    size_t bytes = sizeof *diagram + diagram->group_count * sizeof *diagram->groups;

    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];

        for (size_t l = 0; l < group->depth; l++)
            bytes += sizeof *group->levels +
                     group->levels[l].node_count *
                         (sizeof(size_t) +
                          (group->limbs + opevo_i_topology_reach(group, l)) * sizeof(uint64_t)) +
                     group->levels[l].arc_count *
                         (sizeof(opevo_i_topology_arc) + group->limbs * sizeof(uint64_t));
    }
    return bytes;
}
