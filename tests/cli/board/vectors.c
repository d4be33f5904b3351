/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where a Cortex-M begins: its stack, and the start of the C library. */

extern void _start(void);
extern char __stack[]; /* of the linker script */

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    __stack, (const void *)_start};
