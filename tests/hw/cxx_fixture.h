/* SPDX-License-Identifier: GPL-3.0-or-later */

/* CUDA and HIP text as C++, for a plain compiler. */

#ifndef OPEVO_TESTS_CXX_FIXTURE_H
#define OPEVO_TESTS_CXX_FIXTURE_H

#include "check.h"

#include "build_source.h"

#include <opevo/text.h>

/* Words of CUDA and HIP for a plain C++ compiler. */
static const char cxx_words[] =
    "#include <math.h>\n#define __global__\n#define __device__\n#define __shared__ static\n#define "
    "__launch_bounds__(n)\n"
    "#define __align__(n) __attribute__((aligned(n)))\n"
    "struct dim { unsigned x, y, z; };\nstatic dim blockIdx, threadIdx;\n"
    "struct int2 { int x, y; };\nstruct int4 { int x, y, z, w; };\n"
    "struct ushort2 { unsigned short x, y; };\nstruct ushort4 { unsigned short x, y, z, w; };\n"
    "struct char2 { signed char x, y; };\nstruct char4 { signed char x, y, z, w; };\n"
    "struct float2 { float x, y; };\nstruct float4 { float x, y, z, w; };\n"
    "inline void __syncthreads() {}\n"
    "inline float __int_as_float(int bits) { float x; __builtin_memcpy(&x, &bits, 4); return x; }\n"
    "inline void use() { blockIdx.x = threadIdx.x = 0; }\n";

static const char *const cxx[] = {"c++",
                                  "-x",
                                  "c++",
                                  "-std=c++14",
                                  "-fsyntax-only",
                                  "-Wall",
                                  "-Werror",
                                  "-Wno-unknown-pragmas",
                                  "-Wno-unused-function",
                                  "-Wno-unused-variable",
                                  NULL};

static inline bool has_cxx(void)
{
    return source_build(cxx, cxx_words, NULL);
}

static inline void cxx_check(const opevo_text *source, const char *what)
{
    opevo_text all = {0};

    opevo_text_add(&all, cxx_words);
    opevo_text_add(&all, opevo_text_string(source));
    if (!source_build(cxx, opevo_text_string(&all), NULL))
        fail_msg("%s is not valid C++:\n%s", what, opevo_text_string(source));
    opevo_text_free(&all);
}

#endif
