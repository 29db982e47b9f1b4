// A call by XLA's foreign function interface, of which the C header comes with jaxlib.
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "products.h"
#include "xla/ffi/api/c_api.h"

namespace {

// One call: its arrays, and the threads that it may use.
struct Call {
  XLA_FFI_CallFrame* frame;

  XLA_FFI_Buffer* argument(int index) const { return static_cast<XLA_FFI_Buffer*>(frame->args.args[index]); }
  XLA_FFI_Buffer* result(int index) const { return static_cast<XLA_FFI_Buffer*>(frame->rets.rets[index]); }
  template <typename T = float> const T* in(int index) const { return static_cast<const T*>(argument(index)->data); }
  template <typename T = float> T* out(int index) const { return static_cast<T*>(result(index)->data); }
  template <typename T = float> T* zeros(int index) const {
    return static_cast<T*>(memset(out<T>(index), 0, size(index) * sizeof(T)));
  }
  int64_t size(int index) const {
    int64_t size = 1;
    for (int64_t axis = 0; axis < result(index)->rank; axis++) size *= result(index)->dims[axis];
    return size;
  }
  int64_t threads() const {  // the one attribute
    return *static_cast<int64_t*>(static_cast<XLA_FFI_Scalar*>(frame->attrs.attrs[0])->value);
  }

  // Does work(first, last, part) for consecutive parts of so many items, each in a thread.
  template <typename Work> void share(int64_t items, int64_t parts, Work work) const {
    std::vector<std::thread> others;
    for (int64_t part = 1; part < parts; part++)
      others.emplace_back(work, items * part / parts, items * (part + 1) / parts, part);
    work(0, items / parts, 0);
    for (auto& thread : others) thread.join();
  }
  // In how many parts, for so many products in all: a thread that has less than a million costs more than it saves.
  int64_t parts(int64_t items, int64_t products) const {
    return std::max<int64_t>(1, std::min({items, threads(), products / 1000000}));
  }
};

// Sums that each part of a call has to itself, of the size of a result; at the end they are added in order.
struct Sums {
  float* result;
  int64_t size;
  Floats others;

  Sums(const Call& call, int index, int64_t parts) : result(call.zeros(index)), size(call.size(index)) {
    others.resize((parts - 1) * size);
  }
  float* of(int64_t part) { return part ? &others[(part - 1) * size] : result; }
  ~Sums() {
    for (auto other = others.begin(); other != others.end(); other += size)
      for (int64_t k = 0; k < size; k++) result[k] += other[k];
  }
};

// What XLA calls: it asks for the version first, then for the work.
template <void (*KERNEL)(const Call&)>
XLA_FFI_Error* handle(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata* metadata = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start)->metadata;
    metadata->api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
    metadata->traits = 0;
  } else {
    KERNEL({frame});
  }
  return nullptr;
}

}  // namespace
