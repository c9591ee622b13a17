/* Stages that break a rule of docs/abi.md each, which only `zz-host check-plugin` sees: most of them work
 * in a run. The name of a stage is the rule that it breaks. */
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "zz/literal.h"
#include "zz/stage_abi.h"

static const zz_host* host;
static const zz_values* values;

struct zz_stage {
  zz_place* at;
};

static zz_status init(const zz_host* given, zz_error* err) ZZ_NOEXCEPT {
  (void)err;
  host = given;
  values = given->get_extension(ZZ_VALUES);
  return ZZ_OK;
}

static zz_status create(const zz_host* given, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  (void)given, (void)settings, (void)err;
  *out = malloc(sizeof **out);
  (*out)->at = at;
  return ZZ_OK;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { free(stage); }

/* One run: a stream of the chain below, or three results of its own. */
typedef struct {
  zz_stream below;
  zz_value* context; /* borrowed: using it later is one of the mistakes */
  int given, ended;
} run;

static zz_value* evaluation(zz_error* err) {
  const zz_lit figures[] = {zz_lit_f64("energy_total", 1), zz_lit_f64("latency_total2", 1)};
  const zz_lit map = zz_lit_map(NULL, figures, 2);
  return values->make("evaluation", &map, err);
}

static zz_status pull_leaf(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n,
                           zz_error* err) ZZ_NOEXCEPT {
  run* r = s->impl;
  for (*n = 0; *n < cap && r->given < 3; ++*n, ++r->given) {
    out[*n].evaluation = evaluation(err);
    out[*n].extra = NULL;
  }
  return ZZ_OK;
}

static zz_status pull_on(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n,
                         zz_error* err) ZZ_NOEXCEPT {
  run* r = s->impl;
  return r->below.pull(&r->below, out, cap, n, err);
}

static void close_leaf(zz_stream* s) ZZ_NOEXCEPT { free(s->impl); }

static void close_below(zz_stream* s) ZZ_NOEXCEPT {
  run* r = s->impl;
  r->below.close(&r->below);
  free(r);
}

typedef zz_status (*pull_function)(zz_stream*, zz_result*, uint32_t, uint32_t*, zz_error*) ZZ_NOEXCEPT;
typedef void (*close_function)(zz_stream*) ZZ_NOEXCEPT;

static zz_status start(zz_value* ctx, zz_stream* out, pull_function pull, close_function close) {
  run* r = calloc(1, sizeof *r);
  r->context = ctx;
  out->impl = r;
  out->pull = pull;
  out->close = close;
  out->more = NULL;
  return ZZ_OK;
}

static zz_status start_above(zz_stage* stage, zz_value* ctx, zz_stream* out, pull_function pull,
                             close_function close, zz_error* err) {
  zz_stream below;
  const zz_status status = host->open(stage->at, ctx, &below, err);
  if (status != ZZ_OK) return status;
  start(ctx, out, pull, close);
  ((run*)out->impl)->below = below;
  return ZZ_OK;
}

#define LEAF(rule, pull)                                                                      \
  static zz_status open_##rule(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) \
      ZZ_NOEXCEPT {                                                                           \
    (void)stage, (void)err;                                                                   \
    return start(ctx, out, pull, close_leaf);                                                 \
  }
#define ABOVE(rule, pull, close)                                                              \
  static zz_status open_##rule(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) \
      ZZ_NOEXCEPT {                                                                           \
    return start_above(stage, ctx, out, pull, close, err);                                    \
  }
#define PULL(rule)                                                                                     \
  static zz_status pull_##rule(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n, zz_error* err) \
      ZZ_NOEXCEPT

/* Uses the context after `open` without having retained it. */
PULL(O1) {
  run* r = s->impl;
  zz_value* kept = values->retain(r->context);
  values->release(kept);
  return pull_leaf(s, out, cap, n, err);
}
LEAF(O1, pull_O1)

/* Makes a value and forgets it. */
PULL(O2) {
  (void)evaluation(err);
  return pull_leaf(s, out, cap, n, err);
}
LEAF(O2, pull_O2)

/* Gives one result more after its end. */
PULL(P2) {
  run* r = s->impl;
  if (r->given == 3 && r->ended++) r->given = 2;
  return pull_leaf(s, out, cap, n, err);
}
LEAF(P2, pull_P2)

/* Drops what does not fit into the room of the consumer. */
PULL(P3) {
  run* r = s->impl;
  if (cap > 1) r->given += r->given == 0;
  return pull_leaf(s, out, cap, n, err);
}
LEAF(P3, pull_P3)

/* Leaves the chain below open. */
ABOVE(P4, pull_on, close_leaf)

/* Gives a map for an evaluation. */
PULL(S5) {
  run* r = s->impl;
  (void)cap;
  *n = r->given++ == 0;
  if (*n == 0) return ZZ_OK;
  const zz_lit energy = zz_lit_f64("energy_total", 1);
  const zz_lit map = zz_lit_map(NULL, &energy, 1);
  out->evaluation = values->make(NULL, &map, err);
  out->extra = NULL;
  return ZZ_OK;
}
LEAF(S5, pull_S5)

/* Never ends, and never asks whether it should. */
PULL(P5) {
  (void)s, (void)out, (void)cap, (void)n, (void)err;
  while (getpid() > 0) usleep(1000);
  return ZZ_OK;
}
LEAF(P5, pull_P5)

/* Takes a failure of the chain below for its end. */
PULL(F4) {
  run* r = s->impl;
  const zz_status status = r->below.pull(&r->below, out, cap, n, err);
  return status == ZZ_E_INTERNAL ? ZZ_OK : status;
}
ABOVE(F4, pull_F4, close_below)

/* Reads a context key without saying so. */
static zz_status open_S3(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  (void)values->get(values->look(ctx), values->name("colour", 6));
  return start_above(stage, ctx, out, pull_on, close_below, err);
}

/* Says that it is a leaf, and opens the chain below. */
static zz_status open_S4(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  zz_stream below;
  if (host->open(stage->at, ctx, &below, NULL) == ZZ_OK) below.close(&below);
  (void)err;
  return start(ctx, out, pull_leaf, close_leaf);
}

/* Says that it forwards, and drops every second result. */
PULL(S6) {
  const zz_status status = pull_on(s, out, 1, n, err);
  (void)cap;
  if (status != ZZ_OK || *n == 0) return status;
  zz_result dropped;
  uint32_t m = 0;
  const zz_status next = pull_on(s, &dropped, 1, &m, err);
  if (m > 0) values->release(dropped.evaluation);
  return next == ZZ_OK || *n > 0 ? ZZ_OK : next;
}
ABOVE(S6, pull_S6, close_below)

static void* idle(void* nothing) {
  sleep(2);
  return nothing;
}

/* Starts a thread. */
PULL(M2) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, idle, NULL) == 0) pthread_detach(thread);
  return pull_leaf(s, out, cap, n, err);
}
LEAF(M2, pull_M2)

