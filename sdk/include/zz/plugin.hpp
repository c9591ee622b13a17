// zz/plugin.hpp - ZZ_PLUGIN: turns stage classes into the one exported table.
//
// Included by stage.hpp. The tables are constant-initialised, except the default texts of settings. A
// static initialiser fills those in from the initialisers of the members, before dlopen returns. After
// loading, the host can therefore read complete tables without calling a function.
//
// zz_add_plugin defines ZZ_PLUGIN_VERSION, _VENDOR, _LICENSE and _URL from its arguments.
#pragma once

#include <iterator>
#include <memory>
#include <span>
#include <type_traits>

#include "zz/stage.hpp"

// The oldest minor of the ABI that the plugin needs. An author who uses nothing newer may name an older one
// than that of this header, so that older hosts load the plugin as well.
#ifndef ZZ_PLUGIN_ABI_MINOR
#define ZZ_PLUGIN_ABI_MINOR ZZ_ABI_MINOR
#endif
#ifndef ZZ_PLUGIN_VERSION
#define ZZ_PLUGIN_VERSION "0"
#endif
#ifndef ZZ_PLUGIN_VENDOR
#define ZZ_PLUGIN_VENDOR nullptr
#endif
#ifndef ZZ_PLUGIN_LICENSE
#define ZZ_PLUGIN_LICENSE nullptr
#endif
#ifndef ZZ_PLUGIN_URL
#define ZZ_PLUGIN_URL nullptr
#endif
#ifndef ZZ_BUILD_ID
#define ZZ_BUILD_ID nullptr
#endif

#pragma GCC visibility push(hidden)
namespace zz {
namespace detail {

struct Access {
  static void place(Stage& stage, zz_place* at) { stage.place_ = at; }
};

template <class S>
constexpr auto raw_params() {
  if constexpr (requires { S::params; })
    return std::apply(
        [](const auto&... param) { return std::array<zz_param, sizeof...(param)>{param.raw...}; },
        S::params);
  else
    return std::array<zz_param, 0>{};
}

// An opening of a stage behind a zz_stream. Before a failure it hands out the results found so far.
template <class S>
class Run {
 public:
  static void open(S& stage, zz_value* ctx, zz_stream& out) {
    out = {new Run(stage, Value::share(ctx)), &pull, &close, nullptr};
  }

 private:
  using Source = decltype(std::declval<S&>().run(std::declval<Value>()));
  static constexpr bool yields_one = std::is_same_v<Source, Result>;

  struct Once {
    S& stage;
    Value ctx;
    bool done = false;
    bool next(Result& out) {
      if (std::exchange(done, true)) return false;
      out = stage.run(std::move(ctx));
      return true;
    }
  };

  Run(S& stage, Value ctx) : source_(start(stage, std::move(ctx))) {}
  static auto start(S& stage, Value ctx) {
    if constexpr (yields_one)
      return Once{stage, std::move(ctx)};
    else
      return stage.run(std::move(ctx));
  }

  static zz_status pull(zz_stream* stream, zz_result* out, uint32_t cap, uint32_t* n,
                        zz_error* err) noexcept {
    Run& run = *static_cast<Run*>(stream->impl);
    *n = 0;
    if (!run.failure_) {
      const SinkScope scope(err);
      try {
        for (Result result; *n < cap && run.source_.next(result); ++*n)
          out[*n] = {result.evaluation.release(), result.extra.release()};
        return ZZ_OK;
      } catch (...) {
        run.failure_.capture();
      }
    }
    return *n ? ZZ_OK : run.failure_.tell(err);
  }
  static void close(zz_stream* stream) noexcept { delete static_cast<Run*>(stream->impl); }

