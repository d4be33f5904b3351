/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Templates: a space, and for each of its points a pipeline. docs/templates.md says what each does
 * and what its parameters mean. */

#ifndef OPEVO_TEMPLATE_H
#define OPEVO_TEMPLATE_H

#include <opevo/kernel.h>
#include <opevo/pipeline.h>

OPEVO_BEGIN_C

typedef struct opevo_template_info {
    const char *name;    /* as on the command line */
    const char *summary; /* one line */
    unsigned kinds;      /* of operators: bit 1 << OPEVO_MATMUL and so on */
    unsigned dialects;   /* bit 1 << OPEVO_KERNEL_C and so on */
} opevo_template_info;

size_t opevo_template_count(void);
const opevo_template_info *opevo_template_get(size_t i);

/* The template of that name for an operator and a dialect (NULL: the first of the table that fits
 * both, which is the paper's on a GPU). The caller destroys it by its ops. Errors: INVALID for an
 * unknown name, with the known ones, and for a template that does not fit operator or dialect;
 * LIMIT for tensors too large; NOMEM. Hook of tests. */
opevo_status opevo_template_open(const opevo_operator *op, const char *name,
                                 opevo_kernel_dialect dialect, opevo_kernel_maker **out,
                                 opevo_error *err);
/* The same for so many threads on a CPU. With more than one the space has a parameter `parallel`,
 * its last: which loop the threads divide. Errors: also INVALID for no thread, for more than
 * OPEVO_THREADS_MOST, and for more than one on a GPU. */
enum { OPEVO_THREADS_MOST = 1024 };
opevo_status opevo_template_open_threads(const opevo_operator *op, const char *name,
                                         opevo_kernel_dialect dialect, unsigned threads,
                                         opevo_kernel_maker **out, opevo_error *err);

/* Let the maker know only a part of its space: the same parameters by name, in the same order, with
 * fewer values or more constraints, on graphs of any kind. It owns `part` on success. Errors:
 * INVALID for another parameter or value, by name; NOMEM. Cost: one look at each value. */
opevo_status opevo_template_narrow(opevo_kernel_maker *maker, opevo_space *part, opevo_error *err);

/* The pipeline of a point of such a maker's space; the caller destroys it. A point that is not a
 * valid pipeline leaves *out NULL and says so in `why`. Errors: NOMEM. */
opevo_status opevo_template_pipeline(const opevo_kernel_maker *maker, opevo_index point,
                                     opevo_pipeline **out, opevo_text *why, opevo_error *err);

/* A point of such a maker's space whose pipeline is this one, step by step; of several any. The
 * search goes from `near` parameter by parameter, and may miss a point whose parameters have to
 * change together; *found is false then. Errors: NOMEM. Cost: a pipeline for each value of each
 * parameter, a few times. */
opevo_status opevo_template_find(const opevo_kernel_maker *maker, const opevo_pipeline *pipeline,
                                 opevo_index near, bool *found, opevo_index *point,
                                 opevo_error *err);

OPEVO_END_C

#endif
