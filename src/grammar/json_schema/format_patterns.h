// The formats as regular expressions that match a whole text, with the grammar each comes from.
#pragma once

#include <string>

namespace sglrun::grammar {

std::string DatePattern();      // RFC 3339 full-date, real dates of the Gregorian calendar
std::string TimePattern();      // RFC 3339 full-time
std::string DateTimePattern();  // RFC 3339 date-time
std::string DurationPattern();  // RFC 3339 appendix A
std::string EmailPattern();     // RFC 5321 Mailbox
std::string HostnamePattern();  // RFC 1123 2.1, without the limit of the whole length
std::string IdnEmailPattern();  // RFC 6531 Mailbox
// RFC 5890: up to four labels, those with letters beyond ASCII of up to eight characters.
std::string IdnHostnamePattern();
std::string Ipv4Pattern();  // RFC 2673 dotted-quad
std::string Ipv6Pattern();  // RFC 4291 2.2
std::string UuidPattern();  // RFC 4122
std::string UriPattern();   // RFC 3986 URI
std::string UriReferencePattern();
std::string IriPattern();  // RFC 3987 IRI, without blanks and invisible characters
std::string IriReferencePattern();
std::string UriTemplatePattern();          // RFC 6570
std::string JsonPointerPattern();          // RFC 6901
std::string RelativeJsonPointerPattern();  // without index manipulation

std::string Base64Pattern();  // RFC 4648 section 4: for contentEncoding

}  // namespace sglrun::grammar
