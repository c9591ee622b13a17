#include "core/output/archive/archive_writer.hpp"

#include <limits>
#include <string_view>
#include <vector>

#include "core/files/new_file.hpp"
#include "core/output/archive/format.hpp"
#include "core/output/archive/pack.hpp"
#include "core/output/archive/wire_bytes.hpp"
#include "core/output/archive/zz_archive.pb.h"
#include "core/value/edit.hpp"

namespace zz::core {

namespace wire = zz::archive;

class ArchiveWriter::File {
 public:
  explicit File(const std::string& path) : file_(path) {
    buffer_.append(archive_magic);
    wire::Record record;
    record.mutable_header()->set_version(archive_version);
    record.mutable_header()->set_producer("zz " ZZ_VERSION);
    append(record);
  }

  void add(const Value& evaluation, const Value& extra) {
    std::vector<wire::Shape> shapes;
    bytes_.clear();
    bytes_.nested(wire::Record::kResultFieldNumber, [&] {
      bytes_.nested(wire::Result::kEvaluationFieldNumber,
                    [&] { packer_.pack(evaluation, bytes_, shapes); });
      bytes_.nested(wire::Result::kExtraFieldNumber, [&] { packer_.pack(extra, bytes_, shapes); });
    });
    for (wire::Shape& shape : shapes) {
      wire::Record definition;
      *definition.mutable_shape() = std::move(shape);
      append(definition);
    }
    append(bytes_.view());
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
  static constexpr std::size_t flushed_at = 64 * 1024;

  void append(const wire::Record& record) { append(record.SerializeAsString()); }
  void append(std::string_view record) {
    if (record.size() > std::numeric_limits<std::int32_t>::max())
      throw ValueError(ValueError::Problem::invalid, "one result with all its parts takes " +
                                                         std::to_string(record.size()) +
                                                         " bytes, more than an archive can hold");
    buffer_.raw_varint(record.size());
    buffer_.append(record);
  }
  void flush() {
    file_.write(buffer_.view());
    buffer_.clear();
  }

  NewFile file_;
  Packer packer_;
  WireBytes bytes_;  ///< of the result in work
  WireBytes buffer_;
  std::uint64_t results_ = 0;
};

ArchiveWriter::ArchiveWriter(const std::string& path) : file_(std::make_unique<File>(path)) {}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;

void ArchiveWriter::add(const Value& evaluation, const Value& extra) { file_->add(evaluation, extra); }
void ArchiveWriter::finish() { file_->finish(); }
std::uint64_t ArchiveWriter::results() const { return file_->results(); }

}  // namespace zz::core
