#pragma once
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zz::host {

/// JSON trees of which many are alike, in few bytes: what stands where is kept once for all trees that have
/// the same keys and kinds of values, and so is each text. A number, or the place of a text, takes 8 bytes.
class JsonTrees {
 public:
  void add(const nlohmann::ordered_json& tree);
  std::size_t size() const { return trees_.size(); }
  /// The `index`th that was added, as it was.
  nlohmann::ordered_json at(std::size_t index) const;

 private:
  /// A set of texts, each with its number.
  class Texts {
   public:
    std::uint32_t number_of(std::string_view text);
    const std::string& text(std::uint64_t number) const { return texts_[number]; }

   private:
    std::deque<std::string> texts_;  ///< whose places stay
    std::unordered_map<std::string_view, std::uint32_t> numbers_;
  };
  struct Tree {
    std::uint32_t shape;
    std::uint64_t first;  ///< of its values
  };

  void take_apart(const nlohmann::ordered_json& node, std::string& shape);
  nlohmann::ordered_json put_together(std::string_view& shape, std::uint64_t& next) const;

  Texts shapes_, texts_;
  std::deque<std::uint64_t> values_;  ///< numbers bit by bit, and numbers of texts
  std::deque<Tree> trees_;
};

}  // namespace zz::host
