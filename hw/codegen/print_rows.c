/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops that copy a row: which part of it lies inside its tensor is found once. */

#include "print_cpu_internal.h"

static bool plain_guards(const opevo_i_printer *self, const opevo_i_guards *guards, int atom,
                         bool from_zero)
{
    for (int i = 0; i < guards->count; i++) {
        const opevo_i_guard *one = &guards->item[i];
        int64_t factor = 0;

        if (!opevo_i_plain_factor(self, &one->value, atom, &factor) || factor < 0 ||
            (from_zero && factor && opevo_i_affine_least(self->atoms, &one->value) < one->least))
            return false;
    }
    return true;
}

/* "if (limit - e < factor * count) count = ...": where a growing value passes a limit. */
static void print_passing(opevo_i_printer *self, const opevo_i_guard *one, int atom, int64_t bound,
                          const char *name, const char *relation)
{
    int64_t factor = opevo_i_affine_factor(&one->value, atom);

    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "%s = %s(%s, ", name, relation, name);
    opevo_text_printf(self->out, "%lld - (", (long long)bound);
    opevo_i_print_at_first(self, &one->value, atom);
    opevo_text_printf(self->out, "), %lld);\n", (long long)factor);
}

static void print_bounds(opevo_i_printer *self, const opevo_i_leaf *leaf, int atom)
{
    for (int i = 0; i < leaf->keep.count; i++) {
        const opevo_i_guard *one = &leaf->keep.item[i];

        if (opevo_i_affine_factor(&one->value, atom))
            print_passing(self, one, atom, one->limit, "count", "opevo_upto");
    }
    for (int i = 0; i < leaf->inside.count; i++) {
        const opevo_i_guard *one = &leaf->inside.item[i];

        if (!opevo_i_affine_factor(&one->value, atom)) {
            opevo_i_guards alone = {.count = 1};

            alone.item[0] = *one;
            opevo_i_print_indent(self);
            opevo_text_add(self->out, "if (!(");
            opevo_i_print_guards(self, &alone);
            opevo_text_add(self->out, ")) high = 0;\n");
            continue;
        }
        print_passing(self, one, atom, one->least, "low", "opevo_from");
        print_passing(self, one, atom, one->limit, "high", "opevo_upto");
    }
}

enum { SHORTEST_ROW = 4 };

bool opevo_i_print_row(opevo_i_printer *self, const opevo_i_node *node, const opevo_i_leaf *leaf)
{
    int64_t to = 0;
    int64_t from = 0;
    int atom = node->atom;
    opevo_i_guards around = {0};

    if (leaf->kind != OPEVO_I_COPY || node->extent < SHORTEST_ROW ||
        self->nest->buffer[leaf->to.buffer].element != OPEVO_FLOAT32 ||
        self->nest->buffer[leaf->factor[0].buffer].element != OPEVO_FLOAT32 ||
        leaf->factor[0].buffer >= self->nest->inputs ||
        self->nest->buffer[leaf->to.buffer].scope != OPEVO_SCOPE_PACKED ||
        !opevo_i_plain_factor(self, &leaf->to.address, atom, &to) || to != 1 ||
        !opevo_i_plain_factor(self, &leaf->factor[0].address, atom, &from) || from < 1 ||
        !plain_guards(self, &leaf->keep, atom, true) ||
        !plain_guards(self, &leaf->inside, atom, false))
        return false;
    for (int i = 0; i < leaf->keep.count; i++) {
        if (!opevo_i_affine_factor(&leaf->keep.item[i].value, atom))
            around.item[around.count++] = leaf->keep.item[i];
    }
    if (around.count) {
        opevo_i_print_indent(self);
        opevo_text_add(self->out, "if (");
        opevo_i_print_guards(self, &around);
        opevo_text_add(self->out, ")\n");
    }
    opevo_i_print_line(self, "{");
    self->depth++;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "long low = 0, high = %lld, count = %lld;\n",
                      (long long)node->extent, (long long)node->extent);
    print_bounds(self, leaf, atom);
    opevo_i_print_indent(self);
    opevo_text_add(self->out, "opevo_row(&");
    self->known[atom] = true;
    self->value[atom] = 0;
    opevo_i_print_element(self, &leaf->to);
    opevo_text_add(self->out, ", ");
    opevo_i_print_buffer(self, leaf->factor[0].buffer);
    opevo_text_add(self->out, ", ");
    opevo_i_print_affine(self, &leaf->factor[0].address);
    self->known[atom] = false;
    opevo_text_printf(self->out, ", %lld, low, high, count);\n", (long long)from);
    self->depth--;
    opevo_i_print_line(self, "}");
    self->uses_rows = true;
    return true;
}

/* ---- Sums of lanes ---- */

enum { SUMMED_LANES = 16, SUMMED_VECTORS = 16 };

