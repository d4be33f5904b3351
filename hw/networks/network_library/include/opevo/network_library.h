/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A network as a library in C that stands alone: a folder with kernels, weights, a memory plan, a
 * build file and a program that checks and times it. docs/how-to/network-library.md says how it is
 * used. */

#ifndef OPEVO_NETWORK_LIBRARY_H
#define OPEVO_NETWORK_LIBRARY_H

#include <opevo/kernel.h>
#include <opevo/network_inference.h>

OPEVO_BEGIN_C

/* ---- The memory plan ---- */

enum { OPEVO_MEMORY_ALIGNMENT = OPEVO_KERNEL_ALIGNMENT };

typedef enum opevo_memory_kind {
    OPEVO_MEMORY_NONE,     /* nobody reads it */
    OPEVO_MEMORY_INPUT,    /* elements of an input of the network */
    OPEVO_MEMORY_CONSTANT, /* elements of a constant */
    OPEVO_MEMORY_ARENA
} opevo_memory_kind;

/* Where a value is. */
typedef struct opevo_memory_place {
    opevo_memory_kind kind;
    int value;       /* INPUT, CONSTANT: whose elements it has, itself or what it is a view of */
    int64_t offset;  /* ARENA: in bytes, a multiple of OPEVO_MEMORY_ALIGNMENT */
    int64_t element; /* bytes of an element */
} opevo_memory_place;

/* Inputs and constants are read where they are; all other values share one arena. Two values that
 * are needed at the same time overlap there only where they have the same elements: a view is its
 * input, and an input of a COPY may be made inside the result. A COMPUTE may overwrite an input
 * that nobody needs after it, where `in_place` allows that. */
typedef struct opevo_memory_plan {
    opevo_memory_place *place; /* one for each value */
    int64_t bytes;             /* of the arena */
    /* Most bytes of values that are needed at the same time, if nothing is made inside a result:
     * views and values made in place count once. */
    int64_t peak_bytes;
} opevo_memory_plan;

/*   in_place  for each step the inputs (bit i: input i) that its output 0 may overwrite; may be
 * NULL
 *
 * Errors: NOMEM. Cost: quadratic in values. */
opevo_status opevo_memory_plan_create(const opevo_network_inference *inference,
                                      const uint32_t *in_place, opevo_memory_plan **out,
                                      opevo_error *err);
void opevo_memory_plan_destroy(opevo_memory_plan *plan); /* NULL is allowed */
/* Prove of a plan that all reads, also those of the outputs in the end, are of what the steps made,
 * and that nothing is written where the same step reads it, but in place. The steps are run on
 * labels of elements, so it is proved for all contents. Errors: FAULT for a plan that is wrong,
 * with the first step and the element; NOMEM. Cost: linear in the elements of all values, 8 bytes
 * for each of the arena and of the results of copies. */
opevo_status opevo_memory_plan_check(const opevo_network_inference *inference,
                                     const opevo_memory_plan *plan, const uint32_t *in_place,
                                     opevo_error *err);
/* Whether the step is needed for an output of the network. */
bool opevo_memory_plan_needs(const opevo_memory_plan *plan, const opevo_network_step *step);
/* Whether a copy moves elements to where they are already. */
bool opevo_memory_plan_is_there(const opevo_memory_plan *plan, const opevo_network_step *step,
                                const opevo_network_copy *copy);
/* The inputs of a computation, as bits by the number behind their name X<i>, that a kernel may
 * overwrite with output Y0: each element is read for the element of the same place only, also
 * through other definitions. */
uint32_t opevo_computation_in_place(const opevo_computation *computation);

/* ---- The library ---- */

/* Most characters of a name. */
enum { OPEVO_LIBRARY_NAME = 24 };

/* Whether a library may have this name. Errors: INVALID where it cannot begin names in C, is too
 * long, or is taken: a keyword, a name of the C library, or a word of the library itself. */
opevo_status opevo_network_library_check_name(const char *name, opevo_error *err);

/* Processors that a library can have kernels for beside each other: v2, v3 and v4, levels of
 * x86-64, and aarch64. */
enum { OPEVO_LIBRARY_TARGETS = 4 };
typedef struct opevo_library_targets {
    size_t count;
    const char *name[OPEVO_LIBRARY_TARGETS]; /* the best first; static */
} opevo_library_targets;

