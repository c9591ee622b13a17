#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/base/expression.hpp"

namespace zz::core {

/// A limit of figures, metrics and fields: two expressions with "<=", ">=", "<" or ">" between them, as
/// "area <= 2.5". [any]
class Constraint {
 public:
  /// Throws InputError for what is none.
  explicit Constraint(std::string text);

  const std::string& text() const { return text_; }
  /// Names of both sides, each once.
  const std::vector<std::string>& names() const { return names_; }

  /// By which fraction of its limit the larger side misses the constraint; 0: it is kept. `numbers`: of the
  /// names. Throws InputError where a side has no value.
  double excess(std::span<const double> numbers) const;
  /// No numbers of these intervals miss it by less, as excess() counts; 0: some may keep it.
  double least_excess(std::span<const Interval> numbers) const;

 private:
  struct Side {
    Expression expression;
    std::vector<std::size_t> places;  ///< of its names in names_
  };
  double excess(double smaller, double larger) const;
  template <class Number>
  static std::vector<Number> chosen(const Side& side, std::span<const Number> numbers);
  Side side(const std::string& text);

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Side> sides_;  ///< the one that must be smaller first
  bool may_be_equal_ = true;
};

}  // namespace zz::core
