/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The contract of an objective: a function from candidates to outcomes. Candidates are the points
 * of its space or belong to its domain. A landscape computes or looks up outcomes, a device
 * measures them; a tuner cannot tell which. An objective says how many candidates it wants at once,
 * and hands each outcome over as soon as it is known, in any order. The outcomes of an
 * external objective come from the caller. */

#ifndef OPEVO_OBJECTIVE_H
#define OPEVO_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/domain.h>
#include <opevo/interrupt.h>
#include <opevo/space.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* The result of evaluating a point. Failures of a kernel are outcomes, never errors. One row each:
 * enum suffix, name in stores and on the terminal, meaning. The numbers are stored in files: append
 * only. */
#define OPEVO_OUTCOME_LIST(X)                                                                      \
    X(OK, "ok", "ran; correct if checked")                                                         \
    X(REJECTED, "rejected", "refused before building: exceeds a known limit of the device")        \
    X(BUILD_ERROR, "build-error", "did not compile")                                               \
    X(LAUNCH_ERROR, "launch-error", "compiled, but could not be started or failed in the driver")  \
    X(WRONG, "wrong", "ran, but its result differs from the reference")                            \
    X(TIMEOUT, "timeout", "took longer than allowed")                                              \
    X(CRASHED, "crashed", "the process that ran it died")                                          \
    X(UNRECORDED, "unrecorded", "a recorded landscape has no row for it")                          \
    X(INFEASIBLE, "infeasible", "ran, but violates a requirement of the run")

typedef enum opevo_outcome_class {
#define OPEVO_OUTCOME_ENUM(suffix, name, meaning) OPEVO_OUTCOME_##suffix,
    OPEVO_OUTCOME_LIST(OPEVO_OUTCOME_ENUM) OPEVO_OUTCOME_CLASS_COUNT
#undef OPEVO_OUTCOME_ENUM
} opevo_outcome_class;

OPEVO_API const char *opevo_outcome_name(opevo_outcome_class kind);
OPEVO_API const char *opevo_outcome_meaning(opevo_outcome_class kind);
/* False, with *kind untouched, for an unknown name. */
OPEVO_API bool opevo_outcome_parse(const char *name, opevo_outcome_class *kind);

/* ---- Criteria ---- */

/* A quantity by which outcomes are compared: the fitness, which is criterion 0 and always present,
 * and up to three more, such as the error of the result, energy, code size or build time. */
enum { OPEVO_CRITERIA_MOST = 4 };

typedef struct opevo_criterion {
    const char *name; /* "error", "energy": a letter, then letters, digits, '_', '.' and '-' */
    const char *unit; /* "J", "bytes"; "" for a number without a unit */
    bool larger_is_better;
} opevo_criterion;

/* Whether a criterion may have this name: of the form above, at most OPEVO_CRITERION_NAME_MAX
 * bytes, and not "fitness", which is criterion 0. */
enum { OPEVO_CRITERION_NAME_MAX = 40 };
OPEVO_API bool opevo_criterion_name_is_valid(const char *name);

/* Name, unit and direction from the first `length` bytes of a text, NAME[,UNIT][,larger]; the text
 * ends there, or says behind a colon where values are found. The smaller is better without
 * "larger". Name and unit are the caller's to free(). Errors: INVALID with what is wrong, as the
 * rest of a sentence that names the text; NOMEM. */
OPEVO_API opevo_status opevo_criterion_parse(const char *text, size_t length, char **name,
                                             char **unit, bool *larger_is_better, opevo_error *err);

/* The criteria of an objective by which a search goes, in any order, without duplicates. */
typedef struct opevo_criteria {
    size_t count; /* 1 .. OPEVO_CRITERIA_MOST */
    struct {
        size_t index; /* which criterion of the objective; 0: the fitness */
        bool larger_is_better;
        bool as_time; /* criterion 0 by the name "time": shown and weighed as one, also of a rate */
    } chosen[OPEVO_CRITERIA_MOST];
} opevo_criteria;

/* ---- Outcomes ---- */

/* A plain value. The pointers are borrowed from the objective until it is called again; a
 * concurrent objective keeps them as long as it lives. */
typedef struct opevo_outcome {
    opevo_outcome_class kind;
    double fitness; /* opevo_unit_of_fitness, larger is better; 0 unless kind is OK */
    double time_s;  /* of one execution of the kernel; NAN unless kind is OK */
    /* Cost of this evaluation, in seconds; 0 if unknown. */
    double build_s, run_s, check_s, other_s;
    /* Criteria 1, 2, ... of the objective in their units; NAN if unknown or absent. Read them
     * by opevo_outcome_criterion. */
    double more[OPEVO_CRITERIA_MOST - 1]; /* of OK and, as measured, of INFEASIBLE */
    const double *samples_s;              /* single measurements, NULL if not kept */
    size_t sample_count;
    const char *message; /* why it failed, or NULL */
} opevo_outcome;

