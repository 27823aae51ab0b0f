#include "jinja/object.h"

#include <vector>

namespace sglrun::jinja {

void Object::Free(const Object* object) {
  // Objects whose last reference has been released wait here until the outermost call frees them.
  thread_local std::vector<const Object*> waiting;
  thread_local bool freeing = false;
  if (freeing) {
    waiting.push_back(object);
    return;
  }
  freeing = true;
  delete object;
  while (!waiting.empty()) {
    const Object* next = waiting.back();
    waiting.pop_back();
    delete next;
  }
  freeing = false;
}

Mutable::Mutable(Registry& registry) : registry_(&registry), next_(registry.first_) {
  if (next_ != nullptr) next_->previous_ = this;
  registry.first_ = this;
}

Mutable::~Mutable() {
  if (registry_ == nullptr) return;
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : registry_->first_) = next_;
}

Mutable::Registry::~Registry() {
  std::vector<Ref<Mutable>> all;
  for (Mutable* object = first_; object != nullptr; object = object->next_)
    all.emplace_back(object);
  for (const Ref<Mutable>& object : all) object->Clear();
  for (const Ref<Mutable>& object : all) object->registry_ = nullptr;
}

}  // namespace sglrun::jinja
