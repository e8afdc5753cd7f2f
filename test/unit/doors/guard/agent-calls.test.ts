import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentTool } from '../../../../src/doors/guard/agent-tools.js';
import { lowLevel } from '../../temporary-project.js';
import { claudeCall, type GuardedProject, guardedProject } from './guarded-project.js';

const NO_OPINION = { stdout: '{}\n', stderr: '', exit: 0 };

/** A project with this `policy.bypass`. */
function withBypass(bypass: string): GuardedProject {
  const guarded = guardedProject();
  const file = join(guarded.project.root, 'ability.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\npolicy: { bypass: ${bypass} }\n`);
  return guarded;
}

describe('writes by an agent tool (R-002-58)', () => {
  test.each([
    ['Write', { file_path: 'registry/low-level/new.yaml', content: 'x' }],
    ['Write', { file_path: '/ROOT/registry/hooks/PreAbilityCall.yaml', content: 'x' }],
    ['Edit', { file_path: 'src/../registry/low-level/report.make.yaml', old_string: 'a', new_string: 'b' }],
    ['MultiEdit', { file_path: 'ability.yaml', edits: [] }],
    ['NotebookEdit', { notebook_path: 'registry/low-level/x.ipynb', new_source: 'x' }],
    ['Write', { file_path: '.system/cache/guard.json', content: '{}' }],
    ['Write', { file_path: 'registry/config/hooks_impl.yaml', content: 'x' }],
    ['Edit', { file_path: 'registry/hooks/PostAbilityCall.yaml', old_string: 'TODO', new_string: 'x' }],
    [
      'apply_patch',
      { command: '*** Begin Patch\n*** Update File: registry/hooks/PreAbilityCall.yaml\n@@\n-a\n+b\n*** End Patch' },
    ],
    [
      'apply_patch',
      { command: '*** Begin Patch\n*** Update File: src/app.ts\n*** Move to: registry/x.yaml\n*** End Patch' },
    ],
    ['apply_patch', { command: '*** Begin Patch\n*** Delete File: ability.yaml\n*** End Patch' }],
    ['write_file', { file_path: 'registry/low-level/new.yaml', content: 'x' }],
    ['replace', { absolute_path: '/ROOT/ability.yaml', old_string: 'a', new_string: 'b' }],
    ['mcp__filesystem__write_file', { path: 'registry/low-level/new.yaml', content: 'x' }],
    ['mcp__filesystem__move_file', { source: 'src/app.ts', destination: 'registry/low-level/new.yaml' }],
    ['MCP:filesystem:edit_file', { path: 'file:///ROOT/ability.yaml' }],
  ])('%s of %j is denied, with what to do instead', async (name, input) => {
    const { project, ask } = guardedProject();
    const given = JSON.parse(JSON.stringify(input).replaceAll('/ROOT', project.root)) as object;
    const { exit, stderr } = await ask(claudeCall(name, given, project.root));
    expect(stderr).toMatch(/ability scaffold|Leave it to a person/);
    expect(exit).toBe(2);
  });

  test.each([
    ['registry/low-level/new.yaml', 'ability scaffold low-level --from FILE'],
    ['registry/high-level/new.yaml', 'ability scaffold high-level --from FILE'],
    ['registry/implementations/new.yaml', 'ability scaffold implementation --from FILE'],
    ['registry/low-level/report.make.test.yaml', 'ability scaffold cases --from FILE'],
    ['registry/hooks/PreAbilityCall.yaml', 'ability scaffold hook --phase PHASE --from FILE'],
    ['registry/packs.yaml', 'ability scaffold packs --from FILE'],
    ['registry/AGENTS.md', 'ability docs --agents'],
  ])('to %s are denied with `%s`, which accepts a whole definition [C-46]', async (file, command) => {
    const { project, ask } = guardedProject();
    const { exit, stderr } = await ask(claudeCall('Write', { file_path: file, content: 'x' }, project.root));
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(`\`${command}\``) });
    const passes = await ask(claudeCall('Bash', { command: command.replace('FILE', 'draft.yaml') }, project.root));
    expect(passes).toEqual(NO_OPINION);
  });

  test.each([
    ['Write', { file_path: 'src/new.ts', content: 'registry/low-level/new.yaml' }],
    ['Write', { file_path: 'registry/config/services.yaml', content: 'x' }],
    ['Edit', { file_path: 'registry/low-level/draft.yaml', old_string: 'TODO say', new_string: 'It says' }],
    ['Edit', { file_path: 'registry/low-level/scaffolded.yaml', old_string: 'Say here', new_string: 'It says' }],
    ['Edit', { file_path: 'ops/tools/make-report.py', old_string: 'a', new_string: 'b' }],
    ['Read', { file_path: 'registry/low-level/report.make.yaml' }],
    ['mcp__filesystem__read_file', { path: 'ability.yaml' }],
    ['Grep', { pattern: 'x', path: 'registry' }],
    ['TodoWrite', { todos: [{ content: 'registry/low-level/new.yaml' }] }],
    ['Task', { prompt: 'ability approve KEY' }],
  ])('%s of %j passes', async (name, input) => {
    const { project, ask } = guardedProject();
    expect(await ask(claudeCall(name, input, project.root))).toEqual(NO_OPINION);
  });

  test.each([
    ['Write', { file_path: '.gemini/settings.local.json', content: '{"disableAllHooks":true}' }],
    ['Bash', { command: `echo '{"disableAllHooks":true}' > .gemini/settings.local.json` }],
    ['Bash', { command: 'cd .gemini && cp /tmp/x settings.local.json' }],
    ['Bash', { command: 'rm -rf .gemini' }],
    ['Bash', { command: 'mv .gemini /tmp/old' }],
  ])('a change that may switch off the guard is denied: %s of %j', async (name, input) => {
    const files = { '.gemini/settings.json': '{"hooks":"ability guard --for gemini"}' };
    const { project, ask } = guardedProject(files);
    const { exit, stderr } = await ask(claudeCall(name, input, project.root));
    expect(stderr).toMatch(/puts this guard before your calls/);
    expect(exit).toBe(2);
  });

  test.each([
    ['Write', { file_path: '.gemini/settings.local.json', content: '{}' }],
    ['Write', { file_path: '.gemini/hooks.json', content: '{}' }],
    ['Bash', { command: 'rm -rf .gemini' }],
  ])('settings without the guard may be written: %s of %j', async (name, input) => {
    const { project, ask } = guardedProject({ '.gemini/settings.json': '{"hooks":{}}' });
    expect(await ask(claudeCall(name, input, project.root))).toMatchObject({ exit: 0 });
  });

  test('an agent may not write the settings that put the guard before calls', async () => {
    const { project, ask } = guardedProject({ '.claude/settings.json': '{"hooks":"ability guard --for claude"}' });
    const call = claudeCall('Write', { file_path: '.claude/settings.json', content: '{}' }, project.root);
    expect((await ask(call)).exit).toBe(2);
  });
});

