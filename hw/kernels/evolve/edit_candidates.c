/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of edits as a domain. A draw passes to the worker as a seed from the stream. A draw that
 * kills workers does so in every run, so the next seed is tried. */

#include "evolver_internal.h"

#include <stdio.h>

enum { DRAWS_MOST = 16 };

static opevo_evolver *evolver_of(opevo_domain *domain)
{
    return (opevo_evolver *)((char *)domain - offsetof(opevo_evolver, domain));
}

static bool print(opevo_domain *domain, opevo_index candidate, opevo_text *out)
{
    const char *text = opevo_texts_get(evolver_of(domain)->texts, candidate);

    opevo_text_add(out, text ? text : "");
    return text != NULL;
}

/* Keep the list of a reply. */
static opevo_status keep(opevo_evolver *self, const opevo_i_evolve_request *request,
                         opevo_index *out, opevo_error *err)
{
    const char *edits = opevo_i_evolve_reply_text(request->reply, "edits");
    opevo_status status = opevo_i_evolve_reply_check(request->reply, err);

    if (status == OPEVO_OK && !*edits)
        status = OPEVO_FAIL(err, OPEVO_FAULT, "A worker's answer has no edits.");
    return status == OPEVO_OK ? opevo_texts_keep(self->texts, edits, out, err) : status;
}

/* Takes the message, which may be NULL. */
static opevo_status draw(opevo_domain *domain, json_t *message, opevo_rng *rng, opevo_index *out,
                         opevo_error *err)
{
    opevo_evolver *self = evolver_of(domain);
    opevo_status status = OPEVO_OK;
    opevo_i_evolve_request request = {.answer = OPEVO_I_DIED};

    for (int i = 0; i < DRAWS_MOST && status == OPEVO_OK; i++) {
        char seed[17];

        snprintf(seed, sizeof seed, "%016llx", (unsigned long long)opevo_rng_u64(rng));
        if (message)
            json_object_set_new(message, "seed", json_string(seed));
        status = opevo_i_evolve_evolver_ask(self, json_incref(message), &request, err);
        if (status == OPEVO_OK && request.answer == OPEVO_I_ANSWERED) {
            status = keep(self, &request, out, err);
            goto cleanup;
        }
    }
    if (status == OPEVO_OK)
        status = OPEVO_FAIL(err, OPEVO_LIMIT, "%d draws of edits in a row ended the worker.",
                            DRAWS_MOST);
cleanup:
    opevo_i_evolve_request_clear(&request);
    json_decref(message);
    return status;
}

static const char *text_of(opevo_domain *domain, opevo_index candidate)
{
    const char *text = opevo_texts_get(evolver_of(domain)->texts, candidate);

    return text ? text : "";
}

static opevo_status sample(opevo_domain *domain, opevo_rng *rng, opevo_index *out, opevo_error *err)
{
    return draw(domain, json_pack("{s:s}", "do", "sample"), rng, out, err);
}

static opevo_status mutate(opevo_domain *domain, opevo_index parent, double q, opevo_rng *rng,
                           opevo_index *out, opevo_error *err)
{
    return draw(
        domain,
        json_pack("{s:s, s:s, s:f}", "do", "mutate", "edits", text_of(domain, parent), "q", q), rng,
        out, err);
}

static opevo_status cross(opevo_domain *domain, opevo_index a, opevo_index b, opevo_rng *rng,
                          opevo_index *out, opevo_error *err)
{
    return draw(domain,
                json_pack("{s:s, s:s, s:s}", "do", "cross", "a", text_of(domain, a), "b",
                          text_of(domain, b)),
                rng, out, err);
}

static opevo_status parse(opevo_domain *domain, const char *text, opevo_index *out,
                          opevo_error *err)
{
    opevo_evolver *self = evolver_of(domain);
    opevo_i_evolve_request request = {.answer = OPEVO_I_DIED};
    opevo_status status = opevo_i_evolve_evolver_ask(
        self, json_pack("{s:s, s:s}", "do", "canonical", "edits", text), &request, err);

    if (status == OPEVO_OK && request.answer != OPEVO_I_ANSWERED)
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "The edits \"%.300s\" %s.", text,
                       request.answer == OPEVO_I_DIED ? "end the worker"
                                                      : "are not read within the limit of time");
    if (status == OPEVO_OK)
        status = keep(self, &request, out, err);
    opevo_i_evolve_request_clear(&request);
    return status;
}

static void destroy(opevo_domain *domain)
{
    (void)domain; /* it is the evolver's */
}

const opevo_domain_ops opevo_i_evolve_edit_candidates = {
    .kind = "edits",
    .print = print,
    .parse = parse,
    .sample = sample,
    .mutate = mutate,
    .cross = cross,
    .destroy = destroy,
};
