/** Roll-back under attack: what a task says that stands is what stands, and a retry repeats nothing that stands. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, decide, openApprovals } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { isEndState } from '../../src/contracts/states.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { projectFile, shellOperation, workflow } from '../fixtures/project-folder.js';
import { chance, pause, SEED, say, WHOLE } from './extent.js';
import { type OpenSite, openOwnRuntime, openRemoteWorker } from './sites.js';
import { command, type Said } from './user.js';

/** What becomes of an undo, and the flow in which it does. `late`: it hangs when its effect has taken place. */
const ATTACKS = [
  { name: 'denied', flow: 'asking', how: 'ok' },
  { name: 'expired', flow: 'hurried', how: 'ok' },
  { name: 'slow', flow: 'plain', how: 'slow' },
  { name: 'failed', flow: 'plain', how: 'fail' },
  { name: 'unknown', flow: 'plain', how: 'hang' },
  { name: 'unknown, with its effect', flow: 'plain', how: 'late' },
  { name: 'undone by hand', flow: 'plain', how: 'fail' },
  { name: 'killed', flow: 'plain', how: 'slow' },
  { name: 'killed, with its effect', flow: 'plain', how: 'lag' },
  { name: 'killed', flow: 'plain', how: 'slow' },
] as const;
type Attack = (typeof ATTACKS)[number];

const CALLS = ['a', 'l/0/b', 'l/1/b', 'c'];
const LIMIT_MS = 30 * 60_000;
const SITES = [
  { where: 'the runtime of a project', open: openOwnRuntime, runs: WHOLE ? 30 : 10 },
  { where: 'a worker of a remote server', open: openRemoteWorker, runs: WHOLE ? 10 : 4 },
];

/** The ledger has a line for each effect: `+a` made, `-a` undone; `~a` says that an undo has begun. */
function files() {
  const arguments_ = (...names: string[]) => ({
    args: ['"--"', ...names.map((name) => `"\${{ input.${name} }}"`)],
    output: 'text',
    effects: 'write_additive',
  });
  const undo = `shift; how=$3; [ -e "$1.calm" ] && how=ok
back() { printf -- '-%s\\n' "$id" >> "$file"; }
file=$1 id=$2; printf -- '~%s\\n' "$id" >> "$file"
case $how in
  fail) echo no >&2; exit 1 ;;
  slow) sleep 2 ;;
  hang) sleep 60; exit 1 ;;
  late) back; sleep 60 ;;
  lag) back; sleep 2; exit 0 ;;
esac
back`;
  const flow = (limits: string, asks: string): string => {
    const call = (
      id: string,
      name: string,
    ): string => `{ id: ${id}, call: world.make, with: { file: "\${{ input.file }}", id: "${name}" },
      undo: { call: world.undo, with: { file: "\${{ input.file }}", id: "${name}", how: "\${{ input.at == '${name}' ? input.how : 'ok' }}" }${id === 'b' ? asks : ''} } }`;
    return `
${limits}
steps:
  - ${call('a', 'a')}
  - { id: l, foreach: [0, 1], as: n, steps: [${call('b', 'l/${{ n }}/b').replaceAll("input.at == 'l/${{ n }}/b'", "input.at == 'l/' + string(n) + '/b'")}] }
  - ${call('c', 'c')}
  - { id: bad, fail: { code: app.no, message: no } }`;
  };
  return {
    'ability.yaml': projectFile('{ dev: { approvers: [ann] } }'),
    ...shellOperation('world.make', `shift; printf -- '+%s\\n' "$2" >> "$1"`, arguments_('file', 'id')),
    ...shellOperation('world.undo', undo, { ...arguments_('file', 'id', 'how'), script: 'timeout_sec: 5' }),
    ...workflow('plain', flow('', '')),
    ...workflow('asking', flow('', ', approval: required')),
    ...workflow('hurried', flow('limits: { cleanup: 4s }', ', approval: required')),
  };
}

