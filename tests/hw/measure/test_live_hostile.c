/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels that attack what measures them: each ends in a failure of its own, or counts with the
 * time that it takes for inputs which it has not seen. None is taken as a failure of the host, and
 * what is measured after them is right. */

#include "cache_folder.h"
#include "zoo.h"

/* A product of 64 x 64 x 64 in so plain a way that it takes a tenth of a millisecond and more. */
#define HEAD                                                                                       \
    "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <fcntl.h>\n#include <pthread.h>\n"          \
    "#include <setjmp.h>\n#include <signal.h>\n#include <stddef.h>\n"                              \
    "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n#include "                     \
    "<sys/auxv.h>\n#include <sys/mman.h>\n#include <time.h>\n"                                     \
    "#include <unistd.h>\n"                                                                        \
    "enum { N = 64, K = 64, M = 64 };\n"                                                           \
    "static void right(const float *a, const float *b, float *c) {\n"                              \
    "  for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) {\n"                                \
    "    float s = 0; for (int k = 0; k < K; k++) s += a[i*K+k] * b[k*M+j]; c[i*M+j] = s; } }\n"   \
    "static int is_written(const float *c) { return c[0] == c[0] && c[N*M-1] == c[N*M-1]; }\n"     \
    "static int is_mapped(const void *p) { unsigned char v;\n"                                     \
    "  return mincore((void *)((uintptr_t)p & ~(uintptr_t)4095), 1, &v) == 0; }\n"                 \
    "static jmp_buf away;\n"                                                                       \
    "static void leave(int number) { siglongjmp(away, number); }\n"

#define KERNEL "\nvoid kernel(const float *a, const float *b, float *c) {\n"

/* Whatever a pointer on the stack leads to, of all doubles there that may be times. */
#define FORGE                                                                                      \
    "static void forge(double *p, const float *a, const float *b, const float *c) {\n"             \
    "  for (int i = 0; i < 2048; i++) { double *q = p + i; ptrdiff_t far = (const float *)q - "    \
    "c;\n"                                                                                         \
    "    if (((uintptr_t)q & 4095) == 0 && !is_mapped(q)) return;\n"                               \
    "    if (llabs(far) > N * M && llabs((const float *)q - a) > N * K &&\n"                       \
    "        llabs((const float *)q - b) > K * M && *q > 1e-7 && *q < 1) *q = 1e-10; } }\n"
#define FORGING                                                                                    \
    "  uintptr_t here; right(a, b, c); signal(SIGSEGV, leave);\n"                                  \
    "  for (volatile int i = 0; i < 1000; i++) { uintptr_t *at = &here + i;\n"                     \
    "    if (!is_mapped(at)) break;\n"                                                             \
    "    if (*at > 4096 && *at % 8 == 0 && is_mapped((void *)*at) && !sigsetjmp(away, 1))\n"       \
    "      forge((double *)*at, a, b, c); } signal(SIGSEGV, SIG_DFL); }\n"

/* The code of a function, replaced by one that returns 0. */
#define BLIND                                                                                      \
    "static void blind(void *code) {\n"                                                            \
    "  static const unsigned char zero[] =\n"                                                      \
    "#ifdef __x86_64__\n    {0x31, 0xc0, 0xc3};\n#else\n"                                          \
    "    {0x00, 0x00, 0x80, 0xd2, 0xc0, 0x03, 0x5f, 0xd6};\n#endif\n"                              \
    "  void *page = (void *)((uintptr_t)code & ~(uintptr_t)4095);\n"                               \
    "  if (code && mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)\n"               \
    "    memcpy(code, zero, sizeof zero); }\n"

/* The right result somewhere in memory: the floats after a few that are known. */
#define FIND                                                                                       \
    "static const float *find(const float *p, const float *end, const float *four) {\n"            \
    "  for (; p < end; p++) {\n"                                                                   \
    "    if (((uintptr_t)p & 4095) == 0 && !is_mapped(p)) { p += 1023; continue; }\n"              \
    "    int i = 0; while (i < 4 && p[i] - four[i] < 1e-4f && four[i] - p[i] < 1e-4f) i++;\n"      \
    "    if (i == 4) return p; } return 0; }\n"

#define IS(kind) (1U << (kind))
#define OK OPEVO_OUTCOME_OK
#define WRONG OPEVO_OUTCOME_WRONG
#define CRASHED OPEVO_OUTCOME_CRASHED
#define TIMEOUT OPEVO_OUTCOME_TIMEOUT

/* Each may end in two ways, of which OK is one only with a time that is no less than about a
 * quarter of the plain kernel's. */
