#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

const CompactMappings& batch_at(std::uint64_t word) { return object_at<CompactMappings>(word); }

/// A list of its own making: rows are compact, and become temporal mappings when they are looked at. It can
/// be read, shared and passed on, not edited.
constexpr Type loop_orders_type{
    .kind = Kind::list,
    .name = "loop_orders",
    .doc = "Temporal mappings of one layer in compact form.",
    .count = [](std::uint64_t word) { return static_cast<std::uint32_t>(batch_at(word).rows.size()); },
    .at = [](std::uint64_t word, std::uint32_t index,
             std::string_view&) { return reflect(batch_at(word).cached_mapping(index)); }};

}  // namespace

template <>
const Type* type_of<CompactMappings>() {
  return &loop_orders_type;
}

}  // namespace zz::core
