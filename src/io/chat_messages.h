// The messages of a conversation as clients of chat APIs send them, made into what chat templates
// were written for.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "request/record_error.h"

namespace sglrun::io {

// * A part of a content that is no text (an image, a sound) is an error that names it.
// * Members that are null are left out, as if nobody had written them; a content that is null (an
//   answer of calls alone) is an empty text.
// * The arguments of calls become the objects that their JSON texts spell, which templates print.
// Anything that is no array of objects stays for the template to refuse.
Result<void, RecordError> TidyMessages(Json& messages);

}  // namespace sglrun::io
