// The pair logits of pairs.py and their gradients, in the words of its equation: what is made for a pair is used at once
// and not written to memory.

#include "call.h"

namespace {

struct Logits {
  const float *sender, *named, *channels, *v, *w;
  int64_t graphs, n, pointers, width, count;

  explicit Logits(const Call& call)
      : sender(call.in(0)), named(call.in(1)), channels(call.in(2)), v(call.in(3)), w(call.in(4)) {
    const int64_t* shape = call.argument(0)->dims;
    graphs = shape[0], n = shape[1], pointers = shape[2], width = shape[3], count = call.argument(2)->dims[3];
  }
  int64_t all_width() const { return pointers * width; }
  int64_t products() const { return graphs * n * n * all_width() * (count + 1); }
  Lanes pointing(int64_t graph, int64_t i, int64_t j, int64_t x) const {  // k_i + e_ij V
    const float* e = channels + ((graph * n + i) * n + j) * count;
    Lanes total = load(sender + (graph * n + i) * all_width() + x);
    for (int64_t k = 0; k < count; k++) total += all(e[k]) * load(v + k * all_width() + x);
    return total;
  }
};

// sender, named, channels, v, w -> logits
void logits(const Call& call) {
  const Logits l(call);
  float* logits = call.out(0);
  call.share(l.graphs * l.n, call.parts(l.graphs * l.n, l.products()), [&](int64_t begin, int64_t end, int64_t) {
    for (int64_t item = begin; item < end; item++)
      for (int64_t j = 0; j < l.n; j++) {
        const int64_t graph = item / l.n, i = item % l.n;
        const float* named = l.named + (graph * l.n + j) * l.all_width();
        for (int64_t p = 0; p < l.pointers; p++) {
          Lanes total{};
          for (int64_t x = p * l.width; x < (p + 1) * l.width; x += LANES)
            total += larger(load(named + x), l.pointing(graph, i, j, x)) * load(l.w + x);
          logits[(item * l.n + j) * l.pointers + p] = sum(total);
        }
      }
  });
}

// sender, named, channels, v, w, cotangent -> got by sender, by named, by channel; d channels
void got(const Call& call) {
  const Logits l(call);
  const float* cotangent = call.in(5);
  const int64_t width = l.all_width(), parts = call.parts(l.graphs, l.products());
  float *by_sender = call.zeros(0), *by_named = call.zeros(1), *d_channels = call.zeros(3);
  Sums by_channel(call, 2, parts);
  Floats v_w(l.count * width);
  for (int64_t k = 0; k < l.count; k++)
    for (int64_t x = 0; x < width; x++) v_w[k * width + x] = l.v[k * width + x] * l.w[x];
  call.share(l.graphs, parts, [&](int64_t begin, int64_t end, int64_t part) {
    Floats by_pair(width);
    float* to_channel = by_channel.of(part);
    for (int64_t graph = begin; graph < end; graph++)
      for (int64_t i = 0; i < l.n; i++)
        for (int64_t j = 0; j < l.n; j++) {
          const int64_t at = (graph * l.n + i) * l.n + j;
          float *to_sender = by_sender + (graph * l.n + i) * width, *to_named = by_named + (graph * l.n + j) * width;
          const float* named = l.named + (graph * l.n + j) * width;
          for (int64_t p = 0; p < l.pointers; p++) {
            const float gradient = cotangent[at * l.pointers + p];
            if (gradient == 0) continue;
            const int64_t start = p * l.width, stop = start + l.width;
            for (int64_t x = start; x < stop; x += LANES) {
              Lanes got = l.pointing(graph, i, j, x) > load(named + x) ? all(gradient) : Lanes{};
              store(&by_pair[x], got);
              add(to_sender + x, got);
              add(to_named + x, all(gradient) - got);
            }
            for (int64_t k = 0; k < l.count; k++) {
              Lanes total{};
              for (int64_t x = start; x < stop; x += LANES) {
                total += load(&by_pair[x]) * load(&v_w[k * width + x]);
                add(to_channel + k * width + x, all(l.channels[at * l.count + k]) * load(&by_pair[x]));
              }
              d_channels[at * l.count + k] += sum(total);
            }
          }
        }
  });
}

}  // namespace

extern "C" {
XLA_FFI_Error* recursor_logits(XLA_FFI_CallFrame* frame) { return handle<logits>(frame); }
XLA_FFI_Error* recursor_got(XLA_FFI_CallFrame* frame) { return handle<got>(frame); }
}