/* Of a list with commas between. Errors: INVALID for a name that is not one of them, or is given
 * twice. */
opevo_status opevo_library_targets_read(const char *list, opevo_library_targets *out,
                                        opevo_error *err);
/* What kernels for a target are made for: its vectors and their number, and the caches of common
 * processors that have it. */
opevo_device_facts opevo_library_target_facts(const char *target);
/* Of a number below OPEVO_LIBRARY_TARGETS, in the order of lists: its name, and what clang is told
 * to compile for it on any machine, one word a line. */
const char *opevo_library_target_name(int number);
const char *opevo_library_target_words(int number);
/* The best that the processor of this machine is; NULL: none. */
const char *opevo_library_target_here(void);

typedef struct opevo_network_library_options {
    /* C for a CPU; CUDA or HIP for a GPU, on which a kernel is launched for each step. */
    opevo_kernel_dialect dialect;
    unsigned threads;          /* that kernels are made for, at least 1; of a CPU */
    opevo_device_facts facts;  /* of the CPU that it will run on */
    uint64_t seed;             /* of the inputs of its test, */
    const opevo_array *inputs; /* or these, one for each; NULL: drawn ones */
    size_t input_count;
    const char *model;   /* what comments say: the file ... */
    const char *version; /* ... and the version of opevo */
    /* Without a heap, files or a clock, in C99, with kernels of plain loops and weights as
     * arrays: for microcontrollers. */
    bool freestanding;
    /* What names of the library begin with; NULL: net. Libraries with different names, in more than
     * case, can be parts of one program. */
    const char *name;
    /* NULL, or the name of a target: a part of a library with kernels for several, whose facts are
     * those of opevo_library_target_facts. */
    const char *target;
    const opevo_library_targets *targets; /* all of these; they live as long as the library */
    /* Steps whose results the test expects, with the same inputs and outputs, such as those before
     * a pass that changes results; they live as long as the library. NULL: its own. */
    const opevo_network_inference *reference;
    /* Where it asks for sketches; it lives as long as the library. NULL: they are its own. */
    struct opevo_sketch_store *sketches;
} opevo_network_library_options;

/* A computation of the network, and the kernel of all steps that compute it. */
typedef struct opevo_network_kernel {
    const opevo_computation *computation; /* inputs X0, X1, ..., outputs Y0, ... */
    const opevo_computation *member;      /* what is tuned; of known sizes the same */
    const char *operation;                /* of its first step */
    int step;                             /* the first */
    int count;                            /* steps */
    double time_s;                        /* measured, of one execution; NAN: unknown */
    const char *fallback; /* NULL: the kernel is one that was chosen, or the analytic start;
                             otherwise why it is plain loops */
    bool has_sketches;    /* there are kernels to choose from, also where none is the start */
} opevo_network_kernel;

typedef struct opevo_network_library opevo_network_library;

/* The inference must live as long. Each task has the kernel of the analytic start of its sketches,
 * or plain loops where there is none.
 *
 * Errors: INVALID where inputs or outputs of a library for a GPU are not float32, and for steps
 * that have no code, all of which are named: on a GPU those that are nodes, and what reads
 * constants that are not known; those of opevo_network_library_check_name; LIMIT; NOMEM. */
opevo_status opevo_network_library_create(const opevo_network_inference *inference,
                                          const opevo_network_library_options *options,
                                          opevo_network_library **out, opevo_error *err);
void opevo_network_library_destroy(opevo_network_library *library); /* NULL is allowed */

/* That its kernels are in. */
opevo_kernel_dialect opevo_network_library_dialect(const opevo_network_library *library);
int opevo_network_library_tasks(const opevo_network_library *library);
const opevo_network_kernel *opevo_network_library_task(const opevo_network_library *library,
                                                       int task);
/* Whether another computation than the tasks has sketches to choose a kernel from. Errors:
 * NOMEM. */
opevo_status opevo_network_library_has_sketches(const opevo_network_library *library,
                                                const opevo_computation *computation, bool *out,
                                                opevo_error *err);
/* Another kernel for a task: a point of a maker of the same computation, with the time measured.
 * Errors, with the kernel as before: INVALID where the point gives none; NOMEM. */
opevo_status opevo_network_library_choose(opevo_network_library *library, int task,
                                          const opevo_kernel_maker *maker, opevo_index point,
                                          double time_s, opevo_error *err);

