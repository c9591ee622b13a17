/* A stage in C that reads whole files, and keeps an answer: logs how many bytes they have, and what it
 * found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zz/stage_abi.h"

struct zz_stage {
  const zz_host* host;
  zz_place* at;
  char text[512], bytes[512], store[512];
};

static const zz_values* values(const zz_stage* stage) { return stage->host->get_extension(ZZ_VALUES); }

static void copy(const zz_stage* stage, zz_ref settings, const char* name, char* out) {
  zz_str text = {0};
  const zz_values* v = values(stage);
  v->str(v->get(settings, v->name(name, strlen(name))), &text);
  snprintf(out, 512, "%.*s", (int)text.n, text.n ? text.p : "");
}

static zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  (void)err;
  zz_stage* stage = calloc(1, sizeof *stage);
  stage->host = host;
  stage->at = at;
  copy(stage, settings, "text", stage->text);
  copy(stage, settings, "bytes", stage->bytes);
  copy(stage, settings, "store", stage->store);
  *out = stage;
  return ZZ_OK;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { free(stage); }

static void say(const zz_stage* stage, const char* text) {
  const zz_log* log = stage->host->get_extension(ZZ_LOG);
  log->write(stage->at, 3, text, strlen(text));
}

/* How often this question was asked: kept as a number. */
static zz_status count_questions(const zz_stage* stage, zz_error* err) {
  const zz_answers* answers = stage->host->get_extension(ZZ_ANSWERS);
  const zz_values* v = values(stage);
  const zz_str store = {stage->store, strlen(stage->store)};
  const zz_lit asked = {.key = "what", .kind = ZZ_STR, .u.s = {stage->text, strlen(stage->text)}};
  const zz_lit map = {.kind = ZZ_MAP, .u.a = {&asked, 1}};
  zz_value *question = v->make(NULL, &map, err), *found = NULL, *kept = NULL;
  if (question == NULL) return ZZ_E_INTERNAL;
  int64_t times = 0;
  zz_status status = answers->find(stage->at, v->look(question), store, &found, err);
  if (status == ZZ_OK) {
    if (found != NULL) v->i64(v->look(found), &times);
    ++times;
    const zz_lit number = {.kind = ZZ_I64, .u.i = times};
    kept = v->make(NULL, &number, err);
    status = kept != NULL ? answers->keep(stage->at, v->look(question), v->look(kept), store, err)
                          : ZZ_E_INTERNAL;
    char text[64];
    snprintf(text, sizeof text, "asked %d times", (int)times);
    say(stage, text);
  }
  v->release(found);
  v->release(kept);
  v->release(question);
  return status;
}

static zz_status open_stage(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  const zz_input* input = stage->host->get_extension(ZZ_INPUT);
  const zz_values* v = values(stage);
  for (int whole = 0; whole < 2; ++whole) {
    const char* path = whole ? stage->bytes : stage->text;
    const zz_str name = {path, strlen(path)};
    if (name.n == 0) continue;
    zz_value* content = (whole ? input->bytes : input->text)(stage->at, name, err);
    if (content == NULL) return ZZ_E_INVALID;
    zz_str held = {0};
    v->str(v->look(content), &held);
    char text[64];
    snprintf(text, sizeof text, "%s of %d bytes", whole ? "a file" : "a text", (int)held.n);
    say(stage, text);
    v->release(content);
  }
  const zz_status status = count_questions(stage, err);
  if (status != ZZ_OK) return status;
  ((const zz_cancel*)stage->host->get_extension(ZZ_CANCEL))->take(); /* nobody interrupts: without effect */
  return stage->host->open(stage->at, ctx, out, err);
}

static const zz_param params[] = {
    {.name = "text", .kind = ZZ_STR, .flags = ZZ_INPUT_PATH, .def = "''", .doc = "a text"},
    {.name = "bytes", .kind = ZZ_STR, .flags = ZZ_INPUT_PATH, .def = "''", .doc = "a file"},
    {.name = "store", .kind = ZZ_STR, .def = "''", .doc = "keeps the count"}};
static const zz_stage_desc whole_files = {.size = sizeof(zz_stage_desc),
                                          .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC,
                                          .id = "org.test.WholeFilesStage",
                                          .name = "WholeFilesStage",
                                          .summary = "reads whole files",
                                          .params = params,
                                          .n_params = 3,
                                          .create = create,
                                          .destroy = destroy,
                                          .open = open_stage};
static const zz_stage_desc* const stages[] = {&whole_files};

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {.size = sizeof(zz_plugin),
                                .abi_major = ZZ_ABI_MAJOR,
                                .abi_minor = ZZ_ABI_MINOR,
                                .id = "org.test.whole_files",
                                .version = "1.0",
                                .vendor = "",
                                .license = "MIT",
                                .stages = stages,
                                .n_stages = 1};
