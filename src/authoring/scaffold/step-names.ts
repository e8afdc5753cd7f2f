import { stepId } from '../../definitions/formats/values.js';

/**
 * A step id for each call, of the last word of its ability, which expressions can name; no two are the same.
 *
 * `db.write.user_row` is called by `user_row`, a second time by `user_row_2`.
 */
export function nameSteps(calls: readonly string[]): string[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const last = call.split('.').findLast((word) => word !== '') ?? call;
    const word = last.replaceAll(/[^A-Za-z0-9_]/g, '_');
    const base = stepId.safeParse(word).success ? word : `step_${word}`;
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
    taken.add(name);
    return name;
  });
}
