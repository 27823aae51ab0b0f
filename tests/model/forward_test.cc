// A token's bits depend on its own row: not on the rows beside it, the chunks of its prompt, the
// threads, or on whether it was decoded or prefilled.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "model/model_runner.h"
#include "model/spec/plain_decoder.h"
#include "model/spec/rope.h"
#include "model/weights/available_memory.h"
#include "tests/rounds.h"

#include <doctest/doctest.h>

namespace sglrun::model {
namespace {

using Hidden = std::vector<std::vector<float>>;
using Tokens = std::vector<std::int32_t>;

std::string Golden(const std::string& name) {
  return std::string(SGLRUN_SOURCE_DIR) + "/tests/golden/models/" + name;
}

Tokens RandomTokens(std::size_t count, std::uint32_t seed, std::int64_t vocabulary = 250) {
  std::mt19937 random(seed);
  Tokens tokens(count);
  for (std::int32_t& token : tokens) {
    token = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(vocabulary));
  }
  return tokens;
}

// The shapes that make kernels split their work differently from the tiny goldens.
ModelSpec OddShapes() {
  ModelSpec spec = PlainDecoder({.hidden = 104,
                                 .inner = 168,
                                 .layers = 3,
                                 .heads = 6,
                                 .kv_heads = 2,
                                 .head_dim = 24,
                                 .vocab = 300,
                                 .context = 512});
  spec.ropes = {DefaultRope(10000.0, 24)};
  spec.tied_head = true;
  spec.layers[1].mixer.window = 20;
  spec.ropes.push_back(DefaultRope(1000.0, 24));
  spec.ropes[1].query_beta = 0.3;
  spec.ropes[1].query_period = 7;
  spec.layers[1].mixer.rope = 1;
  MoeSpec moe{.router = {.experts = 9, .chosen = 3, .renormalise = true}, .expert = {.inner = 40}};
  moe.shared = MlpSpec{.inner = 24};
  moe.shared_gate = true;
  spec.layers[0].moe = moe;
  LayerSpec& last = spec.layers[2];
  last.parallel = true;
  last.residual_scale = 0.7f;
  last.before_mixer->kind = kernels::NormKind::kLayer;
  last.mixer.rope = std::nullopt;
  last.mixer.softcap = 2.0f;
  last.mlp.activation = kernels::ActivationKind::kGelu;
  last.mlp.gated = false;
  spec.embedding_scale = 3.0f;
  spec.logit_softcap = 9.0f;
  return spec;
}

LoadedModel SyntheticModel(std::string_view isa, tensor::DType dtype, int threads) {
  LoadedModel loaded;
  loaded.pool = std::make_unique<ThreadPool>(threads);
  loaded.context = std::make_unique<kernels::KernelContext>(*loaded.pool);
  auto model = Model::Synthetic(OddShapes(), {.dtype = dtype, .backend = &BackendForTest(isa)},
                                *loaded.context);
  REQUIRE(model.ok());
  loaded.model = std::move(*model);
  return loaded;
}

struct Setting {
  std::string isa;
  tensor::DType dtype;

  tensor::DType cache() const {
    return dtype == tensor::DType::kF32 ? tensor::DType::kF32 : tensor::DType::kBF16;
  }
};

std::vector<Setting> Settings() {
  std::vector<Setting> settings;
  for (const std::string& isa : BackendNames()) {
    settings.push_back({isa, tensor::DType::kF32});
    settings.push_back({isa, tensor::DType::kBF16});
    settings.push_back({isa, tensor::DType::kI8});
    settings.push_back({isa, tensor::DType::kI4});
  }
  return settings;
}

Hidden Alone(const LoadedModel& loaded, const Setting& setting, const Tokens& tokens) {
  ModelRunner runner(*loaded.model, 1, static_cast<int>(tokens.size()), setting.cache());
  return runner.Prefill(0, tokens);
}

}  // namespace

