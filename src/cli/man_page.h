// The manual page sglrun(1) in man(7) form, made from the tables of commands, options and fields.
#pragma once

#include <string>

namespace sglrun::cli {

std::string ManPage();

}  // namespace sglrun::cli
