// Shell completion, made from the tables.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::cli {

// `shell`: bash, zsh or fish.
std::string CompletionScript(std::string_view shell);

}  // namespace sglrun::cli