TEST_CASE("a prompt in chunks of any size gives the bits of the prompt in one step") {
  const Tokens tokens = RandomTokens(75, 1);
  for (const Setting& setting : Settings()) {
    CAPTURE(setting.isa);
    CAPTURE(setting.dtype);
    const LoadedModel loaded = SyntheticModel(setting.isa, setting.dtype, 2);
    const Hidden whole = Alone(loaded, setting, tokens);
    for (const std::size_t chunk : {1u, 3u, 16u, 17u, 40u}) {
      CAPTURE(chunk);
      ModelRunner runner(*loaded.model, 1, 75, setting.cache());
      Hidden pieces;
      for (std::size_t begin = 0; begin < tokens.size(); begin += chunk) {
        const std::size_t end = std::min(begin + chunk, tokens.size());
        const Tokens piece(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                           tokens.begin() + static_cast<std::ptrdiff_t>(end));
        for (auto& row : runner.Prefill(0, piece)) pieces.push_back(std::move(row));
      }
      CHECK(pieces == whole);
    }
  }
}

TEST_CASE("a row alone gives the bits it gives among 64 shuffled rows") {
  for (const Setting& setting : Settings()) {
    CAPTURE(setting.isa);
    CAPTURE(setting.dtype);
    const LoadedModel loaded = SyntheticModel(setting.isa, setting.dtype, 2);
    std::vector<Tokens> rows;
    for (std::uint32_t r = 0; r < std::uint32_t{Rounds(64)}; ++r)
      rows.push_back(RandomTokens(3 + r * 7 % 41, r));
    std::vector<int> order = AllOf(rows.size());
    std::shuffle(order.begin(), order.end(), std::mt19937(7));

    // All prompts but their last two tokens in one ragged step, then two decode steps.
    ModelRunner runner(*loaded.model, 64, 48, setting.cache());
    std::vector<Feed> prompts, first, second;
    for (const int r : order) {
      const Tokens& tokens = rows[static_cast<std::size_t>(r)];
      prompts.push_back({r, Tokens(tokens.begin(), tokens.end() - 2), {}});
      first.push_back({r, {tokens[tokens.size() - 2]}, {0}});
      second.push_back({r, {tokens.back()}, {0}});
    }
    std::reverse(second.begin(), second.end());
    runner.Step(prompts);
    const Hidden before_last = runner.Step(first);
    Hidden last = runner.Step(second);
    std::reverse(last.begin(), last.end());

    int different = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Hidden alone = Alone(loaded, setting, rows[static_cast<std::size_t>(order[i])]);
      different += alone.back() != last[i] ? 1 : 0;
      different += alone[alone.size() - 2] != before_last[i] ? 1 : 0;
    }
    CHECK(different == 0);
  }
}

TEST_CASE("one thread and several give the same bits") {
  const Tokens tokens = RandomTokens(50, 3);
  for (const Setting& setting : Settings()) {
    CAPTURE(setting.isa);
    CAPTURE(setting.dtype);
    const Hidden one = Alone(SyntheticModel(setting.isa, setting.dtype, 1), setting, tokens);
    for (const int threads : {2, 3}) {
      CAPTURE(threads);
      CHECK(Alone(SyntheticModel(setting.isa, setting.dtype, threads), setting, tokens) == one);
    }
  }
}

TEST_CASE("wanting fewer hidden states changes none of them") {
  const Tokens tokens = RandomTokens(40, 4);
  for (const Setting& setting : Settings()) {
    CAPTURE(setting.isa);
    const LoadedModel loaded = SyntheticModel(setting.isa, setting.dtype, 2);
    const Hidden whole = Alone(loaded, setting, tokens);
    Tokens longer = tokens;
    longer.push_back(5);
    const std::vector<float> want_next = Alone(loaded, setting, longer).back();
    const std::vector<std::vector<int>> wanted_lists = {{39}, {0}, {0, 39}, {3, 4, 5, 20}, {}};
    for (const std::vector<int>& wanted : wanted_lists) {
      ModelRunner runner(*loaded.model, 1, 40, setting.cache());
      const Hidden some = runner.Step({{0, tokens, wanted}});
      REQUIRE(some.size() == wanted.size());
      for (std::size_t j = 0; j < wanted.size(); ++j) {
        CHECK(some[j] == whole[static_cast<std::size_t>(wanted[j])]);
      }
      // Keys and values of the last layer are stored all the same.
      const Hidden next = runner.Step({{0, {5}, {0}}});
      CHECK(next[0] == want_next);
    }
  }
}

