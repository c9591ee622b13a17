#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/input/yaml/form.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// Reads an accelerator description (ZigZag's YAML format, the one of 3.8.5 and the older one with
/// `r_bw` and `w_bw`).
///
/// Throws InputError with every problem of the file. Doubts are warnings in `diagnostics`. The accelerator
/// satisfies Accelerator::validate() and has units.
Accelerator read_accelerator(const std::string& path, Diagnostics& diagnostics,
                             const Files& files = Files::on_disk());

/// The same for a loaded document; `found` has the problems of loading it. With rules of ZigZag, ports of
/// one name in a memory become one, with a warning; else they are an error.
Accelerator read_accelerator(const yaml::Node& root, Diagnostics& found, Diagnostics& diagnostics,
                             const Rules& rules = {});

/// The same for the file of one core of several. A core may have memories only; its `dataflows` must fit
/// its array.
Accelerator read_core(const std::string& path, Diagnostics& diagnostics,
                      const Files& files = Files::on_disk(), const Rules& rules = {});

/// The same for text; `name` stands for the file in messages.
Accelerator read_accelerator_text(const std::string& text, const std::string& name,
                                  Diagnostics& diagnostics);

/// The form of the file, of an accelerator, or of a core of several, which may be without units.
yaml::Form accelerator_form(Units units);

}  // namespace zz::core
