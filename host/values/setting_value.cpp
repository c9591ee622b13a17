#include "host/values/setting_value.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "core/base/nearest_name.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/compat/rules.hpp"
#include "core/input/yaml/document.hpp"
#include "core/value/read.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using core::Value;
using core::yaml::Node;

struct Interval {
  double low = 0, high = 0;
  bool low_included = true, high_included = true;

  bool holds(double x) const {
    return (low_included ? x >= low : x > low) && (high_included ? x <= high : x < high);
  }
};

/// Reads "[1, inf]", "(0, 1]"; empty for other texts.
std::optional<Interval> parse_interval(std::string_view text) {
  const auto comma = text.find(',');
  if (text.size() < 5 || comma == std::string_view::npos) return {};
  if ((text.front() != '[' && text.front() != '(') || (text.back() != ']' && text.back() != ')')) return {};
  Interval interval;
  interval.low = core::number_at_begin_of(text.substr(1, comma - 1)).value;
  interval.high = core::number_at_begin_of(text.substr(text.find_first_not_of(' ', comma + 1))).value;
  interval.low_included = text.front() == '[';
  interval.high_included = text.back() == ']';
  return interval;
}

/// A choice that is written with other capitals than the setting declares, as "EDP" for "edp", in the
/// declared ones.
void spell_as_declared(Node& node, const char* allowed) {
  for (Node& item : node.items) spell_as_declared(item, allowed);
  if (!node.is_scalar() || allowed == nullptr || *allowed == '\0' || parse_interval(allowed)) return;
  const auto choices = split_names(allowed);
  if (std::find(choices.begin(), choices.end(), node.text) != choices.end()) return;
  const auto same = [given = core::lower_case(node.text)](const std::string& choice) {
    return core::lower_case(choice) == given;
  };
  if (std::count_if(choices.begin(), choices.end(), same) == 1)
    node.text = *std::find_if(choices.begin(), choices.end(), same);
}

std::string why_not_in_choices(const Node& node, const char* allowed) {
  const auto choices = split_names(allowed);
  if (std::find(choices.begin(), choices.end(), node.text) != choices.end()) return "";
  std::string listed;
  for (const auto& choice : choices) {
    if (!listed.empty()) listed += ", ";
    listed += choice.empty() ? "''" : choice;
  }
  return "must be one of " + listed;
}

/// The value as the declared kind; empty when it has another kind.
std::optional<Value> convert(const Node& node, std::int32_t kind) {
  switch (kind) {
    case ZZ_BOOL:
      if (const auto value = node.as_bool()) return Value::boolean(*value);
      return {};
    case ZZ_I64:
      if (const auto value = node.as_int()) return Value::integer(*value);
      return {};
    case ZZ_F64:
      if (const auto value = node.as_double()) return Value::number(*value);
      return {};
    case ZZ_STR:
      // Names that look like numbers ("compat: 3.8") are meant as written.
      if (node.is_scalar()) return Value::text(node.text);
      return {};
    case ZZ_LIST:
      if (node.is_list()) return value_of(node);
      return {};
    case ZZ_MAP:
      if (node.is_map()) return value_of(node);
      return {};
    default:
      return value_of(node);
  }
}

/// The index of the first item of a list that is not allowed; 0 for other nodes.
std::size_t first_not_allowed(const Node& node, const char* allowed) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (!why_not_allowed(node.items[i], allowed).empty()) return i;
  }
  return 0;
}

/// A number as C writes it, "1e9" or "1e-05", as YAML 1.1 does: with a point, and a sign of the exponent.
/// Other texts as they are.
std::string with_point(const std::string& text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == 0 || e == std::string::npos || text.find_first_not_of("+-.0123456789eE") != std::string::npos)
    return text;
  const bool is_signed = e + 1 < text.size() && (text[e + 1] == '+' || text[e + 1] == '-');
  const bool has_point = text.find('.') < e;
  std::string number =
      text.substr(0, e) + (has_point ? "e" : ".0e") + (is_signed ? "" : "+") + text.substr(e + 1);
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = number;
  return node.as_double() ? number : text;
}