TEST_CASE("logits of a row do not depend on the rows beside it") {
  for (const Setting& setting : Settings()) {
    CAPTURE(setting.isa);
    const LoadedModel loaded = SyntheticModel(setting.isa, setting.dtype, 2);
    const Hidden hidden = Alone(loaded, setting, RandomTokens(33, 5));
    ModelRunner runner(*loaded.model, 1, 16, setting.cache());
    std::vector<float> together_in, together(33 * 300);
    for (const auto& row : hidden) together_in.insert(together_in.end(), row.begin(), row.end());
    loaded.model->Logits(tensor::MakeView(together_in.data(), tensor::DType::kF32, {33, 104}), {},
                         tensor::MakeView(together.data(), tensor::DType::kF32, {33, 300}));
    for (std::size_t r = 0; r < 33; ++r) {
      const std::vector<float> alone = runner.Logits(hidden[r]);
      CHECK(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<long>(r) * 300));
    }
  }
}

TEST_CASE("input embeddings equal to a token's embedding give the token's bits") {
  const LoadedModel loaded = LoadForTest(Golden("llama_tied"), "ref");
  const std::int64_t width = loaded.model->spec().hidden_size;
  const Tokens tokens = RandomTokens(6, 6);
  const Tokens positions = {0, 1, 2, 3, 4, 5};
  const Tokens swapped = {tokens[0], 1, tokens[2], 1, tokens[4], tokens[5]};
  std::vector<float> embeds(static_cast<std::size_t>(2 * width));
  const std::vector<std::int32_t> ids = {tokens[3], tokens[1]};
  const auto view = tensor::MakeView(embeds.data(), tensor::DType::kF32, {2, width});
  loaded.model->Embed(ids, view);

  const auto run = [&](const Tokens& token_ids, const Tokens& embed_row) {
    auto cache =
        KvCache::Create(loaded.model->spec(), tensor::DType::kF32, 1, loaded.model->backend());
    REQUIRE(cache.ok());
    const Tokens start = {0, 6}, length = {6}, table = {0}, outputs = {5};
    std::vector<float> hidden(static_cast<std::size_t>(width));
    loaded.model->Forward({.token_ids = token_ids,
                           .positions = positions,
                           .positions_per_token = 1,
                           .query_start = start,
                           .kv_len = length,
                           .block_tables = table.data(),
                           .block_table_stride = 1,
                           .slots = positions,
                           .output_tokens = outputs,
                           .embed_row = embed_row,
                           .input_embeds = embed_row.empty() ? tensor::TensorView{} : view,
                           .from_drawn = {}},
                          *cache, tensor::MakeView(hidden.data(), tensor::DType::kF32, {1, width}));
    return hidden;
  };
  CHECK(run(swapped, {-1, 1, -1, 0, -1, -1}) == run(tokens, {}));
}

TEST_CASE("positions beyond the first table of angles are computed when they come") {
  const LoadedModel loaded = LoadForTest(Golden("llama_tied"), "ref");
  const Tokens tokens = RandomTokens(700, 8);
  ModelRunner whole(*loaded.model, 1, 704);
  const Hidden expected = whole.Step({{0, tokens, {699}}});
  ModelRunner grown(*loaded.model, 1, 704);
  grown.Step({{0, Tokens(tokens.begin(), tokens.begin() + 300), {}}});
  grown.Step({{0, Tokens(tokens.begin() + 300, tokens.begin() + 699), {}}});
  CHECK(grown.Step({{0, {tokens[699]}, {0}}}) == expected);
}

TEST_CASE("weights are counted in their resident form") {
  const LoadedModel f32 = LoadForTest(Golden("qwen3"), "ref", tensor::DType::kF32);
  const LoadedModel bf16 = LoadForTest(Golden("qwen3"), "ref", tensor::DType::kBF16);
  CHECK(f32.model->weight_bytes() > bf16.model->weight_bytes());
  auto files = ModelFiles::Open(Golden("qwen3"));
  REQUIRE(files.ok());
  CHECK(f32.model->weight_bytes() >= files->parameter_count() * 4);
}

