/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `opevo serve` by clients that are at odds with it: they send garbage, die, ask in parallel, tell
 * out of order, twice, or what was never asked. A sentence each, and nothing lost. */

#include "serve_client.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "evo/scratch_folder.h"

#define SPACE                                                                                      \
    "{\"X\":{\"_type\":\"factor\",\"_value\":[1024,3]},"                                           \
    "\"u\":{\"_type\":\"choice\",\"_value\":[\"a\",\"b\"]}}"
#define CREATE "{\"op\":\"create\",\"space\":" SPACE

/* ---- What is refused ------------------------------------------------------------------------ */

static const char *const garbage[][2] = {
    {"", "not JSON"},
    {"nonsense", "not JSON"},
    {"{\"op\":\"ask\"", "not JSON"},
    {"{\"op\":\"ask\",\"op\":\"ask\"}", "not JSON"},
    {"{\"op\":\"ask\"} x", "not JSON"},
    {"\xff\xfe", "not JSON"},
    {"[]", "must be a JSON object"},
    {"{}", "\"op\" is missing"},
    {"{\"op\":7}", "\"op\" must be a string"},
    {"{\"op\":\"aks\"}", "did you mean \"ask\"?"},
    {"{\"op\":\"nonsense\"}", "one of create, ask"},
    {"{\"op\":\"version\",\"id\":[1]}", "\"id\" must be a number or a string"},
    {"{\"op\":\"version\",\"opp\":1}", "did you mean \"op\"?"},
    {"{\"op\":\"ask\"}", "\"session\" is missing"},
    {"{\"op\":\"ask\",\"session\":2}", "Session 2 is not open"},
    {"{\"op\":\"ask\",\"session\":-1}", "whole number"},
    {"{\"op\":\"ask\",\"session\":1,\"count\":0}", "from 1 to 10000"},
    {"{\"op\":\"ask\",\"session\":1,\"count\":1.5}", "from 1 to 10000"},
    {"{\"op\":\"ask\",\"session\":1,\"count\":10001}", "from 1 to 10000"},
    {"{\"op\":\"tell\",\"session\":1}", "\"trials\" must be given, as a list"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":7}", "\"trials\" must be a list"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[7]}", "Entry 1"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1}]}", "needs a \"score\""},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"time\":1}]}", "told \"score\""},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"score\":-1}]}", "must be 0 or"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"score\":\"1\"}]}", "a number"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"scor\":1}]}", "did you mean"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"score\":1,\"outcome\":"
     "\"timeout\"}]}",
     "leave one of them out"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"outcome\":\"bad\"}]}",
     "is one of ok, rejected"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"score\":1,\"cost\":-1}]}",
     "costs must be"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"score\":1,\"criteria\":"
     "{\"e\":1}}]}",
     "\"criteria.e\": unknown key; no key is allowed here"},
    {"{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":2,\"score\":1}]}", "never asked"},
    {"{\"op\":\"create\"}", "\"space\" must be"},
    {"{\"op\":\"create\",\"space\":{}}", "space"},
    {"{\"op\":\"create\",\"space\":\"absent.json\"}", "absent.json"},
    {CREATE ",\"tuner\":\"opveo\"}", "opevo"},
    {CREATE ",\"settings\":{\"q\":1}}", "\"settings\", q"},
    {CREATE ",\"settings\":{\"q\":[]}}", "a number or a string"},
    {CREATE ",\"seed\":-1}", "\"seed\" must be"},
    {CREATE ",\"seed\":\"18446744073709551616\"}", "\"seed\" must be"},
    {CREATE ",\"result\":\"speed\"}", "\"score\", \"time\" or \"gflops\""},
    {CREATE ",\"criterion\":[\"fitness\"]}", "begins with a name"},
    {CREATE ",\"criterion\":[\"a\",\"b\",\"c\",\"d\"]}", "3 criteria"},
    {CREATE ",\"criteria\":\"time\"}", "\"criteria\", time"},
    {CREATE ",\"learn\":\"runs.db:1\"}", "\"learn\": the tuner opevo"},
    {CREATE ",\"start\":\"X=3\"}", "\"start\", X=3: "},
    {CREATE ",\"start\":[{}]}", "\"start\" must be a string, or a list of strings"},
    {CREATE ",\"zzzzzz\":1}", "the keys are op, id, space"},
    {"{\"op\":\"create\",\"space\":\"\"}", "is empty"},
    {CREATE ",\"require\":\"error<1\"}", "\"require\", error<1"},
    {CREATE ",\"learn\":\"runs.db:1\"}", "cannot learn"},
    {CREATE ",\"signature\":\"xyz\"}", "16 hexadecimal"},
    {CREATE ",\"store\":\"absent/runs.db\"}", "absent/runs.db"},
    {CREATE ",\"name\":\"\"}", "a name"},
    {"{\"op\":\"law\"}", "\"parameter\" is missing"},
    {"{\"op\":\"law\",\"session\":1,\"parameter\":\"Y\"}", "no parameter \"Y\""},
    {"{\"op\":\"law\",\"session\":1,\"parameter\":\"X\",\"q\":1}", "0 <= q < 1"},
    {"{\"op\":\"law\",\"session\":1,\"parameter\":\"X\",\"start\":[3,1,1]}", "X"},
    {"{\"op\":\"law\",\"session\":1,\"parameter\":\"X\",\"start\":{}}", "must be a value"},
};

