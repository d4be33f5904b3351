/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Diagrams of spaces: counts, ranks, draws. A node knows the points below it, an arc those of its
 * node ahead of it; a rank is then a sum over the path, and unranking a search among the arcs of
 * each node on it. */

#include <opevo/diagram.h>

#include <opevo/memory.h>

#include "diagram_build.h"
#include "space_internal.h"

#include <assert.h>
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

/* The points of a group: as many limbs as it has, at most OPEVO_I_DIAGRAM_LIMBS_MAX; two limbs of a
 * free parameter. Returns their number. */
static size_t group_count(const opevo_i_topology_group *group, uint64_t *count)
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
    if (!count_nodes(group, limbs, limbs == 1))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to count the points of a space.");
    if (limbs == 1 || group->levels[0].node_count == 0)
        return OPEVO_OK;
    for (size_t i = 1; i < limbs; i++)
        needed = group->levels[0].counts[i] ? i + 1 : needed;
    if (!count_nodes(group, needed, true))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to count the points of a space.");
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

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compile a space.");
    self->space = space;
    self->groups = opevo_calloc(space->parameter_count, sizeof *self->groups);
    self->group_of = opevo_calloc(space->parameter_count, sizeof *self->group_of);
    self->level_of = opevo_calloc(space->parameter_count, sizeof *self->level_of);
    if (!self->groups || !self->group_of || !self->level_of) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compile a space.");
        goto cleanup;
    }
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
        size_t size = group_count(&diagram->groups[g], limbs);
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
        size_t size = group_count(&diagram->groups[g], limbs);

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
        size_t factor = group_count(&diagram->groups[g], limbs);

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

/* ---- Paths ---- */

size_t opevo_i_topology_arc_find(const opevo_i_topology_level *level, uint32_t node,
                                 uint32_t vertex)
{
    size_t low = level->starts[node], high = level->starts[node + 1];
    size_t guess = 0;

    if (low == high || vertex < level->arcs[low].first ||
        (vertex > level->arcs[high - 1].first &&
         vertex - level->arcs[high - 1].first >= level->arcs[high - 1].count))
        return SIZE_MAX;
    guess = low + (vertex - level->arcs[low].first); /* if each vertex has an arc of its own */
    if (guess < high && level->arcs[guess].first == vertex)
        return guess;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const opevo_i_topology_arc *arc = &level->arcs[middle];

        if (vertex < arc->first)
            high = middle;
        else if (vertex - arc->first < arc->count)
            return middle;
        else
            low = middle + 1;
    }
    return SIZE_MAX;
}

/* The rank of the vertices in a group; false where it does not allow them. */
static bool rank_in(const opevo_i_topology_group *group, const opevo_index *vertices,
                    uint64_t *rank)
{
    static const uint64_t one[OPEVO_I_DIAGRAM_LIMBS_MAX] = {1};
    uint32_t node = 0;

    memset(rank, 0, group->limbs * sizeof *rank);
    if (group->levels[0].node_count == 0)
        return false;
    for (size_t l = 0; l < group->depth; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        uint32_t label = opevo_i_topology_arc_label(vertices[level->parameter]);
        size_t found = opevo_i_topology_arc_find(level, node, label);
        const opevo_i_topology_arc *arc = NULL;

        if (found == SIZE_MAX)
            return false;
        arc = &level->arcs[found];
        opevo_i_topology_natural_add_times(rank, level->before + found * group->limbs, 1,
                                           group->limbs);
        opevo_i_topology_natural_add_times(
            rank, l + 1 < group->depth ? level[1].counts + arc->node * group->limbs : one,
            label - arc->first, group->limbs);
        node = arc->node;
    }
    return true;
}

