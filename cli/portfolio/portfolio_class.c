/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels for a class of workloads: each configuration of the portfolio as the kernel of all
 * members, whose ranges are its arguments. A configuration has the schedule of the workload that it
 * is best on. */

#include "portfolio_class_internal.h"

#include "computation_spec_internal.h"
#include "objective_spec_internal.h"

#include <opevo/emit.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/pipeline_class.h>

#include <math.h>
#include <stdio.h>

/* ---- The class and the workloads ---- */

/* The numbers of a range are among those of the shape of each member, behind one another. */
static opevo_status numbers_of(const opevo_class *of, const int64_t *numbers,
                               opevo_i_cli_portfolio_workload *row, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_class_print_member(of, numbers, &text);
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_portfolio_name_numbers(row, opevo_text_string(&text), err);
    opevo_text_free(&text);
    return status;
}

/* Where each range stands among the numbers of a shape. */
static opevo_status find_places(opevo_i_cli_portfolio_class *self,
                                const opevo_i_cli_portfolio *from, opevo_error *err)
{
    opevo_i_cli_portfolio_workload all = {.name = NULL}, other = {.name = NULL};
    int64_t numbers[OPEVO_CLASS_NUMBERS];
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < self->of->numbers; i++)
        numbers[i] = self->of->number[i].most;
    OPEVO_TRY(numbers_of(self->of, numbers, &all, err));
    for (int i = 0; i < self->of->numbers; i++) {
        size_t place = 0;

        numbers[i]--;
        OPEVO_TRY(numbers_of(self->of, numbers, &other, err));
        numbers[i]++;
        while (place < all.count && other.count == all.count &&
               all.numbers[place] == other.numbers[place])
            place++;
        self->place[i] = place;
        if (all.count != from->features || place >= all.count)
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "--class %.200s: its shapes do not have the %zu numbers of the "
                                "tree; leave out --numbers.",
                                self->of->text, from->features);
        OPEVO_TRY(status);
        opevo_free(other.numbers);
        other.numbers = NULL;
    }
    self->whole = opevo_portfolio_are_whole(from->numbers, from->matrix.workloads * from->features);
    self->numbers = all.numbers;
    self->number_count = all.count;
    all.numbers = NULL;
cleanup:
    opevo_free(all.numbers);
    opevo_free(other.numbers);
    return status;
}

static opevo_status check_workload(const opevo_class *of, const opevo_i_cli_portfolio_workload *row,
                                   opevo_error *err)
{
    int64_t numbers[OPEVO_CLASS_NUMBERS];
    opevo_computation *computation = NULL;
    bool is_member = false;
    opevo_status status = OPEVO_OK;

    if (!row->on || !row->what || !*row->what || !opevo_live_is_device(row->on))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--class: %s was not measured on a device by opevo, so it has no kernels.", row->name);
    OPEVO_TRY(opevo_i_cli_computation_of(row->what, &computation, err));
    OPEVO_TRY(opevo_class_find(of, computation, &is_member, numbers, err));
    if (!is_member)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "--class %.200s: %s is not one of them.", of->text,
                            row->name);
cleanup:
    opevo_computation_destroy(computation);
    return status;
}

/* ---- Kernels ---- */

/* The workload on which a configuration is best, by what was measured. */
static size_t best_workload(const opevo_i_cli_portfolio *from, size_t column)
{
    double least = INFINITY;
    size_t best = 0;

    for (size_t w = 0; w < from->matrix.workloads; w++) {
        double own = from->matrix.regret[w * from->matrix.configurations + column];

        if (own < least) { /* false for NAN */
            least = own;
            best = w;
        }
    }
    return best;
}

/* Two configurations may give the same text. */
static void name_kernel(opevo_i_cli_portfolio_class *self)
{
    opevo_kernel *kernel = &self->kernel[self->kernels];
    char old[sizeof kernel->entry], entry[sizeof kernel->entry];

    snprintf(old, sizeof old, "%s", kernel->entry);
    snprintf(entry, sizeof entry, "portfolio_class_%zu", self->kernels++);
    opevo_kernel_rename(kernel, old, entry);
}

static opevo_status emit(opevo_i_cli_portfolio_class *self, const opevo_pipeline *member,
                         opevo_kernel_dialect dialect, opevo_error *err)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_pipeline *whole = NULL;
    opevo_text why = {0};
    bool fits = false;
    opevo_status status = OPEVO_OK;

    limits.packed_bytes = INT64_MAX;
    OPEVO_TRY(opevo_pipeline_for_class(member, self->of, &whole, err));
    OPEVO_TRY(opevo_pipeline_emit(whole, dialect, &limits, &self->kernel[self->kernels], &fits,
                                  &why, err));
    if (!fits)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", opevo_text_string(&why));
    if (fits)
        name_kernel(self);
