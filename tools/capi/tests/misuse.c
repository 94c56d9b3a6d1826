/* Calls every function with null pointers, invalid strings and numbers, freed handles, and damaged or deleted
 * tables. Every call must return an error with a message. The first argument is an empty folder. */
#include <pentago.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect_at(int line, pentago_status found, pentago_status expected) {
    if (found != expected) {
        fprintf(stderr, "line %d: status %d, expected %d (%s)\n", line, (int)found, (int)expected,
                pentago_last_error());
        failures++;
    } else if (expected != PENTAGO_STATUS_OK && strlen(pentago_last_error()) == 0) {
        fprintf(stderr, "line %d: an error without a message\n", line);
        failures++;
    }
}

static void expect_true_at(int line, int holds) {
    if (!holds) {
        fprintf(stderr, "line %d does not hold\n", line);
        failures++;
    }
}

#define INPUT(call) expect_at(__LINE__, call, PENTAGO_STATUS_INPUT)
#define OK(call) expect_at(__LINE__, call, PENTAGO_STATUS_OK)
#define GIVES(status, call) expect_at(__LINE__, call, status)
#define HOLDS(what) expect_true_at(__LINE__, what)

static void nulls(void) {
    pentago_position *position = NULL;
    pentago_answer *answer = NULL;
    pentago_tablebase *tablebase = NULL;
    pentago_progress progress;
    pentago_move move;
    int8_t value;
    char side;
    INPUT(pentago_control_new(NULL));
    INPUT(pentago_control_cancel(NULL));
    INPUT(pentago_control_progress(NULL, &progress));
    INPUT(pentago_position_parse(NULL, NULL, &position));
    INPUT(pentago_position_parse("6/6/6/6/6/6 x", NULL, NULL));
    INPUT(pentago_position_from_cells(NULL, 36, NULL, 0, &position));
    INPUT(pentago_position_cells(NULL, &value, 1));
    INPUT(pentago_position_text(NULL, NULL, 0, NULL));
    INPUT(pentago_position_play(NULL, "c4/2+", &position));
    INPUT(pentago_position_canonical(NULL, &position));
    INPUT(pentago_position_to_move(NULL, &side));
    INPUT(pentago_position_outcome(NULL, &side));
    INPUT(pentago_solver_new(0, 0, NULL));
    INPUT(pentago_solver_solve(NULL, NULL, 0, NULL, &answer));
    INPUT(pentago_answer_move(NULL, 0, &move));
    INPUT(pentago_tablebase_open(NULL, NULL, 0, 0, &tablebase));
    INPUT(pentago_tablebase_probe(NULL, NULL, &value));
    INPUT(pentago_tablebase_probe_many(NULL, NULL, 0, NULL, NULL));
    INPUT(pentago_tablebase_verify(NULL, 0, 0, NULL));
    INPUT(pentago_build_root(NULL, "nowhere", -1, 0, 0, NULL));
    INPUT(pentago_build_game("mini", NULL, -1, 0, 0, NULL));
    HOLDS(pentago_position_marbles(NULL) == 0);
    HOLDS(pentago_answer_value(NULL) == PENTAGO_UNKNOWN);
    HOLDS(pentago_answer_distance(NULL) == -1);
    HOLDS(pentago_answer_moves(NULL) == 0 && pentago_answer_best(NULL) == 0);
    HOLDS(position == NULL && answer == NULL && tablebase == NULL);
    pentago_control_free(NULL);
    pentago_position_free(NULL);
    pentago_position_free(&position);
    pentago_solver_free(NULL);
    pentago_answer_free(NULL);
    pentago_tablebase_free(NULL);
}

