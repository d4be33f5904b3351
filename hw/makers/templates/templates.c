/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of templates, and the kernel maker that every template becomes. */

#include "template_internal.h"

#include <opevo/computation_named.h>
#include <opevo/emit.h>
#include <opevo/hash.h>
#include <opevo/loop_features.h>
#include <opevo/memory.h>
#include <opevo/pipeline_features.h>

#include <string.h>

static const opevo_i_template *const table[] = {
    &opevo_i_template_matmul_cpu,     &opevo_i_template_conv2d_cpu, &opevo_i_template_matmul_paper,
    &opevo_i_template_conv2d_paper,   &opevo_i_template_matmul_gpu, &opevo_i_template_conv2d_gpu,
    &opevo_i_template_conv2d_weights,
};

/* Raised when a template gives other code for a point than before. */
enum { TEMPLATES_VERSION = 5 };

size_t opevo_template_count(void)
{
    return sizeof table / sizeof(void *);
}

const opevo_template_info *opevo_template_get(size_t i)
{
    return &table[i]->info;
}

static opevo_status make(const opevo_kernel_maker *super, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    const opevo_i_template_maker *self = (const opevo_i_template_maker *)super;
    opevo_pipeline *pipeline = NULL;
    bool fits = false;
    opevo_status status = opevo_template_pipeline(super, point, &pipeline, why, err);

    if (status == OPEVO_OK && pipeline)
        status = opevo_pipeline_emit(pipeline, super->dialect, &self->limits, out, &fits, why, err);
    if (status == OPEVO_OK && !fits)
        *refused = OPEVO_OUTCOME_REJECTED;
    opevo_pipeline_destroy(pipeline);
    return status;
}

static void destroy(opevo_kernel_maker *super)
{
    opevo_i_template_maker *self = (opevo_i_template_maker *)super;

    if (!self)
        return;
    opevo_space_destroy(self->space);
    opevo_computation_destroy(self->computation);
    opevo_free(self);
}

static opevo_status start(const opevo_kernel_maker *super, const opevo_device_facts *facts,
                          bool *found, opevo_index *point, opevo_error *err)
{
    const opevo_i_template_maker *self = (const opevo_i_template_maker *)super;

    return opevo_i_template_start(super, self->template, &self->op, facts, found, point, err);
}

static const opevo_kernel_maker_ops maker_ops = {
    .make = make,
    .destroy = destroy,
    .start = start,
    .pipeline = opevo_template_pipeline,
    .find = opevo_template_find,
};

/* ---- Features ---- */

/* Parameters with a list of values: they decide which loops there are, and AutoTVM appends them. */
static bool is_listed(const opevo_parameter *parameter)
{
    const char *type = opevo_parameter_type(parameter);

    return strcmp(type, "factor") != 0 && strcmp(type, "permutation") != 0;
}

/* The features of a point's loops, or false where it has none. */
static bool loop_features(const opevo_i_template_maker *self, opevo_index point,
                          opevo_feature_row *row)
{
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    bool found = opevo_template_pipeline(&self->super, point, &pipeline, &why, NULL) == OPEVO_OK &&
                 pipeline && opevo_features_itervar(pipeline, true, row, NULL) == OPEVO_OK;

    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    return found;
}

/* One row: a pipeline is one statement. */
static size_t features(void *context, opevo_index point, float *out)
{
    const opevo_i_template_maker *self = context;
    opevo_feature_row row = {0};
    bool found = loop_features(self, point, &row);
    opevo_i_template_values values;
    size_t at = 0;

    opevo_i_template_read_values(self->space, point, &values);
    for (; found && at < row.count && at < self->loop_features; at++)
        out[at] = row.number[at];
    for (; at < self->loop_features; at++)
        out[at] = 0.0F;
    for (size_t i = 0; i < opevo_space_parameter_count(self->space); i++) {
        if (is_listed(opevo_space_parameter(self->space, i)))
            out[at++] = (float)values.at[i][0];
    }
    opevo_free(row.number);
    return found;
}

/* As many numbers as the point with most loops has: which loops there are depends on the listed
 * parameters alone, so all combinations of these are tried; the others stay at their first
 * value. */
