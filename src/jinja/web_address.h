// The addresses that jinja2's `urlize` recognises; its rules differ from those of the web.
#pragma once

#include <string_view>

namespace sglrun::jinja {

// All of the text is an address with http://, https:// or www., or a domain that ends in .com,
// .net, .int, .edu, .gov, .org, .info or .mil. It holds no white space.
bool IsWebAddress(std::string_view text);
// user@domain.name, without white space.
bool IsMailAddress(std::string_view text);
// "tel:", "ftp://": the form of an additional scheme for urlize.
bool IsSchemePrefix(std::string_view text);

}  // namespace sglrun::jinja
