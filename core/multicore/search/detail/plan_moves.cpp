#include "core/multicore/search/detail/plan_moves.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace zz::core {
namespace {

constexpr double share_of_sample_moves = 0.15;   // with several samples
constexpr double share_of_resident_moves = 0.1;  // of the others, where constants may stay
constexpr double least_weight = 0.05, most_weight = 200;
constexpr double share_of_runs = 0.3;
constexpr int longest_run = 6, longest_block = 8;

bool holds(const std::vector<int>& candidates, int core) {
  return std::find(candidates.begin(), candidates.end(), core) != candidates.end();
}

/// Ranks that tell the order of the problem, as far as offsets can, where there are none.
void set_ranks(ScheduleChoice& order, int layers) {
  if (!order.layer_offset.empty()) return;
  for (int layer = 0; layer < layers; ++layer) order.layer_offset.push_back(-layer);
  order.layer_slope.assign(layers, -0.99);
}

/// The sum of three uniform numbers, about 0: nearly normally distributed.
double nearly_normal(RandomNumbers& random) {
  return random.fraction() + random.fraction() + random.fraction() - 1.5;
}

}  // namespace

void PlanMoves::change(Plan& plan, const StepRoom& room) {
  if (space_.samples() > 1 && random_.fraction() < share_of_sample_moves) {
    constexpr Move of_samples[] = {{0.25, &PlanMoves::change_grids},
                                   {0.25, &PlanMoves::change_segments},
                                   {0.25, &PlanMoves::change_sample_cuts},
                                   {0.25, &PlanMoves::change_samples}};
    if (!draw(of_samples, plan, room)) change_samples(plan, room);
    return;
  }
  if (!room.with_constants.empty() && random_.fraction() < share_of_resident_moves) {
    change_resident(plan, room);
    return;
  }
  // A menu of one leaves nothing to moves of cuts, a graph without genes nothing to those of genes.
  const bool cuts = space_.cuts_move(), genes = !cuts && !space_.genes().empty();
  const double new_cuts = cuts ? room.share_of_cuts - 0.25 * room.progress : 0;
  const double orders = cuts ? 0.07 : !space_.orders() ? 0 : genes ? 0.65 : 1;
  const double rules = cuts || !space_.orders() ? 0 : genes ? 0.07 : 0.42;
  const Move moves[] = {{new_cuts, &PlanMoves::change_cuts},
                        {cuts ? 1 - orders - new_cuts : 0, &PlanMoves::change_cores},
                        {genes ? 1 - orders : 0, &PlanMoves::change_genes},
                        {rules, &PlanMoves::change_dispatch},
                        {cuts ? orders : 0, &PlanMoves::change_order},
                        {cuts ? 0 : orders - rules, &PlanMoves::change_ranks}};
  if (!draw(moves, plan, room) && cuts) change_cores(plan, room);
}

/// False when the move that was drawn found nothing to change.
bool PlanMoves::draw(std::span<const Move> moves, Plan& plan, const StepRoom& room) {
  const double drawn = random_.fraction();
  double sum = 0;
  const Move* last = nullptr;
  for (const Move& move : moves) {
    if (move.weight <= 0) continue;
    last = &move;
    sum += move.weight;
    if (drawn < sum) break;
  }
  return last != nullptr && (this->*last->change)(plan, room);
}

PlanMoves::Run PlanMoves::run_from(int layer, int longest) {
  return {layer, std::min(space_.layers() - 1, layer + random_.below(longest))};
}

PlanMoves::Run PlanMoves::layer_or_run() {
  const int layer = random_.below(space_.layers());
  if (random_.below(2) == 0) return {layer, layer};
  return run_from(layer, longest_block);
}

/// True if cuts have changed and do not make too many nodes, or no more than there were.
bool PlanMoves::keeps_nodes(const Plan& plan, const Partition& before, const StepRoom& room) const {
  return plan.cuts != before &&
         space_.pieces(plan.cuts) <= std::max<std::int64_t>(room.most_nodes, space_.pieces(before));
}

