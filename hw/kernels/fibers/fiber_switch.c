/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Changes between fibers. On x86-64 the registers that a call preserves are kept on the stack, ten
 * instructions a change; elsewhere swapcontext, which also saves the signal mask by a system
 * call. */

#include "fiber_internal.h"

#if defined __x86_64__ && !defined OPEVO_UCONTEXT

/* change(&from->state, to->state) */
void opevo_i_fiber_change(void **from, void *to) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".type opevo_i_fiber_change, @function\n"
        "opevo_i_fiber_change:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size opevo_i_fiber_change, .-opevo_i_fiber_change\n");

void opevo_i_fiber_start(opevo_i_fiber *fiber, unsigned char *stack, size_t size,
                         void (*entry)(void))
{
    uintptr_t *top = (uintptr_t *)(void *)(stack + size);

    *--top = 0; /* nothing to return to, and the alignment of a function's beginning */
    *--top = (uintptr_t)entry;
    for (int i = 0; i < 6; i++)
        *--top = 0;
    fiber->state = top;
}

void opevo_i_fiber_switch(opevo_i_fiber *from, const opevo_i_fiber *to)
{
    opevo_i_fiber_change(&from->state, to->state);
}

#else

#include <ucontext.h>

/* The context of a fiber is at the end of its stack; that of the first flow is static. */
static ucontext_t first;

void opevo_i_fiber_start(opevo_i_fiber *fiber, unsigned char *stack, size_t size,
                         void (*entry)(void))
{
    ucontext_t *context = (ucontext_t *)(void *)(stack + size - sizeof *context);

    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = size - sizeof *context;
    context->uc_link = NULL;
    makecontext(context, entry, 0);
    fiber->state = context;
}

void opevo_i_fiber_switch(opevo_i_fiber *from, const opevo_i_fiber *to)
{
    if (!from->state)
        from->state = &first;
    swapcontext(from->state, to->state);
}

#endif
