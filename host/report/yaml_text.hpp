#pragma once
#include <string>

#include "core/value/value.hpp"

namespace zz::host {

/// A value as YAML on one line, which reads back as the same value: texts in quotes, numbers with the
/// digits and the form that make them numbers by the rules of YAML 1.1.
std::string yaml_text(core::Ref value);

}  // namespace zz::host
