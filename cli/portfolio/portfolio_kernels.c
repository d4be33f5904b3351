/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels of a portfolio: of each workload that a device measured a folder, as opevo tune
 * --emit writes it, with the configuration that the portfolio has for it; one Makefile that builds
 * and checks all of them, and for kernels in C a function that calls them. */

#include "portfolio_cli_internal.h"

#include "emitted_files_internal.h"
#include "objective_spec_internal.h"
#include "portfolio_dispatch_internal.h"

#include <opevo/export.h>
#include <opevo/file.h>
#include <opevo/kernel.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/workload.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    const opevo_i_cli_portfolio *portfolio;
    const opevo_call *call;
    const char *folder;
    size_t written;
    bool alike;                   /* all kernels are of one kind, and take dense arrays */
    opevo_kernel_dialect dialect; /* of the first */
    opevo_i_cli_portfolio_opencl opencl;
    opevo_i_cli_portfolio_gpu gpu;
    opevo_text folders;         /* words of the Makefile */
    opevo_text includes, calls; /* of kernels.c */
    opevo_text scratch, shapes; /* likewise */
} writer;

/* The configuration of the portfolio that is best for the workload; NULL if none succeeded. */
static const char *configuration_of(const opevo_i_cli_portfolio *self, size_t workload)
{
    size_t which = 0, column = 0;

    opevo_portfolio_best(&self->matrix, workload, self->portfolio.chosen, self->portfolio.count,
                         &which);
    column = self->portfolio.chosen[which];
    return self->matrix.regret[workload * self->matrix.configurations + column] < 1
               ? self->configurations[column]
               : NULL;
}

/* The mean of its successes there. */
static double fitness_of(const opevo_i_cli_portfolio *self, size_t workload,
                         const char *configuration)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < self->cell_count; i++) {
        const opevo_i_cli_portfolio_cell *cell = &self->cells[i];

        if (cell->workload != workload || !(cell->fitness > 0) ||
            strcmp(cell->configuration, configuration) != 0)
            continue;
        sum += cell->fitness;
        count++;
    }
    return sum / (double)count;
}

static bool is_opencl(const writer *self)
{
    return self->dialect == OPEVO_KERNEL_OPENCL || self->dialect == OPEVO_KERNEL_OPENCL_CPU;
}

static bool is_gpu(const writer *self)
{
    return self->dialect == OPEVO_KERNEL_CUDA || self->dialect == OPEVO_KERNEL_HIP;
}

/* A case of the functions in kernels.c. */
static void add_call(writer *self, size_t workload, const opevo_kernel *kernel,
                     const opevo_workload *work)
{
    char name[sizeof kernel->entry];

    for (size_t i = 0; i < sizeof name; i++) {
        char one = kernel->entry[i];

        name[i] = (char)(one >= 'a' && one <= 'z' ? one - 'a' + 'A' : one);
    }
    opevo_text_printf(&self->includes, "#include \"kernel-%zu/kernel.h\"\n", workload);
    opevo_text_printf(&self->calls, "    case %zu:\n        %s(", workload, kernel->entry);
    for (int i = 0; i < work->list.count; i++)
        opevo_text_printf(&self->calls, "arrays[%d], ", i);
    opevo_text_add(&self->calls, "scratch);\n        return 0;\n");
    opevo_text_printf(&self->scratch, "    case %zu: return %s_SCRATCH_BYTES(threads);\n", workload,
                      name);
}

/* A line of the function that finds a workload by its numbers. */
static void add_shape(writer *self, size_t workload)
{
    const opevo_i_cli_portfolio *from = self->portfolio;

    opevo_text_add(&self->shapes, "    if (");
    for (size_t i = 0; i < from->features; i++) {
        opevo_text_printf(&self->shapes, "%snumbers[%zu] == ", i ? " && " : "", i);
        opevo_text_add_double(&self->shapes, from->numbers[workload * from->features + i]);
    }
    opevo_text_printf(&self->shapes, ")\n        return %zu;\n", workload);
}

