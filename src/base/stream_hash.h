// HashBytes of bytes that come piece by piece (in hash.cc, which knows the library).
#pragma once

#include <memory>
#include <string_view>

#include "base/hash.h"

namespace sglrun {

class StreamHash {
 public:
  StreamHash();
  ~StreamHash();
  StreamHash(const StreamHash&) = delete;
  StreamHash& operator=(const StreamHash&) = delete;

  void Add(std::string_view bytes);
  // HashBytes of all that was added, after which the next ones begin.
  Hash128 Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sglrun
