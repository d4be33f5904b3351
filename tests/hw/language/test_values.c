/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Leaves with expressions: random ones in random nests compute what their plain evaluation in
 * double precision does, touch nothing else, and are valid in every dialect. */

#include "cxx_fixture.h"
#include "nest_fixture.h"

/* ---- Random nests ---- */

typedef struct maker {
    opevo_rng rng;
    opevo_i_nest *nest;
    int loops[8]; /* variables around the leaf; the last are its lanes */
    int count;
    opevo_i_nest_leaf *leaf;
    bool functions; /* exp and the like too */
} maker;

static int draw(maker *self, int below)
{
    return (int)opevo_rng_below(&self->rng, (uint64_t)below);
}

/* Small multiples of the variables around, quotients and remainders among them. */
static opevo_i_affine random_affine(maker *self)
{
    static const int lane_factors[] = {0, 1, 1, 1, 1, 2, 3};
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine sum = opevo_i_affine_constant(draw(self, 4));

    for (int i = 0; i < self->count; i++) {
        opevo_i_affine one = opevo_i_affine_of_atom(self->loops[i]);
        bool last = i + 1 == self->count;

        sum = opevo_i_affine_add(atoms, sum, last ? lane_factors[draw(self, 7)] : 5 * draw(self, 4),
                                 &one);
    }
    if (draw(self, 6) == 0)
        sum = draw(self, 2) ? opevo_i_affine_divide(atoms, &sum, 2 + draw(self, 6))
                            : opevo_i_affine_modulo(atoms, &sum, 2 + draw(self, 30));
    return sum;
}

static const opevo_i_nest_value *random_value(maker *self, int depth);

static const opevo_i_nest_condition *random_condition(maker *self, int depth)
{
    opevo_i_nest_condition *condition = opevo_i_nest_take(self->nest, sizeof *condition);
    int what = draw(self, 4);

    if (what == 0 && depth > 0) {
        condition->kind = draw(self, 3) ? OPEVO_COND_AND : OPEVO_COND_OR;
        condition->left = random_condition(self, depth - 1);
        condition->right = random_condition(self, depth - 1);
        return condition;
    }
    condition->kind = (opevo_condition_kind)(OPEVO_COND_LESS + draw(self, 4));
    if (what == 1) {
        condition->x = random_value(self, depth - 1);
        condition->y = random_value(self, depth - 1);
        return condition;
    }
    condition->is_whole = true;
    condition->whole = random_affine(self);
    condition->whole.constant -= draw(self, 24);
    return condition;
}

static const opevo_i_nest_value *random_read(maker *self)
{
    opevo_i_nest_value *value = nest_value(self->nest, OPEVO_EXPR_READ, NULL, NULL);

    value->read = draw(self, OPEVO_I_FACTORS);
    if (value->read >= self->leaf->factors) {
        value->read = self->leaf->factors++;
        self->leaf->factor[value->read] =
            (opevo_i_nest_access){draw(self, self->nest->inputs), random_affine(self)};
    }
    return value;
}

static const opevo_i_nest_value *random_value(maker *self, int depth)
{
    opevo_expression_kind kind = (opevo_expression_kind)draw(self, OPEVO_EXPR_SIGMOID + 1);
    opevo_i_nest_value *value = NULL;

    if (kind == OPEVO_EXPR_READ || depth <= 0)
        return random_read(self);
    if (kind > OPEVO_EXPR_NEGATE && !self->functions)
        kind = OPEVO_EXPR_MULTIPLY;
    value = nest_value(self->nest, kind, NULL, NULL);
    if (kind == OPEVO_EXPR_NUMBER) {
        static const double numbers[] = {0, -0.0, 1, -2.5, 0.1, 1e-60, 1e-5, INFINITY, -INFINITY};

        value->number = numbers[draw(self, 9)];
        return value;
    }
    if (kind == OPEVO_EXPR_WHOLE) {
        value->whole = random_affine(self);
        value->whole.constant -= 3;
        return value;
    }
    if (kind == OPEVO_EXPR_SELECT)
        value->condition = random_condition(self, depth - 1);
    value->left = random_value(self, depth - 1);
    if (kind < OPEVO_EXPR_NEGATE)
        value->right = random_value(self, depth - 1);
    return value;
}

