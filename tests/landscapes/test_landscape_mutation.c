/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random damage to a table, a description and a cache: whatever the bytes, a file is read whole or
 * refused with a sentence that names it, and nothing is left alive. Under the address sanitizer
 * this also catches every read outside the text. The seed is fixed, so a failure repeats. */

#include "draw.h"
#include "landscape_files.h"

#include "toy_landscape.h"

#include <opevo/hash.h>
#include <opevo/landscape.h>

enum { ROUNDS = 4000 };

static const char toy_cache[] =
    "{\n\"tune_params_keys\": [\"bx\", \"alg\"],\n"
    "\"tune_params\": {\"bx\": [16, 32], \"alg\": [\"a\", true, 2.5]},\n\"cache\": {\n"
    "\"16,a\": {\"bx\": 16, \"alg\": \"a\", \"time\": 2.0, \"times\": [1.5, 2.5], \"GFLOP/s\": "
    "7},\n"
    "\"32,True\": {\"bx\": 32, \"alg\": true, \"time\": 2.0, \"times\": [[0, 4]], \"GFLOP/s\": "
    "7},\n"
    "\"16,2.5\": {\"bx\": 16, \"alg\": 2.5, \"time\": \"RuntimeFailedConfig\"},\n";

/* Change one to four places: a byte set, a piece dropped, doubled or moved. *size may grow. */
static void damage(char *text, size_t *size, size_t capacity, uint64_t *state)
{
    static const char bytes[] = "{}[],:\"\n\r 0123456789.-eENTxyok\\\x01\xff";

    for (uint64_t left = 1 + draw(state, 4); left && *size; left--) {
        size_t at = (size_t)draw(state, *size);
        size_t length = (size_t)draw(state, 12) + 1;

        if (length > *size - at)
            length = *size - at;
        switch (draw(state, 4)) {
        case 0:
            text[at] = bytes[draw(state, sizeof bytes)]; /* the terminator among them */
            break;
        case 1:
            memmove(text + at, text + at + length, *size - at - length);
            *size -= length;
            break;
        case 2:
            if (*size + length > capacity)
                break;
            memmove(text + at + length, text + at, *size - at);
            *size += length;
            break;
        default:
            memmove(text + draw(state, *size - length + 1), text + at, length);
        }
    }
}

/* Count of damaged copies that were still read. */
static size_t try_copies(test_folder *folder, const char *name, const char *good, uint64_t seed)
{
    const size_t good_size = strlen(good);
    const size_t capacity = 2 * good_size;
    char *text = malloc(capacity);
    size_t accepted = 0;

    assert_non_null(text);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t state = opevo_hash_mix(seed + (uint64_t)round);
        size_t size = good_size;
        opevo_objective *objective = NULL;
        opevo_error err = {OPEVO_OK, ""};
        opevo_status status = OPEVO_OK;
        int64_t live = opevo_memory_live();

        for (size_t i = 0; i < good_size; i++) /* bytes: the copy has no terminator */
            text[i] = good[i];
        damage(text, &size, capacity, &state);
        folder_write_bytes(folder, name, text, size);
        status = opevo_recorded_open(folder_file(folder, name), NULL, &objective, &err);
        if (status == OPEVO_OK) {
            accepted++;
            assert_non_null(objective);
            opevo_objective_destroy(objective);
        } else if ((status != OPEVO_INVALID && status != OPEVO_LIMIT) ||
                   strncmp(err.message, folder->path, strlen(folder->path)) != 0) {
            fail_msg("%s, round %d: %s: %s", name, round, opevo_status_name(status), err.message);
        }
        assert_int_equal(opevo_memory_live(), live);
    }
    free(text);
    return accepted;
}

/* Most damage must be noticed: of the copies that are read, those changed in what does not count
 * (blanks, unused members, costs, a table cell that is still a value). */
CHECK_TEST(reads_or_refuses)
{
    test_folder folder;
    size_t accepted[3];

    folder_open(&folder);
    folder_write(&folder, "toy.json", toy_description);
    accepted[0] = try_copies(&folder, "toy.csv", toy_table, 1);
    folder_write(&folder, "toy.csv", toy_table);
    accepted[1] = try_copies(&folder, "toy.json", toy_description, 2);
    accepted[2] = try_copies(&folder, "run.json", toy_cache, 3);
    print_message("read although damaged, of %d: table %d, description %d, cache %d\n", (int)ROUNDS,
                  (int)accepted[0], (int)accepted[1], (int)accepted[2]);
    for (int i = 0; i < 3; i++)
        assert_true(accepted[i] < ROUNDS / 2);
    folder_close(&folder);
}
