#!/usr/bin/env bash
# JSON extraction: a text becomes an object that a schema describes.
#   samples/eval/extract.sh MODEL [DATA SCHEMA [OPTION...]]
# DATA: lines {"text": "Tom is a brown dog and 3 years old.", "expected": {"name": "Tom", ...}};
# SCHEMA: a JSON Schema. "valid" are the answers that `sglrun grammar check` finds to be members of
# it: all of them, since the run is bound to the schema, unless one was cut off by its length.
set -euo pipefail
here=$(dirname "$0")
model=${1:?usage: extract.sh MODEL [DATA SCHEMA [OPTION...]]}
data=$(jq -c . "${2:-$here/extract.jsonl}") # read once: both may come from pipes
schema=$(jq -c . "${3:-$here/extract.schema.json}")

jq -c --slurpfile schema <(printf %s "$schema") '{text: "\(.text)\nJSON:", sampling_params: {
    temperature: 0, max_new_tokens: 96, json_schema: $schema[0]}}' <<<"$data" |
  sglrun batch - -m "$model" -q --constrained-json-whitespace compact "${@:4}" |
  jq -c -n -L "$here" --slurpfile schema <(printf %s "$schema") 'include "eval"; [inputs] | rows[]
    | {json_schema: $schema[0], texts: [.text], id: .text}' |
  sglrun grammar check |
  jq -rs --slurpfile data <(printf %s "$data") -L "$here" 'include "eval";
    if length < ($data | length) then error("there are records that failed") else . end
    | [., $data] | transpose | map(.[1].expected as $expected
      | (.[0].id | try fromjson catch {}) as $found
      | {valid: .[0].results[0].accepted, equal: ($found == $expected),
         fields: ($expected | keys | map($found[.] == $expected[.]))})
    | "extraction: valid \(map(.valid) | share), objects right \(map(.equal) | share), "
      + "fields right \(map(.fields[]) | share)"'
