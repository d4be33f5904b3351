/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The harness of a GPU kernel: on which buffers it works, how it is launched, and which results are
 * accepted. docs/formats/harness.md describes the file.
 *
 * A case is one choice of sizes, geometry and seed; it belongs to one of three sets that have no
 * case in common. A launcher runs cases: an interpreter, a CPU, a GPU. The results of a kernel are
 * compared with golden ones, which a reference kernel computed from the same inputs. */

#ifndef OPEVO_KERNEL_HARNESS_H
#define OPEVO_KERNEL_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* ---- The file ---- */

typedef struct opevo_harness opevo_harness;

/* One row for each set: enum suffix, name as in files. What a search measures, what its front is
 * chosen by, and what only the reported variants are tried on; and what `opevo tune` measures. */
#define OPEVO_HARNESS_SET_LIST(X)                                                                  \
    X(SEARCH, "search")                                                                            \
    X(SELECTION, "selection")                                                                      \
    X(FINAL, "final")                                                                              \
    X(TUNE, "tune")

typedef enum opevo_harness_set {
#define OPEVO_HARNESS_SET_ENUM(suffix, text) OPEVO_SET_##suffix,
    OPEVO_HARNESS_SET_LIST(OPEVO_HARNESS_SET_ENUM) OPEVO_HARNESS_SETS
#undef OPEVO_HARNESS_SET_ENUM
} opevo_harness_set;

const char *opevo_harness_set_name(opevo_harness_set set);
/* The set of a name; false for others. */
bool opevo_harness_set_of(const char *name, opevo_harness_set *out);

/* Read a harness file. All its cases are laid out, so that none fails later for its sizes.
 * Errors: IO; INVALID with file and key, such as "k.json: buffers.a.count: ..."; LIMIT for a case
 * of more than 1 GiB; NOMEM. */
opevo_status opevo_harness_load(const char *path, opevo_harness **out, opevo_error *err);
/* The same for a text of `size` bytes, which a zero byte follows; `path` begins the messages and is
 * the file that "reference" is relative to. */
opevo_status opevo_harness_parse(const char *path, const char *text, size_t size,
                                 opevo_harness **out, opevo_error *err);

void opevo_harness_destroy(opevo_harness *harness);

/* Tuning parameters with whole values, which the expressions of a harness may name. */
enum { OPEVO_HARNESS_VALUES = 48 }; /* at most */
typedef struct opevo_harness_values {
    size_t count;
    const char *const *name;
    const int64_t *value;
} opevo_harness_values;

/* The same with parameters: all cases are laid out with these values, which are copied and stand
 * for parameters wherever none are given. A size or a geometry of the name of a parameter is that
 * parameter. */
opevo_status opevo_harness_parse_with(const char *path, const char *text, size_t size,
                                      const opevo_harness_values *values, opevo_harness **out,
                                      opevo_error *err);

/* ---- Where they are ---- */

/* Path of the module NAME: the file itself, else, for a name without folder, NAME or NAME.ll in
 * $OPEVO_KERNELS, beside the program in kernels (a build folder), or in ../share/opevo/kernels.
 * Release *out with opevo_free. Errors: IO, NOMEM. */
opevo_status opevo_kernel_path(const char *name, char **out, opevo_error *err);
/* Path of the harness of a module: beside it, K.json for K.ll, else for K-VARIANT.ll.
 * Release *out with opevo_free. Errors: IO if neither exists; NOMEM. */
opevo_status opevo_harness_path(const char *kernel, char **out, opevo_error *err);

/* ---- The harness ---- */

/* Of the text of the file, for stores. */
uint64_t opevo_harness_hash(const opevo_harness *harness);
/* Path of the module whose results are golden; NULL: the base kernel itself. Borrowed. */
const char *opevo_harness_reference(const opevo_harness *harness);
/* The names in "races" that are not buffers', in the order of the file: variables of the module, in
 * shared or global memory, to which work items may write the same value at the same place at once.
 * NULL from their number on. Borrowed. */
