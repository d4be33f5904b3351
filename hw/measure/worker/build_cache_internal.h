/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Built kernels on disk, found by what they were built from, in the user's cache folder. An entry
 * is an object and its recipe: the command, the device and the source, compared byte for byte, so
 * that no collision of hashes can pass for a hit, the object's hash and the time of its build.
 * Folder and files are the user's, and nobody else may write to them. Any number of processes share
 * the folder, also from other hosts and containers. */

#ifndef OPEVO_BUILD_CACHE_INTERNAL_H
#define OPEVO_BUILD_CACHE_INTERNAL_H

#include <opevo/status.h>
#include <opevo/text.h>

/* When the folder holds more, the entries used longest ago are removed. */
#define OPEVO_I_CACHE_LIMIT ((uint64_t)512 << 20)

typedef struct opevo_i_worker_cache {
    char *folder;
    char *scratch_folder; /* in it, for what compilers leave for a moment; removed at close */
    bool confined;
    int lock; /* of the scratch folder, held until then by this process and its keepers */
    uint64_t limit_bytes;
    unsigned added; /* since the size was last looked at */
    unsigned files; /* named so far, for names of temporary files */
} opevo_i_worker_cache;

/* Opens $XDG_CACHE_HOME/opevo/kernels, and removes what dead processes left there half done.
 * Errors: IO, also for a folder that others may write to; NOMEM. */
opevo_status opevo_i_worker_cache_open(opevo_i_worker_cache *out, opevo_error *err);
void opevo_i_worker_cache_close(opevo_i_worker_cache *cache);
/* Keep objects in the scratch folder, for as long as the cache is open: those of commands whose
 * recipe does not tell all that they are made from, such as headers. They may be executed. */
void opevo_i_worker_cache_confine(opevo_i_worker_cache *cache);

/* Whether the object of this recipe is there, with its path and the seconds that its build took, 0
 * where they are not known; the entry counts as used now. Where one is there and is not believed,
 * `why` gets a clause. Cost: reads and hashes the object. */
bool opevo_i_worker_cache_find(const opevo_i_worker_cache *cache, const opevo_text *recipe,
                               opevo_text *path, double *build_s, opevo_text *why);
/* A path in the scratch folder that nobody else uses, ending in `suffix`. */
void opevo_i_worker_cache_scratch(opevo_i_worker_cache *cache, const char *suffix,
                                  opevo_text *path);
/* Write such a file. Errors: IO. */
opevo_status opevo_i_worker_scratch_write(const char *path, const char *data, size_t size,
                                          opevo_error *err);
/* Move an object into the cache whose build took so long; its path there. Errors: IO, NOMEM. */
opevo_status opevo_i_worker_cache_add(opevo_i_worker_cache *cache, const opevo_text *recipe,
                                      const char *object, double build_s, opevo_text *path,
                                      opevo_error *err);

#endif
