/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Several clients of one session: who evaluates which trial. The leases mirror what is pending in
 * the session, so that an outcome counts once, whoever tells it. */

#include "serve_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>
#include <opevo/run.h>

#include <stdlib.h>
#include <string.h>

opevo_status opevo_i_cli_share_find(const opevo_i_cli_server *server, const json_t *request,
                                    opevo_i_cli_serving **found, char **identity, opevo_error *err)
{
    json_t *rest = json_copy((json_t *)request);

    *found = NULL;
    json_object_del(rest, "id");
    json_object_del(rest, "start");
    *identity = rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(rest);
    OPEVO_NEED_OR_RETURN(*identity, "a session");
    for (size_t i = 0; i < server->count && !*found; i++) {
        opevo_i_cli_serving *one = server->sessions[i];

        if (one && one->identity && !strcmp(one->identity, *identity))
            *found = one;
    }
    return OPEVO_OK;
}

/* Renew what the client of the request has, and take from others what is overdue. */
static void judge(const opevo_i_cli_server *server, opevo_i_cli_serving *self)
{
    double now = opevo_clock_monotonic_s();

    for (size_t i = 0; i < self->lease_count; i++) {
        opevo_i_cli_lease *one = &self->leases[i];

        if (one->client == server->client)
            one->due_s = now + server->lease_s;
        else if (one->due_s < now)
            one->client = 0;
    }
}

/* Let the leases be those of the trials that are pending. */
static opevo_status refresh(const opevo_i_cli_server *server, opevo_i_cli_serving *self,
                            opevo_error *err)
{
    size_t count = opevo_session_pending(self->session, NULL, 0);
    opevo_trial *pending = opevo_calloc(count, sizeof *pending);
    opevo_i_cli_lease *leases = opevo_calloc(count, sizeof *leases);

    if (!pending || !leases) {
        opevo_free(pending);
        opevo_free(leases);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu trials.", count);
    }
    opevo_session_pending(self->session, pending, count);
    for (size_t i = 0, old = 0; i < count; i++) {
        while (old < self->lease_count && self->leases[old].number < pending[i].number)
            old++;
        if (old < self->lease_count && self->leases[old].number == pending[i].number)
            leases[i] = self->leases[old];
        leases[i].number = pending[i].number;
    }
    opevo_free(self->pending);
    opevo_free(self->leases);
    self->pending = pending;
    self->leases = leases;
    self->lease_count = count;
    if (count > 0 && leases[count - 1].number > self->asked)
        self->asked = leases[count - 1].number;
    if (opevo_session_result(self->session)->trials > self->asked)
        self->asked = opevo_session_result(self->session)->trials;
    judge(server, self);
    return OPEVO_OK;
}

/* Ask the session for up to so many more trials, and no further than number `until`; nobody has
 * them yet. */
static opevo_status ask_more(const opevo_i_cli_server *server, opevo_i_cli_serving *self,
                             size_t wanted, uint64_t until, opevo_error *err)
{
    uint64_t left = until > self->asked ? until - self->asked : 0;
    size_t most = wanted < left ? wanted : (size_t)left;
    opevo_trial *trials = NULL;
    opevo_status status = OPEVO_OK;

    if (most == 0)
        return OPEVO_OK;
    trials = opevo_malloc(most, sizeof *trials);
    OPEVO_NEED_OR_RETURN(trials, "%zu trials", most);
    status = opevo_session_ask(self->session, trials, most, &most, err);
    opevo_free(trials);
    return status == OPEVO_OK ? refresh(server, self, err) : status;
}

static size_t count_free(const opevo_i_cli_serving *self, uint64_t until)
{
    size_t count = 0;

    for (size_t i = 0; i < self->lease_count && self->leases[i].number <= until; i++)
        count += self->leases[i].client == 0;
    return count;
}

