/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Workers that share a device, of one engine or of several, measure in turn: kernels side by side
 * would slow each other down. Building goes on meanwhile. */

#ifndef OPEVO_DEVICE_LOCK_INTERNAL_H
#define OPEVO_DEVICE_LOCK_INTERNAL_H

/* Wait for the turn called `name`, among those who name the same folder; ends the process when the
 * engine goes away. Returns what ends the turn, -1 where there can be no lock and nobody waits. */
int opevo_i_device_lock_take(const char *folder, const char *name);
void opevo_i_device_lock_release(int turn);

#endif