typedef struct opevo_network_library_sizes {
    int64_t arena_bytes, peak_bytes; /* see opevo_memory_plan */
    int64_t scratch_bytes;           /* of kernels, on as many threads as they are made for, and
                                        of routines */
    int64_t weight_bytes;            /* of the file of weights */
    int64_t packed_bytes;            /* weights in the layouts of kernels, in memory */
    size_t kernels;
} opevo_network_library_sizes;

/* With the kernels that are chosen. Errors: INVALID for a step that reads a constant that is not
 * known in a layout of its kernel; NOMEM. */
opevo_status opevo_network_library_measure(opevo_network_library *library,
                                           opevo_network_library_sizes *sizes, opevo_error *err);
/* The same of the plan of a library that has been measured. */
opevo_status opevo_network_library_check_memory(const opevo_network_library *library,
                                                opevo_error *err);
/* What the kernel of a point of a maker of the task's computation would add to packed_bytes, and
 * the scratch memory that it needs; scratch_bytes of a library is the largest of its tasks. The
 * library has been measured, and stays as it is; may be called from several threads at once.
 * Errors: INVALID where the point gives no kernel; NOMEM. Cost: that of making the kernel. */
opevo_status opevo_network_library_kernel_bytes(const opevo_network_library *library, int task,
                                                const opevo_kernel_maker *maker, opevo_index point,
                                                int64_t *packed_bytes, int64_t *scratch_bytes,
                                                opevo_error *err);

/* Whether it may be written into a folder that is there: OK unless a file that it would replace was
 * not written by opevo, as the file net.files there says. The kernels that are chosen do not
 * matter. Without a library (NULL) only files that all libraries have are looked at. Errors:
 * INVALID, as "folder: sentence."; IO; NOMEM. */
opevo_status opevo_network_library_check_folder(const opevo_network_library *library,
                                                const char *folder, opevo_error *err);
/* Make the folder, or check one that is there, before anything long is done. *made: it was not
 * there. Errors: INVALID, as "folder: sentence.", where it cannot be created, read or written, or
 * has files of others; IO; NOMEM. */
opevo_status opevo_network_library_make_folder(const char *folder, bool *made, opevo_error *err);
/* Write the files into a folder that is there. They take the place of those of an earlier library,
 * once all are on the disk; other files stay as they are. On a failure before that the earlier
 * library is there as it was. After a kill at any moment another write into the folder succeeds.
 * The test has inputs drawn from the seed, and as expected outputs those of
 * opevo_network_inference_run on the reference.
 *
 * Errors: those of opevo_network_library_check_folder, with nothing changed; IO; NOMEM.
 * Cost: one opevo_network_inference_run, on all processors. */
opevo_status opevo_network_library_write(opevo_network_library *library, const char *folder,
                                         opevo_network_library_sizes *sizes, opevo_error *err);
/* The same of libraries that have the same inference and each another target, in the order of
 * opevo_library_targets: one folder, whose library takes the best kernels that the processor can
 * run when a network is created. Sizes are those of each. */
opevo_status opevo_network_library_write_targets(opevo_network_library *const *libraries,
                                                 size_t count, const char *folder,
                                                 opevo_network_library_sizes *sizes,
                                                 opevo_error *err);

/* ---- What is in a folder ---- */

/* How the library was made, in a line that opevo_network_library_write leaves in the folder.
 * Errors: NOMEM. */
opevo_status opevo_network_library_note(opevo_network_library *library, const char *made,
                                        opevo_error *err);
/* Append that line of a folder, nothing where it does not say. Errors: IO; NOMEM. */
opevo_status opevo_network_library_read_note(const char *folder, opevo_text *out, opevo_error *err);
/* Whether a folder has this library, in C for a CPU: with whatever kernels, each of which must have
 * the computation of the task, all other files are byte by byte those that would be written, but
 * for inputs and outputs of the test and the times of steps. If not, `why` gets a sentence. The
 * library has the kernels of the folder from then on, without their texts, so it cannot be
 * written.
 *
 * Errors: INVALID for another library; IO; NOMEM. */
opevo_status opevo_network_library_compare(opevo_network_library *library, const char *folder,
                                           opevo_text *why, opevo_error *err);

OPEVO_END_C

#endif
