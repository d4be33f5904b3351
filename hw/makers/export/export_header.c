/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The header beside a kernel: what a program in C or C++ needs to call or launch it. */

#include <opevo/text_fill.h>

#include <ctype.h>
#include <stdio.h>

#include "export_internal.h"

enum { NUMBERS = 64 };

typedef struct header {
    opevo_text *out;
    const opevo_kernel *kernel;
    const opevo_workload *work;
    char name[sizeof((opevo_kernel){0}.entry)]; /* of the kernel in capitals */
} header;

static void to_capitals(const char *text, char *out, size_t size)
{
    size_t i = 0;

    for (; text[i] && i + 1 < size; i++)
        out[i] = (char)toupper((unsigned char)text[i]);
    out[i] = '\0';
}

static void add_launch(const header *self, int number)
{
    opevo_launch one = opevo_kernel_launch(self->kernel, number);
    char name[OPEVO_KERNEL_NAME], grid[NUMBERS], block[NUMBERS], shared[NUMBERS];

    snprintf(name, sizeof name, number ? "%s_%d" : "%s", self->name, number + 1);
    snprintf(grid, sizeof grid, "%u, %u, %u", one.grid[0], one.grid[1], one.grid[2]);
    snprintf(block, sizeof block, "%u, %u, %u", one.block[0], one.block[1], one.block[2]);
    snprintf(shared, sizeof shared, "%u", one.dynamic_shared_bytes);
    opevo_text_fill(
        self->out, opevo_i_export_header_launch,
        (opevo_text_slot[]){{"NAME", name}, {"grid", grid}, {"block", block}, {"shared", shared}},
        4);
}

/* The scratch memory of a kernel on a CPU, the launches of one on a GPU. */
static void add_macros(const header *self)
{
    const opevo_kernel *kernel = self->kernel;
    char shared[NUMBERS], each[NUMBERS];

    snprintf(shared, sizeof shared, "%llu", (unsigned long long)kernel->scratch_bytes);
    snprintf(each, sizeof each, "%llu", (unsigned long long)kernel->thread_scratch_bytes);
    if (kernel->dialect == OPEVO_KERNEL_C) {
        opevo_text_fill(
            self->out, opevo_i_export_header_scratch,
            (opevo_text_slot[]){{"NAME", self->name}, {"shared", shared}, {"each", each}}, 3);
        return;
    }
    opevo_text_printf(self->out, "/* %s: <<<dim3(GRID), dim3(BLOCK), SHARED_BYTES>>>. */\n",
                      kernel->more ? "The launches of one execution, in this order" : "The launch");
    for (int i = 0; i <= kernel->more; i++)
        add_launch(self, i);
    if (kernel->scratch_bytes)
        opevo_text_printf(self->out, "#define %s_SCRATCH_BYTES %sLL\n", self->name, shared);
}

/* "a: 512 x 1024" for each operand. */
static void add_operands(const header *self)
{
    for (int i = 0; i < self->work->list.count; i++) {
        const opevo_workload_operand *one = &self->work->list.item[i];

        opevo_text_printf(self->out, " *   x_%s", one->name);
        for (int d = 0; d < one->dims; d++)
            opevo_text_printf(self->out, "%s%lld", d ? " x " : "  ", (long long)one->extent[d]);
        opevo_text_printf(self->out, "%s, %s\n", one->dims ? "" : "  1",
                          opevo_element_name(one->element));
    }
}

static void add_prototype(const header *self, int launch)
{
    const opevo_kernel *kernel = self->kernel;
    const opevo_workload_list *list = &self->work->list;
    bool cpu = kernel->dialect == OPEVO_KERNEL_C;
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_launch_name(kernel, launch, name);
    opevo_text_printf(self->out, "%svoid %s(", cpu ? "" : "__global__ ", name);
    for (int i = 0; i < list->count; i++)
        opevo_text_printf(self->out, "%s%s%s *x_%s%s", i ? ", " : "",
                          i < list->inputs ? "const " : "",
                          opevo_kernel_type_text(list->item[i].element), list->item[i].name,
                          opevo_i_export_is_packed(kernel, i) ? "_packed" : "");
    opevo_text_add(self->out, cpu || kernel->scratch_bytes ? ", float *scratch);\n" : ");\n");
}

/* The function that packs a constant, and the memory that it then takes. */
static void add_packer(const header *self, int operand)
{
    const opevo_workload_operand *item = &self->work->list.item[operand];
    char pack[OPEVO_KERNEL_NAME], bytes[NUMBERS];
    char name[OPEVO_COMPUTATION_NAME + 3], capitals[OPEVO_COMPUTATION_NAME + 3];

    opevo_kernel_pack_name(self->kernel, operand, pack);
    snprintf(name, sizeof name, "x_%s", item->name);
    to_capitals(name, capitals, sizeof capitals);
    snprintf(bytes, sizeof bytes, "%llu",
             (unsigned long long)self->kernel->packed[operand] *
                 (unsigned long long)opevo_element_bytes(item->element));
    opevo_text_fill(self->out, opevo_i_export_header_pack,
                    (opevo_text_slot[]){{"NAME", self->name},
                                        {"OPERAND", capitals},
                                        {"operand", name},
                                        {"bytes", bytes},
                                        {"pack", pack},
                                        {"type", opevo_kernel_type_text(item->element)}},
                    6);
}

static void add_functions(const header *self)
{
    if (opevo_i_export_is_opencl(self->kernel)) /* found by its name */
        return;
    for (int i = 0; i <= self->kernel->more; i++)
        add_prototype(self, i);
    for (int i = 0; i < self->work->list.inputs; i++) {
        if (opevo_i_export_is_packed(self->kernel, i))
            add_packer(self, i);
    }
}

void opevo_i_export_header(opevo_text *out, const opevo_kernel *kernel, const opevo_workload *work)
{
    opevo_text macros = {0}, operands = {0}, functions = {0};
    header self = {.kernel = kernel, .work = work};

    to_capitals(kernel->entry, self.name, sizeof self.name);
    self.out = &macros;
    add_macros(&self);
    self.out = &operands;
    add_operands(&self);
    self.out = &functions;
    add_functions(&self);
    opevo_text_fill(
        out, opevo_i_export_header_text,
        (opevo_text_slot[]){
            {"NAME", self.name},
            {"macros", opevo_text_string(&macros)},
            {"bits", opevo_i_export_is_typed(work->computation)
                         ? " (those of float16 and bfloat16 hold their bits)"
                         : " of float"},
            {"operands", opevo_text_string(&operands)},
            {"scratch", kernel->dialect == OPEVO_KERNEL_C ? opevo_i_export_header_calls : ""},
            {"functions", opevo_text_string(&functions)}},
        6);
    out->failed |= macros.failed || operands.failed || functions.failed;
    opevo_text_free(&macros);
    opevo_text_free(&operands);
    opevo_text_free(&functions);
}