cleanup:
    opevo_pipeline_destroy(whole);
    opevo_text_free(&why);
    return status;
}

static opevo_status check_kernel(opevo_i_cli_portfolio_class *self, opevo_error *err)
{
    const opevo_kernel *kernel = &self->kernel[self->kernels - 1];

    if (kernel->dialect != self->kernel[0].dialect)
        return OPEVO_FAIL(err, OPEVO_INVALID, "its kernel is in another language than the first.");
    for (int i = 0; i < OPEVO_OPERANDS; i++) {
        if (kernel->packed[i])
            return OPEVO_FAIL(err, OPEVO_INVALID, "its kernel reads a packed constant.");
    }
    return OPEVO_OK;
}

/* The kernel of a chosen configuration. */
static opevo_status make_kernel(opevo_i_cli_portfolio_class *self,
                                const opevo_i_cli_portfolio *from, size_t column, opevo_error *err)
{
    size_t workload = best_workload(from, column);
    const opevo_i_cli_portfolio_workload *row = &from->workloads[workload];
    const char *text = opevo_i_cli_portfolio_text_on(from, workload, from->configurations[column]);
    const opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    opevo_pipeline *member = NULL;
    opevo_text why = {0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_index point = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_objective_of(row->what, row->on, *row->space ? row->space : NULL,
                                       &objective, err));
    maker = opevo_live_maker(objective);
    if (!maker || !maker->ops->pipeline)
        status = OPEVO_FAIL(&inner, OPEVO_INVALID, "opevo did not write its kernels.");
    if (status == OPEVO_OK)
        status = opevo_space_read(objective->space, text, &point, &inner);
    if (status == OPEVO_OK)
        status = maker->ops->pipeline(maker, point, &member, &why, &inner);
    if (status == OPEVO_OK && !member)
        status = OPEVO_FAIL(&inner, OPEVO_INVALID, "%s", opevo_text_string(&why));
    if (status == OPEVO_OK)
        status = emit(self, member, maker->dialect, &inner);
    if (status == OPEVO_OK)
        status = check_kernel(self, &inner);
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "--class: the configuration %.300s of %s: %s", text, row->name,
                   inner.message);
cleanup:
    opevo_pipeline_destroy(member);
    opevo_objective_destroy(objective);
    opevo_text_free(&why);
    return status;
}

/* Inputs or outputs, in the order of the text. */
static void add_operands(opevo_i_cli_portfolio_class *self, bool outputs)
{
    for (int t = 0; t < self->of->largest->tensors; t++) {
        const opevo_tensor *tensor = self->of->largest->tensor[t];

        if (tensor->role == OPEVO_ROLE_INTERMEDIATE ||
            (tensor->role == OPEVO_ROLE_OUTPUT) != outputs)
            continue;
        opevo_text_printf(&self->types, "%s%s *, ", outputs ? "" : "const ",
                          opevo_kernel_type_text(tensor->element));
        self->operands++;
    }
}

opevo_status opevo_i_cli_portfolio_class_make(const char *text, const opevo_i_cli_portfolio *from,
                                              opevo_i_cli_portfolio_class *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_class_read(text, &out->of, &inner);

    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "--class: %s", inner.message);
    for (size_t w = 0; w < from->workload_count; w++)
        OPEVO_TRY(check_workload(out->of, &from->workloads[w], err));
    if (from->portfolio.count > 1 && !from->has_tree)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                             "--class: the workloads have no numbers for a tree that chooses; give "
                             "--configurations 1."));
    if (from->has_tree)
        OPEVO_TRY(find_places(out, from, err));
    for (size_t i = 0; i < from->portfolio.count; i++)
        OPEVO_TRY(make_kernel(out, from, from->portfolio.chosen[i], err));
    for (int outputs = 0; outputs < 2; outputs++)
        add_operands(out, outputs == 1);
    status = opevo_text_check(&out->types, err);
    out->has_tree = from->has_tree;
cleanup:
    return status;
}

void opevo_i_cli_portfolio_class_free(opevo_i_cli_portfolio_class *self)
{
    for (size_t i = 0; i < self->kernels; i++)
        opevo_kernel_free(&self->kernel[i]);
    opevo_class_destroy(self->of);
    opevo_free(self->numbers);
    opevo_text_free(&self->types);
}