/* The last arc of a node with at most `rank` points ahead of it. */
static size_t find_ahead(const opevo_i_topology_level *level, uint32_t node, const uint64_t *rank,
                         size_t limbs)
{
    size_t low = level->starts[node], high = level->starts[node + 1];

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (opevo_i_topology_natural_compare(level->before + middle * limbs, rank, limbs) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How often `by` goes into `rank`, at most `most` times; the rest stays in `rank`. */
static uint32_t divide(uint64_t *rank, const uint64_t *by, uint32_t most, size_t limbs)
{
    uint64_t product[OPEVO_I_DIAGRAM_LIMBS_MAX];
    uint32_t low = 0, high = most;

    if (limbs == 1) {
        low = (uint32_t)(rank[0] / by[0]);
        rank[0] -= low * by[0];
        return low;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        memset(product, 0, limbs * sizeof *product);
        if (opevo_i_topology_natural_add_times(product, by, middle, limbs) == 0 &&
            opevo_i_topology_natural_compare(product, rank, limbs) <= 0)
            low = middle;
        else
            high = middle;
    }
    memset(product, 0, limbs * sizeof *product);
    opevo_i_topology_natural_add_times(product, by, low, limbs);
    opevo_i_topology_natural_subtract(rank, product, limbs);
    return low;
}

/* The vertices of a rank, which is lost. */
static void unrank_in(const opevo_i_topology_group *group, uint64_t *rank, opevo_index *vertices)
{
    static const uint64_t one[OPEVO_I_DIAGRAM_LIMBS_MAX] = {1};
    uint32_t node = 0;

    for (size_t l = 0; l < group->depth; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        size_t found = find_ahead(level, node, rank, group->limbs);
        const opevo_i_topology_arc *arc = &level->arcs[found];

        opevo_i_topology_natural_subtract(rank, level->before + found * group->limbs, group->limbs);
        vertices[level->parameter] = OPEVO_INACTIVE;
        if (arc->first != OPEVO_I_ARC_INACTIVE)
            vertices[level->parameter] =
                (opevo_index)arc->first +
                divide(rank,
                       l + 1 < group->depth ? level[1].counts + arc->node * group->limbs : one,
                       arc->count, group->limbs);
        node = arc->node;
    }
}

/* Two limbs as one number. */
static opevo_index index_of(const uint64_t *limbs, size_t size)
{
    return limbs[0] | (size > 1 ? (opevo_index)limbs[1] << 64 : 0);
}

bool opevo_diagram_rank(const opevo_diagram *diagram, const opevo_index *vertices,
                        opevo_index *rank)
{
    opevo_index sum = 0;

    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint64_t limbs[OPEVO_I_DIAGRAM_LIMBS_MAX], count[OPEVO_I_DIAGRAM_LIMBS_MAX];
        size_t size = group_count(group, count);

        if (group->depth && !rank_in(group, vertices, limbs))
            return false;
        sum = sum * index_of(count, size) +
              (group->depth ? index_of(limbs, size) : vertices[group->free_parameter]);
    }
    *rank = sum;
    return true;
}

void opevo_diagram_unrank(const opevo_diagram *diagram, opevo_index rank, opevo_index *vertices)
{
    for (size_t g = diagram->group_count; g-- > 0;) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint64_t limbs[OPEVO_I_DIAGRAM_LIMBS_MAX] = {0};
        size_t size = group_count(group, limbs);
        opevo_index count = index_of(limbs, size), own = 0;

        assert(count > 0); /* otherwise no rank is below the number of points */
        own = rank % count;
        rank /= count;
        limbs[0] = (uint64_t)own;
        if (size > 1)
            limbs[1] = (uint64_t)(own >> 64);
        if (group->depth)
            unrank_in(group, limbs, vertices);
        else
            vertices[group->free_parameter] = own;
    }
}

opevo_index opevo_diagram_point(const opevo_diagram *diagram, opevo_index rank)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    opevo_diagram_unrank(diagram, rank, vertices);
    return opevo_space_encode(diagram->space, vertices);
}

/* A uniform number below `count`, which is not 0: as many bits as it has, until they are below. */
static void draw_below(const uint64_t *count, size_t size, opevo_diagram_random random,
                       void *context, uint64_t *out)
{
    uint64_t mask = 0;

    memset(out, 0, size * sizeof *out);
    while (size > 1 && count[size - 1] == 0)
        size--;
    mask = ~UINT64_C(0) >> __builtin_clzll(count[size - 1]);
    do {
        for (size_t i = 0; i < size; i++)
            out[i] = random(context);
        out[size - 1] &= mask;
    } while (opevo_i_topology_natural_compare(out, count, size) >= 0);
}

/* The same for a count of one limb. */
static uint64_t draw_below_small(uint64_t count, opevo_diagram_random random, void *context)
{
    uint64_t mask = ~UINT64_C(0) >> __builtin_clzll(count), drawn = 0;

    do
        drawn = random(context) & mask;
    while (drawn >= count);
    return drawn;
}

void opevo_diagram_draw(const opevo_diagram *diagram, opevo_diagram_random random, void *context,
                        opevo_index *vertices)
{
    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint64_t count[OPEVO_I_DIAGRAM_LIMBS_MAX], rank[OPEVO_I_DIAGRAM_LIMBS_MAX];
        size_t size = 0;

        if (group->depth == 0 && group->free_size <= UINT64_MAX) {
            vertices[group->free_parameter] =
                draw_below_small((uint64_t)group->free_size, random, context);
            continue;
        }
        size = group_count(group, count);
        draw_below(count, size, random, context, rank);
        if (group->depth)
            unrank_in(group, rank, vertices);
        else
            vertices[group->free_parameter] = index_of(rank, size);
    }
}

opevo_index opevo_diagram_draw_point(const opevo_diagram *diagram, opevo_diagram_random random,
                                     void *context)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    opevo_diagram_draw(diagram, random, context, vertices);
    return opevo_space_encode(diagram->space, vertices);
}
