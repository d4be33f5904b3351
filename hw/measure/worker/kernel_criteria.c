/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria of kernels beside their time: build time, code size, energy, error, and what a driver
 * says of them. */

#include "kernel_criteria_internal.h"

#include <elf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool opevo_i_worker_kernel_criteria_read(const json_t *list, opevo_i_worker_kernel_criteria *out)
{
    *out = (opevo_i_worker_kernel_criteria){.count = 0};
    if (json_array_size(list) >= OPEVO_CRITERIA_MOST)
        return false;
    for (; out->count < json_array_size(list); out->count++) {
        const char *name = json_string_value(json_array_get(list, out->count));

        if (!name || !opevo_i_wire_kernel_criterion_find(name, &out->items[out->count]))
            return false;
    }
    return true;
}

double opevo_i_worker_code_bytes(const char *path)
{
    FILE *file = fopen(path, "re");
    Elf64_Ehdr head;
    double bytes = 0;
    bool good = file && fread(&head, sizeof head, 1, file) == 1 &&
                !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_ident[EI_CLASS] == ELFCLASS64 &&
                head.e_shentsize == sizeof(Elf64_Shdr) &&
                fseek(file, (long)head.e_shoff, SEEK_SET) == 0;

    for (int i = 0; good && i < head.e_shnum; i++) {
        Elf64_Shdr section;

        good = fread(&section, sizeof section, 1, file) == 1;
        if (good && section.sh_flags & SHF_EXECINSTR)
            bytes += (double)section.sh_size;
    }
    if (file)
        fclose(file);
    return good ? bytes : NAN;
}

static double known(double value)
{
    return value >= 0 ? value : NAN;
}

static double value_of(opevo_i_wire_kernel_criterion criterion, const char *object,
                       const opevo_i_wire_result *result)
{
    switch (criterion) {
    case OPEVO_I_BUILD_TIME:
        return result->object_s > 0 ? result->object_s : NAN;
    case OPEVO_I_CODE_SIZE:
        return object ? opevo_i_worker_code_bytes(object) : NAN;
    case OPEVO_I_ENERGY:
        return result->energy_j > 0 ? result->energy_j : NAN;
    case OPEVO_I_ERROR:
        return result->judged ? result->error : NAN;
    case OPEVO_I_REGISTERS:
        return result->used ? known(result->usage.registers) : NAN;
    case OPEVO_I_LOCAL_MEMORY:
        return result->used ? known(result->usage.local_bytes) : NAN;
    case OPEVO_I_OCCUPANCY:
        return result->used ? known(result->usage.resident) : NAN;
    case OPEVO_I_KERNEL_CRITERION_COUNT:
        break;
    }
    return NAN;
}

void opevo_i_worker_kernel_criteria_fill(const opevo_i_worker_kernel_criteria *self,
                                         const char *object, opevo_i_wire_result *result)
{
    for (size_t i = 0; i < self->count; i++)
        result->criteria[i] = value_of(self->items[i], object, result);
    result->criterion_count = self->count;
}
