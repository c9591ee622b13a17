#include "core/search/fused/detail/tensor_origins.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace zz::core {
namespace {

/// Each element of the result comes from the elements in its place, as the file of the network says or the
/// generator of transformers. Where the file told of places, these tell of the others.
bool works_in_place(const PassThroughNode& node) {
  static const std::set<std::string> types = {"activation",  "add",        "batchnormalization",
                                              "cast",        "clip",       "div",
                                              "dropout",     "elu",        "gelu",
                                              "hardsigmoid", "hardswish",  "identity",
                                              "leakyrelu",   "max",        "mean",
                                              "min",         "mish",       "mul",
                                              "prelu",       "relu",       "selu",
                                              "sigmoid",     "silu",       "softplus",
                                              "sub",         "sum",        "swish",
                                              "tanh",        "qlinearadd", "qlinearmul"};
  return node.shape_change.kind == ShapeChange::Kind::none && types.count(node.type) > 0;
}

}  // namespace

TensorOrigins::TensorOrigins(const Workload& workload, const std::map<std::int64_t, int>& position)
    : position_(position) {
  for (const PassThroughNode& node : workload.pass_through) {
    nodes_[node.id] = &node;
    for (const std::int64_t source : node.sources) ++readers_[source];
  }
  for (const auto& layer : workload.layers)
    for (const LayerOperand& operand : layer->operands)
      for (const std::int64_t source : operand.sources) ++readers_[source];
  // Results that leave the network are added, too.
  for (const std::int64_t id : workload.node_order) at(id);
}

std::vector<TensorOrigin> TensorOrigins::of(const std::vector<std::int64_t>& sources) {
  std::vector<TensorOrigin> found;
  for (const std::int64_t source : sources) {
    for (TensorOrigin origin : at(source)) {
      origin.sole = origin.sole && readers_[source] == 1;
      const auto same = std::find_if(found.begin(), found.end(), [&](const TensorOrigin& known) {
        return known.layer == origin.layer;
      });
      if (same == found.end()) {
        found.push_back(origin);
        continue;
      }
      same->moved = same->moved || origin.moved;
      same->rows = same->rows || origin.rows;
      same->in_place = same->in_place && origin.in_place;
      same->sole = false;
    }
  }
  return found;
}

const std::vector<TensorOrigin>& TensorOrigins::added(std::int64_t layer) const {
  static const std::vector<TensorOrigin> none;
  const auto known = added_.find(layer);
  return known == added_.end() ? none : known->second;
}

const std::vector<TensorOrigin>& TensorOrigins::at(std::int64_t id) {
  if (const auto known = known_.find(id); known != known_.end()) return known->second;
  std::vector<TensorOrigin> found;
  if (position_.count(id) > 0) {
    found.push_back({id});
  } else if (const auto of_id = nodes_.find(id); of_id != nodes_.end()) {
    const PassThroughNode& node = *of_id->second;
    const bool in_place = works_in_place(node);
    found = of(node.sources);
    if (found.size() > 1 && in_place) add_to_last(found);
    using Kind = ShapeChange::Kind;
    const Kind kind = node.shape_change.kind;
    for (TensorOrigin& origin : found) {
      const bool pools = node.type.find("pool") != std::string::npos;
      origin.moved =
          origin.moved || pools || (kind != Kind::none && kind != Kind::rows && kind != Kind::reshape);
      const bool row = kind == Kind::rows || (!in_place && node.type.find("norm") != std::string::npos);
      origin.rows = origin.rows || row;
      origin.in_place = origin.in_place && (in_place || row);
    }
  }
  return known_[id] = std::move(found);
}

/// Adds results to the one that comes last, if that is made for this alone; it alone is then read.
void TensorOrigins::add_to_last(std::vector<TensorOrigin>& origins) {
  const auto last = std::max_element(origins.begin(), origins.end(), [&](const auto& a, const auto& b) {
    return position_.at(a.layer) < position_.at(b.layer);
  });
  if (!last->in_place || last->rows || !last->sole) return;
  const std::int64_t layer = last->layer;
  for (const TensorOrigin& origin : origins)
    if (origin.layer != layer) added_[layer].push_back(origin);
  origins.assign(1, TensorOrigin{layer});
}

}  // namespace zz::core
