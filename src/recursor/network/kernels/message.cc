// The strongest message of pairs.py and its gradient, in the words of its equation.
//
// What they have over XLA's: hidden layers are made and used for a few receivers at a time, which stay in the cache; a pair
// that is not allowed, or that gets no gradient, is left out; and the gradient of a maximum, which has one sender an entry
// unless several attain it, is a sum over those senders and no matrix product.

#include "call.h"

namespace {

struct Message {
  const float *sender, *receiver, *channels, *v, *w1, *b1, *w2;
  int64_t graphs, n, width, count;  // count: of the channels
  Floats w1_panels;

  explicit Message(const Call& call)
      : sender(call.in(0)), receiver(call.in(1)), channels(call.in(2)), v(call.in(4)), w1(call.in(5)), b1(call.in(6)),
        w2(call.in(7)) {
    const int64_t* shape = call.argument(2)->dims;
    graphs = shape[0], n = shape[1], count = shape[3], width = call.argument(0)->dims[2];
    w1_panels = panels(w1, width, width);
  }
  int64_t words() const { return (n + 31) / 32; }  // that hold a bit for each sender
  int64_t word(int64_t graph, int64_t index, int64_t receiver) const {
    return ((graph * words() + index) * n + receiver) * width;
  }
  int64_t node(int64_t graph, int64_t i) const { return (graph * n + i) * width; }
  int64_t edge(int64_t graph, int64_t i, int64_t j) const { return ((graph * n + i) * n + j) * count; }
  int64_t products() const { return 2 * graphs * n * n * width * width; }
  int64_t at_once() const { return std::max<int64_t>(1, 96 / n); }  // receivers whose hidden layers are made together
  int64_t blocks() const { return (n + at_once() - 1) / at_once(); }
};

struct Pair {
  int64_t sender, receiver;
};

// The receivers [start, stop) of a graph, those of their pairs that matter, and the hidden layers of these, a row each.
struct Block {
  const Message& m;
  int64_t graph = 0, start = 0, stop = 0;
  std::vector<Pair> pairs;
  Floats first, second;

  explicit Block(const Message& message) : m(message) {}

  void at(int64_t index) {
    graph = index / m.blocks(), start = index % m.blocks() * m.at_once(), stop = std::min(start + m.at_once(), m.n);
    pairs.clear();
  }
  int64_t rows() const { return pairs.size(); }