void PlanMoves::try_cuts(Plan& plan) {
  const int layers = space_.layers();
  const int layer = random_.below(layers);
  const double kind = random_.fraction();
  const auto step = [&](int which) {
    const std::vector<int>& near = space_.near(which, plan.cuts[which]);
    if (!near.empty()) plan.cuts[which] = near[random_.below(static_cast<int>(near.size()))];
  };
  if (kind < 0.35) {
    step(layer);
  } else if (kind < 0.55) {
    plan.cuts[layer] = random_.below(space_.cuts(layer));
  } else if (kind < 0.75) {
    // A run of neighbours is cut alike.
    const int cut = random_.below(2) == 0 ? plan.cuts[layer] : random_.below(space_.cuts(layer));
    const Run run = run_from(layer, longest_block);
    for (int i = run.first; i <= run.second; ++i) plan.cuts[i] = space_.like(i, layer, cut);
  } else if (kind < 0.85) {
    const int other = random_.below(layers);
    plan.cuts[layer] = space_.like(layer, other, plan.cuts[other]);
  } else {
    step(layer);
    step(std::min(layers - 1, layer + 1));
  }
}

bool PlanMoves::change_cuts(Plan& plan, const StepRoom& room) {
  const Partition before = plan.cuts;
  for (int attempt = 0; attempt < 8; ++attempt) {
    try_cuts(plan);
    if (keeps_nodes(plan, before, room)) {
      // New cuts are often worth other cores.
      if (random_.below(3) == 0) change_cores(plan, room);
      return true;
    }
    plan.cuts = before;
  }
  return false;
}

Plan::CoreSlots PlanMoves::random_slots() {
  const int count = space_.slots(), core = random_.below(count);
  switch (random_.below(4)) {
    case 0:
      return slots_alike(core, count);
    case 1: {
      // Blocks of the groups.
      Plan::CoreSlots slots(count);
      const int block = 2 << random_.below(2);
      for (int i = 0; i < count; ++i) slots[i] = (core + i / block) % count;
      return slots;
    }
    default:
      return slots_in_turn(core, count);
  }
}

bool PlanMoves::change_cores(Plan& plan, const StepRoom&) {
  const int layer = random_.below(space_.layers());
  Plan::CoreSlots& slots = plan.cores[layer];
  const int count = static_cast<int>(slots.size()), slot = random_.below(count);
  const double kind = random_.fraction();
  if (kind < 0.3) {
    slots = random_slots();
  } else if (kind < 0.65) {
    // Most layers have few groups: the first slots matter most.
    const int one = random_.below(1 + slot);
    slots[one] = random_.below(count);
  } else if (kind < 0.85) {
    std::swap(slots[random_.below(1 + slot)], slots[slot]);
  } else {
    // Several neighbours move together.
    const Plan::CoreSlots all = random_slots();
    const Run run = run_from(layer, longest_run);
    for (int i = run.first; i <= run.second; ++i) plan.cores[i] = all;
  }
  return true;
}

bool PlanMoves::change_samples(Plan& plan, const StepRoom&) {
  const int samples = space_.samples();
  if (random_.below(3) == 0) {
    const int now = plan.order.samples_at_once > 0 ? plan.order.samples_at_once : samples;
    const int next =
        random_.below(2) == 0 ? now + (random_.below(2) == 0 ? 1 : -1) : 1 + random_.below(samples);
    plan.order.samples_at_once = next >= samples ? 0 : std::max(1, next);
    return true;
  }
  const Run run = layer_or_run();
  if (plan.shifts.empty()) plan.shifts.assign(space_.layers(), Plan::in_turn);
  const int shift = random_.below(3) == 0   ? 0
                    : random_.below(2) == 0 ? Plan::in_turn
                                            : 1 << random_.below(4);
  for (int i = run.first; i <= run.second; ++i) plan.shifts[i] = shift;
  return true;
}

