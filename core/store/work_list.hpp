#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/store/content_key.hpp"

namespace zz::core {

/// Places that programs share who work over one store on a server. They take ranges of them: a range
/// belongs to who took it until it is finished, or until nothing has been heard of that program for some
/// seconds, because it was killed or its machine is gone. Then another one takes it. Functions throw
/// StoreError as those of ResultStore do. [any]
class WorkList {
 public:
  struct Range {
    enum State {
      taken,      ///< it is this program's
      elsewhere,  ///< other programs are at the last ones: ask again
      done        ///< all are finished
    } state = done;
    std::uint64_t first = 0, end = 0;  ///< places; `end` is the first that does not belong to it
    bool again = false;                ///< a program had it that did not finish: what that wrote is there
  };

  /// Joins those who are at `job`, or begins it anew where nobody is: then `begin` is called before anyone
  /// has a range. `job`: what decides what the places mean. `store`: the URL of the server.
  WorkList(const std::string& store, const ContentKey& job, std::uint64_t places,
           const std::function<void()>& begin);
  ~WorkList();

  /// The lowest range that nobody has, of those behind the last one that this program took; at the end of
  /// the list, of all. A list of any length is gone through once.
  Range take();
  /// Ends a range whose results have been written to the store. A range that another program has taken
  /// meanwhile stays that one's.
  void finish(const Range& range);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace zz::core
