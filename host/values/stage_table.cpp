#include "host/values/stage_table.hpp"

#include <algorithm>

namespace zz::host {

std::vector<std::string> split_names(const char* names) {
  std::vector<std::string> parts;
  if (names == nullptr || *names == '\0') return parts;
  std::string_view rest = names;
  while (true) {
    const auto bar = rest.find('|');
    parts.emplace_back(rest.substr(0, bar));
    if (bar == std::string_view::npos) return parts;
    rest.remove_prefix(bar + 1);
  }
}

std::vector<std::string> names_of(const zz_stage_desc& stage) {
  std::vector<std::string> names{stage.name, stage.id};
  for (auto& alias : split_names(stage.aliases)) {
    if (std::find(names.begin(), names.end(), alias) == names.end()) names.push_back(std::move(alias));
  }
  return names;
}

bool names_hold(const char* names, std::string_view name) {
  if (names == nullptr || *names == '\0') return false;
  for (std::string_view rest = names;;) {
    const auto bar = rest.find('|');
    if (rest.substr(0, bar) == name) return true;
    if (bar == std::string_view::npos) return false;
    rest.remove_prefix(bar + 1);
  }
}

bool goes_by(const zz_stage_desc& stage, std::string_view name) {
  return name == stage.name || name == stage.id || names_hold(stage.aliases, name);
}

std::span<const zz_param> parameters_of(const zz_stage_desc& stage) {
  return {stage.params, stage.n_params};
}
std::span<const zz_port> consumed_by(const zz_stage_desc& stage) {
  return {stage.consumes, stage.n_consumes};
}
std::span<const zz_port> provided_by(const zz_stage_desc& stage) {
  return {stage.provides, stage.n_provides};
}

std::span<const zz_metric> metrics_of(const zz_stage_desc& stage) {
  if (!ZZ_HAS(&stage, n_metrics) || stage.metrics == nullptr) return {};
  return {stage.metrics, stage.n_metrics};
}

bool provides_named_keys(const zz_stage_desc& stage) {
  const auto ports = provided_by(stage);
  return std::any_of(ports.begin(), ports.end(),
                     [](const zz_port& port) { return std::string_view(port.key) == "*"; });
}

namespace {

/// Figures of an evaluation that change with others.
struct Derived {
  std::string_view figure;
  std::string_view from[2];
};
constexpr Derived derived_figures[] = {
    {"edp", {"energy_total", "latency_total2"}},
    {"mac_spatial_utilization", {"ideal_cycle", "ideal_temporal_cycle"}},
    {"mac_utilization0", {"ideal_cycle", "latency_total0"}},
    {"mac_utilization1", {"ideal_cycle", "latency_total1"}},
    {"mac_utilization2", {"ideal_cycle", "latency_total2"}},
    {"tclk", {"imc", "imc"}},
    {"area_total", {"imc", "imc"}},
};

}  // namespace

bool writes_metric(const zz_stage_desc& stage, std::string_view metric) {
  for (const Derived& derived : derived_figures) {
    if (derived.figure == metric &&
        (writes_metric(stage, derived.from[0]) || writes_metric(stage, derived.from[1])))
      return true;
  }
  for (const char* written : std::span(stage.writes, stage.n_writes)) {
    if (std::string_view(written) == "*" || written == metric) return true;
  }
  for (const zz_metric& own : metrics_of(stage)) {
    if (own.name == metric) return true;
  }
  return false;
}

const zz_param* find_parameter(const zz_stage_desc& stage, std::string_view name) {
  for (const zz_param& parameter : parameters_of(stage)) {
    if (name == parameter.name) return &parameter;
  }
  for (const zz_param& parameter : parameters_of(stage)) {
    if (names_hold(parameter.aliases, name)) return &parameter;
  }
  return nullptr;
}

std::string kind_name(std::int32_t kind) {
  switch (kind) {
    case ZZ_NULL:
      return "anything";
    case ZZ_BOOL:
      return "true or false";
    case ZZ_I64:
      return "a whole number";
    case ZZ_F64:
      return "a number";
    case ZZ_STR:
      return "text";
    case ZZ_LIST:
      return "a list";
    case ZZ_MAP:
      return "a map";
    case ZZ_OBJECT:
      return "an object";
    default:
      return "nothing";
  }
}

std::string port_type_name(const zz_port& port) {
  return port.kind == ZZ_OBJECT && port.type != nullptr ? port.type : kind_name(port.kind);
}

std::string lasting_name(std::string_view file) {
  constexpr std::string_view end = ">.py";
  const std::string_view stem = file.substr(0, file.size() - std::min(file.size(), end.size()));
  const std::size_t blank = stem.find_last_not_of("0123456789");
  const bool is_numbered = file.starts_with('<') && file.ends_with(end) && blank + 1 < stem.size();
  if (!is_numbered || stem[blank] != ' ') return std::string(file);
  return std::string(stem.substr(0, blank)).append(end);
}

}  // namespace zz::host
