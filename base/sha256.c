/* SPDX-License-Identifier: GPL-3.0-or-later */

/* SHA-256 as FIPS 180-4 defines it: section 6.2.2, with the functions of 4.1.2. */

#include <opevo/sha256.h>

#include <opevo/file.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2). */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static void schedule(const unsigned char *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], v[8];

    schedule(block, w);
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t chosen = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t first = v[7] + s1 + chosen + constants[i] + w[i];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + s0 + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void opevo_sha256_begin(opevo_sha256 *self)
{
    *self = (opevo_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                     0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void opevo_sha256_add(opevo_sha256 *self, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    while (size > 0) {
        size_t used = self->length % sizeof self->block;
        size_t taken = sizeof self->block - used < size ? sizeof self->block - used : size;

        memcpy(self->block + used, at, taken);
        self->length += taken;
        at += taken;
        size -= taken;
        if (self->length % sizeof self->block == 0)
            compress(self->state, self->block);
    }
}

void opevo_sha256_end(opevo_sha256 *self, char hex[OPEVO_SHA256_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    size_t used = self->length % 64;

    for (int i = 0; i < 8; i++)
        bits[i] = (unsigned char)(8 * self->length >> (56 - 8 * i));
    opevo_sha256_add(self, padding, used < 56 ? 56 - used : 120 - used);
    opevo_sha256_add(self, bits, sizeof bits);
    for (int i = 0; i < 64; i++)
        hex[i] = digits[self->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = '\0';
}

void opevo_sha256_of(const void *bytes, size_t size, char hex[OPEVO_SHA256_SIZE])
{
    opevo_sha256 self;

    opevo_sha256_begin(&self);
    opevo_sha256_add(&self, bytes, size);
    opevo_sha256_end(&self, hex);
}

opevo_status opevo_sha256_file(const char *path, char hex[OPEVO_SHA256_SIZE], opevo_error *err)
{
    opevo_sha256 self;
    char bytes[1 << 16];
    ssize_t count = 0;
    int file = -1;
    opevo_status status = opevo_file_open(path, SIZE_MAX, &file, err);

    if (status != OPEVO_OK)
        return status;
    opevo_sha256_begin(&self);
    do {
        count = read(file, bytes, sizeof bytes);
        if (count > 0)
            opevo_sha256_add(&self, bytes, (size_t)count);
    } while (count > 0 || (count < 0 && errno == EINTR));
    if (count < 0)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    else
        opevo_sha256_end(&self, hex);
    close(file);
    return status;
}