opevo_status opevo_i_cli_share_ask(opevo_i_cli_server *server, opevo_i_cli_serving *serving,
                                   size_t wanted, uint64_t until, opevo_trial *trials,
                                   size_t *count, size_t *elsewhere, opevo_error *err)
{
    opevo_i_cli_serving *self = serving;
    opevo_status status = OPEVO_OK;
    size_t unused = 0;

    OPEVO_TRY(refresh(server, self, err));
    unused = count_free(self, until);
    if (unused < wanted)
        OPEVO_TRY(ask_more(server, self, wanted - unused, until, err));
    *count = *elsewhere = 0;
    for (size_t i = 0; i < self->lease_count && self->leases[i].number <= until; i++) {
        opevo_i_cli_lease *one = &self->leases[i];

        if (one->client == 0 && *count < wanted) {
            one->client = server->client;
            one->due_s = opevo_clock_monotonic_s() + server->lease_s;
            trials[(*count)++] = self->pending[i];
        }
        *elsewhere += one->client != 0 && one->client != server->client;
    }
cleanup:
    return status;
}

static opevo_status hold_one(const opevo_i_cli_server *server, opevo_i_cli_serving *self,
                             uint64_t number, opevo_error *err)
{
    uint64_t before = 0;
    opevo_status status = OPEVO_OK;

    if (number > self->asked + OPEVO_I_SERVE_ASK_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Trial %llu was never asked for.",
                          (unsigned long long)number);
    do { /* one by one: some are known already, and are passed over */
        before = self->asked;
        status = ask_more(server, self, 1, number, err);
    } while (status == OPEVO_OK && self->asked < number && self->asked > before);
    for (size_t i = 0; status == OPEVO_OK && i < self->lease_count; i++) {
        if (self->leases[i].number == number && self->leases[i].client == 0)
            self->leases[i].client = server->client;
    }
    judge(server, self);
    return status;
}

opevo_status opevo_i_cli_share_hold(opevo_i_cli_server *server, opevo_i_cli_serving *serving,
                                    const uint64_t *numbers, size_t held, opevo_trial **trials,
                                    size_t *count, opevo_error *err)
{
    opevo_i_cli_serving *self = serving;
    opevo_trial *own = NULL;
    opevo_status status = refresh(server, self, err);

    for (size_t i = 0; i < held && status == OPEVO_OK; i++)
        status = hold_one(server, self, numbers[i], err);
    if (status != OPEVO_OK)
        return status;
    own = opevo_malloc(self->lease_count, sizeof *own);
    OPEVO_NEED_OR_RETURN(own, "%zu trials", self->lease_count);
    *count = 0;
    for (size_t i = 0; i < self->lease_count; i++) {
        if (self->leases[i].client == server->client)
            own[(*count)++] = self->pending[i];
    }
    *trials = own;
    return OPEVO_OK;
}

static bool is_pending(const opevo_i_cli_serving *self, uint64_t number)
{
    bool found = false;

    for (size_t i = 0; i < self->lease_count && !found; i++)
        found = self->leases[i].number == number;
    return found;
}

opevo_status opevo_i_cli_share_sift(opevo_i_cli_server *server, opevo_i_cli_serving *serving,
                                    opevo_trial *trials, size_t *count, opevo_error *err)
{
    opevo_status status = refresh(server, serving, err);
    size_t left = 0;

    for (size_t i = 0; i < *count && status == OPEVO_OK; i++) {
        if (trials[i].number > serving->asked || is_pending(serving, trials[i].number))
            trials[left++] = trials[i];
    }
    *count = status == OPEVO_OK ? left : *count;
    return status;
}

void opevo_i_cli_share_release(opevo_i_cli_serving *serving, uint64_t client)
{
    for (size_t i = 0; i < serving->lease_count; i++) {
        if (serving->leases[i].client == client)
            serving->leases[i].client = 0;
    }
}

void opevo_i_cli_share_leave(opevo_i_cli_server *server, uint64_t client)
{
    for (size_t i = 0; i < server->count; i++) {
        if (server->sessions[i])
            opevo_i_cli_share_release(server->sessions[i], client);
    }
}