static void count_features(opevo_i_template_maker *self)
{
    size_t parameters = opevo_space_parameter_count(self->space);
    opevo_index vertex[OPEVO_I_VALUES] = {0};
    size_t listed = 0;
    bool more = true;

    while (more) {
        opevo_feature_row row = {0};

        if (loop_features(self, opevo_space_encode(self->space, vertex), &row) &&
            row.count > self->loop_features)
            self->loop_features = row.count;
        opevo_free(row.number);
        more = false;
        for (size_t i = 0; i < parameters && !more; i++) { /* count up, listed digits only */
            const opevo_parameter *parameter = opevo_space_parameter(self->space, i);

            if (!is_listed(parameter))
                continue;
            more = ++vertex[i] < opevo_parameter_size(parameter);
            if (!more)
                vertex[i] = 0;
        }
    }
    for (size_t i = 0; i < parameters; i++)
        listed += is_listed(opevo_space_parameter(self->space, i));
    if (self->loop_features) {
        self->features = (opevo_feature_source){self->loop_features + listed, 1, features, self};
        self->super.features = &self->features;
    }
}

static size_t tree(void *context, opevo_index point, float *rows)
{
    const opevo_i_template_maker *self = context;
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    size_t count = 0;

    if (opevo_template_pipeline(&self->super, point, &pipeline, &why, NULL) == OPEVO_OK &&
        pipeline && opevo_pipeline_tree(pipeline, rows, &count, NULL) != OPEVO_OK)
        count = 0;
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    return count;
}

/* ---- Opening ---- */

static uint64_t signature_of(const opevo_i_template_maker *self)
{
    uint64_t hash = OPEVO_HASH_START;
    opevo_text text = {0};

    opevo_operator_print(&self->op, &text);
    opevo_text_printf(&text, " %s %d %d %llu", self->template->info.name, TEMPLATES_VERSION,
                      (int)self->super.dialect,
                      (unsigned long long)opevo_space_signature(self->space));
    hash = opevo_hash_bytes(hash, opevo_text_string(&text), text.length);
    opevo_text_free(&text);
    return hash;
}

static bool fits(const opevo_i_template *one, const opevo_operator *op,
                 opevo_kernel_dialect dialect)
{
    return one->info.kinds >> op->kind & 1 && one->info.dialects >> dialect & 1;
}

static opevo_status fail_to_find(const opevo_operator *op, const char *name,
                                 opevo_kernel_dialect dialect, opevo_error *err)
{
    opevo_text known = {0};
    opevo_text form = {0};

    for (size_t i = 0; i < opevo_template_count(); i++) {
        if (fits(table[i], op, dialect))
            opevo_text_printf(&known, "%s%s", known.length ? ", " : "", table[i]->info.name);
    }
    opevo_operator_print(op, &form);
    if (known.length)
        OPEVO_FAIL(err, OPEVO_INVALID,
                   "No template '%s' generates %s kernels for %s: use one of %s.", name ? name : "",
                   opevo_kernel_dialect_name(dialect), opevo_text_string(&form),
                   opevo_text_string(&known));
    else
        OPEVO_FAIL(err, OPEVO_INVALID, "No template generates %s kernels for %s.",
                   opevo_kernel_dialect_name(dialect), opevo_text_string(&form));
    opevo_text_free(&known);
    opevo_text_free(&form);
    return OPEVO_INVALID;
}

static double operand_bytes(const opevo_operator *op)
{
    opevo_operand_list list;
    double bytes = 0;

    opevo_operator_operands(op, &list);
    for (int i = 0; i < list.count; i++) {
        double size = sizeof(float);

        for (int d = 0; d < list.item[i].dims; d++)
            size *= (double)list.item[i].extent[d];
        bytes += size;
    }
    return bytes;
}

static void set_limits(opevo_i_template_maker *self, opevo_kernel_dialect dialect)
{
    self->limits = opevo_limits_default(dialect);
    if (dialect == OPEVO_KERNEL_C)
        self->limits.packed_bytes = opevo_limits_packed(operand_bytes(&self->op));
    if (self->template->shared_bytes && dialect != OPEVO_KERNEL_HIP)
        self->limits.shared_bytes = self->template->shared_bytes;
    if (self->template->local_floats)
        self->limits.local_floats = self->template->local_floats;
}

opevo_status opevo_template_open(const opevo_operator *op, const char *name,
                                 opevo_kernel_dialect dialect, opevo_kernel_maker **out,
                                 opevo_error *err)
{
    return opevo_template_open_threads(op, name, dialect, 1, out, err);
}

