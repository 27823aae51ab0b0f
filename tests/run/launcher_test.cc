#include "run/launcher.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace sglrun::run {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Shard> ShardIn(const Variables& variables, std::optional<std::int64_t> stated = {}) {
  const Environment environment = [&variables](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  };
  SGLRUN_ASSIGN_OR_RETURN(const std::optional<Launch> launch, FindLaunch(environment));
  return ShardOfLaunch(launch, stated);
}

std::string Outcome(const Variables& variables, std::optional<std::int64_t> stated = {}) {
  const Result<Shard> shard = ShardIn(variables, stated);
  return shard.ok() ? shard->ToString() : shard.error().message;
}

const Variables kStep = {{"SLURM_JOB_ID", "7"},
                         {"SLURM_NTASKS", "4"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_STEP_NUM_TASKS", "4"},
                         {"SLURM_PROCID", "3"}};

Variables With(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

TEST_CASE("a launcher that knows index and number needs no more than auto") {
  CHECK_EQ(Outcome({{"SGLRUN_SHARD", "2/8"}}), "2/8");
  CHECK_EQ(Outcome({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "1/4");
  CHECK_EQ(Outcome({{"TORCHELASTIC_RUN_ID", "x"}, {"RANK", "5"}, {"WORLD_SIZE", "6"}}), "5/6");
  CHECK_EQ(Outcome(kStep), "3/4");
  CHECK_EQ(Outcome({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), "0/2");
  CHECK_EQ(Outcome({{"AWS_BATCH_JOB_ARRAY_INDEX", "9"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "10"}}),
           "9/10");
}

TEST_CASE("a job array needs a stated number") {
  for (const char* variable : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    CAPTURE(variable);
    CHECK_EQ(Outcome({{variable, "5"}}, 64), "5/64");
    CHECK_EQ(Outcome({{variable, "5"}}),
             "--shard auto: " + std::string(variable) +
                 " is 5, but the number of processes is not known; say --shard auto/N");
  }
  CHECK_EQ(Outcome({{"SGLRUN_SHARD", "5"}}, 64), "5/64");
  CHECK_EQ(Outcome(With(kStep, {{"SLURM_ARRAY_TASK_ID", "2"}}), 16), "11/16");
}

TEST_CASE("the first launcher of the table decides") {
  const Variables mpi = {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
  CHECK_EQ(Outcome(With(kStep, mpi)), "1/2");
  CHECK_EQ(Outcome(With(mpi, {{"SGLRUN_SHARD", "6/7"}})), "6/7");
  // Slurm sets the variables of PMI too.
  CHECK_EQ(Outcome(With(kStep, {{"PMI_RANK", "0"}, {"PMI_SIZE", "9"}})), "3/4");
  // Without torchrun, RANK is any variable.
  CHECK(Outcome({{"RANK", "5"}, {"WORLD_SIZE", "6"}}).starts_with("--shard auto: no variable"));
}

TEST_CASE("a Slurm job of one task is the whole run, the script of one with several is refused") {
  const Variables one = {{"SLURM_JOB_ID", "7"},
                         {"SLURM_NTASKS", "1"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_STEP_NUM_TASKS", "1"}};
  CHECK_EQ(Outcome(one), "0/1");
  const Variables script = {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}};
  for (const Variables& at : {script, With(script, {{"SLURM_STEP_ID", "4294967291"}})}) {
    CHECK_EQ(Outcome(at),
             "--shard auto: SLURM_NTASKS is 4, and this is the script of the Slurm job, not one of "
             "its tasks; start it with srun");
  }
  CHECK_EQ(Outcome(With(script, {{"SLURM_ARRAY_TASK_ID", "2"}}), 8), "2/8");
}

TEST_CASE("what a launcher says is checked, and the error names the variable") {
  CHECK_EQ(Outcome({{"SLURM_ARRAY_TASK_ID", "64"}}, 64),
           "--shard auto/64: SLURM_ARRAY_TASK_ID is 64, must be less than 64");
  CHECK_EQ(Outcome({{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}),
           "--shard auto: PMI_RANK is \"x\", must be a number of at least 0");
  CHECK_EQ(Outcome({{"OMPI_COMM_WORLD_RANK", "1"}}),
           "--shard auto: OMPI_COMM_WORLD_SIZE is not set, must be a number");
  CHECK_EQ(Outcome({{"SGLRUN_SHARD", "8/8"}}),
           "--shard auto: SGLRUN_SHARD is \"8/8\", must be I/N with I from 0 to N-1, or I");
  CHECK_EQ(Outcome({{"SGLRUN_SHARD", "1/8"}}, 4),
           "--shard auto/4: SGLRUN_SHARD is 1/8, must be a part of 4");
}

}  // namespace
}  // namespace sglrun::run
