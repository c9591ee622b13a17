#pragma once
#include <span>
#include <string>

namespace zz::core {

struct Accelerator;

/// An access costs `r_cost` or `w_cost` however wide its port is. So a sweep that varies `bandwidth_max` of
/// a port and leaves the `r_cost` of its memory alone makes wide ports cheap.
///
/// `paths` are what a sweep varies, as "accelerator.memories[l1].ports[rw_port_1].bandwidth_max". A warning
/// for the first of them that is such a one, or "". A memory of `accelerator` (null: not known) whose
/// `r_cost` is open is none: what fills it follows the width.
std::string warning_of_width_without_cost(std::span<const std::string> paths,
                                          const Accelerator* accelerator = nullptr);

/// The same sentence about a port that is told in words.
std::string width_without_cost(const std::string& width, const std::string& cost);

}  // namespace zz::core
