/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law object: room for one probability a class, and what is asked of it. */

#include "law_internal.h"

#include <opevo/memory.h>

opevo_status opevo_i_law_allocate(opevo_law *law, size_t class_count, opevo_error *err)
{
    law->class_count = class_count;
    OPEVO_NEW_OR_RETURN(law->probability, class_count, "a law of %zu probabilities", class_count);
    return OPEVO_OK;
}

void opevo_law_destroy(opevo_law *law)
{
    if (!law)
        return;
    opevo_free(law->probability);
    opevo_free(law->class_of);
    opevo_free(law->representative);
    opevo_free(law->size);
    opevo_free(law->partitions);
    opevo_free(law);
}

/* ---- Reading a law ---- */

opevo_law_method opevo_law_get_method(const opevo_law *law)
{
    return law->method;
}

double opevo_law_bound(const opevo_law *law)
{
    return law->bound;
}

double opevo_law_q(const opevo_law *law)
{
    return law->q;
}

opevo_index opevo_law_start(const opevo_law *law)
{
    return law->start;
}

const opevo_parameter *opevo_law_parameter(const opevo_law *law)
{
    return law->parameter;
}

double opevo_law_probability(const opevo_law *law, opevo_index vertex)
{
    return law->probability[law->symmetry->class_of(law, vertex)];
}

size_t opevo_law_class_count(const opevo_law *law)
{
    return law->class_count;
}

opevo_law_class opevo_law_class_get(const opevo_law *law, size_t i)
{
    return law->symmetry->class_get(law, i);
}
