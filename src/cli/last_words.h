// What the program says when it cannot go on in the middle of anything: one sentence and the exit
// code of a failure in place of a signal's name. What was written stays as a kill would leave it,
// so that the same command continues.
#pragma once

namespace sglrun::cli {

// Once, before there are threads. Memory or threads that cannot be had, and mapped files that
// became shorter, end with a sentence; a file that grew to its limit (ulimit -f) is a write error.
void PrepareLastWords();

}  // namespace sglrun::cli
