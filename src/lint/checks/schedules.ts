import type { Finding } from '../../contracts/findings.js';
import { AbilityError } from '../../contracts/problem.js';
import { findingOfProblem } from '../../planning/finding-of.js';
import { checkStated, type FoundSchedule, findStated, statedTwice } from '../../planning/schedules/stated-schedules.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import type { LintedProject } from '../linted-project.js';
import { ofFile } from '../of-file.js';

/** What is wrong with the schedule itself; what is wrong with its ability is found there. */
const OF_SCHEDULES: ReadonlySet<string> = new Set(['environment.not_found', 'input.invalid', 'scope.environment']);

/** Finds schedules that share a name, and those of which no firing could be run. */
export function* checkSchedules({ registry, variables }: LintedProject): Generator<Finding> {
  const first = new Map<string, FoundSchedule>();
  for (const found of findStated(registry)) {
    const { spec, file } = found;
    const other = first.get(spec.id);
    if (other) yield findingOfProblem(statedTwice(other, found).toProblem(), file);
    else first.set(spec.id, found);
    const seen = variables?.(spec.environment) ?? new EnvironmentVariables(registry.root, spec.environment);
    yield* ofFile(file, () => refusalOf(() => checkStated(registry, found, seen), file));
  }
}

function refusalOf(check: () => void, file: string): Finding[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return OF_SCHEDULES.has(error.code) ? [findingOfProblem(error.toProblem(), file)] : [];
  }
}
