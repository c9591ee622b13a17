#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "core/base/new_file.hpp"
#include "core/store/result_store.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/serve/server.hpp"

namespace zz::host {
namespace {

struct ServeOptions {
  std::string folder;
  std::vector<std::string> code_folders;
  std::string store;
};

int run_serve(const Options& options) {
  const auto& own = options.own<ServeOptions>();
  const LogLevel level = options.verbose ? LogLevel::debug
                         : options.quiet ? LogLevel::warning
                                         : LogLevel::info;
  const auto located = [](std::vector<std::string> paths) {
    for (std::string& path : paths) path = std::filesystem::absolute(path).string();
    return paths;
  };
  SessionOptions session{.plugins = located(options.plugins),
                         .plugin_paths = located(options.plugin_paths),
                         .code_folders = located(own.code_folders),
                         .threads = options.threads,
                         .store = own.store.empty() ? "" : located({own.store}).front()};
  if (!own.folder.empty()) {
    std::error_code problem;
    std::filesystem::current_path(own.folder, problem);
    if (problem)
      throw UsageError(fmt::format("--folder: cannot work in '{}': {}", own.folder, problem.message()));
  }
  // Else the next file that is opened would take its place.
  for (const auto& [file, name] : {std::pair{STDIN_FILENO, "input"}, std::pair{STDOUT_FILENO, "output"}})
    if (::fcntl(file, F_GETFD) < 0)
      throw UsageError(
          fmt::format("a server talks through standard input and output; its {} is closed", name));
  core::write_only_below(std::filesystem::current_path().string());
  start_programs_only_below(session.code_folders, SessionOptions::code_hint);
  // It is told before the first request if the store cannot be used.
  if (!session.store.empty()) core::ResultStore(session.store, core::ResultStore::Access::write);
  Server server(std::move(session), level);
  return static_cast<int>(server.serve(STDIN_FILENO));
}

void declare_serve(OptionList& list, Options& given) {
  auto& own = given.own<ServeOptions>();
  list.add("folder", "DIR", own.folder,
           "work in this folder, and write files only below it; default: the working folder", folders());
  list.add("allow-code", "DIR", own.code_folders,
           "load plugins and Python files of this folder when pipelines name them; repeatable", folders());
  list.add("store", "FILE", own.store,
           "find mappings of layers in this file, where a pipeline names none, and keep them for later "
           "servers; below the folder");
  list.add("jobs,j", "N", given.threads, "threads that runs may use; 0: all there are");
  list.add("quiet,q", given.quiet, "only warnings and errors as messages");
}

}  // namespace

const Verb serve_verb(
    "serve", "", "answer the requests of a program or an assistant: JSON-RPC and MCP over stdin and stdout",
    "", 0, 0, run_serve, declare_serve, [](Options& given) {
      const auto& own = given.own<ServeOptions>();
      check_folders("allow-code", own.code_folders);
      if (core::ResultStore::is_on_server(own.store))
        throw UsageError(
            "--store: a server keeps what it finds in a file, and connects to no other server");
    });

}  // namespace zz::host
