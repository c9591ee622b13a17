#include "core/exploration/design_box.hpp"

#include <utility>

namespace zz::core {

std::uint64_t DesignBox::size() const { return points_between(lower, upper); }

std::array<DesignBox, 2> DesignBox::halves(std::size_t axis) const {
  std::array<DesignBox, 2> halves{*this, *this};
  const std::uint32_t middle = (lower[axis] + upper[axis]) / 2;
  halves[0].upper[axis] = middle;
  halves[1].lower[axis] = middle + 1;
  return halves;
}

std::vector<DesignBox> cut_for_sharing(std::vector<DesignBox> boxes) {
  constexpr std::size_t enough = 64;
  for (bool cut = true; cut && boxes.size() < enough;) {
    cut = false;
    std::vector<DesignBox> finer;
    for (DesignBox& box : boxes) {
      if (box.single()) {
        finer.push_back(std::move(box));
        continue;
      }
      std::size_t longest = 0;
      for (std::size_t axis = 1; axis < box.lower.size(); ++axis)
        if (box.upper[axis] - box.lower[axis] > box.upper[longest] - box.lower[longest]) longest = axis;
      for (DesignBox& half : box.halves(longest)) finer.push_back(std::move(half));
      cut = true;
    }
    boxes = std::move(finer);
  }
  return boxes;
}

}  // namespace zz::core
