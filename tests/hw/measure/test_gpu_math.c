/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Convolutions by im2col and the vendor's sgemm, where there is no cuDNN, against the plain loops:
 * the kernel that unfolds is compiled for this processor, and the stand-ins for cuBLAS and rocBLAS
 * compute what they are asked for (fake_gpu.c, fake_math.c). */

#include "fake_folder.h"
#include "kernel_fixture.h"

#include "gpu_internal.h"

/* One row each: an operator, and the executions that it takes. */
typedef struct row {
    const char *form;
    int executions;
} row;

static const row rows[] = {
    {"conv2d(1,1,5,5,1,3,3,1,0)", 2},   {"conv2d(2,3,9,11,5,3,2,2,1)", 2},
    {"conv2d(3,2,7,6,4,3,3,1,1)", 2},   {"conv2d(1,4,13,13,6,5,5,4,0)", 2},
    {"conv2d(3,5,8,7,3,5,3,2,2)", 2},   {"conv2d(2,3,3,5,4,3,5,1,0)", 2},
    {"conv2d(1,3,40,33,8,7,7,2,3)", 2}, {"conv2d(2,2,2,3,3,5,4,1,2)", 2},
    {"conv2d(2,5,9,12,7,1,1,2,0)", 2},  {"conv2d(2,3,4,6,5,1,1,1,2)", 2},
    {"conv2d(3,6,5,9,4,1,1,1,0)", 1}, /* nothing to unfold */
};

/* Run twice on a poisoned result. Executions come from the time between two events. */
static void run(const opevo_i_gpu_driver *driver, const opevo_i_gpu_math *math, operands *self,
                const row *wanted)
{
    static void *start;
    static void *end;
    int64_t count = opevo_operand_elements(&self->op, 2);

    if (!start)
        assert_true(driver->create_event(&start, 0) == 0 && driver->create_event(&end, 0) == 0);
    for (int i = 0; i < 2; i++) {
        float ms = 0;

        memset(self->c, 0xff, (size_t)count * sizeof *self->c); /* NaN */
        assert_int_equal(driver->record_event(start, NULL), 0);
        assert_int_equal(opevo_i_gpu_math_run(math), 0);
        assert_int_equal(driver->record_event(end, NULL), 0);
        assert_int_equal(driver->elapsed_ms(&ms, start, end), 0);
        CHECK_CLOSE(ms, 0.01 * wanted->executions, 1e-6);
        for (int64_t j = 0; j < count; j++) {
            double bound = opevo_reference_bound(&self->op, 0, self->magnitude[j]);

            if (!(fabs((double)self->c[j] - (double)self->expected[j]) <= bound))
                fail_msg("%s: element %lld is %.9g, expected %.9g", wanted->form, (long long)j,
                         (double)self->c[j], (double)self->expected[j]);
        }
    }
    for (int i = 0; i < 3; i++)
        assert_true(opevo_i_reference_guarded_intact(&self->memory[i]));
}

static void check(const opevo_i_gpu_vendor *vendor, const row *wanted)
{
    operands self = operands_make(wanted->form, 1);
    const uint64_t addresses[3] = {(uintptr_t)self.a, (uintptr_t)self.b, (uintptr_t)self.c};
    const char *title = vendor->hip ? "im2col + rocBLAS" : "im2col + cuBLAS 130000";
    opevo_i_gpu_driver driver;
    opevo_i_gpu_math *math = NULL;

    CHECK_OK(opevo_i_gpu_driver_open(vendor, &driver, &err));
    CHECK_OK(opevo_i_gpu_math_open(vendor, &driver, vendor->hip ? "" : "sm_86", &self.op, addresses,
                                   &math, &err));
    assert_string_equal(opevo_i_gpu_math_title(math),
                        wanted->executions == 1 ? strchr(title, '+') + 2 : title);
    run(&driver, math, &self, wanted);
    opevo_i_gpu_math_close(math);
    operands_free(&self);
}

CHECK_TEST(test_results)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&opevo_i_gpu_vendor_cuda, &rows[i]);
        check(&opevo_i_gpu_vendor_hip, &rows[i]);
    }
}

/* Memory for 3 of 5 images, each of 27 times 42 floats when unfolded: two at once, then one. */
CHECK_TEST(test_little_memory)
{
    const row five = {"conv2d(5,3,7,6,4,3,3,1,1)", 6};

    setenv("FAKE_GPU_MOST", "13608", 1);
    check(&opevo_i_gpu_vendor_cuda, &five);
    unsetenv("FAKE_GPU_MOST");
}

static void check_refused(const char *form)
{
    const uint64_t nowhere[3] = {0};
    opevo_operator op;
    opevo_i_gpu_driver driver;
    opevo_i_gpu_math *math = NULL;

    CHECK_OK(opevo_operator_parse(form, &op, &err));
    CHECK_OK(opevo_i_gpu_driver_open(&opevo_i_gpu_vendor_hip, &driver, &err));
    CHECK_FAILS(
        OPEVO_LIMIT, "an unfolded image takes more than 4 GiB, or more than the device has free.",
        opevo_i_gpu_math_open(&opevo_i_gpu_vendor_hip, &driver, "", &op, nowhere, &math, &err));
}

/* 2^14 times 257 * 256 floats are just above the bound; 4536 bytes are more than there are. */
CHECK_TEST(test_no_room)
{
    check_refused("conv2d(1,4096,514,512,1,2,2,2,0)");
    setenv("FAKE_GPU_MOST", "4535", 1);
    check_refused("conv2d(5,3,7,6,4,3,3,1,1)");
    unsetenv("FAKE_GPU_MOST");
}

int main(int argc, char **argv)
{
    if (!fake_folder_enter(OPEVO_FAKE_GPU_WITHOUT_CUDNN, argv))
        return 1;
    return check_tests(NULL, NULL);
}
