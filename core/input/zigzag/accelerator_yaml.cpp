#include "core/input/zigzag/accelerator_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/yaml/node.hpp"
#include "core/input/zigzag/detail/precision_yaml.hpp"
#include "core/input/zigzag/detail/unrolling_yaml.hpp"

namespace zz::core {
namespace {

/// The direction of "tl", "fl", "th" or "fh"; nothing for another text.
std::optional<Direction> parse_direction(std::string_view code) {
  for (int direction = 0; direction < direction_count; ++direction) {
    if (code == direction_codes[static_cast<std::size_t>(direction)])
      return static_cast<Direction>(direction);
  }
  return std::nullopt;
}

/// "I1, tl": an operand, a comma, a blank, a direction.
void read_allocation(const yaml::Node& item, const std::string& what, std::vector<PortAllocation>& target,
                     Diagnostics& diagnostics) {
  const std::string& text = item.text;
  const std::size_t comma = text.find(',');
  if (!item.is_scalar() || comma == std::string::npos) {
    diagnostics.error(
        item.mark,
        fmt::format("an item of {} must be an operand and a direction, as \"I1, tl\", but found {}", what,
                    item.describe()),
        item.is_scalar() ? "between brackets, put operand and direction in quotes" : "");
    return;
  }
  const std::string operand = text.substr(0, comma);
  const std::size_t code_begin = text.find_first_not_of(' ', comma + 1);
  const std::string code = code_begin == std::string::npos ? "" : text.substr(code_begin);
  const auto direction = parse_direction(code);
  const std::vector<std::string>& operands = memory_operand_names();
  bool known_operand = false;
  for (const std::string& name : operands) known_operand = known_operand || name == operand;
  if (!known_operand) {
    diagnostics.error(item.mark, fmt::format("unknown memory operand '{}' in {}", operand, what),
                      suggestion(operand, operands));
  }
  if (!direction) {
    diagnostics.error(
        item.mark, fmt::format("unknown direction '{}' in {}", code, what),
        "tl and th read towards the units and away from them, fl and fh write what comes from there");
  }
  if (known_operand && direction) target.push_back({operand, *direction});
}

FirstTouch read_line(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics) {
  FirstTouch line;
  yaml::MapReader map(node, what, diagnostics);
  map.required("bytes", line.bytes);
  map.required("cold_cycles", line.cold_cycles);
  map.finish();
  return line;
}

PortRequests read_request(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics) {
  PortRequests request;
  yaml::MapReader map(node, what, diagnostics);
  map.required("bytes", request.bytes);
  map.required("cycles", request.cycles);
  if (const yaml::Node* store = map.optional("store")) {
    request.store.emplace();
    yaml::MapReader own(*store, "store in " + what, diagnostics);
    own.required("bytes", request.store->bytes);
    own.required("cycles", request.store->cycles);
    own.finish();
  }
  map.finish();
  return request;
}

/// One item of `ports:` in the format of ZigZag 3.8.5. `memory` names the memory in messages.
Port read_port(const yaml::Node& node, const std::string& memory, Diagnostics& diagnostics) {
  Port port;
  std::string what = "a port of " + memory;
  if (const yaml::Node* name = node.find("name"); name != nullptr && name->is_scalar()) {
    what = fmt::format("port '{}' of {}", name->text, memory);
  }
  yaml::MapReader map(node, what, diagnostics);
  map.required("name", port.name);
  if (const yaml::Node* type = map.required("type")) {
    const std::vector<std::string> known = {"read", "write", "read_write"};
    std::string text;
    if (yaml::read(*type, map.what("type"), text, diagnostics)) {
      if (text == "read") {
        port.type = PortType::read;
      } else if (text == "write") {
        port.type = PortType::write;
      } else if (text != "read_write") {
        diagnostics.error(type->mark, fmt::format("unknown type '{}' of {}", text, what),
                          suggestion(text, known));
      }
    }
  }
  map.required("bandwidth_min", port.bandwidth_min);
  map.required("bandwidth_max", port.bandwidth_max);
  if (const yaml::Node* allocation = map.required("allocation");
      allocation != nullptr && yaml::expect_short_list(*allocation, map.what("allocation"), diagnostics)) {
    for (const yaml::Node& item : allocation->items) {
      read_allocation(item, map.what("allocation"), port.allocation, diagnostics);
    }
    if (allocation->items.empty())
      diagnostics.warning(allocation->mark, fmt::format("{} carries nothing", what));
  }
  map.optional("overlap", port.overlap);
  if (const yaml::Node* line = map.optional("line"))
    port.line = read_line(*line, "the line of " + what, diagnostics);
  if (const yaml::Node* request = map.optional("request"))
    port.request = read_request(*request, "the request of " + what, diagnostics);
  map.finish();
  return port;
}

struct Bandwidths {
  std::int64_t read = 0, write = 0;
  std::int64_t read_granularity = 0, write_granularity = 0;
};

/// Appends "r_port_1".."r_port_<count>" and so on.
void add_ports(std::vector<Port>& ports, std::int64_t count, const char* prefix, PortType type,
               std::int64_t minimum, std::int64_t maximum) {
  for (std::int64_t i = 1; i <= count; ++i) {
    ports.push_back({prefix + std::to_string(i), type, minimum, maximum, {}});
  }
}

/// Stream 0.0.8 accepts a granularity beyond the bandwidth: transfers are padded to it, and cost as
/// many accesses of the bandwidth's bits as that takes.
void warn_about_padding(const yaml::MapReader& map, const yaml::Node& memory, const char* granularity_key,
                        std::int64_t granularity, const char* bandwidth_key, std::int64_t bandwidth,
                        Diagnostics& diagnostics) {
  if (bandwidth < 1 || granularity <= bandwidth) return;
  diagnostics.warning(
      memory.find(granularity_key)->mark,
      fmt::format(
          "{} is {}, more than {}, which is {}; transfers are padded to multiples of {} bits and cost "
          "{:.4g} accesses or more",
          map.what(granularity_key), granularity, bandwidth_key, bandwidth, granularity,
          static_cast<double>(granularity) / static_cast<double>(bandwidth)));
}

std::vector<Port> declared_ports(yaml::MapReader& map, const yaml::Node& memory, Diagnostics& diagnostics) {
  constexpr std::int64_t most_ports = 64;
  Bandwidths bandwidths;
  map.required("r_bw", bandwidths.read);
  map.required("w_bw", bandwidths.write);
  bandwidths.read_granularity = bandwidths.read;
  bandwidths.write_granularity = bandwidths.write;
  map.nullable("min_r_granularity", bandwidths.read_granularity);
  map.nullable("min_w_granularity", bandwidths.write_granularity);
  warn_about_padding(map, memory, "min_r_granularity", bandwidths.read_granularity, "r_bw", bandwidths.read,
                     diagnostics);
  warn_about_padding(map, memory, "min_w_granularity", bandwidths.write_granularity, "w_bw",
                     bandwidths.write, diagnostics);
  std::int64_t counts[3] = {};
  const char* const keys[3] = {"r_port", "w_port", "rw_port"};
  for (int i = 0; i < 3; ++i) {
    if (!map.required(keys[i], counts[i]) || (counts[i] >= 0 && counts[i] <= most_ports)) continue;
    diagnostics.error(memory.find(keys[i])->mark, fmt::format("{} is {}; it must be from 0 to {}",
                                                              map.what(keys[i]), counts[i], most_ports));
    counts[i] = 0;
  }

  std::vector<Port> ports;
  add_ports(ports, counts[0], "r_port_", PortType::read, bandwidths.read_granularity, bandwidths.read);
  add_ports(ports, counts[1], "w_port_", PortType::write, bandwidths.write_granularity, bandwidths.write);
  if (counts[2] > 0 && (bandwidths.read != bandwidths.write ||
                        bandwidths.read_granularity != bandwidths.write_granularity)) {
    diagnostics.warning(
        memory.mark,
        fmt::format("{} has ports that read and write, but two bandwidths; the smaller one counts "
                    "for both",
                    map.what()));
  }
  add_ports(ports, counts[2], "rw_port_", PortType::read_write,
            std::min(bandwidths.read_granularity, bandwidths.write_granularity),
            std::min(bandwidths.read, bandwidths.write));
  return ports;
}

/// The ports of a memory in the format of ZigZag 3.1 to 3.8.1: `r_bw`, `w_bw`, their granularities, the
/// counts of ports, and `ports`, a list parallel to the memory's operands of maps from direction to port
/// name.
std::vector<Port> read_legacy_ports(yaml::MapReader& map, const std::vector<std::string>& operands,
                                    const yaml::Node& memory, Diagnostics& diagnostics) {
  std::vector<Port> ports = declared_ports(map, memory, diagnostics);
  const yaml::Node* list = map.required("ports");
  if (list == nullptr || !yaml::expect_short_list(*list, map.what("ports"), diagnostics)) return ports;
  if (list->items.size() != operands.size()) {
    diagnostics.error(list->mark,
                      fmt::format("{} has {} items, but the memory has {} operands; with r_bw and w_bw, "
                                  "each operand has one item",
                                  map.what("ports"), list->items.size(), operands.size()));
    return ports;
  }
  const std::vector<std::string> known_codes(direction_codes.begin(), direction_codes.end());
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const yaml::Node& directions = list->items[i];
    const std::string what = fmt::format("the ports of {} in {}", operands[i], map.what());
    if (!yaml::expect_short_map(directions, what, diagnostics)) continue;
    for (std::size_t j = 0; j < directions.entries.size(); ++j) {
      const auto& [code, name] = directions.entries[j];
      const auto direction = parse_direction(code);
      if (!direction) {
        diagnostics.error(directions.key_marks[j], fmt::format("unknown direction '{}' in {}", code, what),
                          suggestion(code, known_codes));
        continue;
      }
      if (name.is_null()) continue;
      std::string text;
      if (!yaml::read(name, fmt::format("'{}' in {}", code, what), text, diagnostics)) continue;
      const auto port = std::find(names.begin(), names.end(), text);
      if (port == names.end()) {
        diagnostics.error(name.mark,
                          fmt::format("{} name the port '{}', which is not among those counted by r_port, "
                                      "w_port and rw_port",
                                      what, text),
                          suggestion(text, names));
        continue;
      }
      ports[static_cast<std::size_t>(port - names.begin())].allocation.push_back({operands[i], *direction});
    }
  }
  return ports;
}

/// A cost: a number, or `auto`.
void read_cost(const yaml::Node& value, const std::string& what, double& target, Diagnostics& diagnostics) {
  if (value.is_scalar() && value.text == "auto")
    target = open_cost;
  else
    yaml::read(value, what, target, diagnostics);
}

void read_costs(yaml::MapReader& map, bool costs_are_open, Memory& memory, const yaml::Node& node,
                Diagnostics& diagnostics) {
  bool extract_costs = false;
  map.optional("auto_cost_extraction", extract_costs);
  const bool may_be_absent = costs_are_open || extract_costs;
  const auto take = [&](const char* key, double& target) {
    if (const yaml::Node* value = map.nullable(key))
      read_cost(*value, map.what(key), target, diagnostics);
    else if (may_be_absent)
      target = open_cost;
    else
      diagnostics.error(node.mark, fmt::format("the key '{}' is missing in {}", key, map.what()));
  };
  take("r_cost", memory.read_cost);
  take("w_cost", memory.write_cost);
  take("area", memory.area);
  // As in ZigZag, it counts more than costs that stand beside it.
  if (extract_costs) memory.read_cost = memory.write_cost = memory.area = open_cost;
}

/// True when the memory is written in the format of ZigZag 3.1 to 3.8.1, with `r_bw` or `w_bw`.
bool has_legacy_ports(const yaml::Node& memory) {
  return memory.find("r_bw") != nullptr || memory.find("w_bw") != nullptr;
}

/// Reads one entry of `memories:`, in the format of ZigZag 3.8.5 or, with legacy ports, the older one.
/// Reports wrong types, missing and unknown keys. find_problems() checks the values later.
Memory read_memory(const std::string& name, const yaml::Node& node, bool costs_are_open,
                   Diagnostics& diagnostics) {
  Memory memory;
  memory.name = name;
  const std::string what = fmt::format("memory '{}'", name);
  yaml::MapReader map(node, what, diagnostics);
  if (!node.is_map()) return memory;
  map.required("size", memory.size);
  map.required("latency", memory.latency);
  map.optional("mem_type", memory.memory_type);
  map.required("operands", memory.operands);
  map.required("served_dimensions", memory.served_dimensions);
  map.optional("force_double_buffering", memory.force_double_buffering);
  map.optional("tile_interval", memory.tile_interval);
  map.optional("shared_tiles", memory.shared_tiles);
  map.optional("shared_with", memory.shared_with);
  map.optional("moves_to", memory.moves_to);
  read_costs(map, costs_are_open, memory, node, diagnostics);
  if (has_legacy_ports(node)) {
    memory.ports = read_legacy_ports(map, memory.operands, node, diagnostics);
  } else if (const yaml::Node* ports = map.required("ports");
             ports != nullptr && yaml::expect_short_list(*ports, map.what("ports"), diagnostics)) {
    for (const yaml::Node& port : ports->items) memory.ports.push_back(read_port(port, what, diagnostics));
  }
  map.finish();
  return memory;
}

void read_dimensions(yaml::MapReader& map, OperationalArray& array, const yaml::Node& node,
                     Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;
  const bool has_names = map.required("dimensions", names);
  const bool has_sizes = map.required("sizes", sizes);
  if (!has_names || !has_sizes) return;
  if (names.size() != sizes.size()) {
    diagnostics.error(
        node.find("sizes")->mark,
        fmt::format("the operational array has {} sizes for {} dimensions", sizes.size(), names.size()));
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) array.dimensions.push_back({names[i], sizes[i]});
}

/// `input_precision`: of activations and weights; empty when absent or wrong.
std::vector<std::int64_t> read_input_precision(yaml::MapReader& map, const yaml::Node* node,
                                               Diagnostics& diagnostics) {
  std::vector<std::int64_t> precision;
  if (node == nullptr || !yaml::read(*node, map.what("input_precision"), precision, diagnostics)) return {};
  if (precision.size() == 2) return precision;
  diagnostics.error(node->mark,
                    fmt::format("{} must be two whole numbers (activations, weights), but found {}",
                                map.what("input_precision"), precision.size()));
  return {};
}

void read_imc(yaml::MapReader& map, OperationalArray& array, Diagnostics& diagnostics) {
  ImcProperties imc;
  map.required("imc_type", imc.imc_type);
  map.nullable("adc_resolution", imc.adc_resolution);
  map.required("bit_serial_precision", imc.bit_serial_precision);
  const auto precision = read_input_precision(map, map.required("input_precision"), diagnostics);
  if (precision.size() == 2) {
    imc.activation_precision = precision[0];
    imc.weight_precision = precision[1];
  }
  map.optional("unit_energy", array.unit_energy);
  map.optional("unit_area", array.unit_area);
  array.imc = imc;
}

void read_multipliers(yaml::MapReader& map, OperationalArray& array, const yaml::Node& node,
                      bool costs_are_open, Diagnostics& diagnostics) {
  // The names up to ZigZag 3.8.1 are accepted, too.
  const bool old_names =
      node.find("multiplier_energy") != nullptr || node.find("multiplier_area") != nullptr;
  const auto take = [&](const char* key, double& target) {
    if (const yaml::Node* value = costs_are_open ? map.nullable(key) : map.required(key))
      read_cost(*value, map.what(key), target, diagnostics);
    else if (costs_are_open)
      target = open_cost;
  };
  take(old_names ? "multiplier_energy" : "unit_energy", array.unit_energy);
  take(old_names ? "multiplier_area" : "unit_area", array.unit_area);
  read_input_precision(map, map.optional("input_precision"), diagnostics);
  for (const char* key : {"imc_type", "adc_resolution", "bit_serial_precision"}) {
    const yaml::Node* value = map.nullable(key);
    if (value == nullptr || (std::string(key) == "adc_resolution" && value->as_double() == 0.0)) continue;
    diagnostics.error(value->mark,
                      fmt::format("'{}' belongs to in-memory computing, but is_imc is not true", key),
                      "leave it out, or write is_imc: true");
  }
}

/// The units that count while an array fills or drains.
void read_fold_units(yaml::MapReader& map, const char* key, FoldUnits& target, Diagnostics& diagnostics) {
  std::string text;
  const yaml::Node* node = map.optional(key);
  if (node == nullptr || !yaml::read(*node, map.what(key), text, diagnostics)) return;
  const std::vector<std::string> known = {"none", "used", "whole"};
  const auto named = std::find(known.begin(), known.end(), text);
  if (named == known.end())
    diagnostics.error(node->mark, fmt::format("{} is '{}'", map.what(key), text), suggestion(text, known));
  else
    target = static_cast<FoldUnits>(named - known.begin());
}

ArrayFold read_fold(const yaml::Node& node, Diagnostics& diagnostics) {
  ArrayFold fold;
  yaml::MapReader map(node, "'fold' of the operational array", diagnostics);
  if (!node.is_map()) return fold;
  map.required("operand", fold.operand);
  read_fold_units(map, "fill", fold.fill, diagnostics);
  read_fold_units(map, "drain", fold.drain, diagnostics);
  if (map.optional("preload", fold.preload) && fold.preload == "none") fold.preload.clear();
  map.optional("overlapped", fold.overlapped);
  map.finish();
  return fold;
}

ArrayInstruction read_instruction(const yaml::Node& node, Diagnostics& diagnostics) {
  ArrayInstruction instruction;
  yaml::MapReader map(node, "'instruction' of the operational array", diagnostics);
  if (!node.is_map()) return instruction;
  map.required("operand", instruction.operand);
  if (const yaml::Node* along = map.required("along");
      along != nullptr && yaml::read(*along, map.what("along"), instruction.along, diagnostics)) {
    for (std::size_t i = 0; i < instruction.along.size(); ++i) {
      if (is_loop_dimension_name(instruction.along[i])) continue;
      diagnostics.error(along->items[i].mark,
                        fmt::format("{} names '{}', which cannot be a loop dimension", map.what("along"),
                                    instruction.along[i]),
                        "names are capital letters, and digits behind them, as OX");
    }
  }
  map.required("rows", instruction.rows);
  map.optional("min_cycles", instruction.min_cycles);
  map.optional("reload_cycles", instruction.reload_cycles);
  map.optional("interval", instruction.interval);
  map.finish();
  return instruction;
}

/// `operational_array:` of plain multipliers or, with `is_imc: true`, of in-memory-computing cells. Reports
/// wrong types, missing and unknown keys. find_problems() checks the values later.
OperationalArray read_operational_array(const yaml::Node& node, bool costs_are_open,
                                        Diagnostics& diagnostics) {
  OperationalArray array;
  yaml::MapReader map(node, "the operational array", diagnostics);
  if (!node.is_map()) return array;
  bool is_imc = false;
  map.optional("is_imc", is_imc);
  read_dimensions(map, array, node, diagnostics);
  map.optional("systolic_dimensions", array.systolic_dimensions);
  if (const yaml::Node* precision = map.optional("operand_precision"))
    array.operand_precision = read_precisions(*precision, map.what("operand_precision"), diagnostics);
  if (const yaml::Node* fold = map.optional("fold")) array.fold = read_fold(*fold, diagnostics);
  if (const yaml::Node* instruction = map.optional("instruction"))
    array.instruction = read_instruction(*instruction, diagnostics);
  if (is_imc) {
    read_imc(map, array, diagnostics);
  } else {
    read_multipliers(map, array, node, costs_are_open, diagnostics);
  }
  map.finish();
  return array;
}

/// The node of a part of the accelerator. When the part has none, the nearest enclosing node; `exact` is
/// then false.
struct Location {
  const yaml::Node* node;
  bool exact = true;
};

Location locate(const yaml::Node& root, const char* array_key, const AcceleratorPart& part) {
  const yaml::Node* node = &root;
  const auto enter = [&](const yaml::Node* next) {
    if (next != nullptr) node = next;
    return next != nullptr;
  };
  const auto enter_item = [&](int index) {
    if (index >= 0 && node->is_list() && static_cast<std::size_t>(index) < node->items.size()) {
      node = &node->items[static_cast<std::size_t>(index)];
    }
  };
  if (part.memory >= 0) {
    node = &root.find("memories")->entries[static_cast<std::size_t>(part.memory)].second;
    if (part.port >= 0 && enter(node->find("ports"))) enter_item(part.port);
  } else if (part.field != "memories" && part.field != "name") {
    enter(root.find(array_key));
  }
  const bool exact = part.field.empty() || enter(node->find(part.field));
  if (exact && !part.key.empty()) enter(node->find(part.key));
  if (exact) enter_item(part.item);
  return {node, exact};
}

class AcceleratorReader {
 public:
  AcceleratorReader(const yaml::Node& root, Units units, Diagnostics& diagnostics)
      : root_(root), units_(units), diagnostics_(diagnostics) {}

