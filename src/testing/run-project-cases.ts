import { AbilityError } from '../contracts/problem.js';
import { loadCases } from '../definitions/load-cases.js';
import { loadRegistry } from '../definitions/load-registry.js';
import type { Progress } from '../server/binary/find-program.js';
import { openBench } from './open-bench.js';
import { type CaseFilter, prepareCases } from './prepare-cases.js';
import type { CaseReport, TestReport } from './report.js';
import { runCase } from './run-case.js';

/** Which cases to run, and callbacks for progress. */
export interface TestOptions extends CaseFilter {
  /** A folder of the project. */
  root: string;
  progress?: Progress;
  onCase?: (report: CaseReport) => void;
  signal?: AbortSignal;
  /** Locates the test server; omitted: the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

/**
 * Runs the test cases of a project one after another on their own time-skipping server; writes nothing into the
 * project. A mistake in one case file does not stop the others. @throws AbilityError `project.*`, `definition.*`,
 * `test.no_cases`, `temporal.*`; the reason of the signal.
 */
export async function runProjectCases({
  root,
  progress = () => {},
  onCase,
  signal = new AbortController().signal,
  env,
  ...filter
}: TestOptions): Promise<TestReport> {
  const started = performance.now();
  const registry = loadRegistry(root);
  const { cases, problems } = prepareCases(registry, loadCases(registry.root), filter);
  if (cases.length === 0 && problems.length === 0) throw noCases(filter.ability);
  const reports: CaseReport[] = [];
  if (cases.length > 0) {
    const bench = await openBench(registry, [...new Set(cases.map(({ environment }) => environment))], progress, env);
    try {
      for (const prepared of cases) {
        const report = await runCase(bench, prepared, signal);
        onCase?.(report);
        reports.push(report);
      }
    } finally {
      await bench.close();
    }
  }
  const failed = reports.filter(({ status }) => status === 'failed').length;
  return {
    status: problems.length > 0 ? 'broken' : failed > 0 ? 'failed' : 'passed',
    passed: reports.length - failed,
    failed,
    duration_ms: Math.round(performance.now() - started),
    cases: reports,
    problems,
  };
}

function noCases(ability: string | undefined): AbilityError {
  return new AbilityError({
    code: 'test.no_cases',
    message: ability === undefined ? 'This project has no test cases' : `There are no test cases for ${ability}`,
    suggestion: 'Write them beside the ability: registry/high-level/NAME.test.yaml, with `ability` and `cases`.',
  });
}
