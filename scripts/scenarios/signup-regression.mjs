const PROMPT = 'Run signup E2E regression for the latest build.';
const PARTS = ['db.write.user_row', 'http.call.signup_service', 'mcp.query.logs'];

/** Source: R-000-97. */
export const signupRegression = {
  name: 'signup-regression',
  ids: ['R-000-97', 'R-002-70'],
  scope: 'integration',
  what: `An AI is asked: "${PROMPT}" In staging there is an ability for it; in dev that is out of scope.`,
  expected: [
    'in staging it ends in `signup_e2e_test`, after a person has released the build',
    `in dev it ends in a plan of ${PARTS.join(', ')}, in this order`,
  ],
  async run(record) {
    const staging = await ask(record, 'staging', '97');
    const [call] = staging.tasks;
    record.task(call.task_key);
    record.expect(staging.plan[0]?.ability_id === 'signup_e2e_test', `the plan in staging: ${idsOf(staging.plan)}`);
    record.expect(call.status === 'waiting_approval', `it is ${call.status}`);
    await record.run(['approve', call.task_key], { env: { ABILITY_USER: 'release-manager' } });
    const end = await record.json(['task', 'watch', call.task_key]);
    record.expect(end.status === 'succeeded' && end.output.status === 'success', `${call.task_key} is ${end.status}`);

    const dev = await ask(record, 'dev', '98');
    for (const { task_key } of dev.tasks) record.task(task_key);
    record.expect(idsOf(dev.tasks) === PARTS.join(', '), `the calls in dev: ${idsOf(dev.tasks)}`);
    record.expect(
      dev.tasks.every(({ status }) => status === 'succeeded'),
      `the AI says: ${dev.answer}`,
    );
  },
};

const idsOf = (calls) => calls.map(({ ability_id }) => ability_id).join(', ');

async function ask(record, environment, build) {
  const command = { argv: ['node', 'scripts/ai-planner.mjs'], pass: ['LATEST_BUILD'] };
  const request = { environment, prompt: PROMPT, provider: { command } };
  const options = { input: JSON.stringify(request), env: { LATEST_BUILD: build } };
  return JSON.parse((await record.start(['agent', '--request', '-', '--json'], options)).stdout);
}
