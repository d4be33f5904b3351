/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random steps on random computations. */

#ifndef OPEVO_TESTS_PIPELINE_DRAW_H
#define OPEVO_TESTS_PIPELINE_DRAW_H

#include "graphs.h"
#include "pipeline_fixture.h"

#include "computations.h"

/* Small, with odd and prime extents. */
static const char *const odd_computations[] = {
    "matmul(7,11,13)",
    "batch_matmul(3,5,7,11)",
    "conv2d(2,3,9,7,5,3,3,2,1)",
    "c1d(2,9,3,5,3,2,1)",
    "c3d(1,3,5,4,2,3,3,1,1)",
    "grp(1,7,6,4,8,3,2,1,2)",
    "dil(1,9,8,2,3,3,1,2,2)",
    "dep(2,7,5,3,3,2,1)",
    "t2d(1,4,3,3,2,4,2,1)",
    "nrm(2,5,7)",
    "softmax(5,13)",
    "conv-layer(1,7,6,3,4,3,1,1)",
    "tbg(1,5,2,3)",
    ("A[i:13, k:11]; B[k, j:7]; D[j, l:5]; C[i, j] = sum(k) A[i, k]*B[k, j]; "
     "E[i, l] = sum(j) C[i, j]*D[j, l]"),
    /* Dimensions that merge and can be divided. */
    ("X[2, 6, 3, 7]; const W[10, 3, 1, 1]; const B[10]; C[n:2, f:10, y:3, x:7] = sum(c:3, r:1, "
     "s:1) "
     "X[n, c + 3*(f//5), y + r, x + s]*W[f, c, r, s]; Y[n, f, y, x] = max(C[n, f, y, x] + B[f], "
     "0)"),
};
enum { ODD_COMPUTATIONS = sizeof odd_computations / sizeof *odd_computations };

static inline int pick(uint64_t *state, int below)
{
    return below > 0 ? (int)draw(state, (uint64_t)below) : 0;
}

/* What loops may become and where copies may be; what is to come often is there more than once. */
typedef struct step_choices {
    int annotations, scopes;
    opevo_annotation annotation[16];
    opevo_scope scope[4];
} step_choices;

static const step_choices cpu_choices = {
    .annotations = 6,
    .annotation = {OPEVO_ANNOTATION_VECTORIZE, OPEVO_ANNOTATION_VECTORIZE, OPEVO_ANNOTATION_UNROLL,
                   OPEVO_ANNOTATION_EXPAND, OPEVO_ANNOTATION_SERIAL, OPEVO_ANNOTATION_PARALLEL},
    .scopes = 2,
    .scope = {OPEVO_SCOPE_LOCAL, OPEVO_SCOPE_PACKED}};

static const step_choices gpu_choices = {
    .annotations = 12,
    .annotation = {OPEVO_ANNOTATION_THREAD_X, OPEVO_ANNOTATION_THREAD_X, OPEVO_ANNOTATION_THREAD_X,
                   OPEVO_ANNOTATION_THREAD_Y, OPEVO_ANNOTATION_THREAD_Y, OPEVO_ANNOTATION_THREAD_Z,
                   OPEVO_ANNOTATION_BLOCK_X, OPEVO_ANNOTATION_BLOCK_X, OPEVO_ANNOTATION_BLOCK_Y,
                   OPEVO_ANNOTATION_VTHREAD, OPEVO_ANNOTATION_UNROLL, OPEVO_ANNOTATION_VECTORIZE},
    .scopes = 3,
    .scope = {OPEVO_SCOPE_SHARED, OPEVO_SCOPE_SHARED, OPEVO_SCOPE_LOCAL}};

static inline void draw_order(uint64_t *state, opevo_pipeline_step *step, int loops)
{
    step->count = loops;
    for (int i = 0; i < loops; i++)
        step->number[i] = i;
    for (int i = loops - 1; i > 0; i--) {
        int other = pick(state, i + 1);
        int64_t kept = step->number[i];

        step->number[i] = step->number[other];
        step->number[other] = kept;
    }
}

static const int64_t draw_lengths[] = {1, 2, 3, 4, 5, 7, 8, 16};

