#include "plugins/other_tools/timeloop_sparsity.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "plugins/other_tools/timeloop_problem.hpp"

namespace zz::plugins {
namespace {

using core::yaml::MapReader;
using core::yaml::Node;

/// The operand of the layer that a data space becomes; "" after reporting that there is none.
std::string operand_of(const std::string& space, const core::SourceMark& mark, const Einsum& problem,
                       core::Diagnostics& problems) {
  const std::string held = memory_operand_of(problem, space);
  if (!held.empty()) return held == "I1" ? "I" : held == "I2" ? "W" : "O";
  const std::vector<std::string> known = {problem.input.name, problem.weight.name, problem.output.name};
  problems.error(mark, fmt::format("the problem has no data space '{}'", core::shown_text(space)),
                 core::suggestion(space, known));
  return "";
}

/// One of `words` by its place; nothing after reporting another.
std::optional<std::size_t> word_in(const std::string& word, const core::SourceMark& mark,
                                   const std::string& what, const std::vector<std::string>& words,
                                   core::Diagnostics& problems) {
  const auto known = std::find(words.begin(), words.end(), word);
  if (known != words.end()) return static_cast<std::size_t>(known - words.begin());
  problems.error(mark, fmt::format("{} is '{}'", what, core::shown_text(word)),
                 core::suggestion(word, words));
  return std::nullopt;
}

class OptimizationsReader {
 public:
  OptimizationsReader(const std::string& component, const Einsum& problem, core::Diagnostics& problems)
      : component_(component), problem_(problem), problems_(problems) {}

  TimeloopOptimizations read(const Node& node) {
    MapReader map(node, fmt::format("'sparse_optimizations' of '{}'", component_), problems_);
    if (!node.is_map()) return {};
    if (const Node* formats = map.nullable("representation_format")) read_formats(*formats);
    if (const Node* actions = map.nullable("action_optimization")) read_actions(*actions, true);
    if (const Node* computes = map.nullable("compute_optimization")) read_actions(*computes, false);
    map.finish();
    return std::move(found_);
  }

 private:
  std::string what(const char* key) const { return fmt::format("'{}' of '{}'", key, component_); }

  void read_formats(const Node& node) {
    MapReader map(node, what("representation_format"), problems_);
    const Node* const spaces = map.required("data_spaces");
    map.finish();
    if (spaces == nullptr || !core::yaml::expect_short_list(*spaces, what("data_spaces"), problems_))
      return;
    for (const Node& item : spaces->items) read_format(item);
  }

  void read_format(const Node& node) {
    MapReader map(node, "a data space in " + what("representation_format"), problems_);
    std::string name;
    map.required("name", name);
    const Node* const ranks = map.required("ranks");
    for (const char* not_used : {"rank_application_order", "ranks_compressed"}) map.optional(not_used);
    map.finish();
    if (ranks == nullptr || !core::yaml::expect_short_list(*ranks, what("ranks"), problems_) ||
        ranks->items.empty())
      return;
    const Node& innermost = ranks->items.back();
    std::string format;
    const Node* const value = innermost.is_map() ? innermost.find("format") : nullptr;
    if (value == nullptr || !core::yaml::read(*value, what("format"), format, problems_)) {
      problems_.error(innermost.mark, "a rank in " + what("ranks") + " has no 'format'");
      return;
    }
    const auto place = word_in(core::upper_case(format), value->mark, what("format"),
                               {"U", "UOP", "UB", "B", "CP", "RLE"}, problems_);
    const std::string operand = operand_of(name, node.mark, problem_, problems_);
    if (!place || operand.empty()) return;
    using core::StoredFormat;
    constexpr StoredFormat formats[] = {StoredFormat::none,        StoredFormat::none,
                                        StoredFormat::none,        StoredFormat::bitmask,
                                        StoredFormat::coordinates, StoredFormat::run_length};
    if (formats[*place] != StoredFormat::none) found_.formats.push_back({operand, formats[*place]});
  }

