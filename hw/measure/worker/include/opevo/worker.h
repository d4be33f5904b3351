/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The devices of this machine that kernels can be measured on, and the program that measures on
 * one: a worker, in a process of its own because a kernel may crash, hang or exhaust memory. */

#ifndef OPEVO_WORKER_H
#define OPEVO_WORKER_H

#include <opevo/hardware.h>

OPEVO_BEGIN_C

/* Call `visit` for each, in the order cpu, cuda, hip, opencl; the strings are borrowed during the
 * call. Libraries of vendors are opened at run time. */
void opevo_hardware_list(void (*visit)(void *context, const opevo_hardware *device), void *context);

/* The program opevo-worker: `argv` names a device; messages come on standard input and go to
 * standard output, as docs/formats/worker.md describes. Returns the exit status. */
int opevo_worker_main(int argc, char **argv);

OPEVO_END_C

#endif
