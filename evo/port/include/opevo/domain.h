/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A domain: what a tuner may do with candidates beyond the points of a space. A candidate is a 128-bit
 * number: the place in a space, or the hash of a canonical text, which the store keeps beside it.
 * Equality, what was seen and stores do not care which. Any number of threads may call a domain at
 * once. */

#ifndef OPEVO_DOMAIN_H
#define OPEVO_DOMAIN_H

#include <opevo/api.h>
#include <opevo/random.h>
#include <opevo/space.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opevo_domain opevo_domain;

/* Places for what a later version adds to a table of functions and to the struct that a user's
 * implementation begins with; all 0. A table with more than this version knows is refused. */
enum { OPEVO_RESERVED = 4 };

typedef struct opevo_domain_ops {
    const char *kind; /* "space", ... */
    /* Append the canonical text, which is never empty. False, with nothing appended, for a number that
     * is no candidate, or none that this domain has met. */
    bool (*print)(opevo_domain *self, opevo_index candidate, opevo_text *out);
    /* The candidate of a text. Errors: INVALID with the reason; NOMEM. */
    opevo_status (*parse)(opevo_domain *self, const char *text, opevo_index *out, opevo_error *err);
    /* Each a function of its arguments and of what it draws from the stream, and each gives an
     * allowed candidate. sample: uniform over the allowed points of a space, elsewhere from what the
     * domain says. mutate: `q` is the probability of one more elementary change, in [0, 1). cross: each
     * part from one parent or the other, with equal probability. Errors: LIMIT where no allowed
     * candidate was found; NOMEM. */
    opevo_status (*sample)(opevo_domain *self, opevo_rng *rng, opevo_index *out, opevo_error *err);
    opevo_status (*mutate)(opevo_domain *self, opevo_index parent, double q, opevo_rng *rng,
                           opevo_index *out, opevo_error *err);
    opevo_status (*cross)(opevo_domain *self, opevo_index a, opevo_index b, opevo_rng *rng,
                          opevo_index *out, opevo_error *err);
    /* Fill the rows of a candidate, feature_count numbers each, and return how many there are, at most
     * feature_rows_most; 0 where there are none. NULL: never any. As opevo_feature_source. */
    size_t (*features)(opevo_domain *self, opevo_index candidate, float *rows);
    void (*destroy)(opevo_domain *self);
    void (*reserved[OPEVO_RESERVED])(void); /* 0 */
} opevo_domain_ops;

/* First member, `super`, of every implementation, which fills it in. */
struct opevo_domain {
    const opevo_domain_ops *ops;
    const char *name;   /* for messages: "the edits of saxpy.ll"; owned by the implementation */
    uint64_t signature; /* of all that decides which candidates there are, and their texts */
    const opevo_space *space; /* candidates are its points; NULL: hashes of texts */
    size_t feature_count, feature_rows_most;
    void *reserved[OPEVO_RESERVED]; /* 0 */
};

/* A finite space as a domain: the text of a point is that of opevo_space_print. The child step is its
 * variation: cross recombines two parents of equal weight, mutate walks on each parameter's graph
 * with q (opevo/child_sampler.h), and either tries again where a constraint forbids the child. The
 * features of a point are one row, the numbers of its components; those of texts, and of parameters
 * that are not active, count as 0. `space` must outlive the domain. Errors: NOMEM. */
OPEVO_API opevo_status opevo_domain_of_space(const opevo_space *space, opevo_domain **out,
                                             opevo_error *err);

OPEVO_API bool opevo_domain_print(opevo_domain *domain, opevo_index candidate, opevo_text *out);
OPEVO_API opevo_status opevo_domain_parse(opevo_domain *domain, const char *text, opevo_index *out,
                                          opevo_error *err);
OPEVO_API opevo_status opevo_domain_sample(opevo_domain *domain, opevo_rng *rng, opevo_index *out,
                                           opevo_error *err);
/* Errors: as the function of the table, and INVALID for q outside [0, 1). */
OPEVO_API opevo_status opevo_domain_mutate(opevo_domain *domain, opevo_index parent, double q,
                                           opevo_rng *rng, opevo_index *out, opevo_error *err);
OPEVO_API opevo_status opevo_domain_cross(opevo_domain *domain, opevo_index a, opevo_index b,
                                          opevo_rng *rng, opevo_index *out, opevo_error *err);
OPEVO_API size_t opevo_domain_features(opevo_domain *domain, opevo_index candidate, float *rows);
OPEVO_API void opevo_domain_destroy(opevo_domain *domain);

/* ---- Texts ---- */

/* For domains whose candidates are hashes: the texts of those that were met, by their hash. Any number
 * of threads may use one. */
typedef struct opevo_texts opevo_texts;

OPEVO_API opevo_texts *opevo_texts_create(void); /* NULL without memory */
OPEVO_API void opevo_texts_destroy(opevo_texts *texts);
/* Keep the text, and give its hash: FNV-1a in 128 bits. Errors: NOMEM; INVALID in the event, of
 * probability 2^-64 for a billion texts, that another text has the same hash. */
OPEVO_API opevo_status opevo_texts_keep(opevo_texts *texts, const char *text, opevo_index *hash,
                                        opevo_error *err);
/* The text of a hash, borrowed until the table is destroyed; NULL where none was kept. */
OPEVO_API const char *opevo_texts_get(opevo_texts *texts, opevo_index hash);

#ifdef __cplusplus
}
#endif

#endif