const char *opevo_harness_racy_variable(const opevo_harness *harness, size_t i);
size_t opevo_harness_case_count(const opevo_harness *harness, opevo_harness_set set);

/* ---- What tuning asks of it ---- */

/* Where golden results come from. */
typedef enum opevo_harness_reference_kind {
    OPEVO_REFERENCE_ITSELF,      /* the kernel: without edits, or in its default configuration */
    OPEVO_REFERENCE_MODULE,      /* an LLVM module with the same steps */
    OPEVO_REFERENCE_SOURCE,      /* a file in C, with steps of its own or the same */
    OPEVO_REFERENCE_COMPUTATION, /* a text in opevo's language, whose tensors are the buffers */
    OPEVO_REFERENCE_FILES        /* of numbers, or other fills, one for each output */
} opevo_harness_reference_kind;

opevo_harness_reference_kind opevo_harness_reference_kind_of(const opevo_harness *harness);
/* The text of a reference COMPUTATION; NULL for others. Borrowed. */
const char *opevo_harness_computation(const opevo_harness *harness);

/* What one execution of the case that is timed does: operations (GFLOP/s), bytes (GB/s), or, with
 * the unit "ms" and 0, nothing that is counted. */
typedef struct opevo_harness_rate {
    const char *unit;
    double amount;
} opevo_harness_rate;
opevo_status opevo_harness_rate_of(const opevo_harness *harness, opevo_harness_rate *out,
                                   opevo_error *err);
/* Keep random contents of buffers, and those from files, for later cases of the same seed, up to so
 * many bytes; a case is then opened by one thread at a time. Errors: NOMEM. */
opevo_status opevo_harness_remember(opevo_harness *harness, size_t bytes, opevo_error *err);
/* How many executions or windows of it are timed at most; 0: as many as its time needs. */
unsigned opevo_harness_runs(const opevo_harness *harness);
/* What is accepted of an output: |x - g| of at most `bound`, `relative` to max(|g|, floor), or to
 * their sum; for whole ones, and for "exact", 0. `any`: everything. */
typedef struct opevo_harness_tolerance {
    bool relative, summed, any;
    double bound, floor;
} opevo_harness_tolerance;
opevo_harness_tolerance opevo_harness_tolerance_of(const opevo_harness *harness, size_t buffer);
enum { OPEVO_HARNESS_ROUNDS = 1000, OPEVO_HARNESS_CALLS = 100 }; /* of a judge, at most */
/* What its member "judge" says of `opevo judge`; 0: nothing. */
typedef struct opevo_harness_judging {
    uint64_t rounds, calls;
    double timeout; /* seconds of an execution */
} opevo_harness_judging;
opevo_harness_judging opevo_harness_judging_of(const opevo_harness *harness);
/* The path of baseline i, seen from the folder of the file; NULL from their number on. Release with
 * opevo_free. Errors: NOMEM. */
opevo_status opevo_harness_baseline(const opevo_harness *harness, size_t i, char **out,
                                    opevo_error *err);
/* Whether the parameters are macros of the source. */
bool opevo_harness_defines_macros(const opevo_harness *harness);
/* Whether all expressions of that case have values at these, and its launches are possible. Errors:
 * INVALID, LIMIT, NOMEM. */
opevo_status opevo_harness_check(const opevo_harness *harness, const opevo_harness_values *values,
                                 opevo_error *err);
/* The launches of that case without its data: each is told to `launch` of the player; a loop by a
 * flag is walked through once. Errors: the same. */
struct opevo_player;
opevo_status opevo_harness_launches(const opevo_harness *harness,
                                    const opevo_harness_values *values,
                                    const struct opevo_player *player, opevo_error *err);
/* What begins a word of a kernel's options that is not for the compiler, but names a kernel of C++
 * that the object has to have. */
#define OPEVO_NAME_EXPRESSION "--name-expression="

/* Words for the compiler at these values, one a line. Errors: INVALID, NOMEM. */
opevo_status opevo_harness_compiler(const opevo_harness *harness,
                                    const opevo_harness_values *values, opevo_text *out,
                                    opevo_error *err);