  std::conditional_t<yields_one, Once, Source> source_;
  Failure failure_;
};

template <class S>
struct Score {
  static zz_status bind(zz_stage* stage, zz_value* ctx, zz_name vary, const zz_name* metric, uint32_t m,
                        zz_stage_scorer** out, zz_error* err) noexcept {
    return guarded(err, [&] {
      *out = reinterpret_cast<zz_stage_scorer*>(
          new typename S::Scorer(*reinterpret_cast<S*>(stage), Value::share(ctx), Name(vary),
                                 std::span<const Name>(reinterpret_cast<const Name*>(metric), m)));
    });
  }
  static zz_status score(zz_stage_scorer* scorer, zz_ref rows, uint32_t first, uint32_t n, double* out,
                         zz_error* err) noexcept {
    return guarded(err,
                   [&] { reinterpret_cast<typename S::Scorer*>(scorer)->score(Ref(rows), first, n, out); });
  }
  static void unbind(zz_stage_scorer* scorer) noexcept {
    delete reinterpret_cast<typename S::Scorer*>(scorer);
  }
  static constexpr zz_stage_score table{sizeof(zz_stage_score), &bind, &score, &unbind};
};

template <class S>
struct Demand {
  static void of(const zz_stage* stage, zz_demand* out) noexcept {
    *out = reinterpret_cast<const S*>(stage)->demand();
  }
  static constexpr zz_stage_demand table{sizeof(zz_stage_demand), &of};
};

template <class S>
struct Limits {
  static void of(const zz_stage* stage, zz_limits* out) noexcept {
    *out = reinterpret_cast<const S*>(stage)->limits();
  }
  static constexpr zz_stage_limits table{sizeof(zz_stage_limits), &of};
};

template <class S>
struct Check {
  static zz_status of(zz_stage* stage, zz_value* ctx, zz_value** below, zz_error* err) noexcept {
    return guarded(err, [&] {
      const S& asked = *reinterpret_cast<const S*>(stage);
      if constexpr (std::is_void_v<decltype(asked.check(Value::share(ctx)))>)
        asked.check(Value::share(ctx));
      else
        *below = asked.check(Value::share(ctx)).release();
    });
  }
  static constexpr zz_stage_check table{sizeof(zz_stage_check), &of};
};

template <class S>
struct Makes {
  static zz_value* of(const zz_stage* stage, zz_error* err) noexcept {
    zz_value* told = nullptr;
    guarded(err, [&] {
      if (Value makes = reinterpret_cast<const S*>(stage)->makes(); !makes.is_null())
        told = makes.release();
    });
    return told;
  }
  static constexpr zz_stage_makes table{sizeof(zz_stage_makes), &of};
};

template <class S>
struct StageTable {
  static zz_status create(const zz_host*, zz_ref settings, zz_place* at, zz_stage** out,
                          zz_error* err) noexcept {
    return guarded(err, [&] {
      auto stage = std::make_unique<S>();
      Access::place(*stage, at);
      if constexpr (requires { S::params; })
        std::apply([&](const auto&... param) { (assign(param, *stage, Ref(settings)), ...); }, S::params);
      if constexpr (requires { stage->prepare(); }) stage->prepare();
      *out = reinterpret_cast<zz_stage*>(stage.release());
    });
  }
  static void destroy(zz_stage* stage) noexcept { delete reinterpret_cast<S*>(stage); }

  static zz_status open(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) noexcept {
    return guarded(err, [&] { Run<S>::open(*reinterpret_cast<S*>(stage), ctx, *out); });
  }

  static const void* get_extension(const zz_stage*, const char* id) noexcept {
    [[maybe_unused]] const std::string_view wanted(id);
    if constexpr (requires(const S& stage) { stage.demand(); })
      if (wanted == ZZ_STAGE_DEMAND) return &Demand<S>::table;
    if constexpr (requires(const S& stage) { stage.limits(); })
      if (wanted == ZZ_STAGE_LIMITS) return &Limits<S>::table;
    if constexpr (requires(const S& stage, Value ctx) { stage.check(ctx); })
      if (wanted == ZZ_STAGE_CHECK) return &Check<S>::table;
    if constexpr (requires(const S& stage) { stage.makes(); })
      if (wanted == ZZ_STAGE_MAKES) return &Makes<S>::table;
    if constexpr (requires { typename S::Scorer; })
      if (wanted == ZZ_STAGE_SCORE) return &Score<S>::table;
    if constexpr (requires { S::extension(wanted); }) return S::extension(wanted);
    return nullptr;
  }

