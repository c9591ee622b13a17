#pragma once
#include <string>

namespace zz::core {

/// The local time in a form that names of files can have: "2026-11-29T08-43-21.123456".
std::string time_stamp();

}  // namespace zz::core
