/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials until the first success, by logarithms: no digit of a small probability is lost. */

#include "child_step.h"

#include <math.h>

long double opevo_i_law_trials(long double p, unsigned most)
{
    if (p <= 0)
        return most ? most : (long double)INFINITY;
    return most ? -expm1l(most * log1pl(-fminl(p, 1))) / p : 1 / p;
}

long double opevo_i_law_no_success(long double p, unsigned most)
{
    if (p <= 0)
        return 1;
    return most ? expl(most * log1pl(-fminl(p, 1))) : 0;
}
