#include "core/exploration/design_space.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/value/key_list.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers of points stay in 32 bits wherever stages count them.
constexpr std::uint64_t most_points = 0xFFFFFFFF;
/// A range of more steps is a slip.
constexpr std::size_t most_steps = 1 << 20;
/// By how much of a step the last one may lie beyond the end, for steps that are no binary fractions.
constexpr double slack = 1e-9;

/// Reads the axes of a space and keeps all that is wrong with them.
class AxisReader {
 public:
  explicit AxisReader(std::string setting) : setting_(std::move(setting)) {}

  std::vector<DesignAxis> read(const Json& axes) {
    if (!axes.is_object() || axes.empty())
      throw InputError(
          fmt::format("'{}' must be a map of names and their values, such as "
                      "{{memories.l1.size: [65536, 131072]}}; found {}",
                      setting_, shown_text(axes.dump())));
    std::vector<DesignAxis> all;
    for (const auto& [key, steps] : axes.items()) all.push_back(axis(key, steps));
    if (!wrong_.empty()) throw InputError(wrong_);
    return all;
  }

 private:
  void tell(const std::string& text) { wrong_ += (wrong_.empty() ? "" : "\n") + text; }

  DesignAxis axis(const std::string& key, const Json& written) {
    DesignAxis axis{names_in_key(key), {}};
    for (const std::string& name : axis.names) {
      if (name.empty()) tell(fmt::format("'{}': the key '{}' has an empty name", setting_, key));
      if (std::find(seen_.begin(), seen_.end(), name) != seen_.end())
        tell(fmt::format("'{}' varies '{}' twice", setting_, name));
      seen_.push_back(name);
    }
    if (written.is_object()) {
      if (axis.names.size() > 1)
        tell(fmt::format("'{}': '{}' are several names, which need a list of lists of values", setting_,
                         key));
      else
        for (nlohmann::json& number : range(key, written)) axis.steps.push_back({std::move(number)});
      return axis;
    }
    if (!written.is_array() || written.empty()) {
      tell(fmt::format(
          "'{}': '{}' must have a list of at least one value, or {{from, to, step}} or {{from, to, "
          "factor}}, but has {}",
          setting_, key, shown_text(written.dump())));
      return axis;
    }
    for (const Json& step : written) {
      end_if_interrupted();
      if (axis.names.size() == 1) {
        axis.steps.push_back({nlohmann::json(step)});
      } else if (!step.is_array() || step.size() != axis.names.size()) {
        tell(fmt::format("'{}': each value of '{}' must be a list of {}, one for each name, but one is {}",
                         setting_, key, axis.names.size(), shown_text(step.dump())));
        break;  // others are wrong alike
      } else {
        axis.steps.emplace_back(step.begin(), step.end());
      }
    }
    return axis;
  }

  std::vector<nlohmann::json> range(const std::string& key, const Json& written) {
    static const std::vector<std::string> known{"from", "to", "step", "factor"};
    bool usable = true;
    const auto refuse = [&](const std::string& why) {
      tell(fmt::format("'{}': the range of '{}' {}", setting_, key, why));
      usable = false;
    };
    for (const auto& [name, value] : written.items()) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        refuse(fmt::format("has no '{}'; {}", name, suggestion(name, known)));
      else if (!value.is_number())
        refuse(fmt::format("needs a number as '{}', found {}", name, shown_text(value.dump())));
    }
    for (const char* const name : {"from", "to"})
      if (!written.contains(name)) refuse(fmt::format("needs '{}'", name));
    if (written.contains("step") == written.contains("factor")) refuse("needs either 'step' or 'factor'");
    if (!usable) return {};
    const double from = written["from"], to = written["to"];
    const bool adds = written.contains("step");
    const double change = adds ? written["step"] : written["factor"];
    if (from > to)
      refuse(fmt::format("is empty: it goes from {} to {}", written["from"].dump(), written["to"].dump()));
    if (adds ? !(change > 0) : !(change > 1))
      refuse(adds ? fmt::format("needs a 'step' above 0, found {}", written["step"].dump())
                  : fmt::format("needs a 'factor' above 1, found {}", written["factor"].dump()));
    if (!adds && !(from > 0)) refuse("must start above 0 where it is multiplied by a factor");
    if (!usable) return {};
    std::vector<nlohmann::json> numbers;
    for (std::size_t i = 0; i <= most_steps; ++i) {
      const double number =
          adds ? from + static_cast<double>(i) * change : from * std::pow(change, static_cast<double>(i));
      if (number > to + slack * (adds ? change : to)) return numbers;
      const bool whole =
          written["from"].is_number_integer() && std::abs(number) < 9e15 && number == std::floor(number);
      numbers.push_back(whole ? nlohmann::json(static_cast<std::int64_t>(number)) : nlohmann::json(number));
    }
    refuse(fmt::format("has more than {} steps", most_steps));
    return {};
  }

  std::string setting_;
  std::string wrong_;
  std::vector<std::string> seen_;
};

}  // namespace

DesignSpace::DesignSpace(const Json& axes, const std::string& setting)
    : axes_(AxisReader(setting).read(axes)), size_(1) {
  for (const DesignAxis& axis : axes_) {
    size_ *= axis.steps.size();
    if (size_ > most_points)
      throw InputError(fmt::format("'{}' has more than {} points", setting, most_points));
  }
}

std::vector<std::string> DesignSpace::names() const {
  std::vector<std::string> names;
  for (const DesignAxis& axis : axes_) names.insert(names.end(), axis.names.begin(), axis.names.end());
  return names;
}

DesignSpace::Steps DesignSpace::steps_of(std::uint64_t number) const {
  Steps steps(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const std::uint64_t count = axes_[i].steps.size();
    steps[i] = static_cast<std::uint32_t>(number % count);
    number /= count;
  }
  return steps;
}

std::uint64_t DesignSpace::number_of(const Steps& steps) const {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) number = number * axes_[i].steps.size() + steps[i];
  return number;
}

std::uint64_t points_between(const DesignSpace::Steps& lower, const DesignSpace::Steps& upper) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < lower.size(); ++i) count *= upper[i] - lower[i] + 1;
  return count;
}

std::vector<nlohmann::json> DesignSpace::values(std::uint64_t number) const {
  std::vector<nlohmann::json> values;
  const Steps steps = steps_of(number);
  for (std::size_t i = 0; i < axes_.size(); ++i)
    values.insert(values.end(), axes_[i].steps[steps[i]].begin(), axes_[i].steps[steps[i]].end());
  return values;
}

yaml::Form axes_form() {
  using namespace yaml;
  const auto range = [](const char* change, Form form, const char* doc) {
    const Form first = std::string(change) == "factor" ? number_above(0) : number();
    return KeyTable{"range",
                    {{"from", Need::required, first, "first value"},
                     {"to", Need::required, number(), "largest value"},
                     {change, Need::required, std::move(form), doc}}};
  };
  static const KeyTable steps = range("step", number_above(0), "from one value to the next");
  static const KeyTable factors = range("factor", number_above(1), "from one value to the next");
  Form values = list_of(anything(), 1);
  values.most_parts = endless;
  return entries_of("", either({values, map_of(steps), map_of(factors)}), 1);
}

}  // namespace zz::core
