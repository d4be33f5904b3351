/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries of networks for GPUs in a folder, built and run on the CPU by their emulation. */

#ifndef OPEVO_TESTS_GPU_LIBRARIES_H
#define OPEVO_TESTS_GPU_LIBRARIES_H

#include "library_networks.h"

#include <opevo/network_library.h>
#include <opevo/sketch.h>

#include <sys/stat.h>

static const char folder[] = "network_gpu_test";
static const char *const emulate[] = {
    "make", "-s", "-j2", "-C", folder, "emulate", "CFLAGS=-O1 -Wall -Wextra -Werror", NULL};
/* Plans and kernels are spoilt faster than some file systems' times of files advance. */
static const char *const build[] = {"make",
                                    "-s",
                                    "-j2",
                                    "-W",
                                    "net.c",
                                    "-W",
                                    "kernel_000.cu",
                                    "-C",
                                    folder,
                                    "net_emulated",
                                    "CFLAGS=-O1 -Wall -Wextra -Werror",
                                    NULL};
static const char *const build_plan[] = {
    "make", "-s", "-W", "net.c", "-C", folder, "net_emulated", "CFLAGS=-O0 -Wall -Wextra -Werror",
    NULL};
static const char *const check[] = {"network_gpu_test/net_emulated", "--data", folder, NULL};

/* A point of the space that the constraints allow; false where none was drawn. */
static inline bool draw_point(const opevo_space *space, opevo_index *out)
{
    opevo_index vertex[OPEVO_SPACE_PARAMETERS_MAX];

    for (int tries = 0; tries < 5000; tries++) {
        for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
            vertex[i] = OPEVO_INACTIVE;
            if (opevo_space_is_active(space, i, vertex))
                vertex[i] = opevo_parameter_size(opevo_space_parameter(space, i)) *
                                (opevo_index)draw(&network_seed, 1 << 20) >>
                            20;
        }
        *out = opevo_space_encode(space, vertex);
        if (opevo_space_allows(space, *out))
            return true;
    }
    return false;
}

/* As after tuning: other kernels for the tasks, of random points. */
static inline int choose_kernels(opevo_network_library *library, opevo_kernel_dialect dialect)
{
    const opevo_sketch_target target = {.dialect = dialect, .cores = 1, .threads = 1};
    int chosen = 0;

    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_kernel *task = opevo_network_library_task(library, t);
        opevo_kernel_maker *maker = NULL;
        opevo_index point = 0;

        CHECK_OK(
            opevo_sketches_open(opevo_computation_share(task->computation), &target, &maker, &err));
        if (draw_point(maker->space, &point))
            chosen +=
                opevo_network_library_choose(library, t, maker, point, 1e-6, NULL) == OPEVO_OK;
        maker->ops->destroy(maker);
    }
    return chosen;
}

/* How many of its kernels are plain loops. Chosen: how many have kernels of random points; NULL for
 * those of analytic starts. */
static inline int write_chosen(const opevo_network_inference *inference,
                               opevo_kernel_dialect dialect, int *chosen)
{
    const opevo_network_library_options options = {
        .dialect = dialect, .threads = 1, .seed = 5, .model = "a */ test\n", .version = "0"};
    opevo_network_library *library = NULL;
    opevo_network_library_sizes sizes = {0};
    int plain = 0;

    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    CHECK_OK(opevo_network_library_create(inference, &options, &library, &err));
    if (chosen)
        *chosen += choose_kernels(library, dialect);
    CHECK_OK(opevo_network_library_write(library, folder, &sizes, &err));
    assert_true((double)sizes.arena_bytes <= 1.2 * (double)sizes.peak_bytes);
    for (int t = 0; t < opevo_network_library_tasks(library); t++)
        plain += opevo_network_library_task(library, t)->fallback != NULL;
    opevo_network_library_destroy(library);
    return plain;
}

static inline int write_library(const opevo_network_inference *inference,
                                opevo_kernel_dialect dialect)
{
    return write_chosen(inference, dialect, NULL);
}

static inline char *read_file(const char *name, size_t *size)
{
    char path[256], *data = calloc(1, 1 << 20);
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_true(data && file);
    *size = fread(data, 1, (1 << 20) - 1, file);
    fclose(file);
    return data;
}

static inline void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Convolutions, a residual, element-wise steps in place and parts that are moved; no scratch
 * memory. */
static inline void draw_moving_network(network_draw *self)
{
    const int64_t size[] = {1, 3, 6, 5}, joined[] = {1, 16, 6, 5};
    int from = 0, parts[2], value = 0;

    network_start(self);
    from = network_input(self, 4, size);
    from = add_convolution(self, from, 8, -1);
    value = add_convolution(self, from, 8, -1);
    from = add_element_wise(self, add_convolution(self, value, 8, from), "X0[0,c,y,x]*2 + 1");
    for (int i = 0; i < 2; i++)
        parts[i] = from;
    value = network_view(self, network_join(self, parts, 2), 4, joined);
    network_output(self, add_element_wise(self, value, "X0[0,c,y,x] - 3"));
}

#endif