CHECK_TEST(test_garbage_is_refused)
{
    serve_client client = serve_start();

    assert_int_equal(serve_number(&client, CREATE "}", "session"), 1);
    json_decref(serve_done(&client, "{\"op\":\"ask\",\"session\":1}"));
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        serve_refused(&client, garbage[i][0], garbage[i][1]);
    assert_int_equal(serve_number(&client, "{\"op\":\"close\",\"session\":1}", "trials"), 0);
    serve_refused(&client, "{\"op\":\"close\",\"session\":1}", "is not open");
    assert_int_equal(serve_wait(&client), 0);
}

CHECK_TEST(test_ids_come_back)
{
    serve_client client = serve_start();
    json_t *reply = serve_done(&client, "{\"op\":\"version\",\"id\":\"a \\u00e4\"}");

    assert_string_equal(json_string_value(json_object_get(reply, "id")), "a \xc3\xa4");
    json_decref(reply);
    assert_int_equal(serve_number(&client, "{\"id\":-7,\"op\":\"version\"}", "id"), -7);
    reply = serve_ask(&client, "{\"id\":0.5,\"op\":\"nonsense\"}");
    assert_true(json_real_value(json_object_get(reply, "id")) == 0.5);
    assert_true(json_is_false(json_object_get(reply, "ok")));
    json_decref(reply);
    assert_int_equal(serve_wait(&client), 0);
}

/* A line of 1 MiB is read, a longer one is refused once, and the server goes on after it; so it
 * does after brackets that nest too deep. */
CHECK_TEST(test_long_lines)
{
    enum { MOST = 1 << 20 };
    static const char request[] = "{\"op\":\"version\"}";
    char *line = malloc(3 * MOST);
    serve_client client = serve_start();

    assert_non_null(line);
    for (size_t length = MOST - 1; length <= MOST + 1; length++) {
        json_t *reply = NULL;

        memset(line, ' ', length);
        memcpy(line, request, sizeof request - 1);
        line[length] = '\0';
        reply = serve_ask(&client, line);
        assert_int_equal(json_is_true(json_object_get(reply, "ok")), length <= MOST);
        json_decref(reply);
    }
    memset(line, '[', 3 * MOST - 1);
    line[3 * MOST - 1] = '\0';
    serve_refused(&client, line, "longer than 1 MiB");
    line[100000] = '\0';
    serve_refused(&client, line, "not JSON");
    assert_int_equal(serve_number(&client, request, "protocol"), 1);
    assert_int_equal(serve_wait(&client), 0);
    free(line);
}

