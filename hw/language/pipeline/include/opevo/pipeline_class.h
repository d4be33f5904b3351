/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pipelines for classes of computations. */

#ifndef OPEVO_PIPELINE_CLASS_H
#define OPEVO_PIPELINE_CLASS_H

#include <opevo/computation_class.h>
#include <opevo/pipeline.h>

OPEVO_BEGIN_C

/* The schedule of a member for the whole class: its steps on the largest member, whose ranges are
 * arguments of the kernels, with the tile sizes that they have on the member. The class is
 * borrowed.
 * Errors: INVALID for a pipeline that is not of a member's computation, or whose steps merge or
 * divide a dimension of the class; LIMIT; NOMEM. */
opevo_status opevo_pipeline_for_class(const opevo_pipeline *member, const opevo_class *of,
                                      opevo_pipeline **out, opevo_error *err);
/* The arguments of its kernels, OPEVO_KERNEL_ARGUMENTS at most, for the numbers of a member; how
 * many. Hook of tests. */
int opevo_class_arguments(const opevo_class *of, const int64_t *numbers, int64_t *arguments);

OPEVO_END_C

#endif
