/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers that kernels for GPUs count with: where indices, conditions, whole numbers or loops leave
 * int, all are of long long. CUDA text is run here as C++, one thread after the other, and the
 * emulation counts in the same type. */

#include "cxx_fixture.h"
#include "pipeline_fixture.h"

#define ONE_LAUNCH "split C i 256\nannotate C i.0 block.x\nannotate C i.1 thread.x\n"

typedef struct example {
    const char *computation, *steps;
} example;

/* Each wraps in int: a whole number, the inside of a quotient, of a remainder, a condition, a whole
 * number of int32 and one behind a quotient, and an index of many terms that cancel. */
static const example large[] = {
    {"C[i:100000] = i*100000", ONE_LAUNCH},
    {"A[k:1000]; C[i:100000] = A[((i*100000)//99)%1000]", ONE_LAUNCH},
    {"A[k:1000]; C[i:100000] = A[(i*100003)%1000]", ONE_LAUNCH},
    {"A[k:3]; C[i:100000] = select(i*100000 - 5000000000 < 0, A[0], A[1])", ONE_LAUNCH},
    {"int32 C[i:100000] = (i*99991)//9973", ONE_LAUNCH},
    {"A[k:1000]; C[i:100000] = A[i%1000]*(i*40000 - (i//2)*80000)", ONE_LAUNCH},
};

/* ---- Run ---- */

/* A launch without barriers, as C++. */
static void *load_as_cxx(const opevo_kernel *kernel, int operands)
{
    static const char *const compiler[] = {"c++",   "-x",      "c++", "-std=c++14", "-O1",
                                           "-fPIC", "-shared", "-w",  NULL};
    opevo_text all = {0};
    void *handle = NULL;

    assert_int_equal(kernel->more, 0);
    opevo_text_add(&all, cxx_words);
    opevo_text_add(&all, "struct any {\n    void *at;\n    template <class T> operator T *() const "
                         "{ return (T *)at; }\n};\n");
    opevo_text_add(&all, opevo_text_string(&kernel->source));
    opevo_text_add(&all, "extern \"C\" void run(void **a)\n{\n");
    opevo_text_printf(&all, "for (blockIdx.x = 0; blockIdx.x < %uu; blockIdx.x++)\n",
                      kernel->grid[0]);
    opevo_text_printf(&all, "for (threadIdx.x = 0; threadIdx.x < %uu; threadIdx.x++)\n%s(",
                      kernel->block[0], kernel->entry);
    for (int i = 0; i < operands; i++)
        opevo_text_printf(&all, "%sany{a[%d]}", i ? ", " : "", i);
    opevo_text_add(&all, ");\n}\n");
    if (!source_build(compiler, opevo_text_string(&all), &handle))
        fail_msg("%s\n%s", program_output, opevo_text_string(&all));
    opevo_text_free(&all);
    return handle;
}

static void run_as_cxx(const example *one, opevo_kernel_dialect dialect)
{
    opevo_kernel kernel = emit_kernel_in(dialect, one->computation, one->steps);
    pipeline_case operands = case_make(one->computation, 1);
    void (*run)(void **) = NULL;
    void *handle = load_as_cxx(&kernel, operands.operands);
    void *memory[PIPELINE_OPERANDS];
    int last = operands.operands - 1;
    int64_t wrong = -1;

    *(void **)&run = dlsym(handle, "run");
    assert_non_null(run);
    for (int i = 0; i < operands.operands; i++)
        memory[i] = operands.memory[i].data;
    memset(memory[last], 0xff, operands.memory[last].bytes);
    run(memory);
    wrong = find_wrong(&operands, last);
    if (wrong >= 0)
        fail_msg("%s: element %lld\n%s", one->computation, (long long)wrong,
                 opevo_text_string(&kernel.source));
    dlclose(handle);
    case_release(&operands);
    opevo_kernel_free(&kernel);
}

