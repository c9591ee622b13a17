#pragma once
#include <string>

#include "core/cost/evaluation.hpp"
#include "core/output/program/layer_program.hpp"
#include "core/workload/layer.hpp"

/// Texts of a mapped layer for compilers and other tools. `program` is that of the layer or evaluation
/// beside it. [any thread]
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
/// onto a bus. Elements are i32 whatever their bits, which decide on the words only; so do the scales of
/// blocks, of which those that begin in a portion are counted with it, and none is stored.
///
/// Throws InputError where tensors and buffers together take more than 2 GB.
std::string mlir_text(const LayerProgram& program);

/// The layer as one operation of MLIR's linalg dialect, and a script of the transform dialect that tiles it
/// as its mapping does: a loop for each temporal loop, in their order, and each operand promoted into a
/// buffer where the mapping cuts the loops for it. The operation is a named one where the layer is a
/// product, a batched product or a convolution of two dimensions, else a generic one.
///
/// The first lines say, one each, what the script does not carry. Inputs are with their padding.
/// `mlir-opt --transform-interpreter` applies it.
std::string transform_text(const LayerProgram& program);

/// The mapping of a layer as one of Timeloop 0.4: by memory, from the innermost one, the factors and the
/// order of its loops in time, and of those over the units below it. The memories have the names of the
/// accelerator; TimeloopStage reads the file (`timeloop_mapping`).
///
/// Timeloop has one loop of each dimension at a memory, and cuts all operands alike. What a mapping has
/// beyond that stands in the first lines, one each.
std::string timeloop_text(const LayerProgram& program, const Evaluation& evaluation);

/// The tiles and orders of a layer as JSON for compilers, level by level from the outermost one. A level
/// begins where some operand is cut; docs/compilers.md has the keys.
std::string tile_levels_json(const LayerProgram& program, const Layer& layer);

/// A name of a file as a word of MLIR: letters and digits, and "_" for all others.
std::string mlir_word(std::string name);

}  // namespace zz::core