bool opevo_i_print_lane_sum(opevo_i_printer *self, const opevo_i_node *node,
                            const opevo_i_leaf *leaf)
{
    int64_t factor = 0;
    int atom = node->atom;

    if (leaf->kind != OPEVO_I_ADD || leaf->keep.count || leaf->inside.count ||
        node->extent % SUMMED_LANES || node->extent > SUMMED_LANES * SUMMED_VECTORS ||
        opevo_i_stored_type(self, leaf->to.buffer) != OPEVO_FLOAT32 ||
        opevo_i_stored_type(self, leaf->factor[0].buffer) != OPEVO_FLOAT32 ||
        self->named[leaf->to.buffer] > 1 || self->named[leaf->factor[0].buffer] ||
        opevo_i_affine_uses(self->atoms, &leaf->to.address, atom) ||
        !opevo_i_plain_factor(self, &leaf->factor[0].address, atom, &factor) || factor != 1)
        return false;
    opevo_i_print_indent(self);
    opevo_i_print_element(self, &leaf->to);
    opevo_text_printf(self->out, " += opevo_sum%d(", SUMMED_LANES);
    self->known[atom] = true;
    for (int64_t i = 0; i < node->extent; i += SUMMED_LANES) {
        self->value[atom] = i;
        opevo_text_printf(self->out, "%s*(const V%d *)&", i ? " + " : "", SUMMED_LANES);
        opevo_i_print_element(self, &leaf->factor[0]);
    }
    self->known[atom] = false;
    opevo_text_add(self->out, ");\n");
    self->uses_sums = true;
    return true;
}

/* ---- Copies of columns as rows ---- */

enum { TRANSPOSED = 16 };

/* The only vector inside loops that have nothing else in them. */
static const opevo_i_node *only_vector(const opevo_i_node *node)
{
    while (node && !opevo_i_is_vector_loop(node)) {
        const opevo_i_node *inner = node->first;

        if (node->kind != OPEVO_I_LOOP || !inner || inner->next ||
            node->annotation == OPEVO_ANNOTATION_PARALLEL)
            return NULL;
        node = inner;
    }
    return node;
}

static bool is_transposed(const opevo_i_printer *self, const opevo_i_node *node,
                          const opevo_i_node *vector, int64_t *to_row, int64_t *from_row)
{
    const opevo_i_leaf *leaf = opevo_i_node_only_leaf(vector);
    int64_t to = 0;
    int64_t from = 0;

    return vector->extent == TRANSPOSED && node->extent % TRANSPOSED == 0 &&
           leaf->kind == OPEVO_I_COPY && !leaf->keep.count && !leaf->inside.count &&
           opevo_i_stored_type(self, leaf->to.buffer) == OPEVO_FLOAT32 &&
           opevo_i_stored_type(self, leaf->factor[0].buffer) == OPEVO_FLOAT32 &&
           !self->named[leaf->to.buffer] && !self->named[leaf->factor[0].buffer] &&
           opevo_i_plain_factor(self, &leaf->to.address, vector->atom, &to) && to == 1 &&
           opevo_i_plain_factor(self, &leaf->factor[0].address, node->atom, &from) && from == 1 &&
           opevo_i_plain_factor(self, &leaf->to.address, node->atom, to_row) &&
           opevo_i_plain_factor(self, &leaf->factor[0].address, vector->atom, from_row) &&
           *to_row >= TRANSPOSED && *from_row > 1;
}

bool opevo_i_print_transposed(opevo_i_printer *self, const opevo_i_node *node)
{
    const opevo_i_node *vector = only_vector(node->first);
    const opevo_i_leaf *leaf = vector ? opevo_i_node_only_leaf(vector) : NULL;
    int64_t to_row = 0;
    int64_t from_row = 0;
    int depth = self->depth;

    if (!leaf || node->annotation != OPEVO_ANNOTATION_SERIAL || node->first->next ||
        !is_transposed(self, node, vector, &to_row, &from_row))
        return false;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "for (long v%d = 0; v%d < %lld; v%d += %d) {\n", node->atom,
                      node->atom, (long long)node->extent, node->atom, TRANSPOSED);
    self->depth++;
    for (const opevo_i_node *inner = node->first; inner != vector; inner = inner->first)
        opevo_i_print_for(self, inner->atom, inner->extent);
    self->known[vector->atom] = true;
    self->value[vector->atom] = 0;
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "opevo_transpose%d(&", TRANSPOSED);
    opevo_i_print_element(self, &leaf->to);
    opevo_text_printf(self->out, ", %lld, &", (long long)to_row);
    opevo_i_print_element(self, &leaf->factor[0]);
    opevo_text_printf(self->out, ", %lld);\n", (long long)from_row);
    self->known[vector->atom] = false;
    while (self->depth > depth)
        opevo_i_print_end(self);
    self->uses_transposes = true;
    return true;
}

/* Rows of a square, of which four perfect shuffles make columns: each turns the eight bits of row and
 * column by one. */
void opevo_i_print_transpose_head(opevo_text *out)
{
    opevo_text_printf(out,
                      "static void opevo_transpose%d(float *to, long to_row, const float *from, "
                      "long from_row)\n{\n"
                      "#if defined __AVX512F__ && (defined __clang__ || __GNUC__ >= 12)\n",
                      TRANSPOSED);
    for (int i = 0; i < TRANSPOSED; i++)
        opevo_text_printf(out, "    V16 x%d = *(const V16 *)&from[%d * from_row];\n", i, i);
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
    for (int i = 0; i < TRANSPOSED; i++)
        opevo_text_printf(out, "    *(V16 *)&to[%d * to_row] = x%d;\n", i, i);
    opevo_text_printf(out,
                      "#else\n"
                      "    for (int k = 0; k < %d; k++)\n"
                      "        for (int i = 0; i < %d; i++)\n"
                      "            to[k * to_row + i] = from[i * from_row + k];\n"
                      "#endif\n}\n",
                      TRANSPOSED, TRANSPOSED);
}
