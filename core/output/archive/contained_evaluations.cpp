#include "core/output/archive/contained_evaluations.hpp"

#include <cstdint>
#include <string_view>

#include "core/schema/types.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

bool is_list(const Value& value) { return kind_of(value.ref()) == Kind::list; }

Value item(const Value& list, std::uint32_t index) { return held_part(list, part_at(list.ref(), index)); }

/// [evaluation, extra], or [list of such, extra].
bool is_pair(const Value& value) {
  if (!is_list(value) || count_of(value.ref()) != 2) return false;
  const Value first = item(value, 0);
  return first.as<Evaluation>() != nullptr || is_list(first);
}

bool is_scalar(Ref value) {
  const Kind kind = kind_of(value);
  return kind == Kind::boolean || kind == Kind::i64 || kind == Kind::f64 || kind == Kind::str;
}

/// Takes off one layer of settings; false when there is none.
bool take_off_settings(VariedResult& result) {
  const Value extra = result.extra;
  std::vector<std::pair<std::string, std::string>> found;
  if (kind_of(extra.ref()) == Kind::map) {
    const Ref within = part(extra.ref(), intern("extra"));
    const Ref settings = part(extra.ref(), intern("settings"));
    const bool named = kind_of(settings) == Kind::map;
    if (!named && kind_of(within) == Kind::none) return false;
    const Ref varied = named ? settings : extra.ref();
    for (std::uint32_t i = 0; i < count_of(varied); ++i) {
      std::string_view name;
      const Ref value = part_at(varied, i, &name);
      if (named || is_scalar(value)) found.emplace_back(name, to_json(value));
    }
    result.extra = held_part(extra, within);
  } else {
    if (!is_list(extra) || count_of(extra.ref()) != 2 || !is_list(item(extra, 0))) return false;
    const Value settings = item(extra, 0);
    if (count_of(settings.ref()) == 0) return false;
    for (std::uint32_t i = 0; i < count_of(settings.ref()); ++i) {
      const Value setting = item(settings, i);
      std::string_view name;
      if (!is_list(setting) || count_of(setting.ref()) != 2 || !read_text(part_at(setting.ref(), 0), name))
        return false;
      found.emplace_back(name, to_json(part_at(setting.ref(), 1)));
    }
    result.extra = item(extra, 1);
  }
  result.settings.insert(result.settings.end(), found.begin(), found.end());
  return true;
}

}  // namespace

VariedResult varied_result(const Value& extra) {
  VariedResult result{{}, extra};
  while (take_off_settings(result)) {
  }
  return result;
}

std::vector<std::pair<Value, Value>> results_in(const Value& list) {
  std::vector<std::pair<Value, Value>> results;
  if (!is_list(list)) return results;
  for (std::uint32_t i = 0; i < count_of(list.ref()); ++i) {
    const Value one = item(list, i);
    if (is_pair(one))
      results.emplace_back(item(one, 0), item(one, 1));
    else if (one.as<Evaluation>() != nullptr)
      results.emplace_back(one, Value());
  }
  return results;
}

}  // namespace zz::core
