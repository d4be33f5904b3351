/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The contract of a tuner: asked for points, told outcomes. It never evaluates, never reads a
 * clock, and draws from its own stream only, so that its proposals are a function of settings, seed
 * and the outcomes told; a run is resumed by telling it the stored outcomes again. */

#ifndef OPEVO_TUNER_H
#define OPEVO_TUNER_H

#include <opevo/api.h>
#include <opevo/cost_model.h>
#include <opevo/objective.h>
#include <opevo/random.h>
#include <opevo/space.h>

OPEVO_BEGIN_C

typedef struct opevo_tuner opevo_tuner;

/* ---- Settings ---- */

typedef enum opevo_setting_kind {
    OPEVO_SETTING_COUNT, /* a whole number in [min, max] */
    OPEVO_SETTING_REAL,  /* a real number in [min, max], max itself excluded if `below_max` */
    OPEVO_SETTING_CHOICE /* one of `choices` */
} opevo_setting_kind;

/* What a COUNT says of how many trials are proposed before the outcome of any of them is known. */
typedef enum opevo_setting_batch {
    OPEVO_BATCH_NO,        /* nothing */
    OPEVO_BATCH_FIXED,     /* so many or a few more; what the search is depends on it */
    OPEVO_BATCH_AT_MOST,   /* the same, but often fewer: points known already are among them */
    OPEVO_BATCH_OF_WORKERS /* so many; by default at least the number of workers that are given */
} opevo_setting_batch;

typedef struct opevo_setting {
    const char *key;
    opevo_setting_kind kind;
    bool below_max;                 /* REAL */
    double default_value, min, max; /* COUNT and REAL */
    const char *choices;            /* CHOICE: names separated by spaces, the default first */
    opevo_setting_batch batch;
    const char *summary; /* one line; for a probability it names the event */
    size_t offset;       /* of the variable that opevo_settings_read writes */
} opevo_setting;

/* The rows of a tuner's table: key, where the value goes (`member` of `type`: a size_t, a double,
 * an unsigned), default, range, summary, and whatever other member of the row:
 *
 *     OPEVO_ROW_REAL("q", climb, q, 0.5, 0, 1, "probability of a step", .below_max = true) */
#define OPEVO_ROW_COUNT(name, type, member, standard, least, most, ...)                            \
    OPEVO_ROW_NUMBER(name, OPEVO_SETTING_COUNT, size_t, type, member, standard, least, most,       \
                     __VA_ARGS__)
#define OPEVO_ROW_REAL(name, type, member, standard, least, most, ...)                             \
    OPEVO_ROW_NUMBER(name, OPEVO_SETTING_REAL, double, type, member, standard, least, most,        \
                     __VA_ARGS__)
#define OPEVO_ROW_NUMBER(name, what, number, type, member, standard, least, most, ...)             \
    {                                                                                              \
        .key = name, .kind = what, .default_value = standard, .min = least, .max = most,           \
        .offset = OPEVO_ROW_OFFSET(number, type, member), .summary = __VA_ARGS__                   \
    }
#define OPEVO_ROW_CHOICE(name, type, member, names, ...)                                           \
    {                                                                                              \
        .key = name, .kind = OPEVO_SETTING_CHOICE, .choices = names,                               \
        .offset = OPEVO_ROW_OFFSET(unsigned, type, member), .summary = __VA_ARGS__                 \
    }
/* The offset of a member that has this type, and no other.
 * NOLINTBEGIN(bugprone-macro-parentheses): types */
#define OPEVO_ROW_OFFSET(number, type, member)                                                     \
    _Generic(((type *)0)->member, number : offsetof(type, member))
/* NOLINTEND(bugprone-macro-parentheses) */

/* One value for each row of a tuner's table, in its order. Where settings are taken, NULL stands
 * for the defaults. */
typedef struct opevo_setting_value {
    double number; /* COUNT and REAL; for CHOICE the index in `choices` */
} opevo_setting_value;

