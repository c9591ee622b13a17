#include "host/plugin_check/table_checks.hpp"

#include <fmt/format.h>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "core/diagnostics/diagnostics.hpp"
#include "core/value/type.hpp"
#include "host/chain/setting_value.hpp"
#include "host/plugin_check/utf8.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

constexpr std::uint32_t known_stage_flags = ZZ_STAGE_LEAF | ZZ_STAGE_PARALLEL_OPEN |
                                            ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_REDUCES | ZZ_STAGE_FORWARDS |
                                            ZZ_STAGE_ONE;
constexpr std::uint32_t known_part_flags =
    ZZ_REQUIRED | ZZ_INPUT_PATH | ZZ_DEPRECATED | ZZ_OPTIONAL | ZZ_STAGES | ZZ_ANONYMOUS;

/// Collects what is wrong with one table.
class TableCheck {
 public:
  explicit TableCheck(Notes& notes) : notes_(notes) {}

  void wrong(const std::string& what) {
    notes_.failed("T4", what);
    good_ = false;
  }
  void text(const char* text, const std::string& what) {
    if (text != nullptr && !is_utf8(text)) wrong(what + " is not UTF-8");
  }
  bool good() const { return good_; }

 private:
  Notes& notes_;
  bool good_ = true;
};

void check_default(const zz_param& parameter, const zz_stage_desc& stage, TableCheck& check) {
  if (parameter.def == nullptr) return;
  const std::string what =
      fmt::format("the default '{}' of the setting '{}'", parameter.def, parameter.name);
  if ((parameter.flags & ZZ_REQUIRED) != 0) {
    check.wrong(what + " can never be used: the setting is required");
    return;
  }
  try {
    core::Diagnostics diagnostics;
    default_value(parameter, stage.name, diagnostics);
    if (diagnostics.has_errors()) {
      check.wrong(what + " is not " + kind_name(parameter.kind));
      return;
    }
    if (*parameter.def == '\0') return;
    const auto node = core::yaml::load_text(parameter.def, "default", diagnostics);
    if (node.is_null()) return;
    if (const std::string why = why_not_allowed(node, parameter.allowed); !why.empty())
      check.wrong(what + " " + why);
  } catch (const std::exception& error) {
    check.wrong(what + " is no YAML: " + error.what());
  }
}

void check_parameter(const zz_param& parameter, const zz_stage_desc& stage, TableCheck& check) {
  const std::string what = fmt::format("the setting '{}'", parameter.name);
  for (const char* text :
       {parameter.name, parameter.def, parameter.allowed, parameter.unit, parameter.doc, parameter.aliases})
    check.text(text, "a text of " + what);
  if (parameter.doc == nullptr || *parameter.doc == '\0') check.wrong(what + " has no documentation");
  if ((parameter.flags & ~known_part_flags) != 0) check.wrong(what + " has flags that do not exist");
  if ((parameter.flags & ZZ_STAGES) != 0 && parameter.kind != ZZ_LIST)
    check.wrong(what + " is flagged ZZ_STAGES and is no list");
  if ((parameter.flags & ZZ_INPUT_PATH) != 0 && parameter.kind != ZZ_STR)
    check.wrong(what + " is flagged ZZ_INPUT_PATH and is no text");
  if (parameter.more != nullptr) check.wrong(what + " has `more` set, which is NULL in this version");
  check_default(parameter, stage, check);
}

void check_parameters(const zz_stage_desc& stage, TableCheck& check) {
  std::set<std::string> names;
  for (const zz_param& parameter : parameters_of(stage)) {
    check_parameter(parameter, stage, check);
    auto own = split_names(parameter.aliases);
    own.emplace_back(parameter.name);
    for (const auto& name : own) {
      if (!names.insert(name).second) check.wrong("two settings go by the name '" + name + "'");
    }
  }
}

void check_ports(std::span<const zz_port> ports, const char* word, TableCheck& check) {
  std::set<std::string_view> keys;
  for (const zz_port& port : ports) {
    const std::string what = fmt::format("the key '{}' that it {}", port.key, word);
    for (const char* text : {port.key, port.type, port.doc}) check.text(text, "a text of " + what);
    if (port.doc == nullptr || *port.doc == '\0') check.wrong(what + " has no documentation");
    if (port.kind < ZZ_NULL || port.kind > ZZ_OBJECT) check.wrong(what + " has a kind that does not exist");
    if ((port.flags & ~known_part_flags) != 0) check.wrong(what + " has flags that do not exist");
    if (port.kind == ZZ_OBJECT && port.type != nullptr && core::find_object_type(port.type) == nullptr)
      check.wrong(fmt::format("{} is of the type '{}', which does not exist", what, port.type));
    if (port.more != nullptr) check.wrong(what + " has `more` set, which is NULL in this version");
    if (!keys.insert(port.key).second) check.wrong(what + " is in the table twice");
  }
}

void check_flags(const zz_stage_desc& stage, TableCheck& check, Notes& notes) {
  if ((stage.flags & ~known_stage_flags) != 0) check.wrong("the stage has flags that do not exist");
  const bool leaf = (stage.flags & ZZ_STAGE_LEAF) != 0;
  const bool forwards = (stage.flags & ZZ_STAGE_FORWARDS) != 0;
  if (leaf && forwards) notes.failed("S6", "a leaf has nothing below that it could forward");
  if (forwards && (stage.flags & ZZ_STAGE_REDUCES) != 0)
    notes.failed("S6", "claims both to forward each result and to reduce them to one");
  if (leaf && stage.n_provides > 0) notes.failed("S4", "a leaf hands down keys, and nothing is below it");
}

}  // namespace

void check_stage_table(const zz_stage_desc& stage, std::uint16_t abi_minor, Notes& notes) {
  notes.about(text_or_empty(stage.name));
  notes.doing("reading its table");
  // A table of an earlier minor may be shorter.
  if (stage.size == sizeof(zz_stage_desc) || abi_minor < ZZ_ABI_MINOR)
    notes.passed("T1", "tables give their size");
  else
    notes.failed("T1", fmt::format("says size {}, the table of this version has {} bytes", stage.size,
                                   sizeof(zz_stage_desc)));
  TableCheck check(notes);
  for (const char* text : {stage.id, stage.name, stage.aliases, stage.summary, stage.doc})
    check.text(text, "a text of the stage");
  if (stage.summary == nullptr || *stage.summary == '\0') check.wrong("the stage has no summary");
  if (std::string_view(stage.id).find('.') == std::string_view::npos)
    check.wrong(fmt::format("the id '{}' names no owner: write it as org.example.MyStage", stage.id));
  check_flags(stage, check, notes);
  check_parameters(stage, check);
  check_ports(consumed_by(stage), "takes", check);
  check_ports(provided_by(stage), "hands down", check);
  for (const char* metric : std::span(stage.writes, stage.n_writes))
    check.text(metric, "a metric it writes");
  if (check.good()) notes.passed("T4", "the tables of settings, keys and metrics are in order");
}

void check_stage_names(const zz_plugin& plugin, Notes& notes) {
  notes.about("");
  notes.doing("comparing the names of its stages");
  std::map<std::string, const zz_stage_desc*> owners;
  for (const zz_stage_desc* stage : std::span(plugin.stages, plugin.n_stages)) {
    for (const auto& name : names_of(*stage)) {
      if (!owners.emplace(name, stage).second)
        notes.failed("T4", fmt::format("two of its stages go by the name '{}'", name));
    }
  }
}

}  // namespace zz::host
