#include "engine/scheduler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "fake_tokenizer.h"

namespace sglrun::engine {
namespace {

const FakeTokenizer& Tokenizer() {
  static const FakeTokenizer tokenizer = NumberedTokenizer(100);
  return tokenizer;
}

std::unique_ptr<Sequence> MakeSequence(std::vector<std::int32_t> prompt, std::int64_t max_new,
                                       GenerateRequest request = {}) {
  request.sampling = std::make_shared<SamplingParams>();
  StopRegexes regexes;
  auto stop = StopCriteria::Create(*request.sampling, max_new, {}, Tokenizer(), prompt, regexes);
  return std::make_unique<Sequence>(std::move(request), std::move(prompt),
                                    Sequence::Limits{.max_new_tokens = max_new, .vocab_size = 100},
                                    std::move(stop).value());
}

std::vector<std::int32_t> Prompt(std::int64_t count, std::int32_t start = 0) {
  std::vector<std::int32_t> tokens;
  for (std::int64_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<std::int32_t>((start + i) % 90));
  }
  return tokens;
}

// Runs steps as the engine would; a sequence's next token is (order + size) % 90.
struct World {
  World(std::int64_t pages, Scheduler::Limits limits) : blocks(pages), scheduler(limits, blocks) {}

  std::span<const PlannedRow> Step() {
    const auto rows = scheduler.Plan();
    last.assign(rows.begin(), rows.end());
    std::int64_t tokens = 0;
    for (const PlannedRow& row : last) {
      tokens += row.count;
      Sequence& sequence = *row.sequence;
      if (row.first + row.count == sequence.size()) {
        const auto next = static_cast<std::int64_t>(sequence.cache.order) + sequence.size();
        sequence.Append(static_cast<std::int32_t>(next % 90));
      }
      scheduler.Computed(sequence, row.first, row.count);
      total_computed += row.count;
      orders.push_back(sequence.cache.order);
      if (sequence.finish) {
        const auto removed = scheduler.Remove(sequence);
        finished[removed->cache.order] = {removed->tokens().begin(), removed->tokens().end()};
      }
    }
    most_tokens = std::max(most_tokens, tokens);
    scheduler.CheckIntegrity();
    return last;
  }
  void RunAll() {
    for (int i = 0; scheduler.HasWork(); ++i) {
      REQUIRE(i < 10'000);
      Step();
    }
  }

  BlockManager blocks;
  Scheduler scheduler;
  std::vector<PlannedRow> last;
  std::vector<std::uint64_t> orders;
  std::map<std::uint64_t, std::vector<std::int32_t>> finished;
  std::int64_t total_computed = 0, most_tokens = 0;
};

TEST_CASE("prompts are computed in chunks of the token budget while others decode") {
  World world(64, {.max_rows = 4, .max_batch_tokens = 16});
  world.scheduler.Submit(MakeSequence(Prompt(4, 1), 20));
  world.Step();
  world.scheduler.Submit(MakeSequence(Prompt(40, 7), 2));
  const auto rows = world.Step();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].count == 1);
  CHECK(rows[1].count == 15);
  world.Step();
  CHECK(world.last[1].first == 15);
  CHECK(world.last[1].count == 15);
  world.RunAll();
  CHECK(world.most_tokens <= 16);
  CHECK(world.finished.size() == 2);
}

TEST_CASE("no more than max_rows sequences run, in order of submission") {
  World world(64, {.max_rows = 2, .max_batch_tokens = 64});
  for (int i = 0; i < 5; ++i) world.scheduler.Submit(MakeSequence(Prompt(3, i * 10), 3));
  CHECK(world.Step().size() == 2);
  CHECK(world.scheduler.running() == 2);
  CHECK(world.scheduler.waiting() == 3);
  world.RunAll();
  CHECK(world.orders.front() == 0);
  CHECK(world.orders.back() == 4);
}

TEST_CASE("equal prompts wait for the first and compute the common pages once") {
  World world(64, {.max_rows = 8, .max_batch_tokens = 20});
  for (int i = 0; i < 4; ++i) world.scheduler.Submit(MakeSequence(Prompt(50), 2));
  world.scheduler.Submit(MakeSequence(Prompt(5, 60), 2));  // passes the ones that wait
  world.Step();
  CHECK(world.scheduler.running() == 1);
  world.Step();
  world.Step();
  CHECK(world.scheduler.running() >= 2);
  world.RunAll();
  // 3 full pages of 50 tokens once, the last 2 tokens and one generated token four times.
  CHECK(world.total_computed == 48 + 4 * 3 + 6);
  CHECK(world.scheduler.cached_tokens() == 3 * 48);
}

