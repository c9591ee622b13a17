#include "plugins/explore/shared_work.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>

#include "core/store/work_list.hpp"

namespace zz::plugins {

void SharedWork::run(std::uint64_t places, const std::function<void()>& begin,
                     const std::function<void(std::uint64_t, std::uint64_t)>& work) const {
  if (!shared()) {
    begin();
    return work(0, places);
  }
  const std::string_view parts[] = {"job", job};
  core::WorkList list(place, core::content_key(parts), places);
  if (list.begun_here()) begin();
  for (;;) {
    if (stage.cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    const core::WorkList::Range range = list.take();
    if (range.state == core::WorkList::Range::done) return;
    if (range.state == core::WorkList::Range::elsewhere) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    work(range.first, range.end);
    results.write();
    list.finish(range);
  }
}

std::vector<DesignBox> cut_for_sharing(std::vector<DesignBox> boxes) {
  constexpr std::size_t enough = 64;
  for (bool cut = true; cut && boxes.size() < enough;) {
    cut = false;
    std::vector<DesignBox> halves;
    for (DesignBox& box : boxes) {
      std::size_t longest = 0;
      for (std::size_t axis = 1; axis < box.lower.size(); ++axis)
        if (box.upper[axis] - box.lower[axis] > box.upper[longest] - box.lower[longest]) longest = axis;
      if (!box.single()) {
        DesignBox upper = box;
        const std::uint32_t middle = (box.lower[longest] + box.upper[longest]) / 2;
        box.upper[longest] = middle;
        upper.lower[longest] = middle + 1;
        halves.push_back(std::move(upper));
        cut = true;
      }
      halves.push_back(std::move(box));
    }
    boxes = std::move(halves);
  }
  return boxes;
}

}  // namespace zz::plugins
