#include "core/input/zigzag/workload_yaml.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/compat/rules.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/yaml/node.hpp"
#include "core/input/zigzag/detail/equation.hpp"
#include "core/input/zigzag/detail/sparsity_yaml.hpp"
#include "core/input/zigzag/detail/unrolling_yaml.hpp"
#include "core/input/zigzag/detail/workload_keys.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/input/zigzag/number_type_yaml.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/layer_check.hpp"

namespace zz::core {
namespace {

/// `operand_source` of one operand: the id of the layer it comes from, or of the layer itself for
/// constants.
struct OperandSource {
  std::string operand;
  std::int64_t id = 0;
  SourceMark mark;
};

/// One layer of a workload file, before its sources are resolved.
struct LayerEntry {
  std::shared_ptr<Layer> layer;  ///< without mapping, constants and sources
  std::vector<OperandSource> sources;
  SourceMark mark;
  std::optional<std::int64_t> id;  ///< absent when it could not be read
  SourceMark id_mark;
};

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
        map_(node, what_, layer_keys(true), diagnostics),
        rules_(rules) {}

  LayerEntry read() {
    if (!node_.is_map()) return std::move(entry_);
    read_id_and_name();
    const yaml::Node* type = map_.find("operator_type");
    const bool has_loops = read_loops();
    const bool has_equation = read_equation();
    if (type != nullptr) read_type(*type, has_equation && layer_.operands.size() == 2);
    const bool has_relations = read_relations(map_, node_, layer_, has_loops, rules_, diagnostics_);
    read_precisions(has_equation);
    read_zeros(has_loops && has_equation && has_relations);
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
    if (id != nullptr && id->is_scalar()) text += " " + on_one_line(shown_text(id->text));
    if (name != nullptr && name->is_scalar()) text += " ('" + name->text + "')";
    return text == "layer" ? "a layer" : text;
  }

  void read_id_and_name() {
    if (const yaml::Node* id = map_.find("id")) {
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
    map_.find("name", layer_.name);
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
    const bool has_names = map_.find("loop_dims", names);
    const bool has_sizes = map_.find("loop_sizes", sizes);
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
    const yaml::Node* node = map_.find("equation");
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
    const yaml::Node* node = map_.find("operand_precision");
    if (node == nullptr) return;
    const bool one_input = has_equation && layer_.operands.size() == 2;
    yaml::MapReader map(*node, map_.what("operand_precision"), layer_precision_keys(!one_input),
                        diagnostics_);
    if (!node->is_map()) return;
    for (const char* name : {"O", "W", "I", "O_final"}) {
      const yaml::Node* const value = map.find(name);
      if (value == nullptr) continue;
      if (const auto type = read_number_type(*value, map.what(name), diagnostics_); type && has_equation)
        set_precision(layer_, name, *type);
    }
    map.finish();
  }

  void read_zeros(bool has_all) {
    const yaml::Node* node = map_.find("sparsity");
    if (node == nullptr) return;
    layer_.sparsity = read_sparsity(*node, map_.what("sparsity"), diagnostics_);
    for (const OperandSparsity& one : layer_.sparsity) {
      if (!has_all) break;
      if (layer_.operand_index(one.operand) < 0)
        diagnostics_.error(node->mark, fmt::format("{} names {}, which the layer has not",
                                                   map_.what("sparsity"), one.operand));
      else if (const std::string wrong = sparsity_problem(layer_, one); !wrong.empty())
        diagnostics_.error(node->find(one.operand)->mark,
                           fmt::format("{}: {}", map_.what("sparsity"), wrong));
    }
  }

  void read_sources(bool has_equation) {
    const yaml::Node* node = map_.find("operand_source");
    if (node == nullptr) return;
    yaml::MapReader map(*node, map_.what("operand_source"), operand_source_keys(), diagnostics_);
    if (!node->is_map()) return;
    for (const char* name : {"W", "I"}) map.find(name);
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
    const yaml::Node* node = map_.find("constant_operands");
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

/// Reads one item of a workload file. Problems go to `diagnostics`. Without problems, the layer lacks only
/// its mapping, constants and sources.
LayerEntry read_layer(const yaml::Node& node, const Rules& rules, Diagnostics& diagnostics) {
  return LayerReader(node, rules, diagnostics).read();
}

/// Turns the sources of the entries into constants and edges. Layers must follow the layers that feed them.
class SourceResolver {
 public:
  SourceResolver(std::vector<LayerEntry>& entries, Diagnostics& diagnostics)
      : entries_(entries), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].id) {
        some_id_is_unknown_ = true;
        continue;
      }
      const auto [taken, is_new] = index_of_.emplace(*entries_[i].id, i);
      if (is_new) continue;
      some_id_is_unknown_ = true;
      diagnostics_.error(entries_[i].id_mark,
                         fmt::format("the id {} is taken by the layer on line {}", *entries_[i].id,
                                     entries_[taken->second].mark.line));
    }
  }

