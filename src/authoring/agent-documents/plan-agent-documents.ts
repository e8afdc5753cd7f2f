import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Finding } from '../../contracts/findings.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { fillTemplate } from '../fill-template.js';
import { entriesOf, filesNamed } from '../routing-documents/find-documents.js';
import type { DocumentPlan } from '../routing-documents/plan-documents.js';
import { siteFolders } from '../scaffold/scaffold.js';

/**
 * Documents for AIs with our markers, relative to the root: `AGENTS.md` there and beside the definitions, and
 * skills, also in hidden folders of agents' tools (`.claude/skills`).
 */
export function findAgentDocuments(root: string, registry: string): string[] {
  const agents = ['AGENTS.md', runtimeRulesFile(registry)];
  const skills = [...filesNamed(root, SKILL_FILE), ...skillsOfTools(root)];
  return [...new Set([...agents, ...skills])].filter((file) => hasMarkers(textOf(join(root, file)) ?? ''));
}

/** Writes nothing; refuses documents without our markers (`docs.not_ours`). */
export function planAgentDocuments(root: string, registry: string, files: readonly string[]): DocumentPlan[] {
  return files.map((file) => planOne(root, registry, file));
}

/** The files of `ability docs --agents`; the log only if it does not exist, since authors write it. */
export function agentDocumentsOf(root: string, registry: string): string[] {
  return Object.keys(newAgentDocuments(registry)).filter(
    (file) => file !== LOG_FILE || !lstatSync(join(root, file), { throwIfNoEntry: false }),
  );
}

function planOne(root: string, registry: string, file: string): DocumentPlan {
  const path = join(root, file);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return broken(file, isLink(file));
    const before = textOf(path);
    if (before !== undefined && !hasMarkers(before)) return broken(file, notOurs(file));
    const text = before === undefined ? newText(registry, file) : keptText(registry, file, before);
    const update = { text, changes: [], notes: [], hasMarkers: true };
    return { file, status: 'planned', before, update, care: 'kept' };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return broken(file, error.toProblem());
  }
}

function newText(registry: string, file: string): string {
  if (basename(file) === SKILL_FILE) return skillMd(registry);
  const known = newAgentDocuments(registry)[file];
  if (known === undefined) throw new Error(`${file} is no document for AIs`);
  return known;
}

function keptText(registry: string, file: string, before: string): string {
  if (basename(file) === SKILL_FILE) return withMarked(file, before, skillMd(registry), { isOwnTop: true });
  return withMarked(file, before, rulesFor(registry, file === runtimeRulesFile(registry) ? 'runtime' : 'root'));
}

function notOurs(file: string): Problem {
  return {
    code: 'docs.not_ours',
    message: `${file} was written by hand: it has none of our markers, so nothing was written`,
    location: { file },
    suggestion:
      basename(file) === SKILL_FILE
        ? 'Move it away, or name another folder: its front matter has to be generated, so the rules cannot be added to this file.'
        : `Write ${OPENS} and ${CLOSES} into it, each on a line of its own, where the rules belong; then run the command again.`,
  };
}

function isLink(file: string): Problem {
  return {
    code: 'docs.not_ours',
    message: `${file} is a link to another file, so nothing was written`,
    location: { file },
    suggestion: 'Replace it with a file, or write the rules to the file it links to.',
  };
}

function broken(file: string, problem: Problem): DocumentPlan {
  return { file, status: 'broken', problems: [problem] };
}

function textOf(path: string): string | undefined {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
}