/* The steps of the case that is timed as a C function, to stand behind the source of the kernels in
 * one file:
 *
 *     void ENTRY(void *b0, void *b1, ..., void *scratch);
 *
 * with a pointer to each buffer in the order of the file. Sizes and parameters are constants in it.
 *   reference  the steps of the reference SOURCE instead
 * Errors: INVALID for steps that no C function has: launches with grids, local memory. */
opevo_status opevo_harness_print_c(const opevo_harness *harness, const opevo_harness_values *values,
                                   bool reference, const char *entry, opevo_text *out,
                                   opevo_error *err);
/* The same for steps that launch kernels, in C and C++, behind the functions that expressions use,
 * which opevo_harness_print_helpers prints:
 *
 *     HEAD(device_memory *b)
 *
 * It calls `launch`, `set_zero` and `flag_is_set` of a text that knows the device. Errors: those of
 * expressions; NOMEM. */
opevo_status opevo_harness_print_launches(const opevo_harness *harness,
                                          const opevo_harness_values *values, const char *head,
                                          opevo_text *out, opevo_error *err);
void opevo_harness_print_helpers(opevo_text *out);
/* The first C function that the steps of the kernels call; NULL: none. Borrowed. */
const char *opevo_harness_called(const opevo_harness *harness);

/* ---- Cases ---- */

/* One row for each type of elements: enum suffix, name as in files, and the type that holds it,
 * for halves their bits. */
#define OPEVO_KERNEL_ELEMENT_LIST(X)                                                               \
    X(F32, "f32", float)                                                                           \
    X(F64, "f64", double)                                                                          \
    X(F16, "f16", uint16_t)                                                                        \
    X(I32, "i32", int32_t)                                                                         \
    X(U32, "u32", uint32_t)                                                                        \
    X(I64, "i64", int64_t)                                                                         \
    X(U64, "u64", uint64_t)                                                                        \
    X(I16, "i16", int16_t)                                                                         \
    X(U16, "u16", uint16_t)                                                                        \
    X(I8, "i8", int8_t)                                                                            \
    X(U8, "u8", uint8_t)

typedef enum opevo_kernel_element {
#define OPEVO_KERNEL_ELEMENT_ENUM(suffix, text, type) OPEVO_KERNEL_ELEMENT_##suffix,
    OPEVO_KERNEL_ELEMENT_LIST(OPEVO_KERNEL_ELEMENT_ENUM)
#undef OPEVO_KERNEL_ELEMENT_ENUM
} opevo_kernel_element;

/* The name of a type in files, and its bytes. */
const char *opevo_kernel_element_name(opevo_kernel_element element);
size_t opevo_kernel_element_size(opevo_kernel_element element);
bool opevo_kernel_element_is_real(opevo_kernel_element element);
/* Element i of an array of floats as a double, and a double as the nearest float there. Cost: for
 * f16 some 30 operations. */
double opevo_kernel_element_get(opevo_kernel_element element, const void *array, size_t i);
void opevo_kernel_element_put(opevo_kernel_element element, void *array, size_t i, double value);

typedef struct opevo_buffer {
    const char *name;
    opevo_kernel_element element;
    size_t count;       /* elements, at least 1 */
    size_t size_bytes;  /* count * opevo_kernel_element_size(element) */
    bool initialised;   /* false: no element has a value at first; `data` is all 0 */
    bool output;        /* compared with the golden result */
    bool benign_races;  /* work items may write the same value to the same place at once */
    const char *symbol; /* variable of the module that gets the initial contents; NULL: none */
    void *data;         /* aligned to 64 bytes unless the launcher replaced it */
} opevo_buffer;

typedef enum opevo_argument_kind {
    OPEVO_ARGUMENT_BUFFER,
    OPEVO_ARGUMENT_SCALAR,
    OPEVO_ARGUMENT_STRUCT, /* by value */
    OPEVO_ARGUMENT_LOCAL   /* local memory of each block, as OpenCL has it; `bits` bytes */
} opevo_argument_kind;

