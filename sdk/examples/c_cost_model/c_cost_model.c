/* A leaf stage in plain C with a cost model of its own. README.md has the model and an example worked by
 * hand. */
#include <stdlib.h>
#include <zz/literal.h>
#include <zz/stage_abi.h>

struct zz_stage {
  const zz_host* host;
  const zz_values* values;
  double stall;
  /* Interned once; several of them are paths. */
  zz_name mac_count, operand_bits, memory_operands;
  zz_name memories, operands, read_cost, write_cost, width;
  zz_name unit_energy, unit_count, loops, size;
  zz_name layer, accelerator, spatial_mapping, temporal_mapping;
};

/* ------------------------------------------------------------------------------ reading */

static zz_name intern(const zz_values* values, const char* text) {
  return values->name(text, strlen(text));
}

/* Reads one number; on failure the host's own words say which part is missing or of another type. */
static zz_status number(const zz_values* values, zz_ref part, double* out, zz_error* err) {
  if (values->f64(part, out) == ZZ_OK) return ZZ_OK;
  return values->explain(part, ZZ_F64, err);
}

static int holds(const zz_stage* stage, zz_ref memory, zz_str operand) {
  const zz_values* values = stage->values;
  const zz_ref held = values->get(memory, stage->operands);
  for (uint32_t i = 0; i < values->count(held); ++i) {
    zz_str name = {NULL, 0};
    if (values->str(values->at(held, i, NULL), &name) == ZZ_OK && name.n == operand.n &&
        memcmp(name.p, operand.p, name.n) == 0)
      return 1;
  }
  return 0;
}

/* -------------------------------------------------------------------------------- model */

/* Energy of moving every operand of the layer once through every memory that holds it. */
static zz_status memory_energy(const zz_stage* stage, zz_ref layer, zz_ref accelerator, double* energy,
                               zz_error* err) {
  const zz_values* values = stage->values;
  const zz_ref bits_of = values->get(layer, stage->operand_bits);
  const zz_ref held_as = values->get(layer, stage->memory_operands);
  const zz_ref memories = values->get(accelerator, stage->memories);
  *energy = 0;
  for (uint32_t i = 0; i < values->count(bits_of); ++i) {
    double bits = 0;
    zz_str operand = {NULL, 0};
    zz_status status = number(values, values->at(bits_of, i, NULL), &bits, err);
    if (status != ZZ_OK) return status;
    if (values->str(values->at(held_as, i, NULL), &operand) != ZZ_OK)
      return values->explain(values->at(held_as, i, NULL), ZZ_STR, err);
    for (uint32_t k = 0; k < values->count(memories); ++k) {
      const zz_ref memory = values->at(memories, k, NULL);
      double width = 0, cost = 0;
      if (!holds(stage, memory, operand)) continue;
      status = number(values, values->get(memory, stage->width), &width, err);
      if (status != ZZ_OK) return status;
      /* The first operand is the output, which is written. */
      status =
          number(values, values->get(memory, i == 0 ? stage->write_cost : stage->read_cost), &cost, err);
      if (status != ZZ_OK) return status;
      *energy += bits / width * cost;
    }
  }
  return ZZ_OK;
}

/* Cycles of the loops in time. */
static zz_status cycles(const zz_stage* stage, zz_ref temporal_mapping, double* product, zz_error* err) {
  const zz_values* values = stage->values;
  const zz_ref loops = values->get(temporal_mapping, stage->loops);
  if (values->kind(loops) != ZZ_LIST) return values->explain(loops, ZZ_LIST, err);
  *product = 1;
  for (uint32_t i = 0; i < values->count(loops); ++i) {
    double size = 0;
    const zz_status status =
        number(values, values->get(values->at(loops, i, NULL), stage->size), &size, err);
    if (status != ZZ_OK) return status;
    *product *= size;
  }
  return ZZ_OK;
}

static zz_status evaluate(const zz_stage* stage, zz_ref ctx, zz_value** evaluation, zz_error* err) {
  const zz_values* values = stage->values;
  const zz_ref layer = values->get(ctx, stage->layer);
  const zz_ref accelerator = values->get(ctx, stage->accelerator);
  const zz_ref temporal_mapping = values->get(ctx, stage->temporal_mapping);
  double macs = 0, unit_energy = 0, units = 0, mem_energy = 0, busy = 0;

  zz_status status = number(values, values->get(layer, stage->mac_count), &macs, err);
  if (status == ZZ_OK)
    status = number(values, values->get(accelerator, stage->unit_energy), &unit_energy, err);
  if (status == ZZ_OK) status = number(values, values->get(accelerator, stage->unit_count), &units, err);
  if (status == ZZ_OK) status = memory_energy(stage, layer, accelerator, &mem_energy, err);
  if (status == ZZ_OK) status = cycles(stage, temporal_mapping, &busy, err);
  if (status != ZZ_OK) return status;

  const double mac_energy = macs * unit_energy;
  const double latency = busy * stage->stall;
  const zz_lit fields[] = {
      zz_lit_ref("layer", layer),
      zz_lit_ref("accelerator", accelerator),
      zz_lit_ref("spatial_mapping", values->get(ctx, stage->spatial_mapping)),
      zz_lit_ref("temporal_mapping", temporal_mapping),
      zz_lit_f64("mac_energy", mac_energy),
      zz_lit_f64("mem_energy", mem_energy),
      zz_lit_f64("energy_total", mac_energy + mem_energy),
      zz_lit_f64("ideal_cycle", macs / units),
      zz_lit_f64("ideal_temporal_cycle", busy),
      zz_lit_f64("latency_total0", latency),
      zz_lit_f64("latency_total1", latency),
      zz_lit_f64("latency_total2", latency),
  };
  const zz_lit map = zz_lit_map(NULL, fields, sizeof fields / sizeof *fields);
  *evaluation = values->make("evaluation", &map, err);
  return *evaluation ? ZZ_OK : ZZ_E_INTERNAL;
}

