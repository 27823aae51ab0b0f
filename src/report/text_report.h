// The report for a terminal: curves as a line of blocks, bars beside their counts.
#pragma once

#include <cstddef>
#include <string>

#include "report/account.h"

namespace sglrun::report {

// Lines fit into the given number of columns, where names and messages can be broken.
std::string TextReport(const Account& account, std::size_t columns);

}  // namespace sglrun::report
