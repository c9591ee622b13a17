// zz-make-models OUTDIR [name...]: writes the project's example networks as ONNX files.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "tools/model_generator/model_catalogue.hpp"
#include "tools/model_generator/model_file.hpp"

namespace {

constexpr int usage_error = 2;

void print_usage(std::FILE* stream) {
  fmt::print(
      stream,
      "usage: zz-make-models OUTDIR [NAME...]\n"
      "Writes networks as ONNX files (topology and shapes, no weights); all of them without NAME.\n");
  for (const auto& entry : zz::models::catalogue())
    fmt::print(stream, "  {:20} {}\n", entry.name, entry.summary);
}

const zz::models::CatalogueEntry* find(const std::string& name) {
  const auto& entries = zz::models::catalogue();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<const zz::models::CatalogueEntry*> chosen;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    chosen.push_back(find(arguments[i]));
    if (chosen.back() != nullptr) continue;
    fmt::print(stderr, "zz-make-models: there is no network '{}'\n", arguments[i]);
    print_usage(stderr);
    return usage_error;
  }
  if (chosen.empty()) {
    for (const auto& entry : zz::models::catalogue()) chosen.push_back(&entry);
  }
  const std::filesystem::path folder = arguments[0];
  std::filesystem::create_directories(folder);
  for (const auto* entry : chosen) {
    const std::string path = (folder / (entry->name + ".onnx")).string();
    zz::models::write_model(entry->make(), path);
    fmt::print("{}\n", path);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool help = std::any_of(arguments.begin(), arguments.end(),
                                [](const std::string& text) { return text == "-h" || text == "--help"; });
  if (help) {
    print_usage(stdout);
    return 0;
  }
  if (arguments.empty() || arguments[0].empty() || arguments[0][0] == '-') {
    print_usage(stderr);
    return usage_error;
  }
  try {
    return run(arguments);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "zz-make-models: {}\n", failure.what());
    return 1;
  }
}
