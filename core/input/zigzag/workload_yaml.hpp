#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/input/yaml/form.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Reads a workload file: a list of layers, each with its equation, loops and precisions. Every layer
/// gets its entry of `mapping`.
///
/// Throws InputError with every problem of the file. Doubts are warnings in `diagnostics`.
Workload read_workload(const std::string& path, const MappingFile& mapping, const Rules& rules,
                       Diagnostics& diagnostics, const Files& files = Files::on_disk());

/// The same for text; `name` stands for the file in messages, and its stem names the workload.
Workload read_workload_text(const std::string& text, const std::string& name, const MappingFile& mapping,
                            const Rules& rules, Diagnostics& diagnostics);

/// Reads a network for several cores from a workload file, in the format of read_workload. A layer without
/// a name is called "<operator_type>_<id>"; an input without a source lies off chip, as weights do.
///
/// With rules.layer_names_lost every layer is called "<operator_type>_<id>" once its mapping entry is
/// found. With rules.unfed_operands_lost an input without a source is never fetched.
///
/// Throws InputError with every problem of the file; doubts are warnings in `diagnostics`.
Workload read_stream_workload(const std::string& path, const MappingFile& mapping, const Rules& rules,
                              Diagnostics& diagnostics, const Files& files = Files::on_disk());

/// The same for text; `name` stands for the file in messages, and its stem names the workload.
Workload read_stream_workload_text(const std::string& text, const std::string& name,
                                   const MappingFile& mapping, const Rules& rules,
                                   Diagnostics& diagnostics);

/// The form of the file.
yaml::Form workload_form();

}  // namespace zz::core
