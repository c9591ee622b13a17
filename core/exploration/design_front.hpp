#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace zz::core {

/// The points of a space that no other one beats: is no worse in every objective and better in one. Less is
/// better. Equal points all belong to it.
class DesignFront {
 public:
  struct Member {
    std::uint64_t point = 0;
    std::vector<double> figures;  ///< by objective
  };

  DesignFront() = default;
  /// REQUIRES: none of them beats another.
  explicit DesignFront(std::vector<Member> members) : members_(std::move(members)) {}

  /// True when the point now belongs to the front; those that it beats are put into `beaten`.
  bool add(std::uint64_t point, std::vector<double> figures, std::vector<std::uint64_t>& beaten);

  /// A member that beats a point with these figures; nullptr: none does.
  const Member* beats(const std::vector<double>& figures) const;
  /// The same, but better in one objective by more than sums of the same numbers in another order differ:
  /// for bounds, which such sums must not make beat the very design that they are of.
  const Member* surely_beats(const std::vector<double>& figures) const;
  /// A member that is no worse than `slack` times these figures in every objective; nullptr: none is.
  /// `but`: a point that is left aside.
  const Member* covers(const std::vector<double>& figures, double slack,
                       std::optional<std::uint64_t> but = {}) const;

  const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
};

}  // namespace zz::core
