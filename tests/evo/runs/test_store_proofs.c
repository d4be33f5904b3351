/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The proofs of a run in its store: they come back as they were put, each for its run and point;
 * another one of the same point replaces it. */

#include <sqlite3.h>

#include <opevo/store_proofs.h>

#include "scratch_store.h"

static const opevo_index far = ((opevo_index)1 << 100) + 3;

static opevo_status put(opevo_store *store, int64_t run, opevo_index point, const char *verdict,
                        const char *certificate, opevo_error *err)
{
    opevo_stored_proof proof = {.point = point};
    opevo_status status;

    snprintf(proof.verdict, sizeof proof.verdict, "%s", verdict);
    opevo_text_add(&proof.certificate, certificate);
    status = opevo_store_put_proof(store, run, &proof, err);
    opevo_text_free(&proof.certificate);
    return status;
}

static void check(const opevo_stored_proofs *proofs, opevo_index point, const char *verdict,
                  const char *certificate)
{
    const opevo_stored_proof *proof = opevo_stored_proofs_find(proofs, point);

    assert_non_null(proof);
    assert_string_equal(proof->verdict, verdict);
    assert_string_equal(opevo_text_string(&proof->certificate), certificate);
}

CHECK_TEST(test_round_trip)
{
    opevo_space *space = NULL;
    opevo_store *store = open_store(OPEVO_STORE_WRITE);
    opevo_stored_proofs proofs = {0};
    int64_t run, other;

    CHECK_OK(opevo_space_parse("{\"x\": {\"_type\": \"discrete\", \"_value\": [0, 1]}}", "space",
                               NULL, &space, &err));
    run = begin(store, space, 1);
    other = begin(store, space, 2);
    CHECK_OK(put(store, run, far, "undecided", "{\"reason\": \"a\"}\n{}\n", &err));
    CHECK_OK(put(store, run, 7, "refuted", "{}\n", &err));
    CHECK_OK(put(store, other, 7, "proved", "{\"source\": \"0\"}\n", &err));
    CHECK_OK(put(store, run, far, "proved", "{\"é\": \"\\\"\"}\n", &err));
    opevo_store_close(store);

    store = open_store(OPEVO_STORE_READ);
    CHECK_OK(opevo_store_get_proofs(store, run, &proofs, &err));
    assert_int_equal(proofs.count, 2);
    check(&proofs, 7, "refuted", "{}\n");
    check(&proofs, far, "proved", "{\"é\": \"\\\"\"}\n");
    assert_null(opevo_stored_proofs_find(&proofs, 8));
    opevo_stored_proofs_free(&proofs);
    CHECK_OK(opevo_store_get_proofs(store, other, &proofs, &err));
    assert_int_equal(proofs.count, 1);
    check(&proofs, 7, "proved", "{\"source\": \"0\"}\n");
    opevo_stored_proofs_free(&proofs);
    CHECK_OK(opevo_store_get_proofs(store, other + 1, &proofs, &err));
    assert_int_equal(proofs.count, 0);
    CHECK_FAILS(OPEVO_INVALID, "open read-only", put(store, run, 7, "proved", "{}\n", &err));
    opevo_store_close(store);
    opevo_space_destroy(space);
}

CHECK_TEST(test_damaged)
{
    static const char *const damages[] = {
        "UPDATE proofs SET point = x'07' WHERE run = 2",
        "UPDATE proofs SET verdict = 'a verdict that is too long'",
    };
    opevo_stored_proofs proofs = {0};
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(scratch.file, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        opevo_store *store = open_store(OPEVO_STORE_WRITE);

        CHECK_OK(put(store, 2, 7, "proved", "{}\n", &err));
        assert_int_equal(sqlite3_exec(db, damages[i], NULL, NULL, NULL), SQLITE_OK);
        CHECK_FAILS(OPEVO_INVALID, "is damaged: the proofs of run 2",
                    opevo_store_get_proofs(store, 2, &proofs, &err));
        assert_int_equal(proofs.count, 0);
        opevo_store_close(store);
    }
    sqlite3_close(db);
}

int main(void)
{
    int failed;

    scratch = scratch_make();
    failed = check_tests(NULL, NULL);
    scratch_remove(&scratch);
    return failed;
}
