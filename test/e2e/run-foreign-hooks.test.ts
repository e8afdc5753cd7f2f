import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProject, type ProjectFolder } from '../fixtures/project-folder.js';

const SCRIPT = fileURLToPath(new URL('../../scripts/run-foreign-hooks.mjs', import.meta.url));

/** A collection of hooks, as somebody publishes one, with its tests. */
const GUARD = `import json, sys
event = json.load(sys.stdin)
if "rm -rf" in event["tool_input"].get("command", ""):
    print("not that", file=sys.stderr)
    sys.exit(2)
`;
const TESTS = `set -e
ask() {
  printf '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "%s"}}' "$1" | python3 hooks/guard.py
}
ask ls
if ask 'rm -rf /'; then exit 1; fi
`;

let collection: ProjectFolder;
beforeAll(() => {
  collection = makeProject({ 'hooks/guard.py': GUARD, 'tests.sh': TESTS });
});
afterAll(() => collection.remove());

test('`npm run test:foreign-hooks` asks a hook of others what its own tests ask, and finds the same verdicts', async () => {
  const args = [SCRIPT, collection.root, '--hook', join('hooks', 'guard.py'), '--test', 'bash tests.sh', '--json'];
  const { stdout, exitCode } = await execa(process.execPath, args, { reject: false });
  expect(JSON.parse(stdout)).toMatchObject({ ownTestsPass: true, cases: 2, same: 2, differing: [], stricter: [] });
  expect(exitCode).toBe(0);
});
