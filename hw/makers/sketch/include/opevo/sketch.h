/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sketches of a computation: pipelines whose tile sizes are left open, made by rules that are tried
 * on each definition, the last one first. What a sketch leaves open (tile sizes, places of stages,
 * loops to divide, to unroll and to fill vectors with) are the parameters of a branch of one search
 * space, so that every tuner searches all programs.
 *
 * Source: Zheng et al., "Ansor: Generating High-Performance Tensor Programs for Deep Learning",
 * OSDI 2020, section 4; TVM 0.8, src/auto_scheduler/search_policy/sketch_policy_rules.cc. */

#ifndef OPEVO_SKETCH_H
#define OPEVO_SKETCH_H

#include <opevo/pipeline.h>
#include <opevo/space.h>

OPEVO_BEGIN_C

/* What sketches are for. `cores` decides whether a sum is worth dividing (Ansor's rule); `threads`
 * of a kernel, 1 for none beside the calling one. */
typedef struct opevo_sketch_target {
    opevo_kernel_dialect dialect;
    unsigned cores, threads;
    bool ansor; /* Ansor's sketches only, without those that opevo adds */
} opevo_sketch_target;

/* What a parameter of a sketch decides. */
typedef enum opevo_slot_kind {
    OPEVO_SLOT_TILE,      /* lengths of a split: a factorisation of the loop's extent */
    OPEVO_SLOT_LOCATION,  /* where a stage is computed */
    OPEVO_SLOT_PARALLEL,  /* how many outer loops are fused and divided among threads */
    OPEVO_SLOT_UNROLL,    /* auto_unroll of a stage */
    OPEVO_SLOT_VECTORIZE, /* how many inner loops are fused and become a vector */
    OPEVO_SLOT_LANES,     /* elements of a vector of the register tile */
    OPEVO_SLOT_STREAM,    /* whether stores of an output bypass the caches */
    /* GPUs: */
    OPEVO_SLOT_SUM_THREADS, /* how many threads share a sum: the length of a split */
    OPEVO_SLOT_THREADS,     /* of a block: the outer loops are divided among blocks and threads */
    OPEVO_SLOT_FETCH        /* elements that a thread brings to shared memory at once */
} opevo_slot_kind;

enum { OPEVO_SLOT_NAME = 64, OPEVO_SLOT_CHOICES = 40, OPEVO_SKETCH_SLOTS = 96 };

typedef struct opevo_slot {
    opevo_slot_kind kind;
    char name[OPEVO_SLOT_NAME]; /* STAGE__WHAT, see docs/tuners/ansor.md */
    int key;                    /* of the stage, in the pipeline */
    size_t step;                /* TILE, SUM_THREADS: the split */
    int64_t extent;             /* TILE, SUM_THREADS: of the loop */
    int parts;                  /* TILE: loops that come of it */
    int choices;                /* values of the others: */
    int64_t value[OPEVO_SLOT_CHOICES];
    struct {
        int key, loop; /* LOCATION: a compute_at point; key -1: root, -2: inline */
    } place[OPEVO_SLOT_CHOICES];
} opevo_slot;

typedef struct opevo_sketch {
    opevo_pipeline *pipeline; /* the lengths of its splits are 1 */
    opevo_kernel_dialect dialect;
    bool tiled[OPEVO_PIPELINE_STAGES];
    bool closed[OPEVO_PIPELINE_STAGES];  /* by key: tiles are chosen, nothing is left open */
    bool blocked[OPEVO_PIPELINE_STAGES]; /* in blocks for permuted reads, by key */
    /* How many innermost loops of a stage are a tile of sums in registers, by key: of those of a
     * block of rows; 0: none. */
    int gathers[OPEVO_PIPELINE_STAGES];
    bool rows;     /* all is computed by blocks of rows */
    int registers; /* key of the stage whose innermost tile gathers in registers, -1: none */
    int lanes;     /* its axis that vectors run along */
    bool expanded; /* the cases of a definition are copies of its text */
    int packed;    /* key of the stage that the vectors are read from, in panels, -1: none */
    int slots;
    opevo_slot slot[OPEVO_SKETCH_SLOTS];
} opevo_sketch;

typedef struct opevo_sketches {
    size_t found; /* that the rules give */
    bool partial; /* whether they give more, which were not completed */
    size_t count; /* that are kept: as many as one space can hold, evenly among them */
    opevo_sketch **item;
} opevo_sketches;

