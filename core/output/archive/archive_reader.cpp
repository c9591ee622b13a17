#include "core/output/archive/archive_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <google/protobuf/stubs/logging.h>
#include <limits>

#include "core/diagnostics/diagnostics.hpp"
#include "core/output/archive/format.hpp"
#include "core/output/archive/unpack.hpp"
#include "core/output/archive/zz_archive.pb.h"
#include "core/value/edit.hpp"

namespace zz::core {

namespace wire = zz::archive;

class ArchiveReader::File {
 public:
  File(const std::string& path, As as) : path_(path), unpacker_(as == As::plain) {
    std::error_code problem;
    if (std::filesystem::is_directory(path, problem)) fail("this is a folder, not an archive");
    stream_.open(path, std::ios::binary);
    if (!stream_) fail(fmt::format("the archive cannot be opened: {}", std::strerror(errno)));
    read_magic();
    read_header();
  }

  bool next(Value& evaluation, Value& extra) {
    while (!ended_) {
      read_record();
      switch (record_.kind_case()) {
        case wire::Record::kShape:
          guarded([&] { unpacker_.add_shape(record_.shape()); });
          break;
        case wire::Record::kResult:
          guarded([&] {
            evaluation = unpacker_.unpack(record_.result().evaluation());
            extra = unpacker_.unpack(record_.result().extra());
          });
          ++results_;
          return true;
        case wire::Record::kClosing:
          read_end();
          break;
        default:
          damaged("it has a record of an unknown kind");
      }
    }
    return false;
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

  template <class Function>
  void guarded(Function function) const {
    try {
      function();
    } catch (const WireError& error) {
      damaged(error.what());
    } catch (const std::exception& error) {
      fail(fmt::format("result {} cannot be read: {}", results_ + 1, error.what()),
           fmt::format("the archive was written by {}", producer_));
    }
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

  void read_end() {
    if (record_.closing().results() != results_)
      damaged(fmt::format("it should have {}", record_.closing().results()));
    if (stream_.peek() != std::char_traits<char>::eof()) damaged("something follows its end");
    ended_ = true;
  }

  std::uint64_t read_length() {
    std::uint64_t length = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const int byte = stream_.get();
      if (byte == std::char_traits<char>::eof()) truncated();
      length |= (static_cast<std::uint64_t>(byte) & 0x7FU) << shift;
      if ((byte & 0x80) == 0) return length;
    }
    damaged("a record has no length");
  }

  void read_record() {
    std::uint64_t left = read_length();
    if (left > std::numeric_limits<std::int32_t>::max()) damaged("a record is too long");
    // In pieces, as a length that makes no sense must not take memory.
    constexpr std::uint64_t piece = 1 << 20;
    bytes_.clear();
    while (left > 0) {
      const std::size_t wanted = static_cast<std::size_t>(std::min(left, piece));
      const std::size_t before = bytes_.size();
      bytes_.resize(before + wanted);
      stream_.read(bytes_.data() + before, static_cast<std::streamsize>(wanted));
      if (static_cast<std::size_t>(stream_.gcount()) != wanted) truncated();
      left -= wanted;
    }
    const google::protobuf::LogSilencer silent;  // what is wrong is said by damaged()
    if (!record_.ParseFromString(bytes_)) damaged("a record cannot be read");
  }

  std::string path_;
  std::ifstream stream_;
  Unpacker unpacker_;
  std::string bytes_;
  wire::Record record_;
  std::string producer_;
  std::uint64_t results_ = 0;
  bool ended_ = false;
};

ArchiveReader::ArchiveReader(const std::string& path, As as) : file_(std::make_unique<File>(path, as)) {}
ArchiveReader::~ArchiveReader() = default;
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;

const std::string& ArchiveReader::producer() const { return file_->producer(); }
bool ArchiveReader::next(Value& evaluation, Value& extra) { return file_->next(evaluation, extra); }
std::uint64_t ArchiveReader::results() const { return file_->results(); }

bool is_archive(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string begin(archive_magic.size(), '\0');
  return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == archive_magic;
}

}  // namespace zz::core
