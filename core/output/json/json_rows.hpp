#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace zz::core {

/// Writes JSON text directly, without a tree of it in memory: an object whose members are figures or long
/// lists of short rows. Each member and each row begins a line.
///
///   JsonRows json;
///   json.member("latency").number(86244);
///   json.member("cns").open_list();
///   for (...) json.row().open().number(layer).number(sub_id).close();
///   json.close_list();
///   std::string text = std::move(json).finish();
class JsonRows {
 public:
  JsonRows& member(std::string_view name);  ///< of the outermost object; a value follows
  JsonRows& key(std::string_view name);     ///< of an object within; a value follows
  JsonRows& open_list();                    ///< of rows
  JsonRows& row();                          ///< of such a list; a value follows
  JsonRows& close_list();
  JsonRows& open();   ///< a list on one line; values follow
  JsonRows& close();  ///< of open()
  JsonRows& open_object();
  JsonRows& close_object();

  JsonRows& number(std::int64_t value);
  JsonRows& number(int value) { return number(static_cast<std::int64_t>(value)); }
  /// Without a point when it is whole. Infinity is the text "inf", what is no number null.
  JsonRows& number(double value);
  JsonRows& boolean(bool value);
  JsonRows& text(std::string_view value);
  JsonRows& raw(std::string_view json);  ///< a value that is JSON text already

  /// The whole text, with a line end. The object is used up.
  std::string finish() &&;

  /// Appends the text of number() to `out`.
  static void append(std::string& out, double value);

 private:
  void separate();

  std::string out_ = "{";
  bool first_ = true;  ///< nothing stands before the next value on its level
  bool first_member_ = true;
};

}  // namespace zz::core
