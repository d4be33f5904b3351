/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The name of a library: each word of its texts that a program sees, or that two libraries in one
 * program would have in common, begins with it. */

#include "library_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char standard_name[] = "net";

/* ---- Names that are refused ---- */

static const char keywords[] =
    " auto break case char const continue default do double else enum extern float for goto if "
    "inline "
    "int long register restrict return short signed sizeof static struct switch typedef union "
    "unsigned void volatile while asm typeof alignas alignof and and_eq bitand bitor bool catch "
    "char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast "
    "consteval "
    "constexpr constinit decltype delete dynamic_cast explicit export false friend mutable "
    "namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast "
    "requires static_assert static_cast template this thread_local throw true try typeid typename "
    "using virtual wchar_t xor xor_eq linux unix ";

/* What headers of the C library declare that net.c and main.c include, with <f> and <l> of <math.h>
 * behind a word. POSIX has some of them. */
static const char declared[] =
    " abort abs aligned_alloc asctime asctime_r atexit atof atoi atol atoll bcmp bcopy bsearch "
    "bzero "
    "calloc clearerr clearenv clock clockid_t clock_t ctermid ctime ctime_r daylight difftime div "
    "div_t drand48 dprintf erand48 errno exit fclose fdopen feof ferror fflush ffs ffsl ffsll "
    "fgetc "
    "fgetpos fgets fileno flockfile fmemopen fopen fprintf fputc fputs fread free freopen fscanf "
    "fseek "
    "fseeko ftell ftello funlockfile fwrite fd_set getc getchar getdelim getdate getenv getline "
    "gets "
    "getsubopt getw gmtime gmtime_r grantpt index initstate jrand48 l64a a64l labs ldiv ldiv_t "
    "llabs "
    "lldiv lldiv_t lcong48 loadavg localtime localtime_r locale_t lrand48 malloc max_align_t mblen "
    "mbstowcs mbtowc memccpy memchr memcmp memcpy memfrob memmem memmove memset mempcpy mkdtemp "
    "mkostemp mkstemp mktemp mktime mrand48 nanosleep nrand48 offsetof off_t on_exit pclose perror "
    "pid_t "
    "popen posix_memalign printf ptrdiff_t ptsname putc putchar putenv putw puts qsort qsort_r "
    "quick_exit raise rand rand_r random realloc reallocarray realpath remove rename renameat "
    "rewind "
    "rindex rpmatch scanf seed48 select pselect setbuf setbuffer setenv setlinebuf setstate "
    "setvbuf "
    "signgam sigset_t size_t snprintf sprintf srand srand48 srandom sscanf ssize_t stderr stdin "
    "stdout "
    "stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn "
    "strdup "
    "strerror strerror_r strfmon strfry strftime strlcat strlcpy strlen strncasecmp strncat "
    "strncmp "
    "strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof "
    "strtok strtok_r strtol strtold strtoll strtoq strtoul strtoull strverscmp strxfrm system "
    "tempnam "
    "time timegm timelocal timer_t timespec timeval timezone time_t tm tmpfile tmpnam tzname tzset "
    "ungetc unlockpt unsetenv u_char u_int u_long u_short uint ulong ushort va_list valloc "
    "vdprintf "
    "vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wcstombs wctomb FILE NULL EOF "
    "BUFSIZ "
    "NAN INFINITY ";

static const char mathematics[] =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 "
    "exp2 "
    "expm1 fabs fdim finite float_t double_t floor fma fmax fmin fmod fpclassify frexp gamma hypot "
    "ilogb "
    "isfinite isgreater isinf isless isnan isnormal isunordered j0 j1 jn ldexp lgamma llrint "
    "llround "
    "log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder "
    "remquo rint round scalb scalbln scalbn signbit significand sin sincos sinh sqrt tan tanh "
    "tgamma "
    "trunc y0 y1 yn ";

/* Names of headers that a file PREFIX.h would hide, and what other libraries put before an
 * underscore. */
static const char headers[] =
    " assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
    "stdalign "
    "stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads "
    "time uchar wchar wctype alloca endian features fcntl malloc memory pthread sched semaphore "
    "ucontext unistd omp cuda cuda_runtime cuda_runtime_api hip thrd mtx cnd tss sem timer clock "
    "posix "
    "epoll key pthread_mutex pthread_cond pthread_key pthread_attr pthread_barrier pthread_rwlock "
    "pthread_spin pthread_mutexattr pthread_condattr pthread_barrierattr pthread_rwlockattr ";

/* Words of the library that its fixed texts do not have. */
static const char own_words[] = " main inputs outputs weights input pos shared_memory c cu hip ";

static bool is_in(const char *words, const char *word, size_t length)
{
    const char *at = words;

    while ((at = strchr(at, ' ')) != NULL && at[1]) {
        at++;
        if (strncmp(at, word, length) == 0 && at[length] == ' ')
            return true;
    }
    return false;
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *text)
{
    size_t length = 0;

    while (is_of_word(text[length]))
        length++;
    return length;
}

/* The next place of code behind a comment, a string or a @name@ that is filled, which begins here;
 * the same place where none does. */
static const char *skip(const char *text)
{
    const char *end = NULL;
    char quote = *text;

    if (text[0] == '/' && text[1] == '*') {
        end = strstr(text + 2, "*/");
        return end ? end + 2 : text + strlen(text);
    }
    if (quote == '@' && text[1 + word_length(text + 1)] == '@')
        return text + 2 + word_length(text + 1);
    if (quote != '"' && quote != '\'')
        return text;
    for (text++; *text && *text != quote; text++)
        text += *text == '\\' && text[1];
    return *text ? text + 1 : text;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    while (*text) {
        const char *next = skip(text);
        size_t found = 0;

        if (next != text) {
            text = next;
            continue;
        }
        found = word_length(text);
        if (found == length && strncmp(text, word, length) == 0)
            return true;
        text += found ? found : 1;
    }
    return false;
}

