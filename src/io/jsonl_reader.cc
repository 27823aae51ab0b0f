#include "io/jsonl_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "io/byte_source.h"

namespace sglrun::io {
namespace {

constexpr std::size_t kReadChunk = std::size_t{256} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

class LineReader : public JsonlReader {
 public:
  LineReader(std::vector<std::string> inputs, ReaderOptions options)
      : inputs_(std::move(inputs)), options_(options), chunk_(kReadChunk) {
    bool all_known = true;
    for (const std::string& input : inputs_) {
      const std::int64_t size = input == "-" ? -1 : RegularFileSize(input);
      all_known = all_known && size >= 0;
      bytes_total_ += size;
    }
    if (!all_known) bytes_total_ = 0;
  }

  Status OpenNext() {
    if (source_ != nullptr) bytes_before_ += source_->bytes_taken();
    source_.reset();
    begin_ = end_ = 0;
    line_ = 0;
    if (next_input_ == inputs_.size()) return {};
    SGLRUN_ASSIGN_OR_RETURN(
        source_, ByteSource::Open(inputs_[next_input_++], options_.stop, options_.lines_are_json));
    return {};
  }

  Result<std::optional<InputRecord>> Next() override {
    while (source_ != nullptr) {
      InputRecord record;
      SGLRUN_ASSIGN_OR_RETURN(const bool found, ReadLine(record));
      if (!found) {
        SGLRUN_RETURN_IF_ERROR(OpenNext());
        continue;
      }
      if (!record.too_long && IsBlank(record.text)) continue;
      record.file = inputs_[next_input_ - 1];
      record.line = line_;
      record.index = index_++;
      return std::optional<InputRecord>(std::move(record));
    }
    return std::optional<InputRecord>();
  }

  void WhenLineIsLong(std::function<void()> callback) override { when_long_ = std::move(callback); }

  std::int64_t bytes_read() const override {
    return bytes_before_ + (source_ != nullptr ? source_->bytes_taken() : 0);
  }
  std::int64_t bytes_total() const override { return bytes_total_; }

 private:
  // Gathers chunks up to the next line end; false at the end of the file.
  Result<bool> ReadLine(InputRecord& record) {
    bool any = false;
    while (true) {
      if (begin_ == end_) {
        begin_ = 0;
        SGLRUN_ASSIGN_OR_RETURN(end_, source_->Read(chunk_.data(), chunk_.size()));
        if (end_ == 0) break;
      }
      any = true;
      const char* start = chunk_.data() + begin_;
      const auto* line_end = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
      const std::size_t count =
          line_end != nullptr ? static_cast<std::size_t>(line_end - start) : end_ - begin_;
      Append(record, {start, count});
      begin_ += count + (line_end != nullptr ? 1 : 0);
      if (line_end != nullptr) break;
    }
    if (any) Finish(record);
    return any;
  }

  void Append(InputRecord& record, std::string_view bytes) const {
    if (record.too_long) return;
    std::string& text = record.text;
    const std::size_t size = text.size() + bytes.size();
    if (size > options_.max_line_bytes) {
      record.too_long = true;
      text = std::string();
      return;
    }
    if (size > kLongLineBytes && text.size() <= kLongLineBytes && when_long_) when_long_();
    // The buffer is doubled until it holds a line end.
    if (size > text.capacity()) {
      text.reserve(std::max(size, std::min(2 * text.capacity(), options_.max_line_bytes)));
    }
    text += bytes;
  }

  void Finish(InputRecord& record) {
    ++line_;
    std::string& text = record.text;
    if (line_ == 1 && text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) {
      text.erase(0, kByteOrderMark.size());
    }
    if (!text.empty() && text.back() == '\r') text.pop_back();
  }

  std::vector<std::string> inputs_;
  ReaderOptions options_;
  std::function<void()> when_long_;
  std::size_t next_input_ = 0;
  std::unique_ptr<ByteSource> source_;  // null after the last input
  std::vector<char> chunk_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t line_ = 0;
  std::int64_t index_ = 0;
  std::int64_t bytes_before_ = 0;
  std::int64_t bytes_total_ = 0;
};

}  // namespace

Result<std::unique_ptr<JsonlReader>> JsonlReader::Open(std::vector<std::string> inputs,
                                                       ReaderOptions options) {
  for (const std::string& input : inputs) SGLRUN_RETURN_IF_ERROR(CheckReadable(input));
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return Error{"standard input (\"-\") is named twice; it can be read once"};
  }
  auto reader = std::make_unique<LineReader>(std::move(inputs), options);
  SGLRUN_RETURN_IF_ERROR(reader->OpenNext());
  return std::unique_ptr<JsonlReader>(std::move(reader));
}

}  // namespace sglrun::io
