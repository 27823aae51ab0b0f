#include "engine/block_manager.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"
#include "base/hash.h"

namespace sglrun::engine {

BlockManager::BlockManager(std::int64_t num_pages) {
  CHECK(num_pages > 0 && num_pages < std::numeric_limits<PageId>::max()) << num_pages;
  const auto count = static_cast<std::size_t>(num_pages);
  pages_.resize(count);
  buckets_.assign(std::bit_ceil(count), kNoPage);
  free_.reserve(count);
  // Low pages first: memory that was never touched costs nothing.
  for (auto page = static_cast<PageId>(num_pages - 1); page >= 0; --page) free_.push_back(page);
}

std::size_t BlockManager::Bucket(PageId before, PageTokens tokens) const {
  std::uint64_t hash = static_cast<std::uint32_t>(before);
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    const std::uint64_t pair = (std::uint64_t{static_cast<std::uint32_t>(tokens[i])} << 32) |
                               static_cast<std::uint32_t>(tokens[i + 1]);
    hash = MixSeeds(hash, pair);
  }
  return hash & (buckets_.size() - 1);
}

PageId BlockManager::Allocate() {
  PageId page = kNoPage;
  if (!free_.empty()) {
    page = free_.back();
    free_.pop_back();
  } else if (idle_first_ != kNoPage) {
    page = idle_first_;
    RemoveIdle(page);
    Unpublish(page);
  } else {
    return kNoPage;
  }
  at(page).users = 1;
  return page;
}

PageId BlockManager::Find(PageId before, PageTokens tokens) const {
  PageId page = buckets_[Bucket(before, tokens)];
  while (page != kNoPage &&
         !(at(page).before == before && std::ranges::equal(at(page).tokens, tokens))) {
    page = at(page).next_in_bucket;
  }
  return page;
}

void BlockManager::MatchPrefix(PageId root, std::span<const std::int32_t> tokens,
                               std::int64_t max_pages, std::vector<PageId>& held) {
  PageId before = root;
  for (std::int64_t i = 0; i < max_pages; ++i) {
    const auto first = static_cast<std::size_t>(i * kernels::kPageSize);
    const PageId page = Find(before, tokens.subspan(first).first<kernels::kPageSize>());
    if (page == kNoPage) return;
    AddUser(page);
    held.push_back(page);
    before = page;
  }
}

PageId BlockManager::Publish(PageId page, PageId before, PageTokens tokens) {
  CHECK(at(page).users > 0) << "page " << page << " has no user";
  if (at(page).published) return page;
  const PageId known = Find(before, tokens);
  if (known != kNoPage) {
    AddUser(known);
    Release(page);
    return known;
  }
  Page& entry = at(page);
  entry.published = true;
  entry.before = before;
  std::ranges::copy(tokens, entry.tokens.begin());
  PageId& head = buckets_[Bucket(before, tokens)];
  entry.next_in_bucket = head;
  head = page;
  return page;
}

void BlockManager::Unpublish(PageId page) {
  Page& entry = at(page);
  PageId* link = &buckets_[Bucket(entry.before, entry.tokens)];
  while (*link != page) link = &at(*link).next_in_bucket;
  *link = entry.next_in_bucket;
  entry.published = false;
  entry.before = entry.next_in_bucket = kNoPage;
}

void BlockManager::AddUser(PageId page) {
  if (at(page).users++ == 0) RemoveIdle(page);
}

void BlockManager::Release(PageId page) {
  CHECK(at(page).users > 0) << "page " << page << " has no user";
  if (--at(page).users > 0) return;
  if (at(page).published) {
    AppendIdle(page);
  } else {
    free_.push_back(page);
  }
}

void BlockManager::ReleaseAll(std::vector<PageId>& held) {
  while (!held.empty()) {
    Release(held.back());
    held.pop_back();
  }
}

void BlockManager::AppendIdle(PageId page) {
  at(page).idle_previous = idle_last_;
  at(page).idle_next = kNoPage;
  (idle_last_ == kNoPage ? idle_first_ : at(idle_last_).idle_next) = page;
  idle_last_ = page;
  ++idle_count_;
}

void BlockManager::RemoveIdle(PageId page) {
  const PageId previous = at(page).idle_previous, next = at(page).idle_next;
  (previous == kNoPage ? idle_first_ : at(previous).idle_next) = next;
  (next == kNoPage ? idle_last_ : at(next).idle_previous) = previous;
  at(page).idle_previous = at(page).idle_next = kNoPage;
  --idle_count_;
}

std::string BlockManager::ToString() const {
  std::string out;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const Page& page = pages_[i];
    if (page.users == 0 && !page.published) continue;
    out += "page " + std::to_string(i) + ": " + std::to_string(page.users) +
           (page.users == 1 ? " user" : " users");
    if (page.published) {
      out += page.before < 0 ? ", first" : ", after page " + std::to_string(page.before);
    }
    out += "\n";
  }
  return out;
}

void BlockManager::CheckIntegrity(std::span<const std::vector<PageId>> tables) const {
  std::vector<std::int32_t> users(pages_.size(), 0);
  for (const auto& table : tables) {
    for (const PageId page : table) ++users[static_cast<std::size_t>(page)];
  }
  std::int64_t idle = 0, unused = 0;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const Page& page = pages_[i];
    CHECK(page.users == users[i]) << "page " << i << " counts " << page.users << " users, has "
                                  << users[i];
    idle += page.users == 0 && page.published;
    unused += page.users == 0 && !page.published;
    if (!page.published) continue;
    CHECK(Find(page.before, page.tokens) == static_cast<PageId>(i)) << "page " << i;
    if (page.before >= 0) {
      CHECK(at(page.before).published) << "page " << i << " outlives the page before it";
      CHECK(page.users == 0 || at(page.before).users > 0) << "page " << i;
    }
  }
  CHECK(idle == idle_count_ && unused == static_cast<std::int64_t>(free_.size()))
      << idle << " idle pages of " << idle_count_ << ", " << unused << " free of " << free_.size();
  std::int64_t listed = 0;
  for (PageId page = idle_first_; page != kNoPage; page = at(page).idle_next) ++listed;
  CHECK(listed == idle_count_) << listed << " of " << idle_count_ << " idle pages are listed";
}

}  // namespace sglrun::engine
