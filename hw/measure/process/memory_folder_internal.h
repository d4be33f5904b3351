/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A folder in memory for files that a driver writes only to load them again: on a disk it would
 * wait for that. It is $PLACE/opevo-USER/XXXXXX, where PLACE is /dev/shm, $XDG_RUNTIME_DIR or /tmp,
 * if it is in memory and programs may be loaded from it. A process keeps a file in it locked, so
 * that the folder of one that was killed is known, and removed by the next one that looks. */

#ifndef OPEVO_MEMORY_FOLDER_INTERNAL_H
#define OPEVO_MEMORY_FOLDER_INTERNAL_H

#include <opevo/status.h>

/* That of this process, made at the first call, which also removes those of dead processes; NULL
 * where no place will do. It is removed as the process exits. */
const char *opevo_i_process_memory_folder(void);
/* Before _exit: remove it. Only the process that made it does. */
void opevo_i_process_memory_folder_remove(void);
/* Remove those of dead processes. */
void opevo_i_process_memory_folders_sweep(void);

#endif