/* ---- Asking and telling ---- */

/* One evaluated point of a run. */
typedef struct opevo_trial {
    opevo_proposal proposal;
    uint64_t number; /* from 1, in the order proposed */
    opevo_outcome outcome;
} opevo_trial;

/* A trial of an earlier run on any space: the loop tree of its program (opevo/loop_tree.h) instead
 * of a point. Trials of one run stand together and have one number of a run. */
typedef struct opevo_earlier_tree {
    const float *rows; /* of OPEVO_LOOP_COLUMNS numbers each */
    size_t row_count;  /* 1 .. OPEVO_LOOP_TREE_ROWS */
    double fitness;
    size_t run;
} opevo_earlier_tree;

/* A library that influences the proposals of a tuner. */
typedef struct opevo_tuner_library {
    char name[32];  /* with its version: "XGBoost 3.0.0" */
    bool as_tested; /* its results equal those of the versions with which the tuner was tested */
    const char *tested; /* those versions: "1.7 and 3.0"; a static string */
} opevo_tuner_library;

typedef struct opevo_tuner_ops {
    const char *name;    /* as on the command line: lower case, '-' between words */
    const char *summary; /* one line */
    const char *source;  /* definition: paper section or upstream file */
    const opevo_setting *settings;
    size_t setting_count;
    bool works_on_branches; /* it can be created on a space with branches */
    /* Exactly one of create and create_on. create_on: the tuner works on any domain. create: it
     * needs the parameters and graphs of a space, and is refused on any other domain. `space` and
     * `domain` outlive the tuner; `rng` is the tuner's own stream, copied. */
    opevo_status (*create)(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err);
    opevo_status (*create_on)(opevo_domain *domain, const opevo_setting_value *settings,
                              const opevo_rng *rng, opevo_tuner **out, opevo_error *err);
    /* Write up to `capacity` (at least 1) proposals that the constraints allow, and their number. 0
     * means: no proposals before the pending ones are told, or, if none is pending, the search is
     * over; then `reason` of the base struct says why. Proposals must not depend on how they were
     * divided among calls, so that a run can continue with a larger budget. */
    opevo_status (*ask)(opevo_tuner *self, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err);
    /* Outcomes of asked points, in the order asked, each told once. */
    opevo_status (*tell)(opevo_tuner *self, const opevo_trial *trials, size_t count,
                         opevo_error *err);
    void (*destroy)(opevo_tuner *self);
    /* Trials of earlier runs on the same space, told before the first ask, run after run: a number
     * that is not larger than the previous one begins another run. They are not trials of this run:
     * their points may be proposed again. NULL: the tuner cannot learn from them. */
    opevo_status (*learn)(opevo_tuner *self, const opevo_trial *trials, size_t count,
                          opevo_error *err);
    /* NULL: proposals do not depend on the version of a library. */
    void (*library)(opevo_tuner_library *out);
    bool by_criteria; /* it searches by the chosen criteria; otherwise by the fitness alone */
    bool of_programs; /* its cost model is meant for programs: without features of the objective it
                         sees the parameters, which users should know */
    bool any_batch;   /* proposals do not depend on outcomes: any number of trials may be pending */
    /* Trials of this run that the tuner did not propose, told before the first ask, each point
     * once; they count as proposed and told. NULL: the tuner has no use for them before it proposes
     * the same points, where opevo_tuner_ask answers it. */
    opevo_status (*observe)(opevo_tuner *self, const opevo_trial *trials, size_t count,
                            opevo_error *err);
    /* Told the source of loop trees (NULL: none) before the first ask, which `trees` of the base
     * struct then has; refuses one that its settings cannot do with. NULL: it reads none. */
    opevo_status (*use_trees)(opevo_tuner *self, const opevo_feature_source *source,
                              opevo_error *err);
    /* As learn, from loop trees; after use_trees. NULL: the tuner cannot. */
    opevo_status (*learn_trees)(opevo_tuner *self, const opevo_earlier_tree *trees, size_t count,
                                opevo_error *err);
    /* Begins with a trained cost model; after use_trees. Refuses one that is not of its settings.
     * NULL: the tuner cannot. */
    opevo_status (*learn_model)(opevo_tuner *self, const opevo_cost_model *model, opevo_error *err);
    void (*reserved[OPEVO_RESERVED])(void); /* 0 */
} opevo_tuner_ops;

