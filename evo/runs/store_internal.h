/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the run store share. */

#ifndef OPEVO_STORE_INTERNAL_H
#define OPEVO_STORE_INTERNAL_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <opevo/hash.h>
#include <opevo/store.h>
#include <opevo/store_workers.h>

enum {
    OPEVO_I_POINT_BYTES = 16,
    OPEVO_I_HEX_SIZE = 17, /* 16 digits and the terminator */
    /* With a rollback journal readers and writers wait for each other, also on the host whose disk
     * the others have as a folder of a network. */
    OPEVO_I_BUSY_MS = 60000
};

/* `stop` of a run that a study has planned and not begun. */
#define OPEVO_I_PLANNED "planned"

typedef struct opevo_i_store_bytes {
    const unsigned char *data;
    size_t size, at;
} opevo_i_store_bytes;

/* The outcomes of one objective that its packed runs share, as read. */
typedef struct opevo_i_store_outcomes {
    char signature[OPEVO_I_HEX_SIZE];
    opevo_index_map *places; /* point -> place in items; NULL: nothing is read */
    opevo_outcome *items;    /* without samples and messages */
    size_t count, capacity;
} opevo_i_store_outcomes;

/* Where the samples and the message of a packed outcome stand; NULL: it has none. */
typedef struct opevo_i_store_details {
    const unsigned char *samples; /* reals */
    size_t sample_count;
    const char *message; /* not terminated */
    size_t message_length;
} opevo_i_store_details;

/* Where reading packed trials stopped, so that a run read in pieces is read once. */
typedef struct opevo_i_store_cursor {
    int64_t run; /* 0: none */
    unsigned char *data;
    opevo_i_store_bytes bytes; /* of it */
    bool points_only;          /* the outcomes are in their own table */
    uint64_t count, next;      /* trials in all; number of the one that comes next */
    const char **strings;      /* kept by the store */
    size_t string_count;
    opevo_i_store_details details; /* of trial next - 1, unless points_only */
} opevo_i_store_cursor;

struct opevo_store {
    sqlite3 *db;
    char *path; /* for messages */
    /* What a file is of which something cannot be read, for messages: "is damaged", or newer. */
    char state[80];
    dev_t device; /* which file was opened */
    ino_t inode;
    bool shares_memory; /* its folder lets processes share memory, so that it may have a log */
    bool immutable;     /* read as it is, without its log and without locks */
    sqlite3_io_methods methods; /* of the file, where it must have no log */
    int failure;                /* the primary code of SQLite's last one that became a sentence */
    sqlite3_stmt *insert;       /* one trial; NULL in a store opened to read */
    sqlite3_stmt *read;         /* trials of a run after a number */
    sqlite3_stmt *unpack;       /* the trials of a run that are packed */
    bool has_early;             /* outcomes told ahead of their turn may be there */
    int locked;                 /* descriptor that holds the lock, plus 1; 0: none */
    opevo_i_store_cursor cursor;
    opevo_i_store_outcomes outcomes;
    void *samples; /* double; of the trial whose details were read last */
    size_t sample_capacity;
    void *processor; /* double; of the trial whose windows were read last */
    size_t processor_capacity;
    opevo_text message;             /* likewise */
    opevo_index_map *origin_places; /* hash of a text -> its place in `origins` */
    char **origins; /* one copy of each origin that was read, so that trials can point to it */
    size_t origin_count;
    size_t origin_capacity;
    struct opevo_i_store_begun *begun; /* runs whose candidates have texts: store_candidates.c */
    size_t begun_count, begun_capacity;
    void *noted; /* who measured what is written next: store_measurers.c */
    size_t noted_count, noted_capacity;
};

/* ---- store_place.c, store.c ---- */

/* Open to read what another process may be making just now, or was killed while it made it: *out is
 * NULL if the file has no tables. */
opevo_status opevo_i_store_open_begun(const char *path, opevo_store **out, opevo_error *err);

/* Note which file the path names, just after it was opened. */
opevo_status opevo_i_store_note_place(opevo_store *store, opevo_error *err);
/* The path as a URI, in which '?', '#' and '%' would mean something else than themselves. */
void opevo_i_store_print_uri(const opevo_store *store, opevo_text *out);

/* ---- store_format.c ---- */

/* Whether the file has no tables yet; an error if it is anything but a run store of this format. */
opevo_status opevo_i_store_identify(opevo_store *store, bool *empty, opevo_error *err);
/* Make the tables of a file that has none, in a transaction. */
opevo_status opevo_i_store_make_tables(opevo_store *store, opevo_error *err);
/* The statements that do so. */
extern const char opevo_i_store_schema[];

/* ---- store_locks.c ---- */

/* Whether file locks work beside the store and keep others out; OK where nothing can be written to
 * try it. Errors: IO. */
