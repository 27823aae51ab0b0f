#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/json_text.h"
#include "base/large_json.h"
#include "base/stream_hash.h"

namespace sglrun {
namespace {

// Where a dump goes: a text, or what a hash is made of, in which case little of it is there at once.
class DumpTarget {
 public:
  DumpTarget(std::string& out, bool hashes) : out_(out), hashes_(hashes) {}

  std::string& text() { return out_; }
  void String(std::string_view text) {
    out_.push_back('"');
    for (std::size_t at = 0; at < text.size(); at += kSlice) {
      AppendJsonEscaped(out_, text.substr(at, kSlice));
      Drain();
    }
    out_.push_back('"');
  }
  // To be called now and then.
  void Drain() {
    if (!hashes_ || out_.size() < kSlice) return;
    if (!hash_) hash_.emplace();
    hash_->Add(out_);
    out_.clear();
  }
  Hash128 Finish() {
    if (!hash_) return HashBytes(out_);
    hash_->Add(out_);
    return hash_->Finish();
  }

 private:
  static constexpr std::size_t kSlice = std::size_t{64} << 10;

  std::string& out_;
  const bool hashes_;
  std::optional<StreamHash> hash_;
};

void DumpTo(DumpTarget& target, const Json& value, bool canonical);

void DumpObject(DumpTarget& target, const Json::Object& object, bool canonical) {
  std::vector<const Json::Member*> members;
  members.reserve(object.size());
  for (const Json::Member& member : object) members.push_back(&member);
  if (canonical) {
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
  }
  target.text().push_back('{');
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) target.text().push_back(',');
    target.String(members[i]->first);
    target.text().push_back(':');
    DumpTo(target, members[i]->second, canonical);
  }
  target.text().push_back('}');
}

void DumpTo(DumpTarget& target, const Json& value, bool canonical) {
  std::string& out = target.text();
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_int()) {
    out += std::to_string(value.as_int());
  } else if (value.is_double()) {
    const double d = value.as_double();
    if (canonical && d == std::floor(d) && std::fabs(d) < 9.2e18) {
      out += std::to_string(static_cast<std::int64_t>(d));
    } else {
      AppendJsonNumber(out, d);
    }
  } else if (value.is_number_text()) {
    out += value.number_text();
  } else if (value.is_string()) {
    target.String(value.as_string());
  } else if (value.is_array()) {
    out.push_back('[');
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      if (i > 0) out.push_back(',');
      DumpTo(target, value.as_array()[i], canonical);
    }
    out.push_back(']');
  } else {
    DumpObject(target, value.as_object(), canonical);
  }
  target.Drain();
}

}  // namespace

void AppendJsonNumber(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

void AppendJsonEscaped(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') {
      out.push_back(c);
      continue;
    }
    out.push_back('\\');
    switch (c) {
      case '"':
      case '\\':
        out.push_back(c);
        break;
      case '\n':
        out.push_back('n');
        break;
      case '\r':
        out.push_back('r');
        break;
      case '\t':
        out.push_back('t');
        break;
      case '\b':
        out.push_back('b');
        break;
      case '\f':
        out.push_back('f');
        break;
      default:
        out += "u00";
        out.push_back(kHex[byte >> 4]);
        out.push_back(kHex[byte & 15]);
    }
  }
}

void AppendJsonDump(std::string& out, const Json& value) {
  DumpTarget target(out, /*hashes=*/false);
  DumpTo(target, value, /*canonical=*/false);
}

std::string Json::Dump() const {
  std::string out;
  AppendJsonDump(out, *this);
  return out;
}

std::string Json::CanonicalDump() const {
  std::string out;
  DumpTarget target(out, /*hashes=*/false);
  DumpTo(target, *this, /*canonical=*/true);
  return out;
}

Hash128 CanonicalHash(const Json& value, std::string_view prefix) {
  std::string out(prefix);
  DumpTarget target(out, /*hashes=*/true);
  DumpTo(target, value, /*canonical=*/true);
  return target.Finish();
}

}  // namespace sglrun
