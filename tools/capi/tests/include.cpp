// Tests that the header compiles as C++, and that its functions have C linkage.
#include <pentago.h>
#include <cstdio>

int main() {
    pentago_position *position = nullptr;
    if (pentago_position_parse("6/6/6/6/6/6 x", nullptr, &position) != PENTAGO_STATUS_OK) return 1;
    std::printf("%u %s\n", pentago_position_marbles(position), pentago_version());
    pentago_position_free(&position);
    return position != nullptr;
}