/// Infinity as C writes it, "inf" or "-INFINITY", as YAML does. Other texts as they are.
std::string infinity_of_yaml(const std::string& text) {
  const std::string sign = text.starts_with('-') || text.starts_with('+') ? text.substr(0, 1) : "";
  const std::string word = core::lower_case(text.substr(sign.size()));
  return word == "inf" || word == "infinity" ? sign + ".inf" : text;
}

/// The numbers in the default of a setting, in the form of YAML.
void write_numbers_with_point(Node& node) {
  if (node.is_scalar() && !node.quoted) node.text = with_point(node.text);
  for (Node& item : node.items) write_numbers_with_point(item);
  for (auto& [key, value] : node.entries) write_numbers_with_point(value);
}

/// A value as YAML has it.
Node node_of(core::Ref value) {
  Node node;
  const core::Kind kind = core::kind_of(value);
  std::string_view text;
  if (kind == core::Kind::list || kind == core::Kind::map) {
    node.kind = kind == core::Kind::list ? Node::Kind::list : Node::Kind::map;
    for (std::uint32_t i = 0; i < core::count_of(value); ++i) {
      std::string_view key;
      Node part = node_of(core::part_at(value, i, &key));
      if (kind == core::Kind::list)
        node.items.push_back(std::move(part));
      else
        node.entries.emplace_back(key, std::move(part));
    }
  } else if (kind != core::Kind::null) {
    node.kind = Node::Kind::scalar;
    node.quoted = core::read_text(value, text);
    double number = 0;
    if (node.quoted)
      node.text = text;
    else if (kind == core::Kind::f64 && core::read_f64(value, number) && !std::isfinite(number))
      node.text = std::isnan(number) ? ".nan" : number > 0 ? ".inf" : "-.inf";
    else
      node.text = with_point(core::to_json(value));
  }
  return node;
}

/// The exceptions that a value of `compat` names: "zigzag-3.9 but faster_than_ports". Takes them from the
/// node, and says what is wrong with them.
std::string take_exceptions(Node& node, const zz_param& parameter) {
  if (std::string_view(parameter.name) != "compat" || !node.is_scalar()) return "";
  const std::string given = node.text;
  node.text = core::without_exceptions(given);
  if (node.text == given || !why_not_allowed(node, parameter.allowed).empty()) return "";
  try {
    core::rules_of(given);
    return "";
  } catch (const core::InputError& error) {
    return error.diagnostics().front().message;
  }
}

/// True when the default is an empty text, which then has a meaning. All other such settings are names.
bool is_empty_by_default(const zz_param& parameter) {
  core::Diagnostics ignored;
  const Value value = default_value(parameter, "", ignored);
  std::string_view text;
  return core::read_text(value.ref(), text) && text.empty();
}

}  // namespace

Value value_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return {};
    case Node::Kind::list: {
      std::vector<Value> items;
      for (const Node& item : node.items) items.push_back(value_of(item));
      return Value::list(std::move(items));
    }
    case Node::Kind::map: {
      std::vector<std::pair<std::string, Value>> entries;
      for (const auto& [key, value] : node.entries) entries.emplace_back(key, value_of(value));
      return Value::map(std::move(entries));
    }
    case Node::Kind::scalar:
      break;
  }
  if (!node.quoted) {
    if (const auto value = node.as_bool()) return Value::boolean(*value);
    if (const auto value = node.as_int()) return Value::integer(*value);
    if (const auto value = node.as_double()) return Value::number(*value);
  }
  return Value::text(node.text);
}

std::string why_not_allowed(const Node& node, const char* allowed) {
  if (allowed == nullptr || *allowed == '\0') return "";
  if (node.is_list()) {
    for (const Node& item : node.items) {
      if (std::string wrong = why_not_allowed(item, allowed); !wrong.empty()) return wrong;
    }
    return "";
  }
  if (!node.is_scalar()) return "";
  const auto interval = parse_interval(allowed);
  if (!interval) return why_not_in_choices(node, allowed);
  const auto number = node.as_double();
  if (!number || interval->holds(*number)) return "";
  return std::string("must lie in ") + allowed;
}