bool PlanMoves::change_sample_cuts(Plan& plan, const StepRoom& room) {
  const Partition before = plan.cuts;
  const Run run = layer_or_run();
  const double which = random_.fraction();
  for (int i = run.first; i <= run.second; ++i) {
    const std::vector<int> variants = space_.sample_variants(i, plan.cuts[i]);
    plan.cuts[i] = variants[static_cast<std::size_t>(which * static_cast<double>(variants.size()))];
  }
  if (keeps_nodes(plan, before, room)) return true;
  plan.cuts = before;
  return false;
}

bool PlanMoves::change_grids(Plan& plan, const StepRoom& room) {
  const int layer = random_.below(space_.layers());
  const std::vector<int>& grids = space_.grids(layer);
  if (grids.empty()) return false;
  const Plan before = plan;
  const int grid = grids[random_.below(static_cast<int>(grids.size()))];
  const Run run = run_from(layer, longest_block);
  for (int i = run.first; i <= run.second; ++i) {
    const int same = space_.same_grid(i, layer, grid);
    if (same < 0) continue;
    plan.cuts[i] = same;
    plan.cores[i] = slots_in_turn(0, space_.slots());
    if (!plan.shifts.empty()) plan.shifts[i] = 0;
  }
  if (keeps_nodes(plan, before.cuts, room)) return true;
  plan = before;
  return false;
}

bool PlanMoves::change_segments(Plan& plan, const StepRoom&) {
  const int layers = space_.layers();
  if (!space_.in_order() || layers < 2) return false;
  std::vector<int>& segments = plan.order.segments;
  const std::vector<int> before = segments;
  const int kind = segments.empty() ? 0 : random_.below(4);
  const auto add = [&](int layer) {
    const auto place = std::lower_bound(segments.begin(), segments.end(), layer);
    if (place == segments.end() || *place != layer) segments.insert(place, layer);
  };
  const std::size_t which = segments.empty() ? 0 : random_.below(static_cast<int>(segments.size()));
  if (kind == 0) {
    add(1 + random_.below(layers - 1));
    return segments != before;
  }
  const int layer = segments[which];
  segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(which));
  if (kind > 1)
    add(std::clamp(layer + (random_.below(2) == 0 ? 1 : -1) * (1 + random_.below(3)), 1, layers - 1));
  return segments != before;
}

bool PlanMoves::change_resident(Plan& plan, const StepRoom& room) {
  std::vector<int>& resident = plan.order.resident;
  const int layer = room.with_constants[random_.below(static_cast<int>(room.with_constants.size()))];
  const auto place = std::find(resident.begin(), resident.end(), layer);
  if (place == resident.end())
    resident.insert(resident.begin(), layer);
  else
    resident.erase(place);
  return true;
}

bool PlanMoves::change_order(Plan& plan, const StepRoom& room) {
  ScheduleChoice& order = plan.order;
  const double kind = random_.fraction();
  if (room.progress > 0.3 && kind < 0.7) {
    set_ranks(order, space_.layers());
    const int layer = random_.below(space_.layers());
    const double step = 4 * nearly_normal(random_);
    if (random_.below(3) > 0)
      order.layer_offset[layer] += step;
    else
      order.layer_slope[layer] += 2 * step;
  } else if (kind < 0.8) {
    order.back_filling = !order.back_filling;
  } else {
    order.dispatch = static_cast<DispatchRule>(random_.below(3));
    order.weight = order.dispatch == DispatchRule::critical_path ? std::exp2(6 * random_.fraction() - 2)
                                                                 : ScheduleChoice{}.weight;
  }
  return true;
}

