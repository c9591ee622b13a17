#pragma once
#include <cstddef>
#include <optional>
#include <unordered_map>

#include "core/schedule/scheduler.hpp"

namespace zz::core {

/// Figures of choices that were evaluated. Keys are compared as a whole, so equal hashes do no harm.
class ChoiceMemo {
 public:
  const ScheduleFigures* find(const ScheduleChoice& choice) const;
  void insert(const ScheduleChoice& choice, const ScheduleFigures& figures) {
    figures_.emplace(choice, figures);
  }
  void insert(const ChoiceMemo& other) { figures_.insert(other.figures_.begin(), other.figures_.end()); }
  std::size_t size() const { return figures_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const ScheduleChoice& choice) const;
  };
  std::unordered_map<ScheduleChoice, ScheduleFigures, Hash> figures_;
};

}  // namespace zz::core
