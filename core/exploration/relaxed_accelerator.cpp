#include "core/exploration/relaxed_accelerator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {
namespace {

using FieldKind = RelaxableField::Kind;

bool is_size(FieldKind kind) { return kind == FieldKind::size || kind == FieldKind::inner_size; }

/// The number in the brackets that begin there.
int number_at(const std::string& path, std::size_t at) { return std::atoi(path.c_str() + at + 1); }

}  // namespace

std::optional<RelaxableField> relaxable_field(const Accelerator& accelerator, const std::string& path) {
  if (accelerator.array.imc || !first_further_key(accelerator).empty()) return std::nullopt;
  const auto field = [](FieldKind kind, int memory = -1, int port = -1) {
    return RelaxableField{kind, memory, port};
  };
  if (path == "operational_array[unit_energy]") return field(FieldKind::unit_energy);
  if (path == "operational_array[unit_area]" || path == "clock_period") return field(FieldKind::unseen);
  constexpr std::string_view memories = "memories", ports = "[ports]";
  if (!path.starts_with(memories)) return std::nullopt;
  const int memory = number_at(path, memories.size());
  const std::string last = path.substr(path.rfind('['));
  if (last == "[area]" || last == "[latency]") return field(FieldKind::unseen, memory);
  if (last == "[r_cost]") return field(FieldKind::read_cost, memory);
  if (last == "[w_cost]") return field(FieldKind::write_cost, memory);
  const std::vector<int>& inner = accelerator.hierarchy().inner_memories;
  const bool is_inner = std::find(inner.begin(), inner.end(), memory) != inner.end();
  if (last == "[size]") return field(is_inner ? FieldKind::inner_size : FieldKind::size, memory);
  if (is_inner) return std::nullopt;
  const std::size_t of_port = path.find(ports);
  if (last != "[bandwidth_max]" || of_port == std::string::npos) return std::nullopt;
  return field(FieldKind::width, memory, number_at(path, of_port + ports.size()));
}

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

Memory& memory_of(Accelerator& accelerator, const RelaxableField& field) {
  return accelerator.memories.at(static_cast<std::size_t>(field.memory));
}

std::int64_t& width_of(Accelerator& accelerator, const RelaxableField& field) {
  return memory_of(accelerator, field).ports.at(static_cast<std::size_t>(field.port)).bandwidth_max;
}

void raise(std::int64_t& value, double to) {
  value = std::max(value, static_cast<std::int64_t>(std::ceil(to)));
}

bool reads(Direction direction) {
  return direction == Direction::read_to_low || direction == Direction::read_to_high;
}

/// The cost of an access of one kind to a memory.
class AccessCost {
 public:
  AccessCost(const RelaxableField& field, const Memory& relaxed) : field_(field), relaxed_(relaxed) {}

  /// Takes into account what designs of a part pay.
  void add(const FieldRanges& part, const Interval& cost) {
    least_ = std::min(least_, cost.low);
    for (std::size_t port = 0; port < relaxed_.ports.size(); ++port) {
      const auto best = static_cast<double>(relaxed_.ports[port].bandwidth_max);
      double width = best;
      for (const FieldRange& other : part)
        if (other.field.kind == FieldKind::width && other.field.memory == field_.memory &&
            other.field.port == static_cast<int>(port))
          width = other.values.high;
      cost_ = std::min(cost_, width == best ? cost.low : cost.low / width * best);
    }
    if (relaxed_.ports.empty()) cost_ = least_;
  }
  double value() const { return cost_; }
  /// At most so much is missing where accesses are cut to whole ones.
  double slack() const {
    if (!(cost_ > least_)) return 0;
    double links = 0;
    for (const Port& port : relaxed_.ports)
      for (const PortAllocation& link : port.allocation)
        if (reads(link.direction) == (field_.kind == FieldKind::read_cost)) ++links;
    return links * cost_;
  }

 private:
  RelaxableField field_;
  const Memory& relaxed_;
  double cost_ = no_limit, least_ = no_limit;
};

}  // namespace

RelaxedAccelerator relaxed_accelerator(const Accelerator& common, std::span<const FieldRanges> parts,
                                       std::span<const FieldRange> widths) {
  auto relaxed = std::make_shared<Accelerator>(common);
  RelaxedAccelerator result;
  const auto is_number = [](const FieldRange& range) {
    const bool whole = is_size(range.field.kind) || range.field.kind == FieldKind::width;
    return std::isfinite(range.values.low) && std::isfinite(range.values.high) &&
           (!whole || std::abs(range.values.high) < 9e15);
  };
  for (const FieldRanges& part : parts)
    if (!std::all_of(part.begin(), part.end(), is_number)) return result;
  for (std::size_t i = 0; i < parts.front().size(); ++i) {
    const RelaxableField& field = parts.front()[i].field;
    if (is_size(field.kind)) memory_of(*relaxed, field).size = 0;
    if (field.kind == FieldKind::width) width_of(*relaxed, field) = 0;
    if (field.kind == FieldKind::unit_energy) relaxed->array.unit_energy = no_limit;
    for (const FieldRanges& part : parts) {
      const Interval& values = part[i].values;
      if (is_size(field.kind)) raise(memory_of(*relaxed, field).size, values.high);
      if (field.kind == FieldKind::width) raise(width_of(*relaxed, field), values.high);
      if (field.kind == FieldKind::unit_energy)
        relaxed->array.unit_energy = std::min(relaxed->array.unit_energy, values.low);
    }
  }
  for (const FieldRange& width : widths) raise(width_of(*relaxed, width.field), width.values.high);
  for (std::size_t i = 0; i < parts.front().size(); ++i) {
    const RelaxableField& field = parts.front()[i].field;
    if (field.kind != FieldKind::read_cost && field.kind != FieldKind::write_cost) continue;
    Memory& memory = memory_of(*relaxed, field);
    AccessCost cost(field, memory);
    for (const FieldRanges& part : parts) cost.add(part, part[i].values);
    (field.kind == FieldKind::read_cost ? memory.read_cost : memory.write_cost) = cost.value();
    result.energy_slack += cost.slack();
  }
  try {
    relaxed->validate();
    result.accelerator = std::move(relaxed);
  } catch (const InputError&) {
    // Nothing is known.
  }
  return result;
}

}  // namespace zz::core
