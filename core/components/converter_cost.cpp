#include "core/components/converter_cost.hpp"

#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/components/detail/fitted_forms.hpp"
#include "core/components/technology.hpp"

namespace zz::core::components {

ComponentCost converter_cost(const ConverterQuestion& question) {
  check_node(question.node);
  if (!(question.bits >= 2 && question.bits <= 18))
    throw InputError(
        fmt::format("a converter of {} bits is out of range: it must have 2 to 18 bits", question.bits));
  if (!(question.rate >= 1e3 && question.rate <= 1e11))
    throw InputError(fmt::format(
        "a converter of {} samples a second is out of range: it must make 1e3 to 1e11", question.rate));
  const double b = question.bits, r = std::log(question.rate / 1e8), n = std::log(question.node / 45);
  const auto answer = [&](const fitted::ConverterForm& form, double unit) {
    const auto& t = form.terms;
    return estimate(
        unit * std::exp(t[0] + t[1] * b + t[2] * b * b + t[3] * r + t[4] * r * r + t[5] * b * r + t[6] * n),
        form.spread);
  };
  ComponentCost cost;
  cost.energy = answer(fitted::converter_energy, 1);
  cost.area = answer(fitted::converter_area, 1e-6);
  cost.standing = Standing::fitted;
  cost.source = "B. Murmann's survey of converters, fitted to 116 chips";
  return cost;
}

}  // namespace zz::core::components
