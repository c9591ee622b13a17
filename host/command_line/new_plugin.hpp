#pragma once
#include <stdexcept>
#include <string>

namespace zz::host {

/// The names of a new plugin. They are made of the user's name: "ParetoFront", "pareto-front" and
/// "pareto_front" give the same.
struct PluginNames {
  std::string plugin;  ///< "pareto_front": the library, and the ids
  std::string stage;   ///< "ParetoFrontStage"
  std::string file;    ///< "pareto_front_stage": the source, without its ending
};

enum class PluginLanguage { cpp, c, rust };

/// A plugin cannot be made; what() says why.
class NewPluginError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws NewPluginError when `given` cannot name a class and a file.
PluginNames plugin_names(const std::string& given);

/// Copies the installed template to the folder `path`, with the new names. The folder appears whole or not
/// at all. Throws NewPluginError, also when `path` exists.
void write_new_plugin(const PluginNames& names, PluginLanguage language, const std::string& path);

}  // namespace zz::host
