// Tracks which sequences use which pages of the key-value cache. Pages are reference counted:
// sequences with a common prefix share pages. Full pages are published under (previous page, 16
// token ids). They can be found after their last user has released them, until their memory is
// needed: the least recently used page is evicted first.
//
// Order of eviction: a sequence that holds a page also holds the page before it, and releases pages
// from the last to the first (ReleaseAll). A page therefore always becomes idle after the pages
// that follow it and is never evicted before them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/kv_cache.h"

namespace sglrun::engine {

using PageId = std::int32_t;
inline constexpr PageId kNoPage = -1;
// The page before the first one of a sequence: one for each adapter, so that sequences share pages
// within an adapter only.
inline PageId RootOf(std::int32_t adapter) {
  return kNoPage - 1 - adapter;
}

inline std::int64_t PagesFor(std::int64_t tokens) {
  return (tokens + kernels::kPageSize - 1) / kernels::kPageSize;
}

class BlockManager {
 public:
  using PageTokens = std::span<const std::int32_t, kernels::kPageSize>;

  explicit BlockManager(std::int64_t num_pages);

  std::int64_t num_pages() const { return static_cast<std::int64_t>(pages_.size()); }
  // Pages that Allocate can return: unused pages and idle pages of the cache.
  std::int64_t available() const { return static_cast<std::int64_t>(free_.size()) + idle_count_; }
  std::int64_t in_use() const { return num_pages() - available(); }

  // A page with one reference, or kNoPage. Evicts the least recently used idle page if it must.
  PageId Allocate();

  // Appends the published pages that hold the beginning of `tokens` (at most max_pages) after
  // `root` to `held` and takes a reference to each.
  void MatchPrefix(PageId root, std::span<const std::int32_t> tokens, std::int64_t max_pages,
                   std::vector<PageId>& held);

  // The published page with these tokens after the page `before`, or kNoPage.
  PageId Find(PageId before, PageTokens tokens) const;

  // Publishes a full page and returns the page that the caller holds from now on. It is another
  // page if the same content was published already: the caller's reference moves there, and its own
  // page becomes free.
  PageId Publish(PageId page, PageId before, PageTokens tokens);

  // Releases one reference to each page, last page first, and empties the list.
  void ReleaseAll(std::vector<PageId>& held);

  // Describes each page in use or cached in a line: "page 3: 1 user, after page 2".
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
