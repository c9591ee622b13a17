#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/kernel_benchmark/kernel_cases.hpp"

namespace zz::tools {

/// A piece of work that is measured.
struct Kernel {
  std::string name;  ///< "every-order/tpu_like/64x64x56x56"
  /// Does it once, from the start; the number of evaluations that it stands for.
  std::function<std::int64_t()> run;
};

/// every-order: a search of one layer with six loop factors, every order allocated and evaluated in full;
/// best-order/latency, /energy, /edp: a search of one layer with eight factors for the best
/// order, in which orders that must cost the same are scored once; spatial: the three best unrollings, of
/// several loops an array dimension, with nothing prescribed.
std::vector<Kernel> kernels(Inputs inputs);

/// Does nothing but run it: the function whose instructions callgrind counts.
std::int64_t run_measured(const Kernel& kernel);

}  // namespace zz::tools