describe('a script of several abilities', () => {
  const two = {
    ...lowLevel(
      'ops.start',
      'implementation: { kind: script, script: { path: ops/ctl.sh, args: [start, "${{ input.name }}"] } }',
    ),
    ...lowLevel(
      'ops.stop',
      'implementation: { kind: script, script: { path: ops/ctl.sh, args: [stop, "${{ input.name }}"] } }',
    ),
    'ops/ctl.sh': 'echo "$1"\n',
  };
  test.each([
    ['sh ops/ctl.sh start web', 'ops.start'],
    ['sh ops/ctl.sh stop web', 'ops.stop'],
    ['cd ops && ./ctl.sh stop web', 'ops.stop'],
    ['env -C ops ./ctl.sh start web', 'ops.start'],
  ])('%s is said to be %s (R-002-57)', async (command, ability) => {
    const { exit, stderr } = await guardedProject(two).shell(command);
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(`ability run ${ability}`) });
  });
});

describe('what only the shell knows', () => {
  const ask = (command: string, tool: AgentTool = 'claude') => {
    const { project, ask: answer } = guardedProject();
    return answer(claudeCall('Bash', { command }, project.root), tool);
  };
  test('is asked about where the tool can ask, and denied where it cannot (R-002-57)', async () => {
    const { exit, stdout } = await ask('cat "$(cat list.txt)"');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'ask',
        permissionDecisionReason: expect.stringContaining('computed when it runs. Write it out') as string,
      },
    });
    expect(await ask('cat "$(cat list.txt)"', 'codex')).toMatchObject({ exit: 2 });
  });
});

