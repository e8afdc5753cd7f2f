import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EFFECTS } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import { formatLocation } from '../../contracts/problem.js';
import { foldersOf } from '../../definitions/find-project.js';
import type { Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { type HostEntry, isHostAllowed, readHostEntry } from '../../rules/calls/allowed-hosts.js';
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
