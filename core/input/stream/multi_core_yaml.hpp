#pragma once
#include <string>
#include <variant>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/input/yaml/form.hpp"

namespace zz::core {

/// Reads a file of one core or, when it is a map with `cores`, of several, as read_accelerator or
/// read_multi_core does.
std::variant<Accelerator, MultiCoreAccelerator> read_one_or_several_cores(
    const std::string& path, Diagnostics& diagnostics, const Files& files = Files::on_disk(),
    const Rules& rules = {});

/// Reads a multi-core accelerator. `cores` names the core files, in a list or in a map from id to file.
/// find_core_file() finds them; they are like the files of read_accelerator(), but may have memories only.
/// One of two keys joins the cores:
///
/// - `graph`, as in Stream 0.0.8: a mesh (join_mesh) or a bus (join_by_bus), with the ids of the pooling,
///   simd and off-chip cores; in a mesh `simd_bandwidth` and `simd_unit_energy_cost` are SimdLinkFigures;
/// - `core_connectivity`, as in later versions (join_pairs): lists of two ids (a link each way) or more (a
///   bus), with `bandwidth` and `unit_energy_cost` for all or for each; where two items join a pair the
///   later one counts, with a warning. The off-chip core is
///   `offchip_core_id`, or the file `offchip_core`, which is then the last core.
///
/// `core_memory_sharing`, lists of ids, goes with both.
///
/// Throws InputError with every problem of the file and of the core files.
MultiCoreAccelerator read_multi_core(const std::string& path, Diagnostics& diagnostics,
                                     const Files& files = Files::on_disk(), const Rules& rules = {});

/// The form of the file.
yaml::Form multi_core_form();

}  // namespace zz::core