static opevo_i_affine place(maker *self, int around, int64_t row, int64_t lane)
{
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine sum = opevo_i_affine_constant(0);
    const int64_t factor[] = {row, lane};

    for (int i = 0; i < 2; i++) {
        opevo_i_affine one = opevo_i_affine_of_atom(self->loops[i ? self->count - 1 : around]);

        sum = opevo_i_affine_add(atoms, sum, factor[i], &one);
    }
    return sum;
}

/* Half of them as at the edges of tensors. */
static void random_keep(maker *self)
{
    opevo_i_nest_guards *keep = &self->leaf->keep;

    keep->count = draw(self, 3) ? 0 : 1 + draw(self, 2);
    for (int i = 0; i < keep->count; i++) {
        opevo_i_affine value = random_affine(self);

        if (draw(self, 2)) {
            value = opevo_i_affine_of_atom(self->loops[self->count - 1]);
            value =
                opevo_i_affine_add(&self->nest->atoms, value, 1 + draw(self, 8),
                                   &(opevo_i_affine){.count = 1, .term = {{1, self->loops[0]}}});
        }
        keep->item[i] = (opevo_i_nest_guard){value, draw(self, 6), 6 + draw(self, 20), false};
    }
}

/* A leaf alone in a loop over lanes. */
static void add_lanes(maker *self, opevo_i_nest_node *parent, int64_t width,
                      opevo_i_nest_leaf_kind kind)
{
    opevo_i_nest_node *loop = nest_loop(self->nest, parent, width, OPEVO_ANNOTATION_VECTORIZE);

    self->loops[self->count++] = loop->atom;
    self->leaf = nest_leaf(self->nest, loop, kind);
    self->leaf->value = random_value(self, 4);
}

/* The same elements again, with the terms of a reduction. */
static void add_reduction(maker *self, opevo_i_nest_node *rows, int64_t width, int64_t gap)
{
    opevo_i_nest *nest = self->nest;
    opevo_i_nest_access to = self->leaf->to;
    opevo_i_affine lane = opevo_i_affine_of_atom(self->loops[1]);
    opevo_i_nest_node *terms = nest_loop(nest, rows, 1 + draw(self, 6), OPEVO_ANNOTATION_SERIAL);

    to.address = opevo_i_affine_add(&nest->atoms, to.address, -gap, &lane);
    self->count = 1;
    self->loops[self->count++] = terms->atom;
    add_lanes(self, terms, width, (opevo_i_nest_leaf_kind)(OPEVO_I_SUM + draw(self, 3)));
    lane = opevo_i_affine_of_atom(self->loops[self->count - 1]);
    self->leaf->to = to;
    self->leaf->to.address = opevo_i_affine_add(&nest->atoms, to.address, gap, &lane);
}

/* One output: a value for each element, or the reduction of one. */
static void add_output(maker *self, opevo_i_nest_node *parent, int output)
{
    static const int64_t widths[] = {2, 4, 8, 16, 1, 7, 12, 24};
    opevo_i_nest *nest = self->nest;
    int64_t width = widths[draw(self, 8)];
    int64_t gap = draw(self, 4) ? 1 : 2;
    opevo_i_nest_node *rows =
        nest_loop(nest, parent, 1 + draw(self, 4),
                  draw(self, 2) ? OPEVO_ANNOTATION_UNROLL : OPEVO_ANNOTATION_SERIAL);

    self->count = 1;
    self->loops[0] = rows->atom;
    add_lanes(self, rows, width, OPEVO_I_STORE);
    self->leaf->to =
        (opevo_i_nest_access){output, place(self, 0, gap * width + draw(self, 2), gap)};
    if (draw(self, 2))
        add_reduction(self, rows, width, gap);
    random_keep(self);
}

