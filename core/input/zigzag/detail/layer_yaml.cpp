#include "core/input/zigzag/detail/layer_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/detail/equation.hpp"
#include "core/input/zigzag/detail/relations_yaml.hpp"
#include "core/input/zigzag/detail/unrolling_yaml.hpp"
#include "core/workload/layer_check.hpp"

namespace zz::core {
namespace {

const std::vector<std::string>& operator_types() {
  static const std::vector<std::string> names = {
      "Max",     "Conv",        "Pooling",           "Add",   "Conv_downsample", "Gemm", "Pool",
      "MaxPool", "AveragePool", "GlobalAveragePool", "MatMul"};
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class LayerReader {
 public:
  LayerReader(const yaml::Node& node, const Rules& rules, Diagnostics& diagnostics)
      : node_(node),
        diagnostics_(diagnostics),
        entry_{std::make_shared<Layer>(), {}, node.mark, std::nullopt, node.mark},
        layer_(*entry_.layer),
        what_(describe(node)),
        map_(node, what_, diagnostics),
        rules_(rules) {}

  LayerEntry read() {
    if (!node_.is_map()) return std::move(entry_);
    read_id_and_name();
    const yaml::Node* type = map_.required("operator_type");
    const bool has_loops = read_loops();
    const bool has_equation = read_equation();
    if (type != nullptr) read_type(*type, has_equation && layer_.operands.size() == 2);
    const bool has_relations = read_relations(map_, node_, layer_, has_loops, rules_, diagnostics_);
    read_precisions(has_equation);
    read_sources(has_equation);
    read_constants(has_equation);
    map_.finish();
    if (has_loops && has_equation && has_relations) check_operands();
    return std::move(entry_);
  }

 private:
  /// "layer 3", or "layer 3 ('conv1')".
  static std::string describe(const yaml::Node& node) {
    const yaml::Node* id = node.find("id");
    const yaml::Node* name = node.find("name");
    std::string text = "layer";
    if (id != nullptr && id->is_scalar()) text += " " + id->text;
    if (name != nullptr && name->is_scalar()) text += " ('" + name->text + "')";
    return text == "layer" ? "a layer" : text;
  }

  void read_id_and_name() {
    if (const yaml::Node* id = map_.required("id")) {
      entry_.id_mark = id->mark;
      if (yaml::read(*id, map_.what("id"), layer_.id, diagnostics_)) {
        if (layer_.id < 0) {
          diagnostics_.error(id->mark,
                             fmt::format("the id of a layer is {}; it must be 0 or more", layer_.id));
        } else {
          entry_.id = layer_.id;
        }
      }
    }
    layer_.name = fmt::format("Layer{}", layer_.id);
    map_.nullable("name", layer_.name);
    if (layer_.name.empty())
      diagnostics_.error(node_.find("name")->mark, fmt::format("the name of {} is empty", what_),
                         "leave it out, or write a name: files are called after it");
  }

  /// ZigZag lists the types of layers with two inputs. One with one input may be anything: Relu, Transpose.
  void read_type(const yaml::Node& node, bool one_input) {
    if (!yaml::read(node, map_.what("operator_type"), layer_.type, diagnostics_)) return;
    if (one_input || contains(operator_types(), layer_.type)) return;
    diagnostics_.error(node.mark, fmt::format("unknown operator_type '{}' of {}", layer_.type, what_),
                       suggestion(layer_.type, operator_types()));
  }

  bool read_loops() {
    std::vector<std::string> names;
    std::vector<std::int64_t> sizes;
    const bool has_names = map_.required("loop_dims", names);
    const bool has_sizes = map_.required("loop_sizes", sizes);
    if (!has_names || !has_sizes) return false;
    const yaml::Node& name_nodes = *node_.find("loop_dims");
    const yaml::Node& size_nodes = *node_.find("loop_sizes");
    if (names.size() != sizes.size()) {
      diagnostics_.error(size_nodes.mark, fmt::format("{} has {} loop_sizes for {} loop_dims", what_,
                                                      sizes.size(), names.size()));
      return false;
    }
    bool fine = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      layer_.loops.push_back({upper_case(names[i]), sizes[i]});
      if (is_loop_dimension_name(layer_.loops.back().name)) continue;
      diagnostics_.error(
          name_nodes.items[i].mark,
          fmt::format("'{}' in {} is not the name of a loop", names[i], map_.what("loop_dims")),
          "names are letters, then digits, as K, OX or D0");
      fine = false;
    }
    for (const LayerProblem& problem : loop_problems(layer_)) {
      using Part = LayerProblem::Part;
      const bool of_loop = problem.part != Part::whole;
      const yaml::Node& list = problem.part == Part::loop_size ? size_nodes : name_nodes;
      diagnostics_.error(of_loop ? list.items[problem.index].mark : list.mark,
                         of_loop ? fmt::format("the loop {} of {} {}", layer_.loops[problem.index].name,
                                               what_, problem.what)
                                 : fmt::format("{} {}", what_, problem.what),
                         problem.hint);
      fine = false;
    }
    return fine;
  }

  bool read_equation() {
    const yaml::Node* node = map_.required("equation");
    std::string text;
    if (node == nullptr || !yaml::read(*node, map_.what("equation"), text, diagnostics_)) return false;
    SourceMark mark = node->mark;
    try {
      Equation equation = parse_equation(text);
      layer_.equation = std::move(equation.text);
      for (auto& [name, dimensions] : equation.operands)
        layer_.operands.push_back({name, dimensions, 0, false, {}});
    } catch (const EquationError& problem) {
      mark.column += problem.offset + (node->quoted ? 1 : 0);
      diagnostics_.error(mark, fmt::format("the equation of {} cannot be read: {}", what_, problem.message),
                         "an equation looks like O[b][k] += W[k][c] * I[b][c]");
      return false;
    }
    if (layer_.operands.size() == 2) {
      if (layer_.operands[1].name == "I") return true;
      diagnostics_.error(
          mark, fmt::format("the input in the equation of {} is called {}", what_, layer_.operands[1].name),
          "the only input must be called I: that is what a mapping file links to a memory");
      return false;
    }
    const std::string &first = layer_.operands[1].name, &second = layer_.operands[2].name;
    if ((first == "I" && second == "W") || (first == "W" && second == "I")) return true;
    diagnostics_.error(
        mark, fmt::format("the inputs in the equation of {} are called {} and {}", what_, first, second),
        "they must be called I and W: those are what a mapping file links to memories");
    return false;
  }

  void read_precisions(bool has_equation) {
    const yaml::Node* node = map_.required("operand_precision");
    if (node == nullptr) return;
    yaml::MapReader map(*node, map_.what("operand_precision"), diagnostics_);
    if (!node->is_map()) return;
    const auto read_one = [&](const char* key, std::int64_t& target, bool required = true) {
      if ((required ? map.required(key, target) : map.optional(key, target)) && target < 0) {
        diagnostics_.error(node->find(key)->mark,
                           fmt::format("{} is {}; it must be 0 bits or more", map.what(key), target));
      }
    };
    for (const char* name : {"O", "W", "I"}) {
      std::int64_t unused = 0;
      const int index = layer_.operand_index(name);
      read_one(
          name,
          has_equation && index >= 0 ? layer_.operands[static_cast<std::size_t>(index)].precision : unused,
          !has_equation || index >= 0);
    }
    read_one("O_final", layer_.final_output_precision);
    map.finish();
  }

  void read_sources(bool has_equation) {
    const yaml::Node* node = map_.optional("operand_source");
    if (node == nullptr) return;
    yaml::MapReader map(*node, map_.what("operand_source"), diagnostics_);
    if (!node->is_map()) return;
    for (const char* name : {"W", "I"}) map.optional(name);
    map.finish();
    for (const auto& [name, value] : node->entries) {
      if (name != "W" && name != "I") continue;
      std::int64_t id = 0;
      if (!yaml::read(value, map.what(name), id, diagnostics_) || !has_equation) continue;
      entry_.sources.push_back({name, id, value.mark});
    }
  }

  /// Operands whose source is the layer itself are constant.
  void read_constants(bool has_equation) {
    std::vector<std::string> constants;
    const yaml::Node* node = map_.optional("constant_operands");
    if (node == nullptr || !yaml::read(*node, map_.what("constant_operands"), constants, diagnostics_) ||
        !has_equation)
      return;
    std::vector<std::string> inputs;
    for (std::size_t i = 1; i < layer_.operands.size(); ++i) inputs.push_back(layer_.operands[i].name);
    for (std::size_t i = 0; i < constants.size(); ++i) {
      const SourceMark& mark = node->items[i].mark;
      if (!contains(inputs, constants[i])) {
        diagnostics_.error(mark,
                           fmt::format("'{}' in {} is no input of the layer", constants[i],
                                       map_.what("constant_operands")),
                           suggestion(constants[i], inputs));
        continue;
      }
      const auto source =
          std::find_if(entry_.sources.begin(), entry_.sources.end(),
                       [&](const OperandSource& given) { return given.operand == constants[i]; });
      if (source == entry_.sources.end()) {
        entry_.sources.push_back({constants[i], layer_.id, mark});
      } else if (source->id != layer_.id) {
        diagnostics_.error(mark, fmt::format("{} of {} is constant, and comes from layer {}", constants[i],
                                             what_, source->id));
      }
    }
  }

  void check_operands() {
    // Repeated ones are found by comparing all pairs.
    for (const LayerOperand& operand : layer_.operands) {
      if (operand.dimensions.size() <= yaml::most_items) continue;
      diagnostics_.error(node_.find("equation")->mark,
                         fmt::format("{} of {} has {} dimensions; at most {} are possible", operand.name,
                                     what_, operand.dimensions.size(), yaml::most_items));
      return;
    }
    for (std::size_t i = 0; i < layer_.loops.size(); ++i) {
      const LoopDimension& loop = layer_.loops[i];
      const bool used =
          layer_.relation_of_loop(loop.name) >= 0 ||
          std::any_of(layer_.operands.begin(), layer_.operands.end(),
                      [&](const auto& operand) { return contains(operand.dimensions, loop.name); });
      if (loop.size > 1 && !used)
        diagnostics_.warning(
            node_.find("loop_dims")->items[i].mark,
            fmt::format("no operand of {} depends on the loop {}: the same work is done {} "
                        "times",
                        what_, loop.name, loop.size));
    }
    for (const LayerProblem& problem : operand_problems(layer_)) {
      const bool of_operand = problem.part == LayerProblem::Part::operand;
      diagnostics_.error(
          of_operand ? node_.find("equation")->mark : entry_.mark,
          of_operand ? fmt::format("{} of {} {}", layer_.operands[problem.index].name, what_, problem.what)
                     : fmt::format("{} {}", what_, problem.what),
          problem.hint);
    }
  }

  const yaml::Node& node_;
  Diagnostics& diagnostics_;
  LayerEntry entry_;
  Layer& layer_;
  std::string what_;
  yaml::MapReader map_;
  const Rules& rules_;
};

}  // namespace

LayerEntry read_layer(const yaml::Node& node, const Rules& rules, Diagnostics& diagnostics) {
  return LayerReader(node, rules, diagnostics).read();
}

}  // namespace zz::core
