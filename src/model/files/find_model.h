// Finds a model by its path, by the name of a repository in the Hugging Face cache on this machine,
// or by a part of the name of one of several GGUF files.
#pragma once

#include <string>

#include "base/result.h"

namespace sglrun::model {

struct FoundModel {
  std::string path;  // a Hugging Face directory or a GGUF file
  std::string name;  // "org/name" as typed, else the last part of the path
};

//   PATH                   a directory or a file; also what does not exist, for the reader of the files to refuse
//   PATH:PART              the GGUF file in a directory whose name contains PART, in any case
//   ORG/NAME               what refs/main of the repository in the cache stands for
//   ORG/NAME@REVISION      a branch, a tag or a commit (its first digits, where no other commit begins so)
//   ORG/NAME[@REVISION]:PART
// A directory that holds one GGUF model and no safetensors stands for it. The cache is where
// HF_HUB_CACHE says, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else
// ~/.cache/huggingface/hub. Reads no network. An error says what is there: the commits of a
// repository, the GGUF files of a directory; or how a repository is downloaded.
Result<FoundModel> FindModel(const std::string& given);

}  // namespace sglrun::model
