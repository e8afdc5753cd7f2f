import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DefinitionKind } from '../../../../authoring/choices.js';
import {
  environmentsOf,
  type GivenDefinition,
  planFromDefinition,
  refusedFor,
  type ScaffoldFromDefinition,
} from '../../../../authoring/scaffold/from-definition/plan-from-definition.js';
import type { Finding } from '../../../../contracts/findings.js';
import { AbilityError, type Problem, usageError } from '../../../../contracts/problem.js';
import type { ExitCode } from '../../../../contracts/states.js';
import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import { YAML_LIMITS } from '../../../../definitions/yaml-document.js';
import { type LintOptions, lintProject } from '../../../../lint/lint-project.js';
import { checkCases } from '../../../../testing/prepare-cases.js';
import { flagOf } from '../../input/flag-values.js';
import type { OnlyDefinitionKind } from '../../program/authoring.js';
import type { Context } from '../../program/context.js';
import { unlessCancelled } from '../writing/write-plan.js';
import { finishScaffold } from './finish-scaffold.js';

type WholeFlags = { from: string; phase?: string | undefined; config?: string | undefined };

const STDIN = '-';

/**
 * Writes all or nothing: it must load and add no lint error. @param name its id, or the name of its file; empty: not
 * given. Source: C-46, R-002-58.
 */
function scaffoldFromDefinition(
  context: Context,
  kind: DefinitionKind,
  name: string,
  { from, phase, config }: WholeFlags,
): Promise<ExitCode> {
  return unlessCancelled(context, async () => {
    const given: GivenDefinition = {
      kind,
      ...readGiven(context, from),
      ...(name !== '' && { name }),
      ...(phase !== undefined && { phase }),
      ...(config !== undefined && { config: readGiven(context, config) }),
    };
    return finishScaffold<ScaffoldFromDefinition>(context, {
      scopes: () => [environmentsOf(given)],
      plan: (site) => planFromDefinition(site, given),
      begin: (loader) => {
        // Documents are updated afterwards, so they are not checked.
        return lintBefore(loader, { env: context.env, others: [checkCases] }).refuseErrorsOf;
      },
    });
  });
}

const USUAL_FLAGS = ['project', 'address', 'namespace', 'profile', 'json', 'yes', 'strict', 'env', 'from'];

/** @param name empty: not given. @throws AbilityError `usage.invalid` for flags that `--from` replaces, or neither. */
export function scaffoldOrFromDefinition(
  context: Context,
  kind: DefinitionKind,
  name: string,
  flags: Partial<WholeFlags>,
  scaffold: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const { from } = flags;
  if (from !== undefined) {
    refuseOtherFlags(flags, [...USUAL_FLAGS, kind === 'hook' ? 'phase' : 'config']);
    return scaffoldFromDefinition(context, kind, name, { ...flags, from });
  }
  if (flags.config !== undefined) {
    throw usageError(
      '--config needs a whole definition, and --from is missing',
      'Pass the definition with --from FILE, or the configuration alone: `ability scaffold config NAME --from FILE`.',
    );
  }
  if (name !== '') return unlessCancelled(context, scaffold);
  throw usageError(
    `\`ability scaffold ${kind}\` needs a ${kind === 'low-level' ? 'KEY' : 'ID'}, or a definition: --from FILE`,
    `\`ability scaffold ${kind} --help\` shows both.`,
  );
}

function refuseOtherFlags(flags: object, allowed: readonly string[]): void {
  const given = Object.entries(flags).find(([name, value]) => !allowed.includes(name) && isGiven(value));
  if (given === undefined) return;
  throw usageError(
    `${flagOf(given[0])} describes a new definition, and --from passes a whole one`,
    'Leave one of them out; with --from, write the value into the definition.',
  );
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

function readGiven({ cwd, terminal }: Context, given: string): { from: string; text: string } {
  const text = given === STDIN ? terminal.readInput() : readFile(resolve(cwd, given), given);
  if (text.trim() === '') throw unreadable(given, 'is empty');
  return { from: given === STDIN ? 'stdin' : given, text };
}

function readFile(path: string, given: string): string {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw unreadable(given, 'is no file');
    if (stat.size > YAML_LIMITS.bytes) throw unreadable(given, `is larger than ${YAML_LIMITS.bytes / 1024} KiB`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    throw unreadable(given, error instanceof TypeError ? 'is not in UTF-8' : 'cannot be read');
  }
}

function unreadable(given: string, why: string): AbilityError {
  return usageError(
    `The definition in ${given === STDIN ? 'stdin' : given} ${why}`,
    'Name a file in the form of the registry (docs/definitions.md), or pipe one into --from -.',
  );
}

/** `ability scaffold agent|cases|config|module|capabilities|packs --from FILE`. Source: C-46. */
export function commandOf(kind: OnlyDefinitionKind) {
  return {
    run: (context: Context, [name = '']: [string?], { from }: { from: string }): Promise<ExitCode> =>
      scaffoldFromDefinition(context, kind, name, { from }),
  };
}

/** Takes the lint findings of a project, to compare them with those after a change. */
export function lintBefore(loader: RegistryLoader, options: LintOptions = {}) {
  const findings = (): Finding[] => lintProject(loader, options).findings;
  const known = new Set(findings().map(signOf));
  const fresh = (): Finding[] => findings().filter((finding) => !known.has(signOf(finding)));
  /** @returns new findings as notes. @throws AbilityError with each new error, at its place in the input. */
  const refuseErrorsOf = ({ given }: Pick<ScaffoldFromDefinition, 'given'>): string[] => {
    const found = fresh();
    const errors = found.filter(({ severity }) => severity === 'error');
    const problemOf = ({ code, message, fix, location }: Finding): Problem => {
      return { code, message, location: given(location), suggestion: fix };
    };
    if (errors.length > 0) throw refusedFor(errors.map(problemOf));
    return found.map(({ code, message, fix }) => `${code}: ${message}. ${fix}`);
  };
  return { fresh, refuseErrorsOf };
}

/** Without the line, which may change. */
function signOf({ code, message, location }: Finding): string {
  return `${code} ${location.file} ${message}`;
}
