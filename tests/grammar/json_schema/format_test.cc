#include "grammar/json_schema/format.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "leaf_helpers.h"

namespace sglrun::grammar {
namespace {

using Texts = std::initializer_list<std::string>;

void Check(std::string_view format, Texts valid, Texts invalid) {
  REQUIRE_EQ(KindOfFormat(format), FormatKind::kString);
  const SharedDfa dfa = FormatDfa(format);
  for (const std::string& text : valid) {
    CAPTURE(text);
    CHECK(HoldsText(*dfa, text));
  }
  for (const std::string& text : invalid) {
    CAPTURE(text);
    CHECK_FALSE(HoldsText(*dfa, text));
  }
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("date: real days of real months") {
  Check("date",
        {"2024-01-31", "2024-02-29", "2023-02-28", "2000-02-29", "0004-02-29", "2400-02-29",
         "1996-02-29", "2024-04-30", "2024-12-31", "9999-11-30", "0001-01-01", "0400-02-29"},
        {"",
         "0000-01-01",
         "0000-02-29",
         "2023-02-29",
         "1900-02-29",
         "2100-02-29",
         "2024-02-30",
         "2024-04-31",
         "2024-06-31",
         "2024-09-31",
         "2024-11-31",
         "2024-01-32",
         "2024-00-10",
         "2024-13-01",
         "2024-01-00",
         "24-01-01",
         "2024-1-01",
         "2024-01-1",
         "2024/01/01",
         "20240101",
         "2024-01-01 ",
         " 2024-01-01",
         "-2024-01-01",
         "12024-01-01",
         "2024-01-01T",
         "2024-366",
         "2024-W01",
         "202\xE0\xA7\xAA-01-01"});
  // Every day of four centuries, against the calendar of the standard library's chrono.
  const SharedDfa dfa = FormatDfa("date");
  int wrong = 0;
  for (int year = 1600; year < 2000; ++year) {
    for (unsigned month = 1; month <= 12; ++month) {
      for (unsigned day = 28; day <= 32; ++day) {
        const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                               std::chrono::day(day)};
        char text[16];
        std::snprintf(text, sizeof text, "%04d-%02u-%02u", year, month, day);
        wrong += HoldsText(*dfa, text) != date.ok() ? 1 : 0;
      }
    }
  }
  CHECK_EQ(wrong, 0);
}

TEST_CASE("time: an offset is required, second 60 ends a day in UTC") {
  Check("time",
        {"00:00:00Z", "23:59:59z", "12:30:45.5Z", "08:30:06.283185Z", "08:30:06+00:20",
         "08:30:06-08:00", "23:59:59+23:59", "10:20:30-00:00", "23:59:60Z", "23:59:60.123Z",
         "23:59:60+00:00", "01:29:60+01:30", "23:29:60+23:30", "15:59:60-08:00", "00:29:60-23:30",
         "00:59:60+01:00", "05:44:60+05:45", "07:59:60+08:00"},
        {"",
         "12:30:45",
         "12:30Z",
         "24:00:00Z",
         "00:60:00Z",
         "00:00:61Z",
         "00:00:60Z",
         "22:59:60Z",
         "23:58:60Z",
         "23:59:60+01:00",
         "23:59:60-01:00",
         "22:59:60+01:00",
         "12:30:45.Z",
         "12:30:45,5Z",
         "1:30:45Z",
         "12:30:45 Z",
         "12:30:45+24:00",
         "12:30:45+00:60",
         "12:30:45+1:00",
         "12:30:45+0100",
         "12:30:45Z+01:00",
         "12:30:45 +01:00",
         "12.30.45Z",
         "123045Z",
         "12:30:45+01",
         "12:30:45ZZ",
         "1\xE0\xA7\xA8:00:00Z"});
}

TEST_CASE("date-time: a date, T and a time") {
  Check("date-time",
        {"2024-02-29T12:30:45Z", "1985-04-12t23:20:50.52z", "1996-12-19T16:39:57-08:00",
         "1990-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00", "1937-01-01T12:00:27.87+00:20",
         "0001-01-01T00:00:00.000000000000Z"},
        {"", "2024-02-29 12:30:45Z", "2023-02-29T12:30:45Z", "2024-02-29T12:30:45", "2024-02-29",
         "12:30:45Z", "2024-02-29T25:00:00Z", "1990-12-31T23:58:60Z", "1998-12-31T22:59:60Z",
         "2024-2-29T12:30:45Z", "2024-02-29T12:30Z", "2024-02-29T12:30:45+24:00",
         "06/19/1963 08:30:06 PST", "2013-350T01:01:01Z", "2024-02-29T12:30:45Zx"});
}

TEST_CASE("duration: units in their order, each at most once") {
  Check("duration",
        {"P4DT12H30M5S", "P4Y", "PT0S", "P0D", "P1M", "PT1M", "PT36H", "P1DT12H", "P2W", "P1Y2M",
         "P1Y2M3D", "P2M3D", "PT1H2M", "PT1H2M3S", "PT2M3S", "P1YT1S", "P123456789D", "P1MT1M"},
        {"",       "P",     "PT",    "P1",    "1D",    "P1DT",   "PT1D",          "P1H",  "P1S",
         "P2D1Y",  "P1D2H", "P1Y2W", "P2W1D", "P1Y2D", "PT1H3S", "P-1D",          "-P1D", "P1.5D",
         "PT0.5S", "P1D1D", "p1d",   "P 1D",  "P1Y1Y", "PT1S1M", "P\xE0\xA7\xA8Y"});
}

TEST_CASE("email: the mailbox of SMTP") {
  Check("email",
        {"a@b",
         "joe.bloggs@example.com",
         "te~st@example.com",
         "~test@example.com",
         "a+b-c_d@x-y.org",
         "te.s.t@example.com",
         "\"joe bloggs\"@example.com",
         "\"joe..bloggs\"@example.com",
         "\"joe@bloggs\"@example.com",
         "\"\"@b",
         "\"a\\\"b\"@c",
         "joe@[127.0.0.1]",
         "joe@[IPv6:::1]",
         "joe@[ipv6:2001:db8::7]",
         "joe@[IPv6:1:2:3:4:5:6:7:8]",
         "joe@[IPv6:::ffff:1.2.3.4]",
         "!#$%&'*+/=?^_`{|}~@x",
         "1@2",
         "a@xn--e1afmkfd.com",
         "a@b1.c2-d3"},
        {"",
         "@",
         "a",
         "a@",
         "@b",
         "2962",
         ".test@example.com",
         "test.@example.com",
         "te..st@example.com",
         "a b@c",
         "a@b c",
         "a@b@c",
         "a@-b",
         "a@b-",
         "a@b..c",
         "a@.b",
         "a@b.",
         "a@b_c",
         "a@invalid=domain.com",
         "a@[127.0.0.300]",
         "a@[127.0.0]",
         "a@[]",
         "a@127.0.0.1]",
         "a@[::1]",
         "a@[IPv6:1::2:3:4:5:6:7:8]",
         "a@[IPv6:1:2:3:4:5:6:7::]",
         "\"a@b",
         "\"a\"b@c",
         "\"a\nb\"@c",
         "a\"b@c",
         "(a)@b",
         "a@b(c)",
         "\xC3\xA9@b",
         "a@\xC3\xA9",
         "a@[tag:x]",
         "<a@b>"});
}

TEST_CASE("hostname: labels of letters, digits and inner hyphens") {
  const std::string label63(63, 'a');
  const std::string longest = Repeated(label63 + ".", 3) + std::string(61, 'b');  // 253
  Check("hostname",
        {"a", "localhost", "www.example.com", "1host", "host1", "a-b", "xn-a.b", "0", "a.b.c.d",
         "A-1.Z", label63, label63 + "." + label63, longest, Repeated("a.", 126) + "a", "ab-c-d",
         "a-b--c", "abc--d"},
        {"",
         ".",
         "a.",
         ".a",
         "a..b",
         "-a",
         "a-",
         "a--",
         "a.-b",
         "a-.b",
         "a_b",
         "a b",
         "a@b",
         label63 + "a",
         "x." + label63 + "b",
         longest + "b",
         Repeated("a.", 126) + "ab",
         Repeated("a.", 127) + "a",
         "ab--c",
         "xn--a",
         "XN--4gbwdl.com",
         "a.bc--d",
         "\xC3\xA9",
         "a\xE3\x80\x82"
         "b",
         "a/b",
         "a:80"});
}

TEST_CASE("ipv4: four numbers without leading zeros") {
  Check("ipv4",
        {"0.0.0.0", "127.0.0.1", "255.255.255.255", "192.168.10.249", "1.2.3.4", "100.99.9.200"},
        {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.1.1.256", "01.2.3.4", "1.2.3.04", "00.0.0.0",
         "1..2.3", "1.2.3.", ".1.2.3", "1.2.3.4 ", " 1.2.3.4", "0x7f.0.0.1", "127", "1.2.3.4/24",
         "300.1.1.1", "1.2.3.-4", "1\xE0\xA7\xA8.0.0.1"});
}

TEST_CASE("ipv6: every form of ::, IPv4 at the end, no zone") {
  Check("ipv6",
        {"::",
         "::1",
         "1::",
         "1:2:3:4:5:6:7:8",
         "1:2:3:4:5:6:7::",
         "::2:3:4:5:6:7:8",
         "1::8",
         "1:2::7:8",
         "2001:db8::ff00:42:8329",
         "fe80::a",
         "ABCD:ef01::",
         "1::3:4:5:6:7:8",
         "1:2:3:4::6:7:8",
         "::ffff:192.168.0.1",
         "1:2:3:4:5:6:1.2.3.4",
         "::1.2.3.4",
         "1::1.2.3.4",
         "1:2:3:4:5::1.2.3.4",
         "::2:3:4:5:6:1.2.3.4",
         "1:2:3::5:6:1.2.3.4",
         "0:0:0:0:0:0:0:0",
         "0000::0000",
         "1:d6::42"},
        {"",
         ":",
         ":::",
         "1",
         "1:2",
         "1:2:3:4:5:6:7",
         "1:2:3:4:5:6:7:8:9",
         "1::2::3",
         ":1",
         "1:",
         "1:2:3:4:5:6:7:",
         ":2:3:4:5:6:7:8",
         "1:2:3:4:5:6:7:8::",
         "::1:2:3:4:5:6:7:8",
         "1:2:3:4::5:6:7:8",
         "12345::",
         "g::",
         "1:::2",
         "::1.2.3",
         "::1.2.3.256",
         "::01.2.3.4",
         "1.2.3.4::",
         "1.2.3.4",
         "1:2:3:4:5:6:7:1.2.3.4",
         "1:2:3:4:5:1.2.3.4",
         "::1.2.3.4:5",
         "1:2:3:4:5:6::1.2.3.4",
         "fe80::a%eth1",
         "fe80::a/64",
         " ::1",
         "::1 ",
         "::-1",
         "[::1]",
         "::ffff:192.168.0.1.5",
         "1:2:3:4:5:\xE0\xA7\xAA:7:8"});
  // Every way to elide and every length, against a count of groups.
  const SharedDfa dfa = FormatDfa("ipv6");
  const auto groups = [](int n) { return n == 0 ? "" : Repeated("a:", n - 1) + "a"; };
  for (int left = 0; left <= 9; ++left) {
    for (int right = 0; right <= 9; ++right) {
      CAPTURE(left);
      CAPTURE(right);
      CHECK_EQ(HoldsText(*dfa, groups(left) + "::" + groups(right)), left + right <= 7);
      const std::string quad = right == 0 ? "1.2.3.4" : groups(right) + ":1.2.3.4";
      CHECK_EQ(HoldsText(*dfa, groups(left) + "::" + quad), left + right <= 5);
    }
    CHECK_EQ(HoldsText(*dfa, groups(left)), left == 8);
  }
}

TEST_CASE("uuid: groups of hex digits in either case") {
  Check("uuid",
        {"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
         "2eb8aa08-AA98-11ea-B4Aa-73B441D16380", "00000000-0000-0000-0000-000000000000"},
        {"", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa-73b441d163800",
         "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-73b441d16380-b4aa",
         "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}", "2eb8aa0g-aa98-11ea-b4aa-73b441d16380",
         "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380 "});
}

TEST_CASE("uri: a scheme and what RFC 3986 allows behind it") {
  Check("uri",
        {"http://foo.bar/?baz=qux#quux",
         "http://foo.com/blah_(wikipedia)_blah#cite-1",
         "http://foo.bar/?q=Test%20URL-encoded%20stuff",
         "http://xn--nw2a.xn--j6w193g/",
         "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
         "http://223.255.255.254",
         "ftp://ftp.is.co.za/rfc/rfc1808.txt",
         "http://www.ietf.org/rfc/rfc2396.txt",
         "ldap://[2001:db8::7]/c=GB?objectClass?one",
         "mailto:John.Doe@example.com",
         "tel:+1-816",
         "news:comp.infosystems.www.servers.unix",
         "urn:oasis:names:specification:docbook:4.1.2",
         "a:",
         "a:b",
         "a:/",
         "a:/b//c",
         "a://",
         "a:///",
         "file:///etc/passwd",
         "http://h:/",
         "h://:80",
         "http://[v1.a:b]/",
         "http://[::ffff:1.2.3.4]:8/x",
         "a+b-c.d9:x?y/?z#w/?v",
         "a:?#",
         "a:b:c"},
        {"",
         "//foo.bar/?baz=qux#quux",
         "/abc",
         "abc",
         "\\\\WINDOWS\\fileshare",
         ":x",
         "1a:b",
         "+a:b",
         "http:// shouldfail.com",
         ":// should fail",
         "bar,baz:foo",
         "https://[@example.org/test.txt",
         "https://example.org/foobar\\.txt",
         "https://example.org/foobar<>.txt",
         "a:{}",
         "a:^",
         "a:`",
         "a:|",
         "a:\"",
         "a: ",
         "a:%",
         "a:%4",
         "a:%zz",
         "http://[::1",
         "http://::1]/",
         "http://[::1]x/",
         "http://[1:2]/",
         "http://[v.a]/",
         "http://[vg.a]/",
         "http://h:8a/",
         "a:#b#c",
         "a://b[c",
         "http://a@b@c/",
         "a:\xC3\xA9",
         "http://h/\n",
         "http://h/[x]"});
}

TEST_CASE("uri-reference: a URI or a relative reference") {
  Check(
      "uri-reference",
      {"http://foo.bar/?baz=qux#quux", "//foo.bar/?baz=qux#quux", "/abc", "abc", "abc/d:e", "",
       "#a", "?q", "./a:b", "../x", "#", "a/b?c#d", "//", "///x", "a:b", "/a//b", "@x/..", ";x=1"},
      {"\\\\WINDOWS\\fileshare", "#frag\\ment", "abc def", "1a:b", "a b", "%", "%g0", "[x]", "{x}",
       "#a#b", "//[::1/x", "\xC3\xA9", "//h:p", ":x", "@:x/..", "?a|b"});
}

TEST_CASE("iri: a URI with characters beyond ASCII") {
  Check("iri",
        {"http://\xC6\x92\xC3\xB8.\xC3\x9F/?\xE2\x88\x82=\xCF\x80#\xC3\xAE", "a:b",
         "http://[2001:db8::1]", "http://h/\xF0\x90\x8C\x80", "http://\xC3\xA9@h:8/%20",
         "http://h/?q=\xEE\x80\x80", "http://h/?q=\xF3\xB0\x80\x80"},
        {"", "/abc", "\xC3\xA2\xCF\x80", "\\\\w\\fil\xC3\xAB", "http://h/\n", "\xC3\xA9:b",
         "http://[::ffff:192.168.0.01]", "http://2001:0db8::7334", "http://h:\xD9\xA1",
         // For private use in queries alone; blank or invisible.
         "http://h/\xEE\x80\x80", "http://h/\xC2\xA0", "http://h/\xE2\x80\x8E", "a:\xE3\x80\x80",
         "a:\xEF\xBF\xBF", "http://h/\xC2\x85", "%\xC3\xA9:"});
}

TEST_CASE("iri-reference: an IRI or a relative reference") {
  Check("iri-reference",
        {"http://\xC6\x92.\xC3\x9F/", "//\xC6\x92/?\xE2\x88\x82#\xCF\x80", "/\xC3\xA2",
         "\xC3\xA2\xCF\x80", "#\xC6\x92r", "", "a:b", "?\xEE\x80\x80"},
        {"\\\\WINDOWS\\fil\xC3\xAB", "#\xC6\x92\\m", "\xC3\xA9 b", "1\xC3\xA9:b", "#\xEE\x80\x80"});
}

TEST_CASE("idn-email: local parts and host names beyond ASCII") {
  Check("idn-email",
        {"\xEC\x8B\xA4\xEB\xA1\x80@\xEC\x8B\xA4.\xED\x85\x8C", "joe.bloggs@example.com",
         "\xCE\xB4@example.com", "\"\xCE\xB4 x\"@example.com", "cafe\xCC\x81@example.com",
         "a@[1.2.3.4]", "\xC2\x85@a", "\xF0\x9D\x95\x8F@a", "a@b.c.d.e.f.g"},
        {"", "2962", "@", "@a", "a@",
         "user\xEF\xBC\xA0"
         "example.com",
         "a b@c", "\xCE\xB4.@c", ".\xCE\xB4@c", "a@\xCC\x81", "a@\xC3\xA9-", "a@b@\xC3\xA9",
         "a@\xCE\x94"});
}

TEST_CASE("idn-hostname: short labels of letters that every reading of IDNA allows") {
  const std::string korean = "\xEC\x8B\xA4";
  Check(
      "idn-hostname",
      {korean + "\xEB\xA1\x80.\xED\x85\x8C", "hostname", "a-b", "1host", "A.b", Repeated("a", 63),
       "\xC3\x9F\xCF\x82", "\xE3\x81\x81\xE3\x82\xA1\xE3\x83\xBC\xE4\xB8\x80", Repeated(korean, 8),
       "a-" + korean, "www." + Repeated("a", 62) + "." + korean + ".kr",
       "\xD0\xB6.\xD1\x80\xD1\x84"},
      {"", ".", ".a", "a.", "a..b", "-hello", "hello-", "-" + korean, korean + "-", "-> $1.00 <--",
       Repeated("a", 64), Repeated(korean, 9), "xn--X", "XN--aa---o47jg78q", "ab--" + korean,
       korean + "a--b", "A" + korean, "\xC3\x89", Repeated(Repeated("a", 63) + ".", 3) + "a",
       // Marks, joiners, middle dots, letters written from right to left, full-width stops.
       "\xCC\x80hello", korean + "\xE3\x80\xAE", "l\xC2\xB7l", "\xE3\x83\xBB\xE3\x81\x81",
       "\xE0\xA4\x95\xE2\x80\x8D", "\xD7\x90", "a\xD7\x90",
       "a\xE3\x80\x82"
       "b",
       "\xEF\xBD\x81", "\xF0\x9F\x98\x80"});
}

TEST_CASE("uri-template: literals and expressions") {
  Check("uri-template",
        {"",
         "http://example.com/dictionary/{term:1}/{term}",
         "{x}",
         "{+x,y*}",
         "{#x}",
         "{.a}",
         "{/a,b}",
         "{;x,y}",
         "{?x,y,empty}",
         "{&x}",
         "{x:9999}",
         "a{b}c{d}",
         "dictionary",
         "{a.b}",
         "{%41b}",
         "{_}",
         "{=x}",
         "{,x}",
         "{!x}",
         "{@x}",
         "{|x}",
         "%20",
         "\xC3\xA9",
         "a/[b]?c#d",
         "\xF0\x9F\x98\x80"},
        {"http://example.com/dictionary/{term:1}/{term",
         "{",
         "}",
         "{}",
         "{x:0}",
         "{x:10000}",
         "{x:}",
         "{x**}",
         "{x*:1}",
         "{x,}",
         "{,}",
         "{x y}",
         "{{x}}",
         "{a..b}",
         "{.}",
         "{a.}",
         "{-a}",
         "%",
         "%2",
         "a b",
         "a\"b",
         "a'b",
         "<a>",
         "a\\b",
         "^",
         "`",
         "a|b",
         "{\xC3\xA9}",
         "{x%}",
         "\n"});
}

TEST_CASE("json-pointer: escaped segments") {
  Check("json-pointer",
        {"", "/", "//", "/foo", "/foo/0", "/a~1b", "/c%d", "/m~0n", "/ ", "/foo/-", "/~0~1",
         "/k\"l", "/foo//bar", "/\xC3\xA9", "/~01", "/~10", "/a\nb", "/foo/bar~0/baz~1/%a"},
        {"a", "foo/bar", "/~", "/~2", "/a~", "/~0~", "/foo/bar~", "#", "#/", "#a", "0", "/~-1",
         "/~~"});
}

TEST_CASE("relative-json-pointer: levels up, then a pointer or #") {
  Check("relative-json-pointer",
        {"0", "1", "0#", "10#", "0/foo/bar", "2/0/baz/1/zip", "120/foo/bar", "0/", "1/~0"},
        {"", "/foo", "-1", "-1/foo", "+1/foo", "01", "01/a", "01#", "0##", "0#/a", "#", "1a", "0/~",
         "1.5", "0+1", " 0"});
}

TEST_CASE("a text that must not have a format is one that every reading rejects") {
  const Limits limits = Limits::WithoutWork();
  Budget budget(limits);
  const std::pair<const char*, std::vector<const char*>> kOtherReadings[] = {
      {"date", {"0000-01-01", "2024-W01-1", "20240101", "2024-02-30", "2024-1-1"}},
      {"time", {"12:00", "24:00:00Z", "1:2:3", "T12:00:00", "12:00:00.5", "23:59:60+00:07"}},
      {"date-time", {"2024-01-01 00:00:00", "20240101T000000", "0000-01-01T00:00:00Z"}},
      {"duration", {"P1.5D", "-P1D", "P1Y2W", "p1d", "PT", "P1S"}},
      {"email", {"a@localhost", "\xC3\xA9@b.c", "a@b@c", "@"}},
      {"hostname", {"a_b", "example.com.", "xn--a", "\xC3\xA9.com", "1.2.3.4", ""}},
      {"ipv4", {"01.2.3.4", "1.2.3", "0x7f.1", "1.2.3.4/8", "256.1.1.1", "1"}},
      {"ipv6", {"fe80::1%eth0", "::1/64", "[::1]", "12345::", "::%25x"}},
      {"uuid",
       {"{2eb8aa08-aa98-11ea-b4aa-73b441d16380}", "2eb8aa08aa9811eab4aa73b441d16380",
        "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380"}},
      {"uri", {"a:b c", "http://\xC3\xA9", "a:", " http://x"}},
      {"json-pointer", {"#/a", "/~2", ""}},
      {"relative-json-pointer", {"0+1/a", "01", "0-1#"}},
  };
  for (const auto& reading : kOtherReadings) {
    const char* const format = reading.first;
    CAPTURE(format);
    const SharedDfa wide = WideFormatDfa(format);
    REQUIRE(wide != nullptr);
    for (const char* text : reading.second) CHECK_MESSAGE(HoldsText(*wide, text), text);
    CHECK(!HoldsText(*wide, "!"));
    const auto beyond = Subtract(*FormatDfa(format), *wide, budget);
    REQUIRE(beyond.ok());
    CHECK(IsEmpty(*beyond));
  }
  for (const char* format :
       {"uri-reference", "uri-template", "iri", "iri-reference", "idn-email", "idn-hostname"}) {
    CHECK(WideFormatDfa(format) == nullptr);
  }
}

TEST_CASE("formats of numbers are ranges of integers") {
  CHECK_EQ(KindOfFormat("int32"), FormatKind::kNumber);
  CHECK_EQ(KindOfFormat("double"), FormatKind::kNumber);
  const NumberConstraints int32 = FormatNumbers("int32");
  for (const char* text : {"2147483647", "-2147483648", "0", "1.0"}) {
    CHECK(Satisfies(ReadDecimal(text), int32));
  }
  for (const char* text : {"2147483648", "-2147483649", "1.5"}) {
    CHECK_FALSE(Satisfies(ReadDecimal(text), int32));
  }
  const NumberConstraints int64 = FormatNumbers("int64");
  CHECK(Satisfies(ReadDecimal("-9223372036854775808"), int64));
  CHECK(Satisfies(ReadDecimal("9223372036854775807"), int64));
  CHECK_FALSE(Satisfies(ReadDecimal("9223372036854775808"), int64));
  CHECK_EQ(FormatNumbers("float"), NumberConstraints{});
  CHECK_EQ(FormatNumbers("double"), NumberConstraints{});
}

TEST_CASE("names that are no format are unknown") {
  for (const char* name : {"color", "phone", "", "Date", "date_time", "ip-address"}) {
    CHECK_EQ(KindOfFormat(name), FormatKind::kUnknown);
  }
}

TEST_CASE("regex, where an automaton is needed: with groups at most two deep") {
  Check("regex", {"", "((a|b)+c)?", "(?=(a))b"}, {"(", "(((a)))", "(?<name>a)", "a**"});
}

TEST_CASE("a format is built once, whoever asks first") {
  std::vector<SharedDfa> seen(4);
  std::vector<std::thread> threads;
  for (SharedDfa& slot : seen) threads.emplace_back([&slot] { slot = FormatDfa("uuid"); });
  for (std::thread& thread : threads) thread.join();
  for (const SharedDfa& dfa : seen) CHECK_EQ(dfa, seen.front());
}

}  // namespace
}  // namespace sglrun::grammar
