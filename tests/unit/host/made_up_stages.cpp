#include "tests/unit/host/made_up_stages.hpp"

#include <array>
#include <string>

#include "host/boundary/host_table.hpp"

namespace zz::test {
namespace {

struct MadeUp {
  const zz_host* host;
  const zz_values* values;
  zz_place* at;
  std::string bad;
  std::int64_t count = 0;
};

struct Run {
  MadeUp* stage;
  std::int64_t given = 0;
  zz_stream below{};
};

MadeUp* self(zz_stage* stage) { return reinterpret_cast<MadeUp*>(stage); }

zz_status create(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out, zz_error*) noexcept {
  auto* stage = new MadeUp{host, static_cast<const zz_values*>(host->get_extension(ZZ_VALUES)), at, "", 0};
  zz_str text{};
  if (stage->values->str(stage->values->get(settings, stage->values->name("bad", 3)), &text) == ZZ_OK) {
    stage->bad.assign(text.p, text.n);
  }
  stage->values->i64(stage->values->get(settings, stage->values->name("count", 5)), &stage->count);
  *out = reinterpret_cast<zz_stage*>(stage);
  return ZZ_OK;
}

void destroy(zz_stage* stage) noexcept { delete self(stage); }

zz_status fail(const MadeUp& stage, zz_error* error, zz_status code, const std::string& text) {
  stage.host->fail(error, code, text.data(), text.size());
  return code;
}

zz_status pull_leaf(zz_stream* stream, zz_result* out, std::uint32_t capacity, std::uint32_t* n,
                    zz_error* error) noexcept {
  auto* run = static_cast<Run*>(stream->impl);
  const MadeUp& stage = *run->stage;
  *n = 0;
  if (stage.bad == "count") *n = capacity + 3;
  if (stage.bad == "count" || stage.bad == "empty") return ZZ_OK;
  if (stage.bad == "silent") return ZZ_E_INTERNAL;
  if (stage.bad == "status") return 77;
  if (stage.bad == "message") return fail(stage, error, ZZ_E_INVALID, "the port is too narrow");
  if (run->given == stage.count) return ZZ_OK;
  zz_lit figures[] = {{"energy_total", 0, ZZ_F64, {}}, {"latency_total2", 0, ZZ_F64, {}}};
  figures[0].u.d = 10.0 + static_cast<double>(run->given++);
  figures[1].u.d = 1;
  zz_lit map{nullptr, 0, ZZ_MAP, {}};
  map.u.a.p = figures;
  map.u.a.n = 2;
  out->evaluation = stage.values->make("evaluation", &map, error);
  out->extra = nullptr;
  if (out->evaluation == nullptr) return ZZ_E_INTERNAL;
  *n = 1;
  return ZZ_OK;
}

void close_leaf(zz_stream* stream) noexcept { delete static_cast<Run*>(stream->impl); }

zz_status open_leaf(zz_stage* stage, zz_value*, zz_stream* out, zz_error*) noexcept {
  if (self(stage)->bad == "stream") return ZZ_OK;
  *out = {new Run{self(stage)}, pull_leaf, close_leaf, nullptr};
  return ZZ_OK;
}

zz_status pull_on(zz_stream* stream, zz_result* out, std::uint32_t capacity, std::uint32_t* n,
                  zz_error* error) noexcept {
  auto* run = static_cast<Run*>(stream->impl);
  const zz_status status = run->below.pull(&run->below, out, capacity, n, error);
  if (status != ZZ_OK && run->stage->bad == "wrap")
    return fail(*run->stage, error, status, "none of the sizes fits");
  return status;
}

void close_on(zz_stream* stream) noexcept {
  auto* run = static_cast<Run*>(stream->impl);
  run->below.close(&run->below);
  delete run;
}

zz_status open_on(zz_stage* stage, zz_value* context, zz_stream* out, zz_error* error) noexcept {
  MadeUp& own = *self(stage);
  zz_lit count{"count", 0, ZZ_I64, {}};
  count.u.i = own.count;
  zz_value* child =
      own.count > 0 ? own.values->with(context, &count, 1, error) : own.values->retain(context);
  zz_stream below{};
  const zz_status status = own.host->open(own.at, child, &below, error);
  own.values->release(child);
  if (status != ZZ_OK) return status;
  *out = {new Run{&own, 0, below}, pull_on, close_on, nullptr};
  return ZZ_OK;
}

constexpr std::array<zz_param, 2> leaf_settings{{
    {"bad", ZZ_STR, 0, "\"\"", nullptr, nullptr, "how to break the contract", nullptr, nullptr},
    {"count", ZZ_I64, 0, "1", "[0, 100]", nullptr, "number of results", nullptr, nullptr},
}};
constexpr std::array<zz_param, 2> forwarder_settings{{
    {"bad", ZZ_STR, 0, "\"\"", nullptr, nullptr, "how to break the contract", nullptr, nullptr},
    {"count", ZZ_I64, 0, "0", "[0, 100]", nullptr, "count to hand down; 0 leaves it alone", nullptr,
     nullptr},
}};
constexpr std::array<zz_port, 1> forwarder_provides{
    {{"count", ZZ_I64, 0, nullptr, "number of results", nullptr}}};

host::Plugin plugin{"made_up.so", nullptr, &host::host_table(), true};
const zz_plugin table{sizeof(zz_plugin),
                      ZZ_ABI_MAJOR,
                      ZZ_ABI_MINOR,
                      "org.test.made-up",
                      "1",
                      "test",
                      "MIT",
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr,
                      0};

}  // namespace

const zz_stage_desc made_up_leaf{sizeof(zz_stage_desc),
                                 ZZ_STAGE_LEAF | ZZ_STAGE_PARALLEL_OPEN,
                                 "org.test.Leaf",
                                 "Leaf",
                                 nullptr,
                                 "A leaf",
                                 "",
                                 leaf_settings.data(),
                                 2,
                                 0,
                                 nullptr,
                                 nullptr,
                                 0,
                                 0,
                                 nullptr,
                                 create,
                                 destroy,
                                 open_leaf,
                                 nullptr,
                                 nullptr,
                                 0};
const zz_stage_desc made_up_forwarder{sizeof(zz_stage_desc),
                                      ZZ_STAGE_FORWARDS,
                                      "org.test.Forwarder",
                                      "Forwarder",
                                      nullptr,
                                      "Hands on",
                                      "",
                                      forwarder_settings.data(),
                                      2,
                                      0,
                                      nullptr,
                                      forwarder_provides.data(),
                                      1,
                                      0,
                                      nullptr,
                                      create,
                                      destroy,
                                      open_on,
                                      nullptr,
                                      nullptr,
                                      0};

host::ResolvedStage placed(int number, const zz_stage_desc& stage, const std::string& bad,
                           std::int64_t count) {
  plugin.table = &table;
  host::ResolvedStage place;
  place.position = std::to_string(number);
  place.stage = &stage;
  place.plugin = &plugin;
  place.entry = {stage.name, {"p.yaml", number + 2, 5}, {}};
  place.settings.push_back({&stage.params[0], core::Value::text(bad), host::Origin::fallback, {}, true});
  place.settings.push_back(
      {&stage.params[1], core::Value::integer(count), host::Origin::fallback, {}, false});
  return place;
}

}  // namespace zz::test
