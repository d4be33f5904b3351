/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files of a kernel: the source as it is measured, a schedule that gives the same source again,
 * a program that the dialect's compiler accepts. That the program of a CPU judges rightly is tested
 * on the command line (tune_emit.sh). */

#include "check.h"

#include "build_source.h"

#include <opevo/emit.h>
#include <opevo/export.h>
#include <opevo/random.h>

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

enum { KERNEL, SCHEDULE, MAIN, MAKEFILE, HEADER };

typedef struct files {
    opevo_kernel_maker *maker;
    opevo_index point;
    opevo_kernel kernel;
    opevo_text text[OPEVO_EXPORT_FILES];
} files;

static const opevo_export_label label = {.device = "a\n*/\n#error 1 \\\n$(shell exit) ${x} `y` ?"
                                                   "?/",
                                         .version = "0",
                                         .fitness = 1.5};

/* The first point in a random order that gives a kernel, and its files. */
static files files_make(const char *form, const char *template, opevo_kernel_dialect dialect)
{
    files self = {0};
    opevo_operator op;
    opevo_rng rng;

    CHECK_OK(opevo_operator_parse(form, &op, &err));
    CHECK_OK(opevo_template_open(&op, template, dialect, &self.maker, &err));
    opevo_rng_init(&rng, 1, "points", 0);
    while (!self.kernel.source.length) {
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_text why = {0};

        self.point = opevo_rng_below_wide(&rng, opevo_space_size(self.maker->space));
        CHECK_OK(self.maker->ops->make(self.maker, self.point, &self.kernel, &refused, &why, &err));
        opevo_text_free(&why);
    }
    CHECK_OK(opevo_export_print(self.maker, self.point, &label, self.text, &err));
    return self;
}

static void files_free(files *self)
{
    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++)
        opevo_text_free(&self->text[i]);
    opevo_kernel_free(&self->kernel);
    self->maker->ops->destroy(self->maker);
}

static const struct {
    const char *form, *template;
    opevo_kernel_dialect dialect;
} rows[] = {
    {"matmul(17,33,29,TN)", NULL, OPEVO_KERNEL_C},
    {"conv2d(2,3,9,8,5,3,3,2,1)", "weights", OPEVO_KERNEL_C},
    {"matmul(64,48,96)", "paper", OPEVO_KERNEL_CUDA},
    {"batch_matmul(3,17,12,20,NT)", "tiled", OPEVO_KERNEL_CUDA},
    {"conv2d(2,3,9,8,5,3,3,2,1)", "tiled", OPEVO_KERNEL_CUDA},
    {"matmul(17,33,29,TT)", "paper", OPEVO_KERNEL_HIP},
    {"conv2d(2,3,9,8,5,3,3,2,1)", "paper", OPEVO_KERNEL_HIP},
};
enum { ROWS = sizeof rows / sizeof *rows };

CHECK_TEST(test_same_kernel)
{
    for (size_t i = 0; i < ROWS; i++) {
        files self = files_make(rows[i].form, rows[i].template, rows[i].dialect);
        opevo_limits limits = opevo_limits_default(rows[i].dialect);
        opevo_pipeline *pipeline = NULL;
        opevo_kernel again = {0};
        opevo_text why = {0};
        bool fits = false;

        assert_string_equal(self.text[KERNEL].data, self.kernel.source.data);
        CHECK_OK(opevo_pipeline_parse(self.maker->computation, self.text[SCHEDULE].data,
                                      "kernel.schedule", &pipeline, &err));
        CHECK_OK(
            opevo_pipeline_emit(pipeline, rows[i].dialect, &limits, &again, &fits, &why, &err));
        assert_true(fits);
        assert_string_equal(again.source.data, self.kernel.source.data);
        opevo_kernel_free(&again);
        opevo_text_free(&why);
        opevo_pipeline_destroy(pipeline);
        files_free(&self);
    }
}

/* Whatever a worker says of its device stays in the comment. */
CHECK_TEST(test_comments)
{
    for (size_t i = 0; i < ROWS; i++) {
        files self = files_make(rows[i].form, rows[i].template, rows[i].dialect);

        for (size_t f = SCHEDULE; f < OPEVO_EXPORT_FILES; f++) {
            const char *mark = f == MAIN || f == HEADER ? "// " : "# ";
            const char *at = self.text[f].data;

            for (int line = 0; line < (f == SCHEDULE ? 7 : 6); line++, at = strchr(at, '\n') + 1)
                assert_memory_equal(at, mark, strlen(mark));
            assert_true(strncmp(at, mark, strlen(mark)) != 0);
            assert_null(strstr(self.text[f].data, "#error"));
            assert_null(strstr(self.text[f].data, "$(shell"));
            assert_null(strstr(self.text[f].data, "\\\n$"));
            assert_non_null(strstr(self.text[f].data, "1.5 GFLOP/s"));
        }
        files_free(&self);
    }
}

