/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program opevo-worker-simt: opevo-worker for the one device that needs LLVM; and, as
 * `opevo-worker-simt prove REQUEST`, what answers `opevo prove`. */

#include <opevo/prover.h>
#include <opevo/worker.h>

#include <stdio.h>
#include <string.h>

#include "backend_simt_internal.h"

static int prove(const char *request)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_text out = {0};
    int exit_code = OPEVO_PROVER_MISUSED;

    if (opevo_prover_answer(request, &out, &exit_code, &err) == OPEVO_OK)
        (void)fputs(opevo_text_string(&out), stdout);
    else
        (void)fprintf(stderr, "%s\n", err.message);
    opevo_text_free(&out);
    return fflush(stdout) == 0 ? exit_code : OPEVO_PROVER_MISUSED;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "prove") == 0)
        return prove(argv[2]);
    opevo_i_simt_backend_install();
    return opevo_worker_main(argc, argv);
}