static opevo_status describe(writer *self, size_t workload, const opevo_kernel_maker *maker,
                             opevo_index point, opevo_error *err)
{
    opevo_kernel kernel = {.dialect = maker->dialect};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_workload *work = NULL;
    opevo_text why = {0};
    opevo_status status = OPEVO_OK;

    if (self->written == 0)
        self->dialect = maker->dialect;
    self->alike = self->alike && maker->computation && maker->dialect == self->dialect;
    if (!self->alike)
        return OPEVO_OK;
    OPEVO_TRY(maker->ops->make(maker, point, &kernel, &refused, &why, err));
    if (refused != OPEVO_OUTCOME_OK)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "workload %zu gives no kernel: %s.", workload,
                             opevo_text_string(&why)));
    OPEVO_TRY(opevo_workload_create(maker->computation, &work, err));
    for (int i = 0; i < work->list.count; i++)
        self->alike = self->alike && !kernel.packed[i];
    if (is_opencl(self))
        opevo_i_cli_portfolio_opencl_add(&self->opencl, workload, &kernel, work->list.count);
    else if (is_gpu(self))
        opevo_i_cli_portfolio_gpu_add(&self->gpu, workload, &kernel, work->list.count);
    else
        add_call(self, workload, &kernel, work);
    if (self->portfolio->features)
        add_shape(self, workload);
cleanup:
    opevo_workload_destroy(work);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return status;
}

static opevo_status write_kernel(writer *self, size_t workload, const char *configuration,
                                 opevo_error *err)
{
    const opevo_i_cli_portfolio_workload *row = &self->portfolio->workloads[workload];
    const opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    opevo_text folder = {0};
    opevo_index point = 0;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&folder, "%s/kernel-%zu", self->folder, workload);
    OPEVO_TRY(opevo_text_check(&folder, err));
    OPEVO_TRY(opevo_i_cli_objective_of(row->what, row->on, *row->space ? row->space : NULL,
                                       &objective, err));
    maker = opevo_live_maker(objective);
    if (!maker || (!maker->ops->file_name && !opevo_export_name(maker->dialect, 0)))
        goto cleanup; /* such kernels have no folders */
    OPEVO_TRY(opevo_space_read(
        objective->space, opevo_i_cli_portfolio_text_on(self->portfolio, workload, configuration),
        &point, err));
    OPEVO_TRY(opevo_i_cli_kernel_files_prepare(self->call, folder.data, objective, err));
    OPEVO_TRY(opevo_i_cli_kernel_files_write(folder.data, row->on, objective, point,
                                             fitness_of(self->portfolio, workload, configuration),
                                             err));
    OPEVO_TRY(describe(self, workload, maker, point, err));
    opevo_text_printf(&self->folders, " kernel-%zu", workload);
    self->written++;
cleanup:
    opevo_objective_destroy(objective);
    opevo_text_free(&folder);
    return status;
}

/* ---- The files beside the folders ----------------------------------------------------------- */

static void print_makefile(const writer *self, opevo_text *out)
{
    opevo_text_printf(out,
                      "# make builds each kernel with its program, make check runs these.\n"
                      "KERNELS =%s\n\n"
                      "all: $(KERNELS:=/kernel)%s\n\n"
                      "$(KERNELS:=/kernel): FORCE\n"
                      "\t$(MAKE) -C $(@D) kernel\n\n"
                      "check: all\n"
                      "\tset -e; for one in $(KERNELS); do (cd $$one && ./kernel); done\n\n",
                      opevo_text_string(&self->folders), self->alike ? " libportfolio.a" : "");
    if (self->alike && is_gpu(self))
        opevo_i_cli_portfolio_gpu_rules(self->dialect, out);
    else if (self->alike && is_opencl(self))
        opevo_text_add(out, "libportfolio.a: kernels.o\n\t$(AR) rcs $@ $^\n\n");
    else if (self->alike)
        opevo_text_add(out, "libportfolio.a: kernels.o $(KERNELS:=/kernel.o)\n"
                            "\t$(AR) rcs $@ $^\n\n"
                            "$(KERNELS:=/kernel.o): FORCE\n"
                            "\t$(MAKE) -C $(@D) kernel.o\n\n");
    opevo_text_add(out, "FORCE:\n.PHONY: all check FORCE\n");
}

