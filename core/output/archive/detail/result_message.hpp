#pragma once
#include <stdexcept>

#include "core/value/value.hpp"

namespace zz::archive {
class Result;
}  // namespace zz::archive

/// Results as messages of zz_archive.proto.
namespace zz::core {

/// Fills the message. Objects that the result refers to several times stand in it once; fields that follow
/// from others are left out. Throws ValueError, naming the part, for what has no message: values inside of
/// values beyond deepest_value, keys that are not UTF-8.
void to_message(const Value& evaluation, const Value& extra, zz::archive::Result& message);

/// Values inside of values. A value takes two levels of messages, and every implementation of protobuf
/// accepts a hundred of them without being told.
inline constexpr int deepest_value = 48;

/// The message contradicts itself: it was not made by to_message().
class MessageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ResultValues {
  Value evaluation, extra;
};

/// The result in the message. Objects are made and checked as user input would be, and are shared again
/// where they were; or, when `plain`, all becomes lists and maps, whatever types and fields this build
/// knows. Throws MessageError, and ValueError or InputError for objects that are not accepted.
ResultValues from_message(const zz::archive::Result& message, bool plain);

}  // namespace zz::core
