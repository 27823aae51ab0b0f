#!/bin/sh
# isa_symbols_test.sh NM OBJECT...: objects compiled for one instruction set may define no weak symbol
# outside their own namespace. The linker keeps one copy of a weak function for the whole program, and
# if it came from here, older machines would stop at it.
nm=$1
shift
found=$("$nm" -C --defined-only "$@" | grep -E ' [WVu] ' | grep -v -e ' DW\.ref\.' -e 'sglrun::kernels::cpu::[a-z0-9_]*::')
if [ -n "$found" ]; then
  echo "weak symbols in objects of one instruction set:"
  echo "$found"
  exit 1
fi
