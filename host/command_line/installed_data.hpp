#pragma once
#include <string>

namespace zz::host {

/// The folder share/zz of the tree that the executable belongs to, wherever that was moved.
std::string installed_data_folder();

}  // namespace zz::host
