#pragma once
#include <stdexcept>
#include <string>

namespace zz::host {

/// The names that a new plugin goes by, made from the one that the user gave: "ParetoFront", "pareto-front"
/// and "pareto_front" mean the same.
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

/// Throws NewPluginError for what cannot be the name of a class and a file.
PluginNames plugin_names(const std::string& given);

/// Copies the installed template to `folder`, under the new names. The folder appears whole or not at all;
/// one that is there already is left alone. Throws NewPluginError.
void write_new_plugin(const PluginNames& names, PluginLanguage language, const std::string& folder);

}  // namespace zz::host
