#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/mutate.hpp"

namespace zz::fuzz {

/// End of the name of a file with requests to a server, one on each line.
inline const std::string requests = ".jsonl";

/// Input files by name, and the command line that reads them. Requests are the standard input.
struct Project {
  std::string name;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> files;
};

/// The projects that everything is made from: tests/inputs, tests/archives and the folders of
/// tests/fuzz/corpus. A folder has files that are added to tests/inputs or replace some of them; the file
/// `run` in it holds the command line, what ends in .onnx.txt is a model as protobuf text, and what ends in
/// .sqlite.sql becomes a store of designs. The accelerators of configs make a project each. Throws
/// std::runtime_error for what cannot be read.
std::vector<Project> read_projects(const std::string& source_folder);

/// Writes the files into a folder, which is made.
void write_files(const Project& project, const std::string& folder);

/// True when the name of some file ends so.
bool has_file(const Project& project, const std::string& ending);

/// The project with one of its files whose names end in `ending` changed, now and then two. It must have
/// one. Follows from the state of `random`.
Project mutated(Project project, const std::string& ending, Random& random);

}  // namespace zz::fuzz
