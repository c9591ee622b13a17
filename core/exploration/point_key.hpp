#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/store/content_key.hpp"

namespace zz::core {

/// Everything that figures follow from in a chain of stages. [any]
class ChainContent {
 public:
  ChainContent() = default;
  /// `description`: as zz_nested.describe tells the chain.
  explicit ChainContent(nlohmann::json description);

  /// The description without what makes no difference: folders for files, stores, the names of input files
  /// (their contents count), how the word of an objective is written, and what is read of the context.
  const std::string& text() const { return text_; }
  /// True when a stage may read the object that a context has under this key.
  bool reads(const std::string& key) const { return reads_all_ || objects_.contains(key); }

 private:
  void leave_what_counts(nlohmann::json& stages);

  std::string text_;
  std::set<std::string> objects_;
  bool reads_all_ = false;
};

/// The key under which a store keeps what is found of a point: a chain over the objects that stages above
/// hand down. The point is the same whether a design space, a sweep or another pipeline has it.
///
/// `objects`: by their key in the context, digest_of() their JSON. Those that the chain does not read make
/// no difference. `manner`: where a point's figures are not those of one run of the chain, whose they are.
/// [any]
ContentKey point_key(const ChainContent& chain, const std::map<std::string, std::string>& objects,
                     const std::string& manner = "");

}  // namespace zz::core
