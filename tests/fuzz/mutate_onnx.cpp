#include <array>
#include <google/protobuf/message.h>
#include <onnx/onnx_pb.h>
#include <vector>

#include "tests/fuzz/mutate.hpp"

namespace zz::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::array<std::int64_t, 16> odd_integers{0,
                                                    1,
                                                    -1,
                                                    2,
                                                    3,
                                                    7,
                                                    16,
                                                    1000,
                                                    -2,
                                                    2147483647,
                                                    2147483648,
                                                    std::int64_t{1} << 40,
                                                    std::int64_t{1} << 53,
                                                    INT64_MAX,
                                                    INT64_MIN,
                                                    5};
const std::array odd_operators{"Shape",
                               "EyeLike",
                               "Reshape",
                               "Conv",
                               "MatMul",
                               "Gemm",
                               "Add",
                               "Concat",
                               "Flatten",
                               "Transpose",
                               "Gather",
                               "MaxPool",
                               "Resize",
                               "Split",
                               "Slice",
                               "Pad",
                               "Expand",
                               "ConstantOfShape",
                               "Loop",
                               "If",
                               "Scan",
                               "Squeeze",
                               "Unsqueeze",
                               "DepthToSpace",
                               "OneHot",
                               "Range",
                               "Tile",
                               "TopK",
                               "Cast",
                               "Constant",
                               "SpaceToDepth",
                               "ConvTranspose",
                               "GlobalAveragePool",
                               "QLinearConv",
                               "Einsum",
                               "NonZero",
                               "Upsample",
                               "BatchNormalization",
                               "Softmax",
                               "Identity",
                               "MatMulInteger",
                               "QLinearMatMul",
                               "LSTM",
                               "GRU",
                               "Attention",
                               "GroupQueryAttention",
                               "MultiHeadAttention",
                               "MatMulNBits",
                               "QMoE",
                               "DequantizeLinear",
                               "QuantizeLinear",
                               "DeformConv",
                               "x"};

/// All messages within one, itself first.
void list_messages(Message& message, std::vector<Message*>& all) {
  all.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      list_messages(*reflection.MutableMessage(&message, field), all);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i)
      list_messages(*reflection.MutableRepeatedMessage(&message, field, i), all);
  }
}

/// A text that stands somewhere in the model: names must meet to mean something.
std::string some_name(const std::vector<Message*>& all, Random& random) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const auto* const node = dynamic_cast<const onnx::NodeProto*>(all[random.below(all.size())]);
    if (node == nullptr || node->input_size() + node->output_size() == 0) continue;
    const auto at =
        static_cast<int>(random.below(static_cast<std::size_t>(node->input_size() + node->output_size())));
    return at < node->input_size() ? node->input(at) : node->output(at - node->input_size());
  }
  return random.one_in(2) ? "" : "x";
}

void set_value(Message& message, const FieldDescriptor& field, const std::vector<Message*>& all,
               Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const std::int64_t number = odd_integers[random.below(odd_integers.size())];
  const bool add = field.is_repeated() && (reflection.FieldSize(message, &field) == 0 || random.one_in(4));
  const int at =
      !field.is_repeated() || add
          ? -1
          : static_cast<int>(random.below(static_cast<std::size_t>(reflection.FieldSize(message, &field))));
  const auto put = [&](auto set, auto set_at, auto append, auto value) {
    if (!field.is_repeated())
      (reflection.*set)(&message, &field, value);
    else if (add)
      (reflection.*append)(&message, &field, value);
    else
      (reflection.*set_at)(&message, &field, at, value);
  };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      put(&Reflection::SetInt64, &Reflection::SetRepeatedInt64, &Reflection::AddInt64, number);
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      put(&Reflection::SetInt32, &Reflection::SetRepeatedInt32, &Reflection::AddInt32,
          static_cast<std::int32_t>(number));
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      put(&Reflection::SetUInt64, &Reflection::SetRepeatedUInt64, &Reflection::AddUInt64,
          static_cast<std::uint64_t>(number));
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
      put(&Reflection::SetFloat, &Reflection::SetRepeatedFloat, &Reflection::AddFloat,
          static_cast<float>(number) / 0.0F);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      put(&Reflection::SetEnumValue, &Reflection::SetRepeatedEnumValue, &Reflection::AddEnumValue,
          static_cast<int>(random.below(24)));
      break;
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text = field.name() == "op_type" ? odd_operators[random.below(odd_operators.size())]
                                                   : some_name(all, random);
      if (random.one_in(12)) text = mutated_bytes(text, random);
      if (!field.is_repeated())
        reflection.SetString(&message, &field, text);
      else if (add)
        reflection.AddString(&message, &field, text);
      else
        reflection.SetRepeatedString(&message, &field, at, text);
      break;
    }
    default:
      break;
  }
}

void change_message(Message& model, Random& random) {
  std::vector<Message*> all;
  list_messages(model, all);
  Message& message = *all[random.below(all.size())];
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  if (random.one_in(10) || fields.empty()) {  // a field that is not there yet
    const auto& descriptor = *message.GetDescriptor();
    set_value(message,
              *descriptor.field(
                  static_cast<int>(random.below(static_cast<std::size_t>(descriptor.field_count())))),
              all, random);
    return;
  }
  const FieldDescriptor& field = *fields[random.below(fields.size())];
  const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 0;
  const auto some = [&] { return static_cast<int>(random.below(static_cast<std::size_t>(count))); };
  switch (random.below(8)) {
    case 0:
      if (count > 0)
        reflection.RemoveLast(&message, &field);
      else
        reflection.ClearField(&message, &field);
      break;
    case 1:
      if (count > 1) reflection.SwapElements(&message, &field, some(), some());
      break;
    case 2:
      if (count > 0 && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        const int from = some();
        Message& added = *reflection.AddMessage(&message, &field);
        added.CopyFrom(reflection.GetRepeatedMessage(message, &field, from));
      }
      break;
    case 3:
      reflection.ClearField(&message, &field);
      break;
    default:
      set_value(message, field, all, random);
      break;
  }
}

}  // namespace

std::string mutated_onnx(const std::string& bytes, Random& random) {
  onnx::ModelProto model;
  if (random.one_in(8) || !model.ParsePartialFromString(bytes)) return mutated_bytes(bytes, random);
  for (std::size_t change = 0; change <= random.below(4); ++change) change_message(model, random);
  return model.SerializePartialAsString();
}

}  // namespace zz::fuzz