describe('policy.bypass', () => {
  test('`warn` reports the call and lets it pass', async () => {
    const { shell } = withBypass('{ abilities: warn }');
    const { exit, stdout, stderr } = await shell('python3 ops/tools/make-report.py');
    expect(exit).toBe(0);
    expect((JSON.parse(stdout) as { systemMessage: string }).systemMessage).toContain('ability run report.make');
    expect(stderr).toContain('ability run report.make');
    expect((await shell('ability approve KEY')).exit).toBe(2);
  });

  test('the example of docs/hooks.md works as described', async () => {
    const page = readFileSync(new URL('../../../../docs/hooks.md', import.meta.url), 'utf8');
    const [, example = ''] = /<!-- bypass -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const { shell } = guardedProject({ 'ability.yaml': example });
    expect(await shell('python3 ops/tools/make-report.py')).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('report.make'),
    });
    expect((await shell('ability approve KEY')).exit).toBe(2);
    expect((await shell('rm -rf registry')).exit).toBe(2);
  });

  test('`off` has no opinion, for each part separately', async () => {
    const { shell } = withBypass('{ registry: "off", decisions: "off" }');
    expect(await shell('echo x > registry/low-level/new.yaml')).toEqual(NO_OPINION);
    expect(await shell('ability approve KEY')).toEqual(NO_OPINION);
    expect((await shell('python3 ops/tools/make-report.py')).exit).toBe(2);
  });

  test('an unknown value or part is refused, and counts as deny', async () => {
    for (const bypass of ['{ abilities: allow }', '{ everything: "off" }']) {
      const { shell } = withBypass(bypass);
      const { exit, stderr } = await shell('python3 ops/tools/make-report.py');
      expect(exit).toBe(2);
      expect(stderr).toMatch(/This project has a fault/);
    }
  });
});

describe('the guards of an ability are consulted about a call of its tool', () => {
  const call = (input: object, root: string): object => claudeCall('mcp__log-server__search', input, root);

  test('a registered MCP tool is denied; with `off` its guards decide', async () => {
    const { project, ask } = guardedProject();
    expect((await ask(call({ text: 'a' }, project.root))).stderr).toContain('ability run logs.search');
    const off = withBypass('{ abilities: "off" }');
    const { root } = off.project;
    expect(await off.ask(call({ text: 'hello' }, root))).toEqual(NO_OPINION);
    const denied = await off.ask(call({ text: 'the password' }, root));
    expect(denied).toMatchObject({ exit: 2, stdout: '' });
    expect(denied.stderr).toContain('No passwords. (hook no_secrets of logs.search) Search for something else.');
  });

  test('need_user_confirm is `ask` if the tool can ask, and otherwise a denial that states this', async () => {
    const { project, ask } = withBypass('{ abilities: "off" }');
    const claude = await ask(call({ limit: 500 }, project.root));
    expect(claude).toMatchObject({ exit: 0, stderr: '' });
    expect(JSON.parse(claude.stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
    });
    const codex = await ask(call({ limit: 500 }, project.root), 'codex');
    expect(codex).toMatchObject({ exit: 2, stdout: '' });
    expect(codex.stderr).toContain('codex cannot ask one here');
    const cursor = {
      hook_event_name: 'beforeMCPExecution',
      tool_name: 'search',
      tool_input: '{"limit":500}',
      workspace_roots: [project.root],
    };
    expect(JSON.parse((await ask(cursor, 'cursor')).stdout)).toMatchObject({ permission: 'ask' });
  });

  test('an expression that cannot be evaluated denies the call', async () => {
    const { project, ask } = withBypass('{ abilities: "off" }');
    const { exit, stderr } = await ask(call({ limit: 'many' }, project.root));
    expect(exit).toBe(2);
    expect(stderr).toContain('a guard that cannot answer denies the call');
  });

  test('the defaults of the contract apply', async () => {
    const { project, ask } = withBypass('{ abilities: "off" }');
    expect(await ask(call({}, project.root))).toEqual(NO_OPINION);
  });
});

