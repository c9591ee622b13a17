#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "zz/stage.hpp"

// A built-in plugin: each stage is a class in a source file of its own, which ends with ZZ_PLUGIN_STAGE,
// and plugin.cpp lists the names of the stages with ZZ_PLUGIN_OF_STAGES. Stages let exceptions of the core
// pass: this header tells the SDK what they mean.

/// In zz::plugins, after the class: describes the stage to the library's table.
#define ZZ_PLUGIN_STAGE(Class)                                                                        \
  namespace descriptions {                                                                            \
  extern constinit const zz_stage_desc Class = ::zz::detail::StageTable<plugins::Class>::description; \
  }                                                                                                   \
  [[maybe_unused]] static const bool Class##_defaults_are_filled =                                    \
      (::zz::detail::StageTable<Class>::fill_defaults(), true);

/// Once per library, at namespace scope: its table, with the stages in the order of listings.
///   ZZ_PLUGIN_OF_STAGES("org.zz.reduce", SumStage, ListifyStage)
#define ZZ_PLUGIN_OF_STAGES(id, ...)                                   \
  namespace zz::plugins::descriptions {                                \
  extern const zz_stage_desc __VA_ARGS__;                              \
  static constexpr auto all = addresses_of(__VA_ARGS__);               \
  }                                                                    \
  extern "C" {                                                         \
  ZZ_EXPORT extern const zz_plugin zz_plugin_v0;                       \
  }                                                                    \
  constinit const zz_plugin zz_plugin_v0 = ::zz::detail::plugin_table( \
      id, ::zz::plugins::descriptions::all.data(), ::zz::plugins::descriptions::all.size());

namespace zz::plugins {

namespace descriptions {

template <class... Descriptions>
consteval auto addresses_of(const Descriptions&... of) {
  return std::array<const zz_stage_desc*, sizeof...(of)>{&of...};
}

}  // namespace descriptions

inline zz_status status_of_core_exception(const std::exception& thrown) noexcept {
  if (dynamic_cast<const core::InputError*>(&thrown)) return ZZ_E_INVALID;
  if (dynamic_cast<const core::NoResult*>(&thrown)) return ZZ_E_NO_RESULT;
  if (dynamic_cast<const core::Interrupted*>(&thrown)) return ZZ_E_CANCELLED;
  return ZZ_OK;
}

/// A failure that proves nothing: nothing was found, which may be there.
inline Value not_found_failure(const char* text, const Value& cause = {}) noexcept {
  try {
    return make(
        nullptr,
        {{"code", int64_t{ZZ_E_NO_RESULT}}, {"message", text}, {"not_found", true}, {"cause", cause}});
  } catch (const std::exception&) {
    return {};  // the text says it, too
  }
}

/// The places in files, for programs that run the host, and what proves nothing.
inline Value failure_of_core_exception(const std::exception& thrown) noexcept {
  if (dynamic_cast<const core::NotFound*>(&thrown)) return not_found_failure(thrown.what());
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