  std::vector<std::pair<std::int64_t, std::int64_t>> resolve_all() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].id) continue;
      for (const OperandSource& source : entries_[i].sources) resolve(i, source);
    }
    return std::move(edges_);
  }

 private:
  void resolve(std::size_t index, const OperandSource& source) {
    const std::int64_t id = *entries_[index].id;
    Layer& layer = *entries_[index].layer;
    const int operand_index = layer.operand_index(source.operand);
    if (operand_index < 0) return;
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(operand_index)];
    layer.source_order.push_back(operand_index);
    if (source.id == id) {
      operand.constant = true;
      return;
    }
    const auto producer = index_of_.find(source.id);
    if (producer == index_of_.end()) {
      if (some_id_is_unknown_) return;  // it may be the one meant, and was reported already
      diagnostics_.error(source.mark,
                         fmt::format("layer '{}' takes {} from layer {}, which does not exist", layer.name,
                                     source.operand, source.id),
                         known_ids());
      return;
    }
    if (producer->second > index) {
      // The search takes time linear in the file, so only the first errors get a circle.
      const std::string circle =
          ++circles_looked_for_ <= 100 ? path_text(index, producer->second) : std::string();
      diagnostics_.error(
          source.mark,
          fmt::format("layer '{}' takes {} from layer {}, which stands after it{}", layer.name,
                      source.operand, source.id, circle.empty() ? "" : " and depends on it: " + circle),
          circle.empty() ? "move the layer that produces it to before this one"
                         : "layers cannot feed themselves");
      return;
    }
    operand.sources.push_back(source.id);
    const std::pair<std::int64_t, std::int64_t> edge{source.id, id};
    if (known_edges_.insert(edge).second) edges_.push_back(edge);
  }

  /// "3 -> 5 -> 3" when entry `to` depends on entry `from`, else nothing.
  std::string path_text(std::size_t from, std::size_t to) const {
    std::map<std::size_t, std::size_t> consumer_of;  // seen entries, and for whom they were looked at
    std::vector<std::size_t> open = {to};
    consumer_of[to] = to;
    while (!open.empty()) {
      const std::size_t entry = open.back();
      open.pop_back();
      if (entry == from) {
        std::string text = std::to_string(*entries_[from].id);
        for (std::size_t at = from; at != to;) {
          at = consumer_of.at(at);
          text += fmt::format(" -> {}", *entries_[at].id);
        }
        return text + fmt::format(" -> {}", *entries_[from].id);
      }
      for (const OperandSource& source : entries_[entry].sources) {
        const auto producer = index_of_.find(source.id);
        if (producer == index_of_.end() || !consumer_of.emplace(producer->second, entry).second) continue;
        open.push_back(producer->second);
      }
    }
    return "";
  }

  std::string known_ids() const {
    constexpr std::size_t most_listed = 8;
    std::string text = "ids in this file: ";
    std::size_t listed = 0;
    for (const auto& [id, index] : index_of_) {
      if (listed == most_listed) return text + ", ...";
      text += fmt::format("{}{}", listed == 0 ? "" : ", ", id);
      ++listed;
    }
    return text;
  }

  std::vector<LayerEntry>& entries_;
  Diagnostics& diagnostics_;
  std::map<std::int64_t, std::size_t> index_of_;
  std::vector<std::pair<std::int64_t, std::int64_t>> edges_;
  std::set<std::pair<std::int64_t, std::int64_t>> known_edges_;
  bool some_id_is_unknown_ = false;
  int circles_looked_for_ = 0;
};

