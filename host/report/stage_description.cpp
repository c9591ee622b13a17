#include "host/report/stage_description.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/value/read.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

Json optional_text(const char* text) { return text != nullptr ? Json(text) : Json(nullptr); }

const char* kind_word(std::int32_t kind) {
  constexpr const char* words[] = {"none", "any", "bool", "int", "float", "text", "list", "map", "object"};
  return kind >= ZZ_NONE && kind <= ZZ_OBJECT ? words[kind] : "any";
}

Json describe(const zz_param& parameter) {
  return Json{{"name", parameter.name},
              {"type", kind_word(parameter.kind)},
              {"required", (parameter.flags & ZZ_REQUIRED) != 0},
              {"input_path", (parameter.flags & ZZ_INPUT_PATH) != 0},
              {"deprecated", (parameter.flags & ZZ_DEPRECATED) != 0},
              {"default", default_of(parameter)},
              {"allowed", optional_text(parameter.allowed)},
              {"unit", optional_text(parameter.unit)},
              {"aliases", split_names(parameter.aliases)},
              {"doc", text_or_empty(parameter.doc)}};
}

Json describe(std::span<const zz_port> ports) {
  Json all = Json::array();
  for (const zz_port& port : ports) {
    all.push_back(
        {{"key", port.key},
         {"type", port.kind == ZZ_OBJECT && port.type != nullptr ? port.type : kind_word(port.kind)},
         {"optional", (port.flags & ZZ_OPTIONAL) != 0},
         {"doc", text_or_empty(port.doc)}});
  }
  return all;
}

const char* sum_word(std::int32_t sum) {
  constexpr const char* words[] = {"add", "max", "none"};
  return sum >= ZZ_SUM_ADD && sum <= ZZ_SUM_NONE ? words[sum] : "add";
}

Json describe(std::span<const zz_metric> metrics) {
  Json all = Json::array();
  for (const zz_metric& metric : metrics) {
    all.push_back({{"name", metric.name},
                   {"unit", optional_text(metric.unit)},
                   {"sum", sum_word(metric.sum)},
                   {"column", (metric.flags & ZZ_METRIC_COLUMN) != 0},
                   {"doc", text_or_empty(metric.doc)}});
  }
  return all;
}

Json flags_of(const zz_stage_desc& stage) {
  constexpr const char* words[] = {"leaf", "parallel_open", "deterministic", "reduces", "forwards", "one"};
  Json flags = Json::array();
  for (std::uint32_t bit = 0; bit < std::size(words); ++bit) {
    if ((stage.flags >> bit & 1U) != 0) flags.push_back(words[bit]);
  }
  return flags;
}

/// A cell of a Markdown table: bars and line ends would break it.
std::string cell(const std::string& text) {
  std::string out;
  for (const char letter : text)
    out += letter == '|' ? std::string("\\|") : letter == '\n' ? " " : std::string(1, letter);
  return out;
}

std::string settings_section(const zz_stage_desc& stage) {
  if (stage.n_params == 0) return "This stage has no settings.\n";
  std::string text = "| setting | type | default | allowed | unit | meaning |\n|---|---|---|---|---|---|\n";
  for (const zz_param& parameter : parameters_of(stage)) {
    std::string meaning = text_or_empty(parameter.doc);
    const auto aliases = split_names(parameter.aliases);
    if (!aliases.empty()) {
      meaning += " Also spelt";
      for (std::size_t i = 0; i < aliases.size(); ++i)
        meaning += fmt::format("{} `{}`", i == 0 ? "" : ",", aliases[i]);
      meaning += ".";
    }
    const bool required = (parameter.flags & ZZ_REQUIRED) != 0;
    std::string fallback = required                   ? "required"
                           : parameter.def != nullptr ? fmt::format("`{}`", parameter.def)
                                                      : "none";
    if (parameter.def != nullptr && *parameter.def == '\0') fallback = "empty";
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", parameter.name, kind_word(parameter.kind),
                        cell(fallback), cell(text_or_empty(parameter.allowed)),
                        text_or_empty(parameter.unit), cell(meaning));
  }
  return text;
}