  APART void make_hidden() {
    first.resize(rows() * m.width), second.resize(rows() * m.width);
    for (int64_t row = 0; row < rows(); row++) {
      auto [i, j] = pairs[row];
      const float* e = m.channels + m.edge(graph, i, j);
      for (int64_t w = 0; w < m.width; w += LANES) {
        Lanes x = load(m.sender + m.node(graph, i) + w) + load(m.receiver + m.node(graph, j) + w);
        for (int64_t k = 0; k < m.count; k++) x += all(e[k]) * load(m.v + k * m.width + w);
        store(&first[row * m.width + w], relu(x));
      }
    }
    product<true>(first.data(), m.w1_panels, m.b1, second.data(), rows(), m.width, m.width);
  }
};

// The maximum over the messages of a block, and the bits of those that attain it.
APART void take_strongest(const Block& block, const Floats& messages, float* strongest, uint32_t* words) {
  const Message& m = block.m;
  for (int64_t row = 0; row < block.rows(); row++) {
    float* out = strongest + m.node(block.graph, block.pairs[row].receiver);
    for (int64_t w = 0; w < m.width; w += LANES) store(out + w, larger(load(&messages[row * m.width + w]), load(out + w)));
  }
  for (int64_t row = 0; row < block.rows(); row++) {
    auto [i, j] = block.pairs[row];
    const float *out = strongest + m.node(block.graph, j), *message = &messages[row * m.width];
    uint32_t* word = words + m.word(block.graph, i / 32, j);
    for (int64_t w = 0; w < m.width; w++) word[w] |= static_cast<uint32_t>(message[w] == out[w]) << i % 32;
  }
}

// sender, receiver, channels, pairs, v, w1, b1, w2, b2 -> strongest, words
void strongest(const Call& call) {
  const Message m(call);
  const bool* allowed = call.in<bool>(3);
  const float* b2 = call.in(8);
  const Floats w2_panels = panels(m.w2, m.width, m.width);
  float* strongest = call.out(0);
  uint32_t* words = call.zeros<uint32_t>(1);
  std::fill_n(strongest, call.size(0), -1e9f);  // NEVER
  const int64_t blocks = m.graphs * m.blocks();
  call.share(blocks, parts(blocks, m.products()), [&](int64_t begin, int64_t end, int64_t) {
    Block block(m);
    Floats messages;
    for (int64_t index = begin; index < end; index++) {
      block.at(index);
      for (int64_t j = block.start; j < block.stop; j++)
        for (int64_t i = 0; i < m.n; i++)
          if (allowed[(block.graph * m.n + i) * m.n + j]) block.pairs.push_back({i, j});
      block.make_hidden();
      messages.resize(block.rows() * m.width);
      product<false>(block.second.data(), w2_panels, b2, messages.data(), block.rows(), m.width, m.width);
      take_strongest(block, messages, strongest, words);
    }
  });
}

// Calls what(i, j, w, gradient) for every entry w of each receiver j of a block, if its gradient is not zero, and every
// sender i that was the strongest in it.
template <typename What>
void each_strongest(const Block& block, const uint32_t* words, const float* shared, What what) {
  const Message& m = block.m;
  for (int64_t j = block.start; j < block.stop; j++)
    for (int64_t index = 0; index < m.words(); index++)
      for (int64_t w = 0; w < m.width; w++) {
        const float gradient = shared[m.node(block.graph, j) + w];
        if (gradient == 0) continue;
        for (uint32_t word = words[m.word(block.graph, index, j) + w]; word; word &= word - 1)
          what(index * 32 + __builtin_ctz(word), j, w, gradient);
      }
}

// The gradients of one part of a call, as far as it has gone: those of the nodes and pairs are its own.
struct Gradients {
  float *sender, *receiver, *channels, *v, *w1, *b1, *w2_columns;  // w2_columns: of W_2 transposed
};

// From what the strongest messages get, the gradients of W_2 and of the second layer before its relu, and of b_1.
APART void back_to_second(const Block& block, const uint32_t* words, const float* shared, const Floats& w2_columns,
                          const std::vector<int64_t>& row_of, Floats& d_second, const Gradients& to) {
  const int64_t width = block.m.width;
  d_second.assign(block.rows() * width, 0);
  each_strongest(block, words, shared, [&](int64_t i, int64_t j, int64_t w, float gradient) {
    const int64_t row = row_of[(j - block.start) * block.m.n + i];
    for (int64_t x = 0; x < width; x += LANES) {
      add(&d_second[row * width + x], all(gradient) * load(&w2_columns[w * width + x]));
      add(to.w2_columns + w * width + x, all(gradient) * load(&block.second[row * width + x]));
    }
  });
  for (int64_t row = 0; row < block.rows(); row++)
    for (int64_t w = 0; w < width; w += LANES) {
      Lanes d = where_positive(load(&block.second[row * width + w]), load(&d_second[row * width + w]));
      store(&d_second[row * width + w], d);
      add(to.b1 + w, d);
    }
}

// From the gradient of the first layer after its relu, those of sender, receiver, channels and V.
APART void back_to_inputs(const Block& block, Floats& d_first, const Gradients& to) {
  const Message& m = block.m;
  for (int64_t row = 0; row < block.rows(); row++) {
    auto [i, j] = block.pairs[row];
    float* d = &d_first[row * m.width];
    for (int64_t w = 0; w < m.width; w += LANES) {
      store(d + w, where_positive(load(&block.first[row * m.width + w]), load(d + w)));
      add(to.sender + m.node(block.graph, i) + w, load(d + w));
      add(to.receiver + m.node(block.graph, j) + w, load(d + w));
    }
    const int64_t edge = m.edge(block.graph, i, j);
    for (int64_t k = 0; k < m.count; k++) {
      Lanes total{};
      for (int64_t w = 0; w < m.width; w += LANES) {
        total += load(d + w) * load(m.v + k * m.width + w);
        add(to.v + k * m.width + w, all(m.channels[edge + k]) * load(d + w));
      }
      to.channels[edge + k] = sum(total);
    }
  }
}

// sender, receiver, channels, words, v, w1, b1, w2, shared -> d sender, d receiver, d channels, d v, d w1, d b1, (d w2)ᵀ
//
// `shared` [graphs, n, width] is what each of the strongest senders gets.
void strongest_backward(const Call& call) {
  const Message m(call);
  const uint32_t* words = call.in<uint32_t>(3);
  const float* shared = call.in(8);
  const Floats w1_transposed = panels(transposed(m.w1, m.width, m.width).data(), m.width, m.width),
               w2_columns = transposed(m.w2, m.width, m.width);
  const int64_t count = parts(m.graphs, m.products(), MOST_SUMS);
  float *d_sender = call.zeros(0), *d_receiver = call.zeros(1), *d_channels = call.zeros(2);
  Sums d_v(call, 3, count), d_w1(call, 4, count), d_b1(call, 5, count), d_w2_columns(call, 6, count);
  call.share(m.graphs, count, [&](int64_t begin, int64_t end, int64_t part) {
    const Gradients to{d_sender,      d_receiver,    d_channels,           d_v.of(part),
                       d_w1.of(part), d_b1.of(part), d_w2_columns.of(part)};
    Block block(m);
    Floats d_first, d_second, room;
    std::vector<int64_t> row_of(m.at_once() * m.n);  // of a pair among those of the block, or -1
    for (int64_t index = begin * m.blocks(); index < end * m.blocks(); index++) {
      block.at(index);
      std::fill(row_of.begin(), row_of.end(), -1);
      each_strongest(block, words, shared, [&](int64_t i, int64_t j, int64_t, float) {
        int64_t& row = row_of[(j - block.start) * m.n + i];
        if (row < 0) row = block.rows(), block.pairs.push_back({i, j});
      });
      block.make_hidden();
      back_to_second(block, words, shared, w2_columns, row_of, d_second, to);
      add_product_of_transposed(block.first.data(), d_second.data(), to.w1, block.rows(), m.width, room);
      d_first.resize(d_second.size());
      product<false>(d_second.data(), w1_transposed, nullptr, d_first.data(), block.rows(), m.width, m.width);
      back_to_inputs(block, d_first, to);
    }
  });
  for (Sums* sums : {&d_v, &d_w1, &d_b1, &d_w2_columns}) sums->add_up();
}

}  // namespace

extern "C" {
XLA_FFI_Error* recursor_strongest(XLA_FFI_CallFrame* frame) { return handle<strongest>(frame); }
XLA_FFI_Error* recursor_strongest_backward(XLA_FFI_CallFrame* frame) { return handle<strongest_backward>(frame); }
}
