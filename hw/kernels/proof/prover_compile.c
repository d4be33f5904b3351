/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sources to modules. Loops stay loops and scalars stay scalars: what a compiler makes of them
 * afterwards is not part of a proof, and shorter code is interpreted faster. Functions that opevo
 * writes in front of its kernels stay calls, so that the interpreter knows them by name: they are
 * neither inlined nor, as static ones that nothing else uses would be, stripped of arguments. */

#include "prover_internal.h"

#include <opevo/emit.h>
#include <opevo/file.h>
#include <opevo/kernel_harness.h>
#include <opevo/memory.h>
#include <opevo/simt.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command_line_internal.h"
#include "keeper_internal.h"

#define LIMIT_S 600
#define OUTPUT ((size_t)256 << 20)
#define POLL_NS 2000000

typedef enum dialect { DIALECT_C, DIALECT_CUDA, DIALECT_OPENCL, DIALECT_IR, DIALECT_NONE } dialect;

static dialect dialect_of(const char *path)
{
    static const char hip[] = ".hip.cpp";
    const char *dot = strrchr(path, '.');
    size_t length = strlen(path);

    if (!dot)
        return DIALECT_NONE;
    if (length > strlen(hip) && strcmp(path + length - strlen(hip), hip) == 0)
        return DIALECT_CUDA; /* the words are the same */
    return strcmp(dot, ".c") == 0                               ? DIALECT_C
           : strcmp(dot, ".cu") == 0                            ? DIALECT_CUDA
           : strcmp(dot, ".cl") == 0                            ? DIALECT_OPENCL
           : strcmp(dot, ".ll") == 0 || strcmp(dot, ".bc") == 0 ? DIALECT_IR
                                                                : DIALECT_NONE;
}

/* $OPEVO_CLANG, or that of the LLVM that this program has. */
static void find_clang(char *out, size_t size)
{
    const char *given = getenv("OPEVO_CLANG");
    static const char beside[] = OPEVO_LLVM_FOLDER "/clang";

    if (given)
        snprintf(out, size, "%s", given);
    else if (access(beside, X_OK) == 0)
        snprintf(out, size, "%s", beside);
    else
        snprintf(out, size, "clang-%d", OPEVO_LLVM_VERSION);
}

static opevo_status add(opevo_i_process_arguments *out, const char *const *words, opevo_error *err)
{
    for (size_t i = 0; words[i]; i++)
        OPEVO_NEED_OR_RETURN(opevo_i_process_arguments_add(out, words[i], strlen(words[i])),
                             "a command");
    return OPEVO_OK;
}

static opevo_status add_cuda(opevo_i_process_arguments *out, opevo_error *err)
{
    char *words = NULL;
    opevo_text folder[2] = {{0}};
    opevo_status status = opevo_kernel_path("cuda_words.h", &words, err);

    if (status != OPEVO_OK)
        return status;
    for (int stubs = 0; stubs < 2; stubs++)
        opevo_text_printf(&folder[stubs], "-I%.*s%s", (int)(strrchr(words, '/') - words), words,
                          stubs ? "/vendors" : "");
    status = add(out,
                 (const char *const[]){"-x", "cuda", "-include", words, "--cuda-device-only",
                                       "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib",
                                       "-Wno-unknown-cuda-version", opevo_text_string(&folder[0]),
                                       opevo_text_string(&folder[1]), NULL},
                 err);
    opevo_text_free(&folder[0]);
    opevo_text_free(&folder[1]);
    opevo_free(words);
    return status;
}

static opevo_status add_opencl(opevo_i_process_arguments *out, opevo_error *err)
{
    char *words = NULL;
    opevo_status status = opevo_kernel_path("opencl_words.h", &words, err);

    if (status != OPEVO_OK)
        return status;
    status = add(out,
                 (const char *const[]){"-x", "cl", "-cl-std=CL1.2", "--target=nvptx64-nvidia-cuda",
                                       "-Xclang", "-target-cpu", "-Xclang", "sm_70", "-nogpulib",
                                       "-include", words, NULL},
                 err);
    opevo_free(words);
    return status;
}

/* What vector intrinsics do. */
static opevo_status add_x86(opevo_i_process_arguments *out, opevo_error *err)
{
    char *words = NULL;
    opevo_status status = opevo_kernel_path("x86_words.h", &words, err);

    if (status == OPEVO_OK)
        status = add(out, (const char *const[]){"-include", words, NULL}, err);
    opevo_free(words);
    return status;
}

static opevo_status add_lines(opevo_i_process_arguments *out, const char *lines, opevo_error *err)
{
    for (; *lines; lines += strcspn(lines, "\n") + 1)
        OPEVO_NEED_OR_RETURN(opevo_i_process_arguments_add(out, lines, strcspn(lines, "\n")),
                             "a command");
    return OPEVO_OK;
}

