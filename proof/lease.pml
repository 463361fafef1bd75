/*
 * Leases of one number, as packages/pg-sql/sql/lease.sql and src/lease give them out. docs/proof.md explains the model.
 *
 * The claim: in the unit that is watched, which is any, no two holders make ids with the same counters.
 *
 * Every `#ifndef NO_…` is a guard: scripts/prove.js takes one out at a time, and then SPIN must find a repeat.
 */

/* Which moments there are, how many milliseconds a unit has, and how often what may happen. */
#ifndef END
#define END 5
#endif
#ifndef UNIT
#define UNIT 1
#endif
#ifndef TOKENS
#define TOKENS 3
#endif
#ifndef FAILOVERS
#define FAILOVERS 0
#endif
#ifndef RESTORES
#define RESTORES 0
#endif
#ifndef OWNER
#define OWNER 0 /* how often the owner sets the longest lease */
#endif
#ifndef RESETS
#define RESETS 0
#endif
#ifndef TAKES
#define TAKES 0 /* whether the database's own generator may take the number */
#endif
#ifndef SHARDS
#define SHARDS 1
#endif
#ifndef SHORT
#define SHORT 1 /* the longest lease that the owner may set, */
#endif
#ifndef LONG
#define LONG SHORT /* the longer one, */
#endif
#ifndef FIRST
#define FIRST SHORT /* and the one at first */
#endif
#ifndef SLACK
#define SLACK 1 /* how far the clocks of two servers differ at most, and how far a state runs ahead: the 10 s */
#endif
#define HOLDERS 2
#define DATABASE 15 /* the maker of the server's own ids */

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define LESS(a, b) ((a) > (b) -> (a) - (b) : 0)

/* What is stored: at CUR by the server that answers; at OLD as a standby, a backup or a dump has it. */
#define CUR 0
#define OLD 1
#define ROW(place, shard) ((place) * 2 + (shard))

/* The family's row. */
byte max_ttl[2], margin[2], longer[2], floor[2], timeline[2], leases[2];
bool family_ok[2]; /* xmin is written_by */
bool own[2]; /* the number is that of the database's own generator */
byte own_from[2];
/* Rows of the number: as many as it has shards. */
byte shards[2];
byte token[4], expires[4], start[4], reserved[4];
bool row_ok[4];

byte server_timeline = 1;
bool has_old;
byte moment, watched, given, failovers, restores, owner, resets;

/* What the holders know. */
byte held[HOLDERS], from[HOLDERS], until[HOLDERS], mask[HOLDERS];
bool made[HOLDERS];
/* A release on its way. */
byte released, used;
/* The longest lease that a renewal saw before it waited for a lock; 0 for none. */
byte seen;
/* Who made ids in the watched unit, with each half of the counters. */
byte maker[2];

hidden byte i, clock, ttl, wanted, behind, at, old_reserved, old_start;

inline read_clock() {
  if
#ifdef WILD
  :: clock = 0 :: clock = 1 :: clock = END
#else
  :: clock = moment
  :: moment >= SLACK -> clock = moment - SLACK
#endif
  fi
}

/* Whether the functions wrote all that is there, and all is there. */
#define ROWS_OK(place) ((shards[place] < 1 || row_ok[ROW(place, 0)]) && (shards[place] < 2 || row_ok[ROW(place, 1)]))
#ifdef NO_SIGNATURE
#define SIGNED true
#define SIGNED_ROW(shard) true
#else
#define SIGNED (family_ok[CUR] && ROWS_OK(CUR))
#define SIGNED_ROW(shard) (family_ok[CUR] && row_ok[ROW(CUR, shard)])
#endif
#ifdef NO_COUNT
#define COUNTED true
#else
#define COUNTED (leases[CUR] == shards[CUR])
#endif

#ifdef NO_DATABASE_LEAD
#define MARGIN margin[CUR]
#else
#define MARGIN MAX(margin[CUR], SLACK + 1)
#endif
#ifdef NO_SLACK
#define NEW_FLOOR (clock + MARGIN)
#else
#define NEW_FLOOR (clock + MARGIN + SLACK)
#endif

inline raise_floor() {
  floor[CUR] = MAX(floor[CUR], NEW_FLOOR)
}