/* A failed outcome: fitness 0, no time, no cost, no criteria. */
OPEVO_API opevo_outcome opevo_outcome_failed(opevo_outcome_class kind);
/* A success of this fitness, without a time; a success that took so long, above 0 s, with fitness 1
 * / time_s. No cost, no criteria: fill them in. */
OPEVO_API opevo_outcome opevo_outcome_of_fitness(double fitness);
OPEVO_API opevo_outcome opevo_outcome_of_time(double time_s);
/* build_s + run_s + check_s + other_s. */
OPEVO_API double opevo_outcome_cost_s(const opevo_outcome *outcome);
/* The value of criterion `index` of the objective, below OPEVO_CRITERIA_MOST: that of 0 is the
 * fitness; NAN if unknown. */
OPEVO_API double opevo_outcome_criterion(const opevo_outcome *outcome, size_t index);
/* Whether a is at least as good as b in each of the chosen criteria, and better in at least one.
 *
 * An unknown value is worse than every number and equal to other unknown values. Every success
 * dominates every failure; failures do not dominate each other, because a class is not a number.
 * So dominance is a strict partial order: irreflexive and transitive.
 *
 * Source: Deb et al., "NSGA-II", IEEE Transactions on Evolutionary Computation 6(2), 2002, sections
 *         II and VI (constrained domination, with equal violation for all failures). */
OPEVO_API bool opevo_outcome_dominates(const opevo_outcome *a, const opevo_outcome *b,
                                       const opevo_criteria *criteria);

typedef struct opevo_objective opevo_objective;

/* The best point, if known for certain: a landscape finds it by enumeration. Ties are broken by the
 * smallest point. */
typedef struct opevo_optimum {
    bool known;
    opevo_index point;
    double fitness;
} opevo_optimum;

/* Takes the outcome of points[i]. Anything but OK ends the measurement, which then returns it. */
typedef opevo_status (*opevo_outcome_sink)(void *context, size_t i, const opevo_outcome *outcome,
                                           opevo_error *err);

/* Where points come from while others are measured. */
typedef struct opevo_point_source {
    /* Write up to `capacity` (at least 1) further points and their number; 0: none before the
     * outcome of another one is handed over, or, if none is outstanding, none at all. *over, false
     * before: the outcomes of those outstanding are not wanted any more. */
    opevo_status (*next)(void *context, opevo_index *points, size_t capacity, size_t *count,
                         bool *over, opevo_error *err);
    void *context;
} opevo_point_source;

/* Who measured an outcome. */
typedef struct opevo_measurer {
    const char *command; /* that reaches the worker; NULL: it is not known */
    const char *host, *device;
    bool mixed; /* trials of one run may be measured on several devices */
} opevo_measurer;

/* Stands for the vendor's library in the place of a point: the same computation by OpenBLAS on one
 * thread, cuBLAS, cuDNN or rocBLAS. */
#define OPEVO_LIBRARY_POINT (~(opevo_index)0)

/* Points that are measured side by side: in rounds, each once in a round, in an order drawn from
 * the seed, so that whatever disturbs a round disturbs all of them alike. */
typedef struct opevo_rounds {
    const opevo_index *points; /* OPEVO_LIBRARY_POINT at most once */
    size_t count;              /* at least 2 */
    size_t rounds;             /* at least 1 */
    uint64_t seed;
    const opevo_interrupt *interrupt; /* NULL: never */
} opevo_rounds;

/* What is known of a worker that measures for an objective. */
typedef struct opevo_worker_facts {
    const char *command; /* that reaches it */
    const char *host;    /* as it says; "": it has not greeted */
    const char *device;  /* likewise */
    const char *state;   /* "ready"; "starting"; "down" after a loss; "suspended" after many;
                            "idle": not needed; "missing": a launcher has not brought it */
    const char *words;   /* why it was lost last; "": it was not */
    uint64_t trials;     /* that it measured, those of finals included */
    uint64_t faults;     /* times that its host failed, or that it was lost or did not start */
    double waits_s;      /* how long it has been "starting"; INFINITY: missing; otherwise 0 */
} opevo_worker_facts;

