/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a prover said of the kernels of a run. The store keeps its words, and does not judge. */

#ifndef OPEVO_STORE_PROOFS_H
#define OPEVO_STORE_PROOFS_H

#include <opevo/store.h>

OPEVO_BEGIN_C

enum { OPEVO_STORED_VERDICT = 16 };

/* What the caller knows of a proof: the store has its words only. */
typedef enum opevo_proof_standing {
    OPEVO_PROOF_NOT_CHECKED, /* as read */
    OPEVO_PROOF_FITS,        /* it is about the kernel that the point has */
    OPEVO_PROOF_STALE        /* it is about another one, or says something else */
} opevo_proof_standing;

typedef struct opevo_stored_proof {
    opevo_index point;
    char verdict[OPEVO_STORED_VERDICT]; /* "proved", "refuted" or "undecided" */
    opevo_text certificate;             /* answers as JSON, one a line */
    opevo_proof_standing standing;      /* not stored */
} opevo_stored_proof;

/* In the order of the points; start from {0}. */
typedef struct opevo_stored_proofs {
    opevo_stored_proof *items;
    size_t count, capacity;
} opevo_stored_proofs;

/* Store it, in place of an earlier one of the same point. Errors: INVALID for a store opened to
 * read; IO. */
opevo_status opevo_store_put_proof(opevo_store *store, int64_t run, const opevo_stored_proof *proof,
                                   opevo_error *err);
/* Those of a run. Errors: INVALID for a damaged file; IO; NOMEM. */
opevo_status opevo_store_get_proofs(opevo_store *store, int64_t run, opevo_stored_proofs *out,
                                    opevo_error *err);
/* That of a point; NULL: it has none. */
const opevo_stored_proof *opevo_stored_proofs_find(const opevo_stored_proofs *self,
                                                   opevo_index point);
/* Take over a proof, in place of an earlier one of the same point; it is freed on failure. Errors:
 * NOMEM. */
opevo_status opevo_stored_proofs_add(opevo_stored_proofs *self, opevo_stored_proof *proof,
                                     opevo_error *err);
void opevo_stored_proofs_free(opevo_stored_proofs *self);

OPEVO_END_C

#endif
