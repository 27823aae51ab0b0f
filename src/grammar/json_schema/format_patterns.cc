#include "grammar/json_schema/format_patterns.h"

#include <initializer_list>

namespace sglrun::grammar {
namespace {

std::string Group(const std::string& pattern) {
  return "(?:" + pattern + ")";
}

std::string AnyOf(std::initializer_list<std::string> patterns) {
  std::string all;
  for (const std::string& pattern : patterns) all += (all.empty() ? "" : "|") + pattern;
  return Group(all);
}

std::string TwoDigits(int value) {
  return {static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)};
}

std::string ClockTime(int minutes) {
  return TwoDigits(minutes / 60) + ":" + TwoDigits(minutes % 60);
}

constexpr int kDay = 24 * 60;  // minutes
const char* const kClock = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const char* const kSecondFraction = "(?:\\.[0-9]+)?";

// A leap second is the last of a day in UTC, so the hour and minute say which offset may follow.
// Offsets in use are whole quarters of an hour; all 1440 would make thousands of states.
std::string LeapSecondTimes() {
  const auto leap = [](int local) { return ClockTime(local) + ":60" + kSecondFraction; };
  std::string all = leap(kDay - 1) + "[Zz]";
  for (int offset = 0; offset < kDay; offset += 15) {
    all += "|" + leap((2 * kDay - 1 + offset) % kDay) + "\\+" + ClockTime(offset);
    all += "|" + leap((2 * kDay - 1 - offset) % kDay) + "-" + ClockTime(offset);
  }
  return all;
}

// Addresses with `elided` or more groups in place of "::".
std::string Ipv6WithElision(int elided) {
  const std::string group = "[0-9A-Fa-f]{1,4}";
  const std::string quad = Group(Ipv4Pattern());
  const auto times = [](int n) { return "{" + std::to_string(n) + "}"; };
  const auto up_to = [](int n) { return "{0," + std::to_string(n) + "}"; };
  std::string all = Group(group + ":") + times(7) + group;
  all += "|" + Group(group + ":") + times(6) + quad;
  for (int left = 0; left <= 8 - elided; ++left) {
    const int right = 8 - elided - left;
    all += "|";
    if (left > 0) all += group + Group(":" + group) + times(left - 1);
    all += "::";
    std::string tail;
    if (right > 0) tail = group + Group(":" + group) + up_to(right - 1);
    if (right > 1) tail += "|" + Group(group + ":") + up_to(right - 2) + quad;
    if (right > 0) all += Group(tail) + "?";
  }
  return all;
}

// All but the last two characters of each plane, which are none. Plane 14 begins with tags.
std::string Planes(int first, int last) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string ranges;
  for (int plane = first; plane <= last; ++plane) {
    const std::string high = plane == 16 ? "10" : std::string("0") + kHex[plane];
    ranges += "\\U00" + high + (plane == 14 ? "1000" : "0000") + "-\\U00" + high + "FFFD";
  }
  return ranges;
}

