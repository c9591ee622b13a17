#pragma once
#include <string>
#include <vector>

namespace zz::test {

/// A model that its makers published, with the keys of its config.json that say something about sizes, and
/// the number of its parameters as it was published: of the weights that can be downloaded.
struct PublicModel {
  std::string name;
  std::string config;
  double parameters;
};

const std::vector<PublicModel>& public_models();

}  // namespace zz::test
