/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Questions about a loop nest, and the pass that unrolls what auto_unroll asks for. */

#include "nest_internal.h"

#include <opevo/memory.h>

/* ---- Memory ---- */

struct opevo_i_nest_chunk {
    opevo_i_nest_chunk *before;
    max_align_t data[];
};

void *opevo_i_nest_take(opevo_i_nest *nest, size_t bytes)
{
    opevo_i_nest_chunk *chunk = opevo_calloc(1, sizeof *chunk + bytes);

    if (!chunk)
        return NULL;
    chunk->before = nest->chunks;
    nest->chunks = chunk;
    return chunk->data;
}

void opevo_i_nest_destroy(opevo_i_nest *nest)
{
    if (!nest)
        return;
    for (opevo_i_nest_node *node = nest->nodes; node;) {
        opevo_i_nest_node *before = node->made_before;

        opevo_free(node->leaf);
        opevo_free(node);
        node = before;
    }
    for (opevo_i_nest_chunk *chunk = nest->chunks; chunk;) {
        opevo_i_nest_chunk *before = chunk->before;

        opevo_free(chunk);
        chunk = before;
    }
    opevo_i_affine_atoms_free(&nest->atoms);
    opevo_free(nest);
}

/* ---- Nodes ---- */

opevo_i_nest_node *opevo_i_nest_add(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                    opevo_i_nest_node_kind kind)
{
    opevo_i_nest_node *node = opevo_calloc(1, sizeof *node);

    if (!node)
        return NULL;
    node->kind = kind;
    node->made_before = nest->nodes;
    nest->nodes = node;
    if (parent && parent->last)
        parent->last->next = node;
    else if (parent)
        parent->first = node;
    if (parent)
        parent->last = node;
    return node;
}

opevo_i_nest_node *opevo_i_nest_add_loop(opevo_i_nest *nest, opevo_i_nest_node *parent, int atom,
                                         int64_t extent, opevo_annotation annotation)
{
    opevo_i_nest_node *node = opevo_i_nest_add(nest, parent, OPEVO_I_LOOP);

    if (node) {
        node->atom = atom;
        node->extent = extent;
        node->annotation = annotation;
    }
    return node;
}

opevo_i_nest_node *opevo_i_nest_add_leaf(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                         const opevo_i_nest_leaf *leaf)
{
    opevo_i_nest_leaf *copy = opevo_malloc(1, sizeof *copy);
    opevo_i_nest_node *node = copy ? opevo_i_nest_add(nest, parent, OPEVO_I_LEAF) : NULL;

    if (!node) {
        opevo_free(copy);
        return NULL;
    }
    *copy = *leaf;
    node->leaf = copy;
    return node;
}

static bool value_uses(const opevo_i_affine_atoms *atoms, const opevo_i_nest_value *value,
                       int atom);

static bool condition_uses(const opevo_i_affine_atoms *atoms,
                           const opevo_i_nest_condition *condition, int atom)
{
    if (!condition)
        return false;
    return (condition->is_whole && opevo_i_affine_uses(atoms, &condition->whole, atom)) ||
           condition_uses(atoms, condition->left, atom) ||
           condition_uses(atoms, condition->right, atom) || value_uses(atoms, condition->x, atom) ||
           value_uses(atoms, condition->y, atom);
}

/* Factors are looked at with the leaf. */
static bool value_uses(const opevo_i_affine_atoms *atoms, const opevo_i_nest_value *value, int atom)
{
    if (!value)
        return false;
    return (value->kind == OPEVO_EXPR_WHOLE && opevo_i_affine_uses(atoms, &value->whole, atom)) ||
           condition_uses(atoms, value->condition, atom) || value_uses(atoms, value->left, atom) ||
           value_uses(atoms, value->right, atom);
}

static bool guards_use(const opevo_i_affine_atoms *atoms, const opevo_i_nest_guards *guards,
                       int atom)
{
    for (int i = 0; i < guards->count; i++) {
        if (opevo_i_affine_uses(atoms, &guards->item[i].value, atom))
            return true;
    }
    return false;
}

static bool leaf_uses(const opevo_i_affine_atoms *atoms, const opevo_i_nest_leaf *leaf, int atom)
{
    for (int i = 0; i < leaf->factors; i++) {
        if (opevo_i_affine_uses(atoms, &leaf->factor[i].address, atom))
            return true;
    }
    return value_uses(atoms, leaf->value, atom) ||
           opevo_i_affine_uses(atoms, &leaf->to.address, atom) ||
           guards_use(atoms, &leaf->keep, atom) || guards_use(atoms, &leaf->inside, atom);
}

/* TVM copies the statement for fewer virtual threads than this, and loops over more. */
enum { VTHREADS_EXPANDED = 16 };

