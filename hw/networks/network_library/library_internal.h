/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside the library of a network: its tasks, and where everything is in memory. */

#ifndef OPEVO_LIBRARY_INTERNAL_H
#define OPEVO_LIBRARY_INTERNAL_H

#include <opevo/network_dynamic.h>
#include <opevo/network_library.h>
#include <opevo/pipeline.h>
#include <opevo/text_fill.h>

/* Of a task: the workload has the operands of the kernel, X<i> and Y<i>, in their order. */
typedef struct opevo_i_library_task {
    opevo_network_kernel super;
    uint64_t hash; /* of its computation */
    opevo_workload *work;
    opevo_kernel kernel;
    uint32_t in_place; /* see opevo_computation_in_place */
    uint32_t reused;   /* inputs that a step of the plan overwrites */
} opevo_i_library_task;

/* A constant as the kernel of a task reads it. */
typedef struct opevo_i_library_packed {
    int task, operand, value;
    int64_t offset; /* in bytes, from the first */
} opevo_i_library_packed;

/* What every text of a library may name (library_name.c): the library, in upper case too, the
 * emulated runtime, and who made it of what model. */
enum { OPEVO_I_LIBRARY_NAMES = 6 };
/* Before the target in the name of its library. */
#define OPEVO_I_LIBRARY_FOR "_for_"
enum { OPEVO_I_LIBRARY_NAME = OPEVO_LIBRARY_NAME + sizeof OPEVO_I_LIBRARY_FOR "aarch64" };

struct opevo_network_library {
    const opevo_network_inference *inference;
    opevo_network_library_options options;
    char name[OPEVO_I_LIBRARY_NAME], upper[OPEVO_I_LIBRARY_NAME];
    char owner[OPEVO_I_LIBRARY_NAME]; /* whose weights it reads: its name, without a target */
    char emulated[OPEVO_I_LIBRARY_NAME + sizeof "_emulated"];
    opevo_text model, version;
    opevo_text made; /* how it was made, in a line */
    opevo_text_slot slots[OPEVO_I_LIBRARY_NAMES];
    opevo_i_library_task *task;
    int tasks;
    int *task_of; /* by step; -1: not a computation, or not needed */
    opevo_memory_plan *plan;
    int64_t *weight; /* by value: its offset in the file of weights in bytes; -1: not there */
    int *stored;     /* the values of that file, in its order */
    int stored_count;
    int64_t weight_bytes;
    opevo_i_library_packed *packed;
    int packed_count;
    int64_t packed_bytes;
    int64_t routine_bytes; /* most memory that a routine is given */
    /* What is common to libraries of several targets, and these; NULL: an ordinary library. */
    struct opevo_network_library *const *of;
    size_t of_count;
};

/* The value that operand i of the kernel of a task is in a step; -1 if it is omitted there. */
int opevo_i_library_operand(const opevo_i_library_task *task, const opevo_network_step *step,
                            int i);

/* Tasks and their kernels (library_tasks.c). Errors: those of opevo_network_library_create. */
opevo_status opevo_i_library_tasks(opevo_network_library *self, opevo_error *err);
/* The definitions of a task as a comment, and the source of its kernel for a CPU as a file of its
 * own. */
void opevo_i_library_definitions(const opevo_i_library_task *task, opevo_text *out);
/* Appends the head of a function, which ends before `end`: without the word `restrict` where the
 * output may be an input. */
void opevo_i_library_signature(const opevo_i_library_task *task, const char *word, const char *text,
                               const char *end, opevo_text *out);
void opevo_i_library_kernel(const opevo_network_library *self, int task, opevo_text *out);
/* What is said in front of it, and the source. */
void opevo_i_library_kernel_parts(const opevo_i_library_task *task, opevo_text *comments,
                                  opevo_text *source);

/* The kernel of a point (library_tasks.c); empty on errors. Errors: INVALID where the point is
 * refused; NOMEM. */
opevo_status opevo_i_library_kernel_at(const opevo_kernel_maker *maker, opevo_index point,
                                       opevo_kernel *out, opevo_error *err);

/* Gives the library its name, `net` for NULL, and all texts their slots (library_name.c). Errors:
 * INVALID; NOMEM. */
opevo_status opevo_i_library_set_name(opevo_network_library *self, const char *name,
                                      opevo_error *err);

/* What the sources of all libraries share (library_words.c): a name of the model as the text of a
 * string or of a comment; a number. */
