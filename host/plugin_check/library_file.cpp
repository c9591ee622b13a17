#include <algorithm>
#include <fmt/format.h>

#include "host/plugin_check/elf_file.hpp"
#include "host/plugin_check/library_checks.hpp"
#include "zz/stage_abi.h"

namespace zz::host {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 3; ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > 3 ? fmt::format("{} and {} more", text, names.size() - 3) : text;
}

}  // namespace

bool check_library_file(const std::string& file, std::vector<Observation>& observations) {
  const auto note = [&](const char* rule, Outcome outcome, std::string seen) {
    observations.push_back({rule, outcome, "", std::move(seen)});
  };
  std::string wrong;
  const ElfFile library = read_elf_file(file, wrong);
  if (!wrong.empty()) {
    note("L9", Outcome::failed, wrong);
    return false;
  }
  std::vector<std::string> others = library.exported;
  std::erase(others, std::string(ZZ_PLUGIN_SYMBOL));
  const bool exports = others.size() < library.exported.size();
  if (!exports) {
    note("L1", Outcome::failed, "does not export " ZZ_PLUGIN_SYMBOL);
  } else if (!others.empty()) {
    note("L1", Outcome::failed, "exports more than " ZZ_PLUGIN_SYMBOL ": " + listed(others));
  } else {
    note("L1", Outcome::passed, "exports " ZZ_PLUGIN_SYMBOL " and nothing else");
  }
  if (others.empty())
    note("L6", Outcome::passed, "nothing else is visible");
  else
    note("L6", Outcome::failed, "other libraries see " + listed(others));
  if (library.never_unloaded)
    note("L4", Outcome::passed, "is linked never to be unloaded");
  else
    note("L4", Outcome::failed, "is not linked with -z nodelete");
  const bool keeps_exceptions =
      std::any_of(library.undefined.begin(), library.undefined.end(), [](const std::string& name) {
        return name.find("rethrow_exception") != std::string::npos &&
               name.find("exception_ptr") != std::string::npos;
      });
  if (!keeps_exceptions) note("F5", Outcome::passed, "does not use std::rethrow_exception");
  return exports;
}

}  // namespace zz::host
