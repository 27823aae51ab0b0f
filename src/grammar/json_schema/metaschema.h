// The metaschemas: the schemas of schemas, which a $ref may name although they are in no document.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sglrun::grammar {

// The metaschema of a draft from 4 on, or a vocabulary of it ("…/draft/2020-12/meta/core"), as JSON
// with all the constraints that the published one has, without its annotations. `uri` has no
// fragment; nullopt: it is no metaschema.
std::optional<std::string> MetaschemaText(std::string_view uri);

}  // namespace sglrun::grammar
