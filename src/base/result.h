// Result<T, E>: a value or the reason why there is none. Errors are values: an error of one record
// is a RecordError (request/record_error.h), an error that ends the run is an Error, and bugs are
// found by CHECKs (base/check.h).
//
//   Result<Config> LoadConfig(const std::string& path) {
//     SGLRUN_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
//     if (text.empty()) return Error{path + " is empty"};
//     ...
//   }
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/shortage.h"

namespace sglrun {

// One sentence for the user: what was found, what was expected, what to do.
struct Error {
  std::string message;
  // If memory is missing: what for. cli then adds which options to lower.
  Shortage shortage = Shortage::kNone;
};

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : value_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(E error)
      : value_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return value_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CHECK(ok());
    return std::get<0>(value_);
  }
  const T& value() const& {
    CHECK(ok());
    return std::get<0>(value_);
  }
  T&& value() && {
    CHECK(ok());
    return std::get<0>(std::move(value_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const& {
    CHECK(!ok());
    return std::get<1>(value_);
  }
  E&& error() && {
    CHECK(!ok());
    return std::get<1>(std::move(value_));
  }

 private:
  std::variant<T, E> value_;
};

// Result without a value: success, or the reason.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const E& error() const& {
    CHECK(!ok());
    return *error_;
  }
  E&& error() && {
    CHECK(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<E> error_;
};

using Status = Result<void, Error>;

}  // namespace sglrun

#define SGLRUN_CONCAT_INNER(a, b) a##b
#define SGLRUN_CONCAT(a, b) SGLRUN_CONCAT_INNER(a, b)

// Leaves the function with the error of `expr`, if it has one.
#define SGLRUN_RETURN_IF_ERROR(expr)                                  \
  do {                                                                \
    auto sglrun_status = (expr);                                      \
    if (!sglrun_status.ok()) return std::move(sglrun_status).error(); \
  } while (false)

// Declares or assigns `lhs` with the value of `expr`, or leaves the function with its error.
#define SGLRUN_ASSIGN_OR_RETURN(lhs, expr) \
  SGLRUN_ASSIGN_OR_RETURN_IMPL(SGLRUN_CONCAT(sglrun_result_, __LINE__), lhs, expr)
#define SGLRUN_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                 \
  if (!tmp.ok()) return std::move(tmp).error();      \
  lhs = std::move(tmp).value()
