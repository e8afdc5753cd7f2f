/** What the demo shows, in the order it shows it. Every step checks that what should happen happens. */
import { TAKEN_EMAIL } from '../database/create-tables.mjs';
import { showSection, showText } from './show.mjs';
import { KEY_PREFIX } from './stage.mjs';

/** @param {Awaited<ReturnType<import('./stage.mjs').setStage>>} stage */
export async function tellStory(stage) {
  // A build id of its own, so that nothing an earlier demo left can be mistaken for this one's.
  const build = new Date().toISOString().replaceAll(/[-:]/g, '').slice(4, 15).replace('T', '.');
  introduceSystem(stage);
  await stage.ability.run(['list']);
  const key = `${KEY_PREFIX}${build}`;
  await runAndApprove(stage, build, key);
  await lookBack(stage, key);
  await refuseScope(stage, build);
  await refuseGuard(stage);
  await failStep(stage, `${build}-taken`);
}

function introduceSystem(stage) {
  const { system, files } = stage;
  showSection('A real system, and what may be done with it');
  showText(
    `service   ${system.url}   sign-up and billing, over HTTP`,
    `database  ${system.databaseUrl}   PostgreSQL`,
    `log       ${stage.pathOf(system.logFile)}   read by an MCP server`,
    `Definitions in registry/ find it through ${files.names.join(' and ')}, which go when the demo ends.`,
  );
}

async function runAndApprove({ ability }, build, key) {
  showSection('A regression test as a durable workflow, up to the point where a person must decide');
  const input = ['--set', `build_id=${build}`];
  const how = ['--env', 'staging', '--key', key, '--wait-approval', '60s'];
  const test = ability.start(['run', 'signup_e2e_test', ...input, ...how]);
  // The id of an approval ends in a digest of what was shown, so that naming it approves exactly that.
  const approval = await test.says(/\brelease-[0-9a-f]{12}\b/);
  await test.says(/until [^\n]+\n/);
  showText(
    'That process waits. Now a second one decides, in the name of release-manager. No identity is proved here:',
    '`--as` is a claim, and the record will call it one.',
  );
  const decision = ['--approval', approval, '--as', 'release-manager', '--comment', 'the evidence is good'];
  await ability.run(['approve', key, ...decision]);
  showText('And the first process goes on:', '');
  await test.end(0);
}

async function lookBack(stage, key) {
  showSection('What happened, and where it is written down');
  await stage.ability.run(['task', 'show', key]);
  await stage.ability.run(['task', 'logs', key]);
  const { file, text } = stage.recordOf(key);
  showText(`The record is ${stage.pathOf(file)}; of the approval it says:`, '', ...sectionOf(text, '## Approvals'));
  showText('The same in the Temporal UI, as long as the runtime is up:');
  await stage.ability.run(['task', 'open', key]);
}

async function refuseScope({ ability }, build) {
  showSection('No, not here: the scope of the ability excludes prod, and nothing of it runs');
  await ability.run(['run', 'signup_e2e_test', '--set', `build_id=${build}`, '--env', 'prod'], { exit: 3 });
}

async function refuseGuard({ ability }) {
  showSection('No, not like this: a guard denies the call, and nothing leaves this machine');
  const call = ['run', 'http.call.signup_service', '--set', 'email=someone@example.test', '--env', 'prod'];
  await ability.run(call, { exit: 4 });
}

async function failStep({ ability }, build) {
  showSection('A step fails: the address has an account already. `finally` runs all the same');
  const input = ['--set', `build_id=${build}`, '--set', `email=${TAKEN_EMAIL}`];
  const key = `${KEY_PREFIX}${build}`;
  await ability.run(['run', 'signup_e2e_test', ...input, '--env', 'staging', '--key', key], { exit: 1 });
  showText('The row that the test had seeded is gone:');
  const answer = await ability.run(['run', 'db.read.user_row', '--set', `user_id=u-${build}`, '--env', 'staging']);
  if (!/"found": false/.test(answer)) throw new Error('the clean-up left the row behind');
}

/** One section of a Markdown text, without its title. */
function sectionOf(text, title) {
  const [, after = ''] = text.split(`${title}\n`);
  return after.split('\n## ')[0].trim().split('\n');
}