std::string ports_section(std::span<const zz_port> ports) {
  std::string text = "| key | type | meaning |\n|---|---|---|\n";
  for (const zz_port& port : ports) {
    text += fmt::format("| `{}` | {}{} | {} |\n", port.key,
                        port.kind == ZZ_OBJECT && port.type != nullptr ? port.type : kind_word(port.kind),
                        (port.flags & ZZ_OPTIONAL) != 0 ? ", optional" : "", cell(text_or_empty(port.doc)));
  }
  return text;
}

std::string metrics_section(std::span<const zz_metric> metrics) {
  constexpr const char* several[] = {"their sum", "the largest", "none"};
  std::string text = "| metric | unit | of several layers | meaning |\n|---|---|---|---|\n";
  for (const zz_metric& metric : metrics) {
    const std::string_view sum = sum_word(metric.sum);
    text += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, text_or_empty(metric.unit),
                        several[sum == "add"   ? 0
                                : sum == "max" ? 1
                                               : 2],
                        cell(text_or_empty(metric.doc)));
  }
  return text;
}

}  // namespace

Json default_of(const zz_param& parameter) {
  if (parameter.def == nullptr) return nullptr;
  try {
    core::Diagnostics ignored;
    const core::Value value = default_value(parameter, "", ignored);
    return Json::parse(core::to_json(value.ref()), nullptr, false);
  } catch (const core::InputError&) {
    return parameter.def;
  }
}

Json description_of(const StageSource& source) {
  const zz_stage_desc& stage = *source.stage;
  Json settings = Json::array(), writes = Json::array();
  for (const zz_param& parameter : parameters_of(stage)) settings.push_back(describe(parameter));
  for (const char* metric : std::span(stage.writes, stage.n_writes)) writes.push_back(metric);
  return Json{{"name", stage.name},
              {"id", stage.id},
              {"aliases", split_names(stage.aliases)},
              {"plugin", source.plugin->table->id},
              {"file", source.plugin->file},
              {"summary", text_or_empty(stage.summary)},
              {"flags", flags_of(stage)},
              {"settings", std::move(settings)},
              {"consumes", describe(consumed_by(stage))},
              {"provides", describe(provided_by(stage))},
              {"metrics", describe(metrics_of(stage))},
              {"writes", std::move(writes)},
              {"doc", text_or_empty(stage.doc)}};
}

std::string page_of(const StageSource& source) {
  const zz_stage_desc& stage = *source.stage;
  std::string text = fmt::format("# {}\n\n{}\n\n", stage.name, text_or_empty(stage.summary));
  const auto aliases = split_names(stage.aliases);
  text += fmt::format("Id `{}`, plugin `{}`.", stage.id, source.plugin->table->id);
  if (!aliases.empty()) {
    text += "\nAlso known as";
    for (std::size_t i = 0; i < aliases.size(); ++i)
      text += fmt::format("{} `{}`", i == 0 ? "" : ",", aliases[i]);
    text += ".";
  }
  if ((stage.flags & ZZ_STAGE_LEAF) != 0) text += " A leaf: the last stage of a pipeline.";
  text += "\n\n";
  if (stage.doc != nullptr && *stage.doc != '\0') text += fmt::format("{}\n\n", stage.doc);
  text += "## Settings\n\n" + settings_section(stage);
  if (stage.n_consumes > 0) text += "\n## Takes from the context\n\n" + ports_section(consumed_by(stage));
  if (stage.n_provides > 0) text += "\n## Hands down\n\n" + ports_section(provided_by(stage));
  if (const auto metrics = metrics_of(stage); !metrics.empty())
    text += "\n## Metrics\n\n" + metrics_section(metrics);
  if (stage.n_writes > 0) {
    text += "\n## Changes in results\n\n";
    for (const char* metric : std::span(stage.writes, stage.n_writes))
      text += fmt::format("- `{}`\n", metric);
  }
  return text;
}

}  // namespace zz::host
