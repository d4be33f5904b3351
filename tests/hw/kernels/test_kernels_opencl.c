/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter and OpenCL: a module with every operation that is printed in OpenCL C, and random
 * variants of kernels, give the same bytes on the first device of OpenCL. OPEVO_TEST_POINTS sets
 * the number of variants. What cannot be printed is refused by name. */

#include "agree_fixture.h"

#include <opevo/gpu_launcher.h>

#include <unistd.h>

static const char *const names[] = {"matmul", "reduction", "stencil"};
enum { NAMES = sizeof names / sizeof *names, VARIANTS = 8 * NAMES };

/* NULL: no driver, or no device. */
static opevo_gpu *open_device(void)
{
    opevo_gpu_options options = {.timeout_s = 60};
    opevo_gpu *gpu = NULL;
    opevo_error err;

    return opevo_gpu_open("opencl:0", &options, &gpu, &err) == OPEVO_OK ? gpu : NULL;
}

static opevo_launcher *compile(void *machine, const opevo_variant *variant)
{
    opevo_launcher *launcher = NULL;
    opevo_text source = {0}, image = {0};

    CHECK_OK(opevo_variant_emit(variant, OPEVO_FORM_OPENCL, NULL, 0, &source, &err));
    CHECK_OK(opevo_gpu_build(machine, source.data, &image, &err));
    CHECK_OK(opevo_gpu_launcher(machine, image.data, image.length, false, &launcher, &err));
    opevo_text_free(&image);
    opevo_text_free(&source);
    return launcher;
}

CHECK_TEST(test_operations)
{
    fixture f = {.machine = open_device(), .compile = compile};

    if (!f.machine)
        CHECK_SKIP("no device of OpenCL");
    open_kernel(&f, OPEVO_TEST_EDITS, "operations");
    agree_on_kernel(&f);
    close_kernel(&f);
    opevo_gpu_close(f.machine);
}

CHECK_TEST(test_variants)
{
    size_t count = 1 + test_points(VARIANTS) / NAMES; /* of a kernel */
    size_t accepted = 0;

    for (size_t k = 0; k < NAMES; k++) {
        fixture f = {.machine = open_device(), .compile = compile};

        if (!f.machine)
            CHECK_SKIP("no device of OpenCL");
        open_kernel(&f, OPEVO_TEST_KERNELS, names[k]);
        accepted += agree_on_variants(&f, count, k);
        close_kernel(&f);
        opevo_gpu_close(f.machine);
    }
    print_message("%zu of %zu variants accepted\n", accepted, NAMES * count);
    assert_true(accepted > 0);
}

/* ---- What is refused ---- */

/* The message for a kernel with this body, whose arguments are %p and %n. */
static void check_refused(const char *globals, const char *body, const char *words)
{
    char data[1024];
    char path[] = "/tmp/opevo-opencl-XXXXXX";
    opevo_module *module = NULL;
    opevo_variant *variant = NULL;
    opevo_edits *none = opevo_edits_create();
    opevo_text text = {0};
    int file = mkstemp(path);
    int length = snprintf(data, sizeof data,
                          "target triple = \"nvptx64-nvidia-cuda\"\n%s\n"
                          "define ptx_kernel void @f(ptr %%p, i32 %%n) {\n%s\n ret void\n}\n",
                          globals, body);

    assert_true(file >= 0 && write(file, data, (size_t)length) == length);
    close(file);
    CHECK_OK(opevo_module_load(path, &module, &err));
    CHECK_OK(opevo_variant_create(module, none, &variant, &err));
    CHECK_FAILS(OPEVO_INVALID, words,
                opevo_variant_emit(variant, OPEVO_FORM_OPENCL, NULL, 0, &text, &err));
    opevo_text_free(&text);
    opevo_variant_destroy(variant);
    opevo_edits_destroy(none);
    opevo_module_destroy(module);
    unlink(path);
}

CHECK_TEST(test_refused)
{
    check_refused("", " %h = load half, ptr %p\n store half %h, ptr %p", "type half");
    check_refused("@g = addrspace(1) global i32 0", " store i32 %n, ptr addrspace(1) @g",
                  "g is a variable of the module");
    check_refused("@s = internal addrspace(3) global [4 x i32] undef",
                  " %c = icmp eq i32 %n, 0\n"
                  " %q = select i1 %c, ptr %p, ptr addrspacecast (ptr addrspace(3) @s to ptr)\n"
                  " store i32 %n, ptr %q",
                  "memory of two address spaces");
    check_refused("", " %q = load ptr, ptr %p\n store i32 %n, ptr %q", "reads a pointer");
    check_refused("declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)",
                  " %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %n, i32 0, i32 31)\n"
                  " store i32 %v, ptr %p",
                  "llvm.nvvm.shfl.sync.idx.i32 has no counterpart");
    check_refused("declare float @mystery(float)",
                  " %v = call float @mystery(float 1.0)\n store float %v, ptr %p",
                  "mystery has no counterpart in OpenCL C");
}
