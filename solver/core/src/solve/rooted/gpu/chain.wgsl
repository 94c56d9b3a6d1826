// One slice of one chain of a rooted solution, computed from the slice with one marble more.
//
// The mathematics
// ---------------
// Fix the empty sockets of a position and disregard rotations. A board b is a pair of disjoint sets
// of sockets. It stands for 128 rotations r = (r0, r1, r2, r3) of its quadrants, all of one parity.
// One truth value for each of these rotations forms a *half super*: 128 bits, a vec4<u32>. Rotation
// r is bit
//
//     32 r3 + 8 r2 + 4 h + r1,    h = r0 / 2;    the parity determines the low bit of r0.
//
// So component r3 of the vector has four bytes r2, and each byte has two nibbles h of four bits r1.
// A placement keeps the rotation. A turn adds 1 to one coordinate or subtracts 1 from it:
//
//     rmax(f)(r) = OR over the turns t of f(r + t)
//
// Let m be the player to move at b, and n the other player. Let M(b) and N(b) be the rotations at
// which m and n have five in a row. Let P(b) be the OR of M(b + e) over the free sockets e; if a
// five only counts after the turn, P(b) is M(b). Let
//
//     R(b) = rmax(OR over the free sockets e of the stored value of b + e).
//
// `decided` combines M, N, P and R to the rotations at which b is good for m. The slice stores the
// negation, so that the parents compute a union. One chain answers "does the first player win", the
// other "does the second player win". If the chain's own player moves, good means a win; otherwise
// it means not losing.
//
// The memory layout
// -----------------
// The empty sockets are divided into low ones (at most seven), an inner and an outer cycle (of four
// sockets each), and high ones. A *line* holds four boards, its *places*: one board with both
// cycles shifted by 0, 1, 2 and 3. An *array* is a run of lines that differ only in the low
// sockets. A *unit* consists of all arrays with the same high sockets and outer cycle. For each
// free socket that isn't low, the children of an array's boards lie in one array, line by line, at
// places shifted by a constant. The children by low sockets lie in one array, and a table gives
// their lines. The shader computes no ranks.
//
// One invocation computes two boards of a line, at adjacent places, so both share the table
// look-ups. `words` has the tables, which are the same for all positions with equally many empty
// sockets. The list of groups and the units of this pass follow.
//
// The functions `load` and `store`, which access the memory of the slices in one or more pieces,
// are appended to this file. They depend only on the number of pieces.

struct Slice {
    // The offset of this pass's groups in `words`, and their number.
    groups_at: u32,
    groups: u32,
    // The offset of the units in `words`, and the number of words of a unit.
    units_at: u32,
    unit_words: u32,
    // The offsets of the tables in `words`: arrays by shape and state, and classes by the marbles
    // of both players.
    shapes_at: u32,
    classes_at: u32,
    // The numbers of low sockets, of sockets of the inner cycle, and of high sockets.
    low: u32,
    inner: u32,
    high: u32,
    // The player who moves: 0 or 1.
    mover: u32,
    // One of the constants below.
    rule: u32,
    turns: u32,
    // Whether there are children, and otherwise the value of every child.
    children: u32,
    seed: u32,
    // Whether M is needed, and the kind of P.
    fives: u32,
    threats: u32,
}

@group(0) @binding(0) var<uniform> slice: Slice;
@group(0) @binding(1) var<storage, read> words: array<u32>;
// The fives of each set, for both players, each number of marbles and both parities.
@group(0) @binding(2) var<storage, read> fives: array<vec4<u32>>;

// The rule for a value: from the children, or in the last slice without them.
const UNLESS = 0u;
const MIXED = 1u;
const ANSWER = 2u;
const ANSWER_ALONE = 3u;
const WON = 4u;
const NOT_LOST = 5u;
const NOT_BEHIND = 6u;
const NOT_UNANSWERED = 7u;
const NOT_UNANSWERED_NOR_BOTH = 8u;

// The legal turns: both directions, or clockwise only, for results at rotations of this parity.
const BOTH_WAYS = 0u;
const CLOCKWISE_EVEN = 1u;

// P: a five by a placement, or, if a five counts after the turn, only a present five.
const BY_PLACEMENT = 1u;
const BEFORE = 2u;

// A unit in `words`. A *reference* has two words: the first line of another unit, and four times
// that unit's shape plus its shift in places.
const UNIT_LINE = 0u;
const UNIT_LINES = 1u;
const UNIT_BOARDS = 2u;
const UNIT_COUNTS = 3u;
const UNIT_INSIDE = 4u;
const UNIT_MOVER = 6u;
const UNIT_OTHER = 8u;
const UNIT_GROWN = 10u;
const UNIT_HIGH = 12u;

// The number of lines of a workgroup, and of its invocations. A line has four places.
const GROUP_LINES = 32u;
const GROUP_INVOCATIONS = 64u;

