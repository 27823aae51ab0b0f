// Texts that some validator may accept as a format, for values that must not have it; validators
// disagree about formats more than about anything else. Each pattern matches every text that sglrun
// generates for the format and every text that some validator might accept, so it contains only the
// rules that all validators share.
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
