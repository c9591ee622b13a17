#include "plugins/other_tools/timeloop_architecture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "plugins/other_tools/factor_list.hpp"
#include "plugins/other_tools/tagged_yaml.hpp"
#include "plugins/other_tools/timeloop_problem.hpp"
#include "plugins/other_tools/timeloop_sparsity.hpp"

namespace zz::plugins {
namespace {

using Energies = std::map<std::string, std::map<std::string, double>>;  // pJ, by component and action

constexpr std::int64_t most_of_an_attribute = std::int64_t{1} << 40;

/// Accelergy's table, whose components are called "system.shared_glb[1..1]".
Energies read_energies(const std::string& path, core::Diagnostics& diagnostics, const core::Files& files) {
  const core::yaml::Node root = read_tagged_yaml(path, "Accelergy", diagnostics, files);
  core::Diagnostics problems;
  Energies made;
  const core::yaml::Node* table = root.find("ERT");
  const core::yaml::Node* rows = table == nullptr ? nullptr : table->find("tables");
  if (rows == nullptr) {
    problems.error(core::SourceMark{path}, "there are no 'tables' in 'ERT'",
                   "an energy reference table of Accelergy is expected");
  } else if (core::yaml::expect_short_list(*rows, "'tables'", problems)) {
    for (const core::yaml::Node& row : rows->items) {
      core::yaml::MapReader map(row, "a table", problems);
      std::string name;
      map.required("name", name);
      const core::yaml::Node* actions = map.required("actions");
      map.finish();
      const std::size_t dot = name.rfind('.', name.find('['));
      name = name.substr(dot == std::string::npos ? 0 : dot + 1);
      name = name.substr(0, name.find('['));
      if (actions == nullptr || !core::yaml::expect_short_list(*actions, "'actions'", problems)) continue;
      for (const core::yaml::Node& item : actions->items) {
        core::yaml::MapReader action(item, fmt::format("an action of '{}'", name), problems);
        std::string of;
        double energy = 0;
        action.required("name", of);
        action.required("energy", energy);
        action.optional("arguments");
        action.finish();
        made[name][of] = energy;
      }
    }
  }
  core::yaml::hand_over(problems, diagnostics);
  return made;
}

/// A component or a container.
struct TimeloopNode {
  std::string name;
  std::string x, y;  ///< array dimensions of its mesh, or ""
};

class ArchitectureReader {
 public:
  ArchitectureReader(const core::yaml::Node& root, const std::string& path,
                     std::optional<Energies> energies, const TimeloopKeeping& keeping, bool mapped,
                     Einsum& problem, core::Diagnostics& problems)
      : root_(root),
        path_(path),
        energies_(std::move(energies)),
        keeping_(keeping),
        mapped_(mapped),
        problem_(problem),
        problems_(problems) {}

  TimeloopArchitecture read() {
    const core::yaml::Node* part = root_.find("architecture");
    if (part == nullptr) {
      problems_.error(core::SourceMark{path_}, "there is no 'architecture'");
      return {};
    }
    made_.stack.mark = part->mark;
    made_.stack.name = "timeloop";
    if (const core::yaml::Node* subtree = part->find("subtree")) {
      problems_.error(subtree->mark, "'subtree' is of version 0.3, or of what Timeloop's front end writes",
                      "'nodes' of version 0.4 are expected");
      return {};
    }
    core::yaml::MapReader map(*part, "the architecture", problems_);
    map.optional("version");
    const core::yaml::Node* nodes = map.required("nodes");
    map.finish();
    if (nodes != nullptr) read_nodes(*nodes, false);
    if (problems_.has_errors()) return {};
    close();
    return std::move(made_);
  }

 private:
  using Attributes = std::map<std::string, const core::yaml::Node*>;

  void read_nodes(const core::yaml::Node& list, bool parallel) {
    if (!core::yaml::expect_short_list(list, "'nodes'", problems_)) return;
    for (const core::yaml::Node& node : list.items) {
      if (!core::yaml::expect_map(node, "a node", problems_)) continue;
      std::string tag = node.text;
      if (tag.empty())
        tag = node.find("nodes") ? "Hierarchical" : node.find("class") ? "Component" : "Container";
      if (tag == "Hierarchical" || tag == "Parallel") {
        read_group(node, tag == "Parallel", parallel);
      } else if (tag == "Component" || tag == "Container") {
        read_node(node, tag == "Component", parallel);
      } else if (tag != "Nothing") {
        problems_.error(node.mark, fmt::format("zz does not know '!{}'", core::shown_text(tag)),
                        "known: !Component, !Container, !Hierarchical, !Parallel, !Nothing");
      }
    }
  }

