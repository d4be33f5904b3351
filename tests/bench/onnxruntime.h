/* SPDX-License-Identifier: GPL-3.0-or-later */

/* ONNX Runtime without its headers: opened where OPEVO_ONNXRUNTIME names its library. */

#ifndef OPEVO_TESTS_ONNXRUNTIME_H
#define OPEVO_TESTS_ONNXRUNTIME_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Entries of OrtApi by their place, which versions keep. */
typedef struct onnxruntime {
    void *unused_0[2];
    const char *(*get_error_message)(const void *status);
    void *(*create_env)(int level, const char *name, void **out);
    void *unused_4[4];
    void *(*create_session_from_array)(void *env, const void *model, size_t bytes, void *options,
                                       void **out);
    void *(*run)(void *session, void *options, const char *const *input_names,
                 const void *const *inputs, size_t input_count, const char *const *output_names,
                 size_t output_count, void **outputs);
    void *(*create_session_options)(void **out);
    void *unused_11[13];
    void *(*set_intra_op_threads)(void *options, int threads);
    void *unused_25[24];
    void *(*create_tensor_with_data)(void *memory, void *data, size_t bytes, const int64_t *shape,
                                     size_t dims, int type, void **out);
    void *unused_50[19];
    void *(*create_cpu_memory_info)(int allocator, int type, void **out);
} onnxruntime;

enum { ONNXRUNTIME_API = 16, ONNXRUNTIME_FLOAT = 1 };

/* Opened once; NULL without it. Sessions stay until the program ends. */
static inline const onnxruntime *onnxruntime_open(void)
{
    static const onnxruntime *found;
    const char *path = getenv("OPEVO_ONNXRUNTIME");
    void *handle = !found && path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const struct {
        const onnxruntime *(*get_api)(uint32_t version);
    } *base = NULL;
    const void *(*get_base)(void) = NULL;

    if (handle)
        *(void **)&get_base = dlsym(handle, "OrtGetApiBase");
    if (get_base) {
        base = get_base();
        found = base->get_api(ONNXRUNTIME_API);
    }
    if (path && *path && !found)
        fprintf(stderr, "OPEVO_ONNXRUNTIME: %s is not ONNX Runtime.\n", path);
    return found;
}

static inline bool onnxruntime_works(const onnxruntime *ort, const void *status)
{
    if (status)
        fprintf(stderr, "ONNX Runtime: %s\n", ort->get_error_message(status));
    return !status;
}

#endif