  template <class Table>
  static constexpr uint32_t count(const Table& table) {
    return static_cast<uint32_t>(std::size(table));
  }
  static constexpr zz_stage_desc describe() {
    zz_stage_desc d{};
    d.size = sizeof(zz_stage_desc);
    d.flags = S::description.flags;
    d.id = S::description.id;
    d.name = S::description.name;
    d.aliases = S::description.aliases;
    d.summary = S::description.summary;
    d.doc = S::description.doc;
    d.n_params = count(params);
    if (d.n_params) d.params = params.data();
    if constexpr (requires { S::consumes; }) {
      d.consumes = std::data(S::consumes);
      d.n_consumes = count(S::consumes);
    }
    if constexpr (requires { S::provides; }) {
      d.provides = std::data(S::provides);
      d.n_provides = count(S::provides);
    }
    if constexpr (requires { S::writes; }) {
      d.writes = std::data(S::writes);
      d.n_writes = count(S::writes);
    }
    if constexpr (requires { S::metrics; }) {
      d.metrics = std::data(S::metrics);
      d.n_metrics = std::size(S::metrics);
    }
    d.create = &create;
    d.destroy = &destroy;
    d.open = &open;
    d.get_extension = &get_extension;
    return d;
  }

  static constinit inline auto params = raw_params<S>();
  static constexpr zz_stage_desc description = describe();

  // A class whose constructor throws has no defaults. `create` reports the reason.
  static void fill_defaults() noexcept {
    if constexpr (requires { S::params; }) {
      try {
        const S fresh;
        std::size_t i = 0;
        std::apply([&](const auto&... param) { (fill_default(param, params[i++], fresh), ...); },
                   S::params);
      } catch (...) {
      }
    }
  }
};

inline zz_status init_plugin(const zz_host* host, zz_error* err) noexcept {
  if (meet(host)) return ZZ_OK;
  constexpr std::string_view text = "this host does not offer " ZZ_VALUES;
  host->fail(err, ZZ_E_UNSUPPORTED, text.data(), text.size());
  return ZZ_E_UNSUPPORTED;
}

// Static, since the texts and the build are those of the file with the table.
static constexpr zz_plugin plugin_table(const char* id, const zz_stage_desc* const* stages,
                                        std::size_t n_stages) {
  return {sizeof(zz_plugin),
          ZZ_ABI_MAJOR,
          ZZ_PLUGIN_ABI_MINOR,
          id,
          ZZ_PLUGIN_VERSION,
          ZZ_PLUGIN_VENDOR,
          ZZ_PLUGIN_LICENSE,
          ZZ_PLUGIN_URL,
          ZZ_BUILD_ID,
          &init_plugin,
          nullptr,
          stages,
          static_cast<uint32_t>(n_stages)};
}

template <class... Stages>
struct PluginTable {
  static constexpr const zz_stage_desc* stages[] = {&StageTable<Stages>::description...};

  static constexpr zz_plugin describe(const char* id) {
    return plugin_table(id, stages, sizeof...(Stages));
  }
  static bool fill_defaults() noexcept {
    (StageTable<Stages>::fill_defaults(), ...);
    return true;
  }
};

}  // namespace detail
}  // namespace zz
#pragma GCC visibility pop

// Once per library, at namespace scope, after the classes:
//   ZZ_PLUGIN("org.example.pareto", ParetoStage, FrontStage)
#define ZZ_PLUGIN(id, ...)                                                                       \
  extern "C" {                                                                                   \
  ZZ_EXPORT extern const zz_plugin zz_plugin_v0;                                                 \
  }                                                                                              \
  constinit const zz_plugin zz_plugin_v0 = ::zz::detail::PluginTable<__VA_ARGS__>::describe(id); \
  [[maybe_unused]] static const bool zz_defaults_are_filled =                                    \
      ::zz::detail::PluginTable<__VA_ARGS__>::fill_defaults();
