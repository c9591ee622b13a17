#include "core/exploration/design_front.hpp"

#include <algorithm>
#include <utility>

#include "core/base/unbeaten.hpp"

namespace zz::core {

bool DesignFront::add(std::uint64_t point, std::vector<double> figures,
                      std::vector<std::uint64_t>& beaten) {
  if (beats(figures) != nullptr) return false;
  std::erase_if(members_, [&](const Member& member) {
    const bool gone = core::beats(figures, member.figures) || member.point == point;
    if (gone && member.point != point) beaten.push_back(member.point);
    return gone;
  });
  members_.push_back({point, std::move(figures)});
  return true;
}

const DesignFront::Member* DesignFront::beats(const std::vector<double>& figures) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return core::beats(member.figures, figures);
  });
  return found == members_.end() ? nullptr : &*found;
}

const DesignFront::Member* DesignFront::surely_beats(const std::vector<double>& figures) const {
  constexpr double rounding = 1e-9;
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    if (!core::beats(member.figures, figures)) return false;
    for (std::size_t i = 0; i < figures.size(); ++i)
      if (member.figures[i] < figures[i] * (1 - rounding)) return true;
    return false;
  });
  return found == members_.end() ? nullptr : &*found;
}

const DesignFront::Member* DesignFront::covers(const std::vector<double>& figures, double slack,
                                               std::optional<std::uint64_t> but) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    if (member.point == but) return false;
    for (std::size_t i = 0; i < figures.size(); ++i)
      if (member.figures[i] > figures[i] * slack) return false;
    return true;
  });
  return found == members_.end() ? nullptr : &*found;
}

}  // namespace zz::core
