import type { Finding } from '../../contracts/findings.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import type { LintedProject } from '../linted-project.js';

/** Requests that change something by the definition of HTTP; a POST may be a search. */
const CHANGING_METHODS: ReadonlySet<string> = new Set(['DELETE', 'PUT', 'PATCH']);

/** Words that nobody calls a mere look at something. */
const CHANGING_WORDS =
  /(^|[^a-z])(delete|drop|purge|destroy|wipe|truncate|erase|terminate|remove|uninstall)([^a-z]|$)/i;

/** Words beside which {@link CHANGING_WORDS} are what is looked at: `list_delete_requests`, `check-drop`. */
const LOOKING_WORDS =
  /(^|[^a-z])(get|list|read|find|search|check|count|query|show|status|preview|plan|dry|can|is)([^a-z]|$)/i;

/** Finds abilities that claim to read while their implementation says something else. Source: R-000-27. */
export function* checkEffects({ registry }: LintedProject): Generator<Finding> {
  for (const { body, operation, from, path } of implementationBodies(registry)) {
    const contract = registry.operations.get(operation)?.value;
    if (contract?.effects !== 'read' && contract?.effects !== 'external_read') continue;
    const why = whyItChanges(body, operation);
    if (!why) continue;
    const message = `${operation} says \`effects: ${contract.effects}\`, and ${why.message}`;
    yield findingOf('lint.effect_too_mild', message, from.locate([...path, ...why.path]));
  }
}

function whyItChanges(body: ImplementationBody, operation: string): { message: string; path: string[] } | undefined {
  if (body.kind === 'api') {
    const { method } = body.api;
    if (method !== undefined && CHANGING_METHODS.has(method)) {
      return { message: `its request is a ${method}`, path: ['api', 'method'] };
    }
  }
  if (body.kind === 'script' && isChanging(fileName(body.script.path))) {
    return { message: `its script is ${body.script.path}`, path: ['script', 'path'] };
  }
  if (body.kind === 'mcp' && body.mcp.tool !== undefined && isChanging(body.mcp.tool)) {
    return { message: `its tool is ${body.mcp.tool}`, path: ['mcp', 'tool'] };
  }
  return isChanging(operation) ? { message: 'its name says otherwise', path: ['kind'] } : undefined;
}

function isChanging(name: string): boolean {
  return CHANGING_WORDS.test(name) && !LOOKING_WORDS.test(name);
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
