// What this machine can do at most, so that a kernel's speed can be told as a share of it.
#pragma once

#include "base/thread_pool.h"

namespace sglrun::bench {

struct MachinePeak {
  double float_gflops = 0;   // float32 multiply-adds in registers, two operations each
  double int8_gflops = 0;    // vpdpbusd likewise, eight operations a lane; 0 where there is none
  double read_gb_per_s = 0;  // a buffer that no cache holds, read once
};

// Best of some runs on all threads of the pool, a second or so in all.
MachinePeak MeasurePeak(ThreadPool& pool);

}  // namespace sglrun::bench
