#include "core/multicore/graph/layer_stacks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/base/diagnostics.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {
namespace {

double weight_capacity(const MultiCoreAccelerator& accelerator) {
  double bits = 0;
  for (int core = 0; core < accelerator.core_count(); ++core) {
    const int memory = accelerator.offchip_core == core ? -1 : accelerator.top(core, "I2");
    if (memory >= 0)
      bits += static_cast<double>(accelerator.top_memories[static_cast<std::size_t>(memory)].size);
  }
  return bits;
}

double weight_bits(const Layer& layer, const Rules& rules) {
  const auto is_constant = [&](int operand) {
    return layer.operands[static_cast<std::size_t>(operand)].constant;
  };
  int operand = operand_roles(layer).weight;
  if (rules.first_constant_decides) {
    const auto first = std::find_if(layer.source_order.begin(), layer.source_order.end(), is_constant);
    operand = first == layer.source_order.end() ? -1 : *first;
  }
  return operand < 0 || !is_constant(operand) ? 0 : static_cast<double>(layer.operand_bits(operand, rules));
}

/// Layers by ascending id.
std::vector<const Layer*> sorted_layers(const Workload& workload) {
  std::vector<const Layer*> layers;
  for (const auto& layer : workload.layers) layers.push_back(layer.get());
  std::sort(layers.begin(), layers.end(), [](const Layer* a, const Layer* b) { return a->id < b->id; });
  return layers;
}

void check_ascending(const std::vector<std::int64_t>& cutoffs) {
  for (std::size_t i = 1; i < cutoffs.size(); ++i) {
    if (cutoffs[i] > cutoffs[i - 1]) continue;
    throw InputError(fmt::format("the cutoffs between layers must ascend, but {} follows {}", cutoffs[i],
                                 cutoffs[i - 1]));
  }
}

std::string range_of(const std::vector<std::int64_t>& ids) {
  if (ids.empty()) return "";
  const auto [first, last] = std::minmax_element(ids.begin(), ids.end());
  return fmt::format("; its layers are {} to {}", *first, *last);
}

/// Collects layers, one after the other, into stacks.
class StackBuilder {
 public:
  void add(std::int64_t id) { current_.push_back(id); }
  void close() {
    if (!current_.empty()) stacks_.push_back(std::move(current_));
    current_.clear();
  }
  LayerStacks finish() {
    close();
    return std::move(stacks_);
  }

 private:
  LayerStacks stacks_;
  std::vector<std::int64_t> current_;
};

LayerStacks fuse(const Workload& workload, const MultiCoreAccelerator& accelerator,
                 const StackOptions& options) {
  std::vector<std::int64_t> cutoffs = options.cutoffs;
  if (options.cutoff) cutoffs = {*options.cutoff};
  // A single cutoff is the user's word; several leave it to the memories whether what lies between fits.
  const bool by_capacity = !options.cutoff;
  const double capacity = weight_capacity(accelerator);
  StackBuilder stacks;
  std::size_t next_cutoff = 0;
  double bits = 0;
  bool alone = false;
  for (const Layer* layer : sorted_layers(workload)) {
    const double weight = weight_bits(*layer, options.rules);
    bits += weight;
    if (alone) {
      stacks.close();
    } else if (next_cutoff < cutoffs.size() && layer->id > cutoffs[next_cutoff]) {
      while (next_cutoff < cutoffs.size() && layer->id > cutoffs[next_cutoff]) ++next_cutoff;
      stacks.close();
      bits = weight;
      alone = next_cutoff == cutoffs.size() || (by_capacity && bits > capacity);
    } else if (by_capacity && bits > capacity) {
      stacks.close();
      alone = true;
    }
    stacks.add(layer->id);
  }
  return stacks.finish();
}

}  // namespace

LayerStacks determine_layer_stacks(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                   const StackOptions& options) {
  if (options.mode != "fused" && options.mode != "lbl") {
    throw InputError(
        fmt::format("unknown mode '{}' of layer stacks: expected 'fused' or 'lbl' (layer by "
                    "layer)",
                    options.mode));
  }
  if (options.cutoff && !options.cutoffs.empty())
    throw InputError("give either stack_cutoff or stack_cutoffs, not both");
  check_ascending(options.cutoffs);
  if (options.mode == "fused") return fuse(workload, accelerator, options);
  LayerStacks stacks;
  for (const Layer* layer : sorted_layers(workload)) stacks.push_back({layer->id});
  return stacks;
}

void check_layers_known(const LayerStacks& stacks, const Workload& workload) {
  const auto& known = workload.node_order;
  for (const std::vector<std::int64_t>& stack : stacks) {
    for (const std::int64_t id : stack) {
      if (std::find(known.begin(), known.end(), id) != known.end()) continue;
      throw InputError(fmt::format("layer_stacks names layer {}, which network '{}' does not have{}", id,
                                   workload.name, range_of(known)));
    }
  }
}

std::vector<CutEntry> hints_of_stacks(const LayerStacks& stacks, const Workload& workload) {
  std::vector<CutEntry> hints;
  for (const std::vector<std::int64_t>& stack : stacks) {
    int layers = 0;
    bool has_rows = false;
    for (const std::int64_t id : stack) {
      const Layer* layer = workload.layer(id);
      if (layer == nullptr) continue;
      ++layers;
      has_rows = has_rows || layer->loop_index("OY") >= 0;
    }
    hints.push_back({stack, {}});
    if (layers > 1 && has_rows) hints.back().loops.push_back({"OY", std::nullopt});
  }
  return hints;
}

LayerStacks stacks_up_to(const std::vector<std::int64_t>& cutoffs, const Workload& workload) {
  check_ascending(cutoffs);
  std::vector<std::int64_t> ids = workload.node_order;
  std::sort(ids.begin(), ids.end());
  LayerStacks stacks(cutoffs.size());
  std::size_t stack = 0;
  for (const std::int64_t id : ids) {
    while (stack < cutoffs.size() && id > cutoffs[stack]) ++stack;
    if (stack == stacks.size()) stacks.emplace_back();
    stacks[stack].push_back(id);
  }
  return stacks;
}

namespace {

std::vector<int> layers_by_rank(const ComputationNodeGraph& graph, const LayerStacks& stacks) {
  std::vector<int> layers;
  std::vector<bool> taken(graph.layers.size(), false);
  const auto add = [&](std::vector<int> stack) {
    std::sort(stack.rbegin(), stack.rend());  // the index follows the id
    for (const int layer : stack) {
      if (!taken[layer]) layers.push_back(layer);
      taken[layer] = true;
    }
  };
  for (const auto& stack : stacks) {
    std::vector<int> members;
    for (const std::int64_t id : stack)
      if (const int layer = graph.layer_index(id); layer >= 0) members.push_back(layer);
    add(std::move(members));
  }
  std::vector<int> all(graph.layers.size());
  std::iota(all.begin(), all.end(), 0);
  add(std::move(all));
  return layers;
}

}  // namespace

std::vector<int> deepest_first(const ComputationNodeGraph& graph, const LayerStacks& stacks) {
  std::vector<int> order;
  order.reserve(graph.nodes.size());
  for (const int index : layers_by_rank(graph, stacks)) {
    const int first = graph.layers[index].first_node, pieces = graph.pieces(index);
    for (int repeat = 0; repeat < graph.repeats(index); ++repeat)
      for (int piece = pieces; piece-- > 0;) order.push_back(first + repeat * pieces + piece);
  }
  return order;
}

}  // namespace zz::core