static void write_text(const char *folder, const char *name, const opevo_text *text)
{
    char path[128];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(opevo_text_string(text), file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *compiler_of(opevo_kernel_dialect dialect)
{
    return dialect == OPEVO_KERNEL_C ? "cc" : dialect == OPEVO_KERNEL_CUDA ? "nvcc" : "hipcc";
}

/* Where the compiler is there, `make` succeeds in a folder with nothing but the files; a GPU's
 * architecture must be named where there is no GPU. */
CHECK_TEST(test_make)
{
    static const char *const architectures[] = {"CXX=", "NVCCFLAGS=-arch=sm_80",
                                                "HIPCCFLAGS=--offload-arch=gfx90a"};
    static const char *const make[] = {"make", "--version", NULL};

    if (!program_succeeds(make))
        CHECK_SKIP("make is not installed");
    for (size_t i = 0; i < ROWS; i++) {
        opevo_kernel_dialect dialect = rows[i].dialect;
        char folder[] = "/tmp/opevo_files_XXXXXX";
        const char *version[] = {compiler_of(dialect), "--version", NULL};
        const char *build[] = {"make", "-s", "-C", folder, architectures[dialect], NULL};
        const char *clean[] = {"rm", "-r", folder, NULL};
        files self = {0};

        if (!program_succeeds(version)) {
            printf("%s is not there: %s is not compiled\n", version[0], rows[i].form);
            continue;
        }
        assert_non_null(mkdtemp(folder));
        self = files_make(rows[i].form, rows[i].template, dialect);
        for (size_t f = 0; f < OPEVO_EXPORT_FILES; f++)
            write_text(folder, opevo_export_name(dialect, f), &self.text[f]);
        if (!program_succeeds(build))
            fail_msg("%s does not compile:\n%s\n%s", rows[i].form, program_output,
                     self.text[MAIN].data);
        CHECK_PROGRAM(clean);
        files_free(&self);
    }
}

/* Two kernels in one program, each called by two threads at once that have outputs and scratch
 * memory of their own; what they compute is what they compute alone. */
static const char linked[] =
    "#include \"a/kernel.h\"\n#include \"b/kernel.h\"\n"
    "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "enum { TURNS = 200, A = 64 * 96, B = 5 * 9 * 8 };\n"
    "static float x[8192], y[8192];\n"
    "static float *memory(size_t bytes) {\n"
    "    float *it = aligned_alloc(64, (bytes + 64) / 64 * 64);\n"
    "    if (!it) exit(2);\n"
    "    return memset(it, 0xff, bytes);\n"
    "}\n"
    "static void once(float *c, float *d) {\n"
    "    float *s = memory(KERNEL_A_SCRATCH_BYTES(1)), *t = memory(KERNEL_B_SCRATCH_BYTES(1));\n"
    "    kernel_a(x, y, c, s);\n"
    "    kernel_b(x, y, d, t);\n"
    "    free(s); free(t);\n"
    "}\n"
    "static float right_a[A], right_b[B];\n"
    "static void *work(void *wrong) {\n"
    "    static _Thread_local float c[A], d[B];\n"
    "    for (int i = 0; i < TURNS; i++) {\n"
    "        memset(c, 0xff, sizeof c); memset(d, 0xff, sizeof d);\n"
    "        once(c, d);\n"
    "        *(int *)wrong |= memcmp(c, right_a, sizeof c) || memcmp(d, right_b, sizeof d);\n"
    "    }\n"
    "    return NULL;\n"
    "}\n"
    "int main(void) {\n"
    "    pthread_t thread[2]; int wrong[2] = {0, 0};\n"
    "    for (int i = 0; i < 8192; i++) { x[i] = (float)(i % 17 - 8); y[i] = (float)(i % 13 - 6); "
    "}\n"
    "    once(right_a, right_b);\n"
    "    for (int i = 0; i < 2; i++)\n"
    "        if (pthread_create(&thread[i], NULL, work, &wrong[i])) return 2;\n"
    "    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);\n"
    "    return wrong[0] || wrong[1] || right_a[0] != right_a[0] || right_b[0] != right_b[0];\n"
    "}\n";

/* A packed product or convolution, as files in a folder of its own. */
static files write_packed(const char *folder, const char *name, const char *form, const char *point)
{
    char path[64];
    files self = {0};
    opevo_operator op;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    CHECK_OK(opevo_operator_parse(form, &op, &err));
    CHECK_OK(opevo_template_open(&op, NULL, OPEVO_KERNEL_C, &self.maker, &err));
    CHECK_OK(opevo_space_read(self.maker->space, point, &self.point, &err));
    CHECK_OK(opevo_export_print(self.maker, self.point, &label, self.text, &err));
    for (size_t f = 0; f < OPEVO_EXPORT_FILES; f++)
        write_text(path, opevo_export_name(OPEVO_KERNEL_C, f), &self.text[f]);
    return self;
}

/* "opevo_matmul_..." from the header's last line but few. */
static void add_names(opevo_text *out, const files *self, char letter)
{
    const char *at = strstr(self->text[HEADER].data, "\nvoid opevo_");
    int length = 0;
    char name[64];

    assert_non_null(at);
    at += strlen("\nvoid ");
    length = (int)strcspn(at, "(");
    opevo_text_printf(out, "#define kernel_%c %.*s\n", letter, length, at);
    snprintf(name, sizeof name, "%.*s", length, at);
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    opevo_text_printf(out, "#define KERNEL_%c_SCRATCH_BYTES %s_SCRATCH_BYTES\n", toupper(letter),
                      name);
}

CHECK_TEST(test_linked)
{
    char folder[] = "/tmp/opevo_linked_XXXXXX";
    opevo_text program = {0};
    files a = {0};
    files b = {0};
    char path[5][64];
    static const char *const names[] = {"program.c", "a/kernel.c", "b/kernel.c", "a/kernel.h",
                                        "program"};

    assert_non_null(mkdtemp(folder));
    a = write_packed(folder, "a", "matmul(64,48,96)",
                     "K=2,6,4 X=1,2,4,8 Y=1,1,3,32 order=0,1,2 inner=0,1,2,3 pack_a=1 pack_b=1 "
                     "vector=16 unroll=64 stream=0");
    b = write_packed(folder, "b", "conv2d(1,3,9,8,5,3,3,1,1)",
                     "F=1,1,5 Q=1,4,32 C=1,3 order=0,1,2 inner=0,1 pack=1 vector=16 unroll=64");
    add_names(&program, &a, 'a');
    add_names(&program, &b, 'b');
    opevo_text_add(&program, linked);
    write_text(folder, "program.c", &program);
    for (int i = 0; i < 5; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    const char *const build[] = {"cc",    "-O2",   "-march=native", "-pthread", "-o",
                                 path[4], path[0], path[1],         path[2],    NULL};
    const char *const header[] = {"g++", "-fsyntax-only", "-x", "c++", path[3], NULL};
    const char *const cxx[] = {"g++", "--version", NULL};
    const char *const run[] = {path[4], NULL};
    const char *const clean[] = {"rm", "-r", folder, NULL};

    CHECK_PROGRAM(build);
    CHECK_PROGRAM(run);
    assert_true(!program_succeeds(cxx) || program_succeeds(header));
    CHECK_PROGRAM(clean);
    opevo_text_free(&program);
    files_free(&a);
    files_free(&b);
}

/* By OpenCL, on the first device: what the program prints of a right kernel, and of one without an
 * operand. */
static void check_opencl(const char *form, opevo_kernel_dialect dialect, bool spoil)
{
    char folder[] = "/tmp/opevo_files_XXXXXX";
    const char *build[] = {"make", "-s", "-C", folder, NULL};
    char run[64];
    const char *start[] = {"sh", "-c", run, NULL};
    const char *clean[] = {"rm", "-r", folder, NULL};
    files self = files_make(form, NULL, dialect);

    assert_non_null(mkdtemp(folder));
    snprintf(run, sizeof run, "cd %s && ./kernel", folder);
    for (size_t f = 0; f < OPEVO_EXPORT_FILES; f++) {
        char *copy = f == MAIN && spoil ? strstr(self.text[f].data, "copy_in(device_B") : NULL;

        if (copy)
            memcpy(copy, "//", 2); /* an operand stays on the host */
        write_text(folder, opevo_export_name(dialect, f), &self.text[f]);
    }
    if (!program_succeeds(build))
        fail_msg("%s does not compile:\n%s\n%s", form, program_output, self.text[MAIN].data);
    if (program_succeeds(start) == spoil)
        fail_msg("%s, spoilt: %d: %s", form, spoil, program_output);
    assert_non_null(strstr(program_output, spoil ? "WRONG" : "OK"));
    CHECK_PROGRAM(clean);
    files_free(&self);
}

CHECK_TEST(test_opencl)
{
    static const char *const device[] = {
        "sh", "-c", "ls /etc/OpenCL/vendors/pocl.icd && ls /usr/include/CL/cl.h && make --version",
        NULL};

    if (!program_succeeds(device))
        CHECK_SKIP("PoCL, its headers or make are missing");
    check_opencl("matmul(24,20,28)", OPEVO_KERNEL_OPENCL, false);
    check_opencl("matmul(24,20,28)", OPEVO_KERNEL_OPENCL, true);
}

CHECK_TEST(test_emulation)
{
    files self = {0};
    opevo_operator op;

    CHECK_OK(opevo_operator_parse("matmul(4,4,4)", &op, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_EMULATION, &self.maker, &err));
    assert_null(opevo_export_name(OPEVO_KERNEL_EMULATION, KERNEL));
    CHECK_FAILS(OPEVO_INVALID, "no compiler of its own",
                opevo_export_print(self.maker, 0, &label, self.text, &err));
    files_free(&self);
}
