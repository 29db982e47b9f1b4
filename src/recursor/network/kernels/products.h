// Matrix products in single precision. All arrays are row by row, and their columns a multiple of 32.
#pragma once

#include <stdint.h>
#include <string.h>

#include <vector>

// A loop that is compiled on its own: within the code that starts threads it would be short of registers.
#define APART __attribute__((noinline))

namespace {

// As many numbers at a time as a register holds

#ifdef __AVX512F__
constexpr int64_t LANES = 16;
#else
constexpr int64_t LANES = 8;
#endif
constexpr int64_t PANEL = 2 * LANES;
typedef float Lanes __attribute__((vector_size(4 * LANES)));
typedef Lanes InMemory __attribute__((aligned(4)));  // wherever a float may be

inline Lanes load(const float* from) { return *reinterpret_cast<const InMemory*>(from); }
inline void store(float* to, Lanes x) { *reinterpret_cast<InMemory*>(to) = x; }
inline void add(float* to, Lanes x) { store(to, load(to) + x); }
inline Lanes all(float x) { return x - Lanes{}; }
inline Lanes relu(Lanes x) { return x <= 0 ? Lanes{} : x; }
inline Lanes where_positive(Lanes x, Lanes y) { return x > 0 ? y : Lanes{}; }
inline Lanes larger(Lanes x, Lanes y) { return ((x > y) | (x != x)) ? x : y; }
inline float sum(Lanes x) {
  float total = 0;
  for (int lane = 0; lane < LANES; lane++) total += x[lane];
  return total;
}

// Matrix products

using Floats = std::vector<float>;

// Bᵀ [columns, rows].
inline Floats transposed(const float* b, int64_t rows, int64_t columns) {
  Floats out(rows * columns);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) out[c * rows + r] = b[r * columns + c];
  return out;
}

// B [inner, columns] panel by panel: [columns / PANEL, inner, PANEL].
inline Floats panels(const float* b, int64_t inner, int64_t columns) {
  Floats out(inner * columns);
  for (int64_t k = 0; k < inner; k++)
    for (int64_t c = 0; c < columns; c++) out[(c / PANEL * inner + k) * PANEL + c % PANEL] = b[k * columns + c];
  return out;
}

// Six rows or fewer of a product by one panel: the sums stay in registers.
template <int ROWS, bool RELU>
inline void tile(const float* a, const float* panel, const float* bias, float* out, int64_t inner, int64_t columns) {
  Lanes sums[ROWS][2];
  for (auto& row : sums)
    for (int half = 0; half < 2; half++) row[half] = bias ? load(bias + half * LANES) : Lanes{};
  for (int64_t k = 0; k < inner; k++)
    for (int row = 0; row < ROWS; row++)
      for (int half = 0; half < 2; half++)
        sums[row][half] += all(a[row * inner + k]) * load(panel + k * PANEL + half * LANES);
  for (int row = 0; row < ROWS; row++)
    for (int half = 0; half < 2; half++) {
      Lanes x = sums[row][half];
      store(out + row * columns + half * LANES, RELU ? relu(x) : x);
    }
}

// out [rows, columns] = A [rows, inner] B + bias, of which the relu if asked for; B in panels, bias may be null.
template <bool RELU>
APART void product(const float* a, const Floats& b, const float* bias, float* out, int64_t rows, int64_t inner,
                   int64_t columns) {
  for (int64_t c = 0; c < columns; c += PANEL) {
    const float *panel = &b[c * inner], *shift = bias ? bias + c : nullptr;
    int64_t row = 0;
    for (; row + 6 <= rows; row += 6) tile<6, RELU>(a + row * inner, panel, shift, out + row * columns + c, inner, columns);
    for (; row + 2 <= rows; row += 2) tile<2, RELU>(a + row * inner, panel, shift, out + row * columns + c, inner, columns);
    for (; row < rows; row++) tile<1, RELU>(a + row * inner, panel, shift, out + row * columns + c, inner, columns);
  }
}

// The same of Aᵀ B, added to what is there; A is [inner, ROWS].
template <int ROWS>
inline void tile_of_transposed(const float* a, const float* panel, float* out, int64_t inner, int64_t columns) {
  Lanes sums[ROWS][2];
  for (int row = 0; row < ROWS; row++)
    for (int half = 0; half < 2; half++) sums[row][half] = load(out + row * columns + half * LANES);
  for (int64_t k = 0; k < inner; k++)
    for (int row = 0; row < ROWS; row++)
      for (int half = 0; half < 2; half++)
        sums[row][half] += all(a[k * ROWS + row]) * load(panel + k * PANEL + half * LANES);
  for (int row = 0; row < ROWS; row++)
    for (int half = 0; half < 2; half++) store(out + row * columns + half * LANES, sums[row][half]);
}

// out [width, width] += Aᵀ B for A and B [inner, width]. Both are copied tile by tile first: read where they are, rows a
// power of two apart would put each other out of the cache.
APART inline void add_product_of_transposed(const float* a, const float* b, float* out, int64_t inner, int64_t width,
                                            Floats& room) {
  room.resize((width + PANEL) * inner);
  float *tiles = room.data(), *panel = tiles + width * inner;
  auto each_tile = [&](auto&& of_six, auto&& of_two) {
    int64_t row = 0;
    for (; row + 6 <= width; row += 6) of_six(row);
    for (; row < width; row += 2) of_two(row);
  };
  auto copy = [&](int64_t rows) {
    return [=](int64_t first) {
      for (int64_t k = 0; k < inner; k++)
        for (int64_t row = 0; row < rows; row++) tiles[first * inner + k * rows + row] = a[k * width + first + row];
    };
  };
  each_tile(copy(6), copy(2));
  for (int64_t c = 0; c < width; c += PANEL) {
    for (int64_t k = 0; k < inner; k++) memcpy(panel + k * PANEL, b + k * width + c, PANEL * sizeof(float));
    each_tile([&](int64_t row) { tile_of_transposed<6>(tiles + row * inner, panel, out + row * width + c, inner, width); },
              [&](int64_t row) { tile_of_transposed<2>(tiles + row * inner, panel, out + row * width + c, inner, width); });
  }
}

}  // namespace
