import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CLOSES, OPENS } from '../../../authoring/agent-documents/plan-agent-documents.js';
import { EXAMPLES } from '../../../authoring/choices.js';
import { githubTopAbove } from '../../../authoring/init/github-top.js';
import {
  checkEnvironmentNames,
  checkProjectName,
  type NewProject,
  namedEnvironments,
  planProject,
  proposedEnvironments,
  refuseProject,
} from '../../../authoring/init/plan-project.js';
import { DOCUMENT_NAME } from '../../../authoring/routing-documents/find-documents.js';
import { planAdditions, plannedFiles } from '../../../authoring/routing-documents/plan-documents.js';
import { splitList } from '../../../authoring/scaffold/read-fields.js';
import type { NextStep } from '../../../authoring/scaffold/scaffold.js';
import { asFailure } from '../../../authoring/write-together.js';
import { AbilityError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { loadRegistry } from '../../../definitions/load-registry.js';
import type { Registry } from '../../../definitions/registry.js';
import { resolvePlan } from '../../../planning/resolve/resolve-plan.js';
import { attempt } from '../../../text/attempt.js';
import { askChoice, askText } from '../input/ask.js';
import type { AuthoringFlags } from '../program/authoring.js';
import type { Context } from '../program/context.js';
import { printWritten, type Settled, unlessCancelled, writePlan } from './writing/write-plan.js';

type Flags = AuthoringFlags['init'];

/** `ability init [DIR]`: makes a folder a project, with an ability that runs at once. Source: C-17, C-18, R-000-87. */
export function run(context: Context, [folder]: [string | undefined], flags: Flags): Promise<ExitCode> {
  return unlessCancelled(context, async () => {
    const root = resolve(context.cwd, context.flags.project ?? '.', folder ?? '.');
    refuseProject(root);
    const wanted = await readWishes(context, root, flags);
    const made = makeFolder(root);
    let left: string[] = [];
    try {
      const { created, changed } = await writePlan(root, context.terminal, () => {
        const plan = planProject(root, wanted);
        left = plan.left;
        return { files: plan.files, settle: () => settle(root, wanted, left) };
      });
      printWritten(context, {
        created,
        changed,
        left,
        notes: notesOn(root, wanted, left),
        next: nextOf(context, root, wanted),
      });
      return EXIT.ok;
    } catch (error) {
      removeFolder(root, made);
      throw error;
    }
  });
}

async function readWishes(context: Context, root: string, flags: Flags): Promise<NewProject> {
  const name = await askText(context, flags.name, {
    flag: '--name',
    message: 'What is the project called?',
    fallback: nameFrom(basename(root)),
    check: checkProjectName,
  });
  const names = await askText(context, flags.envNames, {
    flag: '--env-names',
    message: 'Which environments are there? (with commas, the default one first)',
    fallback: proposedEnvironments(root).join(','),
    check: (text) => checkEnvironmentNames(splitList(text)),
  });
  const example = await askChoice(context, flags.example, EXAMPLES, {
    flag: '--example',
    message: 'With an example: an ability, its script and a test case?',
    fallback: 'script',
  });
  return { name, environments: splitList(names), example, force: flags.force };
}

/** A project name derived from a folder's name; undefined if no valid name is left. */
function nameFrom(folder: string): string | undefined {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-+$/, '')
    .slice(0, 40);
  return name === '' ? undefined : name;
}

/** @returns the outermost folder that it created; undefined if all existed. */
function makeFolder(root: string): string | undefined {
  try {
    return mkdirSync(root, { recursive: true });
  } catch (error) {
    throw asFailure(root, error);
  }
}

/** Removes the folders created for a project that failed, innermost first, while they are empty. */
function removeFolder(root: string, made: string | undefined): void {
  if (made === undefined) return;
  // It ends at a folder with other files.
  attempt(() => {
    for (let folder = root; folder.length >= made.length; folder = dirname(folder)) rmdirSync(folder);
  });
}

/** Adds the page of the written abilities. @throws AbilityError as {@link verify}. */
function settle(root: string, wanted: NewProject, left: string[]): Settled {
  const registry = loadRegistry(root, '.');
  const hasPage = existsSync(join(root, DOCUMENT_NAME));
  if (hasPage) left.push(DOCUMENT_NAME);
  const files = hasPage ? [] : plannedFiles(planAdditions(registry, [DOCUMENT_NAME]));
  return { files, notes: verify(registry, wanted, left) };
}

/** @throws AbilityError if the example would not run with the definitions already in the folder. */
function verify(registry: Registry, { example, environments }: NewProject, left: string[]): string[] {
  if (example === 'none' || left.some((file) => file.endsWith('/low-level/hello.yaml'))) return [];
  try {
    return resolvePlan(registry, 'hello', environments[0] ?? '').warnings;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const message = `The example would not run: ${error.message}; nothing was written`;
    throw new AbilityError({ ...error.toProblem(), message, suggestion: 'Pass --example none.' }, { cause: error });
  }
}

/** What is left to do by hand, or would go unnoticed. */
function notesOn(root: string, { environments }: NewProject, left: readonly string[]): string[] {
  const notes: string[] = [];
  // Definitions for environments that the project lacks would never be read.
  const missing = namedEnvironments(root).filter((name) => !environments.includes(name));
  if (missing.length > 0) {
    const names = missing.join(', ');
    notes.push(
      `Definitions here name ${names}, which ability.yaml does not have: add them there under \`environments\`.`,
    );
  }
  const own = left.filter((file) => file.endsWith('AGENTS.md'));
  if (own.length > 0) {
    notes.push(
      `${own.join(' and ')} ${own.length === 1 ? 'has' : 'have'} none of our rules for AIs: write ${OPENS} and ${CLOSES} where they are to be, then \`ability docs\`.`,
    );
  }
  const install = 'install ability-runtime with npm (it is not published: from its tarball or checkout)';
  const text = attempt(() => readFileSync(join(root, 'package.json'), 'utf8'));
  if (text === undefined) {
    notes.push(
      `There is no package.json: run \`npm init -y\`, and ${install}. Commit package-lock.json too: the CI job needs it.`,
    );
  } else if (!text.includes('"ability-runtime"')) {
    notes.push(`package.json does not name ability-runtime: ${install}, so that everybody has the same.`);
  }
  const top = githubTopAbove(root);
  if (top === undefined) return notes;
  return [...notes, `GitHub reads workflows only in ${join(top, '.github', 'workflows')}: move ability.yml there.`];
}

function nextOf({ cwd }: Context, root: string, { example }: NewProject): NextStep[] {
  const go = root === resolve(cwd) ? [] : [[`cd ${nearer(cwd, root)}`, '']];
  const scaffold = 'npx ability scaffold low-level KEY --kind script';
  const steps =
    example === 'none'
      ? [[scaffold, 'make a first ability']]
      : [
          ['npx ability test', 'run the cases; nothing else is needed'],
          ['npx ability run hello --set name=World', 'run it; the first time starts a runtime of its own'],
          [scaffold, 'make another ability'],
          ['npx ability docs', 'update ABILITY.md, where people and AIs choose abilities'],
        ];
  return [...go, ...steps].map(([command = '', purpose = '']) => ({ command, purpose }));
}

/** A folder as typed from another: relative if it lies below it, else absolute. */
function nearer(from: string, folder: string): string {
  const way = relative(from, folder);
  return way.startsWith('..') || way === '' ? folder : way;
}
