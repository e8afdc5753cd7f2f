import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EFFECTS } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import { formatLocation, type SourceLocation } from '../../contracts/problem.js';
import { abilityIds } from '../../definitions/find-ability.js';
import { foldersOf } from '../../definitions/find-project.js';
import type { Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { allDefinedSteps } from '../../planning/steps/called-abilities.js';
import { type HostEntry, isHostAllowed, readHostEntry } from '../../rules/calls/allowed-hosts.js';
import { type Groups, groupOf } from '../../rules/rights.js';
import { matchesGlob } from '../../text/glob.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

const PRODUCTION = /^(prod|production|prd|live)([_-]|$)/;

/**
 * Finds environments that guard less than they seem to. Source: docs/definitions.md; docs/approvals.md#who-may-decide.
 */
export function* checkEnvironments({ registry }: LintedProject): Generator<Finding> {
  for (const [name, { approve, protected: isProtected }] of Object.entries(registry.project.environments)) {
    const path = ['environments', name];
    if (PRODUCTION.test(name) && !isProtected && !isWritten(registry, path, 'protected')) {
      const message = `${name} is named like production, and is not protected`;
      yield findingOf('lint.environment_unprotected', message, registry.locateInProject(path));
    }
    const mildest = Math.min(...approve.map((effect) => EFFECTS.indexOf(effect)));
    const missing = EFFECTS.filter((effect, grade) => grade > mildest && !approve.includes(effect));
    if (missing.length === 0) continue;
    const message = `${name} asks for approval of ${EFFECTS[mildest]}, and not of ${missing.join(' and ')}, which is graver`;
    yield findingOf('lint.approve_gap', message, registry.locateInProject([...path, 'approve']));
  }
}

/** Whether the file sets a key: a default is located at its map. */
function isWritten({ locateInProject }: Registry, path: PropertyKey[], key: string): boolean {
  return formatLocation(locateInProject([...path, key])) !== formatLocation(locateInProject(path));
}

/** Unrelated hosts: an entry that allows each of them allows every host. */
const ANY_HOSTS = ['a.example.com', 'x9.test.net', 'q.z.org'];

const PUBLIC_ENDING = /^\*+\.?(com|net|org|io|dev|app|cloud|co|ai|info|de|eu|uk|us|co\.uk)(:|$)/i;

const NO_HOST = /[\s/\\(),^$?|+@]/;

/** Finds `allowed_hosts` entries that allow nothing, or too much. */
export function* checkHostPatterns({ registry }: LintedProject): Generator<Finding> {
  for (const [index, entry] of (registry.project.policy.allowed_hosts ?? []).entries()) {
    const what = whatItAllows(entry);
    if (what === undefined) continue;
    const location = registry.locateInProject(['policy', 'allowed_hosts', index]);
    yield findingOf('lint.host_pattern', `\`${entry}\` allows ${what}`, location);
  }
}

function whatItAllows(text: string): string | undefined {
  const entry = readHostEntry(text);
  if (!entry) return `nothing: ${EXPECTED}`;
  if (entry.range) return entry.range[1] === 0 ? 'every address, the special ones included' : undefined;
  if (NO_HOST.test(entry.host)) return `nothing: ${EXPECTED}`;
  if (allowsAnyHost(text, entry)) return 'every host';
  if (PUBLIC_ENDING.test(text)) return 'every name that anybody registers under that ending';
  return otherNotation(entry.host);
}

const EXPECTED =
  'an entry is a host name or an address, perhaps with a port, without scheme or path; IPv6 is written in brackets';

function allowsAnyHost(text: string, { ports }: HostEntry): boolean {
  const port = ports === undefined || ports === '*' ? '' : `:${ports}`;
  return ANY_HOSTS.every((host) => isHostAllowed(new URL(`https://${host}${port}`), [text]));
}

/** Host names are compared in the notation of URLs; any other notation matches nothing. */
function otherNotation(host: string): string | undefined {
  if (host.includes('*')) return undefined;
  const url = URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : undefined;
  if (url?.hostname === host) return undefined;
  return url ? `nothing: write it as a URL has it, \`${url.hostname}\`` : `nothing: ${EXPECTED}`;
}

/** Finds variables that a profile sets twice, so that one value is lost. */
export function* checkVariablesTwice({ registry }: LintedProject): Generator<Finding> {
  for (const [id, profile] of registry.envProfiles) {
    const { pass, set, secrets } = profile.value;
    const found = [
      ...Object.keys(set).flatMap((name) =>
        pass.includes(name) ? [{ name, places: 'passed and set', key: 'set' }] : [],
      ),
      ...Object.keys(secrets).flatMap((name) => {
        const other = Object.hasOwn(set, name) ? 'set' : pass.includes(name) ? 'passed' : undefined;
        return other ? [{ name, places: `${other} and a secret`, key: 'secrets' }] : [];
      }),
    ];
    for (const { name, places, key } of found) {
      const location = profile.locate([key, name], 'key');
      yield findingOf('lint.variable_twice', `The profile ${id} sets ${name} twice: it is ${places}`, location);
    }
  }
}

const FOLDERS = ['low-level', 'high-level', 'implementations', 'config'] as const;

/** Extensions that look like those of a definition: `a.YAML`, `a.yaml.txt`, `a.json`. */
const MEANT = /\.(ya?ml(\.txt)?|jsonc?|json5)$/i;

const READ = /\.ya?ml$/;

/** Finds files in the folders of definitions that are ignored because of their extension. */
export function* checkUnreadFiles({ registry: { root } }: LintedProject): Generator<Finding> {
  const { registry, hooks } = foldersOf(root);
  for (const folder of [...FOLDERS.map((name) => join(registry, name)), hooks]) {
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !MEANT.test(entry.name) || READ.test(entry.name)) continue;
      const file = relative(root, join(entry.parentPath, entry.name));
      yield findingOf('lint.file_not_read', `Nothing reads ${file}`, { file });
    }
  }
}

