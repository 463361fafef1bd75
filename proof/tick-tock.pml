/*
 * The tick-tock of sno's generator, packages/core/src/sno/generator.ts, and snapshots of it. docs/proof.md explains it.
 *
 * The claim: no id, which is a unit, a tick-tock bit and a counter, is made twice, whatever the clock does, and neither
 * by a generator that goes on from the last snapshot of one that has ended.
 *
 * Every `#ifndef NO_…` is a guard: scripts/prove.js takes one out at a time, and then SPIN must find a repeat.
 */

#ifndef END
#define END 4 /* the clock's last unit; it may step from any unit to any, but the epoch's own */
#endif
#ifndef COUNTERS
#define COUNTERS 2
#endif
#ifndef RESTARTS
#define RESTARTS 2
#endif
#define ID(unit, tick_tock, counter) (((unit) * 2 + (tick_tock)) * COUNTERS + (counter))

byte clock, restarts;
byte wall_hi, wall_safe, tick_tock, counter;
/* The snapshot: of the generator as it ended, taken when the clock was at any unit. */
byte saved_now, saved_hi, saved_safe, saved_tick_tock, saved_counter;
bool ended;
bool made[(END + 1) * 2 * COUNTERS];

inline emit() {
  printf("id %d of unit %d with bit %d\n", counter, clock, tick_tock);
  assert(!made[ID(clock, tick_tock, counter)]);
  made[ID(clock, tick_tock, counter)] = true
}

inline enter() { wall_hi = clock; counter = 0 }

active proctype generator() {
end:
  do
  :: atomic { clock = 1; do :: clock < END -> clock++ :: break od }

  /* generate() */
#ifdef NO_COUNTER
  :: d_step { !ended && clock == wall_hi -> counter = (counter + 1) % COUNTERS; emit() }
#else
  :: d_step { !ended && clock == wall_hi && counter < COUNTERS - 1 -> counter++; emit() }
#endif
  :: d_step { !ended && clock > wall_hi -> enter(); emit() }
#ifdef NO_WALL_SAFE
  :: d_step { !ended && clock < wall_hi ->
#else
  :: d_step { !ended && clock < wall_hi && clock > wall_safe ->
#endif
       wall_safe = wall_hi;
#ifndef NO_TICK_TOCK
       tick_tock = 1 - tick_tock;
#endif
       enter(); emit() }

  /* snapshot(), the end, and a generator that goes on from it. */
  :: d_step { !ended && restarts < RESTARTS ->
       restarts++; ended = true;
       saved_now = clock; saved_hi = wall_hi; saved_safe = wall_safe; saved_tick_tock = tick_tock;
       saved_counter = (clock == wall_hi -> counter : 0);
       wall_hi = 0; wall_safe = 0; tick_tock = 0; counter = 0 }
  :: d_step { ended ->
       ended = false;
       wall_hi = saved_hi; counter = saved_counter;
#ifndef NO_SAVED_BIT
       tick_tock = saved_tick_tock;
#endif
#ifndef NO_SAVED_SAFE
       wall_safe = saved_safe;
#endif
#ifndef NO_USED_UP
       if :: saved_now > 0 && saved_now != saved_hi && saved_counter == 0 -> counter = COUNTERS - 1 :: else fi;
#endif
       saved_now = 0; saved_hi = 0; saved_safe = 0; saved_tick_tock = 0; saved_counter = 0;
       printf("restored, the unit %d is the last one\n", wall_hi) }
  od
}