static const struct {
    const char *name, *source;
    unsigned kinds; /* what it may end as */
} kernels[] = {
    {"plain", KERNEL "right(a, b, c); }", IS(OK)},
    {"forges times that the stack leads to", FORGE KERNEL FORGING, IS(OK) | IS(CRASHED)},
    {"stops the clock's code",
     BLIND KERNEL "right(a, b, c); blind(dlsym(RTLD_DEFAULT, "
                  "\"clock_gettime\")); }",
     IS(OK) | IS(CRASHED)},
    {"unmaps the clock's page",
     KERNEL "right(a, b, c); void *vdso = (void *)getauxval(AT_SYSINFO_EHDR);\n"
            "if (vdso) munmap(vdso, 4096); }",
     IS(OK) | IS(CRASHED)},
    {"overwrites the code that sends answers",
     BLIND KERNEL "right(a, b, c); blind(dlsym(RTLD_DEFAULT, \"write\")); }", IS(CRASHED)},
    {"accuses the host", KERNEL "right(a, b, c); if (write(4, \"h\", 1)) return; }", IS(CRASHED)},
    {"accuses the host in many words",
     KERNEL "right(a, b, c); static char words[1 << 15]; memset(words, 'h', sizeof words);\n"
            "if (write(4, words, sizeof words)) return; }",
     IS(CRASHED)},
    {"accuses the host while it is loaded",
     "__attribute__((constructor)) static void early(void) { char m[40] = {0}; m[8] = 'h';\n"
     "  strcpy(m + 9, \"call 555-0100\"); if (write(4, m, 22)) return; }" KERNEL
     "right(a, b, c); }",
     IS(CRASHED)},
    {"says that it is done", KERNEL "right(a, b, c); if (write(4, \"d\", 1)) return; }",
     IS(CRASHED)},
    {"answers ahead",
     KERNEL "static char m[16]; m[8] = 'd'; right(a, b, c); if (write(4, m, 9)) return; }",
     IS(CRASHED)},
    {"closes descriptors", KERNEL "right(a, b, c); for (int i = 0; i < 64; i++) close(i); }",
     IS(CRASHED)},
    {"takes orders away", KERNEL "right(a, b, c); char m[24]; if (read(3, m, sizeof m)) return; }",
     IS(TIMEOUT)},
    /* Its thread may never be the one that reads: then all is as if it were not there. */
    {"answers orders in place of the process",
     "static void *answer(void *x) { struct { uint64_t token; char letter, rest[15]; } m;\n"
     "  while (read(3, &m, 24) == 24) { m.letter = 'd'; if (write(4, &m, 9) != 9) break; }\n"
     "  return x; }" KERNEL "static int n; pthread_t t; right(a, b, c);\n"
     "if (!n++) pthread_create(&t, 0, answer, 0); }",
     IS(OK) | IS(WRONG) | IS(TIMEOUT)},
    /* Into a function that has returned, where anything may happen, a loop without end too. */
    {"ends the loop around it by a jump",
     "static jmp_buf first;" KERNEL "static int n; int known = is_written(c);\n"
     "if (!known) right(a, b, c); if (!n++) { if (setjmp(first)) return; }\n"
     "else if (known) longjmp(first, 1); }",
     IS(OK) | IS(CRASHED) | IS(TIMEOUT)},
    {"keeps the first result",
     KERNEL "static float kept[N*M]; static int n; if (!n++) { right(a, b, c);\n"
            "memcpy(kept, c, sizeof kept); } memcpy(c, kept, sizeof kept); }",
     IS(WRONG)},
    {"keeps results by their inputs",
     KERNEL "static float kept[N*M], of[N*K]; if (memcmp(of, a, sizeof of)) { right(a, b, c);\n"
            "memcpy(of, a, sizeof of); memcpy(kept, c, sizeof kept); }\n"
            "memcpy(c, kept, sizeof kept); }",
     IS(OK) | IS(WRONG)},
    {"leaves a result that is there", KERNEL "if (!is_written(c)) right(a, b, c); }",
     IS(OK) | IS(WRONG)},
    {"leaves every result but each eighth",
     KERNEL "static int n; if (!is_written(c) || n++ % 8 == 0) right(a, b, c); }",
     IS(OK) | IS(WRONG)},
    {"leaves its work to a thread",
     "static const float *x, *y; static float *z; static volatile int asked;\n"
     "static void *serve(void *q) { for (;;) if (asked) { right(x, y, z); asked = 0; } return q; "
     "}" KERNEL "static int n; pthread_t t; if (!n++) pthread_create(&t, 0, serve, 0);\n"
     "x = a; y = b; z = c; asked = 1; }",
     IS(WRONG)},
    {"looks for the right result",
     FIND KERNEL "float four[4]; for (int j = 0; j < 4; j++) { float s = 0;\n"
                 "  for (int k = 0; k < K; k++) s += a[k] * b[k*M+j]; four[j] = s; }\n"
                 "const float *found = 0; char *top = sbrk(0); uintptr_t here = 0;\n"
                 "found = find((float *)(top - (8 << 20)), (float *)top, four);\n"
                 "for (int i = 0; i < 500 && !found; i++) { uintptr_t at = (&here)[i];\n"
                 "  if (at > 1 << 21 && at % 4 == 0 && is_mapped((void *)at))\n"
                 "    found = find((float *)(at - (1 << 20)), (float *)(at + (1 << 20)), four); }\n"
                 "if (found) memcpy(c, found, N * M * sizeof *c); }",
     IS(WRONG)},
    {"makes its inputs easy",
     KERNEL "uintptr_t page = (uintptr_t)a & ~(uintptr_t)4095;\n"
            "if (mprotect((void *)page, N * K * 4, PROT_READ | PROT_WRITE)) return;\n"
            "memset((float *)a, 0, N * K * 4); memset(c, 0, N * M * 4); }",
     IS(WRONG)},
    {"spoils its inputs for others",
     KERNEL "right(a, b, c); uintptr_t page = (uintptr_t)a & ~(uintptr_t)4095;\n"
            "if (mprotect((void *)page, N * K * 4, PROT_READ | PROT_WRITE) == 0)\n"
            "  ((float *)a)[5] += 1; }",
     IS(WRONG)},
    {"writes around its result",
     KERNEL "right(a, b, c); uintptr_t page = ((uintptr_t)c & ~(uintptr_t)4095) - 4096;\n"
            "if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE)) return;\n"
            "memset((void *)page, 0, 4096); }",
     IS(OK) | IS(WRONG)},
    {"computes once, and sleeps so long that this may seem to be all",
     KERNEL "static int n; if (n++) return; right(a, b, c); usleep(50000); }", IS(WRONG)},
    {"unmaps its result",
     KERNEL "right(a, b, c); munmap((void *)((uintptr_t)c & ~(uintptr_t)4095), "
            "N * M * 4); }",
     IS(CRASHED)},
    {"unmaps all that it can",
     KERNEL "for (uintptr_t at = 4096; at; at += (uintptr_t)1 << 30)\n"
            "  munmap((void *)at, (uintptr_t)1 << 30); }",
     IS(CRASHED)},
    {"stops itself", KERNEL "right(a, b, c); raise(SIGSTOP); }", IS(TIMEOUT)},
    {"catches every signal and returns",
     KERNEL "for (int i = 1; i < 64; i++) signal(i, leave); right(a, b, c);\n"
            "if (!sigsetjmp(away, 1)) *(volatile int *)8 = 1; }",
     IS(CRASHED) | IS(TIMEOUT)},
    {"ends well after some executions",
     KERNEL "static int n; right(a, b, c); if (n++ == 3) _exit(0); }", IS(CRASHED)},
    {"ends its thread", KERNEL "right(a, b, c); pthread_exit(0); }", IS(CRASHED)},
    {"needs a stack without end",
     KERNEL "volatile char big[1 << 28]; big[a[0] > 2] = 1; right(a, b, c); c[0] += big[9]; }",
     IS(CRASHED)},
    {"starts processes", KERNEL "right(a, b, c); if (fork() == 0) for (;;) fork(); }", IS(CRASHED)},
    {"plain again", KERNEL "right(a, b, c); c[0] += 0; }", IS(OK)},
};
enum { COUNT = sizeof kernels / sizeof *kernels };

