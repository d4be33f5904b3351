/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Squares of 16 x 16 numbers whose rows become columns: copies across the order of memory, and
 * vectors in registers whose lanes lie far apart where they are written. */

#include "print_cpu_internal.h"

enum { TRANSPOSED = 16 };

/* The only vector inside loops that have nothing else in them. */
static const opevo_i_nest_node *only_vector(const opevo_i_nest_node *node)
{
    while (node && !opevo_i_print_is_vector_loop(node)) {
        const opevo_i_nest_node *inner = node->first;

        if (node->kind != OPEVO_I_LOOP || !inner || inner->next ||
            node->annotation == OPEVO_ANNOTATION_PARALLEL)
            return NULL;
        node = inner;
    }
    return node;
}

static bool is_transposed(const opevo_i_print_printer *self, const opevo_i_nest_node *node,
                          const opevo_i_nest_node *vector, int64_t *to_row, int64_t *from_row)
{
    const opevo_i_nest_leaf *leaf = opevo_i_nest_node_only_leaf(vector);
    int64_t to = 0;
    int64_t from = 0;

    return vector->extent == TRANSPOSED && node->extent % TRANSPOSED == 0 &&
           leaf->kind == OPEVO_I_COPY && !leaf->keep.count && !leaf->inside.count &&
           opevo_i_print_stored_type(self, leaf->to.buffer) == OPEVO_FLOAT32 &&
           opevo_i_print_stored_type(self, leaf->factor[0].buffer) == OPEVO_FLOAT32 &&
           !self->named[leaf->to.buffer] && !self->named[leaf->factor[0].buffer] &&
           opevo_i_print_plain_factor(self, &leaf->to.address, vector->atom, &to) && to == 1 &&
           opevo_i_print_plain_factor(self, &leaf->factor[0].address, node->atom, &from) &&
           from == 1 && opevo_i_print_plain_factor(self, &leaf->to.address, node->atom, to_row) &&
           opevo_i_print_plain_factor(self, &leaf->factor[0].address, vector->atom, from_row) &&
           *to_row >= TRANSPOSED && *from_row > 1;
}

bool opevo_i_print_transposed(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    const opevo_i_nest_node *vector = only_vector(node->first);
    const opevo_i_nest_leaf *leaf = vector ? opevo_i_nest_node_only_leaf(vector) : NULL;
    int64_t to_row = 0;
    int64_t from_row = 0;
    int depth = self->depth;
    bool streams = false;

    if (self->dialect->opencl || !leaf || node->annotation != OPEVO_ANNOTATION_SERIAL ||
        node->first->next || !is_transposed(self, node, vector, &to_row, &from_row))
        return false;
    streams =
        leaf->stream && opevo_i_affine_is_aligned(&leaf->to.address, vector->atom, TRANSPOSED);
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "for (long v%d = 0; v%d < %lld; v%d += %d) {\n", node->atom,
                      node->atom, (long long)node->extent, node->atom, TRANSPOSED);
    self->depth++;
    for (const opevo_i_nest_node *inner = node->first; inner != vector; inner = inner->first)
        opevo_i_print_for(self, inner->atom, &(opevo_i_nest_count){0}, inner->extent);
    opevo_i_print_fix(self, vector->atom, 0);
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "opevo_%stranspose%d(&", streams ? "stream_" : "", TRANSPOSED);
    opevo_i_print_element(self, &leaf->to);
    opevo_text_printf(self->out, ", %lld, &", (long long)to_row);
    opevo_i_print_element(self, &leaf->factor[0]);
    opevo_text_printf(self->out, ", %lld);\n", (long long)from_row);
    opevo_i_print_release(self, vector->atom);
    while (self->depth > depth)
        opevo_i_print_end(self);
    self->uses_transposes |= !streams;
    self->streams_transposes |= streams;
    self->streams |= streams;
    return true;
}

/* ---- Registers whose lanes are rows of what they are written to ---- */

enum { LEAST_SCATTERED = 6 }; /* fewer numbers a row are stored one by one as quickly */

static bool is_scattered(const opevo_i_print_printer *self, const opevo_i_nest_node *node,
                         const opevo_i_nest_node *vector, int64_t *row)
{
    const opevo_i_nest_leaf *leaf = opevo_i_nest_node_only_leaf(vector);
    int64_t column = 0;

    for (const opevo_i_nest_node *one = node; one != vector; one = one->first) {
        if (one->annotation != OPEVO_ANNOTATION_UNROLL && one->extent > 1)
            return false;
    }
    return vector->extent == TRANSPOSED && node->extent >= LEAST_SCATTERED &&
           leaf->kind == OPEVO_I_COPY && opevo_i_print_decided(self, &leaf->keep) == 1 &&
           opevo_i_print_decided(self, &leaf->inside) == 1 &&
           opevo_i_print_stored_type(self, leaf->to.buffer) == OPEVO_FLOAT32 &&
           opevo_i_print_stored_type(self, leaf->factor[0].buffer) == OPEVO_FLOAT32 &&
           !self->named[leaf->to.buffer] && self->named[leaf->factor[0].buffer] == TRANSPOSED &&
           opevo_i_print_plain_factor(self, &leaf->to.address, node->atom, &column) &&
           column == 1 && opevo_i_print_plain_factor(self, &leaf->to.address, vector->atom, row) &&
           *row >= TRANSPOSED;
}

/* A square, of which the rows in memory have `count` columns from iteration `first` of the loop
 * on. */
