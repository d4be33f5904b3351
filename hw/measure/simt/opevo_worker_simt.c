/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program opevo-worker-simt: opevo-worker for the one device that needs LLVM. */

#include <opevo/worker.h>

#include "backend_simt_internal.h"

int main(int argc, char **argv)
{
    opevo_i_simt_backend_install();
    return opevo_worker_main(argc, argv);
}
