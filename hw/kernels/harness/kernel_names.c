/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names of sets, element types and verdicts. */

#include <opevo/kernel_harness.h>

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
