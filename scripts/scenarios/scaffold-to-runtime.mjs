import { scaffoldLogGenerate } from './scaffold-abilities.mjs';

/** Source: R-002-65. */
export const scaffoldToRuntime = {
  name: 'scaffold-to-runtime',
  ids: ['R-002-65'],
  scope: 'integration',
  what: 'An operation and a hook of its own are scaffolded, checked, and called through the runtime, all by commands.',
  expected: ['both load and pass lint', 'a task is created and run by its key', 'the hook decided about the call'],
  async run(record) {
    await scaffoldLogGenerate(record);
    const guard = ['scaffold', 'hook', 'no_secrets_in_logs', '--phase', 'PreAbilityCall', '--handler', 'expression'];
    const rule = ['--deny-if', 'input.message.contains("password")', '--reason', 'No passwords in logs.'];
    await record.run([...guard, '--match', 'abilities=log.generate', ...rule]);
    await record.run(['lint']);
    await record.run(['show', 'log.generate']);
    const { task_key } = await record.json(['task', 'create', 'log.generate', '--set', 'message=hello']);
    record.task(task_key);
    const end = await record.json(['task', 'run', task_key]);
    record.expect(end.status === 'succeeded' && end.output.line.endsWith(' hello'), `${task_key} is ${end.status}`);
    const why = await record.run(['why', task_key]);
    record.expect(why.includes('log.generate'), '`ability why` explains it');
    const denied = await record.json(['run', 'log.generate', '--set', 'message=password 1'], { exit: 4 });
    record.task(denied.task_key, { called: false });
    const reason = denied.error?.message ?? '';
    record.expect(
      denied.status === 'denied' && reason.includes('No passwords'),
      `its hook denied the other: ${reason}`,
    );
  },
};
