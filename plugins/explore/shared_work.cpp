#include "plugins/explore/shared_work.hpp"

#include <chrono>
#include <string_view>
#include <thread>

#include "core/store/work_list.hpp"

namespace zz::plugins {

void SharedWork::run(std::uint64_t places, const std::function<void()>& begin, const OnRange& again,
                     const OnRange& work) const {
  if (!shared()) {
    begin();
    return work(0, places);
  }
  const std::string_view parts[] = {"job", job};
  core::WorkList list(place, core::content_key(parts), places, [&] {
    begin();
    results.write();
  });
  for (;;) {
    if (stage.cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    const core::WorkList::Range range = list.take();
    if (range.state == core::WorkList::Range::done) return;
    if (range.state == core::WorkList::Range::elsewhere) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    if (range.again) again(range.first, range.end);
    work(range.first, range.end);
    results.write();
    list.finish(range);
  }
}

}  // namespace zz::plugins
