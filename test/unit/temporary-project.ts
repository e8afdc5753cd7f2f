import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import type { Registry } from '../../src/definitions/registry.js';
import type { ResolvedPlan } from '../../src/planning/resolve/resolve-plan.js';
import { resolvePlan } from '../../src/planning/resolve/resolve-plan.js';
import { makeProject, type ProjectFiles, type ProjectFolder } from '../fixtures/project-folder.js';

/** An empty folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ability-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A project that is removed when the test is over. */
export function temporaryProject(files: ProjectFiles = {}): ProjectFolder {
  const project = makeProject(files);
  onTestFinished(() => project.remove());
  return project;
}

/** The registry of a temporary project. */
export function registryOf(files: ProjectFiles): Registry {
  return loadRegistry(temporaryProject(files).root);
}

/** An ability of a temporary project, planned for an environment. */
export function resolved(files: ProjectFiles, ability: string, environment = 'dev'): ResolvedPlan {
  return resolvePlan(registryOf(files), ability, environment);
}

/** The file of a low-level ability, from the lines that matter; the rest is added. */
export function lowLevel(key: string, ...lines: string[]): ProjectFiles {
  const has = (name: string): boolean => lines.some((line) => new RegExp(`^${name}:`, 'm').test(line));
  return {
    [`registry/low-level/${key}.yaml`]: [
      `operation_key: ${key}`,
      ...(has('summary') ? [] : ['summary: An operation of a test.']),
      ...(has('effects') ? [] : ['effects: read']),
      ...lines,
    ].join('\n'),
  };
}

/** The file of the agent `helper`, from the lines that matter; the rest is filled in. */
export function agent(...lines: string[]): ProjectFiles {
  const usual = ['summary: Helps.', 'instructions: Help.'];
  const missing = usual.filter((line) => !lines.some((own) => own.startsWith(line.slice(0, line.indexOf(':')))));
  return { 'registry/high-level/helper.yaml': ['id: helper', 'type: agent', ...missing, ...lines].join('\n') };
}

/** A project with the model that agents need where they are planned. */
export const WITH_MODEL: ProjectFiles = {
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\nmodels: { default: { model: any } }\n',
};

/** An implementation with an existing script, whose content does not matter. */
export const SCRIPT = 'implementation: { kind: script, script: { path: scripts/any.mjs } }';

/** The script that {@link SCRIPT} names. */
export const SCRIPT_FILE: ProjectFiles = { 'scripts/any.mjs': '// nothing' };