typedef struct opevo_objective_ops {
    const char *kind; /* "recorded", "simulated", "cpu", "external", ... */
    /* evaluate or measure, or both; optional in an external objective. evaluate: compute the
     * outcomes of `count` allowed points together; outcomes[i] belongs to points[i]. */
    opevo_status (*evaluate)(opevo_objective *self, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err);
    /* measure: hand over each outcome once, as soon as it is known, in any order; all of them stay
     * valid until the objective is called again. Errors: INTERRUPTED within a second
     * of the interrupt, after stopping all work; FAULT if the host fails, not the point, and
     * retries have failed too; what the sink returns. */
    opevo_status (*measure)(opevo_objective *self, const opevo_index *points, size_t count,
                            const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                            void *sink_context, opevo_error *err);
    /* May take long the first time; NULL: never known. */
    opevo_status (*optimum)(opevo_objective *self, opevo_optimum *out, opevo_error *err);
    void (*destroy)(opevo_objective *self);
    /* Processor times of the samples of an outcome that measure has handed over and that is still
     * valid, one for each: the samples are then elapsed times. NULL if unknown; may be NULL. */
    const double *(*processor_times)(const opevo_objective *self, const opevo_outcome *outcome);
    /* Fitness of the best trial so far of the run whose points are measured next, 0 without one: a
     * point that is certainly far worse need not be measured to the end. May be NULL. */
    void (*note_best)(opevo_objective *self, double fitness);
    /* The same as measure for points that come while others are measured: the i-th that came is
     * handed over as i, and its outcome is valid until the sink returns. NULL: measure is called
     * for as many as the objective wants at once, again and again. */
    opevo_status (*measure_from)(opevo_objective *self, const opevo_point_source *source,
                                 const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                                 void *sink_context, opevo_error *err);
    /* See opevo_objective_measure_rounds. NULL: points are not measured again. */
    opevo_status (*measure_rounds)(opevo_objective *self, const opevo_rounds *rounds,
                                   double *fitness, opevo_text *library, opevo_error *err);
    /* What is known of the i-th worker, whether or not it runs, in strings that are valid until the
     * objective measures again; false: there are no more than i. NULL: nothing is known of any. */
    bool (*worker)(const opevo_objective *self, size_t i, opevo_worker_facts *out);
    void (*reserved[OPEVO_RESERVED])(void); /* 0 */
} opevo_objective_ops;

/* Features that a learned cost model uses instead of the values of the parameters: rows of numbers
 * that describe the program of a point, one row for each of its statements, such as the features of
 * its loop nest. A model scores a point by the sum of its rows' scores.
 *
 * Source: Zheng et al., "Ansor", OSDI 2020, section 5.2. */
typedef struct opevo_feature_source {
    size_t count;     /* numbers in a row, the same for all, at least 1 */
    size_t rows_most; /* largest number of rows of a point, at least 1 */
    /* Fill in the rows of an allowed point, one after the other, and return their number; 0 if it
     * has none, as for a point that cannot be lowered. Depends only on the point; costs no trial.
     * Values that are not finite count as 0. */
    size_t (*features)(void *context, opevo_index point, float *rows);
    void *context;
} opevo_feature_source;

typedef struct opevo_proposal {
    opevo_index point;
    const char *origin; /* what proposed it: "initial", "child", ...; a static string */
} opevo_proposal;

/* Points with which a run begins, before its tuner proposes any. */
typedef struct opevo_starts {
    const opevo_proposal *points;
    size_t count;
} opevo_starts;

/* A setting of a tuner by its name. */
typedef struct opevo_tuner_default {
    const char *tuner, *assignment; /* "nsga2", "q=0" */
} opevo_tuner_default;

/* What whoever makes runs by names, such as a plan or a verb, takes where nothing else is said. */
typedef struct opevo_search_defaults {
    const char *criteria;                /* "time,error"; NULL: the fitness alone */
    const opevo_tuner_default *settings; /* in the place of the tuners' own; ends with {NULL} */
} opevo_search_defaults;

