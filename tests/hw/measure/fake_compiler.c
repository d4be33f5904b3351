/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stands for libnvrtc and libhiprtc in tests: texts become images for this processor
 * (fake_kernel.c), or are their own where a comment fake:WORD says how they behave. */

#include "fake_gpu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_COMPILED = 6 };

static char compile_log[4096];

BOTH(int, nvrtcVersion, hiprtcVersion, (int *major, int *minor), (major, minor))
{
    *major = 12;
    *minor = 3;
    return 0;
}
typedef struct program {
    char *source, *image; /* image: once it is compiled */
    size_t bytes;
} program;

BOTH(int, nvrtcCreateProgram, hiprtcCreateProgram,
     (void **out, const char *source, const char *name, int count, const char *const *headers,
      const char *const *names),
     (out, source, name, count, headers, names))
{
    program *self = calloc(1, sizeof *self);

    (void)headers;
    (void)names;
    self->source = strdup(source);
    *out = self;
    return !name || count != 0;
}
/* An instance NAME<1, 2> is in C what is called NAME_1_2. */
BOTH(int, nvrtcAddNameExpression, hiprtcAddNameExpression,
     (const program *self, const char *expression), (self, expression))
{
    return self->image != NULL || !*expression;
}
BOTH(int, nvrtcGetLoweredName, hiprtcGetLoweredName,
     (const program *self, const char *expression, const char **name), (self, expression, name))
{
    static char lowered[256];
    size_t length = 0;

    for (const char *at = expression; *at && length < sizeof lowered - 1; at++) {
        if (isalnum((unsigned char)*at) || *at == '_')
            lowered[length++] = *at;
        else if (*at == '<' || *at == ',')
            lowered[length++] = '_';
    }
    lowered[length] = '\0';
    *name = lowered;
    return self->image == NULL;
}
static int compile(program *self, size_t shared_most)
{
    if (fake_behaves(self->source, "forever"))
        sleep(100);
    if (fake_behaves(self->source, "syntax"))
        snprintf(compile_log, sizeof compile_log, "kernel(1): error: no kernel at all\n");
    else if (fake_behaves(self->source, "") || fake_is_probe(self->source))
        self->image = strdup(self->source);
    else
        self->image = fake_kernel_compile(self->source, shared_most, &self->bytes, compile_log,
                                          sizeof compile_log);
    if (self->image && !self->bytes)
        self->bytes = strlen(self->image) + 1;
    return self->image ? 0 : NOT_COMPILED;
}

#define COMPILE(name, shared_most)                                                                 \
    int name(program *self, int count, const char *const *options);                                \
    int name(program *self, int count, const char *const *options)                                 \
    {                                                                                              \
        fake_note(count ? options[0] : "no options");                                              \
        return compile(self, shared_most);                                                         \
    }
COMPILE(nvrtcCompileProgram, FAKE_SHARED_CUDA)
COMPILE(hiprtcCompileProgram, FAKE_SHARED_HIP)

BOTH(int, nvrtcGetProgramLogSize, hiprtcGetProgramLogSize, (const program *self, size_t *bytes),
     (self, bytes))
{
    *bytes = strlen(compile_log) + 1;
    return self == NULL;
}
BOTH(int, nvrtcGetProgramLog, hiprtcGetProgramLog, (const program *self, char *text), (self, text))
{
    memcpy(text, compile_log, strlen(compile_log) + 1);
    return self == NULL;
}
BOTH(int, nvrtcGetCUBINSize, hiprtcGetCodeSize, (const program *self, size_t *bytes), (self, bytes))
{
    *bytes = self->bytes;
    return 0;
}
BOTH(int, nvrtcGetCUBIN, hiprtcGetCode, (const program *self, char *code), (self, code))
{
    memcpy(code, self->image, self->bytes);
    return 0;
}
BOTH(int, nvrtcDestroyProgram, hiprtcDestroyProgram, (program * *given), (given))
{
    free((*given)->source);
    free((*given)->image);
    free(*given);
    return 0;
}
