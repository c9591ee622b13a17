#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// Which code may be loaded because a pipeline names it: the libraries of its `plugins:`, and the Python
/// files of its stages. Plugins that the user names, and those of the search path, are not asked for.
struct AllowedCode {
  bool everything = true;              ///< as for a run
  std::vector<std::string> folders{};  ///< else the code in these, at any depth
  std::string hint{};                  ///< the user's way to allow more

  /// The file is followed to where it really is.
  bool allows(const std::string& file) const;
};

/// From now on stages of this process start programs in these folders only, at any depth: for a program
/// that serves others. `hint`: how the user allows more. [main, before any run]
void start_programs_only_below(std::vector<std::string> folders, const std::string& hint);

/// Throws core::InputError for a program that no stage may start: one that is not allowed, and one that
/// others could change. A name without '/' is looked up in PATH, as the system does. `folder`: in which
/// it is started; "" for that of this process. [any]
void check_may_start(const std::string& program, const std::string& folder);

/// The user's configuration file: "zz/config.yaml" in XDG_CONFIG_HOME, else in ~/.config. "" when there is
/// no such folder, or when the process has raised privileges.
std::string user_configuration_file();

/// `trusted_folders` of that file: absolute paths, "~/" being the user's home. None without a file. Throws
/// core::InputError for a file that others may write, and for one that is not as docs/user-guide.md says.
std::vector<std::string> trusted_folders();

}  // namespace zz::host
