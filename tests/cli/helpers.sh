# Sourced before the cmd of every case. $MODEL and $GGUF are the sample model in its two forms,
# $SAMPLES the folder around it; the current folder is a scratch copy of the case.

# sglrun batch on the sample model, rows free of timing.
batch() { sglrun batch -m "$MODEL" --no-timing "$@"; }

# One line a row: "object P", "array P P ..." with the prompt tokens of each result, or
# "error PARAM", "-" standing for no parameter.
shapes() {
  awk '
    /^\{"error":/ {
      param = "-"
      if (match($0, /"param":"[^"]*"/)) param = substr($0, RSTART + 9, RLENGTH - 10)
      print "error", param
      next
    }
    {
      kind = /^\[/ ? "array" : "object"
      rest = $0
      while (match(rest, /"prompt_tokens":[0-9]+/)) {
        kind = kind " " substr(rest, RSTART + 16, RLENGTH - 16)
        rest = substr(rest, RSTART + RLENGTH)
      }
      print kind
    }' "$@"
}

# The values of a member, as they stand in the rows, one a line: values id < rows
values() { grep -oE "\"$1\":(\"[^\"]*\"|[-0-9.e+]+|true|false|null|\[[^]]*\]|\{[^}]*\})" | sed "s/^\"$1\"://"; }

# Fails, telling what was looked for, unless the text is in the file.
expect() { grep -qF -- "$1" "$2" || { echo "$2 does not hold: $1"; head -c 2000 "$2"; exit 99; } >&2; }
refuse() { if grep -qF -- "$1" "$2"; then { echo "$2 holds: $1"; exit 99; } >&2; fi; }
same() { cmp "$1" "$2" >&2 || exit 99; }

# Runs a command that has to leave with a given code: exits 2 sglrun ...
exits() {
  local want=$1 got=0
  shift
  "$@" || got=$?
  [ "$got" -eq "$want" ] || { echo "exit code $got, expected $want: $*" >&2; exit 99; }
}