TEST_CASE("a prefix is taken from the cache long after its first user") {
  World world(64, {.max_rows = 8, .max_batch_tokens = 64});
  world.scheduler.Submit(MakeSequence(Prompt(40), 1));
  world.RunAll();
  auto prompt = Prompt(40);
  prompt[38] = 77;
  world.scheduler.Submit(MakeSequence(prompt, 1));
  world.RunAll();
  CHECK(world.total_computed == 40 + 8);
}

TEST_CASE("whole cached prompts still compute their last token") {
  World world(64, {.max_rows = 8, .max_batch_tokens = 64});
  for (int i = 0; i < 2; ++i) world.scheduler.Submit(MakeSequence(Prompt(32), 1));
  world.RunAll();
  CHECK(world.total_computed == 32 + 16);
}

TEST_CASE("a prefix is computed once, however many records lie between those that share it") {
  // 60 groups of 8 prompts that share 48 tokens, two halves of each a further 16; the cache holds a
  // few groups only.
  struct Member {
    int group, member;
  };
  std::vector<Member> members;
  for (int group = 0; group < 60; ++group) {
    for (int member = 0; member < 8; ++member) members.push_back({group, member});
  }
  std::mt19937 random(3);
  std::ranges::shuffle(members, random);
  World world(60, {.max_rows = 4, .max_batch_tokens = 64});
  for (const Member& m : members) {
    std::vector<std::int32_t> prompt(48, m.group);
    prompt.insert(prompt.end(), 16, 60 + m.member / 4);
    prompt.insert(prompt.end(), 4, 70 + m.member);
    world.scheduler.Submit(MakeSequence(std::move(prompt), 2));
  }
  world.RunAll();
  CHECK(world.finished.size() == members.size());
  // What is shared, each record's last 4 tokens, and its first generated one.
  CHECK(world.total_computed == 60 * (48 + 2 * 16) + 480 * (4 + 1));
}