/* First member, `super`, of every implementation, which fills it in. */
struct opevo_objective {
    const opevo_objective_ops *ops;
    const opevo_space *space; /* owned by the implementation; NULL: candidates are of `domain` */
    const char *name;         /* "recorded:conv_a100", "sim:gtx1080ti mm1"; owned too */
    const char *unit;   /* of results (opevo/unit.h): "GFLOP/s"; of times "1/s" (in s), "ms", ... */
    double flop;        /* floating-point operations of one execution, 0 if unknown */
    uint64_t signature; /* of everything that determines outcomes, including the space */
    uint64_t program;   /* of the files that are executed; 0: none, or unknown */
    /* Computed: evaluate may be called from several threads at once. Otherwise it is measured. */
    bool concurrent;
    size_t wanted;        /* number of points that keep it busy; 0: see opevo_objective_wanted */
    opevo_domain *domain; /* where `space` is NULL; owned too */
    const opevo_feature_source *features; /* NULL: none; owned too */
    const opevo_criterion *criteria; /* those after the fitness, criterion 1 first; owned too */
    size_t more_count;               /* their number, below OPEVO_CRITERIA_MOST */
    const opevo_starts *starts;      /* points to begin with; NULL: none; owned too */
    const opevo_search_defaults *defaults; /* NULL: those of the tuners; owned too */
    const opevo_measurer *measurer;    /* of the outcome that is being handed over; NULL: not known;
                                       owned too */
    const opevo_feature_source *trees; /* loop trees (opevo/loop_tree.h); NULL: none; owned too */
    /* Paths of the files that its outcomes are read from, ending with NULL; NULL: none, or unknown;
     * owned too. */
    const char *const *files;
    void *reserved[OPEVO_RESERVED]; /* 0 */
};

/* Whether this library knows all that the tables of the objective and of its domain have. Errors:
 * INVALID for a reserved place that is not 0. */
OPEVO_API opevo_status opevo_objective_check(const opevo_objective *objective, opevo_error *err);

/* 1 + more_count. */
OPEVO_API size_t opevo_objective_criterion_count(const opevo_objective *objective);
/* Criterion 0 is "fitness" in opevo_unit_of_fitness, larger is better. */
OPEVO_API opevo_criterion opevo_objective_criterion(const opevo_objective *objective, size_t index);
/* The fitness alone. */
OPEVO_API opevo_criteria opevo_criteria_fitness(void);
/* The criteria of a list of names such as "time,energy". "fitness" is criterion 0, and so is "time"
 * if no other criterion has this name and results follow from times (opevo/unit.h).
 * Errors: INVALID, with the existing names, for an unknown, duplicate or missing name. */
OPEVO_API opevo_status opevo_criteria_parse(const opevo_objective *objective, const char *names,
                                            opevo_criteria *out, opevo_error *err);
/* "fitness,energy"; opevo_criteria_parse reads it. */
OPEVO_API void opevo_criteria_print(const opevo_objective *objective,
                                    const opevo_criteria *criteria, opevo_text *out);

/* The number of points to hand over at once: as many as keep the objective busy, because more would
 * only wait for each other. The objective's own number, or else 64 if it is computed and 1 if it is
 * measured. */
OPEVO_API size_t opevo_objective_wanted(const opevo_objective *objective);
/* The number of points to ask for, at most, before the first of them is known: enough for a worker
 * that is several times slower than the others to keep none of them waiting. */
OPEVO_API size_t opevo_objective_ahead(const opevo_objective *objective);
/* Time in s of one execution of this fitness: 1 / fitness, or FLOP / fitness where that is in
 * GFLOP/s; INFINITY for fitness 0; NAN where the time does not follow from the fitness. */
OPEVO_API double opevo_objective_time_s(const opevo_objective *objective, double fitness);
/* Outcomes of `count` points, computed or measured, all at once. Outcomes are normalised: a fitness
 * that is negative, NaN or infinite, or that belongs to a failure, becomes 0, as does such a cost;
 * the time and the criteria of a failure become NAN, and so do infinite criteria. The class is
 * kept. Errors: what the objective reports. */
OPEVO_API opevo_status opevo_objective_evaluate(opevo_objective *objective,
                                                const opevo_index *points, size_t count,
                                                opevo_outcome *outcomes, opevo_error *err);
/* The same outcomes one at a time, each as it becomes known; an objective without ops->measure is
 * asked for one point after the other. Errors: INTERRUPTED when *interrupt, which may be NULL, is
 * raised; what the objective or the sink reports. */
OPEVO_API opevo_status opevo_objective_measure(opevo_objective *objective,
                                               const opevo_index *points, size_t count,
                                               const opevo_interrupt *interrupt,
                                               opevo_outcome_sink sink, void *sink_context,
                                               opevo_error *err);
/* The same for points that come while others are measured, the i-th as i. An outcome is valid until
 * the sink returns. */
OPEVO_API opevo_status opevo_objective_measure_from(opevo_objective *objective,
                                                    const opevo_point_source *source,
                                                    const opevo_interrupt *interrupt,
                                                    opevo_outcome_sink sink, void *sink_context,
                                                    opevo_error *err);
/* Measure points side by side, on one device. `fitness` gets count * rounds numbers, point after
 * point, 0 for what failed; `library`, which may be NULL, what the library is called, or why it was
 * not measured, after which it is not asked again. Errors: INVALID for fewer than two points or no
 * round, and for an objective that measures nothing again; INTERRUPTED as soon as the interrupt is
 * raised; what measuring reports. Cost: count * rounds evaluations. */
