// The runtime on CUDA's own, which is linked statically: the program starts without a driver.
#include <cuda_runtime_api.h>

#include "base/check.h"
#include "base/strings.h"
#include "kernels/cuda/gpu/runtime.h"

namespace sglrun::gpu {
namespace {

void Require(cudaError_t error, const char* what) {
  CHECK(error == cudaSuccess) << what << ": " << cudaGetErrorString(error);
}

cudaStream_t Of(Stream stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}
cudaEvent_t Of(Event event) {
  return reinterpret_cast<cudaEvent_t>(event);
}
cudaGraphExec_t Of(Graph graph) {
  return reinterpret_cast<cudaGraphExec_t>(graph);
}

class CudaRuntime final : public Runtime {
 public:
  explicit CudaRuntime(const Properties& properties) : properties_(properties) {
    Require(cudaSetDevice(properties.index), "cudaSetDevice");
  }

  const Properties& properties() const override { return properties_; }
  void UseHere() override { Require(cudaSetDevice(properties_.index), "cudaSetDevice"); }

  std::size_t FreeMemory() override {
    std::size_t unused = 0, total = 0;
    Require(cudaMemGetInfo(&unused, &total), "cudaMemGetInfo");
    return unused;
  }

  void* Alloc(std::size_t bytes) override {
    void* data = nullptr;
    return AllocationOf(data, cudaMalloc(&data, bytes), "cudaMalloc");
  }
  void Free(void* data) override { Require(cudaFree(data), "cudaFree"); }
  void* AllocPinned(std::size_t bytes) override {
    void* data = nullptr;
    return AllocationOf(data, cudaMallocHost(&data, bytes), "cudaMallocHost");
  }
  void FreePinned(void* data) override { Require(cudaFreeHost(data), "cudaFreeHost"); }

  Stream MakeStream() override {
    cudaStream_t stream = nullptr;
    Require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    return reinterpret_cast<Stream>(stream);
  }
  void DestroyStream(Stream stream) override {
    Require(cudaStreamDestroy(Of(stream)), "cudaStreamDestroy");
  }
  void Synchronize(Stream stream) override {
    Require(cudaStreamSynchronize(Of(stream)), "cudaStreamSynchronize");
  }

  void CopyToDevice(void* to, const void* from, std::size_t bytes, Stream stream) override {
    Copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
  }
  void CopyToHost(void* to, const void* from, std::size_t bytes, Stream stream) override {
    Copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
  }
  void CopyOnDevice(void* to, const void* from, std::size_t bytes, Stream stream) override {
    Copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  }

  void Call(Stream stream, std::function<void(void* native)> enqueue) override { enqueue(stream); }

  Event MakeEvent() override {
    cudaEvent_t event = nullptr;
    Require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    return reinterpret_cast<Event>(event);
  }
  void DestroyEvent(Event event) override {
    Require(cudaEventDestroy(Of(event)), "cudaEventDestroy");
  }
  void Record(Event event, Stream stream) override {
    Require(cudaEventRecord(Of(event), Of(stream)), "cudaEventRecord");
  }
  void Wait(Stream stream, Event event) override {
    Require(cudaStreamWaitEvent(Of(stream), Of(event)), "cudaStreamWaitEvent");
  }
  void Synchronize(Event event) override {
    Require(cudaEventSynchronize(Of(event)), "cudaEventSynchronize");
  }
  bool HasPassed(Event event) override {
    const cudaError_t error = cudaEventQuery(Of(event));
    if (error == cudaErrorNotReady) return false;
    Require(error, "cudaEventQuery");
    return true;
  }

  void BeginCapture(Stream stream) override {
    Require(cudaStreamBeginCapture(Of(stream), cudaStreamCaptureModeThreadLocal),
            "cudaStreamBeginCapture");
  }
  Graph EndCapture(Stream stream) override {
    cudaGraph_t graph = nullptr;
    Require(cudaStreamEndCapture(Of(stream), &graph), "cudaStreamEndCapture");
    cudaGraphExec_t executable = nullptr;
    Require(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    Require(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return reinterpret_cast<Graph>(executable);
  }
  void Launch(Graph graph, Stream stream) override {
    Require(cudaGraphLaunch(Of(graph), Of(stream)), "cudaGraphLaunch");
  }
  void DestroyGraph(Graph graph) override {
    Require(cudaGraphExecDestroy(Of(graph)), "cudaGraphExecDestroy");
  }

 private:
  // Too little memory is an answer; the error must not stay for the next call to find.
  static void* AllocationOf(void* const& data, cudaError_t error, const char* what) {
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return nullptr;
    }
    Require(error, what);
    return data;
  }

  static void Copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                   Stream stream) {
    Require(cudaMemcpyAsync(to, from, bytes, kind, Of(stream)), "cudaMemcpyAsync");
  }

  Properties properties_;
};

std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error WhyUnusable(cudaError_t error) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (error == cudaErrorInsufficientDriver && driver == 0) {
    return Error{"no CUDA driver is installed on this machine"};
  }
  if (error == cudaErrorInsufficientDriver) {
    return Error{"the CUDA driver is too old: it supports CUDA " + VersionText(driver) +
                 ", this sglrun needs " + VersionText(runtime)};
  }
  if (error == cudaErrorNoDevice) return Error{"no CUDA device on this machine"};
  return Error{std::string("CUDA cannot be used: ") + cudaGetErrorString(error)};
}

}  // namespace

Result<std::unique_ptr<Runtime>> OpenCuda(int index, std::string_view architectures) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    return WhyUnusable(error);
  }
  if (count == 0) return WhyUnusable(cudaErrorNoDevice);
  if (index < 0 || index >= count) {
    return Error{"there is no CUDA device " + std::to_string(index) + ", this machine has " +
                 std::to_string(count) + ", counted from 0"};
  }
  cudaDeviceProp found{};
  if (const cudaError_t error = cudaGetDeviceProperties(&found, index); error != cudaSuccess) {
    return WhyUnusable(error);
  }
  if (!RunsOn(architectures, found.major, found.minor)) {
    return Error{"CUDA device " + std::to_string(index) + " (" + found.name +
                 ") has compute capability " + std::to_string(found.major) + "." +
                 std::to_string(found.minor) + ", the kernels were compiled for " +
                 std::string(architectures)};
  }
  return std::unique_ptr<Runtime>(
      std::make_unique<CudaRuntime>(Properties{.name = found.name,
                                               .index = index,
                                               .major = found.major,
                                               .minor = found.minor,
                                               .multiprocessors = found.multiProcessorCount,
                                               .memory = found.totalGlobalMem}));
}

}  // namespace sglrun::gpu