  Accelerator read() {
    if (root_.is_map() && root_.find("cores") != nullptr) {
      for (std::size_t i = 0; i < root_.entries.size(); ++i) {
        if (root_.entries[i].first != "cores") continue;
        diagnostics_.error(
            root_.key_marks[i],
            "this file describes an accelerator of several cores, where one core is expected",
            "name the file of one core, with 'memories' and 'operational_array'");
      }
      return {};
    }
    Accelerator accelerator;
    yaml::MapReader map(root_, "the accelerator", diagnostics_);
    if (!root_.is_map()) return accelerator;
    map.required("name", accelerator.name);
    read_whether_costs_are_open(map);
    if (units_ == Units::optional) check_type(map);
    read_memories(map, accelerator);
    // Older files say `multipliers`.
    array_key_ = root_.find("multipliers") != nullptr ? "multipliers" : "operational_array";
    if (const yaml::Node* array = map.required(array_key_)) {
      const int before = errors();
      accelerator.array = read_operational_array(*array, costs_are_open_, diagnostics_);
      array_is_broken_ = errors() > before;
    } else {
      array_is_broken_ = true;
    }
    if (const yaml::Node* dataflows = map.optional("dataflows")) {
      accelerator.dataflows = read_unrolling(*dataflows, map.what("dataflows"), diagnostics_);
      if (units_ == Units::optional) check_dataflows(*dataflows, accelerator);
    }
    map.finish();
    report_problems(accelerator);
    return accelerator;
  }

