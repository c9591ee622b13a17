// Loading at an ending when it is known what the lowest memories hold: the figure itself, by hiding as the
// cost model does (core/cost/balance.hpp).

#include <algorithm>
#include <array>
#include <cmath>

#include "core/cost/balance.hpp"
#include "core/cost/loading.hpp"
#include "core/search/optimal/loading_at_ending.hpp"

namespace zz::core {
namespace {

constexpr std::size_t most_once = max_operands * direction_count;

}  // namespace

double LoadingAtEnding::floor_of(const Once& once, double width, const FirstClasses& first) const {
  if (ending_[once.operand] == 0) return once.most_floor;
  return std::ceil(once_.first_bits(once.operand, first[once.operand]) / width);
}

double LoadingAtEnding::loading(const RepeatedLoading& repeated, const Times& times,
                                LoadingPath path) const {
  std::array<InputLoading, max_operands> inputs;
  double sum = repeated.individual[0];
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    InputLoading& input = inputs[operand];
    input.individual = repeated.individual[operand];
    input.half_shared = repeated.half_shared[operand];
    input.shared = repeated.shared[operand];
    for (int link = ending_[operand] + 1; link < problem_.tables.operands[operand].levels; ++link) {
      const double cycles = std::max(times[operand][link][0], times[operand][link][1]);
      switch (once_.sharing(operand, link)) {
        case Sharing::individual:
          (operand == 0 ? sum : input.individual) += cycles;
          break;
        case Sharing::half_shared:
          input.half_shared += cycles;
          break;
        case Sharing::shared:
          input.shared += cycles;
          break;
        case Sharing::forgotten:
          break;
      }
    }
  }
  if (two_inputs() && path == LoadingPath::both) return sum + combined_onloading(inputs[1], inputs[2]);
  return sum + combined_onloading(inputs[path == LoadingPath::second ? 2 : 1]);
}

void LoadingAtEnding::hide(const Port& port, const FirstClasses& first, double spare, Times& times) const {
  std::array<OneTimeTransfer, most_once> transfers;
  for (std::size_t i = 0; i < port.once.size(); ++i)
    transfers[i] = {port.once[i].cycles, floor_of(port.once[i], port.width, first)};
  if (uses_spare_cycles_) hide_transfers({transfers.data(), port.once.size()}, spare, compat_);
  for (std::size_t i = 0; i < port.once.size(); ++i)
    times[port.once[i].operand][port.once[i].link][port.once[i].above ? 1 : 0] = transfers[i].cycles;
}

/// Spare cycles beyond which hiding takes another form, so that a transfer may take longer than with fewer.
std::array<double, 8> LoadingAtEnding::thresholds(const Port& port, const FirstClasses& first,
                                                  std::size_t& count) const {
  std::array<double, 8> found{};
  count = 0;
  if (port.once.size() < 2 || !uses_spare_cycles_) return found;
  std::array<OneTimeTransfer, most_once> transfers;
  for (std::size_t i = 0; i < port.once.size(); ++i)
    transfers[i] = {port.once[i].cycles, floor_of(port.once[i], port.width, first)};
  std::stable_sort(transfers.begin(), transfers.begin() + static_cast<std::ptrdiff_t>(port.once.size()),
                   [](const OneTimeTransfer& a, const OneTimeTransfer& b) { return a.cycles > b.cycles; });
  double used = 0;
  for (std::size_t i = 0; i < port.once.size(); ++i) {
    const double slack = transfers[i].cycles - transfers[i].minimum;
    // ZigZag's steps go on to the end; else the first one alone leaves all as it should be.
    const bool turns = compat_ ? slack < 0 : i == 1 && used > 0;
    if (turns && count < found.size()) found[count++] = std::max(0.0, used);
    used += slack * static_cast<double>(i + 1);
  }
  return found;
}

double LoadingAtEnding::least_over_ports(std::size_t index, const RepeatedLoading& repeated,
                                         const double* required, const FirstClasses& first, double stalls,
                                         const HidingAtPorts& hiding, LoadingPath path,
                                         Times& times) const {
  if (index == ports_.size()) return loading(repeated, times, path);
  const Port& port = ports_[index];
  double most = spare(port, required, stalls);
  if (hiding[index] == Hiding::longest_shortened) {
    const Once& longest = port.once[port.longest];
    most =
        std::min(most, std::max(0.0, longest.cycles - floor_of(longest, port.width, first)) * (1 - 1e-12));
  }
  hide(port, first, most, times);
  double least = least_over_ports(index + 1, repeated, required, first, stalls, hiding, path, times);
  if (hiding[index] != Hiding::either) return least;
  std::size_t count = 0;
  const auto turns = thresholds(port, first, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(turns[i] < most)) continue;
    hide(port, first, turns[i] * (1 - 1e-12), times);
    least = std::min(least,
                     least_over_ports(index + 1, repeated, required, first, stalls, hiding, path, times));
  }
  return least;
}

double LoadingAtEnding::with_classes(const RepeatedLoading& repeated, const double* required,
                                     const FirstClasses& first, double stalls, const HidingAtPorts& hiding,
                                     LoadingPath path) const {
  Times times{};
  return least_over_ports(0, repeated, required, first, stalls, hiding, path, times);
}

}  // namespace zz::core
