#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/check/violations.hpp"

namespace zz::core::check {

/// Collects violations up to a limit.
class Findings {
 public:
  explicit Findings(std::size_t most) : most_(most) {}

  void add(std::string rule, std::string what) {
    if (!full()) found_.push_back({std::move(rule), std::move(what)});
  }
  bool full() const { return found_.size() >= most_; }
  bool empty() const { return found_.empty(); }
  std::vector<Violation> take() { return std::move(found_); }

 private:
  std::size_t most_;
  std::vector<Violation> found_;
};

}  // namespace zz::core::check