 private:
  /// `costs: auto`: every cost that the file leaves out is open.
  void read_whether_costs_are_open(yaml::MapReader& map) {
    const yaml::Node* node = map.optional("costs");
    if (node == nullptr) return;
    costs_are_open_ = node->is_scalar() && node->text == "auto";
    if (!costs_are_open_)
      diagnostics_.error(node->mark,
                         fmt::format("{} must be auto, but found {}", map.what("costs"), node->describe()));
  }

  /// What later versions of Stream say of a core; here its units tell.
  void check_type(yaml::MapReader& map) {
    std::string type;
    const yaml::Node* node = map.nullable("type");
    if (node == nullptr || !yaml::read(*node, map.what("type"), type, diagnostics_)) return;
    if (type != "compute" && type != "memory")
      diagnostics_.error(node->mark, fmt::format("{} is '{}'", map.what("type"), type),
                         "compute or memory");
  }

  int errors() const {
    int count = 0;
    for (const Diagnostic& diagnostic : diagnostics_.all())
      count += diagnostic.severity == Severity::error ? 1 : 0;
    return count;
  }

  void check_dataflows(const yaml::Node& node, const Accelerator& accelerator) {
    if (array_is_broken_) return;
    std::vector<std::string> known;
    for (const ArrayDimension& dimension : accelerator.array.dimensions) known.push_back(dimension.name);
    for (std::size_t i = 0; i < node.entries.size(); ++i) {
      const std::string& name = node.entries[i].first;
      if (!is_array_dimension_name(name) || accelerator.array.find(name) != nullptr) continue;
      diagnostics_.error(node.key_marks[i],
                         fmt::format("'dataflows' names '{}', which is no dimension of the array", name),
                         suggestion(name, known));
    }
    for (const ArrayUnrolling& unrolling : accelerator.dataflows.dimensions) {
      const ArrayDimension* dimension = accelerator.array.find(unrolling.array_dimension);
      if (dimension == nullptr) continue;
      double units = 1;
      for (const SpatialLoop& loop : unrolling.loops) units *= static_cast<double>(loop.factor);
      if (units <= static_cast<double>(dimension->size)) continue;
      diagnostics_.error(node.find(dimension->name)->mark,
                         fmt::format("'dataflows' unrolls {} loop steps over {}, which has {} units", units,
                                     dimension->name, dimension->size));
    }
  }