/* ------------------------------------------------------------------------------- stream */

/* The one result is worked out when the stream is opened; `impl` is its evaluation until it is handed over.
 */
static zz_status pull(zz_stream* stream, zz_result* out, uint32_t cap, uint32_t* n,
                      zz_error* err) ZZ_NOEXCEPT {
  (void)cap, (void)err;
  *n = stream->impl ? 1 : 0;
  if (*n) {
    out->evaluation = (zz_value*)stream->impl;
    out->extra = NULL;
  }
  stream->impl = NULL;
  return ZZ_OK;
}

static const zz_values* values_of_host;

static void close_stream(zz_stream* stream) ZZ_NOEXCEPT {
  values_of_host->release((zz_value*)stream->impl);
}

static zz_status open_stage(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  zz_value* evaluation = NULL;
  const zz_status status = evaluate(stage, stage->values->look(ctx), &evaluation, err);
  if (status != ZZ_OK) return status;
  out->impl = evaluation;
  out->pull = pull;
  out->close = close_stream;
  out->more = NULL;
  return ZZ_OK;
}

/* -------------------------------------------------------------------------------- stage */

static zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  static const char no_memory[] = "out of memory";
  const zz_values* values = values_of_host;
  zz_stage* stage = malloc(sizeof *stage);
  (void)at;
  if (!stage) {
    host->fail(err, ZZ_E_INTERNAL, no_memory, sizeof no_memory - 1);
    return ZZ_E_INTERNAL;
  }
  stage->host = host;
  stage->values = values;
  stage->mac_count = intern(values, "mac_count");
  stage->operand_bits = intern(values, "operand_bits");
  stage->memory_operands = intern(values, "memory_operands");
  stage->memories = intern(values, "memories");
  stage->operands = intern(values, "operands");
  stage->read_cost = intern(values, "r_cost");
  stage->write_cost = intern(values, "w_cost");
  stage->width = intern(values, "ports[0].bandwidth_max");
  stage->unit_energy = intern(values, "operational_array.unit_energy");
  stage->unit_count = intern(values, "unit_count");
  stage->loops = intern(values, "loops");
  stage->size = intern(values, "size");
  stage->layer = intern(values, "layer");
  stage->accelerator = intern(values, "accelerator");
  stage->spatial_mapping = intern(values, "spatial_mapping");
  stage->temporal_mapping = intern(values, "temporal_mapping");

  const zz_status status =
      number(values, values->get(settings, intern(values, "stall")), &stage->stall, err);
  if (status != ZZ_OK) {
    free(stage);
    return status;
  }
  *out = stage;
  return ZZ_OK;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { free(stage); }

static const zz_param params[] = {{
    .name = "stall",
    .kind = ZZ_F64,
    .def = "1",
    .allowed = "[1, inf]",
    .doc = "factor by which waiting for data stretches the loops",
}};

static const zz_port consumes[] = {
    {.key = "layer", .kind = ZZ_OBJECT, .type = "layer", .doc = "the layer to evaluate"},
    {.key = "accelerator",
     .kind = ZZ_OBJECT,
     .type = "accelerator",
     .doc = "what it runs on; energies in pJ"},
    {.key = "spatial_mapping",
     .kind = ZZ_OBJECT,
     .type = "spatial_mapping",
     .doc = "handed on in the evaluation"},
    {.key = "temporal_mapping",
     .kind = ZZ_OBJECT,
     .type = "temporal_mapping",
     .doc = "its loops make the cycles"},
};

static const zz_stage_desc simple_cost_model = {
    .size = sizeof(zz_stage_desc),
    .flags = ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
    .id = "org.example.SimpleCostModelStage",
    .name = "SimpleCostModelStage",
    .summary = "Cost model that moves every operand once through every memory",
    .doc = "Energies in pJ, latencies in cycles. A lower bound for what memories cost, not an estimate.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .consumes = consumes,
    .n_consumes = sizeof consumes / sizeof *consumes,
    .create = create,
    .destroy = destroy,
    .open = open_stage,
};

/* ------------------------------------------------------------------------------- plugin */

static zz_status init(const zz_host* host, zz_error* err) ZZ_NOEXCEPT {
  static const char text[] = "this host does not offer " ZZ_VALUES;
  values_of_host = host->get_extension(ZZ_VALUES);
  if (values_of_host) return ZZ_OK;
  host->fail(err, ZZ_E_UNSUPPORTED, text, sizeof text - 1);
  return ZZ_E_UNSUPPORTED;
}

static const zz_stage_desc* const stages[] = {&simple_cost_model};

ZZ_EXPORT extern const zz_plugin zz_plugin_v0;
const zz_plugin zz_plugin_v0 = {
    .size = sizeof(zz_plugin),
    .abi_major = ZZ_ABI_MAJOR,
    .abi_minor = ZZ_ABI_MINOR,
    .id = "org.example.c_cost_model",
    .version = "1.0",
    .license = "MIT",
    .init = init,
    .stages = stages,
    .n_stages = sizeof stages / sizeof *stages,
};