describe('`as` in reverse', () => {
  const mapped = (tool_input: string): Record<string, string> => ({
    ...lowLevel(
      'ops.run',
      'effects: destructive',
      'implementation: { kind: script, script: { path: ops/tools/other.py } }',
    ),
    ...lowLevel(
      'fs.write',
      'effects: write_idempotent',
      'implementation: { kind: script, script: { path: src/write.mjs } }',
    ),
    'src/write.mjs': '// nothing',
    'hooks/block.py': 'import sys\nsys.exit(0)\n',
    'registry/hooks/PreAbilityCall.yaml': `hooks:
  - id: foreign
    match: {}
    abstain: allow
    as:
      - { match: { abilities: ["ops.*"] }, tool_name: Bash, tool_input: ${tool_input} }
      - { match: { abilities: [fs.write] }, tool_name: Write, tool_input: "\${{ input }}" }
    handler: { script: { path: hooks/block.py }, format: claude-code }
  - id: no_force
    blocking: true
    match: { abilities: ["ops.*"] }
    handler: { expression: { deny_if: "input.?command.orValue('').contains('--force')", reason: Never by force. } }
  - id: no_env
    blocking: true
    match: { abilities: [fs.write] }
    handler: { expression: { deny_if: "input.file_path.endsWith('.env')", reason: Secrets are not written. } }
`,
  });
  // No ability binds `foreign`, and it does not block, so only the expressions are evaluated.

  test('a shell command is treated as the ability that is mapped to it, in each tool', async () => {
    const { project, ask } = guardedProject(mapped('{ command: "${{ input.command }}" }'));
    const command = 'git push --force';
    const events: [AgentTool, object][] = [
      ['claude', claudeCall('Bash', { command, description: 'push' }, project.root)],
      ['codex', claudeCall('Bash', { command }, project.root)],
      ['cursor', { hook_event_name: 'beforeShellExecution', command, cwd: project.root }],
      ['cursor', { hook_event_name: 'preToolUse', tool_name: 'Shell', tool_input: { command }, cwd: project.root }],
      [
        'gemini',
        { hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', tool_input: { command }, cwd: project.root },
      ],
    ];
    for (const [tool, event] of events) {
      const { exit, stderr } = await ask(event, tool);
      expect(stderr).toContain('Never by force. (hook no_force of ops.run)');
      expect(exit).toBe(2);
    }
    expect(await ask(claudeCall('Bash', { command: 'git push' }, project.root))).toEqual(NO_OPINION);
  });

  test('a whole input is read, and a patch counts as the write that it makes', async () => {
    const { project, ask } = guardedProject(mapped('{ command: "${{ input.command }}" }'));
    const write = claudeCall('Write', { file_path: 'prod.env', content: 'x' }, project.root);
    expect((await ask(write)).stderr).toContain('Secrets are not written.');
    const patch = { command: '*** Begin Patch\n*** Add File: prod.env\n+x\n*** End Patch' };
    expect((await ask(claudeCall('apply_patch', patch, project.root), 'codex')).stderr).toContain(
      'Secrets are not written.',
    );
  });

  test('a computed value cannot be reversed, so the call is denied', async () => {
    const { project, ask } = guardedProject(mapped('{ command: "${{ input.command + \' -x\' }}" }'));
    const { exit, stderr } = await ask(claudeCall('Bash', { command: 'ls' }, project.root));
    expect(exit).toBe(2);
    expect(stderr).toContain('cannot be reversed');
  });
});

describe('script guards run without a server', () => {
  const GUARD = `let text = '';
process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const { payload, event_type, ability_id } = JSON.parse(text);
  if (process.env.SECRET_OF_THE_CALLER) process.exit(3);
  const guard_decision = payload.text === 'stop' ? 'deny' : 'allow';
  console.log(JSON.stringify({ guard_decision, reason: event_type + ' ' + ability_id }));
});
`;
  const files = {
    'hooks/guard.mjs': GUARD,
    'registry/hooks/PreAbilityCall.yaml':
      'hooks:\n  - { id: scripted, blocking: true, match: { abilities: ["logs.*"] }, handler: { script: { path: hooks/guard.mjs } } }\n',
  };

  test('with only the environment of their profile', async () => {
    const { project, ask } = guardedProject(files);
    const file = join(project.root, 'ability.yaml');
    writeFileSync(file, `${readFileSync(file, 'utf8')}\npolicy: { bypass: { abilities: "off" } }\n`);
    const env = { ...process.env, SECRET_OF_THE_CALLER: '1' };
    const call = (text: string): object => claudeCall('mcp__log-server__search', { text }, project.root);
    const denied = await ask(call('stop'), 'claude', env);
    expect(denied.stderr).toContain('PreAbilityCall logs.search (hook scripted of logs.search)');
    expect(denied.exit).toBe(2);
    expect(await ask(call('go'), 'claude', env)).toEqual(NO_OPINION);
  });
});

describe('a guard written for Claude Code is called as it is there', () => {
  const BLOCK = `import json, sys
call = json.load(sys.stdin)
if call["hook_event_name"] != "PreToolUse" or call["tool_name"] != "Bash":
    sys.exit(1)
if "--force" in call["tool_input"]["command"]:
    print("Force is not the way.", file=sys.stderr)
    sys.exit(2)
`;
  const files = {
    ...lowLevel(
      'ops.run',
      'effects: destructive',
      'input_schema: { type: object, properties: { command: { type: string } }, required: [command] }',
      'implementation: { kind: script, script: { path: ops/tools/other.py } }',
    ),
    'hooks/block.py': BLOCK,
    'registry/hooks/PreAbilityCall.yaml': `hooks:
  - id: foreign
    blocking: true
    match: { abilities: ["ops.*"] }
    handler: { script: { path: hooks/block.py }, format: claude-code }
    as:
      - { match: { abilities: ["ops.*"] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}" } }
    must_deny:
      - { ability: ops.run, input: { command: git push --force } }
`,
  };
  const shell = (command: string, root: string): object => claudeCall('Bash', { command }, root);

  test('its exit code 2 is a denial in each tool, and its silence is no opinion (R-002-57)', async () => {
    const { project, ask } = guardedProject(files);
    for (const tool of ['claude', 'codex'] as const) {
      const denied = await ask(shell('git push --force', project.root), tool, process.env);
      expect(denied.stderr).toContain('Force is not the way. (hook foreign of ops.run)');
      expect(denied.exit).toBe(2);
      expect(await ask(shell('git push', project.root), tool, process.env)).toEqual(NO_OPINION);
    }
  });

  test('one that fails denies the call', async () => {
    const { project, ask } = guardedProject({ ...files, 'hooks/block.py': 'raise SystemExit(7)\n' });
    expect((await ask(shell('git push', project.root), 'claude', process.env)).exit).toBe(2);
  });
});

describe('what cannot be read is denied', () => {
  test.each([
    ['', 'nothing on stdin'],
    ['no json', 'no JSON'],
    ['[]', 'no JSON object'],
    ['{}', 'no `hook_event_name`'],
    ['{"hook_event_name":"Unheard"}', 'no event "Unheard"'],
    ['{"hook_event_name":"PreToolUse"}', 'no `tool_name`'],
    ['{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":7}', 'no object'],
  ])('%j: %s', async (text, reason) => {
    const { ask } = guardedProject();
    const { exit, stderr, stdout } = await ask(text);
    expect(stderr).toContain(reason);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  });

  test('an event that does not wait for a permission gets no answer', async () => {
    const { ask } = guardedProject();
    expect(await ask({ hook_event_name: 'PostToolUse' })).toEqual(NO_OPINION);
    expect(await ask({ hook_event_name: 'AfterTool' }, 'gemini')).toEqual(NO_OPINION);
    expect((await ask({ hook_event_name: 'AfterTool' }, 'claude')).exit).toBe(2);
  });

  test('Cursor also reads the reason as JSON', async () => {
    const { project, ask } = guardedProject();
    const event = { hook_event_name: 'beforeShellExecution', command: 'sh deploy.sh', cwd: project.root };
    const { exit, stdout } = await ask(event, 'cursor');
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      permission: 'deny',
      agent_message: expect.stringContaining('site.deploy'),
    });
  });

  test('with a broken definition, what it mentions counts as registered', async () => {
    const { shell } = guardedProject({
      'registry/low-level/report.make.yaml':
        'operation_key: report.make\nimplementation: [script: ops/tools/make-report.py\n',
    });
    expect((await shell('python3 ops/tools/make-report.py')).stderr).toContain('ability run report.make');
    expect(await shell('python3 ops/tools/other.py')).toEqual(NO_OPINION);
  });

  test('with a broken ability.yaml, what any definition mentions counts as registered', async () => {
    const { shell, project, ask } = guardedProject({ 'ability.yaml': 'format: [' });
    const { exit, stderr } = await shell('python3 ops/tools/make-report.py');
    expect(exit).toBe(2);
    expect(stderr).toContain('This project has a fault');
    expect((await shell('curl https://api.billing.test/v1/x')).exit).toBe(2);
    expect((await shell('ability approve KEY')).exit).toBe(2);
    expect((await ask(claudeCall('Write', { file_path: 'ability.yaml', content: 'x' }, project.root))).exit).toBe(2);
  });

  test('with a broken file of hooks, a tool that it maps is denied', async () => {
    const { project, ask } = guardedProject({
      'registry/hooks/PreAbilityCall.yaml': 'hooks:\n  - id: x\n    as: [{ tool_name: WebFetch, tool_input: {} }\n',
    });
    expect((await ask(claudeCall('WebFetch', { url: 'https://example.test' }, project.root))).exit).toBe(2);
    expect(await ask(claudeCall('Bash', { command: 'ls' }, project.root))).toEqual(NO_OPINION);
  });
});

describe('the cached index', () => {
  test('is rebuilt when a definition has changed, whatever its size and time', async () => {
    const { project, shell } = guardedProject();
    expect((await shell('python3 ops/tools/other.py')).exit).toBe(0);
    const path = join(project.root, 'registry/low-level/report.make.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace('make-report.py', 'other.py'));
    expect((await shell('python3 ops/tools/other.py')).exit).toBe(2);
  });

  test.each(['', '{', '{"key":"x"}', '[]', 'null'])('is rebuilt if it is broken (%j)', async (text) => {
    const { project, shell } = guardedProject();
    const file = join(project.root, '.system/cache/guard.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    expect((await shell('python3 ops/tools/make-report.py')).exit).toBe(2);
    expect(readFileSync(file, 'utf8')).toContain('report.make');
  });
});