OPEVO_API opevo_status opevo_objective_measure_rounds(opevo_objective *objective,
                                                      const opevo_rounds *rounds, double *fitness,
                                                      opevo_text *library, opevo_error *err);
/* Tell the objective, before it measures, the fitness of the best trial so far of the run; 0 if it
 * has none, or if more than the fitness counts. */
OPEVO_API void opevo_objective_note_best(opevo_objective *objective, double fitness);
/* Processor times of the samples of an outcome just measured, one for each, as borrowed as the
 * outcome; NULL if unknown. The samples are then elapsed times. */
OPEVO_API const double *opevo_objective_processor_times(const opevo_objective *objective,
                                                        const opevo_outcome *outcome);
/* Who measured the outcome that the objective is handing over; NULL where that is not known. Valid
 * until the sink returns. */
OPEVO_API const opevo_measurer *opevo_objective_measurer(const opevo_objective *objective);
/* What is known of the i-th worker, from 0; false if that is not the number of one. The strings are
 * valid until the objective measures again. */
OPEVO_API bool opevo_objective_worker(const opevo_objective *objective, size_t i,
                                      opevo_worker_facts *out);
/* `known` is false if the objective has no such function. */
OPEVO_API opevo_status opevo_objective_optimum(opevo_objective *objective, opevo_optimum *out,
                                               opevo_error *err);
OPEVO_API void opevo_objective_destroy(opevo_objective *objective);

/* ---- Outcomes that come from the caller ---- */

/* An objective without a function: whoever asks a session for trials evaluates them, and tells it
 * the outcomes (opevo_session_tell). */
typedef struct opevo_external_options {
    opevo_space *space; /* one of these two */
    opevo_domain *domain;
    const char *name; /* in stores */
    const char *unit; /* of results: opevo/unit.h; "1/s" for times, "GFLOP/s", "score" */
    const opevo_criterion *criteria; /* after the fitness, copied */
    size_t criterion_count;
    uint64_t signature; /* of what decides outcomes beside the space; 0 where nothing is known */
} opevo_external_options;
/* Takes ownership of the space or domain, on success only. Errors: INVALID for a name or criteria
 * that are not valid; NOMEM. */
OPEVO_API opevo_status opevo_external_create_sized(const opevo_external_options *options,
                                                   size_t size, opevo_objective **out,
                                                   opevo_error *err);
static inline opevo_status opevo_external_create(const opevo_external_options *options,
                                                 opevo_objective **out, opevo_error *err)
{
    return opevo_external_create_sized(options, sizeof *options, out, err);
}
OPEVO_API bool opevo_objective_is_external(const opevo_objective *objective);
/* Whether an outcome that a caller tells is one; it is then as opevo_objective_evaluate would give
 * it. Errors: INVALID with what is wrong, as the rest of a sentence that names the trial. */
OPEVO_API opevo_status opevo_external_check(const opevo_objective *objective,
                                            opevo_outcome *outcome, opevo_error *err);

/* ---- Requirements ---- */

typedef enum opevo_relation {
    OPEVO_AT_MOST,  /* <= */
    OPEVO_AT_LEAST, /* >= */
    OPEVO_BELOW,    /* < */
    OPEVO_ABOVE     /* > */
} opevo_relation;

/* A condition on a criterion that a trial must satisfy, such as "error<=0.01". Criterion 0 is
 * compared as the fitness or, if it is called "time", as the result in its unit, of a speedup as
 * its inverse, or else in seconds. */
typedef struct opevo_requirement {
    size_t index; /* of the criterion */
    bool as_time;
    opevo_relation relation;
    double bound;
    char message[128]; /* "error<=0.01 does not hold" */
} opevo_requirement;

/* NAME, one of <=, >=, < and >, a number; no blanks. Errors: INVALID with what is wrong. */
OPEVO_API opevo_status opevo_requirement_parse(const opevo_objective *objective, const char *text,
                                               opevo_requirement *out, opevo_error *err);
/* "error<=0.01", as parsed. */
OPEVO_API void opevo_requirement_print(const opevo_requirement *requirement, opevo_text *out);
/* Make an OK outcome INFEASIBLE if it violates a requirement, with its message, fitness 0 and no
 * time; its criteria are kept. An unknown value satisfies no requirement. */
OPEVO_API void opevo_requirements_apply(const opevo_requirement *requirements, size_t count,
                                        const char *unit, opevo_outcome *outcome);

OPEVO_END_C

#endif
