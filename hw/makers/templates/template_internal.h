/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a template is made of, and the words that templates are written in. */

#ifndef OPEVO_TEMPLATE_INTERNAL_H
#define OPEVO_TEMPLATE_INTERNAL_H

#include <opevo/template.h>

#include <stddef.h>

enum { OPEVO_I_VALUES = 16, OPEVO_I_COMPONENTS = 4 };

/* The values of a point's parameters, in the order of the space. */
typedef struct opevo_i_template_values {
    int64_t at[OPEVO_I_VALUES][OPEVO_I_COMPONENTS];
} opevo_i_template_values;

/* A pipeline under construction. The first failure is kept, and what follows does nothing. */
typedef struct opevo_i_template_build {
    opevo_pipeline *pipeline;
    const opevo_operator *op;
    const opevo_i_template_values *value;
    opevo_kernel_dialect dialect;
    unsigned threads;
    int64_t parallel; /* of the parameter of that name; 0 without it */
    /* Extents of the part of a stage that is made at once, as the pipeline was after so many steps:
     * finding them takes as long as lowering. */
    int part;
    size_t part_steps;
    int64_t part_extent[OPEVO_PIPELINE_NUMBERS];
    opevo_status status;
    opevo_error *err;
} opevo_i_template_build;

typedef struct opevo_i_template {
    opevo_template_info info;
    /* With more than one thread it ends with the parameter of opevo_i_template_add_parallel. */
    opevo_status (*space)(const opevo_operator *op, unsigned threads, opevo_space **out,
                          opevo_error *err);
    void (*steps)(opevo_i_template_build *build);
    /* The values of a good schedule by analysis, which the space need not have: template_start.c
     * takes the nearest. `round` counts the times that a limit of the device refused them. NULL:
     * there is no start point. */
    void (*prefer)(const opevo_operator *op, const opevo_device_facts *facts, int round,
                   opevo_i_template_values *out);
    /* For several threads: change the preferred values so that they divide a loop. Returns the
     * value of the parameter `parallel`. NULL: one thread only. */
    int64_t (*prefer_parallel)(const opevo_operator *op, unsigned threads,
                               opevo_i_template_values *out);
    int64_t shared_bytes; /* a limit in the place of the dialect's; 0: that */
    int64_t local_floats; /* likewise */
} opevo_i_template;

extern const opevo_i_template opevo_i_template_matmul_cpu;
extern const opevo_i_template opevo_i_template_conv2d_cpu;
extern const opevo_i_template opevo_i_template_matmul_paper;
extern const opevo_i_template opevo_i_template_conv2d_paper;
extern const opevo_i_template opevo_i_template_matmul_gpu;
extern const opevo_i_template opevo_i_template_conv2d_gpu;
extern const opevo_i_template opevo_i_template_conv2d_weights;

/* What a template becomes for an operator. */
typedef struct opevo_i_template_maker {
    opevo_kernel_maker super;
    const opevo_i_template *template;
    opevo_operator op;
    opevo_computation *computation;
    opevo_space *space;
    opevo_limits limits;
    opevo_feature_source features, trees;
    size_t loop_features; /* of them those of the loops */
} opevo_i_template_maker;

/* ---- Schedules of points (template_pipeline.c) ---- */

/* The values of a point. */
void opevo_i_template_read_values(const opevo_space *space, opevo_index point,
                                  opevo_i_template_values *values);
/* Append the steps of a point's schedule, as far as they can be applied; *whole: all of them.
 * Errors: NOMEM. */
opevo_status opevo_i_template_print(const opevo_kernel_maker *maker, opevo_index point, bool *whole,
                                    opevo_text *out, opevo_error *err);

/* ---- Parts of spaces (templates.c) ---- */

/* Whether `part` has the parameters of a maker's space by name, in their order, with no other
 * values than it. Errors: INVALID for another parameter or value; NOMEM. */
opevo_status opevo_i_template_check_part(const opevo_space *whole, const opevo_space *part,
                                         const char *name, opevo_error *err);

/* ---- Steps by name ---- */

/* Names of stages: those of the operands, C for what is computed, and "A.shared" and so on for
 * copies. */
enum { OPEVO_I_STAGE_NAME = 32 };
typedef struct opevo_i_template_stage {
    char name[OPEVO_I_STAGE_NAME];
} opevo_i_template_stage;
enum { OPEVO_I_LOOP_NAME = 64 };
typedef struct opevo_i_template_loop {
    char name[OPEVO_I_LOOP_NAME];
} opevo_i_template_loop;