  void read_group(const core::yaml::Node& node, bool parallel, bool in_parallel) {
    core::yaml::MapReader map(node, parallel ? "the parallel nodes" : "the nodes", problems_);
    map.optional("name");
    map.optional("attributes");
    const core::yaml::Node* nodes = map.required("nodes");
    map.finish();
    if (in_parallel)
      problems_.error(node.mark, "a group stands in parallel to other nodes",
                      "single memories in '!Parallel' are expected");
    else if (nodes != nullptr)
      read_nodes(*nodes, parallel);
  }

  void read_node(const core::yaml::Node& node, bool component, bool parallel) {
    core::yaml::MapReader map(node, component ? "a component" : "a container", problems_);
    TimeloopNode made;
    map.required("name", made.name);
    std::string type;
    map.optional("class", type);
    map.optional("subclass");
    map.optional("required_actions");
    map.optional("enabled");
    map.optional("area_share");
    map.optional("area_scale");
    map.optional("energy_scale");
    const core::yaml::Node* attributes = map.nullable("attributes");
    const core::yaml::Node* spatial = map.nullable("spatial");
    const core::yaml::Node* constraints = map.nullable("constraints");
    TimeloopOptimizations sparse;
    if (const core::yaml::Node* given = map.nullable("sparse_optimizations"))
      sparse = read_timeloop_optimizations(*given, core::shown_text(made.name), problem_, problems_);
    for (const core::OperandOnZero& one : sparse.on_zero) add_on_zero(made_.stack.on_zero, one);
    map.finish();
    if (made.name.find('[') != std::string::npos)
      problems_.error(
          node.mark,
          fmt::format("the name '{}' has a range, as in version 0.3", core::shown_text(made.name)),
          "'spatial: {meshX: ...}' is expected");
    Attributes own = inherited_;
    if (attributes != nullptr && core::yaml::expect_short_map(*attributes, "'attributes'", problems_))
      for (const auto& [key, value] : attributes->entries) own[key] = &value;
    if (spatial != nullptr) read_mesh(*spatial, made, parallel);
    made_.places.push_back({made.name, false, {}});
    for (const std::string& dimension : {made.x, made.y})
      if (!dimension.empty()) made_.places.back().meshes.push_back(dimension);
    read_constraints(constraints, made);
    if (component)
      read_component({made.name, node.mark, core::lower_case(type), parallel, constraints, sparse.formats},
                     own);
    else
      inherited_ = std::move(own);
  }

  void read_mesh(const core::yaml::Node& spatial, TimeloopNode& made, bool parallel) {
    core::yaml::MapReader map(spatial, fmt::format("'spatial' of '{}'", made.name), problems_);
    std::int64_t x = 1, y = 1;
    map.optional("meshX", x);
    map.optional("meshY", y);
    map.finish();
    if (x < 1 || y < 1)
      problems_.error(spatial.mark, fmt::format("the mesh of '{}' is {} x {}", made.name, x, y),
                      "1 or more are expected");
    if (parallel && x * y > 1)
      problems_.error(spatial.mark,
                      fmt::format("'{}' has copies of its own in parallel to other nodes", made.name),
                      "copies of all of them, by a container around, are expected");
    for (auto [size, dimension, axis] : {std::tuple{x, &made.x, "X"}, std::tuple{y, &made.y, "Y"}}) {
      if (size < 2) continue;
      *dimension = fmt::format("D{}", ++dimensions_);
      made_.stack.levels.push_back({spatial.mark, std::nullopt, StackFanout{made.name + "." + axis, size}});
    }
  }

  struct Component {
    std::string name;
    core::SourceMark mark;
    std::string type;  ///< its class, in lower case
    bool parallel;
    const core::yaml::Node* constraints;
    std::vector<core::OperandFormat> formats;
  };

