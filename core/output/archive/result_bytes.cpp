#include "core/output/archive/result_bytes.hpp"

#include <google/protobuf/arena.h>

#include "core/output/archive/detail/result_message.hpp"
#include "core/output/archive/zz_archive.pb.h"
#include "core/value/edit.hpp"

namespace zz::core {

std::string bytes_of_result(const Value& evaluation, const Value& extra) {
  google::protobuf::Arena arena;
  auto& message = *google::protobuf::Arena::CreateMessage<zz::archive::Result>(&arena);
  to_message(evaluation, extra, message);
  return message.SerializeAsString();
}

std::pair<Value, Value> result_of_bytes(std::string_view bytes) {
  google::protobuf::Arena arena;
  auto& message = *google::protobuf::Arena::CreateMessage<zz::archive::Result>(&arena);
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw ValueError(ValueError::Problem::invalid, "these bytes are no result of zz");
  try {
    ResultValues values = from_message(message, false);
    return {std::move(values.evaluation), std::move(values.extra)};
  } catch (const MessageError& error) {
    throw ValueError(ValueError::Problem::invalid, error.what());
  }
}

}  // namespace zz::core