TEST_CASE("a record that shares nothing is not passed by for ever") {
  World world(64, {.max_rows = 1, .max_batch_tokens = 64});
  const auto submit = [&](int tail) {
    std::vector<std::int32_t> prompt = Prompt(20);
    prompt.push_back(tail % 90);
    world.scheduler.Submit(MakeSequence(std::move(prompt), 1));
  };
  submit(0);
  submit(1);
  world.scheduler.Submit(MakeSequence(Prompt(3, 50), 1));
  // One that shares comes for each that leaves.
  int steps = 0;
  for (; !world.finished.contains(2); ++steps) {
    REQUIRE(steps < 10'000);
    submit(steps);
    world.Step();
  }
  CHECK(steps > 100);
  world.RunAll();
}

TEST_CASE("prompts of embeddings share nothing") {
  World world(64, {.max_rows = 8, .max_batch_tokens = 64});
  GenerateRequest embeds;
  embeds.input_embeds = std::make_shared<EmbeddingRows>();
  for (const GenerateRequest& request : {embeds, GenerateRequest{}, embeds, embeds}) {
    world.scheduler.Submit(MakeSequence(std::vector<std::int32_t>(40, 1), 1, request));
    world.RunAll();
  }
  CHECK(world.total_computed == 4 * 40);
}

TEST_CASE("rows that are wanted are computed, the prefix before them is shared") {
  World world(64, {.max_rows = 8, .max_batch_tokens = 64});
  world.scheduler.Submit(MakeSequence(Prompt(60), 1));
  world.RunAll();
  GenerateRequest hidden;
  hidden.return_hidden_states = HiddenStates::kAll;
  world.scheduler.Submit(MakeSequence(Prompt(60), 1, hidden));
  CHECK(world.Step()[0].first == 0);
  GenerateRequest logprobs;
  logprobs.return_logprob = true;
  logprobs.logprob_start_len = 37;
  world.scheduler.Submit(MakeSequence(Prompt(60), 1, logprobs));
  CHECK(world.Step()[0].first == 32);
  GenerateRequest output_only;
  output_only.return_logprob = true;
  world.scheduler.Submit(MakeSequence(Prompt(60), 1, output_only));
  CHECK(world.Step()[0].first == 48);
}

TEST_CASE("when pages run out the youngest is computed again, and all finish the same") {
  std::map<std::uint64_t, std::vector<std::int32_t>> expected;
  for (const std::int64_t pages : {400, 12}) {
    World world(pages, {.max_rows = 8, .max_batch_tokens = 32});
    for (int i = 0; i < 12; ++i) {
      world.scheduler.Submit(MakeSequence(Prompt(5 + i * 3, i * 7), 90 + i));
    }
    world.RunAll();
    CHECK((world.scheduler.preemptions() > 0) == (pages == 12));
    if (expected.empty()) expected = world.finished;
    CHECK(world.finished == expected);
    CHECK(world.blocks.in_use() == 0);
  }
}

TEST_CASE("random sequences all finish in a small cache") {
  std::mt19937 random(5);
  World world(16, {.max_rows = 6, .max_batch_tokens = 24});
  for (int i = 0; i < 200; ++i) {
    const auto prompt = Prompt(1 + random() % 100, static_cast<std::int32_t>(random() % 3) * 30);
    world.scheduler.Submit(MakeSequence(prompt, 1 + random() % 100));
    if (random() % 3 == 0) world.Step();
  }
  world.RunAll();
  CHECK(world.finished.size() == 200);
  CHECK(world.most_tokens <= 24);
}

TEST_CASE("what is given up leaves its full pages for others, and nothing else") {
  World world(64, {.max_rows = 1, .max_batch_tokens = 64});
  world.scheduler.Submit(MakeSequence(Prompt(40), 20));
  world.scheduler.Submit(MakeSequence(Prompt(20, 50), 20));  // waits
  for (int i = 0; i < 10; ++i) world.Step();                 // 40 + 9 tokens are in the cache
  world.scheduler.CancelAll();
  CHECK_FALSE(world.scheduler.HasWork());
  CHECK(world.blocks.in_use() == 0);
  world.scheduler.CheckIntegrity();
  world.scheduler.Submit(MakeSequence(Prompt(40), 1));
  world.Step();
  CHECK(world.last[0].first == 32);
}

TEST_CASE("the dump tells state, progress and pages") {
  World world(8, {.max_rows = 1, .max_batch_tokens = 8});
  world.scheduler.Submit(MakeSequence(Prompt(20), 2));
  world.scheduler.Submit(MakeSequence(Prompt(3, 50), 2));
  world.Step();
  CHECK(world.scheduler.ToString() ==
        "running 0: 8 of 20 tokens, next 8, pages 0 1\nwaiting 1: 0 of 3 tokens, next 0, pages\n");
}

TEST_CASE(
    "a step is planned ahead for the token of an unread draw, and leaves the sequence as it was") {
  World world(64, {.max_rows = 4, .max_batch_tokens = 16});
  world.scheduler.Submit(MakeSequence(Prompt(16), 8));
  world.scheduler.Submit(MakeSequence(Prompt(3, 40), 8));
  const auto first = world.scheduler.Plan();
  std::vector<PlannedRow> rows(first.begin(), first.end());
  REQUIRE(rows.size() == 1);  // the second waits for the token budget
  Sequence& sequence = *rows[0].sequence;
  world.scheduler.Computed(sequence, 0, 16);
  const std::vector<Sequence*> drawn = {nullptr, &sequence};
  const auto ahead = world.scheduler.PlanAhead(drawn);
  REQUIRE(ahead.size() == 2);
  CHECK(ahead[0].sequence == &sequence);
  CHECK(ahead[0].first == 16);
  CHECK(ahead[0].count == 1);
  CHECK(ahead[0].drawn_row == 1);
  CHECK(ahead[1].first == 0);
  CHECK(ahead[1].count == 3);
  CHECK(ahead[1].drawn_row == -1);
  CHECK(sequence.size() == 16);
  CHECK(sequence.cache.pages.size() == 2);
}

TEST_CASE("no step is planned ahead where a sequence would have to give its pages back") {
  World world(1, {.max_rows = 4, .max_batch_tokens = 64});
  world.scheduler.Submit(MakeSequence(Prompt(16), 1));
  Sequence& sequence = *world.scheduler.Plan()[0].sequence;
  world.scheduler.Computed(sequence, 0, 16);
  const std::vector<Sequence*> drawn = {&sequence};
  CHECK(world.scheduler.PlanAhead(drawn).empty());
  CHECK(sequence.cache.pages.size() == 1);
}

}  // namespace
}  // namespace sglrun::engine