/* Keeps something in a thread-local across pulls. */
static _Thread_local int given_here;
PULL(M3) {
  run* r = s->impl;
  if (r->given == 0) given_here = 0;
  r->given = given_here;
  const zz_status status = pull_leaf(s, out, cap, n, err);
  given_here = r->given;
  return status;
}
LEAF(M3, pull_M3)

/* Leaves another rounding mode behind. */
PULL(M4) {
  fesetround(FE_UPWARD);
  return pull_leaf(s, out, cap, n, err);
}
LEAF(M4, pull_M4)

/* A default that its own setting does not allow. */
static const zz_param settings_T4[] = {
    {.name = "keep", .kind = ZZ_I64, .def = "0", .allowed = "[1, 64]", .doc = "how many"}};

#define STAGE(rule, stage_flags, function, settings, n)                           \
  static const zz_stage_desc stage_##rule = {.size = sizeof(zz_stage_desc),       \
                                             .flags = stage_flags,                \
                                             .id = "test.unruly." #rule,          \
                                             .name = #rule,                       \
                                             .summary = "breaks the rule " #rule, \
                                             .params = settings,                  \
                                             .n_params = n,                       \
                                             .create = create,                    \
                                             .destroy = destroy,                  \
                                             .open = function};
STAGE(O1, ZZ_STAGE_LEAF, open_O1, NULL, 0)
STAGE(O2, ZZ_STAGE_LEAF, open_O2, NULL, 0)
STAGE(P2, ZZ_STAGE_LEAF, open_P2, NULL, 0)
STAGE(P3, ZZ_STAGE_LEAF, open_P3, NULL, 0)
STAGE(P4, 0, open_P4, NULL, 0)
STAGE(P5, ZZ_STAGE_LEAF, open_P5, NULL, 0)
STAGE(F4, 0, open_F4, NULL, 0)
STAGE(S3, 0, open_S3, NULL, 0)
STAGE(S4, ZZ_STAGE_LEAF, open_S4, NULL, 0)
STAGE(S5, ZZ_STAGE_LEAF, open_S5, NULL, 0)
STAGE(S6, ZZ_STAGE_FORWARDS, open_S6, NULL, 0)
STAGE(M2, ZZ_STAGE_LEAF, open_M2, NULL, 0)
STAGE(M3, ZZ_STAGE_LEAF, open_M3, NULL, 0)
STAGE(M4, ZZ_STAGE_LEAF, open_M4, NULL, 0)
STAGE(T4, 0, open_S6, settings_T4, 1)

static const zz_stage_desc* const stages[] = {&stage_O1, &stage_O2, &stage_P2, &stage_P3, &stage_P4,
                                              &stage_P5, &stage_F4, &stage_S3, &stage_S4, &stage_S5,
                                              &stage_S6, &stage_M2, &stage_M3, &stage_M4, &stage_T4};

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "test.unruly",
    .version = "1",
    .init = init,
    .stages = stages,
    .n_stages = sizeof stages / sizeof *stages,
};
