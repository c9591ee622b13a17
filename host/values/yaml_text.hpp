#pragma once
#include <string>

#include "core/value/value.hpp"

namespace zz::host {

/// A value as YAML on one line, which reads back as the same value. Texts are in quotes; numbers have the
/// form that makes them numbers in YAML 1.1.
std::string yaml_text(core::Ref value);

}  // namespace zz::host