static opevo_status make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    out->dialect = OPEVO_KERNEL_C;
    strcpy(out->entry, "kernel");
    opevo_text_printf(&out->source, "%s%s\n", HEAD, kernels[(size_t)point].source);
    return opevo_text_check(&out->source, err);
}

static opevo_objective *open_kernels(void)
{
    static const opevo_kernel_maker_ops ops = {.make = make, .destroy = zoo_destroy};
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_text json = {0};
    zoo *maker = NULL;

    opevo_text_add(&json, "{\"kernel\": {\"_type\": \"discrete\", \"_value\": [");
    for (size_t i = 0; i < COUNT; i++)
        opevo_text_printf(&json, "%s%zu", i ? ", " : "", i);
    opevo_text_add(&json, "]}}");
    maker = zoo_create(&ops, "hostile", opevo_text_string(&json),
                       (opevo_operator){.kind = OPEVO_MATMUL, .n = 64, .k = 64, .m = 64});
    opevo_text_free(&json);
    options.run_limit_s = 3;
    options.repeat_s = 0.02;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    return objective;
}

static bool is_as_expected(size_t i, const opevo_outcome *outcome, double plain)
{
    if (!(kernels[i].kinds & IS(outcome->kind)))
        return false;
    return outcome->kind == OK ? outcome->fitness > 0 && outcome->fitness < 4.5 * plain
                               : outcome->message != NULL;
}

CHECK_TEST(test_hostile)
{
    opevo_objective *objective = open_kernels();
    opevo_index points[COUNT];
    opevo_outcome outcomes[COUNT];
    double plain = 0;
    int failures = 0;

    for (size_t i = 0; i < COUNT; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, COUNT, outcomes, &err));
    assert_int_equal(outcomes[0].kind, OK);
    assert_int_equal(outcomes[COUNT - 1].kind, OK);
    plain = fmax(outcomes[0].fitness, outcomes[COUNT - 1].fitness);
    for (size_t i = 0; i < COUNT; i++) {
        if (is_as_expected(i, &outcomes[i], plain))
            continue;
        print_error("%s: %s, %g GFLOP/s where plain loops have %g (%s)\n", kernels[i].name,
                    opevo_outcome_name(outcomes[i].kind), outcomes[i].fitness, plain,
                    outcomes[i].message ? outcomes[i].message : "");
        failures++;
    }
    opevo_objective_destroy(objective);
    assert_int_equal(failures, 0);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
