/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The device "simt" in a program with LLVM. */

#ifndef OPEVO_BACKEND_SIMT_INTERNAL_H
#define OPEVO_BACKEND_SIMT_INTERNAL_H

/* Let this program open the device itself. */
void opevo_i_simt_backend_install(void);

#endif
