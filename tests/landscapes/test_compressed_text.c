/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compressed text files: whatever is written by liblzma and zlib is read back; whatever is cut,
 * damaged or too large is refused. */

#include "landscape_files.h"

#include "recorded_internal.h"

/* Text that compresses little, so that a cut or a flip hits data. */
static char *make_text(size_t size)
{
    char *text = malloc(size + 1);
    uint64_t state = 1;

    assert_non_null(text);
    for (size_t i = 0; i < size; i++) {
        state = opevo_hash_mix(state + i);
        text[i] = (char)(' ' + state % 90);
    }
    text[size] = '\0';
    return text;
}

static void check_reads(const char *path, const char *text, size_t size)
{
    char *data = NULL;
    size_t length = 0;

    CHECK_OK(opevo_i_landscape_text_read(path, OPEVO_I_TEXT_LIMIT, &data, &length, &err));
    assert_int_equal(length, size);
    assert_memory_equal(data, text, size);
    assert_int_equal(data[length], 0);
    opevo_free(data);
}

CHECK_TEST(reads_every_size)
{
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, 1000000};
    test_folder folder;

    folder_open(&folder);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *text = make_text(sizes[i]);

        folder_write(&folder, "t.csv", text);
        check_reads(folder_file(&folder, "t.csv"), text, sizes[i]);
        folder_write_packed(&folder, "t.csv.xz", text);
        check_reads(folder_file(&folder, "t.csv.xz"), text, sizes[i]);
        folder_write_packed(&folder, "t.csv.gz", text);
        check_reads(folder_file(&folder, "t.csv.gz"), text, sizes[i]);
        free(text);
    }
    folder_close(&folder);
}

/* Two streams or members one after another are one text. */
CHECK_TEST(reads_concatenated_files)
{
    test_folder folder;

    folder_open(&folder);
    for (int xz = 0; xz < 2; xz++) {
        const char *name = xz ? "t.xz" : "t.gz";
        unsigned char both[512];
        size_t first_size = 0;
        size_t second_size = 0;
        unsigned char *first =
            xz ? compress_xz("one ", 4, &first_size) : compress_gz("one ", 4, &first_size);
        unsigned char *second =
            xz ? compress_xz("two", 3, &second_size) : compress_gz("two", 3, &second_size);

        assert_true(first_size + second_size <= sizeof both);
        memcpy(both, first, first_size);
        memcpy(both + first_size, second, second_size);
        folder_write_bytes(&folder, name, both, first_size + second_size);
        check_reads(folder_file(&folder, name), "one two", 7);
        free(first);
        free(second);
    }
    folder_close(&folder);
}

/* Every proper beginning of a compressed file is refused as cut. */
CHECK_TEST(refuses_truncated_files)
{
    test_folder folder;
    char *text = make_text(300);

    folder_open(&folder);
    for (int xz = 0; xz < 2; xz++) {
        const char *name = xz ? "t.csv.xz" : "t.csv.gz";
        size_t size = 0;
        unsigned char *packed = xz ? compress_xz(text, 300, &size) : compress_gz(text, 300, &size);

        for (size_t cut = 0; cut < size; cut++) {
            char *data = NULL;
            size_t length = 0;

            folder_write_bytes(&folder, name, packed, cut);
            CHECK_FAILS(OPEVO_INVALID, "ends in the middle of its compressed data",
                        opevo_i_landscape_text_read(folder_file(&folder, name), 1000, &data,
                                                    &length, &err));
            assert_null(data);
        }
        free(packed);
    }
    free(text);
    folder_close(&folder);
}

/* A flipped bit is found by the check sums of xz wherever it is. gzip protects neither its own
 * header nor the bits that fill up its last byte; the text must then be right. */
