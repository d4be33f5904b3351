/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makers of kernels for tests: a matrix product in a few loop orders and tiles, and one kernel for
 * each way in which a kernel can go wrong. The shape is N x K x M = 48 x 32 x 40. */

#ifndef OPEVO_TESTS_ZOO_H
#define OPEVO_TESTS_ZOO_H

#include <opevo/computation_named.h>
#include <opevo/live.h>
#include <opevo/memory.h>

#include "check.h"

enum { ZOO_N = 48, ZOO_K = 32, ZOO_M = 40 };

typedef struct zoo {
    opevo_kernel_maker super;
    opevo_space *space;
    opevo_operator op;
    opevo_computation *computation;
    long salt; /* products of another salt are built anew */
} zoo;

#define ZOO_HEAD                                                                                   \
    "enum { N = 48, K = 32, M = 40 };\n"                                                           \
    "static void right(const float *a, const float *b, float *c) {\n"                              \
    "  for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) {\n"                                \
    "    float s = 0; for (int k = 0; k < K; k++) s += a[i*K+k] * b[k*M+j]; c[i*M+j] = s; } }\n"   \
    "void kernel(const float *a, const float *b, float *c) {\n"

/* One row each: name, body of the kernel, the class that it must end in. */
static const struct {
    const char *name, *body;
    opevo_outcome_class kind;
} zoo_animals[] = {
    {"right", "right(a, b, c);", OPEVO_OUTCOME_OK},
    {"segfault", "*(volatile int *)8 = 1;", OPEVO_OUTCOME_CRASHED},
    {"abort", "__builtin_trap();", OPEVO_OUTCOME_CRASHED},
    {"endless", "for (;;) __asm__ volatile(\"\");", OPEVO_OUTCOME_TIMEOUT},
    {"sleeper", "unsigned sleep(unsigned); sleep(1000); right(a, b, c);", OPEVO_OUTCOME_TIMEOUT},
    {"hog",
     "void *malloc(unsigned long); for (;;) { volatile char *p = malloc(1 << 28);\n"
     "  p[0] = 1; }",
     OPEVO_OUTCOME_CRASHED},
    {"bomb", "int fork(void); for (;;) fork();", OPEVO_OUTCOME_CRASHED},
    {"launcher",
     "int execl(const char *, const char *, ...); execl(\"/bin/sleep\", \"sleep\", \"99\", 0);",
     OPEVO_OUTCOME_CRASHED},
    {"killer", "int kill(int, int); int getppid(void); kill(getppid(), 9); right(a, b, c);",
     OPEVO_OUTCOME_CRASHED},
    {"exit", "void _exit(int); right(a, b, c); _exit(0);", OPEVO_OUTCOME_CRASHED},
    {"nothing", "(void)a;", OPEVO_OUTCOME_WRONG},
    {"wrong", "for (int i = 0; i < N * M; i++) c[i] = 1;", OPEVO_OUTCOME_WRONG},
    {"one_wrong", "right(a, b, c); c[777] += 0.01f;", OPEVO_OUTCOME_WRONG},
    {"one_missing", "float s = c[5]; right(a, b, c); c[5] = s;", OPEVO_OUTCOME_WRONG},
    {"nan", "right(a, b, c); c[3] = __builtin_nanf(\"\");", OPEVO_OUTCOME_WRONG},
    {"infinite", "right(a, b, c); c[3] = __builtin_inff();", OPEVO_OUTCOME_WRONG},
    {"first_time_only", "static int n; if (!n++) right(a, b, c);", OPEVO_OUTCOME_WRONG},
    {"past_the_end", "right(a, b, c); for (int i = 0; i < 64; i++) c[N * M + i] = 0;",
     OPEVO_OUTCOME_CRASHED},
    {"before_the_start", "right(a, b, c); c[-1] = 0;", OPEVO_OUTCOME_WRONG},
    {"input_writer", "right(a, b, c); ((float *)a)[0] = 1;", OPEVO_OUTCOME_CRASHED},
    {"talker",
     "long write(int, const void *, unsigned long); static char t[1 << 20];\n"
     "for (int i = 0; i < 64; i++) { write(1, t, sizeof t); write(2, t, sizeof t); } right(a, b, "
     "c);",
     OPEVO_OUTCOME_OK},
    {"file_maker",
     "int open(const char *, int, int); int f = open(\"zoo-was-here\", 0101, 0666);\n"
     "if (f < 0) right(a, b, c);",
     OPEVO_OUTCOME_OK},
    /* A structure whose address has a lower half of zeros; then its own limits,
     * which it may ask. */
    {"limit_changer",
     "void *mmap(void *, unsigned long, int, int, int, long);\n"
     "int prlimit(int, int, const void *, void *), getppid(void), getpid(void);\n"
     "unsigned long old[2], *new = mmap((void *)0x100000000, 4096, 3, 0x32, -1, 0);\n"
     "if (new == (void *)0x100000000 && prlimit(getppid(), 4, new, 0) && prlimit(0, 4, new, 0) &&\n"
     "    prlimit(getppid(), 4, 0, old) && !prlimit(0, 4, 0, old)) right(a, b, c);",
     OPEVO_OUTCOME_OK},
    {"reader",
     "int open(const char *, int, ...); if (open(\"/etc/passwd\", 0) < 0) right(a, b, c);",
     OPEVO_OUTCOME_OK},
    /* Nothing holds back what runs while the object is loaded but Landlock. */
    {"early_reader",
     "extern int found; if (!found) right(a, b, c); }\n"
     "int open(const char *, int, ...), getppid(void), snprintf(char *, unsigned long, const char "
     "*, ...);\n"
     "int found; __attribute__((constructor)) static void early(void) { char path[64];\n"
     "  snprintf(path, 64, \"/proc/%d/mem\", getppid());\n"
     "  found = open(path, 0) >= 0 || open(\"/etc/passwd\", 0) >= 0;",
     OPEVO_OUTCOME_OK},
    {"x32",
     "\n#ifdef __x86_64__\nlong syscall(long, ...); syscall(0x40000000 | 39); right(a, b, c);\n"
     "#else\n__builtin_trap();\n#endif\n",
     OPEVO_OUTCOME_CRASHED},
    {"new_namespace",
     "\n#ifdef __x86_64__\nlong syscall(long, ...); syscall(56, 0x10010000 | 0x800 | 0x100, 0, 0, "
     "0, "
     "0);\nright(a, b, c);\n#else\n__builtin_trap();\n#endif\n",
     OPEVO_OUTCOME_CRASHED},
    {"threads",
     "int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);\n"
     "int pthread_join(unsigned long, void **); void *malloc(unsigned long); unsigned long t;\n"
     "void *r = 0, *(*start)(void *) = (void *(*)(void *))malloc;\n"
     "if (!pthread_create(&t, 0, start, (void *)9) && !pthread_join(t, &r) && r)\n"
     "  right(a, b, c);",
     OPEVO_OUTCOME_OK},
    /* right where its output is in the page table already: member 8 is ru_minflt */
    {"page_counter",
     "int getrusage(int, long *); long u[18], v[18];\n"
     "for (int i = 0; i < 2; i++) { getrusage(0, v); getrusage(0, u); }\n"
     "c[0] = c[N * M - 1] = 0; getrusage(0, v); right(a, b, c); c[7] += v[8] - u[8];",
     OPEVO_OUTCOME_OK},
    {"deep",
     "struct big { char x[1 << 16]; } ; volatile struct big y; y.x[a[0] > 2] = 1;\n"
     "kernel(a, b, c); y.x[0] = 2;",
     OPEVO_OUTCOME_CRASHED},
    {"no_such_function", "void nobody_has_this(void); nobody_has_this();",
     OPEVO_OUTCOME_LAUNCH_ERROR},
    {"syntax", "this is not C;", OPEVO_OUTCOME_BUILD_ERROR},
    {"refused", "", OPEVO_OUTCOME_REJECTED},
    {"right_again", "right(a, b, c); (void)K;", OPEVO_OUTCOME_OK},
};
enum { ZOO_COUNT = sizeof zoo_animals / sizeof *zoo_animals };

