// What a validator may take for a text of a format, for values that must not be one: validators
// differ about formats far more than about anything else. Each pattern matches, as a whole, every
// text that we allow for the format and any that some reading of it might; so it asks only for what
// all readings share.
#pragma once

#include <string>

namespace sglrun::grammar {

std::string WideDatePattern();
std::string WideTimePattern();
std::string WideDateTimePattern();
std::string WideDurationPattern();
std::string WideEmailPattern();
std::string WideHostnamePattern();
std::string WideIpv4Pattern();
std::string WideIpv6Pattern();
std::string WideUuidPattern();
std::string WideUriPattern();
std::string WideJsonPointerPattern();
std::string WideRelativeJsonPointerPattern();

}  // namespace sglrun::grammar