  void read_memories(yaml::MapReader& map, Accelerator& accelerator) {
    const yaml::Node* memories = map.required("memories");
    if (memories == nullptr || !yaml::expect_short_map(*memories, map.what("memories"), diagnostics_)) {
      memories_are_broken_ = true;
      return;
    }
    for (const auto& [name, node] : memories->entries) {
      const int before = errors();
      accelerator.memories.push_back(read_memory(name, node, costs_are_open_, diagnostics_));
      if (errors() > before) broken_memories_.insert(static_cast<int>(accelerator.memories.size()) - 1);
    }
  }

  /// True when an error was reported about the node or a part of it.
  bool was_reported(const yaml::Node& node) const {
    for (const Diagnostic& diagnostic : diagnostics_.all()) {
      if (diagnostic.severity == Severity::error && diagnostic.mark == node.mark) return true;
    }
    const auto reported = [this](const yaml::Node& part) { return was_reported(part); };
    return std::any_of(node.items.begin(), node.items.end(), reported) ||
           std::any_of(node.entries.begin(), node.entries.end(),
                       [&](const auto& entry) { return reported(entry.second); });
  }

  /// True when the problem follows from a reported error: its field is missing or could not be read.
  bool follows_from_another(const AcceleratorPart& part, const Location& location) const {
    if (!location.exact || was_reported(*location.node)) return true;
    if (part.field != "allocation") return false;
    const yaml::Node& memory =
        root_.find("memories")->entries[static_cast<std::size_t>(part.memory)].second;
    const yaml::Node* operands = memory.find("operands");
    return operands == nullptr || was_reported(*operands) ||
           was_reported(*locate(root_, array_key_, {part.memory, part.port, part.field, -1}).node);
  }

