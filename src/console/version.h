// What `sglrun --version` prints.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::console {

std::string_view Version();  // "0.1.0"

// Version, build type, the instruction sets this machine can run, and the backends built in.
std::string VersionText();

}  // namespace sglrun::console
