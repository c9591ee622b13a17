/* Stages that break the contract of zz/stage_abi.h, each in one way. All are leaves without settings. */
#include <string.h>

#include "zz/stage_abi.h"

struct zz_stage {
  int unused;
};

static zz_stage the_stage;

static zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  (void)host, (void)settings, (void)at, (void)err;
  *out = &the_stage;
  return ZZ_OK;
}

static zz_status create_nothing(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                                zz_error* err) ZZ_NOEXCEPT {
  (void)host, (void)settings, (void)at, (void)out, (void)err;
  return ZZ_OK;
}

static zz_status create_without_words(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                                      zz_error* err) ZZ_NOEXCEPT {
  (void)host, (void)settings, (void)at, (void)out, (void)err;
  return ZZ_E_INVALID;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { (void)stage; }

static void close_stream(zz_stream* s) ZZ_NOEXCEPT { (void)s; }

static zz_status pull_too_many(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n,
                               zz_error* err) ZZ_NOEXCEPT {
  (void)s, (void)out, (void)err;
  *n = cap + 1;
  return ZZ_OK;
}

static zz_status pull_without_words(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n,
                                    zz_error* err) ZZ_NOEXCEPT {
  (void)s, (void)out, (void)cap, (void)err;
  *n = 0;
  return ZZ_E_INTERNAL;
}

static zz_status pull_unknown_status(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n,
                                     zz_error* err) ZZ_NOEXCEPT {
  (void)s, (void)out, (void)cap, (void)err;
  *n = 0;
  return 4711;
}

static zz_status pull_null(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n,
                           zz_error* err) ZZ_NOEXCEPT {
  (void)cap, (void)err;
  *n = s->impl == NULL;
  s->impl = &the_stage;
  memset(out, 0, sizeof *out);
  return ZZ_OK;
}

/* A real crash, also where sanitizers would report the mistake first. */
__attribute__((no_sanitize("undefined", "address"))) static zz_status pull_crash(
    zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n, zz_error* err) ZZ_NOEXCEPT {
  (void)s, (void)cap, (void)err;
  volatile int* nowhere = (volatile int*)out->extra;
  nowhere = (volatile int*)((uintptr_t)nowhere & 0);
  *n = (uint32_t)*nowhere;
  return ZZ_OK;
}

typedef zz_status (*pull_function)(zz_stream*, zz_result*, uint32_t, uint32_t*, zz_error*) ZZ_NOEXCEPT;

static zz_status open_with(pull_function pull, zz_stream* out) {
  out->impl = NULL;
  out->pull = pull;
  out->close = close_stream;
  out->more = NULL;
  return ZZ_OK;
}

#define OPEN(name, pull)                                                                             \
  static zz_status name(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT { \
    (void)stage, (void)ctx, (void)err;                                                               \
    return open_with(pull, out);                                                                     \
  }
OPEN(open_too_many, pull_too_many)
OPEN(open_without_words, pull_without_words)
OPEN(open_unknown_status, pull_unknown_status)
OPEN(open_null, pull_null)
OPEN(open_crash, pull_crash)

static zz_status open_nothing(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  (void)stage, (void)ctx, (void)out, (void)err;
  return ZZ_OK;
}

static zz_status open_with_unknown_status(zz_stage* stage, zz_value* ctx, zz_stream* out,
                                          zz_error* err) ZZ_NOEXCEPT {
  (void)stage, (void)ctx, (void)out, (void)err;
  return 12345;
}

#define STAGE(variable, stage_name, create_function, open_function) \
  static const zz_stage_desc variable = {                           \
      .size = sizeof(zz_stage_desc),                                \
      .flags = ZZ_STAGE_LEAF,                                       \
      .id = "test.misbehaving." stage_name,                         \
      .name = stage_name,                                           \
      .summary = "breaks the contract",                             \
      .create = create_function,                                    \
      .destroy = destroy,                                           \
      .open = open_function,                                        \
  }
STAGE(null_stage, "NullStage", create_nothing, open_null);
STAGE(silent_create, "SilentCreateStage", create_without_words, open_null);
STAGE(no_stream, "NoStreamStage", create, open_nothing);
STAGE(too_many, "TooManyStage", create, open_too_many);
STAGE(silent, "SilentStage", create, open_without_words);
STAGE(unknown_status, "UnknownStatusStage", create, open_unknown_status);
STAGE(unknown_open, "UnknownOpenStage", create, open_with_unknown_status);
STAGE(no_evaluation, "NoEvaluationStage", create, open_null);
STAGE(crash, "CrashStage", create, open_crash);

static const zz_stage_desc* const stages[] = {&null_stage,   &silent_create, &no_stream,
                                              &too_many,     &silent,        &unknown_status,
                                              &unknown_open, &no_evaluation, &crash};

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "test.misbehaving",
    .version = "1",
    .vendor = "zz",
    .license = "MIT",
    .stages = stages,
    .n_stages = sizeof stages / sizeof *stages,
};