  void read_component(const Component& component, const Attributes& own) {
    if (units_) {
      problems_.error(component.mark,
                      fmt::format("'{}' stands inside of the units '{}'", component.name, *units_),
                      "the units last are expected");
      return;
    }
    const bool computes = component.type.find("mac") != std::string::npos || component.type == "compute";
    if (computes) {
      units_ = component.name;
      made_.stack.unit_energy = energy(component.name, "compute", component.mark);
      return;
    }
    StackMemory memory;
    memory.name = component.name;
    if (component.type.find("dram") != std::string::npos) memory.memory_type = "dram";
    if (component.type.find("reg") != std::string::npos || component.type.find("rf") != std::string::npos)
      memory.memory_type = "rf";
    const auto width = attribute(own, "width", component);
    // Older files have other names for it.
    auto word = attribute(own, "datawidth", component);
    for (const char* older : {"word_bits", "word_width"})
      if (!word) word = attribute(own, older, component);
    if (!width || !word) {
      problems_.error(component.mark,
                      fmt::format("'{}' has no '{}'", component.name, width ? "datawidth" : "width"),
                      "a memory with 'width' and 'datawidth', in bits, or units of a class such as intmac "
                      "are expected");
      return;
    }
    memory.access_bits = *width;
    memory.bits = size(own, *width, component);
    memory.read_bits = bandwidth(own, "read_bandwidth", *word, component);
    memory.write_bits = bandwidth(own, "write_bandwidth", *word, component);
    for (const char* key : {"shared_bandwidth", "rw_bandwidth", "multiple_buffering"})
      if (const auto found = own.find(key); found != own.end() && found->second->as_int() != 1)
        problems_.error(found->second->mark,
                        fmt::format("zz does not know '{}' of '{}'", key, component.name),
                        "'read_bandwidth' and 'write_bandwidth' are known");
    memory.read_cost = energy(component.name, "read", component.mark);
    memory.write_cost = energy(component.name, "write", component.mark);
    memory.operands = kept_operands(component);
    memory.formats = component.formats;
    for (const std::string& operand : memory.operands) word_bits_[operand].push_back(*word);
    made_.places.back().is_memory = true;
    made_.stack.levels.push_back({component.mark, std::move(memory), std::nullopt});
  }

  /// The bits of `depth` words; nothing for no limit, as more words than are counted stand for.
  std::optional<std::int64_t> size(const Attributes& own, std::int64_t width, const Component& component) {
    if (const auto found = own.find("depth"); found != own.end() && found->second->is_scalar()) {
      const core::yaml::Node& depth = *found->second;
      const auto number = core::number_of(depth.text);
      if (!depth.quoted && number && *number > static_cast<double>(most_of_an_attribute)) {
        problems_.warning(depth.mark,
                          fmt::format("'depth' of '{}' is {} words, which is taken for no limit",
                                      component.name, depth.text));
        return std::nullopt;
      }
    }
    const auto words = attribute(own, "depth", component);
    return words ? std::optional(*words * width) : std::nullopt;
  }

  std::optional<std::int64_t> attribute(const Attributes& own, const std::string& key,
                                        const Component& component) {
    const auto found = own.find(key);
    if (found == own.end() || found->second->is_null()) return std::nullopt;
    const auto number = found->second->as_int();
    if (number && *number >= 1 && *number <= most_of_an_attribute) return number;
    problems_.error(found->second->mark,
                    fmt::format("'{}' of '{}' is {}", key, component.name, found->second->describe()),
                    fmt::format("a whole number from 1 to {} is expected; expressions are not read",
                                most_of_an_attribute));
    return 1;
  }

  /// In bits a cycle; files say words.
  std::optional<std::int64_t> bandwidth(const Attributes& own, const std::string& key, std::int64_t word,
                                        const Component& component) {
    const auto found = own.find(key);
    if (found == own.end() || found->second->is_null()) return std::nullopt;
    double words = 0;
    if (!core::yaml::read(*found->second, fmt::format("'{}' of '{}'", key, component.name), words,
                          problems_))
      return std::nullopt;
    if (words > 0 && words < static_cast<double>(most_of_an_attribute))
      return std::max<std::int64_t>(1, std::llround(words * static_cast<double>(word)));
    problems_.error(found->second->mark, fmt::format("'{}' of '{}' is {}", key, component.name, words),
                    "words a cycle, more than 0, are expected");
    return std::nullopt;
  }

  double energy(const std::string& component, const std::string& action, const core::SourceMark& mark) {
    if (!energies_) return 0;
    const auto found = energies_->find(component);
    if (found != energies_->end()) {
      if (const auto of = found->second.find(action); of != found->second.end()) return of->second;
    }
    problems_.error(mark, fmt::format("the energy table says nothing of '{}' of '{}'", action, component));
    return 0;
  }

