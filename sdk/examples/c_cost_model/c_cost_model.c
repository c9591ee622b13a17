/* A leaf stage in plain C with a cost model of its own. README.md has the model and an example worked by
 * hand. */
#include <stdlib.h>
#include <zz/literal.h>
#include <zz/stage_abi.h>

static const zz_values* values;

/* What the model reads: interned once, when the plugin is loaded. Several are paths. */
enum {
  LAYER,
  ACCELERATOR,
  SPATIAL_MAPPING,
  TEMPORAL_MAPPING,
  MAC_COUNT,
  OPERAND_BITS,
  MEMORY_OPERANDS,
  UNIT_ENERGY,
  UNIT_COUNT,
  MEMORIES,
  HELD_OPERANDS,
  READ_COST,
  WRITE_COST,
  WIDTH,
  LOOPS,
  SIZE,
  SETUP,
  NAME_COUNT
};
static const char* const texts[NAME_COUNT] = {
    [LAYER] = "layer",
    [ACCELERATOR] = "accelerator",
    [SPATIAL_MAPPING] = "spatial_mapping",
    [TEMPORAL_MAPPING] = "temporal_mapping",
    [MAC_COUNT] = "mac_count",
    [OPERAND_BITS] = "operand_bits",
    [MEMORY_OPERANDS] = "memory_operands",
    [UNIT_ENERGY] = "operational_array.unit_energy",
    [UNIT_COUNT] = "unit_count",
    [MEMORIES] = "memories",
    [HELD_OPERANDS] = "operands",
    [READ_COST] = "r_cost",
    [WRITE_COST] = "w_cost",
    [WIDTH] = "ports[0].bandwidth_max",
    [LOOPS] = "loops",
    [SIZE] = "size",
    [SETUP] = "setup",
};
static zz_name names[NAME_COUNT];

static zz_ref get(zz_ref of, int name) { return values->get(of, names[name]); }

/* --------------------------------------------------------------------------------- reading */

/* After the first failure, of which `err` has the host's own words, everything reads as nothing. */
struct reading {
  zz_error* err;
  zz_status status;
};

static double number(struct reading* reading, zz_ref part) {
  double read = 0;
  if (reading->status == ZZ_OK && values->f64(part, &read) != ZZ_OK)
    reading->status = values->explain(part, ZZ_F64, reading->err);
  return read;
}

static int holds(zz_ref memory, zz_ref operand) {
  const zz_ref held = get(memory, HELD_OPERANDS);
  zz_str wanted = {NULL, 0}, name = {NULL, 0};
  values->str(operand, &wanted);
  for (uint32_t i = 0; i < values->count(held); ++i)
    if (values->str(values->at(held, i, NULL), &name) == ZZ_OK && name.n == wanted.n &&
        memcmp(name.p, wanted.p, name.n) == 0)
      return 1;
  return 0;
}

/* ----------------------------------------------------------------------------------- model */

/* Every operand moves once through every memory that holds it: adds the energy, and gives the cycles of the
 * memory that is busy the longest. */
static double move_operands(struct reading* reading, zz_ref layer, zz_ref accelerator, double* energy) {
  const zz_ref bits = get(layer, OPERAND_BITS), held_as = get(layer, MEMORY_OPERANDS);
  const zz_ref memories = get(accelerator, MEMORIES);
  double longest = 0;
  for (uint32_t k = 0; k < values->count(memories); ++k) {
    const zz_ref memory = values->at(memories, k, NULL);
    double busy = 0;
    for (uint32_t i = 0; i < values->count(bits); ++i) {
      if (!holds(memory, values->at(held_as, i, NULL))) continue;
      const double words = number(reading, values->at(bits, i, NULL)) / number(reading, get(memory, WIDTH));
      /* The first operand is the output, which is written. */
      *energy += words * number(reading, get(memory, i == 0 ? WRITE_COST : READ_COST));
      busy += words;
    }
    if (busy > longest) longest = busy;
  }
  return longest;
}

static double loops_in_time(struct reading* reading, zz_ref temporal_mapping) {
  const zz_ref loops = get(temporal_mapping, LOOPS);
  double product = 1;
  for (uint32_t i = 0; i < values->count(loops); ++i)
    product *= number(reading, get(values->at(loops, i, NULL), SIZE));
  return product;
}

/* ----------------------------------------------------------------------------------- stage */

struct zz_stage {
  double setup;
};

