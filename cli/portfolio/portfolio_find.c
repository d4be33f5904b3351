/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A portfolio from its matrix, with a tree and with what to expect elsewhere. */

#include "portfolio_cli_internal.h"

#include <opevo/memory.h>

opevo_status opevo_i_cli_portfolio_find(opevo_i_cli_portfolio *self, size_t depth, opevo_error *err)
{
    size_t workloads = self->matrix.workloads;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_portfolio_find(&self->matrix, &self->options, &self->portfolio, err));
    self->has_tree = self->features > 0;
    if (self->has_tree)
        OPEVO_TRY(opevo_portfolio_tree_make(&self->matrix, &self->options, self->portfolio.chosen,
                                            self->portfolio.count, self->numbers, self->features,
                                            depth, &self->tree, err));
    if (workloads < 2)
        return OPEVO_OK;
    self->by_best = opevo_malloc(workloads, sizeof *self->by_best);
    self->by_tree = self->has_tree ? opevo_malloc(workloads, sizeof *self->by_tree) : NULL;
    OPEVO_NEED_OR_RETURN(self->by_best && (self->by_tree || !self->has_tree), "%zu workloads",
                         workloads);
    status = opevo_portfolio_leave_out(&self->matrix, &self->options,
                                       self->has_tree ? self->numbers : NULL, self->features, depth,
                                       self->by_best, self->by_tree, err);
cleanup:
    return status;
}
