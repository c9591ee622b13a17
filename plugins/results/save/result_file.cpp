#include "plugins/results/save/result_file.hpp"

#include <algorithm>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {

void ResultFiles::require() const {
  if (!folder && !pattern)
    throw Error(ZZ_E_INVALID, "'dump_folder' is missing: it says where the result files go");
}

std::string ResultFiles::path(const core::Evaluation& evaluation) const {
  std::string name = "overall";
  if (evaluation.layer)
    name = evaluation.layer->name;
  else if (evaluation.schedule)
    name = "schedule";
  std::replace(name.begin(), name.end(), '/', '_');
  name += std::string("_") + kind;
  if (!pattern) {
    const bool apart = folder->empty() || folder->back() == '/';
    return (apart ? *folder : *folder + '/') + name + ".json";
  }
  std::string path;
  for (const char c : *pattern) {
    if (c == '?')
      path += name;
    else
      path += c;
  }
  return path;
}

Value ResultFiles::context(const Value& ctx) const {
  if (!folder || ctx["dump_folder"_n].str("") == *folder) return ctx;
  return with(ctx, {{"dump_folder"_n, *folder}});
}

std::shared_ptr<const core::Evaluation> saved_evaluation(const Result& result) {
  auto evaluation = object_or_null<core::Evaluation>(result.evaluation);
  if (!evaluation)
    throw Error(ZZ_E_TYPE, "only evaluations can be saved; the stage below yields something else");
  return evaluation;
}

}  // namespace zz::plugins
