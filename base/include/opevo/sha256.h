/* SPDX-License-Identifier: GPL-3.0-or-later */

/* SHA-256: what registrations, manifests and the logs of sealed landscapes identify bytes by.
 * Signatures, which nobody has a reason to forge, are opevo/hash.h. */

#ifndef OPEVO_SHA256_H
#define OPEVO_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>

OPEVO_BEGIN_C

enum { OPEVO_SHA256_SIZE = 65 }; /* 64 hexadecimal digits in lower case and the terminator */

/* A digest of bytes that come piece by piece. Source: FIPS 180-4. */
typedef struct opevo_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} opevo_sha256;

void opevo_sha256_begin(opevo_sha256 *self);
void opevo_sha256_add(opevo_sha256 *self, const void *bytes, size_t size);
/* Writes the digits; `self` is used up. */
void opevo_sha256_end(opevo_sha256 *self, char hex[OPEVO_SHA256_SIZE]);

/* Of `size` bytes at once. */
void opevo_sha256_of(const void *bytes, size_t size, char hex[OPEVO_SHA256_SIZE]);
/* Of the content of a regular file, read piece by piece. Errors: IO; INVALID for anything but a
 * regular file. */
opevo_status opevo_sha256_file(const char *path, char hex[OPEVO_SHA256_SIZE], opevo_error *err);

OPEVO_END_C

#endif
