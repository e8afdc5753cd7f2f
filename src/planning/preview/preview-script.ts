import { isFileValue } from '../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { Plan, PlanScript } from '../../contracts/plan.js';
import type { ScriptPreview } from '../../contracts/preview.js';
import { evaluateScript, type ScriptFacts } from '../scripts/texts/evaluate-script.js';
import type { ValuePiece } from '../scripts/texts/evaluated.js';
import { plainTextOf, writeScript } from '../scripts/texts/write-script.js';
import { foreseeValue, type Known } from './foresee.js';

/** A call of a script before it runs. */
export interface ForeseenScript {
  plan: Plan;
  script: PlanScript;
  inputSchema: JsonObject;
  /** Members may be hidden. */
  input: JsonObject;
  known: Known;
}

/**
 * What a script would be given: the same texts as in the run, with names in braces where only the run has a value.
 *
 * Secrets are shown as the references that they are.
 */
export function previewScript({ plan, script, inputSchema, input, known }: ForeseenScript): ScriptPreview {
  const program = [...script.interpreter, script.path];
  const env = { ...script.env.set, ...script.env.secrets };
  const found = foreseeValue((): Json => {
    const evaluated = evaluateScript(script, factsOf(plan, inputSchema, input, known));
    const { args, stdin = null, env } = writeScript(evaluated, shownText);
    return { args, stdin, env };
  });
  const nothing = { command: null, stdin: null, env, depends_on: [], problem: null };
  if (found.is === 'open') return { ...nothing, depends_on: found.depends_on };
  if (found.is === 'failing') return { ...nothing, problem: found.problem };
  const { args, stdin, env: own } = found.value as unknown as { args: string[]; stdin: string | null; env: object };
  return { ...nothing, command: [...program, ...args], stdin, env: { ...env, ...own } };
}

/** Only the run makes a copy of a file. */
function shownText(piece: ValuePiece): string {
  return isFileValue(piece.value) ? `{file ${piece.value.name}}` : plainTextOf(piece);
}

function factsOf(plan: Plan, inputSchema: JsonObject, input: JsonObject, { values }: Known): ScriptFacts {
  const { environment = null, task } = values;
  return {
    values: { input, environment, task: isJsonObject(task) ? task : {} },
    inputSchema,
    placeholders: {
      // Read only where a text names it: a part that is not known must not hide the rest.
      get payload() {
        return JSON.stringify(input);
      },
    },
    engine: plan.engine,
    ...(plan.cel !== undefined && { cel: plan.cel }),
  };
}
