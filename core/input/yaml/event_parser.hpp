#pragma once
#include <string_view>
#include <yaml.h>

namespace zz::core::yaml {

/// One event of libyaml, released with the object.
class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  yaml_event_type_t type() const { return event_.type; }
  const yaml_event_t& get() const { return event_; }

 private:
  friend class EventParser;
  yaml_event_t event_{};
};

/// What libyaml says is wrong with a text. The texts are static; lines and columns count from 0.
struct SyntaxError {
  std::string_view problem;
  std::string_view context;  ///< what was being read, "" when nothing is known
  yaml_mark_t mark{};
  yaml_mark_t context_mark{};  ///< where it began
};

/// The events of a text, which must outlive the parser. A SyntaxError is thrown.
class EventParser {
 public:
  explicit EventParser(std::string_view text);
  ~EventParser() { yaml_parser_delete(&parser_); }
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  void next(Event& event);

 private:
  std::string_view text_;
  yaml_parser_t parser_{};
};

}  // namespace zz::core::yaml