opevo_i_nest_node *opevo_i_nest_add_vthread(opevo_i_nest *nest, opevo_i_nest_node *parent,
                                            const opevo_i_nest_leaf *leaf,
                                            const opevo_i_affine_atoms *atoms, int atom,
                                            int64_t extent)
{
    if (!leaf_uses(atoms, leaf, atom))
        return parent;
    return opevo_i_nest_add_loop(nest, parent, atom, extent,
                                 extent < VTHREADS_EXPANDED ? OPEVO_ANNOTATION_EXPAND
                                                            : OPEVO_ANNOTATION_SERIAL);
}

/* ---- Launches ---- */

opevo_i_nest_launch *opevo_i_nest_add_launch(opevo_i_nest *nest, const opevo_i_nest_node *body)
{
    opevo_i_nest_launch *launch = &nest->launch[nest->launches++];

    launch->body = body;
    for (int a = 0; a < OPEVO_ANNOTATION_COUNT; a++) {
        launch->bound[a] = -1;
        launch->bound_extent[a] = 1;
    }
    return launch;
}

/* ---- Guards ---- */

static int64_t rounded_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* The same guard, as compilers see most in it: least <= e / d < limit is one on e, and one on a
 * multiple of e another on e. */
static opevo_i_nest_guard simplified(const opevo_i_affine_atoms *atoms, opevo_i_nest_guard one)
{
    for (int i = one.value.count - 1; i >= 0; i--) {
        opevo_i_affine term = opevo_i_affine_of_atom(one.value.term[i].atom);

        if (opevo_i_affine_most(atoms, &term) == 0)
            one.value = opevo_i_affine_add(atoms, one.value, -one.value.term[i].factor, &term);
    }
    while (one.value.count == 1 && one.value.term[0].factor > 0) {
        const opevo_i_affine_atom *atom = &atoms->item[one.value.term[0].atom];
        int64_t factor = one.value.term[0].factor;

        one.least = rounded_up(one.least - one.value.constant, factor);
        one.limit = rounded_up(one.limit - one.value.constant, factor);
        one.value = opevo_i_affine_of_atom(one.value.term[0].atom);
        if (atom->is_loop || !atom->divisor || atom->modulus)
            break;
        one = (opevo_i_nest_guard){atom->inner, one.least * atom->divisor,
                                   one.limit * atom->divisor, one.omits};
    }
    return one;
}

bool opevo_i_nest_guards_add(const opevo_i_affine_atoms *atoms, opevo_i_nest_guards *guards,
                             const opevo_i_affine *value, int64_t least, int64_t limit)
{
    if (opevo_i_affine_least(atoms, value) >= least && opevo_i_affine_most(atoms, value) < limit)
        return true;
    if (guards->count == OPEVO_I_GUARDS)
        return false;
    guards->item[guards->count++] =
        simplified(atoms, (opevo_i_nest_guard){*value, least, limit, false});
    return true;
}

/* ---- Questions ---- */

bool opevo_i_nest_node_has_sync(const opevo_i_nest_node *node)
{
    if (node->kind == OPEVO_I_SYNC)
        return true;
    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        if (opevo_i_nest_node_has_sync(one))
            return true;
    }
    return node->otherwise && opevo_i_nest_node_has_sync(node->otherwise);
}

bool opevo_i_nest_node_binds_inside(const opevo_i_affine_atoms *atoms,
                                    const opevo_i_nest_node *node, const opevo_i_affine *a)
{
    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        if (opevo_i_nest_node_binds(atoms, one, a))
            return true;
    }
    return node->otherwise && opevo_i_nest_node_binds(atoms, node->otherwise, a);
}

bool opevo_i_nest_node_binds(const opevo_i_affine_atoms *atoms, const opevo_i_nest_node *node,
                             const opevo_i_affine *a)
{
    return ((node->kind == OPEVO_I_LOOP || node->kind == OPEVO_I_LET) &&
            opevo_i_affine_uses(atoms, a, node->atom)) ||
           opevo_i_nest_node_binds_inside(atoms, node, a);
}

const opevo_i_nest_leaf *opevo_i_nest_node_only_leaf(const opevo_i_nest_node *node)
{
    const opevo_i_nest_node *one = node->first;

    return one && !one->next && one->kind == OPEVO_I_LEAF ? one->leaf : NULL;
}

double opevo_i_nest_node_statements(const opevo_i_nest_node *node)
{
    double count = node->kind == OPEVO_I_LEAF;
    double turns = 1;

    for (const opevo_i_nest_node *one = node->first; one; one = one->next)
        count += opevo_i_nest_node_statements(one);
    if (node->otherwise)
        count += opevo_i_nest_node_statements(node->otherwise);
    if (node->kind == OPEVO_I_LOOP && (node->annotation == OPEVO_ANNOTATION_EXPAND ||
                                       node->annotation == OPEVO_ANNOTATION_UNROLL))
        turns = (double)node->extent;
    return turns * count;
}

