/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A domain: the operations of a tuner on candidates, points of a space or others. A candidate is a
 * 128-bit number: the number of a point, or the hash of a canonical text, which the store keeps
 * with it. Equality, sets of seen candidates and stores treat both alike. Any number of threads may
 * call a domain concurrently. */

#ifndef OPEVO_DOMAIN_H
#define OPEVO_DOMAIN_H

#include <opevo/api.h>
#include <opevo/random.h>
#include <opevo/space.h>

OPEVO_BEGIN_C

typedef struct opevo_domain opevo_domain;

/* Reserved members for additions of later versions to tables of functions and to the structs that
 * implementations begin with; all 0. A table with members unknown to this version is refused. */
enum { OPEVO_RESERVED = 4 };

typedef struct opevo_domain_ops {
    const char *kind; /* "space", ... */
    /* Append the canonical text, which is never empty. False, with nothing appended, for a number
     * that is not a candidate or that this domain has not seen. */
    bool (*print)(opevo_domain *self, opevo_index candidate, opevo_text *out);
    /* The candidate of a text. Errors: INVALID with the reason; NOMEM. */
    opevo_status (*parse)(opevo_domain *self, const char *text, opevo_index *out, opevo_error *err);
    /* All three depend only on their arguments and the stream, and return an allowed candidate.
     * sample: uniform over the allowed points of a space, otherwise from a distribution of the
     * domain. mutate: `q` is the probability of one more elementary change, in [0, 1). cross: each
     * part from either parent, with equal probability. Errors: LIMIT if no allowed candidate was
     * found; NOMEM. */
    opevo_status (*sample)(opevo_domain *self, opevo_rng *rng, opevo_index *out, opevo_error *err);
    opevo_status (*mutate)(opevo_domain *self, opevo_index parent, double q, opevo_rng *rng,
                           opevo_index *out, opevo_error *err);
    opevo_status (*cross)(opevo_domain *self, opevo_index a, opevo_index b, opevo_rng *rng,
                          opevo_index *out, opevo_error *err);
    /* Fill in the rows of a candidate, feature_count numbers each, and return their number, at most
     * feature_rows_most; 0 if it has none. NULL: no features. See opevo_feature_source. */
    size_t (*features)(opevo_domain *self, opevo_index candidate, float *rows);
    void (*destroy)(opevo_domain *self);
    void (*reserved[OPEVO_RESERVED])(void); /* 0 */
} opevo_domain_ops;

/* First member, `super`, of every implementation, which fills it in. */
struct opevo_domain {
    const opevo_domain_ops *ops;
    const char *name;   /* for messages: "the edits of saxpy.ll"; owned by the implementation */
    uint64_t signature; /* of everything that determines the candidates and their texts */
    const opevo_space *space; /* candidates are its points; NULL: hashes of texts */
    size_t feature_count, feature_rows_most;
    void *reserved[OPEVO_RESERVED]; /* 0 */
};

/* A finite space as a domain: the text of a point is that of opevo_space_print. The child step is
 * its variation: cross recombines two parents of equal weight, mutate walks on each parameter's
 * graph with q (opevo/child_sampler.h), and both try again if a constraint forbids the child. The
 * features of a point are one row, the numbers of its components; strings and inactive parameters
 * count as 0. `space` must outlive the domain. Errors: NOMEM. */
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

/* For domains whose candidates are hashes: the texts of the candidates seen, by their hash. Any
 * number of threads may use one table. */
typedef struct opevo_texts opevo_texts;

OPEVO_API opevo_texts *opevo_texts_create(void); /* NULL without memory */
OPEVO_API void opevo_texts_destroy(opevo_texts *texts);
/* Keep the text and return its hash: 128-bit FNV-1a. Errors: NOMEM; INVALID if another text has the
 * same hash (probability 2^-64 for a billion texts). */
OPEVO_API opevo_status opevo_texts_keep(opevo_texts *texts, const char *text, opevo_index *hash,
                                        opevo_error *err);
/* The text of a hash, borrowed until the table is destroyed; NULL if none was kept. */
OPEVO_API const char *opevo_texts_get(opevo_texts *texts, opevo_index hash);

OPEVO_END_C

#endif
