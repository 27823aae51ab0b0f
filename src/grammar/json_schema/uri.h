// URI references as $id and $ref use them (RFC 3986): split, resolved against a base, and the
// percent-encoding of fragments undone.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::grammar {

struct SplitUri {
  std::string_view before;    // without the fragment
  std::string_view fragment;  // after '#', still percent-encoded
  bool has_fragment = false;
};

SplitUri SplitFragment(std::string_view reference);

// `reference` (without a fragment) as seen from `base` (RFC 3986, 5.2). A base that is no absolute
// URI serves too: schemas often have an $id like "item.json".
std::string ResolveUri(std::string_view base, std::string_view reference);

// "%25" is "%"; what is no escape stays as it is.
std::string PercentDecode(std::string_view text);

}  // namespace sglrun::grammar
