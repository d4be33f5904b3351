/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names of sets, element types and verdicts; floats of all sizes. */

#include <opevo/kernel_harness.h>

#include <opevo/element.h>

#include <string.h>

const char *opevo_harness_set_name(opevo_harness_set set)
{
    static const char *const names[] = {
#define SET_NAME(suffix, text) text,
        OPEVO_HARNESS_SET_LIST(SET_NAME)
#undef SET_NAME
    };

    return names[set];
}

bool opevo_harness_set_of(const char *name, opevo_harness_set *out)
{
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
        if (!strcmp(name, opevo_harness_set_name(set))) {
            *out = set;
            return true;
        }
    }
    return false;
}

const char *opevo_kernel_element_name(opevo_kernel_element element)
{
    static const char *const names[] = {
#define ELEMENT_NAME(suffix, text, type) text,
        OPEVO_KERNEL_ELEMENT_LIST(ELEMENT_NAME)
#undef ELEMENT_NAME
    };

    return names[element];
}

size_t opevo_kernel_element_size(opevo_kernel_element element)
{
    static const size_t sizes[] = {
#define ELEMENT_SIZE(suffix, text, type) sizeof(type),
        OPEVO_KERNEL_ELEMENT_LIST(ELEMENT_SIZE)
#undef ELEMENT_SIZE
    };

    return sizes[element];
}

bool opevo_kernel_element_is_real(opevo_kernel_element element)
{
    return opevo_kernel_element_name(element)[0] == 'f';
}

double opevo_kernel_element_get(opevo_kernel_element element, const void *array, size_t i)
{
    if (element == OPEVO_KERNEL_ELEMENT_F64)
        return ((const double *)array)[i];
    return opevo_element_get(element == OPEVO_KERNEL_ELEMENT_F16 ? OPEVO_FLOAT16 : OPEVO_FLOAT32,
                             array, i);
}

void opevo_kernel_element_put(opevo_kernel_element element, void *array, size_t i, double value)
{
    if (element == OPEVO_KERNEL_ELEMENT_F64)
        ((double *)array)[i] = value;
    else
        opevo_element_put(element == OPEVO_KERNEL_ELEMENT_F16 ? OPEVO_FLOAT16 : OPEVO_FLOAT32,
                          array, i, value);
}

const char *opevo_kernel_verdict_name(opevo_kernel_verdict verdict)
{
    static const char *const names[] = {
#define VERDICT_NAME(suffix, text) text,
        OPEVO_VERDICT_LIST(VERDICT_NAME)
#undef VERDICT_NAME
    };

    return names[verdict];
}

void opevo_launcher_destroy(opevo_launcher *launcher)
{
    if (launcher)
        launcher->ops->destroy(launcher);
}