/* Functions of numbers stay calls, as kernels may define ones of these names themselves. */
static opevo_status add_library(opevo_i_process_arguments *out, opevo_error *err)
{
    static const char *const names[] = {
        "cbrt",  "ceil",  "copysign", "cos",       "erf",   "exp",  "exp2",  "expm1",
        "fabs",  "floor", "fma",      "fmax",      "fmin",  "fmod", "ldexp", "log",
        "log10", "log1p", "log2",     "nearbyint", "pow",   "rint", "round", "roundeven",
        "sin",   "sqrt",  "tan",      "tanh",      "trunc", NULL};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; names[i] && status == OPEVO_OK; i++)
        for (int narrow = 0; narrow < 2 && status == OPEVO_OK; narrow++) {
            char word[48];

            snprintf(word, sizeof word, "-fno-builtin-%s%s", names[i], narrow ? "f" : "");
            status = add(out, (const char *const[]){word, NULL}, err);
        }
    return status;
}

static opevo_status command_of(const char *path, dialect which, bool own, const char *words,
                               opevo_i_process_arguments *out, opevo_error *err)
{
    static const char *const calls[] = {"-fno-inline", "-Dalways_inline=noinline",
                                        "-Dstatic=__attribute__((used)) static", NULL};
    static const char *const plain[] = {"-march=x86-64-v4", "-std=gnu11", "-fopenmp", NULL};
    static const char *const both[] = {"-O1",
                                       "-fno-vectorize",
                                       "-fno-slp-vectorize",
                                       "-fno-math-errno",
                                       "-mllvm",
                                       "-disable-loop-idiom-all",
                                       "-ffp-contract=off",
                                       "-gline-tables-only",
                                       "-w",
                                       "-S",
                                       "-emit-llvm",
                                       "-o",
                                       "-",
                                       NULL};
    char clang[4096];
    opevo_status status;

    find_clang(clang, sizeof clang);
    status = add(out, (const char *const[]){clang, NULL}, err);
    if (status == OPEVO_OK)
        status = which == DIALECT_CUDA     ? add_cuda(out, err)
                 : which == DIALECT_OPENCL ? add_opencl(out, err)
                                           : add(out, plain, err);
    if (status == OPEVO_OK && own && which != DIALECT_CUDA)
        status = add(out, calls, err);
    if (status == OPEVO_OK && which == DIALECT_C)
        status = add_library(out, err);
    if (status == OPEVO_OK && which == DIALECT_C && !own)
        status = add_x86(out, err);
    if (status == OPEVO_OK)
        status = add_lines(out, words, err);
    if (status == OPEVO_OK)
        status = add(out, both, err);
    return status == OPEVO_OK ? add(out, (const char *const[]){path, NULL}, err) : status;
}

static opevo_status run(const opevo_i_process_arguments *command, const char *path,
                        opevo_i_process_program_end *end, opevo_error *err)
{
    opevo_i_process_program program = {
        .argv = command->items, .limit_s = LIMIT_S, .output_limit = OUTPUT};
    opevo_i_process_keeper keeper = {0};
    opevo_status status = opevo_i_process_keeper_start(&program, &keeper, err);

    if (status != OPEVO_OK)
        return status;
    while (!opevo_i_process_keeper_poll(&keeper, end))
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    if (end->start_errno)
        return OPEVO_FAIL(
            err, OPEVO_IO,
            "%s: %s: proofs need clang (Debian: clang-19), or name it by OPEVO_CLANG.",
            command->items[0], strerror(end->start_errno));
    if (!end->kept || end->wait_status != 0 || end->timed_out)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: clang does not compile it: %.900s", path,
                          opevo_text_string(&end->error));
    return OPEVO_OK;
}

/* LLVM takes the buffer over. */
static opevo_status parse(LLVMMemoryBufferRef buffer, const char *path, opevo_i_prover_module *out,
                          opevo_error *err)
{
    char *message = NULL;
    opevo_status status = OPEVO_OK;

    out->context = LLVMContextCreate();
    if (LLVMParseIRInContext(out->context, buffer, &out->module, &message)) {
        out->module = NULL;
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: %.700s", path, message);
    } else if (LLVMVerifyModule(out->module, LLVMReturnStatusAction, &message)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: %.700s", path, message);
    }
    LLVMDisposeMessage(message);
    if (status != OPEVO_OK)
        opevo_i_prover_unload(out);
    return status;
}

static opevo_status load_source(const char *path, dialect which, bool own, const char *words,
                                opevo_i_prover_module *out, opevo_error *err)
{
    opevo_i_process_arguments command = {0};
    opevo_i_process_program_end end = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(command_of(path, which, own, words, &command, err));
    OPEVO_TRY(run(&command, path, &end, err));
    status = parse(LLVMCreateMemoryBufferWithMemoryRangeCopy(end.out.data, end.out.length, path),
                   path, out, err);
cleanup:
    opevo_i_process_arguments_clear(&command);
    opevo_i_process_program_end_free(&end);
    return status;
}

