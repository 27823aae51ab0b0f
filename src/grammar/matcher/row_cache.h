// Finished masks by the shape of their frontier, the least recently used forgotten first. Safe to
// use from several threads.
#pragma once

#include <cstdint>
#include <list>
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
  // Writes the row and says what kind it is, when it is known.
  std::optional<Matcher::Mask> Find(const Shape& shape, std::span<std::uint32_t> words);
  void Add(const Shape& shape, Matcher::Mask kind, std::span<const std::uint32_t> words);
  std::size_t MemoryBytes() const;

 private:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  // Either all words or, when they are few, the ids.
  struct Row {
    Shape shape;
    Matcher::Mask kind = Matcher::Mask::kSome;
    std::vector<std::uint32_t> words;
    std::vector<std::int32_t> ids;

    std::size_t MemoryBytes() const {
      return sizeof *this + words.size() * sizeof(std::uint32_t) +
             ids.size() * sizeof(std::int32_t);
    }
  };
  struct HashShape {
    std::size_t operator()(const Shape& shape) const { return static_cast<std::size_t>(shape.a); }
  };

  mutable std::mutex mutex_;
  std::list<Row> rows_;  // the latest used first
  std::unordered_map<Shape, std::list<Row>::iterator, HashShape> by_shape_;
  std::size_t bytes_ = 0;
};

}  // namespace sglrun::grammar
