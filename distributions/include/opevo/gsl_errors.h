/* SPDX-License-Identifier: GPL-3.0-or-later */

/* GSL's own error handler ends the program. Every source file that calls a function of GSL includes
 * this header, so that no program with opevo in it is ended by a number outside a function's domain
 * or by a failed allocation: such a call then returns NAN, a status or NULL, which is checked.
 *
 * GSL has one handler for the whole process. A program that opevo is a part of keeps the one that
 * it sets, before or after: only the default is turned off, once, before main. */

#ifndef OPEVO_GSL_ERRORS_H
#define OPEVO_GSL_ERRORS_H

#include <opevo/api.h>

#include <gsl/gsl_errno.h>

OPEVO_BEGIN_C

/* In each file that needs it, for the linker takes no file out of a library that nothing refers to.
 * The first of them turns the default off, and the others find a handler. */
__attribute__((constructor)) static void opevo_i_gsl_errors_return(void)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off();

    if (handler)
        gsl_set_error_handler(handler);
}

OPEVO_END_C

#endif
