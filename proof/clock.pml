/*
 * The hybrid clock in packages/pg-sql/sql/clock.sql: sessions make ids of one sequence, whose value is a unit of time
 * and a counter. docs/proof.md explains the model.
 *
 * The claim: no value is made into an id twice, and an id is larger than all that were there when its call began.
 *
 * Every `#ifndef NO_…` is a guard: scripts/prove.js takes one out at a time, and then SPIN must find a fault.
 */

/*
 * A unit has COUNTERS, of which ids can carry the first CARRIED. The others are the guard zone: half a unit is more than
 * what others take while one session stands still, which is 2 for the other session, and the cancelled calls.
 */
#ifndef COUNTERS
#define COUNTERS 6
#endif
#ifdef NO_GUARD_ZONE
#define CARRIED COUNTERS
#elif !defined(CARRIED)
#define CARRIED 1
#endif
#ifndef END
#define END 2 /* the clock's last unit */
#endif
#define LEAD 2 /* how many units ids may be ahead of the clock, the 10 s, */
#ifndef NEAR
#define NEAR 1 /* and without a look at the lock and the timeline, the 0.1 s */
#endif
#ifndef CALLS
#define CALLS 5
#endif
#ifndef CANCELS
#define CANCELS 1 /* calls that took a value and were cancelled */
#endif
#ifndef BACK
#define BACK 1 /* how often the clock steps back */
#endif
#ifndef FAILOVERS
#define FAILOVERS 0
#endif
#define LAST ((END + LEAD + 3) * COUNTERS)
#define UNIT(value) ((value) / COUNTERS)
#define COUNTER(value) ((value) % COUNTERS)
#define MAX(a, b) ((a) > (b) -> (a) : (b))

byte state; /* the sequence's last value */
byte recorded = 1, timeline = 1; /* the sequence of the timeline, and the server's */
byte replica, known = 1; /* the two sequences, as a standby has them */
bool lock;
byte clock, calls, cancels, back, failovers;
bool made[LAST];
byte largest;

#define GOOD(value, most) (UNIT(value) >= clock && UNIT(value) <= clock + (most) && COUNTER(value) < CARRIED)
#if defined(NO_TIMELINE)
#define HERE true
#elif defined(NO_ORDER)
#define HERE (recorded == timeline)
#else
#define HERE here /* as it was before the value was taken */
#endif
#ifdef NO_LEAD
#define ALLOWED true
#else
#define ALLOWED (next <= clock + LEAD)
#endif

/* The fast path is for sessions that have found the state on the server's timeline. */
#ifdef NO_FIRST_LOOK
#define CHECKED true
#else
#define CHECKED (checked == timeline)
#endif

inline draw() { here = (recorded == timeline); state++; value = state; assert(state < LAST) }

inline give() {
  printf("id %d of unit %d, the clock is at %d\n", COUNTER(value), UNIT(value), clock);
  assert(!made[value]);
  assert(value > before);
  made[value] = true;
  largest = MAX(largest, value)
}

inline done() { value = 0; before = 0; next = 0; stage = 0; mine = 0; here = false }

/* A call of generate(): 1 is the fast path, 2 and 3 are _clock_advance() without and with the lock. */
proctype session() {
  byte value, before, next, stage, mine, checked;
  bool here;
end:
  do
  :: atomic { stage == 0 && calls < CALLS -> calls++; mine = timeline; before = largest; stage = 1; draw() }
  /* The server has died. */
  :: d_step { stage != 0 && mine != timeline -> done() }
  :: d_step { stage == 1 && mine == timeline && GOOD(value, NEAR) && CHECKED -> give(); done() }
  :: d_step { stage == 2 && mine == timeline && GOOD(value, LEAD) && HERE -> give(); checked = timeline; done() }
  :: d_step { stage == 3 && mine == timeline && GOOD(value, LEAD) && HERE -> give(); checked = timeline; lock = false; done() }
  :: atomic { stage == 1 && mine == timeline && !(GOOD(value, NEAR) && CHECKED) -> stage = 2; draw() }
  /* The lock is free, so there is nobody to wait for. */
  :: atomic { stage == 1 && mine == timeline && !(GOOD(value, NEAR) && CHECKED) && !lock ->
       stage = 3; lock = true; draw() }
#ifdef NO_LOCK
  :: atomic { stage == 2 && mine == timeline && !(GOOD(value, LEAD) && HERE) -> stage = 3; draw() }
#else
  :: atomic { stage == 2 && mine == timeline && !(GOOD(value, LEAD) && HERE) && !lock ->
       stage = 3; lock = true; draw() }
#endif
  :: atomic { stage == 3 && mine == timeline && !(GOOD(value, LEAD) && HERE) ->
       next = MAX(clock, UNIT(value) + 1);
#ifndef NO_HALF_UNIT
       next = MAX(clock, UNIT(value) + 1 + (COUNTER(value) >= COUNTERS / 2 -> 1 : 0));
#endif
       /* Ahead of the clock, as after a wait for the lock. */
       if :: next = MAX(next, clock + NEAR) :: true fi;
#ifndef NO_NEW_TIMELINE
       if :: recorded != timeline -> next = MAX(next, clock + LEAD) :: else fi;
#endif
       if
       :: ALLOWED -> stage = 4
       :: else -> lock = false; done() /* an error */
       fi }
  /* Between nextval() and setval() others take values. */
  :: d_step { stage == 4 && mine == timeline ->
       value = next * COUNTERS; state = value; recorded = timeline; give(); checked = timeline; lock = false; done() }
  od
}

active proctype world() {
  do :: state < COUNTERS - 1 -> state++ :: break od;
  run session();
  run session();
end:
  do
  :: d_step { clock < END -> clock++ }
  :: d_step { clock > 0 && back < BACK -> back++; clock-- }
  :: d_step { cancels < CANCELS -> cancels++; state++ }
#if FAILOVERS
  /* What a standby has replayed, at some moment before it is promoted. */
  :: d_step { replica < state && failovers < FAILOVERS -> replica = state; known = recorded }
  /* Its clock is later than that of the server before. */
  :: d_step { failovers < FAILOVERS && clock < END ->
       failovers++; timeline++; clock++; lock = false; state = replica; recorded = known; largest = 0;
       printf("failover, the state is %d\n", state) }
#endif
  od
}
