/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the stand-ins for a driver, for its compiler and for the libraries on top of it share. */

#ifndef OPEVO_TESTS_FAKE_GPU_H
#define OPEVO_TESTS_FAKE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Codes of both drivers. */
enum {
    FAKE_INVALID_VALUE = 1,
    FAKE_OUT_OF_MEMORY = 2,
    FAKE_NO_IMAGE = 200,
    FAKE_NOT_FOUND = 500,
    FAKE_NOT_READY = 600,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_OUT_OF_RESOURCES = 701,
    FAKE_LAUNCH_FAILED = 719
};

/* Bytes of shared memory of a block: in CUDA, of one that asks for no leave. */
enum { FAKE_SHARED_CUDA = 48 << 10, FAKE_SHARED_HIP = 64 << 10 };

/* A function that both drivers or compilers have, under two names. */
#define BOTH(type, cuda, hip, parameters, arguments)                                               \
    static type do_##cuda parameters;                                                              \
    type cuda parameters;                                                                          \
    type hip parameters;                                                                           \
    type cuda parameters                                                                           \
    {                                                                                              \
        return do_##cuda arguments;                                                                \
    }                                                                                              \
    type hip parameters                                                                            \
    {                                                                                              \
        return do_##cuda arguments;                                                                \
    }                                                                                              \
    static type do_##cuda parameters

/* "Device" memory as the process has it. */
void *fake_at(uint64_t address);
/* Append a line to the file FAKE_GPU_LOG, where that is set. */
void fake_note(const char *what);
/* Whether a comment fake:WORD in the text of a kernel begins with this word. */
bool fake_behaves(const char *kernel, const char *word);
/* Something was executed, which takes so many units of time. */
void fake_executed(unsigned units);

/* ---- Kernels that this processor runs (fake_kernel.c) ---- */

/* Compile CUDA or HIP text for a device whose blocks have so many bytes of static shared memory.
 * The image, of *bytes; NULL where the compiler refuses the text, with its words in `log`. */
char *fake_kernel_compile(const char *source, size_t shared_most, size_t *bytes, char *log,
                          size_t log_size);
/* An object from such an image; NULL for everything else. */
void *fake_kernel_load(const void *image);
struct fake_function;
/* NULL where it has no function of that name. */
const struct fake_function *fake_kernel_find(void *object, const char *name);

/* A variable of such an object, of *bytes; NULL for an unknown name. */
void *fake_kernel_variable(void *object, const char *name, size_t *bytes);

typedef struct fake_launch {
    unsigned grid[3], block[3], shared_bytes;
    void **arguments;
} fake_launch;
/* Run all threads, from the last to the first where the environment variable NET_REVERSED is set. A
 * block may have shared_most bytes of shared memory, static and dynamic. The driver's code; *units
 * are 1, and 1 for each warp of threads that wait for one another. */
int fake_kernel_launch(const struct fake_function *function, size_t shared_most,
                       const fake_launch *how, unsigned *units);

/* ---- Devices in trouble (fake_probe.c) ---- */

/* Whether the text is the worker's own kernel without a fault, which is run without being compiled,
 * because workers start often; not where the environment variable FAKE_GPU_PROBE is set. */
bool fake_is_probe(const char *source);
/* out[i] = FACTOR i + 1, with the factor of the text. */
void fake_run_probe(const char *source, const fake_launch *how);
/* The word in the file FAKE_GPU_SICK: "launch", no kernel is launched; "hang", none ends; "wrong",
 * none writes anything; "" without such a file. */
const char *fake_sickness(void);

#endif
