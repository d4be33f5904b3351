/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the stand-ins for a driver and for the libraries on top of it share. */

#ifndef OPEVO_TESTS_FAKE_GPU_H
#define OPEVO_TESTS_FAKE_GPU_H

#include <stdint.h>

/* "Device" memory as the process has it. */
void *fake_at(uint64_t address);
/* Something was executed, which takes time. */
void fake_executed(void);

#endif