  void read_actions(const Node& list, bool of_accesses) {
    const char* const key = of_accesses ? "action_optimization" : "compute_optimization";
    if (!core::yaml::expect_short_list(list, what(key), problems_)) return;
    for (const Node& item : list.items) {
      MapReader map(item, "an item of " + what(key), problems_);
      std::string type;
      map.required("type", type);
      const Node* const options = map.nullable("options");
      map.finish();
      const auto place = word_in(type, item.mark, fmt::format("'type' in {}", what(key)),
                                 {"gating", "skipping"}, problems_);
      if (!place) continue;
      const core::OnZero does = *place == 0 ? core::OnZero::gate : core::OnZero::skip;
      if (!of_accesses) {
        for (const char* operand : {"W", "I"}) add_on_zero(found_.on_zero, {operand, does});
      } else if (options != nullptr &&
                 core::yaml::expect_short_list(*options, what("options"), problems_)) {
        for (const Node& option : options->items) read_option(option, does);
        tell_targets(item.mark, type);
      }
    }
  }

  void read_option(const Node& node, core::OnZero does) {
    MapReader map(node, "an item of " + what("options"), problems_);
    std::vector<std::string> conditions;
    std::string target;
    map.optional("target", target);
    map.required("condition_on", conditions);
    map.finish();
    if (!target.empty() && std::find(targets_.begin(), targets_.end(), target) == targets_.end())
      targets_.push_back(target);
    for (const std::string& condition : conditions) {
      const std::string operand = operand_of(condition, node.mark, problem_, problems_);
      if (operand == "W" || operand == "I") add_on_zero(found_.on_zero, {operand, does});
      if (operand == "O")
        problems_.warning(node.mark, fmt::format("passed over: '{}' is conditioned on '{}', and units look "
                                                 "for zeros of inputs alone",
                                                 what("action_optimization"), condition));
    }
  }

  /// zz saves operations where an input is zero, and all accesses are made.
  void tell_targets(const core::SourceMark& mark, const std::string& type) {
    if (targets_.empty()) return;
    problems_.warning(mark,
                      fmt::format("{} of {} saves operations here; accesses to {} that it saves beside "
                                  "them are counted as made",
                                  type, what("action_optimization"), fmt::join(targets_, ", ")));
    targets_.clear();
  }

  const std::string& component_;
  const Einsum& problem_;
  core::Diagnostics& problems_;
  std::vector<std::string> targets_;  ///< of the options of one item
  TimeloopOptimizations found_;
};

}  // namespace

std::vector<core::OperandSparsity> read_timeloop_densities(const Node& node, const Einsum& problem,
                                                           core::Diagnostics& problems) {
  std::vector<core::OperandSparsity> all;
  if (!core::yaml::expect_short_map(node, "'densities'", problems)) return all;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const auto& [space, value] = node.entries[i];
    const std::string what = fmt::format("the density of '{}'", core::shown_text(space));
    const std::string operand = operand_of(space, node.key_marks[i], problem, problems);
    std::string distribution = "hypergeometric";
    double density = 1;
    bool given = false;
    if (value.is_map()) {
      MapReader map(value, what, problems);
      map.optional("distribution", distribution);
      given = map.required("density", density);
      map.finish();
    } else {
      given = core::yaml::read(value, what, density, problems);
    }
    if (!given || operand.empty()) continue;
    if (!(density >= 0 && density <= 1)) {
      problems.error(value.mark, fmt::format("{} is {}", what, density), "a share from 0 to 1 is expected");
      continue;
    }
    if (distribution == "banded" || distribution == "actual_data")
      problems.warning(value.mark,
                       fmt::format("{} is of the distribution '{}': zeros count as independent and uniform",
                                   what, distribution));
    all.push_back({operand, density});
  }
  return all;
}

TimeloopOptimizations read_timeloop_optimizations(const Node& node, const std::string& component,
                                                  const Einsum& problem, core::Diagnostics& problems) {
  return OptimizationsReader(component, problem, problems).read(node);
}

void add_on_zero(std::vector<core::OperandOnZero>& all, const core::OperandOnZero& one) {
  for (core::OperandOnZero& known : all) {
    if (known.operand != one.operand) continue;
    if (one.does == core::OnZero::skip) known.does = core::OnZero::skip;
    return;
  }
  all.push_back(one);
}

}  // namespace zz::plugins