function skillsOfTools(root: string): string[] {
  const tools = entriesOf(root).filter((entry) => entry.isDirectory() && /^\.[a-z]/.test(entry.name));
  return tools.flatMap(({ name: tool }) =>
    entriesOf(join(root, tool, 'skills'))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${tool}/skills/${name}/${SKILL_FILE}`),
  );
}

/**
 * Finds documents with our markers that differ from what this version writes. A warning: another version of the
 * command is no fault of the project. Source: R-002-56.
 */
export function checkAgentDocuments({ root }: Pick<Registry, 'root'>): Finding[] {
  const { registry } = siteFolders(root);
  return planAgentDocuments(root, registry, findAgentDocuments(root, registry)).flatMap((plan): Finding[] => {
    if (plan.status === 'broken') {
      const [problem] = plan.problems;
      return [finding(plan.file, problem?.location?.line ?? 1, problem?.message ?? `${plan.file} cannot be read`)];
    }
    const { file, before = '', update } = plan;
    if (update.text === before) return [];
    return [finding(file, firstDifference(before, update.text), `${file} differs from what this version would write`)];
  });
}

function finding(file: string, line: number, message: string): Finding {
  return {
    code: 'docs.out_of_step',
    severity: 'warning',
    message,
    why: 'An AI that works here reads the rules from it: what blocks, what the exit codes mean, and what it must not call.',
    fix: 'Run `ability docs`, look at the change, and commit it.',
    location: { file, line, column: 1 },
  };
}

/** Line number of the first difference, from 1. */
function firstDifference(one: string, other: string): number {
  const [lines, others] = [one.split('\n'), other.split('\n')];
  const at = lines.findIndex((line, index) => line !== others[index]);
  return at < 0 ? lines.length : at + 1;
}

/** The implementation log of AI developers, relative to the project root. Source: R-003-26. */
const LOG_FILE = 'docs/IMPLEMENTATION_LOG.md';

/** Name of the skill and its folder, which agentskills.io requires to be equal. */
export const SKILL_NAME = 'ability-runtime';

export const SKILL_FILE = 'SKILL.md';

const SKILL_DESCRIPTION =
  'How to find, run and add the operations (abilities) of a project with Ability Runtime, under its guards and approvals. Use when the user asks for something that a script, service, tool or workflow of the project does, when a project has an ability.yaml or ABILITY.md, or when an ability command ends with an exit code or a signal to be understood.';

function runtimeRulesFile(registry: string): string {
  return `${registry}/AGENTS.md`;
}

/**
 * What we write into a document for AIs, between its markers. At the root, `AGENTS.md` leads to that beside the
 * definitions (R-002-56 to R-002-60, C-45, C-46); the skill has its rules in the format of agentskills.io.
 * @param registry relative.
 */
function rulesFor(registry: string, document: 'root' | 'runtime' | 'skill'): string {
  const values = { REGISTRY: registry, RUNTIME_RULES: runtimeRulesFile(registry), LOG: LOG_FILE };
  const filled = (path: string): string => fillTemplate(path, values).trimEnd();
  const parts = { RULES: filled('agents/rules.md'), WORK: filled('agents/work.md') };
  return marked(fillTemplate(`agents/${document}.md`, { ...values, ...parts }));
}

export function skillMd(registry: string): string {
  return `---\nname: ${SKILL_NAME}\ndescription: ${SKILL_DESCRIPTION}\n---\n\n${rulesFor(registry, 'skill')}`;
}

export function newAgentDocuments(registry: string): Record<string, string> {
  return {
    'AGENTS.md': `# How AI developers work with this project\n\n${rulesFor(registry, 'root')}`,
    [runtimeRulesFile(registry)]: `# Rules of Ability Runtime for AI developers\n\n${rulesFor(registry, 'runtime')}`,
    [LOG_FILE]: fillTemplate('agents/log.md'),
  };
}

/** The lines around the generated part of a document; the rest belongs to its author. */
export const OPENS = '<!-- ability:agents -->';
export const CLOSES = '<!-- /ability:agents -->';

const REMARK = '<!-- Between these markers `ability docs` writes; your own rules belong above or below them. -->';

export function marked(text: string): string {
  return `${OPENS}\n${REMARK}\n\n${text.trim()}\n\n${CLOSES}\n`;
}

export function hasMarkers(text: string): boolean {
  return linesOf(text).some(isMarker);
}

/**
 * Replaces the part between a document's markers; all other text stays, byte by byte. @param kept the new part, as
 * of {@link marked}. @param isOwnTop the text above the markers belongs to `kept` too, as a skill's front matter
 * does. @throws AbilityError `docs.invalid` if the markers are not one pair.
 */
export function withMarked(file: string, text: string, kept: string, { isOwnTop = false } = {}): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = linesOf(text);
  const [opens = -1, ...moreOpens] = indexesOf(lines, OPENS);
  const [closes = -1, ...moreCloses] = indexesOf(lines, CLOSES);
  if (opens < 0 || closes < opens || moreOpens.length > 0 || moreCloses.length > 0) {
    const stray = lines.findIndex(isMarker);
    throw new AbilityError({
      code: 'docs.invalid',
      message: `${file} does not have exactly one pair of markers, ${OPENS} and ${CLOSES}, in that order`,
      location: { file, line: stray + 1 },
      suggestion: 'Write each of them once, alone on its line; what is between them is written by `ability docs`.',
    });
  }
  const above = isOwnTop ? [] : lines.slice(0, opens);
  const wanted = [...above, ...kept.trimEnd().split('\n'), ...lines.slice(closes + 1)];
  return wanted.join(newline);
}

function indexesOf(lines: readonly string[], marker: string): number[] {
  return lines.flatMap((line, index) => (line.trim() === marker ? [index] : []));
}

function isMarker(line: string): boolean {
  return line.trim() === OPENS || line.trim() === CLOSES;
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}
