/* Solves a position, builds tables of Mini-Pentago in a folder, and probes them.
 *
 *   cc -std=c11 probe.c $(pkg-config --cflags --libs pentago) -o probe
 *   ./probe FOLDER
 */
#include <pentago.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with the error message if the call failed. */
static void check(pentago_status status) {
    if (status != PENTAGO_STATUS_OK) {
        fprintf(stderr, "probe: %s\n", pentago_last_error());
        exit((int)status);
    }
}

static void solve(const char *text) {
    pentago_position *position = NULL;
    pentago_solver *solver = NULL;
    pentago_answer *answer = NULL;
    check(pentago_position_parse(text, NULL, &position));
    check(pentago_solver_new(1000000000, 0, &solver));
    check(pentago_solver_solve(solver, position, 1, NULL, &answer));
    printf("value %d, the game ends in %d plies\n", pentago_answer_value(answer),
           (int)pentago_answer_distance(answer));
    for (size_t i = 0; i < pentago_answer_best(answer); i++) {
        pentago_move move;
        check(pentago_answer_move(answer, i, &move));
        printf("best: %s, %d plies\n", move.text, (int)move.distance);
    }
    pentago_answer_free(&answer);
    pentago_solver_free(&solver);
    pentago_position_free(&position);
}

static void probe(const char *folder) {
    pentago_tablebase *tablebase = NULL;
    pentago_position *position = NULL;
    pentago_position *next = NULL;
    int8_t cells[2 * 16];
    int8_t values[2];
    int8_t value;
    check(pentago_build_game("mini", folder, -1, 200000000, 0, NULL));
    check(pentago_tablebase_open(folder, "mini", 0, 0, &tablebase));
    check(pentago_position_parse("4/4/4/4 x", "mini", &position));
    check(pentago_tablebase_probe(tablebase, position, &value));
    printf("the first player: %d\n", value);
    check(pentago_position_play(position, "b2/1+", &next));
    check(pentago_position_cells(position, cells, 16));
    check(pentago_position_cells(next, cells + 16, 16));
    check(pentago_tablebase_probe_many(tablebase, cells, 2, values, NULL));
    printf("before and after b2/1+: %d %d\n", values[0], values[1]);
    check(pentago_tablebase_verify(tablebase, 100, 7, NULL));
    pentago_position_free(&next);
    pentago_position_free(&position);
    pentago_tablebase_free(&tablebase);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: probe FOLDER\n");
        return 2;
    }
    if (pentago_abi_version() != PENTAGO_ABI_VERSION) {
        fprintf(stderr, "probe: the library and its header have different versions\n");
        return 4;
    }
    solve("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o");
    probe(argv[1]);
    return 0;
}
