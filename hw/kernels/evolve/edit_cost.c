/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of edits, with what it costs. */

#include <opevo/edit_list.h>

#include <opevo/memory.h>

opevo_status opevo_edit_list_read(opevo_evolver *evolver, const char *text, opevo_edit_list *out,
                                  opevo_error *err)
{
    opevo_text canonical = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_evolver_canonical(evolver, text, &canonical, err));
    out->evolver = evolver;
    out->count = opevo_edit_count(opevo_text_string(&canonical));
    out->edits = opevo_strdup(opevo_text_string(&canonical));
    if (!out->edits)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a list of edits.");
cleanup:
    opevo_text_free(&canonical);
    return status;
}

opevo_status opevo_edit_list_evaluate(opevo_edit_list *list, opevo_error *err)
{
    const char *const both[] = {"none", list->edits};
    opevo_evolved said[2];
    opevo_status status =
        opevo_evolver_evaluate(list->evolver, both, 2, OPEVO_CASES_SEARCH, NULL, said, err);

    if (status != OPEVO_OK)
        return status;
    list->base = said[0];
    list->whole = said[1];
    if (list->whole.kind != OPEVO_OUTCOME_OK)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The list fails on the search cases: %.700s",
                          list->whole.message ? list->whole.message : list->whole.status);
    return OPEVO_OK;
}

void opevo_edit_list_free(opevo_edit_list *list)
{
    opevo_free(list->edits);
    opevo_evolved_free(&list->base);
    opevo_evolved_free(&list->whole);
    *list = (opevo_edit_list){.edits = NULL};
}