static zz_status evaluate(const zz_stage* stage, zz_ref ctx, zz_value** evaluation, zz_error* err) {
  struct reading reading = {err, ZZ_OK};
  const zz_ref layer = get(ctx, LAYER), accelerator = get(ctx, ACCELERATOR);
  const double macs = number(&reading, get(layer, MAC_COUNT));
  const double mac_energy = macs * number(&reading, get(accelerator, UNIT_ENERGY));
  const double ideal_cycle = macs / number(&reading, get(accelerator, UNIT_COUNT));
  const double computing = loops_in_time(&reading, get(ctx, TEMPORAL_MAPPING));
  double mem_energy = 0;
  const double moving = move_operands(&reading, layer, accelerator, &mem_energy);
  if (reading.status != ZZ_OK) return reading.status;

  const double busy = computing > moving ? computing : moving;
  const zz_lit fields[] = {
      zz_lit_ref("layer", layer),
      zz_lit_ref("accelerator", accelerator),
      zz_lit_ref("spatial_mapping", get(ctx, SPATIAL_MAPPING)),
      zz_lit_ref("temporal_mapping", get(ctx, TEMPORAL_MAPPING)),
      zz_lit_f64("mac_energy", mac_energy),
      zz_lit_f64("mem_energy", mem_energy),
      zz_lit_f64("energy_total", mac_energy + mem_energy),
      zz_lit_f64("ideal_cycle", ideal_cycle),
      zz_lit_f64("ideal_temporal_cycle", computing),
      zz_lit_f64("latency_total0", busy),
      zz_lit_f64("latency_total1", stage->setup + busy),
      zz_lit_f64("latency_total2", stage->setup + busy),
  };
  const zz_lit map = zz_lit_map(NULL, fields, sizeof fields / sizeof *fields);
  *evaluation = values->make("evaluation", &map, err);
  return *evaluation ? ZZ_OK : ZZ_E_INTERNAL;
}

/* The one result is worked out when the stream is opened; `impl` is its evaluation until it is handed over.
 */
static zz_status pull(zz_stream* stream, zz_result* out, uint32_t cap, uint32_t* n,
                      zz_error* err) ZZ_NOEXCEPT {
  (void)cap, (void)err;
  *n = stream->impl ? 1 : 0;
  if (*n) *out = (zz_result){.evaluation = stream->impl};
  stream->impl = NULL;
  return ZZ_OK;
}

static void close_stream(zz_stream* stream) ZZ_NOEXCEPT { values->release(stream->impl); }

static zz_status open_stage(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT {
  zz_value* evaluation = NULL;
  const zz_status status = evaluate(stage, values->look(ctx), &evaluation, err);
  if (status == ZZ_OK) *out = (zz_stream){.impl = evaluation, .pull = pull, .close = close_stream};
  return status;
}

static zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                        zz_error* err) ZZ_NOEXCEPT {
  static const char no_memory[] = "out of memory";
  struct reading reading = {err, ZZ_OK};
  const zz_stage made = {.setup = number(&reading, get(settings, SETUP))};
  (void)at;
  if (reading.status != ZZ_OK) return reading.status;
  *out = malloc(sizeof made);
  if (!*out) {
    host->fail(err, ZZ_E_INTERNAL, no_memory, sizeof no_memory - 1);
    return ZZ_E_INTERNAL;
  }
  **out = made;
  return ZZ_OK;
}

static void destroy(zz_stage* stage) ZZ_NOEXCEPT { free(stage); }

/* ------------------------------------------------------------------------------ description */

static const zz_param params[] = {{
    .name = "setup",
    .kind = ZZ_F64,
    .def = "0",
    .allowed = "[0, inf]",
    .unit = "cycles",
    .doc = "what configuring the accelerator takes before each layer",
}};

#define OBJECT(name, text) \
  { .key = name, .kind = ZZ_OBJECT, .type = name, .doc = text }
static const zz_port consumes[] = {
    OBJECT("layer", "its size counts: operations, and bits of each operand"),
    OBJECT("accelerator", "its units and memories count; energies in pJ"),
    OBJECT("spatial_mapping", "handed on in the evaluation"),
    OBJECT("temporal_mapping", "its loops make the cycles"),
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

static zz_status init(const zz_host* host, zz_error* err) ZZ_NOEXCEPT {
  static const char text[] = "this host does not offer " ZZ_VALUES;
  values = host->get_extension(ZZ_VALUES);
  if (!values) {
    host->fail(err, ZZ_E_UNSUPPORTED, text, sizeof text - 1);
    return ZZ_E_UNSUPPORTED;
  }
  for (int i = 0; i < NAME_COUNT; ++i) names[i] = values->name(texts[i], strlen(texts[i]));
  return ZZ_OK;
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
