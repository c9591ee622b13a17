// zz/chain.hpp - a setting that is a chain of stages, so that a stage can run a pipeline.
//
//   zz::Chain mapper{"[MinimalLatencyStage, LomaStage, CostModelStage]"};
//   static constexpr auto params = zz::params(zz::param<&MyStage::mapper>("mapper", "maps one layer"));
//   ...
//   for (zz::Result& r : mapper.substage(ctx)) ...
//
// The host checks the list like the stages of a pipeline, before anything runs. It may name stages of other
// plugins. Parameters of the pipeline are settings of these stages, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "zz/ordered.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

namespace detail {
inline Value what_is_made(zz_place* above, const Value& ctx) {
  if (!ZZ_HAS(runtime.nested, makes)) return Value();
  zz_value* made = runtime.nested->makes(above, ctx.handle(), sink());
  if (!made) throw_failed_call();
  return Value::take(made);
}
}  // namespace detail

class Chain {
 public:
  // `standard`: the default list as YAML. It must live as long as the plugin.
  explicit Chain(const char* standard) : standard_(standard) {}

  // Starts the chain over ctx. Throws Below.
  Substage substage(const Value& ctx, uint32_t batch = 1) const { return Substage(place(), ctx, batch); }
  // Runs it over n contexts on the whole pool, results in the order of the contexts; see ordered.hpp.
  template <class ContextOf>
  [[nodiscard]] Ordered<ContextOf> ordered(uint32_t n, ContextOf context_of, Progress* display = nullptr,
                                           AfterFailure after = AfterFailure::stop) const {
    return Ordered<ContextOf>(place(), n, std::move(context_of), display, after);
  }
  std::optional<RowScorer> scorer(const Value& ctx, Name vary, std::span<const Name> metrics) const {
    return RowScorer::bind(place(), ctx, vary, metrics);
  }

  // False where the setting is null, as its default may be.
  bool given() const { return place_ != nullptr; }

  const char* standard() const { return standard_; }
  // Everything that decides the results over ctx, except the objects in it: a list of maps {stage, plugin,
  // settings, chains, reads}, see zz_nested. For stages that keep results from run to run.
  Value describe(const Value& ctx) const {
    zz_place* const above = place();
    zz_value* made = detail::runtime.nested->describe(above, ctx.handle(), detail::sink());
    if (!made) detail::throw_failed_call();
    return Value::take(made);
  }
  // What the stages of the chain say that they make over ctx: a list of maps and nulls, see zz_nested. Null
  // from a host that does not know it.
  Value makes(const Value& ctx) const { return detail::what_is_made(place(), ctx); }
  // Called by the SDK when the stage is made.
  void bind(zz_place* owner, const char* setting) {
    if (detail::runtime.nested) place_ = detail::runtime.nested->place(owner, Name(setting).id());
  }

 private:
  zz_place* place() const {
    if (!place_)
      throw Error(ZZ_E_UNSUPPORTED,
                  "the list of stages is empty, or this host makes no chains of settings");
    return place_;
  }

  const char* standard_;
  zz_place* place_ = nullptr;
};

}  // namespace zz
#pragma GCC visibility pop