CHECK_TEST(refuses_damaged_files)
{
    test_folder folder;
    char *text = make_text(300);

    folder_open(&folder);
    for (int xz = 0; xz < 2; xz++) {
        const char *name = xz ? "t.csv.xz" : "t.csv.gz";
        size_t size = 0;
        unsigned char *packed = xz ? compress_xz(text, 300, &size) : compress_gz(text, 300, &size);

        for (size_t bit = 0; bit < 8 * size; bit++) {
            opevo_error err = {OPEVO_OK, ""};
            char *data = NULL;
            size_t length = 0;
            opevo_status status = OPEVO_OK;

            packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
            folder_write_bytes(&folder, name, packed, size);
            packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
            status = opevo_i_landscape_text_read(folder_file(&folder, name), 100000, &data, &length,
                                                 &err);
            if (status == OPEVO_OK) {
                assert_false(xz);
                assert_int_equal(length, 300);
                assert_memory_equal(data, text, 300);
                opevo_free(data);
            } else {
                assert_true(status == OPEVO_INVALID || status == OPEVO_LIMIT);
                assert_non_null(strstr(err.message, name));
            }
        }
        free(packed);
    }
    free(text);
    folder_close(&folder);
}

CHECK_TEST(refuses_what_the_name_does_not_say)
{
    test_folder folder;
    char *data = NULL;
    size_t size = 0;

    folder_open(&folder);
    folder_write(&folder, "t.csv.xz", "a,time_ms,status\n");
    CHECK_FAILS(
        OPEVO_INVALID, "not an xz file",
        opevo_i_landscape_text_read(folder_file(&folder, "t.csv.xz"), 100, &data, &size, &err));
    folder_write(&folder, "t.csv.gz", "a,time_ms,status\n");
    CHECK_FAILS(
        OPEVO_INVALID, "not a gzip file",
        opevo_i_landscape_text_read(folder_file(&folder, "t.csv.gz"), 100, &data, &size, &err));
    CHECK_FAILS(
        OPEVO_IO, "absent.csv",
        opevo_i_landscape_text_read(folder_file(&folder, "absent.csv"), 100, &data, &size, &err));
    folder_close(&folder);
}

CHECK_TEST(stops_at_the_limit)
{
    static const char *const names[] = {"t.csv", "t.csv.xz", "t.csv.gz"};
    test_folder folder;
    char *text = calloc(1, 3000001);
    char *data = NULL;
    size_t size = 0;

    assert_non_null(text);
    memset(text, 'a', 3000000);
    folder_open(&folder);
    folder_write(&folder, names[0], text);
    folder_write_packed(&folder, names[1], text);
    folder_write_packed(&folder, names[2], text);
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(OPEVO_LIMIT, "larger than 2999999 bytes",
                    opevo_i_landscape_text_read(folder_file(&folder, names[i]), 2999999, &data,
                                                &size, &err));
        assert_null(data);
        CHECK_OK(opevo_i_landscape_text_read(folder_file(&folder, names[i]), 3000000, &data, &size,
                                             &err));
        opevo_free(data);
        data = NULL;
    }
    free(text);
    folder_close(&folder);
}

CHECK_TEST(survives_failing_allocations)
{
    static const char *const names[] = {"t.csv", "t.csv.xz", "t.csv.gz"};
    test_folder folder;
    char *text = make_text(200000);

    folder_open(&folder);
    folder_write(&folder, names[0], text);
    folder_write_packed(&folder, names[1], text);
    folder_write_packed(&folder, names[2], text);
    for (int i = 0; i < 3; i++) {
        opevo_status status = OPEVO_NOMEM;
        int64_t live = opevo_memory_live();

        for (int64_t n = 1; status != OPEVO_OK; n++) {
            opevo_error err = {OPEVO_OK, ""};
            char *data = NULL;
            size_t size = 0;

            opevo_memory_fail_at(n);
            status = opevo_i_landscape_text_read(folder_file(&folder, names[i]), 1000000, &data,
                                                 &size, &err);
            opevo_memory_fail_at(0);
            assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
            opevo_free(data);
            assert_int_equal(opevo_memory_live(), live);
        }
    }
    free(text);
    folder_close(&folder);
}