/* ---- The end -------------------------------------------------------------------------------- */

CHECK_TEST(test_ends)
{
    static const int signals[] = {0, SIGTERM, SIGINT};
    static const int statuses[] = {0, 0, 130};

    for (size_t i = 0; i < 3; i++) {
        serve_client client = serve_start();

        assert_int_equal(serve_number(&client, CREATE "}", "session"), 1);
        serve_send_bytes(&client, "{\"op\":\"ask\",\"ses", 16); /* dies in the middle of a line */
        if (signals[i]) {
            kill(client.pid, signals[i]);
            assert_null(serve_receive(&client));
        }
        assert_int_equal(serve_wait(&client), statuses[i]);
    }
}

/* Nobody reads the replies any more. */
CHECK_TEST(test_a_client_that_is_gone)
{
    serve_client client = serve_start();
    int status = 0;

    signal(SIGPIPE, SIG_IGN);
    close(client.out);
    client.out = -1;
    while (write(client.in, "{\"op\":\"tuners\"}\n", 16) > 0)
        ;
    assert_int_equal(errno, EPIPE);
    status = serve_wait(&client);
    assert_int_equal(status, 0);
}

/* Wait until the server can write no more. */
static void await_full_pipe(const serve_client *client)
{
    int capacity = fcntl(client->out, F_GETPIPE_SZ);
    int unread = 0;

    for (int tries = 0; unread < capacity && tries < SERVE_WAIT_MS; tries++) {
        poll(NULL, 0, 1);
        assert_int_equal(ioctl(client->out, FIONREAD, &unread), 0);
    }
    assert_int_equal(unread, capacity);
}

/* What is not read yet blocks the server, and nothing is lost, also where writing does not
 * block. */
CHECK_TEST(test_replies_that_are_not_read_at_once)
{
    enum { MANY = 4000 };
    static const int flags[] = {0, O_NONBLOCK};

    for (size_t i = 0; i < 2; i++) {
        serve_client client = serve_start_to(flags[i]);
        pid_t writer = fork();

        if (writer == 0) {
            for (int k = 0; k < MANY; k++)
                serve_send(&client, "{\"op\":\"law\",\"parameter\":\"factor(64,2)\"}");
            _exit(0);
        }
        await_full_pipe(&client);
        for (int k = 0; k < MANY; k++)
            json_decref(serve_receive(&client));
        waitpid(writer, NULL, 0);
        assert_int_equal(serve_wait(&client), 0);
    }
}

/* A signal ends the server, also while nobody reads. */
CHECK_TEST(test_a_signal_while_replies_wait)
{
    serve_client client = serve_start();
    struct pollfd ended = {.fd = client.out, .events = 0};

    for (int i = 0; i < 100; i++)
        serve_send(&client, "{\"op\":\"tuners\"}");
    await_full_pipe(&client);
    kill(client.pid, SIGTERM);
    assert_int_equal(poll(&ended, 1, SERVE_WAIT_MS), 1);
    assert_int_equal(serve_wait(&client), 0);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static void tell_one(serve_client *client, int session, long long number, double score, int trials)
{
    char request[256];

    snprintf(request, sizeof request,
             "{\"op\":\"tell\",\"session\":%d,\"trials\":[{\"number\":%lld,\"score\":%g}]}",
             session, number, score);
    assert_int_equal(serve_number(client, request, "trials"), trials);
}

static void check_count(serve_client *client, const char *request, size_t count)
{
    json_t *reply = serve_done(client, request);

    assert_int_equal(json_array_size(json_object_get(reply, "trials")), count);
    json_decref(reply);
}

CHECK_TEST(test_two_sessions_in_parallel)
{
    serve_client client = serve_start();
    json_t *first = NULL;
    json_t *second = NULL;

    assert_int_equal(serve_number(&client, CREATE ",\"seed\":5}", "session"), 1);
    assert_int_equal(serve_number(&client, CREATE ",\"seed\":5}", "session"), 2);
    for (int i = 1; i <= 40; i++) {
        first = serve_done(&client, "{\"op\":\"ask\",\"session\":1}");
        second = serve_done(&client, "{\"op\":\"ask\",\"session\":2}");
        assert_true(json_equal(first, second));
        json_decref(first);
        json_decref(second);
        tell_one(&client, 1, i, i % 7, i);
        tell_one(&client, 2, i, i % 7, i);
    }
    first = serve_done(&client, "{\"op\":\"best\",\"session\":1}");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(first, "best"), "number")),
                     6);
    json_decref(first);
    assert_int_equal(serve_number(&client, "{\"op\":\"close\",\"session\":1}", "trials"), 40);
    check_count(&client, "{\"op\":\"ask\",\"session\":2}", 1); /* the other goes on */
    tell_one(&client, 2, 41, 1, 41);
    assert_int_equal(serve_wait(&client), 0);
}