/* ---- TVM's pass "unroll loop" ---- */

enum { UNROLLED_DEPTH = 8 }; /* TVM's auto_unroll_max_depth */

typedef struct unrolling {
    double steps;                    /* statements after unrolling */
    int plain_depth, unrolled_depth; /* loops inside that stay, and that do not */
} unrolling;

static unrolling unroll(opevo_i_nest_node *node, int64_t limit, opevo_annotation what);

static unrolling unroll_inside(opevo_i_nest_node *node, int64_t limit, opevo_annotation what)
{
    unrolling all = {0};

    for (opevo_i_nest_node *one = node->first; one; one = one->next) {
        unrolling inner = unroll(one, limit, what);

        all.steps += inner.steps;
        if (inner.plain_depth > all.plain_depth)
            all.plain_depth = inner.plain_depth;
        if (inner.unrolled_depth > all.unrolled_depth)
            all.unrolled_depth = inner.unrolled_depth;
    }
    return all;
}

static unrolling unroll(opevo_i_nest_node *node, int64_t limit, opevo_annotation what)
{
    unrolling all = unroll_inside(node, limit, what);

    if (node->kind == OPEVO_I_LEAF)
        all.steps++;
    if (node->kind != OPEVO_I_LOOP)
        return all;
    if (node->annotation == OPEVO_ANNOTATION_EXPAND ||
        node->annotation == OPEVO_ANNOTATION_UNROLL ||
        (node->annotation == OPEVO_ANNOTATION_SERIAL && all.plain_depth == 0 &&
         all.unrolled_depth <= UNROLLED_DEPTH &&
         all.steps * (double)node->extent <= (double)limit)) {
        all.steps *= (double)node->extent;
        all.unrolled_depth++;
        if (node->annotation == OPEVO_ANNOTATION_SERIAL)
            node->annotation = what;
    } else {
        all.plain_depth++;
    }
    return all;
}

void opevo_i_nest_node_auto_unroll(opevo_i_nest_node *node, int64_t limit, opevo_annotation what)
{
    unroll(node, limit, what);
}

/* ---- Limits ---- */

static bool check(bool holds, opevo_text *why, const char *what, double is, const char *most,
                  double limit)
{
    if (!holds)
        opevo_text_printf(why, "%s %.0f, %s %.0f.", what, is, most, limit);
    return holds;
}

static bool at_most(opevo_text *why, const char *what, double is, int64_t limit)
{
    double most = limit < 0 ? 0 : (double)limit;

    return check(limit == 0 || is <= most, why, what, is, "the limit is", most);
}

static bool check_threads(const opevo_i_nest_launch *launch, const opevo_limits *limits,
                          opevo_text *why)
{
    const int64_t *extent = launch->bound_extent;
    double threads = (double)extent[OPEVO_ANNOTATION_THREAD_X] *
                     (double)extent[OPEVO_ANNOTATION_THREAD_Y] *
                     (double)extent[OPEVO_ANNOTATION_THREAD_Z];

    return at_most(why, "The threads of a block are", threads, limits->threads) &&
           at_most(why, "The threads of a block in z are",
                   (double)extent[OPEVO_ANNOTATION_THREAD_Z], limits->thread_z) &&
           at_most(why, "The blocks in x are", (double)extent[OPEVO_ANNOTATION_BLOCK_X],
                   limits->grid_x) &&
           at_most(why, "The blocks in y are", (double)extent[OPEVO_ANNOTATION_BLOCK_Y],
                   limits->grid_yz) &&
           at_most(why, "The blocks in z are", (double)extent[OPEVO_ANNOTATION_BLOCK_Z],
                   limits->grid_yz);
}

/* The memory of one launch, of all for -1. */
static bool check_memory(const opevo_i_nest *nest, int launch, const opevo_limits *limits,
                         opevo_text *why)
{
    double size[OPEVO_SCOPE_COUNT] = {0};

    for (int i = 0; i < OPEVO_I_BUFFERS; i++) {
        const opevo_i_nest_buffer *buffer = &nest->buffer[i];
        int bytes = buffer->scope == OPEVO_SCOPE_LOCAL ? 1 : opevo_element_bytes(buffer->element);

        if (launch < 0 || buffer->launch == launch)
            size[buffer->scope] += (double)buffer->size * bytes;
    }
    return at_most(why, "The bytes of shared memory are", size[OPEVO_SCOPE_SHARED],
                   limits->shared_bytes) &&
           at_most(why, "The floats of a thread in registers are", size[OPEVO_SCOPE_LOCAL],
                   limits->local_floats) &&
           at_most(why, "The bytes of packed memory are", size[OPEVO_SCOPE_PACKED],
                   limits->packed_bytes);
}