void opevo_i_library_plain(const char *name, opevo_text *out);
void opevo_i_library_number(float value, opevo_text *out);
/* ", .member = {1, 2}" of an initializer; nothing where there are no numbers. */
void opevo_i_library_numbers(const char *member, const int64_t *numbers, int count,
                             opevo_text *out);
/* Dimensions of a box, without those of one element and with adjacent ones as one. */
void opevo_i_library_simplify(opevo_network_copy *copy);
/* The rows of steps, inputs and outputs (library_source.c). */
void opevo_i_library_step_rows(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_inputs(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_outputs(const opevo_network_library *self, opevo_text *out);
/* Views do nothing, and neither do copies whose producers wrote to the result
 * (library_layout.c). */
bool opevo_i_library_is_empty(const opevo_network_library *self, const opevo_network_step *step);

/* A pointer to the elements of a value, as of floats (library_layout.c). */
void opevo_i_library_address(const opevo_network_library *self, int number, opevo_text *out);

/* ---- Steps that are nodes (library_nodes.c) ---- */

/* Why a step that is a node has no code, NULL if it has; and the memory that its routine is
 * given. */
const char *opevo_i_library_node_refusal(const opevo_network_library *self,
                                         const opevo_network_step *step, int64_t *bytes);

/* The texts of the routines that steps call, and the body of a step. Errors: those of
 * opevo_network_step_routine. */
void opevo_i_library_node_texts(const opevo_network_library *self, opevo_text *out);
opevo_status opevo_i_library_node(const opevo_network_library *self, int n, opevo_text *out,
                                  opevo_error *err);

/* The files net.c and net.h (library_source.c). */
void opevo_i_library_source(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_header(const opevo_network_library *self, opevo_text *out);

/* ---- Kernels with extents as arguments (library_class.c) ---- */

/* The axes of a step whose extents are arguments, which may be none; whether those of two steps
 * with the same definitions are the same, too. */
const opevo_network_free_axes *opevo_i_library_axes(const opevo_network_library *self, int step);
bool opevo_i_library_same_axes(const opevo_network_library *self, int a, int b);
opevo_status opevo_i_library_free_axes(opevo_pipeline *pipeline,
                                       const opevo_network_free_axes *axes, opevo_error *err);
/* The kernel of a point of a maker of the task's member with these arguments; empty where there is
 * none, and `why` says so. */
opevo_status opevo_i_library_dynamic_kernel(const opevo_i_library_task *task,
                                            const opevo_kernel_maker *maker, opevo_index point,
                                            const opevo_network_free_axes *axes, opevo_kernel *out,
                                            opevo_text *why, opevo_error *err);

/* ---- Sizes that are not known before a run (library_dynamic.c) ---- */

/* An extent of a value in net.c: a number, or a form of the sizes. */
void opevo_i_library_extent(const opevo_network_library *self, int value, int d, opevo_text *out);
/* The call that moves the elements of a copy of a step. */
void opevo_i_library_dynamic_copy(const opevo_network_library *self, int step, int copy,
                                  opevo_text *out);
/* The last arguments of the call of a step. */
void opevo_i_library_add_arguments(const opevo_network_library *self, int step, opevo_text *out);
/* Parts of net.c, net.h and main.c; nothing where all sizes are known. */
void opevo_i_library_sizes_code(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_sizes_header(const opevo_network_library *self, opevo_text *out);
/* A text of main.c with what depends on whether sizes are known at its places. */
void opevo_i_library_sizes_fill(const opevo_network_library *self, const char *text,
                                opevo_text *out);

/* ---- The test (library_test.c) ---- */

/* Inputs, and the outputs that are expected. */
typedef struct opevo_i_library_recorded {
    opevo_array *input, *output;
    int inputs, outputs;
} opevo_i_library_recorded;

/* Into zeros; what is there is to be released, also on failure. */
opevo_status opevo_i_library_record(const opevo_network_library *self,
                                    opevo_i_library_recorded *out, opevo_error *err);
void opevo_i_library_recorded_free(opevo_i_library_recorded *recorded);
/* Whether all inputs and outputs are float32. */
bool opevo_i_library_is_float(const opevo_network_inference *inference);
/* Errors: INVALID where inputs or outputs of a library for a GPU are not float32, or the inputs
 * given for the test are others. */
opevo_status opevo_i_library_check_types(const opevo_network_library *self, opevo_error *err);

/* Bytes rounded up to a multiple of OPEVO_MEMORY_ALIGNMENT. */
static inline int64_t opevo_i_library_aligned(int64_t bytes)
{
    return (bytes + OPEVO_MEMORY_ALIGNMENT - 1) / OPEVO_MEMORY_ALIGNMENT * OPEVO_MEMORY_ALIGNMENT;
}

/* ---- Files of libraries for GPUs (library_gpu_files.c) ---- */

/* Files that are the same for all, from the folder gpu/ (library_gpu_files.c); behind the last
 * NULL. The text of main.c is a part of it. */
typedef struct opevo_i_library_gpu_text {
    const char *name, *text;
} opevo_i_library_gpu_text;
extern const opevo_i_library_gpu_text opevo_i_library_gpu_texts[], opevo_i_library_opencl_texts[];
/* Those of the library. */
const opevo_i_library_gpu_text *opevo_i_library_fixed_texts(const opevo_network_library *self);
static inline bool opevo_i_library_is_for_gpu(const opevo_network_library *self)
{
    return self->options.dialect != OPEVO_KERNEL_C;
}
static inline bool opevo_i_library_is_for_opencl(const opevo_network_library *self)
{
    return self->options.dialect == OPEVO_KERNEL_OPENCL ||
           self->options.dialect == OPEVO_KERNEL_OPENCL_CPU;
}

/* ---- Names of files (library_file_names.c) ---- */

enum { OPEVO_I_FILE_NAME = 48 };

/* Names of files. */
typedef struct opevo_i_library_names {
    char (*name)[OPEVO_I_FILE_NAME];
    size_t count, capacity;
} opevo_i_library_names;

opevo_status opevo_i_library_names_add(opevo_i_library_names *names, const char *name,
                                       opevo_error *err);
void opevo_i_library_names_free(opevo_i_library_names *names);

/* Sources that depend on the library. */
enum {
    OPEVO_I_LIBRARY_NET_H, /* these two also of each target */
    OPEVO_I_LIBRARY_NET_C,
    OPEVO_I_LIBRARY_MAIN_C,
    OPEVO_I_LIBRARY_WEIGHTS_S,
    OPEVO_I_LIBRARY_MAKEFILE,
    OPEVO_I_LIBRARY_CMAKE,
    OPEVO_I_LIBRARY_SOURCES /* their number */
};
/* Of a freestanding library. */
#define OPEVO_I_LIBRARY_WEIGHTS_C "weights.c"
#define OPEVO_I_LIBRARY_INPUTS "inputs.bin"
#define OPEVO_I_LIBRARY_OUTPUTS "outputs.bin"
#define OPEVO_I_LIBRARY_WEIGHTS "weights.bin"

/* The text of a source of a library that is not freestanding (library_files.c). */
void opevo_i_library_source_text(const opevo_network_library *self, size_t source, opevo_text *out);
/* Of a source; those of two begin with the name of the library. Errors: NOMEM. */
opevo_status opevo_i_library_source_name(const opevo_network_library *self, size_t source,
                                         char name[OPEVO_I_FILE_NAME], opevo_error *err);
void opevo_i_library_kernel_name(const opevo_network_library *self, int task,
                                 char name[OPEVO_I_FILE_NAME]);
/* Of a file that all libraries for GPUs have; false for that which is a part of main.c. */
bool opevo_i_library_gpu_file_name(const opevo_network_library *self,
                                   const opevo_i_library_gpu_text *text,
                                   char name[OPEVO_I_FILE_NAME]);
/* What the names of kernels end with. */
const char *opevo_i_library_gpu_ending(const opevo_network_library *self);
/* Whether some library has a file of this name. */
bool opevo_i_library_is_name(const char *name);
/* All files that the library is written to. Errors: NOMEM. */
opevo_status opevo_i_library_list_files(const opevo_network_library *self,
                                        opevo_i_library_names *out, opevo_error *err);

/* ---- The folder (library_folder.c) ---- */

/* A folder that files are being written for. */
typedef struct opevo_i_library_folder {
    const char *path;             /* of the caller */
    opevo_text inside;            /* the folder in it that files are written to */
    opevo_i_library_names before; /* files of the library that it has had */
    int file;
    bool made; /* the folder inside */
} opevo_i_library_folder;

/* Refuse a folder that has files of these names which opevo has not written. Errors: INVALID; IO;
 * NOMEM. */
opevo_status opevo_i_library_folder_check(const char *path, const opevo_i_library_names *names,
                                          opevo_error *err);
/* The same, and make the folder inside. Into zeros but for file = -1; to be closed, also on
 * failure. */
opevo_status opevo_i_library_folder_open(const char *path, const opevo_i_library_names *names,
                                         opevo_i_library_folder *out, opevo_error *err);
/* All files of these names have been written to the folder inside: put them into place, and remove
 * those of the library before that the new one does not have. `made`: how it was made; "": not
 * said. */
opevo_status opevo_i_library_folder_finish(opevo_i_library_folder *self,
                                           const opevo_i_library_names *names, const char *made,
                                           opevo_error *err);
void opevo_i_library_folder_close(opevo_i_library_folder *self);

/* ---- Freestanding libraries (library_free.c, library_free_loops.c) ---- */

/* Give plain loops sums that hold one element. */
opevo_status opevo_i_library_free_schedule(opevo_pipeline *pipeline, opevo_error *err);
/* A kernel without the functions of vectors in its head. */
void opevo_i_library_free_kernel(const opevo_network_library *self, int task, opevo_text *out);
/* The files main.c, weights.c and Makefile. */
void opevo_i_library_free_main(const opevo_network_library *self,
                               const opevo_i_library_recorded *recorded, opevo_text *out);
void opevo_i_library_free_weights_file(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_free_make(const opevo_network_library *self, opevo_text *out);

/* ---- Texts with places (library_texts.c) ---- */

enum { OPEVO_I_LIBRARY_PARTS = 24 };

/* What stands at a place, as text; and what prints it. */
typedef struct opevo_i_library_part {
    const char *name;
    opevo_text text;
} opevo_i_library_part;
typedef struct opevo_i_library_place {
    const char *name;
    void (*print)(const opevo_network_library *self, opevo_text *out);
} opevo_i_library_place;

/* Append a text with the names of the library, and at most so many parts at their places; these are
 * released. */
void opevo_i_library_fill(const opevo_network_library *self, const char *text,
                          opevo_i_library_part *parts, size_t count, opevo_text *out);
/* The same, with what is printed at each place. */
void opevo_i_library_print(const opevo_network_library *self, const char *text,
                           const opevo_i_library_place *places, size_t count, opevo_text *out);
/* The same, without further places. */
void opevo_i_library_add(const opevo_network_library *self, const char *text, opevo_text *out);

/* ---- Several targets (library_targets.c) ---- */

/* A copy of a library with another target: names of its own. To be closed, also on failure.
 * Errors: NOMEM. */
opevo_status opevo_i_library_part_open(opevo_network_library *self, opevo_error *err);
void opevo_i_library_part_close(opevo_network_library *self);
/* What the libraries of targets have in common, with the times of that which was tuned: a copy that
 * borrows all of them. To be closed, also on failure. Errors: NOMEM. */
opevo_status opevo_i_library_front_open(opevo_network_library *const *of, size_t count,
                                        opevo_network_library *out, opevo_error *err);
/* Whether a library of a target has this name; the rest of it is that of the whole. */
bool opevo_i_library_is_target_name(const char *name, size_t *stem);
/* Of "v3_000.c" the length of "v3_"; 0: it does not begin with a target. */
size_t opevo_i_library_target_length(const char *name);
/* The files net.c, Makefile and CMakeLists.txt, and parts of net.h and main.c; of an ordinary
 * library the latter are what it has in their place. */
void opevo_i_library_targets_source(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_targets_header(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_targets_makefile(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_targets_cmake(const opevo_network_library *self, opevo_text *out);
enum { OPEVO_I_LIBRARY_TARGET_PARTS = 5 };
void opevo_i_library_target_parts(const opevo_network_library *self,
                                  opevo_i_library_part parts[OPEVO_I_LIBRARY_TARGET_PARTS]);

extern const char opevo_i_library_part_processor_h[];
extern const char opevo_i_library_targets_calls[], opevo_i_library_targets_cmake_list[],
    opevo_i_library_targets_cmake_text[], opevo_i_library_targets_create[],
    opevo_i_library_targets_makefile_text[], opevo_i_library_targets_net_c[],
    opevo_i_library_targets_row[], opevo_i_library_targets_row_sized[],
    opevo_i_library_targets_sizes[];

/* ---- Libraries for GPUs ---- */

/* net.c: the plan of launches (library_gpu_plan.c). */
void opevo_i_library_gpu_source(const opevo_network_library *self, opevo_text *out);
/* The source of a kernel with a description of its launches (library_gpu_kernels.c). */
void opevo_i_library_gpu_kernel(const opevo_network_library *self, int task, opevo_text *out);
/* Where the head of a launch begins, with its name; never NULL for those that a kernel has; its
 * arguments; and its description, with a function as C has it. */
const char *opevo_i_library_find_launch(const opevo_kernel *kernel, int number);
int opevo_i_library_arguments(const opevo_i_library_task *task);
void opevo_i_library_add_launch(const opevo_i_library_task *task, int number, const char *function,
                                opevo_text *out);
/* The same for OpenCL (library_opencl_kernels.c). */
void opevo_i_library_opencl_kernel(const opevo_network_library *self, int task, opevo_text *out);
/* Makefile and CMakeLists.txt (library_gpu_build.c). */
void opevo_i_library_gpu_makefile(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_gpu_cmake(const opevo_network_library *self, opevo_text *out);

/* Texts of the folder gpu_texts: net.c with places; of net.h; and the rules of make and of
 * CMake. */
extern const char opevo_i_library_gpu_net_c[];
extern const char opevo_i_library_gpu_calls[], opevo_i_library_gpu_kernel_text[];
extern const char opevo_i_library_gpu_makefile_text[], opevo_i_library_gpu_cmake_text[];
extern const char opevo_i_library_gpu_cuda_rules[], opevo_i_library_gpu_hip_rules[];
extern const char opevo_i_library_gpu_cmake_device_cuda[], opevo_i_library_gpu_cmake_device_hip[];
extern const char opevo_i_library_gpu_file_device_h[], opevo_i_library_gpu_file_emulate_c[],
    opevo_i_library_gpu_file_emulate_h[], opevo_i_library_gpu_file_kernel_h[],
    opevo_i_library_gpu_file_main_c[], opevo_i_library_gpu_file_move_cu[],
    opevo_i_library_gpu_file_plan_h[], opevo_i_library_gpu_file_run_c[];

extern const char opevo_i_library_opencl_calls[], opevo_i_library_opencl_makefile_text[],
    opevo_i_library_opencl_cmake_text[], opevo_i_library_opencl_kernel_text[];
extern const char opevo_i_library_opencl_file_kernel_h[], opevo_i_library_opencl_file_move_c[],
    opevo_i_library_opencl_file_opencl_c[], opevo_i_library_opencl_file_opencl_h[];

/* ---- Fixed texts (texts/) ---- */

extern const char opevo_i_library_net_c[]; /* with places of what is the model's */
extern const char opevo_i_library_box[], opevo_i_library_kernel_text[],
    opevo_i_library_routines_text[];
extern const char opevo_i_library_copies[];       /* of net.c: the function that moves elements, */
extern const char opevo_i_library_copies_bytes[]; /* and of any type */
extern const char opevo_i_library_net_h[];
extern const char opevo_i_library_calls[]; /* of net.h */
extern const char opevo_i_library_sizes[], opevo_i_library_sizes_calls[],
    opevo_i_library_sizes_program[], opevo_i_library_sizes_check[], opevo_i_library_sizes_profile[];
extern const char opevo_i_library_program[]; /* main.c, */
extern const char opevo_i_library_create[], opevo_i_library_program_run[];
extern const char opevo_i_library_program_end[];
extern const char opevo_i_library_program_main[];
extern const char opevo_i_library_weights[]; /* weights.S */
extern const char opevo_i_library_makefile[];
extern const char opevo_i_library_cmake[];
extern const char opevo_i_library_free_net_c[], opevo_i_library_free_net_h[],
    opevo_i_library_free_main_text[], opevo_i_library_free_weights[],
    opevo_i_library_free_makefile[], opevo_i_library_free_kernel_text[], opevo_i_library_free_row[];

/* A file that builds the library (library_build.c): its places @flags@ (of the C compiler),
 * @kernels@ (each between two texts) and @bytes@ (of the weights), and those of further slots. */
void opevo_i_library_fill_build(const opevo_network_library *self, const char *text,
                                const char *before, const char *behind, const opevo_text_slot *more,
                                size_t count, opevo_text *out);

#endif
