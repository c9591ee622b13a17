#include "core/output/archive/archive_writer.hpp"

#include <exception>
#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <zlib.h>

#include "core/base/new_file.hpp"
#include "core/output/archive/detail/archive_format.hpp"
#include "core/output/archive/detail/result_message.hpp"
#include "core/output/archive/zz_archive.pb.h"
#include "core/value/edit.hpp"

namespace zz::core {

namespace wire = zz::archive;
namespace protobuf = google::protobuf;

namespace {

protobuf::io::GzipOutputStream::Options quickly() {
  protobuf::io::GzipOutputStream::Options options;
  options.compression_level = 1;
  return options;
}

}  // namespace

class ArchiveWriter::File {
 public:
  explicit File(const std::string& path) : path_(path), file_(path) {
    file_.write(archive_magic);
    wire::Record record;
    record.mutable_header()->set_version(archive_version);
    record.mutable_header()->set_producer("zz " ZZ_VERSION);
    append(record);
  }

  void add(const Value& evaluation, const Value& extra) {
    protobuf::Arena arena;
    auto& record = *protobuf::Arena::CreateMessage<wire::Record>(&arena);
    to_message(evaluation, extra, *record.mutable_result());
    if (const std::size_t size = record.ByteSizeLong(); size > std::numeric_limits<std::int32_t>::max())
      throw ValueError(
          ValueError::Problem::invalid,
          fmt::format("one result with all its parts takes {} bytes, more than an archive can hold", size));
    append(record);
    ++results_;
  }

  void finish() {
    close();
    file_.commit();
  }

  void finish_as(const std::string& path) {
    close();
    file_.commit_as(path);
  }

  std::uint64_t results() const { return results_; }

 private:
  void close() {
    wire::Record record;
    record.mutable_closing()->set_results(results_);
    append(record);
    const bool whole = packed_.Close();
    check(buffered_.Flush() && whole);
  }

  /// Protobuf's streams tell of failures by false: the exception waits here.
  class FileStream : public protobuf::io::CopyingOutputStream {
   public:
    explicit FileStream(NewFile& file) : file_(file) {}

    bool Write(const void* bytes, int size) override {
      try {
        file_.write(std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size)));
        return true;
      } catch (...) {
        failure_ = std::current_exception();
        return false;
      }
    }
    /// Throws what a write threw, if one did.
    void rethrow() const {
      if (failure_) std::rethrow_exception(failure_);
    }

   private:
    NewFile& file_;
    std::exception_ptr failure_;
  };

  void append(const wire::Record& record) {
    check(protobuf::util::SerializeDelimitedToZeroCopyStream(record, &packed_));
  }

  /// Throws when a stream did not take all that it was given.
  void check(bool taken) const {
    stream_.rethrow();
    if (taken) return;
    const int code = packed_.ZlibErrorCode();
    throw std::runtime_error(
        fmt::format("cannot write '{}': {}", path_,
                    code == Z_MEM_ERROR ? "out of memory" : fmt::format("zlib's error {}", code)));
  }

  std::string path_;
  NewFile file_;
  FileStream stream_{file_};
  protobuf::io::CopyingOutputStreamAdaptor buffered_{&stream_};
  protobuf::io::GzipOutputStream packed_{&buffered_, quickly()};
  std::uint64_t results_ = 0;
};

ArchiveWriter::ArchiveWriter(const std::string& path) : file_(std::make_unique<File>(path)) {}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;

void ArchiveWriter::add(const Value& evaluation, const Value& extra) { file_->add(evaluation, extra); }
void ArchiveWriter::finish() { file_->finish(); }
void ArchiveWriter::finish_as(const std::string& path) { file_->finish_as(path); }
std::uint64_t ArchiveWriter::results() const { return file_->results(); }

}  // namespace zz::core
