// SIGINT and SIGTERM ask a run to stop where it can be continued; a second SIGINT ends it at once.
#pragma once

namespace sglrun::console {

// Before there is anything to continue: either signal ends the program at once, with the exit code
// of a stopped run.
void LeaveOnStopSignals();

void WatchStopSignals();

// 0, or the exit code that the signal asks for (130, 143).
int StopCode();

}  // namespace sglrun::console
