#include "core/input/zigzag/accelerator_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/yaml/node.hpp"
#include "core/input/zigzag/clock_yaml.hpp"
#include "core/input/zigzag/detail/accelerator_keys.hpp"
#include "core/input/zigzag/detail/array_yaml.hpp"
#include "core/input/zigzag/detail/memory_yaml.hpp"
#include "core/input/zigzag/detail/sparsity_yaml.hpp"
#include "core/input/zigzag/detail/unrolling_yaml.hpp"

namespace zz::core {
namespace {

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
  } else if (part.field != "memories" && part.field != "name" && part.field != "clock_period") {
    enter(root.find(array_key));
  }
  const bool exact = part.field.empty() || enter(node->find(part.field));
  if (exact && !part.key.empty()) enter(node->find(part.key));
  if (exact) enter_item(part.item);
  return {node, exact};
}

class AcceleratorReader {
 public:
  AcceleratorReader(const yaml::Node& root, Units units, const Rules& rules, Diagnostics& diagnostics)
      : root_(root), units_(units), rules_(rules), diagnostics_(diagnostics) {}

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
    const yaml::Node* const costs = root_.find("costs");
    costs_are_open_ = costs != nullptr && costs->is_scalar() && costs->text == "auto";
    // Older files say `multipliers`.
    const bool multipliers = root_.find("multipliers") != nullptr;
    array_key_ = multipliers ? "multipliers" : "operational_array";
    yaml::MapReader map(root_, "the accelerator", accelerator_keys(units_, costs_are_open_, multipliers),
                        diagnostics_);
    if (!root_.is_map()) return accelerator;
    map.find("name", accelerator.name);
    accelerator.clock_period = read_clock(map, diagnostics_);
    if (const yaml::Node* given = map.find("costs"); given != nullptr && !costs_are_open_)
      diagnostics_.error(
          given->mark, fmt::format("{} must be auto, but found {}", map.what("costs"), given->describe()));
    check_type(map);
    read_memories(map, accelerator);
    if (const yaml::Node* array = map.find(array_key_)) {
      const int before = errors();
      accelerator.array = read_operational_array(*array, units_, costs_are_open_, diagnostics_);
      array_is_broken_ = errors() > before;
    } else {
      array_is_broken_ = true;
    }
    read_precision_of_core(map, accelerator);
    tell_unused(map);
    if (const yaml::Node* dataflows = map.find("dataflows")) {
      accelerator.dataflows = read_unrolling(*dataflows, map.what("dataflows"), diagnostics_);
      if (units_ == Units::optional) check_dataflows(*dataflows, accelerator);
    }
    if (const yaml::Node* zeros = map.find("workload_sparsity"))
      accelerator.workload_sparsity =
          read_workload_sparsity(*zeros, map.what("workload_sparsity"), diagnostics_);
    map.finish();
    report_problems(accelerator);
    return accelerator;
  }

 private:
  /// Later versions of Stream state the type of a core; here its units tell.
  void check_type(yaml::MapReader& map) {
    std::string type;
    const yaml::Node* node = map.find("type");
    if (node == nullptr || !yaml::read(*node, map.what("type"), type, diagnostics_)) return;
    const std::vector<std::string>& known =
        accelerator_keys(units_, costs_are_open_, false).find("type")->form.words;
    if (std::find(known.begin(), known.end(), type) != known.end()) return;
    diagnostics_.error(
        node->mark, fmt::format("{} is '{}'", map.what("type"), type),
        "compute or memory, or offchip for the memory off chip; also written zigzag.compute");
  }

  /// `operand_precision` beside the array, as in later versions of Stream: the type of what goes in, which
  /// results have, too, and that of sums.
  void read_precision_of_core(yaml::MapReader& map, Accelerator& accelerator) {
    const yaml::Node* node = map.find("operand_precision");
    if (node == nullptr) return;
    yaml::MapReader types(*node, map.what("operand_precision"), core_precision_keys(), diagnostics_);
    if (!node->is_map()) return;
    const auto bits = [&](const char* key, std::int64_t otherwise) {
      const yaml::Node* value = types.find(key);
      return value == nullptr ? otherwise : bits_of_type(*value, types.what(key));
    };
    const std::int64_t inputs = bits("input", 8), sums = bits("accumulator", 32);
    types.finish();
    if (accelerator.array.dimensions.empty()) return;
    std::vector<OperandPrecision>& precision = accelerator.array.operand_precision;
    if (!precision.empty()) {
      diagnostics_.error(
          node->mark,
          fmt::format("{} is given twice, beside the array and in it", map.what("operand_precision")),
          "leave one of them out");
    }
    precision = {{"W", inputs}, {"I", inputs}, {"O", sums}, {"O_final", inputs}};
  }

  /// Bits of a type of numbers, as "bf16".
  std::int64_t bits_of_type(const yaml::Node& node, const std::string& what) {
    const std::vector<std::string>& names = core_number_types();
    std::string type;
    if (!yaml::read(node, what, type, diagnostics_)) return 8;
    if (std::find(names.begin(), names.end(), type) != names.end()) return named_number_type(type)->bits;
    diagnostics_.error(node.mark, fmt::format("{} is '{}', which is no type of numbers", what, type),
                       suggestion(type, names));
    return 8;
  }

  /// Keys of cores of later versions of Stream that have no equivalent here.
  void tell_unused(yaml::MapReader& map) {
    if (const yaml::Node* operators = map.find("operator_types")) {
      std::vector<std::string> names;
      if (yaml::read(*operators, map.what("operator_types"), names, diagnostics_)) {
        diagnostics_.warning(
            operators->mark,
            fmt::format("{} is not used: the mapping file says which cores may run which layers",
                        map.what("operator_types")),
            "name operators in the mapping file, each with its 'core_allocation'");
      }
    }
    for (const char* key : {"utilization", "max_object_fifo_depth"})
      if (const yaml::Node* node = map.find(key))
        diagnostics_.warning(node->mark, fmt::format("{} is not used", map.what(key)));
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
    const yaml::Node* memories = map.find("memories");
    if (memories == nullptr || !yaml::expect_short_map(*memories, map.what("memories"), diagnostics_)) {
      memories_are_broken_ = true;
      return;
    }
    for (std::size_t i = 0; i < memories->entries.size(); ++i)
      refuse_repeated(memories->entries[i].first, memories->key_marks[i]);
    tell_assumed_types(*memories);
    for (const auto& [name, node] : memories->entries) {
      const int before = errors();
      accelerator.memories.push_back(read_memory(name, node, costs_are_open_, diagnostics_));
      if (gives_original_figures(rules_)) merge_ports_of_one_name(accelerator.memories.back(), node);
      if (errors() > before) broken_memories_.insert(static_cast<int>(accelerator.memories.size()) - 1);
    }
  }

  /// A key that stands twice is only told by the reader of the file. A memory that is lost would be worse.
  void refuse_repeated(const std::string& name, const SourceMark& mark) {
    const std::vector<Diagnostic>& told = diagnostics_.all();
    if (std::any_of(told.begin(), told.end(), [&](const Diagnostic& one) { return one.mark == mark; }))
      diagnostics_.error(mark, fmt::format("two memories are called '{}'", name),
                         "each memory needs a name of its own");
  }

  /// Costs that are filled in depend on the type.
  void tell_assumed_types(const yaml::Node& memories) {
    std::string names;
    const yaml::Node* first = nullptr;
    for (const auto& [name, node] : memories.entries) {
      const yaml::Node* own = node.find("auto_cost_extraction");
      const bool open =
          costs_are_open_ ? node.find("r_cost") == nullptr : own != nullptr && own->as_bool() == true;
      if (!node.is_map() || !open || node.find("mem_type") != nullptr) continue;
      if (first == nullptr) first = &node;
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
    }
    if (first != nullptr)
      diagnostics_.warning(first->mark,
                           fmt::format("without mem_type, these memories cost what SRAM does: {}", names),
                           "say mem_type: sram, rf, dram or another");
  }

  /// As in ZigZag, the first port of a name serves what all of that name are allocated to, with its own
  /// bandwidth. Without `compat` equal names are an error.
  void merge_ports_of_one_name(Memory& memory, const yaml::Node& node) {
    std::vector<Port> merged;
    for (Port& port : memory.ports) {
      const auto first = std::find_if(merged.begin(), merged.end(),
                                      [&](const Port& other) { return other.name == port.name; });
      if (first == merged.end()) {
        merged.push_back(std::move(port));
        continue;
      }
      first->allocation.insert(first->allocation.end(), port.allocation.begin(), port.allocation.end());
      if (first->type != port.type) first->type = PortType::read_write;
      const yaml::Node* ports = node.find("ports");
      diagnostics_.warning(
          (ports != nullptr ? *ports : node).mark,
          fmt::format("two ports of memory '{}' are called '{}': as in ZigZag they are one port, "
                      "of {} to {} bits per cycle, as the first says",
                      memory.name, first->name, first->bandwidth_min, first->bandwidth_max),
          "give each port a name of its own");
    }
    memory.ports = std::move(merged);
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
  const Rules& rules_;
  const char* array_key_ = "operational_array";
  Diagnostics& diagnostics_;
  std::set<int> broken_memories_;
  bool memories_are_broken_ = false;
  bool array_is_broken_ = false;
  bool costs_are_open_ = false;
};

