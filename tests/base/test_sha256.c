/* SPDX-License-Identifier: GPL-3.0-or-later */

/* SHA-256 against the published examples, and in pieces of any size. */

#include "check.h"

#include <opevo/sha256.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Source: NIST, "Examples with Intermediate Values", SHA-256; NIST CAVP, SHA256ShortMsg (empty). */
static const struct {
    const char *text, *digest;
} examples[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

CHECK_TEST(examples_of_nist)
{
    char hex[OPEVO_SHA256_SIZE];

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        opevo_sha256_of(examples[i].text, strlen(examples[i].text), hex);
        assert_string_equal(hex, examples[i].digest);
    }
}

/* A million times "a" (NIST), in pieces of 1, 2, 3, ... bytes, so that all borders of blocks
 * occur. */
CHECK_TEST(pieces_of_any_size)
{
    static char letters[2000];
    char hex[OPEVO_SHA256_SIZE];
    opevo_sha256 self;
    size_t left = 1000000;

    memset(letters, 'a', sizeof letters);
    opevo_sha256_begin(&self);
    for (size_t size = 1; left > 0; size++) {
        size_t taken = size < left ? size : left;

        opevo_sha256_add(&self, letters, taken);
        left -= taken;
    }
    opevo_sha256_end(&self, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

CHECK_TEST(a_file_is_its_content)
{
    char path[] = "/tmp/opevo-sha256-XXXXXX";
    char of_file[OPEVO_SHA256_SIZE], of_text[OPEVO_SHA256_SIZE];
    static char bytes[200000];
    int file = mkstemp(path);
    opevo_error err;

    assert_true(file >= 0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i / 7);
    assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
    close(file);
    assert_int_equal(opevo_sha256_file(path, of_file, &err), OPEVO_OK);
    opevo_sha256_of(bytes, sizeof bytes, of_text);
    assert_string_equal(of_file, of_text);
    unlink(path);
    assert_int_equal(opevo_sha256_file(path, of_file, &err), OPEVO_IO);
    assert_int_equal(opevo_sha256_file("/dev/null", of_file, &err), OPEVO_INVALID);
}