// Names of RFC 3986 appendix A, and of RFC 3987 where characters beyond ASCII are given: for
// everywhere, and for queries alone. Both are ranges of a class.
struct Uri {
  std::string ucschar = {}, iprivate = {};
  std::string pct = "%[0-9A-Fa-f]{2}";
  std::string ascii_unreserved = "A-Za-z0-9._~\\-", unreserved = ascii_unreserved + ucschar;
  std::string sub_delims = "!$&'()*+,;=";
  std::string pchar = Group("[" + unreserved + sub_delims + ":@]|" + pct);
  std::string segment = pchar + "*", segment_nz = pchar + "+";
  std::string segment_nz_nc = Group("[" + unreserved + sub_delims + "@]|" + pct) + "+";
  std::string path_abempty = Group("/" + segment) + "*";
  std::string path_absolute = "/" + Group(segment_nz + path_abempty) + "?";
  std::string userinfo = Group("[" + unreserved + sub_delims + ":]|" + pct) + "*";
  std::string ip_future = "[vV][0-9A-Fa-f]+\\.[" + ascii_unreserved + sub_delims + ":]+";
  std::string ip_literal = "\\[" + AnyOf({Ipv6WithElision(1), ip_future}) + "\\]";
  // An IPv4 address is a reg-name too.
  std::string reg_name = Group("[" + unreserved + sub_delims + "]|" + pct) + "*";
  std::string host = AnyOf({ip_literal, reg_name});
  std::string authority = Group(userinfo + "@") + "?" + host + "(?::[0-9]*)?";
  std::string with_authority = "//" + authority + path_abempty;
  std::string query_and_fragment = "(?:\\?" + Group(pchar + "|[/?" + iprivate + "]") + "*)?(?:#" +
                                   Group(pchar + "|[/?]") + "*)?";
  std::string path_rootless = segment_nz + path_abempty;
  std::string path_noscheme = segment_nz_nc + path_abempty;
  std::string absolute =
      "[A-Za-z][A-Za-z0-9+.\\-]*:" + AnyOf({with_authority, path_absolute, path_rootless, ""}) +
      query_and_fragment;
  std::string relative =
      AnyOf({with_authority, path_absolute, path_noscheme, ""}) + query_and_fragment;
};

// Blanks and invisible characters (some of which RFC 3987 4.1 forbids) are left out.
Uri Iri() {
  return {.ucschar =
              "\\u00A1-\\u167F\\u1681-\\u1FFF\\u2010-\\u2027\\u2030-\\u205E\\u2070-\\u2FFF"
              "\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF" +
              Planes(1, 14),
          .iprivate = "\\uE000-\\uF8FF" + Planes(15, 16)};
}

// A label of a host name: of letters and hyphens, which are neither first nor last nor third and
// fourth. `longest` is 5 or more.
std::string Label(const std::string& letters, int longest) {
  const std::string end = "[" + letters + "]", any = "[" + letters + "\\-]";
  return end +
         Group(any + "?" + end + "|" + any + any + end + "|" + any + AnyOf({end + any, "-" + end}) +
               any + "{0," + std::to_string(longest - 5) + "}" + end) +
         "?";
}

// Letters of ASCII and beyond that every version of IDNA takes as they are, in every neighbourhood:
// lower case, no marks, none written from right to left.
const char* const kIdnLetters =
    "a-z0-9\\u00DF-\\u00F6\\u00F8-\\u00FF\\u03AC-\\u03CE\\u0430-\\u045F"
    "\\u3005-\\u3007\\u3041-\\u3094\\u30A1-\\u30FA\\u30FC\\u4E00-\\u9FA5\\uAC00-\\uD7A3";

// The limits are on a label's encoding, 63 bytes, and on the encoded name, 253. Eight characters
// are encoded in at most 60: 7 for each and a prefix of 4.
std::string IdnLabel(int longest) {
  return AnyOf({Label("A-Za-z0-9", longest), Label(kIdnLetters, 8)});
}

// Mailbox of RFC 5321, with further characters in the local part (a class's ranges) and further
// domains.
std::string Mailbox(const std::string& characters, const std::string& domains) {
  const std::string atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-" + characters + "]+";
  const std::string quoted = "\"(?:[ !#-\\[\\]-~" + characters + "]|\\\\[ -~])*\"";
  const std::string local = AnyOf({atom + Group("\\." + atom) + "*", quoted});
  const std::string label = "[A-Za-z0-9](?:[A-Za-z0-9\\-]*[A-Za-z0-9])?";
  std::string domain = label + Group("\\." + label) + "*";
  if (!domains.empty()) domain = AnyOf({domain, domains});
  // The mail grammar lets "::" stand for two groups or more; its other tags are not registered.
  const std::string literal =
      "\\[" + AnyOf({Ipv4Pattern(), "[Ii][Pp][Vv]6:" + Group(Ipv6WithElision(2))}) + "\\]";
  return local + "@" + AnyOf({domain, literal});
}

}  // namespace