opevo_status opevo_i_store_check_locks(opevo_store *store, opevo_error *err);
/* File locks fail in the folder of the store. */
opevo_status opevo_i_store_fail_locks(const opevo_store *store, int cause, opevo_error *err);

/* ---- store_journal.c ---- */

/* Whether processes can share memory through files of the folder of the path, as a write-ahead log
 * needs it. */
bool opevo_i_store_can_share_memory(const char *path);
/* Call it before SQLite reads the file, which is opened: there will be no log. */
void opevo_i_store_forbid_log(opevo_store *store);
/* Have the store, just connected to, with the journal that its folder permits, and rely on no
 * other. A reader may find that the file is immutable, and connects once more; a writer whether it
 * has no tables yet. Errors: IO for a folder without locks, and where a journal can be neither
 * applied nor left aside; those of identify. */
opevo_status opevo_i_store_settle_to_read(opevo_store *store, opevo_error *err);
opevo_status opevo_i_store_settle_to_write(opevo_store *store, bool *empty, opevo_error *err);

/* ---- store_transaction.c ---- */

/* Take the write lock. `commit` gives it back with everything kept when `status` is OK, otherwise
 * with nothing kept; it returns the first failure. */
opevo_status opevo_i_store_begin_write(opevo_store *store, opevo_error *err);
opevo_status opevo_i_store_commit(opevo_store *store, opevo_status status, opevo_error *err);

/* ---- store_sql.c ---- */

/* The last failure of SQLite as a status and a sentence that begins with the path. */
opevo_status opevo_i_store_fail(opevo_store *store, opevo_error *err);
/* The store has no run of that number. */
opevo_status opevo_i_store_fail_unknown(const opevo_store *store, int64_t run, opevo_error *err);
/* What the store has of the trial is malformed. */
opevo_status opevo_i_store_fail_trial(const opevo_store *store, int64_t run,
                                      const opevo_trial *trial, opevo_error *err);
/* Run statements that give no rows. */
opevo_status opevo_i_store_exec(opevo_store *store, const char *sql, opevo_error *err);
opevo_status opevo_i_store_prepare(opevo_store *store, const char *sql, sqlite3_stmt **out,
                                   opevo_error *err);
/* Run a statement that copies what run ?2 of the source has to run ?1 here. */
opevo_status opevo_i_store_join_rows(opevo_store *store, const char *sql, int64_t here,
                                     int64_t there, opevo_error *err);
/* A text column, "" where there is none; borrowed until the next step. */
const char *opevo_i_store_column_text(sqlite3_stmt *row, int column);

/* ---- store_values.c ---- */

/* A point as it stands in the file: 16 bytes, the highest first, so that blobs sort as numbers. */
void opevo_i_store_point_to_bytes(opevo_index point, unsigned char *bytes);
opevo_index opevo_i_store_point_from_bytes(const unsigned char *bytes);
/* Reals as they stand in the file: 8 bytes each, IEEE 754, the lowest first.
 * NULL without memory. */
unsigned char *opevo_i_store_reals_to_bytes(const double *reals, size_t count);
void opevo_i_store_reals_from_bytes(const unsigned char *bytes, size_t count, double *reals);
/* A signature as it stands in the file: 16 hexadecimal digits. Returns `text`. */
char *opevo_i_store_signature_text(uint64_t signature, char *text);
/* The store's own copy of an origin, which lives as long as it; NULL without memory. */
const char *opevo_i_store_keep_origin(opevo_store *store, const char *origin, size_t length);

/* ---- store_criteria.c ---- */

/* The criteria of the key are those of the run after this. Errors: MISMATCH if it has others. */
opevo_status opevo_i_store_put_criteria(opevo_store *store, const opevo_run_key *key, int64_t run,
                                        opevo_error *err);
/* Prepare what reads and, in a store opened to write, inserts trials. */
opevo_status opevo_i_store_prepare_trials(opevo_store *store, bool write, opevo_error *err);

/* ---- store_trial_row.c ---- */

/* The columns of a trial after its run, and its criteria. */
#define OPEVO_I_TRIAL_COLUMNS                                                                      \
    "number, point, origin, outcome, fitness, time_s, build_s, run_s, check_s, other_s"
#define OPEVO_I_CRITERIA_COLUMNS "criterion_1, criterion_2, criterion_3"
/* Insert one trial: its run, the columns above, samples_s and message, and the criteria as far as
 * the statement has parameters for them. */
opevo_status opevo_i_store_insert_trial(opevo_store *store, sqlite3_stmt *insert, int64_t run,
                                        const opevo_trial *trial, opevo_error *err);
/* The trial of a row of these columns, with the criteria or NULL behind them, without samples and
 * message. Errors: INVALID for one that cannot have been written so. */
opevo_status opevo_i_store_take_trial(opevo_store *store, int64_t run, sqlite3_stmt *row,
                                      opevo_trial *trial, opevo_error *err);

