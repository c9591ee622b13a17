#pragma once
#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Agreement of a stage that needs the costs of thousands of nodes with the stages that find them: where
/// the context has `asked`, a stage that proves mappings best may hand down one that it finds quickly. The
/// evaluation then has both floors as metrics; without them it is the whole answer.
namespace first_answers {
inline constexpr const char* asked = "first_answer";
/// pJ, and cycles until the units have finished: no mapping that the whole answer may be has less.
inline constexpr const char* least_energy = "first_answer_least_energy";
inline constexpr const char* least_runtime = "first_answer_least_runtime";

inline constexpr Port port =
    zz::port(asked, ZZ_BOOL, "true: a mapping that is found quickly will do, with what none is below")
        .optional();

inline bool are_asked(const Value& ctx) {
  const Ref given = ctx[Name(asked)];
  return given.boolean(false);
}
}  // namespace first_answers

}  // namespace zz::plugins
