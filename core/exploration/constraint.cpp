#include "core/exploration/constraint.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/diagnostics.hpp"

namespace zz::core {

Constraint::Constraint(std::string text) : text_(std::move(text)) {
  const std::size_t at = text_.find_first_of("<>");
  if (at == std::string::npos || text_.find_first_of("<>", at + 1) != std::string::npos)
    throw InputError("constraint '" + text_ + "': expected two sides with <=, >=, < or > between them");
  may_be_equal_ = at + 1 < text_.size() && text_[at + 1] == '=';
  try {
    sides_.push_back(side(text_.substr(0, at)));
    sides_.push_back(side(text_.substr(at + (may_be_equal_ ? 2 : 1))));
  } catch (const InputError& wrong) {
    throw InputError("constraint '" + text_ + "': " + wrong.what());
  }
  if (text_[at] == '>') std::swap(sides_[0], sides_[1]);
}

Constraint::Side Constraint::side(const std::string& text) {
  Side side{Expression(text), {}};
  for (const std::string& name : side.expression.names()) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    side.places.push_back(static_cast<std::size_t>(known - names_.begin()));
    if (known == names_.end()) names_.push_back(name);
  }
  return side;
}

template <class Number>
std::vector<Number> Constraint::chosen(const Side& side, std::span<const Number> numbers) {
  std::vector<Number> own;
  for (const std::size_t place : side.places) own.push_back(numbers[place]);
  return own;
}

double Constraint::excess(double smaller, double larger) const {
  if (may_be_equal_ ? smaller <= larger : smaller < larger) return 0;
  const double size = std::max(std::abs(smaller), std::abs(larger));
  const double limit = std::abs(larger) > 0 ? std::abs(larger) : size;
  // A strict limit that is met exactly is missed by next to nothing.
  return limit > 0 ? std::max((smaller - larger) / limit, 1e-300) : 1e-300;
}

double Constraint::excess(std::span<const double> numbers) const {
  return excess(sides_[0].expression.value(chosen(sides_[0], numbers)),
                sides_[1].expression.value(chosen(sides_[1], numbers)));
}

double Constraint::least_excess(std::span<const Interval> numbers) const {
  return excess(sides_[0].expression.range(chosen(sides_[0], numbers)).low,
                sides_[1].expression.range(chosen(sides_[1], numbers)).high);
}

}  // namespace zz::core
