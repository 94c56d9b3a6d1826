/* Exact values of Pentago positions: libpentago.
 *
 * Functions give a pentago_status; the text of an error is pentago_last_error(). Handles come from
 * functions with an argument `out`, which is set to NULL where they fail, and are freed by the
 * pentago_..._free() of their kind, which sets the caller's pointer to NULL. A handle may be used by
 * several threads at once, but not while it is freed. Texts are UTF-8 with a zero at their end.
 *
 * Made by cbindgen from tools/capi; do not edit. */

#ifndef PENTAGO_H
#define PENTAGO_H

#include <stddef.h>
#include <stdint.h>

// The version of this interface: it changes when a program has to be compiled again. A program
// compares it with pentago_abi_version().
#define PENTAGO_ABI_VERSION 1

// The number that stands for a value that isn't known, where 1 is a win, 0 a draw and -1 a loss of
// the side to move.
#define PENTAGO_UNKNOWN -128

// How a call ended.
typedef enum {
  // As asked.
  PENTAGO_STATUS_OK = 0,
  // What was asked makes no sense: bad text, an illegal move, a null pointer.
  PENTAGO_STATUS_INPUT = 1,
  // Data is not there, or is damaged.
  PENTAGO_STATUS_MISSING = 2,
  // Two computations that must agree do not: a table holds a wrong value.
  PENTAGO_STATUS_CONTRADICTION = 3,
  // The machine did not do what it had to: disk, input and output, threads.
  PENTAGO_STATUS_ENVIRONMENT = 4,
  // The memory doesn't suffice.
  PENTAGO_STATUS_MEMORY = 5,
  // It was stopped by pentago_control_cancel().
  PENTAGO_STATUS_CANCELLED = 6,
  // An error of this library. Please report it.
  PENTAGO_STATUS_INTERNAL = 7,
} pentago_status;

// What is known of a position. It never changes: safe in any thread.
typedef struct pentago_answer pentago_answer;

// Watches and stops the computations that it is given to. Thread-safe; once cancelled it stays so.
typedef struct pentago_control pentago_control;

// A board with the side to move, under some rules. It never changes: safe in any thread.
typedef struct pentago_position pentago_position;

// Solves positions exactly. Thread-safe; it answers one question at a time.
typedef struct pentago_solver pentago_solver;

// An open folder of tables. Thread-safe.
typedef struct pentago_tablebase pentago_tablebase;

// How far a computation is: `done` of `total` boards or bytes of its stage.
typedef struct {
  // The number of the stage, from 1; 0 before the first.
  uint64_t stage;
  // What is done of it.
  uint64_t done;
  // All that is to be done.
  uint64_t total;
} pentago_progress;

// A move with its value for the player who makes it.
typedef struct {
  // The move, such as "c4/2+", with a zero at its end.
  char text[8];
  // 1 for a win, 0 for a draw, -1 for a loss, PENTAGO_UNKNOWN.
  int8_t value;
  // Plies to the end of the game, this move included; -1 if that wasn't asked or isn't known.
  int32_t distance;
} pentago_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the interface that the library has: PENTAGO_ABI_VERSION of its header. Safe in any
// thread.
uint32_t pentago_abi_version(void);

// The version of the library, such as "0.1.0"; it is never freed. Safe in any thread.
const char *pentago_version(void);

// The text of the last error in this thread; empty if there was none. It is valid until the next
// call that fails in the same thread, and is never freed by the caller.
const char *pentago_last_error(void);

// Makes a control.
pentago_status pentago_control_new(pentago_control **out);

// Asks the computations to stop; they end with PENTAGO_STATUS_CANCELLED within milliseconds. Safe
// in any thread while they run.
pentago_status pentago_control_cancel(const pentago_control *control);

// How far a computation is. Safe in any thread while it runs.
pentago_status pentago_control_progress(const pentago_control *control, pentago_progress *out);

// Frees a control and sets the pointer to NULL. The computations that it was given to must have
// ended.
void pentago_control_free(pentago_control **control);

// Reads a position, such as "6/6/6/6/6/6 x": rows from the top, with digits for runs of empty
// sockets, and the side to move. `rules` is their text, such as "pentago-fi", "mini", "xl:seats=4" or
// "pente:n=5,k=4,opening=free"; NULL stands for "pentago".
pentago_status pentago_position_parse(const char *position,
                                      const char *rules,
                                      pentago_position **out);

// The position with `count` sockets, 36 for Pentago, row by row from the top: 0 is empty, 1 holds a
// marble of the first seat (X), 2 one of the second (O). With `pending` other than 0 the marble of a
// move has been placed and its turn is still to come.
pentago_status pentago_position_from_cells(const int8_t *cells,
                                           size_t count,
                                           const char *rules,
                                           int32_t pending,
                                           pentago_position **out);

// Writes the sockets of a position to `cells`, which has room for `capacity` numbers: as many as the
// board has sockets, 36 for Pentago.
pentago_status pentago_position_cells(const pentago_position *position,
                                      int8_t *cells,
                                      size_t capacity);

// Writes the text of a position to `buffer`, which has room for `capacity` bytes (512 always
// suffice), and its length without the zero at its end to `length`. `buffer` may be NULL to ask for
// the length, `length` may be NULL.
pentago_status pentago_position_text(const pentago_position *position,
                                     char *buffer,
                                     size_t capacity,
                                     size_t *length);