std::string DatePattern() {
  // The year 0000 is excluded: RFC 3339 allows it, but many date parsers do not.
  const std::string year = AnyOf({"[1-9][0-9]{3}", "0[1-9][0-9]{2}", "00[1-9][0-9]", "000[1-9]"});
  const std::string leap_century = AnyOf({"0[48]", "[2468][048]", "[13579][26]"});
  const std::string leap_year = AnyOf({"[0-9]{2}" + leap_century, leap_century + "00"});
  return year + "-" +
         AnyOf({"(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
                "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)", "02-(?:0[1-9]|1[0-9]|2[0-8])"}) +
         "|" + leap_year + "-02-29";
}

std::string TimePattern() {
  return AnyOf({std::string(kClock) + ":[0-5][0-9]" + kSecondFraction +
                    AnyOf({"[Zz]", std::string("[+-]") + kClock}),
                LeapSecondTimes()});
}

std::string DateTimePattern() {
  return Group(DatePattern()) + "[Tt]" + TimePattern();
}

std::string DurationPattern() {
  const std::string seconds = "[0-9]+S";
  const std::string minutes = "[0-9]+M" + Group(seconds) + "?";
  const std::string hours = "[0-9]+H" + Group(minutes) + "?";
  const std::string time = "T" + AnyOf({hours, minutes, seconds});
  const std::string days = "[0-9]+D";
  const std::string months = "[0-9]+M" + Group(days) + "?";
  const std::string years = "[0-9]+Y" + Group(months) + "?";
  const std::string date = AnyOf({days, months, years}) + Group(time) + "?";
  return "P" + AnyOf({date, time, "[0-9]+W"});
}

std::string EmailPattern() {
  return Mailbox("", "");
}

std::string IdnEmailPattern() {
  return Mailbox("\\u0080-\\U0010FFFF", IdnHostnamePattern());
}

std::string HostnamePattern() {
  const std::string label = Label("A-Za-z0-9", 63);
  return label + Group("\\." + label) + "*";
}

std::string IdnHostnamePattern() {
  // Up to four labels: the longest names are within the limit without counting.
  const std::string label = IdnLabel(63), one_of_four = IdnLabel(62);
  return AnyOf(
      {label + Group("\\." + label) + "{0,2}", one_of_four + Group("\\." + one_of_four) + "{3}"});
}

std::string Ipv4Pattern() {
  const std::string octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  return octet + Group("\\." + octet) + "{3}";
}

std::string Ipv6Pattern() {
  return Ipv6WithElision(1);
}

std::string UuidPattern() {
  return "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}";
}

std::string UriPattern() {
  return Uri().absolute;
}

std::string UriReferencePattern() {
  const Uri uri;
  return AnyOf({uri.absolute, uri.relative});
}

std::string IriPattern() {
  return Iri().absolute;
}

std::string IriReferencePattern() {
  const Uri iri = Iri();
  return AnyOf({iri.absolute, iri.relative});
}

std::string UriTemplatePattern() {
  // ucschar and iprivate of RFC 3987, as ranges of a class.
  const std::string wide = "\\u00A0-\\uD7FF\\uE000-\\uFDCF\\uFDF0-\\uFFEF" + Planes(1, 16);
  const std::string pct = "%[0-9A-Fa-f]{2}";
  const std::string literal = Group("[!#$&(-;=?-\\[\\]_a-z~" + wide + "]|" + pct);
  const std::string varchar = Group("[A-Za-z0-9_]|" + pct);
  const std::string varspec = varchar + Group("\\.?" + varchar) + "*" + "(?::[1-9][0-9]{0,3}|\\*)?";
  const std::string expression = "\\{[+#./;?&=,!@|]?" + varspec + Group("," + varspec) + "*\\}";
  return Group(literal + "|" + expression) + "*";
}

std::string JsonPointerPattern() {
  return "(?:/(?:[^/~]|~[01])*)*";
}

std::string Base64Pattern() {
  return "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?";
}

std::string RelativeJsonPointerPattern() {
  return "(?:0|[1-9][0-9]*)(?:#|" + JsonPointerPattern() + ")";
}

}  // namespace sglrun::grammar
