import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkRoutingDocuments } from '../../../src/authoring/routing-documents/check-routing-documents.js';
import type { Finding } from '../../../src/contracts/findings.js';
import { RegistryLoader } from '../../../src/definitions/load-registry.js';
import { type LintOptions, lintProject } from '../../../src/lint/lint-project.js';
import { checkCases } from '../../../src/testing/prepare-cases.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { lowLevel, SCRIPT, SCRIPT_FILE, temporaryProject } from '../temporary-project.js';

/** Marks where a finding is expected; it is removed from the files before they are written. */
export const MARK = '▶';

/** Definitions with a mistake at each {@link MARK}, or a near miss, without any mark. */
export interface LintCase {
  code: string;
  /** What is wrong with the definitions, or why nothing is. */
  name: string;
  files: ProjectFiles;
  options?: LintOptions;
  /** The files before the change, in the revision to compare with. */
  before?: ProjectFiles;
}

/** A project without mistakes: some environments, and an operation to call. */
export const SOUND: ProjectFiles = {
  'ability.yaml': 'format: 1\nproject: linted\nenvironments: { dev: {}, staging: {}, prod: { protected: true } }\n',
  ...SCRIPT_FILE,
  ...lowLevel(
    'op.read',
    'input_schema: { type: object, required: [id], properties: { id: { type: string }, count: { type: integer } } }',
    'output_schema: { type: object, required: [status], properties: { status: { enum: [success, error] }, count: { type: integer } } }',
    SCRIPT,
  ),
};

/** The file of a workflow of {@link SOUND}, with these lines. */
export function workflow(...lines: string[]): ProjectFiles {
  const head = ['id: flow', 'type: workflow', 'version: 1', 'summary: A workflow of a test.'];
  const given = lines.map((line) => /^▶?(\w+):/.exec(line)?.[1]);
  return {
    'registry/high-level/flow.yaml': [...head.filter((line) => !given.includes(line.split(':', 1)[0])), ...lines].join(
      '\n',
    ),
  };
}

/** The findings of lint in the files of a case, on top of {@link SOUND}. */
export function findingsOf({ files, options, before }: Pick<LintCase, 'files' | 'options' | 'before'>): Finding[] {
  if (before) return findingsSince(before, files);
  const { root } = temporaryProject({ ...SOUND, ...cleared(files) });
  return lintProject(new RegistryLoader(root), { others: [checkRoutingDocuments, checkCases], ...options }).findings;
}

function findingsSince(before: ProjectFiles, files: ProjectFiles): Finding[] {
  const { root, write } = temporaryProject({ ...SOUND, ...cleared(before) });
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@t.test', ...args], { stdio: 'ignore' });
  };
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'before');
  for (const name of Object.keys(before)) rmSync(join(root, name));
  write(cleared(files));
  return lintProject(new RegistryLoader(root), { since: 'HEAD' }).findings;
}

/** The places of the marks, as `file:line:column`. */
export function markedPlaces(files: ProjectFiles): string[] {
  return Object.entries(files).flatMap(([file, content]) => {
    return content.split('\n').flatMap((text, line) => {
      return columnsOf(text).map((column) => `${file}:${line + 1}:${column}`);
    });
  });
}

function columnsOf(line: string): number[] {
  const before = line.split(MARK).slice(0, -1);
  return before.map((_, index) => before.slice(0, index + 1).join('').length + 1);
}

/** The files without the marks. */
function cleared(files: ProjectFiles): ProjectFiles {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, content.replaceAll(MARK, '')]));
}