// The values at two places of a line.
struct Pair {
    a: vec4<u32>,
    b: vec4<u32>,
}

fn twice(x: vec4<u32>) -> Pair {
    return Pair(x, x);
}

fn united(x: Pair, y: Pair) -> Pair {
    return Pair(x.a | y.a, x.b | y.b);
}

// Computes rmax for all 128 rotations.
fn rotation_max(x: vec4<u32>) -> vec4<u32> {
    let next_r1 = ((x >> vec4(1u)) & vec4(0x77777777u)) | ((x << vec4(3u)) & vec4(0x88888888u));
    let next_r2 = (x >> vec4(8u)) | (x << vec4(24u));
    let next_r3 = x.yzwx;
    let other_h = ((x >> vec4(4u)) & vec4(0x0f0f0f0fu)) | ((x << vec4(4u)) & vec4(0xf0f0f0f0u));
    let clockwise = next_r1 | next_r2 | next_r3;
    if slice.turns == BOTH_WAYS {
        let previous_r1 = ((x << vec4(1u)) & vec4(0xeeeeeeeeu)) | ((x >> vec4(3u)) & vec4(0x11111111u));
        let previous_r2 = (x << vec4(8u)) | (x >> vec4(24u));
        // The two turns of the first quadrant lead to both values of h.
        return clockwise | previous_r1 | previous_r2 | x.wxyz | x | other_h;
    }
    // A clockwise turn of the first quadrant keeps h if r0 is even, which holds if r1 + r2 + r3 has
    // the parity of the results.
    let even_r23 = vec4(0x00ff00ffu, 0xff00ff00u, 0x00ff00ffu, 0xff00ff00u);
    let keeps = ~(select(~even_r23, even_r23, slice.turns == CLOCKWISE_EVEN) ^ vec4(0x55555555u));
    return clockwise | (x & keeps) | (other_h & ~keeps);
}

// Returns the stored value of a board: the rotations at which it isn't good for the player to move.
fn decided(m: vec4<u32>, n: vec4<u32>, p: vec4<u32>, r: vec4<u32>) -> vec4<u32> {
    switch slice.rule {
        // Good: not N and (P or R).
        case UNLESS: { return n | ~(p | r); }
        // Good: M where N, otherwise P or R.
        case MIXED: { return (n & ~m) | ~(n | p | r); }
        // Good: P or (not N and R).
        case ANSWER: { return ~p & (n | ~r); }
        // Good: (P and not (M and N)) or (not N and R).
        case ANSWER_ALONE: { return (~p | (m & n)) & (n | ~r); }
        // Good: M and not N.
        case WON: { return ~m | n; }
        // Good: not (N and not M).
        case NOT_LOST: { return n & ~m; }
        // Good: not N.
        case NOT_BEHIND: { return n; }
        // Good: not (N and not P).
        case NOT_UNANSWERED: { return n & ~p; }
        // Good: not (N and (M or not P)).
        default: { return n & (m | ~p); }
    }
}

// A state of a cycle has the sockets of player 0 in bits 0 to 3, and those of player 1 in bits 4 to
// 7.
fn of_player(state: u32, player: u32) -> u32 {
    return (state >> (4u * player)) & 15u;
}

// Shifts a state by 0 to 4 places.
fn shifted(state: u32, by: u32) -> u32 {
    let of_players = ((vec2(state & 15u, state >> 4u) * 17u) >> vec2(4u - by)) & vec2(15u);
    return of_players.x | (of_players.y << 4u);
}

// Returns the array with a state of the inner cycle in the unit of a reference: its first line, and
// its shift in places.
fn array_of(reference: u32, state: u32) -> vec2<u32> {
    let shape = words[reference + 1u];
    let by = shape & 3u;
    let array = words[slice.shapes_at + (shape >> 2u) * 256u + shifted(state, 4u - by)];
    return vec2(words[reference] + (array >> 2u), by + (array & 3u));
}

// Loads the stored values of a line whose places are shifted by `by`.
fn stored(line: u32, by: u32, place: u32) -> Pair {
    return Pair(load(line, (place + by) & 3u), load(line, (place + by + 1u) & 3u));
}

// Loads the fives of a line of sets.
fn five(line: u32, by: u32, place: u32) -> Pair {
    return Pair(fives[4u * line + ((place + by) & 3u)], fives[4u * line + ((place + by + 1u) & 3u)]);
}

// Loads the fives of subset `i` of the low sockets with these sockets of the inner cycle.
fn five_of(reference: u32, inner: u32, i: u32, place: u32) -> Pair {
    let array = array_of(reference, inner);
    return five(array.x + i, array.y, place);
}