// The position after a move such as "c4/2+", as a new handle.
pentago_status pentago_position_play(const pentago_position *position,
                                     const char *mv,
                                     pentago_position **out);

// The least of the positions that are symmetric to this one, as a new handle.
pentago_status pentago_position_canonical(const pentago_position *position, pentago_position **out);

// The number of marbles; 0 for NULL.
uint32_t pentago_position_marbles(const pentago_position *position);

// Writes the seat to move to `out`: 'x' or 'o', or a letter from 'a' on for Pentago XL.
pentago_status pentago_position_to_move(const pentago_position *position, char *out);

// Writes how the game has ended to `out`: the seat that has won, such as 'x' or 'o' (of partners the
// first), '=' for a draw, 0 if it isn't over.
pentago_status pentago_position_outcome(const pentago_position *position,
                                        char *out);

// Frees a position and sets the pointer to NULL.
void pentago_position_free(pentago_position **position);

// Makes a solver. `memory` is the bytes that a solution may take, 0 for 4 GB; `threads` how many
// work on it, 0 for one per processor.
pentago_status pentago_solver_new(uint64_t memory, uint32_t threads, pentago_solver **out);

// The value of a position and of every move; with `distances` other than 0 also the plies to the
// end of the game, in about twice the time. `control` may be NULL.
pentago_status pentago_solver_solve(const pentago_solver *solver,
                                    const pentago_position *position,
                                    int32_t distances,
                                    const pentago_control *control,
                                    pentago_answer **out);

// Frees a solver and sets the pointer to NULL.
void pentago_solver_free(pentago_solver **solver);

// The value for the side to move: 1 for a win, 0 for a draw, -1 for a loss; PENTAGO_UNKNOWN, also
// for NULL.
int8_t pentago_answer_value(const pentago_answer *answer);

// Plies to the end of the game; -1 if that wasn't asked or isn't known, or for NULL.
int32_t pentago_answer_distance(const pentago_answer *answer);

// The number of legal moves, best first; 0 if the game is over, or for NULL.
size_t pentago_answer_moves(const pentago_answer *answer);

// How many of the first moves keep the value of the position; 0 if it is unknown, or for NULL.
size_t pentago_answer_best(const pentago_answer *answer);

// Writes the move with this number, from 0, to `out`.
pentago_status pentago_answer_move(const pentago_answer *answer, size_t number, pentago_move *out);

// Frees an answer and sets the pointer to NULL.
void pentago_answer_free(pentago_answer **answer);

// Opens all tables of a folder. `rules` is the text of the rules that positions are looked up
// under; for NULL they are those of the tables, if these are all of one kind, or else "pentago".
// `cache` is the bytes of decoded blocks to keep, 0 for 64 MB; `threads` how many work on many
// boards, 0 for one per processor.
pentago_status pentago_tablebase_open(const char *folder,
                                      const char *rules,
                                      size_t cache,
                                      uint32_t threads,
                                      pentago_tablebase **out);

// Writes the value of a position for the side to move to `value`: 1 for a win, 0 for a draw, -1 for
// a loss. It ends with PENTAGO_STATUS_MISSING if no table holds it.
pentago_status pentago_tablebase_probe(const pentago_tablebase *tablebase,
                                       const pentago_position *position,
                                       int8_t *value);

// Writes the values of `count` boards to `values`, PENTAGO_UNKNOWN where no table holds a board.
// `cells` has 36 numbers for each board, or 16 by the rules of Mini-Pentago, as for
// pentago_position_from_cells(). `control` may be NULL.
pentago_status pentago_tablebase_probe_many(const pentago_tablebase *tablebase,
                                            const int8_t *cells,
                                            size_t count,
                                            int8_t *values,
                                            const pentago_control *control);

// Compares the checksums of all tables, and `sample` random values with those of their moves and
// with the solver. It ends with PENTAGO_STATUS_MISSING for a damaged table,
// PENTAGO_STATUS_CONTRADICTION for a wrong value. `control` may be NULL.
pentago_status pentago_tablebase_verify(const pentago_tablebase *tablebase,
                                        uint64_t sample,
                                        uint64_t seed,
                                        const pentago_control *control);

// Closes a tablebase and sets the pointer to NULL.
void pentago_tablebase_free(pentago_tablebase **tablebase);

// Builds the tables of everything below a position in a folder. `keep` is the marbles of the last
// slice that is kept, -1 for as far as positions are slow to solve on demand; `memory` the bytes
// that it may take, 0 for 4 GB; `threads` 0 for one per processor. `control` may be NULL. A build
// that was stopped is continued by the same call.
pentago_status pentago_build_root(const pentago_position *root,
                                  const char *folder,
                                  int32_t keep,
                                  uint64_t memory,
                                  uint32_t threads,
                                  const pentago_control *control);

// Builds the tables of a whole game in a folder: of the slices with `keep` and more marbles, of all
// for -1. `rules` is the text of its rules, such as "mini"; the rest is as for
// pentago_build_root().
pentago_status pentago_build_game(const char *rules,
                                  const char *folder,
                                  int32_t keep,
                                  uint64_t memory,
                                  uint32_t threads,
                                  const pentago_control *control);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PENTAGO_H */
