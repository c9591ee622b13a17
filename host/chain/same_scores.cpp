#include "host/chain/same_scores.hpp"

#include <memory>
#include <string_view>

#include "core/mapping/spatial_mapping.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/workload/same_work.hpp"
#include "host/chain/place.hpp"
#include "host/plugins/stage_table.hpp"
#include "host/values/context.hpp"
#include "host/values/handle.hpp"

namespace zz::host {
namespace {

template <class T>
const T* object_of(core::Ref ref) {
  return ref.type == core::type_of<T>() ? core::object_in<T>(ref) : nullptr;
}

/// Objects are the same by identity, but for those that are made anew for each layer.
bool same(core::Ref a, core::Ref b, bool anonymous) {
  a = core::look_through(a);
  b = core::look_through(b);
  if (a.word == b.word && a.type == b.type) return true;
  if (a.type == nullptr || b.type == nullptr) return false;
  const auto *unrolling_a = object_of<core::SpatialMapping>(a),
             *unrolling_b = object_of<core::SpatialMapping>(b);
  if (unrolling_a != nullptr && unrolling_b != nullptr) return *unrolling_a == *unrolling_b;
  const auto *layer_a = object_of<core::Layer>(a), *layer_b = object_of<core::Layer>(b);
  if (layer_a != nullptr && layer_b != nullptr)
    return anonymous ? core::same_work(*layer_a, *layer_b) : *layer_a == *layer_b;
  if (core::kind_of(a) != core::kind_of(b) || core::kind_of(a) == core::Kind::object) return false;
  return core::to_json(a) == core::to_json(b);
}

bool same_settings(zz_place& place, zz_value* a, zz_value* b) {
  if (place.overridable.empty()) return true;
  std::shared_ptr<Instance> over_a, over_b;
  return instance_for(place, a, over_a, nullptr) == ZZ_OK &&
         instance_for(place, b, over_b, nullptr) == ZZ_OK && over_a == over_b;
}

bool same_inputs(const zz_place& place, const core::Value& a, const core::Value& b, zz_name vary) {
  for (const zz_port& port : consumed_by(*place.description)) {
    const core::Name key = core::intern(port.key);
    if (key == vary) continue;
    if (std::string_view(port.key) == "*") return false;
    if (!same(core::part(a.ref(), key), core::part(b.ref(), key), (port.flags & ZZ_ANONYMOUS) != 0))
      return false;
  }
  return true;
}

}  // namespace

std::int32_t same_scores(zz_place* at, zz_value* a, zz_value* b, zz_name vary) noexcept {
  if (at == nullptr || a == nullptr || b == nullptr || !is_context(a->value) || !is_context(b->value))
    return 0;
  try {
    for (zz_place* place = at->below; place != nullptr; place = place->below) {
      if ((place->description->flags & ZZ_STAGE_DETERMINISTIC) == 0) return 0;
      if (!same_settings(*place, a, b) || !same_inputs(*place, a->value, b->value, vary)) return 0;
    }
    return 1;
  } catch (...) {
    return 0;  // whoever asks can do the work again
  }
}

}  // namespace zz::host