/* The numbers behind the first one, of steps that split loops; false for others. */
static inline bool draw_splits(uint64_t *state, const opevo_pipeline *pipeline,
                               opevo_pipeline_step *step)
{
    switch (step->kind) {
    case OPEVO_PIPELINE_SPLIT:
    case OPEVO_PIPELINE_SPLIT_OUTER:
        for (int i = 1 + pick(state, 3); i > 0; i--)
            step->number[step->count++] =
                draw_lengths[pick(state, sizeof draw_lengths / sizeof *draw_lengths)];
        break;
    case OPEVO_PIPELINE_FOLLOW_SPLIT:
        step->number[step->count++] = pick(state, (int)opevo_pipeline_step_count(pipeline));
        step->number[step->count++] = 1 + pick(state, 3);
        break;
    case OPEVO_PIPELINE_FOLLOW_FUSED_SPLIT:
        step->number[step->count++] = pick(state, 2);
        step->number[step->count++] = pick(state, 2);
        step->number[step->count++] = pick(state, (int)opevo_pipeline_step_count(pipeline));
        break;
    default:
        return false;
    }
    return true;
}

/* Likewise, of steps that say where a stage is computed. */
static inline bool draw_places(uint64_t *state, const step_choices *choices,
                               const opevo_pipeline *pipeline, opevo_pipeline_step *step)
{
    int stages = opevo_pipeline_stage_count(pipeline);

    switch (step->kind) {
    case OPEVO_PIPELINE_COMPUTE_AT:
        step->number[0] = step->stage + 1 + pick(state, stages - step->stage - 1);
        if (step->number[0] < stages)
            step->number[step->count++] =
                pick(state, opevo_pipeline_stage(pipeline, (int)step->number[0]).loops);
        break;
    case OPEVO_PIPELINE_CACHE_READ:
        step->number[0] = choices->scope[pick(state, choices->scopes)];
        step->number[step->count++] = step->stage + 1 + pick(state, stages - step->stage - 1);
        break;
    case OPEVO_PIPELINE_CACHE_WRITE:
        step->number[0] = choices->scope[pick(state, choices->scopes)];
        break;
    default:
        return false;
    }
    return true;
}

/* Likewise, of steps that say how elements lie. */
static inline bool draw_layouts(uint64_t *state, const opevo_pipeline *pipeline,
                                opevo_pipeline_step *step)
{
    switch (step->kind) {
    case OPEVO_PIPELINE_DIVIDE:
        step->number[step->count++] = draw_lengths[1 + pick(state, 7)];
        break;
    case OPEVO_PIPELINE_STORAGE_ALIGN:
        step->number[step->count++] = draw_lengths[pick(state, 8)];
        step->number[step->count++] = pick(state, 5);
        break;
    case OPEVO_PIPELINE_LAYOUT: /* panels of one dimension */
        step->count = 0;
        step->number[step->count++] = pick(state, 4);
        step->number[step->count++] = draw_lengths[1 + pick(state, 7)];
        for (int d = 0; d < opevo_pipeline_stage(pipeline, step->stage).dims; d++) {
            step->number[step->count++] = d;
            step->number[step->count++] = 1;
        }
        break;
    default:
        return false;
    }
    return true;
}

/* A step that may well break a rule. */
static inline opevo_pipeline_step draw_step(uint64_t *state, const step_choices *choices,
                                            const opevo_pipeline *pipeline)
{
    opevo_pipeline_step step = {
        .kind = (opevo_pipeline_step_kind)pick(state, OPEVO_PIPELINE_STEP_KINDS),
        .stage = pick(state, opevo_pipeline_stage_count(pipeline))};
    int loops = opevo_pipeline_stage(pipeline, step.stage).loops;

    step.number[step.count++] = pick(state, loops);
    if (draw_splits(state, pipeline, &step) || draw_places(state, choices, pipeline, &step) ||
        draw_layouts(state, pipeline, &step))
        return step;
    switch (step.kind) {
    case OPEVO_PIPELINE_FUSE:
        for (int i = 1 + pick(state, 2); i > 0; i--, step.count++)
            step.number[step.count] = step.number[0] + step.count;
        break;
    case OPEVO_PIPELINE_REORDER:
        draw_order(state, &step, loops);
        break;
    case OPEVO_PIPELINE_ANNOTATE:
        step.number[step.count++] = choices->annotation[pick(state, choices->annotations)];
        break;
    case OPEVO_PIPELINE_AUTO_UNROLL:
        step.number[0] = 4 * pick(state, 9);
        break;
    case OPEVO_PIPELINE_RFACTOR:
        step.number[step.count++] = pick(state, 4);
        break;
    case OPEVO_PIPELINE_EXTEND:
        if (step.number[0] < loops)
            step.number[step.count++] =
                opevo_pipeline_loop(pipeline, step.stage, (int)step.number[0]).extent +
                pick(state, 9);
        break;
    case OPEVO_PIPELINE_PREFETCH:
        step.number[0] = pick(state, 100);
        break;
    case OPEVO_PIPELINE_ACCUMULATE:
    case OPEVO_PIPELINE_TRIM:
    case OPEVO_PIPELINE_MERGE:
        break;
    default:
        step.count = 0;
        break;
    }
    return step;
}

