// Owning pointers for objects of PCRE2. The few files that use PCRE2 link PkgConfig::PCRE2.
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <string_view>

namespace sglrun {

template <auto Free>
struct PcreFreer {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using PcreCode = std::unique_ptr<pcre2_code, PcreFreer<pcre2_code_free>>;
using PcreMatchData = std::unique_ptr<pcre2_match_data, PcreFreer<pcre2_match_data_free>>;
using PcreCompileContext =
    std::unique_ptr<pcre2_compile_context, PcreFreer<pcre2_compile_context_free>>;
using PcreMatchContext = std::unique_ptr<pcre2_match_context, PcreFreer<pcre2_match_context_free>>;
using PcreJitStack = std::unique_ptr<pcre2_jit_stack, PcreFreer<pcre2_jit_stack_free>>;

inline PCRE2_SPTR PcreUnits(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace sglrun
