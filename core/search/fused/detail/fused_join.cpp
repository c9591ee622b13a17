#include "core/search/fused/detail/fused_join.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/factors.hpp"

namespace zz::core {
namespace {

constexpr int off_chip = -2;  ///< Step::made
constexpr std::size_t labels_between_looks = 256, states_between_looks = 256;

/// A tensor that a layer adds to its result is none of its operands.
void add_use(OperandSet& on_chip, const NetworkTensor& tensor, int layer) {
  for (const NetworkTensor::Use& use : tensor.uses)
    if (use.layer == layer && use.operand != NetworkTensor::added) on_chip.add(use.operand);
}

}  // namespace

FusedJoin::FusedJoin(const FusedNetwork& network, const Numbered<LayerViews>& layers,
                     const JoinRules& rules, const RunPrefixes& prefixes,
                     const Numbered<LatencyFloors>& floors, std::size_t on_chip, const SearchLimits& limits,
                     const std::function<double()>& seconds)
    : network_(network),
      capacity_(rules.capacity),
      prefixes_(prefixes),
      lists_(network, layers),
      rows_(network),
      phases_(network, layers, rules, floors, lists_),
      extensions_(network.layers.size()) {
  if (bound_rest(on_chip, limits, seconds)) return;
  rest_.clear();
  bound_each_layer();
}

std::size_t FusedJoin::KeyHash::operator()(const Key& key) const {
  std::size_t hash = 0;
  const auto mix = [&](int value) {
    hash = (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  };
  mix(key.prefix);
  mix(key.list);
  for (const Waiting& waiting : key.waiting) {
    mix(waiting.tensor);
    mix(waiting.depth);
    mix(waiting.shared);
  }
  return hash;
}

/// A layer may run while a tensor waits on chip.
bool FusedJoin::may_join(int tensor, int layer) const {
  const int producer = network_.tensors[tensor].producer;
  return network_.layers[producer].set == network_.layers[layer].set;
}

/// The least of the layers to come, by those that have run and the tensors that are on chip. False where
/// these are too many: as many chains beside each other have two to the power of their number.
bool FusedJoin::bound_rest(std::size_t most, const SearchLimits& limits,
                           const std::function<double()>& seconds) {
  struct Way {
    double value;
    int prefix;
    Live next;
  };
  const auto ways = [&](int prefix, const Live& live) {
    std::vector<Way> found;
    for (const auto& [layer, after] : prefixes_.next(prefix)) {
      const bool together = std::all_of(live.begin(), live.end(), [this, layer = layer](int waiting) {
        return may_join(waiting, layer);
      });
      if (!together) continue;
      OperandSet on_chip;
      Live next;
      for (const int waiting : live) {
        const NetworkTensor& tensor = network_.tensors[waiting];
        add_use(on_chip, tensor, layer);
        if (!prefixes_.all_uses(tensor, after)) next.push_back(waiting);
      }
      found.push_back({phases_.bound(layer, on_chip), after, next});
      const int made = network_.tensor_at(layer, 0);
      if (made < 0 || !network_.tensors[made].exchangeable) continue;
      on_chip.add(0);
      next.insert(std::upper_bound(next.begin(), next.end(), made), made);
      found.push_back({phases_.bound(layer, on_chip), after, next});
    }
    return found;
  };
  rest_.resize(static_cast<std::size_t>(prefixes_.size()));
  rest_[0][{}] = 0;
  std::size_t known = 1, looked_at = 0;
  const auto ends = [&] {
    return known > most || (++looked_at % states_between_looks == 0 && limits.stop(seconds(), 0));
  };
  for (int prefix = 0; prefix < prefixes_.size(); ++prefix) {
    for (const auto& [live, bound] : rest_[prefix]) {
      for (const Way& way : ways(prefix, live))
        if (way.value < infinite && rest_[way.prefix].try_emplace(way.next, infinite).second) ++known;
      if (ends()) return false;
    }
  }
  for (auto& [live, bound] : rest_.back()) bound = live.empty() ? 0 : infinite;
  for (int prefix = prefixes_.size() - 1; prefix-- > 0;) {
    for (auto& [live, bound] : rest_[prefix]) {
      bound = infinite;
      for (const Way& way : ways(prefix, live)) {
        const auto behind = rest_[way.prefix].find(way.next);
        if (behind != rest_[way.prefix].end()) bound = std::min(bound, way.value + behind->second);
      }
      if (ends()) return false;
    }
  }
  return true;
}

/// The same whatever is on chip: of each layer to come the least by itself.
void FusedJoin::bound_each_layer() {
  std::vector<double> least(network_.layers.size(), infinite);
  for (std::size_t layer = 0; layer < least.size(); ++layer)
    for (std::size_t number = 0; number < OperandSet::count; ++number)
      least[layer] = std::min(least[layer], phases_.bound(static_cast<int>(layer), OperandSet(number)));
  rest_of_prefix_.assign(static_cast<std::size_t>(prefixes_.size()), 0);
  for (int prefix = 0; prefix < prefixes_.size(); ++prefix)
    for (std::size_t layer = 0; layer < least.size(); ++layer)
      if (!prefixes_.has(prefix, static_cast<int>(layer))) rest_of_prefix_[prefix] += least[layer];
}

double FusedJoin::rest_after(int prefix, const Live& live) const {
  if (rest_.empty()) return rest_of_prefix_[prefix];
  const auto& behind = rest_[prefix];
  const auto found = behind.find(live);
  return found == behind.end() ? infinite : found->second;
}

/// Bits of a finished tensor that wait beside its tile under the first `depth` loops of a list, for the
/// next iterations of each of them.
FusedJoin::PerDepth FusedJoin::kept_rows(int tensor, int list, int depth) {
  PerDepth kept{};
  const int producer = network_.tensors[tensor].producer;
  const std::vector<SharedLoop> loops = lists_.loops(lists_.prefix(list, depth));
  for (int above = 0; above < depth; ++above) {
    const SharedLoop& loop = loops[above];
    const std::int64_t rows = rows_.of(tensor, loop);
    if (rows > 0)
      kept[above] = phases_.tensor_bits(tensor, list, above) * static_cast<double>(rows) /
                    static_cast<double>(network_.axis_of(producer, loop.axis)->size);
  }
  return kept;
}

/// The tensor may be exchanged tile by tile under the first `depth` loops of a list: they are over axes on
/// which all its layers agree.
bool FusedJoin::may_exchange(int tensor, int list, int depth) const {
  const NetworkTensor& exchanged = network_.tensors[tensor];
  if (!exchanged.exchangeable) return false;
  const int above = lists_.prefix(list, depth);
  return std::all_of(exchanged.uses.begin(), exchanged.uses.end(),
                     [&](const NetworkTensor::Use& use) { return lists_.over(above, use.axes); });
}

/// Goes on from a key over the next layer, in all ways.
void FusedJoin::expand(const RunPrefixes::Next& to, const State& state, double cutoff) {
  const int layer = to.layer;
  const int list = state.key.list;
  if (!lists_.can_share(layer, list)) return;
  int deepest = 0;  // of the tensors that still wait behind the layer
  bool any = false;
  for (const Waiting& waiting : state.key.waiting) {
    const NetworkTensor& tensor = network_.tensors[waiting.tensor];
    for (const NetworkTensor::Use& use : tensor.uses) {
      if (use.layer != layer) continue;
      // An exchanged tile is exactly what is made and used in one iteration.
      if (waiting.depth >= 0 && waiting.shared >= 0 && waiting.shared != waiting.depth) return;
      if (waiting.depth < 0 && !lists_.over(lists_.prefix(list, waiting.shared), use.axes)) return;
    }
    if (waiting.depth < 0) continue;
    if (!may_join(waiting.tensor, layer)) return;
    if (prefixes_.all_uses(tensor, to.prefix)) continue;
    deepest = std::max(deepest, waiting.depth);
    any = true;
  }
  const int rest = lists_.prefix(list, any ? deepest : 0);
  try_step(layer, state, {to.prefix, rest, list, off_chip}, cutoff);
  const int made = network_.tensor_at(layer, 0);
  if (made < 0) return;
  for (int depth = 0; depth <= lists_.length(list); ++depth) {
    if (!may_exchange(made, list, depth)) break;
    const int next = lists_.prefix(list, std::max(depth, deepest));
    try_step(layer, state, {to.prefix, next, list, depth}, cutoff);
  }
  if (may_exchange(made, list, lists_.length(list))) try_extensions(to, state, list, cutoff);
}

/// Lists with one loop more, over axes of the tensor that the layer makes, that the layer and one that may
/// come next can share.
const std::vector<int>& FusedJoin::extensions(const RunPrefixes::Next& to, int list) {
  const std::uint64_t known =
      static_cast<std::uint64_t>(to.prefix) << 32U | static_cast<std::uint64_t>(list);
  const auto [entry, fresh] = extensions_[to.layer].try_emplace(known, std::vector<int>());
  std::vector<int>& found = entry->second;
  if (!fresh || lists_.length(list) == most) return found;
  const auto& uses = network_.tensors[network_.tensor_at(to.layer, 0)].uses;
  const std::vector<RunPrefixes::Next>& after = prefixes_.next(to.prefix);
  for (const int axis : uses.front().axes) {
    if (lists_.has_axis(list, axis)) continue;
    if (!std::all_of(uses.begin(), uses.end(), [&](const NetworkTensor::Use& use) {
          return std::binary_search(use.axes.begin(), use.axes.end(), axis);
        }))
      continue;
    const LayerAxis* here = network_.axis_of(to.layer, axis);
    if (here == nullptr) continue;
    for (const std::int64_t iterations : divisors_of(here->length)) {
      if (iterations == 1) continue;
      const int longer = lists_.longer(list, {axis, iterations});
      if (lists_.can_share(to.layer, longer) &&
          std::any_of(after.begin(), after.end(),
                      [&](const RunPrefixes::Next& then) { return lists_.can_share(then.layer, longer); }))
        found.push_back(longer);
    }
  }
  return found;
}

/// Lists that go on where `list` ends, as deep as the tensor that the layer makes.
void FusedJoin::try_extensions(const RunPrefixes::Next& to, const State& state, int list, double cutoff) {
  for (const int longer : extensions(to, list)) {
    try_step(to.layer, state, {to.prefix, longer, longer, lists_.length(longer)}, cutoff);
    try_extensions(to, state, longer, cutoff);
  }
}

void FusedJoin::try_step(int layer, const State& state, const Step& step, double cutoff) {
  OperandSet on_chip;
  live_.clear();
  for (const Waiting& waiting : state.key.waiting) {
    if (waiting.depth < 0) continue;
    const NetworkTensor& tensor = network_.tensors[waiting.tensor];
    add_use(on_chip, tensor, layer);
    if (!prefixes_.all_uses(tensor, step.prefix)) live_.push_back(waiting.tensor);
  }
  if (step.made >= 0) {
    on_chip.add(0);
    const int made = network_.tensor_at(layer, 0);
    live_.insert(std::upper_bound(live_.begin(), live_.end(), made), made);
  }
  const double rest_behind = rest_after(step.prefix, live_);
  if (rest_behind == infinite) return;
  const std::vector<LayerPhase>& ways = phases_.at(layer, step.head, on_chip);
  if (ways.empty()) return;
  const double least = state.least + ways.front().value + rest_behind;
  if (least < std::min(cutoff, beam_end(step.prefix))) {
    find_key(layer, state, step);
    join_phases(layer, state, step, rest_behind, ways, cutoff);
  } else {
    least_dropped_ = std::min(least_dropped_, least);
  }
}

/// The key behind a step.
void FusedJoin::find_key(int layer, const State& state, const Step& step) {
  const int made = network_.tensor_at(layer, 0);
  const int shared = lists_.length(step.next);
  next_key_.prefix = step.prefix;
  next_key_.list = step.next;
  std::vector<Waiting>& next = next_key_.waiting;
  next.clear();
  for (const Waiting& waiting : state.key.waiting) {
    const NetworkTensor& tensor = network_.tensors[waiting.tensor];
    if (prefixes_.all_uses(tensor, step.prefix)) continue;
    Waiting later = waiting;
    for (const NetworkTensor::Use& use : tensor.uses)
      if (use.layer == layer && waiting.depth >= 0) later.shared = -1;
    if (later.shared >= 0) later.shared = std::min(later.shared, shared);
    const auto may_come_too_soon = [&](const NetworkTensor::Use& use) {
      return !prefixes_.has(step.prefix, use.layer) &&
             !lists_.over(lists_.prefix(step.next, later.shared), use.axes);
    };
    if (waiting.depth >= 0 || std::any_of(tensor.uses.begin(), tensor.uses.end(), may_come_too_soon))
      next.push_back(later);
  }
  const auto insert = [&](const Waiting& waiting) {
    next.insert(std::upper_bound(next.begin(), next.end(), waiting), waiting);
  };
  if (step.made >= 0) {
    insert({made, step.made, shared});
  } else if (made >= 0) {
    const auto& uses = network_.tensors[made].uses;
    if (std::any_of(uses.begin(), uses.end(),
                    [&](const NetworkTensor::Use& use) { return !lists_.over(step.next, use.axes); }))
      insert({made, -1, shared});
  }
}

void FusedJoin::join_phases(int layer, const State& state, const Step& step, double rest,
                            const std::vector<LayerPhase>& phases, double cutoff) {
  const int list = state.key.list;
  const int before = lists_.length(list), after = lists_.length(step.next);
  double waiting_bits = 0;
  PerDepth dead{};
  Depths depths;
  depths.fill(-1);
  if (step.made >= 0) depths[0] = static_cast<std::int8_t>(step.made);
  std::size_t slot = SharedLists::none;  // of the next key, once it has a label
  for (const Waiting& waiting : state.key.waiting) {
    if (waiting.depth < 0) continue;
    for (const auto& use : network_.tensors[waiting.tensor].uses)
      if (use.layer == layer && use.operand != NetworkTensor::added)
        depths[use.operand] = static_cast<std::int8_t>(waiting.depth);
    const double bits = phases_.tensor_bits(waiting.tensor, list, waiting.depth);
    waiting_bits += bits;
    // Held until the loop of its depth ends.
    if (prefixes_.all_uses(network_.tensors[waiting.tensor], step.prefix) && waiting.depth < after)
      dead[waiting.depth] += bits;
  }
  std::array<double, 2> made{};
  PerDepth rows{};
  if (step.made >= 0) {
    for (const bool partial : {false, true})
      made[partial ? 1 : 0] = phases_.made_bits(layer, step.head, step.made, partial);
    rows = kept_rows(network_.tensor_at(layer, 0), step.head, step.made);
    waiting_bits += std::accumulate(rows.begin(), rows.end(), 0.0);
  }
  const double least = phases.front().value + rest;
  for (const Label& from : state.labels) {
    if (!(from.value + least < cutoff)) {
      least_dropped_ = std::min(least_dropped_, from.value + least);
      continue;
    }
    double held = waiting_bits;
    for (int depth = 0; depth < before; ++depth) held += from.held[depth];
    for (const LayerPhase& phase : phases) {
      const double value = from.value + phase.value;
      cutoff = std::min(cutoff, beam_end(step.prefix));
      if (!(value + rest < cutoff)) {
        least_dropped_ = std::min(least_dropped_, value + rest);
        break;
      }
      const double output = made[phase.partial ? 1 : 0];
      const double full = held + phase.needed + output;
      if (full > capacity_) continue;
      // Data that this layer holds longer than its own phase fill the phases that run meanwhile.
      Label to;
      to.value = value;
      double meanwhile = 0;
      bool fits = true;
      for (int loops = 1; loops <= before; ++loops) {
        meanwhile += phase.kept[loops - 1] + rows[loops - 1];
        double earlier = from.fullest[loops - 1];
        if (earlier > 0) earlier += meanwhile + (step.made >= 0 && step.made < loops ? output : 0);
        fits = fits && earlier <= capacity_;
        if (after == 0) continue;
        double& fullest = to.fullest[std::min(loops, after) - 1];
        fullest = std::max(fullest, earlier);
      }
      if (!fits) continue;
      if (after > 0) to.fullest[after - 1] = std::max(to.fullest[after - 1], full);
      for (int depth = 0; depth < after; ++depth)
        to.held[depth] =
            (depth < before ? from.held[depth] : 0) + phase.kept[depth] + rows[depth] + dead[depth];
      Label* const added = add(next_key_, slot, to);
      if (added == nullptr) continue;
      widen(step.prefix, value + rest);
      added->record = static_cast<std::uint32_t>(records_.size());
      records_.push_back({from.record, layer, step.head, step.next, depths, &phase});
    }
  }
}

/// Adds a label unless another one of its key is no worse in anything; nullptr: it was not added.
FusedJoin::Label* FusedJoin::add(const Key& key, std::size_t& slot, const Label& label) {
  if (slot == SharedLists::none) {
    const auto [entry, fresh] = next_index_.try_emplace(key, next_.size());
    if (fresh) next_.push_back({key, infinite, {}});
    slot = entry->second;
  }
  std::vector<Label>& labels = next_[slot].labels;
  const int length = lists_.length(key.list);
  const auto no_worse = [&](const Label& a, const Label& b) {
    if (a.value > b.value) return false;
    for (int i = 0; i < length; ++i)
      if (a.fullest[i] > b.fullest[i] || a.held[i] > b.held[i]) return false;
    return true;
  };
  for (const Label& known : labels)
    if (no_worse(known, label)) return nullptr;
  next_labels_ -= static_cast<std::size_t>(
      std::erase_if(labels, [&](const Label& known) { return no_worse(label, known); }));
  labels.push_back(label);
  next_[slot].least = std::min(next_[slot].least, label.value);
  ++next_labels_;
  ++labels_;
  return &labels.back();
}

/// Labels with this bound or a higher one are not continued: enough of their prefix have lower ones.
double FusedJoin::beam_end(int prefix) const {
  const auto known = beams_.find(prefix);
  return known == beams_.end() || known->second.size() < beam_ ? infinite : known->second.top();
}

/// Takes a label's bound into the beam of its prefix.
void FusedJoin::widen(int prefix, double bound) {
  if (beam_ == 0) return;
  std::priority_queue<double>& beam = beams_[prefix];
  beam.push(bound);
  if (beam.size() > beam_) beam.pop();
}

/// Each layer by itself, with the space of its tiles but without a group.
JoinedLayers FusedJoin::unfused() {
  JoinedLayers result;
  result.value = 0;
  for (std::size_t layer = 0; layer < network_.layers.size(); ++layer) {
    JoinedLayers::Layer& of = result.layers.emplace_back();
    result.order.push_back(static_cast<int>(layer));
    of.unfused = phases_.is_alone(static_cast<int>(layer));
    const std::vector<LayerPhase>& ways = phases_.at(static_cast<int>(layer), 0, OperandSet());
    // Its own mapping may be under another rule of what shares memories; the better one counts.
    if (of.unfused || ways.empty() || network_.layers[layer].by_itself->value <= ways.front().value) {
      of.unfused = true;
      result.value += network_.layers[layer].by_itself->value;
      continue;
    }
    of.label = ways.front().label;
    of.operands = ways.front().operands;
    result.value += ways.front().value;
  }
  return result;
}

JoinedLayers FusedJoin::run(double cutoff, std::size_t beam, const SearchLimits& limits,
                            const std::function<double()>& seconds) {
  JoinedLayers result;
  records_.assign(1, {});
  beam_ = beam;
  beams_.clear();
  labels_ = 0;
  least_dropped_ = infinite;
  Boundary here;
  here.push_back({{}, 0, {Label{}}});
  const int count = network_.layers.count();
  const auto live_of = [](const Key& key) {
    Live live;
    for (const Waiting& waiting : key.waiting)
      if (waiting.depth >= 0) live.push_back(waiting.tensor);
    return live;
  };
  const auto bound = [&](const State& state, const Label& label) {
    return label.value + rest_after(state.key.prefix, live_of(state.key));
  };
  std::size_t looked_at = 0;
  for (int layer = 0; layer < count && result.complete; ++layer) {
    next_.clear();
    next_index_.clear();
    next_labels_ = 0;
    for (State& state : here) {
      const double end = beam_end(state.key.prefix);
      if (end == infinite) continue;
      least_dropped_ = std::min(least_dropped_, end);
      std::erase_if(state.labels, [&](const Label& label) { return bound(state, label) > end; });
    }
    beams_.clear();
    for (const State& state : here) {
      if (state.labels.empty()) continue;
      for (const RunPrefixes::Next& to : prefixes_.next(state.key.prefix)) expand(to, state, cutoff);
      looked_at += state.labels.size();
      if (looked_at < labels_between_looks) continue;
      looked_at = 0;
      const std::size_t bytes = next_labels_ * sizeof(Label) + records_.size() * sizeof(Record) +
                                next_.size() * 2 * (sizeof(State) + sizeof(Waiting) * 4);
      if (!limits.stop(seconds(), bytes)) continue;
      result.complete = false;
      break;
    }
    if (!result.complete) {
      for (const State& state : here)
        for (const Label& label : state.labels)
          least_dropped_ = std::min(least_dropped_, bound(state, label));
      break;
    }
    here.swap(next_);
  }
  result.labels = labels_;
  result.lower_bound = std::max(least_dropped_, 0.0);
  if (!result.complete || here.empty() || here.front().labels.empty()) return result;
  const Label& best = here.front().labels.front();
  result.value = best.value;
  result.lower_bound = std::min(result.value, result.lower_bound);
  result.layers.resize(network_.layers.size());
  std::uint32_t at = best.record;
  for (int steps = 0; steps < count; ++steps) {
    const Record& record = records_[at];
    const auto layer = static_cast<std::size_t>(record.layer);
    JoinedLayers::Layer& of = result.layers[layer];
    of.shared = record.shared;
    of.with_next = lists_.length(record.next);
    of.operands = record.phase->operands;
    for (int operand = 0; operand < max_operands; ++operand)
      if (record.depths[operand] >= 0) of.operands[operand].depth = record.depths[operand];
    of.label = record.phase->label;
    of.unfused = record.phase->as_it_was;
    result.order.push_back(record.layer);
    at = record.before;
  }
  std::reverse(result.order.begin(), result.order.end());
  return result;
}

}  // namespace zz::core
