import { isFileValue } from '../../contracts/files.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { evaluateScript } from '../../planning/scripts/texts/evaluate-script.js';
import { plainTextOf, writeScript } from '../../planning/scripts/texts/write-script.js';
import { keyOf } from '../../rules/tasks/task-ids.js';

/** Placeholder for paths known only during the call; they do not affect the check. */
const PATH = '/path';

/**
 * Refuses input from which a directly called script's texts cannot be written; the call itself checks for other
 * failures, since it knows all variables. @param input with defaults applied. @param task whose task key the texts
 * see. @throws AbilityError `input.invalid`, with the place.
 */
export function refuseUnusableInput(plan: Plan, input: JsonObject, task: string): void {
  const operation = plan.ability.kind === 'operation' ? plan.operations[plan.ability.id] : undefined;
  if (operation?.implementation.kind !== 'script') return;
  const key = keyOf(task);
  const { name, protected: isProtected, vars } = plan.environment;
  const facts = {
    values: { input, environment: { name, protected: isProtected, vars }, task: { key, ability: operation.key } },
    inputSchema: operation.input_schema,
    placeholders: {
      input_file: PATH,
      output_file: PATH,
      output_dir: PATH,
      pinned: PATH,
      payload: JSON.stringify(input),
      task_key: key ?? '',
      idempotency_key: 'key',
    },
  };
  try {
    const evaluated = evaluateScript(operation.implementation.script, facts);
    writeScript(evaluated, (piece) => (isFileValue(piece.value) ? PATH : plainTextOf(piece)));
  } catch (error) {
    if (error instanceof AbilityError && error.code === 'input.invalid') throw error;
  }
}
