#include "core/input/stream/hint_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

constexpr const char* loop_example = "expected a loop and a count, as [OY, 14] or [OY, all]";

[[noreturn]] void refuse(const std::string& what, Ref value, const std::string& expected) {
  throw InputError(fmt::format("{} is {}: {}", what, describe(value), expected));
}

bool is_list(Ref value) { return kind_of(value) == Kind::list; }
bool is_nothing(Ref value) { return kind_of(value) == Kind::null || kind_of(value) == Kind::none; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "(a, b)" or "[a, b]" -> "a, b".
std::string_view without_brackets(std::string_view text) {
  text = without_blanks(text);
  const bool enclosed = text.size() >= 2 && ((text.front() == '(' && text.back() == ')') ||
                                             (text.front() == '[' && text.back() == ']'));
  return enclosed ? without_blanks(text.substr(1, text.size() - 2)) : text;
}

/// The parts between commas. A comma at the end, as in Python's "(3,)", adds no part.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!without_blanks(text).empty()) {
    const std::size_t comma = text.find(',');
    parts.push_back(without_blanks(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return parts;
}

bool read_whole(std::string_view text, std::int64_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

void set_count(CutLoop& loop, std::int64_t count, const std::string& what) {
  if (count < 1) {
    throw InputError(
        fmt::format("{} cuts {} into {}: counts are 1 or more, or \"all\"", what, loop.dimension, count));
  }
  loop.count = count;
}

/// Takes the word behind the count, which says on which cores pieces run.
void take_word(std::string_view word, CutLoop& loop, const std::string& what) {
  const std::array<std::string, 2> known = {"spread", "lockstep"};
  loop.lockstep = word == "lockstep";
  loop.spread = loop.lockstep || word == "spread";
  if (!loop.spread)
    throw InputError(
        fmt::format("{} has the word '{}' behind its count; {}", what, word, suggestion(word, known)));
}

CutLoop read_loop(Ref value, const std::string& what) {
  CutLoop loop;
  std::string_view text;
  if (read_text(value, text)) {  // "OY, all"
    std::vector<std::string_view> parts = parts_of(without_brackets(text));
    if (parts.size() == 3) {
      take_word(parts.back(), loop, what);
      parts.pop_back();
    }
    std::int64_t count = 0;
    if (parts.size() != 2 || parts[0].empty() || (parts[1] != "all" && !read_whole(parts[1], count)))
      refuse(what, value, loop_example);
    loop.dimension = upper_case(parts[0]);
    if (parts[1] != "all") set_count(loop, count, what);
    return loop;
  }
  if (is_list(value) && count_of(value) == 3 && read_text(part_at(value, 2), text))
    take_word(without_blanks(text), loop, what);
  if (!is_list(value) || count_of(value) != (loop.spread ? 3 : 2)) refuse(what, value, loop_example);
  if (!read_text(part_at(value, 0), text) || without_blanks(text).empty()) {
    throw InputError(
        fmt::format("{} names as its loop {}: {}", what, describe(part_at(value, 0)), loop_example));
  }
  loop.dimension = upper_case(without_blanks(text));
  const Ref count = part_at(value, 1);
  std::int64_t number = 0;
  if (read_text(count, text)) {
    if (without_blanks(text) == "all") return loop;
    if (read_whole(without_blanks(text), number)) {
      set_count(loop, number, what);
      return loop;
    }
  } else if (kind_of(count) != Kind::boolean && read_i64(count, number)) {
    set_count(loop, number, what);
    return loop;
  }
  throw InputError(fmt::format("{} has as the count of {} {}: expected a whole number or \"all\"", what,
                               loop.dimension, describe(count)));
}

std::vector<CutLoop> read_loops(Ref value, const std::string& what) {
  std::vector<CutLoop> loops;
  if (is_nothing(value)) return loops;
  if (!is_list(value)) refuse(what, value, "expected a list of loops, as [[OY, all], [K, 4]]");
  for (std::uint32_t i = 0; i < count_of(value); ++i)
    loops.push_back(read_loop(part_at(value, i), fmt::format("item {} of {}", i + 1, what)));
  return loops;
}

std::vector<std::int64_t> ids_in_key(std::string_view key) {
  std::vector<std::int64_t> ids;
  for (const std::string_view part : parts_of(without_brackets(key))) {
    std::int64_t id = 0;
    if (!read_whole(part, id)) {
      throw InputError(
          fmt::format("the key '{}' of hint_loops does not list layers: '{}' is no layer id; "
                      "expected is a key like \"0,1,2\"",
                      key, part));
    }
    ids.push_back(id);
  }
  if (ids.empty()) throw InputError("a key of hint_loops is empty; expected is a key like \"0,1,2\"");
  return ids;
}

/// A layer that several entries name would follow one of them only.
void check_named_once(const std::vector<std::vector<std::int64_t>>& lists, const char* what) {
  std::set<std::int64_t> seen;
  for (const std::vector<std::int64_t>& ids : lists)
    for (const std::int64_t id : ids)
      if (!seen.insert(id).second) throw InputError(fmt::format("{} names layer {} twice", what, id));
}

bool is_text_of_a_loop(Ref value) {
  std::string_view text;
  return read_text(value, text) && text.find(',') != std::string_view::npos;
}

}  // namespace

bool is_hint_list_by_stack(Ref value) {
  if (!is_list(value) || count_of(value) == 0) return false;
  for (std::uint32_t i = 0; i < count_of(value); ++i) {
    const Ref item = part_at(value, i);
    if (!is_list(item)) return false;
    if (count_of(item) == 0) continue;
    const Ref first = part_at(item, 0);
    if (!is_list(first) && !is_text_of_a_loop(first)) return false;
  }
  return true;
}

HintLoopsSetting read_hint_loops(Ref value, const LayerStacks& stacks) {
  HintLoopsSetting hints;
  if (kind_of(value) == Kind::map) {
    hints.by_layer = true;
    std::vector<std::vector<std::int64_t>> layers;
    for (std::uint32_t i = 0; i < count_of(value); ++i) {
      std::string_view key;
      const Ref loops = part_at(value, i, &key);
      layers.push_back(ids_in_key(key));
      hints.cut_entries.push_back(
          {layers.back(), read_loops(loops, fmt::format("the entry '{}' of hint_loops", key))});
    }
    check_named_once(layers, "hint_loops");
    return hints;
  }
  if (!is_hint_list_by_stack(value)) {
    hints.loops = read_loops(value, "hint_loops");
    return hints;
  }
  hints.by_layer = true;
  if (count_of(value) != stacks.size()) {
    throw InputError(
        fmt::format("hint_loops has {} lists of loops for {} groups of layers: expected is one list for "
                    "each group that "
                    "layer_cutoffs or layer_stacks make",
                    count_of(value), stacks.size()));
  }
  for (std::uint32_t i = 0; i < count_of(value); ++i) {
    hints.cut_entries.push_back(
        {stacks[i], read_loops(part_at(value, i), fmt::format("list {} of hint_loops", i + 1))});
  }
  return hints;
}

std::vector<std::int64_t> read_layer_ids(Ref value, const std::string& what) {
  std::vector<std::int64_t> ids;
  if (is_nothing(value)) return ids;
  const bool single = !is_list(value);
  for (std::uint32_t i = 0; i < (single ? 1 : count_of(value)); ++i) {
    const Ref item = single ? value : part_at(value, i);
    std::int64_t id = 0;
    if (kind_of(item) == Kind::boolean || !read_i64(item, id)) {
      throw InputError(fmt::format("{} {} {}: expected layer ids, which are whole numbers", what,
                                   single ? "is" : "contains", describe(item)));
    }
    ids.push_back(id);
  }
  return ids;
}

LayerStacks read_layer_stacks(Ref value) {
  LayerStacks stacks;
  if (is_nothing(value)) return stacks;
  if (!is_list(value)) refuse("layer_stacks", value, "expected a list of lists of layer ids");
  for (std::uint32_t i = 0; i < count_of(value); ++i)
    stacks.push_back(read_layer_ids(part_at(value, i), fmt::format("item {} of layer_stacks", i + 1)));
  check_named_once(stacks, "layer_stacks");
  return stacks;
}

Value hint_loops_value(const std::vector<CutEntry>& hints) {
  std::vector<std::pair<std::string, Value>> entries;
  for (const CutEntry& hint : hints) {
    std::vector<Value> loops;
    for (const CutLoop& loop : hint.loops) {
      std::vector<Value> parts = {Value::text(loop.dimension),
                                  loop.count ? Value::integer(*loop.count) : Value::text("all")};
      if (loop.spread) parts.push_back(Value::text(loop.lockstep ? "lockstep" : "spread"));
      loops.push_back(Value::list(std::move(parts)));
    }
    entries.emplace_back(fmt::format("{}", fmt::join(hint.layers, ",")), Value::list(std::move(loops)));
  }
  return Value::map(std::move(entries));
}

Value layer_stacks_value(const LayerStacks& stacks) {
  std::vector<Value> items;
  for (const std::vector<std::int64_t>& stack : stacks) {
    std::vector<Value> ids;
    for (const std::int64_t id : stack) ids.push_back(Value::integer(id));
    items.push_back(Value::list(std::move(ids)));
  }
  return Value::list(std::move(items));
}

}  // namespace zz::core
