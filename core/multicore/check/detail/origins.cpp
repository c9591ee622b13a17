#include "core/multicore/check/detail/origins.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace zz::core::partition_check {
namespace {

using Kind = ShapeChange::Kind;

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Extents coordinates_of(std::int64_t element, const Extents& extents) {
  Extents at(extents.size(), 0);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    at[axis] = element % extents[axis];
    element /= extents[axis];
  }
  return at;
}

std::int64_t element_at(const Extents& at, const Extents& extents) {
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) element = element * extents[axis] + at[axis];
  return element;
}

Extents permutation(const ShapeChange& change, std::size_t axes) {
  if (change.indices.size() == axes) return change.indices;
  Extents reversed(axes);
  for (std::size_t i = 0; i < axes; ++i) reversed[i] = static_cast<std::int64_t>(axes - 1 - i);
  return reversed;
}

/// Elements behind the axis, all together.
std::int64_t behind(const Extents& extents, std::int64_t axis) {
  std::int64_t elements = 1;
  for (std::size_t i = axis + 1; i < extents.size(); ++i) elements *= extents[i];
  return elements;
}

}  // namespace

Extents data_extents(const Layer& layer, int operand) {
  Extents extents;
  const std::vector<std::string>& names = layer.operands[operand].dimensions;
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    const auto relation =
        std::find_if(layer.relations.begin(), layer.relations.end(),
                     [&](const DimensionRelation& entry) { return entry.data == names[axis]; });
    const std::int64_t extent =
        relation != layer.relations.end() ? relation->size : layer.loop_size(names[axis]);
    const std::string channels = operand == 0 ? "K" : "C";
    const bool joined = axis > 0 && ((names[axis] == channels && names[axis - 1] == "G") ||
                                     (names[axis] == "G" && names[axis - 1] == channels));
    if (joined)
      extents.back() *= extent;
    else
      extents.push_back(extent);
  }
  return extents;
}

Origins::Origins(const Workload& workload) {
  for (const auto& layer : workload.layers) layers_.emplace(layer->id, layer.get());
  for (const PassThroughNode& node : workload.pass_through) operators_.emplace(node.id, &node);
}

std::int64_t Origins::unmoved(std::int64_t source) const {
  for (std::size_t steps = 0; steps <= operators_.size(); ++steps) {
    if (layers_.count(source) != 0) return source;
    const auto found = operators_.find(source);
    if (found == operators_.end()) return -1;
    const PassThroughNode& node = *found->second;
    if (node.shape_change.kind != Kind::none || node.sources.size() != 1) return -1;
    source = node.sources.front();
  }
  return -1;
}

std::optional<Extents> Origins::extents_of(std::int64_t id) const {
  if (const auto layer = layers_.find(id); layer != layers_.end()) return data_extents(*layer->second, 0);
  const auto [known, fresh] = known_.try_emplace(id);
  if (!fresh) return known->second;
  const auto node = operators_.find(id);
  if (node == operators_.end()) return {};
  const std::optional<Extents> made = extents_made(*node->second);
  return known_[id] = made;
}

/// Nothing where the operator does not say what it makes of what reaches it.
std::optional<Extents> Origins::extents_made(const PassThroughNode& node) const {
  const ShapeChange& change = node.shape_change;
  if (change.kind == Kind::all || node.sources.empty()) return {};
  if (change.kind == Kind::concat) {
    if (change.indices.size() < node.sources.size() ||
        change.axis >= static_cast<std::int64_t>(change.shape.size()))
      return {};
    for (const std::int64_t source : node.sources) {
      const std::optional<Extents> part = extents_of(source);
      if (!part || part->size() != change.shape.size()) return {};
    }
    return change.shape;
  }
  if (node.sources.size() != 1) return {};
  std::optional<Extents> read = extents_of(node.sources.front());
  if (!read) return {};
  if (!change.from.empty()) {
    if (product(change.from) != product(*read)) return {};
    read = change.from;
  }
  switch (change.kind) {
    case Kind::none:
      return read;
    case Kind::reshape: {
      Extents made = change.shape;
      std::int64_t open = -1, rest = 1;
      for (std::size_t axis = 0; axis < made.size(); ++axis) {
        if (made[axis] == 0 && axis < read->size()) made[axis] = (*read)[axis];
        if (made[axis] < 0)
          open = static_cast<std::int64_t>(axis);
        else
          rest *= made[axis];
      }
      if (open >= 0 && rest > 0) made[open] = product(*read) / rest;
      if (product(made) != product(*read)) return {};
      return made;
    }
    case Kind::flatten: {
      const std::int64_t rest = change.axis == 0 ? product(*read) : behind(*read, change.axis - 1);
      return rest == 0 ? std::optional<Extents>() : Extents{product(*read) / rest, rest};
    }
    case Kind::transpose: {
      Extents made;
      for (const std::int64_t axis : permutation(change, read->size())) made.push_back((*read)[axis]);
      return made;
    }
    case Kind::gather: {
      if (change.axis >= static_cast<std::int64_t>(read->size())) return {};
      Extents made = *read;
      made[change.axis] = static_cast<std::int64_t>(change.indices.size());
      return product(change.shape) == product(made) && !change.shape.empty() ? change.shape : made;
    }
    default:
      return change.shape;
  }
}

