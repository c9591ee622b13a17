#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "zz/stage.hpp"

// Included once per plugin: tells the SDK what the exceptions of the core mean, so that stages let them
// pass.
namespace zz::plugins {

inline zz_status status_of_core_exception(const std::exception& thrown) noexcept {
  if (dynamic_cast<const core::InputError*>(&thrown)) return ZZ_E_INVALID;
  if (dynamic_cast<const core::NoResult*>(&thrown)) return ZZ_E_NO_RESULT;
  if (dynamic_cast<const core::Interrupted*>(&thrown)) return ZZ_E_CANCELLED;
  return ZZ_OK;
}

/// The places in files, for programs that run the host.
inline Value failure_of_core_exception(const std::exception& thrown) noexcept {
  const auto* const wrong = dynamic_cast<const core::InputError*>(&thrown);
  if (wrong == nullptr) return {};
  const auto& all = wrong->diagnostics();
  if (std::all_of(all.begin(), all.end(), [](const auto& one) { return one.mark.file.empty(); })) return {};
  try {
    std::vector<Value> problems;
    for (const core::Diagnostic& problem : all) {
      problems.push_back(make(nullptr, {{"message", problem.message},
                                        {"hint", problem.hint},
                                        {"file", problem.mark.file},
                                        {"line", int64_t{problem.mark.line}},
                                        {"column", int64_t{problem.mark.column}}}));
    }
    const Value list = make_list(problems);
    return make(nullptr, {{"code", int64_t{ZZ_E_INVALID}}, {"message", wrong->what()}, {"problems", list}});
  } catch (const std::exception&) {
    return {};  // the text says it all, too
  }
}

inline const bool core_exceptions_known = (status_of_exception = &status_of_core_exception,
                                           failure_of_exception = &failure_of_core_exception, true);

}  // namespace zz::plugins
