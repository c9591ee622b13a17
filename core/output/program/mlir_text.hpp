#pragma once
#include <string>

#include "core/output/program/layer_program.hpp"

namespace zz::core {

/// The layer as a function of MLIR (dialects func, scf, affine, arith and memref) that computes it by its
/// mapping and counts what it moves:
///
///     // zz: {"moved": [{"operand": "W", "memory": "buffer", "direction": "rd_out_to_low", ...}, ...]}
///     func.func @layer(O, first input, second input, moved)
///
/// Tensors are memrefs of i32 without padding, O and `moved` filled with zeros by the caller; `moved` has a
/// counter of i64 for each entry of the first line. A counter counts words of the port's bandwidth_min,
/// each portion rounded up; accesses are floor(counter / words_by + unexecuted), where `unexecuted` and its
/// cause `because` (MoveCause) are told if the accesses are others than those executed.
///
/// Each memory below the topmost one has a buffer of the size of its tile in each of its instances, twice
/// where it has room for a second one, addressed by the tile's own coordinates. Data are copied where the
/// mapping cuts the loops of their operand: what a memory gives to several instances below is read once,
/// onto a bus. Elements are i32 whatever their bits, which decide on the words only.
///
/// Throws InputError where tensors and buffers together take more than 2 GB.
std::string mlir_text(const LayerProgram& program);

/// A name of a file as a word of MLIR: letters and digits, and "_" for all others.
std::string mlir_word(std::string name);

}  // namespace zz::core
