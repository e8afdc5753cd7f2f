import type { Finding } from '../../contracts/findings.js';
import type { Json } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { checkStated } from '../../planning/schedules/check-stated.js';
import { type FoundSchedule, findStated, statedTwice } from '../../planning/schedules/stated-schedules.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { problemsOf } from '../../planning/steps/check-names.js';
import { checkTrigger, type FoundTrigger, findTriggers, webhookTwice } from '../../planning/triggers/check-trigger.js';
import { clockChangeNote } from '../../rules/schedules/approve-before.js';
import { readCron } from '../../rules/schedules/cron.js';
import { knownAhead } from '../../rules/steps/steps-read.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { presetParameters } from '../types/implementations.js';
import type { View } from '../types/infer.js';
import { ANY, mapType, STRING } from '../types/type.js';
import { inputDiagnostics } from './calls.js';
import { conditionDiagnostics, type PlacedDiagnostic, templateDiagnostics } from './expressions.js';
import { placedFinding } from './workflow-contents.js';

/** Errors of the schedule itself; those of its ability are reported at the ability. */
const OF_SCHEDULES: ReadonlySet<string> = new Set(['environment.not_found', 'input.invalid', 'scope.environment']);

/** Finds schedules with the same id, those that could never run, and times that a change of the clock affects, or that ask for nothing. */
export function* checkSchedules({ registry, variables }: LintedProject): Generator<Finding> {
  const first = new Map<string, FoundSchedule>();
  for (const found of findStated(registry)) {
    const { spec, file } = found;
    const other = first.get(spec.id);
    if (other) yield findingOfProblem(statedTwice(other, found).toProblem(), file);
    else first.set(spec.id, found);
    const seen = variables?.(spec.environment) ?? new EnvironmentVariables(registry.root, spec.environment);
    let plan: Plan | undefined;
    yield* ofFile(file, () =>
      problemsOf(() => {
        plan = checkStated(registry, found, seen);
      })
        .filter(({ code }) => OF_SCHEDULES.has(code))
        .map((problem) => findingOfProblem(problem, file)),
    );
    if (plan && spec.approve_before_ms !== undefined && !mayAskAhead(plan)) {
      const message = `${spec.ability} has nothing in ${spec.environment} that people could be asked ahead`;
      yield findingOf(
        'lint.nothing_to_approve',
        message,
        found.workflow.locate(['schedules', found.index, 'approve_before']),
      );
    }
    yield* clockChangeOf(found);
  }
}

/** Hooks before creation may ask, too. */
function mayAskAhead(plan: Plan): boolean {
  return plan.ability.hooks.pre_create.length > 0 || knownAhead(plan).length > 0;
}

function* clockChangeOf({ spec, workflow, index }: FoundSchedule): Generator<Finding> {
  const cron = readCron(spec.cron);
  const note = typeof cron === 'string' ? undefined : clockChangeNote(cron, spec.timezone);
  if (note !== undefined) yield findingOf('lint.schedule_clock', note, workflow.locate(['schedules', index, 'cron']));
}

/** Finds triggers with the same webhook, those that cannot start anything, and errors in their expressions. */
export function* checkTriggers({ registry }: LintedProject): Generator<Finding> {
  const first = new Map<string, FoundTrigger>();
  for (const found of findTriggers(registry)) {
    const { spec, from } = found;
    const other = first.get(spec.webhook);
    if (other) yield findingOfProblem(webhookTwice(other, found).toProblem(), from.file);
    else first.set(spec.webhook, found);
    yield* ofFile(from.file, () => [
      ...problemsOf(() => checkTrigger(registry, found)).map((problem) => findingOfProblem(problem, from.file)),
      ...[...diagnosticsIn(found, presetParameters(registry, spec.ability))].map((diagnostic) =>
        placedFinding(from, diagnostic),
      ),
    ]);
  }
}

/** The type of `webhook`. Its sender decides what the body holds. */
const WEBHOOK = mapType({ headers: mapType({}, () => STRING), body: ANY });
const VIEW: View = { typeOf: (name) => (name === 'webhook' ? WEBHOOK : undefined), present: new Set() };

function* diagnosticsIn({ spec, from, index }: FoundTrigger, preset: ReadonlySet<string>): Generator<PlacedDiagnostic> {
  const at = (part: string): PropertyKey[] => ['triggers', index, part];
  if (spec.if !== undefined) yield* conditionDiagnostics(spec.if, at('if'), VIEW);
  if (spec.key !== undefined) yield* templateDiagnostics(spec.key, at('key'), VIEW, 'text');
  yield* templateDiagnostics(spec.input, at('input'), VIEW);
  const { input_schema: schema } = from.value;
  const isWritten = typeof spec.input === 'string' || Object.keys(spec.input).length > 0;
  const place = isWritten ? at('input') : ['triggers', index];
  yield* inputDiagnostics({ schema, of: spec.ability, preset, at: place }, spec.input as Json, at('input'), VIEW);
}
