// Which page of the key-value cache belongs to whom. Pages are counted by reference: sequences with
// a common prefix hold the same pages. Full pages are published under (page before, 16 token ids)
// and stay findable after their last user has left, until their memory is needed: least recently
// used first.
//
// Order of eviction: who holds a page also holds the page before it and gives pages back from the
// last to the first (ReleaseAll), so a page always becomes idle after the pages that follow it and
// is never evicted before them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/kv_cache.h"

namespace sglrun::engine {

using PageId = std::int32_t;
inline constexpr PageId kNoPage = -1;  // also the page before a sequence's first

inline std::int64_t PagesFor(std::int64_t tokens) {
  return (tokens + kernels::kPageSize - 1) / kernels::kPageSize;
}

class BlockManager {
 public:
  using PageTokens = std::span<const std::int32_t, kernels::kPageSize>;

  explicit BlockManager(std::int64_t num_pages);

  std::int64_t num_pages() const { return static_cast<std::int64_t>(pages_.size()); }
  // Pages that Allocate can give: never used, or idle in the cache.
  std::int64_t available() const { return static_cast<std::int64_t>(free_.size()) + idle_count_; }
  std::int64_t in_use() const { return num_pages() - available(); }

  // A page with one reference, or kNoPage. Evicts the least recently used idle page if it must.
  PageId Allocate();

  // Appends the published pages that hold the beginning of `tokens` (at most max_pages) to `held`
  // and takes a reference to each.
  void MatchPrefix(std::span<const std::int32_t> tokens, std::int64_t max_pages,
                   std::vector<PageId>& held);

  // The published page with these tokens behind `before`, or kNoPage.
  PageId Find(PageId before, PageTokens tokens) const;

  // Makes a full page findable and gives the page the caller holds from now on: another one when
  // the same content was published already (the caller's reference moves, its page becomes free).
  PageId Publish(PageId page, PageId before, PageTokens tokens);

  // Gives one reference to each page back, last page first, and empties the list.
  void ReleaseAll(std::vector<PageId>& held);

  // "page 3: 1 user, behind 2, published" one line a page that is in use or cached.
  std::string ToString() const;
  // Fails a CHECK when counts, lists and table disagree. `tables`: the pages each user holds.
  void CheckIntegrity(std::span<const std::vector<PageId>> tables) const;

 private:
  struct Page {
    std::int32_t users = 0;
    bool published = false;
    PageId before = kNoPage;
    PageId next_in_bucket = kNoPage;
    PageId idle_previous = kNoPage, idle_next = kNoPage;  // least recently used first
    std::array<std::int32_t, kernels::kPageSize> tokens{};
  };

  Page& at(PageId page) { return pages_[static_cast<std::size_t>(page)]; }
  const Page& at(PageId page) const { return pages_[static_cast<std::size_t>(page)]; }
  std::size_t Bucket(PageId before, PageTokens tokens) const;
  void AddUser(PageId page);
  void Release(PageId page);
  void AppendIdle(PageId page);
  void RemoveIdle(PageId page);
  void Unpublish(PageId page);

  std::vector<Page> pages_;
  std::vector<PageId> free_;     // used as a stack
  std::vector<PageId> buckets_;  // heads of chains, size a power of two
  PageId idle_first_ = kNoPage, idle_last_ = kNoPage;
  std::int64_t idle_count_ = 0;
};

}  // namespace sglrun::engine
