#include "core/workload/expected_zeros.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

namespace zz::core {

ZeroLaw::ZeroLaw(const OperandSparsity& sparsity)
    : density(density_of(sparsity)),
      pattern(sparsity.pattern.empty() ? ZeroPattern{} : pattern_of(sparsity.pattern)) {}

double some_nonzero(double density, double elements) {
  if (density >= 1) return elements > 0 ? 1 : 0;
  return -std::expm1(elements * std::log1p(-density));
}

namespace {

double binomial_quantile(double elements, double density, double quantile) {
  using boost::math::policies::discrete_quantile;
  using boost::math::policies::integer_round_up;
  using Policy = boost::math::policies::policy<discrete_quantile<integer_round_up>>;
  const boost::math::binomial_distribution<double, Policy> law(elements, density);
  double nonzeros = std::clamp(std::ceil(boost::math::quantile(law, quantile)), 0.0, elements);
  // Rounding of the quantile may be off by one at a step.
  while (nonzeros > 0 && boost::math::cdf(law, nonzeros - 1) >= quantile) --nonzeros;
  while (nonzeros < elements && boost::math::cdf(law, nonzeros) < quantile) ++nonzeros;
  return nonzeros;
}

}  // namespace

double nonzeros_at(const ZeroLaw& law, double elements, double rows, double quantile) {
  const double all = std::ceil(elements);
  if (!law.any_zeros() || all <= 0) return all;
  if (law.pattern.of > 0) {
    const auto of = static_cast<double>(law.pattern.of), kept = static_cast<double>(law.pattern.kept);
    const double row = std::ceil(elements / rows), whole = std::floor(row / of);
    return std::min(all, std::ceil(rows) * (whole * kept + std::min(kept, row - whole * of)));
  }
  if (law.density <= 0) return 0;
  return binomial_quantile(all, law.density, quantile);
}

double expected_run_entries(double density, double elements, int bits) {
  const double length = std::ldexp(1, bits);  // R + 1
  const double whole = std::floor(elements / length), rest = elements - whole * length;
  if (density <= 0) return whole;
  if (density >= 1) return elements;
  const double log_q = length * std::log1p(-density);
  const double q = std::exp(log_q), lost = -std::expm1(log_q);  // q^(R + 1), and 1 less it
  const double powers = q * -std::expm1(whole * log_q) / lost;  // q + q^2 + ... of the whole lengths
  const double last = -std::expm1((whole + 1) * log_q) / lost;  // 1 + q + ... + q^whole
  return length * density * (whole - powers) / lost + powers + rest * density * last;
}

double most_run_entries(double nonzeros, double elements, int bits) {
  return nonzeros + std::floor((elements - nonzeros) / std::ldexp(1, bits));
}

}  // namespace zz::core
