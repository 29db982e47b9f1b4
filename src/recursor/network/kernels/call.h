// A call by XLA's foreign function interface, of which the C header comes with jaxlib.
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <system_error>
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

  // Does work(first, last, part) for consecutive parts of so many items, in as many threads as there may be.
  template <typename Work> void share(int64_t items, int64_t parts, Work work) const {
    const int64_t count = std::min(parts, threads());
    auto some = [=](int64_t thread) {
      for (int64_t part = thread; part < parts; part += count)
        work(items * part / parts, items * (part + 1) / parts, part);
    };
    std::vector<std::thread> others;
    std::vector<int64_t> here{0};
    for (int64_t thread = 1; thread < count; thread++) {
      try {
        others.emplace_back(some, thread);
      } catch (const std::system_error&) {  // there are too many already
        here.push_back(thread);
      }
    }
    for (int64_t thread : here) some(thread);
    for (auto& thread : others) thread.join();
  }
};

// In how many parts to share so many products: less than a million cost less than to share them. It does not depend on the
// number of threads, so that sums are added up in the same order whatever it is.
inline int64_t parts(int64_t items, int64_t products, int64_t most = 64) {
  return std::max<int64_t>(1, std::min({items, products / 1000000, most}));
}

// Sums that each part of a call has to itself, of the size of a result: so there should not be many parts.
constexpr int64_t MOST_SUMS = 8;

struct Sums {
  float* result;
  int64_t size;
  Floats others;

  Sums(const Call& call, int index, int64_t parts)
      : result(call.zeros(index)), size(call.size(index)), others((parts - 1) * size) {}
  float* of(int64_t part) { return part ? others.data() + (part - 1) * size : result; }
  void add_up() {
    for (size_t start = 0; start < others.size(); start += size)
      for (int64_t k = 0; k < size; k++) result[k] += others[start + k];
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