CHECK_TEST(test_device_text)
{
    if (!has_cxx())
        CHECK_SKIP("no C++ compiler (Debian: g++)");
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        run_as_cxx(&large[i], i % 2 ? OPEVO_KERNEL_HIP : OPEVO_KERNEL_CUDA);
}

CHECK_TEST(test_emulation)
{
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        opevo_kernel kernel =
            emit_kernel_in(OPEVO_KERNEL_EMULATION, large[i].computation, large[i].steps);
        pipeline_case operands = case_make(large[i].computation, 1);

        case_run(&operands, &kernel, large[i].computation);
        case_free(&operands);
    }
    batch_run();
}

/* ---- Types ---- */

/* All loops and quotients are of one type: whether it is the wide one. */
static bool is_wide(const char *what, const char *steps, opevo_kernel_dialect dialect)
{
    opevo_kernel kernel = emit_kernel_in(dialect, what, steps);
    const char *text = opevo_text_string(&kernel.source);
    bool wide = strstr(text, dialect == OPEVO_KERNEL_OPENCL ? "(long v" : "long long v") != NULL;

    if (wide == (strstr(text, " int v") || strstr(text, "(int v") || strstr(text, "(unsigned)(")))
        fail_msg("%s\n%s%s", what, steps, text);
    opevo_kernel_free(&kernel);
    return wide;
}

/* Operands are small and so are tiles: the fused loop, its outer part or the number of an element
 * is not. The first that does not fit into int is 2^31. */
CHECK_TEST(test_extents)
{
    static const struct {
        const char *computation, *steps;
        bool wide;
    } cases[] = {
        {"C[i:4] = sum(j:70000, k:70000) 1", "fuse C j k\n", true},
        {"C[i:4] = sum(j:65536, k:32768) 1", "fuse C j k\n", true},
        {"C[i:4] = sum(j:2147483647) 1", "", false},
        {"C[i:4] = sum(j:3, k:715827882) 1", "fuse C j k\n", false},
        {"C[i:2] = i*2147483647", "", false},
        {"C[i:2] = i*2147483648", "", true},
        {"C[i:2] = i*2147483647 + 1", "", true},
        {"C[i:2] = 1 - i*2147483647", "", false},
        {"A[k:2]; C[i:2] = select(i*2147483648 == 0, A[0], A[1])", "", true},
        {"A[k:2]; C[i:2] = A[((i*2147483648)//9)%2]", "", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int d = OPEVO_KERNEL_CUDA; d < OPEVO_KERNEL_COUNT; d++) {
            if (opevo_kernel_is_for_cpu((opevo_kernel_dialect)d))
                continue; /* its words are those of C */
            if (is_wide(cases[i].computation, cases[i].steps, (opevo_kernel_dialect)d) !=
                cases[i].wide)
                fail_msg("%s in %s is not %s", cases[i].computation,
                         opevo_kernel_dialect_name((opevo_kernel_dialect)d),
                         cases[i].wide ? "wide" : "narrow");
        }
    }
}

/* As sketches fuse and split sums that threads share. */
CHECK_TEST(test_shared_sums)
{
    static const char *const split[] = {"1", "64", "1024"};

    for (size_t i = 0; i < sizeof split / sizeof *split; i++) {
        opevo_text steps = {0};

        opevo_text_printf(&steps, "fuse C j k\nsplit C j+k %s\nannotate C j+k.1 thread.x\n",
                          split[i]);
        assert_true(is_wide("A[i:4, j:70000]; B[k:70000]; C[i] = sum(j, k) A[i, j]*B[k]",
                            opevo_text_string(&steps), OPEVO_KERNEL_CUDA));
        assert_false(is_wide("A[i:4, j:7000]; B[k:7000]; C[i] = sum(j, k) A[i, j]*B[k]",
                             opevo_text_string(&steps), OPEVO_KERNEL_CUDA));
        opevo_text_free(&steps);
    }
}
