#include "core/hardware/imc/adder_tree.hpp"

#include <cmath>

#include "core/hardware/imc/technology.hpp"

namespace zz::core {
namespace {

/// Full adders of a tree over `inputs` numbers: one for each bit of each pair of each level.
double tree_adders(double inputs, double width, double depth) {
  return inputs * (width + 1) - (width + depth + 1);
}

}  // namespace

double AdderTree::depth() const { return std::trunc(std::log2(inputs)); }

double AdderTree::full_adders() const { return tree_adders(inputs, width, depth()); }

double AdderTree::delay() const {
  using namespace technology;
  return (depth() - 1) * full_adder::input_to_sum + full_adder::input_to_carry +
         (width + depth() - 2) * full_adder::carry_to_carry;
}

double AdderTree::energy(std::int64_t used) const {
  using namespace technology;
  if (used < 1) return 0;
  if (static_cast<double>(used) >= inputs) return full_adders() * full_adder::energy;
  // From the root down, each node splits into a half that is full or reached in part, and a half that is
  // idle or reached in part: there is one path of nodes that are neither full nor idle.
  double full = 0;
  double half = 0;
  auto left = static_cast<double>(used);
  for (double below = inputs; left > 0;) {
    below /= 2;
    const double level = std::trunc(std::log2(below));
    if (left <= 1 && below == 1) {
      half += width;
      left = 0;
    } else if (left > below) {
      full += tree_adders(below, width, level) + (width + level);
      left -= below;
    } else if (left < below) {
      half += width + level;
    } else {
      full += tree_adders(below, width, level);
      half += width + level;
      left = 0;
    }
  }
  return full * full_adder::energy + half * half_adder::energy;
}

double PlaceValueAdders::full_adders() const {
  if (inputs == 1) return 0;
  return width * (inputs - 1) + inputs * (std::log2(inputs) - 0.5);
}

double PlaceValueAdders::delay() const {
  using namespace technology;
  if (inputs == 1) return 0;
  return (std::log2(inputs) - 1) * full_adder::input_to_sum + full_adder::input_to_carry +
         (inputs + width - width - 1) * full_adder::carry_to_carry;
}

}  // namespace zz::core
