#include "tests/fuzz/project.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <google/protobuf/text_format.h>
#include <iterator>
#include <onnx/onnx_pb.h>
#include <sstream>
#include <stdexcept>

namespace zz::fuzz {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void add_file(Project& project, const fs::path& path) {
  std::string name = path.filename().string(), content = content_of(path);
  constexpr std::string_view text_model = ".onnx.txt";
  if (name.ends_with(text_model)) {
    onnx::ModelProto model;
    if (!google::protobuf::TextFormat::ParseFromString(content, &model))
      throw std::runtime_error(path.string() + " is no ONNX model as text");
    name.resize(name.size() - 4);
    content = model.SerializeAsString();
  }
  project.files[name] = std::move(content);
}

void add_files(Project& project, const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != "run") add_file(project, entry.path());
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

std::vector<Project> read_projects(const std::string& source_folder) {
  const fs::path tests = fs::path(source_folder) / "tests";
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(tests / "fuzz/corpus"))
    if (entry.is_directory()) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<Project> projects;
  for (const fs::path& folder : folders) {
    Project& project = projects.emplace_back();
    project.name = folder.filename().string();
    add_files(project, tests / "inputs");
    add_files(project, folder);
    project.arguments = words_of(content_of(folder / "run"));
  }
  Project& archive = projects.emplace_back(Project{"archive", {"show", "two_layers.zz"}, {}});
  add_file(archive, tests / "archives/two_layers.zz");
  return projects;
}

bool has_file(const Project& project, const std::string& ending) {
  return std::any_of(project.files.begin(), project.files.end(),
                     [&](const auto& file) { return file.first.ends_with(ending); });
}

Project mutated(Project project, const std::string& ending, Random& random) {
  std::vector<std::string> names;
  for (const auto& [name, content] : project.files)
    if (name.ends_with(ending)) names.push_back(name);
  for (std::size_t change = 0; change <= (random.one_in(4) ? 1 : 0); ++change) {
    const std::string& name = names[random.below(names.size())];
    std::string& content = project.files[name];
    content = name.ends_with(".onnx") ? mutated_onnx(content, random)
              : name.ends_with(".zz") ? mutated_gzip(content, random)
                                      : mutated_yaml(content, random);
  }
  return project;
}

}  // namespace zz::fuzz
