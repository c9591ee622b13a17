#include <doctest/doctest.h>

#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"
#include "host/chain/chain.hpp"
#include "host/chain/place.hpp"
#include "host/chain/score.hpp"
#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "tests/unit/host/made_up_stages.hpp"

using namespace zz;

namespace {

core::Value layer(const std::string& name, std::int64_t size) {
  auto layer = std::make_shared<core::Layer>();
  layer->name = name;
  layer->loops = {{"K", size}};
  return core::Value::object(std::shared_ptr<const core::Layer>(std::move(layer)));
}

host::Handle context(const core::Value& layer, std::int64_t mapping = 0) {
  return host::Handle(host::make_context(
      {{core::intern("layer"), layer}, {core::intern("temporal_mapping"), core::Value::integer(mapping)}}));
}

/// True if a mapper above a leaf with these flags may take two contexts for alike.
bool same(std::uint32_t stage_flags, std::uint32_t layer_flags, const host::Handle& a,
          const host::Handle& b) {
  const zz_port consumes[] = {{"layer", ZZ_OBJECT, layer_flags, "layer", "the layer", nullptr},
                              {"temporal_mapping", ZZ_NULL, 0, nullptr, "the mapping", nullptr}};
  zz_stage_desc leaf = test::made_up_leaf;
  leaf.flags |= stage_flags;
  leaf.consumes = consumes;
  leaf.n_consumes = 2;
  host::ResolvedPipeline resolved;
  resolved.stages = {test::placed(1, test::made_up_forwarder, "", 0), test::placed(2, leaf, "", 1)};
  host::Chain chain(resolved);
  return host::score_table.same(&chain.first(), a.get(), b.get(), core::intern("temporal_mapping")) == 1;
}

}  // namespace

TEST_CASE("a leaf that does not mind the layer's name scores layers alike that differ in nothing else") {
  CHECK(same(ZZ_STAGE_DETERMINISTIC, ZZ_ANONYMOUS, context(layer("a", 4)), context(layer("b", 4))));
  CHECK_FALSE(same(ZZ_STAGE_DETERMINISTIC, ZZ_ANONYMOUS, context(layer("a", 4)), context(layer("b", 5))));
}

TEST_CASE("a leaf that does not say so may score by the name") {
  CHECK_FALSE(same(ZZ_STAGE_DETERMINISTIC, 0, context(layer("a", 4)), context(layer("b", 4))));
  CHECK(same(ZZ_STAGE_DETERMINISTIC, 0, context(layer("a", 4)), context(layer("a", 4))));
}

TEST_CASE("a leaf that is not deterministic never scores alike") {
  const core::Value one = layer("a", 4);
  CHECK_FALSE(same(0, ZZ_ANONYMOUS, context(one), context(one)));
}

TEST_CASE("what varies from row to row does not count") {
  const core::Value one = layer("a", 4);
  CHECK(same(ZZ_STAGE_DETERMINISTIC, 0, context(one, 1), context(one, 2)));
}
