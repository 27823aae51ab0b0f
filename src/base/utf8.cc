#include "base/utf8.h"

namespace sglrun {
namespace {

// The result of one decoding step: a character, or the length of a maximal ill-formed subpart.
struct Step {
  char32_t code_point = 0;
  std::size_t length = 0;
  bool valid = false;
  bool truncated = false;  // ill-formed only because the text ends here
};

// Legal range of the second byte for a lead byte, table 3-7 of the Unicode Standard.
struct LeadByte {
  int length;
  unsigned char low;
  unsigned char high;
};

LeadByte ClassifyLead(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

Step DecodeStep(std::string_view text, std::size_t pos) {
  const auto lead = static_cast<unsigned char>(text[pos]);
  if (lead < 0x80) return {lead, 1, true, false};
  const LeadByte kind = ClassifyLead(lead);
  if (kind.length == 0) return {0, 1, false, false};
  char32_t code_point = lead & (0xFF >> (kind.length + 1));
  for (int i = 1; i < kind.length; ++i) {
    if (pos + i >= text.size()) return {0, static_cast<std::size_t>(i), false, true};
    const auto byte = static_cast<unsigned char>(text[pos + i]);
    const unsigned char low = i == 1 ? kind.low : 0x80;
    const unsigned char high = i == 1 ? kind.high : 0xBF;
    if (byte < low || byte > high) return {0, static_cast<std::size_t>(i), false, false};
    code_point = (code_point << 6) | (byte & 0x3F);
  }
  return {code_point, static_cast<std::size_t>(kind.length), true, false};
}

}  // namespace

std::size_t FindInvalidUtf8(std::string_view text) {
  std::size_t pos = 0;
  while (pos < text.size()) {
    if (static_cast<unsigned char>(text[pos]) < 0x80) {
      ++pos;
      continue;
    }
    const Step step = DecodeStep(text, pos);
    if (!step.valid) return pos;
    pos += step.length;
  }
  return std::string_view::npos;
}

char32_t DecodeUtf8(std::string_view text, std::size_t& pos) {
  const Step step = DecodeStep(text, pos);
  pos += step.length;
  return step.valid ? step.code_point : kReplacementCharacter;
}

void AppendUtf8(std::string& out, char32_t code_point) {
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    byte(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  } else {
    byte(0xF0 | (code_point >> 18));
    byte(0x80 | ((code_point >> 12) & 0x3F));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  }
}

std::string ToValidUtf8(std::string_view text) {
  if (IsValidUtf8(text)) return std::string(text);
  std::string out;
  out.reserve(text.size() + 8);
  for (std::size_t pos = 0; pos < text.size();) AppendUtf8(out, DecodeUtf8(text, pos));
  return out;
}

std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t pos = 0; pos < text.size(); ++count) DecodeUtf8(text, pos);
  return count;
}

std::size_t IncompleteUtf8Suffix(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const std::size_t pos = text.size() - back;
    if ((static_cast<unsigned char>(text[pos]) & 0xC0) == 0x80) continue;
    const Step step = DecodeStep(text, pos);
    return step.truncated && step.length == back ? back : 0;
  }
  return 0;
}

}  // namespace sglrun
