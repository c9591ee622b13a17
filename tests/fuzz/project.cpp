#include "tests/fuzz/project.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <google/protobuf/text_format.h>
#include <iterator>
#include <onnx/onnx_pb.h>
#include <sqlite3.h>
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

/// A small network on each accelerator of configs, with its mapping where it has one. Costs that are left
/// open need another pipeline: the corpus has it.
void add_accelerators(std::vector<Project>& projects, const fs::path& source_folder) {
  const fs::path configs = source_folder / "configs", accelerators = configs / "accelerators";
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(accelerators))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const std::string name = path.filename().string(), text = content_of(path);
    if (text.find("costs: auto") != text.npos) continue;
    Project& project = projects.emplace_back();
    project.name = "accelerator " + path.stem().string();
    const bool several = text.find("\ncores:") != text.npos;
    const std::string pipeline = several ? "stream.yaml" : "pipeline.yaml";
    const std::string workload = several ? "stream_workload.yaml" : "workload.yaml";
    for (const std::string& input : {pipeline, workload})
      add_file(project, source_folder / "tests/inputs" / input);
    add_file(project, path);
    const fs::path mapping = configs / "mappings" / name;
    project.files["mapping.yaml"] =
        content_of(fs::exists(mapping) ? mapping : configs / "mappings/any_unrolling.yaml");
    for (const fs::directory_entry& core : fs::directory_iterator(accelerators / "cores")) {
      const std::string file = core.path().filename().string();
      if (text.find(file) != text.npos) project.files["cores/" + file] = content_of(core.path());
    }
    project.arguments = {
        pipeline, "--set",           "accelerator=" + name, "--set", "mapping=mapping.yaml",
        "--set",  "loma_lpf_limit=4"};
  }
}

/// A store as text is changed where its facts are; changed bytes of a database are mostly SQLite's own
/// error.
constexpr std::string_view store_as_text = ".sqlite.sql";

/// Each line is a statement; one that SQLite refuses is passed over.
void make_store(const std::string& statements, const fs::path& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) == SQLITE_OK) {
    std::istringstream lines(statements);
    sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr);
    for (std::string line; std::getline(lines, line);)
      sqlite3_exec(database, line.c_str(), nullptr, nullptr, nullptr);
    sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  }
  sqlite3_close(database);
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
  add_accelerators(projects, source_folder);
  Project& archive = projects.emplace_back(Project{"archive", {"show", "two_layers.zz"}, {}});
  add_file(archive, tests / "archives/two_layers.zz");
  return projects;
}

void write_files(const Project& project, const std::string& folder) {
  for (const auto& [name, content] : project.files) {
    const fs::path path = fs::path(folder) / name;
    fs::create_directories(path.parent_path());
    if (name.ends_with(store_as_text))
      make_store(content, fs::path(folder) / name.substr(0, name.size() - 4));
    else
      std::ofstream(path, std::ios::binary) << content;
  }
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
