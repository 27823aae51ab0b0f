// Reference-counted objects of the template engine. Releasing the last reference frees an object.
// Chains of objects are freed in a loop, so that a template cannot exhaust the stack by releasing a
// list nested a million levels deep. Creating an object is charged to the meter, and its memory is
// counted while it lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "jinja/meter.h"

namespace sglrun::jinja {

class Object {
 public:
  Object() { Hold(kOwnBytes); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  void Retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void Release() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) Free(this);
  }

 protected:
  // Adds bytes that belong to the object and have just been written.
  void Hold(std::size_t bytes) {
    Meter::Bytes(bytes);
    held_.Grow(bytes);
  }

 private:
  // The approximate size of the object itself, including heap overhead.
  static constexpr std::size_t kOwnBytes = 64;

  static void Free(const Object* object);

  mutable std::atomic<std::uint32_t> count_ = 0;
  Held held_;
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(T* object) : object_(object) {  // NOLINT: implicit by design
    if (object_ != nullptr) object_->Retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  Ref(const Ref<U>& other) : Ref(static_cast<T*>(other.get())) {}  // NOLINT: implicit by design
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->Release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> MakeRef(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

// An object that can change after its creation and can therefore refer to itself. At its end a
// rendering clears all its mutable objects, which breaks reference cycles.
class Mutable : public Object {
 public:
  class Registry;
  explicit Mutable(Registry& registry);
  ~Mutable() override;
  virtual void Clear() = 0;

 private:
  Registry* registry_;
  Mutable* previous_ = nullptr;
  Mutable* next_ = nullptr;
};

class Mutable::Registry {
 public:
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry();

 private:
  friend class Mutable;
  Mutable* first_ = nullptr;
};

}  // namespace sglrun::jinja