static opevo_status zoo_make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                             opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    out->dialect = OPEVO_KERNEL_C;
    strcpy(out->entry, "kernel");
    for (int i = 0; i < 3; i++)
        out->grid[i] = out->block[i] = 1;
    opevo_text_printf(&out->source, "%s%s}\n", ZOO_HEAD, zoo_animals[(size_t)point].body);
    if (zoo_animals[(size_t)point].kind == OPEVO_OUTCOME_REJECTED) {
        *refused = OPEVO_OUTCOME_REJECTED;
        opevo_text_add(why, "more than the device has");
    }
    return opevo_text_check(&out->source, err);
}

/* Parameters: order of the loops, and the tile of the middle one. */
static opevo_status product_make(const opevo_kernel_maker *self, opevo_index point,
                                 opevo_kernel *out, opevo_outcome_class *refused, opevo_text *why,
                                 opevo_error *err)
{
    const zoo *own = (const zoo *)self;
    opevo_index vertices[2];
    opevo_value tile;
    const opevo_operator *op = &own->op;

    opevo_space_decode(own->space, point, vertices);
    opevo_parameter_value(opevo_space_parameter(own->space, 1), vertices[1], &tile);
    out->dialect = OPEVO_KERNEL_C;
    strcpy(out->entry, "product");
    opevo_text_printf(
        &out->source,
        "enum { N = %d, K = %d, M = %d, T = %d }; /* %ld */\n"
        "void product(const float *a, const float *b, float *c) {\n"
        "  for (int i = 0; i < N * M; i++) c[i] = 0;\n"
        "  for (int t = 0; t < K; t += T)\n"
        "    for (int i = 0; i < N; i++)\n"
        "      %s\n"
        "        %s\n"
        "          c[i*M+j] += a[i*K+k] * b[k*M+j];\n}\n",
        (int)op->n, (int)op->k, (int)op->m, (int)tile.as.integer, own->salt,
        vertices[0] ? "for (int j = 0; j < M; j++)" : "for (int k = t; k < t + T; k++)",
        vertices[0] ? "for (int k = t; k < t + T; k++)" : "for (int j = 0; j < M; j++)");
    return opevo_text_check(&out->source, err);
}

