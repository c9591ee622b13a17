#pragma once
#include <string>
#include <string_view>

namespace zz::core {

/// Advice about an input of ZigZag 2, all of whose inputs are modules of Python: for messages.
inline constexpr const char* python_module_hint =
    "inputs of ZigZag 2 were modules of Python; zz reads the YAML files of ZigZag 3, and "
    "`python3 -m zz.as_zigzag.old_inputs MODULE` writes one of a module (docs/zigzag-scripts.md)";

/// "zigzag.inputs.hardware.tpu": such a module, as ZigZag 2 names it.
bool is_python_module_name(std::string_view path);

/// A text that imports something, or the content of a file that is called so ("tpu.py").
bool is_python_module(std::string_view content, std::string_view name);

}  // namespace zz::core