/** Finds misspelt approver groups, groups inside groups, and proof that only the own runtime can check for want of a door's key. */
export function* checkApprovers({ registry }: LintedProject): Generator<Finding> {
  const { environments, people, doors } = registry.project;
  yield* groupsInGroups(registry);
  for (const [name, environment] of Object.entries(environments)) {
    const at = (...path: PropertyKey[]): SourceLocation => registry.locateInProject(['environments', name, ...path]);
    yield* nearGroups(environment.approvers, people, (index) => at('approvers', index));
    if (environment.proof !== 'required' || Object.keys(doors).length > 0) continue;
    const message = `${name} asks for proof of who decides, which only the project's own runtime can check, since \`doors\` names no door: elsewhere each approval in it is refused`;
    yield findingOf('lint.proof_required', message, at('proof'));
  }
  for (const { step, path, workflow } of allDefinedSteps(registry)) {
    if (step.verb !== 'approval') continue;
    const at = (index: number): SourceLocation => workflow.locate([...path, 'approval', 'approvers', index]);
    yield* nearGroups(step.approval.approvers ?? [], people, at);
  }
}

/** Finds limits of rights that fit nothing. Groups without people may be those of a claim. */
export function* checkAccess({ registry }: LintedProject): Generator<Finding> {
  const { access, environments } = registry.project;
  const names = { environments: Object.keys(environments), abilities: abilityIds(registry) };
  for (const [group, rights] of Object.entries(access)) {
    for (const [right, [limits = {}] = []] of Object.entries(rights)) {
      for (const part of ['environments', 'abilities'] as const) {
        for (const [index, glob] of (limits[part] ?? []).entries()) {
          if (names[part].some((name) => matchesGlob(glob, name))) continue;
          const message = `The right ${right} of ${group} never holds for \`${glob}\`: none of the ${part} is called so`;
          const location = registry.locateInProject(['access', group, right, part, index]);
          yield findingOf('lint.access_never_fits', message, location, didYouMean(glob, names[part]));
        }
      }
    }
  }
}

/** Finds groups as members of a group, which holds persons only. Source: docs/approvals.md#who-may-decide. */
function* groupsInGroups({ project: { people }, locateInProject }: Registry): Generator<Finding> {
  for (const [group, written] of Object.entries(people)) {
    for (const [index, name] of (groupOf(people, group)?.members ?? []).entries()) {
      // A group may contain a person of its own name.
      const named = groupOf(people, name);
      if (!named || named.members.includes(name)) continue;
      const message = `${group} lists ${name}, which is a group; here it is taken for a person`;
      yield findingOf(
        'lint.group_in_group',
        message,
        locateInProject(['people', group, ...('claim' in written ? ['members'] : []), index]),
      );
    }
  }
}

/** Finds misspelt groups: they would count as persons. Source: docs/approvals.md#who-may-decide. */
function* nearGroups(
  listed: readonly string[],
  people: Groups,
  locate: (index: number) => SourceLocation,
): Generator<Finding> {
  const groups = Object.keys(people);
  const persons = new Set(groups.flatMap((group) => groupOf(people, group)?.members ?? []));
  for (const [index, name] of listed.entries()) {
    if (groups.includes(name) || persons.has(name)) continue;
    const hint = didYouMean(name, groups);
    if (hint === undefined) continue;
    const message = `\`${name}\` is no group under \`people\`, and so a person`;
    yield findingOf('lint.approver_unknown', message, locate(index), hint);
  }
}