static void zoo_destroy(opevo_kernel_maker *self)
{
    opevo_space_destroy(((zoo *)self)->space);
    opevo_computation_destroy(((zoo *)self)->computation);
    opevo_free(self);
}

static const opevo_kernel_maker_ops zoo_ops = {.make = zoo_make, .destroy = zoo_destroy};
static const opevo_kernel_maker_ops product_ops = {.make = product_make, .destroy = zoo_destroy};

static inline zoo *zoo_create(const opevo_kernel_maker_ops *ops, const char *name,
                              const char *space_json, opevo_operator op)
{
    zoo *self = opevo_calloc(1, sizeof *self);

    assert_non_null(self);
    CHECK_OK(opevo_space_parse(space_json, "zoo", NULL, &self->space, &err));
    CHECK_OK(opevo_computation_of_operator(&op, &self->computation, &err));
    self->op = op;
    self->super = (opevo_kernel_maker){.ops = ops,
                                       .space = self->space,
                                       .computation = self->computation,
                                       .name = name,
                                       .dialect = OPEVO_KERNEL_C,
                                       .signature = 7};
    return self;
}

static inline zoo *zoo_of_animals(void)
{
    opevo_text json = {0};
    zoo *self = NULL;

    opevo_text_add(&json, "{\"animal\": {\"_type\": \"choice\", \"_value\": [");
    for (size_t i = 0; i < ZOO_COUNT; i++)
        opevo_text_printf(&json, "%s\"%s\"", i ? ", " : "", zoo_animals[i].name);
    opevo_text_add(&json, "]}}");
    self = zoo_create(&zoo_ops, "zoo", opevo_text_string(&json),
                      (opevo_operator){.kind = OPEVO_MATMUL, .n = ZOO_N, .k = ZOO_K, .m = ZOO_M});
    opevo_text_free(&json);
    return self;
}

static inline zoo *zoo_of_products(int64_t size)
{
    return zoo_create(&product_ops, "product",
                      "{\"order\": {\"_type\": \"choice\", \"_value\": [\"kj\", \"jk\"]},"
                      " \"tile\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16, 32]}}",
                      (opevo_operator){.kind = OPEVO_MATMUL, .n = size, .k = size, .m = size});
}

/* A kernel, still without source, that a GPU runs in one block. */
static inline void zoo_of_one_block(opevo_kernel *out, opevo_kernel_dialect dialect,
                                    uint32_t threads, uint32_t shared_bytes)
{
    out->dialect = dialect;
    strcpy(out->entry, "kernel");
    for (int i = 0; i < 3; i++)
        out->grid[i] = out->block[i] = 1;
    out->block[0] = threads;
    out->dynamic_shared_bytes = shared_bytes;
}

/* Kernels on the CPU, with the time to build as a second criterion. */
static inline opevo_objective *zoo_open(zoo *maker, double limit_s)
{
    static const char *const criteria[] = {"build_time"};
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;

    options.run_limit_s = limit_s;
    options.repeat_s = 0.02;
    options.criteria = criteria;
    options.criterion_count = 1;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    return objective;
}

#endif
