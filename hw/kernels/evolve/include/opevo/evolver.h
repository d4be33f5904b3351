/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variants of a GPU kernel: lists of edits of its LLVM module, as an objective with its domain. A
 * candidate is a list in its canonical text. What needs LLVM is done by worker processes
 * `opevo-evolver`, each of which holds the module and its harness; the messages are in
 * docs/formats/evolver.md. A worker that dies or hangs costs one candidate, and is started
 * again. */

#ifndef OPEVO_EVOLVER_H
#define OPEVO_EVOLVER_H

#include <opevo/objective.h>

OPEVO_BEGIN_C

typedef struct opevo_evolver opevo_evolver;

typedef struct opevo_evolver_options {
    const char *command; /* of a worker; NULL: $OPEVO_EVOLVER, or opevo-evolver beside this program
                            or in PATH */
    const char *kernel;  /* .ll or .bc */
    const char *harness; /* NULL: none, and nothing is evaluated */
    const char *on;      /* "simt", "cpu", "cuda:0" */
    const char *const *settings; /* "key=value", as docs/gevo.md lists them */
    size_t setting_count;
    size_t worker_count; /* 0: 1 */
    double timeout_s;    /* of one evaluation; 0: 60 s */
} opevo_evolver_options;

/* What the first worker says of kernel and harness. The texts are the evolver's. */
typedef struct opevo_evolver_facts {
    const char *module;    /* hash of the base, 16 hexadecimal digits */
    const char *target;    /* "nvptx", "amdgpu", "cpu" */
    const char *llvm;      /* version */
    const char *unit;      /* of costs: "cycles", "s" */
    const char *unchecked; /* for what variants are not checked, "races, uninitialised values" */
    uint64_t instruction_count;
    double base_cost; /* on the search set; NAN without harness */
    size_t search_cases, selection_cases, final_cases;
} opevo_evolver_facts;

/* Paths of a kernel by its path or, for one of opevo, by its name, and of the harness beside it;
 * release with opevo_free. *harness is NULL where there is none and err_harness, which may be NULL,
 * says so. Errors: IO, NOMEM. */
opevo_status opevo_evolver_paths(const char *name, char **kernel, char **harness,
                                 opevo_error *err_harness, opevo_error *err);

/* Start a worker and let it load kernel and harness and evaluate the base. What is borrowed from
 * `options` must outlive the call only. Errors: INVALID and IO with the worker's sentence; IO with
 * the package to install where there is no worker; FAULT; NOMEM. */
opevo_status opevo_evolver_open(const opevo_evolver_options *options, opevo_evolver **out,
                                opevo_error *err);
void opevo_evolver_close(opevo_evolver *evolver);
const opevo_evolver_facts *opevo_evolver_facts_of(const opevo_evolver *evolver);

/* Borrowed. The fitness is the cost of the base by that of the candidate, criterion "error" the
 * largest relative error. It is measured: trials are stored one by one. It starts at the base, and
 * has the defaults below. */
opevo_objective *opevo_evolver_objective(opevo_evolver *evolver);
/* Time and error, and settings of tuners; docs/gevo.md compares them with those of the paper. */
extern const opevo_search_defaults opevo_evolver_defaults;

/* Evaluations by the objective so far, and those of them whose results the worker had already: of
 * an equal module, and of equal machine code of another module. The last two depend on which worker
 * was given which list. */
typedef struct opevo_evolver_counts {
    uint64_t run, modules, objects;
} opevo_evolver_counts;
opevo_evolver_counts opevo_evolver_count(const opevo_evolver *evolver);

/* ---- Evaluation of lists ---- */

typedef enum opevo_cases {
    OPEVO_CASES_SEARCH,
    OPEVO_CASES_SELECTION,
    OPEVO_CASES_FINAL
} opevo_cases;

/* Where a worker has a result from. */
typedef enum opevo_known {
    OPEVO_KNOWN_NOT,    /* it ran the variant */
    OPEVO_KNOWN_MODULE, /* of a list that gives the same module */
    OPEVO_KNOWN_OBJECT  /* of a module that gives the same machine code */
} opevo_known;

/* The texts are the caller's: release by opevo_evolved_free. */
typedef struct opevo_evolved {
    opevo_outcome_class kind;
    char *status;       /* "ok", "race", "out of bounds", ... */
    char *message;      /* NULL: none */
    double cost, error; /* NAN unless OK; in facts->unit, summed over the cases of the set */
    char hash[17];      /* of the variant's module; "" unknown */
    opevo_known known;
} opevo_evolved;
void opevo_evolved_free(opevo_evolved *evaluation);

/* Evaluate lists in their canonical or any other text, on all workers. Errors: INVALID for a
 * malformed list; INTERRUPTED; FAULT; NOMEM. */
opevo_status opevo_evolver_evaluate(opevo_evolver *evolver, const char *const *edits, size_t count,
                                    opevo_cases set, const opevo_interrupt *interrupt,
                                    opevo_evolved *out, opevo_error *err);

/* ---- Other questions ---- */

/* The canonical text. Errors: INVALID for a malformed list. */
opevo_status opevo_evolver_canonical(opevo_evolver *evolver, const char *edits, opevo_text *out,
                                     opevo_error *err);
/* How many edits the canonical text has. */
size_t opevo_edit_count(const char *edits);
/* Append those with chosen[i], i below the count, as a list. */
void opevo_edit_select(const char *edits, const bool *chosen, opevo_text *out);
/* Append a variant: form "ll", "ptx", "amdgcn", "cpu-object", ... (opevo/edits.h) or "diff";
 * `machine` may be NULL. Errors: INVALID, IO as the worker says. */
opevo_status opevo_evolver_emit(opevo_evolver *evolver, const char *edits, const char *form,
                                const char *machine, opevo_text *out, opevo_error *err);
/* Append one line for each edit: its text and where in the source it is; of skipped ones that. */
opevo_status opevo_evolver_describe(opevo_evolver *evolver, const char *edits, char ***lines,
                                    size_t *count, opevo_error *err);

OPEVO_END_C

#endif