  /// A smallest transfer beyond the bandwidth is an error in the newer format only, as in ZigZag 3.8.5.
  /// read_memory() has given a warning.
  bool is_legacy_padding(const Accelerator& accelerator, const AcceleratorPart& part) const {
    if (part.field != "bandwidth_max") return false;
    const auto memory = static_cast<std::size_t>(part.memory);
    return accelerator.memories[memory].ports[static_cast<std::size_t>(part.port)].bandwidth_max >= 1 &&
           has_legacy_ports(root_.find("memories")->entries[memory].second);
  }

  /// Reports the problems of the values.
  void report_problems(const Accelerator& accelerator) {
    for (const AcceleratorProblem& problem : find_problems(accelerator, units_)) {
      const AcceleratorPart& part = problem.part;
      if (array_is_broken_ && (part.memory < 0 || part.field == "served_dimensions")) continue;
      if (memories_are_broken_ && part.field == "memories") continue;
      if (is_legacy_padding(accelerator, part)) continue;
      const Location location = locate(root_, array_key_, part);
      if (broken_memories_.contains(part.memory) && follows_from_another(part, location)) continue;
      const SourceMark& mark = location.node->mark;
      if (problem.severity == Severity::error) {
        diagnostics_.error(mark, problem.message, problem.hint);
      } else {
        diagnostics_.warning(mark, problem.message, problem.hint);
      }
    }
  }

