/* MisbehavingStage {what: ..., at: k}: hands on what comes from below, and at the k-th pull of the process,
 * counted from 1 over all of its openings, breaks the contract of zz/stage_abi.h or crashes. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "zz/literal.h"
#include "zz/stage_abi.h"

static const zz_host* host;
static const zz_values* values;
static atomic_llong pulls, openings;

struct zz_stage {
  zz_place* at;
  long long strike_at;
  zz_str what; /* kept in `text` */
  char text[32];
};

typedef struct Stream {
  zz_stage* stage;
  zz_stream below;
} Stream;

static int is(const zz_stage* stage, const char* what) {
  return stage->what.n == strlen(what) && memcmp(stage->what.p, what, stage->what.n) == 0;
}

static void say_that_it_struck(const zz_stage* stage) {
  const zz_log* log = (const zz_log*)host->get_extension(ZZ_LOG);
  static const char text[] = "on purpose";
  if (log != NULL) log->write(stage->at, 3, text, sizeof text - 1);
}

/* What the sanitizers would report before the machine does. */
#define UNCHECKED __attribute__((noinline, no_sanitize("undefined", "address")))

UNCHECKED static int read_nowhere(void) {
  volatile int* nowhere = NULL;
  return *nowhere;
}

UNCHECKED static int fill_the_stack(volatile char* above) {
  volatile char block[4096];
  block[0] = above == NULL ? 1 : above[0];
  /* Never 0; the compiler does not see that. */
  return block[0] == 0 ? 0 : fill_the_stack(block) + block[0];
}

UNCHECKED static void free_twice(void) {
  void* volatile block = malloc(24);
  void* volatile again = block;
  free(block);
  free(again);
}

/* Until the run is interrupted; for ever when the stage does not ask, which is what it then does wrong. */
static zz_status wait_long(int asks, zz_error* err) {
  const zz_cancel* cancel = (const zz_cancel*)host->get_extension(ZZ_CANCEL);
  const struct timespec moment = {0, 10000000};
  while (!asks || !cancel->requested()) thrd_sleep(&moment, NULL);
  host->fail(err, ZZ_E_CANCELLED, "interrupted", 11);
  return ZZ_E_CANCELLED;
}

/* A result whose latency is no number; the host refuses to make it. */
static zz_status replace_number(zz_result* result, zz_error* err) {
  zz_lit latency = zz_lit_f64("latency_total2", NAN);
  zz_value* changed = values->with(result->evaluation, &latency, 1, err);
  values->release(result->evaluation);
  result->evaluation = changed;
  if (changed != NULL) return ZZ_OK;
  values->release(result->extra);
  result->extra = NULL;
  return ZZ_E_INVALID;
}

static zz_status strike(Stream* stream, zz_result* out, uint32_t cap, uint32_t* n, zz_error* err) {
  const zz_stage* stage = stream->stage;
  if (is(stage, "too many")) return *n = cap + 1, ZZ_OK;
  if (is(stage, "wild count")) return *n = UINT32_MAX, ZZ_OK;
  if (is(stage, "unknown status")) return *n = 0, 4711;
  if (is(stage, "negative status")) return *n = 0, -1;
  if (is(stage, "silence")) return *n = 0, ZZ_E_INTERNAL;
  if (is(stage, "nothing")) return memset(out, 0, sizeof *out), *n = 1, ZZ_OK;
  if (is(stage, "no room")) return stream->below.pull(&stream->below, NULL, 1, n, err);
  if (is(stage, "closed stream")) {
    stream->below.close(&stream->below);
    return stream->below.pull(&stream->below, out, cap, n, err);
  }
  if (is(stage, "no context")) {
    zz_lit number = zz_lit_i64(NULL, 7);
    zz_value* seven = values->make(NULL, &number, err);
    zz_stream other;
    const zz_status status = host->open(stage->at, seven, &other, err);
    values->release(seven);
    return *n = 0, status;
  }
  if (is(stage, "not a number")) {
    zz_status status = stream->below.pull(&stream->below, out, 1, n, err);
    if (status == ZZ_OK && *n == 1 && out->evaluation != NULL) status = replace_number(out, err);
    if (status != ZZ_OK) *n = 0;
    return status;
  }
  if (is(stage, "leak")) {
    const zz_status status = stream->below.pull(&stream->below, out, 1, n, err);
    if (status == ZZ_OK && *n == 1) values->retain(out->evaluation);
    return status;
  }
  if (is(stage, "segmentation fault")) return read_nowhere();
  if (is(stage, "abort")) abort();
  if (is(stage, "illegal instruction")) __builtin_trap();
  if (is(stage, "arithmetic fault")) raise(SIGFPE);
  if (is(stage, "stack overflow")) return fill_the_stack(NULL);
  if (is(stage, "double free")) free_twice();
  if (is(stage, "exit")) exit(0);
  *n = 0;
  if (is(stage, "wait and end")) return wait_long(1, NULL), ZZ_OK;
  if (is(stage, "hang")) return wait_long(0, err);
  if (is(stage, "wait")) return wait_long(1, err);
  *n = 0;
  return ZZ_OK;
}