/* The widest vector loop. */
static int64_t widest(const opevo_i_nest_node *node)
{
    int64_t most = node->kind == OPEVO_I_LOOP && node->annotation == OPEVO_ANNOTATION_VECTORIZE
                       ? node->extent
                       : 1;

    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        int64_t inner = widest(one);

        if (inner > most)
            most = inner;
    }
    return most;
}

static bool has_parallel(const opevo_i_nest_node *node)
{
    bool found = node->kind == OPEVO_I_LOOP && node->annotation == OPEVO_ANNOTATION_PARALLEL;

    for (const opevo_i_nest_node *one = node->first; one && !found; one = one->next)
        found = has_parallel(one);
    return found;
}

/* What only a CPU or only a GPU has. */
static bool check_device(const opevo_i_nest *nest, opevo_kernel_dialect dialect, opevo_text *why)
{
    bool cpu = opevo_kernel_is_for_cpu(dialect);

    if (!cpu && has_parallel(nest->root)) {
        opevo_text_add(why, "A GPU has no parallel loops: bind loops to blocks and threads.");
        return false;
    }
    if (nest->packings && dialect != OPEVO_KERNEL_C) {
        opevo_text_add(why, "A layout of a constant is only supported in C.");
        return false;
    }

    for (int i = 0; i < OPEVO_I_BUFFERS; i++) {
        opevo_scope scope = nest->buffer[i].scope;

        if (nest->buffer[i].size && scope == (cpu ? OPEVO_SCOPE_SHARED : OPEVO_SCOPE_PACKED) &&
            !nest->buffer[i].whole) {
            opevo_text_printf(why, "A %s copy is not supported on a %s.", cpu ? "shared" : "packed",
                              cpu ? "CPU" : "GPU");
            return false;
        }
    }
    for (int i = 0; i < nest->launches && cpu; i++) {
        for (int a = 0; a < OPEVO_ANNOTATION_COUNT; a++) {
            if (nest->launch[i].bound[a] < 0)
                continue;
            opevo_text_add(why, "A CPU has no blocks and threads to bind loops to.");
            return false;
        }
    }
    return true;
}

static bool check_launches(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                           const opevo_limits *limits, opevo_text *why)
{
    if (opevo_kernel_is_for_cpu(dialect))
        return check_memory(nest, -1, limits, why);
    if (!at_most(why, "The kernels are", nest->launches, OPEVO_KERNEL_LAUNCHES))
        return false;
    for (int i = 0; i < nest->launches; i++) {
        if (!check_threads(&nest->launch[i], limits, why) || !check_memory(nest, i, limits, why))
            return false;
    }
    return true;
}

bool opevo_i_nest_check(const opevo_i_nest *nest, opevo_kernel_dialect dialect,
                        const opevo_limits *limits, opevo_text *why)
{
    return check_device(nest, dialect, why) && check_launches(nest, dialect, limits, why) &&
           at_most(why, "The lanes of a vector are", (double)widest(nest->root),
                   limits->vector_width) &&
           at_most(why, "The statements after unrolling are",
                   opevo_i_nest_node_statements(nest->root), limits->statements);
}

opevo_limits opevo_limits_default(opevo_kernel_dialect dialect)
{
    opevo_limits limits = {.threads = 1024,
                           .thread_z = dialect == OPEVO_KERNEL_HIP ? 1024 : 64,
                           .shared_bytes = dialect == OPEVO_KERNEL_HIP ? 65536 : 49152,
                           .static_shared_bytes = dialect == OPEVO_KERNEL_HIP ? 65536 : 49152,
                           .grid_x = INT32_MAX,
                           .grid_yz = 65535,
                           .local_floats = 65536,
                           .statements = 65536,
                           .vector_width = 4};

    if (dialect == OPEVO_KERNEL_OPENCL) {
        limits.threads = limits.thread_z = 256;
        limits.shared_bytes = limits.static_shared_bytes = 32768;
        limits.statements = 1024;
    }
    if (opevo_kernel_is_for_cpu(dialect))
        limits = (opevo_limits){.local_floats = 65536,
                                .statements = 4096,
                                .packed_bytes = OPEVO_PACKED_BYTES,
                                .vector_width = 64};
    return limits;
}

int64_t opevo_limits_packed(double tensor_bytes)
{
    return tensor_bytes > 0x1p62                       ? INT64_C(1) << 62
           : tensor_bytes > (double)OPEVO_PACKED_BYTES ? (int64_t)tensor_bytes
                                                       : OPEVO_PACKED_BYTES;
}