/* Of a file that many libraries have, or its name. */
static bool is_word_of(const opevo_i_library_gpu_text *texts, const char *name)
{
    bool found = false;

    for (; texts->name && !found; texts++)
        found = has_word(texts->text, name) ||
                (strncmp(texts->name, name, strlen(name)) == 0 && texts->name[strlen(name)] == '.');
    return found;
}

static bool is_in_texts(const char *name)
{
    static const char *const texts[] = {
        opevo_i_library_net_c,          opevo_i_library_copies,
        opevo_i_library_gpu_net_c,      opevo_i_library_net_h,
        opevo_i_library_calls,          opevo_i_library_gpu_calls,
        opevo_i_library_opencl_calls,   opevo_i_library_program,
        opevo_i_library_program_run,    opevo_i_library_program_end,
        opevo_i_library_program_main,   opevo_i_library_sizes,
        opevo_i_library_sizes_calls,    opevo_i_library_sizes_program,
        opevo_i_library_sizes_check,    opevo_i_library_sizes_profile,
        opevo_i_library_create,         opevo_i_library_targets_net_c,
        opevo_i_library_targets_row,    opevo_i_library_targets_calls,
        opevo_i_library_targets_create, opevo_i_library_part_processor_h};
    bool found = false;

    for (size_t i = 0; i < sizeof texts / sizeof *texts && !found; i++)
        found = has_word(texts[i], name);
    return found || is_word_of(opevo_i_library_gpu_texts, name) ||
           is_word_of(opevo_i_library_opencl_texts, name);
}

/* Also a word of the library `net`: behind the place of its name is the rest of the word. */
static bool is_own_word(const char *name)
{
    static const char *const heads[] = {"net", "NET", "emulated"};
    bool found = is_in(own_words, name, strlen(name)) || is_in_texts(name);

    for (size_t i = 0; i < sizeof heads / sizeof *heads && !found; i++) {
        size_t length = strlen(heads[i]);

        found = strncmp(name, heads[i], length) == 0 &&
                (name[length] == '_' || isupper((unsigned char)name[length])) &&
                is_in_texts(name + length);
    }
    return found;
}

/* With what <math.h> puts behind the name of a function. */
static bool is_mathematics(const char *name)
{
    size_t length = strlen(name);

    return is_in(mathematics, name, length) ||
           ((name[length - 1] == 'f' || name[length - 1] == 'l') &&
            is_in(mathematics, name, length - 1));
}

/* step_0, kernel_000: with numbers. */
static bool is_numbered(const char *name)
{
    static const char *const heads[] = {"step_", "kernel_"};

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (strncmp(name, heads[i], strlen(heads[i])) == 0 &&
            isdigit((unsigned char)name[strlen(heads[i])]))
            return true;
    }
    return false;
}

opevo_status opevo_network_library_check_name(const char *name, opevo_error *err)
{
    size_t length = strlen(name);

    if (strcmp(name, standard_name) == 0)
        return OPEVO_OK;
    if (word_length(name) != length || length == 0 || isdigit((unsigned char)*name) || *name == '_')
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "\"%.40s\" cannot begin names in C; give a letter, then letters, digits and "
            "underscores.",
            name);
    if (length > OPEVO_LIBRARY_NAME)
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%.40s\" is too long; give at most %d characters.",
                          name, OPEVO_LIBRARY_NAME);
    if (is_in(keywords, name, length))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%s\" is a keyword of C or C++; give another name.",
                          name);
    if (is_in(declared, name, length) || is_in(headers, name, length) || is_mathematics(name))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%s\" is a name of the C library or of another one; give another name.",
                          name);
    if (opevo_i_library_is_target_name(name, &length))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%s\" is what a library for several targets calls a part of its own; "
                          "give another name.",
                          name);
    if (is_own_word(name) || is_numbered(name))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%s\" is a word of the source of each library; give another name.",
                          name);
    return OPEVO_OK;
}

/* ---- The names of a library ---- */

opevo_status opevo_i_library_set_name(opevo_network_library *self, const char *name,
                                      opevo_error *err)
{
    bool other = name && strcmp(name, standard_name) != 0;
    opevo_status status = OPEVO_OK;
    size_t length = 0;

    if (other)
        OPEVO_TRY(opevo_network_library_check_name(name, err));
    snprintf(self->owner, sizeof self->owner, "%s", other ? name : standard_name);
    snprintf(self->name, sizeof self->name, "%.*s%s%s", OPEVO_LIBRARY_NAME, self->owner,
             self->options.target ? OPEVO_I_LIBRARY_FOR : "",
             self->options.target ? self->options.target : "");
    for (; self->name[length]; length++)
        self->upper[length] = (char)toupper((unsigned char)self->name[length]);
    self->upper[length] = '\0';
    snprintf(self->emulated, sizeof self->emulated, "%s%semulated", other ? name : "",
             other ? "_" : "");
    opevo_i_library_plain(self->options.model, &self->model);
    opevo_i_library_plain(self->options.version, &self->version);
    OPEVO_TRY(opevo_text_check(&self->model, err));
    OPEVO_TRY(opevo_text_check(&self->version, err));
    memcpy(self->slots,
           (opevo_text_slot[]){{"net", self->name},
                               {"NET", self->upper},
                               {"owner", self->owner},
                               {"emulated", self->emulated},
                               {"model", opevo_text_string(&self->model)},
                               {"version", opevo_text_string(&self->version)}},
           sizeof self->slots);
cleanup:
    return status;
}