static zz_status pull(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n, zz_error* err) ZZ_NOEXCEPT {
  Stream* stream = (Stream*)s->impl;
  const int at_pulls = stream->stage->what.n < 4 || memcmp(stream->stage->what.p, "open", 4) != 0;
  if (at_pulls && atomic_fetch_add(&pulls, 1) + 1 == stream->stage->strike_at) {
    say_that_it_struck(stream->stage);
    return strike(stream, out, cap, n, err);
  }
  return stream->below.pull(&stream->below, out, 1, n, err);
}

static void close_stream(zz_stream* s) ZZ_NOEXCEPT {
  Stream* stream = (Stream*)s->impl;
  stream->below.close(&stream->below); /* a second time after "closed stream", which the host must stand */
  free(stream);
}

static zz_status create(const zz_host* h, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  host = h;
  values = (const zz_values*)h->get_extension(ZZ_VALUES);
  const zz_ref what = values->get(settings, values->name("what", 4));
  const zz_ref when = values->get(settings, values->name("at", 2));
  zz_stage* stage = (zz_stage*)calloc(1, sizeof *stage);
  zz_str text;
  int64_t number;
  if (values->str(what, &text) != ZZ_OK) return free(stage), values->explain(what, ZZ_STR, err);
  if (values->i64(when, &number) != ZZ_OK) return free(stage), values->explain(when, ZZ_I64, err);
  stage->at = at;
  stage->strike_at = number;
  stage->what.n = text.n < sizeof stage->text ? text.n : sizeof stage->text;
  memcpy(stage->text, text.p, stage->what.n);
  stage->what.p = stage->text;
  *out = stage;
  return ZZ_OK;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { free(stage); }

/* What goes wrong at the k-th opening instead; ZZ_OK when nothing does. `*done` when the call is over. */
static zz_status strike_at_opening(zz_stage* stage, zz_error* err, int* done) {
  *done = 0;
  if (stage->what.n < 4 || memcmp(stage->what.p, "open", 4) != 0) return ZZ_OK;
  if (atomic_fetch_add(&openings, 1) + 1 != stage->strike_at) return ZZ_OK;
  *done = 1;
  say_that_it_struck(stage);
  if (is(stage, "open without stream")) return ZZ_OK;
  if (is(stage, "open in silence")) return ZZ_E_INTERNAL;
  host->fail(err, ZZ_E_INTERNAL, "refused on purpose", 18);
  return ZZ_E_INTERNAL;
}

static zz_status open(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  int done;
  const zz_status struck = strike_at_opening(stage, err, &done);
  if (done) return struck;
  Stream* stream = (Stream*)malloc(sizeof *stream);
  stream->stage = stage;
  const zz_status status = host->open(stage->at, ctx, &stream->below, err);
  if (status != ZZ_OK) return free(stream), status;
  out->impl = stream;
  out->pull = pull;
  out->close = close_stream;
  out->more = NULL;
  return ZZ_OK;
}

static const zz_param params[] = {
    {.name = "what", .kind = ZZ_STR, .flags = ZZ_REQUIRED, .doc = "which rule is broken"},
    {.name = "at", .kind = ZZ_I64, .def = "1", .allowed = "[1, inf]", .doc = "at which pull"},
};
static const zz_stage_desc misbehaving_stage = {
    .size = sizeof(zz_stage_desc),
    .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_PARALLEL_OPEN,
    .id = "test.faults.MisbehavingStage",
    .name = "MisbehavingStage",
    .summary = "breaks the contract at one of its pulls",
    .params = params,
    .n_params = 2,
    .create = create,
    .destroy = destroy,
    .open = open,
};
static const zz_stage_desc* const stages[] = {&misbehaving_stage};

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "test.faults.nonsense",
    .version = "1",
    .stages = stages,
    .n_stages = 1,
};
