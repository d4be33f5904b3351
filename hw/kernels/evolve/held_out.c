/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants on cases that the search did not see. */

#include <opevo/edit_list.h>

#include <opevo/memory.h>

bool opevo_found_variant_holds(const opevo_found_variant *variant)
{
    return variant->final.status && variant->final.kind == OPEVO_OUTCOME_OK;
}

/* On the selection set, and if it passes on the final one. */
static opevo_status try_out(opevo_evolver *evolver, const opevo_interrupt *interrupt,
                            opevo_found *found, opevo_found_variant *variant, opevo_error *err)
{
    const char *edits = opevo_text_string(&variant->edits);
    opevo_status status = opevo_evolver_evaluate(evolver, &edits, 1, OPEVO_CASES_SELECTION,
                                                 interrupt, &variant->selection, err);

    if (status == OPEVO_OK && variant->selection.kind == OPEVO_OUTCOME_OK)
        status = opevo_evolver_evaluate(evolver, &edits, 1, OPEVO_CASES_FINAL, interrupt,
                                        &variant->final, err);
    if (status == OPEVO_OK && !opevo_found_variant_holds(variant))
        found->overfitted++;
    return status;
}

opevo_status opevo_found_evaluate_base(opevo_evolver *evolver, opevo_found *found, opevo_error *err)
{
    static const char *const none = "none";

    for (opevo_cases set = OPEVO_CASES_SEARCH; set <= OPEVO_CASES_FINAL; set++) {
        opevo_evolved base;
        opevo_status status = opevo_evolver_evaluate(evolver, &none, 1, set, NULL, &base, err);

        if (status != OPEVO_OK)
            return status;
        if (base.kind != OPEVO_OUTCOME_OK)
            status = OPEVO_FAIL(err, OPEVO_INVALID, "The kernel itself fails on its harness: %s",
                                base.message ? base.message : base.status);
        found->base[set] = base.cost;
        opevo_evolved_free(&base);
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

static opevo_status ask(const opevo_found_judge *judge, opevo_found *found,
                        const opevo_found_variant *variant, bool *refuted, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *refuted = false;
    if (judge)
        status = judge->ask(judge->context, variant, refuted, err);
    found->refuted += *refuted;
    return status;
}

/* An exact variant must stay so. */
static bool stays_exact(const opevo_found_variant *variant)
{
    return opevo_found_variant_holds(variant) && !(variant->selection.error > 0) &&
           !(variant->final.error > 0);
}

opevo_status opevo_found_held_out(opevo_evolver *evolver, const opevo_interrupt *interrupt,
                                  const opevo_found_judge *judge, opevo_found *found,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool refuted = false;

    found->best = found->exact_count;
    for (size_t i = 0; i < found->exact_count && status == OPEVO_OK; i++) {
        status = ask(judge, found, &found->exact[i], &refuted, err);
        found->overfitted += refuted;
        if (refuted)
            continue;
        if (status == OPEVO_OK)
            status = try_out(evolver, interrupt, found, &found->exact[i], err);
        if (status == OPEVO_OK && stays_exact(&found->exact[i])) {
            found->best = i;
            break;
        }
    }
    for (size_t i = 0; i < found->rest_count && status == OPEVO_OK; i++) {
        status = ask(judge, found, &found->rest[i], &refuted, err);
        if (status == OPEVO_OK)
            status = try_out(evolver, interrupt, found, &found->rest[i], err);
    }
    return status;
}

static void free_variants(opevo_found_variant *variants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        opevo_text_free(&variants[i].edits);
        opevo_evolved_free(&variants[i].selection);
        opevo_evolved_free(&variants[i].final);
    }
    opevo_free(variants);
}

void opevo_found_free(opevo_found *found)
{
    free_variants(found->exact, found->exact_count);
    free_variants(found->rest, found->rest_count);
    *found = (opevo_found){.exact = NULL};
}
