import { type Readable, Transform, type Writable } from 'node:stream';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { parseJson } from '../../disk/read-json.js';
import { packageVersion } from '../../server/installation.js';

/** The extensions of the protocol that a door has. */
export const TASKS = 'io.modelcontextprotocol/tasks';
const SKILLS = 'io.modelcontextprotocol/skills';

/** Of the protocol that begins with `server/discover`. */
const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

const INSTRUCTIONS =
  'Operations of a team, run under guards and approvals. Say what the user asked with session_prompt, find an ability with ability_search or in the resource ABILITY.md, look at it with ability_describe and ability_plan, run it with ability_run; for several in an order, task_create each, then task_run. People decide approvals, never you. The rules in full: the skill ability-runtime.';

/** What a door says of itself, besides what its resources add. @param toolsChange whether it reports changes of tools. */
export function doorIdentity(toolsChange: boolean) {
  return {
    info: { name: 'ability-runtime', version: packageVersion() },
    capabilities: { tools: { listChanged: toolsChange }, extensions: { [TASKS]: {} } },
    instructions: INSTRUCTIONS,
  };
}

const LINE_FEED = 0x0a;
/** Above that, the first line is no discovery. */
const MAX_BYTES = 64 * 1024;

/**
 * Answers `server/discover` without the SDK, if it is the first message: clients give up on it soon, and then speak the
 * older protocol, without tasks. @returns the messages that are left.
 */
export function answerDiscovery(stdin: Readable, stdout: Writable, toolsChange: boolean): Transform {
  let first: Buffer | undefined = Buffer.alloc(0);
  const rest = new Transform({
    transform(piece: Buffer, _, done) {
      if (!first) return done(null, piece);
      first = Buffer.concat([first, piece]);
      const end = first.indexOf(LINE_FEED);
      if (end < 0 && first.length <= MAX_BYTES) return done();
      const answer = answerTo(first.subarray(0, end).toString('utf8'), toolsChange);
      if (answer !== undefined) stdout.write(`${answer}\n`);
      const left = answer === undefined ? first : first.subarray(end + 1);
      first = undefined;
      done(null, left);
    },
    flush: (done) => done(null, first),
  });
  return stdin.on('error', (error) => rest.destroy(error)).pipe(rest);
}

/** The same as the SDK would answer. @returns undefined for any other message. */
function answerTo(line: string, toolsChange: boolean): string | undefined {
  const message = parseJson<JsonObject>(line);
  if (!isJsonObject(message) || message.jsonrpc !== '2.0' || message.method !== 'server/discover') return undefined;
  const { id, params } = message;
  const meta = isJsonObject(params) ? params._meta : undefined;
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  if (!isId || !isJsonObject(meta) || meta[`${META}protocolVersion`] !== VERSION) return undefined;
  if (!isJsonObject(meta[`${META}clientCapabilities`])) return undefined;
  const { info, capabilities, instructions } = doorIdentity(toolsChange);
  const result = {
    supportedVersions: [VERSION],
    capabilities: {
      ...capabilities,
      extensions: { ...capabilities.extensions, [SKILLS]: {} },
      resources: { listChanged: true },
    },
    ...{ instructions, resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
    _meta: { [`${META}serverInfo`]: info },
  };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}