/* The same by way of accumulators, in registers where their loops are unrolled. */
static void add_accumulated(maker *self, opevo_i_nest_node *parent, int output, int local)
{
    static const int64_t widths[] = {2, 4, 8, 16, 12, 3};
    opevo_i_nest *nest = self->nest;
    int64_t width = widths[draw(self, 6)];
    int64_t tile = 1 + draw(self, 3);
    opevo_annotation what = draw(self, 4) ? OPEVO_ANNOTATION_UNROLL : OPEVO_ANNOTATION_SERIAL;
    opevo_i_nest_node *rows = nest_loop(nest, parent, 1 + draw(self, 4), OPEVO_ANNOTATION_SERIAL);
    opevo_i_nest_node *terms = NULL;
    opevo_i_nest_node *inner = NULL;

    nest->buffer[local] = (opevo_i_nest_buffer){.scope = OPEVO_SCOPE_LOCAL, .size = tile * width};
    for (int part = 0; part < 3; part++) {
        terms =
            part == 1 ? nest_loop(nest, rows, 1 + draw(self, 5), OPEVO_ANNOTATION_SERIAL) : rows;
        inner = nest_loop(nest, terms, tile, what);
        self->count = 0;
        if (part)
            self->loops[self->count++] = rows->atom;
        if (part == 1)
            self->loops[self->count++] = terms->atom;
        self->loops[self->count++] = inner->atom;
        add_lanes(self, inner, width,
                  part == 1 ? (opevo_i_nest_leaf_kind)(OPEVO_I_SUM + draw(self, 3))
                            : OPEVO_I_STORE);
        self->leaf->to = (opevo_i_nest_access){local, place(self, self->count - 2, width, 1)};
        if (part == 1 && draw(self, 2))
            random_keep(self);
        if (part < 2)
            continue;
        self->leaf->factor[0] = self->leaf->to;
        self->leaf->factors += !self->leaf->factors;
        self->leaf->to.buffer = output;
        self->leaf->to.address =
            opevo_i_affine_add(&nest->atoms, self->leaf->to.address, tile * width + draw(self, 2),
                               &(opevo_i_affine){.count = 1, .term = {{1, rows->atom}}});
        self->leaf->value = nest_value(
            nest, OPEVO_EXPR_ADD, nest_value(nest, OPEVO_EXPR_READ, NULL, NULL), self->leaf->value);
    }
}

static maker random_nest(uint64_t seed, bool functions)
{
    maker self = {.functions = functions};
    int inputs = 0;
    int outputs = 0;

    opevo_rng_init(&self.rng, seed, "nest", 0);
    inputs = 1 + draw(&self, 12);
    outputs = 1 + draw(&self, 4);
    self.nest = nest_new(inputs, outputs);
    for (int i = 0; i < outputs; i++)
        if (draw(&self, 2))
            add_output(&self, self.nest->root, inputs + i);
        else
            add_accumulated(&self, self.nest->root, inputs + i, inputs + outputs + i);
    nest_fit(self.nest);
    for (int i = 0; i < inputs && draw(&self, 2); i++)
        self.nest->buffer[i].readable = self.nest->buffer[i].size;
    return self;
}

/* ---- The tests ---- */

CHECK_TEST(test_random)
{
    int64_t checked = 0;
    int cases = point_count(40);

    for (int i = 0; i < cases; i++) {
        maker self = random_nest((uint64_t)i, i % 2);

        assert_true(i % 3 || opevo_i_nest_split_vectors(self.nest));
        checked += nest_check(self.nest, OPEVO_KERNEL_C, (uint64_t)i);
        if (i % 4 == 0)
            checked += nest_check(self.nest, OPEVO_KERNEL_EMULATION, (uint64_t)i);
        opevo_i_nest_destroy(self.nest);
    }
    assert_true(checked > 20 * cases);
}

/* ---- Barriers under conditions ---- */

