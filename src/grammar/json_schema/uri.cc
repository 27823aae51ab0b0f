#include "grammar/json_schema/uri.h"

#include <cctype>
#include <vector>

namespace sglrun::grammar {
namespace {

// A URI without fragment. The parts keep their marks ("http:", "//host"), so that joining them is
// concatenation and an absent part is empty.
struct Parts {
  std::string_view scheme, authority, path, query;
};

Parts Split(std::string_view uri) {
  Parts parts;
  std::size_t end = 0;
  while (end < uri.size() && (std::isalnum(static_cast<unsigned char>(uri[end])) != 0 ||
                              uri[end] == '+' || uri[end] == '-' || uri[end] == '.')) {
    ++end;
  }
  const bool has_scheme = end > 0 && end < uri.size() && uri[end] == ':' &&
                          std::isalpha(static_cast<unsigned char>(uri[0])) != 0;
  if (has_scheme) {
    parts.scheme = uri.substr(0, end + 1);
    uri.remove_prefix(end + 1);
  }
  if (uri.substr(0, 2) == "//") {
    parts.authority = uri.substr(0, uri.find_first_of("/?", 2));
    uri.remove_prefix(parts.authority.size());
  }
  parts.path = uri.substr(0, uri.find('?'));
  parts.query = uri.substr(parts.path.size());
  return parts;
}

std::string RemoveDotSegments(std::string_view path) {
  const bool rooted = path.substr(0, 1) == "/";
  std::vector<std::string_view> segments;
  std::size_t at = rooted ? 1 : 0;
  bool ends_in_directory = false;
  while (true) {
    const std::size_t slash = path.find('/', at);
    const std::string_view segment = path.substr(at, slash == path.npos ? path.npos : slash - at);
    ends_in_directory = segment == "." || segment == "..";
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (segment != ".") {
      segments.push_back(segment);
    }
    if (slash == path.npos) break;
    at = slash + 1;
  }
  std::string out = rooted ? "/" : "";
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i > 0) out += '/';
    out += segments[i];
  }
  if (ends_in_directory && !segments.empty()) out += '/';
  return out;
}

std::string Join(std::string_view scheme, std::string_view authority, std::string_view path,
                 std::string_view query) {
  std::string out(scheme);
  out += authority;
  out += path;
  out += query;
  return out;
}

}  // namespace

SplitUri SplitFragment(std::string_view reference) {
  const std::size_t hash = reference.find('#');
  if (hash == reference.npos) return {reference, {}, false};
  return {reference.substr(0, hash), reference.substr(hash + 1), true};
}

std::string ResolveUri(std::string_view base, std::string_view reference) {
  const Parts r = Split(reference);
  if (!r.scheme.empty()) {
    // An opaque path ("urn:uuid:..") has no segments to tidy.
    const bool rooted = r.path.substr(0, 1) == "/";
    return Join(r.scheme, r.authority, rooted ? RemoveDotSegments(r.path) : std::string(r.path),
                r.query);
  }
  const Parts b = Split(base);
  if (!r.authority.empty()) {
    return Join(b.scheme, r.authority, RemoveDotSegments(r.path), r.query);
  }
  if (r.path.empty()) {
    return Join(b.scheme, b.authority, b.path, r.query.empty() ? b.query : r.query);
  }
  if (r.path.front() == '/') {
    return Join(b.scheme, b.authority, RemoveDotSegments(r.path), r.query);
  }
  std::string merged;
  if (b.path.empty() && !b.authority.empty()) {
    merged = "/";
  } else {
    merged = b.path.substr(0, b.path.rfind('/') + 1);
  }
  merged += r.path;
  return Join(b.scheme, b.authority, RemoveDotSegments(merged), r.query);
}

std::string PercentDecode(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace sglrun::grammar
