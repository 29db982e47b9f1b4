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
  int64_t node(int64_t graph, int64_t i) const { return (graph * n + i) * all_width(); }
  int64_t pair(int64_t graph, int64_t i, int64_t j) const { return (graph * n + i) * n + j; }
  Lanes pointing(int64_t graph, int64_t i, int64_t j, int64_t x) const {  // k_i + e_ij V
    const float* e = channels + pair(graph, i, j) * count;
    Lanes total = load(sender + node(graph, i) + x);
    for (int64_t k = 0; k < count; k++) total += all(e[k]) * load(v + k * all_width() + x);
    return total;
  }
  APART float logit(int64_t graph, int64_t i, int64_t j, int64_t p) const {
    const float* q = named + node(graph, j);
    Lanes total{};
    for (int64_t x = p * width; x < (p + 1) * width; x += LANES)
      total += larger(load(q + x), pointing(graph, i, j, x)) * load(w + x);
    return sum(total);
  }
};

// sender, named, channels, v, w -> logits
void logits(const Call& call) {
  const Logits l(call);
  float* logits = call.out(0);
  const int64_t senders = l.graphs * l.n;
  call.share(senders, parts(senders, l.products()), [&](int64_t begin, int64_t end, int64_t) {
    for (int64_t sender = begin; sender < end; sender++)
      for (int64_t j = 0; j < l.n; j++)
        for (int64_t p = 0; p < l.pointers; p++)
          logits[(sender * l.n + j) * l.pointers + p] = l.logit(sender / l.n, sender % l.n, j, p);
  });
}

// Where the gradient of a logit goes: to the side that is the larger.
struct Got {
  const Logits& l;
  Floats v_w;  // V times w
  float *by_sender, *by_named, *d_channels;

  Got(const Call& call, const Logits& logits)
      : l(logits), v_w(l.count * l.all_width()), by_sender(call.zeros(0)), by_named(call.zeros(1)),
        d_channels(call.zeros(3)) {
    for (size_t x = 0; x < v_w.size(); x++) v_w[x] = l.v[x] * l.w[x % l.all_width()];
  }
  APART void add_pair(int64_t graph, int64_t i, int64_t j, int64_t p, float gradient, float* by_channel, float* got) {
    const float *q = l.named + l.node(graph, j), *e = l.channels + l.pair(graph, i, j) * l.count;
    float *to_sender = by_sender + l.node(graph, i), *to_named = by_named + l.node(graph, j);
    const int64_t start = p * l.width, stop = start + l.width;
    for (int64_t x = start; x < stop; x += LANES) {
      Lanes of_sender = l.pointing(graph, i, j, x) > load(q + x) ? all(gradient) : Lanes{};
      store(got + x, of_sender);
      add(to_sender + x, of_sender);
      add(to_named + x, all(gradient) - of_sender);
    }
    for (int64_t k = 0; k < l.count; k++) {
      Lanes total{};
      for (int64_t x = start; x < stop; x += LANES) {
        total += load(got + x) * load(&v_w[k * l.all_width() + x]);
        add(by_channel + k * l.all_width() + x, all(e[k]) * load(got + x));
      }
      d_channels[l.pair(graph, i, j) * l.count + k] += sum(total);
    }
  }
};

// sender, named, channels, v, w, cotangent -> got by sender, by named, by channel; d channels
void got(const Call& call) {
  const Logits l(call);
  Got got(call, l);
  const float* cotangent = call.in(5);
  const int64_t count = parts(l.graphs, l.products(), MOST_SUMS);
  Sums by_channel(call, 2, count);
  call.share(l.graphs, count, [&](int64_t begin, int64_t end, int64_t part) {
    Floats room(l.all_width());
    for (int64_t graph = begin; graph < end; graph++)
      for (int64_t i = 0; i < l.n; i++)
        for (int64_t j = 0; j < l.n; j++)
          for (int64_t p = 0; p < l.pointers; p++) {
            const float gradient = cotangent[l.pair(graph, i, j) * l.pointers + p];
            if (gradient != 0) got.add_pair(graph, i, j, p, gradient, by_channel.of(part), room.data());
          }
  });
  by_channel.add_up();
}

}  // namespace

extern "C" {
XLA_FFI_Error* recursor_logits(XLA_FFI_CallFrame* frame) { return handle<logits>(frame); }
XLA_FFI_Error* recursor_got(XLA_FFI_CallFrame* frame) { return handle<got>(frame); }
}