/* _lease_enter(): a new timeline gets a floor. */
inline enter() {
  if
#ifdef NO_FLOOR
  :: true -> skip
#else
#ifdef NO_TIMELINE_AT_INSTALL
  :: timeline[CUR] != 0 && timeline[CUR] != server_timeline -> raise_floor()
#else
  :: timeline[CUR] != server_timeline -> raise_floor()
#endif
  :: else
#endif
  fi;
  timeline[CUR] = server_timeline
}

inline choose_ttl(longest) {
  if :: ttl = 1 :: ttl = longest fi
}

#define IS_FREE(row) (token[row] == 0 || expires[row] <= clock)

/* The row goes to the holder h. One that doesn't hear of it is like one that is killed at once. */
inline grant(h, row, shard) {
  old_start = start[row]; old_reserved = reserved[row];
  given++;
  token[row] = given;
  expires[row] = clock + ttl;
#ifdef NO_START_BEHIND
  start[row] = MAX(floor[CUR], LESS(clock, ttl));
#else
  start[row] = MAX(MAX(reserved[row], floor[CUR]), LESS(clock, ttl));
#endif
  reserved[row] = MAX(MAX(reserved[row], floor[CUR]), clock + ttl);
  row_ok[row] = true;
  printf("%d: holder %d gets shard %d of %d, from %d until %d\n", moment, given, shard, shards[CUR], start[row], reserved[row]);
  if
  :: held[h] = given; from[h] = start[row]; until[h] = reserved[row]; made[h] = false;
     mask[h] = (shards[CUR] == 1 -> 3 : 1 << (shard))
#ifdef NO_COMMIT_CHECK
  :: held[h] = given; from[h] = start[row]; until[h] = reserved[row]; made[h] = false;
     mask[h] = (shards[CUR] == 1 -> 3 : 1 << (shard));
     token[row] = 0; start[row] = old_start; reserved[row] = old_reserved /* rolled back */
#endif
  fi
}

inline clear_rows(place) {
  shards[place] = 0;
  i = ROW(place, 0);
  do
  :: i <= ROW(place, 1) ->
     token[i] = 0; expires[i] = 0; start[i] = 0; reserved[i] = 0; row_ok[i] = false; i++
  :: else -> break
  od
}

/* lease_acquire(), by a process that has no lease. */
inline acquire(h) {
  read_clock();
  choose_ttl(max_ttl[CUR]);
  if :: wanted = 1 :: SHARDS == 2 -> wanted = 2 fi;
  enter();
  if
  :: shards[CUR] == wanted && IS_FREE(ROW(CUR, 0)) -> grant(h, ROW(CUR, 0), 0)
  :: shards[CUR] == wanted && wanted == 2 && IS_FREE(ROW(CUR, 1)) -> grant(h, ROW(CUR, 1), 1)
  :: shards[CUR] == 0 || (IS_FREE(ROW(CUR, 0)) && (shards[CUR] == 1 || IS_FREE(ROW(CUR, 1)))) ->
     /* Never used, or free in all its shards, to be divided anew. */
#ifdef NO_MAX_OF_SHARDS
     behind = (shards[CUR] == 0 -> 0 : reserved[ROW(CUR, 0)]);
#else
     behind = (shards[CUR] == 0 -> 0 : reserved[ROW(CUR, 0)]);
     if :: shards[CUR] == 2 -> behind = MAX(behind, reserved[ROW(CUR, 1)]) :: else fi;
#endif
     clear_rows(CUR);
     shards[CUR] = wanted; leases[CUR] = wanted;
     reserved[ROW(CUR, 0)] = behind; row_ok[ROW(CUR, 0)] = true;
     if :: wanted == 2 -> reserved[ROW(CUR, 1)] = behind; row_ok[ROW(CUR, 1)] = true :: else fi;
     grant(h, ROW(CUR, 0), 0)
  :: else
  fi
}