static void print_header(const writer *self, opevo_text *out)
{
    if (is_opencl(self)) {
        opevo_i_cli_portfolio_opencl_header(self->shapes.length > 0, out);
        return;
    }
    if (is_gpu(self)) {
        opevo_i_cli_portfolio_gpu_header(self->dialect, self->shapes.length > 0, out);
        return;
    }
    opevo_text_add(out, "/* The kernels of a portfolio, by opevo portfolio. kernel-W/kernel.h "
                        "describes the arrays\n * of workload W. */\n\n"
                        "#ifndef OPEVO_PORTFOLIO_KERNELS_H\n#define OPEVO_PORTFOLIO_KERNELS_H\n\n"
                        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (self->shapes.length)
        opevo_text_add(out, "/* The workload with these numbers; -1: none has them. */\n"
                            "int portfolio_workload(const double *numbers);\n");
    opevo_text_add(out, "/* Bytes of scratch memory of a call on so many threads; -1: no kernel. "
                        "*/\nlong long portfolio_scratch_bytes(int workload, int threads);\n"
                        "/* Run the kernel of a workload on arrays in the order of its kernel.h. "
                        "0, or -1: it has none. */\n"
                        "int portfolio_run(int workload, void *const *arrays, float *scratch);\n\n"
                        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void print_source(const writer *self, opevo_text *out)
{
    if (is_opencl(self)) {
        opevo_i_cli_portfolio_opencl_source(&self->opencl, opevo_text_string(&self->shapes), out);
        return;
    }
    if (is_gpu(self)) {
        opevo_i_cli_portfolio_gpu_source(&self->gpu, self->dialect,
                                         opevo_text_string(&self->shapes), out);
        return;
    }
    opevo_text_printf(out, "#include \"kernels.h\"\n\n%s\n", opevo_text_string(&self->includes));
    if (self->shapes.length)
        opevo_text_printf(
            out, "int portfolio_workload(const double *numbers)\n{\n%s    return -1;\n}\n\n",
            opevo_text_string(&self->shapes));
    opevo_text_printf(out,
                      "long long portfolio_scratch_bytes(int workload, int threads)\n{\n"
                      "    (void)threads;\n    switch (workload) {\n%s    default: return -1;\n"
                      "    }\n}\n\n"
                      "int portfolio_run(int workload, void *const *arrays, float *scratch)\n{\n"
                      "    switch (workload) {\n%s    default:\n        return -1;\n    }\n}\n",
                      opevo_text_string(&self->scratch), opevo_text_string(&self->calls));
}

static opevo_status write_text(const writer *self, const char *name,
                               void (*print)(const writer *self, opevo_text *out), opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    print(self, &text);
    status = opevo_file_write_in(self->folder, name, &text, err);
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_cli_portfolio_kernels(const opevo_call *call,
                                           const opevo_i_cli_portfolio *portfolio,
                                           const char *folder, size_t *written, opevo_error *err)
{
    writer self = {.portfolio = portfolio, .call = call, .folder = folder, .alike = true};
    opevo_status status = OPEVO_OK;

    for (size_t w = 0; w < portfolio->workload_count; w++) {
        const opevo_i_cli_portfolio_workload *row = &portfolio->workloads[w];
        const char *configuration = configuration_of(portfolio, w);

        if (configuration && row->on && row->what && *row->what && opevo_live_is_device(row->on))
            OPEVO_TRY(write_kernel(&self, w, configuration, err));
    }
    *written = self.written;
    if (!self.written)
        goto cleanup;
    OPEVO_TRY(write_text(&self, "Makefile", print_makefile, err));
    if (self.alike)
        OPEVO_TRY(write_text(&self, "kernels.h", print_header, err));
    if (self.alike)
        OPEVO_TRY(write_text(&self,
                             self.dialect == OPEVO_KERNEL_CUDA  ? "kernels.cu"
                             : self.dialect == OPEVO_KERNEL_HIP ? "kernels.hip.cpp"
                                                                : "kernels.c",
                             print_source, err));
cleanup:
    opevo_i_cli_portfolio_opencl_free(&self.opencl);
    opevo_i_cli_portfolio_gpu_free(&self.gpu);
    opevo_text_free(&self.folders);
    opevo_text_free(&self.includes);
    opevo_text_free(&self.calls);
    opevo_text_free(&self.scratch);
    opevo_text_free(&self.shapes);
    return status;
}
