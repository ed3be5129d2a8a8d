/**
 * Seeds that once found a fault; they run first. What a seed leads to changes with the model, so each fault has a unit test of its own,
 * too: a deletion that settled more than itself (900), a vote taken for another content of its version (249), undos placed by a
 * guess (990, 20411, 2008011), labels of an owner that died (1000485, 1003887), a bulk outcome of a lane that was lost (1005829), a
 * clear below a newer empty state (2015711), a field that only a deletion had settled (3007188), a vote that an earlier owner had seen
 * (20013612), a change that was given up and delivered once more (20077060, 20105780), a label of an owner that died and which an
 * ignored user took away (20098945), or of a write that was cut off (60019546), a copy of a partly recorded change (30062427), a
 * parked change whose asset nobody noted (30108570), timers that were cancelled and came all the same, more and more of them (60078897),
 * an ignored user's undo that brought the entity into a filter (80163363), a label of a copy that was delivered again (80190309), a text
 * edited in silence below an ignored user's change (80195408).
 */
export const REGRESSIONS: readonly number[] = [
  249, 900, 990, 4_303, 20_411, 100_278, 1_000_485, 1_003_887, 1_005_829, 2_008_011, 2_015_711, 3_007_188, 20_013_612,
  20_077_060, 20_098_945, 20_105_780, 30_062_427, 30_108_570, 60_019_546, 60_078_897, 80_163_363, 80_190_309,
  80_195_408,
];
