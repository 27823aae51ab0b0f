#include "run/launcher.h"

#include <charconv>
#include <string_view>

namespace sglrun::run {
namespace {

using Found = Result<std::optional<Launch>>;

// Slurm gives steps that are no steps of `srun` (the batch script, an interactive shell) the highest
// numbers.
constexpr std::int64_t kFirstSpecialStep = 0xfffffff0;

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

Result<std::int64_t> NumberIn(const Environment& environment, const char* variable) {
  const char* text = environment(variable);
  if (text == nullptr) {
    return Error{std::string("--shard auto: ") + variable + " is not set, must be a number"};
  }
  if (const auto number = ParseNumber(text)) return *number;
  return Error{std::string("--shard auto: ") + variable + " is \"" + text +
               "\", must be a number of at least 0"};
}

Found ByHand(const Environment& environment) {
  constexpr const char* kVariable = "SGLRUN_SHARD";
  const char* text = environment(kVariable);
  if (text == nullptr) return std::optional<Launch>();
  Launch launch{.launcher = kVariable, .index_variable = kVariable};
  if (const std::optional<Shard> shard = ParseShard(text)) {
    launch.index = shard->index;
    launch.number = shard->count;
  } else if (const auto index = ParseNumber(text)) {
    launch.index = *index;
  } else {
    return Error{std::string("--shard auto: ") + kVariable + " is \"" + text +
                 "\", must be I/N with I from 0 to N-1, or I"};
  }
  return std::optional(launch);
}

// A launcher that has the variable `index` and perhaps one for the number.
Found Simple(const Environment& environment, const char* name, const char* index,
             const char* number) {
  if (environment(index) == nullptr) return std::optional<Launch>();
  Launch launch{.launcher = name, .index_variable = index};
  SGLRUN_ASSIGN_OR_RETURN(launch.index, NumberIn(environment, index));
  if (number != nullptr) {
    SGLRUN_ASSIGN_OR_RETURN(launch.number, NumberIn(environment, number));
  }
  return std::optional(launch);
}

bool IsSlurmStep(const Environment& environment) {
  const char* text = environment("SLURM_STEP_ID");
  if (text == nullptr) return false;
  const auto id = ParseNumber(text);
  return id && *id < kFirstSpecialStep;
}

Found SlurmStep(const Environment& environment) {
  if (!IsSlurmStep(environment) || environment("SLURM_STEP_NUM_TASKS") == nullptr) {
    return std::optional<Launch>();
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t tasks, NumberIn(environment, "SLURM_STEP_NUM_TASKS"));
  if (tasks <= 1) return std::optional<Launch>();
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t rank, NumberIn(environment, "SLURM_PROCID"));
  if (environment("SLURM_ARRAY_TASK_ID") == nullptr) {
    return std::optional(Launch{"Slurm step", rank, tasks, "SLURM_PROCID"});
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t task, NumberIn(environment, "SLURM_ARRAY_TASK_ID"));
  return std::optional(Launch{"Slurm step in an array", task * tasks + rank, std::nullopt,
                              "SLURM_ARRAY_TASK_ID * SLURM_STEP_NUM_TASKS + SLURM_PROCID"});
}

Found SlurmStepOfOneTask(const Environment& environment) {
  if (!IsSlurmStep(environment)) return std::optional<Launch>();
  return std::optional(Launch{"Slurm step", 0, 1, "SLURM_STEP_ID"});
}

// Without this check, every job would process the share 0 in its script and nothing else.
Found SlurmScript(const Environment& environment) {
  if (environment("SLURM_JOB_ID") == nullptr || environment("SLURM_NTASKS") == nullptr) {
    return std::optional<Launch>();
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t tasks, NumberIn(environment, "SLURM_NTASKS"));
  if (tasks <= 1) return std::optional<Launch>();
  return Error{"--shard auto: SLURM_NTASKS is " + std::to_string(tasks) +
               ", and this is the script of the Slurm job, not one of its tasks; start it with "
               "srun"};
}

Found TorchRun(const Environment& environment) {
  if (environment("TORCHELASTIC_RUN_ID") == nullptr) return std::optional<Launch>();
  return Simple(environment, "torchrun", "RANK", "WORLD_SIZE");
}

}  // namespace

Result<std::optional<Launch>> FindLaunch(const Environment& environment) {
  using Finder = std::function<Found()>;
  const auto simple = [&](const char* name, const char* index, const char* number) {
    return [=, &environment] { return Simple(environment, name, index, number); };
  };
  const Finder finders[] = {
      [&] { return ByHand(environment); },
      simple("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
      [&] { return TorchRun(environment); },
      [&] { return SlurmStep(environment); },
      simple("MPICH", "PMI_RANK", "PMI_SIZE"),
      simple("Slurm array", "SLURM_ARRAY_TASK_ID", nullptr),
      [&] { return SlurmStepOfOneTask(environment); },
      [&] { return SlurmScript(environment); },
      simple("Kubernetes", "JOB_COMPLETION_INDEX", nullptr),
      simple("AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"),
  };
  for (const Finder& find : finders) {
    SGLRUN_ASSIGN_OR_RETURN(const std::optional<Launch> launch, find());
    if (launch) return std::optional(launch);
  }
  return std::optional<Launch>();
}

Result<Shard> ShardOfLaunch(const std::optional<Launch>& launch,
                            std::optional<std::int64_t> stated) {
  const std::string option = "--shard auto" + (stated ? "/" + std::to_string(*stated) : "");
  if (!launch) {
    return Error{option +
                 ": no variable of a launcher is set; start it with srun, mpirun or a job array, "
                 "set SGLRUN_SHARD, or give --shard I/N"};
  }
  const std::string found = launch->index_variable + " is " + std::to_string(launch->index);
  const std::optional<std::int64_t> number = stated ? stated : launch->number;
  if (!number) {
    return Error{option + ": " + found + ", but the number of processes is not known; say " +
                 "--shard auto/N"};
  }
  const bool by_hand = launch->index_variable == "SGLRUN_SHARD";
  if (by_hand && launch->number && *launch->number != *number) {
    return Error{option + ": SGLRUN_SHARD is " + Shard{launch->index, *launch->number}.ToString() +
                 ", must be a part of " + std::to_string(*number)};
  }
  if (launch->index >= *number) {
    return Error{option + ": " + found + ", must be less than " + std::to_string(*number)};
  }
  return Shard{launch->index, *number};
}

}  // namespace sglrun::run