// Returns the union of the stored values of all children.
fn union_of_children(unit: u32, line: u32, board: Board, place: u32) -> Pair {
    var all = twice(vec4(slice.seed));
    if slice.children == 0u {
        return all;
    }
    let counts = words[unit + UNIT_COUNTS];
    // The children by high sockets lie in units of the same shape.
    for (var i = 0u; i < (counts & 255u); i++) {
        all = united(all, stored(words[unit + UNIT_HIGH + i] + line, 0u, place));
    }
    let outer = unit + UNIT_HIGH + slice.high;
    for (var i = 0u; i < ((counts >> 8u) & 255u); i++) {
        let array = array_of(outer + 2u * i, board.state);
        all = united(all, stored(array.x + board.index, array.y, place));
    }
    for (var bit = 1u; bit < (1u << slice.inner); bit <<= 1u) {
        if (board.free_inner & bit) != 0u {
            let array = array_of(unit + UNIT_INSIDE, board.state | (bit << (4u * slice.mover)));
            all = united(all, stored(array.x + board.index, array.y, place));
        }
    }
    if board.free_low > 0u {
        let array = array_of(unit + UNIT_INSIDE, board.state);
        let places = words[board.class_at + slice.mover] + board.index * board.free_low;
        for (var i = 0u; i < board.free_low; i++) {
            all = united(all, stored(array.x + words[places + i], array.y, place));
        }
    }
    return all;
}

// Returns P: the rotations at which some placement of the player to move makes five. `own` is that
// player's subset of the low sockets.
fn threats(unit: u32, board: Board, own: u32, place: u32) -> Pair {
    var all = twice(vec4(0u));
    let inner = of_player(board.state, slice.mover);
    // Sets grown by high sockets and by the outer cycle.
    let grown = unit + UNIT_HIGH + slice.high + 8u;
    for (var i = 0u; i < (words[unit + UNIT_COUNTS] >> 16u); i++) {
        all = united(all, five_of(grown + 2u * i, inner, own, place));
    }
    for (var bit = 1u; bit < (1u << slice.inner); bit <<= 1u) {
        if (board.free_inner & bit) != 0u {
            all = united(all, five_of(unit + UNIT_GROWN, inner | bit, own, place));
        }
    }
    if board.free_low > 0u {
        let array = array_of(unit + UNIT_GROWN, inner);
        let places = words[board.class_at + 4u + slice.mover] + board.index * board.free_low;
        for (var i = 0u; i < board.free_low; i++) {
            all = united(all, five(array.x + words[places + i], array.y, place));
        }
    }
    return all;
}

// The boards of a line, without their high sockets and outer cycle.
struct Board {
    // The state of the inner cycle, and its free sockets.
    state: u32,
    free_inner: u32,
    // The index of the line in its array.
    index: u32,
    // The offset in `words` of the tables of its class: for each player, the places of the
    // children, of the own subset, and of that subset with a free socket added.
    class_at: u32,
    free_low: u32,
}

fn board_of(entry: u32) -> Board {
    let state = entry & 255u;
    let marbles = vec2((entry >> 16u) & 15u, (entry >> 20u) & 15u);
    let free_inner = ~(state | (state >> 4u)) & ((1u << slice.inner) - 1u);
    let class_at = slice.classes_at + 6u * (marbles.x * (slice.low + 1u) + marbles.y);
    return Board(state, free_inner, (entry >> 8u) & 255u, class_at, slice.low - marbles.x - marbles.y);
}

@compute @workgroup_size(GROUP_INVOCATIONS)
fn compute(
    @builtin(workgroup_id) at: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    // A dispatch has at most 65,535 groups in each of two dimensions.
    let number = at.x + at.y * groups.x;
    if number >= slice.groups {
        return;
    }
    // The unit of the group, and the group's lines in it.
    let group = words[slice.groups_at + number];
    let unit = slice.units_at + (group >> 9u) * slice.unit_words;
    let line = (group & 511u) * GROUP_LINES + invocation / 2u;
    let place = 2u * (invocation % 2u);
    if line >= words[unit + UNIT_LINES] {
        return;
    }
    let board = board_of(words[words[unit + UNIT_BOARDS] + line]);
    let own = words[words[board.class_at + 2u + slice.mover] + board.index];
    let others = words[words[board.class_at + 3u - slice.mover] + board.index];

    let r = union_of_children(unit, line, board, place);
    let n = five_of(unit + UNIT_OTHER, of_player(board.state, 1u - slice.mover), others, place);
    var m = twice(vec4(0u));
    if slice.fives != 0u {
        m = five_of(unit + UNIT_MOVER, of_player(board.state, slice.mover), own, place);
    }
    var p = twice(vec4(0u));
    if slice.threats == BY_PLACEMENT {
        p = threats(unit, board, own, place);
    } else if slice.threats == BEFORE {
        p = m;
    }
    let result = words[unit + UNIT_LINE] + line;
    store(result, place, decided(m.a, n.a, p.a, rotation_max(r.a)));
    store(result, place + 1u, decided(m.b, n.b, p.b, rotation_max(r.b)));
}
