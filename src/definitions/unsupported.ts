import { isJsonObject } from '../contracts/json.js';
import type { Problem } from '../contracts/problem.js';
import type { FileKindName } from './registry.js';
import type { YamlSource } from './yaml-source.js';

interface Unsupported {
  key: string;
  instead: string;
}

function named(instead: string, ...keys: string[]): Unsupported[] {
  return keys.map((key) => ({ key, instead }));
}

const TLS_KEYS = named(
  'Send a token in `headers`, or call through a proxy that has the certificate.',
  ...['tls', 'mtls', 'client_certificate', 'client_cert', 'cert', 'certificate'],
);

const API_KEYS: Unsupported[] = [
  ...named(
    'Call it page by page: `repeat` with the page as input, until the answer has no more.',
    ...['paging', 'pagination', 'paginate', 'next_page'],
  ),
  ...named('Use `rate_limit`, and `retry` at the call.', 'circuit_breaker', 'breaker'),
  ...TLS_KEYS,
];

const AUTH_KEYS: Unsupported[] = [
  ...named(
    'Write the header: `headers: { Authorization: "Bearer {credential:token}" }`.',
    ...['bearer', 'header', 'token', 'api_key', 'apiKey'],
  ),
  ...named(
    'Get a token elsewhere, and send it: `headers: { Authorization: "Bearer {credential:token}" }`.',
    ...['oauth2', 'oauth', 'openIdConnect', 'digest', 'hmac', 'aws', 'ntlm'],
  ),
];

/** Delegation, and other words for escalation and for editing what is approved. Source: docs/architecture.md#promises. */
const APPROVAL_KEYS: Unsupported[] = [
  ...named(
    'List everybody who may decide as `approvers`, or as a group under `people`.',
    ...['delegate', 'delegates', 'delegate_to', 'delegation'],
  ),
  ...named('Write `escalate: { after: 4h, to: GROUP }`.', ...['escalate_to', 'escalate_after', 'escalation']),
  ...named(
    'No answer is a denial. Leave it out; what is to be done then goes into an `on_error` for approval.expired.',
    ...['on_timeout', 'on_expiry', 'timeout_action', 'default_decision'],
  ),
  ...named(
    'Ask only where it is needed: write `if` on the approval step.',
    ...['autoApprove', 'auto_approve', 'approve_if', 'skip_if'],
  ),
  ...named('Write `edit: [FIELD]` with the names of the fields that may be changed.', 'editable', 'allow_edit'),
];

const BY_KIND: Record<FileKindName | 'project', (value: unknown) => Generator<Finding>> = {
  'low-level': lowLevel,
  implementations: (value) => implementation(value),
  config,
  'high-level': highLevel,
  'hooks-impl': nothing,
  hooks: nothing,
  modules: nothing,
  capabilities: nothing,
  packs: nothing,
  project,
};

/**
 * The first feature in a file that this version lacks, so that it is refused and never ignored.
 * Source: docs/architecture.md#promises; docs/workflow-language.md.
 */
export function findUnsupported(kind: FileKindName | 'project', source: YamlSource): Problem | undefined {
  for (const { path, feature, instead } of BY_KIND[kind](source.value)) {
    return {
      code: 'feature.unsupported',
      message: `${feature} is not supported by this version`,
      location: source.locate(path, 'key'),
      suggestion: instead,
    };
  }
  return undefined;
}

interface Finding {
  path: PropertyKey[];
  feature: string;
  instead: string;
}

function* keysIn(value: unknown, keys: Unsupported[], path: PropertyKey[]): Generator<Finding> {
  for (const { key, instead } of keys) {
    if (isJsonObject(value) && Object.hasOwn(value, key)) {
      yield { path: [...path, key], feature: `\`${key}\``, instead };
    }
  }
}

function* highLevel(value: unknown): Generator<Finding> {
  if (!isJsonObject(value)) return;
  for (const part of ['steps', 'on_error', 'finally']) yield* approvalsIn(value[part], [part]);
}

/** Keys that hold data, in which the keys of the language mean nothing. */
const DATA: ReadonlySet<string> = new Set(['with', 'let', 'output', 'details']);

function* approvalsIn(value: unknown, path: PropertyKey[]): Generator<Finding> {
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'approval') yield* keysIn(item, APPROVAL_KEYS, [...path, key]);
    else if (!DATA.has(key)) yield* approvalsIn(item, [...path, key]);
  }
}

function* project(value: unknown): Generator<Finding> {
  if (!isJsonObject(value)) return;
  yield* keysIn(value, named('Give each tenant a project of its own.', 'tenants'), []);
  if (!isJsonObject(value.environments)) return;
  for (const [name, environment] of Object.entries(value.environments)) {
    yield* keysIn(environment, APPROVAL_KEYS, ['environments', name]);
  }
}

function* implementation(value: unknown, path: PropertyKey[] = []): Generator<Finding> {
  if (!isJsonObject(value)) return;
  const { api } = value;
  yield* keysIn(api, API_KEYS, [...path, 'api']);
  if (isJsonObject(api)) yield* keysIn(api.auth, AUTH_KEYS, [...path, 'api', 'auth']);
}

function* lowLevel(value: unknown): Generator<Finding> {
  if (isJsonObject(value)) yield* implementation(value.implementation, ['implementation']);
}

function* config(value: unknown): Generator<Finding> {
  if (!isJsonObject(value)) return;
  if (isJsonObject(value.mcp_servers)) {
    for (const [name, server] of Object.entries(value.mcp_servers)) {
      yield* keysIn(server, TLS_KEYS, ['mcp_servers', name]);
    }
  }
  if (!Array.isArray(value.abilities)) return;
  for (const [index, ability] of value.abilities.entries()) {
    if (isJsonObject(ability)) yield* implementation(ability.impl, ['abilities', index, 'impl']);
  }
}

function* nothing(): Generator<Finding> {}
