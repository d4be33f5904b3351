/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The operands of a computation, its operations, and the operator that it is. */

#include <opevo/workload.h>

#include <opevo/computation_named.h>
#include <opevo/memory.h>

#include <string.h>

/* What is handed out is the first member. */
typedef struct workload {
    opevo_workload super;
    opevo_operator op;        /* what `library` points to */
    opevo_computation *owned; /* NULL: somebody else's */
    opevo_workload_operand item[OPEVO_WORKLOAD_OPERANDS];
} workload;

/* ---- Operands ---- */

static opevo_status add_operand(workload *self, const opevo_tensor *tensor, opevo_error *err)
{
    opevo_workload_list *list = &self->super.list;

    if (list->count == OPEVO_WORKLOAD_OPERANDS)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The computation has more than %d inputs and outputs; a kernel takes at "
                          "most so many.",
                          (int)OPEVO_WORKLOAD_OPERANDS);
    self->item[list->count++] = (opevo_workload_operand){.name = tensor->name,
                                                         .role = tensor->role,
                                                         .dims = tensor->dims,
                                                         .extent = tensor->extent,
                                                         .elements = opevo_tensor_elements(tensor),
                                                         .element = tensor->element};
    list->inputs += tensor->role != OPEVO_ROLE_OUTPUT;
    return OPEVO_OK;
}

/* The tensors of a computation that are outputs, or those that are inputs. */
static opevo_status list_tensors(workload *self, bool outputs, opevo_error *err)
{
    const opevo_computation *computation = self->super.computation;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < computation->tensors && status == OPEVO_OK; i++) {
        const opevo_tensor *one = computation->tensor[i];

        if (outputs ? one->role == OPEVO_ROLE_OUTPUT : !one->definition)
            status = add_operand(self, one, err);
    }
    return status;
}

/* ---- Making one ---- */

/* The name is the operator's text in a computation that was made of one. Passes keep names and
 * change definitions, so that both are compared. Libraries have no contractions. */
static opevo_status find_library(workload *self, opevo_error *err)
{
    const opevo_computation *computation = self->super.computation;
    opevo_computation *made = NULL;
    opevo_status status = OPEVO_OK;

    if (!computation->name ||
        opevo_operator_parse(computation->name, &self->op, NULL) != OPEVO_OK ||
        self->op.kind == OPEVO_CONTRACTION)
        return OPEVO_OK;
    status = opevo_computation_of_operator(&self->op, &made, err);
    if (status == OPEVO_OK &&
        opevo_computation_signature(made) == opevo_computation_signature(computation))
        self->super.library = &self->op;
    opevo_computation_destroy(made);
    return status;
}

opevo_status opevo_workload_create(const opevo_computation *computation, opevo_workload **out,
                                   opevo_error *err)
{
    workload *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "a workload");
    self->super.computation = computation;
    self->super.list.item = self->item;
    OPEVO_TRY(list_tensors(self, false, err));
    OPEVO_TRY(list_tensors(self, true, err));
    OPEVO_TRY(find_library(self, err));
    self->super.flop = opevo_computation_flop(computation).count;
    *out = &self->super;
    self = NULL;
cleanup:
    opevo_free(self);
    return status;
}

opevo_status opevo_workload_adopt(opevo_computation *computation, opevo_workload **out,
                                  opevo_error *err)
{
    opevo_workload *created = NULL;
    opevo_status status = opevo_workload_create(computation, &created, err);

    if (status != OPEVO_OK) {
        opevo_computation_destroy(computation);
        return status;
    }
    ((workload *)created)->owned = computation;
    *out = created;
    return OPEVO_OK;
}

opevo_status opevo_workload_of_operator(const opevo_operator *op, opevo_workload **out,
                                        opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status = opevo_computation_of_operator(op, &computation, err);

    return status == OPEVO_OK ? opevo_workload_adopt(computation, out, err) : status;
}

opevo_status opevo_workload_read(const char *what, opevo_workload **out, opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status = opevo_computation_read(what, &computation, err);

    return status == OPEVO_OK ? opevo_workload_adopt(computation, out, err) : status;
}

void opevo_workload_destroy(opevo_workload *self)
{
    if (self)
        opevo_computation_destroy(((workload *)self)->owned);
    opevo_free(self);
}

void opevo_workload_print(const opevo_workload *self, opevo_text *out)
{
    if (self->computation->name)
        opevo_text_add(out, self->computation->name);
    else
        opevo_computation_print(self->computation, "; ", out);
}
