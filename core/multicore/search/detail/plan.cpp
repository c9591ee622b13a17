#include "core/multicore/search/detail/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace zz::core {
namespace {

/// Numbers of the slots of groups.
class SlotNumbers {
 public:
  explicit SlotNumbers(const ScheduleProblem& problem) {
    const ComputationNodeGraph& graph = *problem.graph();
    if (graph.samples == 1) return;
    for (const CutLayer& layer : graph.layers) {
      const int repeats = graph.samples / layer.samples;
      const int last = layer.first_node + layer.node_count - layer.node_count / repeats;
      const bool own = graph.nodes[layer.first_node].group != graph.nodes[last].group;
      groups_of_sample_.push_back(own ? layer.group_count / repeats : layer.group_count);
    }
  }

  int of(const Gene& gene, int shift, std::size_t slots) const {
    const int count = static_cast<int>(slots);
    if (groups_of_sample_.empty() || shift == Plan::in_turn) return gene.group % count;
    const int groups = groups_of_sample_[gene.layer];
    return (gene.group % groups + gene.group / groups * shift) % count;
  }

 private:
  std::vector<int> groups_of_sample_;  ///< by layer
};

/// Writes bytes one after the other; without a place it only counts them.
class Bytes {
 public:
  explicit Bytes(char* place = nullptr) : place_(place) {}

  template <class Number>
  void add(const Number* numbers, std::size_t count) {
    const std::size_t bytes = count * sizeof(Number);
    if (place_ != nullptr && count > 0) std::memcpy(place_ + size_, numbers, bytes);
    size_ += bytes;
  }
  template <class Number>
  void add(const std::vector<Number>& numbers) {
    const auto count = static_cast<std::uint32_t>(numbers.size());
    add(&count, 1);
    add(numbers.data(), numbers.size());
  }
  std::size_t size() const { return size_; }

 private:
  char* place_;
  std::size_t size_ = 0;
};

void add(const Plan& plan, Bytes& bytes) {
  const ScheduleChoice& order = plan.order;
  const char rules[] = {static_cast<char>(order.dispatch), static_cast<char>(order.back_filling)};
  bytes.add(rules, 2);
  bytes.add(&order.weight, 1);
  bytes.add(&order.period, 1);
  bytes.add(&order.samples_at_once, 1);
  bytes.add(plan.cuts);
  for (const Plan::CoreSlots& slots : plan.cores) bytes.add(slots);
  bytes.add(plan.shifts);
  bytes.add(order.layer_offset);
  bytes.add(order.layer_slope);
  bytes.add(order.segments);
  bytes.add(order.resident);
}

}  // namespace

std::string key_of(const Plan& plan) {
  Bytes size;
  add(plan, size);
  std::string key(size.size(), '\0');
  Bytes bytes(key.data());
  add(plan, bytes);
  return key;
}

Plan plan_of(std::vector<int> cores, const ScheduleChoice& order) {
  Plan plan;
  plan.cores.push_back(std::move(cores));
  plan.order = order;
  return plan;
}

std::vector<int> cores_of(const Plan& plan, const ScheduleProblem& problem) {
  const SlotNumbers number(problem);
  std::vector<int> cores;
  cores.reserve(problem.genes().size());
  for (const Gene& gene : problem.genes()) {
    const int shift = plan.shifts.empty() ? Plan::in_turn : plan.shifts[gene.layer];
    const Plan::CoreSlots& slots = plan.cores[gene.layer];
    const int slot = slots[number.of(gene, shift, slots.size())];
    cores.push_back(gene.cores[slot % gene.cores.size()]);
  }
  return cores;
}

void set_slots(Plan& plan, const std::vector<int>& cores, const ScheduleProblem& problem) {
  const SlotNumbers number(problem);
  const std::vector<Gene>& genes = problem.genes();
  std::size_t count = Plan::fewest_slots;
  for (const Gene& gene : genes) count = std::max(count, gene.cores.size());
  plan.cores.assign(problem.graph()->layers.size(), Plan::CoreSlots(count, 0));
  plan.shifts.clear();
  if (problem.graph()->samples > 1) plan.shifts.assign(problem.graph()->layers.size(), Plan::in_turn);
  const auto candidate = [&](std::size_t gene) {
    const std::vector<int>& of_gene = genes[gene].cores;
    return static_cast<int>(std::find(of_gene.begin(), of_gene.end(), cores[gene]) - of_gene.begin());
  };
  for (std::size_t begin = 0, end = 0; begin < genes.size(); begin = end) {
    while (end < genes.size() && genes[end].layer == genes[begin].layer) ++end;
    const int layer = genes[begin].layer;
    // The shift by which most groups get their cores; without samples all are the same.
    const std::size_t shifts = plan.shifts.empty() ? 1 : count + 1;
    std::size_t most = 0;
    for (std::size_t back = 0; back < shifts && most < end - begin; ++back) {
      const int shift = back == 0 ? Plan::in_turn : static_cast<int>(count - back);
      Plan::CoreSlots slots(count, 0);
      for (std::size_t i = end; i-- > begin;) slots[number.of(genes[i], shift, count)] = candidate(i);
      std::size_t right = 0;
      for (std::size_t i = begin; i < end; ++i)
        right += slots[number.of(genes[i], shift, count)] == candidate(i);
      if (right <= most) continue;
      most = right;
      plan.cores[layer] = slots;
      if (!plan.shifts.empty()) plan.shifts[layer] = shift;
    }
  }
}

Plan::CoreSlots slots_in_turn(int first, int slots) {
  Plan::CoreSlots in_turn(slots);
  for (int i = 0; i < slots; ++i) in_turn[i] = (first + i) % slots;
  return in_turn;
}

Plan::CoreSlots slots_alike(int core, int slots) { return Plan::CoreSlots(slots, core); }

}  // namespace zz::core