/* Loops are named; a list of loops is one text with blanks between the names. `count` lengths. */
void opevo_i_template_split(opevo_i_template_build *build, const char *stage, const char *loop,
                            int count, const int64_t *lengths);
/* A loop of C. */
void opevo_i_template_extend(opevo_i_template_build *build, const char *loop, int64_t extent);
/* `count` loops from the first one on; 0: all of the stage. Returns the name of the fused loop. */
opevo_i_template_loop opevo_i_template_fuse(opevo_i_template_build *build, const char *stage,
                                            const char *first, int count);
void opevo_i_template_reorder(opevo_i_template_build *build, const char *stage, const char *loops);
void opevo_i_template_annotate(opevo_i_template_build *build, const char *stage, const char *loop,
                               opevo_annotation what);
/* The window loops s and r of a convolution as text, where that is at most `limit` statements;
 * `tile` are the statements at one place of the window. */
void opevo_i_template_unroll_window(opevo_i_template_build *build, int64_t tile, int64_t limit);
/* A copy that C reads, made in each iteration of a loop of it. That of the padded image pads it. */
opevo_i_template_stage opevo_i_template_copy(opevo_i_template_build *build, const char *stage,
                                             opevo_scope scope, const char *at);
/* The image of a convolution with its padding, and the names of its dimensions. */
typedef struct opevo_i_template_image_loops {
    const char *number, *channel, *row, *column;
} opevo_i_template_image_loops;
const char *opevo_i_template_image(const opevo_i_template_build *build);
opevo_i_template_image_loops opevo_i_template_loops_of_image(const opevo_i_template_build *build);
/* The sums of the loops of C inside this one gather in registers. */
void opevo_i_template_accumulate(opevo_i_template_build *build, const char *loop);
/* That loop of the registers ends early where the last tile does. */
void opevo_i_template_trim(opevo_i_template_build *build, const char *loop);
/* Pieces (dimension divisor), outer first. */
void opevo_i_template_layout(opevo_i_template_build *build, const char *stage, int pieces,
                             const int64_t *numbers);
/* Let one index further along a dimension of a copy be so many elements more than those inside. */
void opevo_i_template_pad(opevo_i_template_build *build, const char *stage, const char *loop,
                          int64_t inside, int64_t more);
void opevo_i_template_step(opevo_i_template_build *build, opevo_pipeline_step_kind kind,
                           const char *stage, int count, const int64_t *numbers);
/* `wanted`, a power of two, or the largest half, quarter, ... of it that divides `run`. */
int64_t opevo_i_template_lanes(int64_t run, int64_t wanted);
/* A size that is at least `size`, has more factors, and wastes little: the next multiple of the
 * largest of these units, which end with 1, that adds no more than a sixteenth. */
int64_t opevo_i_template_widened(int64_t size, const int64_t *units);
/* Iterations of a loop in the part that is made at once, 1 after a failure. */
int64_t opevo_i_template_extent(opevo_i_template_build *build, const char *stage, const char *loop);

/* ---- What GPU templates share ---- */

enum {
    OPEVO_I_GPU_DIALECTS = 1 << OPEVO_KERNEL_CUDA | 1 << OPEVO_KERNEL_HIP |
                           1 << OPEVO_KERNEL_EMULATION | 1 << OPEVO_KERNEL_OPENCL
};

/* What becomes of a loop. */
typedef struct opevo_i_template_bound {
    const char *loop;
    opevo_annotation what;
} opevo_i_template_bound;
void opevo_i_template_annotate_all(opevo_i_template_build *build, const char *stage,
                                   const opevo_i_template_bound *bound, size_t count);

/* Values of a parameter `buffers`: a tile in shared memory as it is, double, or double by way of
 * registers. The last two need a loop over tiles with more than one turn. */
enum { OPEVO_I_SINGLE, OPEVO_I_DOUBLE, OPEVO_I_STAGED };
void opevo_i_template_set_buffers(opevo_i_template_build *build, const char *stage,
                                  const char *loop, int64_t buffers);

/* The first six parameters of both convolution templates, and the nest that they make: blocks over
 * n+f.0 y.0 x.0, virtual threads over .1, threads over .2; the sums over c,
 * r and s in two levels. */
enum {
    OPEVO_I_TILE_F,
    OPEVO_I_TILE_Y,
    OPEVO_I_TILE_X,
    OPEVO_I_TILE_C,
    OPEVO_I_TILE_R,
    OPEVO_I_TILE_S,
    OPEVO_I_TILES
};
void opevo_i_template_tile_convolution(opevo_i_template_build *build);
/* The preferred values of these six: at most 256 threads over channels and a square of pixels. */
void opevo_i_template_prefer_convolution(const opevo_operator *op, int round,
                                         opevo_i_template_values *out);

