/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A trained cost model apart from any run: the weights of a network that reads loop trees, and the
 * file that keeps them. opevo_cost_model_learn (opevo/tuners.h) makes one, and a run starts from it
 * (opevo_run_options). docs/formats/model.md specifies the file. */

#ifndef OPEVO_COST_MODEL_H
#define OPEVO_COST_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/status.h>

OPEVO_BEGIN_C

enum {
    OPEVO_COST_MODEL_WORD = 32,     /* bytes of the names, with their terminator */
    OPEVO_COST_MODEL_HIDDEN = 1024, /* at most */
    OPEVO_COST_MODEL_SLOTS = 64     /* at most */
};

typedef struct opevo_cost_model {
    char kind[OPEVO_COST_MODEL_WORD]; /* as the setting `model` has it: "treegru-context" */
    char loss[OPEVO_COST_MODEL_WORD]; /* "rank" or "reg": what its scores are */
    size_t hidden;                    /* numbers of a state */
    size_t slots;                     /* of the context encoding; 0: by names */
    uint64_t trees;                   /* that it was trained on */
    float *weights;
    size_t weight_count;
} opevo_cost_model;

/* Errors: MISMATCH for a file of another kind; INVALID, with the path and what to do, for another
 * version, features of another version, and contents that do not give the hash in the file; those
 * of opevo_file_read. */
OPEVO_API opevo_status opevo_cost_model_read(const char *path, opevo_cost_model **out,
                                             opevo_error *err);
/* The same from the bytes of such a file; `origin` stands for its path in messages. */
OPEVO_API opevo_status opevo_cost_model_parse(const char *origin, const void *bytes, size_t size,
                                              opevo_cost_model **out, opevo_error *err);
/* All or nothing, as opevo_file_write. The same model gives the same bytes. */
OPEVO_API opevo_status opevo_cost_model_write(const opevo_cost_model *model, const char *path,
                                              opevo_error *err);
/* Of all that a model is, by which runs in a store are told apart. */
OPEVO_API uint64_t opevo_cost_model_hash(const opevo_cost_model *model);
OPEVO_API void opevo_cost_model_destroy(opevo_cost_model *model); /* NULL is allowed */

OPEVO_END_C

#endif