static void print_square(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                         const opevo_i_nest_node *vector, int64_t row, int64_t first, int64_t count)
{
    const opevo_i_nest_leaf *leaf = opevo_i_nest_node_only_leaf(vector);

    opevo_i_print_fix(self, vector->atom, 0);
    opevo_i_print_fix(self, node->atom, first);
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "opevo_scatter%d(&", TRANSPOSED);
    opevo_i_print_element(self, &leaf->to);
    opevo_text_printf(self->out, ", %lld, (const V%d[]){", (long long)row, TRANSPOSED);
    for (int64_t i = first; i < first + count; i++) {
        opevo_i_print_fix(self, node->atom, i);
        opevo_text_add(self->out, i > first ? ", " : "");
        opevo_i_print_element(self, &leaf->factor[0]);
    }
    opevo_text_printf(self->out, "}, %lld);\n", (long long)count);
    opevo_i_print_release(self, vector->atom);
}

/* As few squares as hold all iterations of `node`, one column each, in about equal numbers; for
 * each vector of the loops between. */
static void print_squares(opevo_i_print_printer *self, const opevo_i_nest_node *node,
                          const opevo_i_nest_node *inner, const opevo_i_nest_node *vector,
                          int64_t row)
{
    int64_t squares = (node->extent + TRANSPOSED - 1) / TRANSPOSED;
    int64_t columns = (node->extent + squares - 1) / squares;

    if (inner == vector) {
        for (int64_t at = 0; at < node->extent; at += columns)
            print_square(self, node, vector, row, at,
                         at + columns < node->extent ? columns : node->extent - at);
        return;
    }
    for (int64_t i = 0; i < inner->extent; i++) {
        opevo_i_print_fix(self, inner->atom, i);
        print_squares(self, node, inner->first, vector, row);
    }
    opevo_i_print_release(self, inner->atom);
}

bool opevo_i_print_scattered(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    const opevo_i_nest_node *vector =
        node->first && !node->first->next ? only_vector(node->first) : NULL;
    int64_t row = 0;

    if (self->dialect->opencl || !vector || !is_scattered(self, node, vector, &row))
        return false;
    print_squares(self, node, node->first, vector, row);
    opevo_i_print_release(self, node->atom);
    self->uses_scatters = true;
    return true;
}

/* ---- What both call ---- */

static const char squares_need[] =
    "#if defined __AVX512F__ && (defined __clang__ || __GNUC__ >= 12)\n";

/* Of the rows x0 to x15 four perfect shuffles make columns: each turns the eight bits of row and
 * column by one. */
static void print_shuffles(opevo_text *out)
{
    opevo_text_printf(out, "    V16");
    for (int i = 0; i < TRANSPOSED; i++)
        opevo_text_printf(out, " y%d%s", i, i + 1 < TRANSPOSED ? "," : ";\n");
    for (int turn = 0; turn < 4; turn++) {
        char of = turn % 2 ? 'y' : 'x', into = turn % 2 ? 'x' : 'y';

        for (int i = 0; i < TRANSPOSED; i++) {
            opevo_text_printf(out, "    %c%d = __builtin_shufflevector(%c%d, %c%d", into, i, of,
                              i / 2, of, i / 2 + TRANSPOSED / 2);
            for (int k = 0; k < TRANSPOSED; k++)
                opevo_text_printf(out, ", %d",
                                  (i % 2 * TRANSPOSED + k) / 2 + (k % 2 ? TRANSPOSED : 0));
            opevo_text_add(out, ");\n");
        }
    }
}

void opevo_i_print_transpose_head(opevo_text *out, bool streams)
{
    opevo_text_printf(out,
                      "static void opevo_%stranspose%d(float *to, long to_row, const float *from, "
                      "long from_row)\n{\n%s",
                      streams ? "stream_" : "", TRANSPOSED, squares_need);
    for (int i = 0; i < TRANSPOSED; i++)
        opevo_text_printf(out, "    V16 x%d = *(const V16 *)&from[%d * from_row];\n", i, i);
    print_shuffles(out);
    for (int i = 0; i < TRANSPOSED; i++)
        opevo_text_printf(out,
                          streams ? "    STREAM16(&to[%d * to_row], x%d);\n"
                                  : "    *(V16 *)&to[%d * to_row] = x%d;\n",
                          i, i);
    opevo_text_printf(out,
                      "#else\n"
                      "    for (int k = 0; k < %d; k++)\n"
                      "        for (int i = 0; i < %d; i++)\n"
                      "            to[k * to_row + i] = from[i * from_row + k];\n"
                      "#endif\n}\n",
                      TRANSPOSED, TRANSPOSED);
}

void opevo_i_print_scatter_head(opevo_text *out)
{
    opevo_text_printf(
        out,
        "static inline __attribute__((always_inline)) void opevo_scatter%d(float *to, long "
        "to_row, const V16 *from, int count)\n{\n%s",
        TRANSPOSED, squares_need);
    for (int i = 0; i < TRANSPOSED; i++)
        opevo_text_printf(out, "    V16 x%d = %d < count ? from[%d] : (V16){0};\n", i, i, i);
    print_shuffles(out);
    for (int i = 0; i < TRANSPOSED; i++)
        opevo_text_printf(out,
                          "    __builtin_ia32_storeups512_mask(&to[%d * to_row], x%d, (unsigned "
                          "short)((1u << count) - 1));\n",
                          i, i);
    opevo_text_printf(out,
                      "#else\n"
                      "    for (int k = 0; k < %d; k++)\n"
                      "        for (int i = 0; i < count; i++)\n"
                      "            to[k * to_row + i] = from[i][k];\n"
                      "#endif\n}\n",
                      TRANSPOSED);
}