/* ---- store_trials.c ---- */

/* As opevo_store_append, with outcomes that were told ahead of their turn: these are kept until the
 * trials before them are there, and those that have come in order are no longer kept apart. All of
 * it, or nothing. */
opevo_status opevo_i_store_append_early(opevo_store *store, int64_t run, const opevo_trial *trials,
                                        size_t count, const opevo_trial *early, size_t early_count,
                                        opevo_error *err);
/* As opevo_store_append for trials that were measured; or one that has to wait for others, where
 * `early` is not NULL. The processor times, NULL where none are known, are of that, or of the first
 * of the trials. */
opevo_status opevo_i_store_append_measured(opevo_store *store, int64_t run,
                                           const opevo_trial *trials, size_t count,
                                           const opevo_trial *early, const double *processor_s,
                                           opevo_error *err);

/* ---- store_details.c ---- */

/* The samples and the message of a row that has them in these two columns, as
 * opevo_store_read_details. */
opevo_status opevo_i_store_take_details(opevo_store *store, int64_t run, sqlite3_stmt *row,
                                        int column, opevo_trial *trial, opevo_error *err);

/* ---- store_early.c ---- */

/* Keep these, and forget those up to number `last` of the run; in the caller's transaction. */
opevo_status opevo_i_store_put_early(opevo_store *store, int64_t run, const opevo_trial *trials,
                                     size_t count, opevo_error *err);
opevo_status opevo_i_store_forget_early(opevo_store *store, int64_t run, uint64_t last,
                                        opevo_error *err);
/* Visit those of the run after number `after`, in order, with samples and messages that are
 * borrowed during the call. Errors: INVALID for a damaged file; what `visit` returns. */
opevo_status opevo_i_store_read_early(opevo_store *store, int64_t run, uint64_t after,
                                      opevo_status (*visit)(void *context, const opevo_trial *trial,
                                                            opevo_error *err),
                                      void *context, opevo_error *err);

/* ---- store_windows.c ---- */

/* Put the processor times of the samples of a trial, in the caller's transaction. */
opevo_status opevo_i_store_put_windows(opevo_store *store, int64_t run, const opevo_trial *trial,
                                       const double *processor_s, opevo_error *err);
/* Copy those of a run of the attached store `source`, likewise. */
opevo_status opevo_i_store_copy_windows(opevo_store *store, int64_t run, int64_t source_run,
                                        opevo_error *err);

/* ---- store_measurers.c ---- */

/* Write who measured what, as noted, in the caller's transaction. Errors: MISMATCH for another
 * device than that of the run, where that is not permitted. */
opevo_status opevo_i_store_put_measurers(opevo_store *store, opevo_error *err);
/* The number of the worker, which the run has after this. */
opevo_status opevo_i_store_find_worker(opevo_store *store, int64_t run, const opevo_measurer *by,
                                       int64_t *out, opevo_error *err);
/* Forget what was noted. */
void opevo_i_store_forget_measurers(opevo_store *store);

/* ---- store_workers.c ---- */

/* ", measured on DEVICE (HOST)" for what is known to have measured the run; nothing otherwise. */
void opevo_i_store_print_devices(opevo_store *store, int64_t run, opevo_text *out);
/* Copy the workers of a run of the attached store `source`, and which trials they measured, in the
 * caller's transaction. */
opevo_status opevo_i_store_join_workers(opevo_store *store, int64_t here, int64_t there,
                                        opevo_error *err);

/* ---- store_starts.c ---- */

/* The start points that the run was begun with: those of the store, else, where the run has no
 * trials, those offered, which the store keeps from here on. The caller frees the list; origins
 * live as long as the store is open. */
opevo_status opevo_i_store_settle_starts(opevo_store *store, int64_t run,
                                         const opevo_proposal *offered, size_t offered_count,
                                         opevo_proposal **out, size_t *count, opevo_error *err);
/* Copy those of a run of the attached store `source`, in the caller's transaction. */
opevo_status opevo_i_store_join_starts(opevo_store *store, int64_t here, int64_t there,
                                       opevo_error *err);

/* ---- store_candidates.c ---- */

/* Take the texts of the run's candidates from the space, if it is wide, or from `domain` where that
 * is NULL, from here on; the space comes to know the points that are stored. */
opevo_status opevo_i_store_note_domain(opevo_store *store, int64_t run, const opevo_space *space,
                                       opevo_domain *domain, opevo_error *err);
/* Let a wide space know the points of the run that are stored, and of all others on this space.
 * Errors: INVALID for a damaged file; NOMEM. */
opevo_status opevo_i_store_read_points(opevo_store *store, int64_t run, const opevo_space *space,
                                       opevo_error *err);
