#include "host/boundary/answers.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/answers/answers_by_store.hpp"
#include "core/store/content_key.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/base/run.hpp"
#include "host/boundary/input.hpp"
#include "host/chain/place.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

/// Numbers that JSON lacks, and nulls, for which it has the same word, a letter each in their order.
void add_nulls(core::Ref ref, std::string& nulls) {
  double number = 0;
  switch (core::kind_of(ref)) {
    case core::Kind::null:
      nulls += '0';
      break;
    case core::Kind::f64:
      if (core::read_f64(ref, number) && !std::isfinite(number))
        nulls += std::isnan(number) ? 'n' : number > 0 ? '+' : '-';
      break;
    default:
      for (std::uint32_t i = 0; i < core::count_of(ref); ++i) add_nulls(core::part_at(ref, i), nulls);
  }
}

/// The same, or "" where all numbers are finite.
std::string what_json_lacks(core::Ref ref) {
  std::string nulls;
  add_nulls(ref, nulls);
  return nulls.find_first_not_of('0') == std::string::npos ? "" : nulls;
}

/// By stage and plugin: no other stage gives the answer, and none of built-in searches is met.
core::ContentKey key_of(const zz_place* at, zz_ref question) {
  const core::Ref asked = from_abi(question);
  if (at == nullptr || core::kind_of(asked) != core::Kind::map)
    throw core::ValueError(
        core::ValueError::Problem::wrong_type,
        "a question is a map of all that decides its answer, found " + core::describe(asked));
  const auto text = [](const char* words) { return words != nullptr ? words : ""; };
  const std::string content = core::to_json(asked) + what_json_lacks(asked);
  const std::array<std::string_view, 5> parts = {
      "answer of a stage", text(at->description->id), at->plugin != nullptr ? text(at->plugin->id) : "",
      at->plugin != nullptr ? text(at->plugin->version) : "", content};
  return core::content_key(parts);
}

core::Answers& answers_in(zz_str store) {
  return current_run().answers->at(std::string(store.n > 0 ? store.p : "", store.n)).answers;
}

zz_status find(zz_place* at, zz_ref question, zz_str store, zz_value** out, zz_error* error) noexcept {
  if (out == nullptr) return report(error, ZZ_E_INTERNAL, "an answer was asked for without room for it");
  *out = nullptr;
  try {
    const core::ContentKey key = key_of(at, question);
    core::Answers& answers = answers_in(store);
    const std::optional<core::StoredAnswer> found = answers.find(key, 0, "");
    answers.count(key, found.has_value());
    if (found) *out = new_handle(value_of_json_text(found->mapping, "an answer in the store"));
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

zz_status keep(zz_place* at, zz_ref question, zz_ref answer, zz_str store, zz_error* error) noexcept {
  try {
    if (!what_json_lacks(from_abi(answer)).empty())
      throw core::ValueError(core::ValueError::Problem::wrong_type,
                             "an answer that is kept has finite numbers, but this one has an infinite "
                             "number or one that is none (NaN)");
    core::StoredAnswer kept;
    kept.mapping = core::to_json(from_abi(answer));
    core::Answers& answers = answers_in(store);
    answers.add(key_of(at, question), kept);
    answers.write_if_due();
    return ZZ_OK;
  } catch (...) {
    return report_current_exception(error);
  }
}

}  // namespace

const zz_answers answers_table{sizeof(zz_answers), find, keep};

}  // namespace zz::host