Workload read_document(const yaml::Node& root, const std::string& name, const MappingFile& mapping,
                       const Rules& rules, Diagnostics& found, Diagnostics& diagnostics) {
  Workload workload;
  workload.name = std::filesystem::path(name).stem().string();
  if (!yaml::expect_list(root, "a workload file", found)) yaml::hand_over(found, diagnostics);
  if (root.items.empty()) found.error(root.mark, "the workload has no layers");

  std::vector<LayerEntry> entries;
  for (const yaml::Node& item : root.items) entries.push_back(read_layer(item, rules, found));
  workload.edges = SourceResolver(entries, found).resolve_all();
  if (!found.has_errors()) {
    const MappingSelection selection(mapping);
    for (LayerEntry& entry : entries) {
      select_mapping(*entry.layer, selection, rules, entry.mark, found);
      workload.node_order.push_back(entry.layer->id);
      workload.layers.push_back(std::move(entry.layer));
    }
  }
  yaml::hand_over(found, diagnostics);
  workload.frames = batch_of_loops(workload);
  return workload;
}

}  // namespace

Workload read_workload(const std::string& path, const MappingFile& mapping, const Rules& rules,
                       Diagnostics& diagnostics, const Files& files) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), path, mapping, rules, found, diagnostics);
}

Workload read_workload_text(const std::string& text, const std::string& name, const MappingFile& mapping,
                            const Rules& rules, Diagnostics& diagnostics) {
  Diagnostics found;
  return read_document(yaml::load_text(text, name, found), name, mapping, rules, found, diagnostics);
}

namespace {

bool has_no_source(const LayerOperand& operand) { return !operand.constant && operand.sources.empty(); }

void adapt(Layer& layer, const Rules& rules) {
  const bool unnamed = layer.name == fmt::format("Layer{}", layer.id);
  if (unnamed || rules.layer_names_lost) layer.name = fmt::format("{}_{}", layer.type, layer.id);
  layer.type = lower_case(layer.type);
  if (rules.unfed_operands_lost) return;
  for (std::size_t i = 1; i < layer.operands.size(); ++i) {
    if (!has_no_source(layer.operands[i])) continue;
    layer.operands[i].constant = true;
    layer.source_order.push_back(static_cast<int>(i));
  }
}

Workload adapted(Workload workload, const Rules& rules) {
  for (std::shared_ptr<const Layer>& layer : workload.layers) {
    Layer changed = *layer;
    adapt(changed, rules);
    layer = std::make_shared<const Layer>(std::move(changed));
  }
  return workload;
}

}  // namespace

Workload read_stream_workload(const std::string& path, const MappingFile& mapping, const Rules& rules,
                              Diagnostics& diagnostics, const Files& files) {
  return adapted(read_workload(path, mapping, rules, diagnostics, files), rules);
}

Workload read_stream_workload_text(const std::string& text, const std::string& name,
                                   const MappingFile& mapping, const Rules& rules,
                                   Diagnostics& diagnostics) {
  return adapted(read_workload_text(text, name, mapping, rules, diagnostics), rules);
}

yaml::Form workload_form() {
  using yaml::case_of, yaml::map_of;
  return yaml::document_of(
      case_of({{{"equation"}, one_input_pattern(), map_of(layer_keys(false))}}, map_of(layer_keys(true))));
}

}  // namespace zz::core
