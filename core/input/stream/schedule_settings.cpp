#include "core/input/stream/schedule_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

std::string listed(const std::vector<int>& cores) { return fmt::format("{}", fmt::join(cores, ", ")); }

std::optional<std::int64_t> integer(Ref value) {
  std::int64_t number = 0;
  const Kind kind = kind_of(value);
  if ((kind != Kind::i64 && kind != Kind::f64) || !read_i64(value, number)) return {};
  return number;
}

/// "6,1", "(6, 1)" or "6": layer id and, when it is there, group.
struct LayerKey {
  std::int64_t layer = 0;
  std::optional<int> group;
};

template <class Number>
bool read_number(std::string_view& text, Number& number) {
  const auto skip = [&] {
    while (!text.empty() && (text.front() == ' ' || text.front() == '(')) text.remove_prefix(1);
  };
  skip();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  skip();
  return true;
}

std::optional<LayerKey> layer_key(std::string_view text) {
  while (!text.empty() && (text.back() == ')' || text.back() == ' ')) text.remove_suffix(1);
  LayerKey key;
  if (!read_number(text, key.layer)) return {};
  if (text.empty()) return key;
  if (text.front() != ',') return {};
  text.remove_prefix(1);
  if (text.empty()) return key;
  int group = 0;
  if (!read_number(text, group) || !text.empty()) return {};
  key.group = group;
  return key;
}

