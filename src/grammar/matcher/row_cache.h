// Finished masks by the shape of their frontier; the least recently used is dropped first.
// Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/matcher/matcher.h"
#include "grammar/matcher/stacks.h"

namespace sglrun::grammar {

class RowCache {
 public:
  struct Known {
    Matcher::Mask kind = Matcher::Mask::kSome;
    std::int64_t work = 0;  // steps that finding it took
  };
  // Writes the row and returns what is known about it, if it is cached.
  std::optional<Known> Find(const Shape& shape, std::span<std::uint32_t> words);
  void Add(const Shape& shape, const Known& known, std::span<const std::uint32_t> words);
  // Rows are dropped above this number of bytes.
  void Bound(std::size_t most_bytes);
  std::size_t MemoryBytes() const;

 private:
  // Rows of one grammar are much alike: places inside strings differ in the few tokens that end
  // them. A new row is compared with the last rows that were stored whole, at most this number.
  static constexpr std::size_t kMostBases = 4;

  using Words = std::vector<std::uint32_t>;

  // The bits of `flipped`, in nothing or in a whole row that others may share.
  struct Row {
    Shape shape;
    Known known = {};
    std::shared_ptr<const Words> base = nullptr;
    std::vector<std::int32_t> flipped = {};

    std::size_t OwnBytes() const { return sizeof *this + flipped.size() * sizeof(std::int32_t); }
  };
  struct HashShape {
    std::size_t operator()(const Shape& shape) const { return static_cast<std::size_t>(shape.a); }
  };

  void StoreBy(std::span<const std::uint32_t> words, Row& row);
  void Forget();

  mutable std::mutex mutex_;
  std::list<Row> rows_;  // the latest used first
  std::unordered_map<Shape, std::list<Row>::iterator, HashShape> by_shape_;
  std::vector<std::weak_ptr<const Words>> bases_;  // the latest used first
  std::size_t bytes_ = 0, most_bytes_ = std::size_t{8} << 20;
};

}  // namespace sglrun::grammar