/* First member, `super`, of every implementation; the functions below maintain all of it except the
 * reason. */
struct opevo_tuner {
    const opevo_tuner_ops *ops;
    const opevo_space *space;             /* NULL on a domain that is not a space */
    opevo_domain *own;                    /* of the space, made for this tuner; NULL: none */
    const opevo_feature_source *features; /* of the objective, see there; NULL: none */
    opevo_criteria criteria;              /* chosen; the fitness alone unless by_criteria */
    size_t pending;                       /* asked for and not yet told */
    bool asked;                           /* at least once */
    const char *reason; /* one sentence once the search is over, NULL before; a static string */
    void *observed;     /* what opevo_tuner_observe told it; NULL: nothing */
    const opevo_feature_source *trees;  /* loop trees of the objective; NULL: none */
    void *reserved[OPEVO_RESERVED - 2]; /* 0 */
};

/* Whether the tuner works on this kind of space, and this library knows all that its table has.
 * Errors: INVALID with a sentence. */
OPEVO_API opevo_status opevo_tuner_suits(const opevo_tuner_ops *ops, const opevo_space *space,
                                         opevo_error *err);
/* The tuner's stream is (seed, "tuner", 0), the same for every tuner. `space` must outlive the
 * tuner. Errors: INVALID for a setting outside its domain, and as opevo_tuner_suits; NOMEM. */
OPEVO_API opevo_status opevo_tuner_create(const opevo_tuner_ops *ops, const opevo_space *space,
                                          const opevo_setting_value *settings, uint64_t seed,
                                          opevo_tuner **out, opevo_error *err);
/* The same on a domain. Errors: INVALID also for a tuner that needs a space if the domain is not a
 * space. */
OPEVO_API opevo_status opevo_tuner_create_on(const opevo_tuner_ops *ops, opevo_domain *domain,
                                             const opevo_setting_value *settings, uint64_t seed,
                                             opevo_tuner **out, opevo_error *err);
/* Before the first ask, in this order and each at most once: the criteria of the search, the source
 * of the features of points (NULL: their parameters; must outlive the tuner), that of their loop
 * trees (NULL: none; likewise), and trials of earlier runs on the same space. A tuner that searches
 * by the fitness alone ignores the criteria, one that does not learn a cost model ignores the
 * sources. Errors: INVALID after the first ask, for a tuner whose settings need loop trees where
 * there are none, for one that cannot learn from earlier trials, and for points outside the space;
 * NOMEM. */
OPEVO_API opevo_status opevo_tuner_use_criteria(opevo_tuner *tuner, const opevo_criteria *criteria,
                                                opevo_error *err);
OPEVO_API opevo_status opevo_tuner_use_features(opevo_tuner *tuner,
                                                const opevo_feature_source *source,
                                                opevo_error *err);
OPEVO_API opevo_status opevo_tuner_use_trees(opevo_tuner *tuner, const opevo_feature_source *source,
                                             opevo_error *err);
OPEVO_API opevo_status opevo_tuner_learn(opevo_tuner *tuner, const opevo_trial *trials,
                                         size_t count, opevo_error *err);
/* The same from runs on other spaces. Errors: INVALID also for a tuner, or settings, that cannot
 * learn from loop trees. */
OPEVO_API opevo_status opevo_tuner_learn_trees(opevo_tuner *tuner, const opevo_earlier_tree *trees,
                                               size_t count, opevo_error *err);