std::string ids_of_layers(const ComputationNodeGraph& graph) {
  std::vector<std::int64_t> ids;
  for (const CutLayer& layer : graph.layers) ids.push_back(layer.layer->id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

class Allocation {
 public:
  explicit Allocation(const ScheduleProblem& problem)
      : problem_(problem), cores_(problem.genes().size(), -1) {}

  void read_list(Ref list) {
    const std::uint32_t count = count_of(list);
    if (count != cores_.size()) {
      wrong(fmt::format("has {} cores, but {} layers or groups have a choice of cores{}", count,
                        cores_.size(), genes_by_name()));
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) give(i, part_at(list, i));
  }

  void read_map(Ref map) {
    const ComputationNodeGraph& graph = *problem_.graph();
    std::vector<std::pair<LayerKey, Ref>> entries;
    for (std::uint32_t i = 0; i < count_of(map); ++i) {
      std::string_view text;
      const Ref core = part_at(map, i, &text);
      const std::optional<LayerKey> key = layer_key(text);
      if (!key)
        wrong(fmt::format("'{}' is no layer id, and no layer id and group as in '6,1'", text));
      else if (graph.layer_index(key->layer) < 0)
        wrong(fmt::format("there is no layer {}; there are {}", key->layer, ids_of_layers(graph)));
      else
        entries.emplace_back(*key, core);
    }
    // Entries for groups take precedence over those for layers.
    std::stable_partition(entries.begin(), entries.end(),
                          [](const auto& entry) { return !entry.first.group; });
    for (const auto& [key, core] : entries) give(key, core);
    std::string open;
    for (std::size_t gene = 0; gene < cores_.size(); ++gene)
      if (cores_[gene] < 0 && known_wrong_.count(gene) == 0)
        open += fmt::format("\n  {}: one of {}", name(gene), listed(problem_.genes()[gene].cores));
    if (!open.empty()) wrong("says nothing about" + open);
  }

  std::vector<int> result() && {
    if (!diagnostics_.empty()) throw InputError(std::move(diagnostics_));
    return std::move(cores_);
  }

  void wrong(const std::string& message) {
    diagnostics_.push_back({Severity::error, {}, "'core_allocation': " + message, ""});
  }

 private:
  std::int64_t layer_id(const Gene& gene) const { return problem_.graph()->layers[gene.layer].layer->id; }

  std::string name(std::size_t number) const {
    const Gene& gene = problem_.genes()[number];
    const CutLayer& layer = problem_.graph()->layers[gene.layer];
    std::string text = fmt::format("gene {} (layer {} '{}'", number, layer.layer->id, layer.layer->name);
    if (layer.group_count > 1) text += fmt::format(", group {}", gene.group);
    return text + ")";
  }

  std::string genes_by_name() const {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, cores_.size()); ++i)
      text += fmt::format("\n  {}: one of {}", name(i), listed(problem_.genes()[i].cores));
    if (cores_.size() > most) text += fmt::format("\n  and {} more", cores_.size() - most);
    return text;
  }

  void give(std::size_t number, Ref value) {
    const Gene& gene = problem_.genes()[number];
    const std::optional<std::int64_t> core = integer(value);
    if (core && std::find(gene.cores.begin(), gene.cores.end(), *core) != gene.cores.end()) {
      cores_[number] = static_cast<int>(*core);
      return;
    }
    known_wrong_.insert(number);
    wrong(fmt::format("{}: {}; candidates: {}", name(number), why_no_candidate(value, core),
                      listed(gene.cores)));
  }

  std::string why_no_candidate(Ref value, std::optional<std::int64_t> core) const {
    if (!core) return "expected a core id, found " + describe(value);
    const int count = problem_.accelerator()->core_count();
    if (*core < 0 || *core >= count)
      return fmt::format("there is no core {}, the accelerator has {} (0 to {})", *core, count, count - 1);
    return fmt::format("core {} is no candidate", *core);
  }

  void give(const LayerKey& key, Ref value) {
    const int layer = problem_.graph()->layer_index(key.layer);
    const CutLayer& cut_layer = problem_.graph()->layers[layer];
    if (key.group && (*key.group < 0 || *key.group >= cut_layer.group_count)) {
      wrong(fmt::format("layer {} '{}' has no group {}, only 0 to {}", key.layer, cut_layer.layer->name,
                        *key.group, cut_layer.group_count - 1));
      return;
    }
    bool flexible = false;
    const std::vector<Gene>& genes = problem_.genes();
    const auto first = std::partition_point(genes.begin(), genes.end(),
                                            [&](const Gene& gene) { return gene.layer < layer; });
    for (auto gene = first; gene != genes.end() && gene->layer == layer; ++gene) {
      flexible = true;
      const auto number = static_cast<std::size_t>(gene - genes.begin());
      if (key.group && *key.group != gene->group) continue;
      // All groups of a layer have the same candidates: one message is enough.
      const bool said = !key.group && gene != first && known_wrong_.count(number - 1) > 0;
      if (said)
        known_wrong_.insert(number);
      else
        give(number, value);
    }
    if (!flexible) give_fixed(key, cut_layer, problem_.costs()->layers[layer], value);
  }

  void give_fixed(const LayerKey& key, const CutLayer& cut_layer, const CoreCosts::OfLayer& costs,
                  Ref value) {
    const std::optional<std::int64_t> core = integer(value);
    std::vector<int> own;
    for (const CoreCost& cost : costs.on) own.push_back(cost.core);
    if (core && std::find(own.begin(), own.end(), *core) != own.end()) return;
    wrong(fmt::format("layer {} '{}': {}; it can only run on core {}", key.layer, cut_layer.layer->name,
                      why_no_candidate(value, core), listed(own)));
  }

  const ScheduleProblem& problem_;
  std::vector<int> cores_;
  std::set<std::size_t> known_wrong_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace

std::vector<int> user_allocation(Ref value, const ScheduleProblem& problem) {
  Allocation allocation(problem);
  const Kind kind = kind_of(value);
  if (kind == Kind::list)
    allocation.read_list(value);
  else if (kind == Kind::map)
    allocation.read_map(value);
  else
    allocation.wrong("expected a list of core ids or a map from layers to cores, found " + describe(value));
  return std::move(allocation).result();
}

std::vector<std::pair<std::int64_t, int>> user_node_order(Ref value) {
  std::vector<std::pair<std::int64_t, int>> order;
  if (kind_of(value) == Kind::null || kind_of(value) == Kind::none) return order;
  if (kind_of(value) != Kind::list)
    throw InputError("'scheduling_order': expected a list of [layer id, node], found " + describe(value));
  order.reserve(count_of(value));
  for (std::uint32_t i = 0; i < count_of(value); ++i) {
    const Ref entry = part_at(value, i);
    std::optional<std::int64_t> layer, node;
    if (kind_of(entry) == Kind::list && count_of(entry) == 2) {
      layer = integer(part_at(entry, 0));
      node = integer(part_at(entry, 1));
    }
    if (!layer || !node || *node < 0 || *node > std::numeric_limits<int>::max()) {
      throw InputError(fmt::format("'scheduling_order': expected [layer id, node] as entry {}, found {}", i,
                                   describe(entry)));
    }
    order.emplace_back(*layer, static_cast<int>(*node));
  }
  return order;
}

void read_layer_ranks(Ref value, const ComputationNodeGraph& graph, ScheduleChoice& choice) {
  if (kind_of(value) == Kind::null || kind_of(value) == Kind::none) return;
  std::vector<Diagnostic> wrong;
  const auto refuse = [&](std::string message) {
    wrong.push_back({Severity::error, {}, "'layer_ranks': " + std::move(message), ""});
  };
  if (kind_of(value) != Kind::map) {
    refuse("expected a map from layers to [offset, slope], found " + describe(value));
    throw InputError(std::move(wrong));
  }
  choice.layer_offset.assign(graph.layers.size(), 0);
  choice.layer_slope.assign(graph.layers.size(), 0);
  std::vector<bool> named(graph.layers.size(), false);
  for (std::uint32_t i = 0; i < count_of(value); ++i) {
    std::string_view text;
    const Ref entry = part_at(value, i, &text);
    const std::optional<LayerKey> key = layer_key(text);
    const int layer = key && !key->group ? graph.layer_index(key->layer) : -1;
    if (layer < 0) {
      refuse(fmt::format("there is no layer '{}'", text));
      continue;
    }
    named[layer] = true;
    const bool pair = kind_of(entry) == Kind::list && count_of(entry) == 2;
    if (!(pair ? read_f64(part_at(entry, 0), choice.layer_offset[layer]) &&
                     read_f64(part_at(entry, 1), choice.layer_slope[layer])
               : read_f64(entry, choice.layer_offset[layer])))
      refuse(fmt::format("layer {}: expected [offset, slope], found {}", text, describe(entry)));
  }
  for (std::size_t layer = 0; layer < named.size(); ++layer)
    if (!named[layer]) refuse(fmt::format("layer {} is missing", graph.layers[layer].layer->id));
  if (!wrong.empty()) throw InputError(std::move(wrong));
}

void read_segments(Ref value, const ComputationNodeGraph& graph, ScheduleChoice& choice) {
  if (kind_of(value) == Kind::null || kind_of(value) == Kind::none) return;
  const auto refuse = [](const std::string& message) { throw InputError("'segments': " + message); };
  const auto name = [&](int layer) {
    return fmt::format("layer {} '{}'", graph.layers[layer].layer->id, graph.layers[layer].layer->name);
  };
  if (kind_of(value) != Kind::list)
    refuse("expected a list of the layers at which segments begin, found " + describe(value));
  int latest = -1;
  for (std::uint32_t i = 0; i < count_of(value); ++i) {
    const std::optional<std::int64_t> id = integer(part_at(value, i));
    const int layer = id ? graph.layer_index(*id) : -1;
    if (layer < 0)
      refuse(fmt::format("expected the id of a layer, found {}; there are {}", describe(part_at(value, i)),
                         ids_of_layers(graph)));
    if (layer <= latest)
      refuse(
          fmt::format("{} comes after {}; expected ascending ids, each once", name(layer), name(latest)));
    latest = layer;
    if (layer > 0) choice.segments.push_back(layer);
  }
  const auto segment_of = [&](int layer) {
    return std::upper_bound(choice.segments.begin(), choice.segments.end(), layer);
  };
  for (const Dependency& dependency : graph.dependencies) {
    const int from = graph.nodes[dependency.from].layer, to = graph.nodes[dependency.to].layer;
    if (segment_of(from) > segment_of(to))
      refuse(fmt::format("{} reads from {}, which is of a later segment", name(to), name(from)));
  }
}

void read_period(Ref period, Ref resident, const ComputationNodeGraph& graph, ScheduleChoice& choice) {
  const auto given = [](Ref value) { return kind_of(value) != Kind::null && kind_of(value) != Kind::none; };
  std::string_view word;
  if (read_text(period, word) && word == "least") {
    choice.period = ScheduleChoice::least_period;
  } else if (given(period)) {
    double cycles = 0;
    if (!read_f64(period, cycles) || !(cycles >= 1) || !std::isfinite(cycles) ||
        cycles != std::floor(cycles))
      throw InputError("'period': expected 'least' or a whole number of cycles from 1 on, found " +
                       describe(period));
    choice.period = cycles;
  }
  if (choice.period != 0)
    for (const CutLayer& layer : graph.layers)
      check_samples(*layer.layer, "'period' runs the network again and again");
  if (!given(resident)) return;
  const auto refuse = [](const std::string& message) { throw InputError("'resident': " + message); };
  if (choice.period == 0)
    refuse("constants stay from one repeat to the next, but 'period' does not say that there is any");
  if (kind_of(resident) != Kind::list)
    refuse("expected a list of the layers whose constants stay, found " + describe(resident));
  for (std::uint32_t i = 0; i < count_of(resident); ++i) {
    const std::optional<std::int64_t> id = integer(part_at(resident, i));
    const int layer = id ? graph.layer_index(*id) : -1;
    if (layer < 0)
      refuse(fmt::format("expected the id of a layer, found {}; there are {}",
                         describe(part_at(resident, i)), ids_of_layers(graph)));
    const CutLayer& found = graph.layers[layer];
    const std::string name = fmt::format("layer {} '{}'", found.layer->id, found.layer->name);
    if (std::find(choice.resident.begin(), choice.resident.end(), layer) != choice.resident.end())
      refuse(name + " is named twice");
    if (std::none_of(found.constants.begin(), found.constants.end(),
                     [&](int operand) { return shared_by_samples(*found.layer, operand); }))
      refuse(name + " reads no constants that all samples share");
    choice.resident.push_back(layer);
  }
}

void check_prefetched_operands(const std::vector<std::string>& operands,
                               const ComputationNodeGraph& graph) {
  std::vector<std::string> known;
  for (const CutLayer& layer : graph.layers)
    for (const LayerOperand& operand : layer.layer->operands)
      if (std::find(known.begin(), known.end(), operand.name) == known.end()) known.push_back(operand.name);
  std::vector<Diagnostic> wrong;
  for (const std::string& operand : operands)
    if (std::find(known.begin(), known.end(), operand) == known.end())
      wrong.push_back({Severity::error,
                       {},
                       fmt::format("'operands_to_prefetch': no layer has an operand '{}'", operand),
                       suggestion(operand, known)});
  if (!wrong.empty()) throw InputError(std::move(wrong));
}

}  // namespace zz::core