opevo_status opevo_i_prover_preprocess(const char *path, bool parallel, const char *words,
                                       opevo_text *out, opevo_error *err)
{
    static const char *const blind[] = {"-E", "-D__builtin_constant_p(x)=0", NULL};
    static const char *const here[] = {"-march=native", "-O2", "-fno-math-errno", NULL};
    dialect which = dialect_of(path);
    opevo_i_process_arguments command = {0};
    opevo_i_process_program_end end = {0};
    char clang[4096];
    opevo_status status = OPEVO_OK;

    if (which == DIALECT_NONE || which == DIALECT_IR)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: it has no preprocessor.", path);
    find_clang(clang, sizeof clang);
    OPEVO_TRY(add(&command, (const char *const[]){clang, NULL}, err));
    OPEVO_TRY(add(&command, blind, err));
    if (which == DIALECT_C)
        OPEVO_TRY(add(&command, here, err));
    else
        OPEVO_TRY(add(&command,
                      (const char *const[]){"-x", which == DIALECT_CUDA ? "c++" : "c", "-undef",
                                            "-nostdinc", NULL},
                      err));
    if (parallel)
        OPEVO_TRY(add(&command, (const char *const[]){"-fopenmp", NULL}, err));
    OPEVO_TRY(add_lines(&command, words, err));
    OPEVO_TRY(add(&command, (const char *const[]){path, NULL}, err));
    OPEVO_TRY(run(&command, path, &end, err));
    opevo_text_printf(out, "%s\n", clang);
    opevo_text_add_bytes(out, end.out.data, end.out.length);
cleanup:
    opevo_i_process_arguments_clear(&command);
    opevo_i_process_program_end_free(&end);
    return status;
}

/* ---- What is known by name ---- */

static const char *ending_of(dialect which)
{
    return which == DIALECT_C ? ".c" : ".cl";
}

/* The functions that opevo writes, from a file of their own. */
static opevo_status load_known(opevo_kernel_dialect written, dialect which, const char *words,
                               opevo_i_prover_module *out, opevo_error *err)
{
    const char *parent = getenv("TMPDIR"), *ending = ending_of(which);
    opevo_text path = {0}, text = {0};
    opevo_status status = OPEVO_OK;
    int file = -1;

    opevo_kernel_functions(written, &text);
    opevo_text_printf(&path, "%s/opevo-functions-XXXXXX%s", parent && *parent ? parent : "/tmp",
                      ending);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_text_check(&text, err));
    file = mkstemps(path.data, (int)strlen(ending));
    if (file < 0 || close(file) != 0)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path.data, strerror(errno));
    else
        status = opevo_file_write(path.data, opevo_text_string(&text), text.length, err);
    if (status == OPEVO_OK)
        status = load_source(path.data, which, true, words, out, err);
    if (file >= 0)
        (void)unlink(path.data);
cleanup:
    opevo_text_free(&path);
    opevo_text_free(&text);
    return status;
}

/* Texts for OpenCL on CPUs have vectors, those for GPUs do not. */
static opevo_kernel_dialect written_in(const opevo_i_prover_module *module, dialect which)
{
    if (which == DIALECT_C)
        return OPEVO_KERNEL_C;
    for (LLVMValueRef one = LLVMGetFirstFunction(module->module); one;
         one = LLVMGetNextFunction(one)) {
        size_t length = 0;
        const char *name = LLVMGetValueName2(one, &length);

        if (opevo_simt_knows_function(name) && isdigit((unsigned char)name[length - 1]))
            return OPEVO_KERNEL_OPENCL_CPU;
    }
    return OPEVO_KERNEL_OPENCL;
}

static opevo_status check_own(dialect which, const char *words, opevo_i_prover_module *out,
                              opevo_error *err)
{
    opevo_i_prover_module known = {NULL, NULL};
    opevo_status status = OPEVO_OK;

    opevo_i_prover_check_thread(out);
    if (opevo_i_prover_has_known(out) && which != DIALECT_CUDA) /* its names have their types */
        status = load_known(written_in(out, which), which, words, &known, err);
    if (status == OPEVO_OK)
        opevo_i_prover_disown(out, &known);
    else
        opevo_i_prover_unload(out);
    opevo_i_prover_unload(&known);
    return status;
}

/* ---- All ---- */

opevo_status opevo_i_prover_load(const char *path, bool own, const char *words,
                                 opevo_i_prover_module *out, opevo_error *err)
{
    dialect which = dialect_of(path);
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    opevo_status status;

    *out = (opevo_i_prover_module){NULL, NULL};
    if (which == DIALECT_NONE)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: a kernel is a file .c, .cu, .cl or .ll, or a folder of --emit.",
                          path);
    if (access(path, R_OK) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    if (which != DIALECT_IR) {
        status = load_source(path, which, own, words, out, err);
        return status == OPEVO_OK && own ? check_own(which, words, out, err) : status;
    }
    if (!LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
        return parse(buffer, path, out, err);
    status = OPEVO_FAIL(err, OPEVO_IO, "%s: %.700s.", path, message);
    LLVMDisposeMessage(message);
    return status;
}

void opevo_i_prover_unload(opevo_i_prover_module *self)
{
    if (self->module)
        LLVMDisposeModule(self->module);
    if (self->context)
        LLVMContextDispose(self->context);
    *self = (opevo_i_prover_module){NULL, NULL};
}
