/* SPDX-License-Identifier: GPL-3.0-or-later */

/* When a search gives up. */

#include "portfolio_internal.h"

#include <opevo/clock.h>

bool opevo_i_portfolio_is_over(opevo_i_portfolio_search *self)
{
    if (!self->is_over && self->steps_most && self->steps >= self->steps_most)
        self->is_over = true;
    if (!self->is_over && self->steps++ % 64 == 0)
        self->is_over =
            opevo_interrupt_is_raised(self->interrupt) || opevo_clock_monotonic_s() > self->until_s;
    return self->is_over;
}
