/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a library was made of a model: noted in its folder, and read there to make its steps and its
 * memory plan again. */

#ifndef OPEVO_NETWORK_MADE_H
#define OPEVO_NETWORK_MADE_H

#include <opevo/network_tuning.h>

OPEVO_BEGIN_C

/* What the caller knows beside the plan. */
typedef struct opevo_network_maker {
    const char *model;           /* its file */
    const char *const *bindings; /* as in opevo_network_given */
    size_t binding_count;
    opevo_network_plan_options how; /* of the plan */
    unsigned threads;               /* of the library, */
    const char *name;               /* and its name; NULL: net */
} opevo_network_maker;

/* Leave in a library, before it is written, how it was made: the hash of the model's file, the
 * shapes of its inputs, the passes, and what measured times have turned off. Only of libraries in C
 * for CPUs, of known sizes and not freestanding. Errors: IO; NOMEM. */
opevo_status opevo_network_made_note(const opevo_network_maker *maker,
                                     const opevo_network_plan *plan, opevo_network_library *library,
                                     opevo_error *err);

/* What such a note says of the model. */
typedef struct opevo_network_model {
    opevo_text name; /* of its file, without the folder */
    uint64_t hash;   /* of its bytes */
} opevo_network_model;

/* *out is to be released, also on failure. Errors: INVALID for another text; NOMEM. */
opevo_status opevo_network_made_model(const char *note, opevo_network_model *out, opevo_error *err);
/* Of the bytes of a file. Errors: IO; NOMEM. */
opevo_status opevo_network_model_hash(const char *path, uint64_t *out, opevo_error *err);

/* A library that was made again. Start from {0}. */
typedef struct opevo_network_remade {
    opevo_network *network;
    opevo_network_plan *plan;
    opevo_network_library *library; /* with untuned kernels */
    uint32_t passes;
} opevo_network_remade;

/* Errors: INVALID for a note that was changed, and those of reading the model and of its passes;
 * NOMEM. Cost: that of opevo_network_library_create. */
opevo_status opevo_network_remake(const char *note, const char *model, opevo_network_remade *out,
                                  opevo_error *err);
void opevo_network_remade_free(opevo_network_remade *remade);

OPEVO_END_C

#endif