/* b[t + 4 v] = a[t + 4 v], or 0, and a barrier before or behind it, for each thread t. */
static void add_guarded(opevo_i_nest *nest, opevo_i_nest_node *parent, const opevo_i_affine *place,
                        bool copies)
{
    opevo_i_nest_leaf *leaf = NULL;

    if (copies)
        opevo_i_nest_add(nest, parent, OPEVO_I_SYNC);
    leaf = nest_leaf(nest, parent, copies ? OPEVO_I_COPY : OPEVO_I_ZERO);
    leaf->to = (opevo_i_nest_access){.buffer = 1, .address = *place};
    leaf->factors = copies;
    leaf->factor[0] = (opevo_i_nest_access){.buffer = 0, .address = *place};
    if (!copies)
        opevo_i_nest_add(nest, parent, OPEVO_I_SYNC);
}

CHECK_TEST(test_guarded_barriers)
{
    opevo_i_nest *nest = nest_new(1, 1);
    opevo_i_nest_node *loop = nest_loop(nest, nest->root, 3, OPEVO_ANNOTATION_SERIAL);
    opevo_i_nest_node *node = opevo_i_nest_add(nest, loop, OPEVO_I_IF);
    opevo_i_affine turn = opevo_i_affine_of_atom(loop->atom);
    opevo_i_affine place;

    nest->launch[0].bound[OPEVO_ANNOTATION_THREAD_X] = opevo_i_affine_atoms_loop(&nest->atoms, 4);
    nest->launch[0].bound_extent[OPEVO_ANNOTATION_THREAD_X] = 4;
    place = opevo_i_affine_of_atom(nest->launch[0].bound[OPEVO_ANNOTATION_THREAD_X]);
    place = opevo_i_affine_add(&nest->atoms, place, 4, &turn);
    assert_true(opevo_i_nest_guards_add(&nest->atoms, &node->guards, &turn, 1, 2));
    node->otherwise = opevo_i_nest_add(nest, NULL, OPEVO_I_LIST);
    add_guarded(nest, node, &place, true);
    add_guarded(nest, node->otherwise, &place, false);
    nest_fit(nest);
    assert_int_equal(nest_check(nest, OPEVO_KERNEL_EMULATION, 1), 12);
    opevo_i_nest_destroy(nest);
}

/* ---- Functions ---- */

enum { FUNCTIONS = 5, CHUNK = 65536 };

static const struct {
    opevo_expression_kind kind;
    double most; /* units in the last place */
} functions[FUNCTIONS] = {{OPEVO_EXPR_EXP, 1.1},
                          {OPEVO_EXPR_TANH, 1.5},
                          {OPEVO_EXPR_ERF, 1.5},
                          {OPEVO_EXPR_SIGMOID, 2.7},
                          {OPEVO_EXPR_LOG, 1.5}};

static double exactly(opevo_expression_kind kind, double x)
{
    return kind == OPEVO_EXPR_EXP    ? exp(x)
           : kind == OPEVO_EXPR_TANH ? tanh(x)
           : kind == OPEVO_EXPR_ERF  ? erf(x)
           : kind == OPEVO_EXPR_LOG  ? log(x)
                                     : 1 / (1 + exp(-x));
}