CHECK_TEST(test_waiting_pending_and_over)
{
    serve_client client = serve_start();
    json_t *reply = NULL;

    serve_number(&client,
                 "{\"op\":\"create\",\"tuner\":\"random\",\"space\":{\"a\":{\"_type\":\"choice\","
                 "\"_value\":[1,2,3]}}}",
                 "session");
    reply = serve_done(&client, "{\"op\":\"ask\",\"session\":1,\"count\":5}");
    assert_int_equal(json_array_size(json_object_get(reply, "trials")), 3);
    assert_true(json_is_true(json_object_get(reply, "waiting")));
    json_decref(reply);
    tell_one(&client, 1, 3, 1, 0);
    check_count(&client, "{\"op\":\"pending\",\"session\":1}", 2);
    tell_one(&client, 1, 1, 1, 1);
    tell_one(&client, 1, 2, 1, 3);
    reply = serve_done(&client, "{\"op\":\"ask\",\"session\":1}");
    assert_true(json_is_true(json_object_get(reply, "over")));
    assert_non_null(json_string_value(json_object_get(reply, "reason")));
    json_decref(reply);
    assert_int_equal(serve_wait(&client), 0);
}

/* ---- Stores --------------------------------------------------------------------------------- */

/* What was acknowledged is there after SIGKILL, also what came out of order. */
CHECK_TEST(test_a_killed_server_loses_nothing)
{
    scratch_folder scratch = scratch_make();
    char create[512];
    json_t *asked = NULL;
    json_t *again = NULL;
    serve_client client = serve_start();

    snprintf(create, sizeof create, CREATE ",\"store\":\"%s\",\"seed\":\"18446744073709551615\"}",
             scratch.file);
    assert_int_equal(serve_number(&client, create, "trials"), 0);
    serve_refused(&client, create, "Session 1 tells this run");
    asked = serve_done(&client, "{\"op\":\"ask\",\"session\":1,\"count\":6}");
    tell_one(&client, 1, 5, 0.5, 0);
    tell_one(&client, 1, 1, 0.25, 1);
    tell_one(&client, 1, 3, 0.75, 1);
    kill(client.pid, SIGKILL);
    assert_int_equal(serve_wait(&client), 256 + SIGKILL);

    client = serve_start();
    assert_int_equal(serve_number(&client, create, "trials"), 1);
    again = serve_done(&client, "{\"op\":\"ask\",\"session\":1,\"count\":3}");
    for (size_t i = 0; i < 3; i++) /* 2, 4 and 6 */
        assert_true(json_equal(json_array_get(json_object_get(again, "trials"), i),
                               json_array_get(json_object_get(asked, "trials"), 2 * i + 1)));
    serve_refused(&client,
                  "{\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":5,\"score\":1}]}",
                  "Trial 5 was told before.");
    tell_one(&client, 1, 4, 1, 1);
    tell_one(&client, 1, 2, 1, 5);
    json_decref(asked);
    json_decref(again);
    assert_int_equal(serve_wait(&client), 0);
    scratch_remove(&scratch);
}