static void wrong_positions(void) {
    pentago_position *position = NULL;
    pentago_position *other = NULL;
    int8_t cells[36] = {0};
    char text[64];
    char side;
    size_t length = 0;
    INPUT(pentago_position_parse("6/6/6 x", NULL, &position));
    INPUT(pentago_position_parse("6/6/6/6/6/6 o", NULL, &position));
    INPUT(pentago_position_parse("6/6/6/6/6/6 x", "chess", &position));
    INPUT(pentago_position_parse("\xff\xfe", NULL, &position));
    INPUT(pentago_position_from_cells(cells, 35, NULL, 0, &position));
    INPUT(pentago_position_from_cells(cells, 36, "mini", 0, &position));
    INPUT(pentago_position_from_cells(cells, 36, NULL, 1, &position));
    cells[3] = 7;
    INPUT(pentago_position_from_cells(cells, 36, NULL, 0, &position));
    HOLDS(position == NULL);
    cells[3] = 1;
    OK(pentago_position_from_cells(cells, 36, NULL, 0, &position));
    HOLDS(pentago_position_marbles(position) == 1);
    INPUT(pentago_position_cells(position, cells, 35));
    INPUT(pentago_position_cells(position, NULL, 36));
    INPUT(pentago_position_text(position, text, 5, &length));
    HOLDS(length == strlen("3X2/6/6/6/6/6 o"));
    OK(pentago_position_text(position, NULL, 0, &length));
    INPUT(pentago_position_text(position, NULL, 0, NULL));
    OK(pentago_position_text(position, text, length + 1, NULL));
    HOLDS(strcmp(text, "3X2/6/6/6/6/6 o") == 0);
    OK(pentago_position_to_move(position, &side));
    HOLDS(side == 'o');
    OK(pentago_position_outcome(position, &side));
    HOLDS(side == 0);
    INPUT(pentago_position_to_move(position, NULL));
    INPUT(pentago_position_play(position, "d6/1+", &other));
    INPUT(pentago_position_play(position, "nonsense", &other));
    INPUT(pentago_position_play(position, NULL, &other));
    HOLDS(other == NULL);
    OK(pentago_position_canonical(position, &other));
    HOLDS(pentago_position_marbles(other) == 1);
    pentago_position_free(&other);
    pentago_position_free(&position);
    HOLDS(position == NULL);
    /* Free a handle twice, and use it after that. */
    pentago_position_free(&position);
    INPUT(pentago_position_to_move(position, &side));
}

static void solver(void) {
    pentago_solver *solver = NULL;
    pentago_control *control = NULL;
    pentago_position *position = NULL;
    pentago_answer *answer = NULL;
    pentago_progress progress;
    pentago_move move;
    INPUT(pentago_solver_new(0, 1000000, &solver));
    OK(pentago_position_parse("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", NULL, &position));
    OK(pentago_solver_new(1000, 1, &solver));
    GIVES(PENTAGO_STATUS_MEMORY, pentago_solver_solve(solver, position, 0, NULL, &answer));
    pentago_solver_free(&solver);
    INPUT(pentago_solver_solve(solver, position, 0, NULL, &answer));
    OK(pentago_solver_new(1000000000, 2, &solver));
    OK(pentago_control_new(&control));
    OK(pentago_control_cancel(control));
    GIVES(PENTAGO_STATUS_CANCELLED, pentago_solver_solve(solver, position, 0, control, &answer));
    HOLDS(answer == NULL);
    INPUT(pentago_solver_solve(solver, NULL, 0, NULL, &answer));
    pentago_control_free(&control);
    OK(pentago_control_new(&control));
    OK(pentago_solver_solve(solver, position, 0, control, &answer));
    OK(pentago_control_progress(control, &progress));
    HOLDS(progress.stage > 0 && progress.done == progress.total);
    INPUT(pentago_control_progress(control, NULL));
    INPUT(pentago_answer_move(answer, 1000, &move));
    INPUT(pentago_answer_move(answer, 0, NULL));
    OK(pentago_answer_move(answer, 0, &move));
    HOLDS(move.value == 1 && move.distance == -1 && pentago_answer_value(answer) == 1);
    pentago_answer_free(&answer);
    pentago_control_free(&control);
    pentago_position_free(&position);
    pentago_solver_free(&solver);
}

/* Solves a position of another game, and plays the best move. */
static void other_game(const char *text, const char *rules, size_t sockets, const char *best) {
    pentago_solver *solver = NULL;
    pentago_position *position = NULL;
    pentago_position *next = NULL;
    pentago_answer *answer = NULL;
    pentago_move move;
    int8_t cells[361];
    OK(pentago_position_parse(text, rules, &position));
    OK(pentago_position_cells(position, cells, sockets));
    INPUT(pentago_position_cells(position, cells, sockets - 1));
    OK(pentago_solver_new(1000000000, 2, &solver));
    OK(pentago_solver_solve(solver, position, 0, NULL, &answer));
    HOLDS(pentago_answer_value(answer) == 1 && pentago_answer_best(answer) > 0);
    OK(pentago_answer_move(answer, 0, &move));
    HOLDS(move.value == 1 && (best == NULL || strcmp(move.text, best) == 0));
    OK(pentago_position_play(position, move.text, &next));
    HOLDS(pentago_position_marbles(next) == pentago_position_marbles(position) + 1);
    INPUT(pentago_build_root(position, ".", -1, 0, 0, NULL));
    pentago_answer_free(&answer);
    pentago_position_free(&next);
    pentago_position_free(&position);
    pentago_solver_free(&solver);
}

