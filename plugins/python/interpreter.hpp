#pragma once

namespace zz::plugins {

/// The capsule of that name ("package.module.attribute") in the interpreter that zz was imported into, else
/// in one that this starts in the process, and that lives as long as the process. Throws std::runtime_error
/// with what to do when there is no Python, or when the package does not import. [main]
const void* python_capsule(const char* name);

}  // namespace zz::plugins