typedef struct opevo_argument {
    opevo_argument_kind kind;
    size_t buffer;                        /* its number in the case */
    opevo_kernel_element element;         /* type of a scalar */
    uint64_t bits;                        /* its representation, in the low bytes */
    const struct opevo_argument *members; /* of a struct: buffers and scalars */
    size_t member_count;
} opevo_argument;

enum { OPEVO_STRUCT_MOST = 512 }; /* bytes of a struct */

/* The bytes of a struct, as C lays it out: every member at the next multiple of its size, and the
 * whole a multiple of its largest member. Returns their number.
 *   address  of a buffer, where kernels find it */
size_t opevo_argument_lay_out(const opevo_argument *argument,
                              uint64_t (*address)(const void *context, size_t buffer),
                              const void *context, uint8_t out[OPEVO_STRUCT_MOST]);

enum { OPEVO_KERNEL_EXPRESSION = 160 }; /* bytes of a kernel's name with template arguments */

typedef struct opevo_grid_launch {
    const char *kernel;         /* "scale", or "scale<4, float>" for an instance of a template */
    uint32_t grid[3], block[3]; /* blocks, and work items of a block, in x, y, z; at least 1 */
    uint32_t shared_bytes;      /* of dynamic shared memory */
    const opevo_argument *arguments;
    size_t argument_count;
} opevo_grid_launch;

/* The buffers of the case that is timed at these values, without data; room for as many as the
 * harness has. Errors: INVALID, LIMIT, NOMEM. */
opevo_status opevo_harness_buffers_at(const opevo_harness *harness,
                                      const opevo_harness_values *values, opevo_buffer *out,
                                      opevo_error *err);

typedef struct opevo_case opevo_case;

/* Lay out and fill the buffers of a case, by its seed: the same bytes on every machine.
 *   i  below opevo_harness_case_count(harness, set)
 * The harness must outlive its cases. Errors: NOMEM. */
opevo_status opevo_case_open(const opevo_harness *harness, opevo_harness_set set, size_t i,
                             opevo_case **out, opevo_error *err);
/* The same with other values of the parameters, which are copied, but not their names. Errors: also
 * INVALID for an expression without a value. */
opevo_status opevo_case_open_with(const opevo_harness *harness, opevo_harness_set set, size_t i,
                                  const opevo_harness_values *values, opevo_case **out,
                                  opevo_error *err);
void opevo_case_close(opevo_case *self);
/* Fill the buffers anew, wherever their `data` is by now, as by another seed; all else stays, its
 * label too. Errors: those of files; NOMEM. */
opevo_status opevo_case_refill(opevo_case *self, uint64_t seed, opevo_error *err);
/* The buffers in the order of the file. A launcher may set `data` to memory of its own, with the
 * same contents; the case then neither uses nor frees what it allocated until it is closed. */
opevo_buffer *opevo_case_buffers(opevo_case *self, size_t *count);
/* Sizes, geometry and derived names of the case, by number; false from their number on. */
bool opevo_case_value(const opevo_case *self, size_t i, const char **name, int64_t *value);
/* What is right in an output, for a reference FILES. Errors: those of files and expressions. */
opevo_status opevo_case_golden(opevo_case *self, size_t buffer, void *out, opevo_error *err);
/* A text such as "n=32 bx=8 seed=3"; borrowed. */
const char *opevo_case_label(const opevo_case *self);

/* Elements from a file: numbers as text for NAME.txt and NAME.csv, an array of NumPy for NAME.npy,
 * else the bare elements, least significant byte first. Errors: IO; INVALID for another number or
 * type of elements; NOMEM. */
opevo_status opevo_harness_read_numbers(const char *path, opevo_kernel_element element,
                                        size_t count, void *out, opevo_error *err);

/* ---- Launchers ---- */

