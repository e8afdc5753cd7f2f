import { scaffold, scriptOf } from './scaffold-abilities.mjs';

/** Source: R-002-64, R-002-70. */
export const guardDeny = {
  name: 'guard-deny',
  ids: ['R-002-64', 'R-002-70'],
  scope: 'integration',
  what: 'A guard forbids to delete what is not a draft. An AI that sees the protocol only asks for one of each.',
  expected: [
    'the delete of a draft passes',
    'the delete of a release is denied, and nothing is deleted',
    'the AI sees the guard in its turn context, and asks instead of trying again',
  ],
  async run(record) {
    record.files({ 'scripts/delete-document.mjs': DELETE });
    await scaffold(record, 'low-level', {
      operation_key: 'document.delete',
      summary: 'Delete a document by its name.',
      effects: 'write_idempotent',
      input_schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      implementation: scriptOf('scripts/delete-document.mjs'),
    });
    const guard = ['scaffold', 'hook', 'drafts_only', '--phase', 'PreAbilityCall', '--handler', 'expression'];
    const rule = ['--deny-if', '!input.name.startsWith("draft-")', '--reason', 'Only drafts may be deleted.'];
    await record.run([...guard, '--match', 'abilities=document.delete', ...rule]);

    const passed = await ask(record, 'draft-1', 0);
    record.expect(passed.tasks[0]?.status === 'succeeded', `the AI deleted draft-1: ${passed.answer}`);
    record.task(passed.tasks[0].task_key);

    const refused = await ask(record, 'release-1');
    const [call] = refused.tasks;
    record.task(call.task_key, { called: false });
    record.expect(
      call.status === 'denied' && refused.tasks.length === 1,
      `the call for release-1 is ${call.status}: ${call.error?.reason}`,
    );
    const seen = refused.turn_context.hook_signals.ability_guards;
    const guarded = seen.some((one) => one.ability_id === 'document.delete' && one.decision === 'deny');
    record.expect(guarded, `turn_context has the guard: ${JSON.stringify(seen)}`);
    record.expect(/another way\?$/.test(refused.answer ?? ''), `the AI asks: ${refused.answer}`);
    record.expect(
      !record.has('.system/deleted-release-1') && record.has('.system/deleted-draft-1'),
      'only the draft is deleted',
    );
  },
};

/** What `ability agent` printed; some runs end with another exit code than 0. */
async function ask(record, name, exit) {
  const request = {
    environment: 'dev',
    prompt: `Delete the document "${name}"`,
    provider: { command: { argv: ['node', 'scripts/ai-planner.mjs'] } },
  };
  const end = await record.start(['agent', '--request', '-', '--json'], { input: JSON.stringify(request) });
  if (exit !== undefined && end.exit !== exit)
    throw new Error(`ability agent: exit ${end.exit}\n${end.stdout}${end.stderr}`);
  return JSON.parse(end.stdout);
}

const DELETE = `import { readFileSync, writeFileSync } from 'node:fs';
const [input, output] = process.argv.slice(2);
const { name } = JSON.parse(readFileSync(input, 'utf8'));
writeFileSync('.system/deleted-' + name, '');
writeFileSync(output, JSON.stringify({ deleted: name }));
`;
