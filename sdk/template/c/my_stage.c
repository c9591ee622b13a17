/* A stage to start from: passes on what the chain below yields, with one metric more. */
#include <stdlib.h>
#include <zz/literal.h>
#include <zz/stage_abi.h>

static const zz_host* host;
static const zz_values* values;

struct zz_stage {
  zz_place* at;
  double price;
  zz_name energy_total;
};

/* One run of the stage: what a stream's `impl` points to. */
typedef struct {
  const zz_stage* stage;
  zz_stream below;
  int ended;
  zz_value* failure; /* of the stage itself: it is final, and told again by every later pull */
  zz_status code;
} run;

static zz_status out_of_memory(zz_error* err) {
  static const char text[] = "out of memory";
  host->fail(err, ZZ_E_INTERNAL, text, sizeof text - 1);
  return ZZ_E_INTERNAL;
}

/* ---------------------------------------------------------------------------------- stream */

/* Replaces the evaluation of a result by one that has the price, too. */
static zz_status add_price(const zz_stage* stage, zz_result* result, zz_error* err) {
  const zz_ref energy = values->get(values->look(result->evaluation), stage->energy_total);
  double number = 0;
  if (values->f64(energy, &number) != ZZ_OK) return values->explain(energy, ZZ_F64, err);
  const zz_lit price = zz_lit_f64("energy_price", stage->price * number);
  zz_value* priced = values->with(result->evaluation, &price, 1, err);
  if (!priced) return ZZ_E_INTERNAL;
  values->release(result->evaluation);
  result->evaluation = priced;
  return ZZ_OK;
}

static zz_status pull(zz_stream* stream, zz_result* out, uint32_t cap, uint32_t* n,
                      zz_error* err) ZZ_NOEXCEPT {
  run* r = (run*)stream->impl;
  *n = 0;
  if (r->code != ZZ_OK) {
    host->fail_as(err, r->failure);
    return r->code;
  }
  if (r->ended) return ZZ_OK;
  while (*n < cap) {
    uint32_t given = 0;
    zz_status status = r->below.pull(&r->below, &out[*n], 1, &given, err);
    if (status == ZZ_OK && given == 0) {
      r->ended = 1;
      return ZZ_OK;
    }
    if (status == ZZ_OK) {
      status = add_price(r->stage, &out[*n], err);
      if (status == ZZ_OK) {
        ++*n;
        continue;
      }
      values->release(out[*n].evaluation);
      values->release(out[*n].extra);
    }
    /* What was found is handed over first; the failure comes with the next call. */
    r->code = status;
    r->failure = host->failure();
    return *n > 0 ? ZZ_OK : status;
  }
  return ZZ_OK;
}

static void close_stream(zz_stream* stream) ZZ_NOEXCEPT {
  run* r = (run*)stream->impl;
  r->below.close(&r->below);
  values->release(r->failure);
  free(r);
}

static zz_status open_stage(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  run* r = (run*)calloc(1, sizeof *r);
  if (!r) return out_of_memory(err);
  r->stage = stage;
  const zz_status status = host->open(stage->at, ctx, &r->below, err);
  if (status != ZZ_OK) {
    free(r);
    return status;
  }
  out->impl = r;
  out->pull = pull;
  out->close = close_stream;
  out->more = NULL;
  return ZZ_OK;
}

/* ----------------------------------------------------------------------------------- stage */

static zz_status create(const zz_host* given, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  (void)given;
  const zz_ref price = values->get(settings, values->name("price", 5));
  zz_stage* stage = (zz_stage*)calloc(1, sizeof *stage);
  if (!stage) return out_of_memory(err);
  stage->at = at;
  stage->energy_total = values->name("energy_total", 12);
  if (values->f64(price, &stage->price) != ZZ_OK) {
    free(stage);
    return values->explain(price, ZZ_F64, err);
  }
  *out = stage;
  return ZZ_OK;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { free(stage); }

static const zz_param params[] = {{
    .name = "price",
    .kind = ZZ_F64,
    .def = "0.25",
    .allowed = "[0, inf]",
    .unit = "1/pJ",
    .doc = "of the energy",
}};

static const zz_metric metrics[] = {{
    .name = "energy_price",
    .flags = ZZ_METRIC_COLUMN,
    .doc = "what the energy costs",
}};

static const zz_stage_desc my_stage = {
    .size = sizeof(zz_stage_desc),
    .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
    .id = "org.example.MyStage",
    .name = "MyStage",
    .summary = "Adds the cost of the energy",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .create = create,
    .destroy = destroy,
    .open = open_stage,
    .metrics = metrics,
    .n_metrics = sizeof metrics / sizeof *metrics,
};

/* ---------------------------------------------------------------------------------- plugin */

static zz_status init(const zz_host* given, zz_error* err) ZZ_NOEXCEPT {
  static const char text[] = "this host does not offer " ZZ_VALUES;
  host = given;
  values = (const zz_values*)given->get_extension(ZZ_VALUES);
  if (values) return ZZ_OK;
  given->fail(err, ZZ_E_UNSUPPORTED, text, sizeof text - 1);
  return ZZ_E_UNSUPPORTED;
}

static const zz_stage_desc* const stages[] = {&my_stage};

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "org.example.my_plugin",
    .version = "0.1",
    .license = "MIT",
    .init = init,
    .stages = stages,
    .n_stages = sizeof stages / sizeof *stages,
};
