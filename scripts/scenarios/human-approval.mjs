/** Source: R-002-65. */
export const humanApproval = {
  name: 'human-approval',
  ids: ['R-002-65'],
  scope: 'integration',
  what: 'The sign-up regression waits for a release; a second person decides while the first process waits.',
  expected: [
    'the task waits for an approval',
    'a second person approves it',
    'the task ends well, and its record names who decided',
  ],
  async run(record) {
    const key = record.task('acceptance-approval');
    const input = ['--set', 'build_id=accept-1', '--env', 'staging', '--key', key];
    const first = await record.start(['run', 'signup_e2e_test', ...input, '--json']);
    record.expect(first.exit === 5, `the command ends with ${first.exit}, waiting_approval`);
    const waiting = await record.run(['approvals', key]);
    record.expect(waiting.includes('accept-1'), 'the open approval says what is asked');
    await record.run(['approve', key, '--comment', 'the evidence is good'], {
      env: { ABILITY_USER: 'release-manager' },
    });
    const { status, output } = await record.json(['task', 'watch', key]);
    record.expect(status === 'succeeded' && output.status === 'success', `${key} is ${status}`);
    await record.until('its record is written', () => record.has(`.system/implement/${key}/tool_call.md`));
    const why = await record.run(['why', key]);
    record.expect(why.includes('release-manager'), '`ability why` names who decided');
  },
};
