#include "core/archive/archive_writer.hpp"

#include <array>
#include <cstddef>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <limits>
#include <vector>

#include "core/archive/format.hpp"
#include "core/archive/pack.hpp"
#include "core/archive/zz_archive.pb.h"
#include "core/files/new_file.hpp"
#include "core/value/edit.hpp"

namespace zz::core {

namespace wire = zz::archive;

class ArchiveWriter::File {
 public:
  explicit File(const std::string& path) : file_(path) {
    buffer_ = archive_magic;
    wire::Record record;
    record.mutable_header()->set_version(archive_version);
    record.mutable_header()->set_producer("zz " ZZ_VERSION);
    append(record);
  }

  void add(const Value& evaluation, const Value& extra) {
    // The thousands of small parts of a message are made in one piece of memory and never freed one by one.
    google::protobuf::ArenaOptions memory;
    memory.initial_block = first_block_.data();
    memory.initial_block_size = first_block_.size();
    google::protobuf::Arena arena(memory);
    auto& record = *google::protobuf::Arena::CreateMessage<wire::Record>(&arena);
    std::vector<wire::Shape> shapes;
    wire::Result& result = *record.mutable_result();
    packer_.pack(evaluation, *result.mutable_evaluation(), shapes);
    packer_.pack(extra, *result.mutable_extra(), shapes);
    for (wire::Shape& shape : shapes) {
      wire::Record definition;
      *definition.mutable_shape() = std::move(shape);
      append(definition);
    }
    append(record);
    ++results_;
    if (buffer_.size() >= flushed_at) flush();
  }

  void finish() {
    wire::Record record;
    record.mutable_closing()->set_results(results_);
    append(record);
    flush();
    file_.commit();
  }

  std::uint64_t results() const { return results_; }

 private:
  static constexpr std::size_t flushed_at = 256 * 1024;

  void append(const wire::Record& record) {
    namespace io = google::protobuf::io;
    const std::size_t size = record.ByteSizeLong();
    if (size > std::numeric_limits<std::int32_t>::max())
      throw ValueError(ValueError::Problem::invalid, "one result with all its parts takes " +
                                                         std::to_string(size) +
                                                         " bytes, more than an archive can hold");
    io::StringOutputStream bytes(&buffer_);
    io::CodedOutputStream coded(&bytes);
    coded.SetSerializationDeterministic(true);
    coded.WriteVarint64(size);
    record.SerializeWithCachedSizes(&coded);
  }
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

  NewFile file_;
  Packer packer_;
  alignas(std::max_align_t) std::array<char, 64 * 1024> first_block_;
  std::string buffer_;
  std::uint64_t results_ = 0;
};

ArchiveWriter::ArchiveWriter(const std::string& path) : file_(std::make_unique<File>(path)) {}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;

void ArchiveWriter::add(const Value& evaluation, const Value& extra) { file_->add(evaluation, extra); }
void ArchiveWriter::finish() { file_->finish(); }
std::uint64_t ArchiveWriter::results() const { return file_->results(); }

}  // namespace zz::core
