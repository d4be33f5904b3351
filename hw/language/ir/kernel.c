/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dialects by name; launches and memory of a kernel. */

#include <opevo/kernel.h>

#include <stdio.h>
#include <string.h>

const char *opevo_kernel_dialect_name(opevo_kernel_dialect dialect)
{
    static const char *const names[OPEVO_KERNEL_COUNT] = {
#define DIALECT_NAME(suffix, name, meaning) name,
        OPEVO_KERNEL_DIALECT_LIST(DIALECT_NAME)
#undef DIALECT_NAME
    };

    return names[dialect];
}

bool opevo_kernel_dialect_find(const char *name, opevo_kernel_dialect *out)
{
    for (int i = 0; i < OPEVO_KERNEL_COUNT; i++) {
        if (!strcmp(name, opevo_kernel_dialect_name((opevo_kernel_dialect)i))) {
            *out = (opevo_kernel_dialect)i;
            return true;
        }
    }
    return false;
}

const char *opevo_kernel_type_text(opevo_element element)
{
    static const char *const names[] = {[OPEVO_FLOAT32] = "float",
                                        [OPEVO_FLOAT16] = "unsigned short",
                                        [OPEVO_BFLOAT16] = "unsigned short",
                                        [OPEVO_INT8] = "signed char",
                                        [OPEVO_INT32] = "int"};

    return names[element];
}

void opevo_kernel_rename(opevo_kernel *kernel, const char *from, const char *entry)
{
    const char *at = opevo_text_string(&kernel->source);
    opevo_text named = {0};

    for (const char *found = strstr(at, from); found; found = strstr(at, from)) {
        opevo_text_add_bytes(&named, at, (size_t)(found - at));
        opevo_text_add(&named, entry);
        at = found + strlen(from);
    }
    opevo_text_add(&named, at);
    named.failed |= kernel->source.failed;
    opevo_text_free(&kernel->source);
    kernel->source = named;
    snprintf(kernel->entry, sizeof kernel->entry, "%s", entry);
}

void opevo_kernel_pack_name(const opevo_kernel *kernel, int operand, char *out)
{
    snprintf(out, OPEVO_KERNEL_NAME, "%s_pack_%c", kernel->entry, 'a' + operand);
}

opevo_launch opevo_kernel_launch(const opevo_kernel *kernel, int number)
{
    opevo_launch first = {.dynamic_shared_bytes = kernel->dynamic_shared_bytes};

    if (number)
        return kernel->then[number - 1];
    memcpy(first.grid, kernel->grid, sizeof first.grid);
    memcpy(first.block, kernel->block, sizeof first.block);
    return first;
}

opevo_launch opevo_kernel_launch_for(const opevo_kernel *kernel, int number,
                                     const int64_t *arguments)
{
    opevo_launch launch = opevo_kernel_launch(kernel, number);

    for (int i = 0; i < 3; i++) {
        const opevo_kernel_count *one = &kernel->count[number][i];

        if (one->tile)
            launch.grid[i] =
                (uint32_t)(one->per * ((arguments[one->argument] + one->tile - 1) / one->tile));
    }
    return launch;
}

void opevo_kernel_launch_name(const opevo_kernel *kernel, int number, char *out)
{
    if (number)
        snprintf(out, OPEVO_KERNEL_NAME, "%s_%d", kernel->entry, number + 1);
    else
        snprintf(out, OPEVO_KERNEL_NAME, "%s", kernel->entry);
}

uint64_t opevo_kernel_scratch_bytes(const opevo_kernel *kernel, uint64_t threads)
{
    return kernel->scratch_bytes + threads * kernel->thread_scratch_bytes;
}

void opevo_kernel_free(opevo_kernel *kernel)
{
    opevo_text_free(&kernel->source);
    opevo_text_free(&kernel->options);
    opevo_text_free(&kernel->values);
    *kernel = (opevo_kernel){0};
}
