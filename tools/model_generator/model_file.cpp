#include "tools/model_generator/model_file.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace zz::models {

void write_model(const onnx::ModelProto& model, const std::string& path) {
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  const bool written = file && model.SerializeToOstream(&file);
  file.close();
  std::error_code failure;
  if (written && file) std::filesystem::rename(unfinished, path, failure);
  if (written && file && !failure) return;
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  throw std::runtime_error(path + ": cannot be written" + (failure ? ": " + failure.message() : ""));
}

}  // namespace zz::models
