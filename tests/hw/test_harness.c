/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files of a kernel: the source as it is measured, a schedule that gives the same source again,
 * a program that the dialect's compiler accepts. That the program of a CPU judges rightly is tested
 * on the command line (tune_emit.sh). */

#include "check.h"

#include "build_source.h"

#include <opevo/emit.h>
#include <opevo/harness.h>
#include <opevo/random.h>

#include <string.h>

enum { KERNEL, SCHEDULE, MAIN, MAKEFILE };

typedef struct files {
    opevo_kernel_maker *maker;
    opevo_index point;
    opevo_kernel kernel;
    opevo_text text[OPEVO_HARNESS_FILES];
} files;

static const opevo_harness_label label = {.device = "a\n*/\n#error 1 \\\n$(shell exit) ${x} `y` ?"
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
    CHECK_OK(opevo_harness_print(self.maker, self.point, &label, self.text, &err));
    return self;
}

static void files_free(files *self)
{
    for (size_t i = 0; i < OPEVO_HARNESS_FILES; i++)
        opevo_text_free(&self->text[i]);
    opevo_kernel_free(&self->kernel);
    self->maker->ops->destroy(self->maker);
}

static const struct {
    const char *form, *template;
    opevo_kernel_dialect dialect;
} rows[] = {
    {"matmul(17,33,29,TN)", NULL, OPEVO_KERNEL_C},
    {"matmul(64,48,96)", "paper", OPEVO_KERNEL_CUDA},
    {"batch_matmul(3,17,12,20,NT)", "tiled", OPEVO_KERNEL_CUDA},
    {"conv2d(2,3,9,8,5,3,3,2,1)", "tiled", OPEVO_KERNEL_CUDA},
    {"matmul(17,33,29,TT)", "paper", OPEVO_KERNEL_HIP},
    {"conv2d(2,3,9,8,5,3,3,2,1)", "paper", OPEVO_KERNEL_HIP},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void test_same_kernel(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        files self = files_make(rows[i].form, rows[i].template, rows[i].dialect);
        opevo_limits limits = opevo_limits_default(rows[i].dialect);
        opevo_schedule *schedule = NULL;
        opevo_kernel again = {0};
        opevo_text why = {0};
        bool fits = false;

        assert_string_equal(self.text[KERNEL].data, self.kernel.source.data);
        CHECK_OK(opevo_schedule_parse(self.maker->op, self.text[SCHEDULE].data, "kernel.schedule",
                                      &schedule, &err));
        CHECK_OK(
            opevo_schedule_emit(schedule, rows[i].dialect, &limits, &again, &fits, &why, &err));
        assert_true(fits);
        assert_string_equal(again.source.data, self.kernel.source.data);
        opevo_kernel_free(&again);
        opevo_text_free(&why);
        opevo_schedule_destroy(schedule);
        files_free(&self);
    }
}

/* Whatever a worker says of its device stays in the comment. */
static void test_comments(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        files self = files_make(rows[i].form, rows[i].template, rows[i].dialect);

        for (size_t f = SCHEDULE; f < OPEVO_HARNESS_FILES; f++) {
            const char *mark = f == MAIN ? "// " : "# ";
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
static void test_make(void **state)
{
    static const char *const architectures[] = {"CXX=", "NVCCFLAGS=-arch=sm_80",
                                                "HIPCCFLAGS=--offload-arch=gfx90a"};
    static const char *const make[] = {"make", "--version", NULL};

    (void)state;
    if (!program_succeeds(make))
        CHECK_SKIP("there is no make");
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
        for (size_t f = 0; f < OPEVO_HARNESS_FILES; f++)
            write_text(folder, opevo_harness_name(dialect, f), &self.text[f]);
        if (!program_succeeds(build))
            fail_msg("%s does not compile:\n%s", rows[i].form, self.text[MAIN].data);
        assert_true(program_succeeds(clean));
        files_free(&self);
    }
}

static void test_emulation(void **state)
{
    files self = {0};
    opevo_operator op;

    (void)state;
    CHECK_OK(opevo_operator_parse("matmul(4,4,4)", &op, &err));
    CHECK_OK(opevo_template_open(&op, "paper", OPEVO_KERNEL_EMULATION, &self.maker, &err));
    assert_null(opevo_harness_name(OPEVO_KERNEL_EMULATION, KERNEL));
    CHECK_FAILS(OPEVO_INVALID, "no compiler of its own",
                opevo_harness_print(self.maker, 0, &label, self.text, &err));
    files_free(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_kernel),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_make),
        cmocka_unit_test(test_emulation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