/* lease_renew() for the row's holder, which hears of it only if it lives and the answer arrives. */
inline renew(row, longest) {
  read_clock();
  choose_ttl(longest);
  enter();
  old_start = start[row]; old_reserved = reserved[row];
  expires[row] = clock + ttl;
  if
#ifndef NO_START_AT_FLOOR
  :: start[row] < floor[CUR] -> start[row] = MAX(reserved[row], floor[CUR])
#endif
  :: else
  fi;
#ifdef NO_GROWTH
  reserved[row] = clock + ttl;
#else
  reserved[row] = MAX(reserved[row], clock + ttl);
#endif
  printf("%d: renewed for %d, from %d until %d\n", moment, token[row], start[row], reserved[row]);
  i = 0;
  do
  :: i < HOLDERS ->
     if
#ifdef NO_TOKEN
     :: held[i] != 0 -> from[i] = start[row]; until[i] = reserved[row]
#else
     :: held[i] == token[row] -> from[i] = start[row]; until[i] = reserved[row]
#endif
     :: true
     fi;
     i++
  :: else -> break
  od;
#ifdef NO_COMMIT_CHECK
  if
  :: start[row] = old_start; reserved[row] = old_reserved /* rolled back */
  :: true
  fi
#endif
}

/* lease_release(), when the request arrives. */
inline release(row) {
  printf("%d: %d was released, used until %d\n", moment, released, used);
  token[row] = 0;
  expires[row] = 0;
  reserved[row] = MAX(start[row], MIN(reserved[row], used))
}

inline copy_rows(to, place) {
  shards[to] = shards[place];
  token[ROW(to, 0)] = token[ROW(place, 0)]; token[ROW(to, 1)] = token[ROW(place, 1)];
  expires[ROW(to, 0)] = expires[ROW(place, 0)]; expires[ROW(to, 1)] = expires[ROW(place, 1)];
  start[ROW(to, 0)] = start[ROW(place, 0)]; start[ROW(to, 1)] = start[ROW(place, 1)];
  reserved[ROW(to, 0)] = reserved[ROW(place, 0)]; reserved[ROW(to, 1)] = reserved[ROW(place, 1)];
  row_ok[ROW(to, 0)] = row_ok[ROW(place, 0)]; row_ok[ROW(to, 1)] = row_ok[ROW(place, 1)]
}

inline copy_family(to, place) {
  max_ttl[to] = max_ttl[place]; margin[to] = margin[place]; longer[to] = longer[place]; floor[to] = floor[place];
  timeline[to] = timeline[place]; leases[to] = leases[place]; family_ok[to] = family_ok[place]
}

/* Another copy may be made, or this one used again. */
inline drop_old() {
  if
  :: true
  :: has_old = false; clear_rows(OLD);
     max_ttl[OLD] = 0; margin[OLD] = 0; longer[OLD] = 0; floor[OLD] = 0; timeline[OLD] = 0; leases[OLD] = 0;
     family_ok[OLD] = false; own[OLD] = false; own_from[OLD] = 0
  fi
}

/* A restore wrote rows: not the functions. */
inline restore_rows() {
  copy_rows(CUR, OLD);
  row_ok[ROW(CUR, 0)] = false; row_ok[ROW(CUR, 1)] = false
}

inline restore_family() {
  copy_family(CUR, OLD);
  family_ok[CUR] = false
}

/* An id of the watched unit, by one that has these counters. */
inline make(who, counters) {
  printf("%d: %d makes an id of unit %d\n", moment, who, watched);
  assert(!(counters & 1) || maker[0] == 0 || maker[0] == who);
  assert(!(counters & 2) || maker[1] == 0 || maker[1] == who);
  if :: (counters & 1) -> maker[0] = who :: else fi;
  if :: (counters & 2) -> maker[1] = who :: else fi
}

#define UNIT_BEGIN (watched * UNIT)
#define UNIT_END (watched * UNIT + UNIT)
#if defined(NO_WINDOW)
#define IN_WINDOW(h) true
#elif defined(NO_WHOLE_UNITS)
#define IN_WINDOW(h) (from[h] < UNIT_END && until[h] > UNIT_BEGIN && from[h] < until[h])
#else
#define IN_WINDOW(h) (from[h] <= UNIT_BEGIN && until[h] >= UNIT_END)
#endif
#define USED(h) (made[h] -> UNIT_END : from[h])