bool Origins::traceable(std::int64_t source, std::int64_t elements) const {
  const std::optional<Extents> extents = extents_of(source);
  return extents && product(*extents) == elements;
}

bool Origins::by_rows(std::int64_t source) const {
  const auto node = operators_.find(source);
  if (node == operators_.end()) return false;
  if (node->second->shape_change.kind == Kind::rows) return true;
  return std::any_of(node->second->sources.begin(), node->second->sources.end(),
                     [&](std::int64_t before) { return by_rows(before); });
}

Origin Origins::of(std::int64_t source, std::int64_t element, bool last_of_row) const {
  for (;;) {
    if (layers_.count(source) != 0) return {source, element};
    const PassThroughNode& node = *operators_.at(source);
    const ShapeChange& change = node.shape_change;
    const Extents made = *extents_of(source);
    std::int64_t next = node.sources.front();
    Extents read = change.from.empty() || change.kind == Kind::concat ? *extents_of(next) : change.from;
    switch (change.kind) {
      case Kind::transpose: {
        const Extents at = coordinates_of(element, made), axes = permutation(change, read.size());
        Extents from(read.size());
        for (std::size_t axis = 0; axis < axes.size(); ++axis) from[axes[axis]] = at[axis];
        element = element_at(from, read);
        break;
      }
      case Kind::gather: {
        const std::int64_t inner = behind(read, change.axis);
        const auto taken = static_cast<std::int64_t>(change.indices.size());
        std::int64_t index = change.indices[element / inner % taken];
        if (index < 0) index += read[change.axis];
        element = (element / inner / taken * read[change.axis] + index) * inner + element % inner;
        break;
      }
      case Kind::concat: {
        Extents at = coordinates_of(element, made);
        bool found = false;
        for (std::size_t i = 0; i < node.sources.size() && !found; ++i) {
          const Extents part = *extents_of(node.sources[i]);
          const std::int64_t along = at[change.axis] - change.indices[i];
          if (along < 0 || along >= part[change.axis]) continue;
          found = true;
          at[change.axis] = along;
          next = node.sources[i];
          element = element_at(at, part);
        }
        if (!found) return {};
        break;
      }
      case Kind::view: {
        const Extents at = coordinates_of(element, made);
        element = change.first;
        for (std::size_t axis = 0; axis < at.size(); ++axis) element += at[axis] * change.indices[axis];
        break;
      }
      case Kind::pad: {
        Extents at = coordinates_of(element, made);
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
          at[axis] -= change.indices[axis];
          if (at[axis] < 0 || at[axis] >= read[axis]) return {};
        }
        element = element_at(at, read);
        break;
      }
      case Kind::rows: {
        std::int64_t rows = 1;
        for (std::int64_t axis = 0; axis < change.axis; ++axis) rows *= read[axis];
        const std::int64_t row = element / (product(made) / rows), length = product(read) / rows;
        element = row * length + (last_of_row ? length - 1 : 0);
        break;
      }
      default:
        break;  // the same elements in the same order
    }
    source = next;
  }
}

}  // namespace zz::core::partition_check
