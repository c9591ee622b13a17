#include "core/output/archive/archive.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <zlib.h>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/base/new_file.hpp"
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

class ArchiveReader::File {
 public:
  File(const std::string& path, As as, const Files& files) : path_(path), plain_(as == As::plain) {
    files.check(path, std::numeric_limits<std::uintmax_t>::max(), "an archive");
    stream_.open(path, std::ios::binary);
    if (!stream_) fail(fmt::format("the archive cannot be opened: {}", std::strerror(errno)));
    read_magic();
    read_header();
  }

  bool next(Value& evaluation, Value& extra) {
    if (ended_) return false;
    read_record();
    switch (record_.kind_case()) {
      case wire::Record::kResult:
        read_result(evaluation, extra);
        return true;
      case wire::Record::kClosing:
        read_end();
        return false;
      default:
        damaged("it has a record of an unknown kind");
    }
  }

  const std::string& producer() const { return producer_; }
  std::uint64_t results() const { return results_; }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint = "") const {
    throw InputError({Diagnostic{Severity::error, {path_, 0, 0}, message, hint}});
  }
  [[noreturn]] void truncated() const {
    fail(fmt::format("the archive was cut off after {} complete results", results_),
         "write it again, or copy it again from where it is complete");
  }
  [[noreturn]] void damaged(const std::string& what) const {
    fail(fmt::format("the archive is damaged after {} results: {}", results_, what));
  }

  void read_magic() {
    std::string begin(archive_magic.size(), '\0');
    stream_.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<std::size_t>(stream_.gcount()));
    if (begin == archive_magic) return;
    if (begin.empty()) fail("the file is empty, not an archive");
    if (archive_magic.starts_with(begin)) truncated();
    if (begin.starts_with(archive_magic.substr(0, 4)))
      fail("the archive was changed as if it were text", "copy it again, as binary");
    fail("this is not an archive of zz");
  }

  void read_header() {
    read_record();
    if (record_.kind_case() != wire::Record::kHeader) damaged("it does not begin with a header");
    producer_ = record_.header().producer();
    const std::uint32_t version = record_.header().version();
    if (version > archive_version) {
      fail(fmt::format("the archive is of version {}, written by {}; this zz reads up to version {}",
                       version, producer_, archive_version),
           "read it with a newer zz");
    }
    if (version == 0) damaged("its header has no version");
  }

  void read_result(Value& evaluation, Value& extra) {
    try {
      ResultValues values = from_message(record_.result(), plain_);
      evaluation = std::move(values.evaluation);
      extra = std::move(values.extra);
    } catch (const MessageError& error) {
      damaged(error.what());
    } catch (const std::exception& error) {
      fail(fmt::format("result {} cannot be read: {}", results_ + 1, error.what()),
           fmt::format("the archive was written by {}", producer_));
    }
    ++results_;
  }

  void read_end() {
    if (record_.closing().results() != results_)
      damaged(fmt::format("it should have {}", record_.closing().results()));
    if (!at_end() || unpacking_failed()) damaged("something follows its end, or its checksum is wrong");
    if (!has_length_of_content()) truncated();
    ended_ = true;
  }

  void read_record() {
    const protobuf::LogSilencer silent;  // the problem is told below
    record_.Clear();                     // parsing adds to what is there
    if (protobuf::util::ParseDelimitedFromZeroCopyStream(&record_, &unpacked_, nullptr)) return;
    if (unpacking_failed()) damaged("it cannot be unpacked");
    if (at_end()) truncated();
    damaged("a record cannot be read");
  }

  /// GzipInputStream also gives empty blocks: one where the last bytes of a file, which unpack to nothing,
  /// are read by themselves, and then any where more bytes follow.
  bool at_end() {
    const void* bytes = nullptr;
    int size = 0;
    for (;;) {
      const bool was_whole = unpacked_.ZlibErrorCode() == Z_STREAM_END;
      if (!unpacked_.Next(&bytes, &size)) return true;
      if (size > 0 || was_whole) return false;
    }
  }
  bool unpacking_failed() const {
    const int code = unpacked_.ZlibErrorCode();
    return code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
  }
  /// Gzip's last four bytes are the length of the content. GzipInputStream does not miss them.
  bool has_length_of_content() {
    std::array<unsigned char, 4> bytes{};
    stream_.clear();
    stream_.seekg(-static_cast<int>(bytes.size()), std::ios::end);
    stream_.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    std::uint32_t length = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) length = length << 8 | bytes[i];
    return length == static_cast<std::uint32_t>(unpacked_.ByteCount());
  }

  std::string path_;
  bool plain_;
  std::ifstream stream_;
  protobuf::io::IstreamInputStream packed_{&stream_};
  protobuf::io::GzipInputStream unpacked_{&packed_};
  wire::Record record_;
  std::string producer_;
  std::uint64_t results_ = 0;
  bool ended_ = false;
};

ArchiveReader::ArchiveReader(const std::string& path, As as, const Files& files)
    : file_(std::make_unique<File>(path, as, files)) {}
ArchiveReader::~ArchiveReader() = default;
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;

const std::string& ArchiveReader::producer() const { return file_->producer(); }
bool ArchiveReader::next(Value& evaluation, Value& extra) { return file_->next(evaluation, extra); }
std::uint64_t ArchiveReader::results() const { return file_->results(); }

bool is_archive(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream stream(path, std::ios::binary);
  std::string begin(archive_magic.size(), '\0');
  return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == archive_magic;
}

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