opevo_status opevo_template_open_threads(const opevo_operator *op, const char *name,
                                         opevo_kernel_dialect dialect, unsigned threads,
                                         opevo_kernel_maker **out, opevo_error *err)
{
    const opevo_i_template *found = NULL;
    opevo_status status = OPEVO_OK;
    opevo_i_template_maker *self = NULL;

    for (size_t i = 0; i < opevo_template_count() && !found; i++) {
        if (fits(table[i], op, dialect) && (!name || strcmp(name, table[i]->info.name) == 0))
            found = table[i];
    }
    if (!found)
        return fail_to_find(op, name, dialect, err);
    if (threads < 1 || threads > (dialect == OPEVO_KERNEL_C ? OPEVO_THREADS_MOST : 1))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A kernel has 1 to %d threads on a CPU, and threads of its own on a GPU; "
                          "not %u.",
                          (int)OPEVO_THREADS_MOST, threads);
    OPEVO_NEW_OR_RETURN(self, 1, "a template");
    self->template = found;
    self->op = *op;
    OPEVO_TRY(opevo_computation_of_operator(op, &self->computation, err));
    OPEVO_TRY(found->space(op, threads, &self->space, err));
    set_limits(self, dialect);
    self->super = (opevo_kernel_maker){.ops = &maker_ops,
                                       .space = self->space,
                                       .computation = self->computation,
                                       .name = found->info.name,
                                       .dialect = dialect,
                                       .threads = threads};
    self->super.signature = signature_of(self);
    count_features(self);
    self->trees = (opevo_feature_source){OPEVO_LOOP_COLUMNS, OPEVO_LOOP_TREE_ROWS, tree, self};
    self->super.trees = &self->trees;
    *out = &self->super;
    self = NULL;
cleanup:
    destroy(self ? &self->super : NULL);
    return status;
}

/* ---- A part of the space ---- */

static opevo_status check_values(const opevo_parameter *part, const opevo_parameter *whole,
                                 opevo_error *err)
{
    size_t arity = opevo_parameter_arity(part);
    opevo_value *values = NULL;
    opevo_status status = OPEVO_OK;

    if (arity != opevo_parameter_arity(whole))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has values of %zu components here, not %zu.",
                          opevo_parameter_name(whole), opevo_parameter_arity(whole), arity);
    values = opevo_malloc(arity, sizeof *values);
    OPEVO_NEED_OR_RETURN(values, "values");
    for (opevo_index v = 0; v < opevo_parameter_size(part) && status == OPEVO_OK; v++) {
        opevo_index vertex = 0;
        opevo_text text = {0};

        opevo_parameter_value(part, v, values);
        if (opevo_parameter_find(whole, values, &vertex))
            continue;
        opevo_parameter_print(part, v, &text);
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s = %s is not a value of %s.",
                            opevo_parameter_name(part), opevo_text_string(&text),
                            opevo_parameter_text(whole));
        opevo_text_free(&text);
    }
    opevo_free(values);
    return status;
}

opevo_status opevo_i_template_check_part(const opevo_space *whole, const opevo_space *part,
                                         const char *name, opevo_error *err)
{
    size_t count = opevo_space_parameter_count(whole);
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count || i < opevo_space_parameter_count(part); i++) {
        const opevo_parameter *one = i < count ? opevo_space_parameter(whole, i) : NULL;

        if (!one || i >= opevo_space_parameter_count(part) ||
            strcmp(opevo_parameter_name(opevo_space_parameter(part, i)),
                   opevo_parameter_name(one)) != 0)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Parameter %zu of the template %s is %s: give the parameters of the "
                              "template in their order.",
                              i + 1, name, one ? opevo_parameter_name(one) : "not there");
        OPEVO_TRY(check_values(opevo_space_parameter(part, i), one, err));
    }
cleanup:
    return status;
}

opevo_status opevo_template_narrow(opevo_kernel_maker *super, opevo_space *part, opevo_error *err)
{
    opevo_i_template_maker *self = (opevo_i_template_maker *)super;
    opevo_status status = OPEVO_OK;

    if (opevo_space_has_branches(part))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The template %s has no branches: all its parameters are always active.",
                          super->name);
    OPEVO_TRY(opevo_i_template_check_part(self->space, part, super->name, err));
    opevo_space_destroy(self->space);
    self->space = part;
    super->space = part;
    super->signature = signature_of(self);
cleanup:
    return status;
}