/* Steps are applied as they are drawn, as far as they are legal. */
static inline opevo_pipeline *draw_pipeline(const opevo_computation *computation,
                                            const step_choices *choices, uint64_t seed)
{
    opevo_pipeline *pipeline = NULL;
    uint64_t state = seed;
    int wanted = 1 + pick(&state, 24);

    CHECK_OK(opevo_pipeline_create(computation, &pipeline, &err));
    for (int tries = 0; tries < 400 && (int)opevo_pipeline_step_count(pipeline) < wanted; tries++) {
        opevo_pipeline_step step = draw_step(&state, choices, pipeline);
        size_t before = opevo_pipeline_step_count(pipeline);
        opevo_error error = {OPEVO_OK, ""};

        if (opevo_pipeline_apply(pipeline, &step, &error) != OPEVO_OK) {
            assert_int_equal(opevo_pipeline_step_count(pipeline), before);
            assert_true(error.status == OPEVO_INVALID || error.status == OPEVO_LIMIT);
            assert_true(*error.message != 0);
        }
    }
    return pipeline;
}

/* A pipeline whose parts cannot be lowered loses its last steps until it can. Returns how many are
 * left. */
static inline size_t check_kernels(pipeline_case *operands, const opevo_pipeline *pipeline,
                                   opevo_kernel_dialect dialect)
{
    bool fits = false;
    size_t steps = opevo_pipeline_step_count(pipeline) + 1;

    while (!fits && steps > 0) {
        opevo_pipeline *shorter = NULL;
        opevo_text why = {0};

        steps--;
        CHECK_OK(opevo_pipeline_create(operands->computation, &shorter, &err));
        for (size_t i = 0; i < steps; i++)
            CHECK_OK(opevo_pipeline_apply(shorter, opevo_pipeline_step_get(pipeline, i), &err));
        fits = case_check(operands, shorter, dialect, &why);
        assert_true(fits || opevo_text_string(&why)[0]);
        opevo_text_free(&why);
        opevo_pipeline_destroy(shorter);
    }
    return steps;
}

/* The text of the first graph of definitions from a seed on that has few enough operands, and its
 * seed. */
static inline void find_graph(uint64_t *seed, opevo_text *out)
{
    for (int operands = PIPELINE_OPERANDS + 1; operands > PIPELINE_OPERANDS;) {
        opevo_computation *made = NULL;
        opevo_error error = {OPEVO_OK, ""};

        opevo_text_clear(out);
        write_graph(++*seed, out);
        if (opevo_computation_parse(opevo_text_string(out), "graph", NULL, 0, &made, &error) !=
            OPEVO_OK)
            fail_msg("%s: %s", opevo_text_string(out), error.message);
        operands = 0;
        for (int i = 0; i < made->tensors; i++)
            operands += made->tensor[i]->role != OPEVO_ROLE_INTERMEDIATE;
        opevo_computation_destroy(made);
    }
}

/* Check the kernel of a computation with random steps; *lowered counts those that keep all their
 * steps. */
typedef void random_check(const char *computation, uint64_t seed, int *lowered);

/* Of `count` random texts those that are computations; their number. */
static inline int check_written(int count, random_check *check, int *lowered)
{
    int checked = 0;

    for (int i = 0; i < count; i++) {
        opevo_computation *made = NULL;
        opevo_text text = {0};

        write_computation((uint64_t)i, 6, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK) {
            check(opevo_text_string(&text), (uint64_t)i, lowered);
            checked++;
        }
        opevo_computation_destroy(made);
        opevo_text_free(&text);
    }
    batch_run();
    return checked;
}

#endif