/* ---- Start points (template_start.c) ---- */

/* A tile of accumulators in vector registers. */
typedef struct opevo_i_template_register_tile {
    int64_t rows, columns; /* divide the extents */
    int64_t lanes;         /* of the vectors along the columns */
} opevo_i_template_register_tile;

/* Most rows of a tile of so many vectors whose accumulators are held in registers. */
int64_t opevo_i_template_most_rows(const opevo_device_facts *facts, int64_t vectors);
/* The tile whose step of the reduction, with a vector loaded for each vector of columns and a
 * number broadcast for each row, takes the fewest cycles an element, if all is held in
 * registers. */
opevo_i_template_register_tile opevo_i_template_choose_tile(const opevo_device_facts *facts,
                                                            int64_t row_extent,
                                                            int64_t column_extent);
/* Elements for each cycle, up to a factor, of a tile of rows by vectors of so many lanes. */
double opevo_i_template_tile_rate(int64_t rows, int64_t vectors, int64_t lanes);
/* The largest divisor of `number` that is at most `most`, at least 1. */
int64_t opevo_i_template_divisor_below(int64_t number, int64_t most);
/* With sizes of caches and registers where they are not known. */
opevo_device_facts opevo_i_template_known_facts(const opevo_device_facts *facts);
/* Values of a parameter, all of them. */
void opevo_i_template_prefer(opevo_i_template_values *out, int parameter, int count,
                             const int64_t *values);

/* Whether the limits of the device accept the kernel of a point. */
opevo_status opevo_i_template_is_accepted(const opevo_kernel_maker *maker, opevo_index point,
                                          bool *accepted, opevo_error *err);
/* The point of the space that is nearest to the template's preferred values and that the limits
 * allow. */
opevo_status opevo_i_template_start(const opevo_kernel_maker *maker,
                                    const opevo_i_template *template, const opevo_operator *op,
                                    const opevo_device_facts *facts, bool *found,
                                    opevo_index *point, opevo_error *err);

/* ---- Spaces ---- */

enum { OPEVO_I_DIVISIBLES = 5 }; /* loops that threads may divide, at most */

/* Parameters under construction; `finish` makes the space or releases them. */
typedef struct opevo_i_template_space_builder {
    opevo_parameter *parameter[OPEVO_I_VALUES];
    size_t count;
    char constraint[OPEVO_I_DIVISIBLES][64];
    size_t constraints;
    opevo_status status;
    opevo_error *err;
} opevo_i_template_space_builder;

/* Type "factor", "permutation", "discrete" or "categorical" with up to eight numbers. */
void opevo_i_template_add_parameter(opevo_i_template_space_builder *builder, const char *name,
                                    const char *type, size_t count, const int64_t *numbers);
opevo_status opevo_i_template_finish_space(opevo_i_template_space_builder *builder,
                                           opevo_space **out);

/* ---- Many cores ---- */

/* A loop that threads may divide, and how many iterations it has: a constant, or a component of a
 * parameter, such as "X[0]", of at most `most`. */
typedef struct opevo_i_template_divisible {
    const char *loop;
    const char *component; /* NULL: always `most` iterations */
    int64_t most;
} opevo_i_template_divisible;

/* For more than one thread: the parameter `parallel`. Its value i + 1 is loops[i], 0 none; a loop
 * is allowed where its iterations keep more than half of the threads busy. */
void opevo_i_template_add_parallel(opevo_i_template_space_builder *builder, unsigned threads,
                                   const opevo_i_template_divisible *loops, size_t count);
/* Of `panels` along a dimension, give the outer of two loops as many as threads need, and the inner
 * one no more than it had. False where there are too few panels. */
bool opevo_i_template_prefer_divided(int64_t panels, unsigned threads, int64_t *outer,
                                     int64_t *inner);
/* Let threads divide the loop of C that the parameter names, before anything is attached. */
void opevo_i_template_divide(opevo_i_template_build *build,
                             const opevo_i_template_divisible *loops);
/* Let threads share the work of a copy attached at `at`, where that is outside the divided loop and
 * the copy is large enough for it. */
void opevo_i_template_divide_copy(opevo_i_template_build *build, const char *stage, const char *at,
                                  const opevo_i_template_divisible *loops);

#endif
