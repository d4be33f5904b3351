/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels that tests have proved: sources that are compiled with a macro CASE, their harnesses, and
 * the folder of their files. */

#ifndef OPEVO_PROOF_FIXTURE_H
#define OPEVO_PROOF_FIXTURE_H

#include "check.h"

#include "proof_clang.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct proof_fault {
    const char *kind;
    bool wrong; /* false: another way to compute the same */
} proof_fault;

typedef struct proof_kernel {
    const char *name, *source;
    const char *ending; /* of the name of the source */
    const char *computes;
    const char *harness;
    proof_fault fault[16]; /* ends with NULL */
} proof_kernel;

#define BUFFER(name, count) "\"" name "\": {\"type\": \"f32\", \"count\": \"" count "\"}"
#define INPUT(name, count)                                                                         \
    "\"" name "\": {\"type\": \"f32\", \"count\": \"" count "\", \"fill\": \"zero\"}"

static char folder[64];
static bool with_rounding; /* roundings are bounded, too */

/* ---- Modules ---- */

static void write_file(const char *name, const char *text, int fault, char path[256])
{
    FILE *file;

    snprintf(path, 256, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    if (fault >= 0)
        fprintf(file, "#define CASE %d\n", fault);
    fputs(text, file);
    fclose(file);
}

static opevo_i_prover_module load(const proof_kernel *kernel, int fault)
{
    opevo_i_prover_module module;
    char path[256], name[32];

    snprintf(name, sizeof name, "kernel%s", kernel->ending);
    write_file(name, kernel->source, fault, path);
    CHECK_OK(opevo_i_prover_load(path, false, "", &module, &err));
    return module;
}

/* ---- Proofs ---- */

static inline opevo_proof prove(const proof_kernel *kernel, int fault,
                                void (*spoil)(opevo_simt_arithmetic *arithmetic))
{
    opevo_i_prover_module module = load(kernel, fault);
    opevo_proof_options options = {.seed = 5, .spoil = spoil, .rounding = with_rounding};
    opevo_harness *harness = NULL;
    opevo_case *what = NULL;
    opevo_computation *computation = NULL;
    opevo_binding binding[8];
    size_t count = 0;
    opevo_proof proof;

    CHECK_OK(opevo_harness_parse(kernel->name, kernel->harness, strlen(kernel->harness), &harness,
                                 &err));
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_TUNE, 0, &what, &err));
    while (count < 8 && opevo_case_value(what, count, &binding[count].name, &binding[count].value))
        count++;
    CHECK_OK(opevo_computation_parse(kernel->computes, "test", binding, count, &computation, &err));
    CHECK_OK(opevo_prove(module.module, harness, what, computation, &options, &proof, &err));
    opevo_computation_destroy(computation);
    opevo_case_close(what);
    opevo_harness_destroy(harness);
    opevo_i_prover_unload(&module);
    return proof;
}

/* main: all tests, in a folder of their own. */
static int proof_tests(void)
{
    static const char *const names[] = {"kernel.c", "kernel.cu", "kernel.cl", "kernel.ll",
                                        "empty.c"};
    char path[256];
    int failed;

    snprintf(folder, sizeof folder, "/tmp/opevo-proof-XXXXXX");
    if (!mkdtemp(folder) || setenv("OPEVO_KERNELS", OPEVO_TEST_KERNELS, 1) != 0)
        return 1;
    failed = check_tests(NULL, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return failed;
}

#endif