/* Each function of the elements of a chunk, in lanes of this width, 1: one by one. */
static nest_function *functions_load(int64_t width, void **handle)
{
    opevo_i_nest *nest = nest_new(1, FUNCTIONS);
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    opevo_kernel kernel = {0};
    nest_function *function = NULL;
    opevo_i_nest_node *rows = nest_loop(nest, nest->root, CHUNK / width, OPEVO_ANNOTATION_SERIAL);

    for (int i = 0; i < FUNCTIONS; i++) {
        opevo_i_nest_node *lanes = nest_loop(nest, rows, width, OPEVO_ANNOTATION_VECTORIZE);
        opevo_i_nest_leaf *leaf = nest_leaf(nest, lanes, OPEVO_I_STORE);
        opevo_i_affine row = opevo_i_affine_of_atom(rows->atom);
        opevo_i_affine at =
            opevo_i_affine_add(&nest->atoms, opevo_i_affine_of_atom(lanes->atom), width, &row);

        leaf->to = (opevo_i_nest_access){1 + i, at};
        leaf->factor[leaf->factors++] = (opevo_i_nest_access){0, at};
        leaf->value = nest_value(nest, functions[i].kind,
                                 nest_value(nest, OPEVO_EXPR_READ, NULL, NULL), NULL);
    }
    opevo_i_print_nest_print(nest, OPEVO_KERNEL_C, &limits, &kernel);
    *handle = source_load(opevo_text_string(&kernel.source));
    assert_non_null(*handle);
    *(void **)&function = dlsym(*handle, kernel.entry);
    opevo_kernel_free(&kernel);
    opevo_i_nest_destroy(nest);
    return function;
}

/* In units in the last place of the right result. Below normal numbers these are equal. */
static double ulps(float is, double right)
{
    int exponent = 0;

    if (isnan(right) || isnan(is))
        return isnan(right) && isnan(is) ? 0 : INFINITY;
    if (fabs(right) > (double)FLT_MAX || isinf(is))
        return (double)is == (double)(float)right ? 0 : INFINITY;
    frexp(right, &exponent);
    return fabs((double)is - right) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static void check_functions(int64_t width, uint32_t step)
{
    static float x[CHUNK], y[FUNCTIONS][CHUNK];
    double most[FUNCTIONS] = {0};
    void *handle = NULL;
    nest_function *function = functions_load(width, &handle);
    uint64_t bits = 0;

    while (bits <= UINT32_MAX) {
        for (int i = 0; i < CHUNK; i++, bits += step) {
            uint32_t low = (uint32_t)bits;

            memcpy(&x[i], &low, sizeof low);
        }
        function(x, y[0], y[1], y[2], y[3], y[4], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                 NULL, NULL, NULL, NULL, NULL, NULL);
        for (int f = 0; f < FUNCTIONS; f++) {
            for (int i = 0; i < CHUNK; i++) {
                double error = ulps(y[f][i], exactly(functions[f].kind, (double)x[i]));

                /* 1 + exp(-x) overflows where sigmoid is subnormal. */
                if (functions[f].kind == OPEVO_EXPR_SIGMOID && x[i] < -87 && y[f][i] >= 0 &&
                    y[f][i] < 0x1.1p-126F)
                    continue;
                if (error > functions[f].most)
                    fail_msg("function %d of %.9g is %.9g, wrong by %g units", f, (double)x[i],
                             (double)y[f][i], error);
                most[f] = fmax(most[f], error);
            }
        }
    }
    print_message("largest errors: exp %.3f, tanh %.3f, erf %.3f, sigmoid %.3f, log %.3f\n",
                  most[0], most[1], most[2], most[3], most[4]);
    dlclose(handle);
}

/* Among all single-precision numbers. */
CHECK_TEST(test_functions)
{
    check_functions(16, 2003);
    check_functions(4, 20011);
    check_functions(1, 20011);
}

/* The lanes are loops there, and blocks and threads take the place of those around. */
CHECK_TEST(test_gpu_text)
{
    if (!has_cxx())
        CHECK_SKIP("no C++ compiler (Debian: g++)");
    for (int i = 0; i < 12; i++) {
        opevo_kernel_dialect dialect = i % 2 ? OPEVO_KERNEL_CUDA : OPEVO_KERNEL_HIP;
        opevo_limits limits = opevo_limits_default(dialect);
        maker self = random_nest((uint64_t)i, true);
        opevo_kernel kernel = {0};

        opevo_i_print_nest_print(self.nest, dialect, &limits, &kernel);
        cxx_check(&kernel.source, "a random nest");
        opevo_kernel_free(&kernel);
        opevo_i_nest_destroy(self.nest);
    }
}