TEST_CASE(
    "floats become int8 in groups of 64 where a backend has them and a row is a multiple, else of "
    "32") {
  auto files = ModelFiles::Open(std::string(SGLRUN_SOURCE_DIR) + "/samples/model");
  REQUIRE(files.ok());
  const ModelSpec& spec = files->spec();
  const std::int64_t inner = spec.layers[0].mlp.inner, h = spec.hidden_size;
  const std::int64_t q = spec.layers[0].mixer.query_width(), kv = spec.layers[0].mixer.key_width();
  REQUIRE(inner == 352);
  REQUIRE(spec.tied_head);
  kernels::Backend backend = **kernels::CpuBackend();
  // Bytes with groups of so many in the rows that 64 divides.
  const auto bytes = [&](std::int32_t group) {
    const auto matrix = [&](std::int64_t n, std::int64_t k, std::int32_t its_group) {
      return static_cast<std::int64_t>(
          backend.table.packed_weight_bytes(n, k, {tensor::DType::kI8, {its_group, false, false}}));
    };
    const std::int64_t layer = matrix(q + 2 * kv, h, group) + matrix(h, q, group) +
                               matrix(2 * inner, h, group) + matrix(h, inner, 32) + 2 * h * 4;
    return matrix(spec.vocab_size, h, group) +
           static_cast<std::int64_t>(spec.layers.size()) * layer + h * 4;
  };
  const LoadOptions options{.dtype = tensor::DType::kI8, .backend = &backend};
  CHECK(Model::WeightBytes(*files, options) == bytes(64));
  backend.wide_int8_groups = false;
  CHECK(Model::WeightBytes(*files, options) == bytes(32));
}

TEST_CASE("a synthetic model of impossible shapes is refused") {
  ThreadPool pool(1);
  kernels::KernelContext context(pool);
  ModelSpec spec = OddShapes();
  spec.layers[2].mixer.head_dim = 20;
  const auto model = Model::Synthetic(
      spec, {.dtype = tensor::DType::kF32, .backend = &kernels::RefBackend()}, context);
  REQUIRE_FALSE(model.ok());
  CHECK(model.error().message == "synthetic model: head_dim is 20, must be a multiple of 8");
  spec = PlainDecoder({.hidden = 1 << 20,
                       .inner = 1 << 22,
                       .layers = 4096,
                       .heads = 6,
                       .kv_heads = 2,
                       .head_dim = 24,
                       .vocab = 300,
                       .context = 512});
  const auto huge = Model::Synthetic(
      spec, {.dtype = tensor::DType::kF32, .backend = &kernels::RefBackend()}, context);
  REQUIRE_FALSE(huge.ok());
  CHECK(huge.error().message.find("are available") != std::string::npos);
}

TEST_CASE("a step of more memory than can be counted is refused") {
  ThreadPool pool(1);
  kernels::KernelContext context(pool);
  const auto model = Model::Synthetic(
      OddShapes(), {.dtype = tensor::DType::kF32, .backend = &kernels::RefBackend()}, context);
  REQUIRE(model.ok());
  // Times the columns and the bytes of a float, each of these wraps to little or nothing.
  for (const std::int64_t tokens : {std::int64_t{1} << 62, (std::int64_t{1} << 62) + 1,
                                    std::numeric_limits<std::int64_t>::max()}) {
    const Status reserved = (*model)->Reserve(tokens);
    REQUIRE_FALSE(reserved.ok());
    CHECK(reserved.error().message.find("tokens need 8388608.0 TiB") != std::string::npos);
  }
}

TEST_CASE("what may be taken is bounded by the limit of the process") {
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  constexpr std::int64_t kLeft = std::int64_t{256} << 20;
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + kLeft);
  REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
  const std::optional<std::int64_t> available = AvailableMemory();
  setrlimit(RLIMIT_AS, &before);
  REQUIRE(available.has_value());
  CHECK(*available <= kLeft);
}

}  // namespace sglrun::model
