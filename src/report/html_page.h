// The page of `batch --report` and `sglrun report --html`: one file with everything in it, no
// script, light or dark as the reader's system is.
#pragma once

#include <string>

#include "report/account.h"

namespace sglrun::report {

std::string HtmlPage(const Account& account);

}  // namespace sglrun::report
