/* A plugin as somebody wrote it for minor 0.1, built against the header of that minor. Kept as it is: it
 * must load in every later host of the same major, and do what it did. It goes through most of what the
 * boundary has: settings, ports, values, contexts, streams, failures, and extensions of the host and of the
 * stage. */
#include <stdlib.h>
#include <string.h>

#include "zz/stage_abi.h"

struct zz_stage {
  const zz_host* host;
  const zz_values* values;
  zz_place* at;
  double factor;
  zz_name energy, limit;
};

typedef struct Run {
  zz_stage* stage;
  zz_stream below;
} Run;

static zz_lit literal(const char* key, int32_t kind) {
  zz_lit lit;
  memset(&lit, 0, sizeof lit);
  lit.key = key;
  lit.kind = kind;
  return lit;
}

static zz_status pull(zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n, zz_error* err) ZZ_NOEXCEPT {
  Run* run = (Run*)s->impl;
  const zz_stage* stage = run->stage;
  const zz_status status = run->below.pull(&run->below, out, cap, n, err);
  for (uint32_t i = 0; status == ZZ_OK && i < *n; ++i) {
    double energy = 0;
    const zz_ref found = stage->values->get(stage->values->look(out[i].evaluation), stage->energy);
    zz_status read = stage->values->f64(found, &energy);
    if (read != ZZ_OK) read = stage->values->explain(found, ZZ_F64, err);
    zz_lit scaled = literal("scaled_energy", ZZ_F64);
    scaled.u.d = stage->factor * energy;
    zz_value* changed = read == ZZ_OK ? stage->values->with(out[i].evaluation, &scaled, 1, err) : NULL;
    if (changed == NULL) {
      for (uint32_t j = 0; j < *n; ++j) {
        stage->values->release(out[j].evaluation);
        stage->values->release(out[j].extra);
      }
      *n = 0;
      return read == ZZ_OK ? ZZ_E_INVALID : read;
    }
    stage->values->release(out[i].evaluation);
    out[i].evaluation = changed;
  }
  return status;
}

static void close_stream(zz_stream* s) ZZ_NOEXCEPT {
  Run* run = (Run*)s->impl;
  run->below.close(&run->below);
  free(run);
}

static zz_status open(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  Run* run = (Run*)malloc(sizeof *run);
  run->stage = stage;
  int64_t limit = 0;
  stage->values->i64(stage->values->get(stage->values->look(ctx), stage->limit), &limit);
  zz_lit lower = literal("loma_lpf_limit", ZZ_I64);
  lower.u.i = limit > 3 ? 3 : limit;
  zz_value* changed = stage->values->with(ctx, &lower, 1, err);
  zz_status status =
      changed == NULL ? ZZ_E_INVALID : stage->host->open(stage->at, changed, &run->below, err);
  stage->values->release(changed);
  if (status != ZZ_OK) return free(run), status;
  out->impl = run;
  out->pull = pull;
  out->close = close_stream;
  out->more = NULL;
  return ZZ_OK;
}

static zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  const zz_values* values = (const zz_values*)host->get_extension(ZZ_VALUES);
  const zz_log* log = (const zz_log*)host->get_extension(ZZ_LOG);
  static const char text[] = "this factor is never below 0";
  double factor = 0;
  const zz_ref given = values->get(settings, values->name("factor", 6));
  if (values->f64(given, &factor) != ZZ_OK) return values->explain(given, ZZ_F64, err);
  if (factor < 0) return host->fail(err, ZZ_E_INVALID, text, sizeof text - 1), ZZ_E_INVALID;
  if (log != NULL && log->enabled(2)) log->write(at, 2, "as in 0.1", 9);
  zz_stage* stage = (zz_stage*)calloc(1, sizeof *stage);
  stage->host = host;
  stage->values = values;
  stage->at = at;
  stage->factor = factor;
  stage->energy = values->name("energy_total", 12);
  stage->limit = values->name("loma_lpf_limit", 14);
  *out = stage;
  return ZZ_OK;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { free(stage); }

static void demand(const zz_stage* stage, zz_demand* out) ZZ_NOEXCEPT {
  (void)stage;
  out->keep = 0;
  out->n = 0;
}
static const zz_stage_demand demands = {sizeof(zz_stage_demand), demand};

static const void* get_extension(const zz_stage* stage, const char* id) ZZ_NOEXCEPT {
  (void)stage;
  return strcmp(id, ZZ_STAGE_DEMAND) == 0 ? &demands : NULL;
}

static const zz_param params[] = {
    {.name = "factor",
     .kind = ZZ_F64,
     .def = "2",
     .allowed = "[0, inf]",
     .doc = "what the energy is multiplied by"},
};
static const zz_port consumes[] = {
    {.key = "layer", .kind = ZZ_OBJECT, .type = "layer", .doc = "the layer"},
};
static const zz_port provides[] = {
    {.key = "loma_lpf_limit", .kind = ZZ_I64, .doc = "at most 3"},
};
static const char* const writes[] = {"scaled_energy"};
static const zz_stage_desc stage_0_1 = {
    .size = sizeof(zz_stage_desc),
    .id = "test.released.Stage01",
    .name = "Stage01",
    .summary = "multiplies the energy, as in 0.1",
    .params = params,
    .n_params = 1,
    .n_consumes = 1,
    .consumes = consumes,
    .provides = provides,
    .n_provides = 1,
    .n_writes = 1,
    .writes = writes,
    .create = create,
    .destroy = destroy,
    .open = open,
    .get_extension = get_extension,
};
static const zz_stage_desc* const stages[] = {&stage_0_1};

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "test.released.plugin_0_1",
    .version = "1",
    .stages = stages,
    .n_stages = 1,
};
