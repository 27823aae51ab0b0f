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
       .text = "Each input line is a record: the body of a /generate request, an object with "
               "`text` or `input_ids`, `sampling_params` and other fields (see `sglrun fields`). "
               "Each record gives exactly one output line: the result, an array of results for a "
               "list of prompts or `n` above 1, or an error row. Blank lines are ignored. INPUT "
               "may be `-` for standard input. Files compressed with gzip or zstd are recognised "
               "by their content. Several inputs form one run, in the given order.\n"
               "\n"
               "A row depends on its record, the model and the options, not on threads, shards or "
               "records with another prompt. The seed of a record without sampling_seed is "
               "computed from --seed, the prompt and the effective sampling parameters. "
               "Requesting logprobs or stating a default explicitly does not change an answer. "
               "If the same prompt with the same parameters occurs several times, the first "
               "occurrence gets sample 0, the second sample 1, in the order of the lines.\n"
               "\n"
               "A run that was stopped by a signal, a full disk or kill -9 continues if the same "
               "command is given again. Rows are matched to records by content, so records may "
               "have been added or reordered in between. A run cannot be continued with another "
               "model or other sampling options; --overwrite starts over.\n"
               "\n"
               "A line may have up to 256 MiB, a parsed record may take up to 512 MiB of memory, "
               "and so may its results. A record that exceeds a limit fails; the others are not "
               "affected. The limits are the same on every machine.\n"
               "\n"
               "The exit code is 0 if every record was processed successfully, 1 if the run "
               "finished but some records failed (0 with --failed-ok), 2 if the run could not "
               "start or could not "
               "continue, and 130 or 143 if it was interrupted or terminated.",
       .examples =
           {{"sglrun batch prompts.jsonl -o results.jsonl -m ./model",
             "Runs a file. The same command continues a stopped run."},
            {"sglrun batch prompts.jsonl -o results.jsonl.zst -m model.gguf "
             "--set temperature=0 --set max_new_tokens=64",
             "Greedy decoding unless a record states its own temperature, compressed output."},
            {"cat prompts.txt | sglrun batch - --input-format text -m ./model "
             "| jq -r .text",
             "Every line of a text file is a prompt; results go to a pipe."},
            {"sglrun batch all.jsonl -o part0.jsonl -m ./model --shard 0/2",
             "The first of two processes; `sglrun merge` joins their outputs."}}},
      {.command = Command::kPlan,
       .name = "plan",
       .operands = "INPUT...",
       .min_operands = 1,
       .max_operands = 100000,
       .line = "check what batch would do, without loading the weights",
       .text = "Reads, validates and tokenizes every record as `batch` does, and reports what a "
               "run would take: records, results, tokens, how records are grouped into batches and "
               "why, memory, an estimate of the time, and every record error with its line. All "
               "options of `batch` are accepted, so `batch` can be replaced by `plan` in a command "
               "line. Nothing is written.\n"
               "\n"
               "The exit code is 1 if a record is invalid, else 0.",
       .examples = {{"sglrun plan prompts.jsonl -m ./model", "A report for people."},
                    {"sglrun plan prompts.jsonl -m ./model --json", "The same as one JSON object."},
                    {"sglrun plan prompts.jsonl -m ./model --records",
                     "The effective parameters, one line per record."}}},
      {.command = Command::kInspect,
       .name = "inspect",
       .operands = "MODEL",
       .min_operands = 1,
       .max_operands = 1,
       .line = "describe a model directory or GGUF file, and say whether it can be run",
       .text = "Opens and verifies the model, and prints its architecture, sizes, types, "
               "tokenizer, stop tokens and what its chat template accepts. The exit code is 0 if "
               "sglrun can run the model. Otherwise the reason is printed and the exit code is 1.",
       .examples = {{"sglrun inspect ./model", "A report for people."},
                    {"sglrun inspect model.gguf --json", "The same as JSON."}}},
      {.command = Command::kTokenize,
       .name = "tokenize",
       .operands = "[FILE]",
       .max_operands = 1,
       .line = "turn JSONL texts into token ids",
       .text = "Each line is a JSON string, or an object with `text` and optionally "
               "`add_special_tokens` (default true). The output line has `input_ids` and `tokens`, "
               "or `count` with --count. An invalid line gives an error row and the exit code 1; "
               "the other lines are processed. Without FILE, standard input is read. The model "
               "needs no weights.",
       .examples = {{"echo '\"Hello world\"' | sglrun tokenize -m ./model", "The ids of one text."},
                    {"sglrun tokenize -m ./model texts.jsonl --count",
                     "The number of tokens of each text."}}},
      {.command = Command::kDetokenize,
       .name = "detokenize",
       .operands = "[FILE]",
       .max_operands = 1,
       .line = "turn JSONL token ids into texts",
       .text = "Each line is a JSON array of ids, or an object with `input_ids` and optionally "
               "`skip_special_tokens` (default false). The output line has `text`. An invalid line "
               "gives an error row and the exit code 1; the other lines are processed.",
       .examples = {{"echo '[1, 2, 3]' | sglrun detokenize -m ./model", "The text of three ids."}}},
      {.command = Command::kTemplate,
       .name = "template",
       .operands = "[FILE]",
       .max_operands = 1,
       .line = "turn JSONL messages into prompts with a chat template",
       .text = "Each line is an object with `messages`, and optionally `tools`, `documents`, "
               "`add_generation_prompt` (default true), `continue_final_message` (the prompt ends "
               "with the text of the last message) and `chat_template` (a template for this line "
               "alone). The members of `chat_template_kwargs` are variables of the template, and "
               "so are all other members of the line, such as `enable_thinking`. The output line "
               "has `text`, and with --input-ids also `input_ids`. The template is that of the "
               "model or of --template. With --template no model is needed; the lines then state "
               "the special tokens (`bos_token`, `eos_token`). An invalid line gives an error row "
               "and the exit code 1; "
               "the other lines are processed.\n"
               "\n"
               "Templates are Jinja programs. They receive the messages unchanged, as in Hugging "
               "Face transformers; with --served the messages are prepared as in `batch` and in a "
               "server. Templates cannot read files, and they end after a bounded number of steps.",
       .examples = {{"echo '{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}' | sglrun "
                     "template -m ./model",
                     "The prompt of one conversation."},
                    {"sglrun template chats.jsonl --template chat.jinja --now 2026-01-31T12:00:00",
                     "A template file without a model, at a fixed time."}}},
      {.command = Command::kChat,
       .name = "chat",
       .line = "chat with a model at the terminal, or get one answer in a pipe",
       .text =
           "At a terminal, type a message; the answer is shown while it is generated. /help lists "
           "the commands: they set sampling parameters, remove messages, answer again, save and "
           "load, and constrain answers by a schema or a pattern. \"\"\" starts and ends a message "
           "of several lines, and pasted lines are one message. Ctrl+C stops the answer, Ctrl+D "
           "ends the chat. Thoughts (up to --reasoning-end) are shown dimmed. The part of the "
           "prompt that the template leaves unchanged is not computed again, except for up to 15 "
           "tokens that do not fill a page of the cache.\n"
           "\n"
           "If standard input is not a terminal, or with --file, the whole input is one message. "
           "Only the answer, including thoughts, is written to standard output.\n"
           "\n"
           "Unless max_new_tokens is set, an answer may be as long as the context allows. Answer k "
           "of a chat uses the seed --seed + k, so the same conversation gives the same answers "
           "again. A sampling_seed that is set is used for every answer, and /regen adds 1 to it. "
           "/export writes a line for each answer, from which `sglrun batch` generates the same "
           "tokens with the same model and options. /save overwrites only the file that it wrote "
           "before; /save! overwrites any saved conversation. Typed lines are saved in "
           "$XDG_STATE_HOME/sglrun/history, or in ~/.local/state/sglrun/history.\n"
           "\n"
           "The exit code is 0 on success, and 2 if the chat could not start. In a pipe or with "
           "--file it is also 2 if the message could not be answered, and 130 if the answer was "
           "interrupted.",
       .examples = {{"sglrun chat -m ./model --set temperature=0.7", "A conversation."},
                    {"echo 'Why is the sky blue?' | sglrun chat -m ./model > answer.txt",
                     "One question, one answer."},
                    {"sglrun chat -m model.gguf -s 'Answer in one word.' -f question.txt",
                     "A system message, and the question in a file."}}},
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
           "`options` (the options of the group Grammar, with _ in place of -). The output line "
           "has the `status` (ok, invalid, unsupported, unsatisfiable, unreachable or too_large), "
           "and a `message` with the place of an error. For each text it says whether the text "
           "satisfies the constraint (`accepted`), whether it is the beginning of a text that does "
           "(`prefix_ok`), and the offset of the first byte that the constraint forbids "
           "(`error_at`).\n"
           "\n"
           "With --tokenizer each text is also tokenized, and the mask of allowed tokens is "
           "computed before each token and at the end. `mask_ok` says whether the masks agree with "
           "the text, and `mask_us` how many microseconds each mask took. Texts for a constraint "
           "that names tokens (`<[5]>`, any_tokens) can be checked only with a tokenizer; the name "
           "of a special token in such a text (<|im_end|>) stands for that token.\n"
           "\n"
           "The exit code is 0 if every line got a verdict, even if its constraint was refused, "
           "and 1 if a line was not a valid request.",
       .examples = {{"echo '{\"regex\":\"[0-9]+\",\"texts\":[\"12\",\"1x\"]}' | sglrun grammar "
                     "check",
                     "Two texts against a regex."},
                    {"sglrun grammar check schemas.jsonl --tokenizer ./model --random-masks 5",
                     "Checks masks too, and compares five random masks with the slow reference."}}},
      {.command = Command::kBench,
       .name = "bench",
       .line = "measure prefill and decode speed",
       .text = "Runs a model, or random weights in the shape of a known model, through the same "
               "engine as `batch`. It prints tokens per second, and the memory bandwidth and "
               "arithmetic rate that they correspond to. Each figure is the median of --repeat "
               "runs. Decoding is limited by memory bandwidth: with one row, its GB/s should be "
               "close to the read bandwidth of the machine.\n"
               "\n"
               "On the CPU a second line shows how the time of the threads in the last run was "
               "divided (in JSON: prefill_shares and decode_shares, which add up to 1): products "
               "with weights and the operations fused with them (the activation, most norms), "
               "attention, elementwise (other norms, rotation, storing keys and values), sampling, "
               "other (planning of steps), and waiting (threads at barriers or without work).\n"
               "\n"
               "With --grammar it measures constrained decoding with the vocabulary of --tokenizer "
               "or --model, without weights. It prints the microseconds to compile a constraint, "
               "to fill a mask of allowed tokens that is not in the cache and one that is, to "
               "accept a token, and to fill the masks of a step of 64 rows.",
       .examples = {{"sglrun bench --shape smollm2-135m", "Random weights, no download needed."},
                    {"sglrun bench -m ./model --batch-sizes 1,32 --json",
                     "Your own model, as JSON."},
                    {"sglrun bench --tokenizer ./model --grammar constraints.jsonl",
                     "Your own constraints on the vocabulary of a model."}}},
      {.command = Command::kNumber,
       .name = "number",
       .operands = "INPUT...",
       .min_operands = 1,
       .max_operands = 100000,
       .line = "number records, so that other programs can hand them to processes in any order",
       .text =
           "Adds the member `sglrun` to each record: `line`, the number of the record over all "
           "inputs, and `copy`, the number of earlier records that are equal. `batch` takes the "
           "copy from there instead of counting, and puts `\"line\": L` first into the row. Any "
           "split of the numbered file, in any processes, any number of times, therefore gives "
           "the rows of a single run, and `sglrun merge --lines` puts them in order. All input "
           "formats can be numbered. A line that is not valid JSON is wrapped and still gives its "
           "error row. The place in the original input is stored if it differs from `line`.",
       .examples = {{"sglrun number in.jsonl -o numbered.jsonl", "Numbers a file."},
                    {"sglrun number in.jsonl | parallel --pipe -N 1000 sglrun batch - -m ./model "
                     "> rows.jsonl",
                     "Several processes, blocks of 1,000 records."}}},
      {.command = Command::kMerge,
       .name = "merge",
       .operands = "OUT...",
       .min_operands = 1,
       .max_operands = 100000,
       .line = "join the outputs of shards into one file in input order",
       .text = "Reads the outputs of `batch --shard I/N`, each with its journal, and writes the "
               "rows as one run without shards would have written them. Outputs of different runs, "
               "and missing, unfinished or repeated shards are refused; the message names them. "
               "With --check it only reports the progress of the shards.\n"
               "\n"
               "With --lines it reads rows of records that `sglrun number` numbered, from any "
               "files and in any order, and writes them in the order of the records.",
       .examples = {{"sglrun merge part0.jsonl part1.jsonl -o results.jsonl", "Joins two shards."},
                    {"sglrun merge --lines rows/* --records numbered.jsonl -o results.jsonl",
                     "Puts the rows of numbered records in order."},
                    {"sglrun merge out/*.jsonl --check", "Tells what is still missing."}}},
      {.command = Command::kReport,
       .name = "report",
       .operands = "OUT.run.json",
       .min_operands = 1,
       .max_operands = 1,
       .line = "show how a run went: speed over time, lengths, errors, the slowest records",
       .text = "Reads the run file that `batch` writes beside its output and prints its figures. "
               "With --html it writes them as an HTML page. A stopped run also has a run file. If "
               "a run continued an earlier one, charts and lists cover only the last part.",
       .examples = {{"sglrun report results.jsonl.run.json", "In the terminal."},
                    {"sglrun report results.jsonl.run.json --html run.html",
                     "As an HTML page, the same as with `batch --report`."}}},
      {.command = Command::kFields,
       .name = "fields",
       .line = "list the request fields and sampling parameters",
       .text = "Prints name, type, default, range and meaning of all fields of an input line. With "
               "--json-schema it prints a JSON Schema (2020-12) of an input line, for editors and "
               "validators.",
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
       .examples = {{"sglrun man | man -l -", "Shows the manual where it is not installed."}}},
  };
  return table;
}

}  // namespace sglrun::cli
