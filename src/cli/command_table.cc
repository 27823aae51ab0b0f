#include "cli/options.h"

namespace sglrun::cli {

const std::vector<CommandSpec>& CommandTable() {
  static const std::vector<CommandSpec> table = {
      {.command = Command::kBatch,
       .name = "batch",
       .operands = "INPUT...",
       .min_operands = 1,
       .max_operands = 100000,
       .line = "run every record of JSONL files and write the results in the same order",
       .text = "Each input line is the body of a /generate request: an object with `text` or "
               "`input_ids`, `sampling_params` and more (see `sglrun fields`). Each gives exactly "
               "one output line: the result, an array of results for a list of prompts or `n` "
               "above 1, or an error row at the record's place. Blank lines give nothing. INPUT "
               "may be `-` for standard input; gzip and zstd are recognised by content. Several "
               "inputs are one run, in the order given.\n"
               "\n"
               "Rows depend on the record, the model and the options alone: not on the order of "
               "the file, on neighbours, threads or shards. Records without a seed of their own "
               "draw from --seed, their prompt and the sampling parameters that hold for it: "
               "asking for logprobs or spelling out a default changes no answer. If the same "
               "prompt with the same parameters occurs several times, each occurrence gets a "
               "different sample, in the order of the lines.\n"
               "\n"
               "A run that was stopped, by a signal, a full disk or kill -9, goes on when the same "
               "command is given again. Rows are found again by content, so the input may have "
               "grown or been reordered meanwhile. Another model or other sampling options are "
               "refused unless --overwrite says so.\n"
               "\n"
               "A line may have 256 MiB, what it says may take 512 MiB of memory once it is read, "
               "and so "
               "may the results of one record. A record above that fails alone, on every machine.\n"
               "\n"
               "The exit code is 0 when every record was served, 1 when the run finished and some "
               "records failed, 2 when it could not start or go on, 130 or 143 when it was "
               "interrupted or terminated.",
       .examples = {{"sglrun batch prompts.jsonl -o results.jsonl -m ./model",
                     "Serves a file. The same command again continues a stopped run."},
                    {"sglrun batch prompts.jsonl -o results.jsonl.zst -m model.gguf "
                     "--set temperature=0 --set max_new_tokens=64",
                     "Greedy decoding where a record says nothing else, compressed output."},
                    {"cat prompts.txt | sglrun batch - --input-format text -m ./model "
                     "| jq -r .text",
                     "Every line of a text file is a prompt; results go down a pipe."},
                    {"sglrun batch all.jsonl -o part0.jsonl -m ./model --shard 0/2",
                     "The first of two processes; `sglrun merge` joins what they wrote."}}},
      {.command = Command::kPlan,
       .name = "plan",
       .operands = "INPUT...",
       .min_operands = 1,
       .max_operands = 100000,
       .line = "check what batch would do, without loading the weights",
       .text = "Reads, validates and tokenizes every record as `batch` would and says what a run "
               "takes: records, results, tokens, how records group into batches and why, memory, "
               "an estimate of the time, and every record error with its line. Every option of "
               "`batch` is accepted, so the word can be exchanged in a command line; nothing is "
               "written.\n"
               "\n"
               "The exit code is 1 when a record is wrong, else 0.",
       .examples = {{"sglrun plan prompts.jsonl -m ./model", "A report for people."},
                    {"sglrun plan prompts.jsonl -m ./model --json", "The same as one JSON object."},
                    {"sglrun plan prompts.jsonl -m ./model --records",
                     "The parameters every record ends up with, one line a record."}}},
      {.command = Command::kInspect,
       .name = "inspect",
       .operands = "MODEL",
       .min_operands = 1,
       .max_operands = 1,
       .line = "say what a model directory or GGUF file holds, and whether it can be run",
       .text = "Opens the model, verifies it, and prints architecture, sizes, types, tokenizer, "
               "stop tokens and what the chat template takes. The exit code is 0 when sglrun can "
               "run it and 1 when not; the reason "
               "is printed.",
       .examples = {{"sglrun inspect ./model", "A report for people."},
                    {"sglrun inspect model.gguf --json", "The same as JSON."}}},
      {.command = Command::kTokenize,
       .name = "tokenize",
       .operands = "[FILE]",
       .max_operands = 1,
       .line = "turn JSONL texts into token ids",
       .text =
           "Each line is a JSON string, or an object with `text` and optionally "
           "`add_special_tokens` (default true). It is answered by `input_ids` and `tokens`, or by "
           "`count` with --count. A wrong line gives an error row and the exit code 1; the rest "
           "goes on. Without FILE, standard input is read. The model needs no weights.",
       .examples = {{"echo '\"Hello world\"' | sglrun tokenize -m ./model", "The ids of one text."},
                    {"sglrun tokenize -m ./model texts.jsonl --count", "How long texts are."}}},
      {.command = Command::kDetokenize,
       .name = "detokenize",
       .operands = "[FILE]",
       .max_operands = 1,
       .line = "turn JSONL token ids into texts",
       .text = "Each line is a JSON array of ids, or an object with `input_ids` and optionally "
               "`skip_special_tokens` (default false). It is answered by `text`. A wrong line "
               "gives an error row and the exit code 1; the rest goes on.",
       .examples = {{"echo '[1, 2, 3]' | sglrun detokenize -m ./model", "The text of three ids."}}},
      {.command = Command::kTemplate,
       .name = "template",
       .operands = "[FILE]",
       .max_operands = 1,
       .line = "turn JSONL messages into prompts with a chat template",
       .text =
           "Each line is an object with `messages`, and optionally `tools`, `documents`, "
           "`add_generation_prompt` (default true), `continue_final_message` (the prompt ends with "
           "the text of the last message) and `chat_template`, a template for this line alone; "
           "`chat_template_kwargs` holds variables of the template, and any other member is one, "
           "too (`enable_thinking` and the like). It is answered by `text`, and with --input-ids "
           "by the `input_ids` of it. The template is the model's, or that of --template. A wrong "
           "line gives an error row and the exit code 1; the rest goes on.\n"
           "\n"
           "Templates are Jinja programs and render what the line says as Hugging Face "
           "transformers does; with --served they see messages as `batch` and a server prepare "
           "them. They read no files and end after a bounded number of steps.",
       .examples = {{"echo '{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}' | sglrun "
                     "template -m ./model",
                     "The prompt of one conversation."},
                    {"sglrun template chats.jsonl --template chat.jinja --now 2026-01-31T12:00:00",
                     "A template file without a model, at a fixed time."}}},
      {.command = Command::kChat,
       .name = "chat",
       .line = "talk with a model at the terminal, or get one answer in a pipe",
       .text = "At a terminal: type a message, see the answer as it is made, go on. /help lists "
               "the commands that set sampling parameters, take messages back, answer again, save "
               "and load, constrain answers by a schema or a pattern. \"\"\" opens a message of "
               "several lines and closes it, a paste is one message; Ctrl+C stops the answer, "
               "Ctrl+D leaves. Thoughts (up to --reasoning-end) are shown dim. What the model has "
               "read and written is not computed again as far as the template shows it unchanged, "
               "except up to 15 last tokens that fill no page of the cache.\n"
               "\n"
               "When standard input is no terminal, or with --file, all of it is one message; the "
               "answer, thoughts included, goes to standard output and nothing else does.\n"
               "\n"
               "An answer may be as long as the context has room, unless max_new_tokens is set. "
               "Answer k of a chat draws with --seed + k, so the same conversation goes the same "
               "way again; a sampling_seed that is set serves every answer, and /regen adds 1 to "
               "it. /export writes each answer as a line from which `sglrun batch` makes the same "
               "tokens, given the same model and the same options. /save overwrites only the file "
               "that it wrote before; /save! overwrites another one. Lines that were typed are "
               "kept in $XDG_STATE_HOME/sglrun/history, or ~/.local/state/sglrun/history.\n"
               "\n"
               "The exit code is 0, 2 when the chat could not start or could not answer its one "
               "message, 130 when the one answer was interrupted.",
       .examples = {{"sglrun chat -m ./model --set temperature=0.7", "A conversation."},
                    {"echo 'Why is the sky blue?' | sglrun chat -m ./model > answer.txt",
                     "One question, one answer."},
                    {"sglrun chat -m model.gguf -s 'Answer in one word.' -f question.txt",
                     "A system text, and the question in a file."}}},
      {.command = Command::kGrammar,
       .name = "grammar",
       .operands = "check [FILE]",
       .min_operands = 1,
       .max_operands = 2,
       .operand_choices = {"check"},
       .line = "try constraints on texts, without a model",
       .text =
           "Each line of FILE (or standard input) is an object with one of `json_schema`, `regex`, "
           "`ebnf` and `structural_tag`, and optionally `id`, `texts` (a list of strings) and "
           "`options` (the options of the group Grammar, with _ in place of -). It is answered by "
           "`status` (ok, invalid, unsupported, unsatisfiable, unreachable or too_large), a "
           "`message` with the place of a mistake, and for each text whether it is a member "
           "(`accepted`), begins one (`prefix_ok`) and where it leaves the language (`error_at`).\n"
           "\n"
           "With --tokenizer each text is also spelled in tokens, and the mask of allowed tokens "
           "is computed before each of them and before the end: `mask_ok` says whether the masks "
           "agree with the text, `mask_us` how long each took. A constraint that names tokens "
           "(`<[5]>`, any_tokens) says nothing about bytes: its texts are judged with a tokenizer "
           "only, and the name of a special token in them (<|im_end|>) stands for that token.\n"
           "\n"
           "The exit code is 0 when every line got a verdict, refused constraints included, 1 when "
           "a line was no valid request.",
       .examples = {{"echo '{\"regex\":\"[0-9]+\",\"texts\":[\"12\",\"1x\"]}' | sglrun grammar "
                     "check",
                     "Two texts against a regex."},
                    {"sglrun grammar check schemas.jsonl --tokenizer ./model --random-masks 5",
                     "Masks too, and five random ones against the slow reference."}}},
      {.command = Command::kBench,
       .name = "bench",
       .line = "measure prefill and decode speed",
       .text = "Runs a model, or random weights in a known shape, through the same engine as "
               "`batch` and prints tokens per second beside the memory bandwidth and arithmetic "
               "they amount to. Each figure is the median of --repeat runs. Decode is bound by "
               "memory: at one row its GB/s should be near what the machine can read.\n"
               "\n"
               "On the CPU a second line shows where the time of the threads went (of the last "
               "run, in JSON as prefill_shares and decode_shares, which add up to 1): products "
               "with weights and what is fused with them (the activation, most norms), attention, "
               "elementwise (other norms, rotation, storing keys and values), sampling, other "
               "(planning of steps), and waiting, of threads at barriers or without work.\n"
               "\n"
               "With --grammar it measures constrained decoding on the vocabulary of --tokenizer "
               "or --model, without weights: microseconds to compile a constraint, to fill a mask "
               "of allowed tokens where no text has been before and where one has, to accept a "
               "token, and to fill the masks of a step of 64 rows.",
       .examples = {{"sglrun bench --shape smollm2-135m", "Random weights, no download needed."},
                    {"sglrun bench -m ./model --batch-sizes 1,32 --json",
                     "A model of yours, as JSON."},
                    {"sglrun bench --tokenizer ./model --grammar constraints.jsonl",
                     "Constraints of yours on the model's vocabulary."}}},
      {.command = Command::kMerge,
       .name = "merge",
       .operands = "OUT...",
       .min_operands = 1,
       .max_operands = 100000,
       .line = "join the outputs of shards into one file in input order",
       .text = "Takes the result files that `batch --shard I/N` wrote, each with the run file "
               "beside it, and writes the rows as one run without shards would have written them. "
               "Outputs of different runs, missing shards, unfinished ones and repeated ones are "
               "refused by name.",
       .examples = {{"sglrun merge part0.jsonl part1.jsonl -o results.jsonl",
                     "Joins two shards."}}},
      {.command = Command::kReport,
       .name = "report",
       .operands = "OUT.run.json",
       .min_operands = 1,
       .max_operands = 1,
       .line = "show how a run went: speed over time, lengths, errors, the slowest records",
       .text =
           "Reads the run file that `batch` writes beside its output and prints its figures, or "
           "with --html writes them as a page. A stopped run has one too, about what was done. If "
           "a run continued an earlier one, charts and lists cover only the last part.",
       .examples = {{"sglrun report results.jsonl.run.json", "In the terminal."},
                    {"sglrun report results.jsonl.run.json --html run.html",
                     "As a page, the same as of `batch --report`."}}},
      {.command = Command::kFields,
       .name = "fields",
       .line = "list the request fields and sampling parameters",
       .text = "Prints name, kind, default, range and meaning of everything an input line may "
               "hold, or with --json-schema a JSON Schema (2020-12) of an input line for editors "
               "and validators.",
       .examples = {{"sglrun fields", "The table."},
                    {"sglrun fields --json-schema > request.schema.json", "The schema."}}},
      {.command = Command::kCompletion,
       .name = "completion",
       .operands = "SHELL",
       .min_operands = 1,
       .max_operands = 1,
       .operand_choices = {"bash", "zsh", "fish"},
       .line = "print a completion script for bash, zsh or fish",
       .text = "",
       .examples = {{"source <(sglrun completion bash)", "Completion in this shell."},
                    {"sglrun completion fish > ~/.config/fish/completions/sglrun.fish",
                     "Completion in fish from now on."}}},
      {.command = Command::kMan,
       .name = "man",
       .line = "print the manual page",
       .text = "",
       .examples = {{"sglrun man | man -l -", "Reads the manual where it is not installed."}}},
  };
  return table;
}

}  // namespace sglrun::cli