/* All sketches of a computation, which is borrowed. Those of more than OPEVO_SKETCH_SLOTS
 * parameters are left out. Errors: LIMIT for more stages or choices than there may be, or if none
 * is left; NOMEM. */
opevo_status opevo_sketches_create(const opevo_computation *computation,
                                   const opevo_sketch_target *target, opevo_sketches **out,
                                   opevo_error *err);
void opevo_sketches_destroy(opevo_sketches *sketches); /* NULL is allowed */

/* Lengths of a TILE slot, outermost part first, or the number of a choice. */
typedef struct opevo_slot_value {
    int64_t length[8];
    int choice;
} opevo_slot_value;

/* The pipeline that a sketch becomes with these values, one for each slot. Errors: INVALID where
 * the values break a rule, with a sentence; LIMIT; NOMEM. */
opevo_status opevo_sketch_build(const opevo_sketch *sketch, const opevo_slot_value *values,
                                opevo_pipeline **out, opevo_error *err);

/* The search space of all sketches: a choice `sketch` with a branch for each, or the parameters of
 * the only one. Errors: as opevo_space_parse. */
opevo_status opevo_sketches_space(const opevo_sketches *sketches, opevo_space **out,
                                  opevo_error *err);

/* Kernels of a computation from the points of the space of its sketches. The maker owns the
 * computation on success. Errors: those of sketches and space. */
opevo_status opevo_sketches_open(opevo_computation *computation, const opevo_sketch_target *target,
                                 opevo_kernel_maker **out, opevo_error *err);
/* Whether it is such a maker. */
bool opevo_sketches_made(const opevo_kernel_maker *maker);
/* Another owner of such a maker, also in another thread: each destroys it. It stays as it is from
 * then on: it is neither narrowed nor limited. */
opevo_kernel_maker *opevo_sketches_share(opevo_kernel_maker *maker);

/* Makers that are made once for all who ask for the same computation, with the same names, and the
 * same target. Asking again for one whose sketches exceed a limit fails at once. For one thread;
 * the makers outlive the store. */
typedef struct opevo_sketch_store opevo_sketch_store;
opevo_status opevo_sketch_store_create(opevo_sketch_store **out, opevo_error *err);
void opevo_sketch_store_destroy(opevo_sketch_store *store); /* NULL is allowed */
/* NULL for the store: a maker that is not shared. Errors: as opevo_sketches_open. */
opevo_status opevo_sketch_store_open(opevo_sketch_store *store,
                                     const opevo_computation *computation,
                                     const opevo_sketch_target *target, opevo_kernel_maker **out,
                                     opevo_error *err);

/* Let the maker know only a part of its space, as opevo_template_narrow. A branch goes by a
 * constraint: all parameters stay. */
opevo_status opevo_sketches_narrow(opevo_kernel_maker *maker, opevo_space *part, opevo_error *err);
/* The bytes that a CPU kernel of a computation may use beside its operands: 256 MiB, or as much as
 * all tensors take together if that is more, so that some point of the sketches is within it. */
int64_t opevo_sketches_scratch(const opevo_computation *computation);
/* Another limit for such a maker, which its signature has. Errors: INVALID where every sketch
 * stores more intermediate results than that. */
opevo_status opevo_sketches_limit(opevo_kernel_maker *maker, int64_t scratch_bytes,
                                  opevo_error *err);
/* The number of sketches that store more than the limit at every point, so that none of their
 * points has a kernel; their names, such as "s1, s4", are added to `names`. */
size_t opevo_sketches_beyond_limit(const opevo_kernel_maker *maker, opevo_text *names);
/* The pipeline of a point of such a maker's space; the caller destroys it. A point that breaks a
 * rule leaves *out NULL and says so in `why`. Errors: NOMEM. Hook of tests. */
opevo_status opevo_sketches_pipeline(const opevo_kernel_maker *maker, opevo_index point,
                                     opevo_pipeline **out, opevo_text *why, opevo_error *err);
/* A point of such a maker's space whose pipeline has these steps; *found is false without one. The
 * steps are of an equal computation, and `near` counts for nothing. Errors: NOMEM. Cost: a pipeline
 * for each choice of each parameter, of the sketches that begin with the same steps.
 * Hook of tests. */
opevo_status opevo_sketches_find(const opevo_kernel_maker *maker, const opevo_pipeline *pipeline,
                                 opevo_index near, bool *found, opevo_index *point,
                                 opevo_error *err);

OPEVO_END_C

#endif