/* Returns the path of a table of Mini-Pentago. */
static void path_of(char *path, size_t room, const char *folder, int marbles) {
    snprintf(path, room, "%s/mini/slice-%02d.pentago", folder, marbles);
}

static void tables(const char *folder) {
    pentago_tablebase *tablebase = NULL;
    pentago_position *position = NULL;
    pentago_position *late = NULL;
    char path[4096];
    int8_t cells[16] = {0};
    int8_t value = 0;
    FILE *file;
    GIVES(PENTAGO_STATUS_MISSING, pentago_tablebase_open(folder, NULL, 0, 0, &tablebase));
    INPUT(pentago_build_game("mini", folder, 99, 0, 0, NULL));
    INPUT(pentago_build_game("mini", folder, 1000, 0, 0, NULL));
    INPUT(pentago_build_game("nonsense", folder, -1, 0, 0, NULL));
    OK(pentago_build_game("mini", folder, -1, 200000000, 2, NULL));
    OK(pentago_tablebase_open(folder, NULL, 0, 2, &tablebase));
    OK(pentago_position_parse("6/6/6/6/6/6 x", NULL, &position));
    INPUT(pentago_tablebase_probe(tablebase, position, &value));
    pentago_position_free(&position);
    OK(pentago_position_parse("4/4/4/4 x", "mini", &position));
    INPUT(pentago_tablebase_probe(tablebase, position, NULL));
    INPUT(pentago_tablebase_probe(tablebase, NULL, &value));
    INPUT(pentago_tablebase_probe_many(tablebase, NULL, 1, &value, NULL));
    INPUT(pentago_tablebase_probe_many(tablebase, cells, 1, NULL, NULL));
    INPUT(pentago_tablebase_probe_many(tablebase, cells, (size_t)-1, &value, NULL));
    OK(pentago_tablebase_probe_many(tablebase, NULL, 0, NULL, NULL));
    cells[0] = 3;
    INPUT(pentago_tablebase_probe_many(tablebase, cells, 1, &value, NULL));
    cells[0] = 0;
    /* Delete another table before it is first read. */
    OK(pentago_position_parse("XO2/4/4/4 x", "mini", &late));
    path_of(path, sizeof path, folder, 2);
    HOLDS(remove(path) == 0);
    GIVES(PENTAGO_STATUS_MISSING, pentago_tablebase_probe(tablebase, late, &value));
    OK(pentago_tablebase_probe_many(tablebase, cells, 1, &value, NULL));
    HOLDS(value == 1);
    pentago_tablebase_free(&tablebase);
    INPUT(pentago_tablebase_probe(tablebase, position, &value));
    OK(pentago_tablebase_open(folder, NULL, 0, 2, &tablebase));
    GIVES(PENTAGO_STATUS_MISSING, pentago_tablebase_probe(tablebase, late, &value));
    /* Truncate a table while it is open. */
    path_of(path, sizeof path, folder, 0);
    file = fopen(path, "wb");
    HOLDS(file != NULL && fputs("no table", file) >= 0 && fclose(file) == 0);
    HOLDS(pentago_tablebase_probe(tablebase, position, &value) != PENTAGO_STATUS_OK);
    HOLDS(pentago_tablebase_verify(tablebase, 0, 0, NULL) != PENTAGO_STATUS_OK);
    pentago_tablebase_free(&tablebase);
    OK(pentago_tablebase_open(folder, NULL, 0, 2, &tablebase));
    GIVES(PENTAGO_STATUS_MISSING, pentago_tablebase_verify(tablebase, 0, 0, NULL));
    pentago_tablebase_free(&tablebase);
    pentago_position_free(&late);
    pentago_position_free(&position);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    HOLDS(pentago_abi_version() == PENTAGO_ABI_VERSION && strlen(pentago_version()) > 0);
    HOLDS(strlen(pentago_last_error()) == 0);
    nulls();
    wrong_positions();
    solver();
    other_game("XO1X1/OX2X/3O1/O1XOX/1OXO1 x", "pente:n=5,k=4,opening=free", 25, "D4");
    other_game("ABBBBA1AA/AAABAB1AB/AABBABAAB/BBBABBBBA/AABBBAA1B/AAABBAA2/ABBAABBBB/BABABAAAA/"
               "BABBBABAA a",
               "xl", 81, NULL);
    tables(argv[1]);
    if (failures == 0) {
        puts("all misuse gave errors");
    }
    return failures != 0;
}