Accelerator read_document(const yaml::Node& root, Units units, const Rules& rules, Diagnostics& found,
                          Diagnostics& diagnostics) {
  Accelerator accelerator = AcceleratorReader(root, units, rules, found).read();
  yaml::hand_over(found, diagnostics);
  return accelerator;
}

}  // namespace

Accelerator read_accelerator(const std::string& path, Diagnostics& diagnostics, const Files& files) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), Units::required, {}, found, diagnostics);
}

Accelerator read_accelerator(const yaml::Node& root, Diagnostics& found, Diagnostics& diagnostics,
                             const Rules& rules) {
  return read_document(root, Units::required, rules, found, diagnostics);
}

Accelerator read_core(const std::string& path, Diagnostics& diagnostics, const Files& files,
                      const Rules& rules) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), Units::optional, rules, found, diagnostics);
}

Accelerator read_accelerator_text(const std::string& text, const std::string& name,
                                  Diagnostics& diagnostics) {
  Diagnostics found;
  return read_document(yaml::load_text(text, name, found), Units::required, {}, found, diagnostics);
}

yaml::Form accelerator_form(Units units) {
  using yaml::case_of, yaml::map_of;
  const auto by_array = [&](bool open) {
    return case_of({{{"multipliers"}, "", map_of(accelerator_keys(units, open, true))}},
                   map_of(accelerator_keys(units, open, false)));
  };
  return case_of({{{"costs"}, "", by_array(true)}}, by_array(false));
}

}  // namespace zz::core