/* Copy the texts of the candidates of a run of the attached store "source" that were copied. */
opevo_status opevo_i_store_join_candidates(opevo_store *store, int64_t here, int64_t there,
                                           opevo_error *err);
/* Put the texts of these candidates beside them, in the caller's transaction;
 * nothing for points whose numbers say what they are. */
opevo_status opevo_i_store_put_candidates(opevo_store *store, int64_t run,
                                          const opevo_trial *trials, size_t count,
                                          opevo_error *err);
opevo_status opevo_i_store_put_candidate(opevo_store *store, int64_t run, opevo_index candidate,
                                         opevo_error *err);

/* ---- store_packed.c, store_unpack.c ---- */

/* Of which points of an objective the store has the outcome. Several threads may use one. */
typedef struct opevo_i_store_known {
    uint64_t signature; /* of the objective */
    _Atomic(uint64_t) words[];
} opevo_i_store_known;

/* Largest space whose outcomes are kept once: 128 KiB for `words`. */
#define OPEVO_I_KNOWN_MAX ((opevo_index)1 << 20)
bool opevo_i_store_known_suits(const opevo_objective *objective);
/* Knows nothing yet; release with opevo_free. */
opevo_status opevo_i_store_known_create(const opevo_objective *objective, opevo_i_store_known **out,
                                        opevo_error *err);
/* False when it was known. */
bool opevo_i_store_known_add(opevo_i_store_known *self, opevo_index point);

/* The trials of a whole run in one piece, and what a listing says of them. docs/formats/store.md
 * gives the form. */
typedef struct opevo_i_store_packed {
    opevo_text data;
    opevo_i_store_known *known; /* borrowed; NULL: `data` holds the outcomes */
    /* Outcomes that were not known when the run was packed: a point (16 bytes), the length of the
     * outcome (uint32_t), the outcome, and so on. */
    opevo_text fresh;
    uint64_t trials, failed;
    uint64_t best_trial; /* 0: none succeeded */
    double best_fitness, cost_s;
    opevo_index best_point;
    const char *stop; /* opevo_stop_name */
} opevo_i_store_packed;

/* Pack trials numbered 1 .. count, their outcomes apart if `known` is given. A failed allocation
 * shows in `data`. `stop` is the caller's. */
void opevo_i_store_pack(const opevo_trial *trials, size_t count, opevo_i_store_known *known,
                        opevo_i_store_packed *out);
/* Have the cursor at the first packed trial of the run after number `after`; *found is false where
 * the run is not packed. Then read one trial after the other. Errors: INVALID for a damaged file;
 * NOMEM. */
opevo_status opevo_i_store_unpack_seek(opevo_store *store, int64_t run, uint64_t after, bool *found,
                                       opevo_error *err);
opevo_status opevo_i_store_unpack_next(opevo_store *store, opevo_trial *trial, opevo_error *err);
/* An outcome as it stands in the table of those that packed runs share. False where it is not
 * one. */
bool opevo_i_store_unpack_outcome(const void *data, size_t size, opevo_outcome *outcome,
                                  opevo_i_store_details *details);
/* Release the trials of the run that is being read, and the outcomes that were read. */
void opevo_i_store_unpack_forget(opevo_store *store);

/* ---- store_runs.c ---- */

/* Looking up a run by its identity, of which bind_identity binds the five parts; check_found
 * compares the row with the rest of the key. */
#define OPEVO_I_FIND_RUN                                                                           \
    "SELECT run, runs.signature, version, spaces.signature, stop, unit"                            \
    " FROM runs JOIN spaces USING (space)"                                                         \
    " WHERE objective = ? AND tuner = ? AND settings = ? AND seed = ? AND budget = ?"
void opevo_i_store_bind_identity(sqlite3_stmt *statement, const opevo_run_key *key,
                                 const char *seed);
opevo_status opevo_i_store_check_found(opevo_store *store, const opevo_run_key *key,
                                       sqlite3_stmt *row, opevo_error *err);
/* The space of the key is in the table after this. */
opevo_status opevo_i_store_make_space(opevo_store *store, const opevo_run_key *key,
                                      opevo_error *err);
/* Make planned runs with a prepared statement, in the caller's transaction. */
opevo_status opevo_i_store_prepare_plan(opevo_store *store, sqlite3_stmt **out, opevo_error *err);
opevo_status opevo_i_store_plan(opevo_store *store, sqlite3_stmt *insert, const opevo_run_key *key,
                                int64_t *run, opevo_error *err);

/* ---- store_list.c ---- */

/* What topologies of a plan add, by exclusive or, to the signature of an objective, given that of
 * the space with them: a listing takes it away again, and so knows which runs share a landscape. */
uint64_t opevo_i_store_topology_mark(uint64_t space_signature);
/* The word that such a run has in its settings. */
#define OPEVO_I_TOPOLOGY "topology="

#endif
