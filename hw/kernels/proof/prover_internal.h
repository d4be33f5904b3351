/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of an answer. */

#ifndef OPEVO_PROVER_INTERNAL_H
#define OPEVO_PROVER_INTERNAL_H

#include <opevo/prover.h>

#include <opevo/kernel.h>
#include <opevo/proof.h>

/* prover_words.c. Start from {0}. */
typedef struct opevo_i_prover_words {
    opevo_text lines; /* words for clang, one a line */
    char *name[OPEVO_HARNESS_VALUES];
    int64_t number[OPEVO_HARNESS_VALUES];
    size_t count; /* of parameters that are whole numbers */
} opevo_i_prover_words;

/* Parameters "NAME=VALUE", as tuning gives them to a source and its harness. Errors: INVALID for
 * another text; NOMEM. */
struct json_t;
opevo_status opevo_i_prover_words_read(const struct json_t *settings, opevo_i_prover_words *out,
                                       opevo_error *err);
/* They are borrowed. */
opevo_harness_values opevo_i_prover_values(const opevo_i_prover_words *self);
/* Words for a compiler, one a line. Errors: INVALID for one that may change what is computed;
 * NOMEM. */
opevo_status opevo_i_prover_words_add(opevo_i_prover_words *self, const char *lines,
                                      opevo_error *err);
void opevo_i_prover_words_free(opevo_i_prover_words *self);

/* prover_compile.c: the module of a source, by clang with these words, one a line, or of a file of
 * IR. `own`: opevo wrote it. */
typedef struct opevo_i_prover_module {
    struct LLVMOpaqueContext *context;
    struct LLVMOpaqueModule *module;
} opevo_i_prover_module;

/* The text of a source behind its preprocessor, after a line with the path of clang. */
opevo_status opevo_i_prover_preprocess(const char *path, bool parallel, const char *words,
                                       opevo_text *out, opevo_error *err);
opevo_status opevo_i_prover_load(const char *path, bool own, const char *words,
                                 opevo_i_prover_module *out, opevo_error *err);
void opevo_i_prover_unload(opevo_i_prover_module *self);

/* prover_functions.c: whether there are functions that the interpreter would know by name. */
bool opevo_i_prover_has_known(const opevo_i_prover_module *module);
/* Rename those whose bodies are not those of the other module, if any, and their callers. */
void opevo_i_prover_disown(const opevo_i_prover_module *module, const opevo_i_prover_module *known);
/* Rename the function that gives the number of a thread, where not only addresses depend on it. */
void opevo_i_prover_check_thread(const opevo_i_prover_module *module);

/* prover_harness.c: how a kernel that opevo printed is called: behind the functions that pack its
 * constants, with operands in the order of opevo_workload_list, then scratch memory, then extents.
 */
typedef struct opevo_i_prover_call {
    size_t launches;
    struct {
        char kernel[96];
        uint32_t grid[3], block[3], shared_bytes;
    } launch[OPEVO_KERNEL_LAUNCHES];
    struct {
        char function[96], operand[OPEVO_COMPUTATION_NAME + 1];
        int64_t bytes;
    } pack[OPEVO_OPERANDS]; /* constants that the kernel takes in another layout */
    size_t packs;
    uint32_t reused;                         /* inputs X<i>, as bits, where output Y0 may lie */
    char shared[OPEVO_COMPUTATION_NAME + 1]; /* that of them where it does lie; "": none */
    bool has_scratch;
    int64_t scratch_bytes, thread_bytes; /* in common, and of each thread */
    int extents;                         /* that are arguments, behind all others */
    int64_t extent[OPEVO_KERNEL_ARGUMENTS];
} opevo_i_prover_call;

/* The text of a harness with one case. Errors: those of opevo_workload_create. */
opevo_status opevo_i_prover_harness(const opevo_computation *computation,
                                    const opevo_i_prover_call *call, opevo_text *out,
                                    opevo_error *err);

/* prover_folder.c: the kernel, the computation and a harness of a folder of --emit, as texts, and
 * how the kernel is called. */
opevo_status opevo_i_prover_folder(const char *folder, opevo_text *kernel, opevo_text *computes,
                                   opevo_text *harness, opevo_i_prover_call *call,
                                   opevo_error *err);

/* prover_library.c: the same of a kernel of a network's library in C, whose file begins with its
 * computation, and with what calls it must know. */
opevo_status opevo_i_prover_library(const char *path, opevo_text *computes,
                                    opevo_i_prover_call *call, opevo_error *err);

/* Whether the module agrees: there is one function that other files can call beside those that
 * pack, and of each operand either the source says that it lies apart, or the head that Y0 may lie
 * there. Errors: INVALID if it does not; NOMEM. */
opevo_status opevo_i_prover_library_check(const opevo_i_prover_module *module, const char *path,
                                          const opevo_computation *computation,
                                          const opevo_i_prover_call *call, opevo_error *err);
/* Whether the source says of an operand that no other one lies there; also of one it lacks. */
bool opevo_i_prover_library_is_restricted(const opevo_i_prover_module *module,
                                          const opevo_i_prover_call *call, unsigned operand);

/* prover_print.c; `computation` NULL: of two kernels that should give the same bits. */
void opevo_i_prover_print(const char *label, const opevo_computation *computation,
                          const opevo_proof *proof, bool json, opevo_text *out);
/* What an earlier answer said of all cases, and of which source; verdict "": no answer. */
typedef struct opevo_i_prover_certificate {
    char verdict[16];
    uint64_t source;
} opevo_i_prover_certificate;

/* The last line: the verdict on all cases, of which source, and what it is not about; before it,
 * what an earlier answer said. A part of an answer in text has that alone. */
typedef struct opevo_i_prover_whole {
    opevo_proof_verdict verdict;
    size_t cases;
    uint64_t source;
    bool of_bits;       /* of two kernels */
    double probability; /* that the proof of some case is false, by their sum */
    bool assumed;
    double error, error_in_any_order; /* the largest */
    opevo_text example;               /* of the first case that has one: a member of JSON */
} opevo_i_prover_whole;
/* Add the verdict on a case: refuted is worse than undecided, which is worse than proved. */
void opevo_i_prover_note(const opevo_computation *computation, const opevo_proof *proof,
                         opevo_i_prover_whole *whole);
void opevo_i_prover_print_all(const opevo_i_prover_whole *whole,
                              const opevo_i_prover_certificate *earlier, bool json, bool part,
                              opevo_text *out);
/* One line of JSON: what the earlier answer said, and whether of this source. */
void opevo_i_prover_print_comparison(const opevo_i_prover_certificate *earlier, uint64_t source,
                                     opevo_text *out);

#endif
