/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A device that kernels can be measured on. */

#ifndef OPEVO_HARDWARE_H
#define OPEVO_HARDWARE_H

#include <opevo/api.h>

#include <stdbool.h>
#include <stdint.h>

OPEVO_BEGIN_C

/* What --on takes for kernels, in words. */
#define OPEVO_DEVICES "cpu, cuda:N, hip:N, opencl:N"
#define OPEVO_DEVICES_OR "cpu, cuda:N, hip:N or opencl:N"

/* A device, or the reason why none of its kind is available. */
typedef struct opevo_hardware {
    const char *name; /* as behind --on: "cpu", "cuda:0" */
    bool present;
    const char
        *title; /* its model; what is missing, and what to install, where it is not present */
    const char *identity; /* all that decides times on it, compilers too; NULL: the title does */
    const char
        *no_compiler;      /* the one that does not work, so that no kernel can be built; or NULL */
    unsigned cores;        /* processors, multiprocessors or compute units; 0 if unknown */
    unsigned vector_bits;  /* of a CPU: the widest registers; 0 for others */
    uint64_t memory_bytes; /* 0 if unknown */
    const char *facts;     /* further facts in words: driver, clocks, power state; "" where none */
    uint64_t l1_bytes, l2_bytes; /* of a CPU: data caches; 0 if unknown */
    const char *energy;    /* what reads that of kernels, such as "RAPL"; NULL where nothing does */
    const char *no_energy; /* then the reason as a clause; NULL where the device is not present */
} opevo_hardware;

OPEVO_END_C

#endif