Value setting_value(const Node& written, const zz_param& parameter, const std::string& stage,
                    core::Diagnostics& diagnostics) {
  Node node = written;
  if (parameter.kind == ZZ_F64) write_numbers_with_point(node);
  spell_as_declared(node, parameter.allowed);
  const std::string what = std::string("'") + parameter.name + "' of " + stage;
  if (node.is_null()) {
    if ((parameter.flags & ZZ_REQUIRED) != 0) diagnostics.error(node.mark, what + " must not be empty");
    return {};
  }
  const auto value = convert(node, parameter.kind);
  if (!value) {
    const bool number = parameter.kind == ZZ_I64 || parameter.kind == ZZ_F64;
    diagnostics.error(node.mark,
                      what + " must be " + kind_name(parameter.kind) + ", but found " + node.describe(),
                      number ? core::yaml::number_hint(node) : "");
    return {};
  }
  const bool any_text = parameter.kind == ZZ_STR && parameter.allowed == nullptr;
  if (any_text && node.text.empty() && !is_empty_by_default(parameter)) {
    diagnostics.error(node.mark, what + " must not be empty");
    return {};
  }
  Node compared = node;
  if (const std::string wrong = take_exceptions(compared, parameter); !wrong.empty()) {
    diagnostics.error(node.mark, wrong);
    return {};
  }
  if (const std::string wrong = why_not_allowed(compared, parameter.allowed); !wrong.empty()) {
    const std::size_t item = first_not_allowed(node, parameter.allowed);
    const Node& found = node.is_list() ? node.items[item] : node;
    std::string hint;
    if (!parse_interval(parameter.allowed)) {
      const auto near = core::nearest_name(found.text, split_names(parameter.allowed));
      if (!near.empty()) hint = "did you mean '" + near + "'?";
    }
    diagnostics.error(found.mark,
                      (node.is_list() ? "item " + std::to_string(item + 1) + " of " : "") + what + " " +
                          wrong + (parameter.unit != nullptr ? std::string(" ") + parameter.unit : "") +
                          ", but found " + found.describe(),
                      hint);
    return {};
  }
  return *value;
}

std::string why_no_setting(const Value& value, const zz_param& parameter) {
  core::Diagnostics wrong;
  const Node given = node_of(value.ref());
  setting_value(given, parameter, "", wrong);
  // Who reads the value finds it as it is.
  if (!wrong.has_errors()) {
    Node compared = given;
    take_exceptions(compared, parameter);
    return parameter.kind == ZZ_STR ? why_not_allowed(compared, parameter.allowed) : "";
  }
  // The message begins with the setting, which the caller names.
  const std::string& message = wrong.all().front().message;
  const std::size_t must = message.find(" must ");
  return must == std::string::npos ? message : message.substr(must + 1);
}

Value default_value(const zz_param& parameter, const std::string& stage, core::Diagnostics& diagnostics) {
  if (parameter.def == nullptr || std::string_view(parameter.def) == "null") return {};
  Node node;
  if (*parameter.def == '\0') {
    node.kind = Node::Kind::scalar;
    node.quoted = true;
  } else {
    node =
        core::yaml::load_text(parameter.def, "the default of " + stage + "." + parameter.name, diagnostics);
  }
  if (node.is_null()) return {};
  if (parameter.kind != ZZ_STR) write_numbers_with_point(node);
  if (parameter.kind == ZZ_F64 && node.is_scalar()) node.text = infinity_of_yaml(node.text);
  const auto value = convert(node, parameter.kind);
  if (!value) {
    diagnostics.error(node.mark, "the default of the setting '" + std::string(parameter.name) +
                                     "' is not " + kind_name(parameter.kind) + ": this is a bug in " +
                                     stage);
    return {};
  }
  const std::string wrong = *parameter.def == '\0' ? "" : why_not_allowed(node, parameter.allowed);
  if (!wrong.empty())
    diagnostics.error(node.mark,
                      fmt::format("the default of the setting '{}' is {}, and {}: this is a bug in {}",
                                  parameter.name, parameter.def, wrong, stage));
  return *value;
}

}  // namespace zz::host
