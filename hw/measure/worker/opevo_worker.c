/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program opevo-worker: measures what it is sent. */

#include <opevo/worker.h>

int main(int argc, char **argv)
{
    return opevo_worker_main(argc, argv);
}
