/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What fuzz targets share. A target is one function that reads any bytes with one parser and aborts
 * where the parser breaks a promise. */

#ifndef OPEVO_TESTS_FUZZ_H
#define OPEVO_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>

/* What each target defines; it releases all that it allocates. */
void fuzz_one(const uint8_t *data, size_t size);
/* What libFuzzer calls: fuzz_one, and that nothing of opevo_malloc is left alive. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_TEXT(x) #x
#define FUZZ_LINE(x) FUZZ_TEXT(x)
/* Abort unless the condition holds. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_fail(__FILE__ ":" FUZZ_LINE(__LINE__) ": " #condition);                           \
    } while (0)

void fuzz_fail(const char *what) __attribute__((noreturn));
/* The bytes with a zero byte after them, in a block of exactly that size; release with free. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Take the first line off the bytes, without its end, as a text; release with free. */
char *fuzz_line(const uint8_t **data, size_t *size);
/* The path of `name` in a folder of this process, which is removed at its end; and that file with
 * these bytes. Borrowed until the next call with another name. */
const char *fuzz_path(const char *name);
const char *fuzz_file(const char *name, const void *data, size_t size);
/* A call either succeeds, or is refused with a whole sentence: true for the former. */
bool fuzz_accepts(opevo_status status, const opevo_error *err);

#endif