  const yaml::Node& root_;
  const Units units_;
  const char* array_key_ = "operational_array";
  Diagnostics& diagnostics_;
  std::set<int> broken_memories_;
  bool memories_are_broken_ = false;
  bool array_is_broken_ = false;
  bool costs_are_open_ = false;
};

Accelerator read_document(const yaml::Node& root, Units units, Diagnostics& found,
                          Diagnostics& diagnostics) {
  Accelerator accelerator = AcceleratorReader(root, units, found).read();
  yaml::hand_over(found, diagnostics);
  return accelerator;
}

}  // namespace

Accelerator read_accelerator(const std::string& path, Diagnostics& diagnostics, const Files& files) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), Units::required, found, diagnostics);
}

Accelerator read_accelerator(const yaml::Node& root, Diagnostics& found, Diagnostics& diagnostics) {
  return read_document(root, Units::required, found, diagnostics);
}

Accelerator read_core(const std::string& path, Diagnostics& diagnostics, const Files& files) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), Units::optional, found, diagnostics);
}

Accelerator read_accelerator_text(const std::string& text, const std::string& name,
                                  Diagnostics& diagnostics) {
  Diagnostics found;
  return read_document(yaml::load_text(text, name, found), Units::required, found, diagnostics);
}

}  // namespace zz::core