/* One row for each verdict on a kernel: enum suffix, name as printed.
 *   apply, verify      the edits gave no module, or one that LLVM rejects (set by the caller)
 *   unsupported        the launcher does not know an instruction, or refuses the launch
 *   out of bounds .. undefined, limit: as of the interpreter (opevo/simt.h); "limit" also if a loop
 *                      of the harness does not end within its bound
 *   signal             the process was killed by a signal
 *   timeout            it took too long
 *   wrong              a result is not finite or too far from the golden one */
#define OPEVO_VERDICT_LIST(X)                                                                      \
    X(OK, "ok")                                                                                    \
    X(APPLY, "apply")                                                                              \
    X(VERIFY, "verify")                                                                            \
    X(UNSUPPORTED, "unsupported")                                                                  \
    X(OUT_OF_BOUNDS, "out of bounds")                                                              \
    X(UNINITIALISED, "uninitialised")                                                              \
    X(RACE, "race")                                                                                \
    X(DIVERGENT_BARRIER, "divergent barrier")                                                      \
    X(UNDEFINED, "undefined")                                                                      \
    X(LIMIT, "limit")                                                                              \
    X(SIGNAL, "signal")                                                                            \
    X(TIMEOUT, "timeout")                                                                          \
    X(WRONG, "wrong")

typedef enum opevo_kernel_verdict {
#define OPEVO_VERDICT_ENUM(suffix, text) OPEVO_VERDICT_##suffix,
    OPEVO_VERDICT_LIST(OPEVO_VERDICT_ENUM)
#undef OPEVO_VERDICT_ENUM
} opevo_kernel_verdict;

const char *opevo_kernel_verdict_name(opevo_kernel_verdict verdict);

enum { OPEVO_VERDICT_MESSAGE_SIZE = 384 };

/* The result of a case or of a set. */
typedef struct opevo_evaluation {
    opevo_kernel_verdict verdict;
    double cost;   /* in the launcher's model, summed over cases; 0 if it has none */
    double time_s; /* measured, summed over cases; 0 if it measures none */
    double error;  /* the largest of all outputs of all cases; see opevo_harness_evaluate */
    size_t cases;  /* that ran, the failed one included */
    char message[OPEVO_VERDICT_MESSAGE_SIZE]; /* a sentence unless ok: what, where, in which case */
} opevo_evaluation;

typedef struct opevo_launcher opevo_launcher;

typedef struct opevo_launcher_ops {
    const char *name; /* "simt", "cpu" */
    /* Run all steps of the case, by opevo_case_play, leave the results in the `data` of its output
     * buffers, which stay valid until the next run, and fill verdict, cost, time_s and message of
     * *out, which starts as ok and 0. Errors are those of the host only: NOMEM, IO, FAULT. */
    opevo_status (*run)(opevo_launcher *self, opevo_case *what, opevo_evaluation *out,
                        opevo_error *err);
    void (*destroy)(opevo_launcher *self);
} opevo_launcher_ops;

/* First member of every launcher. */
struct opevo_launcher {
    const opevo_launcher_ops *ops;
};

/* NULL is allowed. */
void opevo_launcher_destroy(opevo_launcher *launcher);

/* How opevo_case_play reaches the kernels. */
typedef struct opevo_player {
    void *context;
    /* Run a launch to its end. A verdict other than ok, with its message in *out, ends the case;
     * errors are those of the host. */
    opevo_status (*launch)(void *context, const opevo_grid_launch *launch, opevo_evaluation *out,
                           opevo_error *err);
    /* Before the host reads a buffer, and after it wrote one; NULL: `data` is what kernels use. */
    opevo_status (*fetch)(void *context, size_t buffer, opevo_error *err);
    opevo_status (*store)(void *context, size_t buffer, opevo_error *err);
    bool takes_local; /* launches with local memory as arguments, which else are unsupported */
} opevo_player;

/* Walk through the steps of the case: launches in their order, repeats, loops by a flag, and
 * buffers set to 0. Ends at the first launch after which out->verdict is not ok, and with "limit"
 * if a loop by a flag exceeds its bound. May be called again once the buffers hold their inputs
 * again. Errors: INVALID for an expression without a value, and those of the player. */