/* The same from a stored model, which is copied. Errors: INVALID also for a model that is not of
 * the tuner's settings; NOMEM. */
OPEVO_API opevo_status opevo_tuner_learn_model(opevo_tuner *tuner, const opevo_cost_model *model,
                                               opevo_error *err);
/* Trials of this run at points that the caller chose, before the first ask and after what is above;
 * in one call or several. Every tuner takes them: where it proposes such a point later, the ask
 * answers it with the outcome known here, and hands out what follows instead. Samples and messages
 * are not kept. Errors: INVALID after the first ask, for a point outside the space or one that a
 * constraint forbids, and for a point told before; NOMEM. */
OPEVO_API opevo_status opevo_tuner_observe(opevo_tuner *tuner, const opevo_trial *trials,
                                           size_t count, opevo_error *err);
/* As the functions of the table, with their contracts checked: a proposal that is not a point of
 * the space or that a constraint forbids is a bug of the tuner (an assertion); telling more than is
 * pending is an error of the caller (INVALID). */
OPEVO_API opevo_status opevo_tuner_ask(opevo_tuner *tuner, opevo_proposal *proposals,
                                       size_t capacity, size_t *count, opevo_error *err);
OPEVO_API opevo_status opevo_tuner_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                        opevo_error *err);
OPEVO_API void opevo_tuner_destroy(opevo_tuner *tuner);

/* Fill `values` (setting_count of them) with the defaults; then change one from "key=value".
 * Errors: INVALID with the known keys, or the bounds. */
OPEVO_API void opevo_settings_default(const opevo_tuner_ops *ops, opevo_setting_value *values);
/* The same with those of the list that are of this tuner; a list ends with {NULL}, NULL is an empty
 * one. Errors: as opevo_settings_set. */
OPEVO_API opevo_status opevo_settings_default_on(const opevo_tuner_ops *ops,
                                                 const opevo_tuner_default *defaults,
                                                 opevo_setting_value *values, opevo_error *err);
/* Raise the batch of a tuner, if it is OPEVO_BATCH_OF_WORKERS, to the number of workers, as far as
 * its bounds allow: the default where that many are given. */
OPEVO_API void opevo_settings_widen(const opevo_tuner_ops *ops, size_t workers,
                                    opevo_setting_value *values);
/* Write the value of each row of a table (NULL: its default) to the variable at its offset in
 * `out`. */
OPEVO_API void opevo_settings_read(const opevo_setting *table, size_t count,
                                   const opevo_setting_value *values, void *out);
#define OPEVO_SETTINGS_READ(table, values, out)                                                    \
    opevo_settings_read((table), sizeof(table) / sizeof *(table), (values), (out))
/* The setting that says how many trials are proposed at a time; NULL: none. */
OPEVO_API const opevo_setting *opevo_settings_batch_row(const opevo_tuner_ops *ops);
/* How many workers the tuner can keep busy after its initial trials: the trials that it proposes
 * before it is told the outcome of any of them; SIZE_MAX: any number. *at_most: often fewer. */
OPEVO_API size_t opevo_settings_batch(const opevo_tuner_ops *ops, const opevo_setting_value *values,
                                      bool *at_most);
OPEVO_API opevo_status opevo_settings_set(const opevo_tuner_ops *ops, const char *assignment,
                                          opevo_setting_value *values, opevo_error *err);
/* "lambda=8 rho=8 q=0.5 duplicates=continue": all of them, in table order; identifies a run in
 * a store. */
OPEVO_API void opevo_settings_print(const opevo_tuner_ops *ops, const opevo_setting_value *values,
                                    opevo_text *out);
OPEVO_API void opevo_settings_print_json(const opevo_tuner_ops *ops,
                                         const opevo_setting_value *values, opevo_text *out);

OPEVO_END_C

#endif