void PlanMoves::change_gene(std::vector<int>& cores) {
  const int genes = static_cast<int>(cores.size());
  const int gene = random_.below(genes);
  const std::vector<int>& domain = space_.genes()[gene].cores;
  // Neighbours often share a core. Searches of orders do without this step.
  if (!space_.orders() && random_.fraction() < share_of_runs) {
    const int core = domain[random_.below(static_cast<int>(domain.size()))];
    const int last = std::min(genes - 1, gene + random_.below(longest_run));
    for (int i = gene; i <= last; ++i)
      if (holds(space_.genes()[i].cores, core)) cores[i] = core;
    return;
  }
  const double kind = random_.fraction();
  if (kind < 0.25 && genes > 1) {
    const int beside = gene == 0 ? 1 : gene == genes - 1 || random_.below(2) == 0 ? gene - 1 : gene + 1;
    if (holds(domain, cores[beside]) && cores[beside] != cores[gene]) {
      cores[gene] = cores[beside];
      return;
    }
  } else if (kind < 0.4 && genes > 1) {
    const int other = random_.below(genes);
    if (cores[gene] != cores[other] && holds(domain, cores[other]) &&
        holds(space_.genes()[other].cores, cores[gene])) {
      std::swap(cores[gene], cores[other]);
      return;
    }
  }
  if (domain.size() < 2) return;
  const auto now = std::find(domain.begin(), domain.end(), cores[gene]) - domain.begin();
  const int size = static_cast<int>(domain.size());
  cores[gene] = domain[(now + 1 + random_.below(size - 1)) % size];
}

bool PlanMoves::change_genes(Plan& plan, const StepRoom&) {
  if (space_.genes().empty()) return false;
  change_gene(plan.cores.front());
  if (random_.below(2) == 0) change_gene(plan.cores.front());
  return true;
}

bool PlanMoves::change_dispatch(Plan& plan, const StepRoom&) {
  ScheduleChoice& choice = plan.order;
  const double kind = random_.fraction();
  if (kind < 0.2) {
    choice.back_filling = !choice.back_filling;
  } else if (kind < 0.6 && choice.dispatch == DispatchRule::critical_path) {
    const double factor = std::exp2(4 * random_.fraction() - 2);
    choice.weight = std::clamp(choice.weight * factor, least_weight, most_weight);
  } else {
    const int now = static_cast<int>(choice.dispatch);
    choice.dispatch = static_cast<DispatchRule>((now + 1 + random_.below(2)) % 3);
  }
  // Equal schedules should have equal names.
  if (choice.dispatch != DispatchRule::critical_path) choice.weight = ScheduleChoice{}.weight;
  return true;
}

bool PlanMoves::change_ranks(Plan& plan, const StepRoom& room) {
  const double reach = 0.3 + 4 * (1 - room.progress) * random_.fraction();
  change_rank(plan.order, reach);
  if (random_.fraction() < 0.3) change_rank(plan.order, reach);
  return true;
}

void PlanMoves::change_rank(ScheduleChoice& choice, double reach) {
  if (space_.layers() == 0) return;
  set_ranks(choice, space_.layers());
  const int layer = random_.below(space_.layers());
  const double step = reach * nearly_normal(random_);
  const double kind = random_.fraction();
  if (kind < 0.45) {
    choice.layer_offset[layer] += step;
  } else if (kind < 0.7) {
    choice.layer_slope[layer] += 2 * step;
  } else if (kind < 0.8) {
    const int other = random_.below(space_.layers());
    std::swap(choice.layer_offset[layer], choice.layer_offset[other]);
  } else if (kind < 0.9) {
    // A piece of the network moves as one.
    const int last = std::min(space_.layers() - 1, layer + random_.below(4));
    for (int i = layer; i <= last; ++i) choice.layer_offset[i] += step;
  } else {
    const int other = random_.below(space_.layers());
    choice.layer_offset[layer] = choice.layer_offset[other];
    choice.layer_slope[layer] = choice.layer_slope[other];
  }
}

}  // namespace zz::core
