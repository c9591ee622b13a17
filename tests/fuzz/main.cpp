#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/fuzz/run.hpp"

// Runs the host over projects with mutated files and reports what users must never see (run.hpp).
// usage: zz-fuzz [--runs N] [--seed S] [--from I] [--jobs J] [--ending .onnx|.jsonl] [--project NAME]
//                [--keep FOLDER]
// First the kept projects as they are, then runs I to I + N - 1. A run follows from seed and number alone:
// `--from I --runs 1` repeats one. With --ending only files whose names end so are changed: .jsonl are the
// requests to a server, which only then are among the projects. --project takes those alone whose names
// begin so. --keep writes the files of runs that fail.

namespace {

namespace fs = std::filesystem;
using namespace zz::fuzz;

struct Settings {
  std::uint64_t runs = 2000, seed = 1, from = 0, jobs = 1;
  std::string ending, project, keep;
};

Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--runs") settings.runs = std::stoull(value);
    if (name == "--seed") settings.seed = std::stoull(value);
    if (name == "--from") settings.from = std::stoull(value);
    if (name == "--jobs") settings.jobs = std::stoull(value);
    if (name == "--ending") settings.ending = value;
    if (name == "--project") settings.project = value;
    if (name == "--keep") settings.keep = fs::absolute(value);
  }
  return settings;
}

/// Plugins that are loaded already cost the children no time.
void load_plugins() {
  for (const fs::directory_entry& entry : fs::directory_iterator(ZZ_PLUGIN_FOLDER))
    if (entry.path().extension() == ".so") ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
}

void keep(const Project& project, const fs::path& folder) {
  write_files(project, folder);
  std::ofstream run(folder / "run");
  for (const std::string& argument : project.arguments) run << argument << ' ';
}

/// Runs write thousands of small files: into memory, where there is room.
fs::path parent_folder() {
  const fs::path memory = "/dev/shm";
  std::error_code problem;
  const bool roomy = fs::space(memory, problem).available > (std::uintmax_t{64} << 20);
  if (std::getenv("TMPDIR") == nullptr && !problem && roomy && ::access(memory.c_str(), W_OK) == 0)
    return memory;
  return fs::temp_directory_path();
}

/// The runs of one of several workers. Returns how many failed.
int work(const std::vector<Project>& projects, const Settings& settings, std::uint64_t worker) {
  const fs::path folder = parent_folder() / fmt::format("zz-fuzz-{}", ::getpid());
  int failures = 0;
  const auto try_one = [&](const Project& project, const std::string& label) {
    const std::string wrong = run_project(project, folder);
    if (wrong.empty()) return;
    ++failures;
    fmt::print("{} ({}): {}\n", label, project.name, wrong);
    std::fflush(stdout);
    if (!settings.keep.empty()) keep(project, fs::path(settings.keep) / label);
  };
  for (std::size_t i = worker; i < projects.size(); i += settings.jobs)
    try_one(projects[i], projects[i].name);
  for (std::uint64_t i = settings.from + worker; i < settings.from + settings.runs; i += settings.jobs) {
    Random random(settings.seed * 1'000'000'007 + i);
    const Project& project = projects[random.below(projects.size())];
    try_one(mutated(project, settings.ending, random), fmt::format("seed-{}-run-{}", settings.seed, i));
  }
  fs::remove_all(folder);
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  std::vector<Project> projects = read_projects(ZZ_SOURCE_DIR);
  std::erase_if(projects, [&](const Project& project) {
    return !has_file(project, settings.ending) || !project.name.starts_with(settings.project) ||
           has_file(project, requests) != (settings.ending == requests);
  });
  if (projects.empty()) {
    fmt::print(stderr, "no project '{}' has a file that ends in '{}'\n", settings.project, settings.ending);
    return 2;
  }
  load_plugins();
  for (std::uint64_t worker = 1; worker < settings.jobs; ++worker)
    if (::fork() == 0) ::_exit(work(projects, settings, worker) == 0 ? 0 : 1);
  bool good = work(projects, settings, 0) == 0;
  for (int status = 0; ::wait(&status) > 0;) good = good && status == 0;
  fmt::print("{} runs with seed {} from {} on: {}\n", settings.runs, settings.seed, settings.from,
             good ? "nothing wrong" : "see above");
  return good ? 0 : 1;
}
