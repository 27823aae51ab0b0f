// How often a randomised test tries. The released build tries everything; builds with sanitizers, where a round
// takes some ten times as long, try a fifth of it: they look for what the sanitizers see, which shows early.
#pragma once

namespace sglrun {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SGLRUN_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SGLRUN_SANITIZED
#endif

constexpr int Rounds(int count) {
#if defined(SGLRUN_SANITIZED)
  return (count + 4) / 5;
#else
  return count;
#endif
}

#undef SGLRUN_SANITIZED

}  // namespace sglrun