describe.each(SITES)('roll-back in $where', ({ open, runs }) => {
  let site: OpenSite;

  beforeAll(async () => {
    site = await open(files());
    await site.revive();
  }, 120_000);
  afterAll(() => site?.stop());

  const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  const standing = (file: string, call: string): number =>
    linesOf(file).filter((line) => line === `+${call}`).length -
    linesOf(file).filter((line) => line === `-${call}`).length;

  /** Repeats a command while nobody serves. */
  async function say_(args: string[]): Promise<Said> {
    for (;;) {
      const said = await command(site.user, args);
      if (said.exitCode !== 7 && said.exitCode !== 6) return said;
      await site.revive();
    }
  }

  /** Follows a task to its end, with what is done to it meanwhile. */
  async function follow(key: string, _file: string, meanwhile: (connection: Connection) => Promise<void>) {
    for (;;) {
      const connection = await site.openConnection();
      const doing = meanwhile(connection).catch(() => {});
      const { exitCode, json } = await command(site.user, ['task', 'watch', key, '--timeout', '10s']);
      await doing;
      await connection.close();
      if (json.task_key === key && isEndState(json.status)) return { exitCode, result: json as TaskResult };
      if (exitCode === 7) await site.revive();
    }
  }

  /** @throws AssertionError if the task says anything else than the ledger. */
  function compare(file: string, { exitCode, result }: { exitCode: number; result: TaskResult }): void {
    const { status, steps, rolled_back, not_undone = [] } = result;
    const undos = steps.filter(({ path }) => path.endsWith('.undo'));
    for (const { path, status: how } of undos) {
      const call = path.slice(0, -'.undo'.length);
      if (how === 'succeeded') expect(`${call}: ${standing(file, call)}`).toBe(`${call}: 0`);
      if (how === 'denied' || how === 'failed') expect(`${call}: ${standing(file, call)}`).toBe(`${call}: 1`);
    }
    const left = undos.filter((one) => one.status !== 'succeeded').map(({ path }) => path.slice(0, -'.undo'.length));
    expect(not_undone.map(({ path }) => path).sort()).toEqual(left.sort());
    const isLost = steps.some((one) => one.status === 'unknown');
    expect({ status, exitCode }).toEqual(
      isLost ? { status: 'unknown', exitCode: 8 } : { status: 'failed', exitCode: 1 },
    );
    const how = left.length === 0 ? 'complete' : left.length < undos.length ? 'partial' : 'none';
    expect(rolled_back).toBe(undos.length === 0 ? undefined : how);
    // What no undo row names was never made, or is the call whose own outcome is not known.
    const silent = CALLS.filter((call) => !undos.some(({ path }) => path === `${call}.undo`));
    if (!isLost) for (const call of silent) expect(`${call}: ${standing(file, call)}`).toBe(`${call}: 0`);
  }

  /** Retries as a person does who looks at the ledger; what cannot be kept is undone by hand. */
  async function retry(key: string, file: string): Promise<string> {
    const said = new Map<string, 'stands' | 'undone'>();
    for (let turn = 0; turn < 6; turn += 1) {
      const flags = [...said].flatMap(([call, what]) => [`--${what}`, call]);
      const { json, exitCode } = await say_(['task', 'retry', key, '--detach', ...flags]);
      if (exitCode === 0) return json.task_key;
      expect({ exitCode, ...json.error }).toMatchObject({ code: 'task.undecided' });
      for (const call of json.error.details.calls as string[]) {
        if (standing(file, call) === 0) said.set(call, 'undone');
        else if (said.get(call) === undefined) said.set(call, 'stands');
        else {
          appendFileSync(file, `-${call}\n`);
          said.set(call, 'undone');
        }
      }
    }
    throw new Error(`${key} cannot be retried`);
  }

  async function run(n: number, attack: Attack, at: string, victim: string): Promise<void> {
    const key = `run-${n}`;
    const file = join(site.user.cwd, `${key}.txt`);
    const input: JsonObject = { file, at, how: attack.how };
    await say_(['run', attack.flow, '--key', key, '--detach', '--input', JSON.stringify(input)]);
    let isKilled = !attack.name.startsWith('killed');
    const end = await follow(key, file, async (connection) => {
      if (attack.name === 'denied') {
        for (const { id } of await openApprovals(connection, key))
          await decide(connection, key, 'deny', { approval_id: id, by: 'ann' });
      }
      for (let turn = 0; turn < 100 && !isKilled; turn += 1, await pause(30)) {
        const pids = linesOf(file).includes(`~${at}`) ? site.victims[victim]?.() : undefined;
        if (!pids) continue;
        isKilled = true;
        for (const pid of pids) process.kill(pid, 'SIGKILL');
        await site.revive();
      }
    });
    // A script whose worker was killed may still come to its end.
    await pause(2500);
    say(
      `run ${n}: ${attack.name} at ${at}${attack.name.startsWith('killed') ? ` (${victim})` : ''}: ${end.result.status}, ${end.result.rolled_back}`,
    );
    compare(file, end);
    if (attack.name === 'undone by hand') {
      for (const { path } of end.result.not_undone ?? [])
        if (standing(file, path) > 0) appendFileSync(file, `-${path}\n`);
    }
    writeFileSync(`${file}.calm`, '');
    const next = await retry(key, file);
    const again = await follow(next, file, async (connection) => {
      for (const { id } of await openApprovals(connection, next))
        await decide(connection, next, 'approve', { approval_id: id, by: 'ann' });
    });
    compare(file, again);
    for (const call of CALLS) {
      let count = 0;
      for (const line of linesOf(file)) {
        if (line.slice(1) === call && line[0] !== '~') count += line[0] === '+' ? 1 : -1;
        expect(`${call}: ${Math.max(count, 1)}`).toBe(`${call}: 1`);
      }
    }
  }

  test(
    `${runs} times: the end says what stands, and a retry repeats nothing that stands (seed ${SEED})`,
    async () => {
      const random = chance(SEED + 3);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const wrong: string[] = [];
      for (let n = 0; n < runs; n += 1) {
        const attack = ATTACKS[(SEED + n) % ATTACKS.length] as Attack;
        const at = attack.flow === 'plain' ? pick(CALLS) : pick(CALLS.slice(1, 3));
        const victim = pick(Object.keys(site.victims));
        await run(n, attack, at, victim).catch((error: unknown) => {
          wrong.push(`run ${n}, ${attack.name} at ${at}: ${String(error)}`);
          say(`WRONG: ${wrong.at(-1)}`);
        });
      }
      expect(wrong).toEqual([]);
    },
    LIMIT_MS,
  );
});