opevo_status opevo_case_play(opevo_case *what, const opevo_player *player, opevo_evaluation *out,
                             opevo_error *err);

/* How long the cases of a base kernel took, for launchers that measure. */
typedef struct opevo_case_times opevo_case_times;

opevo_case_times *opevo_case_times_create(void); /* NULL without memory */
void opevo_case_times_destroy(opevo_case_times *times);
/* The base took so long for a case. Without memory its limit stays the largest. */
void opevo_case_times_note(opevo_case_times *times, const opevo_case *what, double elapsed_s);
/* The limit for a variant: ten times as long as the base plus 0.1 s, at most `most_s`, which it is
 * for a case that was not noted. */
double opevo_case_times_limit(const opevo_case_times *times, const opevo_case *what, double most_s);

/* ---- Judging ---- */

/* Golden results of cases, computed when first needed and kept. A child process made by fork does
 * not see them, so that a kernel that runs there can neither copy nor change them. */
typedef struct opevo_golden opevo_golden;

/* `reference` runs the reference kernel; it must outlive the golden results. Errors: NOMEM. */
opevo_status opevo_golden_create(const opevo_harness *harness, opevo_launcher *reference,
                                 opevo_golden **out, opevo_error *err);
void opevo_golden_destroy(opevo_golden *golden);

/* Run the cases of a set and judge the results. For each output with elements x and golden ones g
 *
 *     error = max |x - g| / max(|g|, floor)     if its tolerance is relative,
 *     error = max |x - g|                       if it is absolute,
 *
 * in double precision; integers and outputs without tolerance must be equal. A result that is not
 * finite is wrong. Stops at the first case that is not ok.
 * Errors: MISMATCH, which names the case, if the reference kernel itself fails there or gives a
 * golden result that is not finite; else those of the host. Hook of tests. */
opevo_status opevo_harness_evaluate(const opevo_harness *harness, opevo_harness_set set,
                                    opevo_launcher *launcher, opevo_golden *golden,
                                    opevo_evaluation *out, opevo_error *err);
/* The same for case i alone. */
opevo_status opevo_harness_evaluate_case(const opevo_harness *harness, opevo_harness_set set,
                                         size_t i, opevo_launcher *launcher, opevo_golden *golden,
                                         opevo_evaluation *out, opevo_error *err);
/* The same with other values of the parameters, NULL for none. */
opevo_status opevo_harness_evaluate_with(const opevo_harness *harness, opevo_harness_set set,
                                         size_t i, const opevo_harness_values *values,
                                         opevo_launcher *launcher, opevo_golden *golden,
                                         opevo_evaluation *out, opevo_error *err);

/* Have results that are within their tolerances judged by this function as well, which sets verdict
 * and message of *out; its errors are those of evaluating. */
typedef opevo_status opevo_verify(void *context, const opevo_buffer *buffers, size_t count,
                                  opevo_evaluation *out, opevo_error *err);
void opevo_golden_set_verifier(opevo_golden *golden, opevo_verify *verify, void *context);

/* Take golden results of a case that something else than a launcher computed: `data` has a pointer
 * for each buffer of the case; those of outputs are read. Errors: MISMATCH for one that is not
 * finite, NOMEM. */
opevo_status opevo_golden_put(opevo_golden *golden, opevo_harness_set set, size_t i,
                              const opevo_case *what, const void *const *data, opevo_error *err);
bool opevo_golden_has(const opevo_golden *golden, opevo_harness_set set, size_t i);
/* Forget them, as those of other contents are to be put. */
void opevo_golden_drop(opevo_golden *golden, opevo_harness_set set, size_t i);
/* Judge one output of a case whose golden results are there; verdict, error and message go to *out,
 * which the caller has set to ok. */
void opevo_golden_judge(const opevo_golden *golden, opevo_harness_set set, size_t i,
                        const opevo_case *what, size_t buffer, const void *data,
                        opevo_evaluation *out);

OPEVO_END_C

#endif