/* A holder's process ends, or its generator closes for good. */
inline forget(h) {
  if
  :: h == 0 ->
     held[0] = held[1]; from[0] = from[1]; until[0] = until[1]; mask[0] = mask[1]; made[0] = made[1]
  :: else
  fi;
  held[1] = 0; from[1] = 0; until[1] = 0; mask[1] = 0; made[1] = false
}
#ifdef NO_CLOSE
#define CLOSE(h) skip
#else
#define CLOSE(h) forget(h)
#endif

#define MAY_ACQUIRE (given < TOKENS && SIGNED && COUNTED && !own[CUR])

active proctype world() {
  atomic {
    max_ttl[CUR] = FIRST; margin[CUR] = FIRST; family_ok[CUR] = true;
#ifndef NO_TIMELINE_AT_INSTALL
    timeline[CUR] = server_timeline;
#endif
    do
    :: watched < (END + LONG + 2 * SLACK) / UNIT -> watched++
    :: break
    od
  }
end:
  do
#ifndef WILD
  :: d_step { moment < END -> moment++ }
#endif

  /* Two holders at a time. One that is killed when there is room for another is like one that stands still. The one
     that has place 1 moves to place 0 when that is free. */
  :: atomic { held[0] == 0 && MAY_ACQUIRE -> acquire(0) }
  :: atomic { held[0] != 0 && held[1] == 0 && MAY_ACQUIRE -> acquire(1) }
  :: atomic { token[ROW(CUR, 0)] != 0 && SIGNED_ROW(0) -> renew(ROW(CUR, 0), max_ttl[CUR]) }
  :: atomic { token[ROW(CUR, 1)] != 0 && SIGNED_ROW(1) -> renew(ROW(CUR, 1), max_ttl[CUR]) }
  :: d_step { held[0] != 0 && !made[0] && IN_WINDOW(0) -> make(held[0], mask[0]); made[0] = true }
  :: d_step { held[1] != 0 && !made[1] && IN_WINDOW(1) -> make(held[1], mask[1]); made[1] = true }
  :: d_step { held[0] != 0 && released == 0 -> released = held[0]; used = USED(0); CLOSE(0) }
  :: d_step { held[1] != 0 && released == 0 -> released = held[1]; used = USED(1); CLOSE(1) }
  :: d_step { held[1] != 0 -> forget(0) }
  :: d_step { held[1] != 0 -> forget(1) }
  :: atomic { released != 0 ->
       if
#ifdef NO_TOKEN
       :: token[ROW(CUR, 0)] != 0 -> release(ROW(CUR, 0))
#else
       :: released == token[ROW(CUR, 0)] && row_ok[ROW(CUR, 0)] -> release(ROW(CUR, 0))
       :: released == token[ROW(CUR, 1)] && row_ok[ROW(CUR, 1)] -> release(ROW(CUR, 1))
#endif
       :: true /* it is lost */
       fi;
       released = 0; used = 0 }

#if FAILOVERS || RESTORES
  /* The last copy before its use; it may be used again. */
  :: d_step { !has_old -> copy_rows(OLD, CUR); copy_family(OLD, CUR); own[OLD] = own[CUR]; own_from[OLD] = own_from[CUR];
       has_old = true; printf("%d: copied\n", moment) }
#endif
#if FAILOVERS
  /* Promotion of a standby that lagged, or recovery to an earlier moment. */
  :: atomic { has_old && failovers < FAILOVERS ->
       failovers++; server_timeline++; seen = 0; printf("%d: failover\n", moment);
       copy_rows(CUR, OLD); copy_family(CUR, OLD); own[CUR] = own[OLD]; own_from[CUR] = own_from[OLD];
       drop_old() }
#endif
#if RESTORES
  :: atomic { has_old && restores < RESTORES -> restores++; printf("%d: all restored\n", moment); restore_rows(); restore_family(); drop_old() }
  :: atomic { has_old && restores < RESTORES -> restores++; printf("%d: leases restored\n", moment); restore_rows(); drop_old() }
  :: atomic { has_old && restores < RESTORES -> restores++; printf("%d: family restored\n", moment); restore_family(); drop_old() }
  :: atomic { restores < RESTORES -> restores++; printf("%d: leases lost\n", moment); clear_rows(CUR) }
  /* lease_adopt() */
  :: atomic { !(family_ok[CUR] && ROWS_OK(CUR) && leases[CUR] == shards[CUR]) ->
       printf("%d: adopted\n", moment);
       read_clock();
#ifndef NO_FLOOR_IN_ADOPT
       raise_floor();
#endif
#ifndef NO_LONGER
       floor[CUR] = MAX(floor[CUR], longer[CUR]);
#endif
       timeline[CUR] = server_timeline;
       family_ok[CUR] = true; row_ok[ROW(CUR, 0)] = true; row_ok[ROW(CUR, 1)] = true; leases[CUR] = shards[CUR] }
#endif

#if OWNER
  /* lease_set_max_ttl(), to a longer one and to the one from before */
  :: atomic { owner < OWNER && SIGNED && COUNTED && max_ttl[CUR] < LONG ->
       owner++; printf("%d: longest lease %d\n", moment, LONG); read_clock(); enter();
#ifdef NO_CONFIRMATION
       max_ttl[CUR] = LONG;
#endif
       margin[CUR] = LONG;
#ifndef NO_SERIALIZATION
       seen = 0
#endif
     }
  :: atomic { owner < OWNER && SIGNED && COUNTED && margin[CUR] > SHORT ->
       owner++; printf("%d: longest lease %d\n", moment, SHORT); read_clock(); enter();
       longer[CUR] = MAX(longer[CUR], NEW_FLOOR);
       max_ttl[CUR] = SHORT; margin[CUR] = SHORT;
#ifndef NO_SERIALIZATION
       seen = 0
#endif
     }
  /* lease_confirm_max_ttl(), when what may be promoted or restored has the longer margin */
  :: d_step { max_ttl[CUR] < margin[CUR] && SIGNED && COUNTED && (!has_old || margin[OLD] >= margin[CUR]) ->
       max_ttl[CUR] = margin[CUR]; printf("%d: confirmed\n", moment) }
  /* A renewal under REPEATABLE READ saw the family's row, and waits. */
  :: d_step { seen == 0 && token[ROW(CUR, 0)] != 0 && max_ttl[CUR] > SHORT -> seen = max_ttl[CUR]; printf("%d: a renewal waits\n", moment) }
  :: atomic { seen != 0 && token[ROW(CUR, 0)] != 0 && SIGNED_ROW(0) -> renew(ROW(CUR, 0), seen); seen = 0 }
#endif

#if RESETS
  /* lease_reset() */
  :: atomic { resets < RESETS && shards[CUR] > 0 && SIGNED && COUNTED && !own[CUR] ->
       resets++; printf("%d: reset\n", moment); read_clock(); enter();
       behind = reserved[ROW(CUR, 0)];
#ifndef NO_MAX_OF_RESET
       if :: shards[CUR] == 2 -> behind = MAX(behind, reserved[ROW(CUR, 1)]) :: else fi;
#endif
       clear_rows(CUR);
       shards[CUR] = 1; leases[CUR] = 1; reserved[ROW(CUR, 0)] = behind; row_ok[ROW(CUR, 0)] = true }
#endif

#if TAKES
  /* sno_set_partition() with this number, and the ids of the server's own generator, which may run ahead. */
  :: atomic { !own[CUR] && SIGNED && COUNTED -> read_clock();
#ifndef NO_FLOOR_IN_TAKE
       enter();
#endif
       if
       :: floor[CUR] <= clock && (shards[CUR] == 0 || (IS_FREE(ROW(CUR, 0)) && reserved[ROW(CUR, 0)] <= clock)) &&
          (shards[CUR] < 2 || (IS_FREE(ROW(CUR, 1)) && reserved[ROW(CUR, 1)] <= clock)) ->
          printf("%d: the database takes the number\n", moment); own[CUR] = true; own_from[CUR] = clock;
          clear_rows(CUR); leases[CUR] = 0
       :: else
       fi }
  :: d_step { own[CUR] && UNIT_END > own_from[CUR] && UNIT_BEGIN <= moment + SLACK -> make(DATABASE, 3) }
#endif
  od
}
