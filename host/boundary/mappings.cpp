#include "host/boundary/mappings.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/mapping_check.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

using Problem = core::ValueError::Problem;

template <class T>
const T& needed(const zz_value* context, std::string_view key) {
  const T* object = context != nullptr && is_context(context->value)
                        ? object_in_context<T>(context->value, key)
                        : nullptr;
  if (object == nullptr)
    throw core::ValueError(Problem::missing, fmt::format("mappings need a context with '{}' of the type {}",
                                                         key, core::type_of<T>()->name));
  return *object;
}

/// The layer, accelerator and unrolling of a mapping.
struct Mapped {
  explicit Mapped(const zz_value* context)
      : layer(needed<core::Layer>(context, "layer")),
        accelerator(needed<core::Accelerator>(context, "accelerator")),
        unrolling(needed<core::SpatialMapping>(context, "spatial_mapping")) {}
  const core::Layer& layer;
  const core::Accelerator& accelerator;
  const core::SpatialMapping& unrolling;
};

zz_value* allocate(zz_place* at, zz_value* context, zz_ref order, std::int32_t even,
                   zz_error* error) noexcept {
  try {
    const Mapped mapped(context);
    const std::vector<core::Edit> parts = {{core::intern("loops"), core::value_of_part(from_abi(order))},
                                           {core::intern("operands"), core::Value::list({})}};
    const auto loops = core::make_object("temporal_mapping", parts).as<core::TemporalMapping>()->loops;
    const core::Rules rules = rules_below(at);
    core::TemporalMapping mapping =
        core::allocate_loop_order(mapped.layer, mapped.accelerator, mapped.unrolling, loops,
                                  even != 0 ? core::MappingType::even : core::MappingType::uneven, rules);
    core::MappingCheck(mapped.layer, mapped.accelerator, mapped.unrolling, rules).check(mapping);
    return new_handle(
        core::Value::object(std::make_shared<const core::TemporalMapping>(std::move(mapping))));
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

zz_status check(zz_place* at, zz_value* context, zz_ref mapping, zz_error* error) noexcept {
  try {
    const Mapped mapped(context);
    const core::Ref ref = core::look_through(from_abi(mapping));
    if (ref.type != core::type_of<core::TemporalMapping>())
      throw core::ValueError(Problem::wrong_type,
                             "expected a temporal_mapping, found " + core::describe(ref));
    const core::Rules rules = rules_below(at);
    core::MappingCheck(mapped.layer, mapped.accelerator, mapped.unrolling, rules)
        .check(*core::object_in<core::TemporalMapping>(ref));
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

}  // namespace

const zz_mappings mappings_table{sizeof(zz_mappings), allocate, check};

}  // namespace zz::host