  /// In parallel to others a memory keeps what it names; elsewhere all that it does not bypass.
  std::vector<std::string> kept_operands(const Component& component) {
    std::vector<std::string> keep, bypass;
    bool only = component.parallel;
    const core::yaml::Node* part =
        component.constraints == nullptr ? nullptr : component.constraints->find("dataspace");
    if (const auto told = keeping_.find(component.name); told != keeping_.end()) {
      keep = told->second.keep;
      bypass = told->second.bypass;
      for (const std::vector<std::string>* names : {&keep, &bypass})
        for (const std::string& name : *names)
          if (memory_operand_of(problem_, name).empty()) unknown_space(component.mark, name);
    } else if (part != nullptr && !part->is_null()) {
      core::yaml::MapReader map(*part, fmt::format("'dataspace' of '{}'", component.name), problems_);
      const bool named = map.nullable("keep", keep);
      only = map.nullable("keep_only", keep) || (only && named);
      map.nullable("bypass", bypass);
      map.finish();
      for (const std::vector<std::string>* names : {&keep, &bypass})
        for (const std::string& name : *names)
          if (memory_operand_of(problem_, name).empty()) unknown_space(part->mark, name);
    } else {
      only = false;
    }
    std::vector<std::string> made;
    for (const EinsumTensor* tensor : {&problem_.input, &problem_.weight, &problem_.output}) {
      const auto in = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), tensor->name) != names.end();
      };
      if (in(keep) || (!only && !in(bypass))) made.push_back(memory_operand_of(problem_, tensor->name));
    }
    return made;
  }

  void unknown_space(const core::SourceMark& mark, const std::string& name) {
    const std::vector<std::string> known = {problem_.input.name, problem_.weight.name,
                                            problem_.output.name};
    problems_.error(mark, fmt::format("the problem has no data space '{}'", core::shown_text(name)),
                    core::suggestion(name, known));
  }

  /// Loops that must not be spread are hints; all else that constrains the mapper is left to zz's searches.
  void read_constraints(const core::yaml::Node* constraints, const TimeloopNode& node) {
    std::vector<std::string> allowed;
    for (const core::LoopDimension& loop : problem_.loops) allowed.push_back(loop.name);
    if (constraints != nullptr && core::yaml::expect_map(*constraints, "'constraints'", problems_)) {
      for (const auto& [key, part] : constraints->entries) {
        if (key == "dataspace" || (part.is_map() && part.entries.empty())) continue;
        const core::yaml::Node* factors =
            key == "spatial" && part.is_map() ? part.find("factors") : nullptr;
        const bool all_read = factors != nullptr &&
                              exclude(read_factor_list(*factors, problems_), allowed) &&
                              part.entries.size() == 1;
        if (!all_read && !mapped_)
          problems_.warning(
              part.mark,
              fmt::format(
                  "'{}' of the constraints of '{}' is passed over, but for factors of 1 in space: a stage "
                  "below spreads and orders the loops",
                  core::shown_text(key), node.name),
              "the setting `timeloop_mapping` takes a mapping, or constraints in a file of their own");
      }
    }
    for (const std::string& dimension : {node.x, node.y})
      if (!dimension.empty()) made_.hints.push_back({dimension, allowed});
  }

  /// True if all factors say that their loop is not spread.
  bool exclude(const std::vector<LoopFactor>& factors, std::vector<std::string>& allowed) {
    bool all = true;
    for (const LoopFactor& factor : factors)
      if (factor.size == 1)
        std::erase(allowed, factor.loop);
      else
        all = false;
    return all;
  }

  void close() {
    if (!units_)
      problems_.error(made_.stack.mark, "there are no units",
                      "a component of a class such as intmac, the last one, is expected");
    for (auto [tensor, operand] : {std::pair{&problem_.input, "I1"}, std::pair{&problem_.weight, "I2"}})
      if (const auto found = word_bits_.find(operand); found != word_bits_.end())
        tensor->bits = found->second.front();
    if (const auto found = word_bits_.find("O"); found != word_bits_.end())
      problem_.output.bits = found->second.back();
    if (!energies_)
      problems_.warning(made_.stack.mark, "energies are 0: an architecture of Timeloop has none",
                        "`energies`, the table that Accelergy writes, says them");
    const bool constrained = std::any_of(
        made_.hints.begin(), made_.hints.end(),
        [&](const core::UnrollingHint& hint) { return hint.dimensions.size() < problem_.loops.size(); });
    if (!constrained) made_.hints.clear();
  }

  const core::yaml::Node& root_;
  std::string path_;
  std::optional<Energies> energies_;
  const TimeloopKeeping& keeping_;
  bool mapped_;
  Einsum& problem_;
  core::Diagnostics& problems_;
  Attributes inherited_;
  std::optional<std::string> units_;
  std::map<std::string, std::vector<std::int64_t>> word_bits_;  // by memory operand, the outermost first
  int dimensions_ = 0;
  TimeloopArchitecture made_;
};

}  // namespace

TimeloopArchitecture read_timeloop_architecture(const std::string& path, const std::string& energies,
                                                const TimeloopKeeping& keeping, bool mapped,
                                                Einsum& problem, core::Diagnostics& diagnostics,
                                                const core::Files& files) {
  const core::yaml::Node root = read_tagged_yaml(path, "Timeloop's front end", diagnostics, files);
  std::optional<Energies> table;
  if (!energies.empty()) table = read_energies(energies, diagnostics, files);
  core::Diagnostics problems;
  TimeloopArchitecture made =
      ArchitectureReader(root, path, std::move(table), keeping, mapped, problem, problems).read();
  core::yaml::hand_over(problems, diagnostics);
  return made;
}

}  // namespace zz::plugins
